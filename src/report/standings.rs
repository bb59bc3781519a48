//! `standings.csv`: a row for each entrant.

use super::bounded_elo::RatedRow;
use super::counted::CountedGame;
use super::crosstable::{score, write_results};
use super::excluded::{Status, reason};
use super::ranking::places;
use super::text::{bound_sign, tenths};
use crate::record::{Exclusions, FaultKind, GameId, GameSummary, MoveTimes, PairId};
use crate::report::csv_writer::CsvWriter;
use crate::rules::{GameResult, Side};
use crate::stats::game::RatedEntrant;
use crate::stats::ranks::{RankSet, Ranks};
use crate::stats::rating::{BoundDirection, TooManyRatings, rate};
use crate::stats::ratings::{RatingModel, Ratings, ZeroPoint};
use crate::stats::tally::{Results, Tally};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Ranks of more entrants are not computed: the time grows with the square of their number.
pub const MOST_RANKED: usize = 500;

/// One entrant's row. Cells without a value (no game, no move, no error) are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingsRow {
    /// `rank`: 1 + the number of entrants of its pool that are ranked before it. Entrants with the
    /// same Elo to a tenth and the same bound share a rank, and the following ranks are skipped.
    /// Higher Elo comes first, but no entrant is ranked before one that won every game against it,
    /// directly or through a chain, whatever the numbers with `>` and `<` are.
    pub rank: Option<usize>,
    /// `entrant`: its name.
    pub entrant: String,
    /// `elo`: one joint maximum-likelihood fit of all games, to a tenth. Without anchors, the mean
    /// of the entrants of a pool that are rated without a bound is 0.
    pub elo: Option<f64>,
    /// `bound`: `>` if `elo` is only a lower bound, `<` if only an upper one: all games against the
    /// others, or against those that remain when such entrants are removed, ended the same way. The
    /// bound is that of a likelihood-ratio test at 95 %.
    pub bound: Option<BoundDirection>,
    /// `error95`: half the width of the 95 % interval of `elo`, to a tenth.
    pub error95: Option<f64>,
    /// `relative_to`: the zero point of `elo` and `error95`, the `mean` of the entrants or an
    /// `anchor`. The error of a difference of two entrants is another number: see `los.csv`.
    pub zero_point: Option<ZeroPoint>,
    /// `may_be_best`: `yes` if nobody of its pool is significantly stronger, else `no`; and
    /// `rank_low`, `rank_high`: the ranks that it may have, with 95 %. Empty where no difference is
    /// known, and with more than [`MOST_RANKED`] entrants.
    pub ranks: Option<RankSet>,
    /// `games`, `wins`, `draws`, `losses`, and `score`: points divided by games, from 0 to 1, to
    /// four decimals; a draw is half a point.
    pub results: Results,
    /// `planned_games`: the number of games in the plan. If `games` is smaller, the run is not
    /// finished, or pairs are open. Empty where results decide when the run ends.
    pub planned_games: Option<u64>,
    /// `pairs`: pairs both of whose games count.
    pub pairs: u64,
    /// `seeds_for`: the sum of its final stores.
    pub seeds_for: u64,
    /// `seeds_against`: the sum of its opponents' final stores.
    pub seeds_against: u64,
    /// Its games as South; `first_player_score` is the score in them, to four decimals.
    pub as_south: Results,
    /// `timeout`, `illegal_move`, `bad_output`, `output_limit`, `crash`, `memory_limit`,
    /// `process_limit`, `start_failure`, `busy_off_turn`, `blocks_starts`: games that it lost by
    /// a fault of this kind, in the order of [`FaultKind::ALL`].
    pub faults: [u64; FaultKind::ALL.len()],
    /// `voids_on_turn`: void attempts at its games in which it was on turn or getting ready,
    /// including games that do not count. Like times, they say something about the host.
    pub voids_on_turn: u64,
    /// `mean_time_us` (rounded) and `max_time_us`: times of its moves, without the turn of a fault.
    pub times: MoveTimes,
    /// `mean_cpu_time_us` (rounded) and `max_cpu_time_us`: the known CPU times of its moves;
    /// short ones count in the mean only.
    pub cpu_times: MoveTimes,
    /// `max_new_game_time_us`: the longest time of an answer to `new-game` that was in time, if
    /// known.
    pub max_ready_us: Option<u64>,
    /// `pool`: entrants with different numbers never met, directly or through others: neither their
    /// Elo nor their ranks can be compared. Counted from 1.
    pub pool: Option<usize>,
    /// `status` and `last_game`: empty; `withdrawn` and the last game that counts; or
    /// `not-admitted`.
    pub status: Status,
    /// `reason`: why it was withdrawn or not admitted, in one line; empty otherwise.
    pub reason: String,
    /// What its program calls itself, as in `ada v1.2`, if it says so. Hostile text. Not in the CSV
    /// file, because it depends on which games a journal still has.
    pub calls_itself: Option<String>,
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
        let mut rows: Vec<Option<StandingsRow>> = counts.rows.into_iter().map(Some).collect();
        let mut sorted = Vec::with_capacity(rows.len());
        for place in places(&ratings) {
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
        for row in &mut sorted {
            row.status = Status::of(&row.entrant, exclusions);
            row.reason = reason(&row.entrant, &row.faults_text(), exclusions);
        }
        Ok(Self {
            rows: sorted,
            ratings,
            ranks,
        })
    }

    /// The rows in their order.
    pub fn rows(&self) -> &[StandingsRow] {
        &self.rows
    }

    /// The number of pools: with more than one, ranks and Elo are valid only inside each.
    pub fn pools(&self) -> usize {
        self.rows
            .iter()
            .filter_map(|row| row.pool)
            .max()
            .unwrap_or(0)
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

    pub(super) fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let fault_columns = FaultKind::ALL.map(|kind| kind.name().replace('-', "_"));
        let mut columns = vec![
            "rank",
            "entrant",
            "elo",
            "bound",
            "error95",
            "relative_to",
            "may_be_best",
            "rank_low",
            "rank_high",
            "games",
            "wins",
            "draws",
            "losses",
            "score",
            "planned_games",
            "pairs",
            "seeds_for",
            "seeds_against",
            "first_player_score",
        ];
        columns.extend(fault_columns.iter().map(String::as_str));
        columns.extend([
            "voids_on_turn",
            "mean_time_us",
            "max_time_us",
            "mean_cpu_time_us",
            "max_cpu_time_us",
            "max_new_game_time_us",
            "pool",
            "status",
            "last_game",
            "reason",
        ]);
        let mut csv = CsvWriter::new(out, &columns)?;
        for row in &self.rows {
            row.write(&mut csv)?;
        }
        csv.finish()
    }
}

impl StandingsRow {
    /// Its rating, to be shown.
    pub(super) const fn rated(&self) -> RatedRow<'_> {
        RatedRow {
            pool: self.pool,
            rank: self.rank,
            elo: self.elo,
            bound: self.bound,
            error95: self.error95,
            results: &self.results,
        }
    }

    fn without_games(name: &str) -> Self {
        Self {
            rank: None,
            entrant: name.to_owned(),
            elo: None,
            bound: None,
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

    fn write<W: Write>(&self, csv: &mut CsvWriter<W>) -> io::Result<()> {
        csv.number(self.rank)?;
        csv.text(&self.entrant)?;
        csv.number(self.elo.map(tenths))?;
        csv.text(bound_sign(self.bound))?;
        csv.number(self.error95.map(tenths))?;
        csv.text(self.zero_point.map_or("", |it| match it {
            ZeroPoint::Mean => "mean",
            ZeroPoint::Anchor => "anchor",
        }))?;
        csv.text(
            self.ranks
                .map_or("", |it| if it.may_be_best() { "yes" } else { "no" }),
        )?;
        csv.number(self.ranks.map(|it| it.low))?;
        csv.number(self.ranks.map(|it| it.high))?;
        write_results(csv, &self.results)?;
        csv.number(self.planned_games)?;
        for count in [self.pairs, self.seeds_for, self.seeds_against] {
            csv.number(Some(count))?;
        }
        csv.number(score(&self.as_south).map(|score| format!("{score:.4}")))?;
        for faults in self.faults {
            csv.number(Some(faults))?;
        }
        csv.number(Some(self.voids_on_turn))?;
        for times in [self.times, self.cpu_times] {
            csv.number(times.mean_us())?;
            csv.number(times.max_us())?;
        }
        csv.number(self.max_ready_us)?;
        csv.number(self.pool)?;
        csv.text(self.status.name())?;
        csv.number(self.status.last_game())?;
        csv.text(&self.reason)?;
        csv.end_row()
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
