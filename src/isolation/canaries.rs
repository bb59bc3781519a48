//! What the test plants on the host for the probe to find: files, listeners, and the mark by which
//! its processes are known. All of it is gone when this is dropped.

use crate::isolation::supervisor::Guard;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What is planted.
#[derive(Debug)]
pub struct Canaries {
    /// In the command line of all processes of the probe, and the name of files that it makes.
    pub mark: String,
    /// Stands in a file that everybody may read.
    secret: String,
    folder: PathBuf,
    tcp: Vec<TcpListener>,
    udp: UdpSocket,
    abstract_name: String,
    abstract_listener: UnixListener,
}

impl Canaries {
    /// Plants everything anew.
    ///
    /// # Errors
    /// The host has no room or no loopback.
    pub fn plant(guard: &Guard) -> io::Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let number = now.map_or(0, |now| now.as_nanos());
        let mark = format!("awale-probe-{}-{number}", std::process::id());
        let folder = guard.visible_folder()?.join(&mark);
        // No file mode keeps the probe out.
        folder_with_mode(&folder, 0o755)?;
        folder_with_mode(&folder.join("open"), 0o777)?;
        folder_with_mode(&folder.join("bot"), 0o755)?;
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
        // A host without the sixth version is well.
        let sixth: io::Result<_> = listen(([0, 0, 0, 0, 0, 0, 0, 1], 0).into());
        let udp = UdpSocket::bind(("127.0.0.1", 0))?;
        udp.set_nonblocking(true)?;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(&mark)?;
        let abstract_listener = UnixListener::bind_addr(&address)?;
        abstract_listener.set_nonblocking(true)?;
        Ok(Self {
            tcp: std::iter::once(tcp?).chain(sixth).collect(),
            abstract_name: mark.clone(),
            mark,
            secret,
            folder,
            udp,
            abstract_listener,
        })
    }

    /// The probe's own folder.
    pub fn own_folder(&self) -> PathBuf {
        self.folder.join("bot")
    }

    /// A folder that everybody may write to.
    pub fn open_folder(&self) -> PathBuf {
        self.folder.join("open")
    }

    /// The file with the secret.
    pub fn secret_file(&self) -> PathBuf {
        self.folder.join("secret")
    }

    /// Whether a text gives the secret away.
    pub fn is_betrayed_by(&self, text: &str) -> bool {
        text.contains(&self.secret)
    }

    /// Which of these folders a file was made in; takes the files away.
    pub fn made_in(&self, folders: &[PathBuf]) -> Vec<String> {
        let absolute = folders.iter().filter(|folder| folder.is_absolute());
        let made = absolute.filter(|folder| fs::remove_file(folder.join(&self.mark)).is_ok());
        made.map(|folder| folder.display().to_string()).collect()
    }

    /// Where TCP is listened to.
    pub fn tcp_addresses(&self) -> Vec<SocketAddr> {
        let addresses = self.tcp.iter().map(TcpListener::local_addr);
        addresses.filter_map(Result::ok).collect()
    }

    /// Whether anybody has connected.
    pub fn tcp_heard(&self) -> bool {
        self.tcp.iter().any(|listener| listener.accept().is_ok())
    }

    /// Where datagrams are listened for.
    pub fn udp_address(&self) -> io::Result<SocketAddr> {
        self.udp.local_addr()
    }

    /// Whether one came.
    pub fn udp_heard(&self) -> bool {
        self.udp.recv(&mut [0; 16]).is_ok()
    }

    /// The name of the abstract socket.
    pub fn abstract_name(&self) -> String {
        self.abstract_name.clone()
    }

    /// Whether anybody has connected to it.
    pub fn abstract_heard(&self) -> bool {
        self.abstract_listener.accept().is_ok()
    }

    /// How many living processes have the mark in their command line; those of them that start
    /// bots count only if `helpers` do.
    pub fn marked(&self, helpers: bool) -> u64 {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let own = std::process::id();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let lines = numbers
            .filter(|&number: &u32| number != own)
            .filter_map(|number| fs::read(format!("/proc/{number}/cmdline")).ok());
        let has = |line: &[u8], wanted: &str| {
            let mut words = line.split(|&byte| byte == 0);
            words.any(|word| word == wanted.as_bytes())
        };
        let marked = lines.filter(|line| has(line, &self.mark));
        let counted = marked.filter(|line| helpers || !has(line, crate::bot::init::COMMAND));
        counted.count() as u64
    }
}

impl Drop for Canaries {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
        // Only if nothing else of the run is there; it is made again when it is needed.
        let _ = self.folder.parent().map(fs::remove_dir);
    }
}

fn folder_with_mode(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode).create(path)?;
    // Whatever the user's mask takes away.
    fs::set_permissions(path, Permissions::from_mode(mode))
}
