//! The permitted forms of messages.

use super::super::message_style::MessageStyle;
use crate::conformance::steps::step::{Act, Step};

const NEEDS: &[&str] = &["must-feed"];

pub const STEPS: [Step; 7] = [
    Step {
        id: "unknown-fields",
        title: "ignores fields that it does not know",
        why: "later versions of the protocol may add fields; they mean nothing to older bots",
        fix: "parse JSON with a library, pick the fields you know by name, and leave the rest",
        needs: NEEDS,
        act: Act::Styled(MessageStyle::ExtraFields),
    },
    Step {
        id: "unknown-messages",
        title: "ignores messages of a type that it does not know",
        why: "later versions may add messages; they have no answer",
        fix: "if `type` is none that you know, read the next line: no answer, no exit",
        needs: NEEDS,
        act: Act::Styled(MessageStyle::ExtraMessages),
    },
    Step {
        id: "json-forms",
        title: "reads JSON in another order and spacing",
        why: "the order of fields and the spaces between them mean nothing in JSON",
        fix: "parse JSON with a library instead of cutting texts at fixed places",
        needs: NEEDS,
        act: Act::Styled(MessageStyle::Spaced),
    },
    Step {
        id: "strings",
        title: "reads names with quotes, brackets and accents",
        why: "names are anybody's: they may hold quotes and brackets, and letters beyond ASCII",
        fix: "parse JSON with a library; read standard input as UTF-8",
        needs: NEEDS,
        act: Act::Styled(MessageStyle::HardNames),
    },
    Step {
        id: "large-seed",
        title: "takes the largest seed",
        why: "`seed` is a whole number below 2^53: too large for 32 bits",
        fix: "keep the seed in 64 bits, or take its remainder",
        needs: NEEDS,
        act: Act::LargeSeed,
    },
    Step {
        id: "blind",
        title: "plays against an unnamed opponent",
        why: "in a blind tournament new-game has no `opponent`",
        fix: "do not count on `opponent`: message.get(\"opponent\") in Python",
        needs: NEEDS,
        act: Act::Blind,
    },
    Step {
        id: "game-clock",
        title: "plays on a clock for the whole game",
        why: "with `bank` there may be no `move_ms`; `own_ms` says what is left",
        fix: "read the clock's fields only if they are there",
        needs: NEEDS,
        act: Act::Bank,
    },
];
