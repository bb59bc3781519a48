//! The questions about commands of house bots: `["awale", "bot", NAME, OPTIONS …]`. The command
//! line answers them; this room does not know it.

use super::error::Medium;

/// The names of the house bots.
pub const HOUSE_BOTS: [&str; 3] = ["random", "greedy", "minimax"];

/// The parser of house bots' commands.
#[derive(Clone, Copy, Debug)]
pub struct HouseCommands {
    /// Why the words do not start a house bot, and what is allowed.
    pub check: fn(&[&str], Medium) -> Result<(), String>,
    /// Whether the words start a house bot that always plays the same in the same game, whatever
    /// time it has.
    pub is_deterministic: fn(&[&str]) -> bool,
}

#[cfg(test)]
impl HouseCommands {
    /// For tests without games: any name is valid, and all bots are deterministic.
    pub(super) const ANY: Self = Self {
        check: |_, _| Ok(()),
        is_deterministic: |_| true,
    };
}
