//! Knockout: the loser of a match is out, and the winner meets the winner of the match beside it.
//!
//! ```text
//! 1 ─┐                      The seeding decides the places, so that the two best can meet only in
//!    ├─ 1 ─┐                the final. With fewer entrants than places the best have a bye in the
//! 8 ─┘     │                first round.
//!          ├─ 4 ─┐
//! 4 ─┐     │     │
//!    ├─ 4 ─┘     │          A match is decided by, in this order:
//! 5 ─┘           │
//!                ├─ 4       1. a withdrawal: an entrant that is out loses to one that is in; if
//! 2 ─┐           │             both are out, the next opponent has a bye
//!    ├─ 2 ─┐     │          2. half points, over all its pairs; while they are equal, one more
//! 7 ─┘     │     │             pair is dealt, up to the most pairs of a match
//!          ├─ 2 ─┘          3. seeds: the sum of an entrant's final stores in the match
//! 3 ─┐     │                4. the seeding; at once, if no game of the match counts
//!    ├─ 3 ─┘
//! 6 ─┘
//! ```
//!
//! All matches of a round are dealt together. More pairs are rounds of their own, which have only
//! the drawn matches: `semi-finals`, then `semi-finals, more pairs` as often as it is needed.

use super::{Dealer, DealtRound, MatchResult, SoFar};
use crate::tournament::plan::EntrantIndex;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

/// What the name of a round has after it, when it deals more pairs of drawn matches.
const MORE_PAIRS: &str = ", more pairs";

/// The format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knockout {
    /// The most pairs of a match; never fewer than the plan gives it.
    pub most_pairs: u32,
}

/// One side of a match in the bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An entrant.
    Entrant(EntrantIndex),
    /// No entrant comes here: the opponent has a bye.
    Empty,
    /// Matches before this one are not decided.
    Undecided,
}

/// What decided a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecidedBy {
    /// There was no opponent.
    Bye,
    /// The opponent, or both entrants, were out when the round was over.
    Withdrawal,
    /// The half points of the match.
    HalfPoints,
    /// Equal half points, and the seeds in the final stores of the match.
    Seeds,
    /// Equal half points and seeds, or no game that counts.
    Seeding,
}

impl DecidedBy {
    /// The name in tables and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bye => "bye",
            Self::Withdrawal => "withdrawal",
            Self::HalfPoints => "points",
            Self::Seeds => "seeds",
            Self::Seeding => "seeding",
        }
    }
}

/// A match of the bracket, whether it is dealt, to come, or a bye.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BracketMatch {
    /// The name of its round.
    pub round: String,
    /// Its own name, such as `semi-final 2`.
    pub part: String,
    /// Its two sides.
    pub places: [Place; 2],
    /// The pairs that were dealt, those after a draw included.
    pub pairs: u32,
    /// The number of its games that count.
    pub games: u32,
    /// Half points of both sides.
    pub half_points: [u32; 2],
    /// Seeds in the final stores of both sides.
    pub seeds: [u32; 2],
    /// Who goes on: an entrant; none, if both were out; or it is not decided.
    pub winner: Place,
    /// What decided it, if something did.
    pub decided_by: Option<DecidedBy>,
}

impl BracketMatch {
    /// Both entrants, of a match that has two.
    fn entrants(&self) -> Option<[EntrantIndex; 2]> {
        match self.places {
            [Place::Entrant(one), Place::Entrant(other)] => Some([one, other]),
            _ => None,
        }
    }
}

impl Knockout {
    /// All matches, round by round, each round from the top of the bracket. All pairs that were
    /// dealt are held to be settled: a match that is still played is told as it stands, and has
    /// fewer games than two for each pair.
    fn matches(self, so_far: &SoFar<'_>) -> Vec<BracketMatch> {
        let meetings = meetings(so_far);
        let beginners = so_far.beginners();
        let mut places = first_places(&beginners);
        let (mut bracket, mut over) = (Vec::new(), 0);
        while places.len() > 1 {
            let round = round_name(places.len());
            let is_of_round = |it: &DealtRound| it.name.trim_end_matches(MORE_PAIRS) == round;
            let last = so_far.rounds.iter().rposition(is_of_round);
            over = last.map_or(over, |it| it + 1);
            let out = so_far.out_after(over);
            let sides = places.chunks_exact(2).map(|it| [it[0], it[1]]);
            let matches: Vec<BracketMatch> = (1..)
                .zip(sides)
                .map(|(number, sides)| {
                    let part = part_name(places.len(), number);
                    let mut it = undecided(round.clone(), part, sides, &meetings);
                    if let Some((winner, by)) = self.decide(&it, &out, so_far) {
                        (it.winner, it.decided_by) = (winner, Some(by));
                    }
                    it
                })
                .collect();
            places = matches.iter().map(|it| it.winner).collect();
            bracket.extend(matches);
        }
        bracket
    }

    /// Who goes on, and why; `None` as long as pairs are to be dealt. The entrants in `out` were
    /// out when the round was over.
    fn decide(
        self,
        it: &BracketMatch,
        out: &BTreeSet<EntrantIndex>,
        so_far: &SoFar<'_>,
    ) -> Option<(Place, DecidedBy)> {
        if it.places.contains(&Place::Undecided) {
            return None;
        }
        let is_in = |place| matches!(place, Place::Entrant(entrant) if !out.contains(&entrant));
        let in_alone = match it.places.map(is_in) {
            [true, true] => return self.decide_by_games(it, so_far),
            [false, false] => return Some((Place::Empty, DecidedBy::Withdrawal)),
            [true, false] => 0,
            [false, true] => 1,
        };
        let by = match it.places[1 - in_alone] {
            Place::Empty => DecidedBy::Bye,
            _ => DecidedBy::Withdrawal,
        };
        Some((it.places[in_alone], by))
    }

    /// Decides a match of two entrants that are in.
    fn decide_by_games(self, it: &BracketMatch, so_far: &SoFar<'_>) -> Option<(Place, DecidedBy)> {
        let most_pairs = self.most_pairs.max(so_far.plan.pairs);
        let points = it.half_points[0].cmp(&it.half_points[1]);
        let is_open = it.pairs > 0 && it.games == 0;
        if points == Ordering::Equal && it.pairs < most_pairs && !is_open {
            return None;
        }
        // The better seed is the one that comes first.
        let seeding = it.entrants()?.map(|entrant| {
            let place = so_far.seeds.iter().position(|it| *it == entrant);
            Reverse(place)
        });
        let reasons = [
            (points, DecidedBy::HalfPoints),
            (it.seeds[0].cmp(&it.seeds[1]), DecidedBy::Seeds),
            (seeding[0].cmp(&seeding[1]), DecidedBy::Seeding),
        ];
        let (order, by) = reasons.into_iter().find(|it| it.0 != Ordering::Equal)?;
        let winner = usize::from(order == Ordering::Less);
        Some((it.places[winner], by))
    }
}

impl Dealer for Knockout {
    fn bracket(&self, so_far: &SoFar<'_>) -> Vec<BracketMatch> {
        self.matches(so_far)
    }

    fn next_round(&self, so_far: &SoFar<'_>) -> Option<DealtRound> {
        let bracket = self.matches(so_far);
        let waits = |it: &&BracketMatch| it.entrants().is_some() && it.decided_by.is_none();
        let round = &bracket.iter().find(waits)?.round;
        let of_round = bracket.iter().filter(|it| it.round == *round);
        let is_new = of_round.clone().filter(waits).any(|it| it.pairs == 0);
        let (name, pairs) = if is_new {
            (round.clone(), so_far.plan.pairs)
        } else {
            (format!("{round}{MORE_PAIRS}"), 1)
        };
        let waiting = of_round.clone().filter(waits);
        let dealt = waiting.filter(|it| !is_new || it.pairs == 0);
        let dealt = dealt.filter_map(|it| Some((it.entrants()?, &it.part)));
        let matches = dealt.map(|(entrants, part)| so_far.deal_match(entrants, pairs, part));
        let mut next = so_far.deal_round(name, matches.collect());
        let byes = of_round.filter(|it| is_new && it.decided_by == Some(DecidedBy::Bye));
        next.byes = byes
            .filter_map(|it| match it.winner {
                Place::Entrant(entrant) => Some(so_far.name(entrant).to_owned()),
                Place::Empty | Place::Undecided => None,
            })
            .collect();
        Some(next)
    }

    /// By the number of matches won, byes included, so that the winner comes first and the loser of
    /// the final second; then by the seeding. An entrant that has not lost comes before one that
    /// has.
    fn ranking(&self, so_far: &SoFar<'_>) -> Vec<EntrantIndex> {
        let bracket = self.matches(so_far);
        let mut order = so_far.beginners();
        order.sort_by_cached_key(|entrant| {
            let entrant = Place::Entrant(*entrant);
            let own = bracket.iter().filter(|it| it.places.contains(&entrant));
            let won = own.clone().filter(|it| it.winner == entrant).count();
            let lost = own.filter(|it| it.decided_by.is_some()).count() - won;
            (Reverse(won), lost)
        });
        so_far.ranked(&order)
    }

    fn most_pairs(&self, entrants: u32, pairs: u32) -> u64 {
        let matches = u64::from(entrants.saturating_sub(1));
        matches * u64::from(self.most_pairs.max(pairs))
    }
}

/// The results of all matches, each with its further pairs. Two entrants have at most one match,
/// and are named in it in the order of the bracket.
fn meetings(so_far: &SoFar<'_>) -> BTreeMap<[EntrantIndex; 2], MatchResult> {
    let mut meetings: BTreeMap<_, MatchResult> = BTreeMap::new();
    for result in so_far.results().into_iter().flatten() {
        let known = meetings.entry(result.entrants);
        let add = |it: &mut MatchResult| {
            it.pairs += result.pairs;
            it.games += result.games;
            it.half_points = [0, 1].map(|side| it.half_points[side] + result.half_points[side]);
            it.seeds = [0, 1].map(|side| it.seeds[side] + result.seeds[side]);
        };
        known.and_modify(add).or_insert(result);
    }
    meetings
}

/// A match as it was played, without a winner.
fn undecided(
    round: String,
    part: String,
    places: [Place; 2],
    meetings: &BTreeMap<[EntrantIndex; 2], MatchResult>,
) -> BracketMatch {
    let mut it = BracketMatch {
        round,
        part,
        places,
        pairs: 0,
        games: 0,
        half_points: [0; 2],
        seeds: [0; 2],
        winner: Place::Undecided,
        decided_by: None,
    };
    if let Some(played) = it.entrants().and_then(|it| meetings.get(&it)) {
        (it.pairs, it.games) = (played.pairs, played.games);
        (it.half_points, it.seeds) = (played.half_points, played.seeds);
    }
    it
}

/// The places of the first round. Each round of a bracket is made of the one after it: every
/// entrant gets the opponent with which the two numbers of their seeding have the same sum.
///
/// ```text
/// 1 2    1 4 2 3    1 8 4 5 2 7 3 6
/// ```
fn first_places(seeds: &[EntrantIndex]) -> Vec<Place> {
    let mut order = vec![0];
    while order.len() < seeds.len() {
        let last = 2 * order.len() - 1;
        order = order.iter().flat_map(|&it| [it, last - it]).collect();
    }
    let place = |it: usize| seeds.get(it).map_or(Place::Empty, |it| Place::Entrant(*it));
    order.into_iter().map(place).collect()
}

/// The name of the round that begins with so many places.
fn round_name(places: usize) -> String {
    match places {
        2 => "final".to_owned(),
        4 => "semi-finals".to_owned(),
        8 => "quarter-finals".to_owned(),
        _ => format!("round of {places}"),
    }
}

/// The name of a match of that round; they are numbered from the top of the bracket.
fn part_name(places: usize, number: usize) -> String {
    match places {
        2 => "final".to_owned(),
        4 => format!("semi-final {number}"),
        8 => format!("quarter-final {number}"),
        _ => format!("round of {places}, match {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::formats::simulation::{PairOutcome, Simulation, played};
    use crate::tournament::plan::Format;

    /// One game won by each, the first entrant with these seeds and 24.
    fn drawn(seeds: u8) -> PairOutcome {
        played([[seeds, 48 - seeds], [20, 28]])
    }

    fn knockout(names: &str, most_pairs: u32) -> Simulation {
        Simulation::new(names.split(' '), Format::Knockout { most_pairs }, 1)
    }

    #[test]
    fn places_are_the_usual_ones() {
        for (count, places) in [
            (2, "1 2"),
            (3, "1 - 2 3"),
            (8, "1 8 4 5 2 7 3 6"),
            (11, "1 - 8 9 4 - 5 - 2 - 7 10 3 - 6 11"),
        ] {
            let seeds: Vec<EntrantIndex> = (1..=count).map(EntrantIndex).collect();
            let text = |it: &Place| match it {
                Place::Entrant(entrant) => entrant.0.to_string(),
                Place::Empty | Place::Undecided => "-".to_owned(),
            };
            let found: Vec<String> = first_places(&seeds).iter().map(text).collect();
            assert_eq!(found.join(" "), places);
        }
    }

    #[test]
    fn the_best_of_five_have_a_bye() {
        let mut it = knockout("a b c d e", 3);
        it.play_all(|one, _, _| match one {
            "d" => played([[10, 38], [10, 38]]),
            _ => played([[30, 18], [24, 24]]),
        });
        let rounds = [
            "0 quarter-finals: d-e, bye a, bye b, bye c",
            "0 semi-finals: a-e b-c",
            "0 final: a-b",
        ];
        assert_eq!(it.rounds_in_short(), rounds);
        assert_eq!(it.rounds[0].matches[0].part, "quarter-final 2");
        assert_eq!(it.rounds[1].matches[1].part, "semi-final 2");
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "a b c e d");
        assert_eq!(it.dealer().most_pairs(5, 2), 4 * 3);
        assert_eq!(it.dealer().most_pairs(5, 7), 4 * 7);
    }

    /// Eight entrants, at most three pairs a match. What decides each match is different.
    #[test]
    fn ties_are_decided_in_every_way() {
        let mut it = knockout("a b c d e f g h", 3);
        it.play_all(|one, other, number| match (one, other, number) {
            ("a", "h", 2) => played([[23, 25], [24, 24]]),
            ("a", "h", _) => drawn(30),
            // 28 + 20, 28 + 20, then 27 + 20 seeds.
            ("d", "e", 3) => drawn(27),
            ("d", "e", _) | ("b", "g", _) => drawn(28),
            ("c", "f", _) => PairOutcome::default(),
            ("h", "e", _) => PairOutcome {
                withdrawn: [true, false],
                ..played([[30, 18], [30, 18]])
            },
            ("b", "c", _) => PairOutcome {
                withdrawn: [true, true],
                ..drawn(28)
            },
            _ => unreachable!("{one} and {other} do not meet"),
        });
        let rounds = [
            "0 quarter-finals: a-h d-e b-g c-f",
            "0 quarter-finals, more pairs: a-h d-e b-g",
            "0 quarter-finals, more pairs: d-e b-g",
            "0 semi-finals: h-e b-c",
        ];
        assert_eq!(it.rounds_in_short(), rounds);
        let row = |row: &BracketMatch| {
            let text = |it: &Place| match it {
                Place::Entrant(entrant) => {
                    ["a", "b", "c", "d", "e", "f", "g", "h"][entrant.index()]
                }
                Place::Empty => "-",
                Place::Undecided => "?",
            };
            let [one, other] = row.places.each_ref().map(text);
            let numbers = (row.pairs, row.games, row.half_points, row.seeds);
            let by = row.decided_by.map_or("nothing", DecidedBy::name);
            let winner = text(&row.winner);
            format!("{}: {one} {other} {numbers:?} {winner} {by}", row.part)
        };
        let bracket = Knockout { most_pairs: 3 }.bracket(&it.so_far());
        let rows: Vec<String> = bracket.iter().map(row).collect();
        assert_eq!(
            rows,
            [
                "quarter-final 1: a h (2, 4, [3, 5], [97, 95]) h points",
                "quarter-final 2: d e (3, 6, [6, 6], [143, 145]) e seeds",
                "quarter-final 3: b g (3, 6, [6, 6], [144, 144]) b seeding",
                "quarter-final 4: c f (1, 0, [0, 0], [0, 0]) c seeding",
                "semi-final 1: h e (1, 2, [4, 0], [60, 36]) e withdrawal",
                "semi-final 2: b c (1, 2, [2, 2], [48, 48]) - withdrawal",
                "final: e - (0, 0, [0, 0], [0, 0]) e bye",
            ]
        );
        // Of those that lost in one round the better seed comes first; b, c and h are out.
        assert_eq!(
            it.names(&it.dealer().ranking(&it.so_far())),
            "e a d f g b c h"
        );
    }

    #[test]
    fn a_bracket_that_is_played_has_matches_to_come() {
        let mut it = knockout("a b c", 1);
        let winners = |it: &Simulation| -> Vec<Place> {
            let bracket = Knockout { most_pairs: 1 }.bracket(&it.so_far());
            bracket.iter().map(|it| it.winner).collect()
        };
        let [a, b] = [0, 1].map(|it| Place::Entrant(EntrantIndex(it)));
        let open = Place::Undecided;
        assert_eq!(winners(&it), [a, open, open]);
        let dealt = it.dealer().next_round(&it.so_far()).unwrap();
        it.play(dealt, |_, _| played([[30, 18], [24, 24]]));
        assert_eq!(winners(&it), [a, b, open]);
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "a b c");
    }

    /// What was decided before a withdrawal stays decided.
    #[test]
    fn a_withdrawal_does_not_bring_losers_back() {
        let mut it = knockout("a b c d", 1);
        it.play_all(|one, other, _| PairOutcome {
            withdrawn: [(one, other) == ("a", "b"), false],
            ..played([[30, 18], [30, 18]])
        });
        let bracket = Knockout { most_pairs: 1 }.bracket(&it.so_far());
        let by = |it: &BracketMatch| it.decided_by.map(DecidedBy::name);
        let by: Vec<&str> = bracket.iter().filter_map(by).collect();
        assert_eq!(by, ["points", "points", "withdrawal"]);
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "b c d a");
    }

    #[test]
    fn fewer_than_two_entrants_have_nothing_to_play() {
        let mut it = knockout("a b c", 1);
        it.out.extend([EntrantIndex(0), EntrantIndex(2)]);
        assert_eq!(it.dealer().next_round(&it.so_far()), None);
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "b a c");
        it.out.insert(EntrantIndex(1));
        assert_eq!(it.dealer().next_round(&it.so_far()), None);
    }
}
