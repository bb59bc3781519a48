//! `awale endgame probe`.

use super::{database, too_few};
use crate::cli::args::ProbeArguments;
use crate::cli::exit::{Exit, Failure, say};
use crate::endgame_file::EndgameDatabase;
use crate::rules::{Pit, PitSet, Position, Side};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

pub fn probe(arguments: &ProbeArguments) -> Result<Exit, Failure> {
    let positions = arguments.positions.iter();
    let positions: Vec<Position> = positions
        .map(|text| parse(text))
        .collect::<Result<_, _>>()?;
    let (database, rules) = database(&arguments.database)?;
    let mut text = String::new();
    for position in positions {
        let found = Found::of(&database, position).ok_or_else(|| {
            let seeds = position.seeds_on_board();
            let what = format!("{position} has {seeds} seeds on the board");
            too_few(what, &database, &rules, seeds)
        })?;
        if arguments.json {
            let _ = writeln!(text, "{}", found.as_json());
        } else {
            text += &found.as_text();
        }
    }
    say(&text)
}

/// A position as every command reads it, or its two rows as in books: `0,0,0,0,0,1|1,0,0,0,0,0`.
fn parse(text: &str) -> Result<Position, Failure> {
    let Some((south, north)) = text.split_once('|') else {
        let position = text.parse();
        return position.map_err(|error| Failure::usage(format!("{text:?}: {error}")));
    };
    let row = |row: &str| {
        let pits: Result<Vec<u8>, _> = row.split(',').map(|pit| pit.trim().parse()).collect();
        pits.ok().and_then(|pits| <[u8; 6]>::try_from(pits).ok())
    };
    let (Some(south), Some(north)) = (row(south), row(north)) else {
        return Err(Failure::usage(format!(
            "{text:?}: a row is six numbers with commas between, as in 0,0,0,0,0,1|1,0,0,0,0,0"
        )));
    };
    let mut pits = [0; 12];
    pits[..6].copy_from_slice(&south);
    pits[6..].copy_from_slice(&north);
    let position = Position::new(pits, [0, 0], Side::South);
    position.map_err(|error| Failure::usage(format!("{text:?}: {error}")))
}

/// What the database says of a position.
struct Found {
    position: Position,
    value: i8,
    best: PitSet,
    moves: Vec<(Pit, i8)>,
}

impl Found {
    fn of(database: &EndgameDatabase, position: Position) -> Option<Self> {
        let values = database.values();
        let legal = values.rules().rules().legal_moves(position).into_iter();
        let moves = legal.map(|pit| Some((pit, values.value_of_move(position, pit)?)));
        Some(Self {
            position,
            value: values.value(position)?,
            best: values.best_moves(position)?,
            moves: moves.collect::<Option<_>>()?,
        })
    }

    fn as_text(&self) -> String {
        let Self {
            position,
            value,
            best,
            moves,
        } = self;
        if moves.is_empty() {
            return format!("{position}: {value:+}, no move\n");
        }
        let moves = moves.iter().map(|(pit, value)| format!("{pit} {value:+}"));
        let moves = moves.collect::<Vec<String>>().join(", ");
        format!("{position}: {value:+}, best {best} ({moves})\n")
    }

    fn as_json(&self) -> Value {
        let moves = self.moves.iter();
        let moves = moves.map(|(pit, value)| (pit.to_string(), Value::from(*value)));
        json!({
            "position": self.position.to_string(),
            "value": self.value,
            "best": self.best.to_string(),
            "moves": moves.collect::<Map<String, Value>>(),
        })
    }
}
