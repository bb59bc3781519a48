//! The specification for `awale __init`: words before `--`, and the command after it. Only this
//! program writes them, so an unknown word is a defect of this program.

use crate::bot::sandbox::init::own_process::RESOURCES;
use rustix::process::Resource;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

/// The specification of one stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of its own")]
pub(in crate::bot::sandbox) struct InitSpec {
    /// The stage: `outer` or `inner`.
    pub stage: String,
    /// `cgroup.procs` files of the groups to enter.
    pub enter: Vec<PathBuf>,
    /// The user id to switch to, if this process is root.
    pub user: Option<u32>,
    /// The descriptor of the status channel.
    pub status: Option<i32>,
    /// The descriptor of this program's file, which is closed once the program runs.
    pub program: Option<i32>,
    /// The descriptor of the host's `/proc`: that of the box is read-only.
    pub proc: Option<i32>,
    /// Descriptors that become the bot's standard input, output and error.
    pub streams: Option<[i32; 3]>,
    /// The working directory of the command, if it differs from the current one.
    pub directory: Option<PathBuf>,
    /// Limits that the process sets for itself and its children, by the words of [`RESOURCES`].
    pub limits: Vec<(Resource, u64)>,
    /// Whether to apply Landlock; `read` and `write` are what it leaves open.
    pub lock: bool,
    /// Readable for a bot behind Landlock.
    pub read: Vec<PathBuf>,
    /// Writable for a bot behind Landlock.
    pub write: Vec<PathBuf>,
    /// Whether the command is bubblewrap, whose own standard streams must stay open.
    pub boxed: bool,
    /// Whether a control group counts the memory of the box.
    pub counted: bool,
    /// Whether process 1 of a box covers the files of `/proc` itself.
    pub covers: bool,
    /// The command.
    pub command: Vec<OsString>,
}

impl InitSpec {
    /// The specification as words, with `--` and the command.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = vec![OsString::from(&self.stage)];
        let mut put = |key: &str, value: &[u8]| {
            words.push(OsString::from_vec([key.as_bytes(), b"=", value].concat()));
        };
        let numbers = [
            ("user", self.user.map(i128::from)),
            ("status", self.status.map(i128::from)),
            ("program", self.program.map(i128::from)),
            ("proc", self.proc.map(i128::from)),
        ];
        for (key, number) in numbers {
            if let Some(number) = number {
                put(key, number.to_string().as_bytes());
            }
        }
        for (resource, limit) in &self.limits {
            let named = RESOURCES.iter().find(|(_, known)| known == resource);
            let (name, _) = named.expect("a resource that bots are limited in");
            put(name, limit.to_string().as_bytes());
        }
        if let Some(directory) = &self.directory {
            put("directory", directory.as_os_str().as_bytes());
        }
        let lists = [
            ("enter", &self.enter),
            ("read", &self.read),
            ("write", &self.write),
        ];
        for (key, paths) in lists {
            for path in paths {
                put(key, path.as_os_str().as_bytes());
            }
        }
        if let Some(streams) = self.streams {
            put(
                "streams",
                streams.map(|fd| fd.to_string()).join(",").as_bytes(),
            );
        }
        for (key, wanted) in [
            ("lock", self.lock),
            ("boxed", self.boxed),
            ("counted", self.counted),
            ("covers", self.covers),
        ] {
            if wanted {
                put(key, b"yes");
            }
        }
        words.push("--".into());
        words.extend(self.command.iter().cloned());
        words
    }

    /// Parses the words; `None` if this program did not write them.
    pub fn parse(words: Vec<OsString>) -> Option<Self> {
        let mut words = words.into_iter();
        let mut spec = Self {
            stage: words.next()?.into_string().ok()?,
            ..Self::default()
        };
        for word in words.by_ref() {
            if word == "--" {
                spec.command = words.collect();
                return (!spec.command.is_empty()).then_some(spec);
            }
            let bytes = word.as_bytes();
            let split = bytes.iter().position(|&byte| byte == b'=')?;
            spec.take(&bytes[..split], &bytes[split + 1..])?;
        }
        None
    }

    fn take(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        let path = || PathBuf::from(OsString::from_vec(value.to_owned()));
        let text = str::from_utf8(value);
        match key {
            b"enter" => self.enter.push(path()),
            b"read" => self.read.push(path()),
            b"write" => self.write.push(path()),
            b"directory" => self.directory = Some(path()),
            b"user" => self.user = Some(text.ok()?.parse().ok()?),
            b"program" => self.program = Some(text.ok()?.parse().ok()?),
            b"proc" => self.proc = Some(text.ok()?.parse().ok()?),
            b"status" => self.status = Some(text.ok()?.parse().ok()?),
            b"streams" => self.streams = Some(three_numbers(text.ok()?)?),
            b"lock" => self.lock = true,
            b"boxed" => self.boxed = true,
            b"counted" => self.counted = true,
            b"covers" => self.covers = true,
            _ => {
                let mut named = RESOURCES.iter();
                let (_, resource) = named.find(|(name, _)| name.as_bytes() == key)?;
                self.limits.push((*resource, text.ok()?.parse().ok()?));
            }
        }
        Some(())
    }
}

fn three_numbers(text: &str) -> Option<[i32; 3]> {
    let numbers: Result<Vec<i32>, _> = text.split(',').map(str::parse).collect();
    numbers.ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_round() {
        let spec = InitSpec {
            stage: "outer".to_owned(),
            enter: vec!["/sys/fs/cgroup/a=b/cgroup.procs".into()],
            user: Some(64_000),
            status: Some(37),
            program: Some(103),
            proc: Some(104),
            streams: Some([100, 101, 102]),
            directory: Some("/home/a b".into()),
            limits: RESOURCES.iter().map(|(_, it)| (*it, 256)).collect(),
            lock: true,
            read: vec!["/usr".into(), "/opt/a b".into()],
            write: vec!["/tmp/x".into()],
            boxed: true,
            counted: true,
            covers: true,
            command: vec!["./bot".into(), "--".into(), "read=/etc".into()],
        };
        assert_eq!(InitSpec::parse(spec.words()), Some(spec.clone()));
        let bare = InitSpec {
            stage: "inner".to_owned(),
            command: vec!["x".into()],
            ..InitSpec::default()
        };
        assert_eq!(InitSpec::parse(bare.words()), Some(bare));
    }

    #[test]
    fn other_words_are_refused() {
        let refused = [
            vec![],
            vec!["outer"],
            vec!["outer", "--"],
            vec!["outer", "colour=red", "--", "x"],
            vec!["outer", "status=x", "--", "x"],
            vec!["outer", "streams=1,2", "--", "x"],
        ];
        for words in refused {
            let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
            assert_eq!(InitSpec::parse(words.clone()), None, "{words:?}");
        }
    }
}
