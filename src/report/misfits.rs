//! Where one Elo for each entrant does not explain the results, in sentences.

use super::text::shortened;
use crate::stats::fit::{Fits, PairingFit};
use crate::stats::game::RatedEntrant;

/// The width of a name in a sentence, in columns.
const NAME_COLUMNS: usize = 32;
/// The most pairings and circles that are named; further ones are counted.
const MOST: usize = 3;

/// Pairings that misfit, and circles, in sentences safe for a terminal; empty if the ratings
/// explain the results. `elsewhere` names the table with z for all pairings.
pub fn about_fit(names: &[String], fits: &Fits, elsewhere: &str) -> Vec<String> {
    let name = |it: RatedEntrant| shortened(&names[it.position()], NAME_COLUMNS);
    let (misfits, circles) = (fits.misfits(), fits.circles());
    let mut sentences = Vec::new();
    if !misfits.is_empty() {
        let worst = misfits.iter().take(MOST).map(|fit| misfit(&name, fit));
        sentences.push(format!(
            "One Elo each does not say how these play each other: {}{}. All \
             pairings are in {elsewhere}.",
            worst.collect::<Vec<String>>().join("; "),
            more(misfits.len())
        ));
    }
    if !circles.is_empty() {
        let named = circles.iter().take(MOST).map(|&[first, second, third]| {
            let [first, second, third] = [first, second, third].map(name);
            format!("{first} beats {second}, who beats {third}, who beats {first}")
        });
        sentences.push(format!(
            "Going round in circles, more often than chance does: {}{}.",
            named.collect::<Vec<String>>().join("; "),
            more(circles.len())
        ));
    }
    let others = fits.first_moves();
    if !others.is_empty() {
        let named = others
            .iter()
            .take(MOST)
            .map(|fit| format!("{} ({:+.0} Elo)", name(fit.entrant), fit.elo));
        sentences.push(format!(
            "Moving first is not worth the same to all; more or less than on average to {}{}.",
            named.collect::<Vec<String>>().join(", "),
            more(others.len())
        ));
    }
    sentences
}

/// For example `ada has 62.0 % against bob where 41.0 % are expected (z = +5.4)`.
fn misfit(name: &impl Fn(RatedEntrant) -> String, fit: &PairingFit) -> String {
    let per_cent = |points: f64| 100.0 * points / fit.games as f64;
    format!(
        "{} has {:.1} % against {} where {:.1} % are expected (z = {:+.1})",
        name(fit.one),
        per_cent(fit.points),
        name(fit.other),
        per_cent(fit.expected.unwrap_or(fit.points)),
        fit.z.unwrap_or(0.0)
    )
}

fn more(all: usize) -> String {
    match all.saturating_sub(MOST) {
        0 => String::new(),
        more => format!("; and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::{Outcome, RatedGame};
    use crate::stats::rating::rate;
    use crate::stats::ratings::RatingModel;
    use crate::stats::tally::Tally;

    #[test]
    fn a_circle_is_told_in_words() {
        let names: Vec<String> = ["a\u{1b}da", "bob", "carl", "dora"]
            .map(str::to_owned)
            .into();
        let mut games = Vec::new();
        for opening in 0..60_u64 {
            for (winner, loser) in [(0, 1), (1, 2), (2, 0), (0, 3), (3, 1), (2, 3)] {
                // Three of four pairs are won and the fourth is lost; two of the pairings are
                // level.
                let is_level = winner == 3 || loser == 3;
                let wins = if is_level {
                    opening % 2 == 0
                } else {
                    opening % 4 > 0
                };
                for (south, north) in [(winner, loser), (loser, winner)] {
                    games.push(RatedGame {
                        south: RatedEntrant(south),
                        north: RatedEntrant(north),
                        outcome: if wins == (south == winner) {
                            Outcome::SouthWins
                        } else {
                            Outcome::NorthWins
                        },
                        opening: Some(opening),
                        pair: None,
                        content: None,
                    });
                }
            }
        }
        let tally = Tally::from_games(4, games).expect("four entrants");
        let fits = rate(&tally, &RatingModel::default())
            .expect("few entrants")
            .fits(&tally);
        let said = about_fit(&names, &fits, "crosstable.csv");
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said[0].contains("a\\u{1b}da has 75.0 % against bob where 50.0 % are expected (z = +"),
            "{}",
            said[0]
        );
        assert_eq!(
            said[1],
            "Going round in circles, more often than chance does: a\\u{1b}da beats bob, who beats \
             carl, who beats a\\u{1b}da."
        );
        let none = Tally::new(4);
        let none = rate(&none, &RatingModel::default())
            .expect("few entrants")
            .fits(&none);
        assert!(about_fit(&names, &none, "").is_empty());
    }
}
