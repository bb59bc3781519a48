//! The Swiss system: entrants with equal scores meet, and nobody meets the same one twice. The
//! rules are those of FIDE's Dutch system (FIDE Handbook C.04.1 and C.04.3, edition of 2026), as far
//! as they concern programs. Colours do not: a match is pairs of games with sides swapped, so each
//! is even by itself.
//!
//! The entrants that are in stand in the order of their match points, and of the seeding where
//! these are equal. Those with equal match points are a **score group**. A match between two groups
//! is a **float**, down for one entrant and up for the other; a bye is one down. Of all pairings of
//! a round the one is dealt for which this list of numbers is smallest; an earlier number outweighs
//! all later ones.
//!
//! ```text
//! 1   entrants that meet again or have a second bye: if any, there is no next round  C.1, C.2
//! 2   the match points of the entrant that has the bye                               C.5
//! 3   for each group from the top: matches of it or one above with one below         C.6, C.8
//! 4   differences of match points, squared                                           C.7
//! 5   floats of entrants that floated so in the round before: down, up;              C.14, C.15
//!     in the one before that: down, up                                               C.16, C.17
//! 6   matches between two of the top half of a group                                 article 4
//! 7   places from those that float down to the last of their group, squared
//! 8   places from the first of a group to those that float up from it, squared
//! 9   places that two of a group are further apart, or less, than half of it, squared
//! 10  the last three, times the number of entrants that the better one is not below
//! ```
//!
//! So in a group of six 1 meets 4, 2 meets 5, and 3 meets 6; of five the last one floats down.
//!
//! FIDE pairs group by group, so the order within the first group outweighs the floats of the
//! third. Here each number is of the whole round: one matching of least cost finds the pairing
//! whenever there is any. Where the best order within a group is not possible, FIDE takes the next
//! one of a list of permutations; here it is the nearest one, which is the same unless much is
//! forbidden, and who floats is decided before.

use crate::tournament::formats::matching::{Cost, cheapest_matching};
use crate::tournament::formats::{Dealer, DealtRound, Match, SoFar, sorted};
use crate::tournament::plan::EntrantIndex;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

/// A Swiss tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swiss {
    /// The most rounds; it ends earlier if no pairing is left.
    pub rounds: u32,
}

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwissRow {
    /// The entrant.
    pub entrant: EntrantIndex,
    /// Two for a won match or a bye, one for a drawn match.
    pub match_points: u32,
    /// The sum of the match points of its opponents. Each round that an opponent has missed counts
    /// for this as a drawn one. A bye, or a match of which no game counts, counts as an opponent
    /// with the entrant's own match points.
    pub buchholz: u32,
    /// Half points of games: two for a won one, one for a drawn one. A bye counts as a match of
    /// drawn games.
    pub half_points: u32,
    /// Seeds in its stores less those in its opponents'.
    pub seeds: i64,
    /// Whether it is in.
    pub is_in: bool,
}

/// In which direction an entrant was paired outside its score group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Float {
    Down,
    Up,
}

/// What an entrant has done so far.
#[derive(Clone, Debug, Default)]
struct Past {
    match_points: u32,
    half_points: u32,
    seeds: i64,
    /// The opponent of each round that it did not miss; `None` for a bye and a match without games.
    opponents: Vec<Option<EntrantIndex>>,
    had_bye: bool,
    /// Its floats in the last round and in the one before.
    floats: [Option<Float>; 2],
}

/// What all entrants have done so far, by their index, and who has met.
struct Pasts {
    of: Vec<Past>,
    met: BTreeSet<[EntrantIndex; 2]>,
}

impl Pasts {
    fn new(so_far: &SoFar<'_>) -> Self {
        let mut pasts = Self {
            of: vec![Past::default(); so_far.plan.entrants.len()],
            met: BTreeSet::new(),
        };
        for (dealt, results) in so_far.rounds.iter().zip(so_far.results()) {
            let before: Vec<u32> = pasts.of.iter().map(|it| it.match_points).collect();
            for past in &mut pasts.of {
                past.floats = [None, past.floats[0]];
            }
            for result in results {
                pasts.met.insert(sorted(result.entrants));
                let points = result.match_points();
                for (own, other) in [(0, 1), (1, 0)] {
                    let [entrant, opponent] = [own, other].map(|it| result.entrants[it]);
                    let past = &mut pasts.of[entrant.index()];
                    past.match_points += points[own];
                    past.half_points += result.half_points[own];
                    past.seeds += i64::from(result.seeds[own]) - i64::from(result.seeds[other]);
                    past.opponents.push((result.games > 0).then_some(opponent));
                    past.floats[0] = match before[entrant.index()].cmp(&before[opponent.index()]) {
                        Ordering::Greater => Some(Float::Down),
                        Ordering::Equal => None,
                        Ordering::Less => Some(Float::Up),
                    };
                }
            }
            for entrant in dealt.byes.iter().filter_map(|it| so_far.plan.entrant(it)) {
                let past = &mut pasts.of[entrant.index()];
                past.match_points += 2;
                past.half_points += 2 * so_far.plan.pairs;
                past.opponents.push(None);
                past.had_bye = true;
                past.floats[0] = Some(Float::Down);
            }
        }
        pasts
    }

    fn row(&self, entrant: EntrantIndex, so_far: &SoFar<'_>) -> SwissRow {
        let past = &self.of[entrant.index()];
        let worth = |opponent: &Option<EntrantIndex>| match opponent {
            None => past.match_points,
            Some(opponent) => {
                let opponent = &self.of[opponent.index()];
                let missed = so_far.rounds.len().saturating_sub(opponent.opponents.len());
                opponent.match_points + u32::try_from(missed).expect("rounds fit in 32 bits")
            }
        };
        SwissRow {
            entrant,
            match_points: past.match_points,
            buchholz: past.opponents.iter().map(worth).sum(),
            half_points: past.half_points,
            seeds: past.seeds,
            is_in: !so_far.out.contains(&entrant),
        }
    }
}

/// Score groups that number 3 of the list tells apart; a tournament of half as many rounds has no
/// more. Of those below only the other numbers speak.
const GROUPS: usize = 32;
/// The numbers of a cost.
const NUMBERS: usize = 2 + GROUPS + 10;

/// An entrant that is to be paired.
struct Player<'a> {
    entrant: EntrantIndex,
    past: &'a Past,
    /// Its score group, from 0 for the best.
    group: usize,
    /// Its place in the group, from 0, and the size of the group.
    place: i64,
    size: i64,
}

/// A round to be dealt: the entrants that are in, the best first.
struct Field<'a> {
    players: Vec<Player<'a>>,
    met: &'a BTreeSet<[EntrantIndex; 2]>,
}

impl<'a> Field<'a> {
    fn new(so_far: &SoFar<'_>, pasts: &'a Pasts) -> Self {
        let in_it = so_far.seeds.iter().filter(|it| !so_far.out.contains(it));
        let mut order: Vec<EntrantIndex> = in_it.copied().collect();
        let points = |it: &EntrantIndex| pasts.of[it.index()].match_points;
        order.sort_by_key(|it| Reverse(points(it)));
        let mut players = Vec::new();
        let groups = order.chunk_by(|one, other| points(one) == points(other));
        for (group, entrants) in groups.enumerate() {
            let size = i64::try_from(entrants.len()).expect("entrants fit in 32 bits");
            players.extend((0..).zip(entrants).map(|(place, &entrant)| Player {
                entrant,
                past: &pasts.of[entrant.index()],
                group,
                place,
                size,
            }));
        }
        Self {
            players,
            met: &pasts.met,
        }
    }

    /// Two players, the better one first; `None` is the bye.
    fn pair(&self, one: usize, other: usize) -> (&Player<'a>, Option<&Player<'a>>) {
        let [better, worse] = [one.min(other), one.max(other)];
        (&self.players[better], self.players.get(worse))
    }

    fn is_forbidden(&self, one: usize, other: usize) -> bool {
        match self.pair(one, other) {
            (better, None) => better.past.had_bye,
            (better, Some(worse)) => self.met.contains(&sorted([better.entrant, worse.entrant])),
        }
    }

    /// What a match or a bye adds to the numbers of the list.
    fn cost(&self, one: usize, other: usize) -> Cost<NUMBERS> {
        let (better, worse) = self.pair(one, other);
        let points = |it: &Player<'_>| i64::from(it.past.match_points);
        let is_within = worse.is_some_and(|worse| worse.group == better.group);
        let repeats = |floater: Option<&Player<'_>>, round: usize, float: Float| {
            let repeats = floater.is_some_and(|it| it.past.floats[round] == Some(float));
            i64::from(!is_within && repeats)
        };
        let place_below = worse.map_or(0, |it| it.place);
        let [mut top, mut down, mut up, mut within] = [0; 4];
        if is_within {
            let half = better.size / 2;
            top = i64::from(place_below < half);
            within = (place_below - better.place - half).pow(2);
        } else {
            down = (better.size - 1 - better.place).pow(2);
            up = place_below.pow(2);
        }
        let rank = i64::try_from(self.players.len() - one.min(other)).expect("it is small");

        let mut numbers = [0; NUMBERS];
        let (start, end) = numbers.split_at_mut(2 + GROUPS);
        start[0] = i64::from(self.is_forbidden(one, other));
        start[1] = if worse.is_none() { points(better) } else { 0 };
        let boundaries = better.group..worse.map_or(0, |it| it.group);
        for boundary in boundaries.take_while(|&it| it < GROUPS) {
            start[2 + boundary] = 1;
        }
        end.copy_from_slice(&[
            worse.map_or(0, |worse| (points(better) - points(worse)).pow(2)),
            repeats(Some(better), 0, Float::Down),
            repeats(worse, 0, Float::Up),
            repeats(Some(better), 1, Float::Down),
            repeats(worse, 1, Float::Up),
            top,
            down,
            up,
            within,
            (down + up + within) * rank,
        ]);
        Cost(numbers)
    }
}

impl Swiss {
    /// The table, in the order of the ranking.
    pub fn table(so_far: &SoFar<'_>) -> Vec<SwissRow> {
        let pasts = Pasts::new(so_far);
        let rows = so_far.seeds.iter().map(|&it| pasts.row(it, so_far));
        let mut rows: Vec<SwissRow> = rows.collect();
        // What is equal stays in the order of the seeding.
        rows.sort_by_key(|it| {
            let better = (
                it.is_in,
                it.match_points,
                it.buchholz,
                it.half_points,
                it.seeds,
            );
            Reverse(better)
        });
        rows
    }
}

impl Dealer for Swiss {
    fn next_round(&self, so_far: &SoFar<'_>) -> Option<DealtRound> {
        let number = u32::try_from(so_far.rounds.len() + 1).expect("rounds fit in 32 bits");
        let pasts = Pasts::new(so_far);
        let field = Field::new(so_far, &pasts);
        let count = field.players.len();
        if number > self.rounds || count < 2 {
            return None;
        }
        let mates = cheapest_matching(count.next_multiple_of(2), |one, other| {
            field.cost(one, other)
        });
        let name = |it: EntrantIndex| so_far.plan.entrants[it.index()].name.clone();
        let mut round = DealtRound {
            number,
            name: format!("round {number}"),
            ..DealtRound::default()
        };
        for (one, &other) in mates
            .iter()
            .enumerate()
            .filter(|&(one, &other)| one < other)
        {
            if field.is_forbidden(one, other) {
                return None;
            }
            match field.pair(one, other) {
                (better, None) => round.byes.push(name(better.entrant)),
                (better, Some(worse)) => round.matches.push(Match {
                    entrants: sorted([better.entrant, worse.entrant]).map(name),
                    pairs: so_far.plan.pairs,
                    ..Match::default()
                }),
            }
        }
        Some(round)
    }

    fn ranking(&self, so_far: &SoFar<'_>) -> Vec<EntrantIndex> {
        Self::table(so_far).iter().map(|it| it.entrant).collect()
    }

    fn buchholz(&self, so_far: &SoFar<'_>) -> BTreeMap<EntrantIndex, u32> {
        let table = Self::table(so_far).into_iter();
        table.map(|it| (it.entrant, it.buchholz)).collect()
    }

    fn most_pairs(&self, entrants: u32, pairs: u32) -> u64 {
        // Everybody meets everybody in so many rounds, with a bye each if the number is odd.
        let all = entrants.saturating_sub(1) | 1;
        let rounds = u64::from(self.rounds.min(all));
        rounds * u64::from(entrants / 2) * u64::from(pairs)
    }
}

#[cfg(test)]
mod tests;
