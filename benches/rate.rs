//! `awale rate` on a table of a million games of a hundred entrants from 20,000 openings: its time
//! and the most memory that it ever held; and a fit during a run, as often as a run may ask for
//! one. Prints `NAME VALUE` lines; nothing here is a matter for statistics.

#[path = "support/peak.rs"]
mod peak;

use awale::stats::elo::expected_score;
use awale::stats::game::{Outcome, RatedEntrant, RatedGame};
use awale::stats::rating::rate;
use awale::stats::ratings::RatingModel;
use awale::stats::tally::Tally;
use peak::peak_memory;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::fs::File;
use std::hint::black_box;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const GAMES: u64 = 1_000_000;
const ENTRANTS: u32 = 100;
/// From which they begin.
const OPENINGS: usize = 20_000;
/// Of the tournament that is being played.
const GAMES_OF_RUN: u64 = 20_000;
const ENTRANTS_OF_RUN: u32 = 10;
const FITS: u32 = 100;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("games.csv");
    write_table(&table).expect("a folder that can be written to");
    let (seconds, peak) = run(&table);
    println!("rate_seconds_{GAMES} {seconds:.2}");
    println!("rate_peak_mib_{GAMES} {:.1}", peak as f64 / 1024.0);

    let mut tally = Tally::new(ENTRANTS_OF_RUN);
    for game in games(GAMES_OF_RUN, ENTRANTS_OF_RUN) {
        tally.record(&game).expect("a legal game");
    }
    let started = Instant::now();
    for _ in 0..FITS {
        black_box(rate(black_box(&tally), &RatingModel::default()).expect("few entrants"));
    }
    let each = started.elapsed() / FITS;
    println!("refit_us_{GAMES_OF_RUN} {:.0}", each.as_secs_f64() * 1e6);
}

/// Pairs of games of entrants of all strengths, always the same ones.
fn games(count: u64, entrants: u32) -> impl Iterator<Item = RatedGame> {
    let mut source = ChaCha8Rng::seed_from_u64(1);
    let mut seats = (0, 1);
    (0..count).map(move |number| {
        seats = if number % 2 == 0 {
            let south = source.next_u32() % entrants;
            (
                south,
                (south + 1 + source.next_u32() % (entrants - 1)) % entrants,
            )
        } else {
            (seats.1, seats.0)
        };
        let lead = 800.0 * (f64::from(seats.0) - f64::from(seats.1)) / f64::from(entrants) + 30.0;
        let score = expected_score(lead);
        let draws = 0.6 * score.min(1.0 - score);
        let throw = f64::from(source.next_u32()) / 4_294_967_296.0;
        let outcome = if throw < score - draws / 2.0 {
            Outcome::SouthWins
        } else if throw < score + draws / 2.0 {
            Outcome::Draw
        } else {
            Outcome::NorthWins
        };
        RatedGame {
            south: RatedEntrant(seats.0),
            north: RatedEntrant(seats.1),
            outcome,
            opening: None,
            pair: Some(number / 2),
            content: None,
        }
    })
}

fn write_table(path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "game,pair,start,south,north,result")?;
    for (number, game) in games(GAMES, ENTRANTS).enumerate() {
        let result = match game.outcome {
            Outcome::SouthWins => "1-0",
            Outcome::Draw => "1/2-1/2",
            Outcome::NorthWins => "0-1",
        };
        let (south, north, pair) = (game.south.0, game.north.0, number / 2);
        // As in a run's own table: pairings meet the same openings now and then.
        let start = pair * 7_919 % OPENINGS;
        writeln!(
            out,
            "{number},{pair},o{start},bot{south:03},bot{north:03},{result}"
        )?;
    }
    out.flush()
}

/// Rates a table; returns seconds and the peak of memory in KiB.
fn run(table: &Path) -> (f64, u64) {
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_awale"))
        .args(["rate", "--json"])
        .arg(table)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut peak = 0;
    loop {
        // The kernel keeps the peak: the last look before the end misses nothing but the end.
        peak = peak_memory(child.id()).unwrap_or(peak);
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            assert!(status.success(), "awale rate: {status}");
            return (started.elapsed().as_secs_f64(), peak);
        }
        sleep(Duration::from_millis(1));
    }
}
