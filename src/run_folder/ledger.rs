//! A ledger of sequential tests: a CSV file with a line for each test, which all share one budget
//! for errors. Of many tests at 5 % some pass by chance; of those that pass by the ledger at most
//! 5 % do, on average.
//!
//! A test is a run: the same configuration with another secret is another look at the bots, and
//! has a line of its own. A test that goes on replaces its line. Nothing takes a line out, since
//! tests that are left out when they look bad make the others look better than they are.

use super::folder_error::FolderError;
use super::whole_file::write_file;
use crate::files::Folder;
use crate::report::guarded;
use crate::stats::discoveries::least_refuted;
use crate::stats::sprt::{Model, PairCounts, SprtCounts};
use crate::text::{printable, quoted};
use crate::tournament::{Entrant, RunDocument, SequentialTest, hash_of};
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The share of passed tests whose bot may be no better than H0 says, on average.
pub const FALSE_DISCOVERIES: f64 = 0.05;

/// The largest ledger that is read: some hundred thousand tests.
const MOST_MIB: u64 = 16;

/// Digits of the hashes in a line: enough to tell the programs and tests of a project apart.
const HASH_DIGITS: usize = 16;

/// How a test ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestVerdict {
    /// H1: the new bot is stronger than H0 says.
    Passed,
    /// H0.
    Failed,
    /// All pairs are played, and neither bound is reached.
    Inconclusive,
    /// It has begun, and was stopped.
    Undecided,
    /// A bot was at fault too often, or not admitted.
    Faulty,
}

/// What the ledger says of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LedgerVerdict {
    /// Its new bot is stronger than H0 says, at a false discovery rate of 5 %.
    Passed,
    /// That is not shown.
    NotShown,
}

/// The columns of the file, in the order of [`LedgerLine`].
const COLUMNS: [&str; 16] = [
    "test",
    "run",
    "new",
    "new_hash",
    "base",
    "base_hash",
    "elo0",
    "elo1",
    "alpha",
    "beta",
    "model",
    "pairs",
    "llr",
    "e_value",
    "verdict",
    "verdict_fdr5",
];

/// A test in the ledger.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct LedgerLine {
    /// The name of the test.
    pub test: String,
    /// Identifies it: the first digits of the hash of its plan, in hexadecimal.
    pub run: String,
    /// The name of the new bot.
    pub new: String,
    /// The first digits of the hash of its program.
    pub new_hash: String,
    /// The name of the base.
    pub base: String,
    /// The first digits of the hash of its program.
    pub base_hash: String,
    /// Elo of H0.
    pub elo0: f64,
    /// Elo of H1.
    pub elo1: f64,
    /// The error of the test itself under H0.
    pub alpha: f64,
    /// The same under H1.
    pub beta: f64,
    /// The scale of both Elo.
    pub model: Model,
    /// Pairs that count.
    pub pairs: u64,
    /// The log-likelihood ratio, to four decimals.
    pub llr: f64,
    /// The evidence against H0, to three decimals, rounded down. That of a faulty test is 0.
    pub e_value: f64,
    /// The verdict of the test itself.
    pub verdict: TestVerdict,
    /// The verdict at a false discovery rate of 5 % over all lines of the ledger.
    pub verdict_fdr5: LedgerVerdict,
}

impl LedgerLine {
    /// The line of a test after these pairs.
    pub fn new(
        run: &RunDocument,
        test: &SequentialTest,
        counts: PairCounts,
        verdict: TestVerdict,
    ) -> Self {
        let [new, base] = [test.new.index(), 1 - test.new.index()];
        let entrant = |index: usize| {
            let Entrant { name, program, .. } = &run.plan.entrants[index];
            (harmless(name), short(hash_of(program)))
        };
        let ((new, new_hash), (base, base_hash)) = (entrant(new), entrant(base));
        let counts = SprtCounts::Pairs(counts);
        let settings = test.sprt.settings();
        let e_value = match verdict {
            TestVerdict::Faulty => 0.0,
            _ => test.sprt.e_value(&counts),
        };
        Self {
            test: harmless(&run.settings.name),
            run: short(run.plan.hash()),
            new,
            new_hash,
            base,
            base_hash,
            elo0: settings.elo0,
            elo1: settings.elo1,
            alpha: settings.alpha,
            beta: settings.beta,
            model: settings.model,
            pairs: counts.total(),
            llr: (1e4 * test.sprt.evaluate(&counts).llr).round() / 1e4 + 0.0,
            // A larger number has no such decimals.
            e_value: if e_value < 1e9 {
                (1e3 * e_value).floor() / 1e3
            } else {
                e_value
            },
            verdict,
            verdict_fdr5: LedgerVerdict::NotShown,
        }
    }
}

/// A name as a cell that no spreadsheet takes for a formula.
fn harmless(name: &str) -> String {
    guarded(&printable(name)).into_owned()
}

fn short(mut hash: String) -> String {
    hash.truncate(HASH_DIGITS);
    hash
}

/// Why a ledger cannot be used.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The disk failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// It is not a ledger, or that of a newer version.
    #[error(
        "{path} is not a ledger that this version of awale can read: {what}; name another file with \
         --ledger, or correct this one"
    )]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// The tests that share a budget for errors, in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    lines: Vec<LedgerLine>,
}

impl Ledger {
    /// Reads a ledger.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn read(path: &Path) -> Result<Self, LedgerError> {
        let (folder, name) = place(path)?;
        let bytes = folder.read(&name, MOST_MIB);
        let bytes = bytes.map_err(|error| FolderError::file("read", path.to_owned(), error))?;
        Self::of_csv(&bytes).map_err(|what| LedgerError::Content {
            path: path.to_owned(),
            what,
        })
    }

    /// Adds the line of a test to a ledger, or replaces the line of the same test, and judges all
    /// tests anew. The file is created if necessary. A test that begins again, with no pair, does
    /// not replace what is known of it.
    ///
    /// # Errors
    /// The ledger cannot be read or written.
    pub fn enter(path: &Path, line: LedgerLine) -> Result<Self, LedgerError> {
        let (folder, name) = place(path)?;
        let locked = folder.handle().and_then(|handle| {
            handle.lock()?;
            Ok(handle)
        });
        let _lock = locked.map_err(|error| FolderError::file("lock", folder.path(""), error))?;
        let mut ledger = match Self::read(path) {
            Err(LedgerError::Folder(error)) if error.is_missing() => Self::default(),
            ledger => ledger?,
        };
        match ledger.lines.iter_mut().find(|it| it.run == line.run) {
            None => ledger.lines.push(line),
            Some(_) if line.pairs == 0 && line.verdict == TestVerdict::Undecided => {}
            Some(before) => *before = line,
        }
        ledger.judge();
        let text = ledger.to_csv();
        write_file(&folder, &name, |file| Ok(file.write_all(&text)?))?;
        Ok(ledger)
    }

    /// All tests.
    pub fn lines(&self) -> &[LedgerLine] {
        &self.lines
    }

    /// The test of a run.
    pub fn line(&self, run: &str) -> Option<&LedgerLine> {
        self.lines.iter().find(|it| it.run == run)
    }

    /// The e-value with which this test passes, as the others stand.
    pub fn needed(&self, run: &str) -> f64 {
        let e_value = |line: &LedgerLine| {
            if line.run == run {
                f64::INFINITY
            } else {
                line.e_value
            }
        };
        let e_values: Vec<f64> = self.lines.iter().map(e_value).collect();
        least_refuted(&e_values, FALSE_DISCOVERIES)
    }

    fn judge(&mut self) {
        let e_values: Vec<f64> = self.lines.iter().map(|line| line.e_value).collect();
        let least = least_refuted(&e_values, FALSE_DISCOVERIES);
        for line in &mut self.lines {
            line.verdict_fdr5 = if line.e_value >= least {
                LedgerVerdict::Passed
            } else {
                LedgerVerdict::NotShown
            };
        }
    }

    fn of_csv(bytes: &[u8]) -> Result<Self, String> {
        let mut ledger = Self::default();
        let mut reader = csv::Reader::from_reader(bytes);
        let unreadable = |error: csv::Error| printable(&error.to_string());
        let header = reader.headers().map_err(unreadable)?;
        let unknown = header.iter().find(|it| !COLUMNS.contains(it));
        if let Some(missing) = COLUMNS
            .iter()
            .find(|&name| !header.iter().any(|it| it == *name))
            && !bytes.is_empty()
        {
            return Err(format!("it has no column {missing}"));
        }
        if let Some(unknown) = unknown {
            let unknown = quoted(unknown);
            return Err(format!("a newer version has written its column {unknown}"));
        }
        for (line, row) in (2..).zip(reader.deserialize()) {
            let row: LedgerLine = row.map_err(unreadable)?;
            if !(0.0..f64::INFINITY).contains(&row.e_value) {
                return Err(format!("line {line}: {} is no e_value", row.e_value));
            }
            if ledger.line(&row.run).is_some() {
                let run = printable(&row.run);
                return Err(format!("line {line}: there is a line of run {run} already"));
            }
            ledger.lines.push(row);
        }
        ledger.judge();
        Ok(ledger)
    }

    fn to_csv(&self) -> Vec<u8> {
        let mut writer = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(Vec::new());
        let header = writer.write_record(COLUMNS);
        let mut lines = self.lines.iter();
        let written = header.and_then(|()| lines.try_for_each(|line| writer.serialize(line)));
        written.expect("memory takes every line, which has a cell for each column");
        writer.into_inner().expect("memory takes every line")
    }
}

/// The folder of a ledger, and its name there.
fn place(path: &Path) -> Result<(Folder, String), LedgerError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| LedgerError::Content {
        path: path.to_owned(),
        what: "it is not the name of a file".to_owned(),
    })?;
    let around = path.parent().filter(|it| !it.as_os_str().is_empty());
    let around = around.unwrap_or(Path::new("."));
    let folder = Folder::open(around);
    let folder =
        folder.map_err(|error| FolderError::file("open the folder", around.to_owned(), error))?;
    Ok((folder, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::sprt::{Settings, Sprt};
    use crate::tournament::{EntrantIndex, Plan, RunSettings, Secret};
    use std::fs;

    /// The line of a test of a bot `name` after this many pairs that it won.
    fn line(name: &str, won: u64, verdict: TestVerdict) -> LedgerLine {
        let settings = Settings {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Logistic,
        };
        let test = SequentialTest {
            repeat_openings: false,
            sprt: Sprt::new(settings).expect("a test"),
            new: EntrantIndex(1),
        };
        let secret = Secret::from_bytes([7; 32]);
        let plan = Plan {
            test: Some(test),
            ..Plan::round_robin(["base", name], 400, secret)
        };
        let settings = RunSettings {
            name: "=1+1".to_owned(),
            ..RunSettings::default()
        };
        let counts = PairCounts([0, 0, 0, 0, won]);
        LedgerLine::new(&RunDocument::new(plan, settings), &test, counts, verdict)
    }

    #[test]
    fn a_test_that_goes_on_replaces_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("month.csv");
        for (name, won, verdict, lines) in [
            ("one", 0, TestVerdict::Undecided, 1),
            ("two", 30, TestVerdict::Passed, 2),
            ("one", 9, TestVerdict::Passed, 2),
            // It begins again, and nothing is known of it yet.
            ("two", 0, TestVerdict::Undecided, 2),
        ] {
            let ledger = Ledger::enter(&path, line(name, won, verdict)).unwrap();
            assert_eq!(ledger.lines().len(), lines);
            assert_eq!(Ledger::read(&path).unwrap(), ledger);
        }
        let ledger = Ledger::read(&path).unwrap();
        let [one, two] = ledger.lines() else {
            panic!("{ledger:?}")
        };
        assert_eq!((one.pairs, two.pairs), (9, 30));
        assert_eq!((one.test.as_str(), one.base.as_str()), ("'=1+1", "base"));
        // Won pairs multiply the capital, by 1 + λ / 2: for 30 of them it is far above 40, which
        // the only one of two tests needs, and for nine of them it is not.
        assert_eq!(two.verdict_fdr5, LedgerVerdict::Passed);
        assert_eq!(one.verdict_fdr5, LedgerVerdict::NotShown);
        // Two that pass need 20 each.
        assert!((ledger.needed(&one.run) - 20.0).abs() < 1e-9);
    }

    #[test]
    fn a_faulty_test_counts_and_shows_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("month.csv");
        let ledger = Ledger::enter(&path, line("one", 30, TestVerdict::Faulty)).unwrap();
        assert!(ledger.lines()[0].e_value.abs() < 1e-9);
        let ledger = Ledger::enter(&path, line("two", 30, TestVerdict::Passed)).unwrap();
        assert!((ledger.needed(&ledger.lines()[1].run) - 40.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_ledger_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("month.csv");
        Ledger::enter(&path, line("one", 3, TestVerdict::Failed)).unwrap();
        let good = fs::read_to_string(&path).unwrap();
        let (header, row) = good.split_once('\n').unwrap();
        let e_value = line("one", 3, TestVerdict::Failed).e_value.to_string();
        for (text, what) in [
            ("my notes\n".to_owned(), "no column test"),
            (
                format!("{header},colour\n"),
                "newer version has written its column \"colour\"",
            ),
            (format!("{good}{row}"), "line 3: there is a line of run"),
            (good.replace(&e_value, "-1"), "line 2: -1 is no e_value"),
            (good.replace(&e_value, "NaN"), "line 2: NaN is no e_value"),
            (
                good.replace("failed", "\u{1b}[31m"),
                "unknown variant `\\u{1b}[31m`",
            ),
            (format!("{good}a,b\n"), "found record with 2 fields"),
            (
                format!("{header}\n\u{fffd}").replace('\u{fffd}', "\"\u{0}"),
                "found record with 1",
            ),
        ] {
            fs::write(&path, &text).unwrap();
            let error = Ledger::enter(&path, line("two", 1, TestVerdict::Failed)).unwrap_err();
            let error = error.to_string();
            assert!(error.contains(what), "{error}");
            assert!(error.contains("name another file with --ledger"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        for name in ["..", "nowhere/month.csv", "."] {
            let entered = Ledger::enter(
                &folder.path().join(name),
                line("two", 1, TestVerdict::Failed),
            );
            assert!(entered.is_err(), "{name}");
        }
    }

    #[test]
    fn tests_that_end_at_a_time_are_all_entered() {
        let folder = tempfile::tempdir().unwrap();
        let path = &folder.path().join("month.csv");
        std::thread::scope(|scope| {
            for number in 0..8 {
                let name = format!("bot{number}");
                scope.spawn(move || {
                    Ledger::enter(path, line(&name, 1, TestVerdict::Failed)).unwrap()
                });
            }
        });
        assert_eq!(Ledger::read(path).unwrap().lines().len(), 8);
    }
}
