//! Whether a shard has all of its games.

use super::shown;
use crate::cli::exit::Failure;
use crate::shard::{ShardFile, open_pairs, ranges};
use crate::tournament::{ATTEMPTS, Entry, JournalError, JournalReader, Plan, Progress, Schedule};
use std::ops::Range;
use std::path::Path;

/// What is read of a journal.
enum Read {
    /// Its games, and whether each of its lines is sound.
    Shard(Progress, bool),
    /// It says that it is of another plan.
    OtherPlan,
    /// It does not say what it is.
    Nothing,
}

/// What a shard has when it is whole.
pub struct WholeShard<'a> {
    /// The plan of the run.
    pub plan: &'a Plan,
    /// Its schedule.
    pub schedule: &'a Schedule,
    /// The pairs of the shard, by their places.
    pub places: Range<usize>,
}

impl WholeShard<'_> {
    /// Whether a journal has every game, each of its lines being sound.
    pub fn is_there(&self, journal: &Path) -> Result<bool, Failure> {
        let Ok(shard) = ShardFile::open(journal) else {
            return Ok(false);
        };
        let (progress, is_sound) = match self.progress(shard) {
            Read::Shard(progress, is_sound) => (progress, is_sound),
            Read::Nothing => return Ok(false),
            Read::OtherPlan => {
                return Err(Failure::usage(format!(
                    "{} is there, and is a shard of another plan: name another --output",
                    shown(journal)
                )));
            }
        };
        let others = (0..self.schedule.pairs.len()).filter(|it| !self.places.contains(it));
        let is_done = |place: &usize| {
            let games = self.schedule.pairs[*place].game_ids();
            games.iter().any(|it| progress.is_done(it))
        };
        let others: Vec<usize> = others.filter(is_done).collect();
        if others.is_empty() {
            return Ok(is_sound && self.open(&progress).is_empty());
        }
        Err(Failure::usage(format!(
            "{} is there, and has the pairs {} too: name another --output",
            shown(journal),
            ranges(&others).join(", ")
        )))
    }

    /// The pairs that stay open because the host made their games void every time; `None` if some were
    /// not tried: the shard was interrupted.
    pub fn still_open(&self, journal: &Path) -> Result<Option<Vec<usize>>, Failure> {
        let shard = ShardFile::open(journal);
        let shard =
            shard.map_err(|error| Failure::machine(format!("{}: {error}", shown(journal))))?;
        let Read::Shard(progress, _) = self.progress(shard) else {
            return Ok(None);
        };
        let open = self.open(&progress);
        let tried = |place: &usize| {
            let games = self.schedule.pairs[*place].game_ids();
            let mut open = games.iter().filter(|it| !progress.is_done(it));
            open.all(|game| progress.next_attempt(game) > ATTEMPTS)
        };
        Ok(open.iter().all(tried).then_some(open))
    }

    /// What a journal has.
    fn progress(&self, shard: ShardFile) -> Read {
        let mut reader = JournalReader::surveying(shard.journal).counting_for(self.plan);
        let (mut progress, mut is_sound) = (Progress::default(), true);
        loop {
            match reader.next_entry() {
                Ok(Some(Entry::Game(record))) => progress.note(&record),
                Ok(Some(Entry::Admission(admission))) => progress.note_admission(&admission),
                Ok(Some(Entry::Withdrawal(_))) => {}
                Ok(None) => break,
                Err(JournalError::Damaged { .. }) => is_sound = false,
                Err(_) => return Read::Nothing,
            }
        }
        is_sound &= reader.state.text.torn_bytes == 0;
        match reader.state.plan.filter(|it| it.hash_fits) {
            None => Read::Nothing,
            Some(plan) if plan.run.plan.hash() != self.plan.hash() => Read::OtherPlan,
            Some(_) => Read::Shard(progress, is_sound),
        }
    }

    /// The pairs with a game that has no result, though both entrants are admitted.
    fn open(&self, progress: &Progress) -> Vec<usize> {
        let may_play = |place: usize| {
            let mut entrants = self.schedule.pairs[place].entrants.iter();
            entrants.all(|it| {
                let name = &self.plan.entrants[it.index()].name;
                progress.refusal(name).is_none()
            })
        };
        let places = self.places.clone();
        open_pairs(self.schedule, places, progress, |_, place| may_play(place))
    }
}
