//! Every table of a tournament, from the records of its finished games.
//!
//! ```text
//! records in schedule order ─→ games   games.csv: a row for each game
//! names, records ─→ counted      the games that count, one by one, checked
//! exclusions ─────────┤
//!                     ├─ openings    openings.csv: a row for each opening
//!                     ├─ hosts       hosts.csv: a row for each host
//!                     ├─ accuracy    accuracy.csv, endgames.csv: what moves gave away
//!                     ├─ measures    the games against entrants that all are measured by
//!                     ├─ crosstable  crosstable.csv, los.csv: a row for each ordered pair
//!                     └─ standings   standings.csv: a row for each entrant
//!                          ├─ history   history.csv: the standings after each revision of the plan
//!                          ├─ ranking   the order of the entrants
//!                          ├─ misfits   where one Elo each does not explain the results
//!                          ├─ first_place  is the first really the best?
//!                          ├─ notes     notes for readers of the ratings, in sentences
//!                          │   └─ observations  the names of clusters of games
//!                          └─ standings_table  for people, and the leaders for a progress bar
//! rounds   rounds.csv, places.csv, bracket.csv: where results decide who meets whom
//! faults   faults.csv: a row for each fault
//! excluded entrants not admitted or withdrawn, and excluded pairs
//! page     report.html: everything in one file for a browser
//! bounded_elo  what a table shows of an Elo that is only a bound
//! tables_builder  games → Tables
//! match_summary  one entrant against one other, in lines
//! records ─→ noise   noise.csv: how late the host was, and which games it made void
//! path_plot  how tuned values went, as a picture
//! notation  games for other programs: OGN and PGN
//! samples   positions of games, to train with
//! text    names made safe for a terminal; Elo and times for people
//! table   a table declared by its columns: as CSV, for the page, for a terminal, for the docs
//! ```
//!
//! Tables are a function of the entrants' names in their order and of the *set* of records: the
//! order of the records has no effect, and void games count only as noise. This room does not know
//! how games are played or where tables are stored. It stores no records: memory grows by some tens
//! of bytes for each game.

mod accuracy;
mod bounded_elo;
mod counted;
mod crosstable;
mod excluded;
mod faults;
mod first_place;
mod games;
mod history;
mod hosts;
mod match_summary;
mod measures;
mod misfits;
mod noise;
mod notation;
mod notes;
mod observations;
mod openings;
mod page;
mod path_plot;
mod ranking;
mod rounds;
mod samples;
mod standings;
mod standings_table;
mod table;
mod tables_builder;
mod text;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub use {table::documented, tests::documented_tables};

pub use accuracy::Endgames;
pub use counted::RecordsError;
pub use crosstable::{Crosstable, CrosstableRow, SuperiorityRow, score};
pub use excluded::{Status, admitted_late};
pub use faults::{FaultRow, LostGame, like_faults, write_faults_csv};
pub use first_place::about_first;
pub use games::GamesCsv;
pub use history::write_history_csv;
pub use hosts::HostRow;
pub use match_summary::{MatchSummary, match_lines};
pub use measures::MeasuredScore;
pub use misfits::about_fit;
pub use noise::HostNoise;
pub use notation::{Dialect, Notation, points};
pub use notes::{
    about_errors, basis as basis_of_errors, notes as rating_notes, warnings as rating_warnings,
};
pub use observations::Observations;
pub use openings::OpeningRow;
pub use page::{
    BoardGame, Chain, ClassFacts, ClassSecrets, EarlierGrade, ExactPart, GameColumns, GameDetails,
    InfoLimit, PackedGames, PageFacts, PageHtml, PageSummary, Reader, ShownFault, StudentFacts,
    TestCurve, TimeHistograms, feedback_page, live_page, person_page, play_page, puzzles_page,
    write_page,
};
pub use path_plot::{PlottedPath, path_plot};
pub use rounds::{BracketRow, MatchRow, PlaceRow, RoundTables};
pub use samples::{Sample, samples};
pub use standings::{ENTRANT_TITLE, MOST_RANKED, Standings, StandingsRow};
pub use standings_table::{Leaders, rating_tables, write_ratings_csv};
pub use table::{Column, CsvTable, RowCells, ShownColumn, TextColumn, TextTable, fill, guarded};
pub use tables_builder::TablesBuilder;
pub use text::{bound_sign, readable_time, shortened, shortened_apart, tenths};

use crate::record::Exclusions;
use crate::stats::fit::Fits;
use crate::stats::game::RatedEntrant;
use crate::stats::head_to_head::{Pairing, Summary};
use crate::stats::rating::Warning;
use measures::Measures;
use std::io::{self, Write};
pub use table::write_csv;

/// All tables of one set of records, except that of the games themselves, which is a
/// [`GamesCsv`].
#[derive(Clone, Debug)]
pub struct Tables<'a> {
    names: &'a [String],
    games: u64,
    standings: Standings,
    crosstable: Crosstable,
    fits: Fits,
    openings: Vec<OpeningRow>,
    measures: Measures,
    hosts: Vec<HostRow>,
    endgames: Option<Endgames>,
    /// Present for exactly two entrants.
    pairing: Option<Pairing>,
    exclusions: Exclusions,
    rounds: Option<RoundTables>,
}

impl Tables<'_> {
    /// The rounds, where results decide who meets whom.
    pub const fn rounds(&self) -> Option<&RoundTables> {
        self.rounds.as_ref()
    }

    /// The number of games that count.
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

    /// Writes `standings.csv`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn standings_csv(&self, out: impl Write) -> io::Result<()> {
        write_csv(standings::STANDINGS, self.standings.rows(), out)
    }

    /// Writes `crosstable.csv`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn crosstable_csv(&self, out: impl Write) -> io::Result<()> {
        write_csv(crosstable::CROSSTABLE, &self.crosstable.rows, out)
    }

    /// Writes `openings.csv`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn openings_csv(&self, out: impl Write) -> io::Result<()> {
        write_csv(openings::OPENINGS, &self.openings, out)
    }

    /// The hosts; none if no game was played on another machine than that of the run.
    pub fn hosts(&self) -> &[HostRow] {
        &self.hosts
    }

    /// Writes `hosts.csv`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn hosts_csv(&self, out: impl Write) -> io::Result<()> {
        write_csv(hosts::HOSTS, &self.hosts, out)
    }

    /// What a database says of the games, if there is one.
    pub const fn endgames(&self) -> Option<&Endgames> {
        self.endgames.as_ref()
    }

    /// Writes `accuracy.csv`: without rows if there is no database.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn accuracy_csv(&self, out: impl Write) -> io::Result<()> {
        let rows = self.endgames.iter().flat_map(|it| &it.accuracy);
        write_csv(accuracy::ACCURACY, rows, out)
    }

    /// Writes `endgames.csv`: without rows if there is no database.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn endgames_csv(&self, out: impl Write) -> io::Result<()> {
        let rows = self.endgames.iter().flat_map(|it| &it.games);
        write_csv(accuracy::ENDGAMES, rows, out)
    }

    /// The score of an entrant against one that all are measured by, both by name; `None` without
    /// games between them.
    pub fn score_against(&self, entrant: &str, other: &str) -> Option<MeasuredScore> {
        let number = |name: &str| {
            let place = self.names.iter().position(|it| it == name)?;
            u32::try_from(place).ok().map(RatedEntrant)
        };
        self.measures.score(number(entrant)?, number(other)?)
    }

    /// Writes `los.csv`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn los_csv(&self, out: impl Write) -> io::Result<()> {
        write_csv(crosstable::LOS, self.superiority(), out)
    }

    /// The rows of `los.csv`, for other forms than those here.
    pub fn superiority(&self) -> impl Iterator<Item = SuperiorityRow> + '_ {
        crosstable::superiority_rows(self.names, self.standings.ratings(), self.standings.ranks())
    }

    /// One entrant against the other, if there are exactly two and they have played.
    pub fn summary(&self, of: RatedEntrant, against: RatedEntrant) -> Option<MatchSummary> {
        let pairing = self.pairing.as_ref()?;
        let seen = if of < against {
            *pairing
        } else {
            pairing.reversed()
        };
        Some(MatchSummary {
            difference: self.standings.ratings().difference(of, against),
            counts: Summary::of(&seen)?,
        })
    }

    /// The standings for people, a table for each pool. Characters of names that could control a
    /// terminal are escaped, and long names are cut.
    pub fn standings_tables(&self) -> Vec<TextTable> {
        let rounds = self.rounds.iter().flat_map(RoundTables::text_tables);
        let pools = standings_table::tables_of_pools(standings::STANDINGS, self.standings.rows());
        rounds.chain(pools).collect()
    }

    /// One entrant against the other in lines, if there are exactly two; safe for a terminal.
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

    /// Notes for a reader, in sentences safe for a terminal: entrants not admitted or withdrawn,
    /// excluded pairs, the advantage of moving first, the meaning of bounds, and which entrants
    /// cannot be compared.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = excluded::sentences(&self.exclusions);
        let mut ratings = self.standings.ratings().clone();
        // The exclusions already mention entrants that were not admitted.
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
