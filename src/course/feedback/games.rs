//! The games of one entrant for its author: a table, a file of moves, the games to look at, and how
//! it plays.

use super::content::ShownBoard;
use super::habits::Habits;
use super::pseudonyms::Pseudonyms;
use crate::analysis::{Analyst, PlyAnalysis};
use crate::record::{GameId, GameSummary};
use crate::report::{BoardGame, GamesCsv, StandingsRow};
use crate::rules::{Game, GameResult, Pit, Position, Side, moves_text};
use crate::run_folder::trace_rules;
use crate::text::{counted, printable};
use crate::tournament::Plan;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

/// The most yardsticks to which the heaviest loss is shown.
const MOST_YARDSTICKS: usize = 3;
/// The most expensive moves that are shown.
const MOST_COSTLY: usize = 3;
/// The least lead in seeds that a lost game has thrown away.
const LEAD: u8 = 6;

/// A game that its author should look at.
#[derive(Clone, Debug)]
pub struct ShownGame {
    /// The game's id.
    pub id: String,
    /// Why it is here: `the heaviest loss to greedy`.
    pub reason: String,
    /// The entrant's side.
    pub side: Side,
    /// Its store at the end, and the opponent's.
    pub stores: [u8; 2],
    /// The ending's name.
    pub ending: &'static str,
    /// The number of plies.
    pub plies: usize,
    /// The opponent's largest capture.
    pub turning_point: Option<TurningPoint>,
    /// The game on a board.
    pub board: ShownBoard,
}

/// A move that captured.
#[derive(Clone, Copy, Debug)]
pub struct TurningPoint {
    /// The ply, from 0.
    pub ply: usize,
    /// The position before it.
    pub position: Position,
    /// The move.
    pub pit: Pit,
    /// The seeds that it captured.
    pub captured: u8,
}

/// A move that lost seeds.
#[derive(Clone, Debug)]
pub struct CostlyMove {
    /// The move.
    pub ply: PlyAnalysis,
    /// Its game, on a board that shows the position before it.
    pub game: ShownGame,
}

/// The games of one entrant, taken one by one in the order of the schedule.
pub struct EntrantGames<'a> {
    own: &'a str,
    plan: &'a Plan,
    names: &'a Pseudonyms,
    csv: GamesCsv<Vec<u8>>,
    lines: Vec<u8>,
    habits: Habits,
    /// The game with the largest difference of seeds that was lost to each opponent, and that was
    /// won against it.
    lost: BTreeMap<String, Heaviest>,
    won: BTreeMap<String, Heaviest>,
    /// The lost game with the largest lead: the lead, and the plies before it.
    thrown_away: Option<(u8, usize, GameSummary)>,
    /// Games that are shown with their faults.
    wanted: BTreeSet<GameId>,
    faulty: BTreeMap<GameId, ShownGame>,
    analyst: Option<&'a Analyst>,
    /// The moves that lost most seeds, the most expensive first, with their games.
    costly: Vec<(PlyAnalysis, GameSummary)>,
}

/// A game, and by how many seeds it ended.
struct Heaviest {
    game: GameSummary,
    margin: u8,
}

/// What becomes of the games.
pub struct GameFiles {
    /// `games.csv`.
    pub csv: Vec<u8>,
    /// `games.jsonl`: input of `awale trace`, a line for each game.
    pub lines: Vec<u8>,
    /// Games to look at.
    pub shown: Vec<ShownGame>,
    /// The moves that lost most seeds, the most expensive first.
    pub costly: Vec<CostlyMove>,
    /// The games that were wanted, by their ids in the run.
    pub faulty: BTreeMap<GameId, ShownGame>,
    /// How the entrant plays.
    pub habits: Habits,
}

impl<'a> EntrantGames<'a> {
    /// Starts without games. The `wanted` ones are shown with their faults.
    pub fn new(
        own: &'a str,
        plan: &'a Plan,
        names: &'a Pseudonyms,
        wanted: BTreeSet<GameId>,
        analyst: Option<&'a Analyst>,
    ) -> io::Result<Self> {
        Ok(Self {
            own,
            plan,
            names,
            csv: GamesCsv::new(Vec::new())?,
            lines: Vec::new(),
            habits: Habits::default(),
            lost: BTreeMap::new(),
            won: BTreeMap::new(),
            thrown_away: None,
            wanted,
            faulty: BTreeMap::new(),
            analyst,
            costly: Vec::new(),
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
        self.habits.add(game, side, self.plan.rules);
        if self.wanted.contains(&game.id) {
            let shown = self.shown(game, String::new(), game.moves.len());
            self.faulty.insert(game.id.clone(), shown);
        }
        self.consider(game, side);
        self.note_costly(game, side);
        Ok(())
    }

    fn consider(&mut self, game: &GameSummary, side: Side) {
        // Faults are explained with their evidence.
        if game.fault().is_some() {
            return;
        }
        let is_lost = match game.result() {
            Some(GameResult::Win(winner)) => winner != side,
            Some(GameResult::Draw) | None => return,
        };
        if is_lost {
            let (lead, ply) = largest_lead(self.plan, game, side);
            let known = self.thrown_away.as_ref().map_or(LEAD - 1, |it| it.0);
            if lead > known {
                self.thrown_away = Some((lead, ply, game.clone()));
            }
        }
        let games = if is_lost {
            &mut self.lost
        } else {
            &mut self.won
        };
        let opponent = &game.entrants[side.opponent().index()];
        let margin = game.stores[0].abs_diff(game.stores[1]);
        if games
            .get(opponent)
            .is_none_or(|known| margin > known.margin)
        {
            let game = game.clone();
            games.insert(opponent.clone(), Heaviest { game, margin });
        }
    }

    fn note_costly(&mut self, game: &GameSummary, side: Side) {
        let Some(analyst) = self.analyst else {
            return;
        };
        let plies = analyst.analyse(game.start, &game.moves).plies.into_iter();
        for ply in plies.filter(|it| it.side() == side && it.lost() > 0) {
            // Of equally expensive ones the first stays first.
            let place = self
                .costly
                .partition_point(|(it, _)| it.lost() >= ply.lost());
            if place < MOST_COSTLY {
                self.costly.truncate(MOST_COSTLY - 1);
                self.costly.insert(place, (ply, game.clone()));
            }
        }
    }

    /// The files, and the games to look at.
    pub fn finish(self, standings: &[StandingsRow]) -> io::Result<GameFiles> {
        Ok(GameFiles {
            shown: self.notable(standings),
            costly: self.costly.iter().map(|it| self.costly_move(it)).collect(),
            csv: self.csv.into_inner()?,
            lines: self.lines,
            faulty: self.faulty,
            habits: self.habits,
        })
    }

    fn costly_move(&self, (ply, game): &(PlyAnalysis, GameSummary)) -> CostlyMove {
        CostlyMove {
            ply: *ply,
            game: self.shown(game, String::new(), ply.before.ply),
        }
    }

    /// The loss to the lowest that stands below the entrant, the game that it has thrown away, the
    /// heaviest losses to yardsticks, and the clearest win against the highest of all. Each game
    /// once.
    fn notable(&self, standings: &[StandingsRow]) -> Vec<ShownGame> {
        let mut notable: Vec<ShownGame> = Vec::new();
        let mut add = |game: &GameSummary, reason: String, ply: usize| {
            let shown = self.shown(game, reason, ply);
            if notable.iter().all(|it| it.id != shown.id) {
                notable.push(shown);
            }
        };
        let below = standings.iter().rev();
        let below = below.take_while(|row| row.entrant != self.own);
        let mut below = below.filter(|row| row.rank.is_some());
        if let Some((name, heaviest)) = below.find_map(|row| self.lost.get_key_value(&row.entrant))
        {
            let name = self.names.name(name);
            let reason = format!("lost to {name}, which stands below it");
            add(&heaviest.game, reason, 0);
        }
        if let Some((lead, ply, game)) = &self.thrown_away {
            let seeds = counted(usize::from(*lead), "seed", "seeds");
            let reason = format!("thrown away: {seeds} ahead at ply {ply}, and lost");
            add(game, reason, *ply);
        }
        for yardstick in self.plan.yardsticks().iter().take(MOST_YARDSTICKS) {
            if let Some(heaviest) = self.lost.get(yardstick) {
                let reason = format!("the heaviest loss to {yardstick}");
                add(&heaviest.game, reason, 0);
            }
        }
        let highest = standings
            .iter()
            .find_map(|row| self.won.get_key_value(&row.entrant));
        if let Some((name, heaviest)) = highest {
            let name = self.names.name(name);
            let reason = format!("the clearest win against {name}, the highest that it beat");
            add(&heaviest.game, reason, 0);
        }
        notable
    }

    /// A game as its author reads it, with the position after so many plies.
    fn shown(&self, game: &GameSummary, reason: String, ply: usize) -> ShownGame {
        let is_south = game.entrants[Side::South.index()] == self.own;
        let side = if is_south { Side::South } else { Side::North };
        let names = game.entrants.each_ref();
        ShownGame {
            id: self.names.id(&game.id).to_string(),
            reason,
            side,
            stores: [side, side.opponent()].map(|it| game.stores[it.index()]),
            ending: game.ending.name(),
            plies: game.moves.len(),
            turning_point: largest_capture(self.plan, game, side.opponent()),
            board: ShownBoard {
                names: names.map(|name| printable(self.names.name(name))),
                side: side.index(),
                ply,
                game: BoardGame::new(game.start, &game.moves, self.plan.rules),
            },
        }
    }
}

/// The largest lead of a side in seeds of the stores, and the plies after which it had it first.
fn largest_lead(plan: &Plan, summary: &GameSummary, side: Side) -> (u8, usize) {
    let mut game = Game::new(plan.rules, summary.start);
    let mut largest = (0, 0);
    for (ply, &pit) in (1..).zip(&summary.moves) {
        if game.play(pit).is_err() {
            break;
        }
        let position = game.position();
        let [own, other] = [side, side.opponent()].map(|it| position.store(it));
        let lead = own.saturating_sub(other);
        if lead > largest.0 {
            largest = (lead, ply);
        }
    }
    largest
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
