//! The signals that this process ignores.

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
}
