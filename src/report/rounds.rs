//! `rounds.csv`, `places.csv` and `bracket.csv`: tournaments whose rounds follow from results.

use super::table::{Column, ShownColumn, TextTable, write_csv};
use super::text::shortened;
use std::io::{self, Write};

/// Columns of a name.
const NAME_COLUMNS: usize = 24;

fn shown_name(name: &str) -> String {
    shortened(name, NAME_COLUMNS)
}

/// The tables of the rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundTables {
    /// The matches and byes of each round, in the order of the rounds.
    pub matches: Vec<MatchRow>,
    /// The entrants, the best first.
    pub places: Vec<PlaceRow>,
    /// The matches of a knockout, of all its pairs together; empty without one.
    pub bracket: Vec<BracketRow>,
}

/// A match, or a bye.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchRow {
    /// The number of the round, from 1.
    pub round: u32,
    /// Its name.
    pub name: String,
    /// The stage, from 1; `None` where there are no stages.
    pub stage: Option<u32>,
    /// The group, the division, or the place in the bracket.
    pub part: String,
    /// The entrants; the second one of a bye is empty.
    pub entrants: [String; 2],
    /// The pairs that were dealt.
    pub pairs: u32,
    /// The games that count.
    pub games: u32,
    /// The points of both in these games.
    pub points: [f64; 2],
    /// The seeds of both in their final stores.
    pub seeds: [u32; 2],
    /// Match points of both: 1, 0.5 or 0.
    pub match_points: [f64; 2],
}

/// The place of an entrant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceRow {
    /// From 1.
    pub place: usize,
    /// Its name.
    pub entrant: String,
    /// 1 for a won match or a bye, 0.5 for a drawn match.
    pub match_points: f64,
    /// The points of its games.
    pub points: f64,
    /// The match points of its opponents, where the format parts equal entrants by them.
    pub buchholz: Option<f64>,
}

/// A match of a knockout.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BracketRow {
    /// The name of the round.
    pub round: String,
    /// The place in the bracket.
    pub part: String,
    /// The entrants; empty for nobody, and where an earlier match is not decided.
    pub entrants: [String; 2],
    /// The pairs that were dealt.
    pub pairs: u32,
    /// The points of both.
    pub points: [f64; 2],
    /// The seeds of both in their final stores.
    pub seeds: [u32; 2],
    /// Who goes on; empty if nobody does, or if it is not decided.
    pub winner: String,
    /// What decided it: `points`, `seeds`, `seeding`, `withdrawal`, `bye`; empty if nothing has.
    pub decided_by: &'static str,
}

/// The columns of `rounds.csv`.
pub const ROUNDS: &[Column<MatchRow>] = &[
    Column::new(
        &["round"],
        "the number of the round, from 1",
        |row, cells| {
            cells.number(Some(row.round));
        },
    ),
    Column::new(
        &["name", "stage", "part"],
        "its name, its stage (empty where there are none), and the group, division or place in the \
         bracket",
        |row, cells| {
            cells.text(&row.name);
            cells.number(row.stage);
            cells.text(&row.part);
        },
    ),
    Column::new(
        &["first", "second"],
        "the entrants of the match; `second` is empty for a bye",
        |row, cells| row.entrants.iter().for_each(|it| cells.text(it)),
    ),
    Column::new(
        &["pairs", "games"],
        "pairs that were dealt, and games of them that count",
        |row, cells| {
            cells.number(Some(row.pairs));
            cells.number(Some(row.games));
        },
    ),
    Column::new(
        &[
            "points_first",
            "points_second",
            "seeds_first",
            "seeds_second",
        ],
        "the points of both in these games, and the seeds in their final stores",
        |row, cells| {
            row.points.iter().for_each(|it| cells.number(Some(it)));
            row.seeds.iter().for_each(|it| cells.number(Some(it)));
        },
    ),
    Column::new(
        &["match_points_first", "match_points_second"],
        "1 for a won match, 0.5 for a drawn one; a bye is won",
        |row, cells| {
            row.match_points
                .iter()
                .for_each(|it| cells.number(Some(it)));
        },
    ),
];

/// The columns of `places.csv`.
pub const PLACES: &[Column<PlaceRow>] = &[
    Column {
        shown: &[ShownColumn::number("place", 0, |row| row.place.to_string())],
        ..Column::new(
            &["place"],
            "the place by the rules of the format, from 1; `rank` in `standings.csv` is by Elo",
            |row, cells| cells.number(Some(row.place)),
        )
    },
    Column {
        shown: &[ShownColumn::text("entrant", 0, |row| {
            shown_name(&row.entrant)
        })],
        ..Column::new(&["entrant"], "the name of the entrant", |row, cells| {
            cells.text(&row.entrant);
        })
    },
    Column {
        shown: &[
            ShownColumn::number("match points", 3, |row| row.match_points.to_string()),
            ShownColumn::number("game points", 1, |row| row.points.to_string()),
        ],
        ..Column::new(
            &["match_points", "points"],
            "points of matches (a bye is a won one), and of games",
            |row, cells| {
                cells.number(Some(row.match_points));
                cells.number(Some(row.points));
            },
        )
    },
    Column {
        shown: &[ShownColumn::number("Buchholz", 2, |row: &PlaceRow| {
            row.buchholz.map_or(String::new(), |it: f64| it.to_string())
        })
        .optional()],
        ..Column::new(
            &["buchholz"],
            "of a Swiss tournament: the match points of all its opponents",
            |row, cells| cells.number(row.buchholz),
        )
    },
];

/// The columns of `bracket.csv`.
pub const BRACKET: &[Column<BracketRow>] = &[
    Column {
        shown: &[ShownColumn::text("match", 0, |row| shown_name(&row.part))],
        ..Column::new(
            &["round", "part"],
            "the round and the place in the bracket",
            |row, cells| {
                cells.text(&row.round);
                cells.text(&row.part);
            },
        )
    },
    Column {
        shown: &[
            ShownColumn::text("first", 0, |row| shown_name(&row.entrants[0])),
            ShownColumn::text("second", 0, |row| shown_name(&row.entrants[1])),
        ],
        ..Column::new(
            &["first", "second"],
            "the entrants; empty for nobody, and where an earlier match is not decided",
            |row, cells| row.entrants.iter().for_each(|it| cells.text(it)),
        )
    },
    Column {
        shown: &[ShownColumn::text("points", 0, |row| {
            let [first, second] = row.points;
            format!("{first} : {second}")
        })],
        ..Column::new(
            &[
                "pairs",
                "points_first",
                "points_second",
                "seeds_first",
                "seeds_second",
            ],
            "pairs that were dealt, the points of both in their games, and the seeds in their final \
             stores",
            |row, cells| {
                cells.number(Some(row.pairs));
                row.points.iter().for_each(|it| cells.number(Some(it)));
                row.seeds.iter().for_each(|it| cells.number(Some(it)));
            },
        )
    },
    Column {
        shown: &[
            ShownColumn::text("winner", 0, |row| shown_name(&row.winner)),
            ShownColumn::text("by", 1, |row| row.decided_by.to_owned()),
        ],
        ..Column::new(
            &["winner", "decided_by"],
            "who goes on, and what decided it: `points`, `seeds`, `seeding`, `withdrawal` or `bye`; \
             empty while it is open",
            |row, cells| {
                cells.text(&row.winner);
                cells.text(row.decided_by);
            },
        )
    },
];

impl RoundTables {
    /// The bracket and the places for people.
    pub fn text_tables(&self) -> Vec<TextTable> {
        let bracket = (!self.bracket.is_empty()).then(|| TextTable {
            heading: Some("Bracket".to_owned()),
            ..TextTable::new(BRACKET, &self.bracket)
        });
        let places = (!self.places.is_empty()).then(|| TextTable {
            heading: Some("Places".to_owned()),
            ..TextTable::new(PLACES, &self.places)
        });
        bracket.into_iter().chain(places).collect()
    }

    /// Writes `rounds.csv`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn rounds_csv(&self, out: impl Write) -> io::Result<()> {
        write_csv(ROUNDS, &self.matches, out)
    }

    /// Writes `places.csv`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn places_csv(&self, out: impl Write) -> io::Result<()> {
        write_csv(PLACES, &self.places, out)
    }

    /// Writes `bracket.csv`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn bracket_csv(&self, out: impl Write) -> io::Result<()> {
        write_csv(BRACKET, &self.bracket, out)
    }
}
