//! Where the server is, and who may use it. No secret stands on a command line or in a log: keys and
//! credentials are files.

use async_nats::{Client, ConnectOptions};
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// How long a first connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How often a connection is tested that says nothing.
const PING: Duration = Duration::from_secs(5);
/// The longest pause before a connection is tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A server, and what opens it.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Its address, as in `nats://lab:4222`, or several with commas between them.
    pub url: String,
    /// A file with the credentials of a user (JWT and seed), as `nsc` writes it.
    pub creds: Option<PathBuf>,
    /// A file with the seed of a user's key.
    pub nkey: Option<PathBuf>,
    /// The certificates that the server's one must follow from, in place of those of this machine.
    pub tls_ca: Option<PathBuf>,
    /// The certificate of this client, and its key.
    pub tls_own: Option<(PathBuf, PathBuf)>,
}

/// Why there is no connection.
#[derive(Debug, Error)]
pub enum LinkError {
    /// The address has a name or a password in it.
    #[error(
        "the address has a user or a password in it, which every program on this machine can read: \
         put them into a file, and name that with --creds or --nkey"
    )]
    SecretInAddress,
    /// A file cannot be read.
    #[error("cannot read {0}: {1}")]
    File(PathBuf, #[source] std::io::Error),
    /// The server does not answer, or refuses.
    #[error("cannot connect to the NATS server at {0}: {1}")]
    Connect(String, String),
    /// It has no streams, or does not do its part otherwise.
    #[error("the NATS server at {0} does not do its part: {1}")]
    Server(String, String),
}

impl Access {
    /// Connects. Later the connection comes again by itself, however often it is lost.
    ///
    /// # Errors
    /// Why that is not possible.
    pub async fn connect(&self, name: &str) -> Result<Client, LinkError> {
        if self.url.contains('@') {
            return Err(LinkError::SecretInAddress);
        }
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(CONNECT)
            .ping_interval(PING)
            .max_reconnects(None)
            .reconnect_delay_callback(|attempts| {
                let steps = u32::try_from(attempts).unwrap_or(u32::MAX);
                LONGEST_PAUSE.min(Duration::from_millis(50).saturating_mul(steps))
            })
            .event_callback(async |event| tracing::debug!("nats: {event}"));
        if let Some(path) = &self.creds {
            let read = options.credentials_file(path).await;
            options = read.map_err(|error| LinkError::File(path.clone(), error))?;
        }
        if let Some(path) = &self.nkey {
            let seed = crate::files::read_text(path, 1);
            let seed = seed.map_err(|error| LinkError::File(path.clone(), error))?;
            options = options.nkey(seed.trim().to_owned());
        }
        if let Some(path) = &self.tls_ca {
            options = options.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = &self.tls_own {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        let needs_tls = self.tls_ca.is_some() || self.tls_own.is_some();
        let servers: Vec<&str> = self.url.split(',').collect();
        let connected = options.require_tls(needs_tls).connect(servers).await;
        connected.map_err(|error| LinkError::Connect(self.url.clone(), error.to_string()))
    }
}
