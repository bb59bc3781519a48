//! A run of a plan in its folder: finds what was played, plays the rest, and writes the tables. The
//! command decides what follows from the games.

use super::super::args::PlayArguments;
use super::super::exit::Failure;
use super::estimate::remaining;
use super::watch::{ShowTest, WatchStyle, Watcher};
use super::{ending, folder, interrupt};
use crate::bot::Level;
use crate::cli::run::bot_factory::{BotFactory, keep_limits};
use crate::cli::run::builds::{BuiltBots, build_all};
use crate::cli::run::evidence::EvidenceKeeper;
use crate::cli::run::load::Loaded;
use crate::cli::run::sandboxes::{check_readable, check_trust, equip, has_strangers, no_place};
use crate::cli::run::update::{OnChange, Update};
use crate::config::{Logs, Resolved};
use crate::course::{Refusals, keep_versions, write_feedback_alone, write_results};
use crate::isolation::supervisor::Guard;
use crate::isolation::{Equipment, Isolation};
use crate::report::{Leaders, Tables};
use crate::run_folder::evidence::BUILD_OUTPUT;
use crate::run_folder::{
    FoundJournal, JOURNAL, PutAside, ResultFiles, RunFolder, admission_folder, note_put_aside,
};
use crate::text::printable;
use crate::tournament::{
    Boards, Carrier, DealtRound, Event, Openings, Phase, Plan, RunDocument, RunOutcome, RunSetup,
    RunShard, Schedule, run as play_games,
};
use crate::web::{BoundPage, LiveRun};
use std::cell::OnceCell;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
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
    on_change: OnChange,
    run: RunDocument,
    /// The same with the rounds that were dealt, once it has ended.
    played: OnceCell<RunDocument>,
    schedule: Schedule,
    names: Vec<String>,
    /// The part that is played, if it is not the whole.
    shard: Option<RunShard>,
    /// Who has the pairs played elsewhere, if it is not this machine that plays them.
    carrier: Option<Box<dyn Carrier>>,
    /// What is done once the folder is that of this run, before the first game.
    on_begin: Option<OnBegin<'a>>,
}

/// What a command does before the first game of a run.
pub type OnBegin<'a> = &'a dyn Fn() -> Result<(), Failure>;

/// Makes the carrier of a run that this machine does not play alone.
pub type MakeCarrier<'a> = &'a dyn Fn(&Loaded) -> Result<Box<dyn Carrier>, Failure>;

/// The end of a session.
pub enum Ended<'s> {
    /// Nothing may be played: too few entrants were admitted, or not all where all must be.
    Barred {
        /// Why, in words.
        reason: String,
        /// Why entrants were not admitted.
        refused: Refusals,
    },
    /// Something was played, now or earlier.
    Played(Box<SessionResult<'s>>),
}

impl Ended<'_> {
    /// Whether it was interrupted.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Played(it) if it.outcome.interrupted)
    }

    /// Whether all necessary games were played.
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Played(it) if it.outcome.complete)
    }

    /// Why entrants were not admitted.
    pub fn refused(&self) -> Refusals {
        match self {
            Self::Barred { refused, .. } => refused.clone(),
            Self::Played(it) => it.outcome.exclusions.refused.iter().cloned().collect(),
        }
    }
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
    /// `on_change` says what to do if the folder was played with another plan.
    pub fn new(
        arguments: &'a PlayArguments,
        guard: &'a Guard,
        loaded: &'a Loaded,
        on_change: OnChange,
    ) -> Result<Self, Failure> {
        let (resolved, isolation) = (&loaded.resolved, &loaded.isolation);
        let trusts = arguments.i_trust_these_bots;
        check_trust(trusts, isolation, has_strangers(resolved))?;
        check_readable(resolved, isolation.level())?;
        let schedule = Schedule::new(&resolved.plan);
        Ok(Self {
            arguments,
            guard,
            resolved,
            isolation,
            on_change,
            run: resolved.document(),
            played: OnceCell::new(),
            names: resolved.plan.names(),
            schedule,
            shard: None,
            carrier: None,
            on_begin: None,
        })
    }

    /// The same with its pairs played elsewhere, if there is a carrier.
    pub fn carried(self, make: Option<MakeCarrier<'_>>, loaded: &Loaded) -> Result<Self, Failure> {
        let carrier = make.map(|make| make(loaded)).transpose()?;
        Ok(Self { carrier, ..self })
    }

    /// The same with something to do before its first game.
    pub fn beginning_with(self, on_begin: Option<OnBegin<'a>>) -> Self {
        Self { on_begin, ..self }
    }

    /// Plays or resumes, and writes the tables. `show_test` shows a sequential test while it runs.
    pub fn play<'s>(&'s self, show_test: Option<ShowTest<'s>>) -> Result<Ended<'s>, Failure> {
        let (folder, mut found, watcher, outcome) = self.play_games(show_test)?;
        self.conclude(&folder, &mut found, watcher, outcome)
    }

    /// Plays or resumes a part. There are no tables: its games count once they are merged.
    pub fn play_shard(self, shard: RunShard) -> Result<(), Failure> {
        let session = Self {
            shard: Some(shard),
            ..self
        };
        session.play_games(None)?;
        Ok(())
    }

    fn play_games<'s>(
        &'s self,
        show_test: Option<ShowTest<'s>>,
    ) -> Result<(RunFolder, FoundJournal, Watcher<'s>, RunOutcome), Failure> {
        let resolved = self.resolved;
        let _run = info_span!("run", folder = %resolved.output.display()).entered();
        // Signals are handled from here on: Ctrl-C never leaves a half-made folder locked or a bot
        // alone.
        let interrupt = interrupt::listen_for(self.guard, self.arguments.stop_after)?;
        let page = self.arguments.live.map(|address| {
            BoundPage::bind(address).map_err(|error| cannot_serve(&address.to_string(), &error))
        });
        let page = page.transpose()?;
        let folder = folder::open(self.arguments, self.guard, resolved)?;
        let mut found = self.find(&folder, &interrupt)?;
        let mut watcher = self.watcher(&found)?;
        if let Some(show) = show_test {
            watcher.show_test(show);
        }
        let freeze = resolved.typed.isolation.freeze;
        let equipment = equip(resolved, &self.isolation.mechanism, self.guard, freeze)?;
        let built = self.programs(&folder, &found, &equipment, &interrupt, &mut watcher)?;
        let (keep, warning) = keep_limits(resolved);
        for warning in warning.into_iter().chain(equipment.warnings()) {
            watcher.warn(&warning);
        }
        let mut gate = built.gate(&resolved.gate);
        // Another machine may admit whom this one refuses.
        gate.required &= self.shard.is_none();
        let (mut evidence, post_game_logs) = EvidenceKeeper::new(resolved, &folder);
        let factory = BotFactory::new(&equipment, built.bots, resolved, post_game_logs);
        let factory = factory.map_err(|error| no_place(&error))?;
        let mut journal = folder.journal(&self.run, &found)?;
        folder::begin(&folder, resolved, self.isolation, &found, &watcher)?;
        self.on_begin.map_or(Ok(()), |begin| begin())?;
        let boards = page
            .map(|page| self.serve(page, &mut watcher))
            .transpose()?;
        let plan = self.plan_with(found.rounds());
        let schedule = Schedule::new(&plan);
        let openings = Openings::of(&plan).expect("the openings of this plan were found before");
        let setup = RunSetup {
            plan: &plan,
            schedule: &schedule,
            openings: &openings,
            endgame: resolved.endgame_judge(),
            shard: self.shard.clone(),
            gate,
            slots: resolved.cores_of_slots(),
            keep,
            boards: boards.as_deref(),
            carrier: self.carrier.as_deref(),
            grace: GRACE,
            pause: PAUSE,
        };
        let progress = std::mem::take(&mut found.progress);
        let mut on_event = |event: &Event<'_>| {
            evidence.on_event(event, &watcher);
            watcher.on_event(event);
        };
        let played = play_games(
            &setup,
            &factory,
            &mut journal,
            progress,
            interrupt,
            &mut on_event,
        );
        evidence.keep_post_game_logs(&watcher);
        self.name_slow_ends(&factory, &watcher);
        watcher.close();
        let outcome = played.map_err(ending::run_failure)?;
        self.keep_put_aside(&folder)?;
        drop((journal, evidence, boards));
        Ok((folder, found, watcher, outcome))
    }

    /// The plan with the rounds that results have decided.
    fn plan_with(&self, rounds: Vec<DealtRound>) -> Plan {
        Plan {
            rounds,
            ..self.resolved.plan.clone()
        }
    }

    /// Warns of bots that did not end when they were told to.
    fn name_slow_ends(&self, factory: &BotFactory, watcher: &Watcher<'_>) {
        for (place, fault) in factory.slow_ends() {
            watcher.warn(&format!(
                "{} was slow to quit, and has no next game to lose for it: {}",
                self.names[place], fault.detail
            ));
        }
    }

    /// Keeps the names of machines that got no more work.
    fn keep_put_aside(&self, folder: &RunFolder) -> Result<(), Failure> {
        let aside = self.carrier.as_ref().map(|it| it.put_aside());
        let aside = aside.into_iter().flatten();
        let aside = aside.map(|(host, reason)| PutAside { host, reason });
        Ok(note_put_aside(folder, aside.collect())?)
    }

    /// Keeps and builds the programs of the entrants.
    fn programs(
        &self,
        folder: &RunFolder,
        found: &FoundJournal,
        equipment: &Equipment,
        interrupt: &watch::Receiver<Phase>,
        watcher: &mut Watcher<'_>,
    ) -> Result<BuiltBots, Failure> {
        let resolved = self.resolved;
        for (entrant, error) in keep_versions(resolved).map_err(|error| cannot_keep(&error))? {
            let entrant = printable(&entrant);
            watcher.warn(&format!(
                "the program of {entrant} is not kept, and cannot play on when a later one is not \
                 admitted: {error}"
            ));
        }
        let plays = |entrant: &str| found.progress.refusal(entrant).is_none();
        let begin = |programs| watcher.building(programs);
        let output = &resolved.output;
        let built = build_all(resolved, output, equipment, &plays, interrupt, begin)?;
        for (entrant, output) in &built.outputs {
            let path = admission_folder(&self.names[entrant.index()]);
            folder.write(&format!("{path}/{BUILD_OUTPUT}"), output)?;
        }
        Ok(built)
    }

    /// Serves the page on which the run can be watched, and tells where. Returns the boards that it
    /// shows.
    fn serve(&self, page: BoundPage, watcher: &mut Watcher<'_>) -> Result<Arc<Boards>, Failure> {
        let slots = self.resolved.settings.slots as usize;
        let boards = Arc::new(Boards::new(slots));
        let address = page.address();
        let served = page.serve(LiveRun {
            folder: &self.resolved.output,
            run: self.run.clone(),
            boards: Arc::clone(&boards),
        });
        let live = served.map_err(|error| cannot_serve(&address.to_string(), &error))?;
        watcher.show_live(live);
        watcher.live_at(address);
        if self.resolved.level == Level::None && has_strangers(self.resolved) {
            // Without isolation bots have the network of this machine.
            watcher.warn(
                "without isolation the bots can read the live page too: the games of others, and \
                 in a blind tournament their names",
            );
        }
        Ok(boards)
    }

    /// Writes what follows from the games.
    fn conclude<'s>(
        &'s self,
        folder: &RunFolder,
        found: &mut FoundJournal,
        mut watcher: Watcher<'s>,
        outcome: RunOutcome,
    ) -> Result<Ended<'s>, Failure> {
        self.played.get_or_init(|| {
            let mut run = self.run.clone();
            run.plan.rounds.clone_from(&outcome.rounds);
            run
        });
        if outcome.barred {
            self.leave_barred(folder, found, &outcome)?;
            return Ok(Ended::Barred {
                reason: ending::barred(&outcome.exclusions, self.resolved),
                refused: outcome.exclusions.refused.into_iter().collect(),
            });
        }
        let (tables, notes) = self.write_results(folder, found, &outcome)?;
        watcher.finish_live(outcome.interrupted && !outcome.complete);
        watcher.add_notes_of_tables(notes);
        Ok(Ended::Played(Box::new(SessionResult {
            watcher,
            tables,
            outcome,
        })))
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
            return Ok(write_feedback_alone(&results)?);
        }
        self.write_results(folder, found, outcome)?;
        let games = found.games.store().results().count();
        // Games of an earlier plan, which more entrants were admitted to, are no contradiction.
        if games == 0 || !found.games.state().earlier.is_empty() {
            return Ok(());
        }
        Err(Failure::machine(format!(
            "{JOURNAL} in {} says that too few were admitted to play, and has {games} games: \
             something has changed it; restore it from a copy, or start anew in another folder \
             with --output",
            self.resolved.output.display()
        )))
    }

    /// Reads what was played now, and writes the tables of all games.
    fn write_results<'s>(
        &'s self,
        folder: &RunFolder,
        found: &mut FoundJournal,
        outcome: &RunOutcome,
    ) -> Result<(Tables<'s>, Vec<String>), Failure> {
        folder.read_on(&mut found.games, &mut |_, _| Ok(()))?;
        let results = self.results(folder, found, outcome);
        Ok(write_results(&results, &self.resolved.output, &[])?)
    }

    fn results<'s: 'r, 'r>(
        &'s self,
        source: &'r RunFolder,
        found: &'r FoundJournal,
        outcome: &'r RunOutcome,
    ) -> ResultFiles<'s, 'r> {
        ResultFiles {
            run: self.played.get().unwrap_or(&self.run),
            names: &self.names,
            source,
            folder: &self.resolved.output,
            games: &found.games,
            outcome,
        }
    }

    /// What the folder contains of this plan.
    fn find(
        &self,
        folder: &RunFolder,
        interrupt: &watch::Receiver<Phase>,
    ) -> Result<FoundJournal, Failure> {
        let plan = &self.resolved.plan;
        let found = match self.on_change {
            OnChange::Refuse => folder.find(plan)?,
            OnChange::Ask | OnChange::Play | OnChange::PlaySilently => folder.find_any(plan)?,
        };
        if let Some(earlier) = &found.earlier
            && self.on_change != OnChange::PlaySilently
        {
            let update = Update::of(folder, &earlier.plan, plan, &found)?;
            update.permit(&self.resolved.output, self.on_change, interrupt)?;
        }
        Ok(found)
    }

    /// The observer, who has told what is known before the first game. The leaders of a resumed run
    /// are those of all its games.
    fn watcher(&self, found: &FoundJournal) -> Result<Watcher<'_>, Failure> {
        let leaders = Leaders::new(&self.names).map_err(Failure::machine)?;
        let mut leaders = leaders.anchored(self.run.rating_model().anchors);
        let total = match &self.shard {
            Some(shard) => 2 * shard.pairs.len(),
            None => self.schedule.game_count(),
        };
        let done = found.progress.games_done();
        if done < total {
            for game in found.games.store().results() {
                // The tables refuse a game of other entrants; the progress bar only skips it.
                let _ = leaders.add(game);
            }
        }
        let style = WatchStyle::choose(self.arguments.quiet, self.arguments.json);
        let mut watcher = Watcher::new(style, leaders, total, done);
        if self.shard.is_some() {
            watcher.show_part();
        } else {
            let known = (&found.games, &found.progress);
            // How many slots play elsewhere is not known.
            let slots = self.resolved.settings.slots;
            watcher.estimate_by(
                remaining(self.resolved, &self.schedule, known),
                self.carrier.is_none().then_some(slots),
            );
        }
        if has_strangers(self.resolved) {
            watcher.banner(&self.isolation.banner());
        }
        watcher.add_note(self.isolation.note());
        for warning in folder::warnings(self.resolved, self.isolation, self.guard, found) {
            watcher.warn(&warning);
        }
        if self.carrier.is_some() && self.resolved.typed.tournament.logs == Logs::Transcript {
            watcher.warn(
                "`logs` = \"transcript\" in [tournament]: games that workers play leave no transcript",
            );
        }
        let may_end_early = self.resolved.plan.test.is_some();
        let name = &self.run.settings.name;
        watcher.started(name, &self.resolved.output, may_end_early);
        Ok(watcher)
    }
}

fn cannot_keep(error: &io::Error) -> Failure {
    Failure::machine(format!("cannot keep what was handed in: {error}"))
}

fn cannot_serve(address: &str, error: &io::Error) -> Failure {
    Failure::usage(format!(
        "cannot serve the live page at {address}: {error}; name another address, or --live 0 for \
         any free port"
    ))
}
