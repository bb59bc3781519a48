//! The corner cases of the rules. The referee lists the legal pits, so a bot that follows `legal`
//! is safe in all of them; one that applies rules of its own may not be.

use super::super::rule_position::RulePosition;
use crate::conformance::steps::step::{Act, Step};
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

pub const STEPS: [Step; 19] = [
    Step {
        id: "mid-game-south",
        title: "takes up a game in the middle, as South",
        why: "games begin after an opening: the first board is not the start of the game",
        fix: "take the board from the turn, or from `start` in new-game; never suppose 4 seeds",
        needs: NEEDS,
        act: Act::Positions(&[RulePosition {
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
        act: Act::Positions(&[RulePosition {
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
        act: Act::Positions(&[
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
        act: Act::Positions(&[RulePosition::south([22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])]),
    },
    Step {
        id: "slam-no-capture",
        title: "survives slams that capture nothing",
        why: SLAM_WHY,
        fix: SLAM_FIX,
        needs: NEEDS,
        act: Act::Positions(&slams(GrandSlam::NoCapture)),
    },
    Step {
        id: "slam-forbidden",
        title: "survives slams that are forbidden",
        why: SLAM_WHY,
        fix: SLAM_FIX,
        needs: NEEDS,
        act: Act::Positions(&slams(GrandSlam::Forbidden)),
    },
    Step {
        id: "slam-forbidden-unless-only",
        title: "survives slams that are forbidden unless nothing else is left",
        why: SLAM_WHY,
        fix: SLAM_FIX,
        needs: NEEDS,
        act: Act::Positions(&slams(GrandSlam::ForbiddenUnlessOnly)),
    },
    Step {
        id: "slam-forbidden-unless-only-capture",
        title: "survives slams that capture only if nothing else is left",
        why: SLAM_WHY,
        fix: SLAM_FIX,
        needs: NEEDS,
        act: Act::Positions(&slams(GrandSlam::ForbiddenUnlessOnlyCapture)),
    },
    Step {
        id: "slam-capture",
        title: "survives slams that capture all",
        why: SLAM_WHY,
        fix: SLAM_FIX,
        needs: NEEDS,
        act: Act::Positions(&slams(GrandSlam::Capture)),
    },
    Step {
        id: "chain",
        title: "survives a capture of three pits",
        why: "a capture goes backward over all pits of 2 or 3",
        fix: "take the board and the stores from each turn instead of following them",
        needs: NEEDS,
        act: Act::Positions(&[RulePosition {
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
        act: Act::Positions(&[
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
        act: Act::Positions(&[RulePosition {
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
        act: Act::Positions(&[RulePosition {
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
        act: Act::Positions(&[RulePosition {
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
        act: Act::Positions(&[RulePosition {
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
        act: Act::Positions(&[RulePosition {
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
        act: Act::Positions(&[RulePosition {
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
        act: Act::Positions(&[RulePosition {
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
        act: Act::Positions(&[RulePosition {
            bot: Side::North,
            first: "F",
            ..LAST_SEED_GOES
        }]),
    },
];
