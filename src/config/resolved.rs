//! A playable configuration, in which everything is resolved and no default is open, and the gate:
//! the entrants that are examined before the first game.

use crate::bot::{BotSettings, Build, HostLimits, Level, Limits, Submission};
use crate::config::capacity;
use crate::config::keys::tables::Typed;
use crate::config::machine::CoreLocks;
use crate::config::program::FoundProgram;
use crate::endgame_file::EndgameDatabase;
use crate::record::{Examiner, Fault, FaultKind, Refusal};
use crate::referee::EndgameJudge;
use crate::tournament::{
    AdmissionMode, EntrantIndex, Gate, Openings, Plan, RunDocument, RunSettings, pair_count,
};
use std::path::PathBuf;

/// The purpose of a configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// A tournament: `awale run`.
    #[default]
    Tournament,
    /// A sequential test of two entrants that ends once it is decided: `awale sprt`.
    Test,
    /// A given number of pairs of two entrants: `awale sprt --pairs N`.
    Match,
}

/// A playable entrant.
#[derive(Clone, Debug)]
pub struct ResolvedEntrant {
    /// How its bot is run.
    pub bot: BotSettings,
    /// How its program is built from its folder, if it must be.
    pub build: Option<Build>,
    /// Whether it is a folder of a class.
    pub is_submitted: bool,
    /// Its own folder, if it has one that can be used.
    pub folder: Option<Submission>,
    /// Whether it always plays the same in the same game, so that the game can be replayed and
    /// compared. This is not part of the plan because it changes no game.
    pub deterministic: bool,
    pub(super) program: FoundProgram,
}

/// A playable tournament, in which everything is resolved and no default is open.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The plan, which decides the games.
    pub plan: Plan,
    /// The resolved entrants, in the order of the plan.
    pub entrants: Vec<ResolvedEntrant>,
    /// The entrants that are examined before the first game: all except house bots.
    pub gate: Gate,
    /// The openings of the plan.
    pub openings: Openings,
    /// The database that the plan names, if it names one and is to be played.
    pub endgame: Option<EndgameDatabase>,
    /// The new one of two entrants, unless this is a tournament.
    pub new: Option<EntrantIndex>,
    /// The settings, which change no game: name, slots, the model of the tables.
    pub settings: RunSettings,
    /// Processors that each slot takes.
    pub cores_per_slot: u32,
    /// The processors for the slots: slot s takes `cores_per_slot` entries of this list from the
    /// index s × `cores_per_slot` on, wrapping around at its end.
    pub processors: Vec<usize>,
    /// How many of them, at the beginning of the list, are of different physical cores.
    pub(super) physical_cores: u32,
    /// What the control groups around this program allow.
    pub(super) allowed: HostLimits,
    /// The run's folder.
    pub output: PathBuf,
    /// The level of isolation.
    pub level: Level,
    /// Warnings for the user about a playable configuration.
    pub warnings: Vec<String>,
    /// The configuration as typed: settings that change no game are read from it.
    pub typed: Typed,
    /// The folders of toolchains that every box shows.
    pub toolchains: Vec<PathBuf>,
    /// The start of relative paths.
    pub folder: PathBuf,
    pub(super) host: String,
}

impl Resolved {
    /// The slots that have something to do: no more than pairs of the plan or entrants that are
    /// examined.
    fn busy_slots(&self) -> u32 {
        let examined = self.gate.candidates.len();
        let tasks = pair_count(&self.plan).max(examined).max(1);
        self.settings
            .slots
            .min(u32::try_from(tasks).unwrap_or(u32::MAX))
    }

    /// The processors of each slot that has something to do.
    pub fn cores_of_slots(&self) -> Vec<Vec<usize>> {
        let mut cores = self.processors.iter().copied().cycle();
        (0..self.busy_slots())
            .map(|_| cores.by_ref().take(self.cores_per_slot as usize).collect())
            .collect()
    }

    /// What ends games whose perfect play is known, if the plan says so.
    pub fn endgame_judge(&self) -> Option<&dyn EndgameJudge> {
        let values = self.endgame.as_ref().map(EndgameDatabase::values);
        values.map(|it| it as &dyn EndgameJudge)
    }

    /// Takes physical cores that no other run on this machine uses, as far as there are any, until
    /// the locks are dropped. Warns if there are not enough.
    pub fn take_cores(&mut self) -> CoreLocks {
        let taken = self.busy_slots().saturating_mul(self.cores_per_slot);
        let needed = taken.min(self.physical_cores) as usize;
        let cores = self.physical_cores as usize;
        let (locks, order) = CoreLocks::take(&self.processors, cores, needed);
        self.processors = order.processors;
        let missing = needed.saturating_sub(order.free);
        if missing > 0 {
            self.warnings.push(format!(
                "another run uses {missing} of the {needed} physical cores that the slots of this \
                 one need: both are slowed down, and times are less reliable; take fewer slots, \
                 or wait until the other has ended"
            ));
        }
        self.physical_cores = u32::try_from(order.free).unwrap_or(self.physical_cores);
        locks
    }

    /// What is left for processes that are kept: bytes of memory, and processes.
    pub fn left_for_kept(&self) -> [Option<u64>; 2] {
        let limits: Vec<Limits> = self.entrants.iter().map(|it| it.bot.limits).collect();
        capacity::left_for_kept(self.allowed, self.settings.slots, &limits)
    }

    /// Its purpose.
    pub fn purpose(&self) -> Purpose {
        match (&self.plan.test, self.new) {
            (Some(_), _) => Purpose::Test,
            (None, Some(_)) => Purpose::Match,
            (None, None) => Purpose::Tournament,
        }
    }

    /// The settings of the entrants' bots, in the order of the plan.
    pub fn bots(&self) -> Vec<BotSettings> {
        self.entrants.iter().map(|it| it.bot.clone()).collect()
    }

    /// The run as in its journal.
    pub fn document(&self) -> RunDocument {
        RunDocument::new(self.plan.clone(), self.settings.clone())
    }
}

/// House bots are admitted without an examination: this program was tested with them. An invalid
/// submission is refused in every mode.
pub fn gate(mode: AdmissionMode, entrants: &[ResolvedEntrant]) -> Gate {
    let programs = || entrants.iter().map(|entrant| &entrant.program);
    let strangers = programs().zip(0..);
    let strangers = strangers.filter(|(it, _)| !it.is_house_bot && it.unfit.is_none());
    let candidates = strangers.map(|(_, index)| EntrantIndex(index));
    let unfit = programs().zip(0..).filter_map(|(program, index)| {
        let reason = program.unfit.clone()?;
        let refusal = Refusal::Fault {
            against: Examiner::Itself,
            fault: Fault::new(FaultKind::StartFailure, reason),
            may_pass: false,
        };
        Some((EntrantIndex(index), refusal))
    });
    Gate {
        candidates: match mode {
            AdmissionMode::Off => Vec::new(),
            AdmissionMode::On | AdmissionMode::Required => candidates.collect(),
        },
        required: mode == AdmissionMode::Required,
        unfit: unfit.collect(),
    }
}
