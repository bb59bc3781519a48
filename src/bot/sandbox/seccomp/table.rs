//! The lists of system calls in `docs/design/system-calls.md`: a heading names the treatment of the
//! calls below it, and each line of a list has a name and two numbers for each call.

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
