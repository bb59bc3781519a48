//! What a run warns of before its first game.

use crate::config::Resolved;
use crate::isolation::Isolation;
use crate::isolation::supervisor::Guard;
use crate::run_folder::{self, FoundJournal};

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
    if found.torn_bytes > 0 {
        warnings.push(format!(
            "the last line of {} was cut short by a crash; its {} bytes were dropped, and its game \
             is played again",
            run_folder::JOURNAL,
            found.torn_bytes
        ));
    }
    warnings
}
