// SPDX-License-Identifier: GPL-3.0-or-later
//! Whether the bus is still there, and still knows us by our name.

use futures_util::StreamExt;
use zbus::message::Type;
use zbus::{Connection, MatchRule, MessageStream};

use super::BusError;
use super::names::SERVICE;

const THE_BUS: &str = "org.freedesktop.DBus";

/// A watch over a connection; to be attached before the name is taken.
pub struct Lifeline {
    connection: Connection,
    lost: MessageStream,
}

impl Lifeline {
    /// Begins to watch.
    ///
    /// # Errors
    /// [`BusError::Connection`].
    pub async fn attach(connection: &Connection) -> Result<Self, BusError> {
        let rule = MatchRule::builder()
            .msg_type(Type::Signal)
            .sender(THE_BUS)
            .interface(THE_BUS)
            .member("NameLost")
            .arg(0, SERVICE)
            .build()?;
        let lost = MessageStream::for_match_rule(rule, connection, None).await?;
        Ok(Self { connection: connection.clone(), lost })
    }

    /// Returns when the connection has ended or the name was lost: without either nobody hears us.
    pub async fn ended(mut self) -> BusError {
        tokio::select! {
            () = self.connection.closed() => BusError::Gone,
            lost = self.lost.next() => match lost {
                Some(Ok(_)) => BusError::NameLost,
                Some(Err(_)) | None => BusError::Gone,
            },
        }
    }
}
