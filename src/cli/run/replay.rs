//! Plays games of a finished run again, with its plan, its isolation and its bots, without a
//! folder.

use super::interrupt;
use super::session::GRACE;
use crate::bot::{BotSettings, Restart};
use crate::cli::exit::Failure;
use crate::cli::house_commands::HOUSE_COMMANDS;
use crate::cli::run::bot_factory;
use crate::cli::run::bot_factory::BotFactory;
use crate::cli::run::builds::build_all;
use crate::cli::run::sandboxes::{check_trust, equip, has_strangers, no_place};
use crate::config;
use crate::config::{Purpose, Resolved};
use crate::isolation::supervisor::Guard;
use crate::isolation::{Isolation, IsolationRequest};
use crate::record::{GameId, GameRecord};
use crate::tournament::{KeepLimits, RunSetup, Schedule, play_again};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// The plan of a run with playable bots, and the isolation of the run.
pub struct ReplaySetup {
    pub resolved: Resolved,
    isolation: Isolation,
    players: BTreeSet<String>,
}

impl ReplaySetup {
    /// Reads the plan of a run in which the entrants of these names are to play.
    ///
    /// # Errors
    /// One of them cannot be played, or the isolation of the run does not hold here.
    pub fn of(
        plan: &Path,
        purpose: Purpose,
        players: &BTreeSet<String>,
        guard: &Guard,
    ) -> Result<Self, Failure> {
        let mut isolation = None;
        let choose = |level| {
            let request = IsolationRequest {
                level,
                at_least: None,
            };
            let chosen = isolation.insert(Isolation::choose(request, Some(guard)));
            // All other errors are reported first.
            chosen.as_ref().map_or_else(
                |_| level.unwrap_or(crate::bot::Level::None),
                Isolation::level,
            )
        };
        let resolved = config::recorded_to_play(plan, purpose, players, &HOUSE_COMMANDS, choose);
        let mut resolved = resolved.map_err(Failure::usage)?;
        let isolation = isolation.expect("a plan that was read has asked for a level");
        let isolation = isolation.map_err(Failure::usage)?;
        side(&mut resolved, players).map_err(|error| no_place(&error))?;
        Ok(Self {
            resolved,
            isolation,
            players: players.clone(),
        })
    }

    /// What users must know of an isolation below the strongest.
    pub fn banner(&self) -> Vec<String> {
        self.isolation.banner()
    }

    /// Plays these games and passes every record to `on_record`. Returns whether it was
    /// interrupted.
    ///
    /// # Errors
    /// Bots cannot be started here, or one survives SIGKILL.
    pub fn play(
        &self,
        trusts: bool,
        guard: &Guard,
        games: &[GameId],
        on_record: &mut dyn FnMut(&GameRecord),
    ) -> Result<bool, Failure> {
        let resolved = &self.resolved;
        check_trust(trusts, &self.isolation, has_strangers(resolved))?;
        let interrupt = interrupt::listen(guard)
            .map_err(|error| Failure::machine(format!("cannot listen to signals: {error}")))?;
        let equipment = equip(
            resolved,
            &self.isolation.mechanism,
            guard,
            resolved.typed.isolation.freeze,
        )?;
        let plays = |name: &str| self.players.contains(name);
        let built = build_all(
            resolved,
            &resolved.output,
            &equipment,
            &plays,
            &interrupt,
            |_| (),
        )?;
        if let Some((entrant, report)) = built.failed.first() {
            return Err(Failure::usage(format!(
                "{} cannot be played again, because it does not build: {}",
                resolved.plan.entrants[entrant.index()].name,
                report.failure.as_deref().unwrap_or_default()
            )));
        }
        let factory = BotFactory::new(&equipment, &built.bots);
        let factory = factory.map_err(|error| no_place(&error))?;
        let schedule = Schedule::new(&resolved.plan);
        let setup = RunSetup {
            plan: &resolved.plan,
            schedule: &schedule,
            openings: &resolved.openings,
            gate: resolved.gate.clone(),
            slots: slots(resolved),
            keep: KeepLimits::default(),
            boards: None,
            grace: GRACE,
            pause: Duration::ZERO,
        };
        play_again(&setup, &factory, games, interrupt, on_record).map_err(Failure::machine)
    }
}

/// Gives every game its own processes, so that a game does not depend on which others are played.
/// An entrant that does not play may be missing here: the house bot `random`, which is not started,
/// takes its place.
fn side(resolved: &mut Resolved, players: &BTreeSet<String>) -> std::io::Result<()> {
    let placeholder = bot_factory::random(&resolved.entrants[0].bot)?;
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
    Ok(())
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
