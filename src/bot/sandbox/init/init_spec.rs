//! The specification for `awale __init`: words of JSON, `--`, and the command. Only this program
//! writes it, so a specification that cannot be read is a defect of this program.

use crate::bot::sandbox::init::own_process::set_limit;
use rustix::process::Resource;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// The longest word of JSON, in bytes: the kernel takes no word of 128 KiB, and each folder that a
/// bot may read is part of the specification.
const LONGEST_WORD: usize = 64 << 10;
/// Stands between the specification and the command.
const SEPARATOR: &str = "--";

/// The specification of one stage. Paths are `OsString`, whose JSON can hold any bytes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::bot::sandbox) enum InitSpec {
    Outer(OuterSpec),
    Inner(InnerSpec),
}

/// The stage outside of any box.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(in crate::bot::sandbox) struct OuterSpec {
    /// `cgroup.procs` files of the groups to enter.
    pub enter: Vec<OsString>,
    /// The user id to switch to, if this process is root.
    pub user: Option<u32>,
    /// The descriptor of the status channel.
    pub status: i32,
    /// The working directory of the command, if it differs from the current one.
    pub directory: Option<OsString>,
    pub limits: ResourceLimits,
    /// What Landlock leaves open, if it is applied.
    pub landlock: Option<LandlockAccess>,
    /// Process 1 of a box, and the number of words of the command that are those of bubblewrap.
    pub boxed: Option<(InnerSpec, usize)>,
}

/// Process 1 of a box. The stage before fills in the descriptors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(in crate::bot::sandbox) struct InnerSpec {
    /// The descriptor of the status channel.
    pub status: i32,
    /// The descriptor of this program's file, which is closed once the program runs.
    pub program: i32,
    /// The descriptor of the host's `/proc`: that of the box is read-only.
    pub proc: i32,
    /// Descriptors that become the bot's standard input, output and error.
    pub streams: [i32; 3],
    pub limits: ResourceLimits,
    /// Whether a control group counts the memory of the box.
    pub counted: bool,
    /// Whether process 1 of a box covers the files of `/proc` itself.
    pub covers: bool,
}

/// The files that a bot behind Landlock may read, and those that it may also write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(in crate::bot::sandbox) struct LandlockAccess {
    pub read: Vec<OsString>,
    pub write: Vec<OsString>,
}

/// Limits that a process sets for itself and its children.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(in crate::bot::sandbox) struct ResourceLimits {
    pub files: Option<u64>,
    pub stack_bytes: Option<u64>,
    pub processes: Option<u64>,
    pub file_bytes: Option<u64>,
}

impl ResourceLimits {
    pub fn set(&self) -> io::Result<()> {
        let all = [
            (Resource::Nofile, self.files),
            (Resource::Stack, self.stack_bytes),
            (Resource::Nproc, self.processes),
            (Resource::Fsize, self.file_bytes),
        ];
        let mut limits = all.into_iter().filter_map(|(it, limit)| Some((it, limit?)));
        limits.try_for_each(set_limit)
    }
}

impl InitSpec {
    /// The arguments for [`super::COMMAND`].
    pub fn words(&self, command: Vec<OsString>) -> Vec<OsString> {
        let spec = serde_json::to_vec(self).expect("a specification is JSON");
        let parts = spec.chunks(LONGEST_WORD);
        let parts = parts.map(|part| OsString::from_vec(part.to_vec()));
        parts.chain([SEPARATOR.into()]).chain(command).collect()
    }

    /// The specification and the command in these words; `None` if this program did not write them.
    pub fn parse(mut words: Vec<OsString>) -> Option<(Self, Vec<OsString>)> {
        let end = words.iter().position(|word| word == SEPARATOR)?;
        let command = words.split_off(end + 1);
        let parts: Vec<&[u8]> = words[..end].iter().map(|word| word.as_bytes()).collect();
        let spec = serde_json::from_slice(&parts.concat()).ok()?;
        (!command.is_empty()).then_some((spec, command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_round() {
        let command: Vec<OsString> = vec!["./bot".into(), "--".into(), "read=/etc".into()];
        let inner = InnerSpec {
            streams: [100, 101, 102],
            counted: true,
            ..InnerSpec::default()
        };
        let outer = OuterSpec {
            enter: vec!["/sys/fs/cgroup/a=b/cgroup.procs".into()],
            user: Some(64_000),
            directory: Some(OsString::from_vec(b"/home/\xff \"b\"".to_vec())),
            landlock: Some(LandlockAccess {
                read: vec!["/a/folder/of/some/length".into(); 5_000],
                ..LandlockAccess::default()
            }),
            boxed: Some((inner.clone(), 2)),
            ..OuterSpec::default()
        };
        for spec in [InitSpec::Outer(outer), InitSpec::Inner(inner)] {
            let words = spec.words(command.clone());
            assert!(words.iter().all(|word| word.len() <= LONGEST_WORD));
            assert_eq!(InitSpec::parse(words), Some((spec, command.clone())));
        }
    }

    #[test]
    fn other_words_are_refused() {
        let spec = InitSpec::Inner(InnerSpec::default());
        let other = ["{}", "--", "x"].map(OsString::from).to_vec();
        for words in [vec![], spec.words(vec![]), other] {
            assert_eq!(InitSpec::parse(words.clone()), None, "{words:?}");
        }
    }
}
