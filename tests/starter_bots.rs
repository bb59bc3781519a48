//! The starter bots of `bots/`: their Python rules against `awale trace` and against worked
//! examples, and each bot in conversation, over pipes, with a referee that these tests play.
//!
//! What a bot needs and this machine lacks (Python, Node, Java, Go, a compiler of C or C++) skips
//! what needs it.

use crate::support::skip::is_here;
use awale::rules::{FIELDS, Game, Pit, Position, Preset, Side};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Far more than any starter needs, on any machine: beyond it a bot is taken to hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// The limit of a move that the bots are told, in ms: the search bot shall think, but not for long.
const MOVE_MS: u64 = 4;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where programs are built: kept from one run of the tests to the next.
fn build_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("starter-bots");
    std::fs::create_dir_all(&folder).expect("the build's temporary folder can be written to");
    folder
}

/// Runs a command to its end; panics with everything it printed if it fails.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(
        output.status.success(),
        "{command:?}\n{stdout}\n{stderr}\n{}",
        output.status
    );
    stdout
}

fn python() -> Command {
    let mut python = Command::new("python3");
    python.env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

/// A bot's process. Its answers arrive on a channel, so that a bot that hangs fails its test.
struct Session {
    bot: Child,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Session {
    fn start(command: &[OsString]) -> Self {
        let mut bot = Command::new(&command[0])
            .args(&command[1..])
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let output = BufReader::new(bot.stdout.take().expect("standard output is a pipe"));
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                let line = line.expect("a bot writes UTF-8");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            input: bot.stdin.take(),
            bot,
            answers,
        }
    }

    /// Writes a message that has no answer. A wrong answer to it shows at the next question.
    fn tell(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{message}").expect("the bot reads");
    }

    /// Writes a message and reads its answer, while the input stays open: only a bot that flushes
    /// its lines answers at all.
    fn ask(&mut self, message: &Value) -> Value {
        self.tell(message);
        let answer = self
            .answers
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("no answer to {message}: {error}"));
        serde_json::from_str(&answer)
            .unwrap_or_else(|error| panic!("{message} was answered with {answer:?}: {error}"))
    }

    /// Waits until the bot has left, having written nothing more.
    fn end(mut self) -> ExitStatus {
        let rest = self.answers.recv_timeout(PATIENCE);
        assert_eq!(rest, Err(RecvTimeoutError::Disconnected), "it leaves");
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.bot.try_wait().expect("the bot can be waited for") {
                return status;
            }
            assert!(Instant::now() < deadline, "closed its output and lives on");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Only matters when a test fails: a bot that has ended is not killed again.
        let _ = self.bot.kill();
        let _ = self.bot.wait();
    }
}

/// A board from the bot's own side, the legal pits, and the pits that the four simple bots may
/// choose: most seeds captured, a slam counting nothing.
const TURNS: [([u8; 12], &[u8], &[u8]); 8] = [
    (
        [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4],
        &[0, 1, 2, 3, 4, 5],
        &[0, 1, 2, 3, 4, 5],
    ),
    // Worked examples of docs/rules.md: pit 3 takes 7, pit 5 takes 3, pit 1 would be a slam.
    ([0, 10, 0, 5, 0, 1, 2, 1, 1, 2, 2, 1], &[1, 3, 5], &[3]),
    ([0, 10, 0, 5, 0, 1, 2, 1, 1, 2, 2, 1], &[1, 5], &[5]),
    ([0, 0, 0, 3, 1, 1, 1, 0, 0, 0, 0, 4], &[3, 4, 5], &[3, 5]),
    ([0, 0, 0, 5, 0, 0, 2, 1, 1, 4, 0, 0], &[3], &[3]),
    ([12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], &[0], &[0]),
    // From pit 0, 23 seeds go round twice and fall last into pit 1, where nothing is captured.
    ([23, 0, 0, 0, 0, 1, 1, 0, 0, 4, 0, 0], &[0, 5], &[5]),
    // Nothing can be captured: every legal pit is as good, and no other is.
    ([6, 6, 0, 1, 1, 0, 4, 4, 4, 4, 4, 4], &[1, 3], &[1, 3]),
];

fn hello() -> Value {
    json!({"type": "hello", "protocol": 1, "game": "awale", "future": [{"type": "quit"}]})
}

/// The `rules` object of a preset, every field under its name.
fn rules_object(preset: Preset) -> Value {
    let mut object = json!({"preset": preset.name(), "repetition": {}, "future": {"type": "quit"}});
    for field in FIELDS {
        let text = preset.rules().get(field).expect("a field has a value");
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        match field.split_once('.') {
            Some((outer, inner)) => object[outer][inner] = value,
            None => object[field] = value,
        }
    }
    object
}

/// A new game whose texts and nested fields try to look like something else.
fn new_game(preset: Preset, you: Side) -> Value {
    json!({
        "aside": {"type": "quit", "seed": 1, "deep": [[["]}", {"legal": [9]}]]]},
        "type": "new-game", "game": "7-1", "you": you.name(),
        "opponent": "\",\"type\":\"turn\",\"legal\":[9]}\\ é 🌱",
        "rules": rules_object(preset),
        "clock": {"move_ms": MOVE_MS, "bank_ms": 60000, "increment_ms": 0},
        "seed": 9_007_199_254_740_991_u64,
        "start": Position::START.to_string(),
    })
}

/// The question for one position, with fields that version 1 does not know.
fn turn(number: usize, position: Position, legal: &[u8], last: Option<(u8, u8)>) -> Value {
    let side = position.to_move();
    let mut board = position.pits();
    board.rotate_left(6 * side.index());
    let mut message = json!({
        "before": {"board": [9, 9], "legal": [8], "type": "game-over"},
        "type": "turn", "turn": number, "board": board, "legal": legal,
        "stores": [position.store(side), position.store(side.opponent())],
        "position": position.to_string(),
        "clock": {
            "move_ms": MOVE_MS, "own_ms": 60000, "opponent_ms": 60000, "increment_ms": 0,
        },
        "zebra": {"legal": [7], "text": "[{\"\\"},
    });
    if let Some((pit, captured)) = last {
        message["last"] = json!({"pit": pit, "captured": captured});
    }
    message
}

/// Asks for a move and checks that it is one of those allowed.
fn ask_move(session: &mut Session, question: &Value, allowed: &[u8]) -> u8 {
    let answer = session.ask(question);
    assert_eq!(answer["type"], "move", "{question}");
    let pit = answer["pit"].as_u64().expect("a pit is a whole number");
    allowed
        .iter()
        .copied()
        .find(|&good| u64::from(good) == pit)
        .unwrap_or_else(|| panic!("{answer} for {question}, not one of {allowed:?}"))
}

/// Ends a game with two messages that have no answer.
fn tell_game_over(session: &mut Session) {
    session.tell(&json!({"type": "weather", "legal": [1], "turn": 1}));
    session.tell(&json!({
        "type": "game-over", "result": "loss", "reason": "majority", "stores": [3, 25],
        "moves": "Aa", "future": null,
    }));
}

/// Asks for a move on every board of [`TURNS`] and returns the pits chosen. A bot that looks at
/// captures must choose what the table says, any other a legal pit.
fn play_table(session: &mut Session, side: Side, captures: bool) -> Vec<u8> {
    assert_eq!(session.ask(&new_game(Preset::Awale, side))["type"], "ready");
    let mut chosen = Vec::new();
    for (index, (board, legal, best)) in TURNS.into_iter().enumerate() {
        let number = 2 * index + side.index();
        let mut pits = board;
        pits.rotate_right(6 * side.index());
        let position = Position::new(pits, [0, 0], side).expect("48 seeds at most");
        let question = turn(number, position, legal, (number > 0).then_some((5, 0)));
        let allowed = if captures { best } else { legal };
        chosen.push(ask_move(session, &question, allowed));
    }
    tell_game_over(session);
    chosen
}

/// Plays a game by the real rules against a player who takes each of his legal moves in turn.
fn play_game(session: &mut Session, preset: Preset, side: Side) {
    assert_eq!(session.ask(&new_game(preset, side))["type"], "ready");
    let mut game = Game::new(preset.rules(), Position::START);
    let mut last = None;
    while game.ending().is_none() && game.moves().len() < 200 {
        let number = game.moves().len();
        let legal: Vec<Pit> = game.legal_moves().iter().collect();
        if game.position().to_move() == side {
            let rows: Vec<u8> = legal.iter().map(|pit| pit.row_index()).collect();
            let row_index = ask_move(session, &turn(number, game.position(), &rows, last), &rows);
            let pit = Pit::in_row(side, row_index).expect("a legal pit is a pit");
            game.play(pit).expect("a legal move can be played");
        } else {
            let pit = legal[number % legal.len()];
            let played = game.play(pit).expect("a legal move can be played");
            last = Some((pit.row_index(), played.captured));
        }
    }
    tell_game_over(session);
}

fn quit(mut session: Session) {
    session.tell(&json!({"type": "quit"}));
    // The input stays open: it is `quit` that makes the bot leave.
    let input = session.input.take();
    assert!(session.end().success(), "after quit");
    drop(input);
}

/// Every part of the protocol that a bot has to know, in games of every preset and on both sides.
fn converse(command: &[OsString], captures: bool) {
    let mut session = Session::start(command);
    assert_eq!(session.ask(&hello())["type"], "ready");
    if captures {
        let chosen = play_table(&mut session, Side::South, captures);
        play_table(&mut session, Side::North, captures);
        let again = play_table(&mut session, Side::South, captures);
        assert_eq!(chosen, again, "the same seed gives the same game");
    }
    for preset in Preset::ALL {
        for side in Side::BOTH {
            play_game(&mut session, preset, side);
        }
    }
    quit(session);

    let mut session = Session::start(command);
    assert_eq!(session.ask(&hello())["type"], "ready");
    assert_eq!(
        session.ask(&new_game(Preset::Awale, Side::South))["type"],
        "ready"
    );
    drop(session.input.take());
    assert!(session.end().success(), "{command:?} at the end of input");

    let mut session = Session::start(command);
    drop(session.input.take());
    assert!(session.end().success(), "{command:?} without any input");
}

#[test]
fn python_bot() {
    if is_here("python3") {
        let file = repository().join("bots/python/bot.py");
        converse(&["python3".into(), file.into()], true);
    }
}

#[test]
fn python_search_bot() {
    if is_here("python3") {
        let file = repository().join("bots/python/search_bot.py");
        converse(&["python3".into(), file.into()], false);
    }
}

/// The bot of ten lines in docs/protocol.md is a bot.
#[test]
fn the_documented_bot() {
    let page = std::fs::read_to_string(repository().join("docs/protocol.md"))
        .expect("docs/protocol.md can be read");
    let code = page
        .split_once("```python\n")
        .and_then(|(_, rest)| rest.split_once("```"))
        .expect("docs/protocol.md has a bot in Python")
        .0;
    assert_eq!(code.lines().count(), 10, "ten lines, as promised");
    if is_here("python3") {
        let mut session = Session::start(&["python3".into(), "-c".into(), code.into()]);
        assert_eq!(session.ask(&hello())["type"], "ready");
        for side in Side::BOTH {
            play_table(&mut session, side, false);
            play_game(&mut session, Preset::Awale, side);
        }
        quit(session);
    }
}

#[test]
fn javascript_bot() {
    if is_here("node") {
        let file = repository().join("bots/javascript/bot.js");
        converse(&["node".into(), file.into()], true);
    }
}

#[test]
fn c_bot() {
    if is_here("cc") {
        let program = build_folder().join("c-bot");
        run(Command::new("cc")
            .args([
                "-std=c99",
                "-pedantic",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-O2",
            ])
            .arg("-o")
            .arg(&program)
            .arg(repository().join("bots/c/bot.c")));
        converse(&[program.into()], true);
    }
}

#[test]
fn cpp_bot() {
    if is_here("c++") {
        let program = build_folder().join("cpp-bot");
        run(Command::new("c++")
            .args(["-std=c++17", "-pedantic", "-Wall", "-Wextra", "-Werror"])
            .args(["-O2", "-o"])
            .arg(&program)
            .arg(repository().join("bots/cpp/main.cpp")));
        converse(&[program.into()], true);
    }
}

#[test]
fn java_bot() {
    if is_here("javac") && is_here("java") {
        let classes = build_folder().join("java");
        run(Command::new("javac")
            .args(["--release", "11", "-Xlint:all", "-Werror", "-d"])
            .arg(&classes)
            .arg(repository().join("bots/java/Bot.java")));
        let flags = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-cp"];
        let mut command: Vec<OsString> = flags.map(OsString::from).into();
        command.extend([classes.into(), "Bot".into()]);
        converse(&command, true);
    }
}

#[test]
fn go_bot() {
    if is_here("go") {
        let program = build_folder().join("go-bot");
        let source = repository().join("bots/go/main.go");
        let unformatted = run(Command::new("gofmt").arg("-l").arg(&source));
        assert_eq!(unformatted, "", "gofmt would change it");
        run(Command::new("go")
            .args(["build", "-o"])
            .arg(&program)
            .arg(&source)
            .env("GOCACHE", build_folder().join("go-cache")));
        converse(&[program.into()], true);
    }
}

#[test]
fn rust_bot() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = build_folder().join("rust-target");
    run(Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--manifest-path"])
        .arg(repository().join("bots/rust/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target));
    converse(&[target.join("debug/my-bot").into()], true);
}

/// The Python rules pass every worked example of docs/rules.md, and the search its own tests.
#[test]
fn python_rules_pass_the_examples() {
    if is_here("python3") {
        run(python().arg(repository().join("tests/support_python/test_awale_rules.py")));
    }
}

/// Two implementations that share no code agree on every ply of thousands of random games.
#[test]
fn python_rules_agree_with_trace() {
    if is_here("python3") {
        let report = run(python()
            .arg(repository().join("tests/support_python/compare_with_trace.py"))
            .arg(env!("CARGO_BIN_EXE_awale"))
            .args(["--games", "4000", "--seed", "1"]));
        print!("{report}");
    }
}
