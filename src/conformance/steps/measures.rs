//! The end of the bot, and what was observed in all earlier steps: times, lines, memory.

use crate::conformance::steps::step::{Act, Step};

pub const STEPS: [Step; 10] = [
    Step {
        id: "quit",
        title: "leaves at quit",
        why: "after quit a bot has 200 ms to exit, then it is killed: files may be left half \
              written",
        fix: "end the loop at quit, close what is open, end all threads",
        needs: &["second-game"],
        act: Act::Quit,
    },
    Step {
        id: "quit-at-once",
        title: "leaves at quit before any game",
        why: "a bot whose tournament is over already is asked to quit without a game",
        fix: "let quit come at any time",
        needs: &["quit"],
        act: Act::QuitAtOnce,
    },
    Step {
        id: "end-of-input",
        title: "leaves at the end of its input",
        why: "the end of the input means the same as quit; a bot that waits on stays in memory",
        fix: "end when reading gives nothing more: an empty line without its newline, None, null",
        needs: &["pit-numbers"],
        act: Act::EndOfInput,
    },
    Step {
        id: "end-of-input-at-once",
        title: "leaves at the end of an input that was empty",
        why: "a referee that is stopped leaves its bots with an input that ends",
        fix: "end when reading gives nothing, before the first message too",
        needs: &["end-of-input"],
        act: Act::EndOfInputAtOnce,
    },
    Step {
        id: "in-time",
        title: "answers within the clock",
        why: "an answer after the limit and a margin of 10 ms is a timeout and loses the game",
        fix: "measure from the moment the line arrives, and leave a tenth of the time unused",
        needs: &["pit-numbers"],
        act: Act::InTime,
    },
    Step {
        id: "deterministic",
        title: "plays the same game with the same seed",
        why: "nothing in the protocol demands it, but a game that can be played again can be \
              fixed",
        fix: "draw all randomness from a generator that new-game's `seed` starts; a search that \
               stops by the clock differs all the same",
        needs: &["second-game"],
        act: Act::Deterministic,
    },
    Step {
        id: "line-ends",
        title: "ends its lines with a newline alone",
        why: "a \\r before the newline is tolerated, not wanted",
        fix: "open standard output without translation of newlines",
        needs: &["pit-numbers"],
        act: Act::LineEnds,
    },
    Step {
        id: "info",
        title: "sends an info that is kept, or none",
        why: "`info` is kept with the move if it is an object of at most 4096 bytes",
        fix: "shorten `info`, or leave it out",
        needs: &["pit-numbers"],
        act: Act::Info,
    },
    Step {
        id: "memory",
        title: "stays below 512 MiB of memory",
        why: "a bot beyond the tournament's limit of memory is killed and loses the game",
        fix: "make tables smaller, and empty them at new-game",
        needs: &["pit-numbers"],
        act: Act::Memory,
    },
    Step {
        id: "standard-error",
        title: "keeps standard error clean",
        why: "standard error is the bot's own and breaks no rule; a warning there is worth reading",
        fix: "read the lines; they may be warnings of your interpreter",
        needs: &["hello"],
        act: Act::StandardError,
    },
];
