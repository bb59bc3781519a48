//! A run whose pairs workers play, through a real NATS server: the tables of one run, whatever is
//! killed, wiped or lies.

use super::story::{FIRST_LEGAL, SECRET, SLOW, Said, Story, has, lacks, tables};
use crate::support::skip::{is_here, skip, test_name};
use futures_util::StreamExt as _;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const CONFIG: &str = r#"
slots = 1
logs = "all"
max-faults = "off"
[isolation]
level = "none"
[admission]
mode = "off"
[clock]
move = "1s"
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "minimax"
command = ["awale", "bot", "minimax", "--depth", "1"]
[[entrant]]
name = "spoken"
dir = "spoken"
command = ["sh", "spoken.sh"]
deterministic = true
"#;
/// An entrant that ends in the middle of games.
const DIES: &str = r#"
[[entrant]]
name = "dies"
command = ["sh", "dies.sh"]
"#;
const TRUST: &str = "--i-trust-these-bots --oversubscribe";
/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(240);
const TICK: Duration = Duration::from_millis(50);

/// A configuration with its bots, and the tables of one run of it.
fn course(pairs: u32, more: &str) -> (Story, Vec<Vec<Vec<String>>>) {
    let story = Story::new();
    fs::create_dir(story.path("spoken")).expect("a folder");
    let spoken = FIRST_LEGAL.replacen(
        "while read -r line; do\n",
        "while read -r line; do echo heard >&2\n",
        1,
    );
    story.write("spoken/spoken.sh", spoken);
    story.write("slow.sh", SLOW);
    story.write("dies.sh", include_str!("../bots/dies.sh"));
    story.write(
        "t.toml",
        format!("[tournament]\n{SECRET}\npairs = {pairs}\n{CONFIG}{more}"),
    );
    story.ok(format!("run t.toml --output results/one --quiet {TRUST}"));
    let one = tables(&story.path("results/one"));
    (story, one)
}

/// A collector with its server.
struct Served<'a> {
    story: &'a Story,
    child: Child,
    url: String,
}

fn started(story: &Story, words: &str, said: &str, path: Option<&Path>) -> Child {
    let mut command = story.command(words);
    if let Some(first) = path {
        let rest = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{rest}", first.display()));
    }
    let said = File::create(story.path(said)).expect("a file");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said);
    command.spawn().expect("awale starts")
}

/// Waits until a file has these words. Returns the line after them.
fn awaited(story: &Story, file: &str, words: &str) -> String {
    let begun = Instant::now();
    loop {
        let text = fs::read_to_string(story.path(file)).unwrap_or_default();
        if let Some((_, rest)) = text.split_once(words) {
            let line = rest.lines().next().unwrap_or_default();
            return line.to_owned();
        }
        let others = ["w1.err", "w2.err"].map(|it| fs::read_to_string(story.path(it)));
        assert!(
            begun.elapsed() < PATIENCE,
            "no {words:?} in {file}: {text}; {others:?}"
        );
        sleep(TICK);
    }
}

#[track_caller]
fn ends(mut child: Child, code: i32, story: &Story, said: &str) -> String {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            let text = story.read(said);
            assert_eq!(status.code(), Some(code), "{text}");
            return text;
        }
        assert!(begun.elapsed() < PATIENCE, "no end: {}", story.read(said));
        sleep(TICK);
    }
}

impl<'a> Served<'a> {
    fn new(story: &'a Story, flags: &str, path: Option<&Path>) -> Self {
        let listen = "--listen 127.0.0.1:0";
        Self::at(story, listen, flags, path)
    }

    fn at(story: &'a Story, listen: &str, flags: &str, path: Option<&Path>) -> Self {
        let words = format!("serve t.toml --output results/t {listen} {TRUST} {flags}");
        let _ = fs::remove_file(story.path("serve.err"));
        let child = started(story, &words, "serve.err", path);
        let rest = awaited(story, "serve.err", "workers join by: awale worker ");
        let url = rest.split(' ').next().expect("an address").to_owned();
        Self { story, child, url }
    }

    fn worker_words(&self, number: u32) -> String {
        format!(
            "worker {} --nkey results/t.nats/worker.nk --slots 1 --cache c{number} {TRUST}",
            self.url
        )
    }

    fn worker(&self, number: u32) -> Child {
        let said = format!("w{number}.err");
        started(self.story, &self.worker_words(number), &said, None)
    }

    fn ends(self, code: i32) -> String {
        ends(self.child, code, self.story, "serve.err")
    }
}

fn kill(child: &mut Child) {
    child.kill().expect("a process of ours");
    child.wait().expect("a process of ours");
}

/// The processes of the server whose folder this is.
fn servers(folder: &Path) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    let folder = folder.canonicalize().expect("the folder of the server");
    let of_folder = |path: PathBuf| {
        let name = fs::read_to_string(path.join("comm")).unwrap_or_default();
        let own = fs::read_link(path.join("cwd")).is_ok_and(|it| it == folder);
        let pid = path.file_name()?.to_str()?.parse().ok()?;
        (own && name.starts_with("nats-server"))
            .then(|| Pid::from_raw(pid))
            .flatten()
    };
    processes.filter_map(|it| of_folder(it.path())).collect()
}

/// All files below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match entry.file_type().expect("a kind") {
            it if it.is_dir() => files(&path, found),
            it if it.is_file() => found.push(path),
            _ => {}
        }
    }
}

/// The folders with servers, one for each version: that of Debian is old.
fn all_servers() -> Vec<PathBuf> {
    let asked = "import sysconfig; print(sysconfig.get_path('scripts'))";
    let scripts = Command::new("python3").args(["-c", asked]).output();
    let scripts = scripts.expect("python3").stdout;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.push(PathBuf::from("/usr/sbin"));
    folders.push(PathBuf::from(String::from_utf8_lossy(&scripts).trim()));
    let mut found: BTreeMap<Vec<u8>, PathBuf> = BTreeMap::new();
    for folder in folders {
        let version = Command::new(folder.join("nats-server"))
            .arg("--version")
            .output();
        if let Ok(version) = version.map(|it| it.stdout) {
            found.entry(version).or_insert(folder);
        }
    }
    if found.len() < 2 {
        skip(&test_name(), "only one version of nats-server");
    }
    found.into_values().collect()
}

/// A worker that cannot tell when games end plays none.
#[test]
fn workers_need_the_database_of_the_plan() {
    if !is_here("nats-server") {
        return;
    }
    let story = Story::new();
    let house = |name: &str| {
        format!("[[entrant]]\nname = \"{name}\"\ncommand = [\"awale\", \"bot\", \"{name}\"]\n")
    };
    story.write(
        "t.toml",
        format!(
            "[tournament]\n{SECRET}\npairs = 4\nslots = 1\nrules = \"simple\"\n[adjudication]\n\
             endgame = \"on\"\n[isolation]\nlevel = \"none\"\n[clock]\nmove = \"1s\"\n{}{}",
            house("greedy"),
            house("random")
        ),
    );
    story.ok("endgame build --rules simple --seeds 6");
    story.ok(format!("run t.toml --output results/one --quiet {TRUST}"));
    let served = Served::new(&story, "", None);
    let mut poor = story.command(served.worker_words(1));
    poor.env("XDG_CACHE_HOME", story.path("empty"));
    Said::of(poor.output().expect("awale starts"))
        .with_code(2)
        .err_has("awale endgame build --rules simple --seeds 6");
    let worker = served.worker(2);
    served.ends(0);
    ends(worker, 0, &story, "w2.err");
    let journal = story.read("results/t/games.jsonl");
    has(&journal, "\"ending\":\"endgame\"");
    has(&journal, "\"at\":{\"host\":");
    story.ok("verify results/t");
    let [one, live] = ["one", "t"].map(|it| tables(&story.path(&format!("results/{it}"))));
    assert_eq!(one, live);
}

#[test]
fn workers_make_the_tables_of_one_run_and_learn_no_secret() {
    if !is_here("nats-server") {
        return;
    }
    for server in all_servers() {
        let (story, one) = course(4, DIES);
        let served = Served::new(&story, "", Some(&server));
        let workers = [1, 2].map(|it| served.worker(it));
        has(&served.ends(0), "joins");
        for (number, worker) in (1..).zip(workers) {
            has(
                &ends(worker, 0, &story, &format!("w{number}.err")),
                "the run is over",
            );
        }
        assert_eq!(tables(&story.path("results/t")), one);
        story.ok("verify results/t");
        story.ok("faults results/t --entrant dies").out_has("oh no");
        let names = |run: &str, name: &str| {
            let folder = fs::read_dir(story.path(&format!("results/{run}/{name}"))).expect(name);
            let mut names: Vec<_> = folder.flatten().map(|it| it.file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names("t", "faults"), names("one", "faults"));
        assert_eq!(names("t", "logs"), names("one", "logs"));
        // One pair was played by the collector, to compare workers with it.
        let journal = story.read("results/t/games.jsonl");
        assert_eq!(journal.matches("\"at\":{\"host\":").count(), 46);
        assert!(story.path("results/t/hosts.csv").exists());
        let digits = SECRET.split('"').nth(1).expect("the secret");
        for cache in ["c1", "c2"] {
            let mut found = Vec::new();
            files(&story.path(cache), &mut found);
            assert!(found.iter().any(|it| it.ends_with("spoken/spoken.sh")));
            for file in found {
                let text = fs::read(&file).expect("a file");
                lacks(&String::from_utf8_lossy(&text), digits);
            }
        }
        // Nothing of the server is left but its keys and what it has said.
        assert!(!story.path("results/t.nats/store").exists());
        assert!(servers(&story.path("results/t.nats")).is_empty());
        // The run goes on like any other: nothing is left to play.
        story.ok(format!("run t.toml --output results/t {TRUST}"));
    }
}

#[test]
fn whatever_is_killed_or_wiped_no_game_is_lost_and_none_counts_twice() {
    if !is_here("nats-server") {
        return;
    }
    let slow =
        "[[entrant]]\nname = \"slow\"\ncommand = [\"sh\", \"slow.sh\"]\ndeterministic = true\n";
    let pairs = if std::env::var_os("AWALE_FULL").is_some() {
        60
    } else {
        12
    };
    let (story, one) = course(pairs, slow);
    let mut served = Served::new(&story, "", None);
    let listen = format!("--listen {}", served.url.trim_start_matches("nats://"));
    let mut workers: Vec<Child> = (1..=3).map(|it| served.worker(it)).collect();
    awaited(&story, "serve.err", "joins");
    for round in 0_u32.. {
        sleep(Duration::from_secs(2));
        if served.child.try_wait().expect("a child").is_some() {
            break;
        }
        let number = round % 3 + 1;
        kill(&mut workers[number as usize - 1]);
        workers[number as usize - 1] = served.worker(number);
        if round % 4 == 1 {
            for server in servers(&story.path("results/t.nats")) {
                let _ = kill_process(server, Signal::KILL);
            }
            let _ = fs::remove_dir_all(story.path("results/t.nats/store"));
        }
        if round == 3 {
            kill(&mut served.child);
            // Its processes end with it.
            sleep(Duration::from_millis(500));
            served = Served::at(&story, &listen, "", None);
        }
        assert!(round < 60, "no end: {}", story.read("serve.err"));
    }
    served.ends(0);
    for mut worker in workers {
        let _ = worker.kill();
        let _ = worker.wait();
    }
    assert_eq!(tables(&story.path("results/t")), one);
    story.ok("verify results/t");
}

/// What a stranger with the workers' key says and does.
struct Stranger {
    client: async_nats::Client,
    run: String,
}

impl Stranger {
    async fn joins(served: &Served<'_>) -> Self {
        let seed = served.story.read("results/t.nats/worker.nk");
        let options = async_nats::ConnectOptions::new().nkey(seed.trim().to_owned());
        let client = options.connect(&served.url).await.expect("the server");
        let offer = loop {
            match client.request("awale.offers", "".into()).await {
                Ok(offer) => break offer,
                Err(_) => tokio::time::sleep(TICK).await,
            }
        };
        let offer: Value = serde_json::from_slice(&offer.payload).expect("an offer");
        let run = offer["run"].as_str().expect("a run").to_owned();
        Self { client, run }
    }

    /// Says hello with what a worker says, changed. Returns the answer.
    async fn greets(&self, hello: &Value) -> Value {
        let bytes = serde_json::to_vec(hello).expect("texts");
        let subject = format!("awale.{}.hello", self.run);
        let asked = self.client.request(subject, bytes.into()).await;
        asked.map_or(Value::Null, |it| {
            serde_json::from_slice(&it.payload).expect("JSON")
        })
    }

    async fn sends(&self, place: usize, bytes: Vec<u8>) {
        let subject = format!("awale.{}.result.{place}", self.run);
        let context = async_nats::jetstream::new(self.client.clone());
        let sent = context
            .publish(subject, bytes.into())
            .await
            .expect("a server");
        sent.await.expect("it is stored");
    }

    /// The places of the pairs of a batch.
    async fn takes_a_batch(&self) -> Vec<Value> {
        let context = async_nats::jetstream::new(self.client.clone());
        let stream = format!("awale-{}-batches", self.run);
        let consumer: async_nats::jetstream::consumer::PullConsumer = context
            .get_consumer_from_stream("workers", stream)
            .await
            .expect("the consumer");
        let batch = consumer.batch().max_messages(1);
        let batch = batch.expires(Duration::from_secs(20)).messages();
        let mut messages = batch.await.expect("a server");
        let message = messages.next().await.expect("one").expect("a batch");
        message.ack().await.expect("a server");
        let batch: Value = serde_json::from_slice(&message.payload).expect("JSON");
        batch["pairs"].as_array().expect("pairs").clone()
    }
}

fn hello(plan: &str, worker: &str) -> Value {
    json!({
        "worker": worker, "host": "liar", "awale": env!("CARGO_PKG_VERSION"), "plan": plan,
        "level": "none", "slots": 1, "speed": 1_000_000, "other-programs": [], "leaves": null,
    })
}

/// Who is not what the run wants is sent away, and what is no hello is not answered.
async fn greets_wrongly(stranger: &Stranger) {
    for (key, value) in [
        ("awale", json!("0.0.1")),
        ("plan", json!("x")),
        ("level", json!("box")),
    ] {
        let mut other = hello(&plan_hash(stranger).await, &format!("other {key}"));
        other[key] = value;
        has(&stranger.greets(&other).await.to_string(), "leave");
    }
    for (key, value) in [
        ("slots", json!(0)),
        ("slots", json!(100_000)),
        ("host", json!("x".repeat(300))),
    ] {
        let mut other = hello("x", "huge");
        other[key] = value;
        let silent = tokio::time::timeout(Duration::from_millis(300), stranger.greets(&other));
        assert!(silent.await.is_err(), "{key}");
    }
}

#[test]
fn what_a_stranger_sends_counts_for_nothing() {
    if !is_here("nats-server") {
        return;
    }
    // No two entrants always play the same: nobody has to prove anything.
    let (story, _) = course(3, "");
    let text = story
        .read("t.toml")
        .replace("deterministic = true", "deterministic = false");
    let text = text.replace("\"greedy\"]", "\"greedy\"]\ndeterministic = false");
    let text = text.replace("\"1\"]", "\"1\"]\ndeterministic = false");
    story.write("t.toml", text);
    story.ok(format!("run t.toml --output results/two --quiet {TRUST}"));
    let one = tables(&story.path("results/two"));
    let served = Served::new(&story, "", None);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let stranger = Stranger::joins(&served).await;
        greets_wrongly(&stranger).await;
        let plan = plan_hash(&stranger).await;
        let first = hello(&plan, "one");
        assert_eq!(stranger.greets(&first).await, json!("play"));
        // A stranger who has said nothing is not heard.
        stranger
            .sends(
                0,
                b"{\"worker\":\"nobody\",\"place\":0,\"games\":[]}".to_vec(),
            )
            .await;
        stranger.sends(0, b"no JSON".to_vec()).await;
        stranger.sends(1, vec![0x78; 100_000]).await;
        let pairs = stranger.takes_a_batch().await;
        let place = pairs[0]["place"].as_u64().expect("a place");
        let lie = json!({"worker": "one", "place": place, "games": []});
        stranger
            .sends(0, serde_json::to_vec(&lie).expect("JSON"))
            .await;
        awaited(&story, "serve.err", "liar is put aside");
        has(
            &stranger.greets(&first).await.to_string(),
            "it has other games than were asked for",
        );
        // The key of workers opens nothing else.
        let context = async_nats::jetstream::new(stranger.client.clone());
        let stream = format!("awale-{}-results", stranger.run);
        assert!(context.delete_stream(&stream).await.is_err());
        let batches = format!("awale.{}.batches", stranger.run);
        let forged = context
            .publish(batches, "{}".into())
            .await
            .expect("a server");
        assert!(forged.await.is_err());
    });
    let worker = served.worker(1);
    let said = served.ends(0);
    has(&said, "a message that is not taken");
    ends(worker, 0, &story, "w1.err");
    assert_eq!(tables(&story.path("results/t")), one);
    story.ok("verify results/t");
    let page = story.read("results/t/report.html");
    has(&page, "liar: it has other games than were asked for");
}

/// The hash of the plan that the collector wants, which an offered plan has.
async fn plan_hash(stranger: &Stranger) -> String {
    let context = async_nats::jetstream::new(stranger.client.clone());
    let bucket = context
        .get_object_store(format!("awale-{}", stranger.run))
        .await
        .expect("a bucket");
    let offer = stranger
        .client
        .request("awale.offers", "".into())
        .await
        .expect("an offer");
    let offer: Value = serde_json::from_slice(&offer.payload).expect("JSON");
    let read = async |name: &str| {
        use tokio::io::AsyncReadExt as _;
        let mut bytes = Vec::new();
        let mut object = bucket.get(name).await.expect("an object");
        object.read_to_end(&mut bytes).await.expect("an object");
        bytes
    };
    let parcel = read(offer["parcel"].as_str().expect("a hash")).await;
    let parcel: Value = serde_json::from_slice(&parcel).expect("JSON");
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("plan.json");
    fs::write(&path, read(parcel["plan"].as_str().expect("a hash")).await).expect("a file");
    awale::shard::read_plan(&path).expect("a plan").plan.hash()
}

#[test]
fn a_machine_that_is_slow_or_plays_otherwise_gets_no_work() {
    if !is_here("nats-server") {
        return;
    }
    // It plays its last legal pit where a worker has laid it out, and its first one elsewhere.
    let other = r#"
while read -r line; do
    case $line in
        *'"type":"turn"'*)
            legal=${line#*'"legal":['}
            legal=${legal%%]*}
            case $PWD in *c1/worker*) pit=${legal##*,} ;; *) pit=${legal%%,*} ;; esac
            echo "{\"type\":\"move\",\"pit\":$pit}" ;;
        *'"type":"hello"'* | *'"type":"new-game"'*) echo '{"type":"ready"}' ;;
    esac
done
"#;
    let (story, _) = course(2, "");
    story.write("spoken/spoken.sh", other);
    let text = story.read("t.toml");
    let greedy = "[[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n";
    story.write("t.toml", text.replace(greedy, ""));
    let served = Served::new(&story, "", None);
    let said = ends(served.worker(1), 1, &story, "w1.err");
    has(
        &said,
        "this machine gets no more work: it plays the pair minimax~spoken",
    );
    let honest = served.worker(2);
    has(
        &served.ends(0),
        "is put aside, and gets no more work: it plays the pair",
    );
    ends(honest, 0, &story, "w2.err");

    let served = Served::new(&story, "--fresh --min-speed 999999999999", None);
    let said = ends(served.worker(1), 1, &story, "w1.err");
    has(&said, "this machine gets no more work: it is too slow");
    kill_process(
        Pid::from_raw(i32::try_from(served.child.id()).expect("a pid")).expect("a pid"),
        Signal::INT,
    )
    .expect("our child");
    served.ends(130);
}

/// A certificate for this machine in `cert.pem` and `key.pem`, and in `ca.pem` what it follows from.
fn make_certificates(story: &Story) {
    story.write(
        "ext",
        "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n",
    );
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    for words in [
        format!("req -x509 {key} -keyout ca.key -out ca.pem -days 2 -subj /CN=ca"),
        format!("req {key} -keyout key.pem -out csr.pem -subj /CN=lab"),
        "x509 -req -in csr.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext \
         -out cert.pem"
            .to_owned(),
    ] {
        let made = Command::new("openssl")
            .args(words.split_whitespace())
            .current_dir(story.path(""))
            .output();
        let made = made.expect("openssl");
        let said = String::from_utf8_lossy(&made.stderr).into_owned();
        assert!(made.status.success(), "{said}");
    }
}

#[test]
fn what_travels_is_encrypted_where_there_is_a_certificate() {
    if !is_here("nats-server") || !is_here("openssl") {
        return;
    }
    let (story, one) = course(2, "");
    make_certificates(&story);
    let tls = "--tls-cert cert.pem --tls-key key.pem --tls-ca ca.pem";
    let served = Served::new(&story, tls, None);
    let stranger = started(&story, &served.worker_words(1), "w1.err", None);
    has(&ends(stranger, 3, &story, "w1.err"), "certificate");
    let words = format!("{} --tls-ca ca.pem", served.worker_words(2));
    let worker = started(&story, &words, "w2.err", None);
    served.ends(0);
    ends(worker, 0, &story, "w2.err");
    assert_eq!(tables(&story.path("results/t")), one);
}

#[test]
fn what_is_typed_wrong_is_said() {
    let story = Story::new();
    for (words, code, said) in [
        (
            "worker nats://127.0.0.1:1",
            3,
            "cannot connect to the NATS server at",
        ),
        ("worker nats://me:secret@host", 3, "put them into a file"),
        (
            "worker nats://127.0.0.1:1 --nkey none.nk",
            3,
            "cannot read none.nk",
        ),
        ("worker nats://127.0.0.1:1 --tls-cert x", 2, "--tls-key"),
        ("serve none.toml", 2, "none.toml"),
    ] {
        let said_then = story.ends(code, format!("{words} "));
        has(&said_then.stderr, said);
        lacks(&said_then.stderr, "secret@");
    }
    story.write("t.toml", format!("[tournament]\n{SECRET}\n{CONFIG}"));
    story.write("slow.sh", SLOW);
    fs::create_dir(story.path("spoken")).expect("a folder");
    story.write("spoken/spoken.sh", SLOW);
    let nowhere = format!("serve t.toml {TRUST} --nats nats://127.0.0.1:1");
    story
        .ends(3, nowhere)
        .err_has("cannot connect to the NATS server");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    story
        .ends(3, format!("serve t.toml {TRUST} --listen {address}"))
        .err_has("name another --listen");
}
