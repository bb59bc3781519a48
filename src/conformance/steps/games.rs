//! Whole games, and many in one process.

use crate::conformance::steps::step::{Act, Step};
use crate::rules::Side;

const NEEDS: &[&str] = &["must-feed"];

pub const STEPS: [Step; 5] = [
    Step {
        id: "game-south",
        title: "plays a legal game as South",
        why: "one fault in a game loses it, whatever the stores say",
        fix: "look at the last question in the transcript, and ask your program that one alone",
        needs: NEEDS,
        act: Act::Game(Side::South),
    },
    Step {
        id: "quiet-after-game-over",
        title: "lives on after game-over, and keeps still",
        why: "game-over has no answer, and the same process plays the next game",
        fix: "read game-over and do nothing; leave only at quit or at the end of the input",
        needs: &["game-south"],
        act: Act::Quiet,
    },
    Step {
        id: "second-game",
        title: "plays a second game in the same process",
        why: "one process plays many games; what is left of the last one disturbs the next",
        fix: "at new-game set everything back that belongs to one game: board, history, tables",
        needs: &["quiet-after-game-over"],
        act: Act::SecondGame,
    },
    Step {
        id: "game-north",
        title: "plays a legal game as North",
        why: "each pair of games is played once from each side",
        fix: "look at the last question in the transcript: 0 to 5 are your own pits; the first \
               turn of North has the number 1, and a `last`",
        needs: NEEDS,
        act: Act::Game(Side::North),
    },
    Step {
        id: "many-games",
        title: "plays twenty short games in one process",
        why: "a tournament of hundreds of games never starts the program again",
        fix: "look for what grows, or runs out, from game to game: open files, threads, lists",
        needs: &["second-game", "game-north"],
        act: Act::ManyGames,
    },
];
