// SPDX-License-Identifier: GPL-3.0-or-later
//! Names on the bus, and the one way in which an identifier becomes part of an object path.

use zbus::{ObjectPath, OwnedObjectPath};

/// The well-known name of the service.
pub const SERVICE: &str = "org.arbiterd.Arbiter1";
/// The root object: object manager and [`MANAGER`].
pub const ROOT: &str = "/org/arbiterd/Arbiter1";
/// The interface of the root object.
pub const MANAGER: &str = "org.arbiterd.Arbiter1.Manager";
/// The interface of a board.
pub const BOARD: &str = "org.arbiterd.Arbiter1.Board";
/// The interface of a table.
pub const TABLE: &str = "org.arbiterd.Arbiter1.Table";
/// The interface of a table's clock.
pub const CLOCK: &str = "org.arbiterd.Arbiter1.Clock";
/// Errors of this service begin with it.
pub const ERROR_PREFIX: &str = "org.arbiterd.Arbiter1.Error.";

/// The object path of a board.
pub fn board_path(id: &str) -> OwnedObjectPath {
    below("board", id)
}

/// The object path of a table.
pub fn table_path(id: &str) -> OwnedObjectPath {
    below("table", id)
}

/// The identifier of the table at this path, if it is the path of a table.
pub fn table_id(path: &str) -> Option<String> {
    id_below("table", path)
}

/// The identifier of the board at this path, if it is the path of a board.
pub fn board_id(path: &str) -> Option<String> {
    id_below("board", path)
}

fn below(folder: &str, id: &str) -> OwnedObjectPath {
    // The root and the folders are valid, and `escape` yields a valid element for any text.
    ObjectPath::from_string_unchecked(format!("{ROOT}/{folder}/{}", escape(id))).into()
}

fn id_below(folder: &str, path: &str) -> Option<String> {
    unescape(path.strip_prefix(ROOT)?.strip_prefix('/')?.strip_prefix(folder)?.strip_prefix('/')?)
}

/// An identifier as an element of an object path.
///
/// ASCII letters and digits stay; any other byte, the underscore too, becomes `_` and two
/// hexadecimal digits; the empty text is a single `_`.
pub fn escape(id: &str) -> String {
    if id.is_empty() {
        return "_".to_owned();
    }
    let mut element = String::with_capacity(id.len());
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() {
            element.push(char::from(byte));
        } else {
            element.push_str(&format!("_{byte:02x}"));
        }
    }
    element
}

/// The inverse of [`escape`]; `None` for what [`escape`] never gives.
pub fn unescape(element: &str) -> Option<String> {
    if element == "_" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(element.len());
    let mut rest = element.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'_' {
            let (digits, after) = after.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    let id = String::from_utf8(bytes).ok()?;
    // One identifier, one path: a second spelling of the same identifier is no path of ours.
    (escape(&id) == element).then_some(id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn identifiers_become_path_elements() {
        assert_eq!(escape("board7"), "board7");
        assert_eq!(escape("main-hall 1"), "main_2dhall_201");
        assert_eq!(escape("a_b"), "a_5fb");
        assert_eq!(escape("é"), "_c3_a9");
        assert_eq!(escape(""), "_");
        assert_eq!(table_path("t-1").as_str(), "/org/arbiterd/Arbiter1/table/t_2d1");
        assert_eq!(table_id("/org/arbiterd/Arbiter1/table/t_2d1").as_deref(), Some("t-1"));
        assert_eq!(table_id("/org/arbiterd/Arbiter1/board/t_2d1"), None);
        assert_eq!(board_id("/org/arbiterd/Arbiter1/board/x").as_deref(), Some("x"));
    }

    #[test]
    fn what_escape_never_gives_is_refused() {
        for element in ["", "_2", "_2D", "_61", "a-b", "_+f", "__", "_ff"] {
            assert_eq!(unescape(element), None, "{element:?}");
        }
    }

    proptest! {
        #[test]
        fn any_identifier_round_trips_through_a_valid_path(id in any::<String>()) {
            let path = board_path(&id);
            prop_assert!(ObjectPath::try_from(path.as_str()).is_ok());
            prop_assert_eq!(board_id(path.as_str()), Some(id));
        }

        #[test]
        fn an_element_has_one_identifier(element in "[A-Za-z0-9_]{0,12}") {
            if let Some(id) = unescape(&element) {
                prop_assert_eq!(escape(&id), element);
            }
        }
    }
}
