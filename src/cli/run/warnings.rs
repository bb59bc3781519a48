//! What a run warns of before its first game.

use crate::config::Resolved;
use crate::isolation::Isolation;
use crate::isolation::supervisor::Guard;
use crate::run_folder::{self, FoundJournal};
use std::collections::BTreeSet;

/// Problems that do not stop the run: of the host, of the configuration, and of what an earlier run
/// has left.
pub fn warnings_before(
    resolved: &Resolved,
    isolation: &Isolation,
    guard: &Guard,
    found: &FoundJournal,
) -> Vec<String> {
    let mut warnings = isolation.warnings().clone();
    warnings.extend(resolved.warnings.iter().cloned());
    warnings.extend(guard.warning());
    let lowered = resolved
        .entrants
        .iter()
        .map(|it| it.bot.limits.lowered_here());
    let lowered: BTreeSet<String> = lowered.filter(|words| !words.is_empty()).collect();
    if !lowered.is_empty() {
        warnings.push(format!(
            "bots get less than [limits] says, because this user has no more (`ulimit -H -a`): {}",
            lowered.into_iter().collect::<Vec<_>>().join("; ")
        ));
    }
    if found.torn_bytes > 0 {
        warnings.push(format!(
            "the last line of {} was cut short by a crash; its {} bytes were dropped, and a game \
             in it is played again",
            run_folder::JOURNAL,
            found.torn_bytes
        ));
    }
    warnings
}
