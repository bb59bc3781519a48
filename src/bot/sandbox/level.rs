//! How far bots are kept from the host.

/// How far a bot is kept from the host, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Limits and deadlines only: the bot can do whatever its user can.
    None,
    /// No files but its own and the system's programs, no network, no signals to others.
    Landlock,
    /// Namespaces of its own: it sees no other files and processes.
    Box,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Landlock, Self::Box];

    /// The name in configurations and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Landlock => "landlock",
            Self::Box => "box",
        }
    }

    /// The level of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}
