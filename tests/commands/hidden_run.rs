//! Bots see nothing of the folder of their run, in whatever box they play.

use super::boxes::{FIRST_LEGAL_LOOP, await_boxes, broken, bubblewrap, path_with, with_path};
use super::story::{Said, Story, USER, as_ordinary_user};
use crate::support::awale_command::AWALE;
use std::fs::{self, Permissions};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;

/// Calls the abstract socket of its first argument, and lists the folder of its second.
const BOT: &str = r#"
import os, socket, sys
try:
    socket.socket(socket.AF_UNIX).connect("\0" + sys.argv[1])
except OSError:
    pass
try:
    print("sees", sorted(os.listdir(sys.argv[2])), file=sys.stderr, flush=True)
except OSError as error:
    print("sees", error.strerror, file=sys.stderr, flush=True)
"#;

fn bot() -> String {
    format!("{BOT}{FIRST_LEGAL_LOOP}")
}

/// A pair of two such bots with one slot.
fn story(socket: &str, more: &str) -> Story {
    let story = Story::new();
    let here = story.path("");
    let here = here.display();
    let entrant = |name: &str| {
        format!(
            "[[entrant]]\nname = \"{name}\"\n\
             command = [\"/usr/bin/python3\", \"bot.py\", \"{socket}\", \"{here}/results/a\"]\n"
        )
    };
    let configuration = format!(
        "[tournament]\npairs = 1\nslots = 1\nlogs = \"all\"\nmax-plies = 4\nstart-up = \"60s\"\n\
         [clock]\nmove = \"20s\"\n{more}{}{}",
        entrant("ada"),
        entrant("bob"),
    );
    story.write("bot.py", bot()).write("a.toml", configuration);
    story
}

/// Writes `b.toml`: the same at this level of isolation, with bots that may read one folder of the
/// story, and that list another one, the run's.
fn let_read(story: &Story, level: &str, readable: &str, run: &str) {
    let readable = story.path(readable);
    let readable = readable.display();
    let configuration = story.read("a.toml").replace("results/a", run);
    let isolation = format!("[isolation]\nlevel = \"{level}\"\nreadable = [\"{readable}\"]\n");
    story.write("b.toml", isolation + &configuration);
}

/// Plays it with another bubblewrap, which the script is.
fn played_with(story: &Story, script: &str) -> Said {
    let path = path_with(story, Some(script));
    let path = PathBuf::from(format!("{}:/usr/bin:/bin", path.display()));
    let arguments = ["run", "a.toml", "--quiet", "--i-trust-these-bots"];
    with_path(story, &path, &arguments).with_code(0)
}

/// What the bots said of the folder that they tried to list, a line for each start.
fn seen(story: &Story, run: &str) -> Vec<String> {
    let logs = fs::read_dir(story.path(run).join("logs")).unwrap();
    let logs = logs.map(|log| fs::read_to_string(log.unwrap().path()).unwrap());
    let logs: String = logs.collect();
    let said = logs.lines().filter(|line| line.contains("sees "));
    said.map(str::to_owned).collect()
}

#[test]
fn each_box_of_a_run_is_set_up_once() {
    let Some(bubblewrap) = bubblewrap() else {
        return;
    };
    // One for the self-test, and two for the pair. An examination takes two boxes for a bot against
    // itself, and one for `random`.
    for (mode, boxes) in [("off", 1 + 2), ("on", 1 + 2 * 3 + 2)] {
        let story = story("nobody", &format!("[admission]\nmode = \"{mode}\"\n"));
        // Each bot may be another user.
        let made = tempfile::tempdir().unwrap();
        fs::set_permissions(made.path(), Permissions::from_mode(0o777)).unwrap();
        let script = format!(
            "#!/bin/bash\nmktemp --tmpdir={} > /dev/null\nexec {} \"$@\"\n",
            made.path().display(),
            bubblewrap.display()
        );
        played_with(&story, &script);
        let counted = fs::read_dir(made.path()).unwrap().count();
        assert_eq!(counted, boxes, "{mode}");
        await_boxes(&story, 0);
    }
}

/// The bots may read a folder in which the run's folder is made. Root alone can reach it: where
/// bots are other users, they get another mount of it.
#[test]
fn a_run_is_hidden_in_what_its_bots_may_read() {
    if bubblewrap().is_none() {
        return;
    }
    let story = story("nobody", "[admission]\nmode = \"off\"\n");
    fs::create_dir_all(story.path("closed/open")).unwrap();
    fs::set_permissions(story.path("closed"), Permissions::from_mode(0o700)).unwrap();
    let_read(&story, "box", "closed/open", "closed/open/run");
    for more in [&[][..], &["--fresh"]] {
        let run = ["run", "b.toml", "--quiet", "--output", "closed/open/run"];
        let said = story.ok(&[&run, more].concat());
        // A box that cannot hide it fails, and its game is void.
        assert!(!said.stderr.contains("void"), "{}", said.stderr);
        let seen = seen(&story, "closed/open/run");
        assert_eq!(seen.len(), 2, "{seen:?}");
        let is_hidden = |line: &String| line.contains("sees []");
        assert!(seen.iter().all(is_hidden), "{more:?}: {seen:?}");
    }
}

/// In this box a bot would reach the host's abstract sockets.
#[test]
fn no_bot_runs_in_a_box_that_is_refused() {
    let Some(bubblewrap) = bubblewrap() else {
        return;
    };
    let name = format!("awale-hidden-run-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let listener = UnixListener::bind_addr(&address).unwrap();
    listener.set_nonblocking(true).unwrap();
    let story = story(&name, "[admission]\nmode = \"off\"\n");
    let without_network = "[ \"$1\" = --unshare-net ] && { shift; continue; }";
    played_with(&story, &broken(&bubblewrap, without_network));
    let plan = story.read("results/a/plan.toml");
    assert!(!plan.contains("level = \"box\""), "{plan}");
    let games = story.read("results/a/games.csv");
    let is_confined = plan.contains("level = \"landlock\"");
    assert!(
        !is_confined || listener.accept().is_err(),
        "a bot has called: {games}"
    );
    assert_eq!(seen(&story, "results/a").len(), 2, "{games}");
    await_boxes(&story, 0);
}

/// The way to the run's folder leads through one that is not there yet.
#[test]
fn a_run_is_hidden_whose_place_is_not_known_before() {
    if bubblewrap().is_none() {
        return;
    }
    let story = story("nobody", "[admission]\nmode = \"off\"\n");
    fs::create_dir_all(story.path("open")).unwrap();
    let_read(&story, "box", "open", "open/run");
    let run = ["run", "b.toml", "--quiet", "--output", "open/new/../run"];
    story.ok(&run);
    let seen = seen(&story, "open/run");
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen.iter().all(|it| it.contains("sees []")), "{seen:?}");
}

#[test]
fn a_run_that_its_bots_could_read_is_refused() {
    let story = story("nobody", "[admission]\nmode = \"off\"\n");
    let open = story.path("open");
    fs::create_dir_all(open.join("run/logs")).unwrap();
    for (level, readable, is_refused) in [
        ("box", "open/run", true),
        ("box", "open/run/logs", true),
        ("box", "open", false),
        ("landlock", "open", true),
        ("landlock", "open/run", true),
        ("none", "open/run", false),
    ] {
        let_read(&story, level, readable, "open/run");
        let run = [
            "run",
            "b.toml",
            "--quiet",
            "--i-trust-these-bots",
            "--output",
        ];
        let said = story.run(&[&run[..], &["open/run"]].concat());
        // The host may lack the level.
        let lacks = said.stderr.contains("does not hold on this host");
        let refused = said
            .stderr
            .contains("is the run's folder, and with the isolation");
        assert!(
            refused == is_refused || lacks,
            "{level} {readable}: {}",
            said.stderr
        );
        let has_begun = open.join("run/games.jsonl").exists();
        assert_eq!(has_begun, !is_refused && !lacks, "{level} {readable}");
        fs::remove_dir_all(open.join("run")).unwrap();
        fs::create_dir_all(open.join("run/logs")).unwrap();
    }
}

/// Their user cannot pass through the folder, and no cover can be made in it.
#[test]
fn bots_play_that_may_read_a_folder_which_they_cannot() {
    if bubblewrap().is_none() {
        return;
    }
    let story = story("nobody", "[admission]\nmode = \"off\"\n");
    for folder in ["closed", "open/closed"] {
        let shut = story.path(folder);
        fs::create_dir_all(&shut).unwrap();
        fs::set_permissions(&shut, Permissions::from_mode(0o700)).unwrap();
        let readable = folder.split('/').next().unwrap();
        let run = format!("{folder}/run");
        let_read(&story, "box", readable, &run);
        let said = story.run(format!("run b.toml --quiet --output {run}"));
        let said = said.with_code(0);
        assert!(!said.stderr.contains("void"), "{}", said.stderr);
        let seen = seen(&story, &run);
        assert_eq!(seen.len(), 2, "{seen:?}");
        assert!(!seen.iter().any(|it| it.contains("games")), "{seen:?}");
    }
}

/// In a box without rights process 1 cannot make the covers, and another kind of box is made.
#[test]
fn an_ordinary_user_plays_in_boxes_without_rights() {
    let Some(bubblewrap) = bubblewrap() else {
        return;
    };
    let story = story("nobody", "[admission]\nmode = \"off\"\n");
    let without_rights = "[ \"$1\" = --cap-add ] && { shift 2; continue; }";
    let path = path_with(&story, Some(&broken(&bubblewrap, without_rights)));
    let path = format!("{}:/usr/bin:/bin", path.display());
    story.give_to(USER);
    let Some(mut command) = as_ordinary_user(AWALE) else {
        return;
    };
    command
        .current_dir(story.path(""))
        .env("PATH", path)
        .args(["run", "a.toml", "--quiet"]);
    let said = Said::of(command.output().expect("awale starts")).with_code(0);
    let plan = story.read("results/a/plan.toml");
    assert!(plan.contains("level = \"box\""), "{plan}{}", said.stderr);
    await_boxes(&story, 0);
}
