// SPDX-License-Identifier: MIT OR Apache-2.0
//! Millennium ChessLink boards. Only the family's name is here so far.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
#![deny(missing_docs)]

/// The name of the family, as it stands in [`arbiterd_board::Identity::family`].
pub const FAMILY: &str = "millennium";
