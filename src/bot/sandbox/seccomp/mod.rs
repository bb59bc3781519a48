//! The system calls that a bot may make. The list is `docs/design/system-calls.md`, which is
//! compiled into the program: each call with its numbers, its treatment and the reason. A call that
//! is not on the list does not exist for a bot, so that new calls of newer kernels are refused from
//! the start.
//!
//! ```text
//! table      the list, parsed
//! arguments  the calls that are allowed with some arguments only
//! ```
//!
//! Refused calls look like those on any other host: "not permitted" or "not implemented". Locks on
//! files pretend to succeed: a program that takes a lock as a precaution continues, and two bots
//! cannot communicate through a lock on a file that both can read.

mod arguments;
mod table;

pub use arguments::Confinement;

use libc::c_int;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompFilter, SeccompRule, TargetArch, apply_filter,
};
use std::collections::BTreeMap;
use std::io;
use table::{Call, Treatment};

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
    let calls = table::calls();
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

#[cfg(test)]
mod tests {
    use super::*;

    const SURROUNDINGS: [Confinement; 3] =
        [Confinement::Host, Confinement::Box, Confinement::CountedBox];

    #[test]
    fn filters_can_be_made_of_the_page() {
        let calls = table::calls();
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
        for call in table::calls() {
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
}
