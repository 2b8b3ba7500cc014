// SPDX-License-Identifier: GPL-3.0-or-later
//! The command that plays one game again.

use super::args::{Families, Level, Mix, SoakArgs};

/// With every option that makes the game what it was.
pub(super) fn again(args: &SoakArgs, game: u64) -> String {
    let mut words = vec![format!("arbiterctl soak --seed {}", args.seed)];
    if args.irregular > 0 {
        words.push(format!("--irregular {}", args.irregular));
    }
    if args.play_on {
        words.push("--play-on".to_owned());
    }
    if args.habits != Mix::Everyday {
        words.push(format!("--habits {}", args.habits.word()));
    }
    if args.level != Level::Events {
        words.push(format!("--level {}", args.level.word()));
    }
    if args.family != Families::Both {
        words.push(format!("--family {}", args.family.word()));
    }
    if args.faults > 0 {
        words.push(format!("--faults {}", args.faults));
    }
    match &args.pgn {
        Some(file) => words.push(format!("--pgn {}", quoted(&file.display().to_string()))),
        None => words.push(format!("--longest {}", args.longest)),
    }
    words.push(format!("--only {game} --trace"));
    words.join(" ")
}

/// As one word of a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctl::soak::args::of_words;

    #[test]
    fn the_command_has_every_option_that_makes_the_game() {
        for words in [
            "--seed 7 --longest 80",
            "--seed 7 --irregular 50 --play-on --habits clean --longest 9",
            "--seed 8 --irregular 5 --level bytes --family dgt --faults 30 --longest 80",
        ] {
            assert_eq!(
                again(&of_words(words.split(' ')), 17),
                format!("arbiterctl soak {words} --only 17 --trace")
            );
        }
    }

    #[test]
    fn a_file_is_one_word_of_the_shell_whatever_its_name_is() {
        let said = again(&of_words(["--pgn", "it's one.pgn"]), 3);
        assert_eq!(said, r"arbiterctl soak --seed 1 --pgn 'it'\''s one.pgn' --only 3 --trace");
    }
}
