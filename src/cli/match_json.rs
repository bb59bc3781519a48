//! The two-entrant summary as JSON, the same in every command.

use crate::report::MatchSummary;
use crate::stats::head_to_head::EloEstimate;
use crate::stats::rating::BoundDirection;
use serde_json::{Value, json};

/// The summary with all digits, from the view of the first entrant. If the difference is only
/// bounded, `extreme` says in which sense. `score_elo` is the Elo of the score by itself, without
/// the table, with the interval that other programs show.
pub fn match_json(summary: &MatchSummary) -> Value {
    let (difference, counts) = (summary.difference, &summary.counts);
    let (score_elo, score_ends) = match counts.elo {
        EloEstimate::Between { elo, low, high } => (Some(elo), [Some(low), Some(high)]),
        EloEstimate::AtLeast(elo) => (None, [Some(elo), None]),
        EloEstimate::AtMost(elo) => (None, [None, Some(elo)]),
    };
    let extreme = difference.and_then(|it| it.bound).map(|bound| match bound {
        BoundDirection::AtLeast => ">",
        BoundDirection::AtMost => "<",
    });
    json!({
        "elo": difference.map(|it| it.elo),
        "error95": difference.and_then(|it| it.error95),
        "extreme": extreme,
        "los": difference.and_then(|it| it.los),
        "score": counts.score,
        "score_elo": score_elo,
        "score_elo_low95": score_ends[0],
        "score_elo_high95": score_ends[1],
        "normalized_elo": counts.normalised.map(|it| it.elo),
        "normalized_error95": counts.normalised.map(|it| it.error95),
        "losses_draws_wins": counts.games.0,
        "pairs": counts.pairs.0,
        "draw_ratio": counts.draw_ratio,
        "pairs_ratio": counts.pairs_ratio,
    })
}
