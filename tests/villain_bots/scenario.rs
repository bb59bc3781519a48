//! Games with misbehaving bots: one scenario at a time, since all of them count what
//! the process holds. Nothing may be left of a scenario: no child, no descriptor.

use crate::support::busy_host::is_disturbed;
use crate::support::turn::take_turn;
use crate::support::unisolated::unisolated;
use awale::bot::{BotPlayer, BotSettings, FileAccess, Launch, Limits, Restart, SandboxedBot};
use awale::record::{Fault, GameEnding};
use awale::referee::{AgreementTerms, ClockSettings, GameSetup, Measure, PlayedGame, play_game};
use awale::rules::{Position, Preset, Side};
use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// A scenario that takes longer hangs: the slowest needs a few seconds.
const HANGS: Duration = Duration::from_secs(120);

/// Plays a scenario alone, and checks that nothing is left of it.
pub fn alone<T>(scenario: impl AsyncFnOnce() -> T) -> T {
    take_turn();
    let (done, hangs) = channel::<()>();
    let name = std::thread::current().name().unwrap_or("?").to_owned();
    let watchdog = std::thread::spawn(move || {
        if hangs.recv_timeout(HANGS) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{name} hangs");
            std::process::abort();
        }
    });
    // The first runtime of a process opens descriptors that stay.
    drop(runtime());
    let runtime = runtime();
    let outcome = runtime.block_on(async {
        let before = descriptors();
        let outcome = scenario().await;
        // `wait` knows of living children and of zombies alike.
        assert_eq!(wait(WaitOptions::NOHANG).map(drop), Err(Errno::CHILD));
        assert_eq!(descriptors(), before);
        outcome
    });
    drop(done);
    watchdog.join().expect("the watchdog sleeps");
    outcome
}

fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build();
    runtime.expect("a runtime")
}

/// What stands behind each open descriptor, sorted.
pub fn descriptors() -> Vec<String> {
    let mut open: Vec<String> = std::fs::read_dir("/proc/self/fd")
        .expect("a list of descriptors")
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .map(|target| target.display().to_string())
        .collect();
    open.sort();
    open
}

pub const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A limit for each move, and a margin.
pub const fn move_clock(limit: u64, margin: u64) -> ClockSettings {
    ClockSettings {
        move_limit: Some(ms(limit)),
        bank: None,
        increment: ms(0),
        nodes: None,
        margin: ms(margin),
        measure: Measure::Wall,
    }
}

/// For scenarios that are not about time: no honest bot needs so much on any machine.
pub const PATIENT: ClockSettings = move_clock(60_000, 10);
/// For villains that are too slow; an honest bot must make its moves in time.
pub const STRICT: ClockSettings = move_clock(290, 10);

/// How to run a villain that follows this script; honest without one.
pub fn villain(script: &[&str]) -> BotSettings {
    let test = std::env::current_exe().expect("the test's own path");
    let build = test.ancestors().nth(2).expect("the directory of the build");
    let program = build.join("examples").join("villain");
    assert!(
        program.exists(),
        "no {}: build it with `cargo build --example villain`",
        program.display()
    );
    BotSettings {
        launch: Launch {
            program,
            arguments: script.iter().map(Into::into).collect(),
            directory: PathBuf::from("/"),
            environment: Vec::new(),
            host_environment: Vec::new(),
            file_access: FileAccess::default(),
        },
        restart: Restart::Never,
        limits: Limits::default(),
        start_up: ms(60_000),
        new_game: ms(60_000),
        build_warning: None,
    }
}

/// A player without isolation: what it does to itself is between it and the referee.
pub fn player(settings: BotSettings) -> BotPlayer {
    player_that(false, settings)
}

/// The same; stopped by signals to its process group while it is not on turn, or not at all.
pub fn player_that(freezes: bool, settings: BotSettings) -> BotPlayer {
    let sandbox = unisolated(freezes);
    let bot = SandboxedBot::new(&sandbox, &settings.launch, settings.limits);
    BotPlayer::new(settings, bot.expect("a bot without a sandbox"))
}

/// One game of these players, of at most this many plies.
pub async fn game(
    players: [&mut BotPlayer; 2],
    clock: ClockSettings,
    max_plies: u32,
) -> PlayedGame {
    let setup = GameSetup {
        id: "1.1",
        names: None,
        preset: Preset::Awale,
        rules: Preset::Awale.rules(),
        clocks: [clock; 2],
        max_plies,
        endgame: None,
        agreement: AgreementTerms::default(),
        seeds: [1, 2],
        start: Position::START,
        opening: Some(""),
    };
    play_game(&setup, players).await
}

/// One game and what both bots wrote to standard error.
pub struct FinishedGame {
    pub game: PlayedGame,
    pub logs: [Vec<u8>; 2],
}

/// Attempts at a game on a busy host before the test gives up.
const ATTEMPTS: u32 = 5;

/// Starts both bots, plays one game to its end, and ends them. A game that the host disturbed is
/// played again.
pub async fn play_bots(bots: [BotSettings; 2], clock: ClockSettings) -> FinishedGame {
    play_bots_for(bots, clock, 600).await
}

/// The same with a game of at most this many plies.
pub async fn play_bots_for(
    bots: [BotSettings; 2],
    clock: ClockSettings,
    max_plies: u32,
) -> FinishedGame {
    for _ in 1..ATTEMPTS {
        // The future is large, because it holds both players.
        let finished = Box::pin(attempt(bots.clone(), clock, max_plies)).await;
        if !is_disturbed(&finished.game.ending) {
            return finished;
        }
    }
    Box::pin(attempt(bots, clock, max_plies)).await
}

async fn attempt(
    [south, north]: [BotSettings; 2],
    clock: ClockSettings,
    max_plies: u32,
) -> FinishedGame {
    let [mut south, mut north] = [player(south), player(north)];
    let game = game([&mut south, &mut north], clock, max_plies).await;
    let logs = [south.take_log(), north.take_log()];
    south.close().await;
    north.close().await;
    FinishedGame { game, logs }
}

/// This bot on this side, the other one on the other.
pub fn by_side<T>(side: Side, bot: T, other: T) -> [T; 2] {
    match side {
        Side::South => [bot, other],
        Side::North => [other, bot],
    }
}

/// The fault that ended a game, which must be this side's.
pub fn fault_of(game: &PlayedGame, side: Side) -> &Fault {
    match &game.ending {
        GameEnding::Fault(guilty, fault) if *guilty == side => fault,
        other => panic!("{other:?} where a fault of {side:?} was expected"),
    }
}
