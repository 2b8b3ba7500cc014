// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties: whatever hosts say and whatever goes wrong, time moves on, and late calls change
//! nothing.

use proptest::prelude::*;

use super::*;

fn options() -> impl Strategy<Value = Options> {
    let control = prop_oneof![Just(Control::Clock), Just(Control::Computer)];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (control, flags, 0u64..600, 0u8..100, any::<u64>()).prop_map(
        |(control, (bus, limited, paced, revelation), delay, flaky_percent, seed)| Options {
            placement: START.parse().unwrap(),
            clock: Some(ClockOptions {
                left: Duration::from_secs(3),
                control,
                flaky_percent,
                ack_delay: Duration::from_millis(delay),
                ack_spread: Duration::from_millis(delay),
                repeats_answers: limited,
                ..ClockOptions::default()
            }),
            clock_poll: Duration::from_millis(delay),
            power_up: if bus { PowerUp::Bus } else { PowerUp::Single },
            input_limit: limited.then_some(10),
            paced,
            revelation: revelation.then_some(Version { main: 3, sub: 25 }),
            battery: Some(BatteryStatus::default()),
            seed,
            ..Options::default()
        },
    )
}

#[derive(Clone, Debug)]
enum Act {
    Say(Vec<u8>),
    Press(ClockSide),
    Start,
    Move(Square, Square),
    Happen(Fault),
}

fn act() -> impl Strategy<Value = Act> {
    let square = || (0u8..64).prop_filter_map("on the board", Square::new);
    let command = prop_oneof![
        // Without what loses the board at once: that is tried among the faults of the others.
        Just(vec![0x4b]),
        Just(vec![0x43]),
        Just(vec![0x42]),
        Just(vec![0x41]),
        Just(vec![0x2b, 3, 3, 9, 0]),
        Just(vec![0x2b, 0x0a, 3, 0x0a, 0, 0, 3, 1, 0, 0, 0x09, 0]),
        Just(vec![0x83, 0, 1, 4]),
        Just(vec![0x87, 0, 0, 7]),
        Just(vec![0x8d, 0, 1, 0x0e]),
        Just(vec![0x89, 0, 0, 9]),
        proptest::collection::vec(any::<u8>(), 0..12),
    ];
    let fault = prop_oneof![
        Just("freeze=700ms"),
        Just("late=200ms"),
        Just("drop=1/7"),
        Just("flip=1/7"),
        Just("double=1/7"),
        Just("insert=every:5"),
        Just("cut=3"),
        Just("clock=out"),
        Just("clock=in"),
        Just("flicker=e2"),
        Just("log-dump"),
        Just("lever=stuck"),
    ];
    prop_oneof![
        4 => command.prop_map(Act::Say),
        1 => prop_oneof![Just(ClockSide::Left), Just(ClockSide::Right)].prop_map(Act::Press),
        1 => Just(Act::Start),
        2 => (square(), square()).prop_map(|(from, to)| Act::Move(from, to)),
        1 => fault.prop_map(|text| Act::Happen(text.parse().unwrap())),
    ]
}

fn perform(board: &mut Simulator, now: Mono, act: &Act) {
    match act {
        Act::Say(bytes) => board.receive(now, bytes),
        Act::Press(side) => board.press(now, *side),
        Act::Start => board.start(now),
        Act::Move(from, to) => {
            let piece = board.lift(now, *from);
            board.replace(now, *to, piece);
        }
        Act::Happen(fault) => board.inject(now, *fault),
    }
}

/// Plays acts, waking the board whenever it wants to be woken, or never.
fn play(options: &Options, acts: &[(u64, Act)], wakes: bool) -> Vec<u8> {
    let mut board = Simulator::new(Mono::ZERO, options.clone());
    let mut now = Mono::ZERO;
    let mut bytes = Vec::new();
    for (wait, act) in acts {
        now = now.after(Duration::from_millis(*wait));
        while let Some(due) = board.poll_timeout().filter(|due| wakes && *due < now) {
            board.handle_timeout(due);
            assert!(board.poll_timeout().is_none_or(|next| next > due), "no step further at {due}");
        }
        perform(&mut board, now, act);
        bytes.extend(core::iter::from_fn(|| board.poll_transmit()).flatten());
    }
    board.handle_timeout(now.after(Duration::from_secs(20)));
    bytes.extend(core::iter::from_fn(|| board.poll_transmit()).flatten());
    bytes
}

proptest! {
    #[test]
    fn time_moves_on_and_late_calls_change_nothing(
        options in options(),
        acts in proptest::collection::vec((0u64..800, act()), 0..40),
    ) {
        let bytes = play(&options, &acts, true);
        prop_assert_eq!(bytes, play(&options, &acts, false));
    }

    #[test]
    fn a_line_survives_anything(
        options in proptest::collection::vec(options(), 1..5),
        acts in proptest::collection::vec((0u64..200, act()), 0..30),
        echo in any::<bool>(),
    ) {
        let mut line = BusLine::new(Mono::ZERO, BusLineOptions { echo, seed: 3 }, options).unwrap();
        let mut now = Mono::ZERO;
        for (number, (wait, act)) in acts.iter().enumerate() {
            now = now.after(Duration::from_millis(*wait));
            while let Some(due) = line.poll_timeout().filter(|due| *due < now) {
                line.handle_timeout(due);
                prop_assert!(line.poll_timeout().is_none_or(|next| next > due));
            }
            match act {
                Act::Say(bytes) => line.receive(now, bytes),
                act => {
                    let count = line.addresses().len();
                    perform(line.board_number(now, number % count).unwrap(), now, act);
                }
            }
            while line.poll_transmit().is_some() {}
        }
    }
}
