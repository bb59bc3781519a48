//! Determines the isolation on this host by testing it, and creates the sandbox of a run from it.
//!
//! ```text
//! promises     the promises of each level                     (data)
//! self_test    the live test of one level, and what a user can do to get a stronger one
//! canaries     what a test plants on the host, to see whether a sandboxed program reaches it
//! examination  the questions of a test
//! probe        the program that a test starts, and that tries to break out
//! equip        a level with its means on this host, and the sandbox made from it
//! supervisor   commands that start bots run in a namespace that ends with them
//! ```

mod canaries;
mod equip;
mod examination;
pub mod probe;
mod promises;
mod self_test;
pub mod supervisor;

pub use equip::{Equipment, Mechanism};
pub use promises::{PromiseVerdict, ROWS};
pub use self_test::{SelfTest, advice};

use crate::bot::{Abilities, ControlGroups, Level, ProcMask};
use crate::isolation::supervisor::{Guard, SupervisorKind};
use std::fmt::{Display, Write as _};

/// The user id of bots when root plays a tournament; no other program uses it.
const BOTS_USER: u32 = 64_646;

/// The isolation of a run.
#[derive(Clone, Debug)]
pub struct Isolation {
    /// The level and its means.
    pub mechanism: Mechanism,
    /// Every level that was tested, in this order; the last one holds, if any does.
    pub self_tests: Vec<SelfTest>,
}

/// The requirements of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct IsolationRequest {
    /// Exactly this level; `None` selects the strongest that holds.
    pub level: Option<Level>,
    /// At least this level.
    pub at_least: Option<Level>,
}

impl Isolation {
    /// The level of isolation.
    pub const fn level(&self) -> Level {
        self.mechanism.level
    }

    /// The requested level, if its promises hold on this host, or else the strongest level whose
    /// promises hold. Without a guard nothing may be started: then the first level that would be
    /// tested is returned.
    ///
    /// # Errors
    /// No requested level holds here; says what failed, and what to do.
    pub fn choose(request: IsolationRequest, guard: Option<&Guard>) -> Result<Self, String> {
        if let (Some(level), Some(least)) = (request.level, request.at_least)
            && level < least
        {
            let (level, least) = (level.name(), least.name());
            return Err(format!(
                "--require-isolation {least} and the level \"{level}\" exclude each other"
            ));
        }
        let Some(guard) = guard else {
            return Ok(Self::untried(request.level.unwrap_or(Level::Box), None));
        };
        let least = request.at_least.unwrap_or(Level::None);
        let levels = Level::ALL.into_iter().rev();
        let levels = levels.filter(|&level| match request.level {
            Some(wanted) => level == wanted,
            None => level >= least,
        });
        let mut self_tests = Vec::new();
        for level in levels {
            if let Some(mut found) = Self::first_that_holds(level, guard, &mut self_tests) {
                found.self_tests = self_tests;
                return Ok(found);
            }
        }
        Err(refusal(request, &self_tests))
    }

    /// A level as it holds here: root gives bots another user id if that works. Every self-test is
    /// added to the list, whether its level holds or not.
    fn first_that_holds(
        level: Level,
        guard: &Guard,
        self_tests: &mut Vec<SelfTest>,
    ) -> Option<Self> {
        if level == Level::None {
            return Some(Self::untried(level, user_of_bots(guard)));
        }
        for user in users(level, guard) {
            let mut isolation = Self::untried(level, user);
            let self_test = isolation.try_covers(guard);
            let holds = self_test.holds();
            self_tests.push(self_test);
            if holds {
                return Some(isolation);
            }
        }
        None
    }

    /// The self-test. If no box holds whose process 1 covers `/proc`, bubblewrap does it.
    fn try_covers(&mut self, guard: &Guard) -> SelfTest {
        let mechanism = &mut self.mechanism;
        if mechanism.level == Level::Box && mechanism.bubblewrap.is_none() {
            return SelfTest::failed(Level::Box, "bwrap is in no folder of PATH");
        }
        let self_test = SelfTest::run(mechanism, guard);
        if mechanism.level < Level::Box || self_test.holds() {
            return self_test;
        }
        mechanism.proc_mask = ProcMask::Bubblewrap;
        SelfTest::run(mechanism, guard)
    }

    fn untried(level: Level, user: Option<u32>) -> Self {
        Self {
            mechanism: Mechanism {
                level,
                bubblewrap: equip::bubblewrap(),
                proc_mask: ProcMask::default(),
                user,
            },
            self_tests: Vec::new(),
        }
    }

    /// The self-test of the chosen level.
    fn proof(&self) -> Option<&SelfTest> {
        let last = self.self_tests.last();
        last.filter(|self_test| self_test.level == self.level() && self_test.holds())
    }

    /// The warnings about a level below the strongest, a line each; empty for a box.
    pub fn banner(&self) -> Vec<String> {
        let what = match self.level() {
            Level::Box => return Vec::new(),
            Level::Landlock => {
                "bots see none of your files and no network, but share processes and memory with \
                 the host"
            }
            Level::None => "bots run with all your rights; play only programs that you trust",
        };
        let mut lines = vec![format!("ISOLATION: {} — {what}", self.level().name())];
        for self_test in self
            .self_tests
            .iter()
            .filter(|self_test| self_test.level > self.level())
        {
            let level = self_test.level.name();
            let failures = self_test.failures().into_iter();
            lines.extend(failures.map(|failure| format!("{level}: {failure}")));
        }
        lines.push("`awale doctor` shows what works here, and what to do".to_owned());
        lines
    }

    /// The promises that do not hold here and that the level does not require.
    pub fn warnings(&self) -> Vec<String> {
        let failures = self.proof().map(SelfTest::failures).unwrap_or_default();
        let level = self.level().name();
        let warning = |failure| format!("isolation {level}: {failure}");
        failures.into_iter().map(warning).collect()
    }

    /// The note under every table; `None` for a box.
    pub fn note(&self) -> Option<String> {
        (self.level() < Level::Box).then(|| {
            format!(
                "Isolation: {}, not box: what bots could do to each other and to the host is in \
                 docs/isolation.md.",
                self.level().name()
            )
        })
    }

    /// The promises of the level with their results, as a table of a run's `plan.toml`.
    pub fn provenance(&self) -> String {
        let mut text = String::from("\n[provenance.isolation]\n");
        let mut line = |key: &str, value: &str| {
            let _ = writeln!(text, "{key} = \"{value}\"");
        };
        line("level", self.level().name());
        let rows = self.proof().into_iter().flat_map(SelfTest::rows);
        for (row, verdict) in rows {
            line(row.key, verdict.word());
        }
        text
    }
}

/// Tests every level and returns the one that a run would choose by default.
pub fn survey(guard: &Guard) -> (Level, Vec<SelfTest>) {
    let mut self_tests = Vec::new();
    let mut chosen = None;
    for level in Level::ALL.into_iter().rev() {
        let found = Isolation::first_that_holds(level, guard, &mut self_tests);
        if level == Level::None {
            self_tests.push(SelfTest::run(
                &Isolation::untried(level, None).mechanism,
                guard,
            ));
        }
        chosen = chosen.or(found.map(|found| found.level()));
    }
    (chosen.unwrap_or(Level::None), self_tests)
}

/// The abilities of control groups here.
pub fn abilities(guard: &Guard) -> Abilities {
    ControlGroups::abilities_here(guard.run_name())
}

/// Why no requested level is available, and what to do.
fn refusal(request: IsolationRequest, self_tests: &[SelfTest]) -> String {
    let asked = request
        .level
        .or(request.at_least)
        .unwrap_or(Level::Box)
        .name();
    let mut text = format!("the isolation \"{asked}\" does not hold on this host");
    for self_test in self_tests {
        let level = self_test.level.name();
        for failure in self_test.failures() {
            let _ = write!(text, "\n  {level}: {failure}");
        }
    }
    for line in advice(self_tests) {
        let _ = write!(text, "\n  {line}");
    }
    text
}

/// The user ids for bots with which a level is tested, one after the other.
fn users(level: Level, guard: &Guard) -> Vec<Option<u32>> {
    let mut users = vec![None];
    if level == Level::Landlock || equip::bubblewrap().is_some() {
        users.splice(0..0, user_of_bots(guard).map(Some));
    }
    users
}

/// The user id for bots, if this is root and can show them files that only root can read.
fn user_of_bots(guard: &Guard) -> Option<u32> {
    let root = rustix::process::geteuid().is_root();
    (root && *guard.kind() == SupervisorKind::Namespace).then_some(BOTS_USER)
}

/// The message of an error.
fn saying<E: Display>(attempt: &str) -> impl FnOnce(E) -> String {
    move |error| format!("cannot {attempt}: {error}")
}
