//! The signals that a process ignores or handles, and the timers that send it signals.

use rustix::process::Signal;
use std::fs;

/// Whether the program was started with hang-ups ignored, as by `nohup`: then they stay ignored.
pub fn ignores_hang_up() -> bool {
    is_ignored(Signal::HUP)
}

/// The same of a terminal's Ctrl-Z.
pub fn ignores_terminal_stop() -> bool {
    is_ignored(Signal::TSTP)
}

fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    mask(&status, "SigIgn:").is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

/// The signals for which a process has handlers: bit 0 is signal 1.
pub fn handled_signals(process: i32) -> Option<u64> {
    // The file has the program's name, which can be any bytes.
    let status = fs::read(format!("/proc/{process}/status")).ok()?;
    mask(&String::from_utf8_lossy(&status), "SigCgt:")
}

/// Whether a process has timers of `timer_create`; `None` if the kernel does not tell. It never
/// tells of `alarm` and `setitimer`.
pub fn has_timers(process: i32) -> Option<bool> {
    let timers = fs::read(format!("/proc/{process}/timers")).ok()?;
    Some(!timers.is_empty())
}

fn mask(status: &str, name: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix(name))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_hexadecimal_and_stand_on_lines_of_their_own() {
        let status = "Name:\tSigCgt: 1\nSigIgn:\t0000000000000001\nSigCgt:\t0000000180004002\n";
        assert_eq!(mask(status, "SigIgn:"), Some(1));
        assert_eq!(mask(status, "SigCgt:"), Some(0x1_8000_4002));
        assert_eq!(mask("Name:\tzombie\n", "SigCgt:"), None);
    }

    #[test]
    fn this_process_can_be_looked_at() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(handled_signals(own).is_some());
        // A kernel may be built without the list of timers.
        assert_ne!(has_timers(own), Some(true));
    }
}
