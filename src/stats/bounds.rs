//! Places a group that won, or lost, every game against the groups already on the scale.
//!
//! The likelihood of such games only grows as the group moves away, so its place has no estimate.
//! It has a likelihood-ratio bound: the offset at which the likelihood of those games has fallen by
//! half the 95 % point of χ² with one degree of freedom, everything else held where it is. With ten
//! wins against an equal that is `10 ln σ(x) = −1.92`, +270 Elo. The likelihood of the other games
//! does not change, so the ratings of others are not disturbed.
//!
//! An entrant as weak as the bound wins n independent games in `e^−1.92`, 15 of 100 cases. The two
//! games of an opening are not independent: it happens more often. Where one or two openings are
//! all that is known, bounds were wrong in 10 to 18 of 100 simulated cases. There the likelihood
//! must fall by `−ln 0.05`: at the bound so clean a record has a probability of 5 %.
//!
//! ```text
//!   above    a chain of clean sweeps leads down to the base: "at least", from the nearest up
//!   base     the group whose mean is 0
//!   below    a chain of clean sweeps leads from the base down to it: "at most"
//!   beside   neither: nothing is known against the base; placed last, by whom it met
//! ```

use std::collections::BTreeMap;

use super::clusters::ClusterKind;
use super::connectivity::Connectivity;
use super::elo::{LIKELIHOOD_DROP_95, NORMAL_95, log_sigmoid};
use crate::stats::constraints::{OF_STRENGTH, weight};
use crate::stats::game::Outcome;

/// The number of openings that must bear a fall of [`FALL_OF_FEW`], if one has several games.
const FEW_OPENINGS: u64 = 2;
/// −ln 0.05
const FALL_OF_FEW: f64 = 2.995_732_273_553_991;

/// The sense of a one-sided bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundDirection {
    /// The number given is a lower bound: `>` in tables.
    AtLeast,
    /// The number given is an upper bound: `<` in tables.
    AtMost,
}

impl BoundDirection {
    /// The direction of the same bound for the number with the other sign.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::AtLeast => Self::AtMost,
            Self::AtMost => Self::AtLeast,
        }
    }
}

/// Where the groups of one component came to stand.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// For each group of the component the logits to add to its members' own ratings, and the sense
    /// of the bound if it is one.
    pub places: BTreeMap<usize, (f64, Option<BoundDirection>)>,
    /// Groups that stand beside a base.
    pub beside: Vec<usize>,
}

/// One entrant's games on one side against an entrant of another group, in clusters of one kind.
#[derive(Clone, Copy, Debug)]
struct BoundSweep {
    kind: usize,
    member: usize,
    opponent: usize,
    opponent_group: usize,
    is_south: bool,
    /// Logits that the first-move advantage gives the member.
    side: f64,
    /// Games in each of the clusters.
    games: u64,
    clusters: u64,
    won: bool,
}

/// A group on the scale of one base.
#[derive(Clone, Copy, Debug)]
struct PlacedGroup {
    offset: f64,
    bound: Option<BoundDirection>,
    beside: bool,
}

impl PlacedGroup {
    const BASE: Self = Self {
        offset: 0.0,
        bound: None,
        beside: false,
    };
}

/// Places groups once the ratings inside them are known.
pub struct Placer<'a> {
    connectivity: &'a Connectivity,
    /// Logits, with mean 0 in each group.
    ratings: &'a [f64],
    sweeps: Vec<Vec<BoundSweep>>,
    games_inside: Vec<u64>,
}

impl<'a> Placer<'a> {
    /// Takes all clusters, the ratings inside groups and the advantage (both in logits).
    pub fn new(
        kinds: &[ClusterKind],
        connectivity: &'a Connectivity,
        ratings: &'a [f64],
        advantage: f64,
    ) -> Self {
        let mut sweeps = vec![Vec::new(); connectivity.groups.len()];
        let mut games_inside = vec![0; connectivity.groups.len()];
        let numbered = kinds.iter().enumerate();
        let results = numbered.flat_map(|kind| kind.1.results.iter().map(move |it| (kind, it)));
        for ((number, kind), &(result, games)) in results {
            let (south, north) = (result.south.position(), result.north.position());
            let groups = (connectivity.group_of[south], connectivity.group_of[north]);
            if groups.0 == groups.1 {
                games_inside[groups.0] += games * kind.distinct * kind.copies;
                continue;
            }
            let south_won = result.outcome == Outcome::SouthWins;
            let sweep = BoundSweep {
                kind: number,
                member: south,
                opponent: north,
                opponent_group: groups.1,
                is_south: true,
                side: advantage,
                games,
                clusters: kind.distinct,
                won: south_won,
            };
            sweeps[groups.0].push(sweep);
            sweeps[groups.1].push(BoundSweep {
                member: north,
                opponent: south,
                opponent_group: groups.0,
                is_south: false,
                side: -advantage,
                won: !south_won,
                ..sweep
            });
        }
        Self {
            connectivity,
            ratings,
            sweeps,
            games_inside,
        }
    }

    /// Places all groups of a component. Where several groups have an equal claim to be the base,
    /// each is it in turn and the places are averaged, so that no name or number decides. A group
    /// that is `anchored` is the base, and its members' ratings are moved by this many logits.
    /// Bounds are those of a test that refuses beyond `level` standard deviations: [`NORMAL_95`] is
    /// the level of tables.
    pub fn place(&self, component: usize, anchored: Option<(usize, f64)>, level: f64) -> Placement {
        let groups: Vec<usize> = self
            .connectivity
            .groups_of_component(component)
            .into_iter()
            .collect();
        let bases = match anchored {
            Some((group, _)) => vec![group],
            None => self.bases(&groups),
        };
        let mut placement = Placement::default();
        for &base in &bases {
            let mut placed = self.place_from(base, &groups, level);
            let zero = match anchored {
                Some((_, shift)) => -shift,
                None => self.mean_of(&bases, &placed),
            };
            for (&group, place) in &mut placed {
                place.offset -= zero;
                let share = place.offset / bases.len() as f64;
                let (offset, bound) = placement.places.entry(group).or_insert((0.0, None));
                *offset += share;
                *bound = match (*bound, place.bound) {
                    (Some(BoundDirection::AtLeast), _) | (_, Some(BoundDirection::AtLeast)) => {
                        Some(BoundDirection::AtLeast)
                    }
                    (earlier, later) => earlier.or(later),
                };
                if place.beside && !placement.beside.contains(&group) {
                    placement.beside.push(group);
                }
            }
        }
        placement.beside.sort_unstable();
        placement
    }

    /// The group with most entrants, then with most games inside. Of several such, those that stay
    /// longest when the ones above and below all others are taken away again and again.
    fn bases(&self, groups: &[usize]) -> Vec<usize> {
        let weight = |&group: &usize| {
            (
                self.connectivity.groups[group].len(),
                self.games_inside[group],
            )
        };
        let heaviest = groups.iter().map(weight).max();
        let mut left: Vec<usize> = groups
            .iter()
            .copied()
            .filter(|group| Some(weight(group)) == heaviest)
            .collect();
        let is_above = |upper: usize, lower: usize| self.connectivity.is_above(upper, lower);
        let count = |group: usize, others: &[usize]| {
            let above = others
                .iter()
                .filter(|&&other| is_above(other, group))
                .count();
            let below = others
                .iter()
                .filter(|&&other| is_above(group, other))
                .count();
            [above, below]
        };
        // How many of those left are above and below each: counted once, then kept.
        let mut ranks: Vec<[usize; 2]> = left.iter().map(|&group| count(group, &left)).collect();
        loop {
            let places = 0..left.len();
            let (outer, inner): (Vec<usize>, Vec<usize>) =
                places.partition(|&place| ranks[place].contains(&0));
            if inner.is_empty() {
                return left;
            }
            let removed: Vec<usize> = outer.iter().map(|&place| left[place]).collect();
            let rank_inside = |&place: &usize| {
                let lost = count(left[place], &removed);
                [ranks[place][0] - lost[0], ranks[place][1] - lost[1]]
            };
            ranks = inner.iter().map(rank_inside).collect();
            left = inner.iter().map(|&place| left[place]).collect();
        }
    }

    /// The mean offset of the members of some groups.
    fn mean_of(&self, groups: &[usize], placed: &BTreeMap<usize, PlacedGroup>) -> f64 {
        let size = |group: usize| self.connectivity.groups[group].len() as f64;
        let total: f64 = groups.iter().map(|&group| size(group)).sum();
        groups
            .iter()
            .map(|&group| size(group) * placed[&group].offset)
            .sum::<f64>()
            / total
    }

    /// All groups on the scale of one base.
    fn place_from(
        &self,
        base: usize,
        groups: &[usize],
        level: f64,
    ) -> BTreeMap<usize, PlacedGroup> {
        let mut placed = BTreeMap::from([(base, PlacedGroup::BASE)]);
        let of_component = |group: &&usize| groups.binary_search(group).is_ok();
        let order = self.connectivity.lowest_first();
        // Only the base and what is above it can witness "at least"; likewise below.
        for &group in order.iter().filter(of_component) {
            if self.connectivity.is_above(group, base) {
                let offset = self.bound(group, BoundDirection::AtLeast, &placed, level);
                let bound = Some(BoundDirection::AtLeast);
                placed.insert(
                    group,
                    PlacedGroup {
                        offset,
                        bound,
                        beside: false,
                    },
                );
            }
        }
        let mut below = BTreeMap::from([(base, PlacedGroup::BASE)]);
        for &group in order.iter().rev().filter(of_component) {
            if self.connectivity.is_above(base, group) {
                let offset = self.bound(group, BoundDirection::AtMost, &below, level);
                below.insert(
                    group,
                    PlacedGroup {
                        offset,
                        bound: Some(BoundDirection::AtMost),
                        beside: false,
                    },
                );
            }
        }
        placed.append(&mut below);
        self.place_beside(groups, &mut placed, level);
        placed
    }

    /// Places what is neither above nor below the base, in rounds: first those that met somebody
    /// placed, then those that met them.
    fn place_beside(
        &self,
        groups: &[usize],
        placed: &mut BTreeMap<usize, PlacedGroup>,
        level: f64,
    ) {
        loop {
            let round: Vec<(usize, PlacedGroup)> = groups
                .iter()
                .filter(|group| !placed.contains_key(group))
                .filter_map(|&group| {
                    let games = |won: bool| -> u64 {
                        self.sweeps[group]
                            .iter()
                            .filter(|sweep| sweep.won == won)
                            .filter(|sweep| placed.contains_key(&sweep.opponent_group))
                            .map(|sweep| sweep.games * sweep.clusters)
                            .sum()
                    };
                    let (won, lost) = (games(true), games(false));
                    if won + lost == 0 {
                        return None;
                    }
                    let bound = if won >= lost {
                        BoundDirection::AtLeast
                    } else {
                        BoundDirection::AtMost
                    };
                    let offset = self.bound(group, bound, placed, level);
                    Some((
                        group,
                        PlacedGroup {
                            offset,
                            bound: Some(bound),
                            beside: true,
                        },
                    ))
                })
                .collect();
            if round.is_empty() {
                return;
            }
            placed.extend(round);
        }
    }

    /// The likelihood-ratio bound of a group's offset, from its games against the groups placed:
    /// the won ones for a lower bound, the lost ones for an upper bound. What begins from one
    /// opening counts for no more than a pair.
    fn bound(
        &self,
        group: usize,
        bound: BoundDirection,
        placed: &BTreeMap<usize, PlacedGroup>,
        level: f64,
    ) -> f64 {
        let sign = if bound == BoundDirection::AtLeast {
            1.0
        } else {
            -1.0
        };
        let of_placed: Vec<&BoundSweep> = self.sweeps[group]
            .iter()
            .filter(|sweep| sweep.won == (bound == BoundDirection::AtLeast))
            .filter(|sweep| placed.contains_key(&sweep.opponent_group))
            .collect();
        // By kind: games of each opening, and the number of openings.
        let mut of_opening: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
        for sweep in &of_placed {
            let (games, _) = of_opening.entry(sweep.kind).or_insert((0, sweep.clusters));
            *games += sweep.games;
        }
        let openings: u64 = of_opening.values().map(|&(_, openings)| openings).sum();
        let is_of_pairs = of_opening.values().any(|&(games, _)| games > 1);
        let fall = if openings <= FEW_OPENINGS && is_of_pairs {
            FALL_OF_FEW
        } else {
            LIKELIHOOD_DROP_95
        };
        // By opponent and side, so that the terms of an equation do not grow with the openings.
        let mut by_sides: BTreeMap<_, (f64, f64)> = BTreeMap::new();
        for sweep in of_placed {
            let place = placed[&sweep.opponent_group];
            let opponent = self.ratings[sweep.opponent] + place.offset;
            let margin = sign * (self.ratings[sweep.member] - opponent + sweep.side);
            let sides = (sweep.member, sweep.opponent, sweep.is_south);
            let (_, games) = by_sides.entry(sides).or_insert((margin, 0.0));
            let counted = (sweep.games * sweep.clusters) as f64;
            *games += counted * weight(of_opening[&sweep.kind].0, OF_STRENGTH);
        }
        let witnesses: Vec<(f64, f64)> = by_sides.into_values().collect();
        assert!(
            !witnesses.is_empty(),
            "a group is placed after one that it met"
        );
        sign * least_offset(&witnesses, fall * (level / NORMAL_95).powi(2))
    }
}

/// The offset x at which `Σ games · ln σ(margin + x)` is `−fall`.
fn least_offset(witnesses: &[(f64, f64)], fall: f64) -> f64 {
    let games: f64 = witnesses.iter().map(|&(_, games)| games).sum();
    // With equal margins: σ = e^(−fall / games), turned into odds. The logarithm of e^x − 1 is
    // written so that no x overflows: at the highest levels few games bear a fall of thousands.
    let each = fall / games;
    let lead = -(each + (-(-each).exp_m1()).ln());
    let margins = witnesses.iter().map(|&(margin, _)| margin);
    let (least, most) = margins.fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(least, most), margin| (least.min(margin), most.max(margin)),
    );
    if least >= most {
        return lead - most;
    }
    let holds = |offset: f64| {
        let terms = witnesses.iter();
        let log_likelihood: f64 = terms
            .map(|&(m, games)| games * log_sigmoid(m + offset))
            .sum();
        log_likelihood >= -fall
    };
    halve(lead - most, lead - least, holds)
}

/// The smallest number for which a condition holds that, once true, stays true: found by doubling
/// and then halving, to the last bit. Looks no further than ±2⁶⁰.
pub fn smallest_with(holds: impl Fn(f64) -> bool) -> f64 {
    const MOST_DOUBLINGS: i32 = 60;
    let start_holds = holds(0.0);
    let outwards = if start_holds { -1.0 } else { 1.0 };
    let (mut near, mut far) = (0.0, outwards);
    for _ in 0..MOST_DOUBLINGS {
        if holds(far) != start_holds {
            break;
        }
        near = far;
        far *= 2.0;
    }
    halve(near.min(far), near.max(far), holds)
}

/// Halves the distance between a number for which a condition does not hold and a greater one for
/// which it does, to the last bit.
pub fn halve(mut fails: f64, mut holds: f64, condition: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = fails + (holds - fails) / 2.0;
        if middle <= fails || middle >= holds {
            return holds;
        }
        if condition(middle) {
            holds = middle;
        } else {
            fails = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_games_bear_any_fall() {
        let at = |fall: f64| least_offset(&[(0.0, 1.0), (0.0, 1.0)], fall);
        // 2 ln σ(x) = −2 ln 2, where x = 0.
        assert!(at(2.0 * std::f64::consts::LN_2).abs() < 1e-12);
        for fall in [1e-9, 1.0, 700.0, 1600.0, 1e9] {
            // σ(x) = e^(−fall / 2), and far below, ln σ(x) is x.
            let found = at(fall);
            assert!(found.is_finite(), "{fall}: {found}");
            assert!(
                (2.0 * log_sigmoid(found) + fall).abs() <= 1e-6 * fall,
                "{fall}: {found}"
            );
        }
    }
    use crate::stats::elo::ELO_PER_LOGIT;

    #[test]
    fn clean_sweeps_against_an_equal() {
        // Worked out apart from this program: p = exp(−1.920729 / n), then 400 log10(p / (1 − p)).
        for (games, elo) in [
            (1.0, -306.146),
            (3.0, 18.894),
            (10.0, 269.663),
            (100.0, 684.943),
        ] {
            let found = least_offset(&[(0.0, games)], LIKELIHOOD_DROP_95) * ELO_PER_LOGIT;
            assert!((found - elo).abs() < 1e-3, "{games} games: {found}");
        }
    }

    #[test]
    fn a_margin_moves_the_bound_one_to_one() {
        let plain = least_offset(&[(0.0, 7.0)], LIKELIHOOD_DROP_95);
        assert!((least_offset(&[(1.5, 7.0)], LIKELIHOOD_DROP_95) - (plain - 1.5)).abs() < 1e-12);
    }

    #[test]
    fn the_search_finds_both_signs() {
        for edge in [-12.75, 0.0, 0.3, 1e6] {
            assert!(
                (smallest_with(|x| x >= edge) - edge).abs() <= 1e-9_f64.max(edge.abs() * 1e-15)
            );
        }
    }
}
