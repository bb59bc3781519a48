//! Which system calls a bot may make. The list is `docs/system-calls.md`, which is built into the
//! program: each call with its numbers, what becomes of it and why. What is not in it is not there,
//! so that a new call of a newer kernel is refused before anybody has thought about it.
//!
//! ```text
//! table      the page, read
//! arguments  for calls that are allowed with some arguments only: which
//! ```
//!
//! Refusals look like what a program may meet on any host: "not permitted" or "not there". Locks
//! on files pretend to succeed: programs that take them for good manners go on, and two bots
//! cannot talk through a lock on a file that both can read.

mod arguments;
mod table;

use libc::c_int;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompFilter, SeccompRule, TargetArch, apply_filter,
};
use std::collections::BTreeMap;
use std::io;
use table::{Call, Treatment};

/// What sockets and queues of a bot lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// The host: no socket, no queue, no shared memory by number.
    Host,
    /// None, in namespaces of its own: the usual calls are harmless.
    Nobody,
}

/// The processor that this program was built for.
#[cfg(target_arch = "x86_64")]
const ARCH: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCH: TargetArch = TargetArch::aarch64;
#[cfg(target_arch = "riscv64")]
const ARCH: TargetArch = TargetArch::riscv64;

/// Numbers of calls, and when a rule holds for one: always, if the list is empty.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Lays the filters on this thread and on whatever it starts; they cannot be taken off again.
///
/// # Errors
/// The kernel has no such filters.
pub fn apply(neighbours: Neighbours) -> io::Result<()> {
    let calls = table::calls();
    // The last one refuses further filters.
    let filters = [
        there(&calls)?,
        pretended(&calls)?,
        not_permitted(&calls, neighbours)?,
    ];
    for program in &filters {
        apply_filter(program).map_err(io::Error::other)?;
    }
    Ok(())
}

/// The calls that exist at all. The kernel remembers those that are allowed whatever their
/// arguments, and asks no filter about them.
fn there(calls: &[Call<'_>]) -> io::Result<BpfProgram> {
    let there = calls
        .iter()
        .filter(|call| call.treatment != Treatment::NotThere);
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

fn not_permitted(calls: &[Call<'_>], neighbours: Neighbours) -> io::Result<BpfProgram> {
    let mut rules = Rules::new();
    for call in calls {
        let refused = match (call.treatment, neighbours) {
            (Treatment::Refused, _)
            | (Treatment::RefusedOutside | Treatment::LimitedInside, Neighbours::Host) => {
                Vec::new()
            }
            (Treatment::Limited, _) | (Treatment::LimitedInside, Neighbours::Nobody) => {
                let some = arguments::not_permitted(call.name)?;
                if some.is_empty() {
                    continue;
                }
                some
            }
            _ => continue,
        };
        rules.insert(call.number, refused);
    }
    compile(rules, SeccompAction::Allow, errno(libc::EPERM))
}

fn errno(number: c_int) -> SeccompAction {
    SeccompAction::Errno(number.unsigned_abs())
}

/// A filter that does `matched` where a rule holds, and `otherwise` where none does.
fn compile(
    rules: Rules,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> io::Result<BpfProgram> {
    SeccompFilter::new(rules, otherwise, matched, ARCH)
        .and_then(BpfProgram::try_from)
        .map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_can_be_made_of_the_page() {
        let calls = table::calls();
        for neighbours in [Neighbours::Host, Neighbours::Nobody] {
            for program in [
                there(&calls).unwrap(),
                pretended(&calls).unwrap(),
                not_permitted(&calls, neighbours).unwrap(),
            ] {
                // The kernel takes no longer ones.
                assert!(program.len() < 4096, "{}", program.len());
            }
        }
    }

    #[test]
    fn each_call_that_is_limited_says_how() {
        for call in table::calls() {
            let limited = matches!(
                call.treatment,
                Treatment::Limited | Treatment::LimitedInside
            );
            let rules = arguments::not_permitted(call.name).unwrap().len()
                + arguments::pretended(call.name).unwrap().len();
            assert_eq!(limited, rules > 0, "{}", call.name);
        }
    }
}
