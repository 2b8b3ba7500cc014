// SPDX-License-Identifier: GPL-3.0-or-later
//! Calls that the bus hands to the daemon, and what can go wrong with them.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use zbus::message::{Flags, Header, Message};
use zbus::names::ErrorName;
use zbus::{Connection, OwnedVariant, fdo};

use super::authorize::{Authorizer, Decision, Question};
use crate::laws::{Notice, Ruling};
use crate::table::{Claim, Command, Speaker};

/// Who sent a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The unique name of its connection.
    pub unique_name: String,
    /// Its user, where the bus knows it.
    pub uid: Option<u32>,
    /// Whether it allows that a person is asked before the call is answered.
    pub interactive: bool,
}

/// A call for the daemon. All go through its one queue; the bus only checks form and sender.
#[derive(Debug)]
pub enum Call {
    /// Someone claims something at a table.
    Claim {
        /// A table that exists.
        table: String,
        /// Who claims.
        by: Speaker,
        /// What.
        claim: Claim,
        /// Who sent it; he was authorized.
        sender: Caller,
        /// The number of the fact that records the claim, once it is committed.
        reply: oneshot::Sender<Result<u64, CallError>>,
    },
    /// The arbiter tells a table something.
    Command {
        /// A table that exists.
        table: String,
        /// What.
        command: Command,
        /// Who sent it; he was authorized to rule.
        sender: Caller,
        /// The number of the fact that records the command, once it is committed.
        reply: oneshot::Sender<Result<u64, CallError>>,
    },
    /// Someone reads the ledger.
    Rulings {
        /// Which rows.
        query: LedgerQuery,
        /// The rows, ascending.
        reply: oneshot::Sender<Result<Vec<LedgerRow>, CallError>>,
    },
    /// Someone reads the notices that were given.
    Notices {
        /// Which rows.
        query: LedgerQuery,
        /// The rows, ascending.
        reply: oneshot::Sender<Result<Vec<NoticeRow>, CallError>>,
    },
}

/// Which rulings, or notices, of the ledger are asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerQuery {
    /// Rows after this one.
    pub since: i64,
    /// Of this table only.
    pub table: Option<String>,
    /// At most so many.
    pub limit: u32,
}

/// A ruling in the ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerRow {
    /// Its row: one ever growing cursor for all tables.
    pub row: i64,
    /// The table.
    pub table: String,
    /// The ruling.
    pub ruling: Ruling,
}

/// A notice in the ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoticeRow {
    /// Its row: one ever growing cursor for all tables, another than that of the rulings.
    pub row: i64,
    /// The table.
    pub table: String,
    /// The notice.
    pub notice: Notice,
}

/// Why a call failed: the closed list of this service's own errors, `org.arbiterd.Arbiter1.Error.*`.
/// Each carries what happened and what to do.
#[derive(Clone, PartialEq, Eq, Debug, zbus::DBusError)]
#[zbus(prefix = "org.arbiterd.Arbiter1.Error")]
pub enum CallError {
    /// No table has this identifier.
    NoSuchTable(String),
    /// The word names no claim that is known.
    UnknownClaim(String),
    /// The sender may not do this.
    NotAuthorized(String),
    /// The laws know it, but this version does not act on it: the arbiter decides.
    NotCovered(String),
    /// The command cannot be taken as things stand. Nothing changed.
    Refused(String),
    /// The journal cannot be read, or what was said cannot be recorded now and waits for it.
    JournalUnavailable(String),
    /// The service is about to stop and takes no more calls.
    ShuttingDown(String),
}

/// What a method answers instead of a result: an error of ours, or a standard one where its
/// standard meaning applies.
#[derive(Debug)]
pub(super) enum Failure {
    Own(CallError),
    Standard(fdo::Error),
}

impl Failure {
    pub(super) fn invalid_args(text: String) -> Self {
        Self::Standard(fdo::Error::InvalidArgs(text))
    }
}

impl From<CallError> for Failure {
    fn from(e: CallError) -> Self {
        Self::Own(e)
    }
}

impl zbus::DBusError for Failure {
    fn create_reply(&self, call: &Header<'_>) -> zbus::Result<Message> {
        match self {
            Self::Own(e) => e.create_reply(call),
            Self::Standard(e) => e.create_reply(call),
        }
    }

    fn name(&self) -> ErrorName<'_> {
        match self {
            Self::Own(e) => e.name(),
            Self::Standard(e) => e.name(),
        }
    }

    fn description(&self) -> Option<&str> {
        match self {
            Self::Own(e) => e.description(),
            Self::Standard(e) => e.description(),
        }
    }
}

/// The way from the interfaces to the daemon.
#[derive(Clone)]
pub(super) struct Desk {
    calls: mpsc::Sender<Call>,
    authorizer: Arc<dyn Authorizer>,
}

impl Desk {
    pub(super) fn new(calls: mpsc::Sender<Call>, authorizer: Arc<dyn Authorizer>) -> Self {
        Self { calls, authorizer }
    }

    /// Puts a call into the daemon's queue and waits for its answer.
    pub(super) async fn ask<T>(
        &self,
        call: impl FnOnce(oneshot::Sender<Result<T, CallError>>) -> Call,
    ) -> Result<T, CallError> {
        let (reply, answer) = oneshot::channel();
        self.calls.send(call(reply)).await.map_err(|_| shutting_down())?;
        answer.await.map_err(|_| shutting_down())?
    }

    /// The sender of a call, if he may do this.
    pub(super) async fn admit(
        &self,
        connection: &Connection,
        header: &Header<'_>,
        question: Question<'_>,
    ) -> Result<Caller, CallError> {
        let sender = sender_of(header)?;
        let caller = Caller {
            unique_name: sender.to_owned(),
            uid: uid_of(connection, sender).await,
            interactive: header.primary().flags().contains(Flags::ALLOW_INTERACTIVE_AUTH),
        };
        match self.authorizer.authorize(&caller, question).await {
            Decision::Allowed => Ok(caller),
            Decision::Refused { reason } => {
                Err(CallError::NotAuthorized(format!("{} was refused: {reason}", question.action.id())))
            }
        }
    }
}

/// The unique name of the sender. Only the bus writes it, so without a bus there is nobody whose
/// leave can be asked for.
fn sender_of<'h>(header: &'h Header<'_>) -> Result<&'h str, CallError> {
    let none = || CallError::NotAuthorized("the call names no sender: call over a message bus".to_owned());
    header.sender().map(|s| s.as_str()).ok_or_else(none)
}

fn shutting_down() -> CallError {
    CallError::ShuttingDown("the service is stopping: ask again when it is back".to_owned())
}

async fn uid_of(connection: &Connection, unique_name: &str) -> Option<u32> {
    let name = zbus::names::BusName::try_from(unique_name).ok()?;
    fdo::DBusProxy::new(connection).await.ok()?.get_connection_unix_user(name).await.ok()
}

/// The options of a call: each is taken out by name, and what is left over was not understood.
pub(super) struct Options(HashMap<String, OwnedVariant>);

impl Options {
    pub(super) const fn new(options: HashMap<String, OwnedVariant>) -> Self {
        Self(options)
    }

    /// Takes an option of this type.
    pub(super) fn take<T: TryFrom<OwnedVariant>>(
        &mut self,
        key: &str,
        kind: &str,
    ) -> Result<Option<T>, Failure> {
        let Some(value) = self.0.remove(key) else { return Ok(None) };
        let signature = value.value_signature().to_string();
        T::try_from(value).map(Some).map_err(|_| {
            Failure::invalid_args(format!("option {key:?} must be of type {kind}, not {signature}"))
        })
    }

    /// Nothing may be left over.
    pub(super) fn finish(self, known: &str) -> Result<(), Failure> {
        let mut unknown: Vec<_> = self.0.into_keys().collect();
        unknown.sort_unstable();
        match unknown.first() {
            None => Ok(()),
            Some(key) => {
                Err(Failure::invalid_args(format!("option {key:?} is not known; known are: {known}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_without_a_sender_is_refused() {
        let call = Message::method_call("/", "Claim").build(&()).unwrap();
        let refused = sender_of(&call.header()).unwrap_err();
        assert!(matches!(refused, CallError::NotAuthorized(_)), "{refused}");
    }

    #[test]
    fn the_sender_that_the_bus_wrote_is_the_caller() {
        let call = Message::method_call("/", "Claim").sender(":1.7").build(&()).unwrap();
        assert_eq!(sender_of(&call.header()), Ok(":1.7"));
    }

    #[test]
    fn the_errors_are_named_below_the_prefix() {
        let e = CallError::NoSuchTable("x".to_owned());
        assert_eq!(zbus::DBusError::name(&e).as_str(), "org.arbiterd.Arbiter1.Error.NoSuchTable");
        assert!(zbus::DBusError::name(&e).as_str().starts_with(super::super::names::ERROR_PREFIX));
    }
}
