//! Findings: problems, warnings and notes, each with its check and its place; and what to do about
//! problems.

use crate::record::GameId;
use crate::text::printable;
use serde::Serialize;

/// The number of findings of one kind whose messages are kept; further ones are only counted.
const MOST: usize = 1_000;
/// Characters of a message that are kept: it may quote hostile text.
const LONGEST: usize = 600;

/// The checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// Every line of the journal, and its checksum.
    Journal,
    /// The plan in the journal and in `plan.toml`.
    Plan,
    /// The openings of the plan and of the games.
    Openings,
    /// Ids, attempts and sides.
    Schedule,
    /// Moves, endings and stores, by the rules.
    Games,
    /// Times against the clock.
    Times,
    /// Admissions and withdrawals.
    Exclusions,
    /// Every table, made again.
    Tables,
    /// The evidence of faults.
    Evidence,
    /// The bots' files on this machine.
    Bots,
    /// Games that were replayed, if requested.
    Replay,
}

impl Check {
    /// All checks, in the order of the report.
    pub const ALL: [Self; 11] = [
        Self::Journal,
        Self::Plan,
        Self::Openings,
        Self::Schedule,
        Self::Games,
        Self::Times,
        Self::Exclusions,
        Self::Tables,
        Self::Evidence,
        Self::Bots,
        Self::Replay,
    ];

    /// The checks of every folder, in the same order.
    pub const OF_FOLDERS: &'static [Self] = Self::ALL.split_at(10).0;

    /// The name for people and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Journal => "journal",
            Self::Plan => "plan",
            Self::Openings => "openings",
            Self::Schedule => "schedule",
            Self::Games => "games",
            Self::Times => "times",
            Self::Exclusions => "exclusions",
            Self::Tables => "tables",
            Self::Evidence => "evidence",
            Self::Bots => "bots",
            Self::Replay => "replay",
        }
    }
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The folder contradicts itself, or was damaged.
    Problem,
    /// Something cannot be checked, or could not be reproduced, on this machine.
    Warning,
    /// Useful information.
    Note,
}

/// The place of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FindingPlace {
    /// Line of `file`, from 1.
    pub line: Option<usize>,
    /// The game, if the finding is about one.
    pub game: Option<String>,
    /// The file's name in the folder.
    pub file: Option<String>,
}

impl FindingPlace {
    /// The whole of a file.
    pub fn file(name: &str) -> Self {
        Self {
            file: Some(name.to_owned()),
            ..Self::default()
        }
    }

    /// A line of a file.
    pub fn line(name: &str, line: usize) -> Self {
        Self {
            line: Some(line),
            ..Self::file(name)
        }
    }

    /// The same with this game.
    #[must_use]
    pub fn of(self, game: &GameId) -> Self {
        Self {
            game: Some(game.to_string()),
            ..self
        }
    }
}

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Its severity.
    #[serde(skip)]
    pub weight: Severity,
    /// Its check.
    pub check: Check,
    /// Its place.
    #[serde(flatten)]
    pub place: FindingPlace,
    /// The message, safe for a terminal.
    pub message: String,
}

/// The results of one check.
#[derive(Clone, Debug, Default)]
struct Account {
    /// The numbers of findings, by their severity.
    counts: [usize; 3],
    /// What was checked, in a few words.
    done: String,
    /// Why it was not checked.
    unchecked: Option<String>,
}

/// All findings.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    accounts: [Account; Check::ALL.len()],
    advice: Vec<&'static str>,
}

impl Findings {
    /// Starts without findings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a problem: something that a run does not leave like this.
    pub fn problem(&mut self, check: Check, place: FindingPlace, message: &str) {
        self.add(Severity::Problem, check, place, message);
    }

    /// Adds a warning: something that a user should look at.
    pub fn warning(&mut self, check: Check, place: FindingPlace, message: &str) {
        self.add(Severity::Warning, check, place, message);
    }

    /// Adds a note.
    pub fn note(&mut self, check: Check, message: &str) {
        self.add(Severity::Note, check, FindingPlace::default(), message);
    }

    /// Adds a finding.
    pub fn add(&mut self, weight: Severity, check: Check, place: FindingPlace, message: &str) {
        let account = &mut self.accounts[check as usize];
        let count = &mut account.counts[weight as usize];
        *count += 1;
        if *count <= MOST {
            self.kept.push(Finding {
                weight,
                check,
                place,
                message: short(message, LONGEST),
            });
        }
    }

    /// Records in a few words what was checked.
    pub fn done(&mut self, check: Check, what: String) {
        self.accounts[check as usize].done = what;
    }

    /// Records that a check cannot be made, and why.
    pub fn leave_out(&mut self, check: Check, why: &str) {
        self.accounts[check as usize].unchecked = Some(short(why, LONGEST));
    }

    /// The checks that were requested: all those with a record.
    pub fn checks(&self) -> impl Iterator<Item = Check> {
        let replay = &self.accounts[Check::Replay as usize];
        let is_asked = !replay.done.is_empty() || replay.unchecked.is_some();
        let checks = Check::ALL.into_iter();
        checks.filter(move |check| *check != Check::Replay || is_asked)
    }

    /// Adds advice about problems.
    pub fn advise(&mut self, what: &'static str) {
        self.advice.push(what);
    }

    /// The advice, in sentences.
    pub fn advice(&self) -> &[&'static str] {
        &self.advice
    }

    /// What was checked, in a few words.
    pub fn what_was_done(&self, check: Check) -> &str {
        &self.accounts[check as usize].done
    }

    /// Why a check was not made; `None` if it was.
    pub fn left_out(&self, check: Check) -> Option<&str> {
        self.accounts[check as usize].unchecked.as_deref()
    }

    /// The findings of a check, in the order in which they were found.
    pub fn of(&self, check: Check, weight: Severity) -> impl Iterator<Item = &Finding> {
        let mut kept = self.kept.iter();
        std::iter::from_fn(move || kept.find(|it| it.check == check && it.weight == weight))
    }

    /// The findings of all checks, in the order in which they were found.
    pub fn all(&self, weight: Severity) -> impl Iterator<Item = &Finding> {
        self.kept.iter().filter(move |it| it.weight == weight)
    }

    /// The number of findings of a check, including those whose messages were not kept.
    pub fn count_of(&self, check: Check, weight: Severity) -> usize {
        self.accounts[check as usize].counts[weight as usize]
    }

    /// The number of findings of all checks.
    pub fn count(&self, weight: Severity) -> usize {
        let counts = Check::ALL.map(|check| self.count_of(check, weight));
        counts.iter().sum()
    }
}

/// Checks of whether a sound journal contradicts itself.
const CONTENTS: [Check; 5] = [
    Check::Openings,
    Check::Schedule,
    Check::Games,
    Check::Times,
    Check::Exclusions,
];

/// For a journal with damaged or missing lines; the scan adds this.
pub const DAMAGED: &str = "restore games.jsonl from a copy; without one, `awale repair` sets the \
                           damaged lines aside, and the run plays their games again";

/// Adds the advice about problems, once all checks are done.
pub fn add_advice(findings: &mut Findings) {
    let has_problems = |findings: &Findings, check| findings.count_of(check, Severity::Problem) > 0;
    let is_damaged = findings.advice().contains(&DAMAGED);
    if CONTENTS.iter().any(|&it| has_problems(findings, it)) {
        if !is_damaged {
            findings.advise(
                "restore games.jsonl from a copy: its lines are sound and contradict each other \
                 or the plan, so it was not a disk that changed them",
            );
        }
    } else if has_problems(findings, Check::Tables) {
        // New tables from an untrustworthy journal would not help.
        findings.advise(
            "let the same `awale run` or `awale sprt` write the tables anew; it plays no game \
             again",
        );
    }
    if has_problems(findings, Check::Evidence) {
        findings.advise(
            "compare faults/ and games.jsonl with a copy: evidence and journal of the same games \
             contradict each other, and no run leaves that",
        );
    }
    if has_problems(findings, Check::Replay) {
        findings.advise(
            "look at the games that are named: `awale trace` plays moves from a position, and the \
             same --seed draws the same games again, here or on another machine",
        );
    }
    if has_problems(findings, Check::Plan) {
        findings.advise(
            "restore plan.toml from a copy, or take it away and let the same `awale run` or \
             `awale sprt` write it again",
        );
    }
}

/// Makes text that may be hostile printable, with at most this many characters.
pub fn short(text: &str, most: usize) -> String {
    let few: String = text.chars().take(most).collect();
    let mark = if few.len() < text.len() { "…" } else { "" };
    printable(&few) + mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_findings_are_counted_and_few_kept() {
        let mut findings = Findings::new();
        for line in 1..=3 * MOST {
            findings.problem(
                Check::Journal,
                FindingPlace::line("games.jsonl", line),
                "damaged",
            );
        }
        findings.note(Check::Journal, "\u{1b}[2J");
        assert_eq!(findings.count(Severity::Problem), 3 * MOST);
        assert_eq!(findings.of(Check::Journal, Severity::Problem).count(), MOST);
        let notes: Vec<&str> = findings
            .of(Check::Journal, Severity::Note)
            .map(|it| it.message.as_str())
            .collect();
        assert_eq!(notes, ["\\u{1b}[2J"]);
    }

    #[test]
    fn a_strangers_text_is_cut() {
        assert_eq!(short("abc", 3), "abc");
        assert_eq!(short("abcd", 3), "abc…");
        assert_eq!(short("a\nb", 3), "a\\u{a}b");
    }
}
