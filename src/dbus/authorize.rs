// SPDX-License-Identifier: GPL-3.0-or-later
//! Who may do what: asked about the sender of each call that changes something.

use futures_util::future::BoxFuture;

use super::call::Caller;
use crate::table::Speaker;

/// Something for which leave is needed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Bring a player's claim forward at a table.
    Claim,
    /// Speak as the arbiter of a table: his word can decide what a player's cannot.
    Rule,
}

impl Action {
    /// What is done by whoever speaks as `by`.
    pub const fn of(by: Speaker) -> Self {
        match by {
            Speaker::Player(_) => Self::Claim,
            Speaker::Arbiter => Self::Rule,
        }
    }

    /// The identifier of the action, as an authority and an administrator know it.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Claim => "org.arbiterd.arbiter1.claim",
            Self::Rule => "org.arbiterd.arbiter1.rule",
        }
    }
}

/// What an authorizer is asked: whether the sender of a call may speak as `by` at a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question<'a> {
    /// What he wants to do.
    pub action: Action,
    /// As whom he speaks.
    pub by: Speaker,
    /// The table.
    pub table: &'a str,
}

impl<'a> Question<'a> {
    /// The question about one who speaks as `by` at `table`.
    pub const fn new(by: Speaker, table: &'a str) -> Self {
        Self { action: Action::of(by), by, table }
    }
}

/// An authorizer's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// He may.
    Allowed,
    /// He may not.
    Refused {
        /// Why, for the sender.
        reason: String,
    },
}

/// Decides whether the sender of a call may do what he asks for.
///
/// An implementation that cannot reach its authority, or waits too long, refuses.
pub trait Authorizer: Send + Sync {
    /// Whether `caller` may do what `question` says.
    fn authorize<'a>(&'a self, caller: &'a Caller, question: Question<'a>) -> BoxFuture<'a, Decision>;
}

/// Everyone may do everything: for private buses (demonstration, tests), where whoever reaches
/// the bus is the user himself.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

impl Authorizer for AllowAll {
    fn authorize<'a>(&'a self, _: &'a Caller, _: Question<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::ready(Decision::Allowed))
    }
}

/// Nobody may do anything: where no authority is at hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct DenyAll;

impl Authorizer for DenyAll {
    fn authorize<'a>(&'a self, _: &'a Caller, _: Question<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::ready(Decision::Refused {
            reason: "this service has no authority to ask; everything that changes a game is refused"
                .to_owned(),
        }))
    }
}
