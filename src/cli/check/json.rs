//! The report for programs: one JSON object. `docs/check.md` describes it.

use super::Subject;
use super::text::{error_lines, line, source};
use crate::bot::ConversationEntry;
use crate::conformance::{StepCounts, StepReport, StepVerdict};
use crate::text::{micros, printable};
use crate::tournament::plain_text;
use serde_json::{Map, Value, json};

/// The number of last lines of a transcript that are kept.
const KEPT_LINES: usize = 40;
/// The number of last lines of standard error that are kept.
const KEPT_ERROR_LINES: usize = 200;
/// The number of characters of such a line.
const KEPT_CHARACTERS: usize = 4096;

/// The whole report, with a newline.
pub fn report(subject: &Subject<'_>, reports: &[StepReport]) -> String {
    format!("{:#}\n", object(subject, subject.bot, reports))
}

/// The report on a bot as an object.
pub fn object(subject: &Subject<'_>, bot: &str, reports: &[StepReport]) -> Value {
    let counts = StepCounts::of(reports);
    let overrides = subject.overrides().into_iter();
    let overrides = overrides.map(|(field, value)| (field, plain_text(&value).into()));
    json!({
        "v": 1,
        "bot": printable(bot),
        "rules": subject.terms.preset.name(),
        "set": overrides.collect::<Map<String, Value>>(),
        "move_time_us": micros(subject.terms.move_limit),
        "isolation": subject.level.name(),
        "only": subject.only,
        "strict": subject.is_strict,
        "holds": counts.all_hold(subject.is_strict),
        "counts": {
            "passed": counts.passed,
            "note": counts.notes,
            "advice": counts.advice,
            "failed": counts.failed,
            "skipped": counts.skipped,
            "not-applicable": counts.absent,
        },
        "steps": reports.iter().map(step).collect::<Vec<Value>>(),
    })
}

fn step(report: &StepReport) -> Value {
    let mut step = json!({
        "number": report.number,
        "id": report.step.id,
        "title": report.step.title,
        "why": report.step.why,
        "fix": report.fix(),
        "needs": report.step.needs,
        "status": report.verdict.name(),
        "detail": printable(&report.verdict.detail()),
        "time_us": micros(report.time),
        "tries": report.earlier.len() + 1,
        "earlier": report.earlier.iter().map(|what| printable(what)).collect::<Vec<String>>(),
    });
    if let StepVerdict::Failed { hint, .. } = &report.verdict {
        step["hint"] = json!(hint.as_deref().map(printable));
        let left_out = report.transcript.len().saturating_sub(KEPT_LINES);
        let entries = report.transcript[left_out..].iter();
        step["transcript"] = entries.map(entry_json).collect();
        step["transcript_left_out"] = json!(left_out);
        let (lines, left_out) =
            error_lines(&report.standard_error, KEPT_ERROR_LINES, KEPT_CHARACTERS);
        step["standard_error"] = json!(lines);
        step["standard_error_left_out"] = json!(left_out);
        step["same_as"] = json!(report.same_as);
    }
    step
}

fn entry_json(entry: &ConversationEntry) -> Value {
    json!({
        "from": source(entry.from),
        "time_us": micros(entry.time),
        "line": line(entry, KEPT_CHARACTERS),
    })
}
