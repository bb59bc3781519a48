//! Groups games into clusters, the units of the errors, and finds repeated games.
//!
//! All games that begin from one opening depend on each other, so they are one observation: a
//! *cluster*. Where openings are unknown, the two games of a pair are a cluster; a game without
//! either is one by itself. Clusters with the same results on the same sides have the same *kind*,
//! and only their number is kept, so that the cost of a fit depends on the kinds, not on the games.
//! The pairs of a tournament are kept in the same way.
//!
//! ```text
//!   game ── key? ──► its cluster moves from one kind to the next
//!             │          small  (most pairs): only the number of its kind is kept
//!             │          large  (an opening that many pairings met): its results
//!             └ content? ──► identity of the cluster: the same one again is a copy, not news
//! ```
//!
//! Two games are copies of each other if the same content was played on the same sides; two
//! clusters are copies if all their games are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::connectivity::Connectivity;
use crate::stats::game::{Outcome, RatedEntrant, RatedGame};

/// Larger clusters are not looked up among the kinds at each further game.
const MOST_GAMES_OF_SMALL: u64 = 8;

/// The result of a game, and the entrants of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeatedResult {
    /// The entrant that moved first.
    pub south: RatedEntrant,
    /// The entrant that moved second.
    pub north: RatedEntrant,
    /// The result.
    pub outcome: Outcome,
}

/// All clusters with the same results on the same sides, each played the same number of times.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClusterKind {
    /// The results in one of them, ascending, each with its number of games.
    pub results: Vec<(SeatedResult, u64)>,
    /// How often each was played: more than once only if bots repeat their games.
    pub copies: u64,
    /// The number of different clusters.
    pub distinct: u64,
}

impl ClusterKind {
    /// The pairings with games in one of these clusters, ascending, lower entrant first.
    pub(super) fn pairings(&self) -> Vec<(RatedEntrant, RatedEntrant)> {
        let mut pairings: Vec<_> = self
            .results
            .iter()
            .map(|(result, _)| pairing(result.south, result.north))
            .collect();
        pairings.sort_unstable();
        pairings.dedup();
        pairings
    }
}

/// The clusters with their games inside groups alone.
pub(super) fn inside_groups(all: &[ClusterKind], connectivity: &Connectivity) -> Vec<ClusterKind> {
    let group = |entrant: RatedEntrant| connectivity.group_of[entrant.position()];
    let mut kinds = all.to_vec();
    for kind in &mut kinds {
        kind.results
            .retain(|(result, _)| group(result.south) == group(result.north));
    }
    kinds.retain(|kind| !kind.results.is_empty());
    kinds
}

/// Two entrants, in either order.
pub(super) fn pairing(one: RatedEntrant, other: RatedEntrant) -> (RatedEntrant, RatedEntrant) {
    (one.min(other), one.max(other))
}

/// Results, ascending, each with its number of games.
type SortedResults = Box<[(SeatedResult, u64)]>;
/// A hash of the contents of a cluster's games; `None` if the content of one is unknown.
type Identity = Option<u64>;

/// The clusters of a growing set of games.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    // Hash tables are only looked up, never iterated: their order has no effect.
    number_of_kind: HashMap<SortedResults, u32>,
    kinds: Vec<ClusterShape>,
    keys: HashMap<Key, ClusterSlot>,
    large: Vec<Large>,
    /// Identities of clusters whose games all have known contents.
    identities: HashMap<Key, u64>,
    /// How often each small cluster with known contents was played, by its kind.
    copies: HashMap<(u32, u64), u64>,
    /// The hashes of the games played so far, with their sides and results.
    contents: HashSet<u64>,
    /// Repeated games, by pairing.
    duplicates: BTreeMap<(RatedEntrant, RatedEntrant), u64>,
}

/// The property that the games of one cluster share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The position at their beginning.
    Opening(u64),
    /// Their pair.
    Pair(u64),
}

/// The place of a cluster's games.
#[derive(Clone, Copy, Debug)]
enum ClusterSlot {
    Small(u32),
    Large(u32),
}

#[derive(Clone, Debug, Default)]
struct ClusterShape {
    results: SortedResults,
    /// Clusters played once.
    single: u64,
    /// Number of times played → number of clusters.
    repeated: BTreeMap<u64, u64>,
}

#[derive(Clone, Debug, Default)]
struct Large {
    results: BTreeMap<SeatedResult, u64>,
    identity: Identity,
}

impl Clusters {
    /// Adds a game to the cluster with this key, or a game without a cluster. `content` identifies
    /// repeated games.
    pub fn record(&mut self, game: &RatedGame, key: Option<Key>, content: Option<u64>) {
        let result = SeatedResult {
            south: game.south,
            north: game.north,
            outcome: game.outcome,
        };
        let content = content.map(|content| fingerprint(result, content));
        if let Some(content) = content
            && !self.contents.insert(content)
        {
            let pairing = pairing(game.south, game.north);
            *self.duplicates.entry(pairing).or_default() += 1;
        }
        let Some(key) = key else {
            let kind = self.kind(&[(result, 1)]);
            self.add(kind, content);
            return;
        };
        match self.keys.get(&key).copied() {
            None => {
                if let Some(identity) = content {
                    self.identities.insert(key, identity);
                }
                let kind = self.kind(&[(result, 1)]);
                self.add(kind, content);
                self.keys.insert(key, ClusterSlot::Small(kind));
            }
            Some(ClusterSlot::Small(kind)) => self.grow(key, kind, result, content),
            Some(ClusterSlot::Large(place)) => {
                let large = &mut self.large[place as usize];
                *large.results.entry(result).or_default() += 1;
                large.identity = together(large.identity, content);
            }
        }
    }

    /// Adds a game to a small cluster, which thereby changes its kind.
    fn grow(&mut self, key: Key, kind: u32, result: SeatedResult, content: Identity) {
        let before = self.identities.get(&key).copied();
        let after = together(before, content);
        match after {
            Some(identity) => self.identities.insert(key, identity),
            None => self.identities.remove(&key),
        };
        self.remove(kind, before);
        let mut results = self.kinds[kind as usize].results.to_vec();
        match results.binary_search_by_key(&result, |&(result, _)| result) {
            Ok(place) => results[place].1 += 1,
            Err(place) => results.insert(place, (result, 1)),
        }
        let games: u64 = results.iter().map(|&(_, games)| games).sum();
        let place = if games > MOST_GAMES_OF_SMALL {
            self.large.push(Large {
                results: results.into_iter().collect(),
                identity: after,
            });
            ClusterSlot::Large(number(self.large.len() - 1))
        } else {
            let kind = self.kind(&results);
            self.add(kind, after);
            ClusterSlot::Small(kind)
        };
        self.keys.insert(key, place);
    }

    /// The number of a kind.
    fn kind(&mut self, results: &[(SeatedResult, u64)]) -> u32 {
        if let Some(&number) = self.number_of_kind.get(results) {
            return number;
        }
        let number = number(self.kinds.len());
        self.kinds.push(ClusterShape {
            results: results.into(),
            ..ClusterShape::default()
        });
        self.number_of_kind.insert(results.into(), number);
        number
    }

    fn add(&mut self, kind: u32, identity: Identity) {
        let row = &mut self.kinds[kind as usize];
        let Some(identity) = identity else {
            row.single += 1;
            return;
        };
        let copies = self.copies.entry((kind, identity)).or_default();
        if *copies > 0 {
            row.take(*copies);
        }
        *copies += 1;
        row.put(*copies);
    }

    fn remove(&mut self, kind: u32, identity: Identity) {
        let row = &mut self.kinds[kind as usize];
        let Some(identity) = identity else {
            row.single -= 1;
            return;
        };
        let copies = self
            .copies
            .get_mut(&(kind, identity))
            .expect("a cluster is removed where it was added");
        row.take(*copies);
        *copies -= 1;
        if *copies > 0 {
            row.put(*copies);
        } else {
            self.copies.remove(&(kind, identity));
        }
    }

    /// All clusters in a fixed order that does not depend on the order of the games.
    pub fn kinds(&self) -> Vec<ClusterKind> {
        let mut kinds: Vec<ClusterKind> = Vec::with_capacity(self.kinds.len());
        for kind in &self.kinds {
            let singles = (kind.single > 0).then_some((1, kind.single));
            let rows = with_singles(&kind.repeated, singles);
            kinds.extend(rows.into_iter().map(|(copies, distinct)| ClusterKind {
                results: kind.results.to_vec(),
                copies,
                distinct,
            }));
        }
        if !self.large.is_empty() {
            self.add_large(&mut kinds);
        }
        kinds.sort_unstable();
        kinds
    }

    fn add_large(&self, kinds: &mut Vec<ClusterKind>) {
        type Found = (u64, BTreeMap<u64, u64>);
        let mut found: BTreeMap<&BTreeMap<SeatedResult, u64>, Found> = BTreeMap::new();
        for large in &self.large {
            let (singles, copies) = found.entry(&large.results).or_default();
            match large.identity {
                None => *singles += 1,
                Some(identity) => *copies.entry(identity).or_default() += 1,
            }
        }
        for (results, (singles, copies)) in found {
            let mut repeated: BTreeMap<u64, u64> = BTreeMap::new();
            for copies in copies.into_values() {
                *repeated.entry(copies).or_default() += 1;
            }
            let rows = with_singles(&repeated, (singles > 0).then_some((1, singles)));
            let results: Vec<_> = results.iter().map(|(&r, &games)| (r, games)).collect();
            kinds.extend(rows.into_iter().map(|(copies, distinct)| ClusterKind {
                results: results.clone(),
                copies,
                distinct,
            }));
        }
    }

    /// Repeated games by pairing (lower entrant first), without pairings that have none.
    pub fn duplicates(&self) -> &BTreeMap<(RatedEntrant, RatedEntrant), u64> {
        &self.duplicates
    }
}

impl ClusterShape {
    /// Adds a cluster that was played this many times.
    fn put(&mut self, copies: u64) {
        if copies == 1 {
            self.single += 1;
        } else {
            *self.repeated.entry(copies).or_default() += 1;
        }
    }

    /// Removes a cluster that was played this many times.
    fn take(&mut self, copies: u64) {
        if copies == 1 {
            self.single -= 1;
            return;
        }
        let left = self.repeated.get_mut(&copies).expect("as many as were put");
        *left -= 1;
        if *left == 0 {
            self.repeated.remove(&copies);
        }
    }
}

/// How many clusters were played how many times, ascending, from both places.
fn with_singles(repeated: &BTreeMap<u64, u64>, singles: Option<(u64, u64)>) -> Vec<(u64, u64)> {
    let mut rows: BTreeMap<u64, u64> = repeated.clone();
    if let Some((copies, number)) = singles {
        *rows.entry(copies).or_default() += number;
    }
    rows.into_iter().collect()
}

/// A hash of a game: two different games have the same one with probability 2^−64.
fn fingerprint(result: SeatedResult, content: u64) -> u64 {
    // The keys are fixed and the hash is never stored, so any hash function serves.
    let mut hasher = DefaultHasher::new();
    (result, content).hash(&mut hasher);
    hasher.finish()
}

/// The identity of a cluster with one more game: a sum, which does not depend on the order.
fn together(cluster: Identity, game: Identity) -> Identity {
    Some(cluster?.wrapping_add(game?))
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 kinds of clusters")
}
