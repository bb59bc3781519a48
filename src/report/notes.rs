//! What a reader of the ratings must be told, in sentences.

use super::text::{listed, signed_elo};
use crate::stats::rating::{AdvantageEstimate, Bound, Ratings, Warning};
use crate::stats::tally::EntrantIndex;

/// What a reader of ratings must be told, in sentences safe for a terminal; the advantage of
/// moving first before all others. `names` by the entrants' numbers.
pub fn notes(names: &[String], ratings: &Ratings) -> Vec<String> {
    let mut notes: Vec<String> = ratings.advantage.iter().map(advantage).collect();
    if ratings.ratings.iter().any(|rating| rating.bound.is_some()) {
        notes.push(
            "An Elo with > is a lower bound, one with < an upper bound, at 95 %: where one side \
             won every game, no finite rating fits."
                .to_owned(),
        );
    }
    let unplayed: Vec<EntrantIndex> = ratings
        .warnings
        .iter()
        .filter_map(|warning| match warning {
            Warning::Unplayed(entrant) => Some(*entrant),
            _ => None,
        })
        .collect();
    if !unplayed.is_empty() {
        let verb = if unplayed.len() == 1 { "has" } else { "have" };
        notes.push(format!("{} {verb} no game yet.", list(names, &unplayed)));
    }
    notes.extend(
        ratings
            .warnings
            .iter()
            .filter_map(|warning| sentence(names, warning)),
    );
    notes
}

fn advantage(advantage: &AdvantageEstimate) -> String {
    let size = match advantage.bound {
        None => signed_elo(advantage.elo, None),
        Some(Bound::AtLeast) => format!("at least {}", signed_elo(advantage.elo, None)),
        Some(Bound::AtMost) => format!("at most {}", signed_elo(advantage.elo, None)),
    };
    let error = advantage
        .error95
        .map_or(String::new(), |error| format!(" ±{error:.0}"));
    format!("Moving first is worth {size}{error} Elo (95 %).")
}

/// The sentence of a warning; `None` for what is told of several at once.
fn sentence(names: &[String], warning: &Warning) -> Option<String> {
    Some(match warning {
        Warning::Unplayed(_) => return None,
        Warning::NoGames => "No game counts yet: there is nothing to rate.".to_owned(),
        Warning::Disconnected { components } => format!(
            "The games leave {components} pools of entrants that never met: Elo and ranks of \
             different pools cannot be compared."
        ),
        Warning::NeverLost { winners, losers } => format!(
            "{} won every game against {}: how far these groups are apart is only bounded.",
            list(names, winners),
            list(names, losers)
        ),
        Warning::Incomparable(entrants) => format!(
            "Too few results place {} against the rest: the bounds hold against the opponents \
             met, not against everybody.",
            list(names, entrants)
        ),
        Warning::AdvantageInseparable => {
            "The advantage of moving first cannot be told from strength in these games and was \
             taken as 0."
                .to_owned()
        }
        Warning::AdvantageUnbounded(_) => {
            "The advantage of moving first has no finite estimate in these games: ratings are \
             fitted with it held at its bound, or at 0 if the bound is on the other side of 0, \
             and have no errors."
                .to_owned()
        }
        Warning::NotConverged { gradient } => format!(
            "The fit did not converge (largest derivative left: {gradient:.1e} points): do not \
             trust these Elo, and please report it."
        ),
    })
}

fn list(names: &[String], entrants: &[EntrantIndex]) -> String {
    listed(
        entrants
            .iter()
            .map(|entrant| names[entrant.position()].as_str()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::rating::{RatingModel, rate};
    use crate::stats::tally::Tally;

    #[test]
    fn every_warning_has_its_words() {
        let names: Vec<String> = ["ada", "b\u{1b}b", "carl", "dora"]
            .map(str::to_owned)
            .into();
        let [ada, bob, carl, dora] = [0, 1, 2, 3].map(EntrantIndex);
        let warnings = [
            (vec![Warning::NoGames], "nothing to rate"),
            (vec![Warning::Unplayed(ada)], "ada has no game yet."),
            (
                vec![Warning::Unplayed(ada), Warning::Unplayed(bob)],
                "ada and b\\u{1b}b have no game yet.",
            ),
            (vec![Warning::Disconnected { components: 3 }], "3 pools"),
            (
                vec![Warning::NeverLost {
                    winners: vec![bob, carl],
                    losers: vec![ada, dora],
                }],
                "b\\u{1b}b and carl won every game against ada and dora:",
            ),
            (
                vec![Warning::Incomparable(vec![carl])],
                "place carl against",
            ),
            (vec![Warning::AdvantageInseparable], "taken as 0"),
            (
                vec![Warning::AdvantageUnbounded(Bound::AtLeast)],
                "no finite estimate",
            ),
            (vec![Warning::NotConverged { gradient: 0.5 }], "5.0e-1"),
        ];
        for (warnings, words) in warnings {
            let mut ratings = rate(&Tally::new(4), RatingModel::default());
            ratings.warnings = warnings;
            let notes = notes(&names, &ratings);
            assert_eq!(notes.len(), 1, "{notes:?}");
            assert!(notes[0].contains(words), "{words:?} in {notes:?}");
        }
    }
}
