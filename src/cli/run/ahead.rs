//! What a run prepares while its isolation is tested: the sandbox, and the boxes of its first game.
//! Nothing of a bot runs in them before that game, which is after the test. If another level holds,
//! all of this is dropped and made again.

use super::bot_factory::BotFactory;
use super::sandboxes::{equip, real_path};
use crate::bot::{EarlyBox, Level};
use crate::config::Resolved;
use crate::isolation::supervisor::Guard;
use crate::isolation::{Equipment, Isolation, Mechanism};
use crate::run_folder::JOURNAL;
use crate::tournament::{EntrantIndex, Schedule};
use std::path::Path;

/// What was prepared. The boxes end before their sandbox.
#[derive(Debug)]
pub struct Ahead {
    /// The players, whose first boxes may be set up.
    pub factory: BotFactory,
    /// The sandbox.
    pub equipment: Equipment,
    mechanism: Mechanism,
}

impl Ahead {
    /// Prepares a run with the isolation that is being tested. `None` if the run has to make it: it
    /// builds programs, or what fails here is its failure then.
    pub fn prepare(resolved: &Resolved, mechanism: &Mechanism, guard: &Guard) -> Option<Self> {
        let is_built = resolved.entrants.iter().any(|it| it.build.is_some());
        if mechanism.level < Level::Box || is_built {
            return None;
        }
        // What leads to the run's folder may be known only once it is there, and it must be hidden.
        let output = real_path(&resolved.output)?;
        let freeze = resolved.typed.isolation.freeze;
        let equipment = equip(resolved, mechanism, guard, freeze).ok()?;
        let bots: Vec<_> = resolved.entrants.iter().map(|it| it.bot.clone()).collect();
        let factory = BotFactory::new(&equipment, &bots).ok()?;
        factory.keep_early(early_boxes(resolved, &output, &factory));
        Some(Self {
            factory,
            equipment,
            mechanism: mechanism.clone(),
        })
    }

    /// The same, if this isolation holds.
    pub fn with(self, isolation: &Isolation) -> Option<Self> {
        (self.mechanism == isolation.mechanism).then_some(self)
    }
}

/// The boxes of the first game, on a core that no slot has. With several slots, another slot may
/// play it; and a run that is resumed may have nothing to play.
fn early_boxes(
    resolved: &Resolved,
    output: &Path,
    factory: &BotFactory,
) -> Vec<(EntrantIndex, EarlyBox)> {
    let slots = resolved.cores_of_slots();
    let ([begin_on], Some(core)) = (slots.as_slice(), resolved.free_core()) else {
        return Vec::new();
    };
    if resolved.output.join(JOURNAL).exists() {
        return Vec::new();
    }
    let set_up = |entrant: EntrantIndex| {
        let (_, bot) = &factory.bots[entrant.index()];
        // A box hides a folder in what it shows only as it is now: that of the run may be made, or
        // be set aside, after this.
        if bot.shows(output) {
            return None;
        }
        let early = EarlyBox::set_up(bot, core, begin_on).ok()?;
        Some((entrant, early))
    };
    first_players(resolved)
        .into_iter()
        .filter_map(set_up)
        .collect()
}

/// The entrants of the first game. In an examination the first one plays against itself.
fn first_players(resolved: &Resolved) -> Vec<EntrantIndex> {
    if let Some(&first) = resolved.gate.candidates.first() {
        return vec![first; 2];
    }
    let schedule = Schedule::new(&resolved.plan);
    let pair = schedule.pairs.first();
    pair.map_or_else(Vec::new, |pair| pair.entrants.to_vec())
}
