//! Which physical cores runs on this machine use. Two runs that pin themselves to the same
//! processor would each get half of it, while others are idle.
//!
//! A lock is a socket with a name in the abstract namespace (unix(7)): the kernel keeps the name
//! for one socket, whichever user it belongs to, frees it when the program ends however it ends,
//! and needs no file. Programs in different network namespaces, such as two containers, do not see
//! each other's locks.

use super::machine::core_of;
use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Locks of physical cores, held until this is dropped.
#[derive(Debug, Default)]
pub struct CoreLocks {
    _sockets: Vec<UnixDatagram>,
}

/// Processors in the order in which a run takes them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CoreOrder {
    /// The processors.
    pub processors: Vec<usize>,
    /// How many of them, at the beginning, are of different cores that no other run uses.
    pub free: usize,
}

impl CoreLocks {
    /// Locks as many cores as are needed, as far as other runs leave them. The first `cores` of the
    /// processors are of different cores. Those that other runs use come last.
    pub fn take(processors: &[usize], cores: usize, needed: usize) -> (Self, CoreOrder) {
        let (firsts, siblings) = processors.split_at(cores.min(processors.len()));
        let (mut locks, mut free, mut used) = (Vec::new(), Vec::new(), Vec::new());
        for &processor in firsts {
            let name = name_of(processor);
            let is_free = if free.len() < needed {
                lock(name.as_ref(), &mut locks)
            } else {
                !is_locked(name.as_ref())
            };
            if is_free { &mut free } else { &mut used }.push(processor);
        }
        let count = free.len();
        free.extend(siblings);
        free.append(&mut used);
        let order = CoreOrder {
            processors: free,
            free: count,
        };
        (Self { _sockets: locks }, order)
    }
}

fn name_of(processor: usize) -> Option<SocketAddr> {
    SocketAddr::from_abstract_name(format!("awale-core-{}", core_of(processor))).ok()
}

/// Locks a core; false if another program has it. A host without such sockets has no locks, and
/// then every core counts as free.
fn lock(name: Option<&SocketAddr>, locks: &mut Vec<UnixDatagram>) -> bool {
    let Some(bound) = name.map(UnixDatagram::bind_addr) else {
        return true;
    };
    match bound {
        Ok(socket) => locks.push(socket),
        Err(error) => return error.kind() != ErrorKind::AddrInUse,
    }
    true
}

/// Whether a program has the lock; to ask takes it from nobody, not even for a moment.
fn is_locked(name: Option<&SocketAddr>) -> bool {
    let connected = name.zip(UnixDatagram::unbound().ok());
    connected.is_some_and(|(name, socket)| socket.connect_addr(name).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_take_different_cores_while_there_are_some() {
        // No machine has such processors, so that no run of it takes part.
        let first = 1_000_000 + 10 * usize::try_from(std::process::id()).unwrap();
        let numbers = |numbers: &[usize]| numbers.iter().map(|it| first + it).collect::<Vec<_>>();
        let all = numbers(&[0, 1, 2, 3]);
        let take = |needed| CoreLocks::take(&all, 3, needed);
        let (_one, order) = take(1);
        assert_eq!(order.free, 3);
        assert_eq!(order.processors, all);
        let (two, order) = take(1);
        assert_eq!(order.free, 2);
        assert_eq!(order.processors, numbers(&[1, 2, 3, 0]));
        // The second core that this one needs is not there.
        let (_three, order) = take(2);
        assert_eq!(order.free, 1);
        assert_eq!(order.processors, numbers(&[2, 3, 0, 1]));
        let (_none, order) = take(1);
        assert_eq!(order.free, 0);
        assert_eq!(order.processors, numbers(&[3, 0, 1, 2]));
        drop(two);
        let (_again, order) = take(1);
        assert_eq!(order.free, 1);
        assert_eq!(order.processors, numbers(&[1, 3, 0, 2]));
    }
}
