//! Reading a whole journal.

use super::FORMAT;
use super::line::{Line, PlanLine, read_line};
use super::take::{LONGEST_LINE, Taken, take_line};
use crate::record::{Admission, GameRecord, Withdrawal};
use crate::tournament::plan::{Plan, SECRET_KEY, hash_of};
use crate::tournament::secret::Secret;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use thiserror::Error;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// It could not be read.
    #[error("cannot read the journal: {0}")]
    Read(#[from] io::Error),
    /// A line is damaged, and not by a write that was cut short.
    #[error(
        "line {line} of the journal is damaged: {reason}; restore the file from a copy, or \
         start anew in another folder with --output"
    )]
    Damaged {
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Written by a newer program.
    #[error(
        "the journal has format {found}, and this version of awale reads formats 1 to {FORMAT}; \
         use the version that wrote it, or a newer one"
    )]
    Newer {
        /// The format that it names.
        found: u32,
    },
    /// Written by an older program: it can be read, but nothing can be added to it.
    #[error(
        "the journal has format {found}, and runs go on in format {FORMAT}, in which each pairing \
         has openings of its own: `awale verify` and `awale rate` read it as before; to play, \
         choose another folder with --output"
    )]
    Older {
        /// The format that it names.
        found: u32,
    },
    /// A test that may not play as many pairs as were played.
    #[error(
        "pair {played} of this test is played already, and it may have {pairs} pairs at most; go \
         on with --max-pairs {played} or more, or start anew in another folder with --output"
    )]
    FewerPairs {
        /// A pair that was played.
        played: u32,
        /// Pairs that the plan has.
        pairs: u32,
    },
    /// It belongs to another plan.
    #[error(transparent)]
    ForeignPlan(#[from] PlanDifference),
}

impl JournalError {
    /// Whether the journal is sound, and another plan or another version of awale is wanted.
    pub const fn is_about_the_plan(&self) -> bool {
        matches!(
            self,
            Self::ForeignPlan(_)
                | Self::Newer { .. }
                | Self::Older { .. }
                | Self::FewerPairs { .. }
        )
    }
}

/// A journal that was written for another plan.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "this folder holds the games of another plan; what differs: {}\n\
     {}, or play this one in another folder with --output DIR",
    describe(differences),
    advice(differences)
)]
pub struct PlanDifference {
    /// Keys with the value in the journal and the value in the plan at hand.
    pub differences: Vec<(String, Option<String>, Option<String>)>,
}

fn describe(differences: &[(String, Option<String>, Option<String>)]) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
    differences
        .iter()
        .fold(String::new(), |text, (key, journal, plan)| {
            let note = if key == SECRET_KEY {
                " (short hashes)"
            } else {
                ""
            };
            format!(
                "{text}\n  {key}: there {}, here {}{note}",
                value(journal),
                value(plan)
            )
        })
}

/// Who has the right configuration may still play something else: another command, or on a machine
/// that has changed.
fn advice(differences: &[(String, Option<String>, Option<String>)]) -> String {
    if let [(key, Some(level), Some(_))] = differences
        && key == "isolation.level"
    {
        return format!(
            "this machine isolates otherwise than when they began: go on with --isolation {level}"
        );
    }
    if let [(key, ..)] = differences
        && key == SECRET_KEY
    {
        return "to go on with theirs, which the folder keeps, leave `secret` out of the \
                configuration and run the same command again"
            .to_owned();
    }
    let mut tests = differences
        .iter()
        .filter(|(key, ..)| key.starts_with("sprt."));
    let advice = match tests.next() {
        Some((_, Some(_), None)) => {
            "those are the games of a test: finish it with `awale sprt`, without --pairs"
        }
        Some((_, None, Some(_))) => {
            "those are no games of a test: finish them with `awale run`, or `awale sprt --pairs`"
        }
        _ => "finish that tournament with its own configuration",
    };
    advice.to_owned()
}

/// What stands at the end of a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalText {
    /// Bytes of whole lines; what comes after is torn.
    pub whole_bytes: u64,
    /// Bytes of a torn last line.
    pub torn_bytes: u64,
    /// Whether it has its first line.
    pub has_plan: bool,
}

/// What the first line of a journal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedPlan {
    /// The version that wrote it.
    pub format: u32,
    /// The plan's hash.
    pub hash: String,
    /// What decided the games, as by [`Plan::identity`].
    pub identity: BTreeMap<String, String>,
    /// What seeds and openings were drawn with; none up to format 2.
    pub secret: Option<Secret>,
}

impl RecordedPlan {
    /// Whether the hash is that of what decided the games.
    pub fn hash_fits(&self) -> bool {
        hash_of(&self.identity) == self.hash
    }

    /// Whether the secret is the one whose short hash is among what decided the games.
    pub fn secret_fits(&self) -> bool {
        self.secret.as_ref().map(Secret::short_hash).as_ref() == self.identity.get(SECRET_KEY)
    }

    /// Whether a run may go on in its journal.
    ///
    /// # Errors
    /// It has an older format.
    pub fn check_format(&self) -> Result<(), JournalError> {
        match self.format {
            FORMAT => Ok(()),
            found => Err(JournalError::Older { found }),
        }
    }
}

/// A line of a journal after the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A finished game.
    Game(Box<GameRecord>),
    /// How the examination of an entrant ended.
    Admission(Admission),
    /// An entrant plays no further.
    Withdrawal(Withdrawal),
}

/// Reads a journal line by line; memory does not grow with its length.
#[derive(Debug)]
pub struct JournalReader<R> {
    input: R,
    line: usize,
    text: JournalText,
    plan: Option<PlanLine>,
    /// Whether entries are nothing without a plan before them.
    needs_plan: bool,
    /// Whether nothing more is read, though there is more.
    is_over: bool,
}

impl<R: BufRead> JournalReader<R> {
    /// A reader of a journal from its beginning.
    pub fn new(input: R) -> Self {
        Self {
            input,
            line: 0,
            text: JournalText::default(),
            plan: None,
            needs_plan: true,
            is_over: false,
        }
    }

    /// A reader for whoever looks for damage: after a line that is damaged it can be asked on, and
    /// entries are read even if the plan before them is damaged.
    pub fn surveying(input: R) -> Self {
        Self {
            needs_plan: false,
            ..Self::new(input)
        }
    }

    /// The number of the line that was read last, from 1; 0 before the first.
    pub const fn line(&self) -> usize {
        self.line
    }

    /// What the first line says, once it was read.
    pub fn recorded_plan(&self) -> Option<RecordedPlan> {
        let plan = self.plan.as_ref()?;
        Some(RecordedPlan {
            format: plan.format,
            hash: plan.plan.clone(),
            identity: plan.identity.clone(),
            secret: plan.secret.clone(),
        })
    }

    /// The next game, or `None` at the end; other entries are passed over.
    ///
    /// # Errors
    /// Those of [`JournalReader::next_entry`].
    pub fn next_record(&mut self) -> Result<Option<GameRecord>, JournalError> {
        while let Some(entry) = self.next_entry()? {
            if let Entry::Game(record) = entry {
                return Ok(Some(*record));
            }
        }
        Ok(None)
    }

    /// The next entry, or `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read, a line that is not the last is damaged, or the format is newer.
    pub fn next_entry(&mut self) -> Result<Option<Entry>, JournalError> {
        while let Some(line) = self.next_line()? {
            let entry = match line {
                Line::Plan(plan) => {
                    self.take_plan(plan)?;
                    continue;
                }
                Line::Game(game) => game.record().map(|it| Entry::Game(Box::new(it))),
                Line::Admission(line) => line.admission().map(Entry::Admission),
                Line::Withdrawal(line) => line.withdrawal().map(Entry::Withdrawal),
            };
            let entry = entry.map_err(|reason| self.damaged(reason))?;
            if self.needs_plan && self.plan.is_none() {
                return Err(self.damaged("it stands before the plan".to_owned()));
            }
            return Ok(Some(entry));
        }
        Ok(None)
    }

    fn take_plan(&mut self, plan: PlanLine) -> Result<(), JournalError> {
        if self.plan.is_some() {
            return Err(self.damaged("a second plan".to_owned()));
        }
        if self.line != 1 {
            return Err(self.damaged("the plan is not in the first line".to_owned()));
        }
        if !(1..=FORMAT).contains(&plan.format) {
            return Err(JournalError::Newer { found: plan.format });
        }
        self.text.has_plan = true;
        self.plan = Some(plan);
        Ok(())
    }

    fn next_line(&mut self) -> Result<Option<Line>, JournalError> {
        if self.is_over {
            return Ok(None);
        }
        let (count, taken) = take_line(&mut self.input, LONGEST_LINE)?;
        self.line += usize::from(count > 0);
        let reason = match taken {
            Taken::Line(bytes) => {
                self.text.whole_bytes += count;
                let line = read_line(&bytes).map_err(|reason| self.damaged(reason))?;
                return Ok(Some(line));
            }
            // A line is written with its newline in one piece: one without was torn by a crash,
            // and only the last can be.
            Taken::Rest => {
                self.text.torn_bytes = count;
                return Ok(None);
            }
            Taken::Hole(place) => {
                self.text.whole_bytes += count;
                format!("byte {place} of it is 0, as in a hole of the file")
            }
            Taken::Endless => {
                // To look for its end might take for ever.
                self.is_over = true;
                let most = LONGEST_LINE >> 20;
                format!("it has more than {most} MiB, which no line has; the rest is not read")
            }
        };
        Err(self.damaged(reason))
    }

    fn damaged(&self, reason: String) -> JournalError {
        JournalError::Damaged {
            line: self.line,
            reason,
        }
    }

    /// After the last record: where the journal's whole lines end.
    pub const fn text(&self) -> JournalText {
        self.text
    }

    /// Whether the games belong to this plan.
    ///
    /// # Errors
    /// They do not: the keys that differ.
    pub fn check_plan(&self, plan: &Plan) -> Result<(), PlanDifference> {
        self.plan
            .as_ref()
            .map_or(Ok(()), |line| check_plan(&line.identity, plan))
    }
}

fn check_plan(journal: &BTreeMap<String, String>, plan: &Plan) -> Result<(), PlanDifference> {
    let here = plan.identity();
    let keys: BTreeSet<&String> = journal.keys().chain(here.keys()).collect();
    let differences: Vec<_> = keys
        .into_iter()
        .filter(|key| journal.get(*key) != here.get(*key))
        .map(|key| {
            (
                key.clone(),
                journal.get(key).cloned(),
                here.get(key).cloned(),
            )
        })
        .collect();
    if differences.is_empty() {
        Ok(())
    } else {
        Err(PlanDifference { differences })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_plan_is_refused_with_the_way_out() {
        let text = |text: &str| Some(text.to_owned());
        let level = ("isolation.level", text("landlock"), text("box"));
        let seed = ("tournament.seed", text("1"), text("2"));
        let secret = (SECRET_KEY, text("1f"), text("2e"));
        let test = ("sprt.elo0", text("0"), None);
        let tournament = ("sprt.elo0", None, text("0"));
        for (differences, words) in [
            (vec![level.clone()], "go on with --isolation landlock, or"),
            (vec![level, seed], "with its own configuration, or"),
            (vec![secret], "leave `secret` out"),
            (vec![test], "finish it with `awale sprt`"),
            (vec![tournament], "finish them with `awale run`"),
        ] {
            let named = |(key, there, here): (&str, _, _)| (key.to_owned(), there, here);
            let differences = differences.into_iter().map(named).collect();
            let message = PlanDifference { differences }.to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
