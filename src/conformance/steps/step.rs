//! A step as data.

use crate::conformance::scene::RulePosition;
use crate::conformance::style::MessageStyle;
use crate::rules::Side;

/// One step.
#[derive(Debug)]
pub struct Step {
    /// Its name for programs; never changes.
    pub id: &'static str,
    /// What holds if it is green.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// How to fix it.
    pub fix: &'static str,
    /// The steps without which this one says nothing.
    pub needs: &'static [&'static str],
    /// What is done.
    pub act: Act,
}

/// What a step does.
#[derive(Debug)]
pub enum Act {
    /// Starts the program.
    Start,
    /// Says hello.
    Hello,
    /// Looks at the time that starting took.
    StartUpTime,
    /// Says nothing and listens.
    Quiet,
    /// Looks at the name in the first answer.
    Name,
    /// Announces a game.
    NewGame,
    /// Asks for the first move of it.
    FirstMove,
    /// Plays positions with a process that has just been started.
    Fresh(&'static [RulePosition]),
    /// Plays a whole game with a process that has just been started.
    Game(Side),
    /// Plays the game as South once more, in the same process.
    SecondGame,
    /// Plays many short games in one process.
    ManyGames,
    /// Plays positions.
    Positions(&'static [RulePosition]),
    /// Plays some moves with messages in another style.
    Styled(MessageStyle),
    /// Plays some moves with the largest seed.
    LargeSeed,
    /// Plays some moves against an unnamed opponent.
    Blind,
    /// Plays some moves on a game clock.
    Bank,
    /// Says quit after some moves, and leaves the input open.
    Quit,
    /// Says quit to a process that has played nothing.
    QuitAtOnce,
    /// Ends the input in the middle of a game.
    EndOfInput,
    /// Ends the input of a process that was told nothing.
    EndOfInputAtOnce,
    /// Looks at the times of all moves.
    InTime,
    /// Compares the two games as South.
    Deterministic,
    /// Looks at the ends of all lines.
    LineEnds,
    /// Looks at what came with the moves.
    Info,
    /// Looks at the most memory that a process had.
    Memory,
    /// Looks at standard error.
    StandardError,
}
