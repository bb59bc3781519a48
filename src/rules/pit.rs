//! The nouns of the board: sides, pits, and sets of pits of one row.
//!
//! ```text
//!        North        f  e  d  c  b  a        11 10  9  8  7  6
//!        South        A  B  C  D  E  F         0  1  2  3  4  5
//! ```
//! Sowing is counter-clockwise: South's F is followed by a, North's f by A.

#![expect(clippy::cast_possible_truncation, reason = "pits are numbered 0 to 11")]

use serde::{Deserialize, Serialize};
use std::fmt;

/// Pits on the board.
pub const PITS: usize = 12;
/// Pits of one player.
pub const PITS_PER_ROW: usize = 6;

/// A side at the board. South plays first from the start position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Owner of the pits A to F.
    South,
    /// Owner of the pits a to f.
    North,
}

impl Side {
    /// Both sides, South first.
    pub const BOTH: [Self; 2] = [Self::South, Self::North];

    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::South => Self::North,
            Self::North => Self::South,
        }
    }

    /// 0 for South, 1 for North: the index of a side in any pair of values.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `south` or `north`, as in messages and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::South => "south",
            Self::North => "north",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One of the twelve pits, 0–11 in sowing order: South's A–F, then North's a–f.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pit(u8);

impl Pit {
    /// The pit with this number in sowing order, or `None` above 11.
    pub const fn new(index: u8) -> Option<Self> {
        if index < 12 { Some(Self(index)) } else { None }
    }

    /// The pit of `side` with this number in its row, or `None` above 5.
    pub const fn in_row(side: Side, row_index: u8) -> Option<Self> {
        if row_index < 6 {
            Some(Self(row_index + 6 * side as u8))
        } else {
            None
        }
    }

    /// All twelve, in sowing order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..12).map(Self)
    }

    /// 0–11 in sowing order.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0–5: the place in its owner's row, in sowing order.
    pub const fn row_index(self) -> u8 {
        self.0 % 6
    }

    /// The owner of the pit.
    pub const fn side(self) -> Side {
        if self.0 < 6 { Side::South } else { Side::North }
    }

    /// `A`–`F` for South's pits, `a`–`f` for North's.
    pub const fn letter(self) -> char {
        match self.side() {
            Side::South => (b'A' + self.0) as char,
            Side::North => (b'a' + self.0 - 6) as char,
        }
    }

    /// The pit with this letter, or `None`.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'A'..='F' => Some(Self(letter as u8 - b'A')),
            'a'..='f' => Some(Self(letter as u8 - b'a' + 6)),
            _ => None,
        }
    }
}

impl fmt::Display for Pit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl fmt::Debug for Pit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// A set of pits of one row, as a list of legal moves is. One byte of bits, no allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PitSet {
    side: Side,
    bits: u8,
}

impl PitSet {
    /// The set of the pits whose bits (bit 0 is the row's first pit) are set.
    pub(super) const fn from_bits(side: Side, bits: u8) -> Self {
        Self {
            side,
            bits: bits & 0x3f,
        }
    }

    /// The set without any pit of `side`.
    pub const fn empty(side: Side) -> Self {
        Self { side, bits: 0 }
    }

    /// The owner of the row.
    pub const fn side(self) -> Side {
        self.side
    }

    /// How many pits are in the set, 0–6.
    pub const fn len(self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Whether no pit is in the set.
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether `pit` is in the set.
    pub fn contains(self, pit: Pit) -> bool {
        pit.side() == self.side && self.bits >> pit.row_index() & 1 == 1
    }

    /// The pits of the set that are to be kept.
    #[must_use]
    pub fn filter(self, mut keep: impl FnMut(Pit) -> bool) -> Self {
        let kept = self.iter().filter(|&pit| keep(pit));
        let bits = kept.fold(0, |bits, pit| bits | 1 << pit.row_index());
        Self::from_bits(self.side, bits)
    }

    /// The pits, in sowing order.
    pub const fn iter(self) -> PitSetIter {
        PitSetIter(self)
    }
}

impl IntoIterator for PitSet {
    type Item = Pit;
    type IntoIter = PitSetIter;

    fn into_iter(self) -> PitSetIter {
        self.iter()
    }
}

/// The letters in sowing order: `ABCDEF`, or nothing for no pit.
impl fmt::Display for PitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|pit| write!(f, "{pit}"))
    }
}

impl fmt::Debug for PitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

/// Iterator over the pits of a [`PitSet`].
#[derive(Clone, Debug)]
pub struct PitSetIter(PitSet);

impl Iterator for PitSetIter {
    type Item = Pit;

    fn next(&mut self) -> Option<Pit> {
        if self.0.bits == 0 {
            return None;
        }
        let row_index = self.0.bits.trailing_zeros() as u8;
        self.0.bits &= self.0.bits - 1;
        Pit::in_row(self.0.side, row_index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl ExactSizeIterator for PitSetIter {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_indices_agree() {
        let letters: String = Pit::all().map(Pit::letter).collect();
        assert_eq!(letters, "ABCDEFabcdef");
        for pit in Pit::all() {
            assert_eq!(Pit::from_letter(pit.letter()), Some(pit));
            assert_eq!(Pit::in_row(pit.side(), pit.row_index()), Some(pit));
        }
        assert_eq!(Pit::new(12), None);
        assert_eq!(Pit::in_row(Side::North, 6), None);
        assert_eq!(Pit::from_letter('G'), None);
    }

    #[test]
    fn a_set_lists_its_pits_in_sowing_order() {
        let set = PitSet::from_bits(Side::North, 0b10_1001);
        assert_eq!(set.to_string(), "adf");
        assert_eq!(set.len(), 3);
        assert!(set.contains(Pit::from_letter('d').unwrap()));
        assert!(!set.contains(Pit::from_letter('D').unwrap()));
    }
}
