//! A table of games as a stranger wrote it: CSV with a header; blank lines, CR LF, a byte order
//! mark and quoted cells are all welcome, columns that nobody asks for are passed over.

use super::lines::Lines;
use super::shown;
use crate::report::Observations;
use crate::stats::tally::{EntrantIndex, Game, Outcome};
use csv::{ReaderBuilder, StringRecord, Trim};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use thiserror::Error;

/// Why a table cannot be rated.
#[derive(Debug, Error)]
pub(super) enum TableError {
    #[error("cannot read {file}: {error}")]
    File { file: String, error: io::Error },
    #[error("{file}: {error}")]
    Csv { file: String, error: csv::Error },
    #[error(
        "{file} has no column `{column}` in its first line; a table of games has the columns \
         south, north and result, with commas between them, and may have pair"
    )]
    NoColumn { file: String, column: &'static str },
    #[error("{file} has two columns `{column}`: which of them is meant?")]
    TwoColumns { file: String, column: &'static str },
    #[error("{file}:{line}: {reason}")]
    Row {
        file: String,
        line: u64,
        reason: String,
    },
}

/// Entrants by name in alphabetical order, so that the order of the rows changes nothing.
pub(super) struct Table {
    pub(super) names: Vec<String>,
    pub(super) games: Games,
    /// What errors rest on.
    pub(super) observations: Observations,
}

/// `-` reads standard input.
pub(super) fn read(path: &Path) -> Result<Table, TableError> {
    if path.as_os_str() == "-" {
        return read_from(io::stdin().lock(), "standard input");
    }
    let file = shown(path);
    match File::open(path) {
        Ok(opened) => read_from(opened, &file),
        Err(error) => Err(TableError::File { file, error }),
    }
}

fn read_from(input: impl Read, file: &str) -> Result<Table, TableError> {
    const BUFFER: usize = 1 << 16;
    let csv_error = |error| TableError::Csv {
        file: file.to_owned(),
        error,
    };
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        // Rows that are too short are ours to refuse, with their line.
        .flexible(true)
        .buffer_capacity(BUFFER)
        .from_reader(Lines::new(input));
    let columns = Columns::find(reader.headers().map_err(csv_error)?, file)?;
    let mut rows = Rows::default();
    let mut row = StringRecord::new();
    while reader.read_record(&mut row).map_err(csv_error)? {
        rows.add(&columns, &row).map_err(|reason| TableError::Row {
            file: file.to_owned(),
            // The reader stands behind the line feed that ended the row.
            line: reader.position().line() - 1,
            reason: reason + open_quotes(&row),
        })?;
    }
    Ok(rows.sorted())
}

/// What may explain a wrong row that goes over several lines.
fn open_quotes(row: &StringRecord) -> &'static str {
    if row.iter().any(|cell| cell.contains('\n')) {
        "; the row goes over several lines: is a quotation mark in it not closed?"
    } else {
        ""
    }
}

/// Where the columns stand.
struct Columns {
    south: usize,
    north: usize,
    result: usize,
    /// Where the game began: `start`, else `opening`.
    opening: Option<usize>,
    pair: Option<usize>,
}

impl Columns {
    fn find(header: &StringRecord, file: &str) -> Result<Self, TableError> {
        let places = |is_it: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let heads = header.iter().enumerate();
            heads
                .filter_map(|(place, name)| is_it(name).then_some(place))
                .collect()
        };
        let place = |column: &'static str| {
            let mut found = places(&|name| name == column);
            if found.is_empty() {
                // `Pair` passed over would be games taken for independent, and not a word of it.
                found = places(&|name| name.eq_ignore_ascii_case(column));
            }
            match *found {
                [] => Ok(None),
                [place] => Ok(Some(place)),
                _ => Err(TableError::TwoColumns {
                    file: file.to_owned(),
                    column,
                }),
            }
        };
        let needed = |column| {
            place(column)?.ok_or_else(|| TableError::NoColumn {
                file: file.to_owned(),
                column,
            })
        };
        Ok(Self {
            south: needed("south")?,
            north: needed("north")?,
            result: needed("result")?,
            opening: place("start")?.or(place("opening")?),
            pair: place("pair")?,
        })
    }
}

/// A game in as few bytes as a million of them deserve.
#[derive(Clone, Copy)]
struct Row {
    /// [`NONE`] for a game whose opening is not known.
    opening: u64,
    /// [`NONE`] for a game without a pair.
    pair: u64,
    south: u32,
    north: u32,
    outcome: Outcome,
}

/// Stands for no pair, or no opening.
const NONE: u64 = u64::MAX;
/// Names that are no plain number are counted from here.
const FIRST_NAMED: u64 = 1 << 63;

/// Names as numbers.
#[derive(Default)]
struct Numbered(HashMap<String, u64>);

impl Numbered {
    fn number(&mut self, name: &str) -> u64 {
        if name.is_empty() {
            return NONE;
        }
        // `7` is a number that need not be kept; `07` is another name.
        if let Ok(number) = name.parse::<u64>()
            && number < FIRST_NAMED
            && name.starts_with(|first: char| first.is_ascii_digit())
            && (name == "0" || !name.starts_with('0'))
        {
            return number;
        }
        if let Some(&number) = self.0.get(name) {
            return number;
        }
        let number = FIRST_NAMED + self.0.len() as u64;
        self.0.insert(name.to_owned(), number);
        number
    }
}

/// The rows so far, with entrants numbered as they came.
#[derive(Default)]
struct Rows {
    entrants: HashMap<String, u32>,
    openings: Numbered,
    pairs: Numbered,
    games: Vec<Row>,
}

impl Rows {
    fn add(&mut self, columns: &Columns, row: &StringRecord) -> Result<(), String> {
        if row.iter().all(str::is_empty) {
            return Ok(());
        }
        let cell = |column: usize| row.get(column).unwrap_or_default();
        let (south, north) = (cell(columns.south), cell(columns.north));
        let outcome = outcome(cell(columns.result))?;
        if south.is_empty() || north.is_empty() {
            return Err("a game needs the names of both players".to_owned());
        }
        if south == north {
            return Err(format!("{south:?} plays itself, which rates nobody"));
        }
        let row = Row {
            opening: self.openings.number(columns.opening.map_or("", cell)),
            pair: self.pairs.number(columns.pair.map_or("", cell)),
            south: self.entrant(south),
            north: self.entrant(north),
            outcome,
        };
        self.games.push(row);
        Ok(())
    }

    fn entrant(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.entrants.get(name) {
            return number;
        }
        let number = u32::try_from(self.entrants.len()).expect("fewer than 2^32 players");
        self.entrants.insert(name.to_owned(), number);
        number
    }

    fn observations(&self) -> Observations {
        let mut observations = Observations::default();
        for game in &self.games {
            match (game.opening, game.pair) {
                (NONE, NONE) => observations.games = true,
                (NONE, _) => observations.pairs = true,
                _ => observations.openings = true,
            }
        }
        observations
    }

    fn sorted(self) -> Table {
        let observations = self.observations();
        let by_name: BTreeMap<String, u32> = self.entrants.into_iter().collect();
        let mut places = vec![EntrantIndex(0); by_name.len()];
        for (place, &number) in (0..).zip(by_name.values()) {
            places[number as usize] = EntrantIndex(place);
        }
        Table {
            names: by_name.into_keys().collect(),
            games: Games {
                rows: self.games.into_iter(),
                places,
            },
            observations,
        }
    }
}

/// The games, entrants numbered by their names.
pub(super) struct Games {
    rows: std::vec::IntoIter<Row>,
    places: Vec<EntrantIndex>,
}

impl Iterator for Games {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        let row = self.rows.next()?;
        Some(Game {
            south: self.places[row.south as usize],
            north: self.places[row.north as usize],
            outcome: row.outcome,
            opening: (row.opening != NONE).then_some(row.opening),
            pair: (row.pair != NONE).then_some(row.pair),
            content: None,
        })
    }
}

fn outcome(text: &str) -> Result<Outcome, String> {
    match text {
        "1-0" => Ok(Outcome::SouthWins),
        "0-1" => Ok(Outcome::NorthWins),
        "1/2" | "1/2-1/2" => Ok(Outcome::Draw),
        "" => Err("a game needs a result: 1-0, 0-1, 1/2-1/2 or 1/2".to_owned()),
        other => Err(format!(
            "the result {other:?} is none of 1-0, 0-1, 1/2-1/2, 1/2"
        )),
    }
}
