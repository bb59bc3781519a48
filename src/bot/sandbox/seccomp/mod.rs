//! The system calls that a bot may make. The list is `docs/design/system-calls.md`, which is
//! compiled into the program: each call with its numbers, its treatment and the reason. A call that
//! is not on the list does not exist for a bot, so that new calls of newer kernels are refused from
//! the start.
//!
//! `arguments` has the calls that are allowed with some arguments only.
//!
//! Refused calls look like those on any other host: "not permitted" or "not implemented". Locks on
//! files pretend to succeed: a program that takes a lock as a precaution continues, and two bots
//! cannot communicate through a lock on a file that both can read.

use libc::c_int;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompFilter, SeccompRule, TargetArch, apply_filter,
};
use std::collections::BTreeMap;
use std::io;

mod arguments;

pub use arguments::Confinement;

/// The processor that this program was built for.
#[cfg(target_arch = "x86_64")]
const ARCH: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCH: TargetArch = TargetArch::aarch64;
#[cfg(target_arch = "riscv64")]
const ARCH: TargetArch = TargetArch::riscv64;

/// The numbers of calls, and the rules that apply to each; an empty list always applies.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Installs the filters for this thread and all that it starts. They cannot be removed.
///
/// # Errors
/// The kernel has no such filters.
pub fn apply(confinement: Confinement) -> io::Result<()> {
    let calls = calls();
    // The last filter refuses the installation of further ones.
    let filters = [
        there(&calls, confinement)?,
        pretended(&calls)?,
        not_permitted(&calls, confinement)?,
    ];
    for program in &filters {
        apply_filter(program).map_err(io::Error::other)?;
    }
    Ok(())
}

/// The calls that exist at all. The kernel caches calls that are allowed with every argument and
/// runs no filter for them.
fn there(calls: &[Call<'_>], confinement: Confinement) -> io::Result<BpfProgram> {
    let there = calls.iter().filter(|call| match call.treatment {
        Treatment::NotThere => false,
        Treatment::NotThereUncounted => confinement == Confinement::CountedBox,
        _ => true,
    });
    let numbers = there.map(|call| (call.number, Vec::new())).collect();
    compile(numbers, errno(libc::ENOSYS), SeccompAction::Allow)
}

fn pretended(calls: &[Call<'_>]) -> io::Result<BpfProgram> {
    let mut rules = Rules::new();
    for call in calls {
        match call.treatment {
            Treatment::Pretended => drop(rules.insert(call.number, Vec::new())),
            Treatment::Limited => {
                let some = arguments::pretended(call.name)?;
                if !some.is_empty() {
                    rules.insert(call.number, some);
                }
            }
            _ => {}
        }
    }
    compile(rules, SeccompAction::Allow, errno(0))
}

fn not_permitted(calls: &[Call<'_>], confinement: Confinement) -> io::Result<BpfProgram> {
    use Confinement::{CountedBox, Host};
    let mut rules = Rules::new();
    for call in calls {
        let refused = match (call.treatment, confinement) {
            (Treatment::Limited, _) | (Treatment::LimitedIfCounted, CountedBox) => {
                let some = arguments::not_permitted(call.name, confinement)?;
                if some.is_empty() {
                    continue;
                }
                some
            }
            (Treatment::RefusedUncounted, CountedBox) => continue,
            (Treatment::Refused | Treatment::RefusedUncounted | Treatment::LimitedIfCounted, _)
            | (Treatment::RefusedOutside, Host) => Vec::new(),
            _ => continue,
        };
        rules.insert(call.number, refused);
    }
    compile(rules, SeccompAction::Allow, errno(libc::EPERM))
}

fn errno(number: c_int) -> SeccompAction {
    SeccompAction::Errno(number.unsigned_abs())
}

/// A filter with the action `matched` where a rule holds, and `otherwise` elsewhere.
fn compile(
    rules: Rules,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> io::Result<BpfProgram> {
    SeccompFilter::new(rules, otherwise, matched, ARCH)
        .and_then(BpfProgram::try_from)
        .map_err(io::Error::other)
}

/// The page that people read, too.
const PAGE: &str = include_str!("../../../../docs/design/system-calls.md");

/// The place of this processor's number behind a name.
#[cfg(target_arch = "x86_64")]
const COLUMN: usize = 1;
#[cfg(not(target_arch = "x86_64"))]
const COLUMN: usize = 2;

/// The treatment of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The kernel does it.
    Allowed,
    /// Refused or pretended with some arguments.
    Limited,
    /// The same in a counted box; refused elsewhere.
    LimitedIfCounted,
    /// Allowed in a counted box; refused elsewhere.
    RefusedUncounted,
    /// Allowed in a box; refused outside a box.
    RefusedOutside,
    /// Returns success without any effect.
    Pretended,
    /// Not permitted.
    Refused,
    /// Not implemented, as on an older kernel.
    NotThere,
    /// Allowed in a counted box; not implemented elsewhere.
    NotThereUncounted,
}

/// The headings of the treatments.
const TREATMENTS: [(&str, Treatment); 9] = [
    ("Allowed", Treatment::Allowed),
    ("Limited", Treatment::Limited),
    ("Limited in a counted box", Treatment::LimitedIfCounted),
    (
        "Refused outside of a counted box",
        Treatment::RefusedUncounted,
    ),
    ("Refused outside of a box", Treatment::RefusedOutside),
    ("Pretended", Treatment::Pretended),
    ("Refused", Treatment::Refused),
    ("Not there", Treatment::NotThere),
    (
        "Not there outside of a counted box",
        Treatment::NotThereUncounted,
    ),
];

/// A call that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    pub name: &'a str,
    pub number: i64,
    pub treatment: Treatment,
}

/// All calls of this processor.
pub fn calls() -> Vec<Call<'static>> {
    parse(PAGE, COLUMN)
}

fn parse(page: &str, column: usize) -> Vec<Call<'_>> {
    let mut calls = Vec::new();
    let mut treatment = None;
    let mut in_list = false;
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let word = heading.split(':').next();
            let known = TREATMENTS.iter().find(|(name, _)| Some(*name) == word);
            treatment = known.map(|(_, treatment)| *treatment);
        } else if line.starts_with("```") {
            in_list = !in_list;
        } else if in_list && let Some(treatment) = treatment {
            let numbered = line.split(',').filter_map(|call| {
                let words: Vec<&str> = call.split_whitespace().collect();
                Some(Call {
                    name: words.first()?,
                    // A dash in place of a number: this processor does not have the call.
                    number: words.get(column)?.parse().ok()?,
                    treatment,
                })
            });
            calls.extend(numbered);
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const SURROUNDINGS: [Confinement; 3] =
        [Confinement::Host, Confinement::Box, Confinement::CountedBox];

    #[test]
    fn filters_can_be_made_of_the_page() {
        let calls = calls();
        for confinement in SURROUNDINGS {
            for program in [
                there(&calls, confinement).unwrap(),
                pretended(&calls).unwrap(),
                not_permitted(&calls, confinement).unwrap(),
            ] {
                // The kernel refuses longer programs.
                assert!(program.len() < 4096, "{}", program.len());
            }
        }
    }

    #[test]
    fn each_call_that_is_limited_says_how() {
        for call in calls() {
            let limited = matches!(
                call.treatment,
                Treatment::Limited | Treatment::LimitedIfCounted
            );
            let rules = arguments::not_permitted(call.name, Confinement::Host)
                .unwrap()
                .len()
                + arguments::pretended(call.name).unwrap().len();
            assert_eq!(limited, rules > 0, "{}", call.name);
        }
    }

    #[test]
    fn each_call_stands_once() {
        for column in [1, 2] {
            let calls = parse(PAGE, column);
            assert!(calls.len() > 300, "{}", calls.len());
            let names: BTreeMap<&str, i64> = calls.iter().map(|it| (it.name, it.number)).collect();
            let numbers: BTreeMap<i64, &str> =
                calls.iter().map(|it| (it.number, it.name)).collect();
            assert_eq!((names.len(), numbers.len()), (calls.len(), calls.len()));
        }
    }

    #[test]
    fn every_heading_is_understood() {
        let headings = PAGE.lines().filter_map(|line| line.strip_prefix("## "));
        for heading in headings {
            let known = |(name, _): &&(&str, Treatment)| heading.split(':').next() == Some(name);
            assert!(TREATMENTS.iter().any(|it| known(&it)), "{heading}");
            assert!(heading.contains(": "), "{heading} gives no reason");
        }
    }

    /// A few calls, compared with the numbers of the C library for this processor.
    #[test]
    fn numbers_are_those_of_this_processor() {
        let calls = calls();
        let cases = [
            ("read", libc::SYS_read, Treatment::Allowed),
            ("execve", libc::SYS_execve, Treatment::Allowed),
            ("clone", libc::SYS_clone, Treatment::Limited),
            ("socket", libc::SYS_socket, Treatment::LimitedIfCounted),
            ("shmget", libc::SYS_shmget, Treatment::RefusedUncounted),
            ("flock", libc::SYS_flock, Treatment::Pretended),
            ("setsid", libc::SYS_setsid, Treatment::Refused),
            ("io_submit", libc::SYS_io_submit, Treatment::NotThere),
            (
                "io_uring_setup",
                libc::SYS_io_uring_setup,
                Treatment::NotThere,
            ),
            ("clone3", libc::SYS_clone3, Treatment::NotThere),
            ("pidfd_open", libc::SYS_pidfd_open, Treatment::NotThere),
            ("fchmodat2", 452, Treatment::RefusedOutside),
        ];
        for (name, number, treatment) in cases {
            let expected = Call {
                name,
                number,
                treatment,
            };
            assert_eq!(calls.iter().find(|it| it.name == name), Some(&expected));
        }
    }
}
