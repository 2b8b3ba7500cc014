// SPDX-License-Identifier: MIT OR Apache-2.0
//! A driver whose board is a script, in bytes written down by hand.

use arbiterd_board::{
    AckOutcome, Channel, ClockControl, ClockReport, Driver, Mono, Report, ReportBody, Request, RequestError,
    RequestId,
};
use arbiterd_dgt::{DgtDriver, Transport};

use crate::table::ms;

const VERSION: &str = "93 00 05 03 01";
pub const EMPTY_DUMP: &str = "86 00 43";
/// Left 1:29:58, right 1:30:00, stopped with left high.
pub const TIMES: &str = "8d 00 0a 01 30 00 01 29 58 10";
pub const DGT_3000: &str = "8d 00 0a 0a 10 09 0a 20 00 00";

/// A driver whose board is a script: it is told what to hear.
pub struct Script {
    pub driver: DgtDriver,
    pub now: u64,
    pub said: Vec<(u64, String)>,
    pub reports: Vec<Report>,
}

impl Script {
    fn new(transport: Transport) -> Self {
        let mut driver = DgtDriver::over(transport);
        driver.reset(Mono::ZERO);
        let mut script = Self { driver, now: 0, said: Vec::new(), reports: Vec::new() };
        script.drain();
        script
    }

    /// The conversation up to the first confirmed dump, with a board that has this long number, and a
    /// clock that answers the question for its version so.
    pub fn running(transport: Transport, long_serial: &str, clock: &str) -> Self {
        let mut script = Self::new(transport);
        script.wait_for("4d");
        script.hear(VERSION);
        script.hear("91 00 08 30 31 30 32 35");
        let digits: Vec<String> = long_serial.bytes().map(|b| format!("{b:02x}")).collect();
        script.hear(&format!("a2 00 0d {}", digits.join(" ")));
        script.wait_for("42");
        script.hear(&format!("{EMPTY_DUMP} {}", "00 ".repeat(64)));
        script.wait_for("2b 03 03 09 00");
        script.hear(clock);
        script.wait_for("41");
        script.hear_twice(TIMES);
        if script.said.last().is_some_and(|(_, said)| said == "4c") {
            script.hear("a0 00 0c 64 7f 7f 00 00 00 00 00 00");
        }
        // The second look, which confirms the first.
        script.wait_for("42");
        script.hear(&format!("{EMPTY_DUMP} {}", "00 ".repeat(64)));
        script
    }

    pub fn dgt_3000() -> Self {
        Self::running(Transport::Wired, "3000147740", DGT_3000)
    }

    pub fn drain(&mut self) {
        while let Some(bytes) = self.driver.poll_transmit() {
            let text: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
            self.said.push((self.now, text.join(" ")));
        }
        while let Some((_, report)) = self.driver.poll_report() {
            self.reports.push(report);
        }
    }

    pub fn hear(&mut self, text: &str) {
        let bytes: Vec<u8> = text.split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()).collect();
        self.driver.receive(ms(self.now), &bytes);
        self.drain();
    }

    /// The clock tells the same by itself and when it is asked.
    pub fn hear_twice(&mut self, text: &str) {
        self.hear(text);
        assert_eq!(
            self.said.last(),
            Some(&(self.now, "41".to_owned())),
            "a second reading is asked for at once"
        );
        self.hear(text);
    }

    /// Lets time pass; dumps that are asked for are answered, with an empty board, and the sign
    /// of life is given.
    pub fn run_until(&mut self, at: u64) {
        while let Some(due) = self.driver.poll_timeout().map(|t| t.as_micros() / 1000).filter(|t| *t <= at) {
            self.step_to(due.max(self.now));
        }
        self.now = at;
    }

    fn step_to(&mut self, at: u64) {
        self.now = at;
        let before = self.said.len();
        self.driver.handle_timeout(ms(at));
        self.drain();
        match self.said[before..].first().map(|(_, text)| text.as_str()) {
            Some("42") => self.hear(&format!("{EMPTY_DUMP} {}", "00 ".repeat(64))),
            Some("45") => self.hear("91 00 08 30 31 30 32 35"),
            _ => {}
        }
    }

    /// Lets time pass until the driver says this, unless it was the last that it said.
    pub fn wait_for(&mut self, text: &str) {
        let end = self.now + 60_000;
        while self.said.last().is_none_or(|(_, last)| last != text) {
            let due = self.driver.poll_timeout().unwrap().as_micros() / 1000;
            assert!(due < end, "{text} was never said");
            self.now = due.max(self.now);
            self.driver.handle_timeout(ms(self.now));
            self.drain();
        }
    }

    pub fn ask(&mut self, request: Request) -> Result<RequestId, RequestError> {
        let id = self.driver.request(ms(self.now), Channel(0), request);
        self.drain();
        id
    }

    pub fn order(&mut self, request: Request) -> RequestId {
        self.ask(request).unwrap()
    }

    pub fn outcome(&self, id: RequestId) -> Option<AckOutcome> {
        self.reports.iter().find_map(|report| match report.body {
            ReportBody::Ack { request, outcome } if request == id => Some(outcome),
            _ => None,
        })
    }

    pub fn clock_control(&self) -> ClockControl {
        self.driver.capabilities(Channel(0)).clock
    }

    pub fn last_clock(&self) -> ClockReport {
        let clock = |report: &Report| if let ReportBody::Clock(c) = report.body { Some(c) } else { None };
        self.reports.iter().rev().find_map(clock).unwrap()
    }

    /// When exactly this was said.
    pub fn times_said(&self, text: &str) -> Vec<u64> {
        self.said.iter().filter(|(_, said)| said == text).map(|(at, _)| *at).collect()
    }
}
