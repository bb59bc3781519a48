//! The report for people: a line for each step, and details of each failure.

use super::Subject;
use crate::bot::ConversationEntry;
use crate::cli::paint::Paint;
use crate::conformance::{StepCounts, StepReport, StepVerdict};
use crate::record::Writer;
use crate::text::printable;
use crate::tournament::plain_text;
use std::fmt::Write as _;

/// The number of last lines of a transcript that are shown.
const SHOWN_LINES: usize = 12;
/// The number of characters of such a line.
const SHOWN_CHARACTERS: usize = 400;
/// The number of last lines of standard error that are shown: a whole traceback of a usual bot.
const SHOWN_ERROR_LINES: usize = 40;

/// The head of the report.
pub fn head(subject: &Subject<'_>) -> String {
    let mut rules = subject.terms.preset.name().to_owned();
    for (field, value) in subject.overrides() {
        let _ = write!(rules, ", {field}={}", plain_text(&value));
    }
    format!(
        "bot        {}\nrules      {rules}\nclock      {:.0} ms for each move\nisolation  {}\n\n",
        printable(subject.bot),
        subject.terms.move_limit.as_secs_f64() * 1e3,
        subject.level.name()
    )
}

/// The lines of a step.
pub fn step(report: &StepReport, paint: Paint) -> String {
    let word = match &report.verdict {
        StepVerdict::Passed(_) => paint.green("ok  "),
        StepVerdict::Note(_) => paint.yellow("note"),
        StepVerdict::Advice(_) => paint.yellow("tip "),
        StepVerdict::Failed { .. } => paint.red("FAIL"),
        StepVerdict::Skipped(_) => "skip".to_owned(),
        StepVerdict::Absent(_) => "-   ".to_owned(),
    };
    let mut text = format!("{:>2} {word} {}", report.number, report.step.title);
    let detail = printable(&report.verdict.detail());
    match &report.verdict {
        StepVerdict::Failed { .. } if report.same_as.is_some() => {
            let number = report.same_as.unwrap_or_default();
            text.push('\n');
            explain(
                &mut text,
                "what",
                &format!("the same as step {number}: {detail}"),
            );
            explain_tries(&mut text, report);
        }
        StepVerdict::Failed { hint, .. } => {
            text.push('\n');
            explain(&mut text, "what", &detail);
            explain_tries(&mut text, report);
            if let Some(hint) = hint {
                explain(&mut text, "hint", &printable(hint));
            }
            explain(&mut text, "why", report.step.why);
            explain(&mut text, "fix", report.fix());
            write_transcript(&mut text, &report.transcript);
            write_standard_error(&mut text, &report.standard_error);
        }
        StepVerdict::Note(_) | StepVerdict::Advice(_) => {
            let is_advice = matches!(report.verdict, StepVerdict::Advice(_));
            text.push('\n');
            explain(&mut text, if is_advice { "tip" } else { "note" }, &detail);
            explain(&mut text, "fix", report.fix());
        }
        _ if detail.is_empty() => text.push('\n'),
        _ => {
            let _ = writeln!(text, " ({detail})");
        }
    }
    if !matches!(report.verdict, StepVerdict::Failed { .. }) {
        explain_tries(&mut text, report);
    }
    text
}

/// Whether a step was passed at once, or is none under these rules: there is nothing to do.
pub const fn says_nothing_new(report: &StepReport) -> bool {
    let is_fine = matches!(
        report.verdict,
        StepVerdict::Passed(_) | StepVerdict::Absent(_)
    );
    is_fine && report.earlier.is_empty()
}

/// Describes the failures of earlier attempts.
fn explain_tries(text: &mut String, report: &StepReport) {
    if report.earlier.is_empty() {
        return;
    }
    let tries = report.earlier.len() + 1;
    let why = format!("tried {tries} times: a failure on time alone may be the host's doing");
    explain(text, "again", &why);
    for (place, what) in report.earlier.iter().enumerate() {
        explain(text, &format!("try {}", place + 1), &printable(what));
    }
}

/// Steps that were not taken, in as few lines as possible.
#[derive(Debug, Default)]
pub struct Skips {
    /// Their numbers, in ascending order.
    numbers: Vec<usize>,
}

impl Skips {
    /// Whether this step is reported later, together with others.
    pub fn hold_back(&mut self, report: &StepReport) -> bool {
        if !matches!(report.verdict, StepVerdict::Skipped(_)) {
            return false;
        }
        self.numbers.push(report.number);
        true
    }

    /// The report on these steps.
    pub fn take(&mut self) -> String {
        let numbers = std::mem::take(&mut self.numbers);
        let [first, others @ ..] = numbers.as_slice() else {
            return String::new();
        };
        let Some(last) = others.last() else {
            return format!("{first:>2} skip depends on what failed above\n");
        };
        // With `--only`, steps between them may not be asked for.
        let which = if last - first == others.len() {
            format!("all steps to {last}")
        } else {
            let others: Vec<String> = others.iter().map(usize::to_string).collect();
            format!("steps {}", others.join(", "))
        };
        format!("{first:>2} skip and {which}: they depend on what failed above\n")
    }
}

fn explain(text: &mut String, word: &str, what: &str) {
    let _ = writeln!(text, "          {word:<5} {what}");
}

fn write_transcript(text: &mut String, entries: &[ConversationEntry]) {
    if entries.is_empty() {
        return;
    }
    let left_out = entries.len().saturating_sub(SHOWN_LINES);
    let lines = if left_out == 0 {
        "what was said, in ms from the start of the process".to_owned()
    } else {
        format!("the end of what was said, {left_out} lines left out, in ms")
    };
    explain(text, "said", &lines);
    for entry in &entries[left_out..] {
        let source = source(entry.from);
        let time = entry.time.as_secs_f64() * 1e3;
        let line = line(entry, SHOWN_CHARACTERS);
        let _ = writeln!(text, "          {time:>9.1} {source:<8} {line}");
    }
}

fn write_standard_error(text: &mut String, bytes: &[u8]) {
    let (lines, left_out) = error_lines(bytes, SHOWN_ERROR_LINES, SHOWN_CHARACTERS);
    if lines.is_empty() {
        return;
    }
    let head = if left_out == 0 {
        "on standard error".to_owned()
    } else {
        format!("at the end of standard error, {left_out} lines left out")
    };
    explain(text, "wrote", &head);
    for line in lines {
        let _ = writeln!(text, "            {line}");
    }
}

/// The last lines of a bot's standard error, made safe and cut to this many characters, and the
/// number of lines before them.
pub fn error_lines(bytes: &[u8], most: usize, characters: usize) -> (Vec<String>, usize) {
    let all = String::from_utf8_lossy(bytes);
    let all: Vec<&str> = all.trim_end().lines().collect();
    let left_out = all.len().saturating_sub(most);
    let lines = all[left_out..].iter();
    let shown = |line: &&str| cut(&line.replace('\t', "    "), characters);
    (lines.map(shown).collect(), left_out)
}

/// The name of an entry's source in all forms of the report.
pub const fn source(from: Option<Writer>) -> &'static str {
    match from {
        Some(writer) => writer.name(),
        None => "event",
    }
}

/// A line, made safe and cut to this many characters.
pub fn line(entry: &ConversationEntry, characters: usize) -> String {
    cut(&String::from_utf8_lossy(&entry.line), characters)
}

fn cut(text: &str, characters: usize) -> String {
    let mut shown: String = text.chars().take(characters).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    printable(&shown)
}

/// The summary.
pub fn tail(subject: &Subject<'_>, reports: &[StepReport], paint: Paint) -> String {
    let counts = StepCounts::of(reports);
    let mut text = format!(
        "\n{} steps: {} passed, {} with a note, {} with a tip, {} failed, {} skipped, \
         {} not under these rules\n",
        reports.len(),
        counts.passed,
        counts.notes,
        counts.advice,
        counts.failed,
        counts.skipped,
        counts.absent
    );
    let slow_at_first = |it: &&StepReport| !it.earlier.is_empty() && it.verdict.carries();
    let late: Vec<String> = numbers(reports.iter().filter(slow_at_first));
    if !late.is_empty() {
        let _ = writeln!(
            text,
            "only slow at first, and right when tried again: step {}; is this machine busy?",
            late.join(", ")
        );
    }
    let is_red = |it: &&StepReport| matches!(it.verdict, StepVerdict::Failed { .. });
    let red = numbers(reports.iter().filter(is_red));
    if let Some(first) = red.first() {
        let _ = writeln!(
            text,
            "to fix: step {}; --only {first} takes the first of them alone",
            red.join(", ")
        );
    }
    let holds = counts.all_hold(subject.is_strict);
    text.push_str(&match (holds, &subject.only) {
        (true, None) => paint.green("the bot keeps to the protocol"),
        (true, Some(_)) => paint.green("these steps hold; the others were not taken"),
        (false, _) if counts.all_hold(false) => {
            paint.red("the bot keeps to the protocol, but a note is too much for --strict")
        }
        (false, _) => paint.red("the bot is not ready for a tournament"),
    });
    text.push('\n');
    text
}

fn numbers<'a>(reports: impl Iterator<Item = &'a StepReport>) -> Vec<String> {
    reports.map(|report| report.number.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steps_that_were_asked_for_are_said_to_be_skipped() {
        for (numbers, text) in [
            (vec![], ""),
            (vec![7], " 7 skip depends on what failed above\n"),
            (
                vec![9, 10, 11],
                " 9 skip and all steps to 11: they depend on what failed above\n",
            ),
            (
                vec![4, 7, 12],
                " 4 skip and steps 7, 12: they depend on what failed above\n",
            ),
        ] {
            let mut skips = Skips { numbers };
            assert_eq!(skips.take(), text);
            assert_eq!(skips.take(), "");
        }
    }
}
