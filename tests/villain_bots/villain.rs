//! The villain of the tests: plays the first legal pit, and misbehaves exactly as it is told.
//!
//! Each argument says when to do what, `WHEN=WHAT`; arguments for the same moment are done in
//! order. Without any it is the honest bot that villains play against.
//!
//! ```text
//! WHEN   start  hello  new-game  move  wait  game-over  quit  eof
//!        wait is just after an answer to a turn; new-game:1, move:3 and wait:0 mean one of them
//!        only: the games of the process, and the bot's own moves in a game, counted from 0
//!
//! WHAT   before the answer          instead of the answer      to the answer
//!        say:TEXT    to stderr      nothing                    twice      in one write
//!        tell        pid, cwd, env  write:TEXT  \n \r known    crlf       ends with \r\n
//!        wait:MS     by the clock   resign                     fields     unknown ones in it
//!        spin:MS     computing
//!        work:MS     computing, by its own CPU time
//!        until:FILE  there is one
//!        hang        for ever       empty-pit   if there is    info:N     N bytes of info
//!        exit:CODE   abort  segv                               append:TEXT
//!        shout:TEXT  to stdout                                 drip:MS    between its bytes
//!        clock       the clocks that it was told, to stderr
//!        out:N       N bytes, no newline     err:N   N bytes to stderr
//!        close-in    close-out               ignore-term
//!        hold:N      N bytes of memory, for good
//!        touch:FILE  makes the file      spin:MS computes so long
//!        child:FIFO  writes ! to FIFO, starts a `sleep` that holds it open
//!        child-log   starts a `sleep` that holds stdout and stderr open
//!        far-child:FIFO  starts a `cat FIFO` that holds them too, in a group of its own
//!        yes         starts a `yes` that floods stderr for ever
//!        leave-group joins the process group of a child of its own
//! ```

use awale::protocol::{Request, TurnRequest, move_line, ready_line};
use rustix::process::{Pid, Signal, getpid, kill_process, setpgid};
use std::fs::File;
use std::io::{BufRead as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};

/// Bytes written at once by a flood: a whole number of periods of `flood_byte`.
const FLOOD_BLOCK: usize = 251 * 256;

fn main() {
    let mut villain = Villain {
        script: std::env::args().skip(1).collect(),
        games: 0,
        moves: 0,
        turn: None,
        children: Vec::new(),
    };
    villain.act("start", 0, &mut Vec::new(), Instant::now());
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let asked = Instant::now();
        villain.hear(&line, asked);
    }
    villain.act("eof", 0, &mut Vec::new(), Instant::now());
}

struct Villain {
    script: Vec<String>,
    /// Games begun, and own moves in this one.
    games: u32,
    moves: u32,
    turn: Option<TurnRequest>,
    children: Vec<Child>,
}

impl Villain {
    fn hear(&mut self, line: &str, asked: Instant) {
        match Request::parse(line).expect("a line of the referee") {
            Request::Hello { .. } => self.answer("hello", 0, ready_line("villain", "1"), asked),
            Request::NewGame(_) => {
                self.moves = 0;
                self.answer("new-game", self.games, ready_line("villain", "1"), asked);
                self.games += 1;
            }
            Request::Turn(turn) => {
                let answer = move_line(turn.legal[0], turn.turn, &serde_json::Value::Null);
                self.turn = Some(turn);
                self.answer("move", self.moves, answer, asked);
                self.act("wait", self.moves, &mut Vec::new(), asked);
                self.moves += 1;
            }
            Request::GameOver(_) => self.act("game-over", self.games, &mut Vec::new(), asked),
            Request::Quit => {
                self.act("quit", 0, &mut Vec::new(), asked);
                std::process::exit(0);
            }
        }
    }

    fn answer(&mut self, moment: &str, count: u32, honest: String, asked: Instant) {
        let mut answer = honest.into_bytes();
        self.act(moment, count, &mut answer, asked);
        print_now(&answer);
    }

    /// Does what the script says for this moment.
    fn act(&mut self, moment: &str, count: u32, answer: &mut Vec<u8>, asked: Instant) {
        let counted = format!("{moment}:{count}");
        for line in self.script.clone() {
            let (when, what) = line.split_once('=').expect("WHEN=WHAT");
            if when == moment || when == counted {
                let (name, value) = what.split_once(':').unwrap_or((what, ""));
                let done = change_answer(name, value, answer)
                    || misbehave(name, value, asked)
                    || self.use_turn(name, answer);
                if !done {
                    self.start_child(name, value);
                }
            }
        }
    }

    /// What needs to know the last turn; false if the name means something else.
    fn use_turn(&self, name: &str, answer: &mut Vec<u8>) -> bool {
        let Some(turn) = &self.turn else { return false };
        match name {
            "empty-pit" => {
                if let Some(pit) = turn.board[..6].iter().position(|&seeds| seeds == 0) {
                    *answer = format!("{{\"type\":\"move\",\"pit\":{pit}}}\n").into_bytes();
                }
            }
            "clock" => log(&serde_json::to_string(&turn.clock).expect("numbers")),
            _ => return false,
        }
        true
    }

    fn start_child(&mut self, name: &str, value: &str) {
        let mut child = Command::new("/bin/sleep");
        child.arg("1000");
        child.stdin(Stdio::null());
        child.stdout(Stdio::null());
        child.stderr(Stdio::null());
        match name {
            "child" => {
                let fifo = File::options().write(true).open(value);
                let mut fifo = fifo.expect("the test reads it");
                fifo.write_all(b"!").expect("room for a byte");
                child.stdin(fifo);
            }
            "child-log" => {
                child.stdout(Stdio::inherit()).stderr(Stdio::inherit());
            }
            "yes" => {
                child = Command::new("/usr/bin/yes");
                child.stdin(Stdio::null()).stdout(std::io::stderr());
            }
            "far-child" => {
                child = Command::new("/bin/cat");
                child.stdin(File::open(value).expect("the test writes it"));
                child.stdout(Stdio::inherit()).stderr(Stdio::inherit());
                child.process_group(0);
            }
            "leave-group" => {
                // This child ends when the villain does: no test could reach its group.
                child = Command::new("/bin/cat");
                child.stdin(Stdio::piped()).stdout(Stdio::null());
                child.process_group(0);
            }
            _ => panic!("no such thing to do: {name}"),
        }
        let child = child.spawn().expect("a child");
        if name == "leave-group" {
            setpgid(None, Some(Pid::from_child(&child))).expect("a group of the same session");
        }
        self.children.push(child);
    }
}

/// What is done to an answer; false if the name means something else.
fn change_answer(name: &str, value: &str, answer: &mut Vec<u8>) -> bool {
    match name {
        "nothing" => answer.clear(),
        "write" => *answer = text(value),
        "append" => answer.extend(text(value)),
        "resign" => *answer = b"{\"type\":\"resign\"}\n".to_vec(),
        "twice" => answer.extend_from_within(..),
        "crlf" => {
            answer.pop();
            answer.extend_from_slice(b"\r\n");
        }
        "fields" => insert(answer, r#""x":[{"y":null}],"opinion":"é","#),
        "info" => {
            let comment = "i".repeat(number(value) - r#"{"comment":""}"#.len());
            insert(answer, &format!(r#""info":{{"comment":"{comment}"}},"#));
        }
        "drip" => {
            for byte in std::mem::take(answer) {
                print_now(&[byte]);
                std::thread::sleep(Duration::from_millis(number(value) as u64));
            }
        }
        _ => return false,
    }
    true
}

/// What is done before an answer; false if the name means something else.
fn misbehave(name: &str, value: &str, asked: Instant) -> bool {
    match name {
        "say" => log(value),
        "tell" => tell(),
        "shout" => print_now(&text(value)),
        "wait" => {
            let until = asked + Duration::from_millis(number(value) as u64);
            let left = until.saturating_duration_since(Instant::now());
            std::thread::sleep(left.saturating_sub(Duration::from_millis(1)));
            while Instant::now() < until {}
        }
        "spin" => {
            let until = Instant::now() + Duration::from_millis(number(value) as u64);
            while Instant::now() < until {}
        }
        "work" => {
            let clock = nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID;
            let used = || Duration::from(clock.now().expect("a clock"));
            let until = used() + Duration::from_millis(number(value) as u64);
            while used() < until {}
        }
        "until" => {
            while !Path::new(value).exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        "hang" => loop {
            std::thread::park();
        },
        "hold" => std::mem::forget(vec![1_u8; number(value)]),
        "touch" => drop(File::create(value).expect("a place for the file")),
        "exit" => std::process::exit(value.parse().expect("an exit code")),
        "abort" => std::process::abort(),
        "segv" => loop {
            // The language's own handler swallows the first.
            let _ = kill_process(getpid(), Signal::SEGV);
        },
        "out" => flood(&mut std::io::stdout(), number(value)),
        "err" => flood(&mut std::io::stderr(), number(value)),
        "close-in" => rustix::stdio::dup2_stdin(null()).expect("another standard input"),
        "close-out" => rustix::stdio::dup2_stdout(null()).expect("another standard output"),
        "ignore-term" => ignore_term(),
        _ => return false,
    }
    true
}

/// Puts fields at the beginning of an object.
fn insert(answer: &mut Vec<u8>, fields: &str) {
    answer.splice(1..1, fields.bytes());
}

fn text(value: &str) -> Vec<u8> {
    value.replace("\\n", "\n").replace("\\r", "\r").into_bytes()
}

fn number(text: &str) -> usize {
    text.parse().expect("a number")
}

fn null() -> File {
    let null = File::options().read(true).write(true).open("/dev/null");
    null.expect("/dev/null")
}

/// Writes and flushes; it does not matter whether the other end is still read.
fn print_now(bytes: &[u8]) {
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

/// Writes a line to standard error, in one write.
fn log(line: &str) {
    let line = format!("{line}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// This many bytes of a pattern in which every place within 251 bytes can be told.
fn flood(stream: &mut dyn std::io::Write, bytes: usize) {
    let block: Vec<u8> = (0..FLOOD_BLOCK).map(flood_byte).collect();
    let mut left = bytes;
    while left > 0 {
        let now = left.min(FLOOD_BLOCK);
        if stream.write_all(&block[..now]).is_err() {
            return;
        }
        left -= now;
    }
    let _ = stream.flush();
}

/// The byte at this place of a flood: 1 to 251 in turn, and never a newline.
fn flood_byte(place: usize) -> u8 {
    match u8::try_from(place % 251).expect("below 251") {
        9 => 252,
        value => value + 1,
    }
}

/// What the process was given, on standard error.
fn tell() {
    let mut lines = vec![format!("pid {}", std::process::id())];
    let here = std::env::current_dir().expect("a working directory");
    lines.push(format!("cwd {}", here.display()));
    let mut environment: Vec<String> = std::env::vars()
        .map(|(key, value)| format!("env {key}={value}"))
        .collect();
    environment.sort();
    lines.extend(environment);
    log(&lines.join("\n"));
}

/// A handler that does nothing, for ever.
fn ignore_term() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let handler = signal(SignalKind::terminate()).expect("a handler");
        std::mem::forget(handler);
    });
    std::mem::forget(runtime);
}
