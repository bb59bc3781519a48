//! What a line of a bot answers to a request of a journal, and whether it is the recorded fault.

use super::journal_game::{RecordedAnswer, RequestKind, ToldRequest};
use super::last_answer::verdict;
use super::program::SURPLUS;
use crate::protocol::{BotAnswer, parse_ready, parse_turn_answer};
use crate::record::FaultKind;
use std::time::Duration;

/// Whether a fault that was found without a clock and limits may be the recorded one.
pub fn is_like(now: FaultKind, recorded: FaultKind) -> bool {
    use FaultKind::{BadOutput, OutputLimit, StartFailure};
    let is_no_answer = |kind| matches!(kind, BadOutput | OutputLimit);
    now == recorded || recorded == StartFailure || is_no_answer(now) && is_no_answer(recorded)
}

/// The fault of an answer, as far as it has one without a clock and limits; none for a right one.
pub fn fault_of_answer(request: &ToldRequest, line: &[u8]) -> Option<FaultKind> {
    if !line.ends_with(b"\n") {
        return Some(if line.len() >= SURPLUS {
            FaultKind::OutputLimit
        } else {
            FaultKind::Timeout
        });
    }
    if verdict(&request.line, line, Duration::ZERO).1 {
        return None;
    }
    Some(if is_move(request, line) {
        FaultKind::IllegalMove
    } else {
        FaultKind::BadOutput
    })
}

/// Whether a line is a move, legal or not.
fn is_move(request: &ToldRequest, line: &[u8]) -> bool {
    let RequestKind::Turn(turn) = request.kind else {
        return false;
    };
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    matches!(parse_turn_answer(line, turn), Ok(BotAnswer::Move { .. }))
}

/// What a line answers to a request, if it is an answer.
pub fn answered(request: &ToldRequest, line: &[u8]) -> Option<RecordedAnswer> {
    let line = line.strip_suffix(b"\n")?;
    let RequestKind::Turn(turn) = request.kind else {
        return parse_ready(line).ok().map(|_| RecordedAnswer::Ready);
    };
    match parse_turn_answer(line, turn).ok()? {
        BotAnswer::Resign => Some(RecordedAnswer::Resignation),
        BotAnswer::Move { pit, .. } => u8::try_from(pit).ok().map(RecordedAnswer::Pit),
    }
}

/// An answer of a journal in words.
pub fn in_words(answer: RecordedAnswer) -> String {
    match answer {
        RecordedAnswer::Ready => "ready".to_owned(),
        RecordedAnswer::Pit(pit) => format!("pit {pit}"),
        RecordedAnswer::Resignation => "it resigns".to_owned(),
        RecordedAnswer::None | RecordedAnswer::NotAsked => "nothing".to_owned(),
    }
}
