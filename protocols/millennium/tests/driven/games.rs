// SPDX-License-Identifier: MIT OR Apache-2.0
//! Games on boards that do nothing wrong: everything is told, once, in order, and at the true time.

use core::time::Duration;

use arbiterd_board::{Occupant, Square};
use arbiterd_millennium::Transport;
use arbiterd_millennium::simulator::Model;
use arbiterd_millennium::wire::Cable;

use crate::rig::{MODELS, Rig, TRANSPORTS, Way};

/// 1. e4 d5 2. exd5 (the captured pawn first) Qxd5 (pushed in) 3. Nf3 Bg4 4. Be2 Bxf3 5. Bxf3 Nf6
/// 6. O-O, and a pawn that is promoted where a rook stood.
const GAME: &str = "e2 e4P d7 d5p d5 e4 d5P d8 d5q g1 f3N c8 g4b f1 e2B g4 f3b e2 f3B g8 f6n \
                    e1 g1K h1 f1R a7 a1p a1 a1q";

impl Rig {
    /// What the board may lag, by its capabilities.
    pub fn driver_lag(&self) -> Duration {
        use arbiterd_board::Driver as _;
        self.driver.capabilities(arbiterd_board::Channel(0)).board_lag
    }

    /// Plays with a pause in which each act can be told before the next, and a little more by chance.
    fn play_slowly(&mut self, game: &str) {
        let lag = self.driver_lag();
        for act in game.split_whitespace() {
            let more = self.below(400_000);
            self.pass(lag + Duration::from_micros(1_000_000 + more));
            self.act(act);
        }
        self.pass(lag + Duration::from_secs(2));
    }

    /// Squares by chance, lifted and set with pauses by chance; now and then one is captured, pushed
    /// in, or put back.
    pub fn play_wildly(&mut self, acts: u32, longest: Duration) {
        let mut hand = Vec::new();
        for _ in 0..acts {
            let micros = u64::try_from(longest.as_micros()).unwrap();
            let pause = Duration::from_micros(self.below(micros));
            self.pass(pause);
            let square = Square::new(u8::try_from(self.below(64)).unwrap()).unwrap();
            match (self.board.placement()[square], hand.pop()) {
                (stands, Some(held)) if stands != held => self.put(square, held),
                (Occupant::Empty, held) => hand.extend(held),
                (stands, held) => {
                    hand.extend(held);
                    hand.push(stands);
                    self.put(square, Occupant::Empty);
                }
            }
        }
    }
}

fn slowly(model: Model, transport: Transport, seed: u64, cable: Cable) -> Rig {
    let mut rig = Rig::with(model, transport, seed, |options| options.cable = cable);
    rig.start();
    rig.play_slowly(GAME);
    rig
}

#[test]
fn a_game_is_told_completely_once_in_order_and_at_its_true_time() {
    for model in MODELS {
        for transport in TRANSPORTS {
            for (seed, cable) in [(11, Cable::Left), (12, Cable::Right)] {
                let rig = slowly(model, transport, seed, cable);
                rig.assert_true();
                rig.assert_complete();
                assert_eq!(rig.last_board(), Some(rig.stands()), "{model:?} {transport:?}");
            }
        }
    }
}

#[test]
fn nothing_is_told_later_than_the_board_may_lag() {
    let mut complaints = Vec::new();
    for model in MODELS {
        for transport in TRANSPORTS {
            for seed in 40..45 {
                let rig = slowly(model, transport, seed, Cable::Left);
                let (lag, worst) = (rig.driver_lag(), rig.worst_lag());
                if worst > lag {
                    complaints.push(format!("{model:?} {transport:?} seed {seed}: {worst:?}, not {lag:?}"));
                }
            }
        }
    }
    assert_eq!(complaints, [""; 0]);
}

#[test]
fn whatever_hands_do_however_fast_what_is_told_of_it_was_done_at_a_time_within_its_stamp() {
    for seed in 0..40 {
        for model in MODELS {
            for transport in TRANSPORTS {
                let mut rig = Rig::new(model, transport, seed);
                rig.start();
                let longest = [50, 300, 1000, 3000][usize::try_from(seed % 4).unwrap()];
                rig.play_wildly(40, Duration::from_millis(longest));
                rig.pass_ms(8000);
                rig.assert_true();
                assert_eq!(rig.last_board(), Some(rig.stands()), "{model:?} {transport:?} seed {seed}");
            }
        }
    }
}

/// The same over a line without delay, where an answer comes before the next scan.
#[test]
fn a_line_without_delay_changes_nothing() {
    for seed in 100..120 {
        for model in MODELS {
            for transport in TRANSPORTS {
                let mut rig = Rig::new(model, transport, seed);
                rig.way = Way::PROMPT;
                rig.start();
                rig.play_wildly(40, Duration::from_millis(600));
                rig.pass_ms(8000);
                rig.assert_true();
                assert_eq!(rig.last_board(), Some(rig.stands()), "{model:?} {transport:?} seed {seed}");
            }
        }
    }
}
