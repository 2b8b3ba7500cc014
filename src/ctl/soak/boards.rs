// SPDX-License-Identifier: GPL-3.0-or-later
//! The simulated boards at which sessions are played, each with its driver and its line.

use std::time::Duration;

use arbiterd_board::simulator::{Chance, LineFault, Rate, TimedFault};
use arbiterd_board::{Driver, Mono, Square, Version};
use arbiterd_dgt::DgtDriver;
use arbiterd_dgt::simulator as dgt;
use arbiterd_millennium::MillenniumDriver;
use arbiterd_millennium::simulator as millennium;
use arbiterd_millennium::wire::Cable;

use super::args::Family;
use crate::sim::people::{Session, Span};
use crate::sim::{Act, Board, Line, Way};

/// How long before people sit down the board is switched on, and then the line opened.
const ON: Duration = Duration::from_secs(20);
const OPENED: Duration = Duration::from_secs(18);

/// Boards that know their pieces, those of the maker twice as often.
const MODELS: [millennium::Model; 10] = {
    use millennium::Model::{Centaur, Chesstimation, CynusLink, Elfacun, Exclusive, Performance, Supreme};
    let (ours, imitations) =
        ([Exclusive, Performance, Supreme], [Elfacun, CynusLink, Chesstimation, Centaur]);
    let ([a, b, c], [d, e, f, g]) = (ours, imitations);
    [a, b, c, a, b, c, d, e, f, g]
};

/// The kinds, as they are counted.
#[cfg(test)]
pub(super) const WORDS: [&str; 6] = [
    "dgt wired",
    "dgt bluetooth",
    "revelation wired",
    "revelation bluetooth",
    "millennium wired",
    "millennium bluetooth",
];

/// One board as it stands in the hall.
#[derive(Clone, Debug)]
pub(super) struct Stand {
    family: Family,
    bluetooth: bool,
    /// Whether it stands the other way round than its maker meant.
    turned: bool,
    pub(super) has_lights: bool,
    /// What the line does to bytes, and from when on.
    fault: Option<(LineFault, Duration)>,
    kind: Kind,
    seed: u64,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Dgt { revelation: bool, scan: Duration, clock_poll: Duration },
    Millennium(millennium::Model),
}

impl Stand {
    /// One of those that there are. With `faulty`, its line loses, doubles or damages a byte now and then.
    pub(super) fn pick(family: Family, turned: bool, faulty: bool, chance: &mut Chance) -> Self {
        let bluetooth = chance.percent(40);
        let (kind, has_lights) = match family {
            Family::Dgt => {
                let revelation = chance.percent(25);
                // Topic timing: a scan takes 200 to 250 ms, twice that over Bluetooth, where the clock
                // is looked at two or three times a second.
                let (scan, look) =
                    if bluetooth { (Span(400, 500), Span(330, 500)) } else { (Span(200, 250), Span(0, 400)) };
                let (scan, clock_poll) = (scan.pick(chance), look.pick(chance));
                (Kind::Dgt { revelation, scan, clock_poll }, revelation)
            }
            Family::Millennium => {
                let model = usize::try_from(chance.below(10)).ok().and_then(|index| MODELS.get(index));
                (Kind::Millennium(model.copied().unwrap_or_default()), true)
            }
        };
        let fault = faulty.then(|| fault(chance));
        Self { family, bluetooth, turned, has_lights, fault, kind, seed: chance.below(u64::MAX) }
    }

    pub(super) const fn is_faulty(&self) -> bool {
        self.fault.is_some()
    }

    /// The kind, as it is counted.
    pub(super) const fn word(&self) -> &'static str {
        match (self.kind, self.bluetooth) {
            (Kind::Dgt { revelation: false, .. }, false) => "dgt wired",
            (Kind::Dgt { revelation: false, .. }, true) => "dgt bluetooth",
            (Kind::Dgt { revelation: true, .. }, false) => "revelation wired",
            (Kind::Dgt { revelation: true, .. }, true) => "revelation bluetooth",
            (Kind::Millennium(_), false) => "millennium wired",
            (Kind::Millennium(_), true) => "millennium bluetooth",
        }
    }

    /// For people.
    pub(super) fn describe(&self) -> String {
        let kind = match self.kind {
            Kind::Dgt { revelation, scan, clock_poll } => {
                let name = if revelation { "Revelation" } else { "DGT" };
                let (scan, look) = (scan.as_millis(), clock_poll.as_millis());
                format!("{name}, scans in {scan} ms, looks at its clock every {look} ms")
            }
            Kind::Millennium(model) => format!("Millennium {model:?}"),
        };
        let transport = if self.bluetooth { "Bluetooth" } else { "wired" };
        let turned = if self.turned { ", turned round" } else { "" };
        let fault = self.fault.map(|(fault, after)| format!(", {}", TimedFault { fault, after }));
        format!("{kind}, {transport}{turned}{}", fault.unwrap_or_default())
    }

    /// The square of the hardware simulated here for one of the players. A Millennium board is told on
    /// which side its cable is, and has the players' squares itself.
    pub(super) fn place(&self, square: Square) -> Square {
        match self.kind {
            Kind::Dgt { .. } if self.turned => square.rotated(),
            Kind::Dgt { .. } | Kind::Millennium(_) => square,
        }
    }

    /// Switches it on and opens its line, both before people sit down.
    pub(super) fn set_up(&self, session: &Session) -> Line {
        let (on, opened) = (session.begin.before(ON), session.begin.before(OPENED));
        let board: Box<dyn Board> = match self.kind {
            Kind::Dgt { .. } => Box::new(self.dgt(on, session)),
            Kind::Millennium(model) => Box::new(self.millennium(model, on, session)),
        };
        let way = if self.bluetooth { Way::BLUETOOTH } else { Way::WIRED };
        Line::open(opened, board, self.driver(), way, self.seed)
    }

    /// What is done with it before the game, besides setting up the pieces, and when.
    pub(super) fn prepare(&self, session: &Session) -> Option<(Mono, Act)> {
        (self.family == Family::Dgt).then_some((session.begin, Act::Start))
    }

    fn driver(&self) -> Box<dyn Driver> {
        match (self.family, self.bluetooth) {
            (Family::Dgt, false) => Box::new(DgtDriver::new()),
            (Family::Dgt, true) => Box::new(DgtDriver::over(arbiterd_dgt::Transport::Bluetooth)),
            (Family::Millennium, false) => Box::new(MillenniumDriver::new()),
            (Family::Millennium, true) => {
                Box::new(MillenniumDriver::over(arbiterd_millennium::Transport::Bluetooth))
            }
        }
    }

    fn dgt(&self, on: Mono, session: &Session) -> dgt::Simulator {
        let Kind::Dgt { revelation, scan, clock_poll } = self.kind else {
            // Only a stand of the family is asked.
            return dgt::Simulator::new(on, dgt::Options::default());
        };
        let times = session.times();
        let faults = self.fault.map(|(fault, after)| TimedFault { fault: dgt::Fault::Line(fault), after });
        let version = if self.bluetooth { Version { main: 2, sub: 10 } } else { Version { main: 1, sub: 7 } };
        let options = dgt::Options {
            version,
            revelation: revelation.then_some(Version { main: 3, sub: 25 }),
            scan_period: scan,
            clock_poll,
            clock: Some(dgt::ClockOptions {
                left: times.remaining,
                right: times.remaining,
                increment: times.increment,
                pressed: times.down,
                // Real clocks take 50 to 1500 ms (topic: timing).
                ack_delay: Duration::from_millis(50),
                ack_spread: Duration::from_millis(1450),
                repeats_answers: self.bluetooth,
                ..dgt::ClockOptions::default()
            }),
            placement: if self.turned { session.start.rotated() } else { session.start },
            paced: true,
            // Room for ten bytes (topic: host commands).
            input_limit: Some(10),
            faults: faults.into_iter().collect(),
            seed: self.seed,
            ..dgt::Options::default()
        };
        dgt::Simulator::new(on, options)
    }

    fn millennium(&self, model: millennium::Model, on: Mono, session: &Session) -> millennium::Simulator {
        let faults =
            self.fault.map(|(fault, after)| TimedFault { fault: millennium::Fault::Line(fault), after });
        let options = millennium::Options {
            cable: if self.turned { Cable::Right } else { Cable::Left },
            placement: session.start,
            paced: true,
            faults: faults.into_iter().collect(),
            seed: self.seed,
            ..millennium::Options::of(model)
        };
        millennium::Simulator::new(on, options)
    }
}

/// A byte in some hundreds or thousands, from some moment of the first minutes on.
fn fault(chance: &mut Chance) -> (LineFault, Duration) {
    let one_in = [300, 1000, 3000, 10_000];
    let index = usize::try_from(chance.below(4)).unwrap_or(0);
    let rate = Rate::OneIn(one_in.get(index).copied().unwrap_or(1000));
    let fault = match chance.below(3) {
        0 => LineFault::Drop(rate),
        1 => LineFault::Double(rate),
        _ => LineFault::Flip(rate),
    };
    (fault, ON + Span(0, 120_000).pick(chance))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn boards_are_of_the_kinds_that_are_known_and_of_all_of_them() {
        let mut chance = Chance::new(1);
        let families = [Family::Dgt, Family::Millennium].into_iter().cycle().take(200);
        let found: BTreeSet<&str> =
            families.map(|family| Stand::pick(family, false, false, &mut chance).word()).collect();
        assert_eq!(found, WORDS.into());
    }
}
