// SPDX-License-Identifier: GPL-3.0-or-later
//! Opening a port, and telling the reasons apart for which it does not open.
//!
//! The serial port library keeps no error number: `EBUSY` of an exclusive terminal and a lock
//! held by another program both become its kind `NoDevice`, `ENOENT` and `EACCES` become the
//! std kinds of these names, and everything else, `EPERM` and `ENXIO` among it, is `Unknown`
//! with a text. Texts are not to be parsed, so the path itself is asked, by calls that do
//! answer with a number: once before opening (a path that is missing, forbidden or no
//! character device is not opened at all: a FIFO or a plain file must not be locked), and once
//! more after a failure, since the port may have been unplugged or re-permitted in between.
//! What is left is [`PortState::Busy`] by the library's kind, or [`PortState::Unusable`] with
//! its text for a person to read.

use std::path::Path;

use arbiterd_board::{LineSettings, Parity};
use rustix::fs::{Access, FileType, access, stat};
use rustix::io::Errno;
use serialport::{DataBits, ErrorKind, FlowControl, SerialPort as _, SerialPortBuilder, StopBits};
use tokio_serial::SerialStream;

use super::state::PortState;

/// Opens the port at `path` for a board: exclusive, without flow control.
///
/// The opening itself may wait for an adapter that does not answer on its bus, so it does not
/// happen on a thread that serves other boards.
pub(super) async fn open(path: &Path, line: LineSettings) -> Result<SerialStream, PortState> {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || open_now(&path, line))
        .await
        .unwrap_or_else(|e| Err(PortState::Unusable { reason: format!("opening it did not end well: {e}") }))
}

fn open_now(path: &Path, line: LineSettings) -> Result<SerialStream, PortState> {
    let builder = builder(path, line)?;
    if let Some(state) = look_at(path).verdict() {
        return Err(state);
    }
    let mut port =
        SerialStream::open(&builder).map_err(|e| classify(e.kind(), &e.to_string(), look_at(path)))?;
    if let Some(ready) = line.data_terminal_ready
        && let Err(e) = port.write_data_terminal_ready(ready)
    {
        // A pseudo terminal and a radio link have no such line.
        tracing::debug!(port = %path.display(), "could not set DTR: {e}");
    }
    Ok(port)
}

/// The serial ports of this machine, for people.
fn ports() -> Vec<String> {
    // Where the kernel shows no terminals (a container), the library would panic.
    if !Path::new("/sys/class/tty").is_dir() {
        return Vec::new();
    }
    let mut ports: Vec<_> =
        serialport::available_ports().unwrap_or_default().into_iter().map(|p| p.port_name).collect();
    ports.sort();
    ports
}

/// The settings of the line, in the library's words. Exclusive is the library's default: it
/// sets `TIOCEXCL` and then takes the lock that others ask for.
fn builder(path: &Path, line: LineSettings) -> Result<SerialPortBuilder, PortState> {
    let unusable = |reason: &str| PortState::Unusable { reason: reason.to_owned() };
    let name = path.to_str().ok_or_else(|| unusable("its path is not UTF-8: name it by a link that is"))?;
    let data_bits = DataBits::try_from(line.data_bits)
        .map_err(|()| unusable("the board's protocol asks for a number of data bits that no port has"))?;
    let stop_bits = StopBits::try_from(line.stop_bits)
        .map_err(|()| unusable("the board's protocol asks for a number of stop bits that no port has"))?;
    let parity = match line.parity {
        Parity::None => serialport::Parity::None,
        Parity::Odd => serialport::Parity::Odd,
        Parity::Even => serialport::Parity::Even,
    };
    Ok(serialport::new(name, line.baud)
        .data_bits(data_bits)
        .parity(parity)
        .stop_bits(stop_bits)
        .flow_control(FlowControl::None))
}

/// What a path says of itself without being opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sight {
    /// Nothing is there.
    Missing,
    /// It, or a folder on the way to it, is closed to this process.
    Forbidden,
    /// Something is there that is no character device.
    NotAPort,
    /// The kernel would not even say.
    Unclear(Errno),
    /// A character device that may be opened for reading and writing.
    Port,
}

impl Sight {
    /// The state of the port, unless only opening it can tell.
    fn verdict(self) -> Option<PortState> {
        match self {
            Self::Missing => Some(PortState::Missing { others: ports() }),
            Self::Forbidden => Some(PortState::NotPermitted),
            Self::NotAPort => Some(PortState::Unusable {
                reason: "its path is not a character device: name the board's serial port".to_owned(),
            }),
            Self::Unclear(errno) => Some(PortState::Unusable { reason: errno.to_string() }),
            Self::Port => None,
        }
    }
}

fn look_at(path: &Path) -> Sight {
    let looked = stat(path).and_then(|found| {
        let port = FileType::from_raw_mode(found.st_mode) == FileType::CharacterDevice;
        // Also asks the list of devices that a control group allows, which answers EPERM.
        if port {
            access(path, Access::READ_OK | Access::WRITE_OK).map(|()| Sight::Port)
        } else {
            Ok(Sight::NotAPort)
        }
    });
    looked.unwrap_or_else(sight_of)
}

fn sight_of(errno: Errno) -> Sight {
    match errno {
        Errno::NOENT | Errno::NOTDIR => Sight::Missing,
        Errno::ACCESS | Errno::PERM => Sight::Forbidden,
        other => Sight::Unclear(other),
    }
}

/// The state of a port whose opening failed with `kind` and `text`, and whose path looks like
/// `after` since. The path's own word comes first: it has an error number to it.
fn classify(kind: ErrorKind, text: &str, after: Sight) -> PortState {
    use std::io::ErrorKind as Io;
    after.verdict().unwrap_or_else(|| match kind {
        ErrorKind::NoDevice => PortState::Busy,
        ErrorKind::Io(Io::NotFound) => PortState::Missing { others: ports() },
        ErrorKind::Io(Io::PermissionDenied) => PortState::NotPermitted,
        _ => PortState::Unusable { reason: text.to_owned() },
    })
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind as Io;

    use super::*;

    const LINE: LineSettings = LineSettings {
        baud: 9600,
        data_bits: 8,
        parity: Parity::None,
        stop_bits: 1,
        data_terminal_ready: None,
    };

    fn unusable(reason: &str) -> PortState {
        PortState::Unusable { reason: reason.to_owned() }
    }

    #[test]
    fn kinds_of_the_library_tell_three_states_apart() {
        for (kind, expected) in [
            (ErrorKind::NoDevice, PortState::Busy),
            (ErrorKind::Io(Io::NotFound), PortState::Missing { others: ports() }),
            (ErrorKind::Io(Io::PermissionDenied), PortState::NotPermitted),
            (ErrorKind::Unknown, unusable("the text")),
            (ErrorKind::InvalidInput, unusable("the text")),
            (ErrorKind::Io(Io::TimedOut), unusable("the text")),
        ] {
            assert_eq!(classify(kind, "the text", Sight::Port), expected, "{kind:?}");
        }
    }

    #[test]
    fn a_forbidding_device_list_is_told_by_its_number_and_not_by_its_text() {
        assert_eq!(sight_of(Errno::PERM), Sight::Forbidden);
        assert_eq!(sight_of(Errno::ACCESS), Sight::Forbidden);
        let state = classify(ErrorKind::Unknown, "Operation not permitted", Sight::Forbidden);
        assert_eq!(state, PortState::NotPermitted);
    }

    #[test]
    fn a_port_pulled_while_it_was_opened_is_missing() {
        assert_eq!(classify(ErrorKind::Unknown, "Input/output error", Sight::Missing).word(), "missing");
        assert_eq!(classify(ErrorKind::NoDevice, "busy", Sight::Missing).word(), "missing");
    }

    #[test]
    fn what_is_no_character_device_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(look_at(folder.path()), Sight::NotAPort);
        assert_eq!(look_at(&file), Sight::NotAPort);
        assert_eq!(look_at(&file.join("below")), Sight::Missing);
        assert_eq!(look_at(&folder.path().join("none")), Sight::Missing);
        assert_eq!(open_now(&file, LINE).unwrap_err(), Sight::NotAPort.verdict().unwrap());
    }

    #[test]
    fn a_path_that_leads_in_a_circle_is_unusable() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("board");
        std::os::unix::fs::symlink(&link, &link).unwrap();
        assert_eq!(look_at(&link), Sight::Unclear(Errno::LOOP));
    }

    #[test]
    fn a_character_device_that_is_no_terminal_is_unusable() {
        // Not a terminal: no runtime is reached, the exclusive mode is refused before.
        let state = open_now(Path::new("/dev/null"), LINE).unwrap_err();
        assert_eq!(state.word(), "unusable", "{state}");
    }

    #[test]
    fn settings_that_no_port_has_are_named() {
        let odd = LineSettings { data_bits: 9, ..LINE };
        assert_eq!(builder(Path::new("/dev/null"), odd).unwrap_err().word(), "unusable");
        let odd = LineSettings { stop_bits: 3, ..LINE };
        assert_eq!(builder(Path::new("/dev/null"), odd).unwrap_err().word(), "unusable");
    }
}
