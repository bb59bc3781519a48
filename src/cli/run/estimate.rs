//! How long the games of a run will take, told when all entrants are examined.

use super::watch::Watcher;
use crate::config::Resolved;
use crate::text::{counted, long_time};
use crate::tournament::{Event, Progress, Schedule, playing_time};

/// How long the games that are still to be played will take, in words; `None` if that is not known.
pub fn about(resolved: &Resolved, schedule: &Schedule, progress: &Progress) -> Option<String> {
    let time = playing_time(&resolved.plan, schedule, &resolved.gate, progress)?;
    let slots = resolved.settings.slots.max(1);
    Some(format!(
        "about {} on {}, as the games of the admission went",
        long_time(time / slots),
        counted(slots as usize, "slot", "slots")
    ))
}

/// What a run knows of the times of its entrants.
pub struct Estimate<'a> {
    resolved: &'a Resolved,
    schedule: &'a Schedule,
    /// All that was played, if anybody is examined.
    progress: Progress,
    /// Whether it is not told: how many slots play elsewhere is not known.
    pub is_silent: bool,
}

impl<'a> Estimate<'a> {
    /// Before the examinations.
    pub fn new(resolved: &'a Resolved, schedule: &'a Schedule, progress: &Progress) -> Self {
        let mut candidates = resolved.gate.candidates.iter();
        let waits = candidates.any(|it| {
            let name = &resolved.plan.entrants[it.index()].name;
            !progress.is_examined(name)
        });
        Self {
            resolved,
            schedule,
            progress: if waits {
                progress.clone()
            } else {
                Progress::default()
            },
            is_silent: false,
        }
    }

    /// Tells how long the games take, after the last examination.
    pub fn on_event(&mut self, event: &Event<'_>, watcher: &Watcher<'_>) {
        if let Event::Examined { admission, .. } = event {
            self.progress.note_admission(admission);
            if watcher.has_examined_all() && !self.is_silent {
                watcher.estimate(about(self.resolved, self.schedule, &self.progress));
            }
        }
    }
}
