//! What must be known of the commands of house bots: `["awale", "bot", NAME, OPTIONS …]`. Who has a
//! command line says it; this room knows of none.

use super::error::Medium;

/// How the commands of house bots are read.
#[derive(Clone, Copy, Debug)]
pub struct HouseCommands {
    /// Why the words start no house bot, and what is allowed.
    pub check: fn(&[&str], Medium) -> Result<(), String>,
    /// Whether the words start a house bot that plays the same in the same game, however long it
    /// may think.
    pub is_deterministic: fn(&[&str]) -> bool,
}

#[cfg(test)]
impl HouseCommands {
    /// For tests that play no game: any name is one, and all bots are deterministic.
    pub(super) const ANY: Self = Self {
        check: |_, _| Ok(()),
        is_deterministic: |_| true,
    };
}
