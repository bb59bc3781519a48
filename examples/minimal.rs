//! A small tournament through the library alone: three functions play a round robin, the tables
//! are written, and every game is verified. `cargo run --example minimal [FOLDER]`; the same
//! command again goes on where the last one was interrupted.

use awale::referee::Turn;
use awale::rules::Pit;
use awale::run_folder::{kept_secret, play};
use awale::tournament::{InProcess, Plan, RunDocument, RunSettings, Secret};
use awale::verification::{self, Findings, Severity};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1);
    let path = path.map_or_else(|| PathBuf::from("results/minimal"), PathBuf::from);
    let secret = kept_secret(&path).map_or_else(Secret::drawn, Ok)?;
    let plan = Plan::round_robin(["first", "last", "fullest"], 20, secret);
    let run = RunDocument::new(plan, RunSettings::default());

    let first: fn(&Turn) -> Pit = |turn| turn.legal.iter().next().expect("a legal pit");
    let last: fn(&Turn) -> Pit = |turn| turn.legal.iter().last().expect("a legal pit");
    let fullest: fn(&Turn) -> Pit = |turn| {
        let seeds = |pit: &Pit| turn.position.seeds(*pit);
        turn.legal.iter().max_by_key(seeds).expect("a legal pit")
    };
    play(&path, &run, &InProcess::new([first, last, fullest]))?;
    print!("{}", std::fs::read_to_string(path.join("standings.csv"))?);

    let mut findings = Findings::new();
    let folder = verification::open(&path)?;
    let examined = verification::examine(&folder, &|_| Ok(run.clone()), &mut findings)?;
    println!("{} games verified", examined.verdict.games);
    match findings.all(Severity::Problem).next() {
        Some(problem) => Err(format!("{:?}: {}", problem.check, problem.message).into()),
        None => Ok(()),
    }
}
