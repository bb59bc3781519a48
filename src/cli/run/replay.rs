//! Plays games of a finished run again, with its plan and its bots, without a folder.
//!
//! Another person may have written that plan, so it decides neither the isolation nor what runs
//! outside of a box: the strongest level of this host holds.

use super::interrupt;
use super::session::GRACE;
use crate::bot::{BotSettings, Level, ProgramIdentity, Restart};
use crate::cli::exit::{Failure, tell};
use crate::cli::house_bot::HOUSE_COMMANDS;
use crate::cli::run::bot_factory;
use crate::cli::run::bot_factory::BotFactory;
use crate::cli::run::builds::build_all;
use crate::cli::run::sandboxes::{equip, no_place};
use crate::config;
use crate::config::{CoreLocks, CountedVersions, Purpose, Resolved};
use crate::endgame_file::EndgameDatabase;
use crate::isolation::supervisor::Guard;
use crate::isolation::{Isolation, IsolationRequest};
use crate::record::{GameId, GameRecord};
use crate::referee::EndgameJudge;
use crate::run_folder::planned_database;
use crate::text::{printable, shell_word};
use crate::tournament::{Gate, RunSetup, Schedule, play_again};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// The plan of a run with playable bots, and the isolation of this host.
pub struct ReplaySetup {
    pub resolved: Resolved,
    isolation: Isolation,
    players: BTreeSet<String>,
    /// The physical cores of the slots, which runs leave alone meanwhile.
    _cores: CoreLocks,
}

impl ReplaySetup {
    /// Reads the plan of a run in which the entrants of these names are to play.
    ///
    /// # Errors
    /// One of them cannot be played, or would run without a box and the user's word.
    pub fn of(
        plan: &Path,
        purpose: Purpose,
        versions: CountedVersions,
        players: &BTreeSet<String>,
        trusts: bool,
        guard: &Guard,
    ) -> Result<Self, Failure> {
        let isolation = Isolation::choose(IsolationRequest::default(), Some(guard));
        let isolation = isolation.map_err(Failure::usage)?;
        let as_here = |_| isolation.level();
        let resolved =
            config::recorded_to_play(plan, purpose, versions, players, &HOUSE_COMMANDS, as_here);
        let mut resolved = resolved.map_err(Failure::usage)?;
        show_commands(&resolved, players, trusts, &isolation)?;
        side(&mut resolved, players);
        Ok(Self {
            _cores: resolved.take_cores(),
            resolved,
            isolation,
            players: players.clone(),
        })
    }

    /// Plays these games and passes every record to `on_record`. Returns whether it was
    /// interrupted.
    ///
    /// # Errors
    /// Bots cannot be started here, or one survives SIGKILL.
    pub fn play(
        &self,
        guard: &Guard,
        games: &[GameId],
        on_record: &mut dyn FnMut(&GameRecord),
    ) -> Result<bool, Failure> {
        let resolved = &self.resolved;
        let interrupt = interrupt::listen(guard)?;
        let freeze = resolved.typed.isolation.freeze;
        let equipment = equip(resolved, &self.isolation.mechanism, guard, freeze)?;
        let plays = |name: &str| self.players.contains(name);
        let output = &resolved.output;
        let built = build_all(resolved, output, &equipment, &plays, &interrupt, |_| ())?;
        if let Some((entrant, refusal)) = built.gate(&Gate::default()).unfit.first() {
            return Err(Failure::usage(format!(
                "{} cannot be played again: {}",
                resolved.plan.entrants[entrant.index()].name,
                refusal.detail()
            )));
        }
        let factory = BotFactory::new(&equipment, built.bots, resolved, None);
        let factory = factory.map_err(|error| no_place(&error))?;
        let schedule = Schedule::new(&resolved.plan);
        let database = planned_database(&resolved.plan)?;
        let values = database.as_ref().map(EndgameDatabase::values);
        let setup = RunSetup {
            endgame: values.map(|it| it as &dyn EndgameJudge),
            gate: resolved.gate.clone(),
            slots: slots(resolved),
            grace: GRACE,
            pause: Duration::ZERO,
            ..RunSetup::new(&resolved.plan, &schedule, &resolved.openings)
        };
        play_again(&setup, &factory, games, interrupt, on_record).map_err(Failure::machine)
    }
}

/// Shows the commands of the folder that are started, and refuses them outside of a box unless the
/// user trusts them.
fn show_commands(
    resolved: &Resolved,
    players: &BTreeSet<String>,
    trusts: bool,
    isolation: &Isolation,
) -> Result<(), Failure> {
    let entrants = resolved.plan.entrants.iter();
    let entrants = entrants.filter(|entrant| players.contains(&entrant.name));
    let commands: Vec<String> = entrants
        .filter_map(|entrant| foreign_command(&entrant.name, &entrant.program))
        .collect();
    let mut lines = isolation.banner();
    if !commands.is_empty() {
        lines.push("commands of this folder:".to_owned());
        lines.extend(commands.iter().map(|command| format!("  {command}")));
    }
    if trusts || isolation.level() == Level::Box || commands.is_empty() {
        for line in &lines {
            tell(line);
        }
        return Ok(());
    }
    Err(Failure::usage(format!(
        "programs of this folder would run here without a box. Make a box possible, or add \
         --i-trust-these-bots if you know what they do\n  {}",
        lines.join("\n  ")
    )))
}

/// What a plan starts for an entrant; `None` for a house bot, whose environment must be ours, too:
/// a variable can name a library that it loads.
fn foreign_command(name: &str, program: &serde_json::Value) -> Option<String> {
    let identity = ProgramIdentity::of(program).unwrap_or_default();
    if identity.is_house_bot() && identity.env.is_empty() {
        return None;
    }
    let variables = identity.env.iter();
    let variables = variables.map(|(key, value)| format!("{key}={}", shell_word(value)));
    let command = identity.command.iter().map(|word| shell_word(word));
    let words: Vec<String> = variables.chain(command).collect();
    let build: Vec<String> = identity.build.iter().map(|word| shell_word(word)).collect();
    let built = if build.is_empty() { "" } else { ", built by " };
    let shown = format!("{name}: {}{built}{}", words.join(" "), build.join(" "));
    Some(printable(&shown))
}

/// Gives every game its own processes, so that a game does not depend on which others are played.
/// An entrant that does not play may be missing here: the house bot `random`, which is not started,
/// takes its place.
fn side(resolved: &mut Resolved, players: &BTreeSet<String>) {
    let placeholder = bot_factory::random(&resolved.entrants[0].bot);
    let entrants = resolved.plan.entrants.iter();
    let bots = resolved.entrants.iter_mut().map(|entrant| &mut entrant.bot);
    for (entrant, bot) in entrants.zip(bots) {
        let own = if players.contains(&entrant.name) {
            &*bot
        } else {
            &placeholder
        };
        *bot = BotSettings {
            restart: Restart::EachGame,
            ..own.clone()
        };
    }
}

/// The cores of each slot, as many as in the run and on this machine.
fn slots(resolved: &Resolved) -> Vec<Vec<usize>> {
    let each = (resolved.cores_per_slot as usize).max(1);
    let sets = resolved.processors.chunks_exact(each);
    let slots: Vec<Vec<usize>> = sets
        .take(resolved.settings.slots as usize)
        .map(<[usize]>::to_vec)
        .collect();
    if slots.is_empty() {
        return vec![resolved.processors.clone()];
    }
    slots
}
