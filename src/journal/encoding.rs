// SPDX-License-Identifier: GPL-3.0-or-later
//! How entries are written down.
//!
//! A fact's input is kept in postcard's format, about 10 bytes for a square, beside the number of
//! the encoding; `tests/journal_encoding.rs` holds the bytes still. Rulings and notices are JSON
//! text, so that a query can look into them. A fact's number and moment are columns only: what
//! is written once cannot disagree with itself.

use arbiterd_board::Mono;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::table::{Fact, Input};

/// The encoding of facts that this program writes.
pub const FACT_ENCODING: u8 = 1;

/// Why an entry cannot be written down or read back.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodingError {
    /// A newer program wrote the fact.
    #[error(
        "encoding {found} is unknown, this program reads encoding {FACT_ENCODING}: use the program that wrote it, or a newer one"
    )]
    UnknownVersion {
        /// The number beside the fact.
        found: i64,
    },
    /// The bytes or the text do not mean what they should.
    #[error("it is unreadable ({reason}): the journal was damaged or changed by hand")]
    Unreadable {
        /// What the decoder says.
        reason: String,
    },
    /// The value cannot be written in this format.
    #[error("it cannot be written down ({reason}): this is a mistake of the program, please report it")]
    Unwritable {
        /// What the encoder says.
        reason: String,
    },
    /// SQLite's integers end at 2^63 - 1.
    #[error(
        "{what} {value} does not fit into the database: this is a mistake of the program, please report it"
    )]
    TooLarge {
        /// Which number.
        what: &'static str,
        /// The number.
        value: u64,
    },
    /// SQLite gave a negative number where there is none.
    #[error("{what} {value} is negative: the journal was damaged or changed by hand")]
    Negative {
        /// Which number.
        what: &'static str,
        /// The number.
        value: i64,
    },
}

/// The bytes of a fact's input, in encoding [`FACT_ENCODING`].
///
/// # Errors
/// [`EncodingError::Unwritable`], which no input of this program brings about.
pub fn encode_input(input: &Input) -> Result<Vec<u8>, EncodingError> {
    postcard::to_stdvec(input).map_err(|e| EncodingError::Unwritable { reason: e.to_string() })
}

/// A fact's input from its bytes.
///
/// # Errors
/// [`EncodingError::UnknownVersion`] for an encoding that is not known here, and
/// [`EncodingError::Unreadable`] if the bytes are no input, or more than one.
pub fn decode_input(encoding: i64, bytes: &[u8]) -> Result<Input, EncodingError> {
    if encoding != i64::from(FACT_ENCODING) {
        return Err(EncodingError::UnknownVersion { found: encoding });
    }
    let unreadable = |reason: String| EncodingError::Unreadable { reason };
    let (input, rest) = postcard::take_from_bytes(bytes).map_err(|e| unreadable(e.to_string()))?;
    if rest.is_empty() { Ok(input) } else { Err(unreadable(format!("{} bytes too many", rest.len()))) }
}

/// A fact from its columns.
pub(super) fn decode_fact(seq: i64, at_us: i64, encoding: i64, body: &[u8]) -> Result<Fact, EncodingError> {
    Ok(Fact {
        seq: unsigned("number", seq)?,
        at: Mono::from_micros(unsigned("moment", at_us)?),
        input: decode_input(encoding, body)?,
    })
}

/// JSON text of a ruling or a notice.
pub(super) fn to_json<T: Serialize>(value: &T) -> Result<String, EncodingError> {
    serde_json::to_string(value).map_err(|e| EncodingError::Unwritable { reason: e.to_string() })
}

/// A ruling or a notice from its JSON text.
pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, EncodingError> {
    serde_json::from_str(text).map_err(|e| EncodingError::Unreadable { reason: e.to_string() })
}

/// A number as SQLite keeps it.
pub(super) fn signed(what: &'static str, value: u64) -> Result<i64, EncodingError> {
    i64::try_from(value).map_err(|_| EncodingError::TooLarge { what, value })
}

/// A number as SQLite kept it.
pub(super) fn unsigned(what: &'static str, value: i64) -> Result<u64, EncodingError> {
    u64::try_from(value).map_err(|_| EncodingError::Negative { what, value })
}
