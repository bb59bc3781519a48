//! Notes for readers of the ratings, in sentences.

use super::observations::Observations;
use super::standings::{StandingsRow, rated_rows};
use super::text::{listed, signed_elo};
use crate::stats::game::RatedEntrant;
use crate::stats::rating::{BoundDirection, Warning};
use crate::stats::ratings::{Ratings, ZeroPoint};
use crate::stats::tally::Results;

/// All notes for readers of ratings, in sentences safe for a terminal, the advantage of moving
/// first before all others. `names` are by the entrants' numbers.
pub fn notes(names: &[String], ratings: &Ratings, observations: Observations) -> Vec<String> {
    let warnings = warnings(names, ratings, observations);
    let first = about_looking(ratings).into_iter().chain(advantage(ratings));
    first.chain(warnings).collect()
}

/// Warnings about ratings that can be misread, in sentences safe for a terminal; empty if there are
/// none.
pub fn warnings(names: &[String], ratings: &Ratings, observations: Observations) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(about_bounds(&rated_rows(names, ratings)));
    notes.extend(one_sided_anchors(names, ratings));
    let unplayed: Vec<RatedEntrant> = ratings
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
            .filter_map(|warning| sentence(names, warning, observations)),
    );
    notes
}

/// Advice against anchors that tell nothing: those that won, or lost, every game.
fn one_sided_anchors<'a>(
    names: &'a [String],
    ratings: &'a Ratings,
) -> impl Iterator<Item = String> + 'a {
    let anchors = ratings.ratings.iter().filter(|rating| {
        // Only an anchor has a rating without an error.
        rating.zero_point == ZeroPoint::Anchor && rating.error95 == Some(0.0)
    });
    anchors.filter_map(|anchor| {
        let Results {
            wins,
            draws,
            losses,
        } = anchor.results;
        let what = match (wins, draws, losses) {
            (0, 0, 1..) => "lost",
            (1.., 0, 0) => "won",
            _ => return None,
        };
        let name = list(names, &[anchor.entrant]);
        Some(format!(
            "The anchor {name} {what} every game, so the others have only bounds on its scale: \
             choose an anchor that wins some games and loses some."
        ))
    })
}

/// The data behind the errors; `None` if there are no errors, or if a warning says it.
pub fn basis(ratings: &Ratings, observations: Observations) -> Option<String> {
    ratings.errors.known.then(|| {
        format!(
            "The margins come from {}{}",
            observations.count(ratings.errors.clusters),
            observations.counted_once()
        )
    })
}

/// How much wider intervals are while not all games are played.
fn about_looking(ratings: &Ratings) -> Option<String> {
    (ratings.widening > 1.0).then(|| {
        format!(
            "Not all games are played: margins are {:.1} times as wide as after one look at the \
             end, so that they hold however often you look.",
            ratings.widening
        )
    })
}

/// The reference of the errors, where it could be misunderstood; `elsewhere` names the table with
/// the errors of differences.
pub fn about_errors(ratings: &Ratings, elsewhere: &str) -> Option<String> {
    let with_errors = || ratings.ratings.iter().filter(|it| it.error95.is_some());
    let is_relative_to = |zero| with_errors().any(|it| it.zero_point == zero);
    let zero = match (
        is_relative_to(ZeroPoint::Anchor),
        is_relative_to(ZeroPoint::Mean),
    ) {
        (false, _) if ratings.ratings.iter().any(|it| it.bound.is_some()) => {
            "the average of the entrants that have a ±"
        }
        (false, _) => "the average of the entrants",
        (true, false) => "the anchors",
        (true, true) => "the anchors, or from the average of a pool without one",
    };
    // For exactly two entrants, the summary contains their difference.
    (ratings.ratings.len() > 2 && with_errors().count() > 1).then(|| {
        format!(
            "±: the true Elo, counted from {zero}, is inside this margin in 95 of 100 tournaments. \
             Differences between two entrants have margins of their own, in {elsewhere}."
        )
    })
}

/// What bounds mean, where some are shown, and why others are not.
fn about_bounds(rows: &[StandingsRow]) -> Vec<String> {
    let bounded = || rows.iter().filter(|row| row.bound.is_some());
    let mut notes = Vec::new();
    if bounded().any(|row| !row.is_bound_misleading) {
        notes.push(
            "An Elo with > means: at least so many (95 %), one with <: at most. One side won every \
             game, so nobody knows how much more."
                .to_owned(),
        );
    }
    if bounded().any(|row| row.is_bound_misleading) {
        notes.push(
            "Who won every game against others stands above them, after however few games. A \
             bound of an Elo that contradicts this is not shown; the table in CSV has it."
                .to_owned(),
        );
    }
    notes
}

/// What moving first is worth; `None` where a bound says nothing, and in very few games.
fn advantage(ratings: &Ratings) -> Option<String> {
    const FEWEST_GAMES: u64 = 20;
    let advantage = ratings.advantage?;
    if ratings.sample.games < FEWEST_GAMES {
        return None;
    }
    let elo = signed_elo(advantage.elo, None);
    let size = match advantage.bound {
        None => elo,
        Some(BoundDirection::AtLeast) if advantage.elo > 0.0 => format!("at least {elo}"),
        Some(BoundDirection::AtMost) if advantage.elo < 0.0 => format!("at most {elo}"),
        Some(_) => return None,
    };
    let error = advantage
        .error95
        .map_or(String::new(), |error| format!(" ±{error:.0}"));
    Some(format!("Moving first is worth {size}{error} Elo (95 %)."))
}

/// The sentence of a warning; `None` for warnings that are reported together with others.
fn sentence(names: &[String], warning: &Warning, observations: Observations) -> Option<String> {
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
        Warning::NotAnchored(entrants) => format!(
            "No games link {} to an anchor: the mean of their Elo is 0 instead, and they cannot \
             be compared with the others.",
            list(names, entrants)
        ),
        Warning::Duplicates(sample) => format!(
            "{} of {} games repeat another to the move, which tells nothing new. More openings \
             would tell more.",
            sample.duplicate_games, sample.games
        ),
        Warning::MixedPairs(pairs) => format!(
            "Pairs whose games are of different entrants: {pairs}. Each was taken as one \
             observation; if every pairing counts its pairs from 1, the errors are wrong until \
             pairs have names that are unique in the table."
        ),
        Warning::FewOpenings(basis) if basis.clusters > basis.parameters => {
            let several = observations.several();
            format!(
                "How far these Elo may be off is not known yet: too much of them, or of their \
                 mean, rests on single {several}."
            )
        }
        Warning::FewOpenings(basis) => format!(
            "How far these Elo may be off is not known yet: they rest on {}, with {} fitted.",
            observations.count(basis.clusters),
            numbers(basis.parameters)
        ),
        Warning::OneOpening(entrants) => format!(
            "How far the Elo of {} may be off is not known yet: it rests on one {}, or hardly \
             more.",
            list(names, entrants),
            observations.one()
        ),
        Warning::AdvantageInseparable => {
            "The advantage of moving first cannot be told from strength in these games and was \
             taken as 0."
                .to_owned()
        }
        Warning::AdvantageUnbounded(_) => {
            "The advantage of moving first has no finite estimate in these games: ratings are \
             fitted with it held at its bound, or at 0 if the bound is on the other side of 0, \
             and their errors hold for that value."
                .to_owned()
        }
        Warning::NotConverged { gradient } => format!(
            "The fit did not converge (largest derivative left: {gradient:.1e} points): do not \
             trust these Elo, and please report it."
        ),
    })
}

/// For example `1 number` or `2 numbers`.
fn numbers(count: u64) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} number{plural}")
}

fn list(names: &[String], entrants: &[RatedEntrant]) -> String {
    listed(
        entrants
            .iter()
            .map(|entrant| names[entrant.position()].as_str()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::{Outcome, RatedGame};
    use crate::stats::rating::rate;
    use crate::stats::ratings::ErrorBasis;
    use crate::stats::ratings::RatingModel;
    use crate::stats::tally::{Sample, Tally};

    #[test]
    fn an_anchor_that_tells_nothing_is_advised_against() {
        let game = |south: u32, north: u32, outcome| RatedGame {
            south: RatedEntrant(south),
            north: RatedEntrant(north),
            outcome,
            opening: None,
            pair: None,
            content: None,
        };
        // Entrant 0 loses all, 3 wins all, and 1 and 2 are equal.
        let mut games = Vec::new();
        for _ in 0..4 {
            for (stronger, weaker) in [(1, 0), (2, 0), (3, 0), (3, 1), (3, 2)] {
                games.push(game(stronger, weaker, Outcome::SouthWins));
                games.push(game(weaker, stronger, Outcome::NorthWins));
            }
            games.push(game(1, 2, Outcome::SouthWins));
            games.push(game(2, 1, Outcome::SouthWins));
        }
        let tally = Tally::from_games(4, games).expect("four entrants");
        let names = ["ada", "bob", "cyd", "dan"].map(str::to_owned);
        for (anchor, words) in [
            (0, Some("The anchor ada lost every game, ")),
            (1, None),
            (3, Some("The anchor dan won every game, ")),
        ] {
            let model = RatingModel {
                anchors: [(RatedEntrant(anchor), 1000.0)].into(),
                ..RatingModel::default()
            };
            let said = warnings(
                &names,
                &rate(&tally, &model).expect("few entrants"),
                Observations::OPENINGS,
            );
            let mut advice = said.iter().filter(|it| it.starts_with("The anchor "));
            match words {
                Some(words) => assert!(advice.any(|it| it.starts_with(words)), "{said:?}"),
                None => assert_eq!(advice.count(), 0, "{said:?}"),
            }
        }
    }

    #[test]
    fn errors_are_told_what_they_are_relative_to() {
        let draws = |pairings: &[(u32, u32)]| {
            let game = |&(south, north): &(u32, u32)| RatedGame {
                south: RatedEntrant(south),
                north: RatedEntrant(north),
                outcome: Outcome::Draw,
                opening: None,
                pair: None,
                content: None,
            };
            Tally::from_games(4, pairings.iter().map(game)).expect("four entrants")
        };
        let circle = draws(&[(0, 1), (1, 0), (1, 2), (2, 1)].repeat(3));
        let pools = draws(&[(0, 1), (1, 0), (2, 3), (3, 2)].repeat(3));
        for (tally, anchor, words) in [
            (&circle, None, "from the average of the entrants, "),
            (&circle, Some(RatedEntrant(1)), "from the anchors, "),
            (
                &pools,
                Some(RatedEntrant(1)),
                "average of a pool without one,",
            ),
        ] {
            let anchors = anchor.map(|anchor| (anchor, 1000.0)).into_iter().collect();
            let model = RatingModel {
                anchors,
                ..RatingModel::default()
            };
            let said = about_errors(&rate(tally, &model).expect("few entrants"), "los.csv")
                .expect("several errors");
            assert!(said.contains(words), "{said}");
        }
        let two = Tally::from_games(2, []).expect("no game");
        assert_eq!(
            about_errors(
                &rate(&two, &RatingModel::default()).expect("few entrants"),
                ""
            ),
            None
        );
    }

    #[test]
    fn every_warning_has_its_words() {
        let names: Vec<String> = ["ada", "b\u{1b}b", "carl", "dora"]
            .map(str::to_owned)
            .into();
        let [ada, bob, carl, dora] = [0, 1, 2, 3].map(RatedEntrant);
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
            (
                vec![Warning::NotAnchored(vec![ada, dora])],
                "link ada and dora to an anchor",
            ),
            (
                vec![Warning::Duplicates(Sample {
                    games: 40,
                    duplicate_games: 36,
                    pairs: 20,
                    distinct_pairs: 2,
                })],
                "36 of 40 games repeat another",
            ),
            (
                vec![Warning::FewOpenings(ErrorBasis {
                    known: false,
                    clusters: 1,
                    parameters: 3,
                })],
                "they rest on 1 opening, with 3 numbers fitted",
            ),
            (
                vec![Warning::OneOpening(vec![RatedEntrant(1)])],
                "it rests on one opening",
            ),
            (
                vec![Warning::MixedPairs(7)],
                "of different entrants: 7. Each was taken as one",
            ),
            (vec![Warning::AdvantageInseparable], "taken as 0"),
            (
                vec![Warning::AdvantageUnbounded(BoundDirection::AtLeast)],
                "no finite estimate",
            ),
            (vec![Warning::NotConverged { gradient: 0.5 }], "5.0e-1"),
        ];
        for (warnings, words) in warnings {
            let mut ratings = rate(&Tally::new(4), &RatingModel::default()).expect("few entrants");
            ratings.warnings = warnings;
            let notes = notes(&names, &ratings, Observations::OPENINGS);
            assert_eq!(notes.len(), 1, "{notes:?}");
            assert!(notes[0].contains(words), "{words:?} in {notes:?}");
        }
    }
}
