//! Runs in a container with little memory and few processes: a bot pays for its own limit alone.

use super::story::{SECRET, Said, Story, USER};
use crate::support::awale_command::AWALE;
use crate::support::container::Container;
use crate::support::skip::{skip, test_name};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

/// A bot that keeps memory, processes or threads from its first turn on, and plays its first legal
/// pit. Its words: `memory MIB`, `children COUNT MIB` or `threads COUNT`.
const KEEPER: &str = include_str!("../bots/keeper.py");

/// What a run in a container said, what each entrant was blamed for, and its games that were void.
struct Played {
    said: Said,
    blamed: BTreeMap<String, String>,
    voids: String,
}

/// Two keepers play two games in a container with so much memory and 90 processes, beside strangers
/// that say when they have what they want; as an ordinary user without control groups, if there is
/// one.
fn play(
    words: [&str; 2],
    mebibytes: u64,
    strangers: &[&[&str]],
    user: Option<&str>,
) -> Option<Played> {
    let container = match Container::new("small-host", mebibytes << 20, 90) {
        Ok(container) => container,
        Err(reason) => {
            skip(&test_name(), &reason);
            return None;
        }
    };
    let story = Story::new();
    let entrant = |name: &str, words: &str| {
        let words: Vec<String> = words.split(' ').map(|word| format!("{word:?}")).collect();
        let command = format!("\"/usr/bin/python3\", \"keeper.py\", {}", words.join(", "));
        format!("[[entrant]]\nname = \"{name}\"\ncommand = [{command}]\n")
    };
    let settings = format!(
        "[tournament]\n{SECRET}\npairs = 1\nmax-plies = 6\nslots = 2\n[clock]\nmove = \"5s\"\n\
         [admission]\nmode = \"off\"\n"
    );
    let entrants = [entrant("honest", words[0]), entrant("greedy", words[1])];
    story
        .write("keeper.py", KEEPER)
        .write("a.toml", settings + &entrants.concat());
    let strangers: Vec<Child> = strangers.iter().map(|it| begin(&container, it)).collect();
    let mut line = vec![AWALE, "run", "a.toml", "--oversubscribe"];
    if let Some(user) = user {
        story.copy_awale();
        story.give_to(user);
        let become_user = [
            "setpriv",
            "--reuid",
            user,
            "--regid",
            user,
            "--clear-groups",
        ];
        line.splice(0..1, become_user.into_iter().chain(["./awale"]));
    }
    let mut command = container.command(&line);
    command.current_dir(story.path("")).stdin(Stdio::null());
    let said = Said::of(command.output().expect("a shell"));
    for mut stranger in strangers {
        stranger.kill().expect("our own child");
        stranger.wait().expect("its end");
    }
    let left = container.remove();
    assert!(
        left.is_empty(),
        "control groups are left: {left:?}\n{}",
        said.stderr
    );
    let journal = std::fs::read_to_string(story.path("results/a/games.jsonl"));
    let games = journal.unwrap_or_default();
    let voids = games.lines().filter(|line| line.contains("\"void\""));
    let voids = voids.map(str::to_owned).collect();
    Some(Played {
        said,
        blamed: blamed(&story),
        voids,
    })
}

/// The rows of faults by entrant.
fn blamed(story: &Story) -> BTreeMap<String, String> {
    let Ok(mut faults) = csv::Reader::from_path(story.path("results/a/faults.csv")) else {
        return BTreeMap::new();
    };
    let row = |row: csv::StringRecord| {
        let words: Vec<&str> = row.iter().collect();
        (row[0].to_owned(), words.join(" "))
    };
    faults.records().map(|it| row(it.expect("a row"))).collect()
}

/// Starts a stranger in the container and waits for its first line.
fn begin(container: &Container, words: &[&str]) -> Child {
    let mut stranger = container.command(words);
    let mut stranger = stranger.stdout(Stdio::piped()).spawn().expect("a stranger");
    let mut line = String::new();
    let output = stranger.stdout.as_mut().expect("a pipe");
    BufReader::new(output)
        .read_line(&mut line)
        .expect("its line");
    stranger
}

/// Both together are within the limits that were typed, and not within those of the container.
#[test]
fn a_greedy_bot_in_a_container_meets_its_own_limit() {
    let Some(played) = play(["memory 100", "children 8 45"], 420, &[], None) else {
        return;
    };
    let words = [
        "allow 420MiB of memory, less than 64MiB for awale and 512MiB + 512MiB for the bots of",
        "each slot: 1 of 2 slots in use, and `memory` is at most 178MiB; the control groups",
        "allow 90 processes and threads, less than 32 for awale and 64 + 64 for the bots of each",
        "slot: 1 of 1 slots in use, and `processes` is at most 29",
    ];
    let said = played.said.with_code(0);
    words.into_iter().fold(said, Said::err_has);
    let fault = "memory-limit used more than its memory limit of 178 MiB";
    assert!(
        played.blamed["greedy"].contains(fault),
        "{:?}",
        played.blamed
    );
    assert_eq!(played.blamed.len(), 1, "{:?}", played.blamed);
    assert_eq!(played.voids, "");
}

#[test]
fn bots_within_what_a_container_has_play_in_it() {
    for words in [["memory 60", "memory 60"], ["threads 20", "children 10 1"]] {
        let Some(played) = play(words, 420, &[], None) else {
            return;
        };
        played.said.with_code(0);
        assert_eq!(played.blamed, BTreeMap::new());
        assert_eq!(played.voids, "");
    }
}

#[test]
fn a_container_that_is_too_small_is_refused() {
    let Some(played) = play(["memory 1", "memory 1"], 96, &[], None) else {
        return;
    };
    played
        .said
        .with_code(2)
        .err_has("leaves less than 32MiB for each of two bots");
}

#[test]
fn processes_that_strangers_take_in_a_container_are_not_the_bots_fault() {
    let sleeper: &[&str] = &["sh", "-c", "echo ready; exec sleep 600"];
    let Some(played) = play(["threads 20", "threads 0"], 420, &[sleeper; 62], None) else {
        return;
    };
    assert_eq!(played.blamed, BTreeMap::new(), "{}", played.said.stderr);
    let cause = "refused a process or thread to a bot";
    assert!(played.voids.contains(cause), "{}", played.voids);
}

/// With control groups of its own, and without any.
#[test]
fn memory_that_strangers_take_in_a_container_is_not_the_bots_fault() {
    const HOG: &str = "import time; x = bytearray(300 << 20); x[::4096] = b'x' * 76800; \
                       print(flush=True); time.sleep(600)";
    let hog: &[&str] = &["/usr/bin/python3", "-c", HOG];
    for user in [None, Some(USER)] {
        let Some(played) = play(["memory 100", "memory 1"], 420, &[hog], user) else {
            return;
        };
        assert_eq!(
            played.blamed,
            BTreeMap::new(),
            "{user:?}: {}",
            played.said.stderr
        );
        let cause = "ran out of memory and killed 1 process of a bot";
        assert!(played.voids.contains(cause), "{user:?}: {}", played.voids);
    }
}
