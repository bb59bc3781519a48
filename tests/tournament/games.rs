//! Which games are played, and what is in the journal whatever comes between.

use super::scripted_tournament::{
    ScriptedFactory, games, openings_of, plan, play, play_gated, play_with, read, run_of, setup,
};
use awale::record::{
    Admission, Examiner, Fault, FaultKind, GameId, GameRecord, Refusal, Withdrawal,
};
use awale::rules::{GameResult, Preset, Side};
use awale::tournament::{
    EntrantIndex, Entry, Event, Format, Gate, Journal, JournalError, JournalReader, Phase,
    PlanDifference, Progress, Schedule, Storage, parse_openings, run,
};
use std::collections::BTreeSet;
use std::io;
use std::time::Duration;
use tokio::sync::watch;

#[test]
fn a_round_robin_pairs_everybody_with_both_sides() {
    let plan = plan(&["ada", "bob", "cyd", "dan"], 5, Format::RoundRobin);
    let played = play(&plan, 2, Vec::new(), None);
    assert!(played.outcome.complete && !played.outcome.interrupted);
    assert!(played.outcome.exclusions.is_empty());
    let games = games(&played.journal);
    assert_eq!(games.len(), 2 * 5 * 6);
    assert_eq!(played.told.len(), games.len());
    for record in games.values() {
        let twin = GameId {
            pair: record.id.pair.clone(),
            number: match record.id.number {
                awale::record::GameNumber::First => awale::record::GameNumber::Second,
                awale::record::GameNumber::Second => awale::record::GameNumber::First,
            },
        };
        let twin = &games[&twin];
        assert_eq!(record.start, twin.start);
        assert_eq!(record.opening, twin.opening);
        let [south, north] = &record.entrants;
        assert_eq!(twin.entrants, [north.clone(), south.clone()]);
    }
    // In a pair's first game the entrant listed first is South.
    let openings = openings_of(&plan);
    let schedule = Schedule::new(&plan);
    let names = plan.names();
    for (id, record) in &games {
        let place = |name| names.iter().position(|other| other == name).unwrap();
        let [south, north] = record.entrants.each_ref().map(place);
        assert_eq!(south < north, id.number == awale::record::GameNumber::First);
        let (number, opening) = openings.of_pair(schedule.pair(&id.pair).unwrap());
        assert_eq!((record.opening, record.start), (number, opening.position));
        assert!(record.result().is_some());
    }
}

#[test]
fn a_gauntlet_leaves_the_others_alone() {
    let champions = Format::Gauntlet(vec!["bob".to_owned()]);
    let plan = plan(&["ada", "bob", "cyd"], 3, champions);
    let games = games(&play(&plan, 1, Vec::new(), None).journal);
    assert_eq!(games.len(), 2 * 3 * 2);
    assert!(
        games
            .values()
            .all(|record| record.entrants.contains(&"bob".to_owned()))
    );
}

#[test]
fn slots_change_nothing_in_the_games() {
    let plan = plan(&["ada", "bob", "cyd"], 7, Format::RoundRobin);
    let one = games(&play(&plan, 1, Vec::new(), None).journal);
    for slots in [2, 5] {
        assert_eq!(
            games(&play(&plan, slots, Vec::new(), None).journal),
            one,
            "{slots} slots"
        );
    }
}

#[test]
fn a_run_that_is_stopped_anywhere_resumes_to_the_same_games() {
    let plan = plan(&["ada", "bob", "cyd"], 4, Format::RoundRobin);
    let whole = games(&play(&plan, 1, Vec::new(), None).journal);
    for stop_after in 1..whole.len() {
        let stopped = play(&plan, 2, Vec::new(), Some(stop_after));
        let before = games(&stopped.journal).len();
        assert!(before >= stop_after);
        let resumed = play(&plan, 2, stopped.journal, None);
        assert_eq!(
            resumed.told.len(),
            whole.len() - before,
            "nothing is played twice"
        );
        assert_eq!(games(&resumed.journal), whole);
    }
}

#[test]
fn a_finished_run_plays_nothing_more() {
    let plan = plan(&["ada", "bob"], 2, Format::RoundRobin);
    let played = play(&plan, 1, Vec::new(), None);
    let again = play(&plan, 1, played.journal.clone(), None);
    assert!(again.told.is_empty());
    assert_eq!(again.journal, played.journal);
}

#[test]
fn a_journal_cut_anywhere_resumes_to_the_same_games() {
    let plan = plan(&["ada", "bob"], 2, Format::RoundRobin);
    let whole = play(&plan, 1, Vec::new(), None).journal;
    let games_of_whole = games(&whole);
    let first_line = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for cut in (first_line..whole.len()).step_by(97) {
        let mut reader = JournalReader::new(&whole[..cut]);
        while reader.next_record().unwrap().is_some() {}
        let text = reader.state.text;
        assert_eq!(text.whole_bytes + text.torn_bytes, cut as u64);
        let kept = whole[..usize::try_from(text.whole_bytes).unwrap()].to_vec();
        assert_eq!(games(&play(&plan, 1, kept, None).journal), games_of_whole);
    }
}

#[test]
fn every_flipped_byte_is_found_and_named() {
    let plan = plan(&["ada", "bob"], 1, Format::RoundRobin);
    let whole = play(&plan, 1, Vec::new(), None).journal;
    for place in 0..whole.len() - 1 {
        let mut flipped = whole.clone();
        flipped[place] ^= 1 << (place % 8);
        let line = whole[..place].iter().filter(|&&byte| byte == b'\n').count() + 1;
        match read(&flipped) {
            Err(JournalError::Damaged { line: named, .. }) => assert_eq!(named, line),
            other => panic!("byte {place} of line {line}: {other:?}"),
        }
    }
    // Without its newline the last line counts as torn.
    let mut reader = JournalReader::new(&whole[..whole.len() - 1]);
    while reader.next_record().unwrap().is_some() {}
    assert!(reader.state.text.torn_bytes > 0);
}

#[test]
fn a_newer_format_is_refused() {
    let newer = include_bytes!("../data/journal/format-99.jsonl");
    let error = read(newer).unwrap_err().to_string();
    assert!(error.starts_with("the journal has format 99"), "{error}");
}

#[test]
fn entries_are_read_as_they_were_written() {
    // Written by hand, so that what is written and what is read cannot change together.
    let lines = include_bytes!("../data/journal/entries.jsonl");
    let mut reader = JournalReader::surveying(&lines[..]);
    let mut entries = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        entries.push(entry);
    }
    let refused = |entrant: &str, against, kind, detail: &str, time_us| {
        let fault = Fault {
            time_us,
            ..Fault::new(kind, detail)
        };
        Entry::Admission(Admission {
            entrant: entrant.to_owned(),
            refusal: Some(Refusal::Fault {
                against,
                fault,
                may_pass: false,
            }),
            late: None,
            side_ms: None,
        })
    };
    let admitted = Admission {
        entrant: "ada".to_owned(),
        refusal: None,
        late: None,
        side_ms: None,
    };
    assert_eq!(
        entries[..3],
        [
            Entry::Admission(admitted),
            refused(
                "cyd",
                Examiner::Itself,
                FaultKind::Timeout,
                "no answer after 110.000 ms",
                Some(110_042)
            ),
            refused(
                "dan",
                Examiner::Random,
                FaultKind::StartFailure,
                "exited with code 3",
                None
            ),
        ]
    );
    let withdrawal = Withdrawal {
        entrant: "ada".to_owned(),
        after: "ada~bob.1.2".parse().unwrap(),
        faults: 1,
        games: 2,
    };
    assert_eq!(entries[5], Entry::Withdrawal(withdrawal));
    let games = entries.iter().filter_map(|entry| match entry {
        Entry::Game(record) => Some(&**record),
        _ => None,
    });
    let records: Vec<&GameRecord> = games.collect();
    let endings: Vec<&str> = records.iter().map(|record| record.ending.name()).collect();
    assert_eq!(endings, ["majority", "timeout", "void", "resignation"]);
    assert_eq!(records[0].plies[0].info.as_deref(), Some(r#"{"depth":9}"#));
    assert_eq!(records[1].result(), Some(GameResult::Win(Side::South)));
}

#[test]
fn a_foreign_plan_is_refused_with_the_keys_that_differ() {
    let mine = plan(&["ada", "bob"], 1, Format::RoundRobin);
    let journal = play(&mine, 1, Vec::new(), None).journal;
    let mut other = mine.clone();
    other.pairs = 2;
    other.seed = 6;
    let mut reader = JournalReader::new(&journal[..]);
    reader.next_record().unwrap();
    let recorded = reader.state.plan.as_ref().unwrap();
    assert_eq!(recorded.other_than(&mine), None);
    let found = recorded.other_than(&other).unwrap();
    let differences = found.plan.differences(&other);
    let text = PlanDifference { differences }.to_string();
    assert!(text.contains("tournament.pairs: there 1, here 2"), "{text}");
    assert!(text.contains("tournament.seed: there 5, here 6"), "{text}");
    assert!(text.contains("--output DIR"), "{text}");
    assert!(!text.contains("tournament.max-plies"), "{text}");
    assert_ne!(mine.hash(), other.hash());
}

#[test]
fn a_void_game_is_played_again() {
    let plan = plan(&["ada", "bob"], 1, Format::RoundRobin);
    let clean = games(&play(&plan, 1, Vec::new(), None).journal);
    let factory = ScriptedFactory::that_voids(2);
    let played = play_with(&factory, &plan, 1, Vec::new(), None);
    let records = read(&played.journal).unwrap();
    let voids = records.iter().filter(|record| record.is_void()).count();
    assert_eq!(voids, 2);
    let first = records.iter().find_map(GameRecord::void).unwrap();
    let south = Some(Side::South);
    assert_eq!(
        (first.on_turn, first.active),
        (south, south),
        "the journal keeps whose it was"
    );
    assert!(played.outcome.complete && played.outcome.exclusions.is_empty());
    let mut again = games(&played.journal);
    for record in again.values_mut() {
        record.attempt = 1;
    }
    assert_eq!(again, clean);
}

/// Takes this many bytes, like a disk that fills up.
struct SmallDisk {
    bytes: Vec<u8>,
    room: usize,
}

impl Storage for SmallDisk {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let taken = bytes.len().min(self.room - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        if taken == bytes.len() {
            Ok(())
        } else {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_stops_the_run_and_loses_no_game_that_was_told() {
    let plan = plan(&["ada", "bob", "cyd"], 4, Format::RoundRobin);
    let (schedule, openings) = (Schedule::new(&plan), openings_of(&plan));
    let disk = SmallDisk {
        bytes: Vec::new(),
        room: 9_000,
    };
    let mut journal = Journal::begin(disk, &run_of(&plan)).unwrap();
    let (_stop, interrupt) = watch::channel(Phase::Play);
    let mut told = Vec::new();
    let error = run(
        &setup(&plan, &schedule, &openings, 2),
        &ScriptedFactory::default(),
        &mut journal,
        Progress::default(),
        interrupt,
        &mut |event| {
            if let Event::Finished { record, .. } = event {
                told.push(record.id.clone());
            }
        },
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("cannot write to the journal"),
        "{error}"
    );
    let bytes = journal.into_storage().bytes;
    let kept: Vec<GameId> = read(&bytes)
        .unwrap()
        .iter()
        .map(|record| record.id.clone())
        .collect();
    assert!(!told.is_empty() && told.iter().all(|id| kept.contains(id)));
}

#[test]
fn a_slot_that_panics_ends_the_run() {
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let run = std::thread::spawn(|| {
            let factory = ScriptedFactory::that_breaks_at(5);
            let plan = plan(&["ada", "bob", "cyd"], 50, Format::RoundRobin);
            play_with(&factory, &plan, 2, Vec::new(), None);
        });
        let _ = ended.send(run.join().is_err());
    });
    let panicked = end.recv_timeout(Duration::from_secs(20));
    assert_eq!(panicked, Ok(true), "the other slot waits forever");
}

#[test]
fn a_list_of_openings_may_begin_with_a_byte_order_mark() {
    let rules = Preset::Awale.rules();
    let list = parse_openings(&rules, "\u{feff}CdFb\r\nAa\r\n").unwrap();
    assert_eq!(list.len(), 2);
}

/// The games of the admission gate included, and whatever interrupts the run.
#[test]
fn ids_of_blind_games_tell_nothing_and_stay_the_same() {
    let mut plan = plan(&["ada", "bob", "cyd"], 4, Format::RoundRobin);
    plan.blind = true;
    let told = |stop_after: Option<usize>| {
        let factory = ScriptedFactory::default();
        let candidates = (0..3).map(EntrantIndex).collect();
        let gate = Gate {
            candidates,
            required: false,
            unfit: Vec::new(),
        };
        let play = |journal, stop_after| {
            let played = play_gated(&factory, &plan, gate.clone(), 1, journal, stop_after);
            played.unwrap().journal
        };
        let mut journal = play(Vec::new(), stop_after);
        if stop_after.is_some() {
            journal = play(journal, None);
        }
        assert_eq!(games(&journal).len(), 2 * 4 * 3);
        factory.told().into_iter().collect::<BTreeSet<_>>()
    };
    let whole = told(None);
    assert_eq!(told(Some(5)), whole);
    // Each side of each game, and of the two games of an admission, has a seed of its own.
    assert_eq!(whole.len(), 2 * (2 * 4 * 3 + 2));
    let seeds: BTreeSet<u64> = whole.iter().map(|(_, seed)| *seed).collect();
    assert_eq!(seeds.len(), whole.len());
    let ids: BTreeSet<&str> = whole.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(2 * ids.len(), whole.len());
    for id in ids {
        assert!(
            id.len() == 16 && id.bytes().all(|it| it.is_ascii_hexdigit()),
            "{id}"
        );
        assert!(id.parse::<GameId>().is_err());
    }
}
