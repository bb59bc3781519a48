//! The games of one entrant for its author: a table, a file of moves, and the games to look at.

use super::pseudonyms::Pseudonyms;
use super::text::{NotableGame, TurningPoint};
use crate::record::GameSummary;
use crate::report::{GamesCsv, StandingsRow};
use crate::rules::{Game, GameResult, Side, moves_text};
use crate::run_folder::trace_rules;
use crate::tournament::Plan;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// The most yardsticks to which the heaviest loss is shown.
const MOST_YARDSTICKS: usize = 3;

/// The games of one entrant, taken one by one in the order of the schedule.
pub struct EntrantGames<'a> {
    own: &'a str,
    plan: &'a Plan,
    names: &'a Pseudonyms,
    csv: GamesCsv<Vec<u8>>,
    lines: Vec<u8>,
    count: usize,
    /// The game with the largest difference of seeds that was lost to each opponent, and that was
    /// won against it.
    lost: BTreeMap<String, Heaviest>,
    won: BTreeMap<String, Heaviest>,
}

/// A game, its line, and by how many seeds it ended.
struct Heaviest {
    game: GameSummary,
    line: usize,
    margin: u8,
}

/// What becomes of the games.
pub struct GameFiles {
    /// `games.csv`.
    pub csv: Vec<u8>,
    /// `games.jsonl`: input of `awale trace`, a line for each game.
    pub lines: Vec<u8>,
    /// Games to look at.
    pub notable: Vec<NotableGame>,
}

impl<'a> EntrantGames<'a> {
    pub fn new(own: &'a str, plan: &'a Plan, names: &'a Pseudonyms) -> io::Result<Self> {
        Ok(Self {
            own,
            plan,
            names,
            csv: GamesCsv::new(Vec::new())?,
            lines: Vec::new(),
            count: 0,
            lost: BTreeMap::new(),
            won: BTreeMap::new(),
        })
    }

    /// Adds a game as it counts, if the entrant played it.
    pub fn add(&mut self, game: &GameSummary) -> io::Result<()> {
        let Some(side) = Side::BOTH
            .into_iter()
            .find(|side| game.entrants[side.index()] == self.own)
        else {
            return Ok(());
        };
        self.count += 1;
        let shown = GameSummary {
            id: self.names.id(&game.id),
            entrants: Arc::new(
                game.entrants
                    .each_ref()
                    .map(|it| self.names.name(it).to_owned()),
            ),
            ..game.clone()
        };
        self.csv.add(shown)?;
        serde_json::to_writer(&mut self.lines, &trace_line(self.plan, game))?;
        self.lines.push(b'\n');
        self.consider(game, side);
        Ok(())
    }

    fn consider(&mut self, game: &GameSummary, side: Side) {
        // Faults are explained with their evidence.
        if game.fault().is_some() {
            return;
        }
        let games = match game.result() {
            Some(GameResult::Win(winner)) if winner == side => &mut self.won,
            Some(GameResult::Win(_)) => &mut self.lost,
            Some(GameResult::Draw) | None => return,
        };
        let opponent = &game.entrants[side.opponent().index()];
        let margin = game.stores[0].abs_diff(game.stores[1]);
        if games
            .get(opponent)
            .is_none_or(|known| margin > known.margin)
        {
            let heaviest = Heaviest {
                game: game.clone(),
                line: self.count,
                margin,
            };
            games.insert(opponent.clone(), heaviest);
        }
    }

    /// The files, and the games to look at: the heaviest losses to yardsticks, that to the lowest
    /// of the others, and the clearest win against the highest of all.
    pub fn finish(self, standings: &[StandingsRow]) -> io::Result<GameFiles> {
        let yardsticks = self.plan.yardsticks();
        let mut notable = Vec::new();
        for yardstick in yardsticks.iter().take(MOST_YARDSTICKS) {
            if let Some(heaviest) = self.lost.get(yardstick) {
                let reason = format!("the heaviest loss to {yardstick}");
                notable.push(self.notable(heaviest, reason));
            }
        }
        let is_other = |row: &&StandingsRow| !yardsticks.contains(&row.entrant);
        let others = standings.iter().filter(is_other);
        let lowest = others
            .rev()
            .find_map(|row| self.lost.get_key_value(&row.entrant));
        if let Some((name, heaviest)) = lowest {
            let name = self.names.name(name);
            let reason = format!("the heaviest loss to {name}, the lowest that won against it");
            notable.push(self.notable(heaviest, reason));
        }
        let highest = standings
            .iter()
            .find_map(|row| self.won.get_key_value(&row.entrant));
        if let Some((name, heaviest)) = highest {
            let name = self.names.name(name);
            let reason = format!("the clearest win against {name}, the highest that it beat");
            notable.push(self.notable(heaviest, reason));
        }
        Ok(GameFiles {
            csv: self.csv.into_inner()?,
            lines: self.lines,
            notable,
        })
    }

    fn notable(&self, heaviest: &Heaviest, reason: String) -> NotableGame {
        let game = &heaviest.game;
        let is_south = game.entrants[Side::South.index()] == self.own;
        let side = if is_south { Side::South } else { Side::North };
        NotableGame {
            id: self.names.id(&game.id).to_string(),
            reason,
            side,
            stores: [side, side.opponent()].map(|it| game.stores[it.index()]),
            ending: game.ending.name(),
            plies: game.moves.len(),
            line: heaviest.line,
            turning_point: largest_capture(self.plan, game, side.opponent()),
        }
    }
}

/// A game as `awale trace` reads it.
fn trace_line(plan: &Plan, game: &GameSummary) -> Value {
    let (preset, changed) = trace_rules(plan);
    json!({
        "rules": preset,
        "set": changed,
        "position": game.start.to_string(),
        "moves": moves_text(&game.moves),
    })
}

/// The move of a side that captured most, the first of several.
fn largest_capture(plan: &Plan, summary: &GameSummary, side: Side) -> Option<TurningPoint> {
    let mut game = Game::new(plan.rules, summary.start);
    let mut largest: Option<TurningPoint> = None;
    for (ply, &pit) in summary.moves.iter().enumerate() {
        let position = game.position();
        let captured = game.play(pit).ok()?.captured;
        let is_more = largest.is_none_or(|it| captured > it.captured);
        if position.to_move() == side && captured > 0 && is_more {
            largest = Some(TurningPoint {
                ply,
                position,
                pit,
                captured,
            });
        }
    }
    largest
}
