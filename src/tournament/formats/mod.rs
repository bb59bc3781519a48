//! Formats: who meets whom in the next round, given the plan and the rounds so far.
//!
//! ```text
//! swiss        equal scores meet, nobody twice
//! knockout     who loses a match is out
//! groups       round robins of a few entrants each
//! divisions    groups by strength, with promotion
//! stages       one format after another, with the best of the one before
//! until        more pairs where an error of the table is largest, in a round robin
//! ```
//!
//! A format deals one round at a time. It is a pure function of the plan and of what was dealt and
//! counted before, so a run that was interrupted deals the same as one that was not. What the plan
//! alone decides, a round robin or a gauntlet, needs no dealer. Every other round is a line of the
//! journal: nothing that is learned later changes it.
//!
//! The next round is dealt when every pair of the rounds before is settled. A pair that is still open
//! then, because the host disturbed each attempt at it, stays without a result. An entrant that is
//! refused or withdrawn is dealt no more games; what counted before goes on counting.

mod divisions;
mod groups;
mod knockout;
mod matching;
#[cfg(test)]
mod simulation;
mod stages;
mod swiss;
mod until;

pub use knockout::{BracketMatch, DecidedBy, Place as BracketPlace};

use crate::record::{Exclusions, GameId, GameSummary};
use crate::rules::{GameResult, Position, Side};
use crate::tournament::plan::{EntrantIndex, Format, MOST_GAMES, Plan, Seeding};
use crate::tournament::progress::Progress;
use crate::tournament::run::outcome::RunOutcome;
use crate::tournament::schedule::Schedule;
use divisions::Divisions;
use groups::Groups;
use knockout::Knockout;
use serde::{Deserialize, Serialize};
use stages::Stages;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use swiss::Swiss;

/// A round that results have decided: a line of the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct DealtRound {
    /// Its number, from 1.
    pub number: u32,
    /// The stage of the tournament that it belongs to, from 1; 0 where there are no stages.
    #[serde(skip_serializing_if = "is_zero")]
    pub stage: u32,
    /// Its name for people, such as `round 3` or `semi-final`.
    pub name: String,
    /// Who meets whom.
    pub matches: Vec<Match>,
    /// Entrants that meet nobody although they are in: each gets the points of a won match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub byes: Vec<String>,
}

impl DealtRound {
    /// The names of its entrants.
    fn names(&self) -> impl Iterator<Item = &str> {
        let matches = self.matches.iter().flat_map(|it| &it.entrants);
        matches.chain(&self.byes).map(String::as_str)
    }
}

/// All pairs of two entrants in one round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Match {
    /// Their names.
    pub entrants: [String; 2],
    /// The number of its pairs.
    pub pairs: u32,
    /// The part of the round that it belongs to, if there are several: a group, a division, or a
    /// place in the bracket.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub part: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What a match has brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// The entrants, in the order of the match.
    pub entrants: [EntrantIndex; 2],
    /// The number of its pairs.
    pub pairs: u32,
    /// The number of its games that count.
    pub games: u32,
    /// Half points of both entrants: two for a won game, one for a drawn one.
    pub half_points: [u32; 2],
    /// Seeds in the final stores of both entrants.
    pub seeds: [u32; 2],
    /// Whether each of the two was in when the round was over.
    pub is_in: [bool; 2],
}

impl MatchResult {
    /// The half points of the match: 2 for a won one, 1 for a drawn one. If no game of it counts,
    /// it is won by who is still in, and drawn if both are.
    pub fn match_points(&self) -> [u32; 2] {
        let [one, other] = if self.games > 0 {
            self.half_points
        } else {
            self.is_in.map(u32::from)
        };
        match one.cmp(&other) {
            Ordering::Greater => [2, 0],
            Ordering::Less => [0, 2],
            Ordering::Equal if one == 0 => [0, 0],
            Ordering::Equal => [1, 1],
        }
    }
}

/// A game that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedGame {
    /// Its id.
    pub id: GameId,
    /// South and North.
    pub sides: [EntrantIndex; 2],
    /// The result.
    pub result: GameResult,
    /// The final stores of South and North, in seeds.
    pub stores: [u8; 2],
    /// The position from which it was played: games from one position are one observation.
    pub start: Position,
    /// A hash of its moves: a game that repeats another one is no new observation.
    pub content: u64,
}

/// Everything that the next round depends on.
#[derive(Clone, Debug)]
pub struct SoFar<'a> {
    /// The plan, which has the entrants, and the pairs of a match.
    pub plan: &'a Plan,
    /// The rounds so far.
    pub rounds: &'a [DealtRound],
    /// The entrants that are in from the beginning, the strongest first as far as is known.
    pub seeds: Vec<EntrantIndex>,
    /// Those that are out since: not admitted, or withdrawn.
    pub out: BTreeSet<EntrantIndex>,
    /// The games that count, in the order of the schedule. Those of a match are consecutive pairs
    /// of its two entrants.
    pub games: &'a [CountedGame],
}

impl SoFar<'_> {
    /// The entrants that were out when so many rounds were over. Nobody is dealt games after a
    /// withdrawal, so an entrant of a later round was in.
    pub fn out_after(&self, rounds: usize) -> BTreeSet<EntrantIndex> {
        let later = self.rounds.iter().skip(rounds).flat_map(DealtRound::names);
        let later: BTreeSet<&str> = later.collect();
        let is_out = |it: &EntrantIndex| !later.contains(self.name(*it));
        self.out.iter().copied().filter(is_out).collect()
    }

    /// The entrants that were in at the beginning, the strongest first.
    pub fn beginners(&self) -> Vec<EntrantIndex> {
        let out = self.out_after(0);
        let seeds = self.seeds.iter().copied();
        seeds.filter(|it| !out.contains(it)).collect()
    }

    /// All entrants in this order; those that it lacks follow by their seeding, and those that are
    /// out come last.
    fn ranked(&self, order: &[EntrantIndex]) -> Vec<EntrantIndex> {
        let known: BTreeSet<EntrantIndex> = order.iter().copied().collect();
        let others = self.seeds.iter().filter(|it| !known.contains(it));
        let mut ranking: Vec<EntrantIndex> = order.iter().chain(others).copied().collect();
        ranking.sort_by_key(|it| self.out.contains(it));
        ranking
    }

    fn name(&self, entrant: EntrantIndex) -> &str {
        &self.plan.entrants[entrant.index()].name
    }

    /// A match in a part of the next round.
    fn deal_match(&self, entrants: [EntrantIndex; 2], pairs: u32, part: &str) -> Match {
        Match {
            entrants: entrants.map(|it| self.name(it).to_owned()),
            pairs,
            part: part.to_owned(),
        }
    }

    /// The number of the next round.
    fn next_number(&self) -> u32 {
        u32::try_from(self.rounds.len() + 1).expect("rounds fit in 32 bits")
    }

    /// The next round, without byes.
    fn deal_round(&self, name: String, matches: Vec<Match>) -> DealtRound {
        DealtRound {
            number: self.next_number(),
            name,
            matches,
            ..DealtRound::default()
        }
    }

    /// The results of the matches of each round, in the order of the rounds.
    pub fn results(&self) -> Vec<Vec<MatchResult>> {
        let last: BTreeMap<&str, usize> = (0..)
            .zip(self.rounds)
            .flat_map(|(round, it)| it.names().map(move |name| (name, round)))
            .collect();
        let was_in = |entrant: EntrantIndex, round: usize| {
            let is_later = |last: &usize| *last > round;
            !self.out.contains(&entrant) || last.get(self.name(entrant)).is_some_and(is_later)
        };
        let mut results: Vec<Vec<MatchResult>> = Vec::new();
        // Of each pairing the match of every pair, in the order in which they were dealt.
        let mut places: BTreeMap<[EntrantIndex; 2], Vec<[usize; 2]>> = BTreeMap::new();
        for (round, dealt) in self.rounds.iter().enumerate() {
            let known = dealt.matches.iter();
            let known = known.filter_map(|it| Some((self.plan.entrants_of(it)?, it.pairs)));
            let matches = known.enumerate().map(|(number, (entrants, pairs))| {
                let dealt = places.entry(sorted(entrants)).or_default();
                dealt.extend((0..pairs).map(|_| [round, number]));
                MatchResult {
                    entrants,
                    pairs,
                    games: 0,
                    half_points: [0; 2],
                    seeds: [0; 2],
                    is_in: entrants.map(|it| was_in(it, round)),
                }
            });
            results.push(matches.collect());
        }
        for game in self.games {
            let pair = (game.id.pair.round() as usize).checked_sub(1);
            let place = pair.and_then(|it| places.get(&sorted(game.sides))?.get(it));
            if let Some(&[round, number]) = place {
                results[round][number].count(game);
            }
        }
        results
    }
}

impl MatchResult {
    fn count(&mut self, game: &CountedGame) {
        self.games += 1;
        for (side, entrant) in Side::BOTH.into_iter().zip(game.sides) {
            let place = usize::from(entrant != self.entrants[0]);
            self.seeds[place] += u32::from(game.stores[side.index()]);
            self.half_points[place] += match game.result {
                GameResult::Draw => 1,
                GameResult::Win(winner) if winner == side => 2,
                GameResult::Win(_) => 0,
            };
        }
    }
}

/// A pairing of two entrants, whoever is named first.
fn sorted([one, other]: [EntrantIndex; 2]) -> [EntrantIndex; 2] {
    [one.min(other), one.max(other)]
}

/// The next round of a plan, once what was dealt is played as far as it can be; `None` if it has no
/// further one, or if that depends on games that are still to be played.
pub fn next_round(
    plan: &Plan,
    schedule: &Schedule,
    outcome: &RunOutcome,
    progress: &Progress,
) -> Option<DealtRound> {
    if outcome.barred || !outcome.complete {
        return None;
    }
    let games = counted_games(plan, schedule, outcome, progress);
    let so_far = SoFar::new(plan, &outcome.exclusions, &games);
    let round = dealer_of(plan)?.next_round(&so_far)?;
    Some(DealtRound {
        number: u32::try_from(plan.rounds.len() + 1).ok()?,
        ..round
    })
}

/// The most pairs that results can lead to; none where the plan alone decides who meets whom.
pub fn most_pairs(plan: &Plan) -> u64 {
    let entrants = u32::try_from(plan.entrants.len()).unwrap_or(u32::MAX);
    dealer_of(plan).map_or(0, |it| it.most_pairs(entrants, plan.pairs))
}

/// The games that count, in the order of the schedule.
fn counted_games(
    plan: &Plan,
    schedule: &Schedule,
    outcome: &RunOutcome,
    progress: &Progress,
) -> Vec<CountedGame> {
    let name = |entrant: EntrantIndex| plan.entrants[entrant.index()].name.clone();
    let games = schedule.pairs.iter().flat_map(|pair| {
        let games = pair.game_ids().into_iter();
        games.map(|id| (pair.sides(id.number), id))
    });
    let counted = games.filter_map(|(sides, id)| {
        let done = progress.result_of(&id)?;
        let counts = outcome.exclusions.allow_game(&id, &sides.map(name));
        counts.then_some(CountedGame {
            id,
            sides,
            result: done.result,
            stores: done.stores,
            start: done.start,
            content: done.content,
        })
    });
    counted.collect()
}

/// What the rounds of a plan have brought, for tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundResults {
    /// The results of the matches of each round so far, in the order of the rounds.
    pub matches: Vec<Vec<MatchResult>>,
    /// The place of each entrant, the best first.
    pub places: Vec<FormatPlace>,
    /// The matches of knockouts, in the order of their rounds.
    pub bracket: Vec<BracketMatch>,
}

/// The place of an entrant in a tournament whose rounds follow from results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatPlace {
    /// The entrant.
    pub entrant: EntrantIndex,
    /// Half points of its matches and byes: two for a won match or a bye, one for a drawn match.
    pub match_points: u32,
    /// Half points of its games: two for a won game, one for a drawn one.
    pub half_points: u32,
    /// The sum of the half points of all matches of the entrants that it met, where the format
    /// parts equal entrants by it.
    pub buchholz: Option<u32>,
}

/// The results of a plan's rounds by these games, of which those that are excluded do not count;
/// `None` where the plan alone decides who meets whom.
pub fn round_results<'g>(
    plan: &Plan,
    exclusions: &Exclusions,
    games: impl Iterator<Item = &'g GameSummary>,
) -> Option<RoundResults> {
    let dealer = dealer_of(plan)?;
    let counted = games.filter_map(|game| {
        let game = exclusions.counted(game)?;
        let [south, north] = game.entrants.each_ref().map(|it| plan.entrant(it));
        Some(CountedGame {
            id: game.id.clone(),
            sides: [south?, north?],
            result: game.result()?,
            stores: game.stores,
            start: game.start,
            content: game.content,
        })
    });
    let mut games: Vec<CountedGame> = counted.collect();
    games.sort_by(|one, other| one.id.cmp(&other.id));
    let so_far = SoFar::new(plan, exclusions, &games);
    let matches = so_far.results();
    let mut points: BTreeMap<EntrantIndex, [u32; 2]> = BTreeMap::new();
    for result in matches.iter().flatten() {
        for (place, entrant) in result.entrants.into_iter().enumerate() {
            let points = points.entry(entrant).or_default();
            points[0] += result.match_points()[place];
            points[1] += result.half_points[place];
        }
    }
    let byes = plan.rounds.iter().flat_map(|it| &it.byes);
    for entrant in byes.filter_map(|it| plan.entrant(it)) {
        points.entry(entrant).or_default()[0] += 2;
    }
    let buchholz = dealer.buchholz(&so_far);
    let place = |entrant| {
        let [match_points, half_points] = points.get(&entrant).copied().unwrap_or_default();
        FormatPlace {
            entrant,
            match_points,
            half_points,
            buchholz: buchholz.get(&entrant).copied(),
        }
    };
    Some(RoundResults {
        places: dealer.ranking(&so_far).into_iter().map(place).collect(),
        bracket: dealer.bracket(&so_far),
        matches,
    })
}

impl<'a> SoFar<'a> {
    fn new(plan: &'a Plan, exclusions: &Exclusions, games: &'a [CountedGame]) -> Self {
        let withdrawn = exclusions.withdrawn.iter().map(|it| &it.entrant);
        let refused = exclusions.refused.iter().map(|it| &it.0);
        Self {
            plan,
            rounds: &plan.rounds,
            seeds: plan.seeds(),
            out: withdrawn
                .chain(refused)
                .filter_map(|it| plan.entrant(it))
                .collect(),
            games,
        }
    }
}

impl Plan {
    /// The entrants in the order of their seeding, the strongest first as far as is known.
    ///
    /// # Panics
    /// They are drawn, and the plan has no secret.
    fn seeds(&self) -> Vec<EntrantIndex> {
        let mut seeds: Vec<EntrantIndex> =
            (0..).map(EntrantIndex).take(self.entrants.len()).collect();
        match &self.seeding {
            Seeding::List(names) => {
                // An entrant that the list does not name comes last.
                seeds.sort_by_key(|it| {
                    let name = &self.entrants[it.index()].name;
                    let place = names.iter().position(|listed| listed == name);
                    place.unwrap_or(names.len())
                });
            }
            Seeding::Draw => seeds.sort_by_cached_key(|it| {
                let name = &self.entrants[it.index()].name;
                self.known_secret().seeding_key(self.seed, name)
            }),
        }
        seeds
    }

    /// Checks that a round of a journal can follow those of the plan.
    pub(super) fn check_round(&self, round: &DealtRound) -> Result<(), String> {
        if !self.is_dealt() {
            return Err("a round, and the plan alone decides who meets whom".to_owned());
        }
        let number = self.rounds.len() + 1;
        if round.number as usize != number {
            return Err(format!(
                "round {}, where round {number} follows",
                round.number
            ));
        }
        for dealt in &round.matches {
            let entrants = self.entrants_of(dealt);
            if entrants.is_none_or(|[one, other]| one == other) {
                let [one, other] = &dealt.entrants;
                return Err(format!(
                    "a match of {one:?} and {other:?}, who are not two entrants"
                ));
            }
        }
        let pairs = self.rounds.iter().chain([round]).flat_map(|it| &it.matches);
        let pairs: u64 = pairs.map(|it| u64::from(it.pairs)).sum();
        if 2 * pairs > MOST_GAMES {
            return Err(format!(
                "{} games up to here, and a tournament has at most {MOST_GAMES}",
                2 * pairs
            ));
        }
        Ok(())
    }
}

/// What deals the rounds of a plan; `None` where the plan alone decides who meets whom.
fn dealer_of(plan: &Plan) -> Option<Box<dyn Dealer>> {
    match plan.until {
        Some(until) => Some(Box::new(until)),
        None => dealer(&plan.format),
    }
}

/// A format whose rounds follow from results.
pub trait Dealer {
    /// The next round, with its name, its matches and its byes; `None` once the tournament is over.
    /// All pairs of the rounds before are settled.
    fn next_round(&self, so_far: &SoFar<'_>) -> Option<DealtRound>;

    /// The entrants of `so_far.seeds` in the order of their results, the best first; those that are
    /// out come last.
    fn ranking(&self, so_far: &SoFar<'_>) -> Vec<EntrantIndex>;

    /// The matches of its knockouts; none without one.
    fn bracket(&self, _so_far: &SoFar<'_>) -> Vec<BracketMatch> {
        Vec::new()
    }

    /// The sums by which a Swiss tournament parts entrants with equal match points, in half points;
    /// none in other formats.
    fn buchholz(&self, _so_far: &SoFar<'_>) -> BTreeMap<EntrantIndex, u32> {
        BTreeMap::new()
    }

    /// The most pairs that these many entrants can play, with so many pairs a match.
    fn most_pairs(&self, entrants: u32, pairs: u32) -> u64;
}

/// The dealer of a format; `None` if the plan alone decides its games.
pub fn dealer(format: &Format) -> Option<Box<dyn Dealer>> {
    Some(match format {
        Format::RoundRobin | Format::Gauntlet(_) => return None,
        &Format::Swiss { rounds } => Box::new(Swiss { rounds }),
        &Format::Knockout { most_pairs } => Box::new(Knockout { most_pairs }),
        &Format::Groups { groups } => Box::new(Groups { groups }),
        &Format::Divisions {
            divisions,
            promoted,
            seasons,
        } => Box::new(Divisions {
            divisions,
            promoted,
            seasons,
        }),
        Format::Stages(stages) => Box::new(Stages(stages.clone())),
    })
}
