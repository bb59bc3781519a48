//! A small tournament through the library alone: three functions play a round robin, the tables
//! are written, and every game is verified. `cargo run --example minimal [FOLDER]`; the same
//! command again goes on where the last one was interrupted.

use awale::referee::Turn;
use awale::rules::Pit;
use awale::run_folder::tables::{self, TableInputs};
use awale::run_folder::{PLAN, RunFolder, kept_secret};
use awale::tournament::{InProcess, Openings, Phase, Plan, RunDocument, RunSettings, RunSetup};
use awale::tournament::{Schedule, Secret, run};
use awale::verification::{self, Findings, Severity};
use std::error::Error;
use std::path::{Path, PathBuf};
use tokio::sync::watch;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1);
    let path = path.map_or_else(|| PathBuf::from("results/minimal"), PathBuf::from);
    let secret = kept_secret(&path).map_or_else(Secret::drawn, Ok)?;
    let plan = Plan::round_robin(["first", "last", "fullest"], 20, secret);
    let document = RunDocument::new(plan, RunSettings::default());
    play(&path, &document)?;
    verify(&path, &document)
}

/// Plays what the folder lacks, and writes its tables.
fn play(path: &Path, document: &RunDocument) -> Result<(), Box<dyn Error>> {
    let first: fn(&Turn) -> Pit = |turn| turn.legal.iter().next().expect("a legal pit");
    let last: fn(&Turn) -> Pit = |turn| turn.legal.iter().last().expect("a legal pit");
    let fullest: fn(&Turn) -> Pit = |turn| {
        let seeds = |pit: &Pit| turn.position.seeds(*pit);
        turn.legal.iter().max_by_key(seeds).expect("a legal pit")
    };
    let players = InProcess::new([first, last, fullest]);
    let plan = &document.plan;
    let (schedule, openings) = (
        Schedule::new(plan),
        Openings::of(plan).ok_or("no openings")?,
    );
    let setup = RunSetup::new(plan, &schedule, &openings);

    let folder = RunFolder::open(path)?;
    let found = folder.find(plan)?;
    let mut journal = folder.journal(document, &found)?;
    let (_interrupt, interrupts) = watch::channel(Phase::Play);
    let outcome = run(
        &setup,
        &players,
        &mut journal,
        found.progress,
        interrupts,
        &mut |_| (),
    )?;

    folder.write(
        PLAN,
        format!("[provenance]\nplan-sha256 = \"{}\"\n", plan.hash()).as_bytes(),
    )?;
    let inputs = TableInputs {
        plan,
        names: &plan.names(),
        exclusions: &outcome.exclusions,
        model: &document.rating_model(),
    };
    let (tables, _) = tables::write(&folder, path, &inputs)?;
    tables.standings_csv(std::io::stdout())?;
    Ok(())
}

/// Makes every check of the folder; the first problem is the error.
fn verify(path: &Path, document: &RunDocument) -> Result<(), Box<dyn Error>> {
    let mut findings = Findings::new();
    let folder = verification::open(path)?;
    let examined = verification::examine(&folder, &|_| Ok(document.clone()), &mut findings)?;
    println!("{} games verified", examined.verdict.games);
    for check in findings.checks() {
        if let Some(problem) = findings.of(check, Severity::Problem).next() {
            return Err(format!("{check:?}: {}", problem.message).into());
        }
    }
    Ok(())
}
