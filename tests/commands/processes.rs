//! Processes where no control group counts them: who takes those of all, and who hides its time in
//! them.

use super::boxes::boxes_work;
use super::story::{Said, Story, as_user, has};
use crate::support::skip::{skip, test_name};
use std::process::Stdio;

/// A run at level `none` as an ordinary user of its own, whom nothing limits but the referee and,
/// if that is given, a number of processes.
struct LonerRun {
    story: Story,
    said: Said,
    journal: String,
}

impl LonerRun {
    /// `None` where this process cannot become that user.
    fn new(user: &str, most: Option<u32>, bot: &str, configuration: &str) -> Option<Self> {
        let story = Story::new();
        let mut command = as_user(user, "prlimit")?;
        story.copy_awale();
        story.write("bot.py", bot).write("a.toml", configuration);
        story.give_to(user);
        let said = command
            .args(most.map(|most| format!("--nproc={most}:{most}")))
            .args(["./awale", "run", "a.toml", "--oversubscribe"])
            .args(["--isolation", "none", "--i-trust-these-bots"])
            .current_dir(story.path(""))
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null())
            .output();
        Some(Self {
            said: Said::of(said.expect("awale starts")),
            journal: story.read("results/a/games.jsonl"),
            story,
        })
    }

    /// The lines of games in the journal.
    fn games(&self) -> Vec<&str> {
        let lines = self.journal.lines();
        lines.filter(|line| line.contains("\"ending\"")).collect()
    }

    /// For messages.
    fn everything(&self) -> String {
        format!("{}\n{}", self.journal, self.said.stderr)
    }
}

/// An entrant that is `bot.py` with these arguments.
fn entrant(name: &str, arguments: &str) -> String {
    let words = ["/usr/bin/python3", "bot.py"].into_iter();
    let command: Vec<&str> = words.chain(arguments.split_whitespace()).collect();
    format!("[[entrant]]\nname = \"{name}\"\ncommand = {command:?}\n")
}

const RANDOM: &str = "[[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n";

/// Takes all processes that its user may have, and plays on.
const HOG: &str = include_str!("../bots/hog.py");

/// Bots and referee of an ordinary user have one limit of processes together.
#[test]
fn a_bot_that_takes_all_processes_of_the_user_loses() {
    let settings = "[tournament]\npairs = 1\nslots = 1\nrestart = \"each-game\"\nmax-plies = 4\n\
                    [admission]\nmode = \"off\"\n[clock]\nmove = \"5s\"\n";
    let configuration = [settings, &entrant("hog", ""), RANDOM].concat();
    let Some(run) = LonerRun::new("65123", Some(40), HOG, &configuration) else {
        return;
    };
    let games = run.games();
    let lost = games.iter().find(|line| line.contains("blocks-starts"));
    let lost = lost.unwrap_or_else(|| panic!("{}", run.everything()));
    for part in [
        "\"id\":\"hog~random.1.1\"",
        "\"ending\":{\"fault\":[\"south\",{\"kind\":\"blocks-starts\"",
        "3 times a bot could be started as soon as the processes of this one had ended",
    ] {
        assert!(lost.contains(part), "{part}: {lost}");
    }
    assert!(
        !games
            .iter()
            .any(|line| line.contains("\"ending\":{\"void\":"))
    );
}

/// Takes all processes in its turn, or from its second one on; or starts a thread in each of its
/// own, and waits for this many seconds.
const CROWD: &str = include_str!("../bots/crowd.py");

/// Where nothing but the referee sees to the number of processes, a bot that can start no thread
/// because the other one has taken them all is not at fault for that.
#[test]
fn a_bot_that_takes_all_processes_in_its_turn_is_at_fault() {
    let settings = "[tournament]\npairs = 1\nslots = 1\nmax-plies = 4\nmax-faults = \"off\"\n\
                    format = \"gauntlet\"\nchampions = [\"honest\"]\n\
                    [admission]\nmode = \"off\"\n[clock]\nmove = \"50s\"\n\
                    [limits]\nprocesses = 8\n";
    let entrants = [("crowd", "crowd"), ("slow", "slow"), ("honest", "honest 0")];
    let entrants = entrants.map(|(name, way)| entrant(name, way));
    let configuration = [settings, &entrants.concat()].concat();
    let Some(run) = LonerRun::new("65124", Some(60), CROWD, &configuration) else {
        return;
    };
    let games = run.games();
    assert_eq!(games.len(), 4, "{}", run.everything());
    let is_caught = |game: &&str| game.contains("processes and threads; 8 are allowed");
    // While the processes of the game before are being buried, there may be room left for a thread.
    assert!(games.iter().any(is_caught), "{}", run.everything());
    for game in &games {
        let is_fault = game.contains("\"fault\":");
        assert_eq!(is_fault, is_caught(game), "{game}");
    }
    // One that takes its time is seen in its own turn.
    let slow = games.iter().filter(|game| game.contains("\"slow\""));
    for game in slow {
        assert!(is_caught(game), "{game}");
    }
    let standings = run.story.read("results/a/standings.csv");
    assert!(
        standings.starts_with("rank,entrant") && standings.contains("\n1,honest,"),
        "{standings}"
    );
}

/// The same where the one that takes them plays on another slot: no bot there is at fault either.
#[test]
fn a_bot_that_takes_all_processes_costs_no_other_game_a_point() {
    let settings = "[tournament]\npairs = 4\nslots = 2\nmax-plies = 40\nmax-faults = \"off\"\n\
                    [admission]\nmode = \"off\"\n[clock]\nmove = \"50s\"\n\
                    [limits]\nprocesses = 8\n";
    let honest = ["one", "two", "three"].map(|name| entrant(name, "honest 0.005"));
    let configuration = [settings, &entrant("crowd", "brief"), &honest.concat()].concat();
    // Processes are counted as the crowd's second turn begins, and 100 ms later.
    let Some(run) = LonerRun::new("65126", Some(32), CROWD, &configuration) else {
        return;
    };
    let games = run.games();
    let mut disturbed = games.iter();
    let is_disturbed = |game: &&str| game.contains("meanwhile another bot of this user had");
    assert!(disturbed.any(is_disturbed), "{}", run.everything());
    for game in games.iter().filter(|line| line.contains("\"fault\":")) {
        has(game, "processes and threads; 8 are allowed");
    }
}

/// In each turn two rows of processes compute for half a second: each leaves its place to the next
/// after 2 ms, and no process waits for their ends.
const RELAY: &str = include_str!("../bots/relay.py");

/// Processes that live too short to be counted are no strangers whose time is given back.
#[test]
fn a_bot_that_computes_in_uncounted_processes_is_late() {
    let settings = "[tournament]\npairs = 3\nslots = 1\nmax-faults = \"off\"\n\
                    [admission]\nmode = \"off\"\n[clock]\nmove = \"100ms\"\n";
    let entrants = ["relay", "plain"].map(|name| entrant(name, name));
    let configuration = [settings, &entrants.concat()].concat();
    let Some(run) = LonerRun::new("65127", None, RELAY, &configuration) else {
        return;
    };
    let games = run.games();
    assert_eq!(games.len(), 6, "{}", run.everything());
    for game in games {
        assert!(game.contains("\"kind\":\"timeout\""), "{game}");
    }
}

/// Fills the user's share of the pages of pipes; or looks how large a new pipe is.
const PIPES: &str = include_str!("../bots/pipes.py");

/// As root each entrant's bots are a user of their own.
#[test]
fn no_bot_takes_what_the_kernel_counts_for_a_user() {
    if !rustix::process::geteuid().is_root() {
        return skip(&test_name(), "ordinary users' bots are all the same user");
    }
    for level in ["box", "landlock"] {
        let story = Story::new();
        story.write("bot.py", PIPES).write(
            "a.toml",
            "[tournament]\npairs = 1\nslots = 1\nmax-plies = 6\nmax-faults = \"off\"\n\
             [admission]\nmode = \"off\"\n[clock]\nmove = \"5s\"\n\
             [[entrant]]\nname = \"fill\"\n\
             command = [\"/usr/bin/python3\", \"bot.py\", \"fill\"]\n\
             [[entrant]]\nname = \"look\"\n\
             command = [\"/usr/bin/python3\", \"bot.py\", \"look\"]\n",
        );
        let said = story.run(format!("run a.toml --oversubscribe --isolation {level}"));
        if level == "box" && said.code == Some(2) && !boxes_work() {
            continue;
        }
        said.with_code(0);
        let journal = story.read("results/a/games.jsonl");
        assert!(!journal.contains("\"crash\""), "{level}: {journal}");
        assert_eq!(
            journal.matches("\"ending\"").count(),
            2,
            "{level}: {journal}"
        );
    }
}

/// Starts more processes than it may, and answers at once ever after.
const QUICK_CROWD: &str = include_str!("../bots/quick_crowd.py");

/// Turns that are shorter than the pause between two looks at a family hide nothing.
#[test]
fn a_crowd_with_short_turns_is_at_fault() {
    // The first look comes after 100 ms, and as many games may have been played by then.
    let settings = "[tournament]\npairs = 2000\nslots = 1\nmax-faults = { count = 1 }\n\
                    [admission]\nmode = \"off\"\n[clock]\nmove = \"50s\"\n\
                    [limits]\nprocesses = 8\n";
    let configuration = [settings, &entrant("crowd", ""), RANDOM].concat();
    let Some(run) = LonerRun::new("65125", None, QUICK_CROWD, &configuration) else {
        return;
    };
    // On a busy machine it is seen while it starts the last ones.
    let caught = "processes and threads; 8 are allowed";
    assert!(run.journal.contains(caught), "{}", run.everything());
}
