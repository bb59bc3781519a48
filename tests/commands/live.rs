//! `awale run --live`: a run that is watched by people whom it does not know.

use super::story::{SECRET, Story};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdout};
use std::time::Duration;

const CONFIG: &str = r#"
[isolation]
level = "none"
[[entrant]]
name = "one"
command = ["awale", "bot", "minimax", "--depth", "1"]
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "random"
command = ["awale", "bot", "random"]
"#;

/// A run, killed with its test.
struct WatchedRun {
    story: Story,
    run: Child,
    events: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl WatchedRun {
    fn start(pairs: &str) -> Self {
        let story = Story::new();
        story.write("watched.toml", format!("[tournament]\n{SECRET}{CONFIG}"));
        let arguments = format!("run watched.toml --pairs {pairs} --json --live 0");
        let mut run = story.start(&arguments);
        // Nobody reads it, and it is short.
        drop(run.stderr.take());
        let mut events = BufReader::new(run.stdout.take().expect("a pipe"));
        let mut line = String::new();
        let address = loop {
            line.clear();
            let length = events.read_line(&mut line).expect("a line");
            assert!(length > 0, "the run ended before it was served");
            let event: Value = serde_json::from_str(&line).expect("an event");
            if event["event"] == "live" {
                let url = event["url"].as_str().expect("a text");
                let address = url
                    .strip_prefix("http://")
                    .and_then(|it| it.strip_suffix('/'));
                break address.and_then(|it| it.parse().ok()).expect("an address");
            }
        };
        Self {
            story,
            run,
            events,
            address,
        }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("a connection")
    }

    /// A line of `/proc/PID/status` in KiB.
    fn status(&self, key: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.run.id()));
        let status = status.expect("the run plays");
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.and_then(|it| it.parse().ok()).expect("a number")
    }

    fn open_files(&self) -> usize {
        let files = fs::read_dir(format!("/proc/{}/fd", self.run.id()));
        files.expect("the run plays").count()
    }

    /// The status line and headers of the answer to a request, and its body.
    fn asked(&self, request: &str) -> (String, String) {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (head.to_lowercase(), body.to_owned())
    }

    fn got(&self, path: &str, host: &str) -> (String, String) {
        self.asked(&format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        ))
    }
}

impl Drop for WatchedRun {
    fn drop(&mut self) {
        // After its end there is nothing to kill.
        let _ = self.run.kill();
        let _ = self.run.wait();
    }
}

/// Five hundred readers: some ask for the events and read nothing, some never end their request,
/// some vanish. All games are played, and neither memory nor descriptors grow with what is not
/// read.
#[test]
fn readers_that_read_nothing_hold_nothing_up() {
    let mut watched = WatchedRun::start("400");
    let host = watched.address;
    let mut readers = Vec::new();
    for number in 0..500 {
        let mut reader = watched.connect();
        let request = match number % 4 {
            0 | 1 => format!("GET /events HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            2 => format!("GET /columns HTTP/1.1\r\nHost: {host}\r\n"),
            _ => format!("GET /summary HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        };
        // Those of one address that are too many are closed.
        let _ = reader.write_all(request.as_bytes());
        if number % 4 != 3 {
            readers.push(reader);
        }
    }
    let (mut games, mut memory, mut files) = (0, 0, 0);
    let mut line = String::new();
    while watched.events.read_line(&mut line).expect("a line") > 0 {
        let event: Value = serde_json::from_str(&line).expect("an event");
        line.clear();
        games += usize::from(event["event"] == "game");
        if event["event"] == "game" && games % 100 == 0 {
            memory = memory.max(watched.status("VmHWM:"));
            files = files.max(watched.open_files());
        }
    }
    assert_eq!(games, 2400);
    assert_eq!(watched.run.wait().expect("an end").code(), Some(0));
    assert!(memory < 128 << 10, "{memory} KiB");
    // Those of 192 connections, and of the bots.
    assert!(files < 280, "{files} files");
    drop(readers);
    let games = watched.story.read("results/watched/games.csv");
    assert_eq!(games.lines().count(), 2401);
}

#[test]
fn a_page_answers_for_its_own_address_alone() {
    let watched = WatchedRun::start("20000");
    let port = watched.address.port();
    let own = format!("127.0.0.1:{port}");
    let (head, body) = watched.got("/", &own);
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    for header in [
        "content-security-policy: default-src 'none'; script-src 'sha256-",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "cross-origin-resource-policy: same-origin",
        "cache-control: no-store",
    ] {
        assert!(head.contains(header), "no {header} in {head}");
    }
    assert!(!head.contains("access-control-allow"), "{head}");
    assert!(body.contains("<title>watched – awale</title>"));
    for (path, host, status) in [
        ("/", format!("localhost:{port}"), 200),
        ("/summary", own.clone(), 200),
        ("/columns", own.clone(), 200),
        ("/", format!("evil.example:{port}"), 421),
        ("/summary", format!("evil.example:{port}"), 421),
        ("/events", "evil.example".to_owned(), 421),
        ("/", format!("192.168.1.7:{port}"), 421),
        ("/", "127.0.0.1".to_owned(), 421),
        ("/nothing", own.clone(), 404),
        ("/nothing", "evil.example".to_owned(), 421),
        ("/game?id=nobody~else.1.1", own.clone(), 404),
        ("/game?id=..%2F..%2Fetc%2Fpasswd", own.clone(), 404),
        ("/game", own.clone(), 400),
    ] {
        let (head, _) = watched.got(path, &host);
        let expected = format!("http/1.1 {status} ");
        assert!(head.starts_with(&expected), "{path} for {host}: {head}");
        assert!(head.contains("x-content-type-options: nosniff"), "{head}");
    }
    let end = "Connection: close\r\n\r\n";
    let (head, _) = watched.asked(&format!("POST /summary HTTP/1.1\r\nHost: {own}\r\n{end}"));
    assert!(head.starts_with("http/1.1 405 "), "{head}");
    let two = format!("Host: {own}\r\nHost: evil.example\r\n");
    for hosts in [String::new(), two] {
        let (head, _) = watched.asked(&format!("GET / HTTP/1.1\r\n{hosts}{end}"));
        assert!(head.starts_with("http/1.1 4"), "{hosts}: {head}");
    }
}

/// A connection from an address of this machine.
fn connect_from(source: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = socket_with(
        AddressFamily::INET,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )
    .expect("a socket");
    bind(&socket, &SocketAddr::from((source, 0))).expect("an address of this machine");
    connect(&socket, &to).expect("a connection");
    let stream = TcpStream::from(socket);
    // A test that waits for ever tells less.
    let patience = Some(Duration::from_secs(60));
    stream.set_read_timeout(patience).expect("a time");
    stream
}

/// Readers of one address, or of a few that all follow, leave a place for others.
#[test]
fn no_address_takes_the_page_from_others() {
    let watched = WatchedRun::start("20000");
    let host = watched.address;
    let request = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let others_read = || {
        let mut other = connect_from([127, 0, 0, 9], host);
        let asked = other.write_all(request("/summary").as_bytes());
        asked.expect("a request");
        let mut answer = String::new();
        other.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    };
    let mut readers = Vec::new();
    for source in 1..=3 {
        for _ in 0..200 {
            let mut reader = connect_from([127, 0, 0, source], host);
            // Those that are too many are closed.
            let _ = reader.write_all(request("/events").as_bytes());
            readers.push(reader);
        }
        others_read();
    }
}

/// The address is taken before anything else is done.
#[test]
fn an_address_that_is_taken_changes_nothing() {
    let story = Story::new();
    story.write(
        "taken.toml",
        format!("[tournament]\npairs = 2\n{SECRET}{CONFIG}"),
    );
    story.ok("run taken.toml");
    let journal = story.read("results/taken/games.jsonl");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    story
        .ends(2, format!("run taken.toml --fresh --live {address}"))
        .err_has(&format!(
            "cannot serve the live page at {address}: Address already in use"
        ))
        .err_has("--live 0 for any free port");
    assert_eq!(story.read("results/taken/games.jsonl"), journal);
    assert!(!story.path("results/taken.1").exists());
    story
        .ends(2, "run taken.toml --live configs/taken.toml")
        .err_has("an address is IP:PORT, as in 127.0.0.1:8080, or a port alone");
    story
        .ok("run taken.toml --fresh --live 0.0.0.0:0")
        .err_has("watch it at http://0.0.0.0:")
        .err_has("everybody who can reach this machine can watch");
}
