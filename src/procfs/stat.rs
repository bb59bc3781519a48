//! `/proc/PID/stat`: one line of fields, in which the program's name may contain anything. Also the
//! mounts, the control groups, the session and the ignored signals of this process.

use rustix::process::Signal;
use rustix::time::{ClockId, clock_gettime};
use std::ops::RangeInclusive;
use std::time::Duration;
use std::{fs, io};

/// Clock ticks per second: `USER_HZ`, a part of the kernel's interface that is 100 on all its
/// present machines.
const TICKS_PER_SECOND: u64 = 100;

/// The line of a process or thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    line: Vec<u8>,
    /// The index of the fields after the name; the first of them is the third of the line.
    fields: usize,
}

impl Stat {
    /// The line of a process; `None` if it does not exist or cannot be read.
    pub fn of(process: i32) -> Option<Self> {
        Self::read(process).ok().flatten()
    }

    /// The line of a process; `None` if it does not exist.
    ///
    /// # Errors
    /// The kernel does not show it.
    pub fn read(process: i32) -> io::Result<Option<Self>> {
        match fs::read(format!("/proc/{process}/stat")) {
            Ok(line) => Ok(Self::parse(line)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The line of this process, also where `/proc` shows another namespace of processes.
    pub fn of_this_process() -> Option<Self> {
        Self::parse(fs::read("/proc/self/stat").ok()?)
    }

    /// The line of one of its threads.
    pub fn of_thread(process: i32, thread: i32) -> Option<Self> {
        Self::parse(fs::read(format!("/proc/{process}/task/{thread}/stat")).ok()?)
    }

    /// Takes the line apart.
    pub(super) fn parse(line: Vec<u8>) -> Option<Self> {
        let fields = 2 + line.windows(2).rposition(|pair| pair == b") ")?;
        Some(Self { line, fields })
    }

    /// The process id, as this `/proc` counts them.
    pub fn number(&self) -> Option<i32> {
        let end = self.line.iter().position(|&byte| byte == b' ')?;
        std::str::from_utf8(&self.line[..end]).ok()?.parse().ok()
    }

    /// The letter of its state, as in proc(5).
    pub fn state(&self) -> char {
        self.line.get(self.fields).copied().map_or('?', char::from)
    }

    /// The process id of its parent.
    pub fn parent(&self) -> Option<i32> {
        self.field(4)?.parse().ok()
    }

    /// The process id of its group's leader; 0 if that is outside the namespace.
    pub fn group(&self) -> Option<i32> {
        self.field(5)?.parse().ok()
    }

    /// The group in the foreground of its terminal: 0 if that is outside the namespace, -1 if it
    /// has no terminal.
    pub fn foreground_group(&self) -> Option<i32> {
        self.field(8)?.parse().ok()
    }

    /// The process id of its session's leader; 0 if that is outside the namespace.
    pub fn session(&self) -> Option<i32> {
        self.field(6)?.parse().ok()
    }

    /// Whether it has a controlling terminal.
    pub fn has_terminal(&self) -> Option<bool> {
        self.field(7).map(|number| number != "0")
    }

    /// The program's name, at most 15 bytes of it: hostile text.
    pub fn name(&self) -> String {
        let name = &self.line[..self.fields - 2];
        let begin = name.iter().position(|&byte| byte == b'(');
        let name = begin.map_or(name, |begin| &name[begin + 1..]);
        String::from_utf8_lossy(name).into_owned()
    }

    /// User and system time of the process and of its reaped children, in µs.
    pub fn cpu_time_us(&self) -> Option<u64> {
        self.ticks(14..=17)
    }

    /// The same of its reaped children alone.
    pub fn children_cpu_time_us(&self) -> Option<u64> {
        self.ticks(16..=17)
    }

    /// The sum of fields that are ticks, in µs.
    fn ticks(&self, mut fields: RangeInclusive<usize>) -> Option<u64> {
        let ticks = fields.try_fold(0, |sum, number| {
            Some(sum + self.field(number)?.parse::<u64>().ok()?)
        });
        Some(ticks? * (1_000_000 / TICKS_PER_SECOND))
    }

    /// Its start, in clock ticks since the host's start.
    pub fn start_ticks(&self) -> Option<u64> {
        self.field(22)?.parse().ok()
    }

    /// The time since its start, in hundredths of a second.
    pub fn age(&self) -> Option<Duration> {
        let ticks = self.start_ticks()?;
        let now = Duration::try_from(clock_gettime(ClockId::Boottime)).ok()?;
        let started = Duration::from_millis(ticks * (1000 / TICKS_PER_SECOND));
        Some(now.saturating_sub(started))
    }

    /// A field by its number in proc(5), 3 or more.
    fn field(&self, number: usize) -> Option<&str> {
        let fields = std::str::from_utf8(&self.line[self.fields..]).ok()?;
        fields.split_ascii_whitespace().nth(number - 3)
    }
}

/// The text of `mountinfo`; empty without `/proc`. Mounts of others can have any names.
pub fn own_mounts() -> String {
    own_file("mountinfo")
}

/// The text of `cgroup`; empty without `/proc`.
pub fn own_control_groups() -> String {
    own_file("cgroup")
}

fn own_file(name: &str) -> String {
    let text = fs::read(format!("/proc/self/{name}")).unwrap_or_default();
    String::from_utf8_lossy(&text).into_owned()
}

/// Whether this process has a terminal or can get one, so that its children would have it too.
/// Only the leader of a session gets one for it (credentials(7)).
pub fn may_have_terminal() -> bool {
    Stat::of_this_process().is_none_or(|stat| may_have_terminal_by(&stat))
}

fn may_have_terminal_by(stat: &Stat) -> bool {
    let leads = || stat.session().is_none() || stat.session() == stat.number();
    stat.has_terminal() != Some(false) || leads()
}

/// Whether this process was started to ignore a signal, as hang-ups after `nohup`.
pub fn ignores_signal(signal: Signal) -> bool {
    let ignored = mask(&own_file("status"), "SigIgn:");
    ignored.is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

fn mask(status: &str, name: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix(name))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_hexadecimal_and_stand_on_lines_of_their_own() {
        let status = "Name:\tSigCgt: 1\nSigIgn:\t0000000000000001\nSigCgt:\t0000000180004002\n";
        assert_eq!(mask(status, "SigIgn:"), Some(1));
        assert_eq!(mask(status, "SigCgt:"), Some(0x1_8000_4002));
        assert_eq!(mask("Name:\tzombie\n", "SigCgt:"), None);
    }

    #[test]
    fn fields_stand_after_the_last_bracket() {
        let parse = |line: &str| Stat::parse(line.as_bytes().to_vec());
        for (line, name, state, parent) in [
            ("12 (sh) S 1 12 9 34816", "sh", 'S', Some(1)),
            ("12 (a) R (b) D 7 12", "a) R (b", 'D', Some(7)),
            ("12 (a\n) Z", "a\n", 'Z', None),
        ] {
            let stat = parse(line).expect("a line");
            assert_eq!((stat.name().as_str(), stat.state()), (name, state));
            assert_eq!(stat.parent(), parent);
        }
        assert_eq!(
            parse("12 (sh) S 1").and_then(|stat| stat.number()),
            Some(12)
        );
        let terminal = |line: &str| parse(line).map(|stat| (stat.session(), stat.has_terminal()));
        let with = terminal("12 (sh 7) S 1 12 9 34816 12");
        assert_eq!(with, Some((Some(9), Some(true))));
        let without = terminal("12 (sh) S 1 12 0 0 -1");
        assert_eq!(without, Some((Some(0), Some(false))));
        assert_eq!(terminal("12 (a) Z"), Some((None, None)));
        assert_eq!(parse("12"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn a_name_with_brackets_and_numbers_is_read_right() {
        let parse = |line: &str| Stat::parse(line.as_bytes().to_vec());
        let line = "7 (a) R 1 (b) S 1 7 7 0 -1 4194560 97 0 1 0 20 30 4 5 20 0 1 0 99 0\n";
        let stat = parse(line).expect("a line");
        assert_eq!(stat.cpu_time_us(), Some(590_000));
        assert_eq!(stat.start_ticks(), Some(99));
        let short = parse("7 (a) S 1 7").expect("a line");
        assert_eq!((short.cpu_time_us(), short.start_ticks()), (None, None));
    }

    #[test]
    fn this_process_has_a_parent_and_an_age() {
        let own = i32::try_from(std::process::id()).expect("a number");
        let stat = Stat::of(own).expect("a process that lives");
        assert_eq!(
            stat.parent(),
            Some(std::os::unix::process::parent_id().cast_signed())
        );
        assert!(stat.age().expect("an age") < Duration::from_secs(24 * 3600));
        assert_eq!(
            Stat::of_thread(own, own).expect("a thread").name(),
            stat.name()
        );
    }

    #[test]
    fn only_a_member_of_a_session_without_terminal_can_get_none() {
        for (line, may) in [
            ("12 (sh) S 1 12 9 0 -1", false),
            // The leader is outside the namespace.
            ("12 (sh) S 1 12 0 0 -1", false),
            ("12 (sh) S 1 12 9 34816 12", true),
            ("12 (sh) S 1 12 12 0 -1", true),
            ("12 (sh) S 1 12", true),
        ] {
            let stat = Stat::parse(line.as_bytes().to_vec()).unwrap();
            assert_eq!(may_have_terminal_by(&stat), may, "{line}");
        }
    }
}
