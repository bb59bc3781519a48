//! `noise.csv` and its summary: how late the host was, and which games it made void.

use crate::record::{GameId, GameNumber, GameSummary};
use crate::report::table::{Column, write_csv};
use crate::report::text::readable_time;
use crate::stats::fit::sign_test;
use crate::text::printable;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, Write};

/// A host is quiet if it is never later than this, in µs.
const QUIET_US: u64 = 1_000;
/// The number of disturbed games that the summary names.
const NAMED: usize = 5;
/// An entrant is named if chance makes its turns void so much more often than those of its
/// opponents with at most this probability.
const REMARKABLE: f64 = 1e-4;

/// The row of an attempt in `noise.csv`.
#[derive(Clone, Debug)]
struct NoiseRow {
    late_us: Option<u64>,
    /// The cause, if it is void.
    void: Option<String>,
    /// The entrant that was on turn in a void attempt, or was getting ready.
    on_turn: Option<String>,
    /// Its opponent.
    opponent: Option<String>,
    ending: &'static str,
}

/// The columns of `noise.csv`.
const NOISE: &[Column<((GameId, u32), NoiseRow)>] = &[
    Column::new(
        &["id", "attempt"],
        "the game, and the number of the attempt at it, from 1",
        |((game, attempt), _), cells| {
            cells.number(Some(game));
            cells.number(Some(attempt));
        },
    ),
    Column::new(
        &["ending"],
        "how the attempt ended: `void` if the host disturbed it",
        |(_, row), cells| cells.text(row.ending),
    ),
    Column::new(
        &["max_late_time_us"],
        "the largest delay of the host, µs; empty if it is not known",
        |(_, row), cells| cells.number(row.late_us),
    ),
    Column::new(
        &["on_turn"],
        "in a void attempt: the entrant that was on turn, or was getting ready",
        |(_, row), cells| cells.text(row.on_turn.as_deref().unwrap_or_default()),
    ),
    Column::new(&["cause"], "why it was void", |(_, row), cells| {
        cells.text(row.void.as_deref().unwrap_or_default());
    }),
];

/// How many attempts were how late, in µs.
#[derive(Clone, Debug, Default)]
pub struct Lateness(BTreeMap<u64, usize>);

impl Lateness {
    /// Counts an attempt whose lateness is known.
    pub fn add(&mut self, late_us: Option<u64>) {
        if let Some(late_us) = late_us {
            *self.0.entry(late_us).or_default() += 1;
        }
    }

    /// The lateness, in µs, that this percentage of the attempts did not exceed (nearest rank);
    /// `None` if it is unknown for all of them.
    pub fn percentile_us(&self, percent: usize) -> Option<u64> {
        let attempts: usize = self.0.values().sum();
        let rank = (attempts * percent).div_ceil(100).max(1);
        let mut below = 0;
        let mut late = self.0.iter();
        let reached = late.find(|(_, count)| {
            below += **count;
            below >= rank
        });
        reached.map(|(late_us, _)| *late_us)
    }
}

/// How late the host was in every attempt at a game, including void ones and those of withdrawn
/// entrants, because they all say something about the host. Some tens of bytes for each attempt:
/// nearly all have no row.
#[derive(Clone, Debug, Default)]
pub struct HostNoise {
    rows: BTreeMap<(GameId, u32), NoiseRow>,
    /// The attempts that were added, by pair, game and attempt.
    // This set is only looked up, never iterated.
    added: HashSet<(u64, GameNumber, u32)>,
    late: Lateness,
}

impl HostNoise {
    /// Adds an attempt. A repeated one counts once.
    pub fn add(&mut self, game: &GameSummary) {
        let GameId { pair, number } = &game.id;
        if !self.added.insert((pair.key(), *number, game.attempt)) {
            return;
        }
        self.late.add(game.lateness_us);
        if let Some(row) = Self::row(game) {
            self.rows.insert((game.id.clone(), game.attempt), row);
        }
    }

    /// The row of a void attempt, or of one in which the host was late.
    fn row(game: &GameSummary) -> Option<NoiseRow> {
        let void = game.void();
        if void.is_none() && game.lateness_us.unwrap_or(0) <= QUIET_US {
            return None;
        }
        let on_turn = void.and_then(|it| it.on_turn);
        Some(NoiseRow {
            late_us: game.lateness_us,
            void: void.map(|it| it.cause.clone()),
            on_turn: on_turn.map(|side| game.entrants[side.index()].clone()),
            opponent: on_turn.map(|side| game.entrants[side.opponent().index()].clone()),
            ending: game.ending.name(),
        })
    }

    /// The games of void attempts, one for each attempt.
    fn voided(&self) -> impl Iterator<Item = &GameId> {
        let rows = self.rows.iter();
        let voided = rows.filter(|(_, row)| row.void.is_some());
        voided.map(|((game, _), _)| game)
    }

    /// The percentile in µs of all attempts.
    pub fn percentile_us(&self, percent: usize) -> Option<u64> {
        self.late.percentile_us(percent)
    }

    /// The number of void attempts.
    pub fn voids(&self) -> usize {
        self.voided().count()
    }

    /// A sentence about the host for readers; `None` if it was quiet.
    pub fn sentence(&self) -> Option<String> {
        let percentile = |percent| self.percentile_us(percent).unwrap_or(0);
        let voids = self.voids();
        if voids == 0 && percentile(99) <= QUIET_US {
            return None;
        }
        let lateness = format!(
            "The machine stalled for {} in 1 of 100 games. Bots were not charged for it",
            readable_time(percentile(99))
        );
        if voids == 0 {
            return Some(lateness + ": see noise.csv.");
        }
        let games: BTreeSet<GameId> = self.voided().cloned().collect();
        let named: Vec<String> = games.iter().take(NAMED).map(GameId::to_string).collect();
        let more = if games.len() > NAMED { ", …" } else { "" };
        let (named, times) = (named.join(", "), if voids == 1 { "time" } else { "times" });
        let often = self.often_void();
        Some(format!(
            "{lateness}; it made a game void {voids} {times} ({named}{more}): see noise.csv.{often}"
        ))
    }

    /// A sentence about each entrant whose turns were void far more often than its opponents'.
    fn often_void(&self) -> String {
        let mut counts: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
        for row in self.rows.values() {
            for (name, place) in [&row.on_turn, &row.opponent].into_iter().zip([0, 1]) {
                if let Some(name) = name {
                    counts.entry(name).or_default()[place] += 1;
                }
            }
        }
        let is_often =
            |own: u64, others: u64| own > others && sign_test(own, others) / 2.0 < REMARKABLE;
        let often = counts
            .into_iter()
            .filter(|(_, [own, others])| is_often(*own, *others));
        let sentence = |(name, [own, others]): (&str, [u64; 2])| {
            format!(
                " The turns of {} were void {own} times, those of its opponents {others} times: \
                 that is not chance, and no proof against it.",
                printable(name)
            )
        };
        often.map(sentence).collect()
    }

    /// Writes `noise.csv`: a row for each void attempt, and for each in which the host was late by
    /// more than 1 ms, in the order of the schedule.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let rows = self.rows.iter();
        let rows = rows.map(|(attempt, row)| (attempt.clone(), row.clone()));
        write_csv(NOISE, rows, out)
    }

    /// The part of `docs/tables.md` on `noise.csv`.
    #[cfg(test)]
    pub(super) fn documented() -> String {
        super::table::documented(NOISE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample::game;
    use crate::record::{GameEnding, GameRecord, Void};
    use crate::rules::Side;

    fn late(id: &str, attempt: u32, late_us: u64) -> GameRecord {
        GameRecord {
            attempt,
            lateness_us: Some(late_us),
            ..game(id, ["ada", "bob"], [25, 23])
        }
    }

    fn noise(records: &[GameRecord]) -> HostNoise {
        let mut noise = HostNoise::default();
        for record in records {
            noise.add(&GameSummary::of(record));
        }
        noise
    }

    fn csv(noise: &HostNoise) -> String {
        let mut out = Vec::new();
        noise.write_csv(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let records: Vec<GameRecord> = (1..=200)
            .map(|pair| late(&format!("{pair}.1"), 1, pair * 10))
            .collect();
        let noise = noise(&records);
        for (percent, late_us) in [(50, 1_000), (99, 1_980), (100, 2_000), (1, 20), (0, 10)] {
            assert_eq!(noise.percentile_us(percent), Some(late_us), "{percent}");
        }
        assert_eq!(HostNoise::default().percentile_us(50), None);
    }

    #[test]
    fn a_quiet_host_is_not_spoken_of() {
        let unknown = game("1.2", ["ada", "bob"], [25, 23]);
        let quiet = noise(&[late("1.1", 1, 1_000), unknown]);
        assert_eq!(quiet.sentence(), None);
        assert_eq!(
            csv(&quiet),
            "id,attempt,ending,max_late_time_us,on_turn,cause\n"
        );
        assert_eq!(noise(&[]).sentence(), None);
    }

    /// Of 13 fair throws, 13 have the probability 1/8192, and 14 of 14 have 1/16384.
    #[test]
    fn an_entrant_is_named_whose_turns_are_void_far_more_often() {
        let voids = |count: u64, side: Side| {
            let pairs = (1..=count).map(move |it| it + 100 * side.index() as u64);
            pairs.map(move |pair| {
                let void = Void::new("late").on_turn(side);
                late(&format!("{pair}.1"), 1, 5_000).ended(GameEnding::Void(void))
            })
        };
        for (south, north, named) in [(13, 0, None), (14, 0, Some("ada")), (3, 24, Some("bob"))] {
            let records: Vec<_> = voids(south, Side::South)
                .chain(voids(north, Side::North))
                .collect();
            let said = noise(&records).sentence().unwrap();
            for name in ["ada", "bob"] {
                let is_named = said.contains(&format!("The turns of {name} were void"));
                assert_eq!(is_named, named == Some(name), "{said}");
            }
        }
    }

    #[test]
    fn a_noisy_host_is() {
        let void = Void::new("=it slept").on_turn(Side::North);
        let voided = late("2.1", 1, 812_000).ended(GameEnding::Void(void));
        let records = [
            late("10.2", 1, 1_001),
            late("2.1", 2, 40),
            voided.clone(),
            late("1.1", 1, 0),
            voided,
        ];
        assert_eq!(
            noise(&records).sentence().unwrap(),
            "The machine stalled for 812 ms in 1 of 100 games. Bots were not charged for it; it \
             made a game void 1 time (2.1): see noise.csv."
        );
        assert_eq!(
            csv(&noise(&records)),
            "id,attempt,ending,max_late_time_us,on_turn,cause\n\
             2.1,1,void,812000,bob,'=it slept\n\
             10.2,1,no-move,1001,,\n"
        );
    }
}
