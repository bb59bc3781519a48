//! `noise.csv` and its summary: how late the host was, and which games it made void.

use crate::record::{ChargedGame, Exclusions, GameId, GameNumber, GameRecord, GameSummary};
use crate::report::csv_writer::CsvWriter;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, Write};

/// A host is quiet if it is never later than this, in µs.
const QUIET_US: u64 = 1_000;
/// The number of disturbed games that the summary names.
const NAMED: usize = 5;

/// The row of an attempt in `noise.csv`.
#[derive(Clone, Debug)]
struct NoiseRow {
    late_us: Option<u64>,
    /// The cause, if it is void.
    void: Option<String>,
    /// The entrant that was on turn in a void attempt, or was getting ready.
    on_turn: Option<String>,
    /// The entrant to which it is charged.
    charged_to: Option<String>,
    ending: &'static str,
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
    /// How many attempts were this late, in µs.
    late: BTreeMap<u64, usize>,
    charged: BTreeMap<GameId, ChargedGame>,
}

impl HostNoise {
    /// Sets the charged games, which the table marks; to be called before the first attempt.
    #[must_use]
    pub fn charging(self, exclusions: &Exclusions) -> Self {
        Self {
            charged: exclusions.charged_games.clone(),
            ..self
        }
    }

    /// Adds an attempt. A repeated one counts once.
    pub fn add(&mut self, record: &GameRecord) {
        self.add_summary(&GameSummary::of(record));
    }

    /// The same from the game's summary.
    pub fn add_summary(&mut self, game: &GameSummary) {
        let GameId { pair, number } = &game.id;
        if !self.added.insert((pair.key(), *number, game.attempt)) {
            return;
        }
        if let Some(late_us) = game.lateness_us {
            *self.late.entry(late_us).or_default() += 1;
        }
        if let Some(row) = self.row(game) {
            self.rows.insert((game.id.clone(), game.attempt), row);
        }
    }

    /// The row of a void attempt, or of one in which the host was late.
    fn row(&self, game: &GameSummary) -> Option<NoiseRow> {
        let void = game.void();
        if void.is_none() && game.lateness_us.unwrap_or(0) <= QUIET_US {
            return None;
        }
        let on_turn = void.and_then(|it| it.on_turn);
        Some(NoiseRow {
            late_us: game.lateness_us,
            void: void.map(|it| it.cause.clone()),
            on_turn: on_turn.map(|side| game.entrants[side.index()].clone()),
            charged_to: (self.charged.get(&game.id))
                .filter(|it| it.attempt == game.attempt)
                .map(|it| game.entrants[it.side.index()].clone()),
            ending: game.ending.name(),
        })
    }

    /// The games of void attempts, one for each attempt.
    fn voided(&self) -> impl Iterator<Item = &GameId> {
        let rows = self.rows.iter();
        let voided = rows.filter(|(_, row)| row.void.is_some());
        voided.map(|((game, _), _)| game)
    }

    /// The lateness, in µs, that this percentage of the attempts did not exceed (nearest rank);
    /// `None` if it is unknown for all of them.
    pub fn percentile_us(&self, percent: usize) -> Option<u64> {
        let attempts: usize = self.late.values().sum();
        let rank = (attempts * percent).div_ceil(100).max(1);
        let mut below = 0;
        let mut late = self.late.iter();
        let reached = late.find(|(_, count)| {
            below += **count;
            below >= rank
        });
        reached.map(|(late_us, _)| *late_us)
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
        let ms = |percent| format!("{:.1} ms", percentile(percent) as f64 / 1e3);
        let lateness = format!(
            "The host was late by {} in half of the games, by {} in 1 of 100, by {} at most",
            ms(50),
            ms(99),
            ms(100)
        );
        if voids == 0 {
            return Some(lateness + ": see noise.csv.");
        }
        let games: BTreeSet<GameId> = self.voided().cloned().collect();
        let named: Vec<String> = games.iter().take(NAMED).map(GameId::to_string).collect();
        let more = if games.len() > NAMED { ", …" } else { "" };
        let (named, times) = (named.join(", "), if voids == 1 { "time" } else { "times" });
        Some(format!(
            "{lateness}; it made a game void {voids} {times} ({named}{more}): see noise.csv."
        ))
    }

    /// Writes `noise.csv`: a row for each void attempt, and for each in which the host was late by
    /// more than 1 ms, in the order of the schedule.
    ///
    /// | column | what it holds |
    /// |---|---|
    /// | `id`, `attempt` | the game, and which attempt at it, from 1 |
    /// | `ending` | how the attempt ended: `void` if the host disturbed it |
    /// | `max_late_time_us` | how late the host was at the latest, µs; empty if it is not known |
    /// | `on_turn` | in a void attempt: the entrant that was on turn, or was getting ready |
    /// | `charged_to` | the entrant whose loss it is all the same; else empty |
    /// | `cause` | why it was void |
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let columns = [
            "id",
            "attempt",
            "ending",
            "max_late_time_us",
            "on_turn",
            "charged_to",
            "cause",
        ];
        let mut csv = CsvWriter::new(out, &columns)?;
        for ((game, number), row) in &self.rows {
            csv.number(Some(game))?;
            csv.number(Some(number))?;
            csv.text(row.ending)?;
            csv.number(row.late_us)?;
            csv.text(row.on_turn.as_deref().unwrap_or_default())?;
            csv.text(row.charged_to.as_deref().unwrap_or_default())?;
            csv.text(row.void.as_deref().unwrap_or_default())?;
            csv.end_row()?;
        }
        csv.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::game;
    use super::*;
    use crate::record::{GameEnding, Void};
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
            noise.add(record);
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
            "id,attempt,ending,max_late_time_us,on_turn,charged_to,cause\n"
        );
        assert_eq!(noise(&[]).sentence(), None);
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
            "The host was late by 0.0 ms in half of the games, by 812.0 ms in 1 of 100, by 812.0 \
             ms at most; it made a game void 1 time (2.1): see noise.csv."
        );
        assert_eq!(
            csv(&noise(&records)),
            "id,attempt,ending,max_late_time_us,on_turn,charged_to,cause\n\
             2.1,1,void,812000,bob,,'=it slept\n\
             10.2,1,no-move,1001,,,\n"
        );
    }
}
