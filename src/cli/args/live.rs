//! The arguments of `awale serve` and `awale worker`.

use super::run::RunArguments;
use crate::nats::Access;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

/// How a NATS server is opened.
#[derive(Args, Debug)]
pub struct NatsArguments {
    /// A file with a user's credentials (JWT and seed)
    #[arg(long, value_name = "FILE", conflicts_with = "nkey")]
    pub creds: Option<PathBuf>,
    /// A file with the seed of a user's key (`NKey`), such as worker.nk of awale serve
    #[arg(long, value_name = "FILE")]
    pub nkey: Option<PathBuf>,
    /// The certificates from which that of the server must follow (default: this machine's)
    #[arg(long, value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
    /// A certificate of our own: for a server that asks for one, and that of an embedded server
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The key of that certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
}

impl NatsArguments {
    /// A server at this address.
    pub fn access(&self, url: &str) -> Access {
        Access {
            url: url.to_owned(),
            creds: self.creds.clone(),
            nkey: self.nkey.clone(),
            tls_ca: self.tls_ca.clone(),
            tls_own: self.tls_cert.clone().zip(self.tls_key.clone()),
        }
    }
}

#[derive(Args, Debug)]
pub struct ServeArguments {
    #[command(flatten)]
    pub run: RunArguments,
    /// The NATS server: its address (<nats://HOST>), or embedded for a nats-server that is started here and ends
    /// with the run
    #[arg(long, value_name = "URL", default_value = "embedded")]
    pub nats: String,
    /// Where the embedded server listens; 0.0.0.0:4222 lets other machines in
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4222")]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub server: NatsArguments,
    /// Give no work to machines that search fewer nodes a second
    #[arg(long, value_name = "NODES", default_value_t = 0)]
    pub min_speed: u64,
    /// The sequential test of the table `sprt`, as awale sprt plays it
    #[arg(long, conflicts_with_all = ["pairs", "plan", "update", "decide", "label", "strict"])]
    pub sprt: bool,
}

#[derive(Args, Debug)]
pub struct WorkerArguments {
    /// The NATS server of the run, as in <nats://lab:4222>
    #[arg(value_name = "URL")]
    pub url: String,
    /// Games at a time (default: one for each physical core)
    #[arg(long, value_name = "N")]
    pub slots: Option<u32>,
    #[command(flatten)]
    pub server: NatsArguments,
    /// Where programs are kept (default: awale in the user's cache)
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// As root, or where nothing isolates, run programs of others without isolation
    #[arg(long)]
    pub i_trust_these_bots: bool,
    /// Allow more slots than cores
    #[arg(long)]
    pub oversubscribe: bool,
}
