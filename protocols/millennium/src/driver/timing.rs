// SPDX-License-Identifier: MIT OR Apache-2.0
//! What time means on a wire and over a radio (topic: timing).

use core::time::Duration;

use crate::wire::{self, ReportMode, ScanTime, Setting};

/// How the board is reached, which says how it reports and how late its bytes may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Transport {
    /// USB: a status after every scan.
    #[default]
    Wired,
    /// Bluetooth: a status on any change, and one for each question.
    Bluetooth,
}

/// A port's converter hands over what does not fill a packet after so long.
const USB_LATENCY: Duration = Duration::from_millis(16);
/// Radio gaps; the longest interval of the connection is 160 ms, and a packet may be sent again.
const RADIO_GAP: Duration = Duration::from_millis(300);

impl Transport {
    /// The wanted mode of reports (topic: settings).
    pub(super) const fn reports(self) -> ReportMode {
        match self {
            Self::Wired => ReportMode::EveryScan,
            Self::Bluetooth => ReportMode::OnChange,
        }
    }

    /// How long input is thrown away after the line was opened.
    pub(super) const OPENING: Duration = Duration::from_millis(100);

    /// Time for an answer.
    pub(super) const fn answer(self) -> Duration {
        match self {
            Self::Wired => Duration::from_millis(300),
            Self::Bluetooth => Duration::from_millis(1000),
        }
    }

    /// From an answer to the next command.
    pub(super) const fn pause(self) -> Duration {
        match self {
            Self::Wired => Duration::from_millis(15),
            Self::Bluetooth => Duration::from_millis(100),
        }
    }

    /// A pause too long to lie within a frame.
    pub(super) const fn gap(self) -> Duration {
        match self {
            Self::Wired => Duration::from_millis(100),
            Self::Bluetooth => Duration::from_millis(500),
        }
    }

    /// How often a board is asked that does not send a status after every scan.
    pub(super) const fn poll(self) -> Duration {
        match self {
            Self::Wired => Duration::from_millis(1000),
            Self::Bluetooth => Duration::from_millis(1500),
        }
    }

    /// What a status can be late on its way: two may be on the line before it, the answer to a question
    /// and one that nobody asked for, and then comes its own length.
    pub(super) fn way(self) -> Duration {
        let late = match self {
            Self::Wired => USB_LATENCY,
            Self::Bluetooth => RADIO_GAP,
        };
        (status_on_the_line() * 3).saturating_add(late)
    }

    /// So long a question waits for the answer to lights, which matter less.
    pub(super) const LIGHTS_GIVE_WAY: Duration = Duration::from_millis(300);
}

/// How long a status takes on the line.
fn status_on_the_line() -> Duration {
    wire::LINE.duration(wire::STATUS_LENGTH)
}

/// How a board reports, by its registers; what is not known is taken at its worst.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pace {
    pub(super) transport: Transport,
    pub(super) scan: ScanTime,
    pub(super) mode: ReportMode,
    pub(super) mode_known: bool,
    /// Whether statuses were seen to come without being asked for and without a change.
    pub(super) streaming: bool,
    /// How many times as long a scan takes as the register says.
    pub(super) slowness: u32,
}

impl Pace {
    pub(super) fn new(transport: Transport, scan: Option<u8>, mode: Option<u8>, streaming: bool) -> Self {
        Self {
            transport,
            slowness: 1,
            scan: scan.map_or(ScanTime::SLOWEST, ScanTime::of_register),
            mode: mode.map_or(ReportMode::FiveScans, ReportMode::of_register),
            mode_known: mode.is_some(),
            streaming,
        }
    }

    /// How long a scan takes.
    pub(super) fn scan_time(self) -> Duration {
        self.scan.duration() * self.slowness
    }

    /// Whether statuses come without being asked for as long as the board lives. The register alone
    /// does not show it: some boards send on change whatever it says (topic: quirks).
    pub(super) fn streams(self) -> bool {
        self.mode == ReportMode::EveryScan && self.streaming
    }

    /// How far back what a status tells can lie before its arrival: the first square of the scan was
    /// looked at when it began (topic: stamps).
    pub(super) fn age(self) -> Duration {
        let scans = self.mode.scans();
        (self.scan_time() * scans).saturating_add(self.transport.way())
    }

    /// The same before the arrival of its first byte.
    pub(super) fn age_of_start(self) -> Duration {
        self.age().saturating_sub(status_on_the_line())
    }

    /// The longest time from a change to its report: the square was looked at just before, a whole
    /// scan follows, and two more bear it out; a third if one of them is the answer to a question, which
    /// may be of a scan that was told already. Where statuses do not stream, one is asked for when the
    /// next scan is over.
    pub(super) fn lag(self) -> Duration {
        let scan = self.scan_time();
        let seen = scan.saturating_add(self.age());
        if self.streams() {
            return seen.saturating_add(scan * 3);
        }
        // The board tells by itself only on change; in other modes it is found out by asking.
        let on_change = self.mode.scans() > 1 || self.mode == ReportMode::OnChange;
        let told =
            if self.mode_known && on_change { seen } else { seen.saturating_add(self.transport.poll()) };
        // Twice, because the first answer may be that to a question from before the change.
        let question = (self.transport.way() * 2).saturating_add(self.transport.pause());
        let asked = scan.saturating_add(Transport::LIGHTS_GIVE_WAY).saturating_add(question * 2);
        told.saturating_add(asked)
    }

    /// Silence after which a status is asked for.
    pub(super) fn poll(self) -> Duration {
        if self.streams() { (self.scan_time() * 4).max(STALLED) } else { self.transport.poll() }
    }

    /// Silence after which the board is lost: a second in a stream, two questions elsewhere.
    pub(super) fn lost(self) -> Duration {
        if self.streams() {
            (self.scan_time() * 6).max(LOST)
        } else {
            (self.transport.poll() * 2).saturating_add(self.transport.answer())
        }
    }
}

/// A stream that has paused for so long is asked why.
const STALLED: Duration = Duration::from_millis(300);
const LOST: Duration = Duration::from_millis(1000);

/// What a register shall hold, if what it holds does not do: it keeps its value without power, and
/// each write wears it (topic: settings).
pub(super) fn wanted(transport: Transport, address: u8, holds: u8) -> Option<Setting> {
    match Setting::from_values(address, holds) {
        Some(Setting::ScanTime(time)) if time <= ScanTime::FACTORY => None,
        Some(Setting::Options(options)) => {
            let better = options.for_arbitration();
            (better != options).then_some(Setting::Options(better))
        }
        _ => match address {
            // Other bits have no meaning.
            0 => (holds & 1 != 0).then_some(Setting::BlockParity),
            // Below the fastest the board takes the time of the factory.
            1 => (ScanTime::of_register(holds) > ScanTime::FACTORY)
                .then_some(Setting::ScanTime(ScanTime::FACTORY)),
            2 => {
                let reports = transport.reports();
                (ReportMode::of_register(holds) != reports).then_some(Setting::Reports(reports))
            }
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(transport: Transport, scan: u8, mode: u8) -> Pace {
        Pace::new(transport, Some(scan), Some(mode), true)
    }

    #[test]
    fn the_lag_allows_for_two_statuses_on_the_line_and_for_three_scans_that_bear_it_out() {
        // 41 ms to wait, 41 ms of scan, 17.4 ms of line, as much for each of two statuses before it and
        // 16 ms of USB are 150 ms; two more scans bear it out, and one more if a question was asked.
        let lag = pace(Transport::Wired, 0x14, 0).lag();
        let line = 67 * 10 * 1_000_000 / 38_400;
        assert_eq!(lag, Duration::from_micros(5 * 40_960 + 3 * line + 16_000));
        assert_eq!(pace(Transport::Wired, 0x14, 0).age(), Duration::from_micros(40_960 + 3 * line + 16_000));
        assert_eq!(
            pace(Transport::Wired, 0x14, 0).age_of_start(),
            Duration::from_micros(40_960 + 2 * line + 16_000)
        );
    }

    #[test]
    fn a_board_that_was_not_seen_to_stream_is_found_out_by_asking() {
        for transport in [Transport::Wired, Transport::Bluetooth] {
            let claims = Pace::new(transport, Some(0x14), Some(0), false);
            assert!(!claims.streams());
            assert!(claims.lag() > transport.poll() + Transport::LIGHTS_GIVE_WAY);
            assert_eq!(claims.poll(), transport.poll());
        }
    }

    #[test]
    fn what_is_not_known_is_taken_at_its_worst() {
        for scan in 0..=255 {
            for (mode, streaming) in (0..8).flat_map(|mode| [(mode, true), (mode, false)]) {
                let known = Pace::new(Transport::Wired, Some(scan), Some(mode), streaming);
                for unknown in [None, Some(scan)].map(|scan| Pace::new(Transport::Wired, scan, None, false)) {
                    assert!(unknown.lag() >= known.lag(), "{scan} {mode} {streaming}");
                    assert!(unknown.age() >= known.age(), "{scan} {mode} {streaming}");
                }
            }
        }
    }

    #[test]
    fn what_does_is_left_alone() {
        let wired = |address, holds| wanted(Transport::Wired, address, holds);
        for (address, holds) in
            [(0, 0), (0, 0x80), (1, 0x14), (1, 0x0f), (1, 0), (2, 0), (2, 8), (3, 0x55), (4, 0), (6, 0)]
        {
            assert_eq!(wired(address, holds), None, "{address:02x} {holds:02x}");
        }
        assert_eq!(wired(0, 1), Some(Setting::BlockParity));
        for slow in [0x15, 0x30, 0xff] {
            assert_eq!(wired(1, slow), Some(Setting::ScanTime(ScanTime::FACTORY)));
        }
        for mode in 1..8 {
            assert_eq!(wired(2, mode), Some(Setting::Reports(ReportMode::EveryScan)));
        }
        assert_eq!(wanted(Transport::Bluetooth, 2, 0), Some(Setting::Reports(ReportMode::OnChange)));
        assert_eq!(wanted(Transport::Bluetooth, 2, 3), None);
        assert_eq!(wired(6, 0xea).map(Setting::value), Some(0xca));
        assert_eq!(wired(6, 0xca), None);
    }
}
