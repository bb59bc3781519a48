//! A tournament without bots, for tests: pairs get results from a closure. Here is also what holds
//! for every format whose rounds follow from results.

use super::{CountedGame, Dealer, DealtRound, SoFar, dealer, sorted};
use crate::record::{GameId, GameNumber, PairId};
use crate::rules::{GameResult, Position};
use crate::tournament::plan::{EntrantIndex, Format, Plan};
use crate::tournament::secret::Secret;
use std::collections::{BTreeMap, BTreeSet};

/// What happens in a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairOutcome {
    /// The final stores of both entrants in both games, in the order of the match; `None` if the
    /// pair stays open.
    pub stores: Option<[[u8; 2]; 2]>,
    /// Which of the two are withdrawn after it.
    pub withdrawn: [bool; 2],
}

/// The pair has these stores, and nobody is withdrawn.
pub(super) fn played(stores: [[u8; 2]; 2]) -> PairOutcome {
    PairOutcome {
        stores: Some(stores),
        ..PairOutcome::default()
    }
}

/// A tournament and what happened in it.
pub(super) struct Simulation {
    pub plan: Plan,
    pub seeds: Vec<EntrantIndex>,
    pub rounds: Vec<DealtRound>,
    pub games: Vec<CountedGame>,
    pub out: BTreeSet<EntrantIndex>,
    dealt_pairs: BTreeMap<[EntrantIndex; 2], u32>,
}

impl Simulation {
    /// Entrants with these names, the strongest first.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>, format: Format, pairs: u32) -> Self {
        let plan = Plan {
            format,
            ..Plan::round_robin(names, pairs, Secret::from_bytes([1; 32]))
        };
        let count = u32::try_from(plan.entrants.len()).unwrap();
        Self {
            plan,
            seeds: (0..count).map(EntrantIndex).collect(),
            rounds: Vec::new(),
            games: Vec::new(),
            out: BTreeSet::new(),
            dealt_pairs: BTreeMap::new(),
        }
    }

    pub fn so_far(&self) -> SoFar<'_> {
        SoFar {
            plan: &self.plan,
            rounds: &self.rounds,
            seeds: self.seeds.clone(),
            out: self.out.clone(),
            games: &self.games,
        }
    }

    pub fn dealer(&self) -> Box<dyn Dealer> {
        dealer(&self.plan.format).unwrap()
    }

    pub fn names(&self, entrants: &[EntrantIndex]) -> String {
        let names = entrants
            .iter()
            .map(|it| self.plan.entrants[it.index()].name.as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    /// Plays a round. The closure gets the entrants of a pair and its number in the tournament.
    pub fn play(
        &mut self,
        dealt: DealtRound,
        mut outcome: impl FnMut([EntrantIndex; 2], u32) -> PairOutcome,
    ) {
        for it in &dealt.matches {
            let entrants = self.plan.entrants_of(it).unwrap();
            for _ in 0..it.pairs {
                let number = self.dealt_pairs.entry(sorted(entrants)).or_default();
                *number += 1;
                if entrants.iter().any(|it| self.out.contains(it)) {
                    continue;
                }
                let PairOutcome { stores, withdrawn } = outcome(entrants, *number);
                let pair = PairId::numbered(*number).relabelled(it.entrants.join("~").into());
                self.games
                    .extend(stores.iter().flat_map(|it| games(&pair, entrants, *it)));
                let withdrawn = entrants.into_iter().zip(withdrawn).filter(|it| it.1);
                self.out.extend(withdrawn.map(|it| it.0));
            }
        }
        self.rounds.push(dealt);
    }

    /// Plays all rounds. Names of entrants are told to the closure, and nobody is withdrawn between
    /// rounds.
    pub fn play_all(&mut self, mut outcome: impl FnMut(&str, &str, u32) -> PairOutcome) {
        let dealer = self.dealer();
        while let Some(dealt) = dealer.next_round(&self.so_far()) {
            let names = self.plan.names();
            self.play(dealt, |[one, other], number| {
                outcome(&names[one.index()], &names[other.index()], number)
            });
        }
    }

    /// The rounds in short: `1 semi-finals: a-d c-b, bye e` for each, with its stage.
    pub fn rounds_in_short(&self) -> Vec<String> {
        let short = |it: &DealtRound| {
            let matches: Vec<String> = it.matches.iter().map(|it| it.entrants.join("-")).collect();
            let byes = it.byes.iter().map(|it| format!(", bye {it}"));
            let byes: String = byes.collect();
            format!("{} {}: {}{byes}", it.stage, it.name, matches.join(" "))
        };
        self.rounds.iter().map(short).collect()
    }
}

/// Both games of a pair; the stores are those of the entrants, in the order of the match.
fn games(pair: &PairId, entrants: [EntrantIndex; 2], stores: [[u8; 2]; 2]) -> [CountedGame; 2] {
    let game = |number: GameNumber| {
        let (mut sides, mut stores) = (entrants, stores[number as usize]);
        if number == GameNumber::Second {
            sides.reverse();
            stores.reverse();
        }
        CountedGame {
            id: GameId {
                pair: pair.clone(),
                number,
            },
            sides,
            result: GameResult::of_stores(stores),
            stores,
            start: Position::START,
            content: 0,
        }
    };
    GameNumber::BOTH.map(game)
}

mod tests {
    use super::*;
    use crate::tournament::formats::knockout::{Knockout, Place};
    use crate::tournament::plan::Stage;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn format() -> impl Strategy<Value = Format> {
        let single = prop_oneof![
            (1..6_u32).prop_map(|most_pairs| Format::Knockout { most_pairs }),
            (1..6_u32).prop_map(|groups| Format::Groups { groups }),
            (1..5_u32, 0..4_u32, 1..4_u32).prop_map(|(divisions, promoted, seasons)| {
                Format::Divisions {
                    divisions,
                    promoted,
                    seasons,
                }
            }),
        ];
        let inner = prop_oneof![3 => single.clone(), 1 => Just(Format::RoundRobin)];
        let stage = (inner, 1..3_u32, proptest::option::of(1..9_u32));
        let stage = stage.prop_map(|(format, pairs, advance)| Stage {
            format,
            pairs,
            advance,
        });
        let stages = proptest::collection::vec(stage, 1..4).prop_map(Format::Stages);
        prop_oneof![2 => single, 1 => stages]
    }

    /// How often things happen, in 1000.
    #[derive(Clone, Copy, Debug)]
    struct Rates {
        refused: u64,
        withdrawn: u64,
        withdrawn_between: u64,
        open: u64,
        drawn: u64,
    }

    fn rates() -> impl Strategy<Value = Rates> {
        let rate = || select(vec![0, 20, 200]);
        let rates = (
            rate(),
            rate(),
            select(vec![0, 0, 0, 60]),
            rate(),
            0..700_u64,
        );
        rates.prop_map(
            |(refused, withdrawn, withdrawn_between, open, drawn)| Rates {
                refused,
                withdrawn,
                withdrawn_between,
                open,
                drawn,
            },
        )
    }

    /// Splitmix64.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            (mixed ^ (mixed >> 31)) % bound
        }

        fn happens(&mut self, rate: u64) -> bool {
            self.below(1000) < rate
        }

        fn outcome(&mut self, rates: &Rates) -> PairOutcome {
            let mut stores = || {
                let store = 20 + u8::try_from(self.below(9)).unwrap();
                let is_drawn = self.happens(rates.drawn);
                if is_drawn {
                    [24, 24]
                } else {
                    [store, 48 - store]
                }
            };
            let stores = [stores(), stores()];
            let is_open = self.happens(rates.open);
            PairOutcome {
                stores: (!is_open).then_some(stores),
                withdrawn: [(); 2].map(|()| self.happens(rates.withdrawn)),
            }
        }
    }

    /// What was known when a round was dealt.
    struct Known {
        games: usize,
        out: BTreeSet<EntrantIndex>,
    }

    /// Plays a tournament to its end, and says for each round what was known before it.
    fn simulate(it: &mut Simulation, rates: &Rates, random: &mut Random) -> Vec<Known> {
        let dealer = it.dealer();
        let mut known = Vec::new();
        let withdraw = |it: &mut Simulation, random: &mut Random, rate: u64| {
            let withdrawn = it.seeds.iter().filter(|_| random.happens(rate));
            it.out.extend(withdrawn);
        };
        withdraw(it, random, rates.refused);
        while let Some(dealt) = dealer.next_round(&it.so_far()) {
            assert!(known.len() < 1000, "it does not end");
            check_round(it, &dealt);
            known.push(Known {
                games: it.games.len(),
                out: it.out.clone(),
            });
            it.play(dealt, |_, _| random.outcome(rates));
            withdraw(it, random, rates.withdrawn_between);
            check_ranking(it);
        }
        known
    }

    /// Who is out plays no more, and a round names each pairing once.
    fn check_round(it: &Simulation, dealt: &DealtRound) {
        let number = u32::try_from(it.rounds.len() + 1).unwrap();
        assert_eq!(dealt.number, number);
        assert!(!dealt.matches.is_empty(), "{dealt:?}");
        let mut pairings = BTreeSet::new();
        for name in dealt.names() {
            let entrant = it.plan.entrant(name).unwrap();
            assert!(!it.out.contains(&entrant), "{dealt:?} after {:?}", it.out);
        }
        for dealt_match in &dealt.matches {
            let [one, other] = it.plan.entrants_of(dealt_match).unwrap();
            assert!(
                one != other && pairings.insert(sorted([one, other])),
                "{dealt:?}"
            );
        }
    }

    fn check_ranking(it: &Simulation) {
        let ranking = it.dealer().ranking(&it.so_far());
        let all: BTreeSet<EntrantIndex> = ranking.iter().copied().collect();
        assert_eq!((all.len(), ranking.len()), (it.seeds.len(), it.seeds.len()));
        assert!(ranking.is_sorted_by_key(|entrant| it.out.contains(entrant)));
    }

    /// Nobody loses twice, the winner never, and the bracket has the matches that were dealt.
    fn check_bracket(it: &Simulation, most_pairs: u32) {
        let so_far = it.so_far();
        let knockout = Knockout { most_pairs };
        let bracket = knockout.bracket(&so_far);
        for dealt in it.rounds.iter().flat_map(|round| &round.matches) {
            let places = it.plan.entrants_of(dealt).unwrap().map(Place::Entrant);
            let own = bracket.iter().find(|it| it.part == dealt.part).unwrap();
            assert_eq!(own.places, places);
        }
        let losses = |entrant: EntrantIndex| {
            let place = Place::Entrant(entrant);
            let own = bracket.iter().filter(|it| it.places.contains(&place));
            own.filter(|it| it.winner != place).count()
        };
        assert!(it.seeds.iter().all(|entrant| losses(*entrant) <= 1));
        assert!(bracket.iter().all(|it| it.decided_by.is_some()));
        assert_eq!(bracket.len().saturating_add(1).count_ones(), 1);
        if let Some(Place::Entrant(winner)) = bracket.last().map(|it| it.winner) {
            assert_eq!(losses(winner), 0);
            assert_eq!(knockout.ranking(&so_far)[0], winner);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            cases: 64,
            ..ProptestConfig::default()
        })]

        #[test]
        fn every_format_ends_and_deals_the_same_again(
            count in select(vec![2_u32, 3, 5, 8, 13, 64]),
            format in format(),
            pairs in 1..3_u32,
            rates in rates(),
            random in any::<u64>(),
        ) {
            let names: Vec<String> = (1..=count).map(|it| format!("e{it}")).collect();
            let mut it = Simulation::new(names.iter().map(String::as_str), format, pairs);
            let random = &mut Random(random);
            // An order of strength that is not the one of the configuration.
            it.seeds.sort_by_cached_key(|_| random.below(1 << 32));
            let known = simulate(&mut it, &rates, random);
            let dealt: u64 = it.dealt_pairs.values().map(|it| u64::from(*it)).sum();
            prop_assert!(dealt <= it.dealer().most_pairs(count, pairs));
            for (round, known) in known.into_iter().enumerate() {
                // With the games of later rounds, and without them.
                for games in [known.games, it.games.len()] {
                    let so_far = SoFar {
                        rounds: &it.rounds[..round],
                        games: &it.games[..games],
                        out: known.out.clone(),
                        ..it.so_far()
                    };
                    let again = it.dealer().next_round(&so_far);
                    prop_assert_eq!(again.as_ref(), it.rounds.get(round));
                }
            }
            if let Format::Knockout { most_pairs } = it.plan.format {
                check_bracket(&it, most_pairs);
            }
        }
    }
}
