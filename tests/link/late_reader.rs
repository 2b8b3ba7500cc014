// SPDX-License-Identifier: GPL-3.0-or-later
//! A process that was held up reads what has come before it calls anybody silent.

use std::io::Write;

use super::*;

/// A driver whose deadline is over as soon as it is asked for something.
struct Impatient {
    calls: mpsc::UnboundedSender<&'static str>,
    due: Option<Mono>,
}

impl Driver for Impatient {
    fn line_settings(&self) -> LineSettings {
        LINE
    }

    fn reset(&mut self, _: Mono) {
        _ = self.calls.send("reset");
    }

    fn receive(&mut self, _: Mono, _: &[u8]) {
        _ = self.calls.send("heard");
    }

    fn poll_report(&mut self) -> Option<(Channel, Report)> {
        None
    }

    fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        None
    }

    fn poll_timeout(&self) -> Option<Mono> {
        self.due
    }

    fn handle_timeout(&mut self, _: Mono) {
        self.due = None;
        _ = self.calls.send("silent");
    }

    fn request(&mut self, now: Mono, _: Channel, _: Request) -> Result<RequestId, RequestError> {
        self.due = Some(now);
        _ = self.calls.send("asked");
        Ok(RequestId(1))
    }

    fn capabilities(&self, _: Channel) -> Capabilities {
        NO_LAGS
    }
}

#[tokio::test]
async fn what_waits_to_be_read_is_heard_before_a_deadline_that_passed_meanwhile() {
    let (mut master, path) = frozen();
    let (calls, mut called) = mpsc::unbounded_channel();
    let mut rig = Rig::start(&path, Box::new(Impatient { calls, due: None }));
    assert_eq!(rig.state().await, PortState::Open);
    let mut next = async || soon("a call of the driver", called.recv()).await.unwrap();
    assert_eq!(next().await, "reset");
    for round in 0..50 {
        // The link shares this thread, so it finds both when it runs again.
        master.write_all(b"here").unwrap();
        rig.handle.request(BOARD, Request::ReadBoard).unwrap();
        let order = [next().await, next().await, next().await];
        assert!(order.ends_with(&["silent"]), "round {round}: {order:?}");
    }
    rig.end().await;
}
