//! Tournaments with villains: lays out the files, plays with real processes, and looks at the host
//! afterwards.

use super::hostile_programs::{Groups, HEARD_AT_NONE, Language, Outcome, VILLAINS, Villain};
use super::namespaces::{Namespaces, OPEN_PLACES, ROOT, find, give, groups_of_runs};
use crate::support::busy_host::is_disturbed;
use crate::support::skip::skip;
use awale::bot::Level;
use awale::record::{FaultKind, GameEnding, GameRecord};
use awale::rules::Side;
use awale::tournament::JournalReader;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File, Permissions};
use std::io::{BufReader, Read as _};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The user id of ordinary users in these tests: `nobody`.
pub const USER: u32 = 65534;
/// Words of planted secrets: no file that comes from a bot may hold them.
const SECRETS: [&str; 3] = [
    "SECRET-OF-THE-USER",
    "SECRET-OF-THE-RIVAL",
    "SECRET-OF-THE-ENVIRONMENT",
];
/// In the environment of each villain, and so of whatever it starts.
const MARK: &str = "AWALE_HOSTILE_MARK";
/// What villains leave where they can.
const SIGN: &str = "villain-was-here";
/// The move limit of villains that are to run into it.
const LIMIT_MS: u64 = 1000;
/// A clock that no honest bot runs into, however busy the machine is.
const SWIFT: &str = "move = \"30s\"";
/// How long after the end of a run, or of those who would have ended it, something of it may still
/// be there on a busy machine. What villains leave behind lives longer by itself.
pub const SURVIVES: Duration = Duration::from_secs(5);
/// A run that takes longer hangs.
const HANGS: Duration = Duration::from_secs(240);
/// An honest pairing for this many villains.
const HONEST_EVERY: usize = 6;
/// How much of standard error is kept, and what is said of the rest.
const LONGEST_LOG: u64 = (64 << 10) + 200;

/// Who plays, and how far bots are kept away.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    pub level: Level,
    pub root: bool,
    /// Whether bots that are not on turn are stopped.
    pub freeze: bool,
}

impl Host {
    fn name(self) -> String {
        let user = if self.root { "root" } else { "user" };
        format!("{}-{user}", self.level.name())
    }

    /// Only root has control groups here: an ordinary user does without.
    const fn has_groups(self) -> bool {
        self.root
    }

    /// Why a villain is not let loose here, if so.
    fn leaves_out(self, villain: &Villain) -> Option<&'static str> {
        let needs_groups = match villain.groups {
            Groups::Never => false,
            Groups::BelowBox => self.level < Level::Box,
            Groups::Always => true,
        };
        if needs_groups && !self.has_groups() {
            Some("no control group of this user's to hold it")
        } else if villain.language == Language::C && find("cc").is_none() {
            Some("no cc")
        } else if villain.language == Language::Python && !Path::new(PYTHON).exists() {
            Some("no /usr/bin/python3")
        } else {
            None
        }
    }
}

const PYTHON: &str = "/usr/bin/python3";

/// What was planted on the host.
pub struct Plants {
    tcp: TcpListener,
    udp: UdpSocket,
    abstract_socket: UnixListener,
    path_socket: UnixListener,
}

/// One tournament.
struct Tournament {
    folder: PathBuf,
    villains: Vec<&'static Villain>,
    text: String,
}

/// Whether there is time.
pub fn is_full() -> bool {
    std::env::var_os("AWALE_FULL").is_some()
}

/// How often each villain plays as South and as North.
fn pairs() -> u32 {
    if is_full() { 5 } else { 1 }
}

fn room(name: &str) -> PathBuf {
    Path::new(ROOT).join(name)
}

fn write(path: &Path, text: impl AsRef<[u8]>, mode: u32) {
    let folder = path.parent().expect("a folder");
    fs::create_dir_all(folder).expect("a folder");
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
    fs::set_permissions(folder, Permissions::from_mode(0o777)).expect("a mode");
}

/// Plays all villains of a host, then twins, and checks all that is promised.
pub fn play_hostile_tournaments(namespaces: &Namespaces, host: Host) {
    let plants = plant(namespaces, host);
    let before = planted_files();
    let fits = |villain: &&Villain| {
        let held = villain.held_by.contains(&host.level);
        let left_out = host.leaves_out(villain).filter(|_| held);
        if let Some(reason) = left_out {
            skip(&format!("{}/{}", host.name(), villain.deed), reason);
        }
        held && left_out.is_none()
    };
    let (waiting, swift): (Vec<&Villain>, Vec<&Villain>) = VILLAINS
        .iter()
        .filter(fits)
        .partition(|villain| villain.waits);
    let swift = Tournament::gauntlet(host, "swift", swift, SWIFT, "slots = 2");
    let clock = format!("move = \"{LIMIT_MS}ms\"");
    let waiting = Tournament::gauntlet(
        host,
        "waiting",
        waiting,
        &clock,
        "slots = 6\nstart-up = \"5s\"",
    );
    // Those who wait need no core.
    let runs = [swift.start(host), waiting.start(host)];
    for (tournament, run) in [&swift, &waiting].into_iter().zip(runs) {
        tournament.check(host, run);
    }
    let twins = Tournament::twins(host);
    let run = twins.start(host);
    twins.finish(host, run);
    check_twins(host, &twins);
    check_host(namespaces, host, &before);
    plants.check_unheard(host);
    if host.level == Level::None {
        control(host, &plants);
    }
}

/// Where nothing holds them, villains win: what the test sees is not an accident.
fn control(host: Host, plants: &Plants) {
    let winners: Vec<&Villain> = VILLAINS
        .iter()
        .filter(|villain| villain.gains_at_none)
        .collect();
    // One after the other, so that the order in which they disturb each other is always the same.
    let tournament = Tournament::gauntlet(host, "control", winners, SWIFT, "slots = 1");
    let run = tournament.start(host);
    tournament.finish(host, run);
    for villain in &tournament.villains {
        let logs = tournament.logs_of(villain.deed);
        // Once is enough: a villain may also destroy what another is after.
        let gained = logs.iter().any(|(_, log)| log.contains("GAINED"));
        let heard = villain.deed == "call_udp" && plants.hears_udp();
        assert!(
            gained || heard,
            "{} at none gains nothing: {logs:?}",
            villain.deed
        );
    }
    assert!(
        plants.hears_tcp() && plants.hears_sockets(),
        "listeners that hear nothing"
    );
    assert!(!signs().is_empty(), "villains that leave nothing");
}

fn plant(namespaces: &Namespaces, host: Host) -> Plants {
    for (name, word) in [
        ("planted/secret.txt", SECRETS[0]),
        ("submissions/rival/bot.py", SECRETS[1]),
    ] {
        write(
            &room(name),
            format!("#!{PYTHON}\nprint(\"{word}\")\n"),
            0o777,
        );
    }
    let segment = Command::new("ipcmk")
        .args(["-M", "4096", "-p", "0666"])
        .output();
    assert!(segment.expect("util-linux").status.success());
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
    udp.set_nonblocking(true).expect("a mode");
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    tcp.set_nonblocking(true).expect("a mode");
    let name = format!(
        "awale-hostile-{}-{}",
        host.name(),
        tcp.local_addr().expect("a port").port()
    );
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let abstract_socket = UnixListener::bind_addr(&address).expect("an abstract socket");
    abstract_socket.set_nonblocking(true).expect("a mode");
    let path_socket = UnixListener::bind(room("planted/socket")).expect("a socket");
    path_socket.set_nonblocking(true).expect("a mode");
    fs::set_permissions(room("planted/socket"), Permissions::from_mode(0o777)).expect("a mode");
    fs::create_dir_all(room("results")).expect("a folder");
    let plants = Plants {
        tcp,
        udp,
        abstract_socket,
        path_socket,
    };
    plants.lay_out_villains(&name);
    if host.root {
        return plants;
    }
    give(Path::new(ROOT), USER);
    give(&room("results"), USER);
    let groups = groups_of_runs(namespaces);
    assert_eq!(groups, Vec::<PathBuf>::new());
    plants
}

/// The villains' sources, which lie behind the file systems of the namespaces by now.
const SOURCES: [(&str, &str); 9] = [
    ("villain.py", include_str!("programs/villain.py")),
    ("fields.py", include_str!("programs/fields.py")),
    ("files.py", include_str!("programs/files.py")),
    ("network.py", include_str!("programs/network.py")),
    ("processes.py", include_str!("programs/processes.py")),
    ("output.py", include_str!("programs/output.py")),
    ("twins.py", include_str!("programs/twins.py")),
    ("careless.py", include_str!("programs/careless.py")),
    ("attacks.c", include_str!("programs/attacks.c")),
];

impl Plants {
    fn lay_out_villains(&self, abstract_name: &str) {
        let villains = room("villains");
        for (name, text) in SOURCES {
            write(&villains.join(name), text, 0o666);
        }
        let port = |address: std::io::Result<std::net::SocketAddr>| address.expect("a port").port();
        let targets = serde_json::json!({
            "limit_ms": LIMIT_MS, "margin_ms": 10, "temporary_bytes": 16 << 20,
            "secret": room("planted/secret.txt"), "planted": room("planted"),
            "rival": room("submissions/rival/bot.py"), "submissions": room("submissions"),
            "results": room("results"), "journal": room("results/swift/games.jsonl"),
            "secret_words": SECRETS,
            "tcp": port(self.tcp.local_addr()), "udp": port(self.udp.local_addr()),
            "abstract": abstract_name, "socket": room("planted/socket"),
            "twin_key": 1_000_000 + std::process::id() + u32::from(port(self.tcp.local_addr())),
            "twin_port": 1 + port(self.udp.local_addr()).min(65_000),
        });
        write(&villains.join("targets.json"), targets.to_string(), 0o666);
        write(&villains.join("own.txt"), "own", 0o666);
        for (name, target) in [
            ("link-to-secret", room("planted/secret.txt")),
            ("link-to-rival", "../submissions/rival/bot.py".into()),
            ("link-to-folder", room("planted")),
            ("link-upwards", "..".into()),
        ] {
            symlink(target, villains.join(name)).expect("a link");
        }
        let starts = room("starts");
        let elf = fs::read("/bin/true").expect("a program");
        let mut wrong = elf.clone();
        // The machine that it is for: none that exists.
        wrong[18..20].copy_from_slice(&[0xfe, 0xca]);
        write(&starts.join("wrong-elf"), wrong, 0o777);
        write(&starts.join("torn-elf"), &elf[..40], 0o777);
        write(
            &starts.join("bad-shebang"),
            "#!/nonexistent/interpreter\n",
            0o777,
        );
        write(&starts.join("empty"), "", 0o777);
        symlink(
            room("submissions/rival/bot.py"),
            starts.join("link-to-rival"),
        )
        .expect("a link");
        if find("cc").is_some() {
            let built = Command::new("cc")
                .args(["-O1", "-pthread", "-o"])
                .arg(villains.join("deeds"))
                .arg(villains.join("attacks.c"))
                .status();
            assert!(built.expect("a compiler").success());
        }
    }

    /// The listeners as they should be after villains that were held.
    fn check_unheard(&self, host: Host) {
        if host.level > Level::None {
            assert!(!self.hears_tcp(), "{host:?}: a TCP connection came");
            assert!(!self.hears_udp(), "{host:?}: a datagram came");
            assert!(!self.hears_sockets(), "{host:?}: a local connection came");
        }
    }

    fn hears_tcp(&self) -> bool {
        self.tcp.accept().is_ok()
    }

    fn hears_udp(&self) -> bool {
        self.udp.recv(&mut [0; 64]).is_ok()
    }

    fn hears_sockets(&self) -> bool {
        let [one, other] = [&self.abstract_socket, &self.path_socket].map(|s| s.accept().is_ok());
        one || other
    }
}

impl Tournament {
    fn gauntlet(
        host: Host,
        name: &str,
        villains: Vec<&'static Villain>,
        clock: &str,
        more: &str,
    ) -> Self {
        let mut text = head(host, name, clock, more);
        text += "[[entrant]]\nname = \"champion\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n";
        for (number, villain) in villains.iter().enumerate() {
            let (folder, command) = match villain.language {
                Language::Python => (
                    "villains",
                    format!("\"{PYTHON}\", \"-B\", \"villain.py\", {:?}", villain.deed),
                ),
                Language::C => ("villains", format!("\"./deeds\", {:?}", villain.deed)),
                Language::File => ("starts", format!("\"./{}\"", villain.deed)),
            };
            entrant(&mut text, villain.deed, &command, folder);
            if villain.fresh {
                text += "restart = \"each-game\"\n";
            }
            if number % HONEST_EVERY == 0 {
                let _ = write!(
                    text,
                    "[[entrant]]\nname = \"honest-{number}\"\n\
                     command = [\"awale\", \"bot\", \"random\"]\n"
                );
            }
        }
        text = text.replace(
            "[clock]",
            "format = \"gauntlet\"\nchampions = [\"champion\"]\n[clock]",
        );
        Self::new(name, villains, text)
    }

    fn twins(host: Host) -> Self {
        let mut text = head(host, "twins", SWIFT, "slots = 1");
        let command = format!("\"{PYTHON}\", \"-B\", \"villain.py\", \"talk\"");
        entrant(&mut text, "twin-a", &command, "villains");
        entrant(&mut text, "twin-b", &command, "villains");
        Self::new("twins", Vec::new(), text)
    }

    fn new(name: &str, villains: Vec<&'static Villain>, text: String) -> Self {
        write(&room(&format!("{name}.toml")), &text, 0o644);
        Self {
            folder: room("results").join(name),
            villains,
            text,
        }
    }

    fn start(&self, host: Host) -> Child {
        let name = self
            .folder
            .file_name()
            .expect("a name")
            .to_str()
            .expect("a name");
        let mut command = if host.root {
            Command::new(PYTHON)
        } else {
            let mut command = Command::new("setpriv");
            let user = USER.to_string();
            command.args(["--reuid", &user, "--regid", &user, "--clear-groups"]);
            command.arg(PYTHON);
            command
        };
        command.args([room("villains/careless.py"), room("planted"), room("awale")]);
        let said = |kind: &str| File::create(room(&format!("{name}.{kind}"))).expect("a file");
        command
            .args([
                "run",
                &format!("{name}.toml"),
                "--oversubscribe",
                "--isolation",
            ])
            .arg(host.level.name())
            .current_dir(ROOT)
            .env("SECRET", SECRETS[2])
            .env("HOME", room("planted"))
            .stdin(Stdio::null())
            .stdout(said("out"))
            .stderr(said("err"));
        command.spawn().expect("awale starts")
    }

    /// Waits for the end, and looks for whatever is left at once.
    fn finish(&self, host: Host, mut run: Child) -> String {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = run.try_wait().expect("an end") {
                break status;
            }
            if started.elapsed() > HANGS {
                let _ = run.kill();
                let _ = run.wait();
                panic!("{host:?}: {} hangs\n{}", self.text, self.said());
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let said = self.said();
        assert_eq!(status.code(), Some(0), "{host:?}\n{said}");
        assert!(
            !said.contains('\u{1b}') && !said.contains('\u{9b}'),
            "{said:?}"
        );
        said
    }

    fn said(&self) -> String {
        let name = self.folder.file_name().expect("a name").to_string_lossy();
        ["out", "err"]
            .map(|kind| {
                let bytes = fs::read(room(&format!("{name}.{kind}"))).unwrap_or_default();
                String::from_utf8_lossy(&bytes).into_owned()
            })
            .concat()
    }

    fn records(&self) -> Vec<GameRecord> {
        let file = File::open(self.folder.join("games.jsonl")).expect("a journal");
        let mut reader = JournalReader::new(BufReader::new(file));
        std::iter::from_fn(|| reader.next_record().expect("a journal that can be read")).collect()
    }

    /// Standard error of each game of an entrant.
    fn logs_of(&self, name: &str) -> Vec<(String, String)> {
        let own = |record: &GameRecord| {
            let side = side_of(record, name)?;
            let path = self.folder.join(format!("logs/{}.{side}.txt", record.id));
            let log = fs::read(path).unwrap_or_default();
            Some((
                record.id.to_string(),
                String::from_utf8_lossy(&log).into_owned(),
            ))
        };
        self.records().iter().filter_map(own).collect()
    }

    fn check(&self, host: Host, run: Child) {
        let said = self.finish(host, run);
        let mut complaints = Vec::new();
        let mut games: BTreeMap<String, u32> = BTreeMap::new();
        for record in self.records() {
            let stranger = record.entrants.iter().find(|name| *name != "champion");
            let name = stranger.expect("a villain or an honest bot");
            // Only a busy host may disturb a game, never a villain.
            if self.is_about_time() && is_disturbed(&record.ending) {
                continue;
            }
            *games.entry(name.clone()).or_default() += 1;
            let villain = self.villains.iter().find(|villain| villain.deed == name);
            let complaint = match villain {
                Some(villain) => self.judge(host, villain, &record),
                None if matches!(record.ending, GameEnding::Rules(_)) => None,
                None => Some("an honest game was harmed".to_owned()),
            };
            if let Some(complaint) = complaint {
                complaints.push(format!(
                    "{} {name}: {complaint}: {:?}",
                    record.id, record.ending
                ));
            }
        }
        let short = games.iter().filter(|(_, count)| **count != 2 * pairs());
        complaints.extend(short.map(|(name, count)| format!("{name} played {count} games")));
        let honest = self.villains.len().div_ceil(HONEST_EVERY);
        if games.len() != self.villains.len() + honest {
            complaints.push(format!("{} entrants played", games.len()));
        }
        assert!(
            complaints.is_empty(),
            "{}\n{}\n{said}",
            host.name(),
            complaints.join("\n")
        );
    }

    /// Whether games of this tournament are about a deadline.
    fn is_about_time(&self) -> bool {
        self.villains.iter().any(|villain| villain.waits)
    }

    /// What is wrong with a villain's game.
    fn judge(&self, host: Host, villain: &Villain, record: &GameRecord) -> Option<String> {
        let side = side_of(record, villain.deed)?;
        let path = self.folder.join(format!("logs/{}.{side}.txt", record.id));
        let log = fs::read(&path).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let gained = log.lines().find(|line| line.contains("GAINED"));
        let may_gain = matches!(villain.outcome, Outcome::Survives)
            || host.level == Level::None && villain.gains_at_none;
        if let Some(line) = gained.filter(|_| !may_gain) {
            return Some(line.to_owned());
        }
        if villain.tells && !log.contains("tried") {
            return Some(format!("it attempted nothing: {log}"));
        }
        if fs::metadata(&path).is_ok_and(|file| file.len() > LONGEST_LOG) {
            return Some("its log is too long".to_owned());
        }
        let fault = match &record.ending {
            GameEnding::Fault(guilty, fault) if *guilty == side => Some(fault),
            GameEnding::Rules(_) => None,
            _ => return Some(format!("wrong end\n{log}")),
        };
        let is_right = match (villain.outcome, fault) {
            (Outcome::Fault(kind, detail), Some(fault)) => {
                fault.kind == kind && fault.detail.contains(detail)
            }
            (Outcome::OneOf(kinds), Some(fault)) => kinds.contains(&fault.kind),
            (Outcome::PlaysOn | Outcome::Survives | Outcome::Crowds | Outcome::Bounded, None) => {
                true
            }
            (Outcome::Bounded, Some(fault)) => {
                let kinds = [FaultKind::MemoryLimit, FaultKind::TemporaryLimit];
                kinds.contains(&fault.kind)
            }
            (Outcome::Crowds, Some(fault)) => fault.kind == FaultKind::BusyOffTurn,
            // Children that are killed for their memory give it back in the opponent's turn.
            (Outcome::Survives, Some(fault)) => {
                let kinds = [FaultKind::MemoryLimit, FaultKind::BusyOffTurn];
                kinds.contains(&fault.kind)
            }
            _ => false,
        };
        (!is_right).then(|| format!("not {:?}\n{log}", villain.outcome))
    }
}

fn side_of(record: &GameRecord, name: &str) -> Option<Side> {
    Side::BOTH
        .into_iter()
        .find(|side| record.entrants[side.index()] == name)
}

fn head(host: Host, name: &str, clock: &str, more: &str) -> String {
    let (pairs, freeze) = (pairs(), host.freeze);
    // Bots that take all they get take it sooner.
    let memory = if is_full() { "512MiB" } else { "128MiB" };
    format!(
        "[tournament]\nname = \"{name}\"\nfolder = \"{ROOT}\"\npairs = {pairs}\nlogs = \"all\"\n\
         max-faults = \"off\"\n{more}\n[clock]\n{clock}\n[admission]\nmode = \"off\"\n\
         [isolation]\nlevel = \"{}\"\nfreeze = {freeze}\n[limits]\nmemory = \"{memory}\"\n",
        host.level.name()
    )
}

fn entrant(text: &mut String, name: &str, command: &str, folder: &str) {
    let _ = write!(
        text,
        "[[entrant]]\nname = \"{name}\"\ncommand = [{command}]\ndir = \"{folder}\"\n\
         env = {{ {MARK} = \"{name}\", PYTHONDONTWRITEBYTECODE = \"1\" }}\n"
    );
}

fn check_twins(host: Host, twins: &Tournament) {
    let logs: Vec<(String, String)> = ["twin-a", "twin-b"]
        .into_iter()
        .flat_map(|name| twins.logs_of(name))
        .collect();
    let all: String = logs.iter().map(|(_, log)| log.as_str()).collect();
    for record in twins.records() {
        assert!(
            matches!(record.ending, GameEnding::Rules(_)),
            "{:?}\n{all}",
            record.ending
        );
    }
    assert_eq!(
        all.matches("tried hearing by").count(),
        2 * 20 * pairs() as usize,
        "{all}"
    );
    if host.level > Level::None {
        // Behind Landlock `/proc` is the host's: that is said, and nothing else is promised.
        let is_told = |line: &&str| host.level < Level::Box && line.contains("hearing by Shmem");
        let heard: Vec<&str> = all
            .lines()
            .filter(|line| line.contains("GAINED") && !is_told(line))
            .collect();
        assert!(heard.is_empty(), "{host:?}: twins talk: {heard:?}\n{all}");
    } else {
        for channel in HEARD_AT_NONE {
            assert!(
                all.contains(&format!("GAINED hearing by {channel}")),
                "{channel}\n{all}"
            );
        }
    }
}

/// Everything that is planted, byte by byte.
fn planted_files() -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    for name in ["planted", "submissions", "villains", "starts"] {
        collect(&room(name), &mut found);
    }
    found
}

fn collect(folder: &Path, found: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let metadata = fs::symlink_metadata(&path).expect("a file");
        let contents = if metadata.is_dir() {
            collect(&path, found);
            Vec::new()
        } else if metadata.is_file() {
            fs::read(&path).expect("a file")
        } else {
            fs::read_link(&path).map_or(Vec::new(), |to| to.into_os_string().into_encoded_bytes())
        };
        found.insert(path, (metadata.mode(), contents));
    }
}

/// Signs that villains have left anywhere where they could.
fn signs() -> Vec<PathBuf> {
    let mut signs: Vec<PathBuf> = [
        "/",
        "/usr",
        "/usr/bin",
        "/usr/local/bin",
        "/etc",
        "/root",
        "/run",
        "/dev",
    ]
    .iter()
    .map(|folder| Path::new(folder).join(SIGN))
    .filter(|path| path.exists())
    .collect();
    let mut found = BTreeMap::new();
    for place in OPEN_PLACES {
        collect(Path::new(place), &mut found);
    }
    signs.extend(
        found
            .into_keys()
            .filter(|path| path.to_string_lossy().contains(SIGN)),
    );
    signs
}

/// Nothing is left of the runs, and nothing of the host has changed.
fn check_host(namespaces: &Namespaces, host: Host, before: &BTreeMap<PathBuf, (u32, Vec<u8>)>) {
    let started = Instant::now();
    loop {
        let left = processes();
        if left.is_empty() {
            break;
        }
        assert!(
            started.elapsed() < SURVIVES,
            "{host:?}: processes are left: {left:?}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let groups = groups_of_runs(namespaces);
    assert!(
        groups.is_empty(),
        "{host:?}: control groups are left: {groups:?}"
    );
    if host.level > Level::None {
        let after = planted_files();
        let changed: BTreeSet<&PathBuf> = before
            .iter()
            .chain(&after)
            .filter(|(path, _)| before.get(*path) != after.get(*path))
            .map(|(path, _)| path)
            .collect();
        assert!(
            changed.is_empty(),
            "{host:?}: files have changed: {changed:?}"
        );
        assert_eq!(signs(), Vec::<PathBuf>::new(), "{host:?}");
        check_secrets(host);
        // What twins leave where nothing keeps them apart is theirs.
        check_places(host);
    }
    check_results(host);
}

/// Nothing that bots wrote holds a secret.
fn check_secrets(host: Host) {
    let mut found = BTreeMap::new();
    collect(&room("results"), &mut found);
    for (path, (_, contents)) in found {
        let text = String::from_utf8_lossy(&contents);
        let secret = SECRETS.into_iter().find(|secret| text.contains(secret));
        assert_eq!(secret, None, "{host:?}: {}", path.display());
    }
}

/// Temporary folders are as they were before.
fn check_places(host: Host) {
    for place in OPEN_PLACES {
        let left: Vec<PathBuf> = fs::read_dir(place)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path != Path::new(ROOT))
            .collect();
        assert!(left.is_empty(), "{host:?}: left in {place}: {left:?}");
    }
}

/// A run's folder holds what it should and nothing else.
fn check_results(host: Host) {
    let known = ["games.jsonl", "plan.toml", "report.html", "logs", "faults"];
    for run in fs::read_dir(room("results")).expect("results").flatten() {
        for entry in fs::read_dir(run.path()).expect("a run's folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_table = entry.path().extension().is_some_and(|it| it == "csv");
            assert!(
                known.contains(&name.as_str()) || is_table,
                "{host:?}: {}",
                entry.path().display()
            );
        }
    }
}

/// Processes that are alive, without this one: nothing else runs in here.
pub fn processes() -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("a list").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.parse::<u32>().is_ok_and(|pid| pid != 1) {
            let mut line = String::new();
            let file = File::open(entry.path().join("cmdline"));
            let read = file.and_then(|mut file| file.read_to_string(&mut line));
            let state = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let is_dead = state
                .rsplit(") ")
                .next()
                .is_none_or(|rest| rest.starts_with(['Z', 'X']));
            if read.is_ok() && !is_dead {
                found.push(format!("{name}: {line}"));
            }
        }
    }
    found
}

/// A bot whose processes end long after they were killed loses its next game, and nobody else
/// loses anything. Where it cannot even begin such a call, nothing happens.
pub fn slow_ends(namespaces: &Namespaces, host: Host) {
    use super::hostile_programs::{SLOW, SLOW_AT_LAST};
    const WARNING: &str = "slow_calls was slow to quit, and has no next game to lose for it";
    // A processor works one such call off, which takes less than what is allowed, before it looks at
    // anything else: two of them take more.
    const MORE: &str = "slots = 1\nthreads-per-bot = 2";
    let _plants = plant(namespaces, host);
    let tournament = Tournament::gauntlet(host, "slow", vec![&SLOW], SWIFT, MORE);
    let run = tournament.start(host);
    let said = tournament.finish(host, run);
    assert!(!said.contains(WARNING), "{said}");
    let logs = tournament.logs_of(SLOW.deed);
    let begins = logs.iter().any(|(_, log)| log.contains("begins it"));
    assert_eq!(begins, host.level == Level::Box, "{host:?} {logs:?}");
    let (mut own, mut slow) = (0, 0);
    for record in tournament.records() {
        let side = side_of(&record, SLOW.deed);
        match (side, &record.ending) {
            (Some(guilty), GameEnding::Fault(side, fault)) if guilty == *side => {
                own += 1;
                slow += u32::from(fault.kind == FaultKind::SlowToQuit);
            }
            (_, GameEnding::Rules(_)) => {}
            (_, ending) => panic!("{host:?} {}: {ending:?}", record.id),
        }
    }
    assert_eq!((slow > 0, own > 0), (begins, begins), "{host:?}");
    let table = fs::read_to_string(tournament.folder.join("faults.csv")).expect("faults");
    assert_eq!(table.contains("slow-to-quit"), begins, "{table}");
    let last = Tournament::gauntlet(host, "slow-last", vec![&SLOW_AT_LAST], SWIFT, MORE);
    let run = last.start(host);
    let said = last.finish(host, run);
    assert_eq!(said.contains(WARNING), begins, "{host:?} {said}");
    let is_by_rules = |it: &GameRecord| matches!(it.ending, GameEnding::Rules(_));
    assert!(last.records().iter().all(is_by_rules), "{host:?}");
}

/// Kills the processes of a run at random moments, with bots that leave daemons and are started
/// again for each game, and looks for survivors.
pub fn killings(namespaces: &Namespaces, host: Host) {
    let _plants = plant(namespaces, host);
    let families: Vec<&Villain> = VILLAINS
        .iter()
        .filter(|villain| ["daemon_family", "reforking"].contains(&villain.deed))
        .collect();
    let more = "slots = 2\nrestart = \"each-game\"";
    let mut random = ChaCha8Rng::seed_from_u64(64);
    for trial in 0..if is_full() { 200 } else { 20 } {
        let name = format!("killed-{trial}");
        let mut run = Tournament::gauntlet(host, &name, families.clone(), SWIFT, more).start(host);
        // From before there is a referee until bots have come and gone.
        std::thread::sleep(Duration::from_millis(u64::from(random.next_u32() % 400)));
        let inner: Vec<u32> = processes()
            .iter()
            .filter(|line| line.contains("__referee") || line.contains("__first-process"))
            .filter_map(|line| line.split(':').next()?.parse().ok())
            .collect();
        let whom = [run.id()].into_iter().chain(inner);
        // One of them, or all of them but for the last ones.
        let whom: Vec<u32> = match random.next_u32() % 3 {
            0 => whom.take(1).collect(),
            1 => whom.skip(1).take(1).collect(),
            _ => whom.collect(),
        };
        for pid in if whom.is_empty() {
            vec![run.id()]
        } else {
            whom
        } {
            let pid = Pid::from_raw(i32::try_from(pid).expect("a number")).expect("a process");
            let _ = kill_process(pid, Signal::KILL);
        }
        let _ = run.wait();
        let started = Instant::now();
        while !processes().is_empty() {
            let left = processes();
            assert!(started.elapsed() < SURVIVES, "trial {trial}: {left:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    // A run whose processes were all killed cannot clear up; the next run does.
    let last = Tournament::gauntlet(host, "last", Vec::new(), SWIFT, more);
    let text = fs::read_to_string(room("last.toml")).expect("what was written");
    let honest = "[[entrant]]\nname = \"honest\"\ncommand = [\"awale\", \"bot\", \"random\"]\n";
    write(&room("last.toml"), text + honest, 0o644);
    let run = last.start(host);
    last.finish(host, run);
    assert_eq!(groups_of_runs(namespaces), Vec::<PathBuf>::new());
    check_places(host);
}
