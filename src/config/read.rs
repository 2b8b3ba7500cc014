// SPDX-License-Identifier: GPL-3.0-or-later
//! A configuration out of its text.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arbiterd_board::ClockSide;
use arbiterd_dgt::bus::BusAddress;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use super::{
    BoardConfig, Config, Connection, DEFAULT_RULEBOOK_DIRS, DEFAULT_STATE_DIR, Family, TableSettings,
};
use crate::document::{Document, Entry, Fault, Found, Problem, Section, nearest};
use crate::laws::rulebook::Library;
use crate::table::{Lights, Observer, Orientation};

/// The longest increment that makes sense; more is a slip.
const MAX_INCREMENT: Duration = Duration::from_secs(3600);
const CLOCK_SIDES: &[(&str, ClockSide)] = &[("left", ClockSide::Left), ("right", ClockSide::Right)];

/// Reads and checks a configuration. Without a library, names of rulebooks are not checked.
pub(super) fn read(
    file: &Path,
    text: &str,
    library: Option<&Library>,
    state_dir: Option<&Path>,
) -> Result<Config, Vec<Problem>> {
    let document = Document::parse(file, text)?;
    match document.read(|root| read_root(root, library, state_dir)) {
        (Some(config), problems) if problems.is_empty() => Ok(config),
        (_, problems) => Err(problems),
    }
}

/// The rulebook directories of a configuration that may be wrong elsewhere, each with its place;
/// `None` if they are not given.
pub(super) fn rulebook_dirs(file: &Path, text: &str) -> Option<Vec<Found<PathBuf>>> {
    let document = Document::parse(file, text).ok()?;
    document.read(read_dirs).0
}

fn read_root(root: &Section<'_>, library: Option<&Library>, state_dir: Option<&Path>) -> Option<Config> {
    let journal = read_journal(root, state_dir);
    let dirs = read_dirs(root);
    let boards = root.sections("board", BoardDraft::read);
    if boards.as_ref().is_some_and(Vec::is_empty) {
        let expected = "at least one [[board]]".to_owned();
        root.report(root.key("board").place().problem(Fault::Missing { expected }));
    }
    let lights = read_lights(root, Lights::Off);
    let tables = root.sections("table", |s| TableDraft::read(s, library, lights));
    let (boards, tables) = (boards?, tables?);
    check_boards(root, &boards);
    check_tables(root, &tables, &boards);
    Some(Config {
        boards: boards.into_iter().map(BoardDraft::finish).collect::<Option<_>>()?,
        tables: tables.into_iter().map(TableDraft::finish).collect::<Option<_>>()?,
        journal: journal?,
        rulebook_dirs: dirs.map_or_else(
            || DEFAULT_RULEBOOK_DIRS.iter().map(PathBuf::from).collect(),
            |dirs| dirs.into_iter().map(|d| d.value).collect(),
        ),
    })
}

fn read_journal(root: &Section<'_>, state_dir: Option<&Path>) -> Option<PathBuf> {
    let entry = root.key("journal");
    if entry.is_there() {
        Some(entry.text(absolute)?.value)
    } else {
        Some(state_dir.unwrap_or(Path::new(DEFAULT_STATE_DIR)).join("journal.db"))
    }
}

/// For all tables, or for one of them that has its own word.
fn read_lights(section: &Section<'_>, default: Lights) -> Option<Lights> {
    let lights = section.key("lights");
    or_default(&lights, lights.word(Lights::WORDS), default)
}

fn read_dirs(root: &Section<'_>) -> Option<Vec<Found<PathBuf>>> {
    let check = |dir: Found<String>| match absolute(&dir.value) {
        Ok(path) => Some(Found { value: path, place: dir.place }),
        Err(expected) => {
            root.report(dir.place.problem(Fault::Malformed { found: dir.value, expected }));
            None
        }
    };
    Some(root.key("rulebook_dirs").strings()?.into_iter().filter_map(check).collect())
}

/// A `[[board]]`; what is `None` has been reported.
struct BoardDraft {
    id: Option<Found<String>>,
    port: Option<Found<PathBuf>>,
    family: Option<Found<Family>>,
    /// Its address, if it is one of several on a bus line.
    bus: Option<Found<BusAddress>>,
    /// It is said to be on a bus line, however wrong its address may be.
    on_bus: bool,
    /// Whether it is said to be reached by Bluetooth, if anything is said.
    bluetooth: Option<Option<bool>>,
}

const TRANSPORTS: &[(&str, bool)] = &[("wired", false), ("bluetooth", true)];
/// What the kernel calls serial ports over Bluetooth.
const BLUETOOTH_PORTS: &str = "/dev/rfcomm";

impl BoardDraft {
    fn read(section: &Section<'_>) -> Self {
        let bus = section.key("bus_serial");
        let bus_serial = bus.text(bus_address);
        let transport = section.key("transport");
        if bus.is_there() && transport.is_there() {
            let expected = "a board on a bus line is wired; leave the key out".to_owned();
            section.report(
                transport.place().problem(Fault::Malformed { found: "transport".to_owned(), expected }),
            );
        }
        let family = family(section);
        if bus.is_there() && family.as_ref().is_some_and(|f| !f.value.has_bus()) {
            let expected = "boards of this family share no line; leave the key out".to_owned();
            section
                .report(bus.place().problem(Fault::Malformed { found: "bus_serial".to_owned(), expected }));
        }
        let wanted = transport.word(TRANSPORTS);
        Self {
            id: section.key("id").required("an id").text(id),
            port: section.key("port").required("a serial device").text(absolute),
            family,
            bus: bus_serial,
            on_bus: bus.is_there(),
            bluetooth: or_default(
                &transport,
                wanted.map(|w| Found { value: Some(w.value), place: w.place }),
                None,
            ),
        }
    }

    fn finish(self) -> Option<BoardConfig> {
        let port = self.port?.value;
        let connection = match (self.bus, self.bluetooth?) {
            (Some(address), _) => Connection::Bus(address.value),
            (None, Some(true)) => Connection::Bluetooth,
            (None, None) if port.to_string_lossy().starts_with(BLUETOOTH_PORTS) => Connection::Bluetooth,
            (None, _) => Connection::Wired,
        };
        Some(BoardConfig { id: self.id?.value, port, family: self.family?.value, connection })
    }
}

/// A `[[table]]`; what is `None` has been reported.
struct TableDraft {
    id: Option<Found<String>>,
    board: Option<Found<String>>,
    rulebook: Option<Found<String>>,
    observer: Option<Observer>,
    white_side: Option<ClockSide>,
    start: Option<Option<String>>,
    increment: Option<Duration>,
    orientation: Option<Orientation>,
    lights: Option<Lights>,
}

impl TableDraft {
    /// `lights`: for tables that do not say it; `None` has been reported.
    fn read(section: &Section<'_>, library: Option<&Library>, lights: Option<Lights>) -> Self {
        let rulebook = section.key("rulebook").required("the id of a rulebook").string();
        if let (Some(rulebook), Some(library)) = (&rulebook, library) {
            check_rulebook(section, rulebook, library);
        }
        // Where White sits has no default: a wrong guess would charge each press to the wrong player.
        let white_side = section.key("white_side").required("\"left\" or \"right\"").word(CLOCK_SIDES);
        let observer = section.key("observer");
        let start = section.key("start");
        let increment = section.key("increment_ms");
        let orientation = section.key("orientation");
        Self {
            id: section.key("id").required("an id").text(id),
            board: section.key("board").required("the id of a board").string(),
            rulebook,
            observer: or_default(&observer, observer.word(Observer::WORDS), Observer::Arbiter),
            white_side: white_side.map(|f| f.value),
            start: or_default(&start, start.text(start_position), None),
            increment: or_default(&increment, increment.millis(MAX_INCREMENT), Duration::ZERO),
            orientation: or_default(&orientation, orientation.word(Orientation::WORDS), Orientation::Auto),
            lights: read_lights(section, lights.unwrap_or_default()),
        }
    }

    fn finish(self) -> Option<TableSettings> {
        Some(TableSettings {
            id: self.id?.value,
            board: self.board?.value,
            rulebook: self.rulebook?.value,
            observer: self.observer?,
            white_side: self.white_side?,
            start_fen: self.start?,
            increment: self.increment?,
            orientation: self.orientation?,
            lights: self.lights?,
        })
    }
}

/// The default only for a key that is not there: a wrong one stays wrong.
fn or_default<T>(entry: &Entry<'_>, found: Option<Found<T>>, default: T) -> Option<T> {
    if entry.is_there() { found.map(|f| f.value) } else { Some(default) }
}

fn check_rulebook(section: &Section<'_>, rulebook: &Found<String>, library: &Library) {
    if library.get(&rulebook.value).is_none() {
        let nearest = nearest(&rulebook.value, library.ids());
        let (kind, name) = ("rulebook", rulebook.value.clone());
        section.report(rulebook.place.problem(Fault::NoSuch { kind, name, nearest }));
    }
}

/// Two names of one device, by way of a link, cannot be told here; the port is then busy when
/// the second board opens it.
fn check_boards(root: &Section<'_>, boards: &[BoardDraft]) {
    once(root, boards.iter().filter_map(|b| b.id.as_ref()), |id| format!("the id {id:?}"));
    check_ports(root, boards);
}

/// A port is one board's, or that of a bus line on which each board has an address of its own.
fn check_ports(root: &Section<'_>, boards: &[BoardDraft]) {
    let mut lines: BTreeMap<&PathBuf, Vec<&BoardDraft>> = BTreeMap::new();
    for board in boards {
        if let Some(port) = &board.port {
            lines.entry(&port.value).or_default().push(board);
        }
    }
    for line in lines.into_values() {
        let (on_bus, alone): (Vec<&BoardDraft>, _) = line.into_iter().partition(|board| board.on_bus);
        let addresses = on_bus.iter().filter_map(|board| board.bus.as_ref());
        once(root, addresses, |address| format!("the bus address {}", address.number()));
        let ports = alone.iter().filter_map(|board| board.port.as_ref());
        if on_bus.is_empty() {
            once(root, ports, |port| format!("the port {port:?}"));
        } else {
            for port in ports {
                let expected =
                    "this is the port of a bus line: give the board its bus_serial, or its own port";
                root.report(port.place.problem(Fault::Malformed {
                    found: port.value.display().to_string(),
                    expected: expected.to_owned(),
                }));
            }
        }
    }
}

fn check_tables(root: &Section<'_>, tables: &[TableDraft], boards: &[BoardDraft]) {
    once(root, tables.iter().filter_map(|t| t.id.as_ref()), |id| format!("the id {id:?}"));
    let used = || tables.iter().filter_map(|t| t.board.as_ref());
    once(root, used(), |board| format!("the board {board:?}"));
    // A board whose own id is wrong may be the one that is meant.
    let Some(known) = boards.iter().map(|b| Some(b.id.as_ref()?.value.as_str())).collect::<Option<Vec<_>>>()
    else {
        return;
    };
    for board in used().filter(|b| !known.contains(&b.value.as_str())) {
        let nearest = nearest(&board.value, known.iter().copied());
        let (kind, name) = ("board", board.value.clone());
        root.report(board.place.problem(Fault::NoSuch { kind, name, nearest }));
    }
}

/// Reports each value that was there before.
fn once<'v, T: Ord + 'v>(
    root: &Section<'_>,
    values: impl Iterator<Item = &'v Found<T>>,
    name: impl Fn(&T) -> String,
) {
    let mut first: BTreeMap<&T, usize> = BTreeMap::new();
    for found in values {
        if let Some(&first) = first.get(&found.value) {
            root.report(found.place.problem(Fault::Again { what: name(&found.value), first }));
        } else {
            first.insert(&found.value, found.place.line);
        }
    }
}

fn family(section: &Section<'_>) -> Option<Found<Family>> {
    let known: Vec<_> = Family::WORDS.iter().map(|(word, _)| format!("{word:?}")).collect();
    section.key("family").required(&known.join(" or ")).word(Family::WORDS)
}

/// Ids are path elements on the bus and words on a command line.
fn id(text: &str) -> Result<String, String> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if (1..=32).contains(&text.len()) && text.bytes().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("an id has 1 to 32 of the characters A-Z, a-z, 0-9, _ and -".to_owned())
    }
}

/// The serial number printed on a board, which is its address on a bus line.
fn bus_address(text: &str) -> Result<BusAddress, String> {
    BusAddress::from_serial(text).map_err(|error| error.to_string())
}

/// A service has no directory of its own to start from, so paths are absolute.
fn absolute(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    if path.is_absolute() && !text.contains('\0') {
        Ok(path.to_owned())
    } else {
        Err("an absolute path is needed".to_owned())
    }
}

/// `standard`, or a legal position as FEN.
fn start_position(text: &str) -> Result<Option<String>, String> {
    if text == "standard" {
        return Ok(None);
    }
    let fen: Fen = text.parse().map_err(|e| format!("\"standard\" or a FEN is needed: {e}"))?;
    match fen.into_position::<Chess>(CastlingMode::Standard) {
        Ok(_) => Ok(Some(text.to_owned())),
        Err(e) => Err(format!("not a legal position: {e}")),
    }
}
