//! Every table of a tournament, from the records of its finished games.
//!
//! ```text
//! names, records ─→ counted      which games count, in schedule order, checked
//!                     ├─ games       games.csv: a row for each game
//!                     ├─ crosstable  crosstable.csv: a row for each ordered pair that met
//!                     └─ standings   standings.csv: a row for each entrant
//!                          ├─ ranking   who stands before whom
//!                          ├─ notes     what a reader of the ratings must be told, in sentences
//!                          └─ terminal  the table for people, and the leaders for a progress bar
//! ratings the table of ratings alone
//! text    strangers' names made safe for a terminal; Elo and times as people read them
//! sheet   CSV: line ends, quotes, and no cell that a spreadsheet would run
//! times   sums of move times
//! ```
//!
//! Tables are a function of the entrants' names in their order and of the *set* of records: the
//! order of the records changes nothing, and void games never count. Nothing here knows how games
//! are played or where tables are kept.

mod counted;
mod crosstable;
mod games;
mod notes;
mod ranking;
mod ratings;
mod sheet;
mod standings;
mod terminal;
mod text;
mod times;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use counted::RecordsError;
pub use crosstable::{Crosstable, CrosstableRow};
pub use notes::notes as rating_notes;
pub use ratings::rating_table;
pub use standings::{Standings, StandingsRow};
pub use terminal::Leaders;
pub use text::printable;
pub use times::MoveTimes;

use crate::record::GameRecord;
use counted::CountedGames;
use std::io::{self, Write};

/// All tables of one set of records.
#[derive(Clone, Debug)]
pub struct Tables<'a> {
    games: CountedGames<'a>,
    standings: Standings,
    crosstable: Crosstable,
}

impl<'a> Tables<'a> {
    /// Counts and rates the games that are not void. `names` are the entrants in the order of the
    /// plan; each has its row, with or without games. A record that stands twice in the list
    /// counts once.
    ///
    /// # Errors
    /// Records that no tournament of these entrants leaves behind: see [`RecordsError`].
    pub fn new(names: &'a [String], records: &'a [GameRecord]) -> Result<Self, RecordsError> {
        let games = CountedGames::new(names, records)?;
        Ok(Self {
            standings: Standings::new(&games),
            crosstable: Crosstable::new(&games),
            games,
        })
    }

    /// The standings, for other forms than those here.
    pub const fn standings(&self) -> &Standings {
        &self.standings
    }

    /// The crosstable, for other forms than those here.
    pub const fn crosstable(&self) -> &Crosstable {
        &self.crosstable
    }

    /// Writes `standings.csv`; its columns are described at [`StandingsRow`].
    ///
    /// # Errors
    /// Those of `out`.
    pub fn standings_csv(&self, out: impl Write) -> io::Result<()> {
        self.standings.write_csv(out)
    }

    /// Writes `crosstable.csv`; its columns are described at [`CrosstableRow`].
    ///
    /// # Errors
    /// Those of `out`.
    pub fn crosstable_csv(&self, out: impl Write) -> io::Result<()> {
        self.crosstable.write_csv(out)
    }

    /// Writes `games.csv`: a row for each game that counts, in the order of the schedule.
    ///
    /// | column | what it holds |
    /// |---|---|
    /// | `id` | the game: pair and 1 or 2, as in `17.2` |
    /// | `pair` | the pair's number, unique in the tournament |
    /// | `opening` | number of the opening in the tournament's list, from 1 |
    /// | `opening_moves` | its moves, as in `CdFb`; empty if it was given as a position |
    /// | `start` | the position after the opening |
    /// | `south`, `north` | names of the entrants |
    /// | `result` | `1-0` if South won, `0-1` if North won, `1/2-1/2` |
    /// | `ending` | `majority`, `no-move`, `resignation`, `timeout`, … |
    /// | `fault_side` | `south` or `north`, whose fault ended the game; else empty |
    /// | `plies` | plies after the opening |
    /// | `store_south`, `store_north` | final stores, seeds |
    /// | `mean_time_south_us`, `max_time_south_us`, `total_time_south_us` | µs for South's moves, the mean rounded; mean and maximum are empty if it made none |
    /// | the same with `north` | |
    /// | `moves` | the moves after the opening |
    ///
    /// Times are those of moves that were played: what led to a fault is not among them.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn games_csv(&self, out: impl Write) -> io::Result<()> {
        games::write_csv(&self.games, out)
    }

    /// The standings for people, in lines. Every character of a name that could act on a terminal
    /// is shown escaped, and long names are cut.
    pub fn terminal(&self) -> String {
        terminal::table(&self.standings)
    }

    /// At most so many leaders in one line: `1. minimax +312 ±41  2. greedy +20 ±30 …`.
    pub fn leaders(&self, most: usize) -> String {
        terminal::leaders_line(self.games.names(), self.standings.ratings(), most)
    }

    /// What a reader of the ratings must be told, in sentences safe for a terminal: the advantage
    /// of moving first, what bounds mean, who cannot be compared with whom.
    pub fn notes(&self) -> Vec<String> {
        notes::notes(self.games.names(), self.standings.ratings())
    }
}
