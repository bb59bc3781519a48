//! Bots as real processes: each villain with its exact fault, each honest bot with
//! none, and nothing left of any of them.

mod scenario;
mod waiting;

use crate::support::busy_programs::BusyPrograms;
use crate::support::frozen_process::Frozen;
use crate::support::one_core::stay_on_one_core;
use crate::support::skip::skip;
use awale::bot::{BotPlayer, BotSettings, Limits, Restart};
use awale::record::{FaultKind, GameEnding};
use awale::referee::{ClockSettings, Measure, NewGame, PlayedGame, Player as _, Stop};
use awale::rules::{Position, Preset, Side, moves_text};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getrlimit, kill_process, setrlimit,
    waitid,
};
use scenario::{
    FinishedGame, PATIENT, STRICT, alone, by_side, descriptors, fault_of, game, move_clock, ms,
    play_bots, play_bots_for, player, player_that, villain,
};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

/// A script, and the fault that it must be: part of its detail.
type Case = (Vec<&'static str>, FaultKind, &'static str);

/// The cases of a table, one in a line: the parts of a script, the kind of fault, and the detail.
fn cases(table: &'static str) -> Vec<Case> {
    let rows = table.lines().filter(|line| line.contains(" | "));
    let case = |row: &'static str| {
        let [script, kind, detail] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row:?} has three columns");
        };
        let kind = FaultKind::from_name(kind).expect("a kind of fault");
        (script.split("; ").collect(), kind, detail)
    };
    rows.map(case).collect()
}

/// Plays each villain on both sides against an honest bot.
fn expect_faults(table: &'static str, clock: ClockSettings) {
    for case in cases(table) {
        for side in Side::BOTH {
            let bots = by_side(side, villain(&case.0), villain(&[]));
            let FinishedGame { game, .. } = alone(async || play_bots(bots, clock).await);
            expect_fault(&game, &case, side);
        }
    }
}

/// The game must have ended by this fault of the villain on this side.
fn expect_fault(game: &PlayedGame, (script, kind, detail): &Case, side: Side) {
    let fault = fault_of(game, side);
    assert_eq!(fault.kind, *kind, "{script:?}: {}", fault.detail);
    assert!(fault.detail.contains(detail), "{script:?}: {fault:?}");
    assert_eq!(
        game.stores[side.index()] + game.stores[1 - side.index()],
        48
    );
    if let Some(own) = asked_move(script) {
        let plies = 2 * own + side.index();
        assert_eq!(game.plies.len(), plies, "{script:?} as {side:?}");
    }
}

/// The game must have ended by the rules, without a fault.
fn expect_end(game: &PlayedGame) {
    let ending = &game.ending;
    assert!(matches!(ending, GameEnding::Rules(_)), "{ending:?}");
}

/// The number of the own move at which a script misbehaves.
fn asked_move(script: &[&str]) -> Option<usize> {
    let (count, _) = script.last()?.strip_prefix("move:")?.split_once('=')?;
    count.parse().ok()
}

#[test]
fn two_honest_bots_play_to_the_end() {
    let honest = [villain(&[]), villain(&[])];
    let FinishedGame { game, logs } = alone(async || play_bots(honest, PATIENT).await);
    expect_end(&game);
    let moves: Vec<_> = game.plies.iter().map(|ply| ply.pit).collect();
    // A and a are empty after their own moves, so B is the first legal pit.
    assert!(moves_text(&moves).starts_with("AaB"));
    assert_eq!(logs, [b"", b""]);
}

#[test]
fn answers_that_are_none() {
    expect_faults(
        r#"
move:2=write:garbage\n | bad-output | not a JSON object: "garbage"
move:1=write:{"type":"move","pit":0,"turn":99}\n | bad-output | answered turn 99 when asked for turn
move:1=write:{"type":"move","pit":6}\n | illegal-move | played pit 6; legal were
move:0=write:{"type":"move","pit":-1}\n | illegal-move | played pit -1; legal were 0, 1, 2, 3, 4, 5
move=empty-pit | illegal-move | ; legal were
move:3=twice; wait:3=hang | bad-output | without being asked
new-game=append:{"type":"move","pit":0}\n | bad-output | wrote "{\"type\":\"move\",\"pit\":0}\n"
new-game=write:\n | bad-output | not a JSON object
"#,
        PATIENT,
    );
}

#[test]
fn crashes() {
    expect_faults(
        "
move:3=exit:3 | crash | exited with code 3
move:0=exit:0 | crash | exited with code 0
move:1=segv | crash | killed by signal 11
move:2=abort | crash | killed by signal 6
new-game=exit:9 | crash | exited with code 9
move:1=close-out; move:1=hang | crash | closed its input or output and went on running
new-game=close-in; eof=hang | crash | closed its input or output and went on running
# The pipes outlive the process, but it is the process that was asked.
move:1=child-log; move:1=exit:5 | crash | exited with code 5
",
        PATIENT,
    );
}

/// As a large process or a box does on a busy host: it is on its way, and gets the time.
#[test]
fn a_bot_that_ends_slowly_has_ended_by_itself() {
    expect_faults(
        "
move:0=close-out; move:0=spin:2500; move:0=exit:7 | crash | exited with code 7
",
        PATIENT,
    );
}

#[test]
fn a_closed_pipe_is_a_crash_however_short_the_limit() {
    expect_faults(
        "
move:0=wait:100; move:0=close-out; move:0=hang | crash | closed its input or output and went on
",
        // Over while a bot that closed a pipe is still waited for; long enough for a slow host to
        // see the pipe closed before.
        move_clock(810, 10),
    );
}

#[test]
fn output_without_end() {
    let cases = cases(
        "
move:1=out:70000; move:1=hang | output-limit | a line of more than 65536 bytes
move:1=out:1073741824 | output-limit | a line of more than 65536 bytes
hello=out:1073741824 | start-failure | a line of more than 65536 bytes
",
    );
    for case in &cases {
        for side in Side::BOTH {
            let bots = by_side(side, villain(&case.0), villain(&[]));
            // Other scenarios take memory too, before and after this one.
            let (game, grown) = alone(async || {
                forget_peak();
                let before = peak_kib();
                let FinishedGame { game, .. } = play_bots(bots, PATIENT).await;
                // The kernel counts pages roughly.
                (game, peak_kib().saturating_sub(before))
            });
            expect_fault(&game, case, side);
            assert!(grown < 16 << 10, "{grown} KiB more than before");
        }
    }
}

#[test]
fn too_much_output_in_one_game() {
    let usual = Limits::default();
    assert_eq!((usual.line_bytes, usual.output_bytes), (65_536, 4_194_304));
    for side in Side::BOTH {
        // Sixteen lines of 65 043 or 65 044 bytes and the `ready` fit, the next does not.
        let mut talker = villain(&["move=info:65000"]);
        talker.limits.output_bytes = 1 << 20;
        let bots = by_side(side, talker, villain(&[]));
        let FinishedGame { game, .. } = alone(async || play_bots(bots, PATIENT).await);
        let fault = fault_of(&game, side);
        assert_eq!(fault.kind, FaultKind::OutputLimit);
        assert_eq!(
            fault.detail,
            "more than 1048576 bytes of output in one game"
        );
        assert_eq!(game.plies.len(), 32 + side.index());
    }
}

/// From now on the peak is that of what follows (proc(5), `clear_refs`).
fn forget_peak() {
    std::fs::write("/proc/self/clear_refs", "5").expect("a peak that can be forgotten");
}

/// The most memory that this process had since its start, or since its peak was forgotten.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
    peak.and_then(|peak| peak.parse().ok()).expect("a size")
}

#[test]
fn too_late() {
    expect_faults(
        r#"
move:1=nothing | timeout | no answer after
move:0=write:{"type":"mo | timeout | (half a line of 11 bytes without its newline)
# Longer than any pause of a host is given back for.
move:1=wait:60000 | timeout | no answer after
move:1=wait:60000; move:1=resign | timeout | no answer after
move:0=drip:20 | timeout | half a line of
start=ignore-term; quit=hang; move:0=hang | timeout | no answer after
start=yes; start=yes; move:0=hang | timeout | no answer after
# Standard error is drained, but not in place of watching the clock.
move:0=err:1000000000000 | timeout | no answer after
"#,
        STRICT,
    );
}

#[test]
fn a_time_out_says_when() {
    // Longer than any pause of the host that would be given back.
    let bots = [villain(&["move:0=wait:60000"]), villain(&[])];
    let FinishedGame { game, .. } = alone(async || play_bots(bots, STRICT).await);
    let time_us = fault_of(&game, Side::South).time_us.expect("a time");
    assert!((300_000..60_000_000).contains(&time_us), "{time_us}");
}

/// What it used of the processor while it was asked weighs where its time-out is void.
#[test]
fn the_cpu_time_of_a_silence_is_known() {
    let (used, stop) = alone(async || {
        let mut slow = villain(&["new-game=work:60000"]);
        slow.new_game = ms(300);
        let mut slow = player(slow);
        let game = NewGame {
            game: "1.1",
            you: Side::South,
            opponent: None,
            preset: Preset::Awale,
            rules: &Preset::Awale.rules(),
            clock: &PATIENT,
            seed: 1,
            start: Position::START,
            opening: Some(""),
        };
        let stop = slow.new_game(&game).await.expect_err("no `ready`");
        let used = slow.cpu_since_asked().expect("a clock");
        slow.close().await;
        (used, stop)
    });
    let Stop::Fault(fault) = stop else {
        panic!("{stop:?}")
    };
    assert_eq!(fault.kind, FaultKind::Timeout, "{fault:?}");
    // The detail has three decimals of a ms.
    let rounded = 0.0005;
    let (_, told) = fault.figures.split_once("CPU time ").expect("a figure");
    let told: f64 = told
        .split(' ')
        .next()
        .expect("ms")
        .parse()
        .expect("a number");
    assert!(
        told > 0.0 && used.as_secs_f64() * 1e3 + rounded >= told,
        "{used:?}: {fault:?}"
    );
}

/// What it computes takes longer than its limit here, and nowhere else: the time that strangers
/// take is given back, and the game goes on.
#[test]
fn a_bot_that_strangers_hold_up_is_not_late() {
    let game = alone(async || {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // A bot has a tenth of a stranger's weight, or the same where it is refused less: what it
        // computes takes thirty times as long, or three.
        let _strangers = BusyPrograms::start(2 * processors);
        let bots = [villain(&["move=work:120"]), villain(&[])];
        play_bots_for(bots, STRICT, 6).await.game
    });
    assert_eq!(game.ending, GameEnding::Adjudicated);
    let preempted: u64 = game.plies.iter().map(|ply| ply.preempted_us).sum();
    let (times, limit) = (game.plies.iter().map(|ply| ply.time_us), 300_000);
    assert!(
        preempted > 0 || times.clone().all(|time| time < limit),
        "{game:?}"
    );
    for ply in &game.plies {
        assert!(ply.time_us - ply.preempted_us <= limit, "{game:?}");
    }
}

/// A bot that sleeps needs no processor: what strangers do meanwhile gives it no time back.
#[test]
fn a_bot_that_sleeps_beside_strangers_is_charged_for_it() {
    let game = alone(async || {
        stay_on_one_core();
        let _strangers = BusyPrograms::start(3);
        let mut sleeper = player_that(true, villain(&["move=wait:12"]));
        let mut honest = player_that(true, villain(&[]));
        let played = game([&mut sleeper, &mut honest], PATIENT, 42).await;
        sleeper.close().await;
        honest.close().await;
        played
    });
    assert_eq!(game.ending, GameEnding::Adjudicated);
    let own = game.plies.iter().step_by(2);
    let mut charged: Vec<u64> = own.map(|ply| ply.time_us - ply.preempted_us).collect();
    charged.sort_unstable();
    // The referee, which waits for the processor too, may have seen the end of the sleep late.
    assert!(charged[charged.len() / 2] >= 6_000, "{game:?}");
}

#[test]
fn slow_but_in_time() {
    for side in Side::BOTH {
        let slow = villain(&["move:0=wait:60", "move:1=drip:2"]);
        let bots = by_side(side, slow, villain(&[]));
        let FinishedGame { game, .. } = alone(async || play_bots(bots, PATIENT).await);
        expect_end(&game);
        let times: Vec<u64> = game.plies.iter().map(|ply| ply.time_us).collect();
        assert!(times[side.index()] >= 60_000, "{times:?}");
        assert!(times[2 + side.index()] >= 2 * 30_000, "{times:?}");
    }
}

#[test]
fn between_limit_and_margin_the_bank_pays() {
    let clock = ClockSettings {
        move_limit: None,
        bank: Some(ms(100)),
        increment: ms(50),
        nodes: None,
        margin: ms(60_000),
        measure: Measure::Wall,
    };
    let bots = [villain(&["move:0=wait:150", "move=clock"]), villain(&[])];
    let FinishedGame { game, logs } = alone(async || play_bots(bots, clock).await);
    expect_end(&game);
    let log = String::from_utf8_lossy(&logs[0]);
    let mut lines = log.lines();
    let first = r#"{"own_ms":100,"opponent_ms":100,"increment_ms":50}"#;
    assert_eq!(lines.next(), Some(first));
    let second = lines.next().expect("a second turn");
    // 50 ms on an idle machine, where nothing of the turn is given back.
    let charged_us = game.plies[0].time_us - game.plies[0].preempted_us;
    let own_ms = (100_000_u64.saturating_sub(charged_us) + 50_000) / 1000;
    let shown = format!("{{\"own_ms\":{own_ms},");
    assert!(second.starts_with(&shown), "{second}: {:?}", game.plies[0]);
}

#[test]
fn preparing_costs_no_game_time() {
    for side in Side::BOTH {
        let slow = villain(&["start=wait:400", "hello=wait:400", "new-game=wait:400"]);
        let bots = by_side(side, slow, villain(&[]));
        alone(async || {
            let [mut south, mut north] = bots.map(player);
            let played = game([&mut south, &mut north], STRICT, 4).await;
            assert_eq!(played.ending, GameEnding::Adjudicated);
            south.close().await;
            north.close().await;
        });
    }
}

/// Villains that misbehave while the other side thinks, and never stops to think.
#[test]
fn misbehaviour_out_of_turn() {
    let cases = cases(
        r#"
wait:0=shout:hello\n | bad-output | wrote "hello\n" without being asked
wait:0=out:1 | bad-output | without being asked
wait:0=out:1073741824 | bad-output | without being asked
move:0=twice | bad-output | without being asked
wait:0=exit:3 | crash | exited with code 3
wait:0=segv | crash | killed by signal 11
wait:0=close-out; wait:0=hang | crash | closed its input or output and went on running
wait:0=child-log; wait:0=exit:3 | crash | exited with code 3
"#,
    );
    for (script, kind, detail) in &cases {
        for side in Side::BOTH {
            let thinker = match side {
                Side::South => villain(&["move:0=hang"]),
                Side::North => villain(&["move:1=hang"]),
            };
            let bots = by_side(side, villain(script), thinker);
            let FinishedGame { game, .. } = alone(async || play_bots(bots, PATIENT).await);
            let fault = fault_of(&game, side);
            assert_eq!(fault.kind, *kind, "{script:?}: {}", fault.detail);
            assert!(fault.detail.contains(detail), "{script:?}: {fault:?}");
            assert_eq!(game.plies.len(), 1 + side.index(), "{script:?}");
        }
    }
}

/// A crash is told as it was, whether it is found while waiting or when the bot is asked next.
#[test]
fn a_crash_is_told_the_same_whenever_it_is_found() {
    for pause in ["wait:0", "wait:1", "wait:5", "wait:20", "wait:60"] {
        let crasher = villain(&["wait:0=exit:3"]);
        let opponent = format!("move:0={pause}");
        let opponent = villain(&[&opponent]);
        let FinishedGame { game, .. } =
            alone(async || play_bots([crasher, opponent], PATIENT).await);
        let fault = fault_of(&game, Side::South);
        assert_eq!(fault.detail, "exited with code 3", "{pause}");
    }
}

/// The other side's answer comes while the end of the waiting side is being found out.
#[test]
fn a_closed_pipe_is_found_out_though_the_opponent_answers_meanwhile() {
    let closer = villain(&["wait:0=close-out", "wait:0=wait:5", "wait:0=hang"]);
    let opponent = villain(&["move:0=wait:50"]);
    let FinishedGame { game, .. } = alone(async || play_bots([closer, opponent], PATIENT).await);
    let fault = fault_of(&game, Side::South);
    assert_eq!(fault.kind, FaultKind::Crash);
    assert_eq!(
        fault.detail,
        "closed its input or output and went on running"
    );
}

/// How a bot ended is found out later than that it has ended: meanwhile the other one ends, and is
/// found out at once.
#[test]
fn a_bot_on_turn_that_ends_first_loses() {
    // Later than any host is late, and before the other one is no longer waited for.
    let waiting = villain(&["wait:0=wait:500", "wait:0=exit:4"]);
    let on_turn = villain(&["move:0=close-out", "move:0=hang"]);
    let FinishedGame { game, .. } = alone(async || play_bots([waiting, on_turn], PATIENT).await);
    let fault = fault_of(&game, Side::North);
    assert_eq!(
        fault.detail,
        "closed its input or output and went on running"
    );
}

/// Both are killed while the referee looks elsewhere, in this order and in the other.
#[test]
fn of_two_that_are_dead_at_once_the_one_on_turn_loses() {
    for on_turn in Side::BOTH {
        for first in [0, 1] {
            let FinishedGame { game, .. } =
                alone(async || Box::pin(both_killed(on_turn, first)).await);
            let fault = fault_of(&game, on_turn);
            assert_eq!(fault.detail, "killed by signal 9");
        }
    }
}

/// The bot on turn hangs; then both are killed, the one that was started as `first` before the
/// other.
async fn both_killed(on_turn: Side, first: usize) -> FinishedGame {
    // Within the room: to remove a folder takes a descriptor, and scenarios count them.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let thinking = folder.path().join("thinking");
    let touch = format!("move:0=touch:{}", thinking.display());
    let bots = by_side(on_turn, villain(&[&touch, "move:0=hang"]), villain(&[]));
    let killings = async {
        while !thinking.exists() {
            tokio::time::sleep(ms(5)).await;
        }
        let mut bots = children();
        assert_eq!(bots.len(), 2);
        bots.rotate_left(first);
        for bot in bots {
            kill_process(bot, Signal::KILL).expect("a process of our own");
            wait_until_dead(bot);
        }
    };
    tokio::join!(play_bots(bots, PATIENT), killings).0
}

/// The processes that this one has started.
fn children() -> Vec<Pid> {
    let threads = std::fs::read_dir("/proc/self/task").expect("threads");
    let lists = threads
        .filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("children")).ok());
    let lists: Vec<String> = lists.collect();
    let numbers = lists.iter().flat_map(|list| list.split_whitespace());
    let pid = |number: &str| Pid::from_raw(number.parse().ok()?);
    numbers.filter_map(pid).collect()
}

/// Waits without letting the referee work.
fn wait_until_dead(pid: Pid) {
    let dead = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(pid), dead).expect("a child");
}

/// Without a control group the referee looks at the memory itself.
#[test]
fn more_memory_than_allowed() {
    alone(async || {
        for (held, is_fault) in [(96 << 20, true), (16 << 20, false)] {
            let hold = format!("move:0=hold:{held}");
            let wait = if is_fault {
                "move:0=hang"
            } else {
                "move:0=wait:400"
            };
            let mut south = villain(&[&hold, wait]);
            south.limits.memory_bytes = 64 << 20;
            let FinishedGame { game, .. } = play_bots([south, villain(&[])], PATIENT).await;
            if is_fault {
                let fault = fault_of(&game, Side::South);
                assert_eq!(fault.kind, FaultKind::MemoryLimit);
                assert!(fault.detail.contains("MiB of memory"), "{fault:?}");
            } else {
                expect_end(&game);
            }
        }
    });
}

/// Bots that cannot be started, with what must be said of it.
fn unstartable(folder: &Path) -> Vec<(BotSettings, &'static str)> {
    let file = |name: &str, mode: u32, bytes: &[u8]| -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a file");
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&path, permissions).expect("permissions");
        path
    };
    // A 64-bit little-endian ELF program for the Motorola 68000.
    let mut foreign = [0; 64];
    foreign[..20].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x04\0");
    let mut lost = villain(&[]);
    lost.launch.directory = folder.join("missing");
    let programs = [
        (folder.join("missing"), "No such file"),
        (folder.to_path_buf(), "Permission denied"),
        (file("text", 0o644, b"text"), "Permission denied"),
        (file("foreign", 0o755, &foreign), "Exec format error"),
        (file("script", 0o755, b"echo hello\n"), "Exec format error"),
        (file("bang", 0o755, b"#!/no/python3\n"), "No such file"),
    ];
    let cases = programs.map(|(program, detail)| {
        let mut settings = villain(&[]);
        settings.launch.program = program;
        (settings, detail)
    });
    cases
        .into_iter()
        .chain([(lost, "missing: No such file")])
        .collect()
}

#[test]
fn programs_that_are_none() {
    alone(async || {
        let folder = tempfile::tempdir().expect("a folder");
        for (settings, detail) in unstartable(folder.path()) {
            let program = settings.launch.program.display().to_string();
            for side in Side::BOTH {
                let bots = by_side(side, settings.clone(), villain(&[]));
                let FinishedGame { game, .. } = play_bots(bots, PATIENT).await;
                let fault = fault_of(&game, side);
                assert_eq!(fault.kind, FaultKind::StartFailure);
                assert!(fault.detail.contains(detail), "{fault:?}");
                assert!(fault.detail.contains(&program), "{fault:?}");
                assert!(game.plies.is_empty());
            }
        }
    });
}

#[test]
fn programs_that_do_not_get_ready() {
    expect_faults(
        r#"
start=exit:7 | start-failure | exited with code 7
hello=exit:7 | start-failure | exited with code 7
start=segv | start-failure | killed by signal 11
hello=write:Hello!\n | start-failure | not a JSON object: "Hello!"
start=shout:Hello!\n; start=hang | start-failure | Hello!
hello=write:{"type":"move","pit":0}\n | start-failure | type "move" where "ready" was expected
hello=close-out; hello=hang | start-failure | closed its input or output
"#,
        PATIENT,
    );
}

#[test]
fn programs_that_are_not_ready_in_time() {
    for (script, kind) in [
        ("hello=nothing", FaultKind::StartFailure),
        // Longer than any pause of the host that would be given back.
        ("hello=wait:60000", FaultKind::StartFailure),
        ("start=hang", FaultKind::StartFailure),
    ] {
        let mut late = villain(&[script]);
        late.start_up = ms(300);
        let bots = [villain(&[]), late];
        let FinishedGame { game, .. } = alone(async || play_bots(bots, PATIENT).await);
        let fault = fault_of(&game, Side::North);
        assert_eq!(fault.kind, kind, "{script}");
        assert!(fault.detail.contains("after "), "{fault:?}");
    }
    // It must be ready for the hello, on a busy machine too.
    for script in ["new-game=nothing", "new-game=wait:60000"] {
        let mut late = villain(&[script]);
        late.new_game = ms(1500);
        let FinishedGame { game, .. } =
            alone(async || play_bots([late, villain(&[])], PATIENT).await);
        let fault = fault_of(&game, Side::South);
        assert_eq!(fault.kind, FaultKind::Timeout, "{script}");
    }
}

/// A `ready` that was written before the hello was read is a process's first line all the same.
#[test]
fn an_early_ready_is_ready() {
    let early = villain(&[r#"start=shout:{"type":"ready"}\n"#, "hello=nothing"]);
    for _ in 0..5 {
        let bots = [early.clone(), villain(&[])];
        let FinishedGame { game, .. } = alone(async || play_bots(bots, PATIENT).await);
        expect_end(&game);
    }
}

#[test]
fn harmless_differences() {
    let honest = alone(async || play_bots([villain(&[]), villain(&[])], PATIENT).await);
    let moves = |play_bots: &FinishedGame| -> Vec<_> {
        play_bots.game.plies.iter().map(|ply| ply.pit).collect()
    };
    for script in [
        &["hello=crlf", "new-game=crlf", "move=crlf"][..],
        &["hello=fields", "new-game=fields", "move=fields"],
        &["move=say:thinking"],
        &["move=info:4096"],
    ] {
        for side in Side::BOTH {
            let bots = by_side(side, villain(script), villain(&[]));
            let other = alone(async || play_bots(bots, PATIENT).await);
            assert_eq!(other.game.ending, honest.game.ending, "{script:?}");
            assert_eq!(moves(&other), moves(&honest), "{script:?}");
        }
    }
}

#[test]
fn too_much_info_is_dropped_and_noted() {
    let bots = [
        villain(&["move:0=info:4096", "move:1=info:5120"]),
        villain(&[]),
    ];
    let FinishedGame { game, .. } = alone(async || play_bots(bots, PATIENT).await);
    expect_end(&game);
    assert_eq!(game.plies[0].info.as_ref().map(String::len), Some(4096));
    let noted = r#"{"dropped":"5120 bytes; at most 4096 are kept"}"#;
    assert_eq!(game.plies[2].info.as_deref(), Some(noted));
    assert_eq!(game.plies[1].info, None);
}

#[test]
fn resigning_is_no_fault() {
    for side in Side::BOTH {
        let bots = by_side(side, villain(&["move:1=resign"]), villain(&[]));
        let FinishedGame { game, .. } = alone(async || play_bots(bots, PATIENT).await);
        assert_eq!(game.ending, GameEnding::Resignation(side));
    }
}

/// The byte at this place of the villain's flood.
fn flood_byte(place: usize) -> u8 {
    match place % 251 {
        9 => 252,
        value => u8::try_from(value + 1).expect("below 251"),
    }
}

#[test]
fn a_flood_of_standard_error_does_no_harm() {
    const FLOOD: usize = 100_000_000;
    let flooder = villain(&["move:0=err:100000000"]);
    let FinishedGame { game, logs } =
        alone(async || play_bots([villain(&[]), flooder], PATIENT).await);
    expect_end(&game);
    let mut expected: Vec<u8> = (0..16 << 10).map(flood_byte).collect();
    let left_out = FLOOD - (64 << 10);
    expected.extend(format!("\n[{left_out} bytes left out here]\n").bytes());
    expected.extend((FLOOD - (48 << 10)..FLOOD).map(flood_byte));
    assert!(logs[1] == expected, "{} bytes", logs[1].len());
    assert_eq!(logs[0], b"");
}

/// A bot that floods its log without end in its opponent's time costs the opponent nothing.
#[test]
fn a_flood_during_the_opponents_turn_does_no_harm() {
    let flooder = villain(&["wait:0=err:1000000000000"]);
    let bots = [flooder, villain(&["move:0=wait:50"])];
    let FinishedGame { game, .. } = alone(async || play_bots(bots, STRICT).await);
    assert_eq!(fault_of(&game, Side::South).kind, FaultKind::Timeout);
    assert_eq!(game.plies.len(), 2);
}

#[test]
fn the_last_words_of_a_game_are_in_its_log() {
    alone(async || {
        let script = [
            "new-game=say:first",
            "move:0=say:last",
            "game-over=say:after",
        ];
        let mut south = player(villain(&[]));
        let mut north = player(villain(&script));
        for _ in 0..50 {
            game([&mut south, &mut north], PATIENT, 2).await;
            let log = String::from_utf8(north.take_log()).expect("text");
            let log = log.trim_start_matches("after\n");
            assert!(log.starts_with("first\nlast\n"), "{log:?}");
        }
        // The log of this game is not taken: it is not in the next one's.
        game([&mut south, &mut north], PATIENT, 2).await;
        game([&mut south, &mut north], PATIENT, 2).await;
        let log = String::from_utf8(north.take_log()).expect("text");
        assert_eq!(log.matches("last").count(), 1, "{log:?}");
        south.close().await;
        north.close().await;
    });
}

/// The last words of a bot that crashes are what its author needs.
#[test]
fn the_last_words_of_a_crash_are_in_the_log_and_the_fault() {
    for script in [
        &["move:0=say:oh no", "move:0=exit:1"][..],
        &["start=say:oh no", "start=exit:1"],
        // The next game begins after that was written, or before.
        &["wait:0=wait:20", "wait:0=say:oh no", "wait:0=exit:1"],
    ] {
        let bots = [villain(script), villain(&[])];
        let FinishedGame { game, logs } = alone(async || play_bots(bots, PATIENT).await);
        let fault = fault_of(&game, Side::South);
        let cause = "exited with code 1; standard error ends with \"oh no\"";
        assert!(fault.detail.ends_with(cause), "{fault:?}");
        assert_eq!(logs[0], b"oh no\n");
    }
}

/// The game before may take them along, or the one that they lose.
#[test]
fn the_last_words_between_two_games_are_the_cause_of_the_lost_one() {
    alone(async || {
        let mut south = player(villain(&["game-over=say:oh no", "game-over=exit:4"]));
        let mut north = player(villain(&[]));
        game([&mut south, &mut north], PATIENT, 4).await;
        let mut log = south.take_log();
        let played = game([&mut south, &mut north], PATIENT, 4).await;
        let cause = "exited with code 4; standard error ends with \"oh no\"";
        assert_eq!(fault_of(&played, Side::South).detail, cause);
        log.extend(south.take_log());
        assert_eq!(log, b"oh no\n");
        south.close().await;
        north.close().await;
    });
}

/// The number after `pid` in a log.
fn told_pid(player: &mut BotPlayer) -> u32 {
    let log = String::from_utf8(player.take_log()).expect("text");
    let pid = log.lines().find_map(|line| line.strip_prefix("pid "));
    pid.and_then(|pid| pid.parse().ok())
        .unwrap_or_else(|| panic!("no pid in {log:?}"))
}

#[test]
fn one_process_plays_many_games() {
    alone(async || {
        let mut south = player(villain(&["new-game=tell"]));
        let mut north = player(BotSettings {
            restart: Restart::EachGame,
            ..villain(&["new-game=tell"])
        });
        let mut pids = [Vec::new(), Vec::new()];
        for _ in 0..4 {
            let played = game([&mut south, &mut north], PATIENT, 600).await;
            expect_end(&played);
            pids[0].push(told_pid(&mut south));
            pids[1].push(told_pid(&mut north));
        }
        pids.iter_mut().for_each(Vec::dedup);
        assert_eq!((pids[0].len(), pids[1].len()), (1, 4));
        south.close().await;
        north.close().await;
    });
}

#[test]
fn after_a_fault_the_guilty_starts_anew_and_the_innocent_plays_on() {
    for script in [
        "move:1=exit:3",
        r"move:1=write:garbage\n",
        "move:1=close-out",
        r#"move:1=write:{"type":"move","pit":9}\n"#,
    ] {
        alone(async || {
            let mut south = player(villain(&["new-game=tell"]));
            let mut north = player(villain(&["new-game=tell", script]));
            let mut pids = Vec::new();
            for _ in 0..2 {
                let played = game([&mut south, &mut north], PATIENT, 600).await;
                fault_of(&played, Side::North);
                pids.push([told_pid(&mut south), told_pid(&mut north)]);
            }
            assert_eq!(pids[0][0], pids[1][0], "{script}");
            assert_ne!(pids[0][1], pids[1][1], "{script}");
            south.close().await;
            north.close().await;
        });
    }
}

#[test]
fn leaving_after_a_game_loses_the_next() {
    alone(async || {
        let mut south = player(villain(&["game-over=exit:4"]));
        let mut north = player(villain(&[]));
        for round in 0..3 {
            let played = game([&mut south, &mut north], PATIENT, 4).await;
            assert_eq!(played.ending, GameEnding::Adjudicated, "round {round}");
            let played = game([&mut south, &mut north], PATIENT, 4).await;
            let fault = fault_of(&played, Side::South);
            assert_eq!(fault.kind, FaultKind::Crash);
            assert_eq!(fault.detail, "exited with code 4");
        }
        south.close().await;
        north.close().await;
    });
}

#[test]
fn leaving_after_a_game_is_no_fault_if_each_game_has_its_process() {
    alone(async || {
        let mut south = player(villain(&[]));
        let mut north = player(BotSettings {
            restart: Restart::EachGame,
            ..villain(&["game-over=exit:4"])
        });
        for _ in 0..3 {
            let played = game([&mut south, &mut north], PATIENT, 4).await;
            assert_eq!(played.ending, GameEnding::Adjudicated);
        }
        south.close().await;
        north.close().await;
    });
}

/// Whether the process is gone before it could hear of the end, or after: the same.
#[test]
fn leaving_after_the_last_move_loses_the_next_game() {
    alone(async || {
        let mut south = player(villain(&[]));
        let mut north = player(villain(&["wait:0=exit:4"]));
        for round in 0..20 {
            let played = game([&mut south, &mut north], PATIENT, 2).await;
            assert_eq!(played.ending, GameEnding::Adjudicated, "round {round}");
            let played = game([&mut south, &mut north], PATIENT, 2).await;
            let fault = fault_of(&played, Side::North);
            assert_eq!(
                (fault.kind, &*fault.detail),
                (FaultKind::Crash, "exited with code 4")
            );
        }
        south.close().await;
        north.close().await;
    });
}

#[test]
fn the_environment_and_the_directory_are_exactly_those_asked_for() {
    alone(async || {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("a path");
        let mut settings = villain(&["start=tell"]);
        settings.launch.directory.clone_from(&folder);
        settings.launch.environment = [("LEVEL", "3"), ("PATH", "/nowhere"), ("EMPTY", "")]
            .map(|(key, value)| (key.into(), value.into()))
            .to_vec();
        let FinishedGame { logs, .. } = play_bots([settings, villain(&[])], PATIENT).await;
        let log = String::from_utf8_lossy(&logs[0]);
        let told: Vec<&str> = log.lines().skip(1).collect();
        let cwd = format!("cwd {}", folder.display());
        assert_eq!(
            told,
            [&cwd, "env EMPTY=", "env LEVEL=3", "env PATH=/nowhere"]
        );
    });
}

/// A pipe whose reading end sees the end of all processes that hold the other.
struct Fuse {
    path: PathBuf,
    end: pipe::Receiver,
    _folder: tempfile::TempDir,
}

impl Fuse {
    fn lay() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("fuse");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).expect("a pipe");
        let end = pipe::OpenOptions::new().open_receiver(&path);
        Self {
            path,
            end: end.expect("its end"),
            _folder: folder,
        }
    }

    fn script(&self, moment: &str) -> String {
        format!("{moment}=child:{}", self.path.display())
    }

    /// Waits until the villain has opened the other end.
    async fn lit(&mut self) {
        assert_eq!(self.end.read_u8().await.expect("a byte"), b'!');
    }

    /// Waits until no process holds the other end.
    async fn burnt(mut self) {
        assert_eq!(self.end.read(&mut [0]).await.expect("a pipe"), 0);
    }
}

#[test]
fn nothing_is_left_of_a_group() {
    for (script, fault) in [
        // It ignores whatever it is asked, and is killed.
        (&["start=ignore-term", "quit=hang", "eof=hang"][..], None),
        // It goes when it is asked, and leaves its child behind.
        (&[], None),
        (&["move:0=exit:3"], Some(FaultKind::Crash)),
        (&["move:0=close-out", "move:0=hang"], Some(FaultKind::Crash)),
        (&[r"move:0=write:garbage\n"], Some(FaultKind::BadOutput)),
        (&["hello=exit:3"], Some(FaultKind::StartFailure)),
    ] {
        alone(async || {
            let mut fuse = Fuse::lay();
            let child = fuse.script("start");
            let script: Vec<&str> = [&*child]
                .into_iter()
                .chain(script.iter().copied())
                .collect();
            let bots = [villain(&script), villain(&[])];
            let FinishedGame { game, .. } = play_bots(bots, PATIENT).await;
            let found = match &game.ending {
                GameEnding::Fault(_, fault) => Some(fault.kind),
                _ => None,
            };
            assert_eq!(found, fault, "{script:?}");
            fuse.lit().await;
            fuse.burnt().await;
        });
    }
}

/// A process that is no longer in its own group is ended all the same.
#[test]
fn leaving_the_group_does_not_help() {
    let runs_on = ["start=leave-group", "quit=hang", "eof=hang"];
    let FinishedGame { game, .. } =
        alone(async || play_bots([villain(&runs_on), villain(&[])], PATIENT).await);
    expect_end(&game);
    expect_faults(
        "
start=leave-group; move:0=hang | timeout | no answer
start=leave-group; move:0=close-out; move:0=hang | crash | closed its
",
        STRICT,
    );
}

/// A process that escaped and holds the pipes (only isolation would stop it) delays no game, and
/// what the bot wrote before is in the log.
#[test]
fn pipes_that_others_hold_are_not_waited_for() {
    alone(async || {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("leash");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).expect("a pipe");
        let leash = std::fs::File::options().read(true).write(true).open(&path);
        let far_child = format!("start=far-child:{}", path.display());
        for (side, end) in [
            (Side::South, "move:0=exit:3"),
            (Side::North, "wait:0=exit:3"),
        ] {
            let script = [&far_child, "move:0=say:last words", end];
            let bots = by_side(side, villain(&script), villain(&["move:1=wait:20"]));
            let FinishedGame { game, logs } = play_bots(bots, PATIENT).await;
            let fault = fault_of(&game, side);
            assert_eq!(fault.kind, FaultKind::Crash);
            let detail = "exited with code 3; standard error ends with \"last words\"";
            assert_eq!(fault.detail, detail);
            assert_eq!(logs[side.index()], b"last words\n");
        }
        drop(leash);
    });
}

#[test]
fn a_game_that_is_dropped_leaves_nothing_behind() {
    alone(async || {
        let mut fuse = Fuse::lay();
        let mut south = player(villain(&[&fuse.script("move:0"), "move:0=hang"]));
        let mut north = player(villain(&[]));
        tokio::select! {
            played = game([&mut south, &mut north], PATIENT, 600) => panic!("{played:?}"),
            () = fuse.lit() => {}
        }
        drop((south, north));
        // What drained the logs was told to stop, and lets go when it is next looked at.
        tokio::task::yield_now().await;
        fuse.burnt().await;
    });
}

/// Started and stopped again and again: nothing adds up.
#[test]
fn three_hundred_starts() {
    alone(async || {
        let mut before = None;
        for round in 0..300 {
            let script: &[&str] = match round % 4 {
                0 => &[],
                1 => &["wait:0=exit:3"],
                2 => &[r"hello=write:garbage\n"],
                _ => &["move:0=abort"],
            };
            let mut south = player(villain(script));
            let mut north = player(villain(&[]));
            game([&mut south, &mut north], PATIENT, 2).await;
            south.close().await;
            north.close().await;
            let now = (descriptors(), threads());
            let (open, running) = before.get_or_insert_with(|| now.clone());
            assert_eq!(now.0, *open, "round {round}");
            // The tests that wait for their turn have threads too, and come and go.
            assert!(now.1 <= *running + 4, "round {round}: {} threads", now.1);
        }
    });
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task")
        .expect("a list of threads")
        .count()
}

/// Descriptors that two bots and their game never need.
const PLENTY: u64 = 40;

/// A host without descriptors is the host's trouble: no bot loses by it, and nothing is left.
///
/// How many descriptors a game needs depends on the host, for example on its control groups.
#[test]
fn a_host_out_of_descriptors_makes_the_game_void() {
    alone(async || {
        let usual = getrlimit(Resource::Nofile);
        let open = descriptors().len() as u64;
        let mut outcomes = Vec::new();
        for spare in 0..PLENTY {
            let mut south = player(villain(&[]));
            let mut north = player(villain(&[]));
            let scarce = Rlimit {
                current: Some(open - 1 + spare),
                ..usual
            };
            setrlimit(Resource::Nofile, scarce).expect("a lower limit");
            let played = game([&mut south, &mut north], PATIENT, 2).await;
            south.close().await;
            north.close().await;
            setrlimit(Resource::Nofile, usual).expect("the usual limit");
            outcomes.push(played.ending.name());
        }
        let voided = outcomes.iter().take_while(|name| **name == "void").count();
        assert!(voided > 0, "{outcomes:?}");
        assert!(
            outcomes[voided..].iter().all(|name| *name == "adjudicated"),
            "{outcomes:?}"
        );
        assert!(voided < outcomes.len(), "{outcomes:?}");
    });
}

/// Every wait for what was killed has an end, and whatever lives then is named.
#[test]
fn a_process_that_does_not_die_is_put_aside_and_named() {
    alone(async || {
        let [mut south, mut north] = [player(villain(&[])), player(villain(&[]))];
        game([&mut south, &mut north], PATIENT, 2).await;
        let process = children()[0];
        let Some(frozen) = Frozen::with(process.as_raw_nonzero().get()) else {
            let name = "a_process_that_does_not_die_is_put_aside_and_named";
            skip(name, "no freezer of version 1 that this user may write");
            south.close().await;
            north.close().await;
            return;
        };
        let words: Vec<String> = [south.close().await, north.close().await]
            .into_iter()
            .flatten()
            .collect();
        assert_eq!(words.len(), 1, "{words:?}");
        let expected = "1 process does not end after SIGKILL, state ";
        assert!(words[0].starts_with(expected), "{words:?}");
        drop(frozen);
        let ended = rustix::process::waitpid(Some(process), rustix::process::WaitOptions::empty());
        assert!(ended.is_ok(), "{ended:?}");
    });
}
