//! Games that are played again with their bots: which ones, and how each compares with its record.
//!
//! The games are drawn from all that can be compared, by a seed. Each game has a number, the first
//! 8 bytes of the SHA-256 of `awale replay SEED GAME` (as in `awale replay 7 17.2`), and those with
//! the smallest numbers are drawn. So anybody can draw them again in any language, and a larger
//! draw has all games of a smaller one.

use super::schedule::wrong_sides;
use crate::record::{FaultKind, GameEnding, GameId, GameRecord};
use crate::rules::{Game, RuleSet, Side, moves_text};
use crate::tournament::{Entry, JournalError, JournalReader, Openings, Plan, Schedule};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};

/// How a game ended, as far as the bots decide it: the kind of its ending, the side that resigned,
/// was at fault or won by agreement, and the final stores.
const fn decided_end(record: &GameRecord) -> (&'static str, Option<Side>, [u8; 2]) {
    let side = match &record.ending {
        GameEnding::AgreedWin(side)
        | GameEnding::Resignation(side)
        | GameEnding::Fault(side, _) => Some(*side),
        GameEnding::Rules(_)
        | GameEnding::Adjudicated
        | GameEnding::Endgame
        | GameEnding::AgreedDraw
        | GameEnding::Void(_) => None,
    };
    (record.ending.name(), side, record.stores)
}

/// The entrants of a plan that can be played again.
pub struct Field<'a> {
    /// What was played.
    pub plan: &'a Plan,
    /// Its pairs.
    pub schedule: &'a Schedule,
    /// Its openings.
    pub openings: &'a Openings,
    /// Names of entrants that are deterministic and here.
    pub players: &'a BTreeSet<String>,
}

/// The games of a draw.
#[derive(Clone, Debug, Default)]
pub struct Draw {
    /// The games that were drawn, with their lines in the journal.
    pub games: BTreeMap<GameId, (usize, Box<GameRecord>)>,
    /// How many could have been drawn.
    pub replayable: usize,
    /// Games between players that ended by time, by the host, or by a fault that does not come at
    /// the same ply again.
    pub incomparable: usize,
}

impl Draw {
    /// Draws at most this many games.
    ///
    /// # Errors
    /// The journal's.
    pub fn read(
        journal: impl BufRead,
        field: &Field<'_>,
        seed: u64,
        most: usize,
    ) -> Result<Self, JournalError> {
        let mut draw = Self::default();
        let mut drawn = BTreeMap::new();
        let mut seen: BTreeSet<GameId> = BTreeSet::new();
        let mut reader = JournalReader::surveying(journal).counting_for(field.plan);
        while let Some(entry) = reader.next_entry()? {
            if !reader.state.counts(&entry) {
                continue;
            }
            let Entry::Game(record) = entry else {
                continue;
            };
            // Games that contradict the plan are problems already.
            if record.is_void() || !field.has(&record) || !seen.insert(record.id.clone()) {
                continue;
            }
            if !is_comparable(&record.ending) {
                draw.incomparable += 1;
                continue;
            }
            draw.replayable += 1;
            let key = (number(seed, &record.id), record.id.clone());
            let is_in =
                drawn.len() < most || drawn.last_key_value().is_some_and(|(last, _)| key < *last);
            if is_in {
                drawn.insert(key, (reader.state.line, record));
                if drawn.len() > most {
                    drawn.pop_last();
                }
            }
        }
        draw.games = drawn
            .into_iter()
            .map(|((_, game), it)| (game, it))
            .collect();
        Ok(draw)
    }
}

impl Field<'_> {
    /// Whether a game is one of the schedule, from its opening, between players.
    fn has(&self, record: &GameRecord) -> bool {
        let plays = |name| self.players.contains(name);
        let Some(pair) = self.schedule.pair(&record.id.pair) else {
            return false;
        };
        let (number, opening) = self.openings.of_pair(pair);
        record.entrants.iter().all(plays)
            && wrong_sides(self.plan, pair, record.id.number, &record.entrants).is_none()
            && (record.opening, &record.opening_moves, record.start)
                == (number, &opening.moves, opening.position)
    }
}

/// Whether deterministic bots must bring about the same end again. Another fault than an illegal
/// move is found out when the referee looks, which may be a ply later.
const fn is_comparable(ending: &GameEnding) -> bool {
    match ending {
        GameEnding::Rules(_)
        | GameEnding::Adjudicated
        | GameEnding::Endgame
        | GameEnding::AgreedWin(_)
        | GameEnding::AgreedDraw
        | GameEnding::Resignation(_) => true,
        GameEnding::Fault(_, fault) => matches!(fault.kind, FaultKind::IllegalMove),
        GameEnding::Void(_) => false,
    }
}

fn number(seed: u64, game: &GameId) -> u64 {
    first_bytes(Sha256::new().chain_update(format!("awale replay {seed} {game}")))
}

fn first_bytes(hasher: Sha256) -> u64 {
    let digest = hasher.finalize();
    let first = digest.iter().take(8);
    first.fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The seed where none is named: of the journal, below 2^53, so that every language's numbers
/// hold it.
///
/// # Errors
/// It cannot be read.
pub fn seed_of(mut journal: impl BufRead) -> io::Result<u64> {
    let mut hasher = Sha256::new();
    loop {
        let bytes = journal.fill_buf()?;
        let length = bytes.len();
        if length == 0 {
            return Ok(first_bytes(hasher) >> 11);
        }
        hasher.update(bytes);
        journal.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python: `int.from_bytes(hashlib.sha256(b"awale replay 7 17.2").digest()[:8], "big")`.
    #[test]
    fn the_draw_is_the_one_that_is_described() {
        assert_eq!(number(7, &"17.2".parse().unwrap()), 0x563d_5958_75bb_39f3);
        assert_eq!(seed_of(&b"abc"[..]).unwrap(), 0xba78_16bf_8f01_cfea >> 11);
    }
}

/// The result of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayOutcome {
    /// The same moves, and the same end.
    Same,
    /// The first difference.
    Different(String),
    /// Why the replay is inconclusive.
    Unknown(String),
}

/// Compares a record with the same game played again.
pub fn compare(recorded: &GameRecord, again: &GameRecord, rules: RuleSet) -> ReplayOutcome {
    let (there, moves) = (recorded.moves(), again.moves());
    let both = there.iter().zip(&moves);
    let other = both.enumerate().find(|(_, (there, here))| there != here);
    if let Some((ply, (there, here))) = other {
        let side = ply % 2;
        let name = &recorded.entrants[side];
        let position = position(recorded, ply, rules);
        return ReplayOutcome::Different(format!(
            "ply {} is {there} in the journal, and when the game was played again {name:?} played \
             {here}, {position}; all moves then: {}",
            ply + 1,
            moves_text(&moves)
        ));
    }
    if let Some(why) = inconclusive_ending(&again.ending) {
        return ReplayOutcome::Unknown(why);
    }
    if there.len() == moves.len() && decided_end(recorded) == decided_end(again) {
        return ReplayOutcome::Same;
    }
    let told = |record: &GameRecord| {
        let (ending, side, [south, north]) = decided_end(record);
        let side = side.map_or(String::new(), |side| format!(" of {side}"));
        let plies = record.plies.len();
        format!("{ending}{side} after ply {plies} with {south}–{north}")
    };
    let fault = match &again.ending {
        GameEnding::Fault(_, fault) => format!(" ({})", fault.detail),
        _ => String::new(),
    };
    let ply = there.len().min(moves.len());
    ReplayOutcome::Different(format!(
        "it ended by {} in the journal, and by {}{fault} when it was played again, {}",
        told(recorded),
        told(again),
        position(recorded, ply, rules)
    ))
}

/// The position before a ply, which both games have.
fn position(recorded: &GameRecord, ply: usize, rules: RuleSet) -> String {
    let mut game = Game::new(rules, recorded.start);
    for played in &recorded.plies[..ply] {
        if game.play(played.pit).is_err() {
            return "after a move that is not legal".to_owned();
        }
    }
    format!("in the position {}", game.position())
}

/// Endings caused by the host or the clock: such a replay is inconclusive.
fn inconclusive_ending(ending: &GameEnding) -> Option<String> {
    match ending {
        GameEnding::Void(void) => Some(format!("the host made it void: {}", void.cause)),
        GameEnding::Fault(side, fault) => match fault.kind {
            FaultKind::Timeout
            | FaultKind::StartFailure
            | FaultKind::MemoryLimit
            | FaultKind::ProcessLimit
            | FaultKind::TemporaryLimit
            | FaultKind::BusyOffTurn
            | FaultKind::SlowToQuit
            | FaultKind::BlocksStarts => Some(format!(
                "it ended by a fault of {side} that a slower or fuller machine can bring about: \
                 {}, {}",
                fault.kind, fault.detail
            )),
            FaultKind::IllegalMove
            | FaultKind::BadOutput
            | FaultKind::OutputLimit
            | FaultKind::Crash => None,
        },
        GameEnding::Rules(_)
        | GameEnding::Adjudicated
        | GameEnding::Endgame
        | GameEnding::AgreedWin(_)
        | GameEnding::AgreedDraw
        | GameEnding::Resignation(_) => None,
    }
}
