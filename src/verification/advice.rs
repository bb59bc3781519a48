//! The advice about problems, given once all checks are done.

use super::findings::{Check, Findings, Severity};

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

/// Adds all other advice to the findings.
pub fn add(findings: &mut Findings) {
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
