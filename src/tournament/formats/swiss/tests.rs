//! Tests of the Swiss system: a published tournament, tables of single rules, and tournaments of
//! random results, compared with pairings that are tried one by one.

use super::*;
use crate::record::{GameId, GameNumber, PairId};
use crate::rules::{GameResult, Position, Side};
use crate::tournament::formats::CountedGame;
use crate::tournament::plan::Plan;
use crate::tournament::secret::Secret;
use proptest::prelude::*;
use std::sync::Arc;

/// A tournament of entrants that are called 1, 2, 3, …, in the order of the seeding, with two games
/// a match.
#[derive(Clone)]
struct Tournament {
    plan: Plan,
    seeds: Vec<EntrantIndex>,
    rounds: Vec<DealtRound>,
    games: Vec<CountedGame>,
    out: BTreeSet<EntrantIndex>,
}

impl Tournament {
    fn new(count: u32) -> Self {
        let names: Vec<String> = (1..=count).map(|it| it.to_string()).collect();
        let names = names.iter().map(String::as_str);
        Self {
            plan: Plan::round_robin(names, 1, Secret::from_bytes([0; 32])),
            seeds: (0..count).map(EntrantIndex).collect(),
            rounds: Vec::new(),
            games: Vec::new(),
            out: BTreeSet::new(),
        }
    }

    fn so_far(&self) -> SoFar<'_> {
        SoFar {
            plan: &self.plan,
            rounds: &self.rounds,
            seeds: self.seeds.clone(),
            out: self.out.clone(),
            games: &self.games,
        }
    }

    fn deal(&self) -> Option<DealtRound> {
        Swiss { rounds: 100 }.next_round(&self.so_far())
    }

    /// Adds a round, and two games of each match with so many half points in all for the first
    /// entrant; no games of a match without half points.
    fn play(&mut self, dealt: DealtRound, half_points: impl Fn(&Match) -> Option<u32>) {
        for it in &dealt.matches {
            let [one, other] = self.plan.entrants_of(it).expect("known entrants");
            let Some(half_points) = half_points(it) else {
                continue;
            };
            let first = half_points.min(2);
            for (number, half_points, sides, south) in [
                (GameNumber::First, first, [one, other], Side::South),
                (
                    GameNumber::Second,
                    half_points - first,
                    [other, one],
                    Side::North,
                ),
            ] {
                let (result, own) = match half_points {
                    0 => (GameResult::Win(south.opponent()), 20),
                    1 => (GameResult::Draw, 24),
                    _ => (GameResult::Win(south), 28),
                };
                let mut stores = [48 - own; 2];
                stores[south.index()] = own;
                self.games.push(CountedGame {
                    id: GameId {
                        pair: PairId::new(1, Arc::from(it.entrants.join("~")), 1),
                        number,
                    },
                    sides,
                    result,
                    stores,
                    start: Position::START,
                    content: 0,
                });
            }
        }
        self.rounds.push(dealt);
    }

    /// A round of matches `(one, other, half points of one)` and byes.
    fn play_listed(&mut self, matches: &[(u32, u32, u32)], byes: &[u32]) {
        let number = u32::try_from(self.rounds.len() + 1).unwrap();
        let listed = matches.iter().map(|(one, other, _)| Match {
            entrants: [one.to_string(), other.to_string()],
            pairs: 1,
            ..Match::default()
        });
        let dealt = DealtRound {
            number,
            matches: listed.collect(),
            byes: byes.iter().map(u32::to_string).collect(),
            ..DealtRound::default()
        };
        self.play(dealt, |it| {
            let names = |(one, other, _): &&(u32, u32, u32)| {
                it.entrants == [one.to_string(), other.to_string()]
            };
            matches.iter().find(names).map(|it| it.2)
        });
    }

    /// Withdraws exactly these.
    fn withdraw(&mut self, numbers: &[u32]) {
        self.out = numbers.iter().map(|it| EntrantIndex(it - 1)).collect();
    }
}

/// Names of those that meet, the smaller number first, and the bye as 0.
fn numbers(dealt: &DealtRound) -> BTreeSet<[u32; 2]> {
    let number = |name: &String| name.parse().expect("a number");
    let matches = dealt.matches.iter().map(|it| {
        let [one, other]: [u32; 2] = it.entrants.each_ref().map(number);
        [one.min(other), one.max(other)]
    });
    let byes = dealt.byes.iter().map(|it| [0, number(it)]);
    matches.chain(byes).collect()
}

fn dealt(tournament: &Tournament) -> BTreeSet<[u32; 2]> {
    numbers(&tournament.deal().expect("a pairing"))
}

#[test]
fn the_first_round_pairs_the_top_half_with_the_bottom_half() {
    for (count, expected) in [
        (2, vec![[1, 2]]),
        (3, vec![[1, 2], [0, 3]]),
        (5, vec![[1, 3], [2, 4], [0, 5]]),
        (8, vec![[1, 5], [2, 6], [3, 7], [4, 8]]),
    ] {
        let round = Tournament::new(count).deal().expect("a pairing");
        assert_eq!(numbers(&round), BTreeSet::from_iter(expected), "{count}");
        assert_eq!((round.number, round.name.as_str()), (1, "round 1"));
    }
    assert_eq!(Tournament::new(0).deal(), None);
    assert_eq!(Tournament::new(1).deal(), None);
}

/// The seeding decides, not the order of the plan, which only decides who is named first.
#[test]
fn the_seeding_is_not_the_order_of_the_plan() {
    let mut tournament = Tournament::new(6);
    tournament.seeds = [5, 3, 1, 0, 2, 4].map(EntrantIndex).to_vec();
    let round = tournament.deal().expect("a pairing");
    let named: Vec<[&str; 2]> = round
        .matches
        .iter()
        .map(|it| it.entrants.each_ref().map(String::as_str))
        .collect();
    assert_eq!(named, [["1", "6"], ["3", "4"], ["2", "5"]]);
}

/// The tournament of 14 players in the FIDE Arbiters' Manual of 2014, pages 65 to 92, by M. Held.
/// Colours decide some of its pairs; these are left out, and the comment says what happens there.
#[test]
fn the_pairs_of_the_published_tournament_that_colours_do_not_decide() {
    let mut held = Tournament::new(14);
    let meets = |held: &Tournament, expected: &[[u32; 2]]| {
        let round = dealt(held);
        for it in expected {
            assert!(round.contains(it), "{it:?} is in {round:?}");
        }
    };
    let first = [[1, 8], [2, 9], [3, 10], [4, 11], [5, 12], [6, 13], [7, 14]];
    assert_eq!(dealt(&held), BTreeSet::from(first));
    let won = |one| (one, one + 7, 4);
    held.play_listed(
        &[won(1), won(2), won(3), (4, 11, 2), won(5), won(6), won(7)],
        &[],
    );
    // Player 12 is absent. The players 4 and 11 have met: both float down, to 8 and 9. Colours
    // choose 9 for 4, and 7 for 2 and 6 for 3; without them the top half meets the bottom half.
    held.withdraw(&[12]);
    meets(&held, &[[1, 5], [10, 13], [0, 14]]);
    meets(&held, &[[2, 6], [3, 7], [4, 8], [9, 11]]);
    held.play_listed(
        &[
            (1, 5, 0),
            (2, 7, 4),
            (3, 6, 2),
            (4, 9, 4),
            (8, 11, 0),
            (10, 13, 4),
        ],
        &[14],
    );
    // The players 7 and 14 have met, so 14 and 10 change places. Among 3, 4, 6 and 11 colours pair
    // 3 with 4; without them 3 meets 11, since 6 was its opponent.
    held.withdraw(&[]);
    meets(&held, &[[2, 5], [1, 14], [7, 10], [8, 12], [9, 13]]);
    meets(&held, &[[3, 11], [4, 6]]);
    held.play_listed(
        &[
            (2, 5, 2),
            (3, 4, 2),
            (6, 11, 4),
            (1, 14, 4),
            (7, 10, 4),
            (8, 12, 2),
            (9, 13, 4),
        ],
        &[],
    );
    // Player 5 floats down since it has met 2, then 7 does. Colours choose 4 for 5, where 3 is
    // better placed, and let 9 float, and then 12. Without them 10 floats, since 14 did so two
    // rounds before, and meets 12, since 8 floated up then.
    meets(&held, &[[2, 6], [7, 11]]);
    meets(&held, &[[3, 5], [1, 4], [9, 14], [10, 12], [8, 13]]);
}

/// Within a group of six, permutations of the bottom half: those of FIDE's list, in its order.
#[test]
fn the_nearest_permutation_of_the_bottom_half_is_taken() {
    let order = [
        [4, 5, 6],
        [4, 6, 5],
        [5, 4, 6],
        [5, 6, 4],
        [6, 4, 5],
        [6, 5, 4],
    ];
    for (place, expected) in order.iter().enumerate() {
        // Whatever comes before in the list is forbidden, by matches of which no game counts.
        let forbidden = order[..place].iter().map(|before| {
            let differs = (0..3).find(|&it| before[it] != expected[it]).expect("one");
            [u32::try_from(differs).unwrap() + 1, before[differs]]
        });
        let mut six = Tournament::new(6);
        let forbidden: BTreeSet<[u32; 2]> = forbidden.collect();
        for [one, other] in forbidden {
            six.play_listed(&[(one, other, 2)], &[]);
            // Points and floats of this are of no interest.
            six.games.clear();
        }
        let pasts = Pasts::new(&six.so_far());
        let level = Pasts {
            of: vec![Past::default(); 6],
            met: pasts.met,
        };
        let field = Field::new(&six.so_far(), &level);
        let mates = cheapest_matching(6, |one, other| field.cost(one, other));
        let bottom = [mates[0] + 1, mates[1] + 1, mates[2] + 1];
        assert_eq!(bottom.map(|it| u32::try_from(it).unwrap()), *expected);
    }
}

#[test]
fn the_top_group_stays_together_and_floats_are_not_repeated() {
    // Points 4, 4, 2, 2, 0, 0, in which both of each lower group have met: the leaders meet, though
    // 1-3, 2-4 and 5-6 would have as many floats if 5 and 6 had not met.
    let mut six = Tournament::new(6);
    six.play_listed(&[(1, 5, 4), (2, 6, 4), (3, 4, 2)], &[]);
    six.play_listed(&[(1, 3, 4), (2, 4, 4), (5, 6, 2)], &[]);
    assert!(dealt(&six).contains(&[1, 2]));

    // After two rounds 1 leads with 4 points before 2 to 7 with 2, and has met 2 and 5. The next is
    // 3, but it has just floated up, and 7, the last of them, has just floated down.
    let mut eight = Tournament::new(8);
    eight.play_listed(&[(1, 5, 4), (2, 6, 4), (3, 7, 0), (4, 8, 4)], &[]);
    eight.play_listed(&[(1, 2, 4), (3, 4, 4), (5, 7, 4), (6, 8, 4)], &[]);
    let round = dealt(&eight);
    assert!(round.contains(&[1, 4]), "{round:?}");
    assert!(!round.contains(&[7, 8]), "{round:?}");
}

#[test]
fn who_has_had_a_bye_has_none_again() {
    let mut five = Tournament::new(5);
    five.play_listed(&[(1, 3, 4), (2, 4, 4)], &[5]);
    // Of 3 and 4 the last one.
    assert!(dealt(&five).contains(&[0, 4]));
    five.play_listed(&[(1, 2, 4), (3, 5, 0)], &[4]);
    assert!(dealt(&five).contains(&[0, 3]));
}

#[test]
fn a_tournament_ends_with_its_rounds_or_with_its_pairings() {
    let mut two = Tournament::new(2);
    assert_eq!(Swiss { rounds: 0 }.next_round(&two.so_far()), None);
    two.play_listed(&[(1, 2, 4)], &[]);
    assert_eq!(two.deal(), None);

    let mut four = Tournament::new(4);
    four.play_listed(&[(1, 3, 4), (2, 4, 4)], &[]);
    assert_eq!(Swiss { rounds: 1 }.next_round(&four.so_far()), None);
    four.withdraw(&[2, 3, 4]);
    assert_eq!(four.deal(), None, "one is left");
    four.withdraw(&[2, 4]);
    assert_eq!(four.deal(), None, "two are left that have met");
}

/// Worked out by hand. 5 is withdrawn after its first match, and the second match of 3 and 4 is
/// without games.
#[test]
fn the_table_counts_buchholz_and_byes() {
    let mut five = Tournament::new(5);
    five.play_listed(&[(1, 3, 4), (2, 5, 3)], &[4]);
    five.withdraw(&[5]);
    let round = DealtRound {
        matches: [["1", "2"], ["3", "4"]]
            .map(|it| Match {
                entrants: it.map(str::to_owned),
                pairs: 1,
                ..Match::default()
            })
            .to_vec(),
        ..DealtRound::default()
    };
    five.play(round, |it| (it.entrants[0] == "1").then_some(2));
    let rows = Swiss::table(&five.so_far());
    let row = |it: &SwissRow| {
        let number = it.entrant.0 + 1;
        (
            number,
            it.match_points,
            it.buchholz,
            it.half_points,
            it.seeds,
            it.is_in,
        )
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    assert_eq!(
        rows,
        [
            // Points 2 + 2 for the bye + 1 of a match without games: both count as itself.
            (4, 3, 3 + 3, 2, 0, true),
            // Opponents 3 (1 point) and 2 (3 points).
            (1, 3, 1 + 3, 4 + 2, 16, true),
            // Opponents 5 (no point, one round missed) and 1 (3 points).
            (2, 3, 1 + 3, 3 + 2, 8, true),
            // Opponents 1 (3 points) and itself.
            (3, 1, 3 + 1, 0, -16, true),
            (5, 0, 3, 1, -8, false),
        ]
    );
    let ranking = Swiss { rounds: 2 }.ranking(&five.so_far());
    assert_eq!(ranking, [3, 0, 1, 2, 4].map(EntrantIndex));
}

#[test]
fn no_more_pairs_than_opponents() {
    for (rounds, entrants, pairs, expected) in [
        (3, 0, 4, 0),
        (3, 1, 4, 0),
        (3, 2, 4, 4),
        (2, 3, 4, 2 * 4),
        (9, 3, 4, 3 * 4),
        (9, 8, 1, 7 * 4),
        (5, 13, 2, 5 * 6 * 2),
    ] {
        let most = Swiss { rounds }.most_pairs(entrants, pairs);
        assert_eq!(most, expected, "{rounds} rounds, {entrants} entrants");
    }
}

/// Numbers that look random and follow from a seed.
fn mixed(seed: u64, number: u64) -> u64 {
    let mixed = (seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(number);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33
}

/// All pairings of the players that are left, as pairs of their places; `count` is the bye.
fn all_pairings(left: &[usize]) -> Vec<Vec<[usize; 2]>> {
    let Some((&first, rest)) = left.split_first() else {
        return vec![Vec::new()];
    };
    let pairings = rest.iter().flat_map(|&other| {
        let left: Vec<usize> = rest.iter().copied().filter(|&it| it != other).collect();
        all_pairings(&left).into_iter().map(move |mut it| {
            it.push([first, other]);
            it
        })
    });
    pairings.collect()
}

/// What is dealt costs no more than any legal pairing, and something is dealt if there is one.
fn check_against_all(tournament: &Tournament, dealt: Option<&DealtRound>) {
    let so_far = tournament.so_far();
    let pasts = Pasts::new(&so_far);
    let field = Field::new(&so_far, &pasts);
    let count = field.players.len();
    if count < 2 {
        assert_eq!(dealt, None);
        return;
    }
    let places: Vec<usize> = (0..count.next_multiple_of(2)).collect();
    let total = |pairing: &Vec<[usize; 2]>| {
        let pairs = pairing.iter();
        pairs.fold(Cost::ZERO, |sum, &[one, other]| {
            sum + field.cost(one, other)
        })
    };
    let pairings = all_pairings(&places).into_iter();
    let legal = pairings.filter(|it| {
        !it.iter()
            .any(|&[one, other]| field.is_forbidden(one, other))
    });
    let least = legal.map(|it| total(&it)).min();
    let place = |number: u32| {
        let of = |it: &Player<'_>| it.entrant.0 + 1 == number;
        field.players.iter().position(of).unwrap_or(count)
    };
    let pairs = |it: &DealtRound| numbers(it).into_iter().map(|it| it.map(place)).collect();
    assert_eq!(dealt.map(|it| total(&pairs(it))), least);
}

/// The same tournament with what must not matter the other way round.
fn turned(tournament: &Tournament) -> Tournament {
    let mut turned = tournament.clone();
    turned.plan.entrants.reverse();
    let last = u32::try_from(turned.plan.entrants.len()).unwrap() - 1;
    let turn = |it: EntrantIndex| EntrantIndex(last - it.0);
    turned.seeds = turned.seeds.into_iter().map(turn).collect();
    turned.out = turned.out.into_iter().map(turn).collect();
    turned.games.reverse();
    for game in &mut turned.games {
        game.sides = game.sides.map(turn);
    }
    for round in &mut turned.rounds {
        round.matches.reverse();
        for it in &mut round.matches {
            it.entrants.reverse();
        }
    }
    turned
}

/// Plays a tournament of random results in which one of `leaving` entrants is withdrawn after each
/// round, and checks each round.
fn play_through(count: u32, seed: u64, leaving: u64) {
    let mut tournament = Tournament::new(count);
    tournament.seeds.sort_by_key(|it| mixed(seed, it.0.into()));
    let swiss = Swiss {
        rounds: count.min(9),
    };
    let (mut met, mut had_bye) = (BTreeSet::new(), BTreeSet::new());
    let mut pairs = 0;
    while let Some(round) = swiss.next_round(&tournament.so_far()) {
        assert_eq!(round.number as usize, tournament.rounds.len() + 1);
        assert_eq!(
            swiss.next_round(&tournament.so_far()).as_ref(),
            Some(&round)
        );
        let other_way = swiss.next_round(&turned(&tournament).so_far());
        assert_eq!(numbers(&other_way.expect("a pairing")), numbers(&round));
        if count <= 8 {
            check_against_all(&tournament, Some(&round));
        }
        let mut playing = BTreeSet::new();
        for it in numbers(&round) {
            let [one, other] = it;
            assert!(met.insert(it) || one == 0, "{it:?} meet once");
            assert!(one > 0 || had_bye.insert(other), "{other} has one bye");
            for it in [one, other].into_iter().filter(|it| *it > 0) {
                assert!(playing.insert(it), "{it} is dealt once");
            }
        }
        let is_in = |it: &u32| !tournament.out.contains(&EntrantIndex(it - 1));
        assert_eq!(playing, (1..=count).filter(is_in).collect());
        pairs += round.matches.len() as u64;

        let random = |it: u64| mixed(seed, u64::from(round.number) << 32 | it);
        let half_points = |it: &Match| {
            let number: u64 = it.entrants[0].parse().expect("a number");
            u32::try_from(random(number) % 6).ok().filter(|it| *it < 5)
        };
        tournament.play(round.clone(), half_points);
        let leaving = (0..count).filter(|it| random(1000 + u64::from(*it)) % leaving == 0);
        tournament.out.extend(leaving.map(EntrantIndex));
        let ranking = swiss.ranking(&tournament.so_far());
        let (left, gone) = ranking.split_at(ranking.len() - tournament.out.len());
        assert!(left.iter().all(|it| !tournament.out.contains(it)));
        assert!(gone.iter().all(|it| tournament.out.contains(it)));
    }
    assert!(pairs <= swiss.most_pairs(count, 1));
    if count <= 8 && tournament.rounds.len() < swiss.rounds as usize {
        check_against_all(&tournament, None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn tournaments_of_few_keep_the_rules(
        count in prop::sample::select(vec![2_u32, 3, 5, 8]),
        seed: u64,
        leaving in prop::sample::select(vec![5_u64, 20, u64::MAX]),
    ) {
        play_through(count, seed, leaving);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn tournaments_of_many_keep_the_rules(
        count in prop::sample::select(vec![13_u32, 64]),
        seed: u64,
        leaving in prop::sample::select(vec![5_u64, 20, u64::MAX]),
    ) {
        play_through(count, seed, leaving);
    }
}
