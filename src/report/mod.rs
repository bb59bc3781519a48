//! Every table of a tournament, from the records of its finished games.
//!
//! ```text
//! records in schedule order ─→ games   games.csv: a row for each game
//! names, records ─→ counted      which games count, one by one, checked
//! exclusions ─────────┤
//!                     ├─ openings    openings.csv: a row for each opening
//!                     ├─ crosstable  crosstable.csv: a row for each ordered pair that met
//!                     └─ standings   standings.csv: a row for each entrant
//!                          ├─ superiority  los.csv: a row for each two entrants
//!                          ├─ ranking   who stands before whom
//!                          ├─ misfits   where one Elo each does not say it
//!                          ├─ first_place  is the first really the best?
//!                          ├─ notes     what a reader of the ratings must be told, in sentences
//!                          │   └─ observations  what a cluster of games is called
//!                          └─ standings_table  for people, and the leaders for a progress bar
//! excluded who was not admitted or was withdrawn, which pairs are left out
//! match_summary  one entrant against one other, in lines
//! records ─→ noise   noise.csv: how late the host was, and which games it made void
//! ratings the table of ratings alone
//! text    strangers' names made safe for a terminal; Elo and times as people read them
//! csv_writer   CSV: line ends, quotes, and no cell that a spreadsheet would run
//! times   sums of move times
//! ```
//!
//! Tables are a function of the entrants' names in their order and of the *set* of records: the
//! order of the records changes nothing, and void games never count but as noise. Nothing here
//! knows how games are played or where tables are kept, and no record is kept here: memory grows by
//! some tens of bytes a game.

mod counted;
mod crosstable;
mod csv_writer;
mod excluded;
mod first_place;
mod games;
mod match_summary;
mod misfits;
mod noise;
mod notes;
mod observations;
mod openings;
mod ranking;
mod ratings;
mod standings;
mod standings_table;
mod superiority;
mod text;
mod times;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use counted::RecordsError;
pub use crosstable::{Crosstable, CrosstableRow};
pub use excluded::Status;
pub use first_place::about_first;
pub use games::GamesSheet;
pub use match_summary::match_lines;
pub use misfits::about_fit;
pub use noise::HostNoise;
pub use notes::{
    about_errors, about_looking, basis as basis_of_errors, notes as rating_notes,
    warnings as rating_warnings,
};
pub use observations::Observations;
pub use openings::OpeningRow;
pub use ratings::rating_tables;
pub use standings::{MOST_RANKED, Standings, StandingsRow};
pub use standings_table::{Leaders, TextTable};
pub use superiority::SuperiorityRow;
pub use times::MoveTimes;

use crate::record::{Exclusions, GameRecord};
use crate::stats::fit::Fits;
use crate::stats::game::RatedEntrant;
use crate::stats::head_to_head::{Pairing, Summary};
use crate::stats::rating::Warning;
use crate::stats::ratings::RatingModel;
use crate::stats::tally::Tally;
use counted::{GameCounter, add_to_tally, empty_tally};
use openings::OpeningGames;
use standings::EntrantCounts;
use std::borrow::Cow;
use std::io::{self, Write};

/// Tables in the making: takes the records one by one, in any order, and keeps of each game no
/// more than tells whether it comes again.
#[derive(Clone, Debug)]
pub struct TablesBuilder<'a> {
    names: &'a [String],
    games: GameCounter<'a>,
    tally: Tally,
    counts: EntrantCounts,
    openings: OpeningGames,
    exclusions: Exclusions,
    model: RatingModel,
}

impl<'a> TablesBuilder<'a> {
    /// No games yet. `names` are the entrants in the order of the plan; each has its row, with or
    /// without games.
    ///
    /// # Errors
    /// Two entrants of one name.
    pub fn new(names: &'a [String]) -> Result<Self, RecordsError> {
        Ok(Self {
            names,
            games: GameCounter::new(names)?,
            tally: empty_tally(names),
            counts: EntrantCounts::new(names),
            openings: OpeningGames::default(),
            exclusions: Exclusions::default(),
            model: RatingModel::default(),
        })
    }

    /// What is fitted, if that is not the usual.
    #[must_use]
    pub fn rated_by(self, model: RatingModel) -> Self {
        Self { model, ..self }
    }

    /// How many games the plan has for each entrant, in the order of the names. To be told before
    /// the first game.
    #[must_use]
    pub fn planned(mut self, games: &[u64]) -> Self {
        self.counts.plan(games);
        self
    }

    /// What does not count; the tables say so. To be told before the first game.
    #[must_use]
    pub fn excluding(self, exclusions: Exclusions) -> Self {
        Self { exclusions, ..self }
    }

    /// Counts a game, unless it is void or excluded; one that is charged to somebody as its loss.
    /// A record that comes twice counts once.
    pub fn add(&mut self, record: &GameRecord) {
        self.counts.note_void(record);
        let charged = self.exclusions.charged_games.contains_key(&record.id);
        let counted = if charged {
            self.exclusions.counted(record)
        } else {
            Some(Cow::Borrowed(record))
        };
        if let Some(record) = counted.as_deref()
            && let Some(game) = self.games.take(record)
            && (charged || self.exclusions.allow(record))
        {
            let content = Some(record.played_hash());
            let what = (record.start, content);
            add_to_tally(&mut self.tally, &record.id, game.sides, game.result, what);
            self.counts.add(&game);
            self.openings.add(&game);
        }
    }

    /// Rates the games that were counted.
    ///
    /// # Errors
    /// Records that no tournament of these entrants leaves behind, the first in schedule order:
    /// see [`RecordsError`].
    pub fn finish(self) -> Result<Tables<'a>, RecordsError> {
        self.games.check()?;
        let standings = Standings::new(self.counts, &self.tally, &self.model, &self.exclusions);
        let fits = standings.ratings().fits(&self.tally);
        Ok(Tables {
            names: self.names,
            games: self.tally.games(),
            crosstable: Crosstable::new(self.names, &self.tally, &fits, &self.exclusions),
            openings: self.openings.rows(standings.ratings()),
            standings,
            fits,
            pairing: match self.names {
                [_, _] => Some(Pairing::of_tally(
                    &self.tally,
                    RatedEntrant(0),
                    RatedEntrant(1),
                )),
                _ => None,
            },
            exclusions: self.exclusions,
        })
    }
}

/// All tables of one set of records but that of the games themselves, which is a [`GamesSheet`].
#[derive(Clone, Debug)]
pub struct Tables<'a> {
    names: &'a [String],
    games: u64,
    standings: Standings,
    crosstable: Crosstable,
    fits: Fits,
    openings: Vec<OpeningRow>,
    /// Of two entrants, if there are no more.
    pairing: Option<Pairing>,
    exclusions: Exclusions,
}

impl<'a> Tables<'a> {
    /// The tables of these records, as by [`TablesBuilder`].
    ///
    /// # Errors
    /// Those of [`TablesBuilder::new`] and [`TablesBuilder::finish`].
    pub fn new<'r>(
        names: &'a [String],
        records: impl IntoIterator<Item = &'r GameRecord>,
    ) -> Result<Self, RecordsError> {
        let mut builder = TablesBuilder::new(names)?;
        for record in records {
            builder.add(record);
        }
        builder.finish()
    }

    /// How many games count.
    pub const fn games(&self) -> u64 {
        self.games
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

    /// The rows of `openings.csv`, for other forms than those here.
    pub fn openings(&self) -> &[OpeningRow] {
        &self.openings
    }

    /// Writes `openings.csv`; its columns are described at [`OpeningRow`].
    ///
    /// # Errors
    /// Those of `out`.
    pub fn openings_csv(&self, out: impl Write) -> io::Result<()> {
        openings::write_csv(self.names, &self.openings, out)
    }

    /// Writes `los.csv`; its columns are described at [`SuperiorityRow`].
    ///
    /// # Errors
    /// Those of `out`.
    pub fn los_csv(&self, out: impl Write) -> io::Result<()> {
        superiority::write_csv(self.names, &self.standings, out)
    }

    /// The rows of `los.csv`, for other forms than those here.
    pub fn superiority(&self) -> impl Iterator<Item = SuperiorityRow> + '_ {
        superiority::rows(self.names, self.standings.ratings(), self.standings.ranks())
    }

    /// One entrant against the other, if there are only two and they have played.
    pub fn summary(&self, of: RatedEntrant, against: RatedEntrant) -> Option<Summary> {
        let pairing = self.pairing.as_ref()?;
        let seen = if of < against {
            *pairing
        } else {
            pairing.reversed()
        };
        let superiority = self.standings.ratings().los(of, against);
        Some(Summary::of(&seen)?.in_table(superiority))
    }

    /// The standings for people, a table for each pool. Every character of a name that could act on
    /// a terminal is shown escaped, and long names are cut.
    pub fn standings_tables(&self) -> Vec<TextTable> {
        standings_table::table(&self.standings)
    }

    /// At most so many leaders in one line: `1. minimax +312 ±41  2. greedy +20 ±30 …`.
    pub fn leaders(&self, most: usize) -> String {
        standings_table::leaders_line(self.names, self.standings.ratings(), most, 1.0)
    }

    /// One entrant against the other in lines, if there are only two; safe for a terminal.
    pub fn match_lines(&self) -> Vec<String> {
        match (self.summary(RatedEntrant(0), RatedEntrant(1)), self.names) {
            (Some(summary), [first, second]) => match_lines([first, second], &summary),
            _ => Vec::new(),
        }
    }

    /// What does not count.
    pub const fn exclusions(&self) -> &Exclusions {
        &self.exclusions
    }

    /// What a reader must be told, in sentences safe for a terminal: who was not admitted or was
    /// withdrawn, which pairs are left out, the advantage of moving first, what bounds mean, who
    /// cannot be compared with whom.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = excluded::sentences(&self.exclusions);
        let mut ratings = self.standings.ratings().clone();
        // Of those who were not admitted it is said already.
        ratings.warnings.retain(|warning| match warning {
            Warning::Unplayed(entrant) => {
                let name = &self.names[entrant.position()];
                !self.exclusions.refused.iter().any(|(it, _)| it == name)
            }
            _ => true,
        });
        notes.extend(notes::notes(self.names, &ratings, Observations::OPENINGS));
        notes.extend(about_first(self.names, &ratings, self.standings.ranks()));
        notes.extend(about_fit(self.names, &self.fits, "crosstable.csv"));
        notes.extend(about_errors(&ratings, "los.csv"));
        notes.extend(basis_of_errors(&ratings, Observations::OPENINGS));
        notes
    }
}
