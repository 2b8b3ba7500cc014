// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames as a description of the protocol gives them: their characters with the block parity, and
//! the bytes on the line with odd parity in bit 7. They were worked out there by a script of its own,
//! not by this crate.

/// Characters, and bytes in hexadecimal.
pub struct Vector(pub &'static str, pub &'static str);

impl Vector {
    pub fn bytes(&self) -> Vec<u8> {
        hex(self.1)
    }

    /// The bytes without parity.
    pub fn seven_bits(&self) -> Vec<u8> {
        self.0.bytes().collect()
    }
}

pub fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

pub const V1: Vector = Vector("V56", "D6 B5 B6");
pub const V2: Vector = Vector("v010374", "76 B0 31 B0 B3 37 34");
pub const V3: Vector = Vector("S53", "D3 B5 B3");
pub const V4: Vector = Vector("X58", "58 B5 38");
pub const V5: Vector = Vector("x78", "F8 37 38");
pub const V6: Vector = Vector("l6C", "EC B6 43");
pub const V7: Vector = Vector("T54", "54 B5 34");
pub const V8: Vector = Vector("R0250", "52 B0 32 B5 B0");
pub const V9: Vector = Vector("r020070", "F2 B0 32 B0 B0 37 B0");
pub const V10: Vector = Vector("W020356", "57 B0 32 B0 B3 B5 B6");
pub const V11: Vector = Vector("w020376", "F7 B0 32 B0 B3 37 B6");
pub const V12: Vector = Vector("W011453", "57 B0 31 31 34 B5 B3");
pub const V13: Vector = Vector("W010F20", "57 B0 31 B0 46 32 B0");
pub const V14: Vector = Vector("W040F25", "57 B0 34 B0 46 32 B5");
pub const V15: Vector = Vector("I0049", "49 B0 B0 34 B9");
pub const V16: Vector = Vector("i0055mm\n63", "E9 B0 B0 B5 B5 6D 6D 8A B6 B3");
pub const V17: Vector = Vector(
    "srnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR73",
    "73 F2 6E 62 F1 6B 62 6E F2 70 70 70 70 70 70 70 70 AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE \
     AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE D0 D0 D0 D0 D0 D0 D0 D0 52 CE C2 51 CB C2 CE \
     52 37 B3",
);
pub const V18: Vector = Vector(
    "sRNBKQBNRPPPPPPPP................................pppppppprnbkqbnr73",
    "73 52 CE C2 CB 51 C2 CE 52 D0 D0 D0 D0 D0 D0 D0 D0 AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE \
     AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE 70 70 70 70 70 70 70 70 F2 6E 62 6B F1 62 6E \
     F2 37 B3",
);
pub const V19: Vector = Vector(
    "srnbqkbnrpppppppp................................PPPP.PPPRNBQKBNR0D",
    "73 F2 6E 62 F1 6B 62 6E F2 70 70 70 70 70 70 70 70 AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE \
     AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE D0 D0 D0 D0 AE D0 D0 D0 52 CE C2 51 CB C2 CE \
     52 B0 C4",
);
pub const V20: Vector = Vector(
    "srnbqkbnrpppppppp....................P...........PPPP.PPPRNBQKBNR73",
    "73 F2 6E 62 F1 6B 62 6E F2 70 70 70 70 70 70 70 70 AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE \
     AE AE AE AE AE D0 AE AE AE AE AE AE AE AE AE AE AE D0 D0 D0 D0 AE D0 D0 D0 52 CE C2 51 CB C2 CE \
     52 37 B3",
);
pub const V21: Vector = Vector(
    "sRNBKQBNRPPP.PPPP...........P....................pppppppprnbkqbnr73",
    "73 52 CE C2 CB 51 C2 CE 52 D0 D0 D0 AE D0 D0 D0 D0 AE AE AE AE AE AE AE AE AE AE AE D0 AE AE AE \
     AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE 70 70 70 70 70 70 70 70 F2 6E 62 6B F1 62 6E \
     F2 37 B3",
);
pub const V22: Vector = Vector(
    "srnbqkbnrpppppppp................................PPPPPPPPRNBQ?BNR07",
    "73 F2 6E 62 F1 6B 62 6E F2 70 70 70 70 70 70 70 70 AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE \
     AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE AE D0 D0 D0 D0 D0 D0 D0 D0 52 CE C2 51 BF C2 CE \
     52 B0 37",
);
pub const V23: Vector = Vector(
    "L3200000000000000000000000000000000000000000000000000000000000000000000000000000000FFFFFFFF0000000000FFFFFFFF000000000000000000000000000000000000000000000000000000004D",
    "4C B3 32 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 46 46 46 46 46 46 46 46 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 46 46 46 46 46 46 46 46 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 34 C4",
);
pub const V24: Vector = Vector(
    "L3200000000000000000000000000000000000000000000000000000000FFFFFFFF0000000000FFFFFFFF000000000000000000000000000000000000000000000000000000000000000000000000000000004D",
    "4C B3 32 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 46 46 46 46 46 \
     46 46 46 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 46 46 46 46 46 46 46 46 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 34 C4",
);
pub const V25: Vector = Vector(
    "L22000000000000000000000000000000000000000000000000000000000000000000000000000000003333CCCC00000000003333CCCC000000000000000000000000000000000000000000000000000000004C",
    "4C 32 32 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B3 B3 B3 B3 43 43 43 43 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 B3 B3 B3 B3 43 43 43 43 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 B0 \
     B0 B0 B0 B0 B0 34 43",
);
/// Slide e2-e3-e4 without lifting (transient on e3)
pub const SLIDE: [&str; 3] = [
    // start
    "srnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR73",
    // e2 empty, e3 occupied
    "srnbqkbnrpppppppp............................P...PPPP.PPPRNBQKBNR73",
    // e3 empty, e4 occupied
    "srnbqkbnrpppppppp....................P...........PPPP.PPPRNBQKBNR73",
];
/// Capture e4xd5, captured piece removed first
pub const CAPTURE: [&str; 4] = [
    // before
    "srnbqkbnrppp.pppp...........p........P...........PPPP.PPPRNBQKBNR73",
    // d5 lifted
    "srnbqkbnrppp.pppp....................P...........PPPP.PPPRNBQKBNR2D",
    // e4 lifted
    "srnbqkbnrppp.pppp................................PPPP.PPPRNBQKBNR53",
    // P on d5
    "srnbqkbnrppp.pppp...........P....................PPPP.PPPRNBQKBNR2D",
];
/// Same capture, capturing piece pushed in (identity change on d5 with no empty scan)
pub const PUSHED_CAPTURE: [&str; 2] = [
    // e4 lifted
    "srnbqkbnrppp.pppp...........p....................PPPP.PPPRNBQKBNR0D",
    // d5 p -> P
    "srnbqkbnrppp.pppp...........P....................PPPP.PPPRNBQKBNR2D",
];
/// Castling, king first
pub const CASTLING: [&str; 5] = [
    // before
    "s....k.......................................................K..R2F",
    // K lifted
    "s....k..........................................................R4A",
    // K on g1
    "s....k.........................................................KR2F",
    // R lifted
    "s....k.........................................................K.53",
    // R on f1
    "s....k........................................................RK.2F",
];
/// Promotion, pawn left on a8 and then replaced
pub const PROMOTION: [&str; 5] = [
    // before
    "s....k...P...................................................K...2D",
    // a7 lifted
    "s....k.......................................................K...53",
    // P on a8 (not yet replaced: Laws of Chess matter)
    "sP...k.......................................................K...2D",
    // a8 lifted
    "s....k.......................................................K...53",
    // Q on a8
    "sQ...k.......................................................K...2C",
];
/// En passant e5xd6
pub const EN_PASSANT: [&str; 4] = [
    // before
    "s....k......................pP...............................K...73",
    // e5 lifted
    "s....k......................p................................K...0D",
    // P on d6
    "s....k..............P.......p................................K...73",
    // d5 lifted
    "s....k..............P........................................K...2D",
];
