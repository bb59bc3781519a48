//! A thread that answers requests. It reads and writes no files, and has the lowest priority until
//! nothing more is played.

use super::address::is_meant_for;
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
use std::io;
use std::net::{SocketAddr, TcpListener};
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
