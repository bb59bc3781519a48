//! The result of one entrant against another, in the lines that engine authors expect.

use super::text::{shortened, tenths};
use crate::stats::head_to_head::{EloEstimate, IntervalMethod, Summary};
use std::fmt::Write as _;

/// The width of a name, in columns.
const NAME_COLUMNS: usize = 40;

/// The summary of two entrants in lines, from the view of the first. Safe for a terminal.
pub fn match_lines(names: [&str; 2], summary: &Summary) -> Vec<String> {
    let [first, second] = names.map(|name| shortened(name, NAME_COLUMNS));
    let mut lines = vec![format!(
        "{first} against {second}: {} Elo{}, LOS {}.",
        elo(&summary.elo, summary.method),
        normalised(summary),
        per_cent(summary.superiority),
    )];
    let [losses, draws, wins] = summary.games.0;
    let mut games = format!(
        "Games: {wins} won, {draws} drawn, {losses} lost, score {:.1} %, {:.1} % drawn.",
        100.0 * summary.score,
        100.0 * summary.draw_ratio
    );
    let [ll, ld, level, wd, ww] = summary.pairs.0;
    if summary.pairs.total() > 0 {
        let _ = write!(
            games,
            " Pairs: {ll} LL, {ld} LD, {level} DD or WL, {wd} WD, {ww} WW; won for each lost: {}.",
            summary
                .pairs_ratio
                .map_or("none was lost".to_owned(), |ratio| format!("{ratio:.2}"))
        );
    }
    lines.push(games);
    lines
}

/// For example `+40.7 ± 30.4 (95 %)` or `> +270 (95 %)`.
fn elo(estimate: &EloEstimate, method: IntervalMethod) -> String {
    match *estimate {
        EloEstimate::AtLeast(elo) => format!("> {elo:+.0} (95 %)"),
        EloEstimate::AtMost(elo) => format!("< {elo:+.0} (95 %)"),
        EloEstimate::Between { elo, low, high } => {
            let even = (high - elo) - (elo - low);
            // With an asymmetric interval, one number would be wrong on both sides.
            if method == IntervalMethod::LikelihoodRatio && even.abs() > 1.0 {
                return format!("{elo:+.1} ({low:+.1} to {high:+.1}, 95 %)");
            }
            format!("{elo:+.1} ± {} (95 %)", tenths((high - low) / 2.0))
        }
    }
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
    use crate::stats::head_to_head::Pairing;
    use crate::stats::sprt::{GameCounts, PairCounts};

    fn of_games(losses: u64, draws: u64, wins: u64) -> Vec<String> {
        let pairing = Pairing::of_games(GameCounts([losses, draws, wins]));
        let summary = Summary::of(&pairing).expect("games");
        match_lines(["new", "ba\u{1b}se"], &summary)
    }

    #[test]
    fn lone_games_as_engine_authors_read_them() {
        for ((losses, draws, wins), start) in [
            (
                (96, 111, 136),
                "new against ba\\u{1b}se: +40.7 ± 30.4 (95 %) Elo, normalized +49.8 ± 36.8, \
                 LOS 99.6 %.",
            ),
            (
                (0, 0, 10),
                "new against ba\\u{1b}se: > +270 (95 %) Elo, LOS over 99.9 %.",
            ),
            (
                (10, 0, 0),
                "new against ba\\u{1b}se: < -270 (95 %) Elo, LOS under 0.1 %.",
            ),
            (
                (0, 20, 0),
                "new against ba\\u{1b}se: +0.0 ± 31.9 (95 %) Elo, LOS 50.0 %.",
            ),
            ((0, 0, 1), "new against ba\\u{1b}se: > "),
        ] {
            let lines = of_games(losses, draws, wins);
            assert!(lines[0].starts_with(start), "{}", lines[0]);
        }
        assert!(of_games(0, 0, 1)[0].contains("LOS 75.0 %"));
    }

    #[test]
    fn pairs_are_shown_by_their_points() {
        let of_pairs = |counts: [u64; 5]| {
            let pairing = Pairing::of_pairs(PairCounts(counts));
            match_lines(["new", "base"], &Summary::of(&pairing).expect("pairs"))
        };
        let lines = of_pairs([3, 10, 20, 30, 45]);
        let ends = "Pairs: 3 LL, 10 LD, 20 DD or WL, 30 WD, 45 WW; won for each lost: 5.77.";
        assert!(lines[1].ends_with(ends), "{}", lines[1]);
        let swept = of_pairs([0, 0, 0, 0, 5]);
        assert!(
            swept[1].ends_with("won for each lost: none was lost."),
            "{}",
            swept[1]
        );
    }
}
