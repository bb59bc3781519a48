//! A run of a plan in its folder: finds what was played, plays the rest, and writes the tables. The
//! command decides what follows from the games.

use super::super::args::PlayArguments;
use super::super::exit::Failure;
use super::watch::{self, TestLine, Watcher};
use super::{admission, interrupt, output_folder, plan_file};
use crate::bot::Level;
use crate::cli::run::bot_factory::BotFactory;
use crate::cli::run::builds::build_all;
use crate::cli::run::evidence::EvidenceKeeper;
use crate::cli::run::kept_processes::keep_limits;
use crate::cli::run::live::{BOTS_CAN_WATCH, boards, serve, take_address};
use crate::cli::run::load::Loaded;
use crate::cli::run::post_game_logs::PostGameLogs;
use crate::cli::run::run_failure::run_failure;
use crate::cli::run::sandboxes::{check_readable, check_trust, equip, has_strangers, no_place};
use crate::cli::run::update::{CountedResults, OnChange, Update};
use crate::cli::run::warnings::warnings_before;
use crate::config::Resolved;
use crate::isolation::supervisor::Guard;
use crate::isolation::{Equipment, Isolation};
use crate::report::{HostNoise, Leaders, Tables};
use crate::run_folder::fault_folder;
use crate::run_folder::{FoundJournal, JournalFile, ResultFiles, RunFolder, repair_note};
use crate::tournament::{
    Boards, Gate, Journal, Phase, RunDocument, RunOutcome, RunSetup, Schedule, TestProgress,
    run as play,
};
use crate::web::LiveRun;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch as watch_state;
use tracing::info_span;

/// How long games in progress may go on after the first Ctrl-C.
pub const GRACE: Duration = Duration::from_secs(10);
/// The pause before a disturbed examination is repeated for the first time. With the later pauses,
/// four and sixteen times as long, it is 105 s: enough for a busy minute to pass.
const PAUSE: Duration = Duration::from_secs(5);

/// A run of a plan in its folder.
pub struct Session<'a> {
    arguments: &'a PlayArguments,
    guard: &'a Guard,
    resolved: &'a Resolved,
    isolation: &'a Isolation,
    run: RunDocument,
    schedule: Schedule,
    names: Vec<String>,
    /// The games in play, if they are watched.
    boards: Option<Arc<Boards>>,
    on_change: OnChange,
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
    /// Refuses what only a user who trusts the bots may do, and to show bots the run's folder.
    pub fn new(
        arguments: &'a PlayArguments,
        guard: &'a Guard,
        loaded: &'a Loaded,
    ) -> Result<Self, Failure> {
        let Loaded {
            resolved,
            isolation,
            ..
        } = loaded;
        let trusts = arguments.i_trust_these_bots;
        check_trust(trusts, isolation, has_strangers(resolved))?;
        check_readable(resolved, isolation.level())?;
        Ok(Self {
            arguments,
            guard,
            resolved,
            isolation,
            run: resolved.document(),
            schedule: Schedule::new(&resolved.plan),
            names: resolved.plan.names(),
            boards: arguments.live.map(|_| boards(resolved)),
            on_change: OnChange::Refuse,
        })
    }

    /// What to do if the folder was played with another plan; without this, it is refused.
    #[must_use]
    pub const fn on_change(mut self, on_change: OnChange) -> Self {
        self.on_change = on_change;
        self
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
        let _run = info_span!("run", folder = %self.resolved.output.display()).entered();
        // Signals are handled from here on: Ctrl-C never leaves a half-made folder locked or a bot
        // alone.
        let interrupt = interrupt::listen(self.guard)
            .map_err(|error| Failure::machine(format!("cannot listen to signals: {error}")))?;
        let page = self.arguments.live.map(take_address).transpose()?;
        let folder = output_folder::open(self.arguments, self.guard, self.resolved)?;
        let leaders = Leaders::new(&self.names).map_err(Failure::machine)?;
        let mut leaders = leaders.anchored(self.run.rating_model().anchors);
        let mut found = self.find(&folder, &mut leaders, &interrupt)?;
        let mut watcher = self.watcher(leaders, &found);
        prepare(&mut watcher);
        let equipment = self.equip()?;
        let built = build_all(
            self.resolved,
            &self.resolved.output,
            &equipment,
            &|entrant| !found.progress.is_refused(entrant),
            &interrupt,
            |programs| watcher.building(programs),
        )?;
        for (entrant, report) in &built.failed {
            admission::keep_build_output(*entrant, report, self.resolved, &folder)?;
        }
        let setup = self.setup(built.gate(&self.resolved.gate), &mut watcher);
        let like = &self.resolved.entrants[0].bot;
        let factory = BotFactory::new(&equipment, built.bots, like);
        let mut factory = factory.map_err(|error| no_place(&error))?;
        let (mut post_game_logs, sender) = PostGameLogs::new(self.resolved, &folder);
        factory.post_game_logs = sender;
        for warning in equipment.warnings() {
            watcher.warn(&warning);
        }
        let mut journal = self.open_journal(&folder, &found, &watcher)?;
        let evidence = EvidenceKeeper::new(self.resolved, &folder);
        if let Some(page) = page {
            serve(page, self.live_run(), &mut watcher)?;
            if self.resolved.level == Level::None && has_strangers(self.resolved) {
                watcher.warn(BOTS_CAN_WATCH);
            }
        }
        let played = play(
            &setup,
            &factory,
            &mut journal,
            std::mem::take(&mut found.progress),
            interrupt,
            &mut |event| {
                evidence.on_event(event, &watcher);
                post_game_logs.on_event(event, &watcher);
                watcher.on_event(event);
            },
        );
        post_game_logs.keep(&watcher);
        self.warn_of_slow_ends(&factory, &watcher);
        watcher.close();
        let outcome = played.map_err(run_failure)?;
        self.conclude(&folder, &mut found, watcher, outcome)
    }

    /// Names the bots that were slow to quit after their last game.
    fn warn_of_slow_ends(&self, factory: &BotFactory, watcher: &Watcher<'_>) {
        for (place, fault) in factory.slow_ends() {
            let name = &self.resolved.plan.entrants[place].name;
            watcher.warn(&format!(
                "{name} was slow to quit, and has no next game to lose for it: {}",
                fault.detail
            ));
        }
    }

    fn equip(&self) -> Result<Equipment, Failure> {
        let freeze = self.resolved.typed.isolation.freeze;
        equip(self.resolved, &self.isolation.mechanism, self.guard, freeze)
    }

    /// Writes what follows from the games.
    fn conclude<'s>(
        &'s self,
        folder: &RunFolder,
        found: &mut FoundJournal,
        mut watcher: Watcher<'s>,
        outcome: RunOutcome,
    ) -> Result<Ended<'s>, Failure> {
        if outcome.barred {
            self.leave_barred(folder, found, &outcome)?;
            let reason = admission::barred(&outcome.exclusions, self.resolved);
            return Ok(Ended::Barred(reason));
        }
        let (tables, noise) = self.write_results(folder, found, &outcome)?;
        watcher.finish_live(outcome.interrupted && !outcome.complete);
        watcher.add_note(noise.sentence());
        watcher.add_note(repair_note(found.games.state().set_aside()));
        Ok(Ended::Played(Box::new(SessionResult {
            watcher,
            tables,
            outcome,
        })))
    }

    /// What a page shows on which the run can be watched.
    fn live_run(&self) -> LiveRun<'_> {
        LiveRun {
            folder: &self.resolved.output,
            run: self.run.clone(),
            boards: self.boards.clone().unwrap_or_else(|| boards(self.resolved)),
        }
    }

    /// Leaves the folder of a run in which nothing may be played.
    fn leave_barred(
        &self,
        folder: &RunFolder,
        found: &mut FoundJournal,
        outcome: &RunOutcome,
    ) -> Result<(), Failure> {
        if found.games.is_empty() {
            // Nothing was played that must be kept: after the problem is fixed, this is a new run.
            folder.clear()?;
            let results = self.results(folder, found, outcome);
            return Ok(results.write_feedback_alone()?);
        }
        self.write_results(folder, found, outcome)?;
        // The games are those of an earlier plan, which more entrants were admitted to.
        if found.games.state().earlier_plans().is_empty() {
            let games = found.games.store().results().count();
            admission::check_unplayed(games, self.resolved).map_err(Failure::machine)?;
        }
        Ok(())
    }

    /// Reads what was played now, and writes the tables of all games.
    fn write_results<'s>(
        &'s self,
        folder: &RunFolder,
        found: &mut FoundJournal,
        outcome: &RunOutcome,
    ) -> Result<(Tables<'s>, HostNoise), Failure> {
        folder.read_on(&mut found.games, &mut |_, _| Ok(()))?;
        let results = self.results(folder, found, outcome);
        Ok(results.write(&self.resolved.output, &[])?)
    }

    fn results<'s: 'r, 'r>(
        &'s self,
        source: &'r RunFolder,
        found: &'r FoundJournal,
        outcome: &'r RunOutcome,
    ) -> ResultFiles<'s, 'r> {
        ResultFiles {
            run: &self.run,
            names: &self.names,
            source,
            folder: &self.resolved.output,
            games: &found.games,
            outcome,
        }
    }

    fn setup(&self, gate: Gate, watcher: &mut Watcher<'_>) -> RunSetup<'_> {
        let (keep, warning) = keep_limits(self.resolved);
        if let Some(warning) = warning {
            watcher.warn(&warning);
        }
        RunSetup {
            plan: &self.resolved.plan,
            schedule: &self.schedule,
            openings: &self.resolved.openings,
            gate,
            slots: self.resolved.cores_of_slots(),
            keep,
            boards: self.boards.as_deref(),
            grace: GRACE,
            pause: PAUSE,
        }
    }

    /// What the folder contains of this plan. The leaders of a resumed run are those of all its
    /// games.
    fn find(
        &self,
        folder: &RunFolder,
        leaders: &mut Leaders<'_>,
        interrupt: &watch_state::Receiver<Phase>,
    ) -> Result<FoundJournal, Failure> {
        let plan = &self.resolved.plan;
        let found = match self.on_change {
            OnChange::Refuse => folder.find(plan),
            OnChange::Ask | OnChange::Play => folder.find_any(plan),
        };
        let found = found.map_err(Failure::from)?;
        if let Some(earlier) = &found.earlier {
            let (games, progress) = folder.read_for(&earlier.plan)?;
            let before = CountedResults::of(&earlier.plan, &games, progress);
            let now = CountedResults::of(plan, &found.games, found.progress.clone());
            let update = Update {
                before: (&earlier.plan, before),
                now: (plan, now),
                folder: &self.resolved.output,
            };
            update.permit(self.on_change, interrupt)?;
        }
        // The leaders are shown while games are played.
        if found.progress.games_done() < self.schedule.game_count() {
            for game in found.games.store().results() {
                // The tables refuse a game of other entrants; the progress bar only skips it.
                let _ = leaders.add_summary(&game);
            }
        }
        Ok(found)
    }

    /// The journal, after what a killed run has left was removed.
    fn open_journal(
        &self,
        folder: &RunFolder,
        found: &FoundJournal,
        watcher: &Watcher<'_>,
    ) -> Result<Journal<JournalFile>, Failure> {
        let journal = folder.journal(&self.run, found)?;
        if let Err(error) =
            fault_folder::sweep(&self.resolved.output, &self.resolved.plan, &found.progress)
        {
            watcher.warn(&format!("evidence of an earlier run is left: {error}"));
        }
        plan_file::write(folder, self.resolved, self.isolation, found)?;
        Ok(journal)
    }

    fn watcher<'n>(&self, leaders: Leaders<'n>, found: &FoundJournal) -> Watcher<'n> {
        let total = self.schedule.game_count();
        let done = found.progress.games_done();
        let style = watch::WatchStyle::choose(self.arguments.quiet, self.arguments.json);
        let mut watcher = Watcher::new(style, leaders, total, done);
        if has_strangers(self.resolved) {
            watcher.banner(&self.isolation.banner());
        }
        watcher.add_note(self.isolation.note());
        for warning in warnings_before(self.resolved, self.isolation, self.guard, found) {
            watcher.warn(&warning);
        }
        let may_end_early = self.resolved.plan.test.is_some();
        let name = &self.run.settings.name;
        watcher.started(name, &self.resolved.output, may_end_early);
        watcher
    }
}
