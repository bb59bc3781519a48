//! How many processes of bots each slot keeps on this machine, and how much memory they may hold:
//! a quarter of the machine's memory for all slots together, and what is left in a container beside
//! the bots that play.

use crate::config::Resolved;
use crate::procfs::machine_memory_bytes;
use crate::tournament::KeepLimits;
use rustix::process::{Resource, getrlimit};

/// The part of the machine's memory that the kept processes of all slots may hold.
const MEMORY_SHARE: u64 = 4;
/// Descriptors for a process that is kept: its pipes, its status channel, its pidfd, the files of
/// its control group and those that show how busy its cores are.
const PER_PROCESS: u64 = 12;
/// Descriptors for everything else.
const OTHERS: u64 = 256;

/// What each slot keeps, and a sentence if that is less than was wanted.
pub fn keep_limits(resolved: &Resolved) -> (KeepLimits, Option<String>) {
    let slots = u64::from(resolved.settings.slots).max(1);
    let entrants = resolved.entrants.len() as u64;
    let wanted = u64::from(resolved.typed.tournament.processes_kept).min(entrants);
    // A bot that nothing stops would compute while others play.
    let wanted = if resolved.typed.isolation.freeze {
        wanted
    } else {
        0
    };
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let by_files = files.saturating_sub(OTHERS) / (slots * PER_PROCESS);
    let [memory, processes] = resolved.left_for_kept();
    let most = resolved.entrants.iter().map(|it| it.bot.limits.processes);
    let each = u64::from(most.max().unwrap_or(1)).max(1);
    let by_processes = processes.map_or(u64::MAX, |left| 2 + left / slots / each);
    let kept = wanted.min(by_files).min(by_processes);
    let share = machine_memory_bytes().unwrap_or(u64::MAX) / MEMORY_SHARE;
    let limits = KeepLimits {
        players: usize::try_from(kept).unwrap_or(usize::MAX),
        memory_bytes: share.min(memory.unwrap_or(u64::MAX)) / slots,
    };
    let reason = if by_files <= by_processes {
        format!("this program may have only {files} open files; raise its limit (`ulimit -n`)")
    } else {
        format!(
            "a control group around this program leaves them {} processes and threads, of which \
             each bot may have {each} (`processes` in [limits]); give it more",
            processes.unwrap_or_default()
        )
    };
    let warning = (kept < wanted).then(|| {
        format!(
            "each slot keeps {kept} processes of bots instead of {wanted}, because {reason}, or \
             set `processes-kept` in [tournament]"
        )
    });
    (limits, warning)
}
