//! Shards carried by the real things: GNU parallel, Slurm and HyperQueue, each started here in a folder
//! of its own. Workers and controllers are killed, and the tables are those of one run.

use super::story::{SECRET, SLOW, Said, Story, has, tables};
use crate::support::skip::{is_here, skip, test_name};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a carrier may take for what takes some seconds.
const PATIENCE: Duration = Duration::from_secs(240);

/// Looks at an idle queue after which its jobs are held, and do not only wait for the scheduler.
const IDLE_LOOKS: u32 = 40;

/// A run of three entrants, its tables by one run, and the scripts for a carrier.
struct Course {
    story: Story,
    one: Vec<Vec<Vec<String>>>,
}

impl Course {
    fn new(carrier: &str) -> Self {
        let story = Story::new();
        story.write("slow.sh", SLOW);
        story.write(
            "t.toml",
            format!(
                "[tournament]\n{SECRET}\npairs = 6\nslots = 1\nlogs = \"all\"\n[isolation]\n\
                 level = \"none\"\n[admission]\nmode = \"off\"\n[clock]\nmove = \"20s\"\n\
                 [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n\
                 [[entrant]]\nname = \"minimax\"\ncommand = [\"awale\", \"bot\", \"minimax\", \"--depth\", \"1\"]\n\
                 [[entrant]]\nname = \"slow\"\ncommand = [\"sh\", \"slow.sh\"]\ndeterministic = true\n"
            ),
        );
        story.ok("run t.toml --output results/one --quiet --i-trust-these-bots");
        let one = tables(&story.path("results/one"));
        let said = story.ok(format!(
            "shard t.toml --script {carrier} --together 6 --slots 1 --folder s --i-trust-these-bots"
        ));
        has(&said.stderr, "6 shards of 3 pairs");
        Self { story, one }
    }

    fn folder(&self) -> std::path::PathBuf {
        self.story.path("s")
    }

    /// Starts all shards by the script, with these variables.
    fn start(&self, variables: &[(&str, &str)]) -> Child {
        let mut start = Command::new("sh");
        start
            .arg(self.story.path("s/start.sh"))
            .stdin(Stdio::null());
        start.envs(variables.iter().copied());
        start.spawn().expect("a shell")
    }

    fn is_whole(&self) -> bool {
        (1..=6).all(|it| self.story.path(&format!("s/{it}.jsonl")).exists())
    }

    /// Waits until a shard is played in this folder, and kills one of its processes.
    fn kill_a_shard(&self) {
        let begun = Instant::now();
        let part = || {
            let entries = fs::read_dir(self.folder()).expect("a folder").flatten();
            let mut parts =
                entries.filter(|it| it.path().extension().is_some_and(|it| it == "part"));
            parts.any(|it| {
                let journal = fs::read_to_string(it.path().join("games.jsonl"));
                journal.is_ok_and(|it| it.contains("\"kind\":\"game\""))
            })
        };
        while !part() {
            assert!(
                begun.elapsed() < PATIENCE,
                "no shard begins: {}",
                self.logs()
            );
            sleep(Duration::from_millis(5));
        }
        kill_those_with(
            &self.folder().join("plan.json").display().to_string(),
            "shard",
        );
    }

    /// What carriers and shards have said.
    fn logs(&self) -> String {
        let entries = fs::read_dir(self.folder()).expect("a folder").flatten();
        let logs = entries.filter(|it| it.path().extension().is_some_and(|it| it == "log"));
        let texts = logs.map(|it| fs::read_to_string(it.path()).unwrap_or_default());
        texts.collect()
    }

    /// All shards are there in the end, and make the tables of one run.
    fn conclude(&self) {
        let begun = Instant::now();
        let mut merge = self.story.start("merge results/t s --watch");
        while merge.try_wait().expect("a process").is_none() {
            if begun.elapsed() > PATIENCE {
                let _ = merge.kill();
                panic!("shards are missing: {}", self.logs());
            }
            sleep(Duration::from_millis(50));
        }
        assert_eq!(tables(&self.story.path("results/t")), self.one);
        self.story.ok("verify results/t");
        let games = self.story.read("results/t/games.jsonl");
        assert_eq!(games.matches("\"kind\":\"game\"").count(), 36);
    }
}

/// Kills every process whose command line has both words, without a warning.
fn kill_those_with(word: &str, other: &str) {
    for entry in fs::read_dir("/proc").expect("proc").flatten() {
        let Ok(process) = entry.file_name().to_string_lossy().parse::<i32>() else {
            continue;
        };
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        let is_awale = line
            .split('\0')
            .next()
            .is_some_and(|it| it.ends_with("awale"));
        if is_awale && line.contains(word) && line.contains(other) {
            let process = rustix::process::Pid::from_raw(process).expect("a number");
            let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
        }
    }
}

/// A process that ends with the test.
struct Server(Child);

impl Server {
    fn start(command: &mut Command, log: &Path) -> Self {
        let log = fs::File::create(log).expect("a file");
        command.stdin(Stdio::null());
        command.stdout(log.try_clone().expect("a file")).stderr(log);
        Self(command.spawn().expect("a server"))
    }

    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

#[test]
fn gnu_parallel_carries_shards_and_a_killed_one_comes_again() {
    if !is_here("parallel") {
        return;
    }
    let course = Course::new("parallel");
    let mut started = course.start(&[]);
    course.kill_a_shard();
    let _ = started.wait().expect("a shell");
    if !course.is_whole() {
        // As the comment in the script says.
        let _ = course.start(&[]).wait().expect("a shell");
    }
    assert!(
        !course.story.path("s/job").exists(),
        "nothing is left to cancel"
    );
    course.conclude();
}

/// Single-node Slurm, without systemd.
struct Slurm {
    controller: Server,
    node: Server,
    munged: Server,
    folder: tempfile::TempDir,
}

impl Slurm {
    fn start() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("slurm")
            .tempdir_in("/tmp")
            .expect("a folder");
        let at = folder.path();
        for name in ["state", "spool"] {
            fs::create_dir(at.join(name)).expect("a folder");
        }
        fs::write(at.join("key"), [7; 1024]).expect("a key");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(at.join("key"), mode).expect("a mode");
        let path = at.display();
        // Ports that nobody else of this machine has.
        let ports = [(); 2].map(|()| {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            listener.local_addr().expect("an address").port()
        });
        fs::write(
            at.join("slurm.conf"),
            format!(
                "ClusterName=t\nSlurmctldHost=localhost\nSlurmctldPort={}\nSlurmdPort={}\n\
                 AuthType=auth/munge\nAuthInfo=socket={path}/munge.sock\nCredType=cred/munge\n\
                 SlurmUser=root\nSlurmdUser=root\nStateSaveLocation={path}/state\n\
                 SlurmdSpoolDir={path}/spool\nSlurmctldPidFile={path}/ctld.pid\n\
                 SlurmdPidFile={path}/d.pid\nProctrackType=proctrack/linuxproc\n\
                 TaskPlugin=task/none\nMpiDefault=none\nReturnToService=2\n\
                 SchedulerType=sched/builtin\nSelectType=select/cons_tres\n\
                 SelectTypeParameters=CR_CPU\nJobAcctGatherType=jobacct_gather/none\n\
                 AccountingStorageType=accounting_storage/none\nRequeueExit=1-255\n\
                 MaxArraySize=7\n\
                 NodeName=localhost CPUs=2 State=UNKNOWN\n\
                 PartitionName=p Nodes=localhost Default=YES MaxTime=INFINITE State=UP\n",
                ports[0], ports[1]
            ),
        )
        .expect("a configuration");
        let mut munged = Command::new("munged");
        munged.args(["--force", "--foreground"]);
        for (flag, file) in [
            ("--socket", "munge.sock"),
            ("--key-file", "key"),
            ("--pid-file", "munged.pid"),
            ("--seed-file", "seed"),
        ] {
            munged.arg(format!("{flag}={path}/{file}"));
        }
        let munged = Server::start(&mut munged, &at.join("munged.out"));
        let begun = Instant::now();
        while !at.join("munge.sock").exists() {
            assert!(begun.elapsed() < PATIENCE, "munged does not start");
            sleep(Duration::from_millis(10));
        }
        let controller = Self::controller(at);
        let node = Self::node(at);
        Self {
            controller,
            node,
            munged,
            folder,
        }
    }

    fn controller(at: &Path) -> Server {
        let mut controller = Command::new("slurmctld");
        controller
            .arg("-D")
            .env("SLURM_CONF", at.join("slurm.conf"));
        Server::start(&mut controller, &at.join("ctld.out"))
    }

    fn node(at: &Path) -> Server {
        let mut node = Command::new("slurmd");
        node.args(["-D", "-N", "localhost"])
            .env("SLURM_CONF", at.join("slurm.conf"));
        Server::start(&mut node, &at.join("d.out"))
    }

    fn conf(&self) -> String {
        self.folder.path().join("slurm.conf").display().to_string()
    }

    fn ask(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(arguments).env("SLURM_CONF", self.conf());
        command.output().expect("a program of Slurm")
    }

    fn await_node(&self) {
        let begun = Instant::now();
        loop {
            let said = self.ask("sinfo", &["-h", "-o", "%t"]);
            if String::from_utf8_lossy(&said.stdout).contains("idle") {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "the node is not idle");
            sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn slurm_carries_shards_through_kills_of_its_controller_and_its_node() {
    if !["munged", "slurmctld", "slurmd", "sbatch"]
        .iter()
        .all(|it| is_here(it))
    {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        skip(&test_name(), "only root runs slurmd");
        return;
    }
    let mut slurm = Slurm::start();
    slurm.await_node();
    let course = Course::new("slurm");
    let conf = slurm.conf();
    let started = course.start(&[("SLURM_CONF", &conf)]).wait();
    assert!(started.expect("a shell").success(), "sbatch");
    has(&course.story.read("s/job"), "slurm ");
    // The site takes arrays up to 6.
    let more = "shard t.toml --plan s/plan.json --script slurm --together 50 --slots 1 --folder more \
                --i-trust-these-bots";
    let said = course.story.command(more).env("SLURM_CONF", &conf).output();
    Said::of(said.expect("awale"))
        .with_code(0)
        .err_has("6 shards of 3 pairs");
    course.kill_a_shard();
    slurm.controller.kill();
    slurm.controller = Slurm::controller(slurm.folder.path());
    course.kill_a_shard();
    slurm.node.kill();
    slurm.node = Slurm::node(slurm.folder.path());
    // A site holds jobs whose node has died. They are started again, as the script says.
    let begun = Instant::now();
    let mut idle = 0;
    while !course.is_whole() && begun.elapsed() < PATIENCE {
        let queue = slurm.ask("squeue", &["-h", "-t", "running,completing,configuring"]);
        let is_idle = queue.status.success() && queue.stdout.is_empty();
        idle = if is_idle { idle + 1 } else { 0 };
        if idle == IDLE_LOOKS {
            idle = 0;
            slurm.ask("scancel", &["--full", "--user", "root"]);
            // It drains a node on which a job has outlived slurmd.
            slurm.ask(
                "scontrol",
                &["update", "nodename=localhost", "state=resume"],
            );
            let _ = course.start(&[("SLURM_CONF", &conf)]).wait();
        }
        sleep(Duration::from_millis(200));
    }
    course.conclude();
    slurm.munged.kill();
}

/// The server and workers of the package of Python, which has no `hq`.
const LOCAL_CLUSTER: &str = r#"
import os, sys, threading, time
from hyperqueue import Job
from hyperqueue.cluster import LocalCluster

folder, shards = sys.argv[1], int(sys.argv[2])
with LocalCluster() as cluster:
    cluster.start_worker()
    client = cluster.client()
    job = Job(max_fails=shards)
    for number in range(1, shards + 1):
        job.program(["sh", folder + "/job.sh", str(number)], env={"HQ_TASK_ID": str(number)})
    submitted = client.submit(job)
    try:
        client.wait_for_jobs([submitted])
    except Exception as error:
        print(error)
"#;

#[test]
fn hyperqueue_carries_shards() {
    let has_package = Command::new("python3")
        .args(["-c", "import hyperqueue.cluster"])
        .output()
        .is_ok_and(|it| it.status.success());
    if !has_package {
        skip(&test_name(), "no hyperqueue: pip install hyperqueue");
        return;
    }
    let course = Course::new("hyperqueue");
    course.story.write("cluster.py", LOCAL_CLUSTER);
    for _ in 0..3 {
        let mut cluster = Command::new("python3");
        cluster
            .arg(course.story.path("cluster.py"))
            .arg(course.folder())
            .arg("6");
        cluster
            .stdin(Stdio::null())
            .current_dir(course.story.path(""));
        let mut cluster = cluster.spawn().expect("python3");
        if !course.is_whole() {
            course.kill_a_shard();
        }
        let _ = cluster.wait();
        if course.is_whole() {
            break;
        }
    }
    course.conclude();
}
