//! `awale doctor`: which levels of isolation hold on this host, promise by promise.

use super::args::DoctorArguments;
use super::exit::{Exit, Failure, say};
use crate::bot::{Abilities, Level};
use crate::isolation::supervisor::{Guard, SupervisorKind};
use crate::isolation::{PromiseVerdict, ROWS, SelfTest, abilities, advice, survey};
use crate::text::printable;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Read as _;

/// The version of the output of `--json`.
const FORMAT: u32 = 1;
/// Width of the words of a promise, in columns.
const WORDS: usize = 44;
/// Width of a level, in columns.
const COLUMN: usize = 10;

/// The results.
struct Diagnosis {
    self_tests: Vec<SelfTest>,
    /// The level that a run chooses by default.
    chosen: Level,
    abilities: Abilities,
    supervisor: Option<String>,
    advice: Vec<String>,
}

/// Tests every level and prints the results; exit code 0 only if all promises of a box hold.
pub fn doctor(arguments: &DoctorArguments, guard: &Guard) -> Result<Exit, Failure> {
    end_when_interrupted(guard)
        .map_err(|error| Failure::machine(format!("cannot listen to signals: {error}")))?;
    let (chosen, self_tests) = survey(guard);
    let advice = advice(&self_tests);
    let diagnosis = Diagnosis {
        self_tests,
        chosen,
        abilities: abilities(guard),
        supervisor: match guard.kind() {
            SupervisorKind::Namespace => None,
            SupervisorKind::Subreaper { reason } => Some(reason.clone()),
        },
        advice,
    };
    let text = if arguments.json {
        format!("{}\n", diagnosis.json())
    } else {
        diagnosis.text()
    };
    say(&text)?;
    Ok(if diagnosis.is_whole() {
        Exit::Done
    } else {
        Exit::Attention
    })
}

/// Ends the program at the first interruption: the supervisor cleans up.
fn end_when_interrupted(guard: &Guard) -> std::io::Result<()> {
    let mut interruptions = guard.interruptions()?;
    std::thread::Builder::new().spawn(move || {
        let _ = interruptions.read(&mut [0]);
        std::process::exit(i32::from(Exit::Interrupted.code()));
    })?;
    Ok(())
}

impl Diagnosis {
    /// The self-test that represents a level: the one that holds, or the last.
    fn of(&self, level: Level) -> Option<&SelfTest> {
        let mut self_tests = self
            .self_tests
            .iter()
            .filter(|self_test| self_test.level == level);
        let last = self_tests.clone().next_back();
        self_tests.find(|self_test| self_test.holds()).or(last)
    }

    /// Whether no promise of a box is broken.
    fn is_whole(&self) -> bool {
        self.of(Level::Box).is_some_and(|self_test| {
            let failed =
                |(_, verdict): (_, &PromiseVerdict)| matches!(verdict, PromiseVerdict::Fail(_));
            self_test.holds() && !self_test.rows().any(failed)
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |words: &str, cells: [&str; 3]| {
            let row = cells.map(|cell| format!("{cell:<COLUMN$}")).concat();
            let _ = writeln!(text, "{}", format!("{words:<WORDS$}{row}").trim_end());
        };
        let levels = Level::ALL;
        line("a bot …", levels.map(Level::name));
        for (place, row) in ROWS.iter().enumerate() {
            let cell = |level| self.verdict(level, place).map_or("–", PromiseVerdict::word);
            line(row.words, levels.map(cell));
        }
        let holds = |level| match self.of(level) {
            Some(self_test) if self_test.holds() => "yes",
            _ => "no",
        };
        line("the level holds", levels.map(holds));
        for line in self.remarks() {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    fn verdict(&self, level: Level, place: usize) -> Option<&PromiseVerdict> {
        self.of(level)?.verdicts.as_ref().ok()?.get(place)
    }

    /// The remarks under the table.
    fn remarks(&self) -> Vec<String> {
        let mut lines = vec![String::new()];
        for level in Level::ALL.into_iter().rev() {
            let self_test = self.of(level).into_iter();
            let remarks = self_test.flat_map(SelfTest::remarks);
            lines.extend(remarks.map(|remark| format!("{}: {remark}", level.name())));
        }
        let able: Vec<&str> = self.abilities();
        lines.push(if able.is_empty() {
            "control groups: none can be made here, so that memory is not limited. With systemd: \
             systemd-run --user --scope -p Delegate=yes awale …"
                .to_owned()
        } else {
            format!("control groups: {}", able.join(", "))
        });
        lines.push(match &self.supervisor {
            None => "supervisor: a PID namespace, with which everything ends".to_owned(),
            Some(reason) => format!("supervisor: no PID namespace, only a subreaper ({reason})"),
        });
        let kernel = rustix::system::uname();
        lines.push(format!(
            "kernel: {} {}; awale needs Linux 5.3 or newer, and landlock 5.13",
            printable(&kernel.sysname().to_string_lossy()),
            printable(&kernel.release().to_string_lossy())
        ));
        let user = self.of(self.chosen).and_then(|self_test| self_test.user);
        let user = user.map_or(String::new(), |user| format!(", bots as user {user}"));
        lines.push(format!("auto chooses: {}{user}", self.chosen.name()));
        lines.extend(self.advice.iter().cloned());
        lines
    }

    fn abilities(&self) -> Vec<&'static str> {
        let able = &self.abilities;
        let all = [
            ("memory", able.memory),
            ("processes", able.processes),
            ("freeze", able.freeze),
            ("CPU time", able.cpu_time),
            ("kill", able.kill),
        ];
        let able = all.into_iter().filter(|(_, able)| *able);
        able.map(|(name, _)| name).collect()
    }

    fn json(&self) -> Value {
        let level = |self_test: &SelfTest| {
            let verdicts = self_test.rows().map(|(row, verdict)| {
                let value = json!({ "verdict": verdict.word(), "how": verdict.how() });
                (row.key.to_owned(), value)
            });
            json!({
                "level": self_test.level.name(),
                "user": self_test.user,
                "holds": self_test.holds(),
                "reason": self_test.verdicts.as_ref().err(),
                "promises": verdicts.collect::<Map<_, _>>(),
            })
        };
        json!({
            "v": FORMAT,
            "levels": self.self_tests.iter().map(level).collect::<Vec<_>>(),
            "control_groups": self.abilities(),
            "namespace": self.supervisor.is_none(),
            "auto": self.chosen.name(),
            "advice": self.advice,
        })
    }
}
