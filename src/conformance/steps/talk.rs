//! The start and the first answers, which all other steps need.

use super::super::rule_position::RulePosition;
use crate::conformance::steps::step::{Act, Step};
use crate::rules::Side;

pub const STEPS: [Step; 12] = [
    Step {
        id: "starts",
        title: "the program starts",
        why: "a program that does not start, or ends at once, plays no game",
        fix: "run the command by hand, in the folder that the tournament will use; look at \
               what it prints on standard error",
        needs: &[],
        act: Act::Start,
    },
    Step {
        id: "hello",
        title: "answers hello with ready",
        why: "the first line of a process must be {\"type\":\"ready\"}; anything else is a \
              start-failure and loses the game",
        fix: "answer hello with {\"type\":\"ready\"} on one line, flush it, and print nothing \
               else on standard output",
        needs: &["starts"],
        act: Act::Hello,
    },
    Step {
        id: "start-up-time",
        title: "is ready in time",
        why: "starting has a time budget of its own; later is a start-failure",
        fix: "load less, or later; the tournament's `start-up` can be set higher too",
        needs: &["hello"],
        act: Act::StartUpTime,
    },
    Step {
        id: "quiet-after-hello",
        title: "writes nothing after its first answer",
        why: "a line without a request is bad-output and loses the game",
        fix: "write one line for each question; debug text belongs on standard error",
        needs: &["hello"],
        act: Act::Quiet,
    },
    Step {
        id: "name",
        title: "says its name",
        why: "tables are easier to read if programs say what they are; nothing depends on it",
        fix: "answer hello with {\"type\":\"ready\",\"name\":\"ada\",\"version\":\"1.2\"}",
        needs: &["hello"],
        act: Act::Name,
    },
    Step {
        id: "new-game",
        title: "answers new-game with ready",
        why: "a game begins when both bots are ready for it",
        fix: "answer new-game exactly as hello, and within its own time (1 s by default): load \
               things at hello, and forget here what you know of the game before",
        needs: &["start-up-time", "quiet-after-hello"],
        act: Act::NewGame,
    },
    Step {
        id: "quiet-after-new-game",
        title: "writes nothing before it is asked",
        why: "a move that comes before the question is a line without a request",
        fix: "answer each question once, and only when it comes",
        needs: &["new-game"],
        act: Act::Quiet,
    },
    Step {
        id: "first-move",
        title: "answers a turn with a move",
        why: "the answer to turn is one line, {\"type\":\"move\",\"pit\":3}, and a pit of `legal`",
        fix: "print one JSON object, with `pit` a number from 0 to 5 that is in `legal`, end it \
               with one newline, and flush",
        needs: &["new-game", "quiet-after-new-game"],
        act: Act::FirstMove,
    },
    Step {
        id: "quiet-after-move",
        title: "writes nothing after its move",
        why: "what is written on the opponent's turn is bad-output and loses the game",
        fix: "print debug text to standard error; take care not to end a line twice, as \
               print(text + \"\\n\") does",
        needs: &["first-move"],
        act: Act::Quiet,
    },
    Step {
        id: "pit-numbers",
        title: "counts its pits from 0 to 5",
        why: "pits are counted from 0, in sowing order; here only pit 0, only pit 5, and only pit \
              2 can be played",
        fix: "take the number out of `legal` as it stands, without adding 1 and without a letter",
        needs: &["quiet-after-move"],
        act: Act::Fresh(&[
            RulePosition::south([5, 0, 0, 0, 0, 0, 4, 0, 3, 0, 0, 1]),
            RulePosition::south([0, 0, 0, 0, 0, 3, 4, 0, 3, 0, 0, 5]),
            RulePosition::south([0, 0, 8, 0, 0, 0, 4, 0, 3, 0, 0, 5]),
        ]),
    },
    Step {
        id: "pit-numbers-north",
        title: "counts its own pits as North too",
        why: "`board`, `legal` and `pit` are seen from the bot: 0 to 5 are its own pits on both \
              sides; here only pit 2 can be played",
        fix: "use `board` and `legal` as they stand, the same as for South; only `position` \
               always begins with South's pits",
        needs: &["pit-numbers"],
        act: Act::Fresh(&[RulePosition {
            bot: Side::North,
            first: "E",
            plies: 2,
            ..RulePosition::south([0, 0, 0, 0, 1, 3, 0, 0, 4, 0, 0, 0])
        }]),
    },
    Step {
        id: "must-feed",
        title: "feeds an opponent without seeds",
        why: "if the opponent's row is empty, only moves that give it seeds are legal",
        fix: "choose out of `legal`, not out of the pits that hold seeds",
        needs: &["pit-numbers", "pit-numbers-north"],
        act: Act::Fresh(&[RulePosition::south([2, 1, 0, 3, 0, 2, 0, 0, 0, 0, 0, 0])]),
    },
];
