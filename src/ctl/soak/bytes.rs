// SPDX-License-Identifier: GPL-3.0-or-later
//! The whole way of a byte: hands at a simulated board, its line, the driver, the table, and back.

use arbiterd_board::Mono;

use super::boards::Stand;
use super::desk::{Desk, Heard, NoSuchGame};
use crate::laws::rulebook::Library;
use crate::sim::people::{Session, Told};
use crate::sim::{Act, Line, News};
use crate::table::Lights;

/// Plays a session at this board to its end.
pub(super) fn play(
    session: &Session,
    stand: &Stand,
    library: &Library,
    traced: bool,
) -> Result<Heard, NoSuchGame> {
    let lights = if stand.has_lights { Lights::Restoration } else { Lights::Off };
    let desk = Desk::new(session, library, lights, traced)?;
    let mut venue = Venue { desk, line: stand.set_up(session) };
    for (at, deed) in deeds(session, stand) {
        venue.wait(at);
        match deed {
            Deed::Act(act) => venue.line.act(at, act),
            Deed::Claim(told) => venue.desk.tell(at, &told),
        }
        venue.exchange(at);
    }
    venue.wait(session.end);
    Ok(venue.desk.finish())
}

/// What people do: with their hands, or by a word.
enum Deed {
    Act(Act),
    Claim(Told),
}

/// All of it in the order of time; of one moment the hand is first.
fn deeds(session: &Session, stand: &Stand) -> Vec<(Mono, Deed)> {
    let place = |act| match act {
        Act::Lift(square) => Act::Lift(stand.place(square)),
        Act::Place(square, piece) => Act::Place(stand.place(square), piece),
        other => other,
    };
    let mut deeds: Vec<_> =
        stand.prepare(session).map(|(at, act)| (at, Deed::Act(act))).into_iter().collect();
    deeds.extend(session.acts.iter().map(|timed| (timed.at, Deed::Act(place(timed.act)))));
    let claims = session.claims.iter().map(|(at, by, claim)| (*at, Deed::Claim(Told::Claim(*by, *claim))));
    deeds.extend(claims);
    deeds.sort_by_key(|(at, _)| *at);
    deeds
}

struct Venue {
    desk: Desk,
    line: Line,
}

impl Venue {
    /// Runs each deadline up to `until` at its own time.
    fn wait(&mut self, until: Mono) {
        loop {
            let dues = [self.line.due(), self.desk.due()];
            let Some(next) = dues.into_iter().flatten().min().filter(|next| *next <= until) else { return };
            if dues[0].is_some_and(|due| due <= next) {
                self.line.run(next);
                self.exchange(next);
            }
            if self.desk.due().is_some_and(|due| due <= next) {
                self.desk.advance(next);
                self.exchange(next);
            }
        }
    }

    /// Takes to the table what the driver told, and to the driver what the table wants.
    fn exchange(&mut self, now: Mono) {
        loop {
            while let Some(news) = self.line.poll_news() {
                match news {
                    News::Reported(report) => self.desk.tell(now, &Told::Report(report)),
                    News::Arrived(bytes) => self.note(now, '<', &bytes),
                    News::Sent(bytes) => self.note(now, '>', &bytes),
                }
            }
            let wanted = self.desk.wanted();
            if wanted.is_empty() {
                return;
            }
            for request in wanted {
                let refused = self.line.request(now, request).err();
                if let (Some(trace), Some(error)) = (&mut self.desk.trace, refused) {
                    trace.refused(now, &error);
                }
            }
        }
    }

    fn note(&mut self, now: Mono, way: char, bytes: &[u8]) {
        if let Some(trace) = &mut self.desk.trace {
            trace.bytes(now, way, bytes);
        }
    }
}
