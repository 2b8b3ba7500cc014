// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whatever happens, and however late.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Bytes(Vec<u8>),
    Command(&'static str),
    Put(u8, Occupant),
    Fault(Fault),
    PowerCycle,
    Wait,
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let commands = [
        "V", "S", "X", "T", "G", "I00", "R00", "R02", "W0000", "W0001", "W0100", "W01FF", "W0200", "W0201",
        "W0202", "W0203", "W0205", "W0207", "W0300", "W0301", "W0600", "W0F01", "W1001",
    ];
    let faults = [
        "slow=300ms",
        "slow=0ms",
        "no-answer=2",
        "deaf=S",
        "deaf=none",
        "status-first=on",
        "status-first=off",
        "splice=0",
        "splice=64",
        "bad-check",
        "lower-case=on",
        "parity=off",
        "parity=on",
        "echo=on",
        "echo=off",
        "flicker=e2",
        "read=e1,O",
        "stuck=d2",
        "free=d2",
        "register=01,0f",
        "freeze=1s",
        "hang",
        "unplug",
        "drop=1/9",
        "insert=every:5,73",
        "flip=1/9",
        "double=1/9",
        "cut=0",
        "late=50ms",
        "late=0ms",
    ];
    let occupants = prop::sample::select(b".PNBRQKpnbrqk?=".map(char::from).to_vec());
    let step = prop_oneof![
        1 => proptest::collection::vec(any::<u8>(), 0..8).prop_map(Step::Bytes),
        4 => prop::sample::select(commands.to_vec()).prop_map(Step::Command),
        4 => (0u8..64, occupants)
            .prop_map(|(square, letter)| Step::Put(square, Occupant::from_letter(letter).unwrap())),
        2 => prop::sample::select(faults.to_vec()).prop_map(|text| Step::Fault(fault(text))),
        1 => Just(Step::PowerCycle),
        1 => Just(Step::Wait),
    ];
    proptest::collection::vec((0u64..2_000_000, step), 0..40)
}

fn models() -> impl Strategy<Value = Model> {
    prop::sample::select(Model::ALL.to_vec())
}

/// Runs the steps, waking the board whenever it asks or only with the steps.
fn run(model: Model, steps: &[(u64, Step)], punctual: bool) -> Vec<Vec<u8>> {
    let mut simulator = Simulator::new(ms(0), Options { seed: 7, ..Options::of(model) });
    let mut at = ms(0);
    let mut all = Vec::new();
    for (wait, step) in steps {
        let next = at.after(Duration::from_micros(*wait));
        if punctual {
            while let Some(due) = simulator.poll_timeout().filter(|due| *due <= next) {
                assert!(due >= at, "a wake-up that is past");
                at = due;
                simulator.handle_timeout(at);
                all.extend(core::iter::from_fn(|| simulator.poll_transmit()));
                assert!(simulator.poll_timeout().is_none_or(|due| due > at), "a wake-up that does nothing");
            }
        }
        at = next;
        match step {
            Step::Bytes(bytes) => simulator.receive(at, bytes),
            Step::Command(text) => simulator.receive(at, &command(text)),
            Step::Put(square, occupant) => {
                _ = simulator.replace(at, Square::new(*square).unwrap(), *occupant);
            }
            Step::Fault(fault) => simulator.inject(at, *fault),
            Step::PowerCycle => simulator.power_cycle(at),
            Step::Wait => simulator.handle_timeout(at),
        }
        if !simulator.is_unplugged() {
            all.extend(core::iter::from_fn(|| simulator.poll_transmit()));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Nothing breaks it, every wake-up leads on, and being late changes nothing.
    #[test]
    fn late_calls_change_nothing(model in models(), steps in steps()) {
        // What is given out and not fetched is lost with the plug, which is no lateness of the board.
        let unplugs = steps.iter().any(|(_, step)| matches!(step, Step::Fault(Fault::Unplug)));
        let punctual = run(model, &steps, true);
        if !unplugs {
            prop_assert_eq!(punctual, run(model, &steps, false));
        }
    }

    /// A status of the cable's one side is that of the other read backwards, with the same check.
    #[test]
    fn the_cable_turns_every_status_round(
        squares in proptest::collection::vec((0u8..64, prop::sample::select(b"PNBRQKpnbrqk".to_vec())), 0..40),
    ) {
        let mut placement = Placement::EMPTY;
        for (square, letter) in squares {
            placement[Square::new(square).unwrap()] = Occupant::Piece(piece(char::from(letter)));
        }
        let status = |cable| {
            let mut simulator = Simulator::new(ms(0), Options { cable, placement, ..Options::default() });
            by(&mut simulator, us(40_960)).remove(0)
        };
        let (left, right) = (status(Cable::Left), status(Cable::Right));
        prop_assert_eq!(&left[65..], &right[65..]);
        let turned: String = right[1..65].chars().rev().collect();
        prop_assert_eq!(&left[1..65], turned);
    }
}
