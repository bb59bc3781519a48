//! A step as data.

use crate::conformance::message_style::MessageStyle;
use crate::conformance::rule_position::RulePosition;
use crate::rules::Side;

/// One step.
#[derive(Debug)]
pub struct Step {
    /// Its name for programs; never changes.
    pub id: &'static str,
    /// The statement that is true if the step passes.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// How to fix it.
    pub fix: &'static str,
    /// The steps that must pass for this one to be meaningful.
    pub needs: &'static [&'static str],
    /// Its action.
    pub act: Act,
}

/// The action of a step.
#[derive(Debug)]
pub enum Act {
    /// Starts the program.
    Start,
    /// Greets the bot.
    Hello,
    /// Judges the time of the start.
    StartUpTime,
    /// Sends nothing and expects nothing.
    Quiet,
    /// Judges the name in the first answer.
    Name,
    /// Announces a game.
    NewGame,
    /// Asks for the first move of that game.
    FirstMove,
    /// Plays positions with a new process.
    Fresh(&'static [RulePosition]),
    /// Plays a whole game with a new process.
    Game(Side),
    /// Plays the game as South again, in the same process.
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
    /// Sends `quit` after some moves, with the input still open.
    Quit,
    /// Sends `quit` to a process that has not played.
    QuitAtOnce,
    /// Closes the input in the middle of a game.
    EndOfInput,
    /// Closes the input of a process that was told nothing.
    EndOfInputAtOnce,
    /// Judges the times of all moves.
    InTime,
    /// Compares the two games as South.
    Deterministic,
    /// Judges the ends of all lines.
    LineEnds,
    /// Judges the `info` of moves.
    Info,
    /// Judges the peak memory of a process.
    Memory,
    /// Judges standard error.
    StandardError,
}
