//! The values that are chosen by their names.

use crate::bot::{Level, Restart};
use crate::referee::Measure;
use crate::rules::{Capture, GrandSlam, Preset, Remaining};
use crate::stats::sprt::Model;
use crate::tournament::AdmissionMode;

/// A value that is chosen by its name.
pub trait NamedChoice: Copy + PartialEq + 'static {
    /// All choices by their names, in the order of messages.
    fn all() -> Vec<(&'static str, Self)>;
}

/// The names of all choices.
pub fn names<T: NamedChoice>() -> Vec<&'static str> {
    T::all().into_iter().map(|(name, _)| name).collect()
}

/// The name of a choice.
pub fn name<T: NamedChoice>(choice: T) -> &'static str {
    let named = T::all().into_iter().find(|(_, it)| *it == choice);
    named.expect("every choice has a name").0
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatName {
    RoundRobin,
    Gauntlet,
}

/// The games whose standard error is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logs {
    /// Of games that ended by a fault, and of void games.
    Faults,
    /// Of every game.
    All,
    /// Of none.
    None,
}

macro_rules! choices {
    ($($type:ident { $($name:literal $value:ident,)* })*) => {$(
        impl NamedChoice for $type {
            fn all() -> Vec<(&'static str, Self)> {
                vec![$(($name, Self::$value)),*]
            }
        }
    )*};
}

choices! {
    FormatName { "round-robin" RoundRobin, "gauntlet" Gauntlet, }
    Logs { "faults" Faults, "all" All, "none" None, }
    Capture { "chain" Chain, "last-pit" LastPit, }
    GrandSlam {
        "no-capture" NoCapture,
        "forbidden" Forbidden,
        "forbidden-unless-only" ForbiddenUnlessOnly,
        "forbidden-unless-only-capture" ForbiddenUnlessOnlyCapture,
        "capture" Capture,
    }
    Remaining { "nobody" Nobody, "own-row" OwnRow, }
    Measure { "wall" Wall, "cpu" Cpu, }
    Restart { "never" Never, "each-game" EachGame, }
    AdmissionMode { "on" On, "off" Off, "required" Required, }
    Model { "logistic" Logistic, "normalized" Normalised, }
}

/// `None` requests the strongest level that is available.
impl NamedChoice for Option<Level> {
    fn all() -> Vec<(&'static str, Self)> {
        let levels = [Level::Box, Level::Landlock, Level::None];
        let levels = levels.map(|level| (level.name(), Some(level)));
        [("auto", None)].into_iter().chain(levels).collect()
    }
}

impl NamedChoice for Preset {
    fn all() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|preset| (preset.name(), preset)).to_vec()
    }
}
