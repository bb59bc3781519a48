//! The attempts of the probe. Each one reports what it could do, and undoes it where possible.

use super::children::{self, DAEMON, NEST, SLEEP};
use crate::isolation::probe::{ProbeAnswer, ProbeQuestion};
use rustix::fs::{FallocateFlags, MemfdFlags, fallocate, memfd_create};
use rustix::net::{AddressFamily, SocketType};
use rustix::process::{Pid, getpid, test_kill_process};
use sha2::{Digest as _, Sha256};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Selects the signal that a file sends: asm-generic/fcntl.h.
const F_SETSIG: libc::c_long = 10;
/// The most processes to start.
const MOST_PROCESSES: u64 = 100;
/// The most memory to allocate.
const MOST_MEMORY_MIB: u64 = 128;
/// The most files of one MiB to write into a temporary folder.
const MOST_FILES: u64 = 8;
/// The longest wait for a connection.
const PATIENCE: Duration = Duration::from_millis(100);
/// Bytes of a file that are read.
const BEGINNING: u64 = 256;
/// Bytes of an environment that are read.
const LONGEST_ENVIRONMENT: u64 = 1 << 20;
/// Sets that must be empty, as the kernel writes them.
const CAPABILITY_SETS: [&str; 4] = ["CapInh", "CapPrm", "CapEff", "CapAmb"];

/// A program in the folder of the probe.
pub const OWN_FILE: &str = "program";

/// Makes one attempt.
pub fn attempt(question: &ProbeQuestion, mark: &str) -> ProbeAnswer {
    let done = match question {
        ProbeQuestion::Execute => execute(),
        ProbeQuestion::Write { folders, own } => write(folders, own, mark),
        ProbeQuestion::Read { files } => {
            let files = everywhere(files, &[]).into_iter();
            files.filter_map(|file| read(&file)).collect()
        }
        ProbeQuestion::Environments { processes } => environments(processes.as_deref()),
        ProbeQuestion::Tcp { addresses } => connect(addresses),
        ProbeQuestion::Udp { address } => send(*address, mark),
        ProbeQuestion::Abstract { name } => connect_abstract(name),
        ProbeQuestion::Vsock => vsock(),
        ProbeQuestion::Trace { processes } => trace(processes),
        ProbeQuestion::Capabilities => capabilities(),
        ProbeQuestion::Nest => nest(mark),
        ProbeQuestion::Neighbours => neighbours(),
        ProbeQuestion::Signals { processes } => signals(processes),
        ProbeQuestion::SignalFirst => signal_first(),
        ProbeQuestion::Requests => requests(),
        ProbeQuestion::Fill { shown_ms } => return fill(mark, Duration::from_millis(*shown_ms)),
        ProbeQuestion::Fork => return fork(mark),
        ProbeQuestion::Daemon => daemon(mark),
        ProbeQuestion::Memory => return take_memory(),
    };
    let count = done.len() as u64;
    ProbeAnswer { done, count }
}

fn words(worked: bool, text: impl FnOnce() -> String) -> Vec<String> {
    worked.then(text).into_iter().collect()
}

/// Paths, and the same paths below everything that is mounted, without the excluded ones.
fn everywhere(paths: &[OsString], without: &[OsString]) -> Vec<PathBuf> {
    let paths = paths.iter().map(Path::new);
    let inner: Vec<&Path> = paths
        .clone()
        .filter_map(|it| it.strip_prefix("/").ok())
        .collect();
    let mounts = mounts()
        .into_iter()
        .filter(|place| !without.iter().any(|it| *place == *it));
    let below = mounts.flat_map(|place| inner.iter().map(move |path| place.join(path)));
    paths.map(Path::to_owned).chain(below).collect()
}

/// The mount points: the fifth field of each line of `mountinfo`.
fn mounts() -> Vec<PathBuf> {
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let lines = table.split(|byte| *byte == b'\n');
    let places = lines.filter_map(|line| line.split(|byte| *byte == b' ').nth(4));
    places
        .map(|place| OsStr::from_bytes(place).into())
        .collect()
}

fn execute() -> Vec<String> {
    let ended = Command::new(Path::new(".").join(OWN_FILE)).status();
    words(ended.is_ok_and(|status| status.success()), || {
        OWN_FILE.to_owned()
    })
}

/// Files stay only in the named folders, where the host looks for them.
fn write(named: &[OsString], own: &[OsString], mark: &str) -> Vec<String> {
    let folders = everywhere(named, own);
    let made = folders.iter().filter(|folder| {
        let path = folder.join(mark);
        let mut options = File::options();
        let file = options.write(true).create_new(true).open(&path);
        if file.is_ok() && !named.iter().any(|it| **folder == *it) {
            let _ = fs::remove_file(&path);
        }
        file.is_ok()
    });
    made.map(|folder| folder.display().to_string()).collect()
}

fn read(file: &Path) -> Option<String> {
    let mut text = Vec::new();
    let opened = File::open(file).ok()?;
    opened.take(BEGINNING).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Hashes of the environments of other processes: their contents are not passed on.
fn environments(processes: Option<&[i32]>) -> Vec<String> {
    let fingerprint = |number: &str| {
        let mut text = Vec::new();
        let file = File::open(format!("/proc/{number}/environ")).ok()?;
        file.take(LONGEST_ENVIRONMENT).read_to_end(&mut text).ok()?;
        (!text.is_empty()).then(|| fingerprint(&text))
    };
    let own = fingerprint("self");
    let numbers = match processes {
        Some(processes) => processes.iter().map(ToString::to_string).collect(),
        None => listed("/proc"),
    };
    let found = numbers.iter().filter_map(|number| fingerprint(number));
    found.filter(|found| Some(found) != own.as_ref()).collect()
}

/// A name for an environment that does not reveal it.
fn fingerprint(text: &[u8]) -> String {
    format!("{:x?}", Sha256::digest(text))
}

/// The process or thread ids in a folder of `/proc`.
fn listed(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.parse::<i32>().is_ok()).collect()
}

fn connect(addresses: &[SocketAddr]) -> Vec<String> {
    let reached = addresses
        .iter()
        .filter(|address| TcpStream::connect_timeout(address, PATIENCE).is_ok());
    reached.map(ToString::to_string).collect()
}

/// A datagram that was sent may have gone nowhere: the listener decides whether it arrived.
fn send(address: SocketAddr, mark: &str) -> Vec<String> {
    let sent = UdpSocket::bind(("127.0.0.1", 0))
        .and_then(|socket| socket.send_to(mark.as_bytes(), address));
    words(sent.is_ok(), || address.to_string())
}

fn connect_abstract(name: &str) -> Vec<String> {
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name);
    let connected = address.and_then(|address| UnixStream::connect_addr(&address));
    words(connected.is_ok(), || format!("@{name}"))
}

fn vsock() -> Vec<String> {
    let made = rustix::net::socket(AddressFamily::VSOCK, SocketType::STREAM, None);
    words(made.is_ok(), || "a vsock socket".to_owned())
}

fn trace(processes: &[i32]) -> Vec<String> {
    let own = getpid().as_raw_nonzero().get();
    let seize = libc::c_long::from(libc::PTRACE_SEIZE);
    let held = processes.iter().filter(|&&process| {
        process != own && system_call(libc::SYS_ptrace, [seize, process.into(), 0, 0]) == 0
    });
    // A process that was not stopped cannot be released by a call: the end of this process releases
    // all.
    held.map(|process| format!("process {process}")).collect()
}

fn capabilities() -> Vec<String> {
    let Ok(status) = fs::read_to_string("/proc/self/status") else {
        return vec!["no /proc/self/status to tell".to_owned()];
    };
    let field = |name: &str| {
        let mut lines = status.lines();
        lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
    };
    let empty = |set: &str| u64::from_str_radix(set, 16) == Ok(0);
    let kept = CAPABILITY_SETS.into_iter().filter_map(|name| {
        let set = field(name).unwrap_or("unknown");
        (!empty(set)).then(|| format!("{name} {set}"))
    });
    let new = (field("NoNewPrivs") != Some("1")).then(|| "new rights from programs".to_owned());
    kept.chain(new).collect()
}

fn nest(mark: &str) -> Vec<String> {
    let ended = children::start(NEST, mark).and_then(|mut child| child.wait());
    words(ended.is_ok_and(|status| status.success()), || {
        "a user namespace".to_owned()
    })
}

fn neighbours() -> Vec<String> {
    let own = std::process::id().to_string();
    let others = listed("/proc").into_iter();
    others.filter(|name| *name != own && name != "1").collect()
}

fn signals(processes: &[i32]) -> Vec<String> {
    // A thread has an id too, which stands for its process here.
    let known = ["1", "self"].map(|process| listed(&format!("/proc/{process}/task")));
    let others = processes.iter().filter(|number| {
        let number = number.to_string();
        !known.iter().flatten().any(|known| *known == number)
    });
    let others = others.filter_map(|&number| Pid::from_raw(number));
    let others = others.filter(|&process| process != getpid() && process != Pid::INIT);
    let reached = others.filter(|&process| test_kill_process(process).is_ok());
    reached
        .map(|process| format!("process {}", process.as_raw_nonzero()))
        .collect()
}

/// Only used in a box: elsewhere process 1 belongs to someone else. Its threads have small ids.
fn signal_first() -> Vec<String> {
    const LAST_SIGNAL: i32 = 64;
    for signal in 1..=LAST_SIGNAL {
        for thread in 1..=4 {
            // The result is whether the box can still answer.
            let _ = system_call(libc::SYS_tgkill, [1, thread, signal.into(), 0]);
        }
        let _ = system_call(libc::SYS_kill, [1, signal.into(), 0, 0]);
    }
    Vec::new()
}

/// Requests to the kernel that run, or wake a bot, while it is stopped.
fn requests() -> Vec<String> {
    let mut number: u64 = 0;
    let place = std::ptr::from_mut(&mut number).expose_provenance();
    let place = libc::c_long::try_from(place).expect("an address below the kernel's");
    let queue = system_call(libc::SYS_io_setup, [1, place, 0, 0]);
    if queue == 0 {
        let queue = libc::c_long::try_from(number).unwrap_or_default();
        let _ = system_call(libc::SYS_io_destroy, [queue, 0, 0, 0]);
    }
    number = 0;
    let clock = libc::c_long::from(libc::CLOCK_MONOTONIC);
    let timer = system_call(libc::SYS_timer_create, [clock, 0, place, 0]);
    if timer == 0 {
        let timer = libc::c_long::try_from(number).unwrap_or_default();
        let _ = system_call(libc::SYS_timer_delete, [timer, 0, 0, 0]);
    }
    let file = system_call(libc::SYS_timerfd_create, [clock, 0, 0, 0]);
    if file >= 0 {
        let _ = system_call(libc::SYS_close, [file, 0, 0, 0]);
    }
    // 0 is the present value: nothing changes where the call is allowed.
    let signal = system_call(libc::SYS_fcntl, [2, F_SETSIG, 0, 0]);
    let mut made = words(queue == 0, || "a queue of requests".to_owned());
    made.extend(words(timer == 0, || "a timer that signals".to_owned()));
    made.extend(words(file >= 0, || "a timer to be waited for".to_owned()));
    made.extend(words(signal == 0, || "a file that signals".to_owned()));
    made
}

#[expect(
    unsafe_code,
    reason = "calls that no library has, since no program should need them"
)]
fn system_call(
    number: libc::c_long,
    [first, second, third, fourth]: [libc::c_long; 4],
) -> libc::c_long {
    // SAFETY: the callers pass numbers, the address of eight bytes that outlive the call, or whole
    // pages of a buffer that the call does not change.
    unsafe { libc::syscall(number, first, second, third, fourth) }
}

/// The number of MiB that the fuller of the temporary folders took.
fn fill(mark: &str, shown: Duration) -> ProbeAnswer {
    let temporary = std::env::temp_dir();
    let text = vec![1; 1 << 20];
    let filled = [temporary.as_path(), Path::new("/dev/shm")].map(|folder| {
        let files: Vec<PathBuf> = (0..MOST_FILES)
            .map(|number| folder.join(format!("{mark}-{number}")))
            .collect();
        let written = files
            .iter()
            .take_while(|file| write_new(file, &text).is_ok());
        let count = written.count() as u64;
        std::thread::sleep(shown);
        for file in &files {
            let _ = fs::remove_file(file);
        }
        (format!("{count} MiB in {}", folder.display()), count)
    });
    ProbeAnswer {
        count: filled.iter().map(|(_, count)| *count).max().unwrap_or(0),
        done: filled.into_iter().map(|(words, _)| words).collect(),
    }
}

fn write_new(file: &Path, text: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    let mut file = options.write(true).create_new(true).open(file)?;
    file.write_all(text)
}

fn fork(mark: &str) -> ProbeAnswer {
    let started = (0..MOST_PROCESSES).map_while(|_| children::start(SLEEP, mark).ok());
    ProbeAnswer {
        count: started.count() as u64,
        done: Vec::new(),
    }
}

/// Whether a process was left behind. Its parent was reaped, so no process here is its parent.
fn daemon(mark: &str) -> Vec<String> {
    let ended = children::start(DAEMON, mark).and_then(|mut child| child.wait());
    words(ended.is_ok_and(|status| status.success()), || {
        "a process of its own".to_owned()
    })
}

/// Bytes that are taken at a time. A file may have as many at every level.
const PORTION: u64 = 1 << 20;
/// The part of them that is written.
const WRITTEN: u64 = 64 << 10;

/// Memory that the kernel provides and charges, and does not clear before it is read: in some
/// virtual machines the first write to a page takes several µs.
fn provide(bytes: u64) -> io::Result<OwnedFd> {
    let memory = memfd_create("probe", MemfdFlags::CLOEXEC)?;
    fallocate(&memory, FallocateFlags::empty(), 0, bytes)?;
    Ok(memory)
}

fn take_memory() -> ProbeAnswer {
    let (mut provided, mut written) = (Vec::new(), Vec::new());
    let mut count = 0;
    while count * PORTION < MOST_MEMORY_MIB << 20 {
        let part = match provide(PORTION - WRITTEN) {
            Ok(memory) => {
                provided.push(memory);
                WRITTEN
            }
            // A kernel may refuse it.
            Err(_) => PORTION,
        };
        // Pages that are never written would only be entries in a table, not memory.
        written.push(vec![1_u8; usize::try_from(part).unwrap_or(0)]);
        std::hint::black_box(&written);
        count += 1;
    }
    ProbeAnswer {
        count: (count * PORTION) >> 20,
        done: Vec::new(),
    }
}
