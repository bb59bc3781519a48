//! What the sandbox costs: a bot's start, a ply, and the time from a kill to an empty family; in a
//! box, and beside it without any isolation, taking turns, so that whatever else slowed the machine
//! down slowed both.
//!
//! Needs `bwrap` and user namespaces. The bench starts itself as the bots.

#[path = "support/harness.rs"]
mod harness;
#[path = "support/instant.rs"]
mod instant;

use awale::bot::{BotPlayer, Level, Sandbox};
use awale::referee::{ClockSettings, Measure, NewGame, Player as _};
use awale::rules::{Position, Preset, Side};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// What this program is called to be a bot.
const BOT: &str = "be-an-instant-bot";

/// Bots that are started and killed, of each kind.
const STARTS: usize = 200;
/// Games that are played, of each kind.
const GAMES: usize = 500;

fn main() {
    if std::env::args().nth(1).as_deref() == Some(BOT) {
        return instant::answer_turns().expect("a pipe to the referee");
    }
    harness::stay_on_one_core();
    let runtime = harness::runtime();
    let stage = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir_in("/dev/shm")
        .expect("a stage");
    let kinds = [
        ("none", harness::sandbox(Level::None, false, None)),
        (
            "box",
            harness::sandbox(Level::Box, false, Some(&stage.path().join("plain"))),
        ),
        (
            "freeze",
            harness::sandbox(Level::Box, true, Some(&stage.path().join("freeze"))),
        ),
    ];
    starts(&runtime, &kinds[..2]);
    plies(&runtime, &kinds);
    for (_, sandbox) in kinds {
        if let Some(groups) = sandbox.groups() {
            groups.remove();
        }
    }
}

type Kind<'a> = (&'a str, Arc<Sandbox>);

fn bot(sandbox: &Arc<Sandbox>) -> BotPlayer {
    let program = std::env::current_exe().expect("the bench's own path");
    harness::bot_in(sandbox, Path::new(&program), &[BOT])
}

/// From nothing to a bot that is ready for a game, and from the kill until nothing of it is left.
fn starts(runtime: &Runtime, kinds: &[Kind<'_>]) {
    let mut times = vec![[Vec::new(), Vec::new()]; kinds.len()];
    for _ in 0..STARTS {
        for ((_, sandbox), times) in kinds.iter().zip(&mut times) {
            let mut player = bot(sandbox);
            let started = Instant::now();
            runtime.block_on(get_ready(&mut player));
            times[0].push(started.elapsed());
            let killed = Instant::now();
            runtime.block_on(player.discard());
            times[1].push(killed.elapsed());
        }
    }
    for ((kind, _), times) in kinds.iter().zip(times) {
        for (what, times) in ["start", "kill"].into_iter().zip(times) {
            println!("{kind}_{what}_us {}", median(times).as_micros());
        }
    }
}

/// Whole games between bots that answer at once.
fn plies(runtime: &Runtime, kinds: &[Kind<'_>]) {
    let mut players: Vec<[BotPlayer; 2]> = kinds
        .iter()
        .map(|(_, sandbox)| [bot(sandbox), bot(sandbox)])
        .collect();
    let mut times = vec![Vec::new(); kinds.len()];
    for _ in 0..GAMES {
        for (players, times) in players.iter_mut().zip(&mut times) {
            let [south, north] = players;
            let started = Instant::now();
            let game = runtime.block_on(harness::game([south, north], [1, 2]));
            let plies = u32::try_from(game.plies.len()).expect("a short game");
            times.push(started.elapsed() / plies);
        }
    }
    for ((kind, _), times) in kinds.iter().zip(times) {
        println!("{kind}_ply_ns {}", median(times).as_nanos());
    }
    for [south, north] in players {
        runtime.block_on(async {
            south.close().await;
            north.close().await;
        });
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

async fn get_ready(player: &mut BotPlayer) {
    let rules = Preset::Awale.rules();
    let clock = ClockSettings {
        move_limit: Some(Duration::from_secs(1)),
        bank: None,
        increment: Duration::ZERO,
        nodes: None,
        margin: Duration::ZERO,
        measure: Measure::Wall,
    };
    let game = NewGame {
        game: "1.1",
        you: Side::South,
        opponent: None,
        preset: Preset::Awale,
        rules: &rules,
        clock: &clock,
        seed: 1,
        start: Position::START,
        opening: Some(""),
    };
    let ready = player.new_game(&game).await;
    ready.expect("a bot that gets ready");
}
