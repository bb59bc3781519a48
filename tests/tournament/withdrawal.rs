//! Entrants with too many faults are withdrawn, whatever the slots and the interruptions.

use super::scripted_tournament::{
    Played, ScriptedFactory, games, numbers, openings_of, plan, play_gated, play_with, read,
    run_of, setup, without_voids,
};
use awale::record::{GameId, GameRecord, Withdrawal};
use awale::tournament::{
    EntrantIndex, Entry, Event, Format, Gate, Journal, JournalReader, MOST_TOGETHER, MaxFaults,
    MaxShare, Phase, Plan, Progress, RunError, RunSetup, Schedule, Storage, run, run_to_end,
};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::thread::sleep;
use std::time::Duration;
use tokio::sync::watch;

const FOUR: [&str; 4] = ["ada", "bob", "cyd", "dan"];

/// bob (1) fails in every third of his games or so, dan (3) in every one from pair 8 on.
fn faults(entrant: u32, game: &str) -> bool {
    let (pair, number) = numbers(&FOUR, game);
    match entrant {
        1 => (pair + pair / 6 + u32::from(number == 2)).is_multiple_of(3),
        3 => pair >= 8,
        _ => false,
    }
}

fn faulty_plan(max_faults: Option<MaxFaults>) -> Plan {
    let mut plan = plan(&FOUR, 8, Format::RoundRobin);
    plan.max_faults = max_faults;
    plan
}

const fn count(count: u32) -> MaxFaults {
    MaxFaults {
        count: Some(count),
        share: None,
    }
}

const fn share(hundredths: u32, after: u32) -> MaxFaults {
    MaxFaults {
        count: None,
        share: Some(MaxShare { hundredths, after }),
    }
}

fn factory() -> ScriptedFactory {
    ScriptedFactory::with_faults(faults)
}

fn whole(plan: &Plan) -> Played {
    play_with(&factory(), plan, 1, Vec::new(), None)
}

/// Everything of a plan, as if no entrant were ever withdrawn.
fn all_games() -> BTreeMap<GameId, GameRecord> {
    games(&whole(&faulty_plan(None)).journal)
}

/// The definition, as plainly as it can be written: the games that count, and how many faults and
/// games everybody had when he was withdrawn.
fn by_hand(limit: MaxFaults) -> (BTreeSet<GameId>, BTreeMap<String, (u32, u32)>) {
    let mut faults: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut out: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut counted = BTreeSet::new();
    for (id, record) in all_games() {
        if record.entrants.iter().any(|name| out.contains_key(name)) {
            continue;
        }
        counted.insert(id);
        let guilty = record
            .fault()
            .map(|(side, _)| &record.entrants[side.index()]);
        for name in &record.entrants {
            let (faults, games) = faults.entry(name.clone()).or_default();
            *games += 1;
            *faults += u32::from(guilty == Some(name));
            let share = limit.share.is_some_and(|share| {
                *games >= share.after
                    && f64::from(*faults) / f64::from(*games)
                        > f64::from(share.hundredths) / 10_000.0 + 1e-9
            });
            if share || limit.count.is_some_and(|count| *faults >= count) {
                out.insert(name.clone(), (*faults, *games));
            }
        }
    }
    (counted, out)
}

fn counted(played: &Played) -> BTreeSet<GameId> {
    let exclusions = &played.outcome.exclusions;
    let allowed = |record: &&GameRecord| exclusions.allow_game(&record.id, &record.entrants);
    let games = games(&played.journal);
    games
        .values()
        .filter(allowed)
        .map(|record| record.id.clone())
        .collect()
}

fn announced(journal: &[u8]) -> Vec<Withdrawal> {
    let mut reader = JournalReader::new(journal);
    let mut withdrawals = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        if let Entry::Withdrawal(withdrawal) = entry {
            withdrawals.push(withdrawal);
        }
    }
    withdrawals
}

#[test]
fn withdrawals_are_those_of_the_definition() {
    for limit in [
        count(1),
        count(3),
        count(5),
        count(10),
        count(1000),
        share(1000, 6),
        share(3000, 10),
        share(5000, 1),
        MaxFaults {
            count: Some(6),
            ..share(2500, 12)
        },
    ] {
        let plan = faulty_plan(Some(limit));
        let (games, out) = by_hand(limit);
        let played = whole(&plan);
        assert_eq!(counted(&played), games, "{limit:?}");
        assert_eq!(played.outcome.games, games.len(), "{limit:?}");
        let withdrawn = &played.outcome.exclusions.withdrawn;
        let found: BTreeMap<String, (u32, u32)> = withdrawn
            .iter()
            .map(|it| (it.entrant.clone(), (it.faults, it.games)))
            .collect();
        assert_eq!(found, out, "{limit:?}");
        assert_eq!(&announced(&played.journal), withdrawn, "{limit:?}");
    }
}

#[test]
fn every_table_names_the_withdrawn_entrants() {
    let played = whole(&faulty_plan(Some(count(3))));
    let mut withdrawn = played.outcome.exclusions.withdrawn.iter();
    let withdrawn = withdrawn.find(|it| it.entrant == "bob").unwrap();
    let rows = |start: &str, end: &str| {
        let rows = played.table.lines();
        rows.filter(|row| row.starts_with(start) && row.ends_with(end))
            .count()
    };
    let after = &withdrawn.after;
    let reason = format!(
        ",withdrawn,{after},3 faults in {} games: 3 ",
        withdrawn.games
    );
    let standings = played.table.lines().filter(|row| row.contains(&reason));
    assert_eq!(standings.count(), 1, "standings");
    assert_eq!(rows("bob,", ",withdrawn"), 3, "the crosstable");
    assert_eq!(rows("ada,", ",withdrawn"), 0, "the crosstable");
    let last = format!("{},", withdrawn.after);
    let last = played
        .table
        .lines()
        .find(|row| row.starts_with(&last))
        .unwrap();
    assert!(
        last.contains(",north,north,") || last.contains(",south,south,"),
        "{last}"
    );
    let notes = played.notes.concat();
    let said = format!(
        "bob was withdrawn after game {}, with 3 faults",
        withdrawn.after
    );
    assert!(notes.contains(&said), "{notes}");
}

/// A disk that is much slower than games.
struct SlowDisk(Vec<u8>);

impl Storage for SlowDisk {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        Storage::append(&mut self.0, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        sleep(Duration::from_millis(5));
        Ok(())
    }
}

/// `verify` counts on it: without the line of a withdrawal, a run was killed at most so many games
/// after the one that led to it.
#[test]
fn a_withdrawal_follows_its_game_closely_on_a_slow_disk_too() {
    let plan = faulty_plan(Some(count(1)));
    let (schedule, openings) = (Schedule::new(&plan), openings_of(&plan));
    for slots in [1, 2, 3] {
        let mut journal = Journal::begin(SlowDisk(Vec::new()), &run_of(&plan)).unwrap();
        let setup = setup(&plan, &schedule, &openings, slots);
        run_to_end(&setup, &factory(), &mut journal, Progress::default()).unwrap();
        let journal = journal.into_storage().0;
        let mut reader = JournalReader::new(&journal[..]);
        let mut latest = BTreeMap::new();
        let mut withdrawals = 0;
        while let Some(entry) = reader.next_entry().unwrap() {
            match entry {
                Entry::Game(record) => drop(latest.insert(record.id.clone(), reader.state.line)),
                Entry::Withdrawal(it) => {
                    let known = latest.range(..=it.after).map(|(_, line)| *line).max();
                    let distance = reader.state.line - known.unwrap();
                    assert!(
                        distance <= MOST_TOGETHER * slots,
                        "{slots} slots: {distance}"
                    );
                    withdrawals += 1;
                }
                Entry::Admission(_) => {}
            }
        }
        assert!(withdrawals > 0);
    }
}

/// Keeps what was synced. After this many appends the power is lost, and the rest is gone.
struct FailingPower {
    synced: Vec<u8>,
    appended: Vec<u8>,
    appends: usize,
}

impl Storage for FailingPower {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.appends = self.appends.checked_sub(1).ok_or(io::ErrorKind::Other)?;
        self.appended.extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.synced.append(&mut self.appended);
        Ok(())
    }
}

/// What a run tells before the power is lost, and what the journal says then; and whether it was
/// played to its end.
fn until_power_fails(appends: usize) -> (Vec<String>, Vec<String>, bool) {
    let plan = faulty_plan(Some(count(1)));
    let (schedule, openings) = (Schedule::new(&plan), openings_of(&plan));
    let setup = RunSetup {
        gate: Gate {
            candidates: (0..4).map(EntrantIndex).collect(),
            required: false,
            unfit: Vec::new(),
        },
        ..setup(&plan, &schedule, &openings, 1)
    };
    let power = FailingPower {
        synced: Vec::new(),
        appended: Vec::new(),
        appends,
    };
    let mut journal = Journal::begin(power, &run_of(&plan)).unwrap();
    let (_stop, interrupt) = watch::channel(Phase::Play);
    let mut told = Vec::new();
    let mut watcher = |event: &Event<'_>| match event {
        Event::Finished { record, .. } => told.push(record.id.to_string()),
        Event::Examined { admission, .. } => told.push(admission.entrant.clone()),
        Event::Withdrawn { withdrawal, .. } => told.push(format!("{} left", withdrawal.entrant)),
        _ => {}
    };
    let progress = Progress::default();
    // The games of an admission have other ids.
    let of_plan = |entrant, game: &str| game.parse::<GameId>().is_ok() && faults(entrant, game);
    let ended = run(
        &setup,
        &ScriptedFactory::with_faults(of_plan),
        &mut journal,
        progress,
        interrupt,
        &mut watcher,
    );
    let synced = journal.into_storage().synced;
    let mut reader = JournalReader::new(&synced[..]);
    let mut kept = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        kept.push(match entry {
            Entry::Game(record) => record.id.to_string(),
            Entry::Admission(admission) => admission.entrant,
            Entry::Withdrawal(withdrawal) => format!("{} left", withdrawal.entrant),
        });
    }
    assert!(reader.state.plan.is_some(), "{appends} appends");
    (told, kept, ended.is_ok())
}

#[test]
fn what_was_told_survives_a_loss_of_power_after_each_append() {
    let mut appends = 1;
    loop {
        let (told, kept, is_complete) = until_power_fails(appends);
        let lost: Vec<&String> = told.iter().filter(|it| !kept.contains(it)).collect();
        assert!(lost.is_empty(), "{appends} appends: {lost:?}");
        if is_complete {
            assert!(told.iter().any(|it| it == "dan left"), "{told:?}");
            assert!(appends > 5, "{appends}");
            return;
        }
        appends += 1;
    }
}

#[test]
fn slots_change_nothing_in_withdrawals() {
    for limit in [count(3), share(1000, 6)] {
        let plan = faulty_plan(Some(limit));
        let one = whole(&plan);
        for slots in [2, 5] {
            let played = play_with(&factory(), &plan, slots, Vec::new(), None);
            assert_eq!(played.table, one.table, "{slots} slots");
            assert_eq!(played.notes, one.notes, "{slots} slots");
            assert_eq!(announced(&played.journal), announced(&one.journal));
        }
    }
}

#[test]
fn interruptions_change_nothing_in_withdrawals() {
    let plan = faulty_plan(Some(count(3)));
    let one = whole(&plan);
    for stop_after in 1..one.told.len() {
        let stopped = play_with(&factory(), &plan, 2, Vec::new(), Some(stop_after));
        let resumed = play_with(&factory(), &plan, 5, stopped.journal, None);
        assert_eq!(resumed.table, one.table, "stopped after {stop_after}");
        assert_eq!(announced(&resumed.journal), announced(&one.journal));
    }
}

/// A kill leaves any prefix of the journal's bytes.
#[test]
fn a_journal_cut_anywhere_leads_to_the_same_withdrawals() {
    let plan = faulty_plan(Some(count(2)));
    let one = play_with(&factory(), &plan, 2, Vec::new(), None);
    let mut ends: Vec<usize> = (0..one.journal.len())
        .filter(|&place| one.journal[place] == b'\n')
        .map(|place| place + 1)
        .collect();
    ends.extend(ends.clone().iter().map(|end| end - 30));
    for end in ends.into_iter().filter(|&end| end > one.journal.len() / 50) {
        let whole_lines = one.journal[..end].iter().rposition(|&byte| byte == b'\n');
        let kept = one.journal[..whole_lines.map_or(0, |place| place + 1)].to_vec();
        let resumed = play_with(&factory(), &plan, 1, kept, None);
        assert_eq!(resumed.table, one.table, "cut at {end}");
        assert_eq!(
            announced(&resumed.journal),
            announced(&one.journal),
            "cut at {end}"
        );
    }
}

/// Slots may have run ahead in any way: any set of games in any order is a beginning.
#[test]
fn whatever_was_played_ahead_leads_to_the_same_tables() {
    let plan = faulty_plan(Some(share(1500, 5)));
    let one = whole(&plan);
    let all: Vec<GameRecord> = all_games().into_values().collect();
    for seed in 0..60_u32 {
        let mut random = ChaCha8Rng::seed_from_u64(seed.into());
        let mut ahead = all.clone();
        ahead.retain(|_| random.next_u32() % 4 < seed % 5);
        for place in (1..ahead.len()).rev() {
            ahead.swap(place, random.next_u32() as usize % (place + 1));
        }
        let mut journal = Journal::begin(Vec::new(), &run_of(&plan)).unwrap();
        journal.append(&ahead).unwrap();
        let played = play_with(&factory(), &plan, 2, journal.into_storage(), None);
        assert_eq!(played.table, one.table, "seed {seed}");
        assert_eq!(
            played.outcome.exclusions, one.outcome.exclusions,
            "seed {seed}"
        );
        assert_eq!(
            announced(&played.journal),
            announced(&one.journal),
            "seed {seed}"
        );
    }
}

#[test]
fn a_void_game_holds_the_decision_back_and_an_open_pair_is_passed_over() {
    let plan = faulty_plan(Some(count(3)));
    let one = whole(&plan);
    let third_fault = &one.outcome.exclusions.withdrawn[0].after;
    for times in [1, 3] {
        let factory = factory();
        factory.void_game(&third_fault.to_string(), times);
        let played = play_with(&factory, &plan, 2, Vec::new(), None);
        let tables = [&played.table, &one.table].map(|table| without_voids(table));
        assert!(tables[0] == tables[1], "voided {times} times");
    }
    let factory = factory();
    factory.void_game(&third_fault.to_string(), u32::MAX);
    let played = play_with(&factory, &plan, 2, Vec::new(), None);
    let exclusions = &played.outcome.exclusions;
    // The entrant was withdrawn before the pair came again.
    assert!(exclusions.open.is_empty());
    assert_eq!(exclusions.left_out, [third_fault.pair.clone()].into());
    assert!(exclusions.withdrawn[0].after.pair > third_fault.pair);
    assert_eq!(exclusions.withdrawn[0].faults, 3);
    assert!(
        counted(&played)
            .iter()
            .all(|id| id.pair != third_fault.pair)
    );
}

#[test]
fn later_games_of_the_withdrawn_are_not_played() {
    let plan = faulty_plan(Some(count(1)));
    let played = whole(&plan);
    // Two are withdrawn; what a slot and its queue had in hand by then was played in vain, of about
    // eighty games that were not to be.
    let vain = read(&played.journal).unwrap().len() - counted(&played).len();
    assert!(vain <= 20, "{vain}");
    assert!(all_games().len() - counted(&played).len() >= 60);
}

#[test]
fn a_withdrawal_that_the_games_do_not_lead_to_is_refused() {
    let plan = faulty_plan(Some(count(3)));
    let mut journal = Journal::begin(Vec::new(), &run_of(&plan)).unwrap();
    let withdrawal = Withdrawal {
        entrant: "ada".to_owned(),
        after: Schedule::new(&plan).pairs[0].game_ids()[0].clone(),
        faults: 3,
        games: 3,
    };
    journal.append_withdrawals(&[withdrawal]).unwrap();
    let bytes = journal.into_storage();
    let refused = play_gated(&factory(), &plan, Gate::default(), 1, bytes, None);
    let Err((RunError::Withdrawal(error), _)) = refused else {
        panic!("it was not refused for that");
    };
    let text = error.to_string();
    assert!(
        text.contains("\"ada\" was withdrawn after game ada~bob.1.1"),
        "{text}"
    );
    assert!(text.contains("--output"), "{text}");
}
