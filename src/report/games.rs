//! `games.csv`: a row for each game.

use super::excluded::withdrawn_after;
use crate::record::{Exclusions, GameId, GameSummary};
use crate::report::table::{Column, CsvTable, fill, names};
use crate::rules::{GameResult, Side, moves_text};
use std::io::{self, Write};

/// A game, and the side that was withdrawn after it.
type GameRow = (GameSummary, &'static str);

/// The columns of `games.csv`. Times are those of moves that were played, without the turn of a
/// fault.
pub const GAMES: &[Column<GameRow>] = &[
    Column::new(
        &["id", "pair"],
        "the game, as in `ada~greedy.3.1`, and its pair: [names of \
                games](runs.md#names-of-games)",
        |(game, _), cells| {
            cells.number(Some(&game.id));
            cells.number(Some(&game.id.pair));
        },
    ),
    Column::new(
        &["opening", "opening_moves", "start"],
        "the opening's number, its moves (empty if it was given as a position), the \
                position after it",
        |(game, _), cells| {
            cells.number(Some(game.opening));
            cells.text(&moves_text(&game.opening_moves));
            cells.text(&game.start.to_string());
        },
    ),
    Column::new(
        &["south", "north", "result"],
        "the entrants; `1-0`, `0-1` or `1/2-1/2`, South first",
        |(game, _), cells| {
            game.entrants.iter().for_each(|name| cells.text(name));
            cells.text(match game.result() {
                Some(GameResult::Win(Side::South)) => "1-0",
                Some(GameResult::Win(Side::North)) => "0-1",
                Some(GameResult::Draw) => "1/2-1/2",
                None => unreachable!("a void game has no row"),
            });
        },
    ),
    Column::new(
        &["ending", "fault_side"],
        "why the game ended, and the side at fault, if any",
        |(game, _), cells| {
            cells.text(game.ending.name());
            cells.text(game.fault().map_or("", |(side, _)| side.name()));
        },
    ),
    Column::new(
        &["withdrawn"],
        "`south`, `north` or `both`: withdrawn because of faults after this game",
        |(_, withdrawn), cells| cells.text(withdrawn),
    ),
    Column::new(
        &["plies", "store_south", "store_north"],
        "plies after the opening, final stores",
        |(game, _), cells| {
            cells.number(Some(game.moves.len()));
            game.stores
                .iter()
                .for_each(|store| cells.number(Some(store)));
        },
    ),
    Column::new(
        &[
            "mean_time_south_us",
            "max_time_south_us",
            "total_time_south_us",
            "mean_time_north_us",
            "max_time_north_us",
            "total_time_north_us",
        ],
        "times of each side's moves, without the turn of a fault, µs; mean and maximum are \
                empty if it made none",
        |(game, _), cells| {
            for times in game.times {
                cells.number(times.mean_us());
                cells.number(times.max_us());
                cells.number(Some(times.total_us()));
            }
        },
    ),
    Column::new(
        &[
            "mean_cpu_time_south_us",
            "max_cpu_time_south_us",
            "total_cpu_time_south_us",
            "mean_cpu_time_north_us",
            "max_cpu_time_north_us",
            "total_cpu_time_north_us",
        ],
        "the same in CPU time, µs; empty where it cannot be measured. Moves within their \
                first moment (250 µs) count in mean and total only",
        |(game, _), cells| {
            for times in game.cpu_times {
                cells.number(times.mean_us());
                cells.number(times.max_us());
                cells.number((times.moves() > 0).then(|| times.total_us()));
            }
        },
    ),
    Column::new(
        &["preempted_time_south_us", "preempted_time_north_us"],
        "time of its moves that other programs took, which is not charged, µs",
        |(game, _), cells| {
            game.preempted_us
                .iter()
                .for_each(|it| cells.number(Some(it)));
        },
    ),
    Column::new(
        &["off_turn_cpu_time_south_us", "off_turn_cpu_time_north_us"],
        "its CPU time in the other side's turns, µs; empty if unknown",
        |(game, _), cells| game.off_turn_us.iter().for_each(|it| cells.number(*it)),
    ),
    Column::new(
        &["max_late_time_us"],
        "the largest delay of the host, µs; empty if it is not known",
        |(game, _), cells| cells.number(game.lateness_us),
    ),
    Column::new(
        &["moves"],
        "the moves after the opening",
        |(game, _), cells| cells.text(&moves_text(&game.moves)),
    ),
];

/// Writes `games.csv`: a row for each game that counts, in the order of the schedule. Each row is
/// written when its game is added, and is not kept.
pub struct GamesCsv<W: Write> {
    csv: CsvTable<W>,
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
            csv: CsvTable::new(out, names(GAMES))?,
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
    pub fn add(&mut self, game: GameSummary) -> io::Result<()> {
        if game.result().is_none() {
            return Ok(());
        }
        let last = self.last.replace(game.id.clone());
        assert!(
            last.is_none_or(|last| last < game.id),
            "games come in schedule order, each once"
        );
        if self.exclusions.counted(&game).is_none() {
            return Ok(());
        }
        let withdrawn = withdrawn_after(&game, &self.exclusions);
        let row = (game, withdrawn);
        self.csv.row(|cells| fill(GAMES, &row, cells))
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
