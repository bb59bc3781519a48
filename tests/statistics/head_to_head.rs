//! The summary of two entrants against values known apart from this program, and at the edges where
//! usual formulas give infinity, nothing, or a width of 0.

use awale::stats::game::{Outcome, RatedEntrant, RatedGame};
use awale::stats::head_to_head::{EloEstimate, IntervalMethod, Pairing, PairingError, Summary};
use awale::stats::sprt::{GameCounts, PairCounts, SprtResult};
use awale::stats::tally::Tally;
use proptest::prelude::*;

fn lone(losses: u64, draws: u64, wins: u64) -> Pairing {
    Pairing::of_games(GameCounts([losses, draws, wins]))
}

/// Pairs, level ones all drawn twice.
fn drawn(counts: [u64; 5]) -> Pairing {
    Pairing::new(PairCounts(counts), counts[2], GameCounts::default()).expect("counts")
}

/// Pairs, level ones all won once by each.
fn split(counts: [u64; 5]) -> Pairing {
    Pairing::of_pairs(PairCounts(counts))
}

fn summary(pairing: &Pairing) -> Summary {
    Summary::of(pairing).expect("there are games")
}

#[test]
fn a_long_match_has_the_published_errors() {
    // 136 won, 96 lost, 111 drawn: 40.70 ± 30.43, normalised 49.77 ± 36.77.
    let summary = summary(&lone(96, 111, 136));
    let EloEstimate::Between { elo, .. } = summary.elo else {
        panic!("{summary:?}");
    };
    let normalised = summary.normalised.expect("results differ");
    let shown = [
        elo,
        summary.elo.error95().expect("two ends"),
        normalised.elo,
        normalised.error95,
    ]
    .map(|number| format!("{number:.2}"));
    assert_eq!(shown, ["40.70", "30.43", "49.77", "36.77"]);
    assert_eq!(summary.method, IntervalMethod::Normal);
    assert!((summary.draw_ratio - 111.0 / 343.0).abs() < 1e-15);
    assert_eq!((summary.level_ratio, summary.pairs_ratio), (None, None));
}

#[test]
fn pairs_narrow_the_interval_as_far_as_they_vary_less() {
    // Mean 1706/3340 = 0.510778…; the pairs' variance by hand: 0.0327 each, 1670 of them.
    let summary = summary(&split([12, 340, 900, 400, 18]));
    let mean = (340.0 * 0.25 + 900.0 * 0.5 + 400.0 * 0.75 + 18.0) / 1670.0;
    let square = (340.0 * 0.0625 + 900.0 * 0.25 + 400.0 * 0.5625 + 18.0) / 1670.0;
    let error = 1.959_963_984_540_054 * ((square - mean * mean) / 1670.0_f64).sqrt();
    let elo = |score: f64| 400.0 * (score / (1.0 - score)).log10();
    let EloEstimate::Between { elo: at, low, high } = summary.elo else {
        panic!("{summary:?}");
    };
    for (found, expected) in [(at, mean), (low, mean - error), (high, mean + error)] {
        assert!((found - elo(expected)).abs() < 1e-9, "{found}");
    }
    assert_eq!(summary.pairs_ratio, Some(418.0 / 352.0));
    assert_eq!(summary.level_ratio, Some(900.0 / 1670.0));
    assert_eq!(summary.games, GameCounts([1264, 740, 1336]));
}

#[test]
fn edges_have_the_likelihood_ratio_interval() {
    // By a search over all distributions of wins, draws and losses, or of pairs by their points
    // where those are level; by hand: 10 ln w = −1.92, 2 − 2s = exp(−1.92 / 20 draws or pairs).
    let tens = [
        (
            "20 draws",
            lone(0, 20, 0),
            -31.903_739_433_8,
            31.903_739_433_8,
        ),
        (
            "20 draws in pairs",
            drawn([0, 0, 10, 0, 0]),
            -61.345_160_983,
            61.345_160_983,
        ),
        (
            "a win each, ten times",
            split([0, 0, 10, 0, 0]),
            -61.345_160_983,
            61.345_160_983,
        ),
        (
            "one win and one loss",
            lone(1, 0, 1),
            -561.001_948_575,
            561.001_948_575,
        ),
        (
            "one draw short of a sweep",
            lone(0, 1, 19),
            342.022_426_806,
            1_133.876_354_01,
        ),
        (
            "seven to three",
            lone(3, 0, 7),
            -75.182_838_299_7,
            413.788_982_681,
        ),
        (
            "one pair of 1000 not drawn",
            drawn([0, 0, 999, 1, 0]),
            -0.526_058_482_906,
            0.906_969_936_593,
        ),
        (
            "one pair of 1000 not split",
            split([0, 0, 999, 1, 0]),
            -0.526_058_482_906,
            0.906_969_936_593,
        ),
        // Both games of a pair go together: forty games tell what twenty would.
        (
            "one pair of 20 lost",
            split([1, 0, 0, 0, 19]),
            238.417_370_401,
            1_013.209_982_55,
        ),
    ];
    for (name, pairing, least, most) in tens {
        let summary = summary(&pairing);
        let EloEstimate::Between { low, high, .. } = summary.elo else {
            panic!("{name}: {summary:?}");
        };
        let right = (low - least).abs() < 1e-6 && (high - most).abs() < 1e-6;
        assert!(right, "{name}: {low} to {high}");
        assert_eq!(summary.method, IntervalMethod::LikelihoodRatio, "{name}");
    }
}

#[test]
fn sweeps_have_a_bound_and_no_estimate() {
    let bound = 269.663_330_506_874;
    for pairing in [lone(0, 0, 10), split([0, 0, 0, 0, 5])] {
        let won = summary(&pairing);
        assert!(matches!(won.elo, EloEstimate::AtLeast(elo) if (elo - bound).abs() < 1e-6));
        assert_eq!((won.elo.error95(), won.normalised), (None, None));
        let lost = summary(&pairing.reversed());
        assert!(matches!(lost.elo, EloEstimate::AtMost(elo) if (elo + bound).abs() < 1e-6));
    }
}

/// n openings, t = Student's 97.5 % point with n − 1, the variance with n − 1: worked out by hand.
#[test]
fn intervals_of_scores_are_those_of_few_observations() {
    // Pairs of 1, 0.75, 0.5, 1 and 0.25: mean 0.7, squares about it 0.425 in all, so 0.325960
    // is the deviation and 0.145774 the error of the mean; t with 4 is 2.776445.
    let mixed = split([0, 1, 1, 1, 2]);
    let (low, high) = summary(&mixed).score95.expect("five openings");
    // 0.7 ± 0.4047: beyond half a point in ten games, where no record but a sweep can lie.
    assert!(high < 1.0 && low > 0.0, "{low} {high}");
    // Twenty pairs, 10 of 0.75 and 10 of 0.25: error 0.25 / √19 = 0.0573539, t with 19 2.093024.
    let even = split([0, 10, 0, 10, 0]);
    let (low, high) = summary(&even).score95.expect("twenty openings");
    assert!((high - 0.620_043).abs() < 1e-5, "{high}");
    assert!((low - 0.379_957).abs() < 1e-5, "{low}");
    // Not narrower than twenty level openings: 0.5 (1 − exp(−1.920729 / 20)) = 0.045783.
    let nearly = split([0, 1, 36, 1, 0]);
    let (low, high) = summary(&nearly).score95.expect("38 openings");
    let floor = 0.5 * (1.0 - (-1.920_729_f64 / 38.0).exp());
    assert!(
        (high - 0.5 - floor).abs() < 1e-5 && (0.5 - low - floor).abs() < 1e-5,
        "{low} {high}"
    );
    assert_eq!(summary(&split([0, 0, 0, 0, 1])).score95, None);
    // A sweep has one end.
    let (low, high) = summary(&split([0, 0, 0, 0, 5]))
        .score95
        .expect("five openings");
    assert!(
        high >= 1.0 && (low - (-1.920_729_f64 / 10.0).exp()).abs() < 1e-5,
        "{low}"
    );
}

/// Twenty openings, each played this many times by the same pairs.
fn of_openings(times: u64) -> Pairing {
    let (new, base) = (RatedEntrant(0), RatedEntrant(1));
    let mut games = Vec::new();
    for opening in 0..20 {
        for time in 0..times {
            let results = [
                [Outcome::SouthWins, Outcome::NorthWins],
                [Outcome::SouthWins, Outcome::SouthWins],
                [Outcome::Draw, Outcome::SouthWins],
            ][usize::try_from(opening).expect("few") % 3];
            for (south, north, outcome) in [(new, base, results[0]), (base, new, results[1])] {
                games.push(RatedGame {
                    south,
                    north,
                    outcome,
                    opening: Some(opening),
                    pair: Some(opening * times + time),
                    content: None,
                });
            }
        }
    }
    Pairing::of_tally(
        &Tally::from_games(2, games).expect("two entrants"),
        new,
        base,
    )
}

/// Whether a move of a repeated game differs or not.
#[test]
fn repeated_openings_count_and_add_no_certainty() {
    let (once, thrice) = (summary(&of_openings(1)), summary(&of_openings(3)));
    let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
    assert!(near(
        once.elo.error95().unwrap(),
        thrice.elo.error95().unwrap()
    ));
    assert!(near(
        once.normalised.unwrap().error95,
        thrice.normalised.unwrap().error95
    ));
    assert_eq!(
        once.score95.map(|it| (1e9 * it.0).round()),
        thrice.score95.map(|it| (1e9 * it.0).round())
    );
    assert_eq!(thrice.games.total(), 3 * once.games.total());
    let mirrored = summary(&of_openings(3).reversed());
    assert!(near(
        mirrored.elo.error95().unwrap(),
        once.elo.error95().unwrap()
    ));
    let (low, high) = thrice.score95.expect("twenty openings");
    let (least, most) = mirrored.score95.expect("twenty openings");
    assert!(near(low, 1.0 - most) && near(high, 1.0 - least));
}

#[test]
fn pairs_are_counted_as_they_come() {
    use SprtResult::{Draw, Loss, Win};
    let mut pairing = Pairing::default();
    for (first, second) in [
        (Win, Win),
        (Win, Loss),
        (Draw, Draw),
        (Loss, Draw),
        (Draw, Win),
    ] {
        pairing.add_pair(first, second);
    }
    pairing.add_lone(Draw);
    assert_eq!(pairing.pairs(), PairCounts([0, 1, 2, 1, 1]));
    assert_eq!(pairing.games(), GameCounts([2, 5, 4]));
    assert_eq!(pairing.reversed().games(), GameCounts([4, 5, 2]));
}

#[test]
fn counts_that_contradict_themselves_are_refused() {
    let level = PairCounts([0, 0, 3, 0, 0]);
    let refused = Pairing::new(level, 4, GameCounts::default());
    assert_eq!(
        refused,
        Err(PairingError::DrawnPairs { drawn: 4, level: 3 })
    );
    assert!(Summary::of(&Pairing::default()).is_none());
}

/// Counts from none to a thousand million, every third of them 0.
fn any_count() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0..4_u64, 0..1_000_000_001_u64]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_number_is_one_and_every_interval_has_a_width(
        pairs in proptest::array::uniform5(any_count()),
        per_cent_drawn in 0..=100_u64,
        lone in proptest::array::uniform3(any_count()),
    ) {
        let part = |per_cent: u64, whole: u64| whole * per_cent / 100;
        let drawn = part(per_cent_drawn, pairs[2]);
        let pairing = Pairing::new(PairCounts(pairs), drawn, GameCounts(lone)).expect("a part");
        let observations = pairs.iter().chain(&lone).sum::<u64>();
        prop_assume!(observations > 0);
        let summary = summary(&pairing);
        let mirrored = Summary::of(&pairing.reversed()).expect("there are games");
        match (summary.elo, mirrored.elo) {
            (
                EloEstimate::Between { elo, low, high },
                EloEstimate::Between { low: least, high: most, .. },
            ) => {
                prop_assert!(low < elo && elo < high, "{summary:?}");
                prop_assert!(low.is_finite() && high.is_finite(), "{summary:?}");
                let slack = 1e-6 * (1.0 + high - low);
                prop_assert!((low + most).abs() < slack && (high + least).abs() < slack);
            }
            (EloEstimate::AtLeast(elo), EloEstimate::AtMost(other))
            | (EloEstimate::AtMost(other), EloEstimate::AtLeast(elo)) => {
                prop_assert!(elo.is_finite() && (elo + other).abs() < 1e-6);
            }
            other => prop_assert!(false, "{other:?}"),
        }
        prop_assert_eq!(summary.score95.is_some(), observations > 1);
        if let Some((low, high)) = summary.score95 {
            prop_assert!(0.0 <= low && low <= summary.score, "{summary:?}");
            prop_assert!(summary.score <= high && high <= 1.0, "{summary:?}");
            prop_assert!(low < high, "{summary:?}");
        }
        if let Some(normalised) = summary.normalised {
            prop_assert!(normalised.elo.is_finite() && normalised.error95 > 0.0);
        }
    }
}
