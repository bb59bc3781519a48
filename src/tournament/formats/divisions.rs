//! Divisions: a league of several seasons. In each, every entrant meets all others of its division,
//! in one round; after it the best of a division change places with the worst of the one above.
//!
//! ```text
//!              season 1         season 2
//! division 1   1 2 3 4          1 2 3 5      4 goes down, 5 goes up
//! division 2   5 6 7 8          4 6 7 9      8 goes down, 9 goes up
//! division 3   9 10 11 12       8 10 11 12
//! ```
//!
//! The divisions of the first season are cut from the seeding. They are as equal in size as can be,
//! the upper ones larger by one, and have at least two entrants each: with fewer entrants there are
//! fewer divisions. The table of a division is sorted as that of a group; the order of the season
//! before takes the part of the seeding in it.
//!
//! No more change places than half of the smallest division. An entrant that is out has the last
//! place of its division, so it is the first to go down, and leaves after the season. Then the
//! divisions are cut anew from the order of all, so that its place is filled from below.

use super::groups::{most_matches, round_robin, sizes, table};
use super::{Dealer, DealtRound, SoFar};
use crate::tournament::plan::EntrantIndex;

/// The format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_field_names,
    reason = "they are the words of the configuration"
)]
pub struct Divisions {
    /// The number of divisions.
    pub divisions: u32,
    /// The number of entrants that move up from each division after a season.
    pub promoted: u32,
    /// The number of seasons.
    pub seasons: u32,
}

impl Divisions {
    /// The entrants of each division, in an order of all of them.
    fn cut(self, mut order: &[EntrantIndex]) -> Vec<&[EntrantIndex]> {
        let sizes = sizes(self.divisions, order.len());
        let divisions = sizes.map(|size| {
            let (division, below) = order.split_at(size);
            order = below;
            division
        });
        divisions.collect()
    }

    /// The order of all after the last season that was dealt, division by division, and the order
    /// in which the next one begins.
    fn orders(self, so_far: &SoFar<'_>) -> [Vec<EntrantIndex>; 2] {
        let mut next = so_far.beginners();
        let mut last = next.clone();
        for (season, results) in (1..).zip(so_far.results()) {
            let out = so_far.out_after(season);
            let divisions = self.cut(&next);
            let tables = divisions.iter().map(|it| table(it, &results, &out));
            last = tables.flatten().map(|row| row.entrant).collect();
            let sizes: Vec<usize> = divisions.iter().map(|it| it.len()).collect();
            next.clone_from(&last);
            self.change_places(&mut next, &sizes);
            next.retain(|it| !out.contains(it));
        }
        [last, next]
    }

    /// Lets the best of each division change places with the worst of the one above.
    fn change_places(self, order: &mut [EntrantIndex], sizes: &[usize]) {
        let smallest = sizes.iter().min().copied().unwrap_or(0);
        let promoted = (self.promoted as usize).min(smallest / 2);
        let mut border = 0;
        for size in &sizes[..sizes.len().saturating_sub(1)] {
            border += size;
            order[border - promoted..border + promoted].rotate_left(promoted);
        }
    }
}

impl Dealer for Divisions {
    fn next_round(&self, so_far: &SoFar<'_>) -> Option<DealtRound> {
        let [_, order] = self.orders(so_far);
        let next = so_far.deal_round(String::new(), Vec::new());
        if next.number > self.seasons || order.len() < 2 {
            return None;
        }
        let divisions = self.cut(&order);
        let is_one = divisions.len() == 1;
        let matches = (1..)
            .zip(divisions)
            .flat_map(|(number, division): (u32, _)| {
                let part = if is_one {
                    String::new()
                } else {
                    format!("division {number}")
                };
                round_robin(so_far, division, &part)
            });
        Some(DealtRound {
            name: format!("season {}", next.number),
            matches: matches.collect(),
            ..next
        })
    }

    /// The tables of the last season, the upper divisions first.
    fn ranking(&self, so_far: &SoFar<'_>) -> Vec<EntrantIndex> {
        let [last, _] = self.orders(so_far);
        so_far.ranked(&last)
    }

    fn most_pairs(&self, entrants: u32, pairs: u32) -> u64 {
        most_matches(self.divisions, entrants) * u64::from(self.seasons) * u64::from(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::formats::simulation::{PairOutcome, Simulation, played};
    use crate::tournament::plan::Format;

    fn league(names: &str, divisions: u32, promoted: u32, seasons: u32) -> Simulation {
        let format = Format::Divisions {
            divisions,
            promoted,
            seasons,
        };
        Simulation::new(names.split(' '), format, 1)
    }

    /// The entrants of each division in each season.
    fn divisions(it: &Simulation) -> Vec<String> {
        let season = |round: &DealtRound| {
            let mut divisions: Vec<(&str, Vec<&str>)> = Vec::new();
            for dealt in &round.matches {
                if divisions.last().is_none_or(|it| it.0 != dealt.part) {
                    divisions.push((&dealt.part, Vec::new()));
                }
                let names = &mut divisions.last_mut().unwrap().1;
                for name in dealt.entrants.iter().map(String::as_str) {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
            let divisions: Vec<String> = divisions.iter().map(|it| it.1.join(" ")).collect();
            divisions.join("/")
        };
        it.rounds.iter().map(season).collect()
    }

    /// The entrant whose name comes first in the alphabet wins.
    fn by_name(one: &str, other: &str) -> PairOutcome {
        let own = if one < other { 30 } else { 18 };
        played([[own, 48 - own]; 2])
    }

    #[test]
    fn the_best_go_up_and_the_worst_go_down() {
        // The seeding is the reverse of the strength: the strongest need two seasons to come up.
        let mut it = league("i h g f e d c b a", 3, 1, 3);
        it.play_all(|one, other, _| by_name(one, other));
        let seasons = [
            "i h g/f e d/c b a",
            "g h d/i e a/f b c",
            "d g a/h e b/i c f",
        ];
        assert_eq!(divisions(&it), seasons);
        assert_eq!(it.rounds[2].name, "season 3");
        assert_eq!(it.rounds[2].matches[3].part, "division 2");
        assert_eq!(
            it.names(&it.dealer().ranking(&it.so_far())),
            "a d g b e h c f i"
        );
        assert_eq!(it.dealer().most_pairs(9, 2), 3 * 9 * 2);
    }

    #[test]
    fn the_place_of_an_entrant_that_is_out_is_filled_from_below() {
        let mut it = league("a b c d e f g h i", 3, 1, 2);
        it.play_all(|one, other, _| PairOutcome {
            withdrawn: [(one, other) == ("a", "c"), false],
            ..by_name(one, other)
        });
        // Not c but a goes down for d, and leaves. Not f but the place of a goes down for g.
        let seasons = ["a b c/d e f/g h i", "b c d/e g f/h i"];
        assert_eq!(divisions(&it), seasons);
        let ranking = it.dealer().ranking(&it.so_far());
        assert_eq!(it.names(&ranking), "b c d e f g h i a");
    }

    #[test]
    fn no_more_change_places_than_half_of_a_division() {
        let mut it = league("a b c d e f", 3, 5, 2);
        it.play_all(|one, other, _| by_name(one, other));
        assert_eq!(divisions(&it), ["a b/c d/e f", "a c/b e/d f"]);
        let mut it = league("a b c", 2, 1, 2);
        it.play_all(|one, other, _| by_name(one, other));
        assert_eq!(it.rounds[1].matches[0].part, "");
        assert_eq!(divisions(&it), ["a b c", "a b c"]);
    }
}
