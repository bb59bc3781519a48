//! A thread that answers requests, at which address, and those that are meant for it. It reads and
//! writes no files, and has the lowest priority until nothing more is played.

use super::connections::FewConnections;
use crate::report::PageHtml;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName,
    HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use futures_util::future::{BoxFuture, Fuse, FutureExt as _};
use rustix::process::{Pid, setpriority_process};
use rustix::thread::gettid;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::str::FromStr;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// What every answer says of itself: that it is read by this page alone, as what it is, and never
/// out of a cache. A document adds a policy of its own.
const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("frame-ancestors 'none'"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

/// The path of a stream that stays open.
pub const STREAM: &str = "/events";

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct Server {
    /// Lets the thread hand over its service; without a message, it ends it.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Option<Service>>>,
}

/// Connections, and what answers them. It can go on in another thread.
struct Service {
    runtime: Runtime,
    serving: Fuse<BoxFuture<'static, io::Result<()>>>,
}

impl Service {
    /// Answers until something has come.
    fn answer_until<T>(&mut self, end: impl Future<Output = T>) -> T {
        let serving = &mut self.serving;
        self.runtime.block_on(async move {
            tokio::pin!(end);
            loop {
                tokio::select! {
                    // What has failed for one page alone is not shown: the page is away.
                    _ = &mut *serving => {}
                    came = &mut end => return came,
                }
            }
        })
    }
}

impl Server {
    /// Answers by these routes.
    ///
    /// # Errors
    /// The host refuses a thread or a descriptor.
    pub fn start(listener: TcpListener, routes: Router) -> io::Result<Self> {
        let listening = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let routes = routes
            .fallback(not_found)
            .layer(from_fn_with_state(listening, answer));
        let serving = async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(FewConnections::new(listener), routes).await
        };
        let serving = serving.boxed().fuse();
        let mut service = Service { runtime, serving };
        let thread = thread::Builder::new().name("page".to_owned());
        let thread = thread.spawn(move || {
            give_way(NICEST);
            // A runtime must not be dropped where others wait for it, so it is dropped here.
            service.answer_until(stopped).is_ok().then_some(service)
        })?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Goes on in this thread and with its priority, until `is_done` or for this long. Connections
    /// that are still open are cut then.
    pub fn finish(mut self, at_most: Duration, is_done: impl Fn() -> bool) {
        if let Some(stop) = self.stop.take() {
            // A thread that has panicked hears nothing.
            let _ = stop.send(());
        }
        let Some(mut service) = self.join() else {
            return;
        };
        let until = Instant::now() + at_most;
        service.answer_until(async move {
            while !is_done() && Instant::now() < until {
                sleep(Duration::from_millis(20)).await;
            }
        });
    }

    /// Waits for the end of the thread; `None` if it hands nothing over.
    fn join(&mut self) -> Option<Service> {
        self.thread.take()?.join().ok()?
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.join();
    }
}

/// The nice value of the lowest priority.
const NICEST: i32 = 19;

/// Gives this thread a lower priority, by its nice value. Linux has one for each thread, by its own
/// number.
pub fn give_way(nice: i32) {
    let thread: Pid = gettid();
    // Where that is refused, the thread is like others.
    let _ = setpriority_process(Some(thread), nice);
}

/// A document with its headers.
pub type Document = ([(HeaderName, String); 2], String);

/// A page as an answer. Its policy is also a header, which alone can refuse frames.
pub fn as_document(page: &PageHtml) -> Document {
    let policy = format!("{}; frame-ancestors 'none'", page.policy);
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, page.html.clone())
}

/// Refuses what is not meant for this page, and tells what every answer says of itself.
async fn answer(State(listening): State<SocketAddr>, request: Request, next: Next) -> Response {
    let is_stream = request.uri().path() == STREAM;
    let mut response = if is_for_this_page(request.headers(), listening) {
        next.run(request).await
    } else {
        let text = "This page is served for requests to this machine by its address alone.\n";
        (StatusCode::MISDIRECTED_REQUEST, text).into_response()
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(value);
    }
    if !(is_stream && response.status().is_success()) {
        // A browser keeps connections that it does not need, and there are not many.
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response
}

fn is_for_this_page(headers: &HeaderMap, listening: SocketAddr) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let machine = rustix::system::uname();
    let machine = machine.nodename().to_str().ok();
    host.to_str()
        .is_ok_and(|host| is_meant_for(host, listening, machine))
}

async fn not_found() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "There is no such page.\n")
}

/// An address with a port: `127.0.0.1:8080`, `localhost:8080`, `[::1]:8080`, or a port alone, which
/// is one of this machine only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageAddress(SocketAddr);

impl FromStr for PageAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(port) = text.parse() {
            return Ok(Self(loopback(port)));
        }
        let port_of = |name| text.strip_prefix(name)?.parse().ok();
        if let Some(port) = port_of("localhost:") {
            return Ok(Self(loopback(port)));
        }
        text.parse().map(Self).map_err(|_| {
            "an address is IP:PORT, as in 127.0.0.1:8080, or a port alone (0 takes a free one); \
             without an address, write the option behind everything else"
                .to_owned()
        })
    }
}

impl PageAddress {
    /// The address to listen at.
    pub const fn socket(self) -> SocketAddr {
        self.0
    }

    /// Whether other machines can reach it.
    pub fn is_public(self) -> bool {
        !self.0.ip().is_loopback()
    }
}

impl fmt::Display for PageAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

const fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

/// Whether a request for this host is meant for a page that listens at this address.
///
/// A page in the Internet can give its name the address of this machine, and then read what the
/// browser gets from here (DNS rebinding). Such a request has the name of that page. So a host is
/// an address or a name that nobody else can have: `localhost`, and that of this machine.
fn is_meant_for(host: &str, listening: SocketAddr, machine: Option<&str>) -> bool {
    let (name, port) = split_port(host);
    if port.map_or(Some(80), |port| port.parse().ok()) != Some(listening.port()) {
        return false;
    }
    let is_public = !listening.ip().is_loopback();
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let literal = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    match literal.unwrap_or(name).parse::<IpAddr>() {
        Ok(address) => is_public || address.is_loopback(),
        Err(_) => is_public && machine.is_some_and(|own| own.eq_ignore_ascii_case(name)),
    }
}

/// A host without and with its port.
fn split_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        // The colons within an address of IPv6 stand in brackets.
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (host, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (text, expected) in [
            ("8080", "127.0.0.1:8080"),
            ("localhost:9000", "127.0.0.1:9000"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]:80", "[::1]:80"),
            ("0.0.0.0:8080", "0.0.0.0:8080"),
        ] {
            let address: PageAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), expected);
            assert_eq!(address.is_public(), text.starts_with("0."));
        }
        for wrong in [
            "",
            "example.org:80",
            "127.0.0.1",
            "99999",
            "configs/open.toml",
            "-1",
        ] {
            assert!(wrong.parse::<PageAddress>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_requests_for_this_machine_are_answered() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        for (host, listening, is_answered) in [
            ("127.0.0.1:8080", "127.0.0.1:8080", true),
            ("localhost:8080", "127.0.0.1:8080", true),
            ("LocalHost:8080", "127.0.0.1:8080", true),
            ("[::1]:8080", "[::1]:8080", true),
            ("127.0.0.1", "127.0.0.1:80", true),
            ("127.0.0.1", "127.0.0.1:8080", false),
            ("127.0.0.1:8081", "127.0.0.1:8080", false),
            ("evil.example:8080", "127.0.0.1:8080", false),
            ("localhost.evil.example:8080", "127.0.0.1:8080", false),
            ("127.0.0.1.evil.example:8080", "127.0.0.1:8080", false),
            ("192.168.1.5:8080", "127.0.0.1:8080", false),
            ("lab:8080", "127.0.0.1:8080", false),
            ("", "127.0.0.1:8080", false),
            (":8080", "127.0.0.1:8080", false),
            ("192.168.1.5:8080", "0.0.0.0:8080", true),
            ("localhost:8080", "0.0.0.0:8080", true),
            ("lab:8080", "0.0.0.0:8080", true),
            ("evil.example:8080", "0.0.0.0:8080", false),
        ] {
            assert_eq!(
                is_meant_for(host, at(listening), Some("lab")),
                is_answered,
                "{host} at {listening}"
            );
        }
    }
}
