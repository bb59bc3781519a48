//! Recorded games of house bots: how each ended against each other from each opening.

use std::collections::BTreeMap;

/// `scripts/record-outcomes` plays these games again.
const RECORDED: &str = include_str!("../../data/stats/outcomes.txt");

/// Half points of South: 0 for a loss, 1 for a draw, 2 for a win.
pub type HalfPoints = u8;

/// All recorded games.
pub struct Table {
    bots: BTreeMap<&'static str, usize>,
    /// By opening; the first bot as South against each other one, then the second, and so on.
    rows: Vec<&'static [u8]>,
}

impl Table {
    pub fn recorded() -> Self {
        let lines = || RECORDED.lines().filter(|line| !line.starts_with('#'));
        let names = lines().filter_map(|line| line.strip_prefix("@ ")?.split(' ').next());
        let bots: BTreeMap<&str, usize> = names.zip(0..).collect();
        let rows = lines().filter(|line| !line.starts_with('@'));
        let rows: Vec<&[u8]> = rows
            .map(|line| {
                line.split_once(' ')
                    .expect("an opening and results")
                    .1
                    .as_bytes()
            })
            .collect();
        let games = bots.len() * (bots.len() - 1);
        assert!(rows.iter().all(|row| row.len() == games), "a row is whole");
        Self { bots, rows }
    }

    pub fn openings(&self) -> usize {
        self.rows.len()
    }

    /// The bot's place in the table.
    pub fn bot(&self, name: &str) -> usize {
        self.bots[name]
    }

    /// How South ended from an opening.
    pub fn result(&self, opening: usize, south: usize, north: usize) -> HalfPoints {
        let column = north - usize::from(north > south);
        match self.rows[opening][south * (self.bots.len() - 1) + column] {
            b'0' => 0,
            b'=' => 1,
            b'1' => 2,
            other => panic!("{other} is not a result"),
        }
    }
}
