//! What strangers' folders of files may hold, and what becomes of them: nothing of a submission is
//! run or believed outside of a box, and what cannot be let in is one entrant's refusal.

use super::story::{Said, Story, USER, as_ordinary_user};
use crate::support::awale_command::AWALE;
use crate::support::skip::{is_here, skip, test_name};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What no bot may read.
const SECRET: &str = "the-key-of-the-organiser";

/// A bot that plays the first legal pit; before, it tells what it reads at the paths in `paths`.
const PLAYER: &str = include_str!("../bots/player.py");

/// A project with an honest bot, a secret of the organiser's, and a submission `mal` whose own
/// `python3` writes a file if it ever runs outside of a box.
fn project() -> Story {
    let story = Story::new();
    for folder in ["subs/ada", "subs/mal", "keys/bin"] {
        fs::create_dir_all(story.path(folder)).expect("a folder");
    }
    story
        .write("keys/id", SECRET)
        .write("subs/ada/weights", SECRET);
    let root = story.path("");
    let root = root
        .to_str()
        .expect("a path in UTF-8")
        .trim_end_matches('/');
    let canary = format!("id > {root}/canary\nid > {root}/subs/mal/canary\n");
    let program = format!("#!/bin/sh\n{canary}exec /usr/bin/python3 \"$@\"\n");
    story.write("subs/mal/python3", program);
    for bot in ["ada", "mal"] {
        story.write(&format!("subs/{bot}/real.py"), PLAYER);
        story.write(
            &format!("subs/{bot}/paths"),
            format!("{root}/keys/id {root}/subs/ada/weights"),
        );
    }
    story
}

/// A configuration of `mal`, with this command, and two others.
fn configure(story: &Story, command: &str, extra: &str) {
    story.write(
        "class.toml",
        format!(
            "[tournament]\npairs = 1\nslots = 1\nlogs = \"all\"\n[clock]\nmove = \"10s\"\n{extra}\n\
             [[entrant]]\nname = \"mal\"\ncommand = {command}\ndir = \"subs/mal\"\n\
             [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n\
             [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n"
        ),
    );
}

/// Every text below a folder that has these words.
fn files_with(folder: &Path, words: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, words));
        } else if fs::read(&path).is_ok_and(|text| String::from_utf8_lossy(&text).contains(words)) {
            found.push(path);
        }
    }
    found
}

/// Nothing of `mal` has run on the host, and it has read nothing that is not its own.
#[track_caller]
fn nothing_gained(story: &Story, what: &str) {
    for canary in ["canary", "subs/mal/canary"] {
        assert!(
            !story.path(canary).exists(),
            "{what}: it ran outside of a box"
        );
    }
    let told = files_with(&story.path("results"), SECRET);
    assert!(told.is_empty(), "{what}: it read a secret: {told:?}");
}

/// The first lines with which a script tries to name a program or a folder.
fn first_lines(root: &str) -> Vec<String> {
    vec![
        format!("#!{root}/subs/mal/python3"),
        "#!/usr/bin/env -S -u /proc/1/cwd/subs/mal/python3 python3 /bot/real.py".to_owned(),
        format!("#!/usr/bin/env -S -u {root}/subs/mal/python3 python3 /bot/real.py"),
        format!("#!/usr/bin/env -S -u {root}/keys/bin/x python3 /bot/real.py"),
        format!("#!{root}/subs/mal/second"),
        "#!/proc/self/cwd/subs/mal/python3".to_owned(),
        "#!/proc/self/cwd/python3".to_owned(),
        "#!./python3".to_owned(),
        format!("#!{root}/subs/ada/python3"),
        "#!/bot/python3".to_owned(),
    ]
}

#[test]
fn a_first_line_runs_and_binds_nothing() {
    let story = project();
    let root = story.path("");
    let root = root
        .to_str()
        .expect("a path")
        .trim_end_matches('/')
        .to_owned();
    story.write("subs/mal/second", format!("#!{root}/subs/mal/python3\n"));
    for (number, line) in first_lines(&root).iter().enumerate() {
        story.write("subs/mal/bot.py", format!("{line}\n{PLAYER}"));
        configure(&story, "[\"./bot.py\"]", "");
        for flag in ["--dry-run", "--dump-config"] {
            let said = story.ok(format!("run class.toml {flag}"));
            for place in ["keys", "subs"] {
                let folder = format!("{root}/{place}");
                let mut shown = said.stdout.lines().filter(|it| {
                    it.starts_with("toolchains") || it.starts_with("every bot may read")
                });
                assert!(
                    !shown.any(|it| it.contains(&folder)),
                    "{line}: {}",
                    said.stdout
                );
            }
            nothing_gained(&story, line);
        }
        let output = format!("results/{number}");
        let run = ["run", "class.toml", "--output", &output];
        story.ok(&run);
        nothing_gained(&story, line);
        let output = format!("results/landlock-{number}");
        let run = format!("run class.toml --isolation landlock --output {output}");
        if number < 3 {
            story.ok(&run);
            nothing_gained(&story, line);
        }
    }
}

#[test]
fn neither_check_nor_sprt_believes_a_first_line() {
    let story = project();
    let root = story.path("");
    let root = root
        .to_str()
        .expect("a path")
        .trim_end_matches('/')
        .to_owned();
    for line in [&first_lines(&root)[0], &first_lines(&root)[1]] {
        story.write("subs/mal/bot.py", format!("{line}\n{PLAYER}"));
        let within = |words: &[&str]| {
            let mut command = Command::new(AWALE);
            command.args(words).current_dir(story.path("subs/mal"));
            command.stdin(Stdio::null());
            Said::of(command.output().expect("awale starts"))
        };
        within(&["check", "./bot.py", "--only", "start"]);
        nothing_gained(&story, line);
        let sides = ["sprt", "--new", "./bot.py", "--base", "random"];
        for flags in [
            &["--dry-run"][..],
            &["--pairs", "1", "--output", "../../results/s"],
        ] {
            within(&[&sides[..], flags].concat());
            nothing_gained(&story, line);
        }
    }
}

#[test]
fn a_program_in_an_entrants_folder_is_never_asked() {
    let story = project();
    fs::create_dir_all(story.path("subs/mal/venv/bin")).expect("a folder");
    fs::copy(
        story.path("subs/mal/python3"),
        story.path("subs/mal/venv/bin/python"),
    )
    .expect("a copy");
    story.write("subs/mal/venv/pyvenv.cfg", "home = /usr/bin\n");
    symlink("python3", story.path("subs/mal/node")).expect("a link");
    for command in [
        "[\"./python3\", \"real.py\"]",
        "[\"./node\", \"real.py\"]",
        "[\"venv/bin/python\", \"real.py\"]",
        "[\"../mal/python3\", \"real.py\"]",
        "[\"../../subs/mal/venv/bin/python\", \"real.py\"]",
    ] {
        configure(&story, command, "");
        for flag in ["--dry-run", "--dump-config"] {
            story.ok(format!("run class.toml {flag}"));
            nothing_gained(&story, command);
        }
    }
    story.ok("run class.toml");
    nothing_gained(&story, "a run");
    // Without `dir`, what a command names is no longer believed.
    let text = story.read("class.toml").replace("dir = \"subs/mal\"\n", "");
    for command in [
        "[\"subs/mal/python3\", \"subs/mal/real.py\"]",
        "[\"subs/mal/venv/bin/python\", \"subs/mal/real.py\"]",
    ] {
        let from = text.find("command = ").expect("a command");
        let to = from + text[from..].find('\n').expect("an end");
        story.write(
            "class.toml",
            format!("{}command = {command}{}", &text[..from], &text[to..]),
        );
        story.ok("run class.toml --dry-run");
        nothing_gained(&story, command);
    }
}

/// A virtual environment beside the configuration is believed to be one, and not what it says.
#[test]
fn a_virtual_environment_names_no_home_beside_the_configuration() {
    let story = project();
    let root = story.path("");
    let root = root.to_str().expect("a path").trim_end_matches('/');
    fs::create_dir_all(story.path("venv/bin")).expect("a folder");
    for folder in ["venv/bin", "subs/mal"] {
        let program = story.path(folder).join("python");
        fs::copy(story.path("subs/mal/python3"), program).expect("a copy");
    }
    symlink(story.path("subs/mal"), story.path("keys/home")).expect("a link");
    for home in ["subs/mal", "venv/bin", "keys/home", "keys/../subs/mal"] {
        story.write("venv/pyvenv.cfg", format!("home = {root}/{home}\n"));
        configure(&story, "[\"venv/bin/python\", \"-m\", \"real\"]", "");
        let text = story.read("class.toml").replace("dir = \"subs/mal\"\n", "");
        story.write("class.toml", text);
        let said = story.run("run class.toml --dry-run");
        said.with_code(2).err_has("is not used as a toolchain");
        nothing_gained(&story, home);
    }
}

#[test]
fn what_path_names_in_an_entrants_folder_is_passed_over() {
    let story = project();
    configure(&story, "[\"python3\", \"real.py\"]", "");
    let folder = story.path("subs/mal");
    let path = std::env::var("PATH").expect("a PATH");
    for (first, flag) in [
        (folder.clone(), "--dry-run"),
        (story.path("link"), "--dump-config"),
    ] {
        if !first.exists() {
            symlink(&folder, &first).expect("a link");
        }
        let mut command = story.command(format!("run class.toml {flag}"));
        command.env("PATH", format!("{}:{path}", first.display()));
        let said = Said::of(command.output().expect("awale starts")).with_code(0);
        nothing_gained(&story, flag);
        if flag == "--dry-run" {
            said.out_has("lies in the folder of entrant \"mal\"");
        }
    }
}

/// What makes boxes is looked for before anything else.
#[test]
fn no_entrant_brings_the_program_that_makes_boxes() {
    let story = project();
    fs::rename(story.path("subs/mal/python3"), story.path("subs/mal/bwrap")).expect("a file");
    configure(&story, "[\"python3\", \"real.py\"]", "");
    let path = std::env::var("PATH").expect("a PATH");
    let folder = story.path("subs/mal");
    for words in [
        &["run", "class.toml"][..],
        &["run", "class.toml", "--dry-run"],
    ] {
        let mut command = story.command(words);
        command.env("PATH", format!("{}:{path}", folder.display()));
        let said = Said::of(command.output().expect("awale starts")).with_code(2);
        said.err_has("bwrap first, which lies in an entrant's folder");
        nothing_gained(&story, "bwrap");
    }
}

/// A link that leads to another's folder or file gives nothing of it.
#[test]
fn a_link_on_the_way_is_refused() {
    let story = project();
    symlink("../ada", story.path("subs/mal/to")).expect("a link");
    symlink("../../keys", story.path("subs/mal/bot")).expect("a link");
    symlink("../ada/real.py", story.path("subs/mal/copy.py")).expect("a link");
    configure(&story, "[\"python3\", \"real.py\"]", "");
    let text = story.read("class.toml");
    let command = "command = [\"python3\", \"real.py\"]\ndir = \"subs/mal\"";
    for other in [
        "command = [\"python3\", \"real.py\"]\ndir = \"subs/mal/to\"",
        "command = [\"python3\", \"id\"]\ndir = \"subs/mal/bot\"",
        "command = [\"python3\", \"subs/mal/to/real.py\"]",
        "command = [\"python3\", \"subs/mal/copy.py\"]",
        "command = [\"python3\", \"subs/mal/bot/id\"]",
    ] {
        assert!(text.contains(command));
        story.write("class.toml", text.replace(command, other));
        let said = story.ok("run class.toml --dry-run");
        said.out_has("not admitted: mal:").out_has("through a link");
    }
}

/// What a run was played with is compared with what is there.
#[test]
fn the_tree_is_part_of_the_plan() {
    let story = project();
    configure(&story, "[\"python3\", \"real.py\"]", "");
    story.ok("run class.toml");
    story.ok("verify results/class");
    story.ok("run results/class/plan.toml --dry-run");
    story.write("subs/mal/module.py", "x = 1\n");
    let said = story.ends(2, "run class.toml");
    said.err_has("tree-sha256");
    let said = story.ok("verify results/class");
    said.out_has("dir is on this machine with other contents");
    let plan = story.read("results/class/plan.toml");
    let line = plan
        .lines()
        .find(|it| it.starts_with("tree-sha256"))
        .expect("a hash");
    let other = plan.replace(line, "tree-sha256 = \"0\"");
    story.write("results/class/plan.toml", other);
    let said = story.ends(1, "verify results/class");
    said.out_has("the hash of dir of \"mal\"");
}

#[test]
fn the_hosts_own_files_are_no_programs() {
    let story = project();
    for program in [
        "/proc/self/exe",
        "/proc/1/cwd/bot",
        "/proc/self/root/bin/sh",
    ] {
        configure(&story, &format!("[\"{program}\"]"), "");
        story.ends(2, "run class.toml --dry-run").err_has("/proc");
    }
}

/// What becomes of a folder that a script `bot.py` lies in.
type Deed = fn(&Path);

/// Folders that cannot be let in, and what is said of them.
const UNFIT: [(&str, Deed); 6] = [
    ("\"side\" is a named pipe", |root| {
        make_pipe(&root.join("side"));
    }),
    (
        "bot.py is a named pipe or a socket, and no program",
        |root| {
            fs::remove_file(root.join("bot.py")).expect("a file");
            make_pipe(&root.join("bot.py"));
        },
    ),
    ("\"python\" is a named pipe", |root| {
        make_pipe(&root.join("python"));
        fs::write(root.join("bot.py"), "#!./python\n").expect("a file");
    }),
    ("\"s\" is a socket", |root| {
        drop(std::os::unix::net::UnixListener::bind(root.join("s")).expect("a socket"));
    }),
    ("64 folders deep", |root| {
        let deep = ["d"; 300].join("/");
        fs::create_dir_all(root.join(deep)).expect("folders");
    }),
    ("more than 1073741824 bytes", |root| {
        let file = fs::File::create(root.join("model")).expect("a file");
        file.set_len(10 << 30).expect("a hole");
    }),
];

/// A project in which something was done to the folder of `mal`.
fn project_after(deed: Deed) -> Story {
    let story = project();
    let script = format!("#!/usr/bin/env python3\n{PLAYER}");
    story.write("subs/mal/bot.py", script);
    deed(&story.path("subs/mal"));
    configure(&story, "[\"./bot.py\"]", "");
    story
}

/// The same for an organiser who is an ordinary user.
#[test]
fn an_ordinary_user_refuses_the_same() {
    for (reason, deed) in UNFIT {
        let story = project_after(deed);
        story.copy_awale();
        let Some(mut command) = as_ordinary_user(story.path("awale")) else {
            return;
        };
        command
            .args(["run", "class.toml"])
            .current_dir(story.path(""))
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null());
        story.give_to(USER);
        for again in [false, true] {
            let said = Said::of(command.output().expect("awale starts")).with_code(0);
            let said = said.out_has("mal was not admitted and plays no game");
            assert!(
                said.stdout.contains(reason),
                "{again} {reason}: {}",
                said.stdout
            );
        }
    }
}

/// An author who writes into the folder while the run begins stops no other, and is examined again
/// when that has ended.
#[test]
fn who_writes_into_his_folder_while_a_run_begins_is_refused_alone() {
    let story = project_after(|root| fs::write(root.join("notes"), "x").expect("a file"));
    let notes = story.path("subs/mal/notes");
    let is_over = AtomicBool::new(false);
    let run = ["run", "class.toml", "--update"];
    let mut said = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = fs::File::options().append(true).open(&notes).unwrap();
            while !is_over.load(Ordering::Relaxed) {
                file.write_all(b"x").unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        for _ in 0..2 {
            said.push(story.run(&run));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    for said in said {
        said.with_code(0)
            .out_has("mal was not admitted and plays no game")
            .out_has("changed while the run began");
    }
    let said = story.ok(&run);
    assert!(!said.stdout.contains("not admitted"), "{}", said.stdout);
    story.ok("verify results/class");
}

/// Each is refused by its name while the others play, and not again when the run goes on.
#[test]
fn what_cannot_be_let_in_is_one_entrants_refusal() {
    for (reason, deed) in UNFIT {
        let story = project_after(deed);
        let plan = story.run("run class.toml --dry-run");
        plan.with_code(0)
            .out_has("not admitted: mal:")
            .out_has(reason);
        for _ in 0..2 {
            let said = story.ok("run class.toml");
            said.out_has("mal was not admitted and plays no game");
        }
        let journal = story.read("results/class/games.jsonl");
        let lines = |kind: &str| journal.matches(&format!("\"kind\":\"{kind}\"")).count();
        assert_eq!((lines("admission"), lines("game")), (1, 2), "{journal}");
        let quoted = reason.replace('"', "\\\"");
        assert!(journal.contains(&quoted), "{reason}: {journal}");
        story.ok("verify results/class");
        let in_mode = |mode: &str| {
            let mode = format!("admission.mode={mode}");
            story.run(format!("run class.toml --set {mode} --output other"))
        };
        in_mode("required")
            .with_code(2)
            .err_has("nothing is played")
            .err_has(reason);
        fs::remove_dir_all(story.path("other")).expect("the folder of a run");
        in_mode("off").with_code(0).out_has("mal was not admitted");
        story.ok("verify other");
    }
}

fn make_pipe(path: &Path) {
    let rights = rustix::fs::Mode::RWXU;
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rights).expect("a named pipe");
}

/// The size counts for each entrant, and may be set for one.
#[test]
fn a_larger_submission_takes_the_organisers_word() {
    let story = project();
    story.write("subs/mal/model", vec![1; 3 << 20]);
    let limits = "[limits]\nsubmission-size = \"1MiB\"\n";
    configure(&story, "[\"python3\", \"real.py\"]", limits);
    story
        .ok("run class.toml --dry-run")
        .out_has("not admitted: mal: its folder")
        .out_has("submission-size");
    let text = story.read("class.toml");
    let own = "dir = \"subs/mal\"\nlimits = { submission-size = \"4MiB\" }";
    story.write("class.toml", text.replace("dir = \"subs/mal\"", own));
    let said = story.ok("run class.toml");
    assert!(!said.stdout.contains("not admitted"), "{}", said.stdout);
}

/// What an organiser has, bots find: a script's interpreter, a virtual environment in their own
/// folder, one beside the configuration, and a folder below /tmp, where these tests live.
#[test]
fn honest_bots_find_their_interpreters_and_models() {
    let story = project();
    fs::create_dir(story.path("models")).expect("a folder");
    story.write("models/net", "the-net");
    let net = story.path("models/net");
    story.write("subs/mal/paths", net.to_str().expect("a path"));
    story.write(
        "subs/mal/bot.py",
        format!("#!/usr/bin/env python3\n{PLAYER}"),
    );
    for folder in ["subs/mal/env", "env"] {
        let made = Command::new("python3")
            .args(["-m", "venv", "--without-pip", "--symlinks"])
            .arg(story.path(folder))
            .status();
        assert!(made.expect("python3").success());
    }
    fs::remove_file(story.path("subs/mal/python3")).expect("a file");
    for (number, (command, readable)) in [
        ("[\"./bot.py\"]", "readable = [\"models\"]"),
        (
            "[\"env/bin/python\", \"real.py\"]",
            "readable = [\"models\"]",
        ),
        (
            "[\"../../env/bin/python\", \"real.py\"]",
            "readable = [\"models\"]",
        ),
        ("[\"python3\", \"real.py\"]", "readable = [\"models\"]"),
    ]
    .into_iter()
    .enumerate()
    {
        configure(&story, command, &format!("[isolation]\n{readable}\n"));
        let output = format!("results/{number}");
        let said = story.ok(format!("run class.toml --output {output}"));
        assert!(
            !said.stdout.contains("not admitted"),
            "{command}: {}{}",
            said.stdout,
            said.stderr
        );
        let read = files_with(&story.path(&output).join("logs"), "the-net");
        assert!(!read.is_empty(), "{command}: it reads the model below /tmp");
    }
    let plan = story.read("results/2/plan.toml");
    let shown = plan
        .lines()
        .find(|line| line.starts_with("toolchains = ["))
        .expect("a list");
    assert!(
        shown.contains(story.path("env").to_str().expect("a path")),
        "{shown}"
    );
}

/// Its settings name a folder that has no `python`, as `/usr/bin` of Debian, and the bot runs in
/// the environment, at every level.
#[test]
fn a_virtual_environment_may_lead_to_a_python3() {
    if !is_here("/usr/bin/python3") {
        return;
    }
    let story = project();
    let home = tempfile::tempdir().expect("a folder elsewhere");
    symlink("/usr/bin/python3", home.path().join("python3")).expect("a link");
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).expect("rights");
    let made = Command::new("/usr/bin/python3")
        .args(["-m", "venv", "--without-pip", "--symlinks"])
        .arg(story.path("env"))
        .status();
    assert!(made.expect("python3").success());
    story.write(
        "env/pyvenv.cfg",
        format!("home = {}\n", home.path().display()),
    );
    let asserts = "import sys\nassert sys.prefix.endswith('/env')\n";
    story.write("subs/mal/real.py", format!("{asserts}{PLAYER}"));
    let absolute = story.path("env/bin/python").display().to_string();
    for level in ["box", "landlock"] {
        for program in ["../../env/bin/python", &absolute] {
            let command = format!("[\"{program}\", \"real.py\"]");
            configure(
                &story,
                &command,
                &format!("[isolation]\nlevel = \"{level}\"\n"),
            );
            let said = story.run("run class.toml --fresh");
            if said.stderr.contains("does not hold on this host") {
                skip(&test_name(), &format!("{level} does not hold here"));
                break;
            }
            let said = said.with_code(0);
            assert!(
                !said.stdout.contains("not admitted"),
                "{level}, {command}: {}{}",
                said.stdout,
                said.stderr
            );
        }
    }
}

#[test]
fn the_places_of_the_box_itself_are_refused_by_name() {
    let story = project();
    for (folder, said) in [
        ("/tmp", "a /tmp and a /dev/shm of its own"),
        ("/dev/shm", "a /tmp and a /dev/shm of its own"),
        ("/", "of its own"),
        ("/proc/self", "of the host's own"),
        ("/sys", "of the host's own"),
        ("/dev/pts", "of the host's own"),
        ("subs", "the folder of entrant \"mal\" lies there"),
    ] {
        configure(
            &story,
            "[\"python3\", \"real.py\"]",
            &format!("[isolation]\nlevel = \"box\"\nreadable = [\"{folder}\"]\n"),
        );
        let said_here = story.ends(2, "run class.toml --dry-run");
        assert!(
            said_here.stderr.contains(said),
            "{folder}: {}",
            said_here.stderr
        );
    }
}

/// What is done to the organiser's tools, and why their program is not run then; nothing if it is.
type ToolDeed = (&'static str, fn(&Path), Option<&'static str>);

fn set_mode(path: PathBuf, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

fn give(path: PathBuf) {
    lchown(path, Some(65534), Some(65534)).expect("root gives");
}

const TOOL_DEEDS: [ToolDeed; 9] = [
    ("nothing", |_| {}, None),
    (
        "a folder of everybody",
        |tools| set_mode(tools.join("bin"), 0o777),
        Some("everybody may write TOOLS/bin;"),
    ),
    (
        "a folder of everybody further up",
        |tools| set_mode(tools.to_owned(), 0o777),
        Some("everybody may write TOOLS;"),
    ),
    // As in /tmp, only the owner of a file changes its name.
    (
        "a sticky folder of everybody",
        |tools| set_mode(tools.join("bin"), 0o1777),
        None,
    ),
    (
        "a program of everybody",
        |tools| set_mode(tools.join("bin/python3"), 0o757),
        Some("everybody may write TOOLS/bin/python3;"),
    ),
    // The bit protects what a folder contains.
    (
        "a sticky program of everybody",
        |tools| set_mode(tools.join("bin/python3"), 0o1757),
        Some("everybody may write TOOLS/bin/python3;"),
    ),
    (
        "a stranger's folder",
        |tools| give(tools.to_owned()),
        Some("TOOLS belongs to the user 65534, not to root or you;"),
    ),
    (
        "a stranger's program",
        |tools| give(tools.join("bin/python3")),
        Some("TOOLS/bin/python3 belongs to the user 65534, not to root or you;"),
    ),
    (
        "a stranger's link",
        |tools| {
            fs::rename(tools.join("bin"), tools.join("real")).expect("a folder");
            symlink("real", tools.join("bin")).expect("a link");
            give(tools.join("bin"));
        },
        Some("TOOLS/bin belongs to the user 65534, not to root or you;"),
    ),
];

#[test]
fn only_a_program_that_nobody_else_may_change_is_asked() {
    for (what, deed, reason) in TOOL_DEEDS {
        if what.contains("stranger") && !rustix::process::geteuid().is_root() {
            skip(&test_name(), "only root gives files away");
            continue;
        }
        let story = Story::new();
        let tools = story.path("tools");
        fs::create_dir_all(tools.join("bin")).expect("a folder");
        let ran = story.path("ran");
        let program = format!(
            "#!/bin/sh\n: >{}\nexec /usr/bin/python3 \"$@\"\n",
            ran.display()
        );
        story.write("tools/bin/python3", program);
        deed(&tools);
        story.write("bot.py", PLAYER).write(
            "a.toml",
            "[tournament]\npairs = 1\n[[entrant]]\nname = \"ada\"\n\
             command = [\"python3\", \"bot.py\"]\n\
             [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n",
        );
        let mut command = story.command("run a.toml --dry-run");
        command.env("PATH", format!("{}/bin:/usr/bin:/bin", tools.display()));
        let said = Said::of(command.output().expect("awale starts"));
        assert_eq!(ran.exists(), reason.is_none(), "{what}: {}", said.stderr);
        if let Some(reason) = reason {
            let reason = reason.replace("TOOLS", &tools.display().to_string());
            said.with_code(2).err_has(&reason);
        }
    }
}
