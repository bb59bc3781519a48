//! What the page knows of games: a list for each column, of every game at once, in the order of the
//! schedule; and of one game, when it is replayed, its moves.

use super::summary::Reader;
use crate::analysis::GameAnalysis;
use crate::record::{GameRecord, GameSummary};
use crate::rules::{Game, GameResult, Pit, Position, RuleSet, Side, moves_text};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The columns. Names and endings are numbers of lists, because a page may have 100,000 games.
#[derive(Debug, Default, Serialize)]
pub struct GameColumns {
    /// The beginnings of ids: what stands before round and number.
    labels: Vec<String>,
    label: Vec<u32>,
    round: Vec<u32>,
    number: Vec<u32>,
    /// Numbers of entrants, in the order of the plan.
    south: Vec<u32>,
    north: Vec<u32>,
    opening: Vec<u32>,
    /// 0 for a draw, 1 if South won, 2 if North won.
    winner: Vec<u8>,
    /// The names of endings.
    endings: Vec<&'static str>,
    ending: Vec<u32>,
    /// The side whose fault ended the game: 1 South, 2 North; 0 if no fault did.
    fault: Vec<u8>,
    store_south: Vec<u8>,
    store_north: Vec<u8>,
    plies: Vec<u32>,
    // Both maps are only looked up, never iterated.
    #[serde(skip)]
    label_numbers: HashMap<String, u32>,
    #[serde(skip)]
    entrants: HashMap<String, u32>,
}

impl GameColumns {
    /// Starts without games. `names` are the entrants in the order of the plan.
    pub fn new(names: &[String]) -> Self {
        Self {
            entrants: names.iter().cloned().zip(0..).collect(),
            ..Self::default()
        }
    }

    /// Adds the next game as it counts. A game of others than the entrants, or one that is void, is
    /// no game of the page.
    ///
    /// Returns whether it was added.
    pub fn add(&mut self, game: &GameSummary) -> bool {
        let sides = game.entrants.each_ref().map(|name| self.entrants.get(name));
        let ([Some(&south), Some(&north)], Some(result)) = (sides, game.result()) else {
            return false;
        };
        let (label, round) = (self.label_of(game), game.id.pair.round());
        self.label.push(label);
        self.round.push(round);
        self.number.push(game.id.number.number());
        self.south.push(south);
        self.north.push(north);
        self.opening.push(game.opening);
        self.winner.push(match result {
            GameResult::Draw => 0,
            GameResult::Win(side) => side_number(side),
        });
        let ending = self.ending_of(game.ending.name());
        self.ending.push(ending);
        self.fault
            .push(game.fault().map_or(0, |(side, _)| side_number(side)));
        self.store_south.push(game.stores[0]);
        self.store_north.push(game.stores[1]);
        let plies = u32::try_from(game.moves.len()).expect("fewer than 2^32 plies");
        self.plies.push(plies);
        true
    }

    /// The number of games.
    pub const fn len(&self) -> usize {
        self.round.len()
    }

    /// Whether there is no game.
    pub const fn is_empty(&self) -> bool {
        self.round.is_empty()
    }

    fn label_of(&mut self, game: &GameSummary) -> u32 {
        let id = game.id.to_string();
        let rest = format!("{}.{}", game.id.pair.round(), game.id.number.number());
        let label = id.strip_suffix(&rest).unwrap_or(&id);
        if let Some(&number) = self.label_numbers.get(label) {
            return number;
        }
        let number = u32::try_from(self.labels.len()).expect("fewer than 2^32 pairings");
        self.labels.push(label.to_owned());
        self.label_numbers.insert(label.to_owned(), number);
        number
    }

    fn ending_of(&mut self, name: &'static str) -> u32 {
        let found = self.endings.iter().position(|it| *it == name);
        let place = found.unwrap_or_else(|| {
            self.endings.push(name);
            self.endings.len() - 1
        });
        u32::try_from(place).expect("a few endings")
    }
}

const fn side_number(side: Side) -> u8 {
    match side {
        Side::South => 1,
        Side::North => 2,
    }
}

/// Which `info` objects of a game a page takes.
#[derive(Clone, Copy, Debug)]
pub struct InfoLimit<'a> {
    /// The most bytes of all of them together.
    pub bytes: usize,
    /// Who reads it: an author sees those of the own entrant, and everybody numbers alone.
    pub reader: Reader<'a>,
}

/// A game as a board plays it.
#[derive(Clone, Debug, Serialize)]
pub struct BoardGame {
    /// The position after the opening.
    start: String,
    /// The moves after it, in letters.
    moves: String,
    /// Plies, from 0, that capture, and the pits that they empty.
    captured: Vec<(usize, String)>,
}

impl BoardGame {
    /// The game of these moves.
    pub fn new(start: Position, moves: &[Pit], rules: RuleSet) -> Self {
        Self {
            start: start.to_string(),
            moves: moves_text(moves),
            captured: captures(start, moves, rules),
        }
    }
}

/// What the moves of a game were worth where a database knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExactPart {
    /// The plies before the first position with a value.
    ply: usize,
    /// By how many seeds South is ahead at the end, if both play perfectly from there on.
    ahead: i16,
    /// The moves that lost seeds: the ply, from 0, the seeds, and a better move.
    lost: Vec<(usize, u8, Option<char>)>,
}

impl ExactPart {
    /// The exact part of a game, if it has one.
    pub fn of(analysis: &GameAnalysis) -> Option<Self> {
        let first = analysis.first?;
        let lost = analysis.plies.iter().filter(|it| it.lost() > 0);
        let lost = lost.map(|it| (it.before.ply, it.lost(), it.better.map(Pit::letter)));
        Some(Self {
            ply: first.ply,
            ahead: first.difference(Side::South),
            lost: lost.collect(),
        })
    }
}

/// The moves of a game, and all else of it that is not in the columns.
#[derive(Debug, Serialize)]
pub struct GameDetails {
    #[serde(flatten)]
    game: BoardGame,
    /// The opening's moves.
    opening: String,
    /// The times of the plies, in µs.
    times: Vec<u64>,
    /// Plies, and the `info` that the bot sent with the move. Hostile text.
    info: Vec<(usize, String)>,
    /// What its moves were worth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactPart>,
    /// The fault that ended the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<ShownFault>,
}

/// A move that empties several pits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Chain {
    /// The pits that it empties.
    pub pits: usize,
    /// The number of the game on the page.
    pub game: usize,
    /// The ply, from 0.
    pub ply: usize,
}

/// A fault as the page of its game shows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ShownFault {
    /// What happened. Hostile text.
    pub detail: String,
    /// What to do about it.
    pub advice: Option<String>,
    /// The end of what the bot wrote to standard error, where it is kept. Hostile text.
    pub standard_error: Option<String>,
    /// The folder of the evidence, relative to that of the run.
    pub folder: Option<String>,
    /// The command that plays the fault again.
    pub replay: Option<String>,
}

impl GameDetails {
    /// The details of a record that was played by these rules, without its fault and the worth of
    /// its moves. Also says whether
    /// an `info` was left out or shortened.
    pub fn of(record: &GameRecord, rules: RuleSet, limit: InfoLimit<'_>) -> (Self, bool) {
        let (info, is_cut) = kept_info(record, limit);
        let details = Self {
            game: BoardGame::new(record.start, &record.moves(), rules),
            opening: moves_text(&record.opening_moves),
            times: record.plies.iter().map(|ply| ply.time_us).collect(),
            info,
            exact: None,
            fault: None,
        };
        (details, is_cut)
    }

    /// The longest chain of the game, as one of this number; the first of several.
    pub fn longest_chain(&self, game: usize) -> Option<Chain> {
        let chains = self.game.captured.iter();
        let chains = chains.map(|(ply, pits)| (pits.len(), std::cmp::Reverse(*ply)));
        let (pits, std::cmp::Reverse(ply)) = chains.max()?;
        Some(Chain { pits, game, ply })
    }

    /// The times of the plies, in µs.
    pub fn into_times_us(self) -> Vec<u64> {
        self.times
    }
}

/// The plies that capture, and the pits that they empty.
fn captures(start: Position, moves: &[Pit], rules: RuleSet) -> Vec<(usize, String)> {
    let mut game = Game::new(rules, start);
    let mut captures = Vec::new();
    for (number, &pit) in moves.iter().enumerate() {
        let before = game.position().pits();
        let Ok(played) = game.play(pit) else {
            // The record is not one of these rules; verification says so.
            break;
        };
        if played.captured > 0 {
            captures.push((number, emptied(before, pit, game.position().pits())));
        }
    }
    captures
}

/// The pits to which a sowing adds seeds, and which are empty after it.
fn emptied(before: [u8; 12], pit: Pit, after: [u8; 12]) -> String {
    let is_sown = |other: usize| {
        let way = (other + 12 - pit.index()) % 12;
        way > 0 && (before[other] > 0 || usize::from(before[pit.index()]) >= way)
    };
    let taken = Pit::all().filter(|other| after[other.index()] == 0 && is_sown(other.index()));
    taken.map(Pit::letter).collect()
}

/// The `info` of plies as far as the limit reaches: if that of the whole game is too long, or its text
/// is not for everybody, only score and depth.
fn kept_info(record: &GameRecord, limit: InfoLimit<'_>) -> (Vec<(usize, String)>, bool) {
    let plies = record.plies.iter().enumerate();
    let sent = plies.filter_map(|(number, ply)| Some((number, ply.info.as_deref()?)));
    let own = limit.reader.own();
    let is_shown = |number: usize| own.is_none_or(|own| record.entrants[number % 2] == own);
    let shown: Vec<(usize, &str)> = sent.filter(|(number, _)| is_shown(*number)).collect();
    let length: usize = shown.iter().map(|(_, text)| text.len()).sum();
    if length <= limit.bytes && limit.reader != Reader::Public {
        let whole = shown.iter().map(|(ply, text)| (*ply, (*text).to_owned()));
        return (whole.collect(), false);
    }
    let mut left = limit.bytes;
    let mut kept = Vec::new();
    for (ply, text) in shown {
        let Some(short) = shortened(text) else {
            continue;
        };
        match left.checked_sub(short.len()) {
            Some(rest) => left = rest,
            None => break,
        }
        kept.push((ply, short));
    }
    (kept, true)
}

/// The score and the depth of an `info`, as they were written.
fn shortened(text: &str) -> Option<String> {
    let object: Map<String, Value> = serde_json::from_str(text).ok()?;
    let numbers = ["score", "depth"].into_iter().filter_map(|key| {
        let value = object.get(key)?;
        value.is_number().then(|| (key.to_owned(), value.clone()))
    });
    let short: Map<String, Value> = numbers.collect();
    (!short.is_empty()).then(|| Value::from(short).to_string())
}
