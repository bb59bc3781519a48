//! Compares the admissions and withdrawals of the journal with those that its games lead to.

use super::findings::{Check, FindingPlace, Findings};
use super::scan::Scan;
use super::schedule::SeenGames;
use crate::bot::ProgramIdentity;
use crate::record::{Admission, Exclusions, FaultKind, Refusal, Withdrawal};
use crate::run_folder::JOURNAL;
use crate::tournament::{AdmissionMode, Entrant, MOST_TOGETHER, Plan, RunDocument};
use std::collections::BTreeMap;

/// Compares both.
pub fn compare(
    scan: &Scan,
    run: &RunDocument,
    seen: &SeenGames,
    exclusions: &Exclusions,
    findings: &mut Findings,
) {
    admissions(scan, &run.plan, findings);
    withdrawals(scan, run, seen, exclusions, findings);
    let (refused, withdrawn) = (exclusions.refused.len(), exclusions.withdrawn.len());
    let open = exclusions.open.len();
    findings.done(
        Check::Exclusions,
        format!("{refused} not admitted, {withdrawn} withdrawn, {open} pairs open"),
    );
    if let Some(last) = &exclusions.decided_after {
        let message = format!("the test was decided with pair {last}: later ones do not count");
        findings.note(Check::Exclusions, &message);
    }
    for (name, refusal) in &exclusions.refused {
        let message = format!("{name:?} was not admitted: {}", refusal.reason());
        findings.note(Check::Exclusions, &message);
    }
    for Withdrawal { entrant, after, .. } in &exclusions.withdrawn {
        let message = format!("{entrant:?} was withdrawn after game {after}");
        findings.note(Check::Exclusions, &message);
    }
    for (pair, [first, second]) in &exclusions.open {
        let message = format!(
            "pair {pair} ({first:?}, {second:?}) is open: the host made all attempts at a game of \
             it void; the same command plays it again"
        );
        findings.note(Check::Exclusions, &message);
    }
}

/// Checks that every candidate was examined once, before the first game of its revision of the
/// plan.
fn admissions(scan: &Scan, plan: &Plan, findings: &mut Findings) {
    let candidates = plan.entrants.iter().filter(|it| is_candidate(plan, it));
    let last = |name: &str| {
        let mut lines = scan.admissions.iter().rev();
        lines
            .find(|(_, _, it)| it.entrant == name)
            .map(|(line, ..)| *line)
    };
    let mut open: BTreeMap<&str, Option<(usize, u32)>> = candidates
        .map(|entrant| (entrant.name.as_str(), None))
        .collect();
    let mut problem = |line: usize, message: &str| {
        findings.problem(
            Check::Exclusions,
            FindingPlace::line(JOURNAL, line),
            message,
        );
    };
    // A resumed run repeats examinations that the host disturbed, even after games of others.
    let mut disturbed: Vec<&str> = Vec::new();
    for (line, revision, admission) in &scan.admissions {
        let name = &admission.entrant;
        let again = disturbed.contains(&name.as_str());
        // Another machine has admitted it since.
        if scan.has_shards && last(name) != Some(*line) {
            continue;
        }
        if !admission.is_settled() {
            disturbed.push(name);
            if last(name) != Some(*line) {
                continue;
            }
        }
        match open.get_mut(name.as_str()) {
            // It was refused because of its files, which every mode does.
            None if is_unfit(admission) => {}
            None => problem(
                *line,
                &format!("{name:?} is not an entrant that the plan examines"),
            ),
            // A plan without examinations refuses unfit entrants too, and so does the next plan.
            Some(Some((_, earlier))) if earlier != revision && is_unfit(admission) => {}
            Some(Some((before, _))) => {
                let message = format!("{name:?} was examined already, in line {before}");
                problem(*line, &message);
            }
            Some(first) => *first = Some((*line, *revision)),
        }
        if admission.refusal.is_some()
            && let Some((game, last)) = scan.players.get(name)
            // It may have played under a plan that did not examine it.
            && last.get(revision).is_some_and(|last| last > line)
        {
            problem(
                *line,
                &format!("{name:?} was not admitted, and played game {game}"),
            );
        }
        let first_game = scan.first_games.get(revision);
        if first_game.is_some_and(|game| game < line) && !again && !scan.has_shards {
            let message = format!("{name:?} was examined after the first game");
            problem(*line, &message);
        }
    }
    let open = open.into_iter().filter(|(_, line)| line.is_none());
    unexamined(scan, open.map(|(name, _)| name), findings);
}

/// Reports entrants that were not examined although games were played.
fn unexamined<'a>(scan: &Scan, open: impl Iterator<Item = &'a str>, findings: &mut Findings) {
    // The content of a damaged line is unknown.
    let first_game = scan.first_game_of_last_plan();
    let Some(line) = first_game.filter(|_| scan.damaged == 0) else {
        return;
    };
    for name in open {
        let message = format!("games were played, and {name:?} was not examined before");
        let place = FindingPlace::line(JOURNAL, line);
        findings.problem(Check::Exclusions, place, &message);
    }
}

/// Whether a plan examines an entrant.
fn is_candidate(plan: &Plan, entrant: &Entrant) -> bool {
    !is_house_bot(entrant) && plan.conditions.admission != AdmissionMode::Off
}

fn is_house_bot(entrant: &Entrant) -> bool {
    let identity = ProgramIdentity::of(&entrant.program);
    identity.is_some_and(|identity| identity.is_house_bot())
}

/// Whether an examination of this entrant can have had this result.
pub fn is_possible(plan: &Plan, entrant: &Entrant, admission: &Admission) -> bool {
    is_candidate(plan, entrant) || !is_house_bot(entrant) && is_unfit(admission)
}

/// Whether an entrant was refused without a game, which is independent of the mode.
fn is_unfit(admission: &Admission) -> bool {
    let refusal = admission.refusal.as_ref();
    let fault = refusal.and_then(Refusal::fault);
    fault.is_some_and(|it| it.kind == FaultKind::StartFailure)
}

fn withdrawals(
    scan: &Scan,
    run: &RunDocument,
    seen: &SeenGames,
    exclusions: &Exclusions,
    findings: &mut Findings,
) {
    let mut announced: Vec<&Withdrawal> = Vec::new();
    for (line, withdrawal) in &scan.withdrawals {
        let what = told(withdrawal);
        let message = if announced.contains(&withdrawal) {
            format!("a second time: {what}")
        } else if exclusions.withdrawn.contains(withdrawal) {
            announced.push(withdrawal);
            continue;
        } else {
            format!("it says that {what}, and the games do not lead to that")
        };
        findings.problem(
            Check::Exclusions,
            FindingPlace::line(JOURNAL, *line),
            &message,
        );
    }
    for withdrawal in &exclusions.withdrawn {
        if announced.contains(&withdrawal) {
            continue;
        }
        let known = seen.last_line_up_to(&withdrawal.after);
        // After a change of the plan, what follows from earlier games comes after the examinations.
        let known = known.max(scan.plan_line);
        let later = |(line, ..): &&(usize, u32, Admission)| *line > known;
        let known = known + scan.admissions.iter().filter(later).count();
        let what = told(withdrawal);
        // A killed run may not have recorded what follows from its last games.
        let was_killed = scan.lines - known < MOST_TOGETHER * run.settings.slots as usize;
        // Shards that are still missing may change it.
        if was_killed || scan.has_shards {
            let message = format!(
                "the games lead to it that {what}, and no line says so: the run was killed before \
                 it wrote that, and `awale run` will"
            );
            findings.note(Check::Exclusions, &message);
        } else {
            let message =
                format!("the games lead to it that {what}, and no line of the journal says so");
            let place = FindingPlace::file(JOURNAL).of(&withdrawal.after);
            findings.problem(Check::Exclusions, place, &message);
        }
    }
}

fn told(withdrawal: &Withdrawal) -> String {
    let Withdrawal {
        entrant,
        after,
        faults,
        games,
    } = withdrawal;
    format!("{entrant:?} was withdrawn after game {after} with {faults} faults in {games} games")
}
