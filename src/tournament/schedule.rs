//! Makes the pairs of a plan, with stable ids: a pure function of the plan and of its rounds so far.

use super::formats::most_pairs;
use super::pair_names::PairNames;
use super::plan::Plan;
use super::rounds::Rounds;
use crate::record::{GameId, GameNumber, PairId};
use crate::tournament::plan::EntrantIndex;

/// Two games of the same two entrants from the same opening, sides swapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Unique in the tournament; contains the place in the schedule.
    pub id: PairId,
    /// The entrant listed first, which is South in the pair's first game, and the other one.
    pub entrants: [EntrantIndex; 2],
    /// The index of this pair in its pairing, from 0; also that of its opening.
    pub round: u32,
}

impl Pair {
    /// The entrants that are South and North in one of the games.
    pub const fn sides(&self, number: GameNumber) -> [EntrantIndex; 2] {
        let [first, second] = self.entrants;
        match number {
            GameNumber::First => [first, second],
            GameNumber::Second => [second, first],
        }
    }

    /// The ids of the two games.
    pub fn game_ids(&self) -> [GameId; 2] {
        GameNumber::BOTH.map(|number| GameId {
            pair: self.id.clone(),
            number,
        })
    }
}

/// All pairs of a tournament in the order in which they are decided: all pairings with their first
/// opening, then all with their second, and so on; at last those that have more pairs than others.
/// Slots may play them in another order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The pairs, each at the index of its id.
    pub pairs: Vec<Pair>,
    /// The number of pairs up to the end of each dealt round; empty where results do not decide who
    /// meets whom.
    pub ends: Vec<usize>,
}

impl Schedule {
    /// The schedule of a plan.
    pub fn new(plan: &Plan) -> Self {
        let (names, rounds) = (PairNames::new(plan), Rounds::of(plan));
        let mut pairs = Vec::with_capacity(rounds.pair_count());
        let pair = |pairing, round| Pair {
            id: names.pair(pairing, round),
            entrants: rounds.pairings[pairing as usize],
            round,
        };
        for block in &rounds.blocks {
            for round in block.rounds.clone() {
                pairs.extend(block.pairings.iter().map(|&pairing| pair(pairing, round)));
            }
        }
        pairs.extend(
            rounds
                .dealt
                .iter()
                .map(|&(pairing, round)| pair(pairing, round)),
        );
        let ends = rounds.ends;
        Self { pairs, ends }
    }

    /// The number of games.
    pub fn game_count(&self) -> usize {
        2 * self.pairs.len()
    }

    /// The pair of this id.
    pub fn pair(&self, id: &PairId) -> Option<&Pair> {
        self.pairs.get(id.index()?)
    }
}

/// The number of pairs of a plan's schedule; where results decide it, the most that it can have.
pub fn pair_count(plan: &Plan) -> usize {
    let known = Rounds::of(plan).pair_count();
    known.max(usize::try_from(most_pairs(plan)).unwrap_or(usize::MAX))
}

/// The number of games that a plan has for each entrant; `None` if results decide it.
pub fn planned_games(plan: &Plan) -> Option<Vec<u64>> {
    if plan.test.is_some() || plan.is_dealt() {
        return None;
    }
    let mut games = vec![0; plan.entrants.len()];
    for (pairing, pairs) in plan.pairings() {
        for entrant in pairing {
            games[entrant.index()] += 2 * u64::from(pairs);
        }
    }
    Some(games)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::ClockSettings;
    use crate::rules::{Position, Preset};
    use crate::tournament::{
        Conditions, Entrant, Format, OpeningSharing, OpeningSource, Openings, PairNames, Secret,
        Seeding, look_alike, parse_openings,
    };
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::time::Duration;

    fn plan(names: &[String], pairs: u32, openings: OpeningSource) -> Plan {
        let entrant = |name: &String| Entrant {
            name: name.clone(),
            program: serde_json::Value::Null,
            yardstick: false,
            clock: None,
        };
        Plan {
            format: Format::RoundRobin,
            preset: Preset::Awale,
            rules: Preset::Awale.rules(),
            seeding: Seeding::Draw,
            until: None,
            rounds: Vec::new(),
            pairs,
            house_pairs: None,
            longer: Vec::new(),
            seed: 3,
            secret: Some(Secret::from_bytes([9; 32])),
            openings,
            sharing: OpeningSharing::Own,
            opening_start: 1,
            max_plies: 600,
            endgame: None,
            resign: None,
            draw: None,
            clock: ClockSettings {
                move_limit: Some(Duration::from_millis(100)),
                ..ClockSettings::default()
            },
            max_faults: None,
            blind: false,
            conditions: Conditions::default(),
            test: None,
            entrants: names.iter().map(entrant).collect(),
        }
    }

    /// Everything that defines a game before it is played.
    #[derive(Debug, PartialEq)]
    struct Planned {
        names: [String; 2],
        start: Position,
        opening: u32,
        seeds: [u64; 2],
        told: String,
        told_blind: String,
    }

    /// All games of a plan by their ids.
    fn games(plan: &Plan) -> BTreeMap<String, Planned> {
        let openings = Openings::of(plan).unwrap();
        let blind = Plan {
            blind: true,
            ..plan.clone()
        };
        let mut games = BTreeMap::new();
        for pair in &Schedule::new(plan).pairs {
            let (opening, start) = openings.of_pair(pair);
            for id in pair.game_ids() {
                let sides = pair.sides(id.number);
                let planned = Planned {
                    names: sides.map(|side| plan.entrants[side.index()].name.clone()),
                    start: start.position,
                    opening,
                    seeds: plan
                        .bot_seeds(&id, sides.map(|it| plan.entrants[it.index()].name.as_str())),
                    told: plan.told_id(&id),
                    told_blind: blind.told_id(&id),
                };
                assert!(games.insert(id.to_string(), planned).is_none(), "{id}");
            }
        }
        games
    }

    fn sources() -> [OpeningSource; 3] {
        let list = "CdFb\nAaBb\nFfEe\nAbCe\nAdAf\nAbEa\nDfFb\nAcCe\nBaDc";
        let listed = parse_openings(&Preset::Awale.rules(), list).unwrap();
        [
            OpeningSource::Random { plies: 2 },
            OpeningSource::Random { plies: 8 },
            OpeningSource::Listed(listed),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            cases: 48,
            ..ProptestConfig::default()
        })]

        /// One entrant more or less, at any place of the list, changes no game of the others.
        #[test]
        fn entrants_that_come_and_go_change_no_other_games(
            names in proptest::collection::btree_set("[a-e.é ~]{1,4}", 3..7),
            order in any::<prop::sample::Index>(),
            leaves in proptest::collection::vec(any::<bool>(), 7),
            source in 0..3_usize,
            champion in any::<bool>(),
        ) {
            let mut distinct: Vec<String> = Vec::new();
            for name in names {
                if !distinct.iter().any(|it| look_alike(it, &name)) {
                    distinct.push(name);
                }
            }
            let mut names = distinct;
            let turn = order.index(names.len());
            names.rotate_left(turn);
            let stays = |(index, _): &(usize, &String)| *index == 0 || !leaves[*index];
            let fewer: Vec<String> = names.iter().enumerate().filter(stays)
                .map(|(_, name)| name.clone()).collect();
            let source = &sources()[source];
            let [mut all, mut some] =
                [&names, &fewer].map(|names| plan(names, 3, source.clone()));
            if champion {
                // The first entrant, which always stays.
                all.format = Format::Gauntlet(vec![names[0].clone()]);
                some.format = all.format.clone();
            }
            let [all, some] = [&all, &some].map(games);
            let among = |planned: &Planned| planned.names.iter().all(|it| fewer.contains(it));
            let expected: BTreeMap<_, _> =
                all.into_iter().filter(|(_, planned)| among(planned)).collect();
            prop_assert_eq!(expected, some);
        }
    }

    /// Two entrants meet a yardstick in games that differ in nothing but their names, whatever they
    /// are called and wherever they are listed, and in fewer games each other.
    #[test]
    fn everybody_meets_a_yardstick_in_the_same_games() {
        for source in sources() {
            let mut plan = plan(&["b o", "greedy", "ada"].map(str::to_owned), 3, source);
            plan.entrants[1].yardstick = true;
            plan.house_pairs = Some(7);
            let all = games(&plan);
            assert_eq!(all.len(), 2 * (3 + 7 + 7));
            // By side of the yardstick: everything but names and what bots are told.
            let against_greedy = |own: &str| {
                let games = all
                    .values()
                    .filter(|it| it.names.iter().any(|name| name == own));
                let met = games.filter_map(|it| {
                    let side = it.names.iter().position(|name| name == "greedy")?;
                    Some((side, it.opening, it.seeds, it.start))
                });
                let mut met: Vec<_> = met.collect();
                met.sort_by_key(|it| (it.0, it.1, it.2));
                met
            };
            assert_eq!(against_greedy("ada").len(), 14);
            assert_eq!(against_greedy("ada"), against_greedy("b o"));
            let seeds = all.values().flat_map(|it| it.seeds);
            let different: std::collections::BTreeSet<u64> = seeds.collect();
            assert_eq!(different.len(), 2 * (2 * 3 + 14), "those of a game differ");
        }
    }

    #[test]
    fn an_id_finds_its_place_and_strangers_have_none() {
        let names = ["ada", "b o", "cyd", "dan"].map(str::to_owned);
        let random = OpeningSource::Random { plies: 0 };
        for (format, house_pairs) in [
            (Format::RoundRobin, None),
            (Format::RoundRobin, Some(2)),
            (Format::RoundRobin, Some(9)),
            (
                Format::Gauntlet(vec!["cyd".to_owned(), "ada".to_owned()]),
                None,
            ),
        ] {
            let mut plan = Plan {
                format,
                house_pairs,
                ..plan(&names, 5, random.clone())
            };
            plan.entrants[3].yardstick = true;
            let (schedule, known) = (Schedule::new(&plan), PairNames::new(&plan));
            for (index, pair) in schedule.pairs.iter().enumerate() {
                assert_eq!(pair.id.index(), Some(index));
                assert_eq!(pair.id.round(), pair.round + 1);
                for id in pair.game_ids() {
                    let read: GameId = id.to_string().parse().unwrap();
                    assert_eq!(read.pair.index(), None);
                    assert_eq!(known.placed(read), id);
                    assert_eq!(schedule.pair(&id.pair), Some(pair));
                }
            }
            for stranger in ["ada~cyd.6.1", "ada~cyd.0.1", "cyd~ada.1.1", "ada~eve.1.1"] {
                let id = known.placed(stranger.parse().unwrap());
                assert_eq!(id.pair.index(), None, "{stranger}");
                assert_eq!(schedule.pair(&id.pair), None);
            }
        }
    }
}
