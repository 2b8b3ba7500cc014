// SPDX-License-Identifier: GPL-3.0-or-later
//! Out of step is a state with an exit: the arbiter's commands.

use arbiterd::laws::{Authority, NoticeKind, RulingKind};
use arbiterd::table::{Claim, Command, CommandError, Observer, Orientation, Speaker};
use arbiterd_board::{Colour, LinkState};

use super::lagged::{Lagged, START};

const BLACK: Speaker = Speaker::Player(Colour::Black);

#[test]
fn the_arbiter_accepts_the_board_as_it_stands_and_play_goes_on() {
    let mut t = Lagged::begin("fide-2023-standard", Observer::Arbiter, START);
    // Pieces of both colours stand elsewhere: nothing explains it.
    t.whole("r1bqkbnr/ppp2ppp/2np4/4p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R");
    t.go(20_000);
    assert_eq!(t.state(), "out-of-step");
    t.command(Command::AcceptBoard { turn: Colour::White });
    assert_eq!(t.state(), "in-step");
    assert_eq!(
        t.table.game().standing().fen(),
        "r1bqkbnr/ppp2ppp/2np4/4p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 1"
    );
    // Castling is still possible: king and rook stand where they stood.
    t.square("e1", '.');
    t.square("h1", '.');
    t.wait(200);
    t.square("g1", 'K');
    t.square("f1", 'R');
    t.wait(300);
    t.press(Colour::White);
    t.go(3000);
    assert_eq!(t.moves(), ["e1g1"]);
    assert_eq!(t.kinds(), []);
}

#[test]
fn a_board_that_comes_back_with_something_else_on_it_is_never_said_to_be_in_step() {
    let mut t = Lagged::begin("fide-2023-standard", Observer::Arbiter, START);
    t.play("e2", "e4", 'P');
    t.link(LinkState::Down);
    t.go(2000);
    assert_eq!(t.state(), "board-lost");
    t.link(LinkState::Up);
    t.whole("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    let called = |t: &Lagged| t.notices.iter().filter(|n| n.kind == NoticeKind::OutOfStep).count();
    assert_eq!((t.state(), called(&t)), ("out-of-step", 0), "pieces may be on their way back");
    t.go(10_000);
    assert_eq!((t.state(), called(&t)), ("out-of-step", 1));
    t.whole("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    assert_eq!(t.state(), "in-step");
    // What may be a move in progress is one.
    t.link(LinkState::Down);
    t.link(LinkState::Up);
    t.whole("rnbqkbnr/pppp1ppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    assert_eq!(t.state(), "in-step");
    assert_eq!(t.kinds(), []);
}

#[test]
fn a_proposal_waits_for_a_person_and_then_counts_or_not() {
    let proposed = |confirm: bool| {
        let mut t = Lagged::begin("fide-2017-rapid", Observer::Witness, START);
        t.play("e2", "e5", 'P');
        t.carry("b8", "c6", 'n');
        t.wait(100);
        t.claim(BLACK, Claim::IllegalMove);
        t.go(3000);
        assert_eq!(t.kinds(), [RulingKind::IllegalMove]);
        assert_eq!(t.rulings[0].authority, Authority::Proposed);
        let ruling = t.rulings[0].seq;
        t.command(if confirm { Command::Confirm { ruling } } else { Command::Overrule { ruling } });
        assert_eq!(t.table.check(&Command::Confirm { ruling }), Err(CommandError::NoSuchProposal(ruling)));
        t
    };
    assert_eq!(proposed(true).result(), "0-1");
    let mut overruled = proposed(false);
    assert_eq!(overruled.result(), "*");
    overruled.press(Colour::Black);
    overruled.go(3000);
    assert_eq!(overruled.moves(), ["e2e5", "b8c6"], "the game goes on");
}

/// Taken the wrong way round, every honest move after it would be an illegal one.
#[test]
fn a_board_of_which_nobody_knows_which_way_round_it_stands_is_not_accepted() {
    let mut t = Lagged::unplugged("fide-2023-standard", Observer::Arbiter, START, Orientation::Auto);
    t.capabilities();
    t.whole("4k3/8/8/8/8/8/4P3/4K3");
    t.clock();
    t.go(2000);
    let refused = t.table.check(&Command::AcceptBoard { turn: Colour::White });
    assert!(matches!(refused, Err(CommandError::BoardUnusable(_))), "{refused:?}");
    // Once it has shown the expected position, or the settings say so, it is.
    t.whole("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    t.whole("4k3/8/8/8/8/8/4P3/4K3");
    t.command(Command::AcceptBoard { turn: Colour::White });
    assert_eq!(t.state(), "in-step");
}

#[test]
fn what_cannot_be_accepted_is_refused_by_name() {
    let mut t = Lagged::begin("fide-2023-standard", Observer::Arbiter, START);
    t.square("e4", '=');
    let refused = t.table.check(&Command::AcceptBoard { turn: Colour::White });
    assert!(matches!(refused, Err(CommandError::BoardUnusable(_))), "{refused:?}");
    assert_eq!(t.table.check(&Command::Overrule { ruling: 7 }), Err(CommandError::NoSuchProposal(7)));
}
