//! What was found, for people and as JSON. `docs/verify.md` describes both.

use crate::record::GameId;
use crate::verification::{Check, Completeness, Finding, Findings, Severity};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Findings of one check that are shown to people; JSON has all that were kept.
const SHOWN: usize = 20;

/// What came of games that were to be played again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayReport {
    /// Games that were asked for.
    pub asked: u32,
    /// The seed of the draw.
    pub seed: u64,
    /// Games that could have been drawn, and those that were.
    pub replayable: usize,
    pub drawn: usize,
    /// Of those that were played: how many were the same, different, or cannot be compared.
    pub same: usize,
    pub different: usize,
    pub not_comparable: usize,
    /// Whether it was stopped before all were played.
    #[serde(skip)]
    pub interrupted: bool,
}

impl ReplayReport {
    /// Games that were drawn and not played to their end.
    const fn not_played(&self) -> usize {
        self.drawn - self.same - self.different - self.not_comparable
    }

    /// As in `20 of 190 games, seed 7: 19 the same to the move, 1 not comparable`.
    pub fn sentence(&self) -> String {
        let mut parts = vec![format!("{} the same to the move", self.same)];
        for (count, what) in [
            (self.different, "different"),
            (self.not_comparable, "not comparable"),
            (self.not_played(), "not played"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        format!(
            "{} of {} games, seed {}: {}",
            self.drawn,
            self.replayable,
            self.seed,
            parts.join(", ")
        )
    }
}

/// A line for each check, what was found below it, and one sentence in the end.
pub fn as_text(findings: &Findings, verdict: &Completeness) -> String {
    let mut text = String::new();
    for check in findings.checks() {
        let _ = writeln!(text, "{:<11} {}", check.name(), status(findings, check));
        for (weight, word) in [
            (Severity::Problem, "PROBLEM"),
            (Severity::Warning, "warning"),
            (Severity::Note, "note"),
        ] {
            for finding in findings.of(check, weight).take(SHOWN) {
                let _ = writeln!(text, "  {word}: {}", sentence(finding));
            }
            let hidden = findings.count_of(check, weight).saturating_sub(SHOWN);
            if hidden > 0 {
                let _ = writeln!(text, "  {word}: and {hidden} more");
            }
        }
    }
    let _ = writeln!(text, "\n{}", conclusion(findings, verdict));
    for advice in findings.advice() {
        let _ = writeln!(text, "to do: {advice}");
    }
    text
}

fn status(findings: &Findings, check: Check) -> String {
    let problems = findings.count_of(check, Severity::Problem);
    let word = match (problems, findings.left_out(check)) {
        (0, Some(why)) => return format!("not checked: {why}"),
        (0, None) if findings.count_of(check, Severity::Warning) > 0 => "warning".to_owned(),
        (0, None) => "ok".to_owned(),
        (1, _) => "1 PROBLEM".to_owned(),
        (problems, _) => format!("{problems} PROBLEMS"),
    };
    match findings.what_was_done(check) {
        "" => word,
        done => format!("{word:<10} {done}"),
    }
}

fn sentence(finding: &Finding) -> String {
    let place = &finding.place;
    let mut words: Vec<String> = Vec::new();
    words.extend(place.file.clone());
    words.extend(place.line.map(|line| format!("line {line}")));
    words.extend(place.game.as_ref().map(|game| format!("game {game}")));
    if words.is_empty() {
        return finding.message.clone();
    }
    format!("{}: {}", words.join(", "), finding.message)
}

fn conclusion(findings: &Findings, verdict: &Completeness) -> String {
    let count = |weight, word: &str| match findings.count(weight) {
        0 => None,
        1 => Some(format!("1 {word}")),
        count => Some(format!("{count} {word}s")),
    };
    let mut parts: Vec<String> = Vec::new();
    match count(Severity::Problem, "problem") {
        Some(problems) => parts.push(format!("not clean: {problems}")),
        None => parts.push(format!("clean: {} games", verdict.games)),
    }
    parts.extend(count(Severity::Warning, "warning"));
    parts.extend(unfinished_part(verdict));
    parts.join("; ")
}

/// As in `unfinished: 40 of 100 games, next 21.1, 21.2, …`.
fn unfinished_part(verdict: &Completeness) -> Option<String> {
    let planned = verdict
        .planned
        .filter(|_| verdict.finished == Some(false))?;
    let next: Vec<String> = verdict.open.iter().map(GameId::to_string).collect();
    let next = next.join(", ");
    let has_more = planned.saturating_sub(verdict.games) > verdict.open.len();
    let more = if has_more { ", …" } else { "" };
    Some(format!(
        "unfinished: {} of {planned} games, missing are {next}{more}",
        verdict.games
    ))
}

/// One object, newline included.
pub fn as_json(
    findings: &Findings,
    verdict: &Completeness,
    replay: Option<&ReplayReport>,
) -> String {
    let list = |weight: Severity| -> Vec<&Finding> {
        let checks = Check::ALL.into_iter();
        checks
            .flat_map(|check| findings.of(check, weight))
            .collect()
    };
    let checks: Vec<Value> = findings
        .checks()
        .map(|check| {
            json!({
                "check": check.name(),
                "problems": findings.count_of(check, Severity::Problem),
                "warnings": findings.count_of(check, Severity::Warning),
                "checked": findings.left_out(check).is_none(),
                "detail": findings.left_out(check).unwrap_or(findings.what_was_done(check)),
            })
        })
        .collect();
    let replay = replay.map(|replay| {
        let mut value = json!(replay);
        value["not_played"] = json!(replay.not_played());
        value
    });
    let report = json!({
        "format": 1,
        "clean": findings.count(Severity::Problem) == 0,
        "games": verdict.games,
        "planned": verdict.planned,
        "finished": verdict.finished,
        "checks": checks,
        "problems": list(Severity::Problem),
        "warnings": list(Severity::Warning),
        "notes": list(Severity::Note),
        "advice": findings.advice(),
        "replay": replay,
    });
    format!("{report:#}\n")
}
