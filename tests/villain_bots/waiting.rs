//! Bots between two games, while others may play: what they do there is found at their next game.

use super::scenario::{PATIENT, alone, by_side, fault_of, game, ms, player_that, villain};
use awale::bot::{BotSettings, Limits};
use awale::record::FaultKind;
use awale::referee::PlayedGame;
use awale::rules::Side;
use std::path::PathBuf;
use tempfile::TempDir;

/// A villain that has left its group, so that no signal stops it, and does this after a game. It
/// shows by a file that it has done so.
fn villain_that(does: &str, deed: &Deed) -> BotSettings {
    let done = format!("game-over=touch:{}", deed.path().display());
    let does = format!("game-over={does}");
    match does.as_str() {
        "game-over=exit:4" => villain(&["start=leave-group", &done, &does]),
        _ => villain(&["start=leave-group", &does, &done]),
    }
}

/// A file that shows that a villain has done its deed.
struct Deed(TempDir);

impl Deed {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("done")
    }

    async fn done(&self) {
        while !self.path().exists() {
            tokio::time::sleep(ms(1)).await;
        }
        // A long wait: the limits of the family are checked after it.
        tokio::time::sleep(ms(120)).await;
    }
}

/// A game, a wait in which the villain acts, and the game after it.
async fn game_after_wait(
    freezes: bool,
    settings: BotSettings,
    deed: &Deed,
    side: Side,
) -> PlayedGame {
    let mut villain = player_that(freezes, settings);
    let mut honest = player_that(freezes, super::scenario::villain(&[]));
    let both = by_side(side, &mut villain, &mut honest);
    let before = game(both, PATIENT, 4).await;
    assert_eq!(before.plies.len(), 4, "{:?}", before.ending);
    // Whatever the villain has done by now is found once more.
    villain.park();
    assert!(honest.park());
    deed.done().await;
    let both = by_side(side, &mut villain, &mut honest);
    let after = game(both, PATIENT, 4).await;
    villain.close().await;
    honest.close().await;
    after
}

fn limits(limits: Limits, settings: BotSettings) -> BotSettings {
    BotSettings { limits, ..settings }
}

#[test]
fn what_a_bot_does_while_it_waits_is_a_fault_of_its_next_game() {
    let small = Limits {
        memory_bytes: 64 << 20,
        ..Limits::default()
    };
    let single = Limits {
        processes: 2,
        ..Limits::default()
    };
    for (does, of_bot, kind, detail) in [
        (
            "work:40",
            Limits::default(),
            FaultKind::BusyOffTurn,
            "while it waited for the game",
        ),
        (
            "shout:x",
            Limits::default(),
            FaultKind::BadOutput,
            "without being asked",
        ),
        (
            "exit:4",
            Limits::default(),
            FaultKind::Crash,
            "exited with code 4",
        ),
        (
            "hold:200000000",
            small,
            FaultKind::MemoryLimit,
            "MiB of memory, more than its memory limit of ",
        ),
        (
            "child-log",
            single,
            FaultKind::ProcessLimit,
            "had 3 processes and threads; 2 are allowed",
        ),
    ] {
        for side in Side::BOTH {
            let deed = Deed::new();
            let settings = villain_that(does, &deed);
            let settings = limits(of_bot, settings);
            let after = alone(async || game_after_wait(true, settings.clone(), &deed, side).await);
            let fault = fault_of(&after, side);
            assert_eq!(fault.kind, kind, "{does}: {}", fault.detail);
            assert!(fault.detail.contains(detail), "{does}: {}", fault.detail);
            assert_eq!(after.plies.len(), 0);
            // What the last game's turns took is not of this one.
            assert_eq!(after.short_cpu_us, [None; 2], "{does}");
        }
    }
}

/// `freeze = false` allows CPU time out of turn, and shows it. The wait begins when other bots
/// play: what a bot that answers at once has used before that is not part of it.
#[test]
fn cpu_time_of_a_wait_is_shown_where_it_is_allowed() {
    let deed = Deed::new();
    let settings = villain_that("work:80", &deed);
    let after = alone(async || game_after_wait(false, settings.clone(), &deed, Side::South).await);
    assert_eq!(after.plies.len(), 4, "{:?}", after.ending);
    assert!(
        after.off_turn_us[0] >= Some(40_000),
        "{:?}",
        after.off_turn_us
    );
}

/// A flood of standard error fills a pipe that is not read meanwhile.
#[test]
fn a_flood_of_standard_error_while_waiting_harms_nobody() {
    let deed = Deed::new();
    let settings = villain_that("yes", &deed);
    let after = alone(async || game_after_wait(true, settings.clone(), &deed, Side::North).await);
    assert_eq!(after.plies.len(), 4, "{:?}", after.ending);
}

/// A bot that is stopped does all of this only when it is continued, and may then take its time.
#[test]
fn a_stopped_bot_reads_game_over_before_its_next_game() {
    alone(async || {
        let mut south = player_that(true, villain(&["game-over=work:40", "game-over=say:over"]));
        let mut north = player_that(true, villain(&[]));
        for round in 0..3 {
            let played = game([&mut south, &mut north], PATIENT, 4).await;
            assert_eq!(played.plies.len(), 4, "{:?}", played.ending);
            assert!(south.park() && north.park());
            let log = String::from_utf8(south.take_log()).expect("text");
            assert_eq!(log.matches("over").count(), usize::from(round > 0));
        }
        south.close().await;
        north.close().await;
    });
}

/// A bot that holds more than it may cannot wait.
#[test]
fn a_bot_beyond_its_limits_does_not_wait() {
    alone(async || {
        let deed = Deed::new();
        let small = Limits {
            memory_bytes: 64 << 20,
            ..Limits::default()
        };
        let settings = villain_that("hold:200000000", &deed);
        let mut villain = player_that(true, limits(small, settings));
        let mut honest = player_that(true, super::scenario::villain(&[]));
        game([&mut villain, &mut honest], PATIENT, 4).await;
        deed.done().await;
        assert!(!villain.park() && honest.park());
        assert!(villain.held_bytes() > 100 << 20);
        villain.close().await;
        honest.close().await;
    });
}
