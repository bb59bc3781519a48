//! Builds the programs of entrants that need it, before the first game: in the sandbox, as many at
//! a time as there are slots, and each content once for the whole run. A build that fails is its
//! entrant's refusal.

use super::sandboxes::no_place;
use crate::bot::{
    BotSettings, Build, BuildError, BuildFailure, BuildReport, Contents, Restart, SandboxedBot,
    SubmissionError,
};
use crate::cli::exit::Failure;
use crate::config::Resolved;
use crate::isolation::Equipment;
use crate::record::{DOES_NOT_BUILD, Examiner, Fault, FaultKind, Refusal};
use crate::referee::Stop;
use crate::run_folder::Builds;
use crate::text::quoted;
use crate::tournament::{EntrantIndex, Gate, Phase};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The bots of a run with their built programs.
pub struct BuiltBots {
    /// In the order of the plan.
    pub bots: Vec<BotSettings>,
    /// The entrants whose programs could not be built, with what their builds said.
    pub failed: Vec<(EntrantIndex, BuildReport)>,
}

impl BuiltBots {
    /// The gate with the entrants whose programs could not be built.
    pub fn gate(&self, gate: &Gate) -> Gate {
        let is_built = |entrant: &EntrantIndex| self.failed.iter().all(|(it, _)| it != entrant);
        let mut gate = gate.clone();
        gate.candidates.retain(is_built);
        gate.unfit
            .extend(self.failed.iter().map(|(entrant, report)| {
                let failure = report.failure.as_ref().expect("a failed build");
                let detail = format!("{DOES_NOT_BUILD}{}", failure.reason);
                let refusal = Refusal::Fault {
                    against: Examiner::Itself,
                    fault: Fault::new(FaultKind::StartFailure, detail),
                    may_pass: failure.may_pass,
                };
                (*entrant, refusal)
            }));
        gate.unfit.sort_by_key(|(entrant, _)| *entrant);
        gate
    }
}

/// A build that several entrants may share.
struct BuildJob {
    build: Build,
    sandboxed_bot: SandboxedBot,
}

/// What is known of the builds so far, by their keys.
#[derive(Default)]
struct Finished {
    built: BTreeMap<String, (PathBuf, String)>,
    failed: BTreeMap<String, BuildReport>,
}

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
    // A program is started from another folder.
    let folder = std::path::absolute(folder).map_err(|error| no_build(&error))?;
    let folder = Builds::of(&folder).map_err(|error| no_build(&error))?;
    let needed = needed(resolved, plays);
    let mut finished = Finished::default();
    let mut jobs = Vec::new();
    for build in needed.values() {
        match found(&folder, build) {
            Some(built) => drop(finished.built.insert(build.key.clone(), built)),
            None => jobs.push(job(build, resolved, equipment)?),
        }
    }
    if !jobs.is_empty() {
        begin(jobs.len());
        let slots = resolved.settings.slots as usize;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| no_build(&error))?;
        runtime.block_on(run_jobs(
            jobs,
            slots,
            &folder,
            interrupt.clone(),
            &mut finished,
        ))?;
    }
    Ok(bots(resolved, &finished))
}

/// The builds that are needed, by their keys.
fn needed<'r>(
    resolved: &'r Resolved,
    plays: &dyn Fn(&str) -> bool,
) -> BTreeMap<&'r str, &'r Build> {
    let named = resolved.plan.entrants.iter().zip(&resolved.entrants);
    let needed = named.filter(|(entrant, _)| plays(&entrant.name));
    let builds = needed.filter_map(|(_, entrant)| entrant.build.as_ref());
    builds.map(|build| (build.key.as_str(), build)).collect()
}

/// A finished build whose folder is as it was.
fn found(folder: &Builds, build: &Build) -> Option<(PathBuf, String)> {
    let (place, tree) = folder.finished(&build.key)?;
    let contents = build.product(&place).contents().ok()?;
    (contents.tree == tree).then_some((place, tree))
}

fn job(build: &Build, resolved: &Resolved, equipment: &Equipment) -> Result<BuildJob, Failure> {
    let settings = BotSettings {
        launch: build.launch.clone(),
        restart: Restart::EachGame,
        limits: build.limits.limits,
        start_up: resolved.typed.tournament.start_up,
        new_game: Duration::ZERO,
    };
    let mut placed = equipment
        .sandboxed_bots(&[settings])
        .map_err(|error| no_place(&error))?;
    let (_, sandboxed_bot) = placed.pop().expect("a sandboxed bot for each bot");
    Ok(BuildJob {
        build: build.clone(),
        sandboxed_bot,
    })
}

async fn run_jobs(
    mut jobs: Vec<BuildJob>,
    slots: usize,
    folder: &Builds,
    mut interrupt: watch::Receiver<Phase>,
    finished: &mut Finished,
) -> Result<(), Failure> {
    let mut running = JoinSet::new();
    loop {
        while running.len() < slots
            && let Some(BuildJob {
                build,
                sandboxed_bot,
            }) = jobs.pop()
        {
            let to = folder.begin(&build.key).map_err(|error| no_build(&error))?;
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
            _ = interrupt.wait_for(|phase| *phase > Phase::Play) => return Ok(()),
            ended = running.join_next() => ended,
        };
        let Some(ended) = ended else {
            return Ok(());
        };
        let (build, report, contents) = ended.expect("a build does not panic");
        let report = report.map_err(failure)?;
        conclude(&build, report, contents, folder, finished)?;
    }
}

/// Keeps what was built, or what was said instead.
fn conclude(
    build: &Build,
    mut report: BuildReport,
    contents: Option<Result<Contents, SubmissionError>>,
    folder: &Builds,
    finished: &mut Finished,
) -> Result<(), Failure> {
    let key = &build.key;
    if let Some(contents) = contents {
        match contents {
            Ok(contents) if !makes_program(build, &contents) => {
                let program = build.makes.as_deref().unwrap_or(Path::new(""));
                let program = quoted(&program.to_string_lossy());
                let reason = format!("it ends well, and makes no file {program}");
                report.failure = Some(BuildFailure::own(reason));
            }
            Ok(contents) => {
                let kept = folder.keep(key, &contents.tree, &report.output);
                let place = kept.map_err(|error| no_build(&error))?;
                finished.built.insert(key.clone(), (place, contents.tree));
                return Ok(());
            }
            Err(error) => report.failure = Some(BuildFailure::passing(error.to_string())),
        }
    }
    folder.discard(key).map_err(|error| no_build(&error))?;
    finished.failed.insert(key.clone(), report);
    Ok(())
}

/// Whether the program of the entrant's command is there, if the build makes it.
fn makes_program(build: &Build, contents: &Contents) -> bool {
    let made = build.makes.as_ref();
    made.is_none_or(|program| contents.files.contains_key(program))
}

fn bots(resolved: &Resolved, finished: &Finished) -> BuiltBots {
    let mut found = BuiltBots {
        bots: resolved.bots(),
        failed: Vec::new(),
    };
    for (bot, (entrant, index)) in found.bots.iter_mut().zip(resolved.entrants.iter().zip(0..)) {
        let Some(build) = &entrant.build else {
            continue;
        };
        if let Some((place, tree)) = finished.built.get(&build.key) {
            bot.launch = build.launch_built(&bot.launch, place, tree.clone());
        } else if let Some(report) = finished.failed.get(&build.key) {
            found.failed.push((EntrantIndex(index), report.clone()));
        }
    }
    found
}

fn failure(error: BuildError) -> Failure {
    match error {
        BuildError::Host(error) => no_build(&error),
        BuildError::Stop(Stop::Fault(fault)) => Failure::machine(fault.detail),
        BuildError::Stop(Stop::Void(cause) | Stop::Unstarted(cause)) => Failure::machine(cause),
    }
}

fn no_build(error: &std::io::Error) -> Failure {
    Failure::machine(format!("cannot build the entrants' programs: {error}"))
}
