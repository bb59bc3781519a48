//! A sequential test ends when it is decided in schedule order, whatever the slots, the order of
//! finishing and the interruptions.

use super::scripted_tournament::{
    Played, ScriptedFactory, games, numbers, pair_id, plan, play_with, read, run_of,
};
use awale::record::{GameId, GameRecord};
use awale::rules::{GameResult, Side};
use awale::stats::sprt::{Model, PairCounts, Settings, Sprt, SprtCounts, State};
use awale::tournament::{
    EntrantIndex, Format, Journal, MaxFaults, Plan, SequentialTest, TestProgress,
};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};

fn sprt(elo0: f64, elo1: f64) -> Sprt {
    Sprt::new(Settings {
        elo0,
        elo1,
        alpha: 0.05,
        beta: 0.05,
        model: Model::Logistic,
    })
    .unwrap()
}

/// New (0) against base (1); without `sprt` every pair is played.
fn match_plan(sprt: Option<Sprt>, pairs: u32) -> Plan {
    let mut plan = plan(&["new", "base"], pairs, Format::RoundRobin);
    plan.test = sprt.map(|sprt| SequentialTest {
        sprt,
        new: EntrantIndex(0),
        repeat_openings: false,
    });
    plan
}

/// Who fails in a game loses it: the new one in every sixth or so, the base in every third.
fn weaker_base(entrant: u32, game: &str) -> bool {
    let mixed = mixed(game);
    match entrant {
        0 => mixed % 6 == 1,
        _ => mixed.is_multiple_of(3),
    }
}

fn weaker_new(entrant: u32, game: &str) -> bool {
    weaker_base(1 - entrant, game)
}

fn mixed(game: &str) -> u64 {
    let (pair, number) = numbers(&["new", "base"], game);
    (2 * u64::from(pair) + u64::from(number == 2)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

fn whole(faults: fn(u32, &str) -> bool, pairs: u32) -> BTreeMap<GameId, GameRecord> {
    let factory = ScriptedFactory::with_faults(faults);
    games(&play_with(&factory, &match_plan(None, pairs), 1, Vec::new(), None).journal)
}

/// The definition, as plainly as it can be written: after which pair the test is decided.
fn by_hand(
    sprt: &Sprt,
    games: &BTreeMap<GameId, GameRecord>,
    pairs: u32,
) -> ([u64; 5], State, u32) {
    let mut counts = [0; 5];
    for pair in 1..=pairs {
        let points: usize = games
            .values()
            .filter(|record| record.id.pair.round() == pair)
            .map(|record| match record.result().unwrap() {
                GameResult::Draw => 1,
                GameResult::Win(Side::South) if record.entrants[0] == "new" => 2,
                GameResult::Win(Side::North) if record.entrants[1] == "new" => 2,
                GameResult::Win(_) => 0,
            })
            .sum();
        counts[points] += 1;
        let state = sprt.evaluate(&SprtCounts::Pairs(PairCounts(counts))).state;
        if state != State::Continue {
            return (counts, state, pair);
        }
    }
    (counts, State::Continue, pairs)
}

fn test_of(played: &Played) -> TestProgress {
    played.outcome.test.clone().expect("there is a test")
}

#[test]
fn the_verdict_is_that_of_the_definition_on_any_number_of_slots() {
    type Case = (fn(u32, &str) -> bool, Sprt, State);
    let cases: [Case; 3] = [
        (weaker_base, sprt(0.0, 100.0), State::H1),
        (weaker_new, sprt(0.0, 100.0), State::H0),
        (weaker_base, sprt(50.0, 52.0), State::Continue),
    ];
    for (faults, sprt, expected) in cases {
        let all = whole(faults, 150);
        let (counts, state, last) = by_hand(&sprt, &all, 150);
        assert_eq!(state, expected);
        let mut tables = BTreeSet::new();
        for slots in [1, 2, 5, 64] {
            let factory = ScriptedFactory::with_faults(faults);
            let plan = match_plan(Some(sprt), 150);
            let played = play_with(&factory, &plan, slots, Vec::new(), None);
            let test = test_of(&played);
            assert_eq!(test.counts, PairCounts(counts));
            assert_eq!(test.counts.total(), u64::from(last), "openings differ");
            assert_eq!(test.evaluation.state, state);
            let decided = (state != State::Continue).then(|| pair_id(&plan, last));
            assert_eq!(test.decided_after, decided);
            assert_eq!(played.outcome.exclusions.decided_after, decided);
            assert!(played.outcome.complete);
            assert_eq!(played.outcome.games, 2 * last as usize);
            // Bounded look-ahead: beyond the decision lies no more than this.
            let ahead = games(&played.journal).len() / 2 - last as usize;
            assert!(ahead <= 4 * slots, "{ahead} pairs ahead on {slots} slots");
            tables.insert(played.table);
        }
        assert_eq!(tables.len(), 1, "tables do not depend on slots");
    }
}

#[test]
fn tables_hold_what_was_played_up_to_the_decision() {
    let plan = match_plan(Some(sprt(0.0, 100.0)), 150);
    let factory = ScriptedFactory::with_faults(weaker_base);
    // Without a test all are played. How many slots play in vain is the host's timing.
    let all = play_with(&factory, &match_plan(None, 150), 5, Vec::new(), None);
    let mut journal = Journal::begin(Vec::new(), &run_of(&plan)).unwrap();
    journal.append(&read(&all.journal).unwrap()).unwrap();
    let played = play_with(&factory, &plan, 5, journal.into_storage(), None);
    let last = test_of(&played).decided_after.unwrap().round();
    assert!(
        games(&played.journal).len() > 2 * last as usize,
        "some are in vain"
    );
    let rows = played
        .table
        .lines()
        .filter(|row| row.contains("new,base") || row.contains("base,new"));
    let of_games = rows.filter(|row| row.contains('.') && row.matches(',').count() > 20);
    assert_eq!(of_games.count(), 2 * last as usize);
}

/// Whatever came first in the journal, and wherever the run was killed.
#[test]
fn order_of_finishing_and_interruptions_change_nothing() {
    let plan = match_plan(Some(sprt(0.0, 100.0)), 150);
    let factory = || ScriptedFactory::with_faults(weaker_base);
    let straight = play_with(&factory(), &plan, 1, Vec::new(), None);
    let mut records = read(&play_with(&factory(), &plan, 5, Vec::new(), None).journal).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for round in 0..20 {
        for place in (1..records.len()).rev() {
            records.swap(place, below(&mut random, place + 1));
        }
        let kept = below(&mut random, records.len() + 1);
        let mut journal = Journal::begin(Vec::new(), &run_of(&plan)).unwrap();
        journal.append(&records[..kept]).unwrap();
        let resumed = play_with(&factory(), &plan, 3, journal.into_storage(), None);
        assert_eq!(test_of(&resumed), test_of(&straight), "round {round}");
        assert_eq!(resumed.table, straight.table, "round {round}");
    }
}

fn below(random: &mut ChaCha8Rng, end: usize) -> usize {
    usize::try_from(random.next_u64() % end as u64).expect("less than an index")
}

#[test]
fn a_run_that_is_told_to_stop_is_not_decided_and_goes_on() {
    let plan = match_plan(Some(sprt(0.0, 100.0)), 150);
    let factory = || ScriptedFactory::with_faults(weaker_base);
    let straight = play_with(&factory(), &plan, 1, Vec::new(), None);
    let stopped = play_with(&factory(), &plan, 2, Vec::new(), Some(6));
    assert!(stopped.outcome.interrupted && !stopped.outcome.complete);
    assert_eq!(test_of(&stopped).decided_after, None);
    let whole = play_with(&factory(), &plan, 2, stopped.journal, None);
    assert_eq!(test_of(&whole), test_of(&straight));
}

/// The host makes a game of pair 3 void four times: the test passes over the open pair.
#[test]
fn an_open_pair_is_no_observation() {
    let plan = match_plan(Some(sprt(0.0, 100.0)), 150);
    for slots in [1, 4] {
        let factory = ScriptedFactory::with_faults(weaker_base);
        factory.void_game("new~base.3.2", 4);
        let played = play_with(&factory, &plan, slots, Vec::new(), None);
        let mut all = whole(weaker_base, 150);
        let first = pair_id(&plan, 1);
        all.retain(|id, _| id.pair.round() != 3);
        let mut counts = [0_u64; 5];
        let last = test_of(&played).decided_after.unwrap();
        for pair in (1..=last.round()).filter(|&pair| pair != 3) {
            let (one, _, _) = by_hand(
                &sprt(0.0, 100.0),
                &all.iter()
                    .filter(|(id, _)| id.pair.round() == pair)
                    .map(|(id, record)| {
                        let mut record = record.clone();
                        record.id.pair = first.clone();
                        let mut id = id.clone();
                        id.pair = first.clone();
                        (id, record)
                    })
                    .collect(),
                1,
            );
            for (sum, count) in counts.iter_mut().zip(one) {
                *sum += count;
            }
        }
        assert_eq!(test_of(&played).counts, PairCounts(counts));
    }
}

/// A bot that fails too often ends the test; its strength is not judged.
#[test]
fn too_many_faults_end_the_test() {
    fn new_fails(entrant: u32, game: &str) -> bool {
        entrant == 0 && mixed(game).is_multiple_of(3)
    }
    let mut plan = match_plan(Some(sprt(0.0, 100.0)), 150);
    plan.max_faults = Some(MaxFaults {
        count: Some(3),
        share: None,
    });
    let mut outcomes = BTreeSet::new();
    for slots in [1, 2, 64] {
        let factory = ScriptedFactory::with_faults(new_fails);
        let played = play_with(&factory, &plan, slots, Vec::new(), None);
        let withdrawn = &played.outcome.exclusions.withdrawn;
        assert_eq!(withdrawn.len(), 1);
        assert_eq!(
            (withdrawn[0].entrant.as_str(), withdrawn[0].faults),
            ("new", 3)
        );
        assert!(played.outcome.complete);
        assert_eq!(test_of(&played).evaluation.state, State::Continue);
        outcomes.insert(withdrawn[0].after.clone());
    }
    assert_eq!(outcomes.len(), 1);
}

/// An observation is a pair of a new opening, whatever is played from it the second time.
#[test]
fn pairs_of_repeated_openings_are_no_observations() {
    fn base_fails(entrant: u32, _: &str) -> bool {
        entrant == 1
    }
    let mut plan = match_plan(Some(sprt(0.0, 100.0)), 100);
    let factory = ScriptedFactory::with_faults(base_fails);
    let distinct = play_with(&factory, &plan, 2, Vec::new(), None);
    assert_eq!(test_of(&distinct).evaluation.state, State::H1);
    // As many openings as the rules have of no plies, and of two.
    for (plies, openings) in [(0, 1), (2, 36)] {
        plan.openings = awale::tournament::OpeningSource::Random { plies };
        plan.test = Some(SequentialTest {
            sprt: sprt(0.0, 1.0),
            new: EntrantIndex(0),
            repeat_openings: false,
        });
        let repeated = play_with(&factory, &plan, 2, Vec::new(), None);
        let test = test_of(&repeated);
        assert_eq!(games(&repeated.journal).len(), 200);
        assert_eq!(test.counts.total(), openings);
        assert_eq!(test.evaluation.state, State::Continue);
    }
}

/// With repeated openings every pair counts, and the likelihood ratio by the share of different
/// games: it is never farther out than that of all pairs.
#[test]
fn repeated_games_are_no_evidence() {
    for (faults, pairs) in [
        (weaker_base as fn(u32, &str) -> bool, 60),
        // Each game repeats the first of its number: two different games.
        (|_, _| false, 300),
        (|entrant, _| entrant == 1, 300),
    ] {
        let mut plan = match_plan(None, pairs);
        plan.openings = awale::tournament::OpeningSource::Random { plies: 0 };
        let all = play_with(
            &ScriptedFactory::with_faults(faults),
            &plan,
            2,
            Vec::new(),
            None,
        );
        let all = games(&all.journal);
        let sprt = sprt(0.0, 200.0);
        plan.test = Some(SequentialTest {
            sprt,
            new: EntrantIndex(0),
            repeat_openings: true,
        });
        let played = play_with(
            &ScriptedFactory::with_faults(faults),
            &plan,
            2,
            Vec::new(),
            None,
        );
        let test = test_of(&played);
        let counted = all
            .values()
            .take(2 * usize::try_from(test.counts.total()).unwrap());
        let different: BTreeSet<String> = counted
            .map(|record| {
                let moves = awale::rules::moves_text(&record.moves());
                let ending = (record.ending.name(), record.stores);
                format!("{:?} {moves} {ending:?}", record.id.number)
            })
            .collect();
        assert_eq!(test.distinct_games, different.len() as u64);
        assert_eq!(test.openings, 1);
        let whole = sprt.evaluate(&SprtCounts::Pairs(test.counts));
        let share = different.len() as f64 / (2 * test.counts.total()) as f64;
        assert!((test.evaluation.llr - share * whole.llr).abs() < 1e-9);
        if different.len() == 2 {
            assert_eq!(
                test.evaluation.state,
                State::Continue,
                "two games prove nothing"
            );
            assert_eq!(test.counts.total(), u64::from(pairs));
        }
    }
}
