//! The supervisor through the real binary: whichever process of a run is killed, and whenever, no
//! process that it started lives on and nothing is left; signals of a terminal count once.
//!
//! Every bot of a test carries a mark in its command line, its runaway children too. Nothing is
//! killed here but what carries the mark or the name of a run that the test has started.

use super::story::{Arguments, Said, Story};
use crate::support::awale_command::AWALE;
use crate::support::skip::{skip, test_name};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rustix::process::{
    Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A killed run is gone within 250 ms on an idle machine; a crowded one gets this long.
const PATIENCE: Duration = Duration::from_secs(20);
/// The hidden words of the processes between the user and the bots.
const ROLES: [&str; 3] = ["__gate", "__first-process", "__referee"];
/// A run of the evening's configuration, which has no isolation.
const RUN: [&str; 5] = [
    "run",
    "evening.toml",
    "--json",
    "--oversubscribe",
    "--i-trust-these-bots",
];

static MARKS: AtomicU32 = AtomicU32::new(0);

/// A configuration whose bots are marked.
struct Evening {
    story: Story,
    mark: String,
}

/// Processes that still carry the mark when a test fails are killed.
impl Drop for Evening {
    fn drop(&mut self) {
        for (pid, _) in processes(|line| line.contains(&self.mark)) {
            kill_if(pid, |line| line.contains(&self.mark));
        }
        let _ = fs::remove_dir_all(Path::new("/dev/shm").join(&self.mark));
    }
}

fn villain() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    let build = test.ancestors().nth(2).expect("the directory of the build");
    build.join("examples").join("villain")
}

impl Evening {
    /// Both bots follow a script of the villain's and leave runaways: one in a session of its own
    /// that has let go of every pipe, one that holds them.
    fn new(script: &str) -> Self {
        let number = MARKS.fetch_add(1, Ordering::Relaxed);
        let mark = format!("999.{}{number:05}", std::process::id());
        let story = Story::new();
        let free = "</dev/null >/dev/null 2>&1";
        let start = format!(
            "(setsid sh -c '(sleep {mark} & sleep {mark}) {free} &' &); sleep {mark} & \
             exec {} {script} never=mark:{mark}",
            villain().display()
        );
        let mut text = "[tournament]\npairs = 1000\nslots = 2\n[admission]\nmode = \"off\"\n\
             [isolation]\nlevel = \"none\"\n[clock]\nmove = \"10m\"\n"
            .to_owned();
        for name in ["ada", "bob"] {
            let command = format!("[\"sh\", \"-c\", '''{start}''']");
            let entrant = [
                "[[entrant]]\nname = \"",
                name,
                "\"\ncommand = ",
                &command,
                "\n",
            ];
            text += &entrant.concat();
        }
        story.write("evening.toml", text);
        // An ordinary user plays here too.
        let open = fs::Permissions::from_mode(0o777);
        fs::set_permissions(story.path("."), open).expect("permissions");
        Self { story, mark }
    }

    fn command(&self, more: impl Arguments) -> Command {
        let mut command = self.story.command(&RUN);
        command.args(more.words());
        command
    }

    /// Starts a run as leader of a process group, as a shell does.
    fn start(&self, more: impl Arguments) -> Child {
        let mut command = self.command(more);
        command.process_group(0).spawn().expect("awale starts")
    }

    #[track_caller]
    fn expect_no_process(&self, run: &str) {
        until(&format!("{} is gone, {run} too", self.mark), || {
            processes(|line| line.contains(&self.mark) || line.contains(run)).is_empty()
        });
        until(&format!("{run} has no folder left"), || {
            traces(run).is_empty()
        });
    }

    fn until_bots_run(&self) {
        until("the bots run", || {
            processes(|line| line.contains(&self.mark)).len() >= 8
        });
    }
}

#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "not so: {what}");
        sleep(Duration::from_millis(2));
    }
}

/// All processes whose command line is meant, words divided by blanks.
fn processes(is_meant: impl Fn(&str) -> bool) -> Vec<(Pid, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("/proc").flatten() {
        let pid = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        if let Some(pid) = pid.and_then(Pid::from_raw) {
            found.extend(
                command_line(pid)
                    .filter(|line| is_meant(line))
                    .map(|line| (pid, line)),
            );
        }
    }
    found
}

/// Nothing of a process that is gone, or that is dead and not yet buried.
fn command_line(pid: Pid) -> Option<String> {
    let line = fs::read(format!("/proc/{}/cmdline", pid.as_raw_pid())).ok()?;
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    (!line.is_empty()).then_some(line)
}

/// Kills a process if it is still who it was.
fn kill_if(pid: Pid, is_meant: impl Fn(&str) -> bool) -> bool {
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
        return false;
    };
    command_line(pid).is_some_and(|line| is_meant(&line))
        && pidfd_send_signal(&process, Signal::KILL).is_ok()
}

/// How the name of a process's run begins: with its number and when it began, as numbers are soon
/// given again.
fn run_of(outside: &Child) -> String {
    let fields = stat(Pid::from_child(outside)).expect("a process that is not yet buried");
    let started = &fields[19];
    format!("awale-{}-{started}-", outside.id())
}

/// The process of a run that has this part, once there is one.
fn part(outside: &Child, role: &str) -> Option<(Pid, String)> {
    let name = format!(" {{\"{role}\":{{\"run\":\"{}", run_of(outside));
    let found = processes(|line| line.contains(&name));
    // A child has its parent's command line until it has got a program of its own.
    let pids: Vec<Option<Pid>> = found.iter().map(|(pid, _)| Some(*pid)).collect();
    let mut parents = found
        .into_iter()
        .filter(|(pid, _)| !pids.contains(&parent(*pid)));
    parents.next()
}

/// What follows a process's name in its line of the host's, from its state on.
fn stat(pid: Pid) -> Option<Vec<String>> {
    let line = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    let fields = line.rsplit_once(") ")?.1.split(' ');
    Some(fields.map(str::to_owned).collect())
}

fn parent(pid: Pid) -> Option<Pid> {
    stat(pid)?[1].parse().ok().and_then(Pid::from_raw)
}

/// A run's control groups and temporary folders.
fn traces(run: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    below(Path::new("/sys/fs/cgroup"), 6, run, &mut found);
    below(&std::env::temp_dir(), 1, run, &mut found);
    below(Path::new("/dev/shm"), 1, run, &mut found);
    found
}

fn below(folder: &Path, depth: u32, run: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        if entry.file_name().to_string_lossy().starts_with(run) {
            found.push(entry.path());
        } else if depth > 1 {
            below(&entry.path(), depth - 1, run, found);
        }
    }
}

fn trials() -> u64 {
    if std::env::var_os("AWALE_FULL").is_some() {
        200
    } else {
        20
    }
}

/// Kills one of a run's processes with SIGKILL; the outer one where there is no other yet.
fn kill_one(outside: &mut Child, role: Option<&str>) {
    let name = run_of(outside);
    let found = role.and_then(|role| part(outside, role));
    let killed = found.is_some_and(|(pid, _)| kill_if(pid, |line| line.contains(&name)));
    if !killed {
        outside.kill().expect("a kill");
    }
}

/// SIGKILL at random moments, half of them while the run's processes are being started.
#[test]
fn no_process_outlives_a_killed_one() {
    let mut random = ChaCha8Rng::seed_from_u64(52);
    let evening = Evening::new("wait=wait:3");
    for trial in 0..trials() {
        let folder = format!("killed-{trial}");
        let mut outside = evening.start(format!("--output {folder}"));
        let run = run_of(&outside);
        let longest = if trial % 2 == 0 { 12_000 } else { 150_000 };
        sleep(Duration::from_micros(u64::from(
            random.next_u32() % longest,
        )));
        let victims = [None, Some(ROLES[1]), Some(ROLES[2]), Some(ROLES[0])];
        let victim = victims[(random.next_u32() % 4) as usize];
        kill_one(&mut outside, victim);
        if victim == Some(ROLES[0]) {
            // No process misses a gate that had done its work.
            sleep(Duration::from_micros(u64::from(random.next_u32() % 8_000)));
            outside.kill().expect("a kill");
        }
        let ended = outside.wait_with_output().expect("an end");
        assert!(!ended.status.success(), "trial {trial}: {victim:?}");
        evening.expect_no_process(&run);
    }
}

/// What killed a run's processes is told, and who lives on clears away what the run has.
#[test]
fn a_surviving_process_clears_away() {
    let evening = Evening::new("wait=wait:3");
    for victim in [None, Some(ROLES[1]), Some(ROLES[2])] {
        let mut outside = evening.start(&["--output", victim.unwrap_or("outside")]);
        evening.until_bots_run();
        let mut bystander = leave_traces(&evening, &outside);
        kill_one(&mut outside, victim);
        let run = run_of(&outside);
        let said = outside.wait_with_output().expect("an end");
        if victim.is_some() {
            let said = Said::of(said).with_code(137);
            said.err_has("killed by signal 9").err_has("goes on");
        }
        evening.expect_no_process(&run);
        if let Some(bystander) = &mut bystander {
            bystander.wait().expect("its end");
        }
    }
}

/// Makes what a sandbox makes under a run's name, with somebody in it who is marked.
fn leave_traces(evening: &Evening, outside: &Child) -> Option<Child> {
    let (_, line) = part(outside, ROLES[2]).expect("the referee runs");
    let run = line
        .split('"')
        .find(|word| word.starts_with(&run_of(outside)))
        .expect("its name");
    fs::create_dir(std::env::temp_dir().join(run)).expect("a folder");
    // The run has its groups by now: somebody in one of them, whom the first process cannot see.
    let groups = traces(run);
    let groups = groups.iter().filter(|it| it.starts_with("/sys/fs/cgroup"));
    let groups: Vec<PathBuf> = groups.map(|group| group.join("bystander")).collect();
    if groups.is_empty() {
        skip("traces in control groups", "none can be made here");
        return None;
    }
    let enter = |group: &PathBuf| {
        fs::create_dir(group).expect("a group");
        format!("echo 0 >'{}/cgroup.procs' && ", group.display())
    };
    let script: Vec<String> = groups.iter().map(enter).collect();
    let script = format!("{}exec sleep {}", script.concat(), evening.mark);
    let child = Command::new("sh").args(["-c", &script]).spawn();
    let child = child.expect("a shell");
    until("somebody is in the group", || {
        command_line(Pid::from_child(&child)).is_some_and(|line| line.starts_with("sleep"))
    });
    Some(child)
}

/// If no process of a run lives on to clear away, the next run does.
#[test]
fn the_next_run_clears_away() {
    let evening = Evening::new("wait=wait:3");
    let mut outside = evening.start("--output x");
    evening.until_bots_run();
    let mut bystander = leave_traces(&evening, &outside);
    let run = run_of(&outside);
    let (first, _) = part(&outside, ROLES[1]).expect("the first process");
    kill_process(Pid::from_child(&outside), Signal::STOP).expect("the outside is there");
    assert!(kill_if(first, |line| line.contains(&run)));
    outside.kill().expect("a kill");
    outside.wait().expect("its end");
    // The next run of all, that is: it may be another test's.
    // It takes a moment for that and no more, so that a busy host may need one more run.
    until("a next run has cleared away", || {
        let mut next = evening.start("--output x");
        let enough = Instant::now() + Duration::from_secs(2);
        while !traces(&run).is_empty() && Instant::now() < enough {
            sleep(Duration::from_millis(2));
        }
        next.kill().expect("a kill");
        next.wait().expect("its end");
        traces(&run).is_empty()
    });
    evening.expect_no_process(&run);
    if let Some(bystander) = &mut bystander {
        bystander.wait().expect("its end");
    }
}

/// Runaways end with the run that they ran away from.
#[test]
fn a_run_that_ends_leaves_no_runaways() {
    let evening = Evening::new("");
    let outside = evening.start("--pairs 1");
    let run = run_of(&outside);
    Said::of(outside.wait_with_output().expect("an end")).with_code(0);
    evening.expect_no_process(&run);
}

fn interrupt_group(child: &Child, kind: Signal) {
    kill_process_group(Pid::from_child(child), kind).expect("the group is there");
}

/// Waits for an event of a run that prints them.
fn await_event(child: &mut Child, event: &str) {
    let output = BufReader::new(child.stdout.as_mut().expect("its events"));
    let wanted = format!("\"event\":\"{event}\"");
    let mut lines = output.lines().map(|line| line.expect("a line"));
    assert!(lines.any(|line| line.contains(&wanted)), "no {event}");
}

/// Whether this process, and so whatever it starts, ignores a signal.
pub fn is_ignored_here(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").expect("our own state");
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .expect("a mask of signals");
    mask >> (signal.as_raw() - 1) & 1 == 1
}

/// A terminal sends Ctrl-C to the whole group; one must not be two, which would drop the game.
#[test]
fn an_interrupt_of_the_whole_group_counts_once() {
    // A program started with `nohup` ignores hang-ups, and so do the programs that it starts.
    let hangs_up = !is_ignored_here(Signal::HUP);
    let kinds = [Signal::INT, Signal::TERM, Signal::HUP];
    for kind in kinds
        .into_iter()
        .filter(|it| *it != Signal::HUP || hangs_up)
    {
        // Were it two, the second would come while the bot takes its time.
        let script = "move:0=touch:asked move:0=until:go move:1=wait:300 move:1=resign";
        let evening = Evening::new(script);
        let mut outside = evening.start("--slots 1");
        let run = run_of(&outside);
        until("the first game is played", || {
            evening.story.path("asked").exists()
        });
        interrupt_group(&outside, kind);
        await_event(&mut outside, "stopping");
        evening.story.write("go", "");
        Said::of(outside.wait_with_output().expect("an end"))
            .with_code(130)
            .err_has("1 of 2000 games are played");
        evening.expect_no_process(&run);
    }
}

#[test]
fn a_second_interrupt_drops_games_and_a_third_ends_all() {
    for (kind, more) in [Signal::INT, Signal::TERM]
        .map(|kind| [(kind, 1), (kind, 2)])
        .concat()
    {
        let evening = Evening::new("move:0=hang");
        let mut outside = evening.start("");
        let run = run_of(&outside);
        evening.until_bots_run();
        let begun = Instant::now();
        interrupt_group(&outside, kind);
        // Two at the same instant are one to the kernel.
        await_event(&mut outside, "stopping");
        for _ in 0..more {
            interrupt_group(&outside, kind);
            sleep(Duration::from_millis(300));
        }
        assert_eq!(outside.wait().expect("an end").code(), Some(130));
        // A grace of ten seconds would follow a single one.
        assert!(begun.elapsed() < Duration::from_secs(9), "{more}");
        evening.expect_no_process(&run);
    }
}

/// A service manager, or a user, may have nothing but SIGTERM.
#[test]
fn a_third_interrupt_ends_a_referee_that_does_not_answer() {
    for kind in [Signal::INT, Signal::TERM] {
        let evening = Evening::new("move:0=hang");
        let mut outside = evening.start("");
        let run = run_of(&outside);
        evening.until_bots_run();
        let (referee, _) = part(&outside, ROLES[2]).expect("the referee");
        kill_process(referee, Signal::STOP).expect("it lives");
        for _ in 0..3 {
            kill_process(Pid::from_child(&outside), kind).expect("it is not reaped");
            sleep(Duration::from_millis(100));
        }
        assert_eq!(outside.wait().expect("an end").code(), Some(130));
        evening.expect_no_process(&run);
    }
}

/// Some programs block signals while they start others, and forget it.
#[test]
fn a_run_does_not_inherit_blocked_signals() {
    let evening = Evening::new("");
    let mut command = Command::new("timeout");
    let blocking = ["--signal=KILL", "120", "env", "--block-signal", AWALE];
    command.args(blocking).args(RUN).args(["--pairs", "1"]);
    command.current_dir(evening.story.path("."));
    Said::of(command.output().expect("coreutils")).with_code(0);

    let evening = Evening::new("move:0=hang");
    let mut command = Command::new("env");
    command.args(["--block-signal", AWALE]).args(RUN);
    command
        .current_dir(evening.story.path("."))
        .stdout(Stdio::piped());
    let mut outside = command.stderr(Stdio::null()).spawn().expect("coreutils");
    let run = run_of(&outside);
    evening.until_bots_run();
    for _ in 0..2 {
        kill_process(Pid::from_child(&outside), Signal::TERM).expect("it is not reaped");
        sleep(Duration::from_millis(100));
    }
    assert_eq!(outside.wait().expect("an end").code(), Some(130));
    evening.expect_no_process(&run);
}

fn state(pid: Pid) -> Option<String> {
    stat(pid)?.into_iter().next()
}

/// Ctrl-Z stops referee and outside, as long as it takes; `fg` lets them go on. It does so twice.
#[test]
fn a_stopped_run_goes_on_without_forfeits() {
    // Slow enough that there are games to play when the first has been heard of.
    let evening = Evening::new("move:0=wait:200");
    let clock = "--set clock.move=1s --pairs 6 --slots 1";
    let mut outside = evening.start(clock);
    await_event(&mut outside, "game");
    let (referee, _) = part(&outside, ROLES[2]).expect("the referee");
    for stop in [1500, 100] {
        interrupt_group(&outside, Signal::TSTP);
        for pid in [referee, Pid::from_child(&outside)] {
            until("it stands", || state(pid).as_deref() == Some("T"));
        }
        sleep(Duration::from_millis(stop));
        assert_eq!(state(referee).as_deref(), Some("T"));
        interrupt_group(&outside, Signal::CONT);
        until("it goes on", || state(referee).as_deref() != Some("T"));
    }
    let run = run_of(&outside);
    Said::of(outside.wait_with_output().expect("an end")).with_code(0);
    let games = evening.story.read("results/evening/games.csv");
    assert_eq!(games.lines().count(), 1 + 2 * 6);
    let journal = evening.story.read("results/evening/games.jsonl");
    assert!(!journal.contains("timeout"), "{journal}");
    evening.expect_no_process(&run);
}

/// A stop that is over at once must not last until somebody looks.
#[test]
fn a_stop_and_its_end_at_once_leave_a_run_that_plays() {
    let evening = Evening::new("move:0=wait:50");
    let mut outside = evening.start("--pairs 2 --slots 1");
    await_event(&mut outside, "game");
    for _ in 0..3 {
        interrupt_group(&outside, Signal::TSTP);
        interrupt_group(&outside, Signal::CONT);
    }
    let run = run_of(&outside);
    Said::of(outside.wait_with_output().expect("an end")).with_code(0);
    evening.expect_no_process(&run);
}

/// The leader of a session has no shell that could continue it: a container's only program.
#[test]
fn a_stop_that_nobody_could_end_is_ignored() {
    let evening = Evening::new("move:0=wait:100");
    let mut command = Command::new("setsid");
    command
        .arg(AWALE)
        .args(RUN)
        .args(["--pairs", "1", "--slots", "1"]);
    command
        .current_dir(evening.story.path("."))
        .stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut outside = command.spawn().expect("it starts");
    await_event(&mut outside, "started");
    let run = run_of(&outside);
    interrupt_group(&outside, Signal::TSTP);
    Said::of(outside.wait_with_output().expect("an end")).with_code(0);
    evening.expect_no_process(&run);
}

/// A control group to move programs to, unless nobody may make one here.
struct Elsewhere(PathBuf);

impl Elsewhere {
    fn new() -> Option<Self> {
        let name = format!("moved-{}", std::process::id());
        let roots = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"].map(Path::new);
        let mut folders = roots.map(|root| root.join(&name)).into_iter();
        folders.find_map(|folder| fs::create_dir(&folder).is_ok().then_some(Self(folder)))
    }

    fn take(&self, program: &Child) -> bool {
        fs::write(self.0.join("cgroup.procs"), program.id().to_string()).is_ok()
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// Whoever puts a run into a control group, as batch systems do, finds it there afterwards.
#[test]
fn a_run_stays_in_the_control_group_that_it_is_put_into() {
    let Some(elsewhere) = Elsewhere::new() else {
        return skip(&test_name(), "no control group may be made here");
    };
    let evening = Evening::new("move:0=wait:100");
    for later in 0..20 {
        let mut outside = evening.start(format!("--output run-{later}"));
        sleep(Duration::from_millis(later));
        assert!(elsewhere.take(&outside), "cannot move it");
        sleep(Duration::from_millis(40));
        let groups = fs::read_to_string(format!("/proc/{}/cgroup", outside.id()));
        let name = elsewhere.0.file_name().and_then(|name| name.to_str());
        let stays = groups.is_ok_and(|groups| groups.contains(name.expect("a name")));
        outside.kill().expect("a kill");
        outside.wait().expect("its end");
        assert!(stays, "moved after {later} ms");
    }
}

/// In a container whose group is its host's, a shell of the host stops the run and continues it.
#[test]
fn a_stop_from_outside_the_namespace_is_obeyed() {
    let evening = Evening::new("move:0=wait:100");
    // The first process of a namespace could not stop.
    let namespace = "unshare --user --map-root-user --pid --fork --mount-proc sh -c";
    let mut wrap: Vec<&str> = namespace.split(' ').collect();
    wrap.push("\"$0\" \"$@\"; exit $?");
    let more = ["--pairs", "1", "--slots", "1", "--output", &evening.mark];
    let Some(mut command) = wrapped(&evening, &wrap, &more) else {
        return;
    };
    let mut outside = command.spawn().expect("it starts");
    await_event(&mut outside, "started");
    let is_parent =
        |line: &str| line.starts_with(&format!("{AWALE} run ")) && line.contains(&evening.mark);
    let parent = processes(is_parent)[0].0;
    interrupt_group(&outside, Signal::TSTP);
    until("it stands", || state(parent).as_deref() == Some("T"));
    interrupt_group(&outside, Signal::CONT);
    Said::of(outside.wait_with_output().expect("an end")).with_code(0);
}

/// A command through other programs; nothing, and a word about it, where they do not work.
fn wrapped(evening: &Evening, wrap: &[&str], more: &[&str]) -> Option<Command> {
    let able = Command::new(wrap[0])
        .args(&wrap[1..])
        .args([AWALE, "--version"])
        .stderr(Stdio::null())
        .output();
    if !able.is_ok_and(|output| output.status.success()) {
        let reason = format!("{} does not work here", wrap.join(" "));
        skip(&test_name(), &reason);
        return None;
    }
    let mut command = Command::new(wrap[0]);
    command.args(&wrap[1..]).arg(AWALE);
    command.args(RUN);
    command.args(more).current_dir(evening.story.path("."));
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::piped()).process_group(0);
    Some(command)
}

#[test]
fn an_ordinary_user_is_guarded_too() {
    if !rustix::process::geteuid().is_root() {
        return skip(&test_name(), "every test of an ordinary user is one");
    }
    let user = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
    ];
    let evening = Evening::new("wait=wait:3");
    for (trial, victim) in [None, Some(ROLES[1]), Some(ROLES[2])]
        .into_iter()
        .enumerate()
    {
        let Some(mut command) = wrapped(&evening, &user, &["--output", &trial.to_string()]) else {
            return;
        };
        let mut outside = command.spawn().expect("it starts");
        evening.until_bots_run();
        let (referee, line) = part(&outside, ROLES[2]).expect("the referee");
        assert!(line.contains("\"kind\":\"namespace\""), "{line}");
        let status = format!("/proc/{}/status", referee.as_raw_pid());
        let status = fs::read_to_string(status).expect("its status");
        assert!(status.contains("CapEff:\t0000000000000000"), "{status}");
        assert!(status.contains("CapPrm:\t0000000000000000"), "{status}");
        kill_one(&mut outside, victim);
        let run = run_of(&outside);
        outside.wait_with_output().expect("an end");
        evening.expect_no_process(&run);
    }
}

/// A user who may start few processes and threads is told so.
#[test]
fn a_host_that_refuses_threads_is_no_panic() {
    let evening = Evening::new("");
    for most in 1..=6 {
        let limit = format!("--nproc={most}");
        let user = [
            "setpriv",
            "--reuid=64999",
            "--regid=64999",
            "--clear-groups",
            "prlimit",
            &limit,
        ];
        let more = ["--output", &format!("run-{most}"), "--isolation", "box"];
        let Some(mut command) = wrapped(&evening, &user, &[&more[..], &["--pairs", "1"]].concat())
        else {
            return;
        };
        let outside = command.spawn().expect("it starts");
        let run = run_of(&outside);
        let output = outside.wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("panicked"), "{most} processes: {said}");
        evening.expect_no_process(&run);
    }
}

/// A user namespace in which no process may make a PID namespace.
const WITHOUT_NAMESPACES: [&str; 6] = [
    "unshare",
    "--user",
    "--map-root-user",
    "sh",
    "-c",
    "for kind in pid user; do echo 0 >/proc/sys/user/max_${kind}_namespaces || exit; done; \
     exec \"$0\" \"$@\"",
];

#[test]
fn without_namespaces_a_subreaper_guards_and_says_so() {
    let evening = Evening::new("");
    let Some(mut command) = wrapped(&evening, &WITHOUT_NAMESPACES, &["--pairs", "1"]) else {
        return;
    };
    let outside = command.spawn().expect("it starts");
    let run = run_of(&outside);
    Said::of(outside.wait_with_output().expect("an end"))
        .with_code(0)
        .out_has("no PID namespace");
    evening.expect_no_process(&run);

    let evening = Evening::new("wait=wait:3");
    let start = |folder| {
        let command = wrapped(&evening, &WITHOUT_NAMESPACES, &["--output", folder]);
        let outside = command.expect("as before").spawn().expect("it starts");
        evening.until_bots_run();
        outside
    };
    let mut outside = start("referee-killed");
    let run = run_of(&outside);
    kill_one(&mut outside, Some(ROLES[2]));
    Said::of(outside.wait_with_output().expect("an end")).with_code(137);
    evening.expect_no_process(&run);

    let mut outside = start("interrupted");
    let run = run_of(&outside);
    for _ in 0..3 {
        interrupt_group(&outside, Signal::INT);
        sleep(Duration::from_millis(100));
    }
    assert_eq!(outside.wait().expect("an end").code(), Some(130));
    evening.expect_no_process(&run);

    // Not covered: runaways live. The referee and its bots end all the same.
    let mut outside = start("outside-killed");
    let run = run_of(&outside);
    outside.kill().expect("a kill");
    outside.wait().expect("its end");
    until("referee and bots are gone", || {
        let left = processes(|line| line.contains(&evening.mark) || line.contains(&run));
        left.iter().all(|(_, line)| line.starts_with("sleep "))
    });
}

/// A shell that is replaced by `awale` leaves it children that are none of its business.
#[test]
fn an_earlier_child_is_left_alone() {
    let evening = Evening::new("move:0=resign");
    let without = WITHOUT_NAMESPACES;
    for wrap in [&["sh", "-c", "exec \"$0\" \"$@\""][..], &without] {
        let stranger = format!("{}9", evening.mark.replace("999.", "998."));
        let script = wrap.last().expect("a script").replace(
            "exec",
            &format!("sleep {stranger} </dev/null >/dev/null 2>&1 & exec"),
        );
        let wrap = [&wrap[..wrap.len() - 1], &[script.as_str()]].concat();
        let Some(mut command) = wrapped(&evening, &wrap, &["--pairs", "1"]) else {
            continue;
        };
        let outside = command.spawn().expect("it starts");
        let run = run_of(&outside);
        Said::of(outside.wait_with_output().expect("an end")).with_code(0);
        let is_stranger = |line: &str| line.contains(&stranger);
        let strangers = processes(is_stranger);
        // One of the trial whether the wrap works, one of the run itself.
        assert_eq!(strangers.len(), 2, "{wrap:?}");
        for (pid, _) in strangers {
            assert!(kill_if(pid, is_stranger));
        }
        evening.expect_no_process(&run);
    }
}

/// Shared memory is the run's own, unless the user's files are there.
#[test]
fn what_is_written_to_shared_memory_stays() {
    let evening = Evening::new("move:0=resign");
    let place = Path::new("/dev/shm").join(&evening.mark);
    if fs::create_dir(&place).is_err() {
        return skip(&test_name(), "no folder can be made in /dev/shm");
    }
    let output = place.to_str().expect("UTF-8");
    let said = evening
        .command(format!("--pairs 1 --output {output}"))
        .output();
    Said::of(said.expect("awale starts")).with_code(0);
    assert!(place.join("games.csv").exists());
    let link = evening.story.path("link");
    std::os::unix::fs::symlink(&place, &link).expect("a link");
    let said = evening.command("--pairs 1 --output link").output();
    Said::of(said.expect("awale starts")).with_code(0);
    // Led there unseen: refused, not lost.
    std::os::unix::fs::symlink("/dev/shm", evening.story.path("shm")).expect("a link");
    let output = format!("--output=shm/{}x", evening.mark);
    let said = evening.command(format!("--pairs 1 {output}")).output();
    Said::of(said.expect("awale starts"))
        .with_code(2)
        .err_has("would be lost")
        .err_has("--output");
    fs::remove_dir_all(&place).expect("the folder");
}

/// Standard input is the user's own.
#[test]
fn a_configuration_may_come_through_standard_input() {
    let evening = Evening::new("move:0=resign");
    let text = evening.story.read("evening.toml");
    let words = [
        "run",
        "/dev/stdin",
        "--pairs",
        "1",
        "--output",
        "x",
        "--i-trust-these-bots",
    ];
    evening
        .story
        .run_with_input(&words, text.as_bytes())
        .with_code(0);
}
