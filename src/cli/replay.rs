//! `awale replay`: a game of a run on a board, ply by ply.

use super::args::ReplayArguments;
use super::board::drawn;
use super::exit::{Exit, Failure, output_failure};
use crate::record::{GameEnding, GameRecord};
use crate::report::readable_time;
use crate::rules::{Game, Pit, Position, moves_text};
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
    let (plan, record) = recorded_game(&arguments.folder, &arguments.game)?;
    let replay = Replay::of(&record, &plan)?;
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
    let record = find_game(&folder, &plan, id)?.ok_or_else(|| {
        Failure::usage(format!(
            "{} has no game {}; its games.csv has the ids of all of them",
            printable(&run.to_string_lossy()),
            quoted(id)
        ))
    })?;
    Ok((plan, record))
}

/// A game with the position before each ply and after the last.
struct Replay<'a> {
    record: &'a GameRecord,
    positions: Vec<Position>,
}

impl<'a> Replay<'a> {
    fn of(record: &'a GameRecord, plan: &Plan) -> Result<Self, Failure> {
        let mut game = Game::new(plan.rules, record.start);
        let mut positions = vec![record.start];
        for ply in &record.plies {
            game.play(ply.pit).map_err(|error| {
                Failure::usage(format!(
                    "the journal has an illegal move in game {}: {error}; `awale verify` says more",
                    record.id
                ))
            })?;
            positions.push(game.position());
        }
        Ok(Self { record, positions })
    }

    /// The number of plies.
    const fn last(&self) -> usize {
        self.record.plies.len()
    }

    fn move_of(&self, ply: usize) -> Option<Pit> {
        let played = ply.checked_sub(1)?;
        Some(self.record.plies[played].pit)
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
        let [south, north] = self.record.entrants.each_ref().map(|it| printable(it));
        format!(
            "{}: {south} (South) against {north} (North), ply {ply} of {}\n{}\n{}\n{}",
            self.record.id,
            self.last(),
            drawn(position, self.move_of(ply)),
            self.played(ply),
            self.next(ply)
        )
    }

    /// What was played last: `E took 3 seeds in 52 µs, and said {"score":3}`.
    fn played(&self, ply: usize) -> String {
        let Some(played) = ply.checked_sub(1) else {
            let opening = moves_text(&self.record.opening_moves);
            return match opening.as_str() {
                "" => "the beginning of the game".to_owned(),
                moves => format!("after the opening {moves}"),
            };
        };
        let record = &self.record.plies[played];
        let store = |position: Position| position.store(record.pit.side());
        let taken = store(self.positions[ply]) - store(self.positions[played]);
        let taken = match taken {
            0 => String::new(),
            seeds => format!(" took {}", counted(seeds.into(), "seed", "seeds")),
        };
        let said = record.info.as_deref().map_or(String::new(), |info| {
            format!(", and said {}", printable(info))
        });
        let time = readable_time(record.time_us);
        format!("{}{taken} in {time}{said}", record.pit.letter())
    }

    fn next(&self, ply: usize) -> String {
        let position = self.positions[ply];
        let name = |index: usize| printable(&self.record.entrants[index]);
        if ply < self.last() {
            let side = position.to_move();
            return format!("{} to move; position {position}", name(side.index()));
        }
        let [south, north] = self.record.stores;
        let detail = match &self.record.ending {
            GameEnding::Fault(side, fault) => {
                let detail = printable(&fault.detail);
                format!(" of {}: {detail}", name(side.index()))
            }
            GameEnding::Void(void) => format!(": {}", printable(&void.cause)),
            _ => String::new(),
        };
        let ending = self.record.ending.name();
        format!("{ending}{detail}; final stores {south}–{north}; position {position}")
    }
}
