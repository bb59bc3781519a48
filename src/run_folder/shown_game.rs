//! What a page shows of one game: made from its record on any thread, whether it counts or not.

use crate::record::{GameId, GameRecord, GameSummary};
use crate::report::{GameDetails, InfoLimit, ShownFault};
use crate::rules::{RuleSet, Side};
use crate::tournament::IdentifiedGame;
use serde::Serialize;

/// Bytes of all `info` objects of a page. Compressed, they take some 13 MiB.
const INFO_BYTES: usize = 40 << 20;

/// How the games of a page are shown.
#[derive(Clone, Copy, Debug)]
pub struct ShownBy<'a> {
    /// The rules that they were played by.
    pub rules: RuleSet,
    /// The most bytes of `info` objects of one game.
    pub info_bytes: usize,
    /// The entrant whose own page it is: what others said is not shown.
    pub own: Option<&'a str>,
}

/// What a page shows of a game.
#[derive(Clone, Debug)]
pub struct ShownGame {
    /// The details as JSON, without a fault.
    text: String,
    /// The times of the plies, in µs.
    pub times_us: Vec<u64>,
    /// Whether an `info` was left out or shortened.
    pub info_dropped: bool,
}

impl ShownGame {
    /// Works out everything that is independent of other games and of the evidence.
    pub fn of(record: &GameRecord, by: ShownBy<'_>) -> Self {
        let limit = InfoLimit {
            bytes: by.info_bytes,
            only: by.own.and_then(|own| side_of(own, &record.entrants)),
        };
        let (details, info_dropped) = GameDetails::of(record, by.rules, limit);
        Self {
            text: json_text(&details),
            times_us: details.into_times_us(),
            info_dropped,
        }
    }

    /// The details as JSON, with this fault.
    pub fn into_text(self, fault: Option<&ShownFault>) -> String {
        let mut text = self.text;
        if let Some(fault) = fault {
            // It is the last member of the object, which has others.
            text.truncate(text.len() - "}".len());
            text.push_str(",\"fault\":");
            text.push_str(&json_text(fault));
            text.push('}');
        }
        text
    }
}

/// A game that was read for a page alone.
pub struct PageGame {
    pub summary: GameSummary,
    pub shown: ShownGame,
}

impl PageGame {
    pub fn of(record: &GameRecord, by: ShownBy<'_>) -> Self {
        Self {
            summary: GameSummary::of(record),
            shown: ShownGame::of(record, by),
        }
    }
}

impl IdentifiedGame for PageGame {
    fn id(&self) -> &GameId {
        &self.summary.id
    }

    fn id_mut(&mut self) -> &mut GameId {
        &mut self.summary.id
    }

    fn entrants(&self) -> &[String; 2] {
        &self.summary.entrants
    }
}

/// The most bytes of `info` objects of one game on a page with so many.
pub fn info_bytes(games: usize) -> usize {
    INFO_BYTES / games.max(1)
}

/// The side of an entrant, if it plays.
pub fn side_of(entrant: &str, entrants: &[String; 2]) -> Option<Side> {
    let mut sides = Side::BOTH.into_iter();
    sides.find(|side| entrants[side.index()] == entrant)
}

/// Values of a page are made of text, numbers and lists: each of them can be written as JSON.
pub fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the values of a page are JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameEnding;
    use crate::rules::{EndReason, Position, Preset};

    /// The text is that of the details with their fault.
    #[test]
    fn a_fault_is_added_to_the_text_of_a_game() {
        let record = GameRecord {
            id: "1.1".parse().unwrap(),
            attempt: 1,
            entrants: ["ada", "bob"].map(str::to_owned),
            opening: 1,
            opening_moves: Vec::new(),
            start: Position::START,
            plies: Vec::new(),
            ending: GameEnding::Rules(EndReason::NoMove),
            stores: [0; 2],
            ready_us: [None; 2],
            lateness_us: None,
            off_turn_us: [None; 2],
            short_cpu_us: [None; 2],
            introductions: Default::default(),
        };
        let by = ShownBy {
            rules: Preset::Awale.rules(),
            info_bytes: 0,
            own: None,
        };
        let fault = ShownFault {
            detail: "\u{7}}\"".to_owned(),
            ..ShownFault::default()
        };
        let limit = InfoLimit {
            bytes: 0,
            only: None,
        };
        for fault in [None, Some(fault)] {
            let shown = ShownGame::of(&record, by).into_text(fault.as_ref());
            let (mut details, _) = GameDetails::of(&record, by.rules, limit);
            details.fault = fault;
            assert_eq!(shown, json_text(&details));
        }
    }
}
