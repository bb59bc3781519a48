//! `--ledger FILE`: tests that share a budget for errors.

use super::super::exit::{Exit, Failure, say, tell};
use super::super::run::{InLedger, SessionResult};
use super::super::terminal_table::{drawn, fitted, terminal_columns, wrapped};
use crate::config::Resolved;
use crate::report::{TextColumn, TextTable};
use crate::run_folder::{FALSE_DISCOVERIES, Ledger, LedgerLine, LedgerVerdict, TestVerdict};
use crate::stats::sprt::{PairCounts, State};
use crate::text::{counted, printable};
use std::path::Path;

/// A test in its ledger.
pub struct EnteredTest {
    /// For people.
    pub text: String,
    /// For programs.
    pub event: InLedger,
}

/// Enters a test that begins. Warns if it will stop too early to pass by the ledger.
///
/// # Errors
/// The file fails; or the test repeats openings: its pairs are not independent, and an e-value of
/// theirs would promise too much.
pub fn begin(path: &Path, resolved: &Resolved) -> Result<(), Failure> {
    if resolved.plan.test.is_some_and(|test| test.repeat_openings) {
        return Err(Failure::usage(
            "--ledger needs pairs of different openings, and `repeat-openings` in [sprt] is true: \
             test without it, or without a ledger",
        ));
    }
    let counts = PairCounts::default();
    let entered = enter(path, resolved, counts, TestVerdict::Undecided)?;
    let test = resolved.plan.test.as_ref().map(|test| test.sprt);
    let needed = entered.event.needed;
    // The e-value is seldom larger than the likelihood ratio at which a test passes.
    if let Some(test) = test.filter(|test| test.upper().exp() < needed) {
        tell(&format!(
            "warning: with alpha {} a test mostly stops at an e-value below {:.0}, and the ledger \
             needs {needed:.1}: a smaller alpha makes it go on",
            test.settings().alpha,
            test.upper().exp(),
        ));
    }
    Ok(())
}

/// Enters a test as it stands.
pub fn enter(
    path: &Path,
    resolved: &Resolved,
    counts: PairCounts,
    verdict: TestVerdict,
) -> Result<EnteredTest, Failure> {
    let test = resolved.plan.test.as_ref();
    let test = test.expect("clap lets no match have a ledger");
    let line = LedgerLine::new(&resolved.document(), test, counts, verdict);
    let run = line.run.clone();
    let ledger = Ledger::enter(path, line)?;
    let line = ledger.line(&run).expect("it was entered");
    let event = InLedger {
        e_value: line.e_value,
        needed: ledger.needed(&run),
        tests: ledger.lines().len(),
        passed_fdr5: line.verdict_fdr5 == LedgerVerdict::Passed,
    };
    Ok(EnteredTest {
        text: format!(
            "by the ledger {}: {} at FDR {:.0} %; e-value {}, needed {:.1} among {}",
            printable(&path.to_string_lossy()),
            word(line.verdict_fdr5),
            100.0 * FALSE_DISCOVERIES,
            e_value(line.e_value),
            event.needed,
            counted(event.tests, "test", "tests"),
        ),
        event,
    })
}

/// How a test stands that was played.
pub fn verdict(played: &SessionResult<'_>) -> TestVerdict {
    if !played.outcome.exclusions.withdrawn.is_empty() {
        return TestVerdict::Faulty;
    }
    let test = played.outcome.test.as_ref();
    match test.map(|test| test.evaluation.state) {
        Some(State::H1) => TestVerdict::Passed,
        Some(State::H0) => TestVerdict::Failed,
        _ if played.outcome.complete => TestVerdict::Inconclusive,
        _ => TestVerdict::Undecided,
    }
}

/// Prints a ledger.
pub fn show(path: &Path) -> Result<Exit, Failure> {
    let ledger = Ledger::read(path)?;
    let columns = terminal_columns();
    let passed = ledger.lines().iter();
    let passed = passed.filter(|it| it.verdict_fdr5 == LedgerVerdict::Passed);
    let summary = format!(
        "{} of {} at a false discovery rate of {:.0} %: {}.",
        counted(passed.count(), "test passes", "tests pass"),
        ledger.lines().len(),
        100.0 * FALSE_DISCOVERIES,
        "of bots that pass so, at most one in twenty is no better than its elo0, on average"
    );
    let table = drawn(&fitted(vec![table(&ledger)], columns));
    say(&format!("{table}\n{}\n", wrapped(&summary, columns)))
}

fn table(ledger: &Ledger) -> TextTable {
    let column = |(title, is_text, spared): (&str, bool, u8)| TextColumn {
        title: title.to_owned(),
        is_text,
        spared,
    };
    let columns = [
        ("test", true, 0),
        ("new", true, 0),
        ("base", true, 2),
        ("Elo", true, 3),
        ("pairs", false, 1),
        ("LLR", false, 4),
        ("e-value", false, 0),
        ("verdict", true, 0),
        ("at FDR 5 %", true, 0),
    ];
    let row = |line: &LedgerLine| {
        vec![
            printable(&line.test),
            printable(&line.new),
            printable(&line.base),
            format!("[{}, {}]", line.elo0, line.elo1),
            line.pairs.to_string(),
            format!("{:.2}", line.llr),
            e_value(line.e_value),
            test_word(line.verdict).to_owned(),
            word(line.verdict_fdr5).to_owned(),
        ]
    };
    TextTable {
        heading: None,
        columns: columns.map(column).to_vec(),
        rows: ledger.lines().iter().map(row).collect(),
    }
}

/// For example `34.19` or `1.2e12`.
fn e_value(e_value: f64) -> String {
    if e_value < 1e6 {
        format!("{e_value:.2}")
    } else {
        format!("{e_value:.1e}")
    }
}

const fn test_word(verdict: TestVerdict) -> &'static str {
    match verdict {
        TestVerdict::Passed => "passed",
        TestVerdict::Failed => "failed",
        TestVerdict::Inconclusive => "inconclusive",
        TestVerdict::Undecided => "not decided",
        TestVerdict::Faulty => "faulty",
    }
}

const fn word(verdict: LedgerVerdict) -> &'static str {
    match verdict {
        LedgerVerdict::Passed => "passed",
        LedgerVerdict::NotShown => "not shown",
    }
}
