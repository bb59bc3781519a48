//! Instructions that a leaf of perft and a ply of a game take, counted by valgrind: they do not
//! depend on how busy the machine is. A ply is the referee's part without the pipe: the rules, the
//! clock, the line of the turn, the parsing of the answer, and the record.
//!
//! `cargo bench --bench instructions` prints `NAME VALUE` lines. Built as a test, it compares them
//! with `instructions.txt`, which was counted in the same build: no count may differ by more than
//! 5 %. After a change that is worth it, the test says which line to write there.

use awale::protocol::{BotAnswer, TurnClock, TurnLine, parse_turn_answer};
use awale::referee::{
    AgreementTerms, Answer, Choice, ClockSettings, GameOver, GameSetup, Measure, NewGame, Player,
    Stop, Turn, play_game,
};
use awale::rules::{Position, Preset, perft};
use std::convert::Infallible;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// What this program is called to do the work that is counted.
const WORK: &str = "work";
/// A count may differ from the one in the file by this part of it.
const TOLERANCE: f64 = 0.05;
/// Compiler, machine, and the counts of one build: `NAME INSTRUCTIONS` lines.
const EXPECTED: &str = include_str!("instructions.txt");

/// A kind of work, which can be done any number of times.
struct Work {
    name: &'static str,
    /// Does it so many times, and returns the number of its units.
    run: fn(u32) -> u64,
}

const WORKS: [Work; 2] = [
    Work {
        name: "perft_leaf",
        run: perft_leaves,
    },
    Work {
        name: "ply",
        run: plies,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, what, name, times] = &arguments[..]
        && what == WORK
    {
        let work = WORKS.iter().find(|work| work.name == name);
        let times = times.parse().expect("a number");
        println!("{}", (work.expect("a kind of work").run)(times));
        return ExitCode::SUCCESS;
    }
    if let Err(reason) = under_valgrind(WORKS[0].name, 0) {
        println!("skipped: {reason}");
        return ExitCode::SUCCESS;
    }
    let counts = WORKS.map(|work| (work.name, instructions(&work)));
    for (name, count) in &counts {
        println!("instructions_per_{name} {count:.1}");
    }
    if cfg!(debug_assertions) {
        return compare(&counts);
    }
    ExitCode::SUCCESS
}

/// Instructions of one unit: the difference between two runs has no start of a program.
fn instructions(work: &Work) -> f64 {
    let [(few, few_units), (many, many_units)] = [2, 6].map(|times| counted(work.name, times));
    (many - few) as f64 / (many_units - few_units) as f64
}

/// The instructions of a whole run under valgrind, and its units.
fn counted(name: &str, times: u32) -> (u64, u64) {
    let [said, units] = under_valgrind(name, times).expect("valgrind counts here");
    let total = said
        .lines()
        .find_map(|line| line.split("Collected : ").nth(1));
    let total = total.unwrap_or_else(|| panic!("valgrind: {said}"));
    (
        total.trim().parse().expect("a number of instructions"),
        units.trim().parse().expect("a number of units"),
    )
}

/// What valgrind and this program said of work that was done so many times. Not every machine has a
/// valgrind, or one that knows its instructions.
fn under_valgrind(name: &str, times: u32) -> Result<[String; 2], String> {
    let program = std::env::current_exe().expect("the bench's own path");
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([WORK, name, &times.to_string()])
        .output()
        .map_err(|error| format!("no `valgrind` (package valgrind): {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&done.stderr);
    if !done.status.success() {
        return Err(format!("valgrind cannot count here:\n{said}"));
    }
    Ok([said, text(&done.stdout)])
}

/// Compares the counts with those of the file, if that was written for the same build.
fn compare(counts: &[(&str, f64)]) -> ExitCode {
    let build = build();
    if EXPECTED.lines().find(|line| !line.starts_with('#')) != Some(&build) {
        println!(
            "not compared: benches/instructions.txt was counted by another build than {build}"
        );
        return ExitCode::SUCCESS;
    }
    let mut code = ExitCode::SUCCESS;
    for (name, count) in counts {
        let expected = EXPECTED.lines().find_map(|line| {
            let (of, value) = line.split_once(' ')?;
            (of == *name).then(|| value.parse::<f64>().ok())?
        });
        let expected = expected.unwrap_or_else(|| panic!("instructions.txt has no {name}"));
        if (count - expected).abs() > TOLERANCE * expected {
            eprintln!(
                "{name}: {count:.1} instructions, where {expected} are expected; if the change is \
                 worth it, write \"{name} {count:.1}\" into benches/instructions.txt"
            );
            code = ExitCode::FAILURE;
        }
    }
    code
}

/// The compiler, the kind of machine, and how cargo cuts a crate into units, which decides what the
/// compiler can inline.
fn build() -> String {
    let compiler = Command::new("rustc").arg("--version").output();
    let compiler = compiler.map(|said| said.stdout).unwrap_or_default();
    let compiler = String::from_utf8_lossy(&compiler);
    let version = compiler.split_whitespace().nth(1).unwrap_or("unknown");
    let incremental = option_env!("CARGO_INCREMENTAL").unwrap_or("1");
    let machine = std::env::consts::ARCH;
    let units = option_env!("CARGO_PROFILE_DEV_CODEGEN_UNITS").unwrap_or("16");
    format!(
        "rustc {version} {machine} CARGO_INCREMENTAL={incremental} \
         CARGO_PROFILE_DEV_CODEGEN_UNITS={units}"
    )
}

fn perft_leaves(times: u32) -> u64 {
    let rules = Preset::Awale.rules();
    (0..times)
        .map(|_| perft(black_box(&rules), black_box(Position::START), 7))
        .sum()
}

fn plies(times: u32) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime");
    let games = (0..10 * times).map(|_| runtime.block_on(game()));
    games.sum()
}

/// The number of plies of a game of two players that take the first legal pit.
async fn game() -> u64 {
    let setup = GameSetup {
        id: "south~north.1.1",
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
        max_plies: 100,
        endgame: None,
        agreement: AgreementTerms::default(),
        seeds: [1, 2],
        start: Position::START,
        opening: Some(""),
    };
    let mut players = [Lines::default(), Lines::default()];
    let [south, north] = &mut players;
    play_game(&setup, [south, north]).await.plies.len() as u64
}

/// A player that reads and writes the lines of the protocol without a pipe.
#[derive(Default)]
struct Lines {
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Player for Lines {
    async fn new_game(&mut self, _: &NewGame<'_>) -> Result<(), Stop> {
        Ok(())
    }

    async fn turn(&mut self, turn: &Turn) -> Result<Answer, Stop> {
        self.request.clear();
        let line = TurnLine {
            turn: turn.turn,
            position: turn.position,
            legal: turn.legal,
            last: None,
            clock: TurnClock {
                move_ms: Some(1_000),
                ..TurnClock::default()
            },
        };
        line.write_line(&mut self.request);
        black_box(&self.request);
        let first = turn.legal.iter().next().expect("a legal pit");
        self.answer.clear();
        self.answer
            .extend_from_slice(b"{\"type\":\"move\",\"pit\":");
        self.answer.push(b'0' + first.row_index());
        self.answer.push(b'}');
        let parsed = parse_turn_answer(black_box(&self.answer), turn.turn);
        let Ok(BotAnswer::Move { pit, info, .. }) = parsed else {
            panic!("not a move: {parsed:?}")
        };
        Ok(Answer {
            choice: Choice::Pit {
                row_index: pit,
                info,
            },
            time: Duration::from_micros(5),
            preempted: Duration::ZERO,
            cpu: None,
        })
    }

    async fn idle(&mut self) -> Stop {
        std::future::pending().await
    }

    async fn freeze(&mut self) -> Infallible {
        std::future::pending().await
    }

    async fn game_over(&mut self, _: &GameOver<'_>) {}

    async fn discard(&mut self) {}
}
