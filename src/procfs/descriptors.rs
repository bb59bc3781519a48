//! The open files of a thread, and what an epoll descriptor watches (`fd`, `fdinfo`).

use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, statx};
use std::fs;
use std::path::Path;

/// What a descriptor leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenFile {
    /// A file or folder.
    Stored,
    /// A pipe without a name, by its inode.
    Pipe(u64),
    /// A character device, by its major number.
    Device(u32),
    /// A file without a place, such as `anon_inode:[eventfd]`.
    Anonymous(String),
    /// Anything else, such as a socket, a named pipe or a disk.
    Other,
}

/// The descriptors of a thread with what they lead to; `None` if one of them is not shown.
pub fn open_files(process: i32, thread: i32) -> Option<Vec<(i32, OpenFile)>> {
    let folder = format!("/proc/{process}/task/{thread}/fd");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        let descriptor = entry.file_name().to_str()?.parse().ok()?;
        found.push((descriptor, open_file(&entry.path())?));
    }
    Some(found)
}

fn open_file(link: &Path) -> Option<OpenFile> {
    let target = fs::read_link(link).ok()?;
    let target = target.to_string_lossy();
    if target.starts_with("anon_inode:") {
        return Some(OpenFile::Anonymous(target.into_owned()));
    }
    // This follows the link to the open file itself, and opens nothing. No file system is asked for
    // the present state of the file: the bot's own could let the referee wait.
    let wanted = StatxFlags::TYPE | StatxFlags::INO;
    let status = statx(CWD, link, AtFlags::STATX_DONT_SYNC, wanted).ok()?;
    Some(match FileType::from_raw_mode(status.stx_mode.into()) {
        FileType::RegularFile | FileType::Directory => OpenFile::Stored,
        FileType::Fifo if target.starts_with("pipe:[") => OpenFile::Pipe(status.stx_ino),
        FileType::CharacterDevice => OpenFile::Device(status.stx_rdev_major),
        _ => OpenFile::Other,
    })
}

/// The descriptors that an epoll descriptor watches.
pub fn watched_by(process: i32, thread: i32, epoll: i32) -> Vec<i32> {
    let path = format!("/proc/{process}/task/{thread}/fdinfo/{epoll}");
    parse_watched(&fs::read_to_string(path).unwrap_or_default())
}

fn parse_watched(text: &str) -> Vec<i32> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("tfd:"));
    let numbers = lines.filter_map(|line| line.split_ascii_whitespace().next());
    numbers.filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Read as _;
    use std::os::fd::OwnedFd;
    use std::process::{Child, Command, Stdio};

    /// A child whose descriptors stay as they are: it has started, and waits for a line.
    struct Waiting(Child);

    impl Waiting {
        fn new(input: OwnedFd, error: OwnedFd) -> Self {
            let mut child = Command::new("sh");
            child.args(["-c", "echo started; read _"]);
            child.stdin(input).stdout(Stdio::piped()).stderr(error);
            let mut child = Self(child.spawn().expect("a shell"));
            let output = child.0.stdout.as_mut().expect("its output");
            output.read_exact(&mut [0; 8]).expect("a line");
            child
        }

        fn leads_to(&self, descriptor: i32) -> OpenFile {
            let process = i32::try_from(self.0.id()).unwrap();
            let found = open_files(process, process).expect("the descriptors of a child");
            let mut found = found.into_iter();
            found.find(|(number, _)| *number == descriptor).unwrap().1
        }
    }

    impl Drop for Waiting {
        fn drop(&mut self) {
            // After its end there is nothing to kill.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    // Of this process itself, other tests open and close files meanwhile.
    #[test]
    fn descriptors_are_told_apart() {
        let (reader, writer) = std::io::pipe().unwrap();
        let (socket, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        let [null, file, folder] = ["/dev/null", "/proc/self/exe", "/"].map(File::open);
        let on_pipe = Waiting::new(reader.into(), writer.into());
        let OpenFile::Pipe(inode) = on_pipe.leads_to(0) else {
            panic!("a pipe");
        };
        assert_eq!(on_pipe.leads_to(2), OpenFile::Pipe(inode));
        let OpenFile::Pipe(output) = on_pipe.leads_to(1) else {
            panic!("a pipe");
        };
        assert_ne!(output, inode);
        for (error, expected) in [
            (null.unwrap().into(), OpenFile::Device(1)),
            (file.unwrap().into(), OpenFile::Stored),
            (folder.unwrap().into(), OpenFile::Stored),
        ] {
            let on_socket = Waiting::new(socket.try_clone().unwrap().into(), error);
            assert_eq!(on_socket.leads_to(0), OpenFile::Other);
            assert_eq!(on_socket.leads_to(2), expected);
        }
    }

    #[test]
    fn the_list_of_an_epoll_descriptor_is_understood() {
        let text = "pos:\t0\nflags:\t02\nmnt_id:\t15\nino:\t2067\n\
                    tfd:        5 events: 80000019 data:  5 pos:0 ino:61af sdev:7\n\
                    tfd:        0 events:       19 data:  0 pos:0 ino:61b0 sdev:8\n";
        assert_eq!(parse_watched(text), [5, 0]);
        assert_eq!(parse_watched(""), Vec::<i32>::new());
    }
}
