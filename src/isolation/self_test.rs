//! The self-test of a level: the probe is started like a bot, with the real sandbox, and attempts
//! everything that the level promises to prevent. Its own report can only count against the level:
//! where the host can observe the result, it does.

use crate::bot::{
    BotSettings, Conversation, FileAccess, Launch, Level, Limits, OWN_PROGRAM, Own, Restart,
    Submission,
};
use crate::isolation::canaries::Canaries;
use crate::isolation::equip::{Equipment, Mechanism, bubblewrap};
use crate::isolation::examination::{PATIENCE, RunningProbe, told};
use crate::isolation::promises::{PromiseLevel, PromiseRow, PromiseVerdict, ROWS};
use crate::isolation::supervisor::Guard;
use crate::isolation::{probe, saying};
use std::fs;
use tracing::debug;

/// The probe's limits: small, so that it reaches them soon. Its processes need some pages each: all
/// together a third of the memory, with pages of 4 KiB, as a control group counts them. Where none
/// does, the memory is not tested, and the referee's looks count the pages of programs too.
fn limits(a_group_limits_memory: bool) -> Limits {
    let default = Limits::default();
    let small = (rustix::param::page_size() as u64 * 4096).clamp(16 << 20, 64 << 20);
    Limits {
        memory_bytes: if a_group_limits_memory {
            small
        } else {
            default.memory_bytes
        },
        processes: 6,
        temporary_bytes: 2 << 20,
        ..default
    }
}

/// The self-test of a level on this host.
#[derive(Clone, Debug)]
pub struct SelfTest {
    /// The level.
    pub level: Level,
    /// The first user id of bots, if the level changes it. The probe has their last one.
    pub user: Option<u32>,
    /// The verdicts in the order of [`ROWS`], or why the probe could not be started.
    pub verdicts: Result<Vec<PromiseVerdict>, String>,
}

impl SelfTest {
    /// Tests a level with the isolation of a run.
    pub fn run(mechanism: &Mechanism, guard: &Guard) -> Self {
        let self_test = Self {
            level: mechanism.level,
            user: mechanism.user.filter(|_| mechanism.level > Level::None),
            verdicts: examine(mechanism, guard),
        };
        debug!(failures = ?self_test.failures(), "tested {mechanism:?}");
        self_test
    }

    /// A level that cannot be tested.
    pub fn failed(level: Level, reason: &str) -> Self {
        Self {
            level,
            user: None,
            verdicts: Err(reason.to_owned()),
        }
    }

    /// Each promise and its verdict.
    pub fn rows(&self) -> impl Iterator<Item = (&'static PromiseRow, &PromiseVerdict)> {
        ROWS.iter().zip(self.verdicts.iter().flatten())
    }

    /// Whether all promises hold that the level requires.
    pub fn holds(&self) -> bool {
        self.verdicts.is_ok()
            && self.rows().all(|(row, verdict)| {
                row.weight(self.level) != PromiseLevel::Decides || verdict.holds()
            })
    }

    /// The broken promises, in sentences.
    pub fn failures(&self) -> Vec<String> {
        if let Err(reason) = &self.verdicts {
            return vec![reason.clone()];
        }
        let failures = self.rows().filter_map(|(row, verdict)| match verdict {
            PromiseVerdict::Fail(how) => Some(format!("\"{}\" does not hold: {how}", row.words)),
            _ => None,
        });
        failures.collect()
    }

    /// The same, and by which means promises hold that the kernel does not enforce.
    pub fn remarks(&self) -> Vec<String> {
        let means = self.rows().filter_map(|(row, verdict)| match verdict {
            PromiseVerdict::PassBy(means) => Some(format!("\"{}\" holds: {means}", row.words)),
            _ => None,
        });
        self.failures().into_iter().chain(means).collect()
    }
}

fn examine(mechanism: &Mechanism, guard: &Guard) -> Result<Vec<PromiseVerdict>, String> {
    let canaries = Canaries::plant(guard).map_err(saying("plant what the probe must not find"))?;
    let equipment = Equipment::for_self_test(mechanism, guard).map_err(saying("make a sandbox"))?;
    let limits = limits(equipment.abilities().memory);
    let bot = BotSettings {
        launch: launch(&canaries),
        restart: Restart::Never,
        limits,
        start_up: PATIENCE,
        new_game: PATIENCE,
        build_warning: None,
    };
    let sandboxed_bot = equipment.sandboxed_bot(&bot).map_err(std::io::Error::from);
    let sandboxed_bot = sandboxed_bot.map_err(saying("lay out the probe's files"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(saying("start the test"))?;
    runtime.block_on(async {
        let conversation = Conversation::start(&sandboxed_bot).map_err(told)?;
        let mut examination = RunningProbe {
            canaries: &canaries,
            guard,
            level: mechanism.level,
            equipment: &equipment,
            sandboxed_bot: &sandboxed_bot,
            limits,
            conversation,
        };
        let verdicts = examination.every_promise().await;
        examination.close(verdicts).await
    })
}

fn launch(canaries: &Canaries) -> Launch {
    Launch {
        program: OWN_PROGRAM.into(),
        arguments: [probe::COMMAND, probe::SERVE, &canaries.mark]
            .map(Into::into)
            .into(),
        directory: canaries.folder.join("bot"),
        environment: Vec::new(),
        host_environment: Vec::new(),
        file_access: FileAccess {
            own: Own::Folder(Submission {
                root: canaries.folder.join("bot"),
                most_bytes: Limits::default().submission_bytes,
                left_out: Vec::new(),
                left_out_with: "",
                kept: Vec::new(),
                expected: None,
            }),
            ..FileAccess::default()
        },
    }
}

/// Settings of the kernel that forbid users to create namespaces: the file, the value that forbids
/// it, and what to do.
const SWITCHES: [(&str, &str, &str); 3] = [
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "user namespaces are for root only: sysctl kernel.unprivileged_userns_clone=1",
    ),
    (
        "user/max_user_namespaces",
        "0",
        "user namespaces are switched off: sysctl user.max_user_namespaces=10000",
    ),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor keeps programs from user namespaces: install the profile bwrap-userns-restrict \
         (package apparmor-profiles), or sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
];

/// Advice on levels that do not hold, a line each.
pub fn advice(self_tests: &[SelfTest]) -> Vec<String> {
    let setting = |name: &str| fs::read_to_string(format!("/proc/sys/{name}")).ok();
    let has_bubblewrap = bubblewrap().is_some();
    advise(self_tests, has_bubblewrap, setting)
}

fn advise(
    self_tests: &[SelfTest],
    has_bubblewrap: bool,
    setting: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let holds = |level| {
        self_tests
            .iter()
            .any(|self_test| self_test.level == level && self_test.holds())
    };
    let tried = |level| self_tests.iter().any(|self_test| self_test.level == level);
    let mut lines = Vec::new();
    if tried(Level::Box) && !holds(Level::Box) {
        if !has_bubblewrap {
            lines.push(
                "for box: install bubblewrap (Debian, Ubuntu, Fedora, Arch: package bubblewrap)"
                    .to_owned(),
            );
        }
        let switched = SWITCHES
            .iter()
            .filter(|(name, value, _)| setting(name).is_some_and(|found| found.trim() == *value));
        let before = lines.len();
        lines.extend(switched.map(|(_, _, what)| format!("for box: {what}")));
        if has_bubblewrap && lines.len() == before {
            lines.push(
                "for box: see whether `bwrap --ro-bind / / --unshare-all true` works; in a \
                 container, allow user namespaces and mounts; a bwrap that is a script or changed \
                 by hand is none"
                    .to_owned(),
            );
        }
    }
    if tried(Level::Landlock) && !holds(Level::Landlock) {
        lines.push(
            "for landlock: a kernel of 5.13 or later with CONFIG_SECURITY_LANDLOCK, and landlock \
             in its list of modules (boot with lsm=landlock,…)"
                .to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a busy host the referee looked while the probe was being made: 18 MiB with the pages of
    /// bubblewrap and of this program, and the box was refused.
    #[test]
    fn a_probe_is_not_held_to_a_limit_that_is_not_tested() {
        assert!(limits(true).memory_bytes < 128 << 20);
        assert_eq!(limits(false).memory_bytes, Limits::default().memory_bytes);
    }

    #[test]
    fn advice_names_what_stands_in_the_way() {
        let failed = [SelfTest::failed(Level::Box, "no")];
        let cases: [(bool, &str, &str, &str); 5] = [
            (false, "", "", "install bubblewrap"),
            (true, "", "", "see whether"),
            (
                true,
                "kernel/unprivileged_userns_clone",
                "0\n",
                "kernel.unprivileged_userns_clone=1",
            ),
            (
                true,
                "user/max_user_namespaces",
                "0\n",
                "user.max_user_namespaces",
            ),
            (
                true,
                "kernel/apparmor_restrict_unprivileged_userns",
                "1\n",
                "AppArmor",
            ),
        ];
        for (has_bubblewrap, name, value, words) in cases {
            let setting = |asked: &str| (asked == name).then(|| value.to_owned());
            let lines = advise(&failed, has_bubblewrap, setting);
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].contains(words), "{words:?} in {lines:?}");
        }
        assert_eq!(advise(&[], false, |_| None), Vec::<String>::new());
        let landlock = advise(&[SelfTest::failed(Level::Landlock, "no")], true, |_| None);
        assert!(landlock[0].contains("CONFIG_SECURITY_LANDLOCK"));
    }
}
