//! How the commands of a run grow with the number of games: the peak of memory of `awale run`, the
//! time and the peak of a resumed run that is finished already, of `awale verify` and of `awale
//! report`; and the exponents, the slopes of log time over log games: 1 is linear. Then the time
//! until the first admission game of a run with 500 entrants.
//!
//! Prints `NAME VALUE` lines: 1,000 and 10,000 games, with `cargo bench --bench scale -- --long`
//! 100,000 too, which takes minutes. Times are the least of three.

#[path = "support/instant.rs"]
mod instant;
#[path = "support/peak.rs"]
mod peak;
#[path = "support/referee.rs"]
mod referee;

use peak::peak_memory;
use referee::find_referee;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Of house bots: ten pairings.
const ENTRANTS: u32 = 5;
const PAIRINGS: u32 = ENTRANTS * (ENTRANTS - 1) / 2;
const GAMES: [u32; 3] = [1_000, 10_000, 100_000];
const TIMES: usize = 3;
/// Of submissions in folders of their own.
const MANY_ENTRANTS: u32 = 500;
/// How this program is started as one of them.
const BOT: &str = "--bot";

/// The time and the peak of memory of a command.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    peak_mib: f64,
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some(BOT) {
        return instant::answer_turns().expect("the referee is there");
    }
    let is_long = std::env::args().any(|argument| argument == "--long");
    let sizes = if is_long { &GAMES[..] } else { &GAMES[..2] };
    let home = tempfile::tempdir().expect("a folder");
    let costs: Vec<[Cost; 3]> = sizes.iter().map(|&it| measure(home.path(), it)).collect();
    for (place, name) in ["resume", "verify", "report"].into_iter().enumerate() {
        let times: Vec<f64> = costs.iter().map(|costs| costs[place].seconds).collect();
        println!("{name}_exponent {:.2}", exponent(sizes, &times));
    }
    let first = (0..TIMES).map(|_| first_admission(home.path()));
    let first = first.min().expect("several times");
    println!(
        "first_admission_ms_{MANY_ENTRANTS} {:.0}",
        first.as_secs_f64() * 1e3
    );
}

/// Plays this many games, then measures what reads them.
fn measure(home: &Path, games: u32) -> [Cost; 3] {
    let configuration = home.join(format!("{games}.toml"));
    fs::write(&configuration, house_bots(games)).expect("a folder that can be written to");
    let folder = home.join(games.to_string());
    let run = || {
        let mut run = awale(&["run", "--quiet", "--isolation", "none"]);
        run.arg(&configuration).arg("--output").arg(&folder);
        cost(run, configuration.to_str())
    };
    let played = run();
    println!("run_peak_mib_{games} {:.1}", played.peak_mib);
    let verify = || {
        let mut verify = awale(&["verify"]);
        verify.arg(&folder);
        cost(verify, None)
    };
    let report = || {
        let mut report = awale(&["report"]);
        report.arg(&folder).arg("--output").arg(home.join("tables"));
        cost(report, None)
    };
    let costs = [least(run), least(verify), least(report)];
    for (name, cost) in ["resume", "verify", "report"].into_iter().zip(costs) {
        println!("{name}_ms_{games} {:.0}", cost.seconds * 1e3);
        println!("{name}_peak_mib_{games} {:.1}", cost.peak_mib);
    }
    costs
}

fn house_bots(games: u32) -> String {
    let pairs = games / 2 / PAIRINGS;
    let mut text = format!("[tournament]\npairs = {pairs}\nseed = 1\n");
    for entrant in 0..ENTRANTS {
        let _ = write!(
            text,
            "[[entrant]]\nname = \"random-{entrant}\"\ncommand = [\"awale\", \"bot\", \"random\"]\n"
        );
    }
    text
}

fn awale(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_awale"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The least time of several, and the largest peak.
fn least(command: impl Fn() -> Cost) -> Cost {
    let costs: Vec<Cost> = (0..TIMES).map(|_| command()).collect();
    Cost {
        seconds: costs.iter().map(|it| it.seconds).fold(f64::MAX, f64::min),
        peak_mib: costs.iter().map(|it| it.peak_mib).fold(0.0, f64::max),
    }
}

/// Runs a command. The memory is that of the process that plays the run of a configuration, if
/// there is one, otherwise its own.
fn cost(mut command: Command, configuration: Option<&str>) -> Cost {
    let started = Instant::now();
    let mut child = command.spawn().expect("the program starts");
    let (mut process, mut peak) = (None, 0);
    loop {
        process = process.or_else(|| match configuration {
            Some(text) => find_referee(text),
            None => Some(child.id()),
        });
        // The kernel keeps the peak: the last look before the end misses nothing but the end.
        peak = process.and_then(peak_memory).unwrap_or(peak);
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            assert!(status.success(), "{command:?}: {status}");
            return Cost {
                seconds: started.elapsed().as_secs_f64(),
                peak_mib: peak as f64 / 1024.0,
            };
        }
        sleep(Duration::from_millis(2));
    }
}

/// The slope of log time over log games, by least squares.
fn exponent(games: &[u32], times: &[f64]) -> f64 {
    let points = || {
        games
            .iter()
            .zip(times)
            .map(|(&n, time)| (f64::from(n).ln(), time.ln()))
    };
    let count = games.len() as f64;
    let (sum_x, sum_y) = points().fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (above, below) = points().fold((0.0, 0.0), |(above, below), (x, y)| {
        let x = x - mean_x;
        (above + x * (y - mean_y), below + x * x)
    });
    above / below
}

/// The time until the first of many submissions has played its admission games.
fn first_admission(home: &Path) -> Duration {
    let (configuration, folder) = (submissions(home), home.join("many"));
    let _ = fs::remove_dir_all(&folder);
    let mut command = awale(&[
        "run",
        "--json",
        "--isolation",
        "none",
        "--i-trust-these-bots",
    ]);
    command.arg(configuration).arg("--output").arg(folder);
    command.stdout(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().expect("the program starts");
    let events = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let is_admission = |event: &String| event.contains("\"event\":\"admission\"");
    let admission = events.map_while(Result::ok).find(is_admission);
    let time = started.elapsed();
    end(&mut child);
    let admission = admission.expect("an entrant is examined");
    assert!(admission.contains("\"admitted\":true"), "{admission}");
    time
}

/// A second signal ends a run at once.
fn end(child: &mut Child) {
    let process = rustix::process::Pid::from_child(child);
    while child
        .try_wait()
        .expect("a child can be waited for")
        .is_none()
    {
        let _ = rustix::process::kill_process(process, rustix::process::Signal::INT);
        sleep(Duration::from_millis(50));
    }
}

/// A configuration of submissions in folders: this program, which answers at once.
fn submissions(home: &Path) -> PathBuf {
    let program = std::env::current_exe().expect("the bench's own path");
    let mut text = "[tournament]\npairs = 1\nseed = 1\n".to_owned();
    for entrant in 0..MANY_ENTRANTS {
        let folder = home.join(format!("submissions/{entrant}"));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("notes.txt"), format!("Bot {entrant}.\n")).expect("a file");
        let (program, folder) = (program.display(), folder.display());
        let _ = write!(
            text,
            "[[entrant]]\nname = \"bot-{entrant}\"\ncommand = [\"{program}\", \"{BOT}\"]\n\
             dir = \"{folder}\"\n"
        );
    }
    let configuration = home.join("many.toml");
    fs::write(&configuration, text).expect("a folder that can be written to");
    configuration
}
