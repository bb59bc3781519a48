//! Builds the programs of entrants that need it, before the first game: in the sandbox, as many at
//! a time as there are slots, and each content once for the whole run. A build that fails is its
//! entrant's refusal.

use super::bot_factory::PlacedBot;
use super::interrupt::interrupted;
use super::sandboxes::no_place;
use crate::bot::{
    BotSettings, Build, BuildError, BuildFailure, BuildReport, Contents, Restart, SandboxedBot,
    SubmissionError, build_warning,
};
use crate::cli::exit::{Failure, runtime};
use crate::config::Resolved;
use crate::isolation::Equipment;
use crate::record::{DOES_NOT_BUILD, Examiner, Fault, FaultKind, Refusal};
use crate::referee::Stop;
use crate::run_folder::kept_folders::{BUILDS, KeptFolders, OUTPUT, TREE};
use crate::text::quoted;
use crate::tournament::{EntrantIndex, Gate, Phase};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The bots of a run with their built programs, in the sandbox.
pub struct BuiltBots {
    /// In the order of the plan; none of entrants that do not play.
    pub bots: Vec<Option<PlacedBot>>,
    /// The output of failed builds.
    pub outputs: Vec<(EntrantIndex, Vec<u8>)>,
    /// The entrants whose programs could not be built, or whose files changed since they were
    /// hashed.
    refused: Vec<(EntrantIndex, Refusal)>,
}

impl BuiltBots {
    /// The gate with the entrants that are refused here.
    pub fn gate(&self, gate: &Gate) -> Gate {
        let mut gate = gate.clone();
        gate.unfit.extend(self.refused.iter().cloned());
        gate.unfit.sort_by_key(|(entrant, _)| *entrant);
        let unfit = &gate.unfit;
        let is_fit = |entrant: &EntrantIndex| unfit.iter().all(|(it, _)| it != entrant);
        gate.candidates.retain(is_fit);
        gate
    }
}

/// The place and the hash of what was built, or what its build said instead.
type Built = Result<(PathBuf, String), BuildReport>;

/// Builds what was not built before below `folder`, that of a run. `plays` says which entrants need
/// their programs, and `begin` is told how many builds there are. An interruption ends the builds;
/// then some bots are not built and must not be played.
///
/// # Errors
/// The host's.
pub fn build_all(
    resolved: &Resolved,
    folder: &Path,
    equipment: &Equipment,
    plays: &dyn Fn(&str) -> bool,
    interrupt: &watch::Receiver<Phase>,
    begin: impl FnOnce(usize),
) -> Result<BuiltBots, Failure> {
    let folder = KeptFolders::of(folder, BUILDS).map_err(no_build)?;
    let named = resolved.plan.entrants.iter().zip(&resolved.entrants);
    let needed = named.filter(|(entrant, _)| plays(&entrant.name));
    let needed = needed.filter_map(|(_, entrant)| entrant.build.as_ref());
    let needed: BTreeMap<&str, &Build> = needed.map(|it| (it.key.as_str(), it)).collect();
    let mut finished: BTreeMap<String, Built> = BTreeMap::new();
    let mut jobs = Vec::new();
    for (key, build) in needed {
        if let Some(built) = found(&folder, build) {
            finished.insert(key.to_owned(), Ok(built));
            continue;
        }
        match equipment.sandboxed_bot(&settings(build, resolved)) {
            Ok(sandboxed_bot) => jobs.push((build.clone(), sandboxed_bot)),
            Err(SubmissionError::Unfit(reason)) => {
                let report = BuildReport {
                    output: Vec::new(),
                    failure: Some(BuildFailure::passing(reason)),
                };
                finished.insert(key.to_owned(), Err(report));
            }
            Err(SubmissionError::Host(error)) => return Err(no_place(&error)),
        }
    }
    if !jobs.is_empty() {
        begin(jobs.len());
        let slots = resolved.settings.slots as usize;
        let running = run_jobs(jobs, slots, &folder, interrupt.clone(), &mut finished);
        runtime()?.block_on(running)?;
    }
    bots(resolved, &finished, &folder, equipment, plays)
}

/// A finished build whose folder is as it was.
fn found(folder: &KeptFolders, build: &Build) -> Option<(PathBuf, String)> {
    let (place, tree) = (folder.find(&build.key)?, folder.text(&build.key, TREE));
    let contents = build.product(&place).contents().ok()?;
    (contents.tree == tree).then_some((place, tree))
}

/// The settings of the process that builds.
fn settings(build: &Build, resolved: &Resolved) -> BotSettings {
    BotSettings {
        launch: build.launch.clone(),
        restart: Restart::EachGame,
        limits: build.limits.limits,
        start_up: resolved.typed.tournament.start_up,
        new_game: Duration::ZERO,
        build_warning: None,
    }
}

async fn run_jobs(
    mut jobs: Vec<(Build, SandboxedBot)>,
    slots: usize,
    folder: &KeptFolders,
    mut interrupt: watch::Receiver<Phase>,
    finished: &mut BTreeMap<String, Built>,
) -> Result<(), Failure> {
    let mut running = JoinSet::new();
    loop {
        while running.len() < slots
            && let Some((build, sandboxed_bot)) = jobs.pop()
        {
            let to = folder.begin(&build.key).map_err(no_build)?;
            running.spawn(async move {
                let report = build.run(&sandboxed_bot, &to).await;
                // Other builds are served while a folder is hashed.
                let hashed = tokio::task::spawn_blocking(move || {
                    let is_built = report.as_ref().is_ok_and(|it| it.failure.is_none());
                    let contents = is_built.then(|| build.product(&to).contents());
                    (build, report, contents)
                });
                hashed.await.expect("hashing does not panic")
            });
        }
        let ended = tokio::select! {
            biased;
            () = interrupted(&mut interrupt) => return Ok(()),
            ended = running.join_next() => ended,
        };
        let Some(ended) = ended else {
            return Ok(());
        };
        let (build, report, contents) = ended.expect("a build does not panic");
        let report = report.map_err(|error| match error {
            BuildError::Host(error) => no_build(error),
            BuildError::Stop(Stop::Fault(fault)) => Failure::machine(fault.detail),
            BuildError::Stop(Stop::Void(cause) | Stop::Unstarted(cause)) => Failure::machine(cause),
        })?;
        let built = conclude(&build, report, contents, folder).map_err(no_build)?;
        finished.insert(build.key, built);
    }
}

/// Keeps what was built, or what was said instead.
fn conclude(
    build: &Build,
    mut report: BuildReport,
    contents: Option<Result<Contents, SubmissionError>>,
    folder: &KeptFolders,
) -> io::Result<Built> {
    // The program of the entrant's command, if the build makes it.
    let program = build.makes.as_deref();
    let is_made = |it: &Contents| program.is_none_or(|program| it.files.contains_key(program));
    if let Some(contents) = contents {
        report.failure = Some(match contents {
            Ok(contents) if is_made(&contents) => {
                let notes: [(&str, &[u8]); 2] =
                    [(OUTPUT, &report.output), (TREE, contents.tree.as_bytes())];
                let place = folder.keep(&build.key, &notes)?;
                return Ok(Ok((place, contents.tree)));
            }
            Ok(_) => {
                let program = program.unwrap_or(Path::new("")).to_string_lossy();
                let program = quoted(&program);
                BuildFailure::own(format!("it ends well, and makes no file {program}"))
            }
            Err(error) => BuildFailure::passing(error.to_string()),
        });
    }
    folder.discard(&build.key)?;
    Ok(Err(report))
}

/// Places the bots of entrants that play in the sandbox. One that writes into its folder meanwhile
/// stops no other.
fn bots(
    resolved: &Resolved,
    finished: &BTreeMap<String, Built>,
    folder: &KeptFolders,
    equipment: &Equipment,
    plays: &dyn Fn(&str) -> bool,
) -> Result<BuiltBots, Failure> {
    let mut found = BuiltBots {
        bots: vec![None; resolved.entrants.len()],
        outputs: Vec::new(),
        refused: Vec::new(),
    };
    let named = resolved.plan.entrants.iter().zip(&resolved.entrants);
    for (index, (planned, entrant)) in (0..).map(EntrantIndex).zip(named) {
        let mut unfit = resolved.gate.unfit.iter();
        if !plays(&planned.name) || unfit.any(|(it, _)| *it == index) {
            continue;
        }
        let mut bot = entrant.bot.clone();
        if let Some(build) = &entrant.build {
            match finished.get(&build.key) {
                Some(Ok((place, tree))) => {
                    bot.launch = build.launch_built(&bot.launch, place, tree.clone());
                    let output = folder.note(&build.key, OUTPUT);
                    bot.build_warning = output.and_then(|it| build_warning(&it));
                }
                Some(Err(report)) => {
                    let failure = report.failure.as_ref().expect("a failed build");
                    let detail = format!("{DOES_NOT_BUILD}{}", failure.reason);
                    found
                        .refused
                        .push((index, refusal(detail, failure.may_pass)));
                    found.outputs.push((index, report.output.clone()));
                    continue;
                }
                // The builds were interrupted.
                None => {}
            }
        }
        match equipment.sandboxed_bot(&bot) {
            Ok(sandboxed_bot) => found.bots[index.index()] = Some((bot, sandboxed_bot)),
            Err(SubmissionError::Unfit(reason)) => {
                found.refused.push((index, refusal(reason, true)));
            }
            Err(SubmissionError::Host(error)) => return Err(no_place(&error)),
        }
    }
    Ok(found)
}

fn refusal(detail: String, may_pass: bool) -> Refusal {
    Refusal::Fault {
        against: Examiner::Itself,
        fault: Fault::new(FaultKind::StartFailure, detail),
        may_pass,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a function for map_err")]
fn no_build(error: io::Error) -> Failure {
    Failure::machine(format!("cannot build the entrants' programs: {error}"))
}
