//! `awale trace`: how other programs test against these rules. One JSON object per line in, one
//! per line out; a line that cannot be played gives its error, and the next line is read.

use super::args::RuleArguments;
use super::exit::{Exit, Failure, read_request, say_data};
use super::rule_args;
use crate::rules::{Game, Position, RuleSet, parse_moves};
use crate::tournament::override_rules;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io;

/// A line of the input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceRequest {
    /// The name of a preset, or the `rules` object of a `new-game`.
    rules: Option<Value>,
    #[serde(default)]
    set: Map<String, Value>,
    position: Option<String>,
    moves: String,
}

#[derive(Serialize)]
struct Ply {
    position: String,
    legal: String,
    #[serde(rename = "move")]
    played: String,
    captured: u8,
}

#[derive(Serialize)]
struct TraceEnd {
    reason: &'static str,
    stores: [u8; 2],
    result: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum TraceReply {
    Played {
        plies: Vec<Ply>,
        position: String,
        legal: String,
        ending: Option<TraceEnd>,
    },
    Refused {
        error: String,
        ply: usize,
    },
    NotUnderstood {
        error: String,
    },
}

pub fn trace(arguments: &RuleArguments) -> Result<Exit, Failure> {
    let default_rules = rule_args::rules(arguments)?;
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while read_request(&mut input, &mut line)? {
        let reply = answer(&line, default_rules);
        let mut text = serde_json::to_vec(&reply).expect("strings and numbers always serialize");
        text.push(b'\n');
        // Flushed line by line: the other program may wait for this answer.
        say_data(&text)?;
    }
    Ok(Exit::Done)
}

fn answer(line: &[u8], default_rules: RuleSet) -> TraceReply {
    // serde would also take an array for an object.
    if line.trim_ascii_start().first() != Some(&b'{') {
        let error = "not a JSON object".to_owned();
        return TraceReply::NotUnderstood { error };
    }
    let request: TraceRequest = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(error) => {
            return TraceReply::NotUnderstood {
                error: error.to_string(),
            };
        }
    };
    match understand(&request, default_rules) {
        Ok((rules, position)) => play(rules, position, &request.moves),
        Err(error) => TraceReply::NotUnderstood { error },
    }
}

fn understand(
    request: &TraceRequest,
    default_rules: RuleSet,
) -> Result<(RuleSet, Position), String> {
    let rules = match &request.rules {
        None => default_rules,
        Some(Value::String(name)) => rule_args::preset(name)?.rules(),
        Some(Value::Object(fields)) => of_new_game(fields, default_rules)?,
        Some(other) => {
            return Err(format!(
                "rules cannot be {other}: they are a preset's name or the object of a new-game"
            ));
        }
    };
    let rules = override_rules(rules, &request.set)?;
    let position = match &request.position {
        None => Position::START,
        Some(text) => text
            .parse()
            .map_err(|error| format!("position {text:?}: {error}"))?,
    };
    Ok((rules, position))
}

/// The rules of a `new-game`: a preset, and single fields that differ from it.
fn of_new_game(fields: &Map<String, Value>, default_rules: RuleSet) -> Result<RuleSet, String> {
    let mut fields = fields.clone();
    let rules = match fields.remove("preset") {
        None => default_rules,
        Some(Value::String(name)) => rule_args::preset(&name)?.rules(),
        Some(other) => return Err(format!("the preset cannot be {other}")),
    };
    override_rules(rules, &fields)
}

fn play(rules: RuleSet, start: Position, moves: &str) -> TraceReply {
    // A letter that names no pit is refused in its turn: an illegal move before it comes first.
    let (moves, bad_letter) = match parse_moves(moves) {
        Ok(moves) => (moves, None),
        Err(error) => {
            let before: String = moves.chars().take(error.index).collect();
            (parse_moves(&before).unwrap_or_default(), Some(error))
        }
    };
    let mut game = Game::new(rules, start);
    let mut plies = Vec::with_capacity(moves.len());
    for (ply, pit) in moves.into_iter().enumerate() {
        let (position, legal) = (game.position().to_string(), game.legal_moves().to_string());
        match game.play(pit) {
            Ok(played) => plies.push(Ply {
                position,
                legal,
                played: pit.to_string(),
                captured: played.captured,
            }),
            Err(error) => {
                return TraceReply::Refused {
                    error: error.to_string(),
                    ply,
                };
            }
        }
    }
    if let Some(error) = bad_letter {
        return TraceReply::Refused {
            error: error.to_string(),
            ply: error.index,
        };
    }
    TraceReply::Played {
        plies,
        position: game.position().to_string(),
        legal: game.legal_moves().to_string(),
        ending: game.ending().map(|ending| TraceEnd {
            reason: ending.reason.name(),
            stores: ending.stores,
            result: ending.result().name(),
        }),
    }
}
