//! How long a quota of processor time kept this program and its bots from all processors, for
//! example in a container that may use one and a half.

use super::hierarchy::throttling_files;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

/// The quotas that apply to this process.
#[derive(Debug)]
pub struct Throttling(Vec<File>);

impl Throttling {
    /// The quotas of this process, whose groups must not change afterwards.
    pub fn of_this_process() -> Self {
        let has_quota = |file: &File| read(file).is_some_and(|(periods, _)| periods > 0);
        Self(throttling_files().into_iter().filter(has_quota).collect())
    }

    /// How long the groups were throttled so far. Only differences have a meaning.
    pub fn total(&self) -> Duration {
        let times = self.0.iter().filter_map(read);
        times.map(|(_, time)| time).sum()
    }
}

fn read(file: &File) -> Option<(u64, Duration)> {
    let mut text = [0; 1024];
    let length = file.read_at(&mut text, 0).ok()?;
    parse(std::str::from_utf8(&text[..length]).ok()?)
}

/// The number of quota periods, and the throttled time: `throttled_time` in ns with version 1,
/// `throttled_usec` in µs with version 2.
fn parse(text: &str) -> Option<(u64, Duration)> {
    let number = |name: &str| {
        let mut lines = text.lines();
        lines.find_map(|line| {
            line.strip_prefix(name)?
                .strip_prefix(' ')?
                .parse::<u64>()
                .ok()
        })
    };
    let of_one = || number("throttled_time").map(Duration::from_nanos);
    let of_two = || number("throttled_usec").map(Duration::from_micros);
    Some((number("nr_periods")?, of_one().or_else(of_two)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_understood() {
        let one = "nr_periods 7\nnr_throttled 2\nthrottled_time 3000000\n";
        let two = "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 4000\n";
        assert_eq!(parse(one), Some((7, Duration::from_millis(3))));
        assert_eq!(parse(two), Some((0, Duration::from_millis(4))));
        assert_eq!(parse("usage_usec 5\n"), None);
        assert!(Throttling::of_this_process().total() < Duration::MAX);
    }
}
