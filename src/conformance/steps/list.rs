//! The steps as data, by subject.

use crate::conformance::arrangement::{OnlyWin, RulePosition};
use crate::conformance::message_style::MessageStyle;
use crate::conformance::steps::{Step, StepAction};
use crate::rules::{EndReason, GrandSlam, Side};

const NEEDS: &[&str] = &["must-feed"];
const SLAM_WHY: &str = "what a move that takes the opponent's whole row does differs from rule set \
                        to rule set; `rules` in new-game says it, and `legal` is always right";
const SLAM_FIX: &str = "choose out of `legal` only; if you simulate moves, read \
                         rules[\"grand-slam\"] in new-game";
const LAP_WHY: &str = "a sowing skips the pit that it began in on every lap";
const LAP_FIX: &str = "skip the origin each time you come round: it ends empty; take the board \
                        from each turn instead of following it";
const END_FIX: &str = "answer the last turn like any other; when a game is over the referee says \
                        so, and the bot need not know why";

/// All steps in their order.
pub const ALL: [&[Step]; 6] = [&TALK, &GAMES, &POSITIONS, &MESSAGES, &MEASURES, &ADVICE];

/// A slam among other moves, then one that is the only move.
const fn slams(grand_slam: GrandSlam) -> [RulePosition; 2] {
    [
        RulePosition {
            grand_slam: Some(grand_slam),
            ..RulePosition::south([0, 10, 0, 5, 0, 1, 2, 1, 1, 2, 2, 1])
        },
        RulePosition {
            grand_slam: Some(grand_slam),
            ..RulePosition::south([0, 0, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0])
        },
    ]
}

const LAST_SEED_GOES: RulePosition = RulePosition::south([0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0]);

/// The corner cases of the rules. The referee lists the legal pits, so a bot that follows `legal`
/// is safe in all of them; one that applies rules of its own may not be.
const POSITIONS: [Step; 19] = [
    Step {
        id: "mid-game-south",
        title: "takes up a game in the middle, as South",
        why: "games begin after an opening: the first board is not the start of the game",
        fix: "take the board from the turn, or from `start` in new-game; never suppose 4 seeds",
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            plies: 5,
            ..RulePosition::south([6, 5, 0, 5, 5, 0, 6, 0, 6, 2, 7, 6])
        }]),
    },
    Step {
        id: "mid-game-north",
        title: "takes up a game in the middle, as North",
        why: "games begin after an opening: the first board is not the start of the game",
        fix: "take the board from the turn, or from `start` in new-game and `last`",
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            bot: Side::North,
            first: "A",
            plies: 6,
            ..RulePosition::south([6, 5, 0, 5, 5, 0, 6, 0, 6, 2, 7, 6])
        }]),
    },
    Step {
        id: "one-legal-pit",
        title: "finds the one legal pit among several with seeds",
        why: "if only one move feeds the opponent, all others are illegal",
        fix: "choose out of `legal`, not out of the pits that hold seeds",
        needs: NEEDS,
        act: StepAction::Positions(&[
            RulePosition::south([3, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
            RulePosition::south([6, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]),
        ]),
    },
    Step {
        id: "must-feed-slam",
        title: "plays a slam that must feed",
        why: "22 seeds fall on every other pit twice: a slam, and the only move",
        fix: SLAM_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition::south([22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])]),
    },
    Step {
        id: "slam-no-capture",
        title: "survives slams that capture nothing",
        why: SLAM_WHY,
        fix: SLAM_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&slams(GrandSlam::NoCapture)),
    },
    Step {
        id: "slam-forbidden",
        title: "survives slams that are forbidden",
        why: SLAM_WHY,
        fix: SLAM_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&slams(GrandSlam::Forbidden)),
    },
    Step {
        id: "slam-forbidden-unless-only",
        title: "survives slams that are forbidden unless nothing else is left",
        why: SLAM_WHY,
        fix: SLAM_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&slams(GrandSlam::ForbiddenUnlessOnly)),
    },
    Step {
        id: "slam-forbidden-unless-only-capture",
        title: "survives slams that capture only if nothing else is left",
        why: SLAM_WHY,
        fix: SLAM_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&slams(GrandSlam::ForbiddenUnlessOnlyCapture)),
    },
    Step {
        id: "slam-capture",
        title: "survives slams that capture all",
        why: SLAM_WHY,
        fix: SLAM_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&slams(GrandSlam::Capture)),
    },
    Step {
        id: "chain",
        title: "survives a capture of three pits",
        why: "a capture goes backward over all pits of 2 or 3",
        fix: "take the board and the stores from each turn instead of following them",
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            plies: 3,
            ..RulePosition::south([0, 0, 0, 5, 0, 0, 2, 1, 1, 4, 0, 0])
        }]),
    },
    Step {
        id: "lap-12",
        title: "survives a lap of 12 seeds",
        why: LAP_WHY,
        fix: LAP_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&[
            RulePosition {
                plies: 3,
                ..RulePosition::south([12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
            },
            RulePosition {
                plies: 3,
                ..RulePosition::south([0, 0, 0, 0, 0, 14, 2, 0, 0, 0, 0, 4])
            },
        ]),
    },
    Step {
        id: "lap-23",
        title: "survives two laps, of 23 seeds and more",
        why: LAP_WHY,
        fix: LAP_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            plies: 3,
            ..RulePosition::south([23, 0, 0, 0, 0, 1, 1, 0, 2, 4, 0, 0])
        }]),
    },
    Step {
        id: "lap-34",
        title: "survives three laps, of 34 seeds and more",
        why: LAP_WHY,
        fix: LAP_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            plies: 3,
            ..RulePosition::south([0, 0, 36, 1, 0, 0, 1, 0, 0, 2, 0, 1])
        }]),
    },
    Step {
        id: "before-majority",
        title: "plays the move that brings a majority",
        why: "the game is over as soon as a store holds 25 seeds",
        fix: END_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            stores: Some([24, 19]),
            ending: Some(EndReason::Majority),
            ..RulePosition::south([0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 3, 0])
        }]),
    },
    Step {
        id: "before-no-move",
        title: "plays the move after which there is none",
        why: "a game ends when a player has no legal move",
        fix: END_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            ending: Some(EndReason::NoMove),
            ..LAST_SEED_GOES
        }]),
    },
    Step {
        id: "before-row-empty",
        title: "plays the move that empties its row",
        why: "in the children's game an empty row ends the game",
        fix: END_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            ending: Some(EndReason::RowEmpty),
            ..LAST_SEED_GOES
        }]),
    },
    Step {
        id: "before-dead-position",
        title: "plays the move to a dead position",
        why: "where two or three seeds can never be captured, some rules end the game",
        fix: END_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            ending: Some(EndReason::DeadPosition),
            ..RulePosition::south([0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1])
        }]),
    },
    Step {
        id: "before-repetition",
        title: "plays until a position comes back",
        why: "a game ends when a position has come back; two seeds go round here",
        fix: END_FIX,
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            plies: 24,
            ending: Some(EndReason::Repetition),
            ..RulePosition::south([1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0])
        }]),
    },
    Step {
        id: "no-turn",
        title: "survives a game in which it never moves",
        why: "the opponent's first move may end the game: game-over follows new-game at once",
        fix: "let game-over come at any time, without a turn before it",
        needs: NEEDS,
        act: StepAction::Positions(&[RulePosition {
            bot: Side::North,
            first: "F",
            ..LAST_SEED_GOES
        }]),
    },
];

/// The start and the first answers, which all other steps need.
const TALK: [Step; 12] = [
    Step {
        id: "starts",
        title: "the program starts",
        why: "a program that does not start, or ends at once, plays no game",
        fix: "run the command by hand, in the folder that the tournament will use; look at \
               what it prints on standard error",
        needs: &[],
        act: StepAction::Start,
    },
    Step {
        id: "hello",
        title: "answers hello with ready",
        why: "the first line of a process must be {\"type\":\"ready\"}; anything else is a \
              start-failure and loses the game",
        fix: "answer hello with {\"type\":\"ready\"} on one line, flush it, and print nothing \
               else on standard output",
        needs: &["starts"],
        act: StepAction::Hello,
    },
    Step {
        id: "start-up-time",
        title: "is ready in time",
        why: "starting has a time budget of its own; later is a start-failure",
        fix: "load less, or later; the tournament's `start-up` can be set higher too",
        needs: &["hello"],
        act: StepAction::StartUpTime,
    },
    Step {
        id: "quiet-after-hello",
        title: "writes nothing after its first answer",
        why: "a line without a request is bad-output and loses the game",
        fix: "write one line for each question; debug text belongs on standard error",
        needs: &["hello"],
        act: StepAction::Quiet,
    },
    Step {
        id: "name",
        title: "says its name",
        why: "tables are easier to read if programs say what they are; nothing depends on it",
        fix: "answer hello with {\"type\":\"ready\",\"name\":\"ada\",\"version\":\"1.2\"}",
        needs: &["hello"],
        act: StepAction::Name,
    },
    Step {
        id: "new-game",
        title: "answers new-game with ready",
        why: "a game begins when both bots are ready for it",
        fix: "answer new-game exactly as hello, and within its own time (1 s by default): load \
               things at hello, and forget here what you know of the game before",
        needs: &["start-up-time", "quiet-after-hello"],
        act: StepAction::NewGame,
    },
    Step {
        id: "quiet-after-new-game",
        title: "writes nothing before it is asked",
        why: "a move that comes before the question is a line without a request",
        fix: "answer each question once, and only when it comes",
        needs: &["new-game"],
        act: StepAction::Quiet,
    },
    Step {
        id: "first-move",
        title: "answers a turn with a move",
        why: "the answer to turn is one line, {\"type\":\"move\",\"pit\":3}, and a pit of `legal`",
        fix: "print one JSON object, with `pit` a number from 0 to 5 that is in `legal`, end it \
               with one newline, and flush",
        needs: &["new-game", "quiet-after-new-game"],
        act: StepAction::FirstMove,
    },
    Step {
        id: "quiet-after-move",
        title: "writes nothing after its move",
        why: "what is written on the opponent's turn is bad-output and loses the game",
        fix: "print debug text to standard error; take care not to end a line twice, as \
               print(text + \"\\n\") does",
        needs: &["first-move"],
        act: StepAction::Quiet,
    },
    Step {
        id: "pit-numbers",
        title: "counts its pits from 0 to 5",
        why: "pits are counted from 0, in sowing order; here only pit 0, only pit 5, and only pit \
              2 can be played",
        fix: "take the number out of `legal` as it stands, without adding 1 and without a letter",
        needs: &["quiet-after-move"],
        act: StepAction::Fresh(&[
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
        act: StepAction::Fresh(&[RulePosition {
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
        act: StepAction::Fresh(&[RulePosition::south([2, 1, 0, 3, 0, 2, 0, 0, 0, 0, 0, 0])]),
    },
];

/// Whole games, and many in one process.
const GAMES: [Step; 5] = [
    Step {
        id: "game-south",
        title: "plays a legal game as South",
        why: "one fault in a game loses it, whatever the stores say",
        fix: "look at the last question in the transcript, and ask your program that one alone",
        needs: NEEDS,
        act: StepAction::Game(Side::South),
    },
    Step {
        id: "quiet-after-game-over",
        title: "lives on after game-over, and keeps still",
        why: "game-over has no answer, and the same process plays the next game",
        fix: "read game-over and do nothing; leave only at quit or at the end of the input",
        needs: &["game-south"],
        act: StepAction::Quiet,
    },
    Step {
        id: "second-game",
        title: "plays a second game in the same process",
        why: "one process plays many games; what is left of the last one disturbs the next",
        fix: "at new-game set everything back that belongs to one game: board, history, tables",
        needs: &["quiet-after-game-over"],
        act: StepAction::SecondGame,
    },
    Step {
        id: "game-north",
        title: "plays a legal game as North",
        why: "each pair of games is played once from each side",
        fix: "look at the last question in the transcript: 0 to 5 are your own pits; the first \
               turn of North has the number 1, and a `last`",
        needs: NEEDS,
        act: StepAction::Game(Side::North),
    },
    Step {
        id: "many-games",
        title: "plays twenty short games in one process",
        why: "a tournament of hundreds of games never starts the program again",
        fix: "look for what grows, or runs out, from game to game: open files, threads, lists",
        needs: &["second-game", "game-north"],
        act: StepAction::ManyGames,
    },
];

/// The permitted forms of messages.
const MESSAGES: [Step; 7] = [
    Step {
        id: "unknown-fields",
        title: "ignores fields that it does not know",
        why: "later versions of the protocol may add fields; they mean nothing to older bots",
        fix: "parse JSON with a library, pick the fields you know by name, and leave the rest",
        needs: NEEDS,
        act: StepAction::Styled(MessageStyle::ExtraFields),
    },
    Step {
        id: "unknown-messages",
        title: "ignores messages of a type that it does not know",
        why: "later versions may add messages; they have no answer",
        fix: "if `type` is none that you know, read the next line: no answer, no exit",
        needs: NEEDS,
        act: StepAction::Styled(MessageStyle::ExtraMessages),
    },
    Step {
        id: "json-forms",
        title: "reads JSON in another order and spacing",
        why: "the order of fields and the spaces between them mean nothing in JSON",
        fix: "parse JSON with a library instead of cutting texts at fixed places",
        needs: NEEDS,
        act: StepAction::Styled(MessageStyle::Spaced),
    },
    Step {
        id: "strings",
        title: "reads names with quotes, brackets and accents",
        why: "names are anybody's: they may hold quotes and brackets, and letters beyond ASCII",
        fix: "parse JSON with a library; read standard input as UTF-8",
        needs: NEEDS,
        act: StepAction::Styled(MessageStyle::HardNames),
    },
    Step {
        id: "large-seed",
        title: "takes the largest seed",
        why: "`seed` is a whole number below 2^53: too large for 32 bits",
        fix: "keep the seed in 64 bits, or take its remainder",
        needs: NEEDS,
        act: StepAction::Changed(|it| it.seed = (1 << 53) - 1),
    },
    Step {
        id: "blind",
        title: "plays against an unnamed opponent",
        why: "in a blind tournament new-game has no `opponent`",
        fix: "do not count on `opponent`: message.get(\"opponent\") in Python",
        needs: NEEDS,
        act: StepAction::Changed(|it| it.is_blind = true),
    },
    Step {
        id: "game-clock",
        title: "plays on a clock for the whole game",
        why: "with `bank` there may be no `move_ms`; `own_ms` says what is left",
        fix: "read the clock's fields only if they are there",
        needs: NEEDS,
        act: StepAction::Bank,
    },
];

/// The end of the bot, and what was observed in all earlier steps: times, lines, memory.
const MEASURES: [Step; 10] = [
    Step {
        id: "quit",
        title: "leaves at quit",
        why: "after quit a bot has 200 ms to exit, then it is killed: files may be left half \
              written",
        fix: "end the loop at quit, close what is open, end all threads",
        needs: &["second-game"],
        act: StepAction::Quit,
    },
    Step {
        id: "quit-at-once",
        title: "leaves at quit before any game",
        why: "a bot whose tournament is over already is asked to quit without a game",
        fix: "let quit come at any time",
        needs: &["quit"],
        act: StepAction::QuitAtOnce,
    },
    Step {
        id: "end-of-input",
        title: "leaves at the end of its input",
        why: "the end of the input means the same as quit; a bot that waits on stays in memory",
        fix: "end when reading gives nothing more: an empty line without its newline, None, null",
        needs: &["pit-numbers"],
        act: StepAction::EndOfInput,
    },
    Step {
        id: "end-of-input-at-once",
        title: "leaves at the end of an input that was empty",
        why: "a referee that is stopped leaves its bots with an input that ends",
        fix: "end when reading gives nothing, before the first message too",
        needs: &["end-of-input"],
        act: StepAction::EndOfInputAtOnce,
    },
    Step {
        id: "in-time",
        title: "answers within the clock",
        why: "an answer after the limit and a margin of 10 ms is a timeout and loses the game",
        fix: "measure from the moment the line arrives, and leave a tenth of the time unused",
        needs: &["pit-numbers"],
        act: StepAction::InTime,
    },
    Step {
        id: "deterministic",
        title: "plays the same game with the same seed",
        why: "nothing in the protocol demands it, but a game that can be played again can be \
              fixed",
        fix: "draw all randomness from a generator that new-game's `seed` starts; a search that \
               stops by the clock differs all the same",
        needs: &["second-game"],
        act: StepAction::Deterministic,
    },
    Step {
        id: "line-ends",
        title: "ends its lines with a newline alone",
        why: "a \\r before the newline is tolerated, not wanted",
        fix: "open standard output without translation of newlines",
        needs: &["pit-numbers"],
        act: StepAction::LineEnds,
    },
    Step {
        id: "info",
        title: "sends an info that is kept, or none",
        why: "`info` is kept with the move if it is an object of at most 4096 bytes",
        fix: "shorten `info`, or leave it out",
        needs: &["pit-numbers"],
        act: StepAction::Info,
    },
    Step {
        id: "memory",
        title: "stays below 512 MiB of memory",
        why: "a bot beyond the tournament's limit of memory is killed and loses the game",
        fix: "make tables smaller, and empty them at new-game",
        needs: &["pit-numbers"],
        act: StepAction::Memory,
    },
    Step {
        id: "standard-error",
        title: "keeps standard error clean",
        why: "standard error is the bot's own and breaks no rule; a warning there is worth reading",
        fix: "read the lines; they may be warnings of your interpreter",
        needs: &["hello"],
        act: StepAction::StandardError,
    },
];

const WINS_WHY: &str = "nothing in the protocol demands it, and it counts nowhere: it says how far \
                        the bot sees";

/// Positions of `awale` in which one move wins and all others do not: advice, whatever happens.
const ADVICE: [Step; 3] = [
    Step {
        id: "wins-at-once",
        title: "finds the capture that wins at once",
        why: WINS_WHY,
        fix: "try each legal move on a copy of the board, and play the one that takes most",
        needs: NEEDS,
        act: StepAction::Wins(&[
            OnlyWin::new([0, 0, 0, 2, 0, 4, 0, 1, 1, 1, 0, 1], 'F'),
            OnlyWin::new([1, 0, 0, 0, 1, 3, 1, 1, 2, 0, 1, 0], 'F'),
        ]),
    },
    Step {
        id: "wins-in-two-moves",
        title: "finds the one move that wins in two moves",
        why: WINS_WHY,
        fix: "look at the opponent's answers and at your own after them: a search of 3 plies",
        needs: NEEDS,
        act: StepAction::Wins(&[
            OnlyWin::new([0, 1, 0, 1, 5, 0, 3, 0, 0, 0, 0, 0], 'B'),
            OnlyWin::new([0, 2, 0, 2, 0, 3, 3, 0, 0, 0, 0, 0], 'D'),
        ]),
    },
    Step {
        id: "wins-in-three-moves",
        title: "finds the one move that wins in three moves",
        why: WINS_WHY,
        fix: "search 5 plies; `awale endgame puzzles` writes more such positions",
        needs: NEEDS,
        act: StepAction::Wins(&[
            OnlyWin::new([0, 0, 3, 4, 2, 0, 0, 1, 0, 0, 0, 0], 'D'),
            OnlyWin::new([0, 2, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0], 'E'),
        ]),
    },
];
