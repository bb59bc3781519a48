//! A journal in parts: its lines, parsed, and what stands in the place of a line. A part does not
//! depend on the parts before it, so they can be parsed on several threads.

use super::line::{JournalLine, PlanLine, read_line};
use super::take::Taken;
use crate::record::GameRecord;
use crate::tournament::document::run_settings::RunSettings;
use crate::tournament::journal::checksum::{SUM_DIGITS, SUM_HEAD};
use crate::tournament::journal::entry::Entry;
use crate::tournament::journal::repair_line::Repair;
use std::io;

/// A part of a journal and the bytes that were read of it.
#[derive(Debug)]
pub struct Part<G> {
    pub bytes: u64,
    /// The checksum of a line, if it is long enough for one.
    pub sum: Option<[u8; SUM_DIGITS]>,
    pub content: PartContent<G>,
}

/// The content of a part.
#[derive(Debug)]
pub enum PartContent<G> {
    /// A whole line, or the reason why it is damaged.
    Line(Result<ParsedLine<G>, String>),
    /// A line that has a zero byte at this position, from 1.
    Hole(u64),
    /// The rest of the file without a newline; empty at the very end.
    Rest,
    /// More bytes than any line has.
    Endless,
    /// The file could not be read.
    Failed(io::Error),
}

/// A sound line.
#[derive(Debug)]
pub enum ParsedLine<G> {
    Plan(Box<PlanLine>),
    Settings(RunSettings),
    Repair(Repair),
    Entry(Entry<G>),
}

impl<G> Part<G> {
    /// Parses what was taken from the file, a line of which is among these bytes; `keep` returns
    /// what is kept of a game.
    pub fn new(
        taken: io::Result<(u64, Taken)>,
        text: &[u8],
        keep: impl FnOnce(Box<GameRecord>) -> G,
    ) -> Self {
        let (bytes, taken) = match taken {
            Ok(taken) => taken,
            Err(error) => {
                let content = PartContent::Failed(error);
                return Self {
                    bytes: 0,
                    sum: None,
                    content,
                };
            }
        };
        let sum = match &taken {
            Taken::Line(line) => text[line.clone()].get(SUM_HEAD.len()..),
            _ => None,
        };
        let sum = sum.and_then(|rest| rest.first_chunk()).copied();
        let content = match taken {
            Taken::Line(line) => PartContent::Line(ParsedLine::of(&text[line], keep)),
            Taken::Hole(place) => PartContent::Hole(place),
            Taken::Rest => PartContent::Rest,
            Taken::Endless => PartContent::Endless,
        };
        Self {
            bytes,
            sum,
            content,
        }
    }
}

impl<G> ParsedLine<G> {
    fn of(line: &[u8], keep: impl FnOnce(Box<GameRecord>) -> G) -> Result<Self, String> {
        Ok(match read_line(line)? {
            JournalLine::Plan(plan) => Self::Plan(Box::new(plan)),
            JournalLine::Settings(line) => Self::Settings(line.settings),
            JournalLine::Repair(repair) => Self::Repair(repair),
            JournalLine::Game(game) => Self::Entry(Entry::Game(keep(Box::new(game.record()?)))),
            JournalLine::Admission(line) => Self::Entry(Entry::Admission(line.admission()?)),
            JournalLine::Withdrawal(line) => Self::Entry(Entry::Withdrawal(line.withdrawal()?)),
        })
    }
}
