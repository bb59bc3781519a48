//! A run of a plan in its folder: finds what was played, plays the rest, and writes the tables. The
//! command decides what follows from the games.

use super::super::args::PlayArguments;
use super::super::exit::Failure;
use super::watch::{self, TestLine, Watcher};
use super::{admission, interrupt};
use crate::bot::Level;
use crate::cli::house_commands::HOUSE_COMMANDS;
use crate::cli::run::bot_factory::BotFactory;
use crate::cli::run::kept_processes::keep_limits;
use crate::cli::run::run_failure::run_failure;
use crate::cli::run::sandboxes::{check_trust, equip, has_strangers, no_place};
use crate::config::{self, DumpTo, Logs, Overrides, Resolved, SecretSource};
use crate::isolation::supervisor::Guard;
use crate::isolation::{Isolation, IsolationRequest};
use crate::record::{Exclusions, GameRecord};
use crate::report::{HostNoise, Leaders, Tables};
use crate::rules::Side;
use crate::run_folder::fault_folder::{self, FaultyGame, RunFacts};
use crate::run_folder::{self, FolderError, FoundJournal, RunFolder, tables};
use crate::tournament::{
    Event, RunDocument, RunOutcome, RunSetup, Schedule, TestProgress, run as play,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long games in progress may go on after the first Ctrl-C.
pub const GRACE: Duration = Duration::from_secs(10);
/// The pause before a disturbed examination is repeated for the first time. With the later pauses,
/// four and sixteen times as long, it is 105 s: enough for a busy minute to pass.
const PAUSE: Duration = Duration::from_secs(5);

/// The source of a configuration.
pub enum ConfigSource<'a> {
    /// A file.
    File(&'a Path),
    /// A text, and the path that it would have.
    Text(&'a str, PathBuf),
}

/// Resolves a configuration, with the isolation that it requires, as far as that is available.
pub fn load(
    source: ConfigSource<'_>,
    overrides: &Overrides,
    arguments: &PlayArguments,
    guard: Option<&Guard>,
) -> Result<(Resolved, Isolation), Failure> {
    let mut isolation = None;
    let choose = |level: Option<Level>| {
        let request = IsolationRequest {
            level,
            at_least: arguments.require_isolation,
        };
        let chosen = isolation.insert(Isolation::choose(request, guard));
        // All other errors in the configuration are reported first.
        chosen.as_ref().map_or(Level::None, Isolation::level)
    };
    let overrides = Overrides {
        secret: match guard {
            Some(_) => SecretSource::FolderOrDrawn(run_folder::kept_secret),
            None => SecretSource::Folder(run_folder::kept_secret),
        },
        ..overrides.clone()
    };
    let resolved = match source {
        ConfigSource::File(file) => config::load(file, &overrides, &HOUSE_COMMANDS, choose),
        ConfigSource::Text(text, at) => {
            config::load_bytes(text.as_bytes(), &at, &overrides, &HOUSE_COMMANDS, choose)
        }
    }
    .map_err(Failure::usage)?;
    let isolation = isolation.expect("a configuration that was read has asked for a level");
    Ok((resolved, isolation.map_err(Failure::usage)?))
}

/// The overrides of a configuration from flags that all such commands share.
pub fn overrides(arguments: &PlayArguments) -> Overrides {
    Overrides {
        slots: arguments.slots,
        seed: arguments.seed,
        isolation: arguments.isolation.clone(),
        sets: arguments.sets.clone(),
        output: arguments.output.clone(),
        oversubscribe: arguments.oversubscribe,
        ..Overrides::default()
    }
}

/// A run of a plan in its folder.
pub struct Session<'a> {
    arguments: &'a PlayArguments,
    guard: &'a Guard,
    resolved: &'a Resolved,
    isolation: &'a Isolation,
    run: RunDocument,
    schedule: Schedule,
    names: Vec<String>,
    evidence: fault_folder::Used,
}

/// The end of a session.
pub enum Ended<'s> {
    /// Nothing may be played: too few entrants were admitted, or not all where all must be. In
    /// words.
    Barred(String),
    /// Something was played, now or earlier.
    Played(Box<SessionResult<'s>>),
}

/// The results of a session.
pub struct SessionResult<'s> {
    /// The observer of the run.
    pub watcher: Watcher<'s>,
    /// The tables, which are also in the folder.
    pub tables: Tables<'s>,
    /// The outcome of the run.
    pub outcome: RunOutcome,
}

impl<'a> Session<'a> {
    /// Refuses what only a user who trusts the bots may do.
    pub fn new(
        arguments: &'a PlayArguments,
        guard: &'a Guard,
        resolved: &'a Resolved,
        isolation: &'a Isolation,
    ) -> Result<Self, Failure> {
        let trusts = arguments.i_trust_these_bots;
        check_trust(trusts, isolation, has_strangers(resolved))?;
        Ok(Self {
            arguments,
            guard,
            resolved,
            isolation,
            run: resolved.document(),
            schedule: Schedule::new(&resolved.plan),
            names: resolved.plan.names(),
            evidence: fault_folder::Used::default(),
        })
    }

    /// Plays or resumes, and writes the tables.
    pub fn play(&self) -> Result<Ended<'_>, Failure> {
        self.play_with(|_| ())
    }

    /// The same; a sequential test is shown while it runs.
    pub fn play_showing<'s>(
        &'s self,
        show: impl FnMut(&TestProgress) -> TestLine + 's,
    ) -> Result<Ended<'s>, Failure> {
        self.play_with(|watcher| watcher.show_test(show))
    }

    fn play_with<'s>(
        &'s self,
        prepare: impl FnOnce(&mut Watcher<'s>),
    ) -> Result<Ended<'s>, Failure> {
        // Signals are handled from here on: Ctrl-C never leaves a half-made folder locked or a bot
        // alone.
        let interrupt = interrupt::listen(self.guard)
            .map_err(|error| Failure::machine(format!("cannot listen to signals: {error}")))?;
        let folder = RunFolder::open(&self.resolved.output).map_err(Failure::from)?;
        if self.guard.forgets(&self.resolved.output) {
            return Err(Failure::usage(format!(
                "{} would be lost with the run: it leads to /dev/shm, which each run has to \
                 itself; name /dev/shm in the command, or choose another folder with --output",
                self.resolved.output.display()
            )));
        }
        let mut leaders = Leaders::new(&self.names).map_err(Failure::machine)?;
        let mut found = self.find(&folder, &mut leaders)?;
        let mut watcher = self.watcher(leaders, &found);
        prepare(&mut watcher);
        let setup = self.setup(&mut watcher);
        let equipment = equip(self.resolved, self.isolation, self.guard)?;
        let factory = BotFactory::new(&equipment, &self.resolved.bots());
        let factory = factory.map_err(|error| no_place(&error))?;
        for warning in equipment.warnings() {
            watcher.warn(&warning);
        }
        let mut journal = folder.journal(&self.run, &found).map_err(Failure::from)?;
        let earlier = found.progress.games_done();
        let played = play(
            &setup,
            &factory,
            &mut journal,
            std::mem::take(&mut found.progress),
            interrupt,
            &mut |event| self.hear(event, &folder, &mut watcher),
        );
        watcher.close();
        watcher.banner(&self.isolation.banner());
        let outcome = played.map_err(run_failure)?;
        if outcome.barred {
            admission::check_unplayed(earlier, self.resolved).map_err(Failure::machine)?;
            // Nothing was played that must be kept: after the problem is fixed, this is a new run.
            folder.clear().map_err(Failure::from)?;
            let reason = admission::barred(&outcome.exclusions, self.resolved);
            return Ok(Ended::Barred(reason));
        }
        let (tables, noise) = self.write_tables(&folder, &mut found, &outcome.exclusions)?;
        watcher.add_note(noise.sentence());
        Ok(Ended::Played(Box::new(SessionResult {
            watcher,
            tables,
            outcome,
        })))
    }

    /// Reads what was played now, and writes the tables of all games.
    fn write_tables(
        &self,
        folder: &RunFolder,
        found: &mut FoundJournal,
        exclusions: &Exclusions,
    ) -> Result<(Tables<'_>, HostNoise), Failure> {
        let inputs = tables::TableInputs {
            plan: &self.resolved.plan,
            names: &self.names,
            exclusions,
            model: &self.run.rating_model(),
        };
        folder.read_on(&mut found.games, &mut |_, _| Ok(()))?;
        let written = tables::write_from(found.games.store(), &self.resolved.output, &inputs);
        Ok(written?)
    }

    fn setup(&self, watcher: &mut Watcher<'_>) -> RunSetup<'_> {
        let (keep, warning) = keep_limits(self.resolved);
        if let Some(warning) = warning {
            watcher.warn(&warning);
        }
        RunSetup {
            plan: &self.resolved.plan,
            schedule: &self.schedule,
            openings: &self.resolved.openings,
            gate: self.resolved.gate.clone(),
            slots: self.slots(),
            keep,
            grace: GRACE,
            pause: PAUSE,
        }
    }

    /// What the folder contains of this plan; a new folder gets its plan. The leaders of a resumed
    /// run are those of all its games.
    fn find(&self, folder: &RunFolder, leaders: &mut Leaders<'_>) -> Result<FoundJournal, Failure> {
        let found = folder.find(&self.resolved.plan).map_err(Failure::from)?;
        // The leaders are shown while games are played.
        if found.progress.games_done() < self.schedule.game_count() {
            for game in found.games.store().results() {
                // The tables refuse a game of other entrants; the progress bar only skips it.
                let _ = leaders.add_summary(&game);
            }
        }
        // The settings may have changed; the tables use the present ones.
        let is_kept = folder.file(run_folder::PLAN).exists();
        if !is_kept || found.settings.as_ref() != Some(&self.run.settings) {
            let plan = config::dump(self.resolved, DumpTo::Folder) + &self.isolation.provenance();
            folder
                .write(run_folder::PLAN, plan.as_bytes())
                .map_err(Failure::from)?;
        }
        Ok(found)
    }

    fn watcher<'n>(&self, leaders: Leaders<'n>, found: &FoundJournal) -> Watcher<'n> {
        let total = self.schedule.game_count();
        let done = found.progress.games_done();
        let style = watch::WatchStyle::choose(self.arguments.quiet, self.arguments.json);
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
        if let Err(error) =
            fault_folder::sweep(&self.resolved.output, &self.resolved.plan, &found.progress)
        {
            watcher.warn(&format!("evidence of an earlier run is left: {error}"));
        }
        if found.torn_bytes > 0 {
            watcher.warn(&format!(
                "the last line of {} was cut short by a crash; its {} bytes were dropped, and \
                 its game is played again",
                run_folder::JOURNAL,
                found.torn_bytes
            ));
        }
        let may_end_early = self.resolved.plan.test.is_some();
        let name = &self.run.settings.name;
        watcher.started(name, &self.resolved.output, may_end_early);
        watcher
    }

    /// The cores of each slot.
    fn slots(&self) -> Vec<Vec<usize>> {
        let (processors, each) = (&self.resolved.processors, self.resolved.cores_per_slot);
        let mut cores = processors.iter().copied().cycle();
        (0..self.resolved.settings.slots)
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
                logs: (self.resolved.typed.tournament.logs != Logs::None).then_some(*logs),
                evidence,
            };
            let facts = RunFacts {
                plan: &self.resolved.plan,
                bot: &|entrant| &self.resolved.entrants[entrant].bot,
                level: self.resolved.level,
                folder: &self.resolved.output,
            };
            if let Err(error) = fault_folder::write(&game, &facts, &self.evidence) {
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
        let wanted = match self.resolved.typed.tournament.logs {
            Logs::All => true,
            // The logs of faults are in their evidence.
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
}
