//! What awale charges a bot that sleeps for 10.000 ms in every turn, while every slot plays: wall
//! time of each ply, as the journal has it. Its opponents sleep as long, answer at once, or compute
//! for 10 ms. Prints `NAME VALUE` lines, in µs. The bench starts itself as the bots.

#[path = "support/instant.rs"]
mod instant;

use awale::tournament::JournalReader;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What this program is called to be a bot: it answers at once, sleeps, or computes.
const BOTS: [&str; 3] = ["be-instant", "be-asleep", "be-busy"];
const TURN: Duration = Duration::from_millis(10);
/// Pairs of two games of about 100 plies.
const PAIRS: u32 = 12;
/// The bot whose times are looked at.
const SLEEPER: &str = "sleeper";

fn main() {
    let bot = std::env::args().nth(1);
    match BOTS.iter().position(|name| bot.as_deref() == Some(name)) {
        Some(0) => instant::answer_turns(),
        Some(1) => instant::answer_turns_after(|| std::thread::sleep(TURN)),
        Some(_) => instant::answer_turns_after(compute),
        None => {
            measure();
            Ok(())
        }
    }
    .expect("a pipe to the referee");
}

fn compute() {
    let started = Instant::now();
    while started.elapsed() < TURN {
        std::hint::spin_loop();
    }
}

fn measure() {
    let folder = tempfile::tempdir().expect("a folder");
    for opponent in ["be-asleep", "be-instant", "be-busy"] {
        let mut times = charged(folder.path(), opponent);
        times.sort_unstable();
        let share = |part: usize| times[(times.len() - 1) * part / 100];
        let opponent = opponent.trim_start_matches("be-");
        println!("plies_beside_{opponent} {}", times.len());
        for (name, part) in [
            ("least", 0),
            ("median", 50),
            ("p90", 90),
            ("p99", 99),
            ("most", 100),
        ] {
            println!("charged_{name}_us_beside_{opponent} {}", share(part));
        }
    }
}

/// The times of the sleeper's plies in a run against this opponent, in µs.
fn charged(folder: &Path, opponent: &str) -> Vec<u64> {
    let program = std::env::current_exe().expect("the bench's own path");
    let entrant = |name: &str, bot: &str| {
        let program = program.display();
        format!("[[entrant]]\nname = \"{name}\"\ncommand = ['{program}', \"{bot}\"]\n")
    };
    let entrants = entrant(SLEEPER, BOTS[1]) + &entrant("opponent", opponent);
    let file = folder.join(format!("{opponent}.toml"));
    let text = format!("[tournament]\npairs = {PAIRS}\n[clock]\nmove = \"1s\"\n{entrants}");
    std::fs::write(&file, text).expect("a folder that can be written to");
    let output = folder.join(opponent);
    let status = Command::new(env!("CARGO_BIN_EXE_awale"))
        .args(["run", "--quiet", "--output"])
        .args([&output, &file])
        .stdin(Stdio::null())
        .status()
        .expect("the program starts");
    assert!(status.success(), "awale run: {status}");
    let journal = File::open(output.join("games.jsonl")).expect("a journal");
    let mut journal = JournalReader::new(BufReader::new(journal));
    let mut times = Vec::new();
    while let Some(game) = journal.next_record().expect("a record") {
        let first = usize::from(game.entrants[1] == SLEEPER);
        let own = game.plies.iter().skip(first).step_by(2);
        times.extend(own.map(|ply| ply.time_us - ply.preempted_us));
    }
    times
}
