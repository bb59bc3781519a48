//! System calls that are allowed with some arguments only. A filter sees numbers, not the memory
//! that they point to. It compares the lower 32 bits of each, which is all that the kernel uses in
//! these calls.

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};
use std::io;

/// Where a bot runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// On the host, behind Landlock: no sockets, no queues, no shared memory by key.
    Host,
    /// In a box, whose memory only the referee counts. It sees what processes map, so a bot gets
    /// no memory that no process maps.
    Box,
    /// In a box whose memory a control group counts, so the usual calls are harmless.
    CountedBox,
}

/// Flags of `clone` that create a namespace, and two more that are refused. `CLONE_PARENT` would
/// make the child of a bot's first process a child of the referee, outside the bot's family.
/// `CLONE_PIDFD` makes a descriptor that the kernel numbers for the whole host.
const NAMESPACES: [i32; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_PIDFD,
];

/// The first option of sockets that is refused (`SO_INCOMING_NAPI_ID` of asm-generic/socket.h).
/// Among the following ones are all that show numbers of the host: `SO_COOKIE`,
/// `SO_NETNS_COOKIE`, and descriptors of processes. Local sockets need none of them.
const FIRST_NEW_OPTION: u64 = 56;

/// Commands of `fcntl` for locks, leases and notices on files that two bots can read. They pretend
/// to succeed.
const FILE_LOCKS: [i32; 6] = [
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_SETLEASE,
    libc::F_NOTIFY,
];

/// Commands that name the receiver of a signal when a file becomes readable or writable, and the
/// signal: the kernel would wake a stopped process with it.
const NOTICES: [i32; 3] = [libc::F_SETOWN, F_SETSIG, F_SETOWN_EX];
/// asm-generic/fcntl.h.
const F_SETSIG: i32 = 10;
const F_SETOWN_EX: i32 = 15;

/// The sign of a number of 32 bits.
const NEGATIVE: u64 = 1 << 31;
/// The bits of a socket's type beside its flags (`SOCK_TYPE_MASK` of linux/net.h).
const SOCKET_TYPE: u64 = 0xF;
/// Many senders can fill the queue of one such socket.
const DATAGRAMS: u64 = libc::SOCK_DGRAM.unsigned_abs() as u64;
/// Flags of a mapping that other processes share and that has no file. Its pages stay when no
/// process maps them any more.
const SHARED_MEMORY: u64 = (libc::MAP_SHARED | libc::MAP_ANONYMOUS).unsigned_abs() as u64;

/// The signal that continues a stopped process. Only SIGKILL wakes it as well.
const WAKES: u64 = libc::SIGCONT.unsigned_abs() as u64;
/// The bits of the `clone` flags that name the signal at the child's end.
const END_SIGNAL: u64 = 0xFF;
/// The flags of `clone` for a thread that does not share the descriptors of its process.
const THREAD: u64 = libc::CLONE_THREAD.unsigned_abs() as u64;
const DESCRIPTORS: u64 = THREAD | libc::CLONE_FILES.unsigned_abs() as u64;
/// The flag of `close_range` that gives a thread descriptors of its own (`linux/close_range.h`).
const CLOSE_RANGE_UNSHARE: u64 = 2;

/// Requests that a bot may send to a device: whether it is a terminal, how much there is to read,
/// network addresses. Excluded are: typing into a terminal (TIOCSTI, TIOCLINUX), signals from a
/// file (FIOASYNC, FIOSETOWN, SIOCSPGRP), and changes of a file's attributes (`FS_IOC_SETFLAGS`,
/// `FS_IOC_SETVERSION`, `FS_IOC_FSSETXATTR`).
#[rustfmt::skip]
const REQUESTS: [u32; 35] = [
    0x5401, 0x5402, 0x5403, 0x5404, // TCGETS, TCSETS, TCSETSW, TCSETSF
    0x5405, 0x540B, 0x540F, 0x5410, // TCGETA, TCFLSH, TIOCGPGRP, TIOCSPGRP
    0x5411, 0x5413, 0x541B, 0x5421, // TIOCOUTQ, TIOCGWINSZ, FIONREAD, FIONBIO
    0x5429, 0x5450, 0x5451, // TIOCGSID, FIONCLEX, FIOCLEX
    0x5460, 0x802C_542A, // FIOQSIZE, TCGETS2
    0x8905, 0x8906, 0x8907, // SIOCATMARK, SIOCGSTAMP (two)
    0x8910, 0x8912, 0x8913, 0x8915, // SIOCGIFNAME, SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR
    0x8917, 0x8919, 0x891B, 0x891D, // SIOCGIFDSTADDR, …BRDADDR, …NETMASK, …METRIC
    0x8921, 0x8927, 0x8933, 0x8942, // SIOCGIFMTU, …HWADDR, …INDEX, …TXQLEN
    0x8970, // SIOCGIFMAP
    0x8008_6601, 0x8008_7601, // FS_IOC_GETFLAGS, FS_IOC_GETVERSION
];

/// Options of `prctl` that runtimes use. Excluded are: adopting orphans in place of the process
/// that counts them (`PR_SET_CHILD_SUBREAPER`), being traced, changing what `/proc` shows, and
/// filters of its own.
#[rustfmt::skip]
const OPTIONS: [u32; 33] = [
    1, 2, 3, 7, // the parent's end, to set and to ask; dumpable; capabilities kept
    13, 15, 16, // timing; a name, to set and to ask
    21, 23, 25, 27, // filters, capabilities, time stamps, secure bits: to ask
    29, 30, 37, // the slack of timers, to set and to ask; adopter of orphans, to ask
    38, 39, 40, // no new rights, to set and to ask; where the thread's number is
    41, 42, 47, // large pages, to set and to ask; ambient capabilities
    50, 51, 52, // vector lengths of aarch64; speculation, to ask
    54, 55, 56, // pointer authentication, tagged addresses
    63, 64, 65, // SME of aarch64; memory that is not executable, to set
    66, 69, 70, // the same, to ask; vectors of riscv64
    0x5356_4d41, // names of memory
];

/// Execution domains: the usual one, the query for the current one, and no address randomisation.
const PERSONALITIES: [u32; 3] = [0, u32::MAX, 0x0004_0000];

/// The rules under which a call is refused; empty if it has none.
pub fn not_permitted(call: &str, confinement: Confinement) -> io::Result<Vec<SeccompRule>> {
    let is_counted = confinement == Confinement::CountedBox;
    match call {
        "clone" => NAMESPACES
            .into_iter()
            .chain([libc::CLONE_PARENT])
            .map(|flag| (0, masked(flag.unsigned_abs().into())))
            .chain([(0, (SeccompCmpOp::MaskedEq(END_SIGNAL), WAKES))])
            .chain([(0, (SeccompCmpOp::MaskedEq(DESCRIPTORS), THREAD))])
            .map(|condition| rule(&[condition]))
            .collect(),
        // Threads without the descriptors of their process.
        "close_range" => Ok(vec![rule(&[(2, masked(CLOSE_RANGE_UNSHARE))])?]),
        // A negative number is the clock of a process or a thread. In a box only those of the bot
        // have numbers.
        "clock_gettime" | "clock_getres" | "clock_nanosleep"
            if confinement == Confinement::Host =>
        {
            Ok(vec![rule(&[(0, masked(NEGATIVE))])?])
        }
        "fcntl" => {
            let larger_pipe = rule(&[(1, equal(libc::F_SETPIPE_SZ))])?;
            let mut rules = notices()?;
            rules.extend((!is_counted).then_some(larger_pipe));
            Ok(rules)
        }
        "mmap" if !is_counted => Ok(vec![rule(&[(3, masked(SHARED_MEMORY))])?]),
        "getsockopt" | "setsockopt" => {
            let new = (2, (SeccompCmpOp::Ge, FIRST_NEW_OPTION));
            Ok(vec![rule(&[(1, equal(libc::SOL_SOCKET)), new])?])
        }
        "ioctl" => Ok(vec![none_of(1, &REQUESTS)?]),
        "prctl" => {
            let parents_end = (0, equal(libc::PR_SET_PDEATHSIG));
            let wakes = (1, (SeccompCmpOp::Eq, WAKES));
            Ok(vec![none_of(0, &OPTIONS)?, rule(&[parents_end, wakes])?])
        }
        "personality" => Ok(vec![none_of(0, &PERSONALITIES)?]),
        // Only local sockets. The network of a box leads nowhere, but the kernel counts Internet
        // sockets of the whole host, and every `/proc/net/sockstat` shows the count.
        "socket" => Ok(vec![none_of(0, &[libc::AF_UNIX.unsigned_abs()])?]),
        "socketpair" => {
            let datagrams = (SeccompCmpOp::MaskedEq(SOCKET_TYPE), DATAGRAMS);
            let mut rules = not_permitted("socket", confinement)?;
            rules.extend((!is_counted).then_some(rule(&[(1, datagrams)])?));
            Ok(rules)
        }
        // Only for the calling process: otherwise a bot could change the limits of another process
        // of the same user, such as process 1 of its box or the referee.
        "prlimit64" => Ok(vec![none_of(0, &[0])?]),
        // The first argument selects a process, a group or a user; only the calling process is
        // allowed.
        "setpriority" => Ok(vec![none_of(0, &[libc::PRIO_PROCESS])?, none_of(1, &[0])?]),
        _ => Ok(Vec::new()),
    }
}

/// The rules under which a call pretends to succeed; empty if it has none.
pub fn pretended(call: &str) -> io::Result<Vec<SeccompRule>> {
    let of_sockets = (1, equal(libc::SOL_SOCKET));
    match call {
        "fcntl" => {
            let locks = FILE_LOCKS.into_iter();
            locks.map(|command| rule(&[(1, equal(command))])).collect()
        }
        "setsockopt" => Ok(vec![rule(&[of_sockets, (2, equal(libc::SO_SNDBUF))])?]),
        _ => Ok(Vec::new()),
    }
}

/// Commands of `fcntl` that make the kernel send signals.
fn notices() -> io::Result<Vec<SeccompRule>> {
    let asynchronous = [
        (1, equal(libc::F_SETFL)),
        (2, masked(libc::O_ASYNC.unsigned_abs().into())),
    ];
    let named = NOTICES.into_iter();
    named
        .map(|command| rule(&[(1, equal(command))]))
        .chain([rule(&asynchronous)])
        .collect()
}

fn equal(value: i32) -> (SeccompCmpOp, u64) {
    (SeccompCmpOp::Eq, value.unsigned_abs().into())
}

fn masked(bits: u64) -> (SeccompCmpOp, u64) {
    (SeccompCmpOp::MaskedEq(bits), bits)
}

/// Holds if an argument has none of these values.
fn none_of(argument: u8, values: &[u32]) -> io::Result<SeccompRule> {
    let conditions: Vec<_> = values
        .iter()
        .map(|&value| (argument, (SeccompCmpOp::Ne, u64::from(value))))
        .collect();
    rule(&conditions)
}

/// A rule that holds if every argument compares as stated, in 32 bits.
fn rule(conditions: &[(u8, (SeccompCmpOp, u64))]) -> io::Result<SeccompRule> {
    let conditions = conditions
        .iter()
        .map(|(argument, (operator, value))| {
            SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
        })
        .collect::<Result<Vec<_>, _>>();
    conditions
        .and_then(SeccompRule::new)
        .map_err(io::Error::other)
}
