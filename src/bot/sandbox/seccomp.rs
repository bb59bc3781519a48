//! System calls that no bot needs and that reach past namespaces and Landlock: a list of what is
//! refused, under which Python, Node, Java and shells all run.
//!
//! Refusals look like what a program may meet on any host: "not permitted" or "not there". Locks
//! on files pretend to succeed: programs that take them for good manners go on, and two bots
//! cannot talk through a lock on a file that both can read.

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};
use std::collections::BTreeMap;
use std::io;

/// What sockets and queues of a bot lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Neighbours {
    /// The host: no socket, no queue, no shared memory by number.
    Host,
    /// Nobody, in namespaces of its own: the usual ones are harmless.
    Nobody,
}

/// Calls that are not permitted, whatever their arguments.
const REFUSED: [c_long; 45] = [
    // Other processes' memory and secrets.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // The kernel's keyrings belong to a user, not to a namespace.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Wide doors into the kernel.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    // Namespaces and mounts of its own.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_mount_setattr,
    // A core or a priority that belongs to another slot.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setattr,
    libc::SYS_ioprio_set,
    // What a twin of this bot does with a file that both can read.
    libc::SYS_inotify_add_watch,
    libc::SYS_fanotify_init,
];

/// Locks, leases and notices on files that two bots can read: `fcntl` commands that pretend.
const FILE_LOCKS: [i32; 6] = [
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_SETLEASE,
    libc::F_NOTIFY,
];

/// Queues and memory that processes share by a number or a name of the whole host. Who guesses a
/// number need not ask for it first.
const SHARED_BY_NUMBER: [c_long; 14] = [
    libc::SYS_socket,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// What an owner may do to a file that Landlock does not ask about, and a bot behind Landlock is
/// the owner of all that is its user's: modes, owners, times, attributes.
const OF_OWNERS: [c_long; 15] = [
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

/// The same, by the older calls that only some processors have.
#[cfg(target_arch = "x86_64")]
const OF_OWNERS_OLDER: [c_long; 6] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OF_OWNERS_OLDER: [c_long; 0] = [];

// Newer than some C libraries, with the same numbers for all processors.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;

/// Flags of `clone` that make a namespace.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Keystrokes pushed into a terminal, and text pasted into it.
const TERMINAL_INJECTIONS: [libc::Ioctl; 2] = [libc::TIOCSTI, 0x541C];

/// The processor that this program was built for.
#[cfg(target_arch = "x86_64")]
const ARCH: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCH: TargetArch = TargetArch::aarch64;
#[cfg(target_arch = "riscv64")]
const ARCH: TargetArch = TargetArch::riscv64;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Lays the filters on this thread and on whatever it starts; they cannot be taken off again.
///
/// # Errors
/// The kernel has no such filters.
pub(super) fn apply(neighbours: Neighbours) -> io::Result<()> {
    let filters = [
        (not_permitted(neighbours)?, libc::EPERM),
        // Its flags are out of sight of a filter; who hears that it is not there uses `clone`.
        (Rules::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS),
        (pretended()?, 0),
    ];
    for (rules, errno) in filters {
        let program = compile(rules, errno)?;
        apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

fn compile(rules: Rules, errno: i32) -> io::Result<BpfProgram> {
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(by_every_number(rules), SeccompAction::Allow, refuse, ARCH);
    filter
        .and_then(BpfProgram::try_from)
        .map_err(io::Error::other)
}

/// On x86-64 every call has a second number, of the x32 way of calling, where the kernel has that.
#[cfg(target_arch = "x86_64")]
fn by_every_number(rules: Rules) -> Rules {
    const X32: c_long = 0x4000_0000;
    let second = rules.clone().into_iter();
    let second = second.map(|(call, rules)| (call | X32, rules));
    let second: Rules = second.collect();
    rules.into_iter().chain(second).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn by_every_number(rules: Rules) -> Rules {
    rules
}

fn not_permitted(neighbours: Neighbours) -> io::Result<Rules> {
    let mut rules: Rules = REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
    let namespaces = NAMESPACES
        .into_iter()
        .map(|flag| rule(&[(0, masked(flag.unsigned_abs().into()))]))
        .collect::<io::Result<_>>()?;
    rules.insert(libc::SYS_clone, namespaces);
    let injections = TERMINAL_INJECTIONS
        .into_iter()
        .map(|request| rule(&[(1, (SeccompCmpOp::Eq, request))]))
        .collect::<io::Result<_>>()?;
    rules.insert(libc::SYS_ioctl, injections);
    rules.insert(libc::SYS_prlimit64, vec![somebody_else(0)?]);
    rules.insert(libc::SYS_setpriority, vec![many()?, somebody_else(1)?]);
    match neighbours {
        Neighbours::Host => {
            let calls = SHARED_BY_NUMBER.iter().chain(&OF_OWNERS);
            let calls = calls.chain(&OF_OWNERS_OLDER);
            rules.extend(calls.map(|&call| (call, Vec::new())));
        }
        Neighbours::Nobody => drop(rules.insert(libc::SYS_socket, vec![unusual_socket()?])),
    }
    Ok(rules)
}

fn masked(bits: u64) -> (SeccompCmpOp, u64) {
    (SeccompCmpOp::MaskedEq(bits), bits)
}

/// A process that is not named as "this one": limits and priorities of whoever has the same user
/// could be changed, those of process 1 of the box or of the referee.
fn somebody_else(argument: u8) -> io::Result<SeccompRule> {
    rule(&[(argument, (SeccompCmpOp::Ne, 0))])
}

/// A group of processes, or all of a user, where the first argument says what is meant.
fn many() -> io::Result<SeccompRule> {
    rule(&[(0, (SeccompCmpOp::Ne, u64::from(libc::PRIO_PROCESS)))])
}

/// Neither local nor of the Internet: virtual machines, packets, radio.
fn unusual_socket() -> io::Result<SeccompRule> {
    let usual = [
        libc::AF_UNIX,
        libc::AF_INET,
        libc::AF_INET6,
        libc::AF_NETLINK,
    ];
    rule(&usual.map(|family| (0, (SeccompCmpOp::Ne, u64::from(family.unsigned_abs())))))
}

fn pretended() -> io::Result<Rules> {
    let locks = FILE_LOCKS
        .into_iter()
        .map(|command| rule(&[(1, (SeccompCmpOp::Eq, u64::from(command.unsigned_abs())))]))
        .collect::<io::Result<_>>()?;
    Ok(Rules::from([
        (libc::SYS_flock, Vec::new()),
        (libc::SYS_fcntl, locks),
    ]))
}

/// A rule that holds when each argument compares as it says, in 32 bits.
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
