//! Bots that work in their opponents' turns, against honest bots of known speed: no honest bot
//! loses a game by any fault, and no villain saves a game by a void. And the same honest bots among
//! themselves on a host where 25 strangers' programs are always runnable.

use super::hostile_tournament::{Host, SURVIVES, USER, is_full, processes};
use super::namespaces::{Namespaces, ROOT, find, give, groups_of_runs};
use crate::support::busy_programs::BusyPrograms;
use crate::support::skip::skip;
use awale::record::{FaultKind, GameEnding, GameRecord};
use awale::rules::Side;
use awale::tournament::JournalReader;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What each honest bot computes for a move, in ms of CPU time.
const WORK_MS: u32 = 8;
/// Bots that do no more than that.
const HONEST: [&str; 2] = ["works", "worker"];
/// Each way of working in the opponent's turn.
const WAYS: [&str; 7] = [
    "preadv", "threads", "timer", "notice", "group", "daemon", "short",
];
/// Programs of strangers that take all the processor that they get.
const STRANGERS: usize = 25;

/// What the docs promise of each turn of an opponent and of a game, in µs (`docs/design/clocks.md`).
const GRACE_US: u64 = 250;
const ALLOWANCE_US: u64 = 10_000;

/// How late the referee may notice the end of one moment on a crowded host, in µs. Without the loss
/// of the moment, a thief would get half of 8 ms in each of 50 turns.
const LATE_MOMENT_US: u64 = 100_000;

/// What no freeze stops at once. The others are stopped, by the kernel or by signals, and a timer
/// or a notice that would wake them is refused.
const EVADING: [&str; 2] = ["preadv", "threads"];

/// Plays all thieves against all honest bots.
pub fn thieves(_arena: &Namespaces, host: Host) {
    let Some(folder) = lay_out(host) else { return };
    let (pairs, plies) = if is_full() { (25, 1000) } else { (1, 40) };
    let champions = "format = \"gauntlet\"\nchampions = [\"works\", \"worker\"]\n";
    let mut text = head(host, pairs, &format!("max-plies = {plies}\n{champions}"));
    for name in HONEST {
        entrant(&mut text, name, WORK_MS);
    }
    for way in WAYS {
        entrant(&mut text, way, 4);
    }
    let records = play(&folder, host, "thieves", &text);
    let mut complaints = Vec::new();
    let mut caught = Vec::new();
    for record in &records {
        complaints.extend(complaint(record));
        complaints.extend(unpunished(record));
        complaints.extend(stolen_in_first_moments(record));
        if let GameEnding::Fault(side, fault) = &record.ending
            && fault.kind == FaultKind::BusyOffTurn
        {
            caught.push(record.entrants[side.index()].as_str());
        }
    }
    // On a crowded host children may get nothing to steal with: a few games of one way say little.
    let groups: Vec<&[&str]> = if is_full() {
        EVADING.chunks(1).collect()
    } else {
        vec![&EVADING]
    };
    for ways in groups {
        if !caught.iter().any(|name| ways.contains(name)) {
            let games = 4 * pairs * ways.len();
            complaints.push(format!("{ways:?}: caught in no game of {games}"));
        }
    }
    println!(
        "{host:?}: {} games, {} ended for it",
        records.len(),
        caught.len()
    );
    assert!(complaints.is_empty(), "{host:?}\n{}", complaints.join("\n"));
}

/// Threads that never sleep are no fault, whether a control group stops it or a signal.
pub fn sleepless_library(_arena: &Namespaces, host: Host) {
    let Some(folder) = lay_out(host) else { return };
    // No clock that a busy machine can make it lose.
    let mut text = head(host, 2, "").replace("40ms", "10s");
    entrant(&mut text, "library", 2);
    entrant(&mut text, "works", 1);
    let records = play(&folder, host, "library", &text);
    assert_eq!(records.len(), 4, "{host:?}");
    for record in &records {
        let ending = &record.ending;
        let is_by_rules = matches!(ending, GameEnding::Rules(_));
        assert!(is_by_rules, "{host:?} {}: {ending:?}", record.id);
    }
}

/// Plays the honest bots where strangers take nearly all of the processors.
pub fn strangers(_arena: &Namespaces, host: Host) {
    let Some(folder) = lay_out(host) else { return };
    let _strangers = BusyPrograms::start(STRANGERS);
    let (pairs, plies) = if is_full() { (20, 40) } else { (1, 12) };
    let mut text = head(host, pairs, &format!("max-plies = {plies}\n"));
    for name in HONEST {
        entrant(&mut text, name, WORK_MS);
    }
    let records = play(&folder, host, "strangers", &text);
    let complaints: Vec<String> = records.iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{host:?}\n{}", complaints.join("\n"));
    let preempted = |record: &GameRecord| Side::BOTH.map(|side| record.preempted_us(side));
    assert!(
        records.iter().any(|record| preempted(record) != [0, 0]),
        "{host:?}: strangers that take no time"
    );
}

/// Kills runs with thieves in them: no process computes on, and the next run removes what is left.
pub fn killed_with_thieves(namespaces: &Namespaces, host: Host) {
    let Some(folder) = lay_out(host) else { return };
    let mut text = head(host, 100, "");
    for way in WAYS {
        entrant(&mut text, way, 4);
    }
    let mut random = ChaCha8Rng::seed_from_u64(29);
    for trial in 0..if is_full() { 100 } else { 6 } {
        let mut run = run(&folder, host, &format!("killed-{trial}"), &text);
        let run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut run = run.expect("awale starts");
        // Most of them are in the middle of a game by then.
        sleep(Duration::from_millis(u64::from(
            300 + random.next_u32() % 1200,
        )));
        run.kill().expect("a child of the test's own");
        run.wait().expect("its end");
        let killed = Instant::now();
        while !processes().is_empty() {
            let left = processes();
            assert!(killed.elapsed() < SURVIVES, "trial {trial}: {left:?}");
            sleep(Duration::from_millis(5));
        }
    }
    let mut text = head(host, 1, "max-plies = 2\n");
    for name in HONEST {
        entrant(&mut text, name, 1);
    }
    play(&folder, host, "last", &text);
    assert_eq!(groups_of_runs(namespaces), Vec::<PathBuf>::new());
}

/// What must not be said of a game.
fn complaint(record: &GameRecord) -> Option<String> {
    let is_wrong = match &record.ending {
        GameEnding::Fault(side, _) => HONEST.contains(&record.entrants[side.index()].as_str()),
        GameEnding::Void(_) => true,
        _ => false,
    };
    is_wrong.then(|| format!("{} {:?}: {:?}", record.id, record.entrants, record.ending))
}

/// A side that used more than it is allowed, and did not lose for it, or lost for it and did not.
fn unpunished(record: &GameRecord) -> Option<String> {
    Side::BOTH.into_iter().find_map(|side| {
        let used = record.off_turn_us[side.index()].unwrap_or_default();
        // A ply that was not answered in time, and South's wait while North gets ready.
        let waits = record.plies.len() as u64 / 2 + 2;
        let is_guilty = record.fault() == Some((side, FaultKind::BusyOffTurn));
        let is_wrong = if is_guilty {
            used <= ALLOWANCE_US
        } else {
            used > ALLOWANCE_US + GRACE_US * waits
        };
        let name = &record.entrants[side.index()];
        is_wrong.then(|| {
            let ending = &record.ending;
            format!(
                "{} {name}: {used} µs in {waits} waits, {ending:?}",
                record.id
            )
        })
    })
}

/// A side that ran on in the first moments of many turns of its opponent. All thieves answer at
/// once, and what they use then is in the sum of their short turns. If a moment ends late, because
/// children in sessions of their own keep the referee waiting, it is the last one.
fn stolen_in_first_moments(record: &GameRecord) -> Option<String> {
    Side::BOTH.into_iter().find_map(|side| {
        let used = record.short_cpu_us[side.index()].unwrap_or_default();
        let turns = record.short_plies(side);
        let name = &record.entrants[side.index()];
        let is_wrong = used > LATE_MOMENT_US + GRACE_US * turns as u64;
        is_wrong.then(|| {
            let ending = &record.ending;
            format!(
                "{} {name}: {used} µs in {turns} short turns, {ending:?} {:?} {:?}",
                record.id, record.off_turn_us, record.plies
            )
        })
    })
}

/// Builds the program; says what is missing if it cannot.
fn lay_out(host: Host) -> Option<PathBuf> {
    if find("cc").is_none() {
        skip("thieves", "no cc");
        return None;
    }
    let folder = Path::new(ROOT).join("thieves");
    fs::create_dir_all(folder.join("results")).expect("a folder");
    fs::write(folder.join("thief.c"), include_str!("programs/thief.c")).expect("a file");
    let built = Command::new("cc")
        .args(["-O1", "-pthread", "-o", "thief", "thief.c"])
        .current_dir(&folder)
        .status();
    assert!(built.expect("a compiler").success());
    // Large, and nothing in it: what is read of it costs time alone.
    let holes = File::create(folder.join("holes")).expect("a file");
    holes.set_len(400 << 20).expect("a sparse file");
    if !host.root {
        for place in [Path::new(ROOT), &folder, &folder.join("results")] {
            give(place, USER);
        }
    }
    Some(folder)
}

fn head(host: Host, pairs: usize, more: &str) -> String {
    format!(
        "[tournament]\npairs = {pairs}\nmax-faults = \"off\"\nslots = 2\n{more}\
         [clock]\nmove = \"40ms\"\n[admission]\nmode = \"off\"\n\
         [isolation]\nfreeze = {}\n",
        host.freeze
    )
}

fn entrant(text: &mut String, name: &str, number: u32) {
    let _ = write!(
        text,
        "[[entrant]]\nname = \"{name}\"\ncommand = [\"./thief\", \"{name}\", \"{number}\"]\n\
         dir = \".\"\n"
    );
}

/// A run of a tournament.
fn run(folder: &Path, host: Host, name: &str, text: &str) -> Command {
    fs::write(folder.join(format!("{name}.toml")), text).expect("a file");
    let mut command = Command::new("setpriv");
    if host.root {
        command = Command::new(Path::new(ROOT).join("awale"));
    } else {
        let user = USER.to_string();
        command.args(["--reuid", &user, "--regid", &user, "--clear-groups"]);
        command.arg(Path::new(ROOT).join("awale"));
    }
    command
        .args([
            "run",
            &format!("{name}.toml"),
            "--oversubscribe",
            "--isolation",
        ])
        .arg(host.level.name())
        .current_dir(folder)
        .env("HOME", folder)
        .stdin(Stdio::null());
    command
}

/// Runs the tournament and reads what was played.
fn play(folder: &Path, host: Host, name: &str, text: &str) -> Vec<GameRecord> {
    let said = run(folder, host, name, text)
        .output()
        .expect("awale starts");
    let output = folder.join("results").join(name);
    assert!(
        said.status.success(),
        "{host:?} {}\n{}",
        said.status,
        String::from_utf8_lossy(&said.stderr)
    );
    let journal = File::open(output.join("games.jsonl")).expect("a journal");
    let mut reader = JournalReader::new(BufReader::new(journal));
    std::iter::from_fn(|| reader.next_record().expect("a journal that can be read")).collect()
}
