//! The limits of a bot. One row here declares each limit, with its key in a configuration, its
//! bounds and its default; the code that enforces it reads the field.

use crate::text::size_text;
use rustix::process::{Resource, getrlimit};
use std::ops::RangeInclusive;

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitUnit {
    /// Bytes; a configuration gives a size with its unit.
    Bytes,
    /// Items; a configuration gives a whole number.
    Count,
}

/// Whether the plan of a run holds a limit. A run cannot be resumed with another plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InPlan {
    /// Always.
    Always,
    /// If it is not the default: so plans made before the limit existed stay the same.
    UnlessDefault,
    /// Never: it cannot change a game of an admitted bot.
    Never,
}

/// A limit as a key of a configuration.
#[derive(Debug)]
pub struct LimitKey {
    /// Its name in `[limits]`.
    pub name: &'static str,
    /// What it counts.
    pub unit: LimitUnit,
    /// The valid values.
    pub range: RangeInclusive<u64>,
    /// The value without a key in the configuration; `configs/default.toml` shows it to users.
    pub default: u64,
    /// Whether a plan holds it.
    pub in_plan: InPlan,
    get: fn(&Limits) -> u64,
    set: fn(&mut Limits, u64),
}

impl LimitKey {
    /// Reads the limit.
    pub fn get(&self, limits: &Limits) -> u64 {
        (self.get)(limits)
    }

    /// Sets the limit.
    ///
    /// # Panics
    /// The value is not in the range.
    pub fn set(&self, limits: &mut Limits, value: u64) {
        assert!(self.range.contains(&value), "{} is in its range", self.name);
        (self.set)(limits, value);
    }

    /// A value as written in a configuration, without quotes.
    pub fn text(&self, value: u64) -> String {
        match self.unit {
            LimitUnit::Bytes => size_text(value),
            LimitUnit::Count => value.to_string(),
        }
    }
}

/// No interpreter starts with less.
const LEAST_MEMORY: u64 = 1 << 20;
/// More than any host has.
const MOST_MEMORY: u64 = 1 << 44;
/// A quarter of it holds a program's arguments and environment.
const LEAST_STACK: u64 = 1 << 20;
/// Some kernels and libraries refuse a larger stack.
const MOST_STACK: u64 = 16 << 30;
/// The referee itself keeps this part of a bot's output in memory.
const MOST_KEPT: u64 = 1 << 30;
/// More than any host has.
const MOST_PROCESSES: u64 = 4_194_304;
/// As many as the kernel allows a process.
const MOST_FILES: u64 = 1_048_576;

/// In a box a file may exceed its file system by this many bytes, so that a file that is too large
/// fails as on a full disk does. The limit matters for files in memory without a file system, which
/// one call can fill.
pub(in crate::bot) const LAST_PAGE: u64 = 4096;

/// Declares the fields of [`Limits`], their defaults and their keys.
macro_rules! limits {
    ($(
        $(#[$doc:meta])*
        $field:ident: $type:ty =
            $name:literal $unit:ident $range:expr, $default:expr, $in_plan:ident;
    )*) => {
        /// The limits of a bot.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Limits {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        /// Names of all limits, in the order of the manual.
        pub const LIMIT_NAMES: &[&str] = &[$($name,)*];

        /// All limits, in the order of the manual.
        pub const LIMITS: [LimitKey; LIMIT_NAMES.len()] = [$(LimitKey {
            name: $name,
            unit: LimitUnit::$unit,
            range: $range,
            default: $default,
            in_plan: InPlan::$in_plan,
            get: |limits| u64::try_from(limits.$field).expect("64 bits hold every limit"),
            set: |limits, value| {
                limits.$field = <$type>::try_from(value).expect("the field holds its range");
            },
        },)*];
    };
}

limits! {
    /// Bytes of memory of the bot and all that it starts.
    memory_bytes: u64 = "memory" Bytes LEAST_MEMORY..=MOST_MEMORY, 512 << 20, Always;
    /// Processes and threads of the bot and all that it starts.
    processes: u32 = "processes" Count 1..=MOST_PROCESSES, 64, Always;
    /// Bytes of temporary files.
    temporary_bytes: u64 = "temporary" Bytes 4096..=MOST_MEMORY, 16 << 20, Always;
    /// File descriptors of each process.
    files: u32 = "files" Count 16..=MOST_FILES, 256, Always;
    /// Bytes of the stack of a program's first thread.
    stack_bytes: u64 = "stack" Bytes LEAST_STACK..=MOST_STACK, 8 << 20, UnlessDefault;
    /// Bytes of the files that it brings.
    submission_bytes: u64 = "submission-size" Bytes 0..=MOST_MEMORY, 1 << 30, Never;
    /// Bytes of one line of output, its newline not counted.
    line_bytes: usize = "line" Bytes 256..=MOST_KEPT, 64 << 10, Always;
    /// Bytes of output in one game.
    output_bytes: usize = "output" Bytes 256..=MOST_KEPT, 4 << 20, Always;
    /// Bytes of standard error kept from the beginning of a game.
    stderr_head_bytes: usize = "stderr-head" Bytes 0..=MOST_KEPT, 16 << 10, Always;
    /// Bytes of standard error kept from the end of a game.
    stderr_tail_bytes: usize = "stderr-tail" Bytes 0..=MOST_KEPT, 48 << 10, Always;
}

impl Limits {
    /// The limits by their names in a configuration, with their values as TOML.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, String)> {
        LIMITS.into_iter().map(|key| {
            let text = key.text(key.get(self));
            match key.unit {
                LimitUnit::Bytes => (key.name, format!("\"{text}\"")),
                LimitUnit::Count => (key.name, text),
            }
        })
    }

    /// The same as far as this process can give them: none can raise a limit above its own.
    #[must_use]
    pub fn on_this_host(&self) -> Self {
        let most = |resource| getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let count = |most: u64| u32::try_from(most).unwrap_or(u32::MAX);
        let processes = most(Resource::Nproc).saturating_sub(1);
        let file_bytes = most(Resource::Fsize).saturating_sub(LAST_PAGE);
        Self {
            processes: self.processes.min(count(processes)),
            temporary_bytes: self.temporary_bytes.min(file_bytes),
            files: self.files.min(count(most(Resource::Nofile))),
            stack_bytes: self.stack_bytes.min(most(Resource::Stack)),
            ..*self
        }
    }

    /// Describes the limits that are smaller on this host; empty if all can be given.
    pub fn lowered_here(&self) -> String {
        let here = self.on_this_host();
        let both = self.named().zip(here.named());
        let lowered = both.filter(|(asked, given)| asked != given);
        let words =
            lowered.map(|((name, asked), (_, given))| format!("{name} = {given}, not {asked}"));
        words.collect::<Vec<_>>().join("; ")
    }

    /// The limits that a plan holds, by name, with their units.
    pub fn in_plan(&self) -> impl Iterator<Item = (&'static str, String)> {
        let held = LIMITS.into_iter().filter(|key| match key.in_plan {
            InPlan::Always => true,
            InPlan::UnlessDefault => key.get(self) != key.default,
            InPlan::Never => false,
        });
        held.map(|key| (key.name, key.text(key.get(self))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_a_range_fits_its_field() {
        for key in LIMITS {
            let mut limits = Limits::default();
            assert_eq!(key.get(&limits), key.default, "{}", key.name);
            for value in [*key.range.start(), key.default, *key.range.end()] {
                key.set(&mut limits, value);
                assert_eq!(key.get(&limits), value, "{}", key.name);
            }
            let others = LIMITS.iter().filter(|other| other.name != key.name);
            for other in others {
                assert_eq!(other.get(&limits), other.default, "{}", other.name);
            }
        }
    }
}
