//! Builds the programs of entrants that need it, before the first game: in the sandbox, as many at
//! a time as there are slots, and each content once for the whole run. A build that fails is its
//! entrant's refusal.

use super::bot_factory::PlacedBot;
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

/// The bots of a run with their built programs, in the sandbox.
pub struct BuiltBots {
    /// In the order of the plan; none of entrants that do not play.
    pub bots: Vec<Option<PlacedBot>>,
    /// The entrants whose programs could not be built, with what their builds said.
    pub failed: Vec<(EntrantIndex, BuildReport)>,
    /// The entrants whose files changed since they were hashed, in words.
    changed: Vec<(EntrantIndex, String)>,
}

impl BuiltBots {
    /// The gate with the entrants whose programs could not be built.
    pub fn gate(&self, gate: &Gate) -> Gate {
        let refused = |entrant: &EntrantIndex, detail: String, may_pass: bool| {
            let refusal = Refusal::Fault {
                against: Examiner::Itself,
                fault: Fault::new(FaultKind::StartFailure, detail),
                may_pass,
            };
            (*entrant, refusal)
        };
        let failed = self.failed.iter().map(|(entrant, report)| {
            let failure = report.failure.as_ref().expect("a failed build");
            let detail = format!("{DOES_NOT_BUILD}{}", failure.reason);
            refused(entrant, detail, failure.may_pass)
        });
        let changed = self.changed.iter();
        let changed = changed.map(|(entrant, reason)| refused(entrant, reason.clone(), true));
        let mut gate = gate.clone();
        gate.unfit.extend(failed.chain(changed));
        gate.unfit.sort_by_key(|(entrant, _)| *entrant);
        let unfit = &gate.unfit;
        let is_fit = |entrant: &EntrantIndex| unfit.iter().all(|(it, _)| it != entrant);
        gate.candidates.retain(is_fit);
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
            None => match job(build, resolved, equipment) {
                Ok(job) => jobs.push(job),
                Err(SubmissionError::Unfit(reason)) => {
                    let report = BuildReport {
                        output: Vec::new(),
                        failure: Some(BuildFailure::passing(reason)),
                    };
                    finished.failed.insert(build.key.clone(), report);
                }
                Err(SubmissionError::Host(error)) => return Err(no_place(&error)),
            },
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
    bots(resolved, &finished, equipment, plays)
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

fn job(
    build: &Build,
    resolved: &Resolved,
    equipment: &Equipment,
) -> Result<BuildJob, SubmissionError> {
    let settings = BotSettings {
        launch: build.launch.clone(),
        restart: Restart::EachGame,
        limits: build.limits.limits,
        start_up: resolved.typed.tournament.start_up,
        new_game: Duration::ZERO,
    };
    Ok(BuildJob {
        build: build.clone(),
        sandboxed_bot: equipment.sandboxed_bot(&settings)?,
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

/// Places the bots of entrants that play in the sandbox. One that writes into its folder meanwhile
/// stops no other.
fn bots(
    resolved: &Resolved,
    finished: &Finished,
    equipment: &Equipment,
    plays: &dyn Fn(&str) -> bool,
) -> Result<BuiltBots, Failure> {
    let mut found = BuiltBots {
        bots: vec![None; resolved.entrants.len()],
        failed: Vec::new(),
        changed: Vec::new(),
    };
    let named = resolved.plan.entrants.iter().zip(&resolved.entrants);
    for (index, (planned, entrant)) in (0..).map(EntrantIndex).zip(named) {
        let mut unfit = resolved.gate.unfit.iter();
        if !plays(&planned.name) || unfit.any(|(it, _)| *it == index) {
            continue;
        }
        let key = entrant.build.as_ref().map(|build| &build.key);
        if let Some(report) = key.and_then(|key| finished.failed.get(key)) {
            found.failed.push((index, report.clone()));
            continue;
        }
        let mut bot = entrant.bot.clone();
        if let Some(build) = &entrant.build
            && let Some((place, tree)) = finished.built.get(&build.key)
        {
            bot.launch = build.launch_built(&bot.launch, place, tree.clone());
        }
        match equipment.sandboxed_bot(&bot) {
            Ok(sandboxed_bot) => found.bots[index.index()] = Some((bot, sandboxed_bot)),
            Err(SubmissionError::Unfit(reason)) => found.changed.push((index, reason)),
            Err(SubmissionError::Host(error)) => return Err(no_place(&error)),
        }
    }
    Ok(found)
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
