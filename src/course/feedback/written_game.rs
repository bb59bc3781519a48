//! Reads a game back from a folder of feedback, which may come from anywhere.

use super::{GAME_LINES, GAMES, TEXT};
use crate::files::Folder;
use crate::rules::{Pit, Position, Preset, RuleSet, parse_moves};
use crate::tournament::override_rules;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::io;
use std::path::Path;
use thiserror::Error;

/// The most bytes of a file of games, in MiB.
const MOST_MIB: u64 = 64;

/// A game as the files of its author tell it.
#[derive(Clone, Debug)]
pub struct WrittenGame {
    /// South and North. Hostile text.
    pub entrants: [String; 2],
    /// The rules that it was played by.
    pub rules: RuleSet,
    /// The opening's moves.
    pub opening_moves: Vec<Pit>,
    /// The position after them.
    pub start: Position,
    /// The moves from there.
    pub moves: Vec<Pit>,
    /// Why it ended, with the side at fault if there was one. Hostile text.
    pub ending: String,
    /// The final stores.
    pub stores: [u8; 2],
}

/// Why a game of a folder of feedback cannot be read.
#[derive(Debug, Error)]
pub enum WrittenGameError {
    /// The disk failed.
    #[error("cannot read {0}: {1}")]
    Disk(&'static str, io::Error),
    /// A file is not as awale writes it.
    #[error("cannot read {file}, line {line}: {reason}; get the feedback again")]
    Line {
        /// The file.
        file: &'static str,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// A row of `games.csv`.
#[derive(Deserialize)]
struct GameCells {
    id: String,
    south: String,
    north: String,
    opening_moves: String,
    ending: String,
    fault_side: String,
    store_south: u8,
    store_north: u8,
}

/// A line of `games.jsonl`.
#[derive(Deserialize)]
struct TraceLine {
    rules: String,
    set: Map<String, Value>,
    position: String,
    moves: String,
}

/// A folder with the feedback of an entrant.
#[derive(Debug)]
pub struct FeedbackFolder(Folder);

impl FeedbackFolder {
    /// Opens a folder; `None` if it is not one of feedback.
    pub fn open(folder: &Path) -> Option<Self> {
        let folder = Folder::open(folder).ok()?;
        let is_feedback = [TEXT, GAMES, GAME_LINES]
            .iter()
            .all(|it| folder.is_file(it));
        is_feedback.then_some(Self(folder))
    }

    /// The game of this id, if the folder has one.
    ///
    /// # Errors
    /// Its files cannot be read.
    pub fn game(&self, id: &str) -> Result<Option<WrittenGame>, WrittenGameError> {
        let read = |name| {
            let bytes = self.0.read(name, MOST_MIB);
            bytes.map_err(|error| WrittenGameError::Disk(name, error))
        };
        let (rows, lines) = (read(GAMES)?, read(GAME_LINES)?);
        let mut rows = csv::Reader::from_reader(rows.as_slice());
        for (number, row) in (1..).zip(rows.deserialize::<GameCells>()) {
            let row = row.map_err(|error| wrong(GAMES, number + 1, &error))?;
            if row.id == id {
                let line = lines.split(|&byte| byte == b'\n').nth(number - 1);
                let game = written_game(row, line.unwrap_or_default());
                return game
                    .map(Some)
                    .map_err(|reason| wrong(GAME_LINES, number, &reason));
            }
        }
        Ok(None)
    }
}

fn wrong(file: &'static str, line: usize, reason: &impl ToString) -> WrittenGameError {
    let reason = reason.to_string();
    WrittenGameError::Line { file, line, reason }
}

fn written_game(row: GameCells, line: &[u8]) -> Result<WrittenGame, String> {
    let line: TraceLine = serde_json::from_slice(line).map_err(|it| it.to_string())?;
    let preset = Preset::from_name(&line.rules).ok_or("no rules have this name")?;
    let moves = |text| parse_moves(text).map_err(|it| it.to_string());
    let start = line.position.parse();
    Ok(WrittenGame {
        rules: override_rules(preset.rules(), &line.set)?,
        opening_moves: moves(&row.opening_moves)?,
        start: start.map_err(|_| "its position cannot be read".to_owned())?,
        moves: moves(&line.moves)?,
        entrants: [row.south, row.north],
        ending: match row.fault_side.as_str() {
            "" => row.ending,
            side => format!("{} of {side}", row.ending),
        },
        stores: [row.store_south, row.store_north],
    })
}
