//! What the self-test plants on the host for the probe to find: files, listeners, and the mark of
//! its processes. Dropping this value removes all of it.

use crate::isolation::probe::OWN_FILE;
use crate::isolation::supervisor::Guard;
use crate::log::LogError as _;
use crate::procfs;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The planted objects.
#[derive(Debug)]
pub struct Canaries {
    /// A text in the command line of all processes of the probe, and in the names of files that it
    /// creates.
    pub mark: String,
    /// A text in the file `secret`, which every user can read.
    pub secret: String,
    /// Everything that is a file: `bot` is the probe's own folder, and every user can write to
    /// `open`.
    pub folder: PathBuf,
    tcp: Vec<TcpListener>,
    udp: UdpSocket,
    /// Its name is the mark.
    abstract_listener: UnixListener,
}

impl Canaries {
    /// Plants everything.
    ///
    /// # Errors
    /// The host has no room or no loopback.
    pub fn plant(guard: &Guard) -> io::Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let number = now.map_or(0, |now| now.as_nanos());
        let mark = format!("awale-probe-{}-{number}", std::process::id());
        let folder = guard.visible_folder()?.join(&mark);
        // Only the sandbox, not a file mode, keeps the probe out.
        folder_with_mode(&folder, 0o755)?;
        folder_with_mode(&folder.join("open"), 0o777)?;
        folder_with_mode(&folder.join("bot"), 0o755)?;
        let program = folder.join("bot").join(OWN_FILE);
        fs::write(&program, "#!/bin/sh\n")?;
        fs::set_permissions(&program, Permissions::from_mode(0o755))?;
        let secret = format!("planted {number:x}");
        let mut file = File::create(folder.join("secret"))?;
        file.write_all(secret.as_bytes())?;
        file.set_permissions(Permissions::from_mode(0o644))?;
        let listen = |place: SocketAddr| {
            let listener = TcpListener::bind(place)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        let tcp: io::Result<_> = listen(([127, 0, 0, 1], 0).into());
        // A host without IPv6 is fine.
        let sixth: io::Result<_> = listen(([0, 0, 0, 0, 0, 0, 0, 1], 0).into());
        let udp = UdpSocket::bind(("127.0.0.1", 0))?;
        udp.set_nonblocking(true)?;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(&mark)?;
        let abstract_listener = UnixListener::bind_addr(&address)?;
        abstract_listener.set_nonblocking(true)?;
        Ok(Self {
            tcp: std::iter::once(tcp?).chain(sixth).collect(),
            mark,
            secret,
            folder,
            udp,
            abstract_listener,
        })
    }

    /// The folders in which the probe created a file; removes these files.
    pub fn made_in(&self, folders: &[PathBuf]) -> Vec<String> {
        let absolute = folders.iter().filter(|folder| folder.is_absolute());
        let made = absolute.filter(|folder| fs::remove_file(folder.join(&self.mark)).is_ok());
        made.map(|folder| folder.display().to_string()).collect()
    }

    /// The addresses of the TCP listeners.
    pub fn tcp_addresses(&self) -> Vec<SocketAddr> {
        let addresses = self.tcp.iter().map(TcpListener::local_addr);
        addresses.filter_map(Result::ok).collect()
    }

    /// Whether a connection arrived.
    pub fn tcp_heard(&self) -> bool {
        self.tcp.iter().any(|listener| listener.accept().is_ok())
    }

    /// The address of the UDP listener.
    pub fn udp_address(&self) -> io::Result<SocketAddr> {
        self.udp.local_addr()
    }

    /// Whether a datagram arrived.
    pub fn udp_heard(&self) -> bool {
        self.udp.recv(&mut [0; 16]).is_ok()
    }

    /// Whether a connection arrived there.
    pub fn abstract_heard(&self) -> bool {
        self.abstract_listener.accept().is_ok()
    }

    /// The number of living processes with the mark in their command line, with those that start
    /// bots only if `helpers` is set.
    pub fn marked(&self, helpers: bool) -> u64 {
        let lines = procfs::command_lines_of_others();
        let has = |line: &[u8], wanted: &str| {
            let mut words = line.split(|&byte| byte == 0);
            words.any(|word| word == wanted.as_bytes())
        };
        let marked = lines.iter().filter(|line| has(line, &self.mark));
        let counted = marked.filter(|line| helpers || !has(line, crate::bot::init::COMMAND));
        counted.count() as u64
    }
}

impl Drop for Canaries {
    fn drop(&mut self) {
        // The folder around it is used by the run, and ends with it.
        let removed = fs::remove_dir_all(&self.folder);
        removed.log_error("remove what a self-test planted");
    }
}

fn folder_with_mode(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode).create(path)?;
    // Whatever the user's umask removes.
    fs::set_permissions(path, Permissions::from_mode(mode))
}
