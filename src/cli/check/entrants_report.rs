//! The report on the entrants of a configuration: a line for each, then what failed, and the same
//! for programs.

use super::{Subject, json, text};
use crate::cli::paint::Paint;
use crate::conformance::{ExaminationTerms, StepCounts, StepReport, StepVerdict};
use crate::course::{CheckedEntrant, CheckedStep};
use crate::report::CsvTable;
use crate::text::{micros, printable};
use crate::tournament::EntrantIndex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

/// The report on one entrant.
pub struct EntrantReport {
    pub name: String,
    /// Why no step could be taken, if none could.
    pub problem: Option<String>,
    pub steps: Vec<StepReport>,
}

/// The terms by which an entrant is examined.
pub type TermsOf<'a> = &'a (dyn Fn(EntrantIndex) -> ExaminationTerms + Sync);

/// The report on all of them.
pub struct EntrantsReport<'a> {
    /// The configuration, and what they are examined by.
    pub subject: Subject<'a>,
    /// The terms of each entrant, which may have a clock of its own.
    pub terms_of: TermsOf<'a>,
    /// Those that are done, in the order of the plan.
    pub entrants: BTreeMap<EntrantIndex, EntrantReport>,
}

impl EntrantReport {
    fn holds(&self, is_strict: bool) -> bool {
        self.problem.is_none() && StepCounts::of(&self.steps).all_hold(is_strict)
    }

    /// What its author has to know.
    pub fn checked(&self) -> CheckedEntrant {
        let steps = |wanted: fn(&StepVerdict) -> bool| {
            let steps = self.steps.iter().filter(move |it| wanted(&it.verdict));
            steps.map(checked_step).collect()
        };
        CheckedEntrant {
            name: self.name.clone(),
            problem: self.problem.clone(),
            passed: StepCounts::of(&self.steps).passed,
            failed: steps(|it| matches!(it, StepVerdict::Failed { .. })),
            notes: steps(|it| matches!(it, StepVerdict::Note(_))),
        }
    }

    /// The step that says most: the first that failed, or else the first note.
    fn first(&self) -> Option<&StepReport> {
        let failed = |it: &&StepReport| matches!(it.verdict, StepVerdict::Failed { .. });
        let note = |it: &&StepReport| matches!(it.verdict, StepVerdict::Note(_));
        let first = self.steps.iter().find(failed);
        first.or_else(|| self.steps.iter().find(note))
    }

    /// What is wrong, in one line.
    fn reason(&self) -> String {
        match (&self.problem, self.first()) {
            (Some(problem), _) => printable(problem),
            (None, Some(step)) => printable(&step.verdict.detail()),
            (None, None) => String::new(),
        }
    }

    /// Its line, with the name in a column of this many characters.
    pub fn line(&self, width: usize, is_strict: bool, paint: Paint) -> String {
        let counts = StepCounts::of(&self.steps);
        let (word, what) = if !self.holds(is_strict) {
            let first = self.first().filter(|_| self.problem.is_none());
            let place = first.map_or_else(String::new, |it| format!("{}: ", it.step.id));
            let more = match counts.failed {
                0 | 1 => String::new(),
                failed => format!(" (and {} more)", failed - 1),
            };
            (paint.red("FAIL"), format!("{place}{}{more}", self.reason()))
        } else if counts.notes > 0 {
            let first = self.first().map_or("", |it| it.step.id);
            let rest = format!(
                "{} passed, notes on {}: {first}",
                counts.passed, counts.notes
            );
            (paint.yellow("note"), format!("{rest}: {}", self.reason()))
        } else {
            (paint.green("ok  "), format!("{} passed", counts.passed))
        };
        format!("{word} {:<width$}  {what}\n", printable(&self.name))
    }
}

fn checked_step(report: &StepReport) -> CheckedStep {
    CheckedStep {
        title: report.step.title,
        what: report.verdict.detail(),
        hint: match &report.verdict {
            StepVerdict::Failed { hint, .. } => hint.as_ref().map(ToString::to_string),
            _ => None,
        },
        fix: report.fix(),
        standard_error: report.standard_error.clone(),
    }
}

impl EntrantsReport<'_> {
    /// Whether every entrant holds.
    pub fn all_hold(&self) -> bool {
        let mut entrants = self.entrants.values();
        entrants.all(|it| it.holds(self.subject.is_strict))
    }

    /// Every failure once more, whole, and the sum.
    pub fn failures(&self, paint: Paint) -> String {
        let mut page = String::new();
        let mut failing = Vec::new();
        let is_strict = self.subject.is_strict;
        let entrants = self.entrants.values();
        for entrant in entrants.filter(|it| !it.holds(is_strict)) {
            let name = printable(&entrant.name);
            let _ = write!(page, "\n{name}\n");
            if entrant.problem.is_some() {
                let _ = writeln!(page, "   {}", entrant.reason());
            }
            for report in &entrant.steps {
                let is_shown = match report.verdict {
                    StepVerdict::Failed { .. } => true,
                    StepVerdict::Note(_) => is_strict,
                    _ => false,
                };
                if is_shown {
                    page.push_str(&text::step(report, paint));
                }
            }
            failing.push(name);
        }
        let (all, held) = (self.entrants.len(), self.entrants.len() - failing.len());
        let sum = format!("{held} of {all} entrants keep to the protocol");
        if failing.is_empty() {
            let _ = writeln!(page, "\n{}", paint.green(&sum));
        } else {
            let sum = format!("{sum}; to fix: {}", failing.join(", "));
            let _ = writeln!(page, "\n{}", paint.red(&sum));
        }
        page
    }

    /// The report for programs, with a newline.
    pub fn json(&self) -> String {
        let entrants = self.entrants.iter().map(|(index, entrant)| {
            let mut object = json::object(&self.subject, &entrant.name, &entrant.steps);
            let move_limit = (self.terms_of)(*index).move_limit;
            object["move_time_us"] = json!(micros(move_limit));
            object["entrant"] = json!(printable(&entrant.name));
            object["holds"] = json!(entrant.holds(self.subject.is_strict));
            object["problem"] = json!(entrant.problem.as_deref().map(printable));
            object
        });
        let report = json!({
            "v": 1,
            "config": printable(self.subject.bot),
            "holds": self.all_hold(),
            "entrants": entrants.collect::<Vec<Value>>(),
        });
        format!("{report:#}\n")
    }

    /// A row for each entrant.
    ///
    /// # Errors
    /// None; the text is in memory.
    pub fn csv(&self) -> io::Result<String> {
        let columns = [
            "entrant", "holds", "passed", "notes", "failed", "skipped", "step", "reason",
        ];
        let mut csv = CsvTable::new(Vec::new(), columns)?;
        for entrant in self.entrants.values() {
            let counts = StepCounts::of(&entrant.steps);
            let holds = entrant.holds(self.subject.is_strict);
            csv.row(|cells| {
                cells.text(&entrant.name);
                cells.text(if holds { "yes" } else { "no" });
                for count in [counts.passed, counts.notes, counts.failed, counts.skipped] {
                    cells.number(Some(count));
                }
                cells.text(entrant.first().map_or("", |it| it.step.id));
                cells.text(&entrant.reason());
            })?;
        }
        Ok(String::from_utf8_lossy(&csv.into_inner()?).into_owned())
    }
}
