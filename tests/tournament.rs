//! Whole tournaments with scripted players: no process, no file, no sleep.

use awale::record::{GameEnding, GameId, GameRecord};
use awale::referee::{Answer, Choice, ClockSettings, GameOver, NewGame, Player, Stop, Turn};
use awale::rules::{GameResult, Pit, Preset};
use awale::tournament::{
    Bench, Entrant, EntrantIndex, Event, Format, Journal, JournalError, JournalReader,
    OpeningSource, Openings, Phase, Plan, Progress, RunOutcome, RunSetup, Schedule, Storage,
    parse_openings, random_openings, run,
};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

fn plan(entrants: &[&str], pairs: u32, format: Format) -> Plan {
    Plan {
        name: "test".to_owned(),
        format,
        preset: Preset::Awale,
        rules: Preset::Awale.rules(),
        pairs,
        seed: 5,
        openings: OpeningSource::Random { plies: 4 },
        max_plies: 600,
        clock: ClockSettings {
            move_limit: Some(Duration::from_millis(100)),
            bank: None,
            increment: Duration::ZERO,
            margin: Duration::from_millis(10),
        },
        blind: false,
        circumstances: BTreeMap::new(),
        entrants: entrants
            .iter()
            .map(|name| Entrant {
                name: (*name).to_owned(),
                identity: BTreeMap::new(),
            })
            .collect(),
    }
}

/// Plays by its number: which of the legal pits, and how often the host spoils its games.
struct Scripted {
    entrant: u32,
    seed: u64,
    voids: Arc<AtomicU32>,
}

impl Player for Scripted {
    async fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), Stop> {
        self.seed = game.seed;
        let spoil = |left: u32| left.checked_sub(1);
        if self
            .voids
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, spoil)
            .is_ok()
        {
            return Err(Stop::Void("scripted trouble".to_owned()));
        }
        Ok(())
    }

    async fn turn(&mut self, turn: &Turn) -> Result<Answer, Stop> {
        let legal: Vec<u8> = turn.legal.iter().map(Pit::row_index).collect();
        let mixed = self
            .seed
            .wrapping_add(u64::from(turn.turn))
            .wrapping_mul(0x9e37_79b9);
        let choice = (mixed >> 16) as usize + self.entrant as usize;
        let row_index = i64::from(legal[choice % legal.len()]);
        let time = Duration::from_micros(u64::from(self.entrant) + 1);
        Ok(Answer {
            choice: Choice::Pit {
                row_index,
                info: None,
            },
            time,
        })
    }

    async fn idle(&mut self) -> Stop {
        std::future::pending().await
    }

    async fn game_over(&mut self, _: &GameOver<'_>) {}

    async fn discard(&mut self) {}
}

#[derive(Default)]
struct ScriptedBench {
    /// How many games the host is still to spoil.
    voids: Arc<AtomicU32>,
    /// How many players were made, and which of them brings its slot down.
    made: AtomicU32,
    breaks_at: Option<u32>,
}

impl ScriptedBench {
    fn that_spoils(games: u32) -> Self {
        Self {
            voids: Arc::new(AtomicU32::new(games)),
            ..Self::default()
        }
    }
}

impl Bench for ScriptedBench {
    type Player = Scripted;

    fn player(&self, entrant: EntrantIndex) -> Scripted {
        let made = self.made.fetch_add(1, Ordering::SeqCst);
        assert_ne!(Some(made), self.breaks_at, "a slot breaks on purpose");
        Scripted {
            entrant: entrant.0,
            seed: 0,
            voids: Arc::clone(&self.voids),
        }
    }

    fn take_log(&self, _: &mut Scripted) -> Vec<u8> {
        Vec::new()
    }

    fn dismiss(&self, _: Scripted, _: &mut JoinSet<()>) {}
}

struct Played {
    outcome: RunOutcome,
    journal: Vec<u8>,
    told: Vec<GameId>,
}

fn setup<'a>(
    plan: &'a Plan,
    schedule: &'a Schedule,
    openings: &'a Openings,
    slots: usize,
) -> RunSetup<'a> {
    RunSetup {
        plan,
        schedule,
        openings,
        slots: vec![Vec::new(); slots],
        grace: Duration::from_secs(5),
    }
}

fn openings_of(plan: &Plan) -> Openings {
    Openings::new(random_openings(
        &plan.rules,
        4,
        plan.pairs as usize,
        plan.seed,
    ))
}

/// Plays what a journal lacks; `stop_after` games the run is told to stop.
fn play(plan: &Plan, slots: usize, journal: Vec<u8>, stop_after: Option<usize>) -> Played {
    play_with(&ScriptedBench::default(), plan, slots, journal, stop_after)
}

fn play_with(
    bench: &ScriptedBench,
    plan: &Plan,
    slots: usize,
    journal: Vec<u8>,
    stop_after: Option<usize>,
) -> Played {
    let schedule = Schedule::new(plan);
    let openings = openings_of(plan);
    let mut progress = Progress::default();
    let records = read(&journal).unwrap();
    for record in &records {
        progress.note(record);
    }
    let mut journal = if journal.is_empty() {
        Journal::begin(journal, plan).unwrap()
    } else {
        Journal::resume(journal)
    };
    let (stop, interrupt) = watch::channel(Phase::Play);
    let mut told = Vec::new();
    let mut watcher = |event: &Event<'_>| {
        if let Event::Finished { record, .. } = event {
            told.push(record.id);
            if Some(told.len()) == stop_after {
                stop.send_replace(Phase::Finish);
            }
        }
    };
    let setup = setup(plan, &schedule, &openings, slots);
    let outcome = run(
        &setup,
        bench,
        &mut journal,
        &progress,
        interrupt,
        &mut watcher,
    )
    .unwrap();
    Played {
        outcome,
        journal: journal.into_storage(),
        told,
    }
}

/// The records of a journal, in its order.
fn read(journal: &[u8]) -> Result<Vec<GameRecord>, JournalError> {
    let mut reader = JournalReader::new(journal);
    let mut records = Vec::new();
    while let Some(record) = reader.next_record()? {
        records.push(record);
    }
    Ok(records)
}

/// The records of a journal by game, void ones left out.
fn games(journal: &[u8]) -> BTreeMap<GameId, GameRecord> {
    let records = read(journal).unwrap();
    let count = records.iter().filter(|record| !record.is_void()).count();
    let by_id: BTreeMap<GameId, GameRecord> = records
        .into_iter()
        .filter(|record| !record.is_void())
        .map(|record| (record.id, record))
        .collect();
    assert_eq!(by_id.len(), count, "every game stands in the journal once");
    by_id
}

#[test]
fn a_round_robin_pairs_everybody_with_both_sides() {
    let plan = plan(&["ada", "bob", "cyd", "dan"], 5, Format::RoundRobin);
    let played = play(&plan, 2, Vec::new(), None);
    assert_eq!(played.outcome, RunOutcome::default());
    let games = games(&played.journal);
    assert_eq!(games.len(), 2 * 5 * 6);
    assert_eq!(played.told.len(), games.len());
    for record in games.values() {
        let twin = GameId {
            pair: record.id.pair,
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
    // In a pair's first game the entrant listed first is South, and opening i is every pairing's.
    let names = plan.names();
    for (id, record) in &games {
        let place = |name| names.iter().position(|other| other == name).unwrap();
        let [south, north] = record.entrants.each_ref().map(place);
        assert_eq!(south < north, id.number == awale::record::GameNumber::First);
        assert_eq!(record.opening, (id.pair.0 - 1) / 6 + 1);
        assert!(record.result().is_some());
    }
}

#[test]
fn a_gauntlet_leaves_the_others_alone() {
    let champions = Format::Gauntlet(vec![EntrantIndex(1)]);
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
        let text = reader.text();
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
    assert!(reader.text().torn_bytes > 0);
}

#[test]
fn a_newer_format_is_refused_and_this_one_is_read_forever() {
    // A journal of format 1 as it was written when format 1 was new.
    let old = include_bytes!("data/journal/format-1.jsonl");
    let records = read(old).unwrap();
    assert_eq!(records.len(), 4);
    let endings: Vec<&str> = records.iter().map(|record| record.ending.name()).collect();
    assert_eq!(endings, ["majority", "timeout", "void", "resignation"]);
    assert_eq!(records[0].plies[0].info.as_deref(), Some(r#"{"depth":9}"#));
    assert_eq!(
        records[1].result(),
        Some(GameResult::Win(awale::rules::Side::South))
    );

    let newer = include_bytes!("data/journal/format-99.jsonl");
    let error = read(newer).unwrap_err().to_string();
    assert!(error.starts_with("the journal has format 99"), "{error}");
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
    assert_eq!(reader.check_plan(&mine), Ok(()));
    let text = reader.check_plan(&other).unwrap_err().to_string();
    assert!(text.contains("tournament.pairs: there 1, here 2"), "{text}");
    assert!(text.contains("tournament.seed: there 5, here 6"), "{text}");
    assert!(text.contains("--output DIR"), "{text}");
    assert!(!text.contains("tournament.max-plies"), "{text}");
    assert_ne!(mine.hash(), other.hash());
}

#[test]
fn a_spoilt_game_is_played_again() {
    let plan = plan(&["ada", "bob"], 1, Format::RoundRobin);
    let clean = games(&play(&plan, 1, Vec::new(), None).journal);
    let bench = ScriptedBench::that_spoils(2);
    let played = play_with(&bench, &plan, 1, Vec::new(), None);
    let records = read(&played.journal).unwrap();
    let voids = records.iter().filter(|record| record.is_void()).count();
    assert_eq!(voids, 2);
    assert_eq!(played.outcome, RunOutcome::default());
    let mut again = games(&played.journal);
    for record in again.values_mut() {
        record.attempt = 1;
    }
    assert_eq!(again, clean);
}

#[test]
fn a_game_that_is_always_spoilt_is_given_up_and_tried_again_later() {
    let plan = plan(&["ada", "bob"], 1, Format::RoundRobin);
    let bench = ScriptedBench::that_spoils(1000);
    let played = play_with(&bench, &plan, 1, Vec::new(), None);
    assert_eq!(played.outcome.given_up.len(), 2);
    let records = read(&played.journal).unwrap();
    assert_eq!(records.len(), 6, "three attempts at each game");
    assert!(
        records
            .iter()
            .all(|record| matches!(record.ending, GameEnding::Void(_)))
    );
    let later = play(&plan, 1, played.journal, None);
    assert_eq!(later.outcome.given_up, []);
    assert_eq!(games(&later.journal).len(), 2);
    assert_eq!(read(&later.journal).unwrap().last().unwrap().attempt, 4);
}

/// Takes so many bytes, like a disk that fills up.
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
    let mut journal = Journal::begin(disk, &plan).unwrap();
    let (_stop, interrupt) = watch::channel(Phase::Play);
    let mut told = Vec::new();
    let error = run(
        &setup(&plan, &schedule, &openings, 2),
        &ScriptedBench::default(),
        &mut journal,
        &Progress::default(),
        interrupt,
        &mut |event| {
            if let Event::Finished { record, .. } = event {
                told.push(record.id);
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
        .map(|record| record.id)
        .collect();
    assert!(!told.is_empty() && told.iter().all(|id| kept.contains(id)));
}

#[test]
fn a_slot_that_panics_ends_the_run() {
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let run = std::thread::spawn(|| {
            let bench = ScriptedBench {
                breaks_at: Some(5),
                ..ScriptedBench::default()
            };
            let plan = plan(&["ada", "bob", "cyd"], 50, Format::RoundRobin);
            play_with(&bench, &plan, 2, Vec::new(), None);
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
