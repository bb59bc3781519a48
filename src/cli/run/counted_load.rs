//! The configuration of a run. In a class it has, of each author's programs, the one that counts.

use super::decide::plan_longer;
use super::load::{ConfigSource, Loaded, agree, load_to_play, overrides, read_run};
use super::session::Ended;
use crate::cli::args::RunArguments;
use crate::cli::exit::Failure;
use crate::config::{Counts, EndgameSource, KeyFlag, Overrides, Resolved, SecretSource};
use crate::course::{Refusals, versions_that_play};
use crate::isolation::supervisor::Guard;

/// Loads the configuration of a run, again and again until no program that counts changes.
pub struct CountedLoad<'a> {
    arguments: &'a RunArguments,
    guard: Option<&'a Guard>,
    /// Why examinations of this run refused last programs.
    refused: Refusals,
    /// The hashes of the plans that were played.
    played: Vec<String>,
}

impl<'a> CountedLoad<'a> {
    /// Nothing was examined yet.
    pub const fn new(arguments: &'a RunArguments, guard: Option<&'a Guard>) -> Self {
        Self {
            arguments,
            guard,
            refused: Refusals::new(),
            played: Vec::new(),
        }
    }

    /// The configuration with the programs and the longer pairings that count as far as the journal
    /// knows.
    pub fn now(&self) -> Result<Loaded, Failure> {
        let mut loaded = self.with_versions()?;
        if !self.arguments.play.fresh {
            let decides = self.arguments.decide && self.played.is_empty();
            plan_longer(&mut loaded.resolved, decides)?;
        }
        Ok(loaded)
    }

    fn with_versions(&self) -> Result<Loaded, Failure> {
        let pairs = KeyFlag::typed("--pairs", ["tournament", "pairs"], self.arguments.pairs);
        let flags = overrides(&self.arguments.play, [pairs]);
        let loaded = self.load(&flags)?;
        if self.arguments.play.fresh {
            return Ok(loaded);
        }
        let versions = versions_that_play(&loaded.resolved, &self.refused)?;
        if versions.is_empty() {
            return Ok(loaded);
        }
        drop(loaded);
        self.load(&Overrides { versions, ..flags })
    }

    fn load(&self, flags: &Overrides) -> Result<Loaded, Failure> {
        let source = ConfigSource::File(&self.arguments.config);
        let Some(path) = &self.arguments.plan else {
            return load_to_play(&source, flags, &self.arguments.play, self.guard);
        };
        let run = read_run(path)?;
        let flags = Overrides {
            secret: SecretSource::Given(run.plan.secret.clone()),
            endgame: EndgameSource::Given(run.plan.endgame.clone()),
            ..flags.clone()
        };
        let mut loaded = load_to_play(&source, &flags, &self.arguments.play, self.guard)?;
        agree(&mut loaded, Some(run))?;
        Ok(loaded)
    }

    /// The configuration after a session of this one, if other programs count now.
    pub fn after(
        &mut self,
        ended: &Ended<'_>,
        resolved: &Resolved,
    ) -> Result<Option<Loaded>, Failure> {
        self.refused.extend(ended.refused());
        let may_change = match resolved.typed.class.counts {
            Counts::Latest => false,
            Counts::LastAdmitted => !self.refused.is_empty(),
            Counts::Best => true,
        };
        if ended.is_interrupted() || resolved.settings.grading.is_none() || !may_change {
            return Ok(None);
        }
        self.played.push(resolved.plan.hash());
        let next = self.now()?;
        let is_new = !self.played.contains(&next.resolved.plan.hash());
        Ok(is_new.then_some(next))
    }
}
