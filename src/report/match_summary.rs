//! The result of one entrant against another, in the lines that engine authors expect.

use super::text::{shortened_apart, tenths};
use crate::stats::head_to_head::Summary;
use crate::stats::rating::{BoundDirection, Difference};
use std::fmt::Write as _;

/// The width of a name, in columns.
const NAME_COLUMNS: usize = 40;

/// One entrant against one other: their difference in the table, and what was counted.
#[derive(Clone, Copy, Debug)]
pub struct MatchSummary {
    /// From the view of the first.
    pub difference: Option<Difference>,
    /// The counts, and the Elo of the score by itself.
    pub counts: Summary,
}

/// The summary of two entrants in lines, from the view of the first. Safe for a terminal.
pub fn match_lines(names: [&str; 2], summary: &MatchSummary) -> Vec<String> {
    let names = shortened_apart(&names, NAME_COLUMNS);
    let (first, second) = (&names[0], &names[1]);
    let counts = &summary.counts;
    let mut lines = vec![format!(
        "{first} against {second}: {}{}.",
        difference(summary.difference),
        normalised(counts),
    )];
    let [losses, draws, wins] = counts.games.0;
    let mut games = format!(
        "Games: {wins} won, {draws} drawn, {losses} lost, score {:.1} %, {:.1} % drawn.",
        100.0 * counts.score,
        100.0 * counts.draw_ratio
    );
    let [ll, ld, level, wd, ww] = counts.pairs.0;
    if counts.pairs.total() > 0 {
        let _ = write!(
            games,
            " Pairs: {ll} LL, {ld} LD, {level} DD or WL, {wd} WD, {ww} WW"
        );
        games += &counts.pairs_ratio.map_or(".".to_owned(), |ratio| {
            format!("; won for each lost: {ratio:.2}.")
        });
    }
    lines.push(games);
    lines
}

/// For example `+40.7 ± 30.4 Elo (95 %), LOS 99.6 %` or `> +270 Elo (95 %), LOS over 99.9 %`.
fn difference(known: Option<Difference>) -> String {
    let Some(known) = known else {
        return "no game compares them".to_owned();
    };
    let elo = match (known.bound, known.error95) {
        (Some(BoundDirection::AtLeast), _) => format!("> {:+.0} Elo (95 %)", known.elo),
        (Some(BoundDirection::AtMost), _) => format!("< {:+.0} Elo (95 %)", known.elo),
        (None, Some(error)) => format!("{:+.1} ± {} Elo (95 %)", known.elo, tenths(error)),
        (None, None) => format!("{:+.1} Elo, too few openings to say how surely", known.elo),
    };
    let los = known.los.map(per_cent);
    elo + &los.map_or(String::new(), |los| format!(", LOS {los}"))
}

fn normalised(summary: &Summary) -> String {
    summary.normalised.map_or(String::new(), |normalised| {
        format!(
            ", normalized {:+.1} ± {}",
            normalised.elo,
            tenths(normalised.error95)
        )
    })
}

/// A probability that is never shown as certain.
fn per_cent(probability: f64) -> String {
    let shown = (1000.0 * probability).round() / 10.0;
    if shown >= 100.0 {
        "over 99.9 %".to_owned()
    } else if shown <= 0.0 {
        "under 0.1 %".to_owned()
    } else {
        format!("{shown:.1} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::{Outcome, RatedEntrant, RatedGame};
    use crate::stats::head_to_head::Pairing;
    use crate::stats::rating::rate;
    use crate::stats::ratings::RatingModel;
    use crate::stats::sprt::PairCounts;
    use crate::stats::tally::Tally;

    /// The lines of lone games by turns from either side, and the table's difference of the two.
    fn of_games(losses: usize, draws: usize, wins: usize) -> (Vec<String>, Option<Difference>) {
        let [first, second] = [0, 1].map(RatedEntrant);
        let results = [
            vec![None; draws],
            vec![Some(first); wins],
            vec![Some(second); losses],
        ];
        let game = |(place, winner): (usize, &Option<RatedEntrant>)| {
            let (south, north) = if place % 2 == 0 {
                (first, second)
            } else {
                (second, first)
            };
            RatedGame {
                south,
                north,
                outcome: match winner {
                    None => Outcome::Draw,
                    Some(winner) if *winner == south => Outcome::SouthWins,
                    Some(_) => Outcome::NorthWins,
                },
                opening: None,
                pair: None,
                content: None,
            }
        };
        let games = results.iter().flatten().enumerate().map(game);
        let tally = Tally::from_games(2, games).expect("two entrants");
        let difference = rate(&tally, &RatingModel::default())
            .expect("few entrants")
            .difference(first, second);
        let counts = Summary::of(&Pairing::of_tally(&tally, first, second)).expect("games");
        let summary = MatchSummary { difference, counts };
        (match_lines(["new", "ba\u{1b}se"], &summary), difference)
    }

    #[test]
    fn the_line_of_two_has_the_difference_of_the_table() {
        for (losses, draws, wins) in [(96, 110, 136), (10, 4, 10), (3, 0, 5)] {
            let (lines, difference) = of_games(losses, draws, wins);
            let known = difference.expect("they met");
            let start = format!(
                "new against ba\\u{{1b}}se: {:+.1} ± {:.1} Elo (95 %), LOS {:.1} %",
                known.elo,
                known.error95.expect("an estimate"),
                100.0 * known.los.expect("an estimate")
            );
            assert!(lines[0].starts_with(&start), "{} {start}", lines[0]);
        }
    }

    #[test]
    fn lone_games_as_engine_authors_read_them() {
        for ((losses, draws, wins), start) in [
            (
                (0, 0, 10),
                "new against ba\\u{1b}se: > +270 Elo (95 %), LOS over 99.9 %.",
            ),
            (
                (10, 0, 0),
                "new against ba\\u{1b}se: < -270 Elo (95 %), LOS under 0.1 %.",
            ),
            (
                (0, 20, 0),
                "new against ba\\u{1b}se: +0.0 ± 31.9 Elo (95 %), LOS 50.0 %.",
            ),
            // One win: Φ(√(2 ln 2)).
            (
                (0, 0, 1),
                "new against ba\\u{1b}se: > -306 Elo (95 %), LOS 88.0 %.",
            ),
            (
                (0, 1, 0),
                "new against ba\\u{1b}se: +0.0 Elo, too few openings to say how surely.",
            ),
        ] {
            let (lines, _) = of_games(losses, draws, wins);
            assert!(lines[0].starts_with(start), "{}", lines[0]);
        }
    }

    #[test]
    fn pairs_are_shown_by_their_points() {
        let of_pairs = |counts: [u64; 5]| {
            let counts = Summary::of(&Pairing::of_pairs(PairCounts(counts))).expect("pairs");
            let difference = None;
            match_lines(["new", "base"], &MatchSummary { difference, counts })
        };
        let lines = of_pairs([3, 10, 20, 30, 45]);
        let ends = "Pairs: 3 LL, 10 LD, 20 DD or WL, 30 WD, 45 WW; won for each lost: 5.77.";
        assert!(lines[1].ends_with(ends), "{}", lines[1]);
        let swept = of_pairs([0, 0, 0, 0, 5]);
        let ends = "Pairs: 0 LL, 0 LD, 0 DD or WL, 0 WD, 5 WW.";
        assert!(swept[1].ends_with(ends), "{}", swept[1]);
    }
}
