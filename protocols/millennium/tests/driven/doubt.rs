// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one frame, one scan and a full line must not make the driver believe.

use core::time::Duration;

use arbiterd_board::{Driver as _, Request, Sensing};
use arbiterd_millennium::Transport;
use arbiterd_millennium::simulator::Model;

use crate::rig::{MODELS, Rig, Way};

/// A scan misreads a square now and then, and the next one reads it as it is.
fn misread(model: Model, transport: Transport, way: Way) -> Option<String> {
    let mut rig = Rig::new(model, transport, 34);
    rig.way = way;
    rig.start();
    for flicker in ["flicker=e2", "flicker=e2,Q", "flicker=e2,?", "flicker=e2,O"].into_iter().cycle().take(24)
    {
        let pause = rig.below(2000);
        rig.pass_ms(3000 + pause);
        rig.inject(flicker);
    }
    rig.pass_ms(6000);
    let told = rig.squares().len();
    (told > 0).then(|| format!("{model:?} {transport:?} {way:?}: {told} squares"))
}

/// A status may be on the line when the board is asked, and the answer be of the same scan.
#[test]
fn a_question_at_any_moment_does_not_bear_out_the_scan_that_is_being_told() {
    for model in [Model::Exclusive, Model::Performance, Model::Elfacun] {
        let mut rig = Rig::new(model, Transport::Wired, 35);
        rig.start();
        for phase in 0..60 {
            rig.pass_ms(900);
            rig.inject("flicker=e2");
            rig.pass_ms(phase);
            rig.ask(Request::ReadBoard);
        }
        rig.pass_ms(3000);
        assert_eq!(rig.squares(), [], "{model:?}");
    }
}

/// Where statuses do not stream, a question at once would be answered from the scan that it shall bear
/// out; in a stream the next scan says that nothing was.
#[test]
fn one_scan_does_not_bear_itself_out() {
    let quick = Way { portion: 20, latest: Duration::from_millis(20) };
    let complaints: Vec<_> = MODELS
        .into_iter()
        .flat_map(|model| {
            let radio = [Way::of(Transport::Bluetooth), quick].map(|way| (Transport::Bluetooth, way));
            let wire = [Way::of(Transport::Wired), Way::PROMPT].map(|way| (Transport::Wired, way));
            radio.into_iter().chain(wire).map(move |(transport, way)| (model, transport, way))
        })
        .filter_map(|(model, transport, way)| misread(model, transport, way))
        .collect();
    assert_eq!(complaints, [""; 0]);
}

/// Two letters that a line adds to a page cancel each other in its check. What the letters of a
/// status are worth must not hang on one frame: the eONE's guesses are told as pieces then.
#[test]
fn an_eone_whose_page_was_damaged_is_not_believed_to_know_pieces() {
    let mut rig = Rig::new(Model::EOne, Transport::Wired, 1);
    // It says nothing of itself: the answers to V and I are the first 28 bytes.
    rig.inject("register=02,01");
    // An `s` before the 12th and the 24th byte: `i00es-one simulatsed`.
    rig.inject("insert=every:12,73");
    rig.pass_ms(250);
    rig.inject("insert=never");
    rig.start();
    let sensing = rig.driver.capabilities(arbiterd_board::Channel(0)).sensing;
    assert_eq!(sensing, Sensing::Occupancy);
    rig.assert_true();
}

/// If the question for the page were asked three times and never again, a moment of noise would make a
/// board useless until it is unplugged.
#[test]
fn a_supreme_whose_page_was_lost_in_noise_is_known_again_when_the_noise_ends() {
    let mut rig = Rig::new(Model::Supreme, Transport::Wired, 1);
    rig.inject("deaf=I");
    rig.start();
    rig.inject("deaf=none");
    rig.pass_ms(60_000);
    let sensing = rig.driver.capabilities(arbiterd_board::Channel(0)).sensing;
    assert_eq!(sensing, Sensing::Pieces);
}

/// The older half of a joined status is a scan older than a status may be, also where statuses come on
/// change.
#[test]
fn a_joined_status_of_a_board_that_reports_on_change_makes_no_stamp_too_narrow() {
    for seed in (5000..5060).step_by(4) {
        let mut rig = Rig::new(Model::Chesstimation, Transport::Wired, seed);
        if seed % 3 == 0 {
            rig.way = Way::PROMPT;
        }
        rig.start();
        for _ in 0..20 {
            let splice = format!("splice={}", rig.below(65));
            rig.inject(&splice);
            rig.play_wildly(4, Duration::from_millis(10));
        }
        rig.pass_ms(9000);
        rig.assert_true();
    }
}

/// A status may wait for the line behind two others, and asking at every noise would fill the line.
#[test]
fn questions_after_noise_do_not_fill_the_line_so_that_statuses_are_older_than_the_stamps_say() {
    for seed in 5000..5004 {
        for model in MODELS {
            let mut rig = Rig::new(model, Transport::Wired, seed);
            if seed % 3 == 0 {
                rig.way = Way::PROMPT;
            }
            rig.start();
            rig.inject("insert=1/150,00");
            rig.inject("status-first=on");
            rig.play_wildly(60, Duration::from_millis(300));
            rig.inject("insert=never");
            rig.inject("status-first=off");
            rig.pass_ms(9000);
            rig.assert_true();
        }
    }
}
