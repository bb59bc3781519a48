//! `awale replay`: a game of a run, or of the feedback of an author, on a board, ply by ply.

use super::args::ReplayArguments;
use super::board::drawn;
use super::exit::{Exit, Failure, output_failure};
use crate::course::{FeedbackFolder, WrittenGame};
use crate::record::{GameEnding, GameRecord};
use crate::report::readable_time;
use crate::rules::{Game, Pit, PlayError, Position, RuleSet, moves_text};
use crate::run_folder::{RecordedRun, find_game};
use crate::text::{counted, printable, quoted};
use crate::tournament::Plan;
use crate::verification;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

/// Shows a game. The run may still be playing.
///
/// # Errors
/// There is no such run, game or ply, or the journal is damaged or too old.
pub fn replay(arguments: &ReplayArguments) -> Result<Exit, Failure> {
    let replay = if let Some(folder) = FeedbackFolder::open(&arguments.folder) {
        let game = folder.game(&arguments.game).map_err(Failure::usage)?;
        let game = game.ok_or_else(|| no_game(&arguments.folder, &arguments.game))?;
        Replay::of_feedback(&game, &arguments.game)?
    } else {
        let (plan, record) = recorded_game(&arguments.folder, &arguments.game)?;
        Replay::of_record(&record, &plan)?
    };
    let shown = match arguments.ply {
        Some(ply) if ply > replay.last() => {
            let plies = counted(replay.last(), "ply", "plies");
            return Err(Failure::usage(format!(
                "cannot show ply {ply}: the game has {plies}"
            )));
        }
        Some(ply) => replay.print([ply]),
        None if io::stdin().is_terminal() && io::stdout().is_terminal() => replay.step(),
        None => replay.print(0..=replay.last()),
    };
    shown.map_err(|error| output_failure(&error))?;
    Ok(Exit::Done)
}

/// The plan of a run, and the record of a game of it.
pub fn recorded_game(run: &Path, id: &str) -> Result<(Plan, Box<GameRecord>), Failure> {
    let folder = verification::open(run)?;
    let plan = RecordedRun::read(&folder)?.run.plan;
    let record = find_game(&folder, &plan, id)?.ok_or_else(|| no_game(run, id))?;
    Ok((plan, record))
}

fn no_game(folder: &Path, id: &str) -> Failure {
    Failure::usage(format!(
        "{} has no game {}; its games.csv has the ids of all of them",
        printable(&folder.to_string_lossy()),
        quoted(id)
    ))
}

/// A game with the position before each ply and after the last. All texts are harmless.
struct Replay {
    id: String,
    names: [String; 2],
    opening: String,
    plies: Vec<ReplayedPly>,
    positions: Vec<Position>,
    /// How it ended: `no-move; final stores 25–23`.
    outcome: String,
}

/// A move, and what else is known of it: ` in 52 µs, and said {"score":3}`.
struct ReplayedPly {
    pit: Pit,
    remark: String,
}

impl Replay {
    fn of_record(record: &GameRecord, plan: &Plan) -> Result<Self, Failure> {
        let plies = record.plies.iter().map(|ply| {
            let said = ply.info.as_deref().map_or(String::new(), |info| {
                format!(", and said {}", printable(info))
            });
            ReplayedPly {
                pit: ply.pit,
                remark: format!(" in {}{said}", readable_time(ply.time_us)),
            }
        });
        let plies: Vec<ReplayedPly> = plies.collect();
        let positions = positions(record.start, &plies, plan.rules).map_err(|error| {
            Failure::usage(format!(
                "the journal has an illegal move in game {}: {error}; `awale verify` says more",
                record.id
            ))
        })?;
        let names = record.entrants.each_ref().map(|it| printable(it));
        let detail = match &record.ending {
            GameEnding::Fault(side, fault) => {
                format!(" of {}: {}", names[side.index()], printable(&fault.detail))
            }
            GameEnding::Void(void) => format!(": {}", printable(&void.cause)),
            _ => String::new(),
        };
        Ok(Self {
            id: record.id.to_string(),
            opening: moves_text(&record.opening_moves),
            outcome: outcome(&format!("{}{detail}", record.ending.name()), record.stores),
            plies,
            positions,
            names,
        })
    }

    fn of_feedback(game: &WrittenGame, id: &str) -> Result<Self, Failure> {
        let plies = game.moves.iter().map(|&pit| ReplayedPly {
            pit,
            remark: String::new(),
        });
        let plies: Vec<ReplayedPly> = plies.collect();
        let positions = positions(game.start, &plies, game.rules).map_err(|error| {
            let id = printable(id);
            Failure::usage(format!(
                "cannot replay {id}: its file has an illegal move: {error}; get the feedback again"
            ))
        })?;
        Ok(Self {
            id: printable(id),
            names: game.entrants.each_ref().map(|it| printable(it)),
            opening: moves_text(&game.opening_moves),
            outcome: outcome(&printable(&game.ending), game.stores),
            plies,
            positions,
        })
    }

    /// The number of plies.
    const fn last(&self) -> usize {
        self.plies.len()
    }

    fn move_of(&self, ply: usize) -> Option<Pit> {
        let played = ply.checked_sub(1)?;
        Some(self.plies[played].pit)
    }

    fn print(&self, plies: impl IntoIterator<Item = usize>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        for ply in plies {
            writeln!(out, "{}\n", self.page(ply))?;
        }
        out.flush()
    }

    /// Shows a ply after the other, as lines of the terminal ask for it.
    fn step(&self) -> io::Result<()> {
        let mut ply = 0;
        let mut lines = io::stdin().lock().lines();
        loop {
            self.print([ply])?;
            if ply == self.last() {
                print!("b back, a number for that ply, q end: ");
            } else {
                print!("Enter on, b back, a number for that ply, q end: ");
            }
            io::stdout().flush()?;
            let Some(line) = lines.next().transpose()? else {
                return Ok(());
            };
            ply = match line.trim() {
                "q" => return Ok(()),
                "b" => ply.saturating_sub(1),
                "" => ply + 1,
                number => number.parse().unwrap_or(ply),
            }
            .min(self.last());
        }
    }

    fn page(&self, ply: usize) -> String {
        let position = self.positions[ply];
        let [south, north] = &self.names;
        format!(
            "{}: {south} (South) against {north} (North), ply {ply} of {}\n{}\n{}\n{}",
            self.id,
            self.last(),
            drawn(position, self.move_of(ply)),
            self.played(ply),
            self.next(ply)
        )
    }

    /// What was played last: `E took 3 seeds in 52 µs, and said {"score":3}`.
    fn played(&self, ply: usize) -> String {
        let Some(played) = ply.checked_sub(1) else {
            return match self.opening.as_str() {
                "" => "the beginning of the game".to_owned(),
                moves => format!("after the opening {moves}"),
            };
        };
        let ReplayedPly { pit, remark } = &self.plies[played];
        let store = |position: Position| position.store(pit.side());
        let taken = store(self.positions[ply]) - store(self.positions[played]);
        let taken = match taken {
            0 => String::new(),
            seeds => format!(" took {}", counted(seeds.into(), "seed", "seeds")),
        };
        format!("{}{taken}{remark}", pit.letter())
    }

    fn next(&self, ply: usize) -> String {
        let position = self.positions[ply];
        if ply < self.last() {
            let name = &self.names[position.to_move().index()];
            return format!("{name} to move; position {position}");
        }
        format!("{}; position {position}", self.outcome)
    }
}

/// The position before each of these plies, and after the last.
fn positions(
    start: Position,
    plies: &[ReplayedPly],
    rules: RuleSet,
) -> Result<Vec<Position>, PlayError> {
    let mut game = Game::new(rules, start);
    let mut positions = vec![start];
    for ply in plies {
        game.play(ply.pit)?;
        positions.push(game.position());
    }
    Ok(positions)
}

fn outcome(ending: &str, [south, north]: [u8; 2]) -> String {
    format!("{ending}; final stores {south}–{north}")
}
