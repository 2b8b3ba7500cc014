// SPDX-License-Identifier: GPL-3.0-or-later
//! What is shown as properties, shared between the interfaces that read it and the publisher that
//! changes it.

use std::sync::{Arc, Mutex, PoisonError};

use zbus::object_server::SignalEmitter;
use zbus::{Connection, OwnedObjectPath, Variant};

use super::dict::Dict;

/// Properties of one interface. The lock is held for a copy only, never while anything is sent:
/// a slow call cannot hold up the publisher, nor the publisher a call.
pub(super) struct Shown<T>(Arc<Mutex<T>>);

impl<T> Clone for Shown<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Shown<T> {
    pub(super) fn new(properties: T) -> Self {
        Self(Arc::new(Mutex::new(properties)))
    }

    pub(super) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        // Every change is a plain assignment, so a value left by a panic is still a whole one.
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The properties that one logical change touched.
#[derive(Default)]
pub(super) struct Changes {
    changed: Dict,
    invalidated: Vec<&'static str>,
}

impl Changes {
    /// Gives a property its new value and remembers it, if it is another one.
    pub(super) fn set<T>(&mut self, name: &'static str, property: &mut T, new: T)
    where
        T: PartialEq + Clone + Into<Variant<'static>>,
    {
        if *property != new {
            self.changed.insert(name, new.clone().into());
            *property = new;
        }
    }

    /// Remembers that a property changed whose value is not sent along.
    pub(super) fn invalidate(&mut self, name: &'static str) {
        self.invalidated.push(name);
    }

    /// Sends them as one `PropertiesChanged`, if there are any.
    pub(super) async fn emit(self, place: &SignalEmitter<'_>, interface: &str) -> zbus::Result<()> {
        if self.changed.is_empty() && self.invalidated.is_empty() {
            return Ok(());
        }
        place
            .emit(
                "org.freedesktop.DBus.Properties",
                "PropertiesChanged",
                &(interface, self.changed, self.invalidated),
            )
            .await
    }
}

/// The place from which an object sends its signals.
pub(super) fn emitter(connection: &Connection, path: &OwnedObjectPath) -> SignalEmitter<'static> {
    SignalEmitter::from_parts(connection.clone(), path.clone().into())
}
