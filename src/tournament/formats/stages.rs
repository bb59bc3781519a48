//! Stages: one format after another, each with the best of the stage before.
//!
//! ```text
//! stage 1: groups         all entrants, in the order of the seeding
//! stage 2: knockout       the best 4 that are in, in the order of stage 1's ranking
//! ```
//!
//! The dealer of a stage knows nothing of the other stages. It sees a tournament of its own: the
//! entrants that came so far are its seeds, its rounds and games are those of the stage, and the
//! pairs of a pairing are numbered anew from 1. In the ids of games they go on counting, because
//! two entrants may meet again.
//!
//! A stage with fewer than two entrants has no round.

use super::{BracketMatch, CountedGame, Dealer, DealtRound, Groups, SoFar, dealer, sorted};
use crate::record::PairId;
use crate::tournament::plan::{EntrantIndex, Format, Plan, Stage};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The format: its stages, in their order. None of them has stages, or is a gauntlet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stages(pub Vec<Stage>);

/// A stage, and what it depends on.
struct StageSoFar {
    dealer: Box<dyn Dealer>,
    /// The plan with the format and the pairs of the stage.
    plan: Plan,
    /// Its rounds, as indices of all rounds.
    rounds: Range<usize>,
    seeds: Vec<EntrantIndex>,
    games: Vec<CountedGame>,
}

impl StageSoFar {
    fn new(
        stage: &Stage,
        rounds: Range<usize>,
        seeds: Vec<EntrantIndex>,
        so_far: &SoFar<'_>,
    ) -> Self {
        let plan = Plan {
            format: stage.format.clone(),
            pairs: stage.pairs,
            ..so_far.plan.clone()
        };
        let games = games_of(&rounds, so_far);
        Self {
            dealer: dealer_of(&stage.format),
            plan,
            rounds,
            seeds,
            games,
        }
    }

    /// The stage as a tournament of its own, when its last round was over.
    fn alone<'a>(&'a self, so_far: &'a SoFar<'_>) -> SoFar<'a> {
        SoFar {
            plan: &self.plan,
            rounds: &so_far.rounds[self.rounds.clone()],
            seeds: self.seeds.clone(),
            out: so_far.out_after(self.rounds.end),
            games: &self.games,
        }
    }

    /// The seeds of the next stage: the best that are in.
    fn advancing(&self, stage: &Stage, so_far: &SoFar<'_>) -> Vec<EntrantIndex> {
        let alone = self.alone(so_far);
        let mut ranking = self.dealer.ranking(&alone);
        ranking.retain(|it| !alone.out.contains(it));
        ranking.truncate(stage.advance.map_or(usize::MAX, |it| it as usize));
        ranking
    }
}

impl Stages {
    /// All stages. The seeds of those after the stage that is played now are preliminary.
    fn so_far(&self, so_far: &SoFar<'_>) -> Vec<StageSoFar> {
        let mut stages = Vec::new();
        let (mut first, mut seeds) = (0, so_far.beginners());
        for (number, stage) in (1..).zip(&self.0) {
            let left = so_far.rounds[first..].iter();
            let own = left.take_while(|it| it.stage == number).count();
            let it = StageSoFar::new(stage, first..first + own, seeds, so_far);
            first = it.rounds.end;
            seeds = it.advancing(stage, so_far);
            stages.push(it);
        }
        stages
    }
}

impl Dealer for Stages {
    fn next_round(&self, so_far: &SoFar<'_>) -> Option<DealtRound> {
        let dealt = so_far.rounds.len();
        (1..).zip(self.so_far(so_far)).find_map(|(stage, it)| {
            // A stage is over once a later one has begun.
            let is_last = it.rounds.end == dealt;
            let next = is_last.then(|| it.dealer.next_round(&it.alone(so_far)))??;
            let number = so_far.next_number();
            Some(DealtRound {
                number,
                stage,
                ..next
            })
        })
    }

    /// The ranking of the latest stage that has a round, then that of the stage before for those
    /// that it leaves out, and so on.
    fn ranking(&self, so_far: &SoFar<'_>) -> Vec<EntrantIndex> {
        let mut order: Vec<EntrantIndex> = Vec::new();
        let stages = self.so_far(so_far).into_iter().rev();
        for stage in stages.filter(|it| !it.rounds.is_empty()) {
            let ranking = stage.dealer.ranking(&stage.alone(so_far));
            let known: BTreeSet<EntrantIndex> = order.iter().copied().collect();
            order.extend(ranking.iter().filter(|it| !known.contains(it)));
        }
        so_far.ranked(&order)
    }

    fn bracket(&self, so_far: &SoFar<'_>) -> Vec<BracketMatch> {
        let stages = self.so_far(so_far).into_iter();
        let begun = stages.filter(|it| !it.rounds.is_empty());
        begun
            .flat_map(|it| it.dealer.bracket(&it.alone(so_far)))
            .collect()
    }

    fn most_pairs(&self, entrants: u32, _pairs: u32) -> u64 {
        let mut entrants = entrants;
        let pairs = self.0.iter().map(|stage| {
            let dealer = dealer_of(&stage.format);
            let pairs = dealer.most_pairs(entrants, stage.pairs);
            entrants = entrants.min(stage.advance.unwrap_or(entrants));
            pairs
        });
        pairs.sum()
    }
}

/// The dealer of a stage. Results decide which entrants are in it, so a round robin needs one too.
fn dealer_of(format: &Format) -> Box<dyn Dealer> {
    dealer(format).unwrap_or_else(|| Box::new(Groups { groups: 1 }))
}

/// The games of these rounds. The pairs of each pairing are numbered anew from 1.
fn games_of(rounds: &Range<usize>, so_far: &SoFar<'_>) -> Vec<CountedGame> {
    let pairs = |rounds: &[DealtRound]| {
        let mut pairs: BTreeMap<[EntrantIndex; 2], u32> = BTreeMap::new();
        for dealt in rounds.iter().flat_map(|it| &it.matches) {
            if let Some(entrants) = so_far.plan.entrants_of(dealt) {
                *pairs.entry(sorted(entrants)).or_default() += dealt.pairs;
            }
        }
        pairs
    };
    let before = pairs(&so_far.rounds[..rounds.start]);
    let own = pairs(&so_far.rounds[rounds.clone()]);
    let renumbered = so_far.games.iter().filter_map(|game| {
        let pairing = sorted(game.sides);
        let earlier = before.get(&pairing).copied().unwrap_or(0);
        let number = game.id.pair.round().checked_sub(earlier)?;
        if number == 0 || number > *own.get(&pairing)? {
            return None;
        }
        let mut game = game.clone();
        game.id.pair = PairId::numbered(number).relabelled(game.id.pair.pairing().into());
        Some(game)
    });
    renumbered.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::formats::simulation::{PairOutcome, Simulation, played};

    fn stage(format: Format, pairs: u32, advance: Option<u32>) -> Stage {
        Stage {
            format,
            pairs,
            advance,
        }
    }

    /// Two groups, then a knockout of the best four.
    fn cup() -> Simulation {
        let knockout = Format::Knockout { most_pairs: 4 };
        let stages = vec![
            stage(Format::Groups { groups: 2 }, 1, Some(4)),
            stage(knockout, 2, None),
        ];
        let names = "a b c d e f g h".split(' ');
        Simulation::new(names, Format::Stages(stages), 9)
    }

    #[test]
    fn the_best_of_two_groups_play_a_knockout() {
        // Group A is a, d, e, h, and group B is b, c, f, g. The entrant that comes first in the
        // alphabet wins a match of groups, by more seeds in group B; in the knockout it loses.
        let mut it = cup();
        it.play_all(|one, other, _| {
            let own = match (one, other) {
                ("b", "d") | ("a" | "d", "c") => 20,
                ("b" | "c" | "f", _) => 30,
                _ => 26,
            };
            played([[own, 48 - own]; 2])
        });
        let rounds = [
            "1 groups: a-d a-e a-h d-e d-h e-h b-c b-f b-g c-f c-g f-g",
            "2 semi-finals: b-d a-c",
            "2 final: d-c",
        ];
        assert_eq!(it.rounds_in_short(), rounds);
        assert_eq!(it.rounds[0].matches[0].pairs, 1);
        assert_eq!(it.rounds[2].matches[0].pairs, 2);
        assert_eq!([0, 1, 2].map(|round| it.rounds[round].number), [1, 2, 3]);
        let ranking = it.dealer().ranking(&it.so_far());
        assert_eq!(it.names(&ranking), "c d b a e f h g");
        assert_eq!(it.dealer().most_pairs(8, 9), 2 * 6 + 3 * 4);
    }

    /// All play all, then the best two play a final: their first match does not count in it.
    #[test]
    fn two_entrants_meet_again_from_nothing() {
        let stages = vec![
            stage(Format::RoundRobin, 3, Some(2)),
            stage(Format::Knockout { most_pairs: 4 }, 2, None),
        ];
        let mut it = Simulation::new(["a", "b", "c"], Format::Stages(stages), 1);
        it.play_all(|one, other, number| match (one, other, number) {
            ("a", "b", 4..) => played([[23, 25], [24, 24]]),
            _ => played([[48, 0]; 2]),
        });
        let rounds = ["1 round robin: a-b a-c b-c", "2 final: a-b"];
        assert_eq!(it.rounds_in_short(), rounds);
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "b a c");
    }

    /// A withdrawal in a later stage does not change which entrants came into it, nor their order.
    #[test]
    fn an_entrant_that_is_out_is_not_replaced_in_a_stage() {
        let mut it = cup();
        it.play_all(|one, other, number| PairOutcome {
            // d is out in its group, and a in the first pair of its semi-final.
            withdrawn: [
                (one, other, number) == ("a", "e", 2),
                (one, other) == ("a", "d"),
            ],
            ..played([[26, 22]; 2])
        });
        // In group A, e has the second place because the games against d are won. In group B, c has
        // the second place, and more seeds than e.
        let rounds = [
            "1 groups: a-d a-e a-h d-e d-h e-h b-c b-f b-g c-f c-g f-g",
            "2 semi-finals: a-e b-c",
            "2 final: e-b",
        ];
        assert_eq!(it.rounds_in_short(), rounds);
        let ranking = it.dealer().ranking(&it.so_far());
        assert_eq!(it.names(&ranking), "e b c f h g a d");
    }

    #[test]
    fn a_stage_of_one_entrant_has_no_round() {
        let knockout = || Format::Knockout { most_pairs: 1 };
        let stages = vec![
            stage(knockout(), 1, Some(1)),
            stage(Format::RoundRobin, 1, None),
            stage(knockout(), 1, None),
        ];
        let mut it = Simulation::new(["a", "b"], Format::Stages(stages), 1);
        it.play_all(|_, _, _| played([[23, 25]; 2]));
        assert_eq!(it.rounds_in_short(), ["1 final: a-b"]);
        assert_eq!(it.names(&it.dealer().ranking(&it.so_far())), "b a");
    }
}
