//! The system call in which a thread waits (`syscall`), and where in the kernel it waits (`wchan`).

use std::fs;

/// A system call that has not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingCall {
    /// Its number in the thread's own table of system calls.
    pub number: i64,
    /// Its arguments, whether it takes them or not.
    pub arguments: [u64; 6],
    /// The function of the kernel in which the thread waits.
    pub channel: String,
}

impl WaitingCall {
    /// The call in which a thread waits; `None` if it runs, or if the kernel does not show it.
    pub fn of_thread(process: i32, thread: i32) -> Option<Self> {
        let task = format!("/proc/{process}/task/{thread}");
        let call = fs::read_to_string(format!("{task}/syscall")).ok()?;
        let channel = fs::read_to_string(format!("{task}/wchan")).ok()?;
        let (number, arguments) = parse(&call)?;
        Some(Self {
            number,
            arguments,
            channel,
        })
    }
}

/// The number, six arguments and two addresses. A thread that runs has a word instead, and one that
/// waits outside of a call has the number -1 and no arguments.
fn parse(line: &str) -> Option<(i64, [u64; 6])> {
    let mut words = line.split_ascii_whitespace();
    let number = words.next()?.parse().ok()?;
    let hexadecimal = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let numbers: Option<Vec<u64>> = words.map(hexadecimal).collect();
    let numbers = numbers.filter(|numbers| numbers.len() == 8)?;
    Some((number, numbers[..6].try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_thread_that_waits_in_a_call_has_one() {
        let line = "0 0x0 0x5608 0x2000 0xffffffffffffffff 0x0 0x7 0x7ffc 0x7f27\n";
        assert_eq!(parse(line), Some((0, [0, 0x5608, 0x2000, u64::MAX, 0, 7])));
        for other in ["running\n", "-1 0x7ffc 0x7f27\n", "", "0 0 1 2 3 4 5 6 7\n"] {
            assert_eq!(parse(other), None, "{other:?}");
        }
    }
}
