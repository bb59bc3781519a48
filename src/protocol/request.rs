//! The referee's messages to a bot.

use crate::rules::RuleSet;
use serde::{Deserialize, Serialize};

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// A message of the referee.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Request {
    /// Sent once to each process.
    Hello {
        /// [`PROTOCOL`].
        protocol: u32,
        /// Always `awale`.
        game: String,
    },
    /// Before each game.
    NewGame(NewGameRequest),
    /// The bot's turn.
    Turn(TurnRequest),
    /// The end of a game.
    GameOver(GameOverRequest),
    /// The process is no longer needed.
    Quit,
}

/// The message `new-game`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct NewGameRequest {
    /// The game's id.
    pub game: String,
    /// `south` or `north`.
    pub you: String,
    /// The opponent's name, absent in blind tournaments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    /// The rules, every field of them.
    pub rules: RulesObject,
    /// The clock that the referee enforces.
    pub clock: ClockObject,
    /// A seed for the bot's own randomness, below 2^53.
    pub seed: u64,
    /// The position after the opening, as text.
    pub start: String,
    /// The moves of the opening as text; absent if it is a position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
}

/// The bot's clock in a game, in whole ms, rounded down; numbers that are not configured are absent.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct ClockObject {
    /// Limit of each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// Time for all moves of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u64>,
    /// Added to the bank after each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// Positions that the bot may look at for a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// The message `turn`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TurnRequest {
    /// Ply number in this game, from 0.
    pub turn: u32,
    /// Seeds seen from the bot: 0–5 its pits in sowing order, 6–11 the opponent's.
    pub board: [u8; 12],
    /// The bot's store and the opponent's.
    pub stores: [u8; 2],
    /// The bot's legal pits, 0–5, at least one.
    pub legal: Vec<u8>,
    /// The opponent's last move, absent on the first turn of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastObject>,
    /// The same position as text.
    pub position: String,
    /// The rest of the clocks.
    pub clock: TurnClock,
}

/// The opponent's last move.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct LastObject {
    /// 0–5 of the opponent's row.
    pub pit: u8,
    /// Seeds that it captured.
    pub captured: u8,
}

/// The rest of the clocks, in whole ms, rounded down.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct TurnClock {
    /// Limit of this move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// The bot's bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_ms: Option<u64>,
    /// The opponent's bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent_ms: Option<u64>,
    /// Added to the bot's bank after each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// Positions that the bot may look at for this move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// The message `game-over`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct GameOverRequest {
    /// `win`, `loss` or `draw` for this bot.
    pub result: String,
    /// The ending: `majority`, `timeout`, …
    pub reason: String,
    /// The bot's final store and the opponent's.
    pub stores: [u8; 2],
    /// The moves of the game, as text.
    pub moves: String,
}

/// A rule set with every field under its name.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct RulesObject {
    /// The name of the preset from which the rules were derived.
    pub preset: String,
    /// The rules.
    #[serde(flatten)]
    pub rules: RuleSet,
}

impl Request {
    /// The hello of this version.
    pub fn hello() -> Self {
        Self::Hello {
            protocol: PROTOCOL,
            game: "awale".to_owned(),
        }
    }

    /// Appends the message and a newline to `line`.
    pub fn write_line(&self, line: &mut Vec<u8>) {
        serde_json::to_writer(&mut *line, self).expect("a message of strings and numbers");
        line.push(b'\n');
    }

    /// Parses a line of the referee, with or without a newline.
    ///
    /// # Errors
    /// It is not a message of this protocol. A bot may ignore messages that it does not know.
    pub fn parse(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    fn line(request: &Request) -> String {
        let mut line = Vec::new();
        request.write_line(&mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn messages_are_written_as_documented() {
        let hello = "{\"type\":\"hello\",\"protocol\":1,\"game\":\"awale\"}\n";
        assert_eq!(line(&Request::hello()), hello);
        assert_eq!(line(&Request::Quit), "{\"type\":\"quit\"}\n");
        let turn = Request::Turn(TurnRequest {
            turn: 0,
            board: [4; 12],
            stores: [0, 0],
            legal: vec![0, 1, 2, 3, 4, 5],
            last: None,
            position: "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S".to_owned(),
            clock: TurnClock {
                move_ms: Some(100),
                ..TurnClock::default()
            },
        });
        assert_eq!(
            line(&turn),
            "{\"type\":\"turn\",\"turn\":0,\"board\":[4,4,4,4,4,4,4,4,4,4,4,4],\"stores\":[0,0],\
             \"legal\":[0,1,2,3,4,5],\"position\":\"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S\",\
             \"clock\":{\"move_ms\":100}}\n"
        );
    }

    #[test]
    fn rules_go_round_in_every_preset() {
        for preset in Preset::ALL {
            let object = RulesObject {
                preset: preset.name().to_owned(),
                rules: preset.rules(),
            };
            let text = serde_json::to_string(&object).unwrap();
            let back: RulesObject = serde_json::from_str(&text).unwrap();
            assert_eq!(back, object);
        }
        let text = serde_json::to_string(&RulesObject {
            preset: "awale".to_owned(),
            rules: RuleSet::default(),
        });
        assert_eq!(
            text.unwrap(),
            "{\"preset\":\"awale\",\"capture\":\"chain\",\"grand-slam\":\"no-capture\",\
             \"must-feed\":true,\"majority-ends\":true,\"row-empty-ends\":false,\
             \"dead-position-ends\":false,\"repetition\":{\"occurrences\":2,\
             \"remaining\":\"nobody\"},\"no-move-gift\":0}"
        );
    }
}
