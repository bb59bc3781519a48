//! The two-entrant summary as JSON, the same in every command.

use crate::stats::head_to_head::{EloEstimate, Summary};
use serde_json::{Value, json};

/// The summary with all digits, from the view of the first entrant. If its interval has only one
/// end, Elo is that end, and `extreme` says which.
pub fn match_json(summary: &Summary) -> Value {
    let (elo, low, high, extreme) = match summary.elo {
        EloEstimate::Between { elo, low, high } => (elo, Some(low), Some(high), None),
        EloEstimate::AtLeast(elo) => (elo, Some(elo), None, Some(">")),
        EloEstimate::AtMost(elo) => (elo, None, Some(elo), Some("<")),
    };
    json!({
        "elo": elo,
        "error95": summary.elo.error95(),
        "low95": low,
        "high95": high,
        "extreme": extreme,
        "normalized_elo": summary.normalised.map(|it| it.elo),
        "normalized_error95": summary.normalised.map(|it| it.error95),
        "los": summary.superiority,
        "score": summary.score,
        "losses_draws_wins": summary.games.0,
        "pairs": summary.pairs.0,
        "draw_ratio": summary.draw_ratio,
        "pairs_ratio": summary.pairs_ratio,
    })
}
