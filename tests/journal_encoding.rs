// SPDX-License-Identifier: GPL-3.0-or-later
//! Holds the encoding of the journal still.
//!
//! The bytes below were written down by hand from postcard's wire format: unsigned numbers and
//! the numbers of enum variants are little-endian groups of seven bits, `u8` and `bool` are one
//! byte, text is its length and its bytes, an option is 00 or 01 and the value, fields follow
//! each other without names.
//!
//! If one of these tests fails, journals that exist have become unreadable. Do not change the
//! bytes: put the variant or field back where it was, or give the new form a new encoding number
//! and keep reading this one.
#![allow(clippy::unwrap_used, reason = "a panic in a helper of a test is a failed test")]

use std::time::Duration;

use arbiterd::journal::encoding::{EncodingError, FACT_ENCODING, decode_input, encode_input};
use arbiterd::laws::mate::{Proof, QuestionId, Verdict};
use arbiterd::laws::{
    Authority, Certainty, Consequence, NotCovered, NotObservable, Notice, NoticeKind, Ruling, RulingKind,
    Status,
};
use arbiterd::table::{Claim, Command, GameResult, Input, Saying, Speaker};
use arbiterd_board::{
    AckOutcome, Battery, Capabilities, ClockButton, ClockControl, ClockReading, ClockReport, ClockSide,
    Colour, Flag, Identity, Lever, LinkState, Mono, Noise, NoiseCause, Occupant, Piece, Placement, Report,
    ReportBody, RequestId, ResultToken, Role, Sensing, SideReading, Square, Stamp, Trouble, Version,
};
use proptest::prelude::*;

/// 1.0 s to 1.4 s: C0 84 3D and C0 B9 55.
fn report(body: ReportBody) -> Input {
    let at = Stamp { earliest: Mono::from_millis(1000), latest: Mono::from_millis(1400) };
    Input::Report(Report { at, body })
}

fn reading() -> ClockReading {
    ClockReading {
        left: SideReading { remaining: Duration::from_secs(5399), flag: Flag::Up },
        right: SideReading { remaining: Duration::ZERO, flag: Flag::Fallen },
        counting: true,
        lever: Lever::Pressed(ClockSide::Left),
        turn: Some(ClockSide::Right),
        battery_low: false,
    }
}

/// Every variant of [`Input`], and of what a report can carry, with its bytes.
fn golden() -> Vec<(Input, &'static str)> {
    let pawn = Occupant::Piece(Piece { colour: Colour::White, role: Role::Pawn });
    let placement: Placement = "8/8/8/8/8/8/8/K6k".parse().unwrap();
    let identity = Identity {
        family: "dgt".to_owned(),
        serial: Some("12345".to_owned()),
        firmware: Some(Version { main: 1, sub: 9 }),
        clock: None,
    };
    let capabilities = Capabilities {
        sensing: Sensing::Pieces,
        clock: ClockControl::ReadOnly,
        board_lag: Duration::from_millis(400),
        clock_lag: Duration::from_secs(1),
    };
    vec![
        // Input 0, the stamp, then the body's number: 0 a board (17 bytes of text, confirmed).
        (
            report(ReportBody::Board { placement, confirmed: true }),
            "00 C0843D C0B955 00 11 382F382F382F382F382F382F382F4B366B 01",
        ),
        // 1 a square: e2 is square 12; occupant 1 a piece: white 0, pawn 0.
        (
            report(ReportBody::Square { square: "e2".parse().unwrap(), occupant: pawn }),
            "00 C0843D C0B955 01 0C 01 00 00",
        ),
        // The other occupants: 0 empty, 2 unidentified, 3 a token (1: White wins).
        (
            report(ReportBody::Square { square: "h8".parse().unwrap(), occupant: Occupant::Empty }),
            "00 C0843D C0B955 01 3F 00",
        ),
        (
            report(ReportBody::Square { square: "a1".parse().unwrap(), occupant: Occupant::Unidentified }),
            "00 C0843D C0B955 01 00 02",
        ),
        (
            report(ReportBody::Square {
                square: "a1".parse().unwrap(),
                occupant: Occupant::Token(ResultToken::WhiteWins),
            }),
            "00 C0843D C0B955 01 00 03 01",
        ),
        // 2 the clock, 0 a reading: 5399 s and flag 0; 0 s and flag 2; counting; lever 0 pressed
        // on side 0; turn of side 1; battery good.
        (
            report(ReportBody::Clock(ClockReport::Reading(reading()))),
            "00 C0843D C0B955 02 00 972A00 00 0000 02 01 0000 0101 00",
        ),
        (report(ReportBody::Clock(ClockReport::Absent)), "00 C0843D C0B955 02 01"),
        // 2 a reading that may be older than a setting; 3 side 1 was stopped at 5399 s and 0 ns;
        // 4 button 2.
        (
            report(ReportBody::Clock(ClockReport::Unsettled(reading()))),
            "00 C0843D C0B955 02 02 972A00 00 0000 02 01 0000 0101 00",
        ),
        (
            report(ReportBody::Clock(ClockReport::SideStopped {
                side: ClockSide::Right,
                remaining: Duration::from_secs(5399),
            })),
            "00 C0843D C0B955 02 03 01 972A00",
        ),
        (report(ReportBody::Clock(ClockReport::Button(ClockButton::Run))), "00 C0843D C0B955 02 04 02"),
        // 3 who the board is: "dgt", some "12345", some version 1.9, no clock's version.
        (report(ReportBody::Identity(identity)), "00 C0843D C0B955 03 03646774 01053132333435 010109 00"),
        // 4 what it can do: pieces, clock read-only, 0 s 400000000 ns, 1 s 0 ns.
        (report(ReportBody::Capabilities(capabilities)), "00 C0843D C0B955 04 00 01 00 8088DEBE01 01 00"),
        // 5 the battery: 80 percent, charging.
        (report(ReportBody::Battery(Battery { percent: 80, charging: true })), "00 C0843D C0B955 05 50 01"),
        // 6 an answer: request 3, no answer 2.
        (
            report(ReportBody::Ack { request: RequestId(3), outcome: AckOutcome::NoAnswer }),
            "00 C0843D C0B955 06 03 02",
        ),
        // 7 the link: down 1.
        (report(ReportBody::Link(LinkState::Down)), "00 C0843D C0B955 07 01"),
        // 8 noise: 62 bytes, malformed 2.
        (
            report(ReportBody::Noise(Noise { bytes: 62, cause: NoiseCause::Malformed })),
            "00 C0843D C0B955 08 3E 02",
        ),
        // 9 trouble: a shared address 0. 10 a scan: the text of its placement; 11 a disturbed square: e2, and whether it is.
        (report(ReportBody::Trouble(Trouble::SharedAddress)), "00 C0843D C0B955 09 00"),
        (report(ReportBody::Scan { placement }), "00 C0843D C0B955 0A 11 382F382F382F382F382F382F382F4B366B"),
        (
            report(ReportBody::Disturbed { square: "e2".parse().unwrap(), disturbed: true }),
            "00 C0843D C0B955 0B 0C 01",
        ),
        // Input 1, said: by player 0 Black 1, claim 0 touch-move 1; by the arbiter 1, claim 0 flag 2.
        (
            Input::Said { by: Speaker::Player(Colour::Black), what: Saying::Claim(Claim::TouchMove) },
            "01 00 01 00 01",
        ),
        (Input::Said { by: Speaker::Arbiter, what: Saying::Claim(Claim::Flag) }, "01 01 00 02"),
        // Input 2, a gap: from 2.0 s to 3.5 s.
        (Input::Gap { from: Mono::from_millis(2000), to: Mono::from_millis(3500) }, "02 80897A E0CFD501"),
        // Input 3, a verdict: question 7, possible 0 by one move; question 8, impossible 1 for
        // material 1; question 9, undetermined 2 after 300.
        (
            Input::MateVerdict {
                question: QuestionId(7),
                verdict: Verdict::Possible { line: vec!["h7h8q".to_owned()] },
            },
            "03 07 00 01 05 6837683871",
        ),
        (
            Input::MateVerdict {
                question: QuestionId(8),
                verdict: Verdict::Impossible { proof: Proof::Material },
            },
            "03 08 01 01",
        ),
        (
            Input::MateVerdict { question: QuestionId(9), verdict: Verdict::Undetermined { spent: 300 } },
            "03 09 02 AC02",
        ),
        // Input 4, the arbiter's command: 0 confirms ruling 300; 1 overrules 3; 2 accepts, Black 1 to move.
        (Input::Command(Command::Confirm { ruling: 300 }), "04 00 AC02"),
        (Input::Command(Command::Overrule { ruling: 3 }), "04 01 03"),
        (Input::Command(Command::AcceptBoard { turn: Colour::Black }), "04 02 01"),
        // 3 restores 24 half-moves; 4 sets after 2 the two moves; 5 corrects half-move 31.
        (Input::Command(Command::Restore { plies: 24 }), "04 03 18"),
        (
            Input::Command(Command::SetMoves {
                after: 2,
                moves: vec!["e2e4".to_owned(), "e7e8q".to_owned()],
            }),
            "04 04 02 02 04 65326534 05 6537653871",
        ),
        (Input::Command(Command::CorrectPly { ply: 31, uci: "a7a8n".to_owned() }), "04 05 1F 05 613761386E"),
        // 6 accepts, White to move, some turned, some castling "KQ"; Black, neither said.
        (
            Input::Command(Command::AcceptBoardAs {
                turn: Colour::White,
                turned: Some(true),
                castling: Some("KQ".to_owned()),
            }),
            "04 06 00 0101 01 02 4B51",
        ),
        (
            Input::Command(Command::AcceptBoardAs { turn: Colour::Black, turned: None, castling: None }),
            "04 06 01 00 00",
        ),
    ]
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().filter_map(|c| c.to_digit(16)).map(|d| u8::try_from(d).unwrap()).collect();
    assert_eq!(digits.len() % 2, 0, "{hex}");
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[test]
fn facts_keep_their_bytes() {
    assert_eq!(FACT_ENCODING, 1);
    for (input, hex) in golden() {
        assert_eq!(encode_input(&input), Ok(bytes(hex)), "writing {input:?}");
        assert_eq!(decode_input(1, &bytes(hex)), Ok(input), "reading {hex}");
    }
}

#[test]
fn an_unknown_encoding_is_named_and_not_guessed_at() {
    for found in [0, 2, 255, -1, 257] {
        assert_eq!(decode_input(found, &bytes("0101 0002")), Err(EncodingError::UnknownVersion { found }));
    }
}

#[test]
fn damaged_bytes_are_refused() {
    // Nothing; an unknown input; an unknown command; cut short; a byte too many; square 64.
    for hex in ["", "05", "04 07", "04", "02 80897A", "01 01 00 02 00", "00 C0843D C0B955 01 40 00"] {
        let result = decode_input(1, &bytes(hex));
        assert!(matches!(result, Err(EncodingError::Unreadable { .. })), "{hex}: {result:?}");
    }
}

/// A ruling in the words of a journal that was written with the first version.
const RULING: &str = r#"{"seq":3,"revision":17,"rulebook":"fide-2023-standard","kind":"illegal-move","articles":["7.5.1","7.5.5"],"offender":"black","consequence":{"add_white":{"secs":120,"nanos":0},"add_black":{"secs":0,"nanos":0},"take_back_increment":{"secs":30,"nanos":0},"result":"*","restore":"8/8/8/8/8/8/8/K6k b - - 0 1","irregular_move":"h1h3","required_moves":["h1h2"],"free_touch":[12],"proposed_clock":{"at_irregularity":[{"secs":60,"nanos":0},{"secs":61,"nanos":0}],"now":[{"secs":60,"nanos":0},{"secs":50,"nanos":500000000}]},"illegal_moves":[0,1]},"authority":"final","standing":"in-force","evidence":[41,44],"certainty":"proven","not_observable":["clock-times"],"evidence_complete":93000000}"#;

fn ruling() -> Ruling {
    let s = Duration::from_secs;
    Ruling {
        seq: 3,
        revision: 17,
        rulebook: "fide-2023-standard".to_owned(),
        kind: RulingKind::IllegalMove,
        articles: vec!["7.5.1".to_owned(), "7.5.5".to_owned()],
        offender: Some(Colour::Black),
        consequence: Consequence {
            add_white: s(120),
            add_black: s(0),
            take_back_increment: s(30),
            result: GameResult::Open,
            restore: Some("8/8/8/8/8/8/8/K6k b - - 0 1".to_owned()),
            irregular_move: Some("h1h3".to_owned()),
            required_moves: vec!["h1h2".to_owned()],
            free_touch: vec!["e2".parse().unwrap()],
            proposed_clock: Some(arbiterd::laws::ProposedClock {
                at_irregularity: [s(60), s(61)],
                now: [s(60), Duration::from_millis(50_500)],
            }),
            illegal_moves: [0, 1],
        },
        authority: Authority::Final,
        standing: Status::InForce,
        evidence: vec![41, 44],
        certainty: Certainty::Proven,
        not_observable: vec![NotObservable::ClockTimes],
        evidence_complete: Mono::from_millis(93_000),
    }
}

const NOTICE: &str = r#"{"kind":"not-ruled","at":93000000,"squares":[60,63],"side":"white","not_covered":"castling-touch","evidence":[7]}"#;

#[test]
fn rulings_and_notices_of_old_journals_stay_readable() {
    assert_eq!(serde_json::from_str::<Ruling>(RULING).unwrap(), ruling());
    let notice = Notice {
        kind: NoticeKind::NotRuled,
        at: Mono::from_millis(93_000),
        squares: vec!["e8".parse().unwrap(), "h8".parse().unwrap()],
        side: Some(Colour::White),
        not_covered: Some(NotCovered::CastlingTouch),
        evidence: vec![7],
        set_up: Vec::new(),
    };
    assert_eq!(serde_json::from_str::<Notice>(NOTICE).unwrap(), notice);
}

fn colour() -> impl Strategy<Value = Colour> {
    prop_oneof![Just(Colour::White), Just(Colour::Black)]
}

fn occupant() -> impl Strategy<Value = Occupant> {
    proptest::sample::select(
        ".?=+-pnbrqkPNBRQK".chars().filter_map(Occupant::from_letter).collect::<Vec<_>>(),
    )
}

fn moment() -> impl Strategy<Value = Mono> {
    any::<u64>().prop_map(Mono::from_micros)
}

fn side_reading() -> impl Strategy<Value = SideReading> {
    let flag = prop_oneof![Just(Flag::Up), Just(Flag::Shown), Just(Flag::Fallen)];
    (any::<Duration>(), flag).prop_map(|(remaining, flag)| SideReading { remaining, flag })
}

fn body() -> impl Strategy<Value = ReportBody> {
    let board =
        (proptest::collection::vec(occupant(), 64), any::<bool>()).prop_map(|(squares, confirmed)| {
            let placement = Placement::from_squares(squares.try_into().unwrap());
            ReportBody::Board { placement, confirmed }
        });
    let square = (0u8..64, occupant())
        .prop_map(|(s, occupant)| ReportBody::Square { square: Square::new(s).unwrap(), occupant });
    let clock = (side_reading(), side_reading(), any::<bool>(), any::<bool>()).prop_map(
        |(left, right, counting, battery_low)| {
            let lever = if counting { Lever::Pressed(ClockSide::Right) } else { Lever::Unknown };
            let turn = battery_low.then_some(ClockSide::Left);
            ReportBody::Clock(ClockReport::Reading(ClockReading {
                left,
                right,
                counting,
                lever,
                turn,
                battery_low,
            }))
        },
    );
    let identity = (any::<String>(), any::<Option<String>>()).prop_map(|(family, serial)| {
        ReportBody::Identity(Identity { family, serial, ..Identity::default() })
    });
    let noise = any::<u32>().prop_map(|bytes| ReportBody::Noise(Noise { bytes, cause: NoiseCause::Junk }));
    prop_oneof![board, square, clock, identity, noise]
}

fn input() -> impl Strategy<Value = Input> {
    let report = (moment(), moment(), body())
        .prop_map(|(earliest, latest, body)| Input::Report(Report { at: Stamp { earliest, latest }, body }));
    let claim = proptest::sample::select(Claim::ALL.to_vec());
    let said = (colour(), claim)
        .prop_map(|(c, claim)| Input::Said { by: Speaker::Player(c), what: Saying::Claim(claim) });
    let gap = (moment(), moment()).prop_map(|(from, to)| Input::Gap { from, to });
    let verdict =
        (any::<u32>(), proptest::collection::vec("[a-h][1-8][a-h][1-8]", 0..5)).prop_map(|(q, line)| {
            Input::MateVerdict { question: QuestionId(q), verdict: Verdict::Possible { line } }
        });
    prop_oneof![report, said, gap, verdict]
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(input in input()) {
        let bytes = encode_input(&input).unwrap();
        prop_assert_eq!(decode_input(i64::from(FACT_ENCODING), &bytes), Ok(input));
    }

    /// Whatever can be read is one of a kind: writing it again and reading that gives the same.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(input) = decode_input(1, &bytes) {
            let again = encode_input(&input).unwrap();
            prop_assert_eq!(decode_input(1, &again), Ok(input));
        }
    }
}
