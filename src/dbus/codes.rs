// SPDX-License-Identifier: GPL-3.0-or-later
//! The closed sets that are numbers on the bus. 0 is "unknown" in each; a reader treats a number
//! that it does not know like 0.

use crate::laws::{Authority, Certainty, Status};
use crate::table::Completion;

/// The word for [`Authority`] by its number: 1 final, 2 proposed.
pub const AUTHORITY: &[&str] = &["unknown", "final", "proposed"];
/// The word for [`Status`] by its number: 1 in force, 2 confirmed, 3 overruled, 4 fallen.
pub const STANDING: &[&str] = &["unknown", "in-force", "confirmed", "overruled", "fallen"];
/// The word for [`Certainty`] by its number: 1 proven, 2 likely.
pub const CERTAINTY: &[&str] = &["unknown", "proven", "likely"];
/// The word for [`Completion`] by its number: 1 press, 2 reply, 3 game end, 4 the arbiter.
pub const COMPLETION: &[&str] = &["unknown", "press", "reply", "game-end", "arbiter"];
/// The word for the clock's connection by its number: 1 connected, 2 absent.
pub const CONNECTED: &[&str] = &["unknown", "connected", "absent"];
/// The word for a board's answering by its number: 1 up, 2 down.
pub const LINK: &[&str] = &["unknown", "up", "down"];

/// The word for a number of one of these sets; "unknown" for a number that is not in it.
pub fn word(set: &[&'static str], code: u32) -> &'static str {
    usize::try_from(code).ok().and_then(|i| set.get(i).copied()).unwrap_or("unknown")
}

pub(super) const fn authority(a: Authority) -> u32 {
    match a {
        Authority::Final => 1,
        Authority::Proposed => 2,
    }
}

pub(super) const fn standing(s: Status) -> u32 {
    match s {
        Status::InForce => 1,
        Status::Confirmed => 2,
        Status::Overruled => 3,
        Status::Fallen => 4,
    }
}

pub(super) const fn certainty(c: Certainty) -> u32 {
    match c {
        Certainty::Proven => 1,
        Certainty::Likely => 2,
    }
}

pub(super) const fn completion(c: Completion) -> u32 {
    match c {
        Completion::Press => 1,
        Completion::Reply => 2,
        Completion::GameEnd => 3,
        Completion::Arbiter => 4,
    }
}

pub(super) const fn connected(connected: bool) -> u32 {
    if connected { 1 } else { 2 }
}

pub(super) const fn link(up: bool) -> u32 {
    if up { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_belong_together() {
        assert_eq!(word(AUTHORITY, authority(Authority::Final)), "final");
        assert_eq!(word(AUTHORITY, authority(Authority::Proposed)), "proposed");
        assert_eq!(word(STANDING, standing(Status::InForce)), "in-force");
        assert_eq!(word(STANDING, standing(Status::Confirmed)), "confirmed");
        assert_eq!(word(STANDING, standing(Status::Overruled)), "overruled");
        assert_eq!(word(STANDING, standing(Status::Fallen)), "fallen");
        assert_eq!(word(CERTAINTY, certainty(Certainty::Proven)), "proven");
        assert_eq!(word(CERTAINTY, certainty(Certainty::Likely)), "likely");
        assert_eq!(word(COMPLETION, completion(Completion::Press)), "press");
        assert_eq!(word(COMPLETION, completion(Completion::Reply)), "reply");
        assert_eq!(word(COMPLETION, completion(Completion::GameEnd)), "game-end");
        assert_eq!(word(COMPLETION, completion(Completion::Arbiter)), "arbiter");
        assert_eq!(word(CONNECTED, connected(true)), "connected");
        assert_eq!(word(CONNECTED, connected(false)), "absent");
        assert_eq!(word(LINK, link(true)), "up");
        assert_eq!(word(LINK, link(false)), "down");
    }

    #[test]
    fn a_number_from_a_newer_service_is_unknown() {
        assert_eq!(word(STANDING, 0), "unknown");
        assert_eq!(word(STANDING, 99), "unknown");
    }
}
