//! `awale rate`: the joint fit of any table of games.

use super::args::RateArguments;
use super::exit::{Exit, Failure, output_failure};
use crate::report::{rating_notes, rating_table};
use crate::stats::rating::{Bound, RatingModel, Ratings, rate as fit};
use crate::stats::tally::{EntrantIndex, Game, Outcome, Tally};
use csv::{ReaderBuilder, StringRecord, Trim};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::Path;
use thiserror::Error;

/// Why a table cannot be rated.
#[derive(Debug, Error)]
enum TableError {
    #[error("cannot read {file}: {error}")]
    File { file: String, error: io::Error },
    #[error("{file}: {error}")]
    Csv { file: String, error: csv::Error },
    #[error(
        "{file} has no column `{column}` in its first line; a table of games has the columns \
         south, north and result, in small letters and with commas between them, and may have \
         pair"
    )]
    NoColumn { file: String, column: &'static str },
    #[error("{file}:{line}: {reason}")]
    Row {
        file: String,
        line: u64,
        reason: String,
    },
}

pub(super) fn rate(arguments: &RateArguments) -> Result<Exit, Failure> {
    let table = read(&arguments.games).map_err(Failure::usage)?;
    let count = u32::try_from(table.names.len()).map_err(Failure::usage)?;
    let tally = Tally::from_games(count, table.games)
        .map_err(|error| Failure::usage(format!("{}: {error}", arguments.games.display())))?;
    let model = RatingModel {
        first_move_advantage: !arguments.no_advantage,
    };
    let ratings = fit(&tally, model);
    let text = if arguments.json {
        format!("{}\n", as_json(&table.names, &ratings))
    } else {
        as_text(&table.names, &ratings)
    };
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| output_failure(&error))?;
    Ok(Exit::Done)
}

/// Entrants by name in alphabetical order, so that the order of the rows changes nothing.
struct Table {
    names: Vec<String>,
    games: Vec<Game>,
}

fn read(path: &Path) -> Result<Table, TableError> {
    if path.as_os_str() == "-" {
        return read_from(io::stdin().lock(), "standard input");
    }
    let file = path.display().to_string();
    match File::open(path) {
        Ok(opened) => read_from(opened, &file),
        Err(error) => Err(TableError::File { file, error }),
    }
}

fn read_from(input: impl Read, file: &str) -> Result<Table, TableError> {
    let csv_error = |error| TableError::Csv {
        file: file.to_owned(),
        error,
    };
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(input);
    let columns = Columns::find(reader.headers().map_err(csv_error)?, file)?;
    let mut rows = Rows::default();
    let mut row = StringRecord::new();
    while reader.read_record(&mut row).map_err(csv_error)? {
        rows.add(&columns, &row).map_err(|reason| {
            let line = row.position().map_or(0, csv::Position::line);
            TableError::Row {
                file: file.to_owned(),
                line,
                reason,
            }
        })?;
    }
    Ok(rows.sorted())
}

/// Where the columns stand.
struct Columns {
    south: usize,
    north: usize,
    result: usize,
    pair: Option<usize>,
}

impl Columns {
    fn find(header: &StringRecord, file: &str) -> Result<Self, TableError> {
        let place = |wanted| header.iter().position(|name| name == wanted);
        let needed = |column| {
            place(column).ok_or_else(|| TableError::NoColumn {
                file: file.to_owned(),
                column,
            })
        };
        Ok(Self {
            south: needed("south")?,
            north: needed("north")?,
            result: needed("result")?,
            pair: place("pair"),
        })
    }
}

/// The rows so far, with entrants and pairs numbered as they came.
#[derive(Default)]
struct Rows {
    entrants: HashMap<String, u32>,
    pairs: HashMap<String, u64>,
    games: Vec<Game>,
}

impl Rows {
    fn add(&mut self, columns: &Columns, row: &StringRecord) -> Result<(), String> {
        let cell = |column: usize| row.get(column).unwrap_or_default();
        let outcome = outcome(cell(columns.result))?;
        let (south, north) = (cell(columns.south), cell(columns.north));
        if south.is_empty() || north.is_empty() {
            return Err("a game needs the names of both players".to_owned());
        }
        if south == north {
            return Err(format!("{south:?} plays itself, which rates nobody"));
        }
        let pair = columns.pair.map(cell).filter(|pair| !pair.is_empty());
        let game = Game {
            south: self.entrant(south),
            north: self.entrant(north),
            outcome,
            pair: pair.map(|pair| self.pair(pair)),
        };
        self.games.push(game);
        Ok(())
    }

    fn entrant(&mut self, name: &str) -> EntrantIndex {
        if let Some(&number) = self.entrants.get(name) {
            return EntrantIndex(number);
        }
        let number = u32::try_from(self.entrants.len()).expect("fewer than 2^32 players");
        self.entrants.insert(name.to_owned(), number);
        EntrantIndex(number)
    }

    fn pair(&mut self, name: &str) -> u64 {
        let next = self.pairs.len() as u64;
        *self.pairs.entry(name.to_owned()).or_insert(next)
    }

    fn sorted(self) -> Table {
        let by_name: BTreeMap<String, u32> = self.entrants.into_iter().collect();
        let mut places = vec![EntrantIndex(0); by_name.len()];
        for (place, &number) in (0..).zip(by_name.values()) {
            places[number as usize] = EntrantIndex(place);
        }
        let renumbered = |game: Game| Game {
            south: places[game.south.0 as usize],
            north: places[game.north.0 as usize],
            ..game
        };
        let games = self.games.into_iter().map(renumbered).collect();
        Table {
            names: by_name.into_keys().collect(),
            games,
        }
    }
}

fn outcome(text: &str) -> Result<Outcome, String> {
    match text {
        "1-0" => Ok(Outcome::SouthWins),
        "0-1" => Ok(Outcome::NorthWins),
        "1/2" | "1/2-1/2" => Ok(Outcome::Draw),
        other => Err(format!(
            "the result {other:?} is none of 1-0, 0-1, 1/2-1/2, 1/2"
        )),
    }
}

fn as_text(names: &[String], ratings: &Ratings) -> String {
    let mut text = rating_table(names, ratings);
    text.push('\n');
    for note in rating_notes(names, ratings) {
        text.push_str(&note);
        text.push('\n');
    }
    text
}

fn as_json(names: &[String], ratings: &Ratings) -> Value {
    let extreme = |bound: Option<Bound>| {
        bound.map(|bound| match bound {
            Bound::AtLeast => ">",
            Bound::AtMost => "<",
        })
    };
    let entrants: Vec<Value> = ratings
        .ratings
        .iter()
        .map(|rating| {
            let results = &rating.results;
            json!({
                "name": names[rating.entrant.0 as usize],
                "elo": rating.elo,
                "error95": rating.error95,
                "extreme": extreme(rating.bound),
                "component": rating.component,
                "games": results.wins + results.draws + results.losses,
                "wins": results.wins,
                "draws": results.draws,
                "losses": results.losses,
            })
        })
        .collect();
    let advantage = ratings.advantage.as_ref().map(|advantage| {
        json!({
            "elo": advantage.elo,
            "error95": advantage.error95,
            "extreme": extreme(advantage.bound),
        })
    });
    let mut components: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for rating in &ratings.ratings {
        let name = names[rating.entrant.0 as usize].as_str();
        components.entry(rating.component).or_default().push(name);
    }
    json!({
        "entrants": entrants,
        "advantage": advantage,
        "components": components.into_values().collect::<Vec<_>>(),
        "warnings": rating_notes(names, ratings),
    })
}
