//! `awale adapter`: lets a program play that speaks another protocol.
//!
//! ```text
//! referee ⇄ adapter ⇄ program
//!
//! uci        the UCI dialect of oware engines
//! codingame  the lines of CodinGame's Oware
//! program    the process behind the adapter: its lines, and how it ends
//! ```
//!
//! The adapter judges nothing. It passes a move on as the program gave it, and a line that it cannot
//! translate as it is, so that the referee names the fault and quotes the program. It ends as the
//! program ends.

mod codingame;
mod program;
mod uci;

use super::args::{AdapterArguments, AdapterProtocol};
use super::exit::{Exit, Failure, read_request, say, tell};
use crate::protocol::{NewGameRequest, Request, TurnRequest};
use codingame::Codingame;
use program::Program;
use std::io;
use uci::Uci;

/// A protocol of programs. What these functions return are lines for the referee.
trait Dialect {
    /// A process was started.
    fn hello(&mut self) -> Result<String, Failure>;
    /// A game begins.
    fn new_game(&mut self, request: &NewGameRequest) -> Result<String, Failure>;
    /// The program is on turn.
    fn turn(&mut self, request: &TurnRequest) -> Result<String, Failure>;
    /// A game is over.
    fn game_over(&mut self) {}
    /// Nothing follows.
    fn quit(self: Box<Self>);
}

/// Plays by the program on standard input and output.
///
/// # Errors
/// The program cannot be started, or the referee's lines cannot be read.
pub fn adapter(arguments: &AdapterArguments) -> Result<Exit, Failure> {
    let words = arguments.program.clone();
    let mut dialect: Box<dyn Dialect> = match arguments.protocol {
        AdapterProtocol::Uci => Box::new(Uci::start(&words)?),
        AdapterProtocol::Codingame => Box::new(Codingame::new(words)),
    };
    let (mut input, mut line) = (io::stdin().lock(), Vec::new());
    while read_request(&mut input, &mut line)? {
        let answer = match Request::parse(&String::from_utf8_lossy(&line)) {
            Ok(Request::Hello { .. }) => dialect.hello()?,
            Ok(Request::NewGame(request)) => dialect.new_game(&request)?,
            Ok(Request::Turn(request)) => dialect.turn(&request)?,
            Ok(Request::GameOver(_)) => {
                dialect.game_over();
                continue;
            }
            Ok(Request::Quit) => break,
            Err(error) => {
                tell(&format!("ignored a message: {error}"));
                continue;
            }
        };
        say(&answer)?;
    }
    dialect.quit();
    Ok(Exit::Done)
}
