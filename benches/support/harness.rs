//! What the benches share: one core for everything, and games between programs.

#[path = "../../tests/support/one_core.rs"]
mod one_core;

pub use one_core::stay_on_one_core;

use awale::bot::{
    BotPlayer, BotSettings, FileAccess, GivenFile, Launch, Level, Limits, Restart, Sandbox,
    SandboxSettings, SandboxedBot, run_name,
};
use awale::record::GameEnding;
use awale::referee::{AgreementTerms, ClockSettings, GameSetup, Measure, PlayedGame, play_game};
use awale::rules::{Position, Preset};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// The runtime of a slot.
pub fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
}

/// A program as a bot in a sandbox.
pub fn bot_in(sandbox: &Arc<Sandbox>, program: &Path, arguments: &[&str]) -> BotPlayer {
    let settings = BotSettings {
        launch: Launch {
            program: program.to_owned(),
            arguments: arguments.iter().map(Into::into).collect(),
            directory: PathBuf::from("/"),
            environment: Vec::new(),
            host_environment: Vec::new(),
            file_access: FileAccess {
                files: vec![GivenFile {
                    named: program.to_owned(),
                    source: program.to_owned(),
                }],
                ..FileAccess::default()
            },
        },
        restart: Restart::Never,
        limits: Limits::default(),
        start_up: Duration::from_secs(10),
        new_game: Duration::from_secs(10),
        build_warning: None,
    };
    let cell = SandboxedBot::new(sandbox, &settings.launch, settings.limits).expect("a cell");
    BotPlayer::new(settings, cell)
}

/// A sandbox; a stage of its own is needed for more than no isolation.
pub fn sandbox(level: Level, freeze: bool, stage: Option<&Path>) -> Arc<Sandbox> {
    let isolated = level > Level::None;
    let is_root = rustix::process::geteuid().is_root();
    let sandbox = Sandbox::new(SandboxSettings {
        level,
        freeze,
        bubblewrap: isolated.then(|| PathBuf::from("/usr/bin/bwrap")),
        groups: (isolated || freeze).then(run_name),
        // Some files are beside it.
        stage: stage.map(|stage| stage.join("stage")).unwrap_or_default(),
        store: stage.map(|stage| stage.join("store")).unwrap_or_default(),
        user: (isolated && is_root).then_some(64_646),
        ..SandboxSettings::unisolated(PathBuf::from(env!("CARGO_BIN_EXE_awale")))
    });
    Arc::new(sandbox.expect("a sandbox"))
}

/// One game from the start, under the deadlines of a real one.
///
/// # Panics
/// A bot was at fault: its time would say nothing.
pub async fn game([south, north]: [&mut BotPlayer; 2], seeds: [u64; 2]) -> PlayedGame {
    let setup = GameSetup {
        id: "1.1",
        names: Some(["south", "north"]),
        preset: Preset::Awale,
        rules: Preset::Awale.rules(),
        clocks: [ClockSettings {
            move_limit: Some(Duration::from_secs(1)),
            bank: None,
            increment: Duration::ZERO,
            nodes: None,
            margin: Duration::from_millis(100),
            measure: Measure::Wall,
        }; 2],
        max_plies: 600,
        endgame: None,
        agreement: AgreementTerms::default(),
        seeds,
        start: Position::START,
        opening: Some(""),
    };
    let game = play_game(&setup, [south, north]).await;
    let ending = &game.ending;
    assert!(matches!(ending, GameEnding::Rules(_)), "{ending:?}");
    game
}
