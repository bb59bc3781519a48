//! `awale run`: plays the tournament of a configuration, or goes on with it; the main job.
//!
//! ```text
//! folder     the run's folder: lock, journal, files written whole
//! lines      where the games stand in the journal
//! interrupt  signals → how far to stop
//! admission  what is told of the admission gate
//! bench      the players: bots as processes
//! faults     the evidence of faults, a folder each
//! dry_run    what would be played
//! tables     journal → tables in the folder
//! watch      what is shown while it runs
//! ```

mod admission;
mod bench;
mod dry_run;
mod faults;
mod folder;
mod interrupt;
mod lines;
mod tables;
mod watch;

use super::args::RunArguments;
use super::config::{self, Logs, Overrides, Resolved};
use super::exit::{Exit, Failure, output_failure, tell};
use super::guardian::{CommandLine, Guard};
use super::isolation::{Equipment, Isolation, Wish};
use crate::bot::Level;
use crate::record::GameRecord;
use crate::referee::Measure;
use crate::report::{Leaders, Tables};
use crate::rules::Side;
use crate::tournament::{Event, JournalError, RunOutcome, RunSetup, Schedule, run as play};
use bench::BotBench;
use faults::FaultyGame;
use folder::{FolderError, Found, RunFolder};
use std::io::Write as _;
use std::time::Duration;
use watch::Watcher;

/// How long games that are being played may go on after the first Ctrl-C.
const GRACE: Duration = Duration::from_secs(10);

/// Plays or resumes.
pub(super) fn run(arguments: &RunArguments, guard: &Guard) -> Result<Exit, Failure> {
    let (resolved, isolation) = load(arguments, Some(guard))?;
    let is_root = rustix::process::geteuid().is_root();
    if is_root && isolation.level == Level::None && has_strangers(&resolved) {
        check_trust(arguments, &isolation)?;
    }
    Run {
        arguments,
        guard,
        resolved: &resolved,
        isolation: &isolation,
        schedule: &Schedule::new(&resolved.plan),
    }
    .play()
}

/// Says what would be played, and starts nothing.
pub(super) fn describe(arguments: &RunArguments) -> Result<Exit, Failure> {
    let (resolved, isolation) = load(arguments, None)?;
    if isolation.level > Level::None {
        tell(&format!(
            "isolation: nothing is started, and nothing tried; a run would try {} first",
            isolation.level.name()
        ));
    }
    say(&if arguments.dump_config {
        config::dump(&resolved)
    } else {
        dry_run::describe(&resolved, &Schedule::new(&resolved.plan))
    })
}

fn load(arguments: &RunArguments, guard: Option<&Guard>) -> Result<(Resolved, Isolation), Failure> {
    let mut isolation = None;
    let choose = |level: Option<Level>| {
        let wish = Wish {
            level,
            at_least: arguments.require_isolation,
        };
        let chosen = isolation.insert(Isolation::choose(wish, guard));
        // Whatever else is wrong with the configuration is said first.
        chosen.as_ref().map_or(Level::None, |chosen| chosen.level)
    };
    let resolved =
        config::load(&arguments.config, &overrides(arguments), choose).map_err(Failure::usage)?;
    let isolation = isolation.expect("a configuration that was read has asked for a level");
    Ok((resolved, isolation.map_err(Failure::usage)?))
}

/// Whether any bot is not one of our own.
fn has_strangers(resolved: &Resolved) -> bool {
    let own = std::env::current_exe().ok();
    let mut bots = resolved.bots.iter();
    bots.any(|bot| Some(&bot.launch.program) != own.as_ref())
}

/// Root, no isolation and programs of others: only for who says so.
fn check_trust(arguments: &RunArguments, isolation: &Isolation) -> Result<(), Failure> {
    if arguments.i_trust_these_bots {
        return Ok(());
    }
    let reasons = isolation.banner().join("\n  ");
    Err(Failure::usage(format!(
        "without isolation, bots could do to this machine whatever root can. Run as another user, \
         or with --i-trust-these-bots if you wrote them all\n  {reasons}"
    )))
}

fn overrides(arguments: &RunArguments) -> Overrides {
    Overrides {
        pairs: arguments.pairs,
        slots: arguments.slots,
        seed: arguments.seed,
        isolation: arguments.isolation.clone(),
        sets: arguments.sets.clone(),
        output: arguments.output.clone(),
        oversubscribe: arguments.oversubscribe,
    }
}

fn say(text: &str) -> Result<Exit, Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| output_failure(&error))?;
    Ok(Exit::Done)
}

/// A configuration mistake or a failure of the machine?
fn folder_failure(error: FolderError) -> Failure {
    match error {
        FolderError::Journal {
            error: JournalError::ForeignPlan(_) | JournalError::Newer { .. },
            ..
        } => Failure::usage(error),
        _ => Failure::machine(error),
    }
}

fn no_place(error: &std::io::Error) -> Failure {
    Failure::machine(format!(
        "cannot lay out the bots' files for the sandbox: {error}"
    ))
}

/// One run of one plan.
struct Run<'a> {
    arguments: &'a RunArguments,
    guard: &'a Guard,
    resolved: &'a Resolved,
    isolation: &'a Isolation,
    schedule: &'a Schedule,
}

impl Run<'_> {
    fn play(&self) -> Result<Exit, Failure> {
        // Heard from here on: a Ctrl-C never leaves a half-made folder locked or a bot alone.
        let interrupt = interrupt::listen(self.guard)
            .map_err(|error| Failure::machine(format!("cannot listen to signals: {error}")))?;
        let folder = RunFolder::open(&self.resolved.output).map_err(folder_failure)?;
        if self.guard.forgets(&self.resolved.output) {
            return Err(Failure::usage(format!(
                "{} would be lost with the run: it leads to /dev/shm, which each run has to \
                 itself; name /dev/shm in the command, or choose another folder with --output",
                self.resolved.output.display()
            )));
        }
        let names = self.resolved.plan.names();
        let mut leaders = Leaders::new(&names).map_err(Failure::machine)?;
        let mut found = self.find(&folder, &mut leaders)?;
        let mut watcher = self.watcher(leaders, &found);
        let setup = RunSetup {
            plan: &self.resolved.plan,
            schedule: self.schedule,
            openings: &self.resolved.openings,
            gate: self.resolved.gate.clone(),
            slots: self.slots(),
            grace: GRACE,
        };
        let equipment = self.equip()?;
        let bench = BotBench::new(&equipment, &self.resolved.bots);
        let bench = bench.map_err(|error| no_place(&error))?;
        for warning in equipment.warnings() {
            watcher.warn(&warning);
        }
        let mut journal = folder
            .journal(&self.resolved.plan, &found)
            .map_err(folder_failure)?;
        let played = play(
            &setup,
            &bench,
            &mut journal,
            std::mem::take(&mut found.progress),
            interrupt,
            &mut |event| self.hear(event, &folder, &mut watcher),
        );
        watcher.close();
        watcher.banner(&self.isolation.banner());
        let outcome = played.map_err(Failure::machine)?;
        if outcome.barred {
            // Nothing was played that must be kept: whatever is mended, it is a new run.
            folder.clear().map_err(folder_failure)?;
            let reason = admission::barred(&outcome.exclusions, self.resolved);
            return Err(Failure::usage(reason));
        }
        let (tables, noise) = tables::write(&folder, &names, &outcome.exclusions)?;
        watcher.add_note(noise.sentence());
        watcher
            .finished(&tables, outcome.interrupted)
            .map_err(|error| output_failure(&error))?;
        self.conclude(&tables, &outcome)
    }

    /// The sandbox: whatever the configuration lies beside is no bot's to see.
    fn equip(&self) -> Result<Equipment, Failure> {
        let hidden = [&self.resolved.folder, &self.resolved.output];
        let hidden = hidden.map(std::fs::canonicalize).into_iter().flatten();
        let freeze = self.resolved.freeze;
        let equipment = Equipment::new(self.isolation, self.guard, freeze, hidden.collect())
            .map_err(|error| no_place(&error))?;
        let by_cpu = self.resolved.plan.clock.measure == Measure::Cpu;
        if by_cpu && !equipment.counts_cpu_time() {
            return Err(Failure::usage(
                "`measure` = \"cpu\" in [clock] needs control groups, which alone count all CPU \
                 time of a bot and whatever it starts, and none can be made here; take \
                 measure = \"wall\"",
            ));
        }
        Ok(equipment)
    }

    /// What the folder holds of this plan already; a new folder gets its plan. The leaders of a
    /// run that goes on are those of all its games.
    fn find(&self, folder: &RunFolder, leaders: &mut Leaders<'_>) -> Result<Found, Failure> {
        let found = folder
            .find(&self.resolved.plan, |record| {
                // A record of strangers is refused by the tables; the bar only leaves it out.
                let _ = leaders.add(record);
            })
            .map_err(folder_failure)?;
        if !found.has_plan || !folder.has("plan.toml") {
            let plan = config::dump(self.resolved) + &self.isolation.provenance();
            folder
                .write("plan.toml", plan.as_bytes())
                .map_err(folder_failure)?;
        }
        Ok(found)
    }

    fn watcher<'n>(&self, leaders: Leaders<'n>, found: &Found) -> Watcher<'n> {
        let total = self.schedule.game_count();
        let done = found.progress.games_done();
        let style = watch::Style::choose(self.arguments.quiet, self.arguments.json);
        let mut watcher = Watcher::new(style, leaders, total, done);
        watcher.banner(&self.isolation.banner());
        watcher.add_note(self.isolation.note());
        for warning in self.isolation.warnings() {
            watcher.warn(&warning);
        }
        for warning in &self.resolved.warnings {
            watcher.warn(warning);
        }
        if let Some(warning) = self.guard.warning() {
            watcher.warn(&warning);
        }
        if let Err(error) = faults::sweep(self.resolved, &found.progress) {
            watcher.warn(&format!("evidence of an earlier run is left: {error}"));
        }
        if found.torn_bytes > 0 {
            watcher.warn(&format!(
                "the last line of {} was cut short by a crash; its {} bytes were dropped, and \
                 its game is played again",
                folder::JOURNAL,
                found.torn_bytes
            ));
        }
        watcher.started(&self.resolved.plan.name, &self.resolved.output);
        watcher
    }

    /// The cores of each slot, as many as it takes.
    fn slots(&self) -> Vec<Vec<usize>> {
        let (processors, each) = (&self.resolved.processors, self.resolved.cores_per_slot);
        let mut cores = processors.iter().copied().cycle();
        (0..self.resolved.slots)
            .map(|_| cores.by_ref().take(each as usize).collect())
            .collect()
    }

    fn hear(&self, event: &Event<'_>, folder: &RunFolder, watcher: &mut Watcher<'_>) {
        if let Event::Fault {
            record,
            logs,
            evidence,
        } = event
        {
            let game = FaultyGame {
                record,
                logs: (self.resolved.logs != Logs::None).then_some(*logs),
                evidence,
            };
            if let Err(error) = faults::write(&game, self.resolved) {
                watcher.warn(&format!("the evidence of a fault is lost: {error}"));
            }
        }
        if let Event::Finished { record, logs } = event
            && let Err(error) = self.keep_logs(record, logs, folder)
        {
            watcher.warn(&format!("a bot's log is lost: {error}"));
        }
        if let Event::Failed(game) = event
            && let Err(error) = admission::keep_evidence(game, self.resolved, folder)
        {
            watcher.warn(&format!("the evidence of a fault is lost: {error}"));
        }
        if let Event::Examined { admission: it, .. } = event
            && it.refusal.is_none()
            && let Err(error) = admission::drop_evidence(&it.entrant, self.resolved)
        {
            watcher.warn(&format!("old evidence of {} is left: {error}", it.entrant));
        }
        watcher.hear(event);
    }

    fn keep_logs(
        &self,
        record: &GameRecord,
        logs: &[Vec<u8>; 2],
        folder: &RunFolder,
    ) -> Result<(), FolderError> {
        let wanted = match self.resolved.logs {
            Logs::All => true,
            // Those of faults are in their evidence.
            Logs::Faults => record.is_void(),
            Logs::None => false,
        };
        for side in Side::BOTH {
            let log = &logs[side.index()];
            if wanted && !log.is_empty() {
                folder.write(&format!("logs/{}.{side}.txt", record.id), log)?;
            }
        }
        Ok(())
    }

    fn conclude(&self, tables: &Tables<'_>, outcome: &RunOutcome) -> Result<Exit, Failure> {
        let (played, all) = (tables.games(), outcome.games);
        if outcome.interrupted && !outcome.complete {
            tell(&format!(
                "interrupted: {played} of {all} games are played; to go on:\n  {}",
                own_command()
            ));
            return Ok(Exit::Interrupted);
        }
        if played == 0 && !outcome.exclusions.given_up.is_empty() {
            return Err(Failure::machine(
                "the host spoilt every game four times; mend the host and play in another folder \
                 with --output",
            ));
        }
        let blameless = !tables.standings().any_fault() && outcome.exclusions.is_empty();
        Ok(if self.arguments.strict && !blameless {
            Exit::Attention
        } else {
            Exit::Done
        })
    }
}

/// The command line of the user, as a shell would take it again.
fn own_command() -> String {
    let words = CommandLine::own().words.into_iter();
    let words = words.map(|word| shell_word(&word.to_string_lossy()));
    words.collect::<Vec<String>>().join(" ")
}

/// A word as a shell would take it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
