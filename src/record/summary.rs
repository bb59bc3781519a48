//! What tables and decisions need of a finished game. Sums stand for the times of its plies, so a
//! summary is much smaller than its record.

use super::fault::{Fault, FaultKind};
use super::game::{GameEnding, GameRecord, Void};
use super::game_id::GameId;
use crate::rules::{GameResult, Pit, Position, Side};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// The summary of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    /// Which game of the tournament.
    pub id: GameId,
    /// The attempt, from 1.
    pub attempt: u32,
    /// Names of the entrants that were South and North. Games of one pairing can share them.
    pub entrants: Arc<[String; 2]>,
    /// Number of the opening in the tournament's list, from 1.
    pub opening: u32,
    /// The opening's moves, empty if it was given as a position.
    pub opening_moves: Arc<[Pit]>,
    /// The position after the opening, with South to move.
    pub start: Position,
    /// The moves after the opening.
    pub moves: Vec<Pit>,
    /// The times of South's and North's moves.
    pub times: [MoveTimes; 2],
    /// Their known CPU times; short turns count in mean and total only.
    pub cpu_times: [MoveTimes; 2],
    /// The sums of their preempted times, in µs.
    pub preempted_us: [u64; 2],
    /// How the game ended. A fault has no time; a void has its cause and the side on turn.
    pub ending: Arc<GameEnding>,
    /// Final stores of South and North.
    pub stores: [u8; 2],
    /// How long South and North took to answer `new-game`, in µs, if known.
    pub ready_us: [Option<u64>; 2],
    /// The longest delay of a wake-up in any of its turns, in µs, if known.
    pub lateness_us: Option<u64>,
    /// CPU time of South's and North's families in all turns of the other side, in µs, if known.
    pub off_turn_us: [Option<u64>; 2],
    /// The [`GameRecord::played_hash`].
    pub content: u64,
    /// A hash that distinguishes records of one game, without the bots' `info`. Two different
    /// records have the same one with probability 2^−64. It is valid within one run of the program
    /// only.
    pub fingerprint: u64,
    /// What South's and North's programs called themselves in this game. Hostile text.
    pub introductions: Option<Box<[Option<String>; 2]>>,
    /// The name of the host on which it was played, if that was not the machine of its run. Hostile
    /// text.
    pub host: Option<Arc<str>>,
}

impl GameSummary {
    /// The summary of a record.
    pub fn of(record: &GameRecord) -> Self {
        let times = |side| MoveTimes::default().with(record.times_us(side));
        let cpu_times = |side| MoveTimes::default().with_cpu_times(record, side);
        Self {
            id: record.id.clone(),
            attempt: record.attempt,
            entrants: Arc::new(record.entrants.clone()),
            opening: record.opening,
            opening_moves: record.opening_moves.as_slice().into(),
            start: record.start,
            moves: record.moves(),
            times: Side::BOTH.map(times),
            cpu_times: Side::BOTH.map(cpu_times),
            preempted_us: Side::BOTH.map(|side| record.preempted_us(side)),
            ending: Arc::new(as_shown(&record.ending)),
            stores: record.stores,
            ready_us: record.ready_us,
            lateness_us: record.lateness_us,
            off_turn_us: record.off_turn_us,
            content: record.played_hash(),
            fingerprint: fingerprint(record),
            introductions: record
                .introductions
                .iter()
                .any(Option::is_some)
                .then(|| Box::new(record.introductions.clone())),
            host: record.host().map(Arc::from),
        }
    }

    /// The winner, or `None` if the game is void.
    pub fn result(&self) -> Option<GameResult> {
        self.ending.result(self.stores)
    }

    /// Whether the host made the game void.
    pub fn is_void(&self) -> bool {
        self.ending.void().is_some()
    }

    /// How the host disturbed the game, if it did.
    pub fn void(&self) -> Option<&Void> {
        self.ending.void()
    }

    /// The kind of the fault that ended the game, and the side at fault.
    pub fn fault(&self) -> Option<(Side, FaultKind)> {
        self.ending.fault()
    }

    /// The detail of the fault that ended the game. Hostile text.
    pub fn fault_detail(&self) -> Option<&str> {
        match &*self.ending {
            GameEnding::Fault(_, fault) => Some(&fault.detail),
            _ => None,
        }
    }
}

/// What tables show of an ending.
fn as_shown(ending: &GameEnding) -> GameEnding {
    match ending {
        GameEnding::Rules(_)
        | GameEnding::Adjudicated
        | GameEnding::Endgame
        | GameEnding::AgreedWin(_)
        | GameEnding::AgreedDraw
        | GameEnding::Resignation(_) => ending.clone(),
        GameEnding::Fault(side, fault) => {
            GameEnding::Fault(*side, Fault::new(fault.kind, &*fault.detail))
        }
        GameEnding::Void(void) => GameEnding::Void(Void {
            on_turn: void.on_turn,
            ..Void::new(void.cause.clone())
        }),
    }
}

fn fingerprint(record: &GameRecord) -> u64 {
    // All fields are named, so that a new one cannot be forgotten here.
    let GameRecord {
        // Only records of one game are compared, and its place in the schedule may not be known.
        id: _,
        attempt,
        entrants,
        opening,
        opening_moves,
        start,
        plies,
        ending,
        stores,
        ready_us,
        lateness_us,
        off_turn_us,
        short_cpu_us,
        introductions,
        at,
    } = record;
    // The keys are fixed and the hash is never stored, so any hash function serves.
    let mut hasher = DefaultHasher::new();
    (attempt, entrants, opening, opening_moves, start, plies).hash(&mut hasher);
    (ending, stores, ready_us, lateness_us, off_turn_us).hash(&mut hasher);
    (short_cpu_us, introductions, at).hash(&mut hasher);
    hasher.finish()
}

/// The times of some moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTimes {
    moves: u64,
    total_us: u64,
    max_us: Option<u64>,
}

impl MoveTimes {
    /// These times with more times, in µs.
    #[must_use]
    pub fn with(self, times_us: impl IntoIterator<Item = u64>) -> Self {
        times_us.into_iter().fold(self, |sum, time_us| Self {
            moves: sum.moves + 1,
            // A journal can claim any time.
            total_us: sum.total_us.saturating_add(time_us),
            max_us: sum.max_us.max(Some(time_us)),
        })
    }

    /// The times of both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            moves: self.moves + other.moves,
            total_us: self.total_us.saturating_add(other.total_us),
            max_us: self.max_us.max(other.max_us),
        }
    }

    /// These times with the CPU times of one side of a game: those of single plies, and the sum of
    /// the plies that took a moment only. That sum says nothing about the longest.
    #[must_use]
    pub fn with_cpu_times(self, record: &GameRecord, side: Side) -> Self {
        let known = self.with(record.cpu_times_us(side));
        let Some(sum_us) = record.short_cpu_us[side.index()] else {
            return known;
        };
        Self {
            moves: known.moves + record.short_plies(side) as u64,
            total_us: known.total_us.saturating_add(sum_us),
            ..known
        }
    }

    /// Number of moves.
    pub const fn moves(&self) -> u64 {
        self.moves
    }

    /// The sum, in µs.
    pub const fn total_us(&self) -> u64 {
        self.total_us
    }

    /// The mean in whole µs, half a µs rounded up; `None` without moves.
    pub fn mean_us(&self) -> Option<u64> {
        let half = self.moves / 2;
        self.total_us.saturating_add(half).checked_div(self.moves)
    }

    /// The longest of the single times, in µs; `None` without any.
    pub const fn max_us(&self) -> Option<u64> {
        self.max_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::PlyRecord;
    use crate::rules::EndReason;

    fn record(ending: GameEnding) -> GameRecord {
        let ply = |(number, letter)| PlyRecord {
            pit: Pit::from_letter(letter).unwrap(),
            time_us: 10 + number,
            cpu_us: (number != 1).then_some(number),
            preempted_us: 3 * number,
            info: None,
        };
        GameRecord {
            at: None,
            id: "ada~bob.1.1".parse().unwrap(),
            attempt: 1,
            entrants: ["ada".to_owned(), "bob".to_owned()],
            opening: 4,
            opening_moves: Vec::new(),
            start: Position::START,
            plies: (0..).zip("AfB".chars()).map(ply).collect(),
            ending,
            stores: [5, 7],
            ready_us: [Some(1), None],
            lateness_us: Some(8),
            off_turn_us: [None, Some(2)],
            short_cpu_us: [None, Some(4)],
            introductions: [Some("ada 1.2".to_owned()), None],
        }
    }

    #[test]
    fn the_times_of_each_side_are_summed() {
        let summary = GameSummary::of(&record(GameEnding::Rules(EndReason::NoMove)));
        let sums = |times: MoveTimes| (times.moves(), times.total_us(), times.max_us());
        assert_eq!(
            summary.times.map(sums),
            [(2, 22, Some(12)), (1, 11, Some(11))]
        );
        assert_eq!(summary.cpu_times.map(sums), [(2, 2, Some(2)), (1, 4, None)]);
        assert_eq!(summary.preempted_us, [6, 3]);
    }

    #[test]
    fn records_that_differ_have_other_fingerprints() {
        let fault = |detail: &str| {
            let fault = Fault::new(FaultKind::Crash, detail);
            GameEnding::Fault(Side::South, fault)
        };
        let plain = record(GameEnding::Adjudicated);
        let with = |change: fn(&mut GameRecord)| {
            let mut changed = plain.clone();
            change(&mut changed);
            changed
        };
        let all = [
            plain.clone(),
            record(fault("one")),
            record(fault("other")),
            record(GameEnding::Rules(EndReason::NoMove)),
            record(GameEnding::Endgame),
            record(GameEnding::Resignation(Side::South)),
            record(GameEnding::Resignation(Side::North)),
            with(|it| it.stores = [7, 5]),
            with(|it| it.attempt = 2),
            with(|it| it.lateness_us = None),
            with(|it| it.short_cpu_us[1] = None),
            with(|it| it.plies[1].time_us = 12),
            with(|it| it.plies[1].cpu_us = Some(0)),
            with(|it| it.plies[2].preempted_us = 0),
            with(|it| it.plies[2].pit = Pit::from_letter('C').unwrap()),
        ];
        let prints = all.map(|it| GameSummary::of(&it).fingerprint);
        let different: std::collections::BTreeSet<u64> = prints.into_iter().collect();
        assert_eq!(different.len(), prints.len());
        let chatty = with(|it| it.plies[0].info = Some("{}".to_owned()));
        assert_eq!(GameSummary::of(&chatty).fingerprint, prints[0]);
    }

    #[test]
    fn sums_can_be_taken_apart_and_together() {
        let sum = |times: &[u64]| MoveTimes::default().with(times.iter().copied());
        for (one, other) in [(&[][..], &[][..]), (&[3], &[]), (&[7, 1], &[9, 2])] {
            let both = sum(one).and(sum(other));
            assert_eq!(both, sum(&[one, other].concat()));
        }
    }

    #[test]
    fn turns_that_took_a_moment_count_in_mean_and_total() {
        let ply = |(letter, cpu_us)| PlyRecord {
            pit: Pit::from_letter(letter).unwrap(),
            time_us: 20,
            cpu_us,
            preempted_us: 0,
            info: None,
        };
        let cpu_us = [Some(7), None, None, None, None, None];
        let record = GameRecord {
            plies: "AaBbCc".chars().zip(cpu_us).map(ply).collect(),
            short_cpu_us: [None; 2],
            ..record(GameEnding::Adjudicated)
        };
        let times = |record: &GameRecord, side| {
            let times = MoveTimes::default().with_cpu_times(record, side);
            (times.mean_us(), times.max_us(), times.moves())
        };
        assert_eq!(times(&record, Side::South), (Some(7), Some(7), 1));
        assert_eq!(times(&record, Side::North), (None, None, 0));
        let record = GameRecord {
            short_cpu_us: [Some(11), Some(15)],
            ..record
        };
        assert_eq!(times(&record, Side::South), (Some(6), Some(7), 3));
        assert_eq!(times(&record, Side::North), (Some(5), None, 3));
    }

    #[test]
    fn means_are_rounded_and_nothing_overflows() {
        for (times, mean, max) in [
            (vec![], None, None),
            (vec![7], Some(7), Some(7)),
            (vec![1, 2], Some(2), Some(2)),
            (vec![1, 1, 2], Some(1), Some(2)),
            (vec![1, 2, 2], Some(2), Some(2)),
            (vec![u64::MAX; 3], Some(u64::MAX / 3), Some(u64::MAX)),
        ] {
            let sum = MoveTimes::default().with(times.clone());
            assert_eq!((sum.mean_us(), sum.max_us()), (mean, max), "{times:?}");
        }
    }
}
