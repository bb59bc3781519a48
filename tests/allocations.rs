//! A ply that is answered at once allocates nothing: not the request, not the answer, not the
//! record, the history or the transcript. A counting allocator compares short and long games.

use crate::support::turn::take_turn;
use crate::support::unisolated::unisolated;
use awale::bot::{BotPlayer, BotSettings, FileAccess, Launch, Limits, Restart, SandboxedBot};
use awale::record::GameEnding;
use awale::referee::{AgreementTerms, ClockSettings, GameSetup, play_game};
use awale::rules::{Position, Preset};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::PathBuf;
use std::time::Duration;

/// The system's allocator, which counts what this thread asks for.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has nothing to count.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

#[expect(unsafe_code, reason = "an allocator is unsafe by its trait")]
// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer is from this allocator, which is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the pointer is from this allocator, which is the system's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Plies of a short and of a long game.
const SHORT: u32 = 10;
const LONG: u32 = 40;
/// Games of each length. On a busy machine a few of them have plies that take longer than a moment,
/// and looks at the host allocate.
const GAMES: u64 = 60;
/// The buffers that grow with the games of a process, by doubling.
const GROWTH: u64 = 3;

#[test]
fn a_quick_ply_allocates_nothing() {
    take_turn();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let mut players = [player(), player()];
        let mut least = [u64::MAX; 2];
        for seed in 0..GAMES {
            for (least, plies) in least.iter_mut().zip([SHORT, LONG]) {
                *least = (*least).min(allocations_of_game(&mut players, plies, seed).await);
            }
        }
        let [short, long] = least;
        assert!(
            long <= short + GROWTH,
            "{long} allocations in {LONG} plies, {short} in {SHORT}"
        );
        for player in players {
            player.close().await;
        }
    });
}

/// A house bot without isolation.
fn player() -> BotPlayer {
    let sandbox = unisolated(false);
    let launch = Launch {
        program: PathBuf::from(env!("CARGO_BIN_EXE_awale")),
        arguments: ["bot", "random"].map(Into::into).to_vec(),
        directory: PathBuf::from("/"),
        environment: Vec::new(),
        host_environment: Vec::new(),
        file_access: FileAccess::default(),
    };
    let settings = BotSettings {
        launch,
        restart: Restart::Never,
        limits: Limits::default(),
        start_up: Duration::from_secs(60),
        new_game: Duration::from_secs(60),
        build_warning: None,
    };
    let bot = SandboxedBot::new(&sandbox, &settings.launch, settings.limits).expect("a bot");
    BotPlayer::new(settings, bot)
}

async fn allocations_of_game(players: &mut [BotPlayer; 2], max_plies: u32, seed: u64) -> u64 {
    let setup = GameSetup {
        id: "south~north.1.1",
        names: Some(["south", "north"]),
        preset: Preset::Awale,
        rules: Preset::Awale.rules(),
        clocks: [ClockSettings {
            move_limit: Some(Duration::from_secs(60)),
            ..ClockSettings::default()
        }; 2],
        max_plies,
        endgame: None,
        agreement: AgreementTerms::default(),
        seeds: [seed, seed],
        start: Position::START,
        opening: Some(""),
    };
    let before = ALLOCATIONS.get();
    let [south, north] = players;
    let game = play_game(&setup, [south, north]).await;
    let allocations = ALLOCATIONS.get() - before;
    assert_eq!(game.ending, GameEnding::Adjudicated);
    assert_eq!(game.plies.len(), max_plies as usize);
    allocations
}
