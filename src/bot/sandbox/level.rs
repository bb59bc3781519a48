//! How strongly bots are isolated from the host.

/// How strongly a bot is isolated from the host, the weakest level first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Limits and deadlines only: the bot can do everything that its user can.
    None,
    /// Only its own files and the system's programs, no network, no signals to other programs.
    Landlock,
    /// Namespaces of its own: the bot sees no other files and processes.
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
