// SPDX-License-Identifier: GPL-3.0-or-later
//! A watch over everything that the service publishes.
//!
//! It has a connection of its own and reads every message from one queue, answers to its own
//! questions too, so nothing is ever put out of the order on the wire. It asks for the present
//! state after it began to listen; what came before the answer is given after it. A property may
//! then be seen twice, but the last value seen is the last one published.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::num::{NonZeroU32, NonZeroUsize};

use futures_util::StreamExt;
use zbus::fdo::{DBusProxy, ManagedObjects};
use zbus::message::{Message, Type};
use zbus::names::BusName;
use zbus::{Connection, MatchRule, MessageStream, OwnedVariant};

use super::fields::Dict;
use super::notice::NoticeInfo;
use super::ruling::RulingInfo;
use super::seen::{BoardSeen, ClockSeen, FaultSeen, PortSeen, Seen, TableSeen};
use super::{BusAddress, ClientError, call_error};
use crate::dbus::codes;
use crate::dbus::names::{BOARD, CLOCK, MANAGER, ROOT, SERVICE, TABLE, board_id, table_id};

const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
const OBJECT_MANAGER: &str = "org.freedesktop.DBus.ObjectManager";
const THE_BUS: &str = "org.freedesktop.DBus";

/// Messages that may wait here before the bus has to keep them.
const QUEUE: NonZeroUsize = match NonZeroUsize::new(4096) {
    Some(n) => n,
    None => NonZeroUsize::MIN,
};

/// The present state, as far as it was answered.
struct Present {
    manager_call: NonZeroU32,
    objects_call: NonZeroU32,
    manager: Option<Dict>,
    objects: Option<ManagedObjects>,
    /// Signals that came before the answers.
    early: Vec<Message>,
}

/// A stream of everything that is published; see the module's documentation.
pub struct Watch {
    bus: BusAddress,
    connection: Connection,
    messages: MessageStream,
    owner: Option<String>,
    /// Whether this owner was asked for the present state.
    asked: bool,
    present: Option<Present>,
    /// Properties by object path and interface, so that a change of one can be told with the rest.
    known: BTreeMap<(String, &'static str), Dict>,
    ready: VecDeque<Seen>,
}

impl Watch {
    /// Begins to watch the service on a bus.
    ///
    /// # Errors
    /// [`ClientError::Unreachable`], [`ClientError::NotRunning`], [`ClientError::Bus`].
    pub async fn open(bus: BusAddress) -> Result<Self, ClientError> {
        let connection = bus.build(bus.builder().max_queued(QUEUE)).await?;
        let messages = MessageStream::from(&connection);
        let owner = listen(&connection).await.map_err(|e| call_error(&bus, e))?;
        Ok(Self {
            bus,
            connection,
            messages,
            owner: Some(owner),
            asked: false,
            present: None,
            known: BTreeMap::new(),
            ready: VecDeque::new(),
        })
    }

    /// What was published next.
    ///
    /// May be dropped while it waits; nothing is lost then.
    ///
    /// # Errors
    /// [`ClientError::Closed`] if the bus went away, and other [`ClientError`]s.
    pub async fn next(&mut self) -> Result<Seen, ClientError> {
        loop {
            if let Some(seen) = self.ready.pop_front() {
                return Ok(seen);
            }
            if let Some(owner) = self.owner.clone().filter(|_| !self.asked) {
                self.ask_present(&owner).await?;
            }
            let closed = || ClientError::Closed { bus: self.bus.clone() };
            let message = self.messages.next().await.ok_or_else(closed)?.map_err(|_| closed())?;
            self.hear(message)?;
        }
    }

    async fn ask_present(&mut self, owner: &str) -> Result<(), ClientError> {
        let asked: zbus::Result<_> = async {
            let manager = question(owner, PROPERTIES, "GetAll")?.build(&MANAGER)?;
            let objects = question(owner, OBJECT_MANAGER, "GetManagedObjects")?.build(&())?;
            self.connection.send_all(&[manager.clone(), objects.clone()]).await?;
            Ok((manager.primary_header().serial_num(), objects.primary_header().serial_num()))
        }
        .await;
        let (manager_call, objects_call) = asked.map_err(|e| call_error(&self.bus, e))?;
        self.present =
            Some(Present { manager_call, objects_call, manager: None, objects: None, early: Vec::new() });
        self.asked = true;
        Ok(())
    }

    fn hear(&mut self, message: Message) -> Result<(), ClientError> {
        match message.message_type() {
            Type::MethodReturn | Type::Error => self.hear_answer(&message),
            Type::Signal => {
                let header = message.header();
                let sender = header.sender().map(|s| s.as_str());
                if sender == Some(THE_BUS) {
                    self.hear_owner(&message)
                } else if sender.is_some() && sender == self.owner.as_deref() {
                    drop(header);
                    self.hear_service(message)
                } else {
                    // Anyone may send us a signal that looks like one of the service.
                    Ok(())
                }
            }
            Type::MethodCall => Ok(()),
        }
    }

    fn hear_owner(&mut self, message: &Message) -> Result<(), ClientError> {
        if message.header().member().is_none_or(|m| m.as_str() != "NameOwnerChanged") {
            return Ok(());
        }
        let (name, _, new): (String, String, String) = self.body(message)?;
        if name != SERVICE || self.owner.as_deref().unwrap_or_default() == new {
            return Ok(());
        }
        self.asked = false;
        self.present = None;
        self.known.clear();
        if self.owner.take().is_some() {
            self.ready.push_back(Seen::Gone);
        }
        if !new.is_empty() {
            self.ready.push_back(Seen::Back);
            self.owner = Some(new);
        }
        Ok(())
    }

    fn hear_answer(&mut self, message: &Message) -> Result<(), ClientError> {
        let Some(mut present) = self.present.take() else { return Ok(()) };
        let to = message.header().reply_serial();
        let ours = to == Some(present.manager_call) || to == Some(present.objects_call);
        if ours && message.message_type() == Type::Error {
            return Err(call_error(&self.bus, message.clone().into()));
        }
        if to == Some(present.manager_call) {
            present.manager = Some(self.body(message)?);
        } else if to == Some(present.objects_call) {
            present.objects = Some(self.body(message)?);
        }
        match (present.manager.take(), present.objects.take()) {
            (Some(manager), Some(objects)) => self.begin(manager, objects, present.early),
            (manager, objects) => {
                self.present = Some(Present { manager, objects, ..present });
                Ok(())
            }
        }
    }

    fn begin(
        &mut self,
        manager: Dict,
        objects: ManagedObjects,
        early: Vec<Message>,
    ) -> Result<(), ClientError> {
        self.known.insert((ROOT.to_owned(), MANAGER), manager);
        for (path, interfaces) in objects {
            for (interface, properties) in interfaces {
                if let Some(interface) = known_interface(interface.as_str()) {
                    self.known.insert((path.to_string(), interface), properties);
                }
            }
        }
        // In the order of paths; `Manager` is at the shortest one.
        let all = self.known.iter().flat_map(|((path, interface), dict)| whole(path, interface, dict));
        self.ready.extend(all);
        for message in early {
            self.hear_service(message)?;
        }
        Ok(())
    }

    fn hear_service(&mut self, message: Message) -> Result<(), ClientError> {
        if let Some(present) = &mut self.present {
            present.early.push(message);
            return Ok(());
        }
        let header = message.header();
        let (Some(path), Some(interface), Some(member)) =
            (header.path(), header.interface(), header.member())
        else {
            return Ok(());
        };
        if interface.as_str() == PROPERTIES && member.as_str() == "PropertiesChanged" {
            let (interface, changed, _): (String, Dict, Vec<String>) = self.body(&message)?;
            self.change(path.as_str(), &interface, changed);
            return Ok(());
        }
        let seen = self.happening(path.as_str(), interface.as_str(), member.as_str(), &message)?;
        self.ready.extend(seen);
        Ok(())
    }

    fn change(&mut self, path: &str, interface: &str, changed: Dict) {
        let Some(interface) = known_interface(interface) else { return };
        let keys: Vec<String> = changed.keys().cloned().collect();
        let properties = self.known.entry((path.to_owned(), interface)).or_default();
        properties.extend(changed);
        self.ready.extend(partly(path, interface, properties, &keys));
    }

    fn happening(
        &self,
        path: &str,
        interface: &str,
        member: &str,
        message: &Message,
    ) -> Result<Option<Seen>, ClientError> {
        if interface == BOARD {
            let Some(board) = board_id(path) else { return Ok(None) };
            return self.board_happening(board, member, message);
        }
        match table_id(path) {
            Some(table) if interface == TABLE => self.table_happening(table, member, message),
            _ => Ok(None),
        }
    }

    fn board_happening(
        &self,
        board: String,
        member: &str,
        message: &Message,
    ) -> Result<Option<Seen>, ClientError> {
        if !matches!(member, "Lifted" | "Placed") {
            return Ok(None);
        }
        let (square, piece, earliest, latest) = self.body(message)?;
        Ok(Some(if member == "Lifted" {
            Seen::Lifted { board, square, piece, earliest, latest }
        } else {
            Seen::Placed { board, square, piece, earliest, latest }
        }))
    }

    fn table_happening(
        &self,
        table: String,
        member: &str,
        message: &Message,
    ) -> Result<Option<Seen>, ClientError> {
        Ok(Some(match member {
            "Claimed" => {
                let (by, what, fact) = self.body(message)?;
                Seen::Claimed { table, by, what, fact }
            }
            "Pressed" => {
                let (by, earliest, latest) = self.body(message)?;
                Seen::Pressed { table, by, earliest, latest }
            }
            "Moved" => {
                let (ply, details): (u64, Dict) = self.body(message)?;
                Seen::moved(table, ply, &details)
            }
            "TakenBack" => Seen::TakenBack { table, remaining: self.body(message)? },
            "Restored" => {
                let (remaining, details): (u64, Dict) = self.body(message)?;
                Seen::restored(table, remaining, &details)
            }
            "RulingDecided" => {
                let (ruling, standing): (u64, u32) = self.body(message)?;
                Seen::RulingDecided { table, ruling, standing: codes::word(codes::STANDING, standing) }
            }
            "BoardAccepted" => Seen::BoardAccepted { table, fen: self.body(message)? },
            "Ruled" => {
                let (_, _, _, details): (u64, u64, String, Dict) = self.body(message)?;
                Seen::Ruled(Box::new(RulingInfo::from_dict(&details)))
            }
            "NoticeGiven" => {
                let (_, _, details): (u64, String, Dict) = self.body(message)?;
                Seen::Notice(NoticeInfo::from_dict(&details))
            }
            // A signal of a later version.
            _ => return Ok(None),
        }))
    }

    fn body<T>(&self, message: &Message) -> Result<T, ClientError>
    where
        T: serde::de::DeserializeOwned + zbus::Type,
    {
        message.body().deserialize().map_err(|e| call_error(&self.bus, e))
    }
}

/// Begins to listen, and only then asks who owns the name.
async fn listen(connection: &Connection) -> zbus::Result<String> {
    let bus = DBusProxy::new(connection).await?;
    let ours = MatchRule::builder().msg_type(Type::Signal).sender(SERVICE).build()?;
    let owner = MatchRule::builder()
        .msg_type(Type::Signal)
        .sender(THE_BUS)
        .interface(THE_BUS)
        .member("NameOwnerChanged")
        .arg(0, SERVICE)
        .build()?;
    bus.add_match_rule(ours).await?;
    bus.add_match_rule(owner).await?;
    Ok(bus.get_name_owner(BusName::try_from(SERVICE)?).await?.to_string())
}

fn question(
    owner: &str,
    interface: &'static str,
    member: &'static str,
) -> zbus::Result<zbus::message::Builder<'static>> {
    Ok(Message::method_call(ROOT, member).destination(owner.to_owned()).interface(interface))
}

fn known_interface(interface: &str) -> Option<&'static str> {
    [MANAGER, BOARD, TABLE, CLOCK].into_iter().find(|i| *i == interface)
}

/// All properties of one interface, as they are seen at the beginning.
fn whole(path: &str, interface: &str, dict: &Dict) -> Vec<Seen> {
    let board = || board_id(path).map(|id| Seen::Board(BoardSeen::from_properties(&id, dict)));
    let table = || table_id(path).map(|id| Seen::Table(TableSeen::from_properties(&id, dict)));
    let clock = || table_id(path).map(|id| Seen::Clock(ClockSeen::from_properties(&id, dict)));
    match interface {
        MANAGER => {
            let none = |seen: &Seen| matches!(seen, Seen::Faults { faults } if faults.is_empty());
            [ports(dict), faults(dict)].into_iter().filter(|seen| !none(seen)).collect()
        }
        BOARD => board().into_iter().collect(),
        TABLE => table().into_iter().collect(),
        CLOCK => clock().into_iter().collect(),
        _ => Vec::new(),
    }
}

/// What a change of some properties of one interface is seen as.
fn partly(path: &str, interface: &str, dict: &Dict, keys: &[String]) -> Vec<Seen> {
    let any = |names: &[&str]| keys.iter().any(|k| names.contains(&k.as_str()));
    let mut seen = Vec::new();
    match interface {
        MANAGER => {
            if any(&["Ports"]) {
                seen.push(ports(dict));
            }
            if any(&["Faults"]) {
                seen.push(faults(dict));
            }
        }
        BOARD => {
            let Some(board) = board_id(path).map(|b| BoardSeen::from_properties(&b, dict)) else {
                return seen;
            };
            if any(&["Placement"]) {
                let (board, placement) = (board.board.clone(), board.placement.clone());
                seen.push(Seen::Placement { board, placement });
            }
            if any(&["State", "Link", "Serial", "Firmware", "BoardLag", "ClockLag"]) {
                seen.push(Seen::Board(board));
            }
        }
        TABLE => {
            let Some(t) = table_id(path).map(|t| TableSeen::from_properties(&t, dict)) else {
                return seen;
            };
            let table = t.table;
            if any(&["Fen", "Revision"]) {
                seen.push(Seen::Position { table: table.clone(), fen: t.fen, revision: t.revision });
            }
            if any(&["State", "Differing"]) {
                seen.push(Seen::State { table: table.clone(), state: t.state, differing: t.differing });
            }
            if any(&["Result"]) {
                seen.push(Seen::Result { table, result: t.result });
            }
        }
        CLOCK => seen.extend(table_id(path).map(|t| Seen::Clock(ClockSeen::from_properties(&t, dict)))),
        _ => {}
    }
    seen
}

fn ports(dict: &Dict) -> Seen {
    let ports: Vec<HashMap<String, OwnedVariant>> = super::fields::read(dict, "Ports").unwrap_or_default();
    Seen::Ports { ports: ports.iter().map(PortSeen::from_dict).collect() }
}

fn faults(dict: &Dict) -> Seen {
    let faults: Vec<HashMap<String, OwnedVariant>> = super::fields::read(dict, "Faults").unwrap_or_default();
    Seen::Faults { faults: faults.iter().map(FaultSeen::from_dict).collect() }
}
