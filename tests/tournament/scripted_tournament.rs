//! A tournament between scripted players.

use super::scripted_player::{Act, ScriptedPlayer, scripted};
use awale::record::{Fault, FaultKind, GameId, GameRecord, GameSummary, PairId};
use awale::referee::{NewGame, Stop, Turn};
use awale::report::{GamesCsv, TablesBuilder};
use awale::rules::Pit;
use awale::tournament::{
    DealtRound, EntrantIndex, Entry, Event, Format, Gate, Journal, JournalError, JournalReader,
    KeepLimits, Openings, PairNames, Phase, Plan, PlayerFactory, Progress, RunDocument, RunError,
    RunOutcome, RunSettings, RunSetup, Schedule, Secret, run,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The secret of all plans of these tests.
const SECRET: Secret = Secret::from_bytes([5; 32]);

pub fn plan(entrants: &[&str], pairs: u32, format: Format) -> Plan {
    Plan {
        format,
        seed: 5,
        ..Plan::round_robin(entrants.iter().copied(), pairs, SECRET)
    }
}

/// A run of a plan.
pub fn run_of(plan: &Plan) -> RunDocument {
    RunDocument::new(plan.clone(), RunSettings::default())
}

/// The id of a plan's pair, by its number in the order of the schedule from 1.
pub fn pair_id(plan: &Plan, number: u32) -> PairId {
    Schedule::new(plan).pairs[number as usize - 1].id.clone()
}

/// The number of a game's pair in the schedule of these entrants, from 1 (0 of an examination), and
/// which game of the pair it is.
pub fn numbers(entrants: &[&str], game: &str) -> (u32, u32) {
    let id: GameId = game.parse().expect("an id");
    let id = PairNames::new(&plan(entrants, 1_000, Format::RoundRobin)).placed(id);
    let pair = id.pair.index().map_or(0, |index| index + 1);
    (u32::try_from(pair).expect("few pairs"), id.number.number())
}

/// The number of the house bot `random`, which is not an entrant.
pub const RANDOM: EntrantIndex = EntrantIndex(1000);

/// What goes wrong in a tournament.
#[derive(Debug, Default)]
pub struct Script {
    /// How many more games the host makes void, whichever they are.
    voids: AtomicU32,
    /// How often a game still stops at its beginning, by game.
    stopped: Mutex<BTreeMap<String, (u32, Stop)>>,
    /// What players were told before their games: ids and seeds.
    told: Mutex<Vec<(String, u64)>>,
    /// In which games an entrant is at fault.
    faults: Option<fn(u32, &str) -> bool>,
    /// What all processes share, if that is bounded.
    room: Option<Room>,
    /// In which games an entrant's process ends as if the host had ended it.
    ends: Option<fn(u32, &str) -> bool>,
}

impl Script {
    /// How a player of this entrant answers a new game.
    fn new_game(&self, entrant: u32, game: &NewGame<'_>) -> Result<(), Stop> {
        let told = (game.game.to_owned(), game.seed);
        self.told.lock().unwrap().push(told);
        let take = |left: u32| left.checked_sub(1);
        let voids = &self.voids;
        let of_any = voids.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take);
        if of_any.is_ok() {
            return Err(scripted_void());
        }
        let stopped = &mut *self.stopped.lock().unwrap();
        let of_this = stopped.get_mut(game.game);
        if let Some((left, stop)) = of_this.filter(|(left, _)| *left > 0) {
            *left -= 1;
            return Err(stop.clone());
        }
        if self.ends.is_some_and(|ends| ends(entrant, game.game)) {
            return Err(Stop::Void("no last words".to_owned()));
        }
        let faults = self.faults;
        if faults.is_some_and(|at_fault| at_fault(entrant, game.game)) {
            let fault = Fault::new(FaultKind::Crash, "scripted crash");
            return Err(Stop::Fault(fault));
        }
        Ok(())
    }
}

/// What the kernel gives all processes of a user together. Each needs 1 to start, and takes what
/// its entrant takes beyond that, as far as there is any.
#[derive(Debug)]
struct Room {
    free: Mutex<u64>,
    takes: fn(u32) -> u64,
}

/// What a process has of it. It gives that back at its end.
struct Share(Arc<Script>, u64);

impl Share {
    fn of(script: &Arc<Script>, takes: u64) -> Option<Self> {
        let mut free = script.room.as_ref()?.free.lock().unwrap();
        let taken = takes.min(*free);
        *free -= taken;
        (taken > 0).then(|| Self(Arc::clone(script), taken))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(room) = &self.0.room {
            *room.free.lock().unwrap() += self.1;
        }
    }
}

fn scripted_void() -> Stop {
    Stop::Void("scripted void".to_owned())
}

/// One of the legal pits, by the entrant and the seed of the game.
fn seeded(player: &ScriptedPlayer, turn: &Turn) -> Act {
    let legal: Vec<u8> = turn.legal.iter().map(Pit::row_index).collect();
    let mixed = player
        .seed
        .wrapping_add(u64::from(turn.turn))
        .wrapping_mul(0x9e37_79b9);
    let choice = (mixed >> 16) as usize + player.entrant as usize;
    let row_index = i64::from(legal[choice % legal.len()]);
    Act::Play(row_index, u64::from(player.entrant) + 1)
}

#[derive(Default)]
pub struct ScriptedFactory {
    script: Arc<Script>,
    /// How many players were made, and which of them brings its slot down.
    made: AtomicU32,
    /// How many players there are now, and how many there were at most.
    present: AtomicU32,
    most_present: AtomicU32,
    breaks_at: Option<u32>,
    /// The entrants whose players left, in that order.
    left: Mutex<Vec<u32>>,
    /// Bytes that the players of an entrant hold.
    held: Option<fn(u32) -> u64>,
    /// How often something of entrant 1 is still to go on after a game, and when it leaves.
    stuck_after_games: AtomicU32,
    stuck_at_leaving: AtomicU32,
}

impl ScriptedFactory {
    pub fn that_voids(games: u32) -> Self {
        let factory = Self::default();
        factory.script.voids.store(games, Ordering::SeqCst);
        factory
    }

    /// The player of this number, from 0, brings its slot down.
    pub fn that_breaks_at(player: u32) -> Self {
        Self {
            breaks_at: Some(player),
            ..Self::default()
        }
    }

    /// So often something of entrant 1 goes on after a game, and when it leaves.
    pub fn that_cannot_end(after_games: u32, at_leaving: u32) -> Self {
        Self {
            stuck_after_games: after_games.into(),
            stuck_at_leaving: at_leaving.into(),
            ..Self::default()
        }
    }

    /// Entrants are at fault in the games of which this says so.
    pub fn with_faults(faults: fn(u32, &str) -> bool) -> Self {
        Self {
            script: Arc::new(Script {
                faults: Some(faults),
                ..Script::default()
            }),
            ..Self::default()
        }
    }

    /// Processes of entrants end for an unknown reason in the games of which this says so.
    pub fn with_voids(voids: fn(u32, &str) -> bool) -> Self {
        Self {
            script: Arc::new(Script {
                ends: Some(voids),
                ..Script::default()
            }),
            ..Self::default()
        }
    }

    /// The processes of all players share so much, of which an entrant's process takes what this
    /// says.
    pub fn that_shares(room: u64, takes: fn(u32) -> u64) -> Self {
        let room = Room {
            free: room.into(),
            takes,
        };
        Self {
            script: Arc::new(Script {
                room: Some(room),
                ..Script::default()
            }),
            ..Self::default()
        }
    }

    /// The players of an entrant hold so much memory.
    pub fn that_holds(held: fn(u32) -> u64) -> Self {
        Self {
            held: Some(held),
            ..Self::default()
        }
    }

    /// The entrants whose players left, in that order.
    pub fn left(&self) -> Vec<u32> {
        self.left.lock().unwrap().clone()
    }

    /// How many players there were at most.
    pub fn most_present(&self) -> u32 {
        self.most_present.load(Ordering::SeqCst)
    }

    /// How many players were made.
    pub fn players(&self) -> u32 {
        self.made.load(Ordering::SeqCst)
    }

    /// Ids and seeds that players were told before their games, in any order.
    pub fn told(&self) -> Vec<(String, u64)> {
        self.script.told.lock().unwrap().clone()
    }

    /// The host makes a game void this many times.
    pub fn void_game(&self, game: &str, times: u32) {
        self.stop_game(game, times, scripted_void());
    }

    /// The first player that is asked in a game is too late this many times.
    pub fn late_game(&self, game: &str, times: u32) {
        let fault = Fault::new(FaultKind::Timeout, "scripted lateness");
        self.stop_game(game, times, Stop::Fault(fault));
    }

    fn stop_game(&self, game: &str, times: u32, stop: Stop) {
        let mut stopped = self.script.stopped.lock().unwrap();
        stopped.insert(game.to_owned(), (times, stop));
    }
}

impl PlayerFactory for ScriptedFactory {
    type Player = ScriptedPlayer;

    fn player(&self, entrant: EntrantIndex) -> ScriptedPlayer {
        let made = self.made.fetch_add(1, Ordering::SeqCst);
        assert_ne!(Some(made), self.breaks_at, "a slot breaks on purpose");
        let present = 1 + self.present.fetch_add(1, Ordering::SeqCst);
        self.most_present.fetch_max(present, Ordering::SeqCst);
        let script = Arc::clone(&self.script);
        let mut share = None;
        let start_and_hear = move |game: &NewGame<'_>| {
            if let (Some(room), None) = (&script.room, &share) {
                share = Share::of(&script, (room.takes)(entrant.0));
                if share.is_none() {
                    return Err(Stop::Unstarted("scripted shortage".to_owned()));
                }
            }
            script.new_game(entrant.0, game)
        };
        ScriptedPlayer {
            entrant: entrant.0,
            ready: Box::new(start_and_hear),
            later: seeded,
            ..scripted([])
        }
    }

    fn random(&self) -> ScriptedPlayer {
        self.player(RANDOM)
    }

    fn take_log(&self, _: &mut ScriptedPlayer) -> Vec<u8> {
        Vec::new()
    }

    fn remains(&self, player: &mut ScriptedPlayer) -> Option<String> {
        stuck(&self.stuck_after_games, player)
    }

    async fn try_starts(&self, _: EntrantIndex, number: usize, _: Duration) -> Result<(), String> {
        if self.script.room.is_none() {
            return Ok(());
        }
        let shares: Vec<_> = (0..number)
            .map_while(|_| Share::of(&self.script, 1))
            .collect();
        (shares.len() == number)
            .then_some(())
            .ok_or_else(|| "scripted shortage".to_owned())
    }

    fn held_bytes(&self, player: &ScriptedPlayer) -> u64 {
        self.held.map_or(0, |held| held(player.entrant))
    }

    fn dismiss(&self, player: ScriptedPlayer, leaving: &mut JoinSet<Option<String>>) {
        self.left.lock().unwrap().push(player.entrant);
        self.present.fetch_sub(1, Ordering::SeqCst);
        let remains = stuck(&self.stuck_at_leaving, &player);
        leaving.spawn(async move { remains });
    }
}

fn stuck(left: &AtomicU32, player: &ScriptedPlayer) -> Option<String> {
    let take = |left: u32| left.checked_sub(1);
    let is_stuck = player.entrant == 1
        && left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take)
            .is_ok();
    is_stuck.then(|| "1 process does not end after SIGKILL, state D".to_owned())
}

pub struct Played {
    pub outcome: RunOutcome,
    pub journal: Vec<u8>,
    /// The games that were played.
    pub told: Vec<GameId>,
    /// Who was examined, and who failed.
    pub examined: Vec<String>,
    pub failed: Vec<EntrantIndex>,
    /// Whose examination was put off.
    pub postponed: Vec<String>,
    /// The tables that the journal gives.
    pub table: String,
    pub notes: Vec<String>,
}

pub fn setup<'a>(
    plan: &'a Plan,
    schedule: &'a Schedule,
    openings: &'a Openings,
    slots: usize,
) -> RunSetup<'a> {
    RunSetup {
        slots: vec![Vec::new(); slots],
        grace: Duration::from_secs(5),
        pause: Duration::ZERO,
        ..RunSetup::new(plan, schedule, openings)
    }
}

pub fn openings_of(plan: &Plan) -> Openings {
    Openings::of(plan).expect("there are openings")
}

/// Plays what a journal lacks; after `stop_after` games the run is told to stop.
pub fn play(plan: &Plan, slots: usize, journal: Vec<u8>, stop_after: Option<usize>) -> Played {
    play_with(
        &ScriptedFactory::default(),
        plan,
        slots,
        journal,
        stop_after,
    )
}

pub fn play_with(
    factory: &ScriptedFactory,
    plan: &Plan,
    slots: usize,
    journal: Vec<u8>,
    stop_after: Option<usize>,
) -> Played {
    play_gated(factory, plan, Gate::default(), slots, journal, stop_after).unwrap()
}

/// The same behind an admission gate; an error comes with the journal.
pub fn play_gated(
    factory: &ScriptedFactory,
    plan: &Plan,
    gate: Gate,
    slots: usize,
    journal: Vec<u8>,
    stop_after: Option<usize>,
) -> Result<Played, (RunError, Vec<u8>)> {
    let at_slots = (slots, KeepLimits::default());
    play_keeping(factory, plan, gate, at_slots, journal, stop_after)
}

/// The same on slots that keep players.
pub fn play_keeping(
    factory: &ScriptedFactory,
    plan: &Plan,
    gate: Gate,
    (slots, keep): (usize, KeepLimits),
    journal: Vec<u8>,
    stop_after: Option<usize>,
) -> Result<Played, (RunError, Vec<u8>)> {
    let plan = &Plan {
        rounds: rounds_of(&journal),
        ..plan.clone()
    };
    let (schedule, openings) = (Schedule::new(plan), openings_of(plan));
    let progress = progress_of(&journal);
    let mut journal = if journal.is_empty() {
        Journal::begin(journal, &run_of(plan)).unwrap()
    } else {
        Journal::resume(journal)
    };
    let (stop, interrupt) = watch::channel(Phase::Play);
    let mut told = Vec::new();
    let mut examined = Vec::new();
    let mut failed = Vec::new();
    let mut postponed = Vec::new();
    let mut watcher = |event: &Event<'_>| match event {
        Event::Finished { record, .. } => {
            told.push(record.id.clone());
            if Some(told.len()) == stop_after {
                stop.send_replace(Phase::Finish);
            }
        }
        Event::Examined { admission, .. } => examined.push(admission.entrant.clone()),
        Event::Failed(game) => failed.push(game.entrant),
        Event::Postponed { entrant, .. } => postponed.push((*entrant).to_owned()),
        _ => {}
    };
    let setup = RunSetup {
        gate,
        keep,
        ..setup(plan, &schedule, &openings, slots)
    };
    let ended = run(
        &setup,
        factory,
        &mut journal,
        progress,
        interrupt,
        &mut watcher,
    );
    let journal = journal.into_storage();
    match ended {
        Err(error) => Err((error, journal)),
        Ok(outcome) => {
            let (table, notes) = tables(plan, &outcome, &journal);
            Ok(Played {
                outcome,
                journal,
                told,
                examined,
                failed,
                postponed,
                table,
                notes,
            })
        }
    }
}

/// The rounds that results have decided, as a journal says.
pub fn rounds_of(journal: &[u8]) -> Vec<DealtRound> {
    let mut reader = JournalReader::new(journal);
    while reader.next_entry().unwrap().is_some() {}
    let plan = reader.state.plan;
    plan.map_or_else(Vec::new, |it| it.run.plan.rounds)
}

/// What a journal says.
pub fn progress_of(journal: &[u8]) -> Progress {
    let mut progress = Progress::default();
    let mut reader = JournalReader::new(journal);
    while let Some(entry) = reader.next_entry().unwrap() {
        match &entry {
            Entry::Game(record) => progress.note(record),
            Entry::Admission(admission) => progress.note_admission(admission),
            Entry::Withdrawal(withdrawal) => progress.note_withdrawal(withdrawal),
        }
    }
    progress
}

/// All tables, and the notes under them.
fn tables(plan: &Plan, outcome: &RunOutcome, journal: &[u8]) -> (String, Vec<String>) {
    let names = plan.names();
    let mut records = read(journal).unwrap();
    records.sort_by_key(|record| record.id.clone());
    let mut text = Vec::new();
    let exclusions = || outcome.exclusions.clone();
    let mut builder = TablesBuilder::new(&names).unwrap().excluding(exclusions());
    let mut csv = GamesCsv::new(&mut text).unwrap().excluding(exclusions());
    for record in &records {
        builder.add(&GameSummary::of(record));
        csv.add(GameSummary::of(record)).unwrap();
    }
    csv.finish().unwrap();
    let tables = builder.finish().unwrap();
    tables.standings_csv(&mut text).unwrap();
    tables.crosstable_csv(&mut text).unwrap();
    (String::from_utf8(text).unwrap(), tables.notes())
}

/// The same tables without the count of voids, which tells of the host.
pub fn without_voids(table: &str) -> Vec<String> {
    let lines: Vec<Vec<&str>> = table.lines().map(|it| it.split(',').collect()).collect();
    let head = lines.iter().position(|row| row[0] == "rank");
    let void = head.and_then(|head| lines[head].iter().position(|it| *it == "voids_on_turn"));
    let keep = |row: &[&str], number: usize| {
        let of_standings = Some(row.len()) == head.map(|head| lines[head].len());
        !(of_standings && Some(number) == void)
    };
    let cells = |row: &Vec<&str>| {
        let cells = row.iter().enumerate();
        let kept = cells.filter(|(number, _)| keep(row, *number));
        kept.map(|(_, cell)| *cell).collect::<Vec<_>>().join(",")
    };
    lines.iter().map(cells).collect()
}

/// The records of a journal, in its order.
pub fn read(journal: &[u8]) -> Result<Vec<GameRecord>, JournalError> {
    let mut reader = JournalReader::new(journal);
    let mut records = Vec::new();
    while let Some(record) = reader.next_record()? {
        records.push(record);
    }
    Ok(records)
}

/// The records of a journal by game, void ones left out.
pub fn games(journal: &[u8]) -> BTreeMap<GameId, GameRecord> {
    let records = read(journal).unwrap();
    let count = records.iter().filter(|record| !record.is_void()).count();
    let by_id: BTreeMap<GameId, GameRecord> = records
        .into_iter()
        .filter(|record| !record.is_void())
        .map(|record| (record.id.clone(), record))
        .collect();
    assert_eq!(by_id.len(), count, "every game stands in the journal once");
    by_id
}
