//! Groups: every entrant meets all others of its group, in one round.
//!
//! ```text
//! group A   1   6   7  12     The seeding deals the entrants out like a snake, so that the groups
//! group B   2   5   8  11     are equally strong. A group has at least two entrants: with fewer
//! group C   3   4   9  10     entrants there are fewer groups.
//! ```
//!
//! The table of a group is sorted by:
//! 1. half points. A game that was not played because the opponent is out is won, and one that has
//!    no result because the host disturbed it is drawn, so that all have the same number of games;
//! 2. direct comparison: the half points of the games among those that are equal by then;
//! 3. the difference of seeds, own ones minus the opponents', in the final stores of the games;
//! 4. the seeding.
//!
//! The ranking has the first of every group, then the second of every group, and so on. Equal
//! places are sorted by half points, then by the difference of seeds, both divided by the number of
//! opponents because groups may have different sizes; then by the seeding.

use super::{Dealer, DealtRound, Match, MatchResult, SoFar};
use crate::tournament::plan::EntrantIndex;
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;

/// The format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The number of groups.
    pub groups: u32,
}

impl Groups {
    /// The entrants of each group, in each the strongest first.
    fn groups(self, entrants: &[EntrantIndex]) -> Vec<Vec<EntrantIndex>> {
        let count = part_count(self.groups, entrants.len());
        let mut groups = vec![Vec::new(); count];
        for (row, dealt) in entrants.chunks(count).enumerate() {
            for (place, entrant) in dealt.iter().enumerate() {
                let is_back = row % 2 == 1;
                let group = if is_back { count - 1 - place } else { place };
                groups[group].push(*entrant);
            }
        }
        groups
    }

    /// The table of each group.
    fn tables(self, so_far: &SoFar<'_>) -> Vec<Vec<TableRow>> {
        let results = so_far.results().concat();
        let groups = self.groups(&so_far.beginners());
        let tables = groups.iter().map(|it| table(it, &results, &so_far.out));
        tables.collect()
    }
}

impl Dealer for Groups {
    fn next_round(&self, so_far: &SoFar<'_>) -> Option<DealtRound> {
        let entrants = so_far.beginners();
        if !so_far.rounds.is_empty() || entrants.len() < 2 {
            return None;
        }
        let groups = self.groups(&entrants);
        if let [all] = &groups[..] {
            let matches = round_robin(so_far, all, "");
            return Some(so_far.deal_round("round robin".to_owned(), matches));
        }
        let matches = groups.iter().enumerate().flat_map(|(number, group)| {
            let part = format!("group {}", letters(number));
            round_robin(so_far, group, &part)
        });
        Some(so_far.deal_round("groups".to_owned(), matches.collect()))
    }

    fn ranking(&self, so_far: &SoFar<'_>) -> Vec<EntrantIndex> {
        let mut rows: Vec<(usize, TableRow)> = self
            .tables(so_far)
            .into_iter()
            .flat_map(|table| table.into_iter().enumerate())
            .collect();
        let seeding = |entrant| so_far.seeds.iter().position(|it| *it == entrant);
        rows.sort_by(|(place, one), (other_place, other)| {
            let places = place.cmp(other_place);
            let seeds = seeding(one.entrant).cmp(&seeding(other.entrant));
            places.then(one.compare_mean(other)).then(seeds)
        });
        let order: Vec<EntrantIndex> = rows.iter().map(|(_, row)| row.entrant).collect();
        so_far.ranked(&order)
    }

    fn most_pairs(&self, entrants: u32, pairs: u32) -> u64 {
        most_matches(self.groups, entrants) * u64::from(pairs)
    }
}

/// The standing of an entrant among those that all meet each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableRow {
    pub entrant: EntrantIndex,
    /// The number of matches.
    matches: i64,
    half_points: i64,
    /// Own seeds minus those of the opponents, in the final stores.
    seeds: i64,
}

impl TableRow {
    /// Whose half points and seeds of a match are more, on the average; the better first.
    fn compare_mean(&self, other: &Self) -> Ordering {
        let means = |it: &Self, matches: i64| [it.half_points * matches, it.seeds * matches];
        means(other, self.matches.max(1)).cmp(&means(self, other.matches.max(1)))
    }
}

/// The table of entrants that all meet each other, the best first. They come in the order of their
/// seeding; those that are out are its last rows.
pub(super) fn table(
    entrants: &[EntrantIndex],
    results: &[MatchResult],
    out: &BTreeSet<EntrantIndex>,
) -> Vec<TableRow> {
    let members: BTreeSet<EntrantIndex> = entrants.iter().copied().collect();
    let is_within = |it: &&MatchResult| it.entrants.iter().all(|it| members.contains(it));
    let results: Vec<&MatchResult> = results.iter().filter(is_within).collect();
    let row = |entrant: &EntrantIndex| row_of(*entrant, &members, &results);
    let mut table: Vec<TableRow> = entrants.iter().map(row).collect();
    let points = |it: &TableRow| (out.contains(&it.entrant), Reverse(it.half_points));
    // Each sort keeps the order of the seeding among equals.
    table.sort_by_key(points);
    for equal in table.chunk_by_mut(|one, other| points(one) == points(other)) {
        let among: BTreeSet<EntrantIndex> = equal.iter().map(|it| it.entrant).collect();
        equal.sort_by_cached_key(|it| {
            let direct = row_of(it.entrant, &among, &results);
            Reverse((direct.half_points, it.seeds))
        });
    }
    table
}

/// The standing of an entrant in its matches against these opponents.
fn row_of(
    entrant: EntrantIndex,
    opponents: &BTreeSet<EntrantIndex>,
    results: &[&MatchResult],
) -> TableRow {
    let mut row = TableRow {
        entrant,
        matches: 0,
        half_points: 0,
        seeds: 0,
    };
    for result in results {
        let Some(own) = result.entrants.iter().position(|it| *it == entrant) else {
            continue;
        };
        if opponents.contains(&result.entrants[1 - own]) {
            row.matches += 1;
            row.half_points += i64::from(result.credited_half_points()[own]);
            row.seeds += i64::from(result.seeds[own]) - i64::from(result.seeds[1 - own]);
        }
    }
    row
}

impl MatchResult {
    /// The half points of both entrants, with those of the games that do not count.
    fn credited_half_points(&self) -> [u32; 2] {
        let missing = (2 * self.pairs).saturating_sub(self.games);
        let credit = match self.is_in {
            [true, false] => [2, 0],
            [false, true] => [0, 2],
            _ => [1, 1],
        };
        [0, 1].map(|it| self.half_points[it] + missing * credit[it])
    }
}

/// All matches among the entrants.
pub(super) fn round_robin(so_far: &SoFar<'_>, entrants: &[EntrantIndex], part: &str) -> Vec<Match> {
    let pairings = entrants.iter().enumerate().flat_map(|(place, &one)| {
        let others = entrants[place + 1..].iter();
        others.map(move |&other| [one, other])
    });
    let pairs = so_far.plan.pairs;
    let matches = pairings.map(|it| so_far.deal_match(it, pairs, part));
    matches.collect()
}

/// The number of groups or divisions: each has at least two entrants, if there are two.
pub(super) fn part_count(asked: u32, entrants: usize) -> usize {
    (asked as usize).min(entrants / 2).max(1)
}

/// The sizes of groups or divisions, as equal as can be, the larger ones first.
pub(super) fn sizes(asked: u32, entrants: usize) -> impl Iterator<Item = usize> {
    let count = part_count(asked, entrants);
    (0..count).map(move |it| entrants / count + usize::from(it < entrants % count))
}

/// The most matches that round robins of so many entrants have. Fewer entrants may have more of
/// them: four in two groups have two matches, and three in one have three.
pub(super) fn most_matches(parts: u32, entrants: u32) -> u64 {
    let matches = |entrants: u32| -> u64 {
        let sizes = sizes(parts, entrants as usize).map(|it| it as u64);
        sizes.map(|it| it * it.saturating_sub(1) / 2).sum()
    };
    (0..=entrants).map(matches).max().unwrap_or(0)
}

/// `A` to `Z`, then `AA`, `AB` and so on.
fn letters(number: usize) -> String {
    let last = u8::try_from(number % 26).expect("less than 26");
    let before = (number / 26).checked_sub(1).map_or(String::new(), letters);
    format!("{before}{}", char::from(b'A' + last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::formats::simulation::{PairOutcome, Simulation, played};
    use crate::tournament::plan::Format;

    fn groups(names: &str, groups: u32) -> Simulation {
        Simulation::new(names.split(' '), Format::Groups { groups }, 1)
    }

    #[test]
    fn the_seeding_deals_out_like_a_snake() {
        for (count, asked, groups) in [
            (12, 3, "1 6 7 12/2 5 8 11/3 4 9 10"),
            (7, 3, "1 6 7/2 5/3 4"),
            (5, 4, "1 4 5/2 3"),
            (3, 2, "1 2 3"),
            (1, 2, "1"),
        ] {
            let entrants: Vec<EntrantIndex> = (1..=count).map(EntrantIndex).collect();
            let text = |it: &Vec<EntrantIndex>| {
                let names: Vec<String> = it.iter().map(|it| it.0.to_string()).collect();
                names.join(" ")
            };
            let dealt = Groups { groups: asked }.groups(&entrants);
            let dealt: Vec<String> = dealt.iter().map(text).collect();
            assert_eq!(dealt.join("/"), groups);
        }
    }

    #[test]
    fn a_round_has_all_matches_of_all_groups() {
        let mut it = groups("a b c d e f", 2);
        it.play_all(|_, _, _| played([[24, 24], [24, 24]]));
        assert_eq!(it.rounds_in_short(), ["0 groups: a-d a-e d-e b-c b-f c-f"]);
        let parts = it.rounds[0].matches.iter().map(|it| it.part.as_str());
        let parts: Vec<&str> = parts.collect();
        assert_eq!(parts[2..4], ["group A", "group B"]);
        // All is equal, so the seeding decides.
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "a b c d e f");
        assert_eq!(it.dealer().most_pairs(6, 3), 6 * 3);
        // One of four may be refused: three in one group have more matches than two and two.
        assert_eq!(it.dealer().most_pairs(4, 1), 3);
    }

    /// Both games of a pair with the same stores.
    fn twice(own: u8) -> PairOutcome {
        played([[own, 48 - own]; 2])
    }

    #[test]
    fn equal_half_points_are_decided_by_direct_comparison() {
        // Half points: a and b have 8, c and d have 4. a has beaten b, and d has beaten c, but b
        // and c have more seeds.
        let mut it = groups("c d b a", 1);
        it.play_all(|one, other, _| match (one, other) {
            ("c", "a") => twice(40),
            ("c", "d" | "b") | ("d" | "b", "a") => twice(23),
            ("d", "b") => twice(10),
            _ => unreachable!("{one} and {other} do not meet"),
        });
        let rounds = ["0 round robin: c-d c-b c-a d-b d-a b-a"];
        assert_eq!(it.rounds_in_short(), rounds);
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "a b d c");
    }

    #[test]
    fn equal_direct_comparison_is_decided_by_seeds() {
        // Each but d has 8 half points, 4 of them against the others of the three. Seeds among the
        // three: b has 8 - 4, a has 8 - 8, c has 4 - 8; each has 24 more than d.
        let mut it = groups("d c b a", 1);
        it.play_all(|one, other, _| match (one, other) {
            ("d", _) => twice(18),
            ("c", "b") => twice(25),
            ("c", "a") => twice(22),
            ("b", "a") => twice(26),
            _ => unreachable!("{one} and {other} do not meet"),
        });
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "b a c d");
    }

    #[test]
    fn games_against_an_entrant_that_is_out_are_won() {
        // c has one drawn match and one that was not played, a has two drawn ones.
        let mut it = groups("a b c", 1);
        it.play_all(|one, other, _| PairOutcome {
            withdrawn: [false, (one, other) == ("a", "b")],
            ..twice(24)
        });
        assert_eq!(it.games.len(), 4);
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "c a b");
    }

    #[test]
    fn groups_of_different_sizes_are_compared_by_match() {
        // Group A is a, d, e with 6, 4 and 2 half points of two matches; group B is b, c with 4 and
        // 0 of one match.
        let mut it = groups("a b c d e", 2);
        it.play_all(|one, other, _| match (one, other) {
            ("a", "e") | ("b", "c") => twice(25),
            _ => twice(24),
        });
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "b a d c e");
    }

    #[test]
    fn groups_have_letters() {
        let found = [0, 25, 26, 51, 52, 701, 702].map(letters);
        assert_eq!(found, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}
