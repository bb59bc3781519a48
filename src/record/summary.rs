//! What tables and decisions need of a finished game. Sums stand for the times of its plies, so a
//! summary is much smaller than its record.

use super::fault::{Fault, FaultKind};
use super::game::{GameEnding, GameRecord, PlyRecord};
use super::game_id::GameId;
use super::times::MoveTimes;
use super::void::Void;
use crate::rules::{GameResult, Pit, Position, Side};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The summary of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    /// Which game of the tournament.
    pub id: GameId,
    /// The attempt, from 1.
    pub attempt: u32,
    /// Names of the entrants that were South and North.
    pub entrants: [String; 2],
    /// Number of the opening in the tournament's list, from 1.
    pub opening: u32,
    /// The opening's moves, empty if it was given as a position.
    pub opening_moves: Vec<Pit>,
    /// The position after the opening, with South to move.
    pub start: Position,
    /// The moves after the opening.
    pub moves: Vec<Pit>,
    /// The times of South's and North's moves.
    pub times: [MoveTimes; 2],
    /// Their known CPU times; short turns count in mean and total only.
    pub cpu_times: [MoveTimes; 2],
    /// The sums of their held-up times, in µs.
    pub preempted_us: [u128; 2],
    /// How the game ended. A fault has no time; a void has its cause and the side on turn.
    pub ending: GameEnding,
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
    /// A hash that distinguishes records of one game, without the bots' `info`, which no table
    /// shows, and without what is said of a void. Two different records have the same one with
    /// probability 2^−64. It is valid within one run of the program only.
    pub fingerprint: u64,
}

impl GameSummary {
    /// The summary of a record.
    pub fn of(record: &GameRecord) -> Self {
        let times = |side| MoveTimes::default().with(record.times_us(side));
        let cpu_times = |side| MoveTimes::default().with_cpu_times(record, side);
        Self {
            id: record.id.clone(),
            attempt: record.attempt,
            entrants: record.entrants.clone(),
            opening: record.opening,
            opening_moves: record.opening_moves.clone(),
            start: record.start,
            moves: record.moves(),
            times: Side::BOTH.map(times),
            cpu_times: Side::BOTH.map(cpu_times),
            preempted_us: Side::BOTH.map(|side| record.preempted_us(side)),
            ending: as_shown(&record.ending),
            stores: record.stores,
            ready_us: record.ready_us,
            lateness_us: record.lateness_us,
            off_turn_us: record.off_turn_us,
            content: record.played_hash(),
            fingerprint: fingerprint(record),
        }
    }

    /// The winner, or `None` if the game is void.
    pub fn result(&self) -> Option<GameResult> {
        self.ending.result(self.stores)
    }

    /// Whether the host made the game void.
    pub const fn is_void(&self) -> bool {
        matches!(self.ending, GameEnding::Void(_))
    }

    /// How the host disturbed the game, if it did.
    pub const fn void(&self) -> Option<&Void> {
        match &self.ending {
            GameEnding::Void(void) => Some(void),
            _ => None,
        }
    }

    /// The fault that ended the game, and the side at fault.
    pub const fn fault(&self) -> Option<(Side, FaultKind)> {
        match &self.ending {
            GameEnding::Fault(side, fault) => Some((*side, fault.kind)),
            _ => None,
        }
    }

    /// What happened at the fault that ended the game, in words. Hostile text.
    pub fn fault_detail(&self) -> Option<&str> {
        match &self.ending {
            GameEnding::Fault(_, fault) => Some(&fault.detail),
            _ => None,
        }
    }
}

/// What tables show of an ending.
fn as_shown(ending: &GameEnding) -> GameEnding {
    match ending {
        GameEnding::Rules(_) | GameEnding::Adjudicated | GameEnding::Resignation(_) => {
            ending.clone()
        }
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
        // Only records of one game are compared.
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
    } = record;
    // The keys are fixed and the hash is never stored, so any hash function serves.
    let mut hasher = DefaultHasher::new();
    (attempt, entrants, opening, opening_moves, start).hash(&mut hasher);
    (ready_us, lateness_us, off_turn_us, short_cpu_us).hash(&mut hasher);
    introductions.hash(&mut hasher);
    hash_plies(plies, &mut hasher);
    if !record.is_void() {
        hash_ending(ending, *stores, &mut hasher);
    }
    hasher.finish()
}

/// Lists of numbers and bytes are hashed many bytes at a time, which a list of plies is not. A byte
/// for each ply is the letter of its pit, with the highest bit if its CPU time is known.
fn hash_plies(plies: &[PlyRecord], hasher: &mut DefaultHasher) {
    let mut letters: Vec<u8> = Vec::with_capacity(plies.len());
    let mut times: Vec<u64> = Vec::with_capacity(plies.len());
    let mut preempted: Vec<(usize, u64)> = Vec::new();
    for (number, ply) in plies.iter().enumerate() {
        let PlyRecord {
            pit,
            time_us,
            cpu_us,
            preempted_us,
            info: _,
        } = ply;
        letters.push(pit.letter() as u8 | u8::from(cpu_us.is_some()) << 7);
        times.push(*time_us);
        times.extend(cpu_us);
        if *preempted_us > 0 {
            preempted.push((number, *preempted_us));
        }
    }
    (letters, times, preempted).hash(hasher);
}

fn hash_ending(ending: &GameEnding, stores: [u8; 2], hasher: &mut DefaultHasher) {
    (ending.name(), stores).hash(hasher);
    match ending {
        GameEnding::Rules(_) | GameEnding::Adjudicated => {}
        GameEnding::Resignation(side) => side.hash(hasher),
        GameEnding::Void(void) => void.hash(hasher),
        GameEnding::Fault(side, fault) => {
            let Fault {
                kind,
                detail,
                time_us,
                // The journal does not hold this.
                figures: _,
            } = fault;
            (side, kind, detail, time_us).hash(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// What a table could show, or the journal says of a fault, makes another fingerprint.
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
}
