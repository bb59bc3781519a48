//! `games.csv`: a row for each game.

use super::excluded::withdrawn_after;
use crate::record::{Exclusions, GameId, GameRecord, GameSummary};
use crate::report::csv_writer::CsvWriter;
use crate::rules::{GameResult, Side, moves_text};
use std::io::{self, Write};

const COLUMNS: [&str; 32] = [
    "id",
    "pair",
    "opening",
    "opening_moves",
    "start",
    "south",
    "north",
    "result",
    "ending",
    "fault_side",
    "withdrawn",
    "plies",
    "store_south",
    "store_north",
    "mean_time_south_us",
    "max_time_south_us",
    "total_time_south_us",
    "mean_time_north_us",
    "max_time_north_us",
    "total_time_north_us",
    "mean_cpu_time_south_us",
    "max_cpu_time_south_us",
    "total_cpu_time_south_us",
    "mean_cpu_time_north_us",
    "max_cpu_time_north_us",
    "total_cpu_time_north_us",
    "preempted_time_south_us",
    "preempted_time_north_us",
    "off_turn_cpu_time_south_us",
    "off_turn_cpu_time_north_us",
    "max_late_time_us",
    "moves",
];

/// Writes `games.csv`: a row for each game that counts, in the order of the schedule. Each row is
/// written when its game is added, and is not kept.
///
/// | column | what it holds |
/// |---|---|
/// | `id` | the game: pair and 1 or 2, as in `17.2` |
/// | `pair` | the pair's number, unique in the tournament |
/// | `opening` | number of the opening in the tournament's list, from 1 |
/// | `opening_moves` | its moves, as in `CdFb`; empty if it was given as a position |
/// | `start` | the position after the opening |
/// | `south`, `north` | names of the entrants |
/// | `result` | `1-0` if South won, `0-1` if North won, `1/2-1/2` |
/// | `ending` | `majority`, `no-move`, `resignation`, `timeout`, … |
/// | `fault_side` | `south` or `north`, whose fault ended the game; else empty |
/// | `withdrawn` | `south`, `north` or `both`, who played no game after this one; else empty |
/// | `plies` | plies after the opening |
/// | `store_south`, `store_north` | final stores, seeds |
/// | `mean_time_south_us` | mean time of South's moves, rounded, µs; empty if it made none |
/// | `max_time_south_us` | its longest, µs; empty if it made none |
/// | `total_time_south_us` | all of them together, µs |
/// | the same with `north` | |
/// | the same with `cpu_time` | CPU times, µs; short turns count in mean and total only |
/// | `preempted_time_south_us` | time of its moves that other programs took, not charged, µs |
/// | `off_turn_cpu_time_south_us` | its CPU time in North's turns, µs; empty if unknown |
/// | the same with `north` | |
/// | `max_late_time_us` | how late the host was at the latest, µs; empty if it is not known |
/// | `moves` | the moves after the opening |
///
/// Times are those of moves that were played, without the turn of a fault.
pub struct GamesCsv<W: Write> {
    csv: CsvWriter<W>,
    last: Option<GameId>,
    exclusions: Exclusions,
}

impl<W: Write> GamesCsv<W> {
    /// Starts the table with the names of the columns.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W) -> io::Result<Self> {
        Ok(Self {
            csv: CsvWriter::new(out, &COLUMNS)?,
            last: None,
            exclusions: Exclusions::default(),
        })
    }

    /// Sets what does not count; to be called before the first game.
    #[must_use]
    pub fn excluding(self, exclusions: Exclusions) -> Self {
        Self { exclusions, ..self }
    }

    /// Adds the row of a game, unless it is void or excluded. Each game must be added once, in the
    /// order of the ids, which is that of the schedule.
    ///
    /// # Errors
    /// Those of the output.
    ///
    /// # Panics
    /// A game was added too late, or twice.
    pub fn add(&mut self, record: &GameRecord) -> io::Result<()> {
        self.add_summary(&GameSummary::of(record))
    }

    /// The same from the game's summary.
    ///
    /// # Errors
    /// Those of the output.
    ///
    /// # Panics
    /// A game was added too late, or twice.
    pub fn add_summary(&mut self, game: &GameSummary) -> io::Result<()> {
        let Some(result) = game.result() else {
            return Ok(());
        };
        let last = self.last.replace(game.id.clone());
        assert!(
            last.is_none_or(|last| last < game.id),
            "games come in schedule order, each once"
        );
        if self.exclusions.counted(game).is_none() {
            return Ok(());
        }
        let withdrawn = withdrawn_after(game, &self.exclusions);
        write_game(&mut self.csv, game, result, withdrawn)
    }

    /// Ends the table and returns the output.
    ///
    /// # Errors
    /// Those of the output.
    pub fn into_inner(self) -> io::Result<W> {
        self.csv.into_inner()
    }

    /// Ends the table.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(self) -> io::Result<()> {
        self.csv.finish()
    }
}

fn write_game<W: Write>(
    csv: &mut CsvWriter<W>,
    game: &GameSummary,
    result: GameResult,
    withdrawn: &str,
) -> io::Result<()> {
    csv.number(Some(&game.id))?;
    csv.number(Some(&game.id.pair))?;
    csv.number(Some(game.opening))?;
    csv.text(&moves_text(&game.opening_moves))?;
    csv.text(&game.start.to_string())?;
    for name in game.entrants.iter() {
        csv.text(name)?;
    }
    csv.text(match result {
        GameResult::Win(Side::South) => "1-0",
        GameResult::Win(Side::North) => "0-1",
        GameResult::Draw => "1/2-1/2",
    })?;
    csv.text(game.ending.name())?;
    csv.text(game.fault().map_or("", |(side, _)| side.name()))?;
    csv.text(withdrawn)?;
    csv.number(Some(game.moves.len()))?;
    for store in game.stores {
        csv.number(Some(store))?;
    }
    for side in Side::BOTH {
        let times = game.times[side.index()];
        csv.number(times.mean_us())?;
        csv.number(times.max_us())?;
        csv.number(Some(times.total_us()))?;
    }
    for side in Side::BOTH {
        let times = game.cpu_times[side.index()];
        csv.number(times.mean_us())?;
        csv.number(times.max_us())?;
        csv.number((times.moves() > 0).then(|| times.total_us()))?;
    }
    for side in Side::BOTH {
        csv.number(Some(game.preempted_us[side.index()]))?;
    }
    for side in Side::BOTH {
        csv.number(game.off_turn_us[side.index()])?;
    }
    csv.number(game.lateness_us)?;
    csv.text(&moves_text(&game.moves))?;
    csv.end_row()
}
