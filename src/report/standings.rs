//! `standings.csv`: a row for each entrant.

use super::bounded_elo::{contradicts_the_order, elo_text};
use super::counted::CountedGame;
use super::crosstable::{fill_results, score};
use super::excluded::{Status, reason};
use super::ranking::places;
use super::table::{Column, ShownColumn};
use super::text::{bound_sign, readable_time, shortened, tenths};
use crate::record::{Exclusions, FaultKind, GameId, GameSummary, MoveTimes, PairId};
use crate::rules::{GameResult, Side};
use crate::stats::game::RatedEntrant;
use crate::stats::ranks::{RankSet, Ranks};
use crate::stats::rating::{BoundDirection, TooManyRatings, rate};
use crate::stats::ratings::{RatingModel, Ratings, ZeroPoint};
use crate::stats::tally::{Results, Tally};
use crate::text::printable;
use std::collections::{BTreeMap, BTreeSet};

/// Ranks of more entrants are not computed: the time grows with the square of their number.
pub const MOST_RANKED: usize = 500;

/// One entrant's row. The columns of `standings.csv` say more of each value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StandingsRow {
    /// 1 + the number of entrants of its pool that are ranked before it. Entrants with the same Elo
    /// to a tenth and the same bound share a rank, and the following ranks are skipped. Higher Elo
    /// comes first, but no entrant is ranked before one that won every game against it, directly or
    /// through a chain, whatever the numbers with `>` and `<` are.
    pub rank: Option<usize>,
    /// Its name.
    pub entrant: String,
    /// Its clock in words, if not all entrants have the same; empty otherwise.
    pub clock: String,
    /// One joint maximum-likelihood fit of all games. Without anchors, the mean of the entrants of
    /// a pool that are rated without a bound is 0.
    pub elo: Option<f64>,
    /// Whether `elo` is only a bound: all games against the others, or against those that remain
    /// when such entrants are removed, ended the same way. The bound is that of a likelihood-ratio
    /// test at 95 %.
    pub bound: Option<BoundDirection>,
    /// Whether that bound contradicts the order of the table, which is certain.
    pub is_bound_misleading: bool,
    /// Half the width of the 95 % interval of `elo`.
    pub error95: Option<f64>,
    /// The zero point of `elo` and `error95`. The error of a difference of two entrants is another
    /// number: see `los.csv`.
    pub zero_point: Option<ZeroPoint>,
    /// The ranks that it may have, with 95 %. Unknown where no difference is known, and with more
    /// than [`MOST_RANKED`] entrants.
    pub ranks: Option<RankSet>,
    /// Its results.
    pub results: Results,
    /// The number of games in the plan. `None` where results decide when the run ends.
    pub planned_games: Option<u64>,
    /// Pairs both of whose games count.
    pub pairs: u64,
    /// The sum of its final stores.
    pub seeds_for: u64,
    /// The sum of its opponents' final stores.
    pub seeds_against: u64,
    /// Its games as South.
    pub as_south: Results,
    /// Games that it lost by a fault, in the order of [`FaultKind::ALL`].
    pub faults: [u64; FaultKind::ALL.len()],
    /// Void attempts at its games in which it was on turn or getting ready, including games that do
    /// not count. Like times, they say something about the host.
    pub voids_on_turn: u64,
    /// Times of its moves, without the turn of a fault.
    pub times: MoveTimes,
    /// The known CPU times of its moves.
    pub cpu_times: MoveTimes,
    /// The longest time of an answer to `new-game` that was in time, if known.
    pub max_ready_us: Option<u64>,
    /// Entrants with different numbers never met, directly or through others. Counted from 1.
    pub pool: Option<usize>,
    /// Whether it was withdrawn or not admitted.
    pub status: Status,
    /// Why, in one line; empty otherwise.
    pub reason: String,
    /// What its program calls itself, as in `ada v1.2`, if it says so. Hostile text. Not in the CSV
    /// file, because it depends on which games a journal still has.
    pub calls_itself: Option<String>,
}

/// The title of the column of names for people. They are not shortened there.
pub const ENTRANT_TITLE: &str = "entrant";
/// The width of what a program calls itself, in columns.
const NAME_COLUMNS: usize = 40;

/// The rank.
pub const RANK: Column<StandingsRow> = Column {
    names: &["rank"],
    about: "1 for the highest Elo of its pool, but an entrant that won every game against another \
            stands before it; equal entrants share a rank",
    fill: |row, cells| cells.number(row.rank),
    shown: &[ShownColumn::number("#", 0, |row| shown(row.rank))],
};

/// The name.
pub const ENTRANT: Column<StandingsRow> = Column {
    names: &["entrant"],
    about: "its name",
    fill: |row, cells| cells.text(&row.entrant),
    shown: &[ShownColumn::text(ENTRANT_TITLE, 0, |row| {
        printable(&row.entrant)
    })],
};

/// The rating.
pub const ELO: Column<StandingsRow> = Column {
    names: &["elo", "bound", "error95"],
    about: "rating; `>` or `<` if it is only a bound; half the 95 % interval",
    fill: |row, cells| {
        cells.number(row.elo.map(tenths));
        cells.text(bound_sign(row.bound));
        cells.number(row.error95.map(tenths));
    },
    shown: &[
        ShownColumn::number("Elo", 0, elo_text),
        ShownColumn::number("±95 %", 0, |row| {
            row.error95.map(tenths).unwrap_or_default()
        }),
    ],
};

/// The results.
pub const RESULTS: Column<StandingsRow> = Column {
    names: &["games", "wins", "draws", "losses", "score"],
    about: "score is points per game, a draw is half a point",
    fill: |row, cells| fill_results(&row.results, cells),
    shown: &[
        ShownColumn::number("games", 8, |row| row.results.games().to_string()),
        ShownColumn::number("won", 7, |row| row.results.wins.to_string()),
        ShownColumn::number("drawn", 6, |row| row.results.draws.to_string()),
        ShownColumn::number("lost", 5, |row| row.results.losses.to_string()),
        ShownColumn::number("score", 0, |row| {
            score(&row.results).map_or(String::new(), |score| format!("{:.1} %", 100.0 * score))
        }),
    ],
};

/// The pool.
pub const POOL: Column<StandingsRow> = Column::new(
    &["pool"],
    "entrants linked by games; Elo and ranks are comparable only within one pool",
    |row, cells| cells.number(row.pool),
);

/// The columns of `standings.csv`.
pub const STANDINGS: &[Column<StandingsRow>] = &[
    RANK,
    ENTRANT,
    Column::for_people(&[
        ShownColumn::text("clock", 0, |row: &StandingsRow| row.clock.clone()).optional(),
    ]),
    ELO,
    Column::new(
        &["relative_to"],
        "the zero point of these: the `mean` of the entrants, or the `anchor`",
        |row, cells| {
            cells.text(row.zero_point.map_or("", |it| match it {
                ZeroPoint::Mean => "mean",
                ZeroPoint::Anchor => "anchor",
            }));
        },
    ),
    Column::new(
        &["may_be_best", "rank_low", "rank_high"],
        "`yes` if no entrant of its pool is significantly stronger (95 %), else `no`; the \
                ranks that it may really have (95 %)",
        |row, cells| {
            let may_be_best = row.ranks.map(|it| it.may_be_best());
            cells.text(may_be_best.map_or("", |it| if it { "yes" } else { "no" }));
            cells.number(row.ranks.map(|it| it.low));
            cells.number(row.ranks.map(|it| it.high));
        },
    ),
    RESULTS,
    Column::new(
        &["planned_games"],
        "its games in the plan: more than `games` in an unfinished run, or if pairs are \
                open; empty in a test, which ends by results",
        |row, cells| cells.number(row.planned_games),
    ),
    Column::new(
        &["pairs", "seeds_for", "seeds_against"],
        "pairs of which both games count; sums of final stores",
        |row, cells| {
            for count in [row.pairs, row.seeds_for, row.seeds_against] {
                cells.number(Some(count));
            }
        },
    ),
    Column::new(
        &["first_player_score"],
        "score in its games as South, which moves first",
        |row, cells| {
            cells.number(score(&row.as_south).map(|score| format!("{score:.4}")));
        },
    ),
    Column::new(
        &FAULT_NAMES,
        "games that it lost by each fault",
        |row, cells| row.faults.iter().for_each(|it| cells.number(Some(it))),
    ),
    Column::new(
        &["voids_on_turn"],
        "void attempts at its games in which it was on turn: [`voids.md`](design/voids.md)",
        |row, cells| cells.number(Some(row.voids_on_turn)),
    ),
    Column {
        names: &["mean_time_us", "max_time_us"],
        about: "per move, without the turn of a fault, µs",
        fill: |row, cells| {
            cells.number(row.times.mean_us());
            cells.number(row.times.max_us());
        },
        shown: &[
            ShownColumn::number("mean time", 3, |row: &StandingsRow| {
                time_text(row.times.mean_us())
            })
            .optional(),
            ShownColumn::number("max time", 2, |row: &StandingsRow| {
                time_text(row.times.max_us())
            })
            .optional(),
        ],
    },
    Column::new(
        &["mean_cpu_time_us", "max_cpu_time_us"],
        "the same in CPU time, µs; empty where it cannot be measured. Moves within their \
                first moment (250 µs) count in the mean only ([`clocks.md`](design/clocks.md))",
        |row, cells| {
            cells.number(row.cpu_times.mean_us());
            cells.number(row.cpu_times.max_us());
        },
    ),
    Column::new(
        &["max_new_game_time_us"],
        "the longest time until it was ready for a game, µs",
        |row, cells| cells.number(row.max_ready_us),
    ),
    POOL,
    Column::for_people(&[ShownColumn::text("faults", 0, StandingsRow::faults_text).optional()]),
    Column {
        names: &["status", "last_game"],
        about: "`withdrawn` because of its faults, and its last game that counts; or \
                `not-admitted`",
        fill: |row, cells| {
            cells.text(row.status.name());
            cells.text(&shown(row.status.last_game()));
        },
        // A note below the table says it, too.
        shown: &[
            ShownColumn::text("status", 4, |row: &StandingsRow| row.status.words()).optional(),
        ],
    },
    Column::new(
        &["reason"],
        "why it was not admitted or was withdrawn, in one line; empty for all others",
        |row, cells| cells.text(&row.reason),
    ),
    Column::new(
        &["clock"],
        "its clock, if not all entrants have the same: `50ms a move`. Then an Elo is that of a \
                program under its clock",
        |row, cells| cells.text(&row.clock),
    ),
    Column::for_people(&[ShownColumn::text("calls itself", 1, other_name).optional()]),
];

/// The columns of faults: the names of [`FaultKind::ALL`] with `_`.
const FAULT_NAMES: [&str; FaultKind::ALL.len()] = [
    "timeout",
    "illegal_move",
    "bad_output",
    "output_limit",
    "crash",
    "memory_limit",
    "process_limit",
    "temporary_limit",
    "start_failure",
    "busy_off_turn",
    "slow_to_quit",
    "blocks_starts",
];

fn shown(value: Option<impl ToString>) -> String {
    value.map(|it| it.to_string()).unwrap_or_default()
}

fn time_text(time_us: Option<u64>) -> String {
    time_us.map(readable_time).unwrap_or_default()
}

/// What its program calls itself, if that is another name than in the configuration: `minimax 2`
/// is no other name for `minimax-3`.
fn other_name(row: &StandingsRow) -> String {
    let own = row.entrant.to_lowercase();
    let said = row.calls_itself.as_deref().unwrap_or_default();
    match said.split_whitespace().next() {
        Some(name) if !own.contains(&name.to_lowercase()) => shortened(said, NAME_COLUMNS),
        _ => String::new(),
    }
}

/// All rows: by pool, then rank, then the order of the plan; entrants without games come last.
#[derive(Clone, Debug)]
pub struct Standings {
    rows: Vec<StandingsRow>,
    ratings: Ratings,
    ranks: Ranks,
}

impl Standings {
    /// `counts` and `tally` are of the same games, without excluded ones.
    pub(super) fn new(
        counts: EntrantCounts,
        tally: &Tally,
        model: &RatingModel,
        exclusions: &Exclusions,
    ) -> Result<Self, TooManyRatings> {
        let ratings = rate(tally, model)?;
        let ranks = if ratings.ratings.len() <= MOST_RANKED {
            ratings.ranks()
        } else {
            Ranks::unknown(ratings.ratings.len())
        };
        let mut rows = ranked(counts.rows, &ratings, &ranks);
        for row in &mut rows {
            row.status = Status::of(&row.entrant, exclusions);
            row.reason = reason(&row.entrant, &row.faults_text(), exclusions);
        }
        Ok(Self {
            rows,
            ratings,
            ranks,
        })
    }

    /// The rows in their order.
    pub fn rows(&self) -> &[StandingsRow] {
        &self.rows
    }

    /// Whether any game was lost by a fault.
    pub fn any_fault(&self) -> bool {
        self.rows
            .iter()
            .any(|row| row.faults.iter().any(|&count| count > 0))
    }

    /// Sets what the entrants' programs called themselves, by the entrants' names.
    pub(super) fn introduced(mut self, mut introductions: BTreeMap<String, String>) -> Self {
        for row in &mut self.rows {
            row.calls_itself = introductions.remove(&row.entrant);
        }
        self
    }

    /// The fit of the Elo; entrants are numbered in the order of the plan.
    pub const fn ratings(&self) -> &Ratings {
        &self.ratings
    }

    /// How far the ratings determine the ranks.
    pub const fn ranks(&self) -> &Ranks {
        &self.ranks
    }
}

/// The rows of ratings alone, for games from any source: the best first, those without games last.
/// `names` are by the entrants' numbers.
pub fn rated_rows(names: &[String], ratings: &Ratings) -> Vec<StandingsRow> {
    let rows = names
        .iter()
        .zip(&ratings.ratings)
        .map(|(name, rating)| StandingsRow {
            results: rating.results,
            ..StandingsRow::without_games(name)
        });
    ranked(rows.collect(), ratings, &Ranks::unknown(names.len()))
}

/// The rows, which are in the order of the plan, with their ratings: by pool, then rank, then the
/// order of the plan; those without games last.
fn ranked(rows: Vec<StandingsRow>, ratings: &Ratings, ranks: &Ranks) -> Vec<StandingsRow> {
    let mut rows: Vec<Option<StandingsRow>> = rows.into_iter().map(Some).collect();
    let mut sorted = Vec::with_capacity(rows.len());
    for place in places(ratings) {
        let rating = &ratings.ratings[place.entrant];
        let row = rows[place.entrant].take();
        sorted.push(StandingsRow {
            rank: Some(place.rank),
            pool: Some(place.pool),
            elo: Some(rating.elo),
            bound: rating.bound,
            error95: rating.error95,
            zero_point: Some(rating.zero_point),
            ranks: ranks.sets[place.entrant],
            ..row.expect("everybody has one place")
        });
    }
    sorted.extend(rows.into_iter().flatten());
    for place in 0..sorted.len() {
        sorted[place].is_bound_misleading = contradicts_the_order(&sorted[place], &sorted);
    }
    sorted
}

impl StandingsRow {
    pub(super) fn without_games(name: &str) -> Self {
        Self {
            rank: None,
            entrant: name.to_owned(),
            clock: String::new(),
            elo: None,
            bound: None,
            is_bound_misleading: false,
            error95: None,
            zero_point: None,
            ranks: None,
            results: Results::default(),
            planned_games: None,
            pairs: 0,
            seeds_for: 0,
            seeds_against: 0,
            as_south: Results::default(),
            faults: [0; FaultKind::ALL.len()],
            voids_on_turn: 0,
            times: MoveTimes::default(),
            cpu_times: MoveTimes::default(),
            max_ready_us: None,
            pool: None,
            status: Status::default(),
            reason: String::new(),
            calls_itself: None,
        }
    }

    /// Its faults by kind, for example `3 timeout, 1 crash`; empty without faults.
    pub fn faults_text(&self) -> String {
        let texts: Vec<String> = self
            .faults
            .iter()
            .zip(FaultKind::ALL)
            .filter(|&(&count, _)| count > 0)
            .map(|(count, kind)| format!("{count} {kind}"))
            .collect();
        texts.join(", ")
    }

    /// The number of games that it lost by a fault.
    pub fn fault_count(&self) -> u64 {
        self.faults.iter().sum()
    }
}

/// The numbers that are counted game by game.
#[derive(Clone, Debug)]
pub struct EntrantCounts {
    /// In the order of the plan.
    rows: Vec<StandingsRow>,
    /// The entrants of a pair whose other game was not added yet.
    half: BTreeMap<PairId, [RatedEntrant; 2]>,
    /// The void attempts that were counted.
    voids: BTreeSet<(GameId, u32)>,
}

impl EntrantCounts {
    pub(super) fn new(names: &[String]) -> Self {
        let rows = names.iter().map(|name| StandingsRow::without_games(name));
        Self {
            rows: rows.collect(),
            half: BTreeMap::new(),
            voids: BTreeSet::new(),
        }
    }

    /// Sets the number of planned games of each entrant.
    pub(super) fn plan(&mut self, games: &[u64]) {
        for (row, &games) in self.rows.iter_mut().zip(games) {
            row.planned_games = Some(games);
        }
    }

    /// Sets the clock of each entrant, in words.
    pub(super) fn clock(&mut self, clocks: impl IntoIterator<Item = String>) {
        for (row, clock) in self.rows.iter_mut().zip(clocks) {
            row.clock = clock;
        }
    }

    /// Counts the entrant on turn in a void attempt, once.
    pub(super) fn note_void(&mut self, game: &GameSummary) {
        if let Some(side) = game.void().and_then(|void| void.on_turn)
            && self.voids.insert((game.id.clone(), game.attempt))
        {
            let name = &game.entrants[side.index()];
            // An unknown entrant is reported where games are counted.
            if let Some(row) = self.rows.iter_mut().find(|row| row.entrant == *name) {
                row.voids_on_turn += 1;
            }
        }
    }

    pub(super) fn add(&mut self, game: &CountedGame<'_>) {
        let summary = game.summary;
        for side in Side::BOTH {
            let row = &mut self.rows[game.sides[side.index()].position()];
            add_result(&mut row.results, game.result, side);
            if side == Side::South {
                add_result(&mut row.as_south, game.result, side);
            }
            row.seeds_for += u64::from(summary.stores[side.index()]);
            row.seeds_against += u64::from(summary.stores[side.opponent().index()]);
            row.times = row.times.and(summary.times[side.index()]);
            row.cpu_times = row.cpu_times.and(summary.cpu_times[side.index()]);
            row.max_ready_us = row.max_ready_us.max(summary.ready_us[side.index()]);
            for (count, kind) in row.faults.iter_mut().zip(FaultKind::ALL) {
                *count += u64::from(summary.fault() == Some((side, kind)));
            }
        }
        self.count_pair(&summary.id.pair, game.sides);
    }

    /// Counts a pair for the entrants that played both of its games.
    fn count_pair(&mut self, pair: &PairId, sides: [RatedEntrant; 2]) {
        let Some(others) = self.half.remove(pair) else {
            self.half.insert(pair.clone(), sides);
            return;
        };
        for side in sides.into_iter().filter(|side| others.contains(side)) {
            self.rows[side.position()].pairs += 1;
        }
    }
}

fn add_result(results: &mut Results, result: GameResult, side: Side) {
    match result {
        GameResult::Win(winner) if winner == side => results.wins += 1,
        GameResult::Win(_) => results.losses += 1,
        GameResult::Draw => results.draws += 1,
    }
}
