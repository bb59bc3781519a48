//! The whole program at work: a tournament of `random` against `random` with journal and tables,
//! its games per second, and the most memory that `awale run` itself ever held, after few games
//! and after many. Prints `NAME VALUE` lines; nothing here is a matter for statistics.

#[path = "support/peak.rs"]
mod peak;
#[path = "support/referee.rs"]
mod referee;

use peak::peak_memory;
use referee::find_referee;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Pairs of two games, for the small and the large tournament.
const PAIRS: [u32; 2] = [500, 5_000];

const CONFIGURATION: &str = r#"
[[entrant]]
name = "one"
command = ["awale", "bot", "random"]
[[entrant]]
name = "two"
command = ["awale", "bot", "random"]
"#;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    for pairs in PAIRS {
        let started = Instant::now();
        let (status, peak) = run(folder.path(), pairs);
        let time = started.elapsed();
        assert!(status.success(), "awale run: {status}");
        let games = 2 * pairs;
        println!(
            "games_per_second_{games} {:.0}",
            f64::from(games) / time.as_secs_f64()
        );
        println!("peak_mib_{games} {:.1}", peak as f64 / 1024.0);
    }
}

/// Plays a tournament of this many pairs; returns how it ended and the peak of memory in KiB.
fn run(folder: &Path, pairs: u32) -> (ExitStatus, u64) {
    let configuration = folder.join("random.toml");
    std::fs::write(&configuration, CONFIGURATION).expect("a folder that can be written to");
    let mut child = Command::new(env!("CARGO_BIN_EXE_awale"))
        .arg("run")
        .arg(&configuration)
        .args(["--quiet", "--pairs", &pairs.to_string(), "--output"])
        .arg(folder.join(pairs.to_string()))
        .stdin(Stdio::null())
        .spawn()
        .expect("the program starts");
    let (mut referee, mut peak) = (None, 0);
    loop {
        // The kernel keeps the peak: the last look before the end misses nothing but the end.
        referee = referee.or_else(|| find_referee(configuration.to_str()?));
        peak = referee.and_then(peak_memory).unwrap_or(peak);
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return (status, peak);
        }
        sleep(Duration::from_millis(5));
    }
}
