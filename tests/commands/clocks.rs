//! Which clock rules, through the real binary.

use super::story::{Said, Story, USER, as_ordinary_user};
use crate::support::awale_command::AWALE;
use crate::support::skip::{skip, test_name};
use std::path::Path;

/// A tournament of a bot that sleeps for this many ms on its second turn of 300 ms.
fn sleeper(nap_ms: u32) -> String {
    let build = Path::new(AWALE).parent().expect("the build's folder");
    let villain = build.join("examples/villain");
    let villain = villain.display();
    format!(
        "[tournament]\npairs = 1\nslots = 1\nrestart = \"each-game\"\n\
         [admission]\nmode = \"off\"\n[clock]\nmove = \"300ms\"\n\
         [[entrant]]\nname = \"sleeper\"\ncommand = ['{villain}', \"move:1=wait:{nap_ms}\"]\n\
         [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n"
    )
}

#[test]
fn a_sleeping_bot_uses_no_cpu_time() {
    let story = Story::new();
    // Too long by the wall's clock, which here is only a stop, after five times the limit.
    story.write("sleeper.toml", sleeper(500));
    let by_cpu = "run sleeper.toml --set clock.measure=cpu";
    let said = story.run(by_cpu);
    if said.code == Some(2) {
        said.err_has("`measure` = \"cpu\" in [clock] needs control groups");
        return skip(&test_name(), "no control group here counts CPU time");
    }
    said.with_code(0);
    let journal = story.read("results/sleeper/games.jsonl");
    assert!(journal.contains("\"measure\":\"cpu\""), "{journal}");
    assert!(journal.contains("\"cpu_us\":["), "{journal}");
    assert!(!journal.contains("\"kind\":\"timeout\""), "{journal}");
    // The same bot under another clock is another tournament.
    let said = story.ends(2, "run sleeper.toml");
    said.err_has("clock.measure");
}

#[test]
fn a_sleeping_bot_is_late_by_the_wall_clock() {
    let story = Story::new();
    // For longer than any pause of the host that would be given back.
    story.write("sleeper.toml", sleeper(60_000));
    story.ok("run sleeper.toml");
    let games = story.read("results/sleeper/games.csv");
    assert_eq!(games.matches(",timeout,").count(), 2, "{games}");
    let journal = story.read("results/sleeper/games.jsonl");
    assert!(journal.contains("(no answer after "), "{journal}");
    assert!(journal.contains("\"lateness_us\":"), "{journal}");
    let noise = story.read("results/sleeper/noise.csv");
    assert!(
        noise.starts_with("id,attempt,ending,max_late_time_us,on_turn,cause\n"),
        "{noise}"
    );
}

/// Starts a child at each move that is stopped from its birth, and waits for it. Ends if a signal
/// is blocked in it.
const PARENT: &str = include_str!("../bots/parent.py");

/// Where signals stop and wake bots, the kernel may lose the second one for a child that is being
/// made: it is given once more.
#[test]
fn a_child_that_is_stopped_on_turn_goes_on() {
    let bubblewrap = as_ordinary_user("bwrap").map(|mut bwrap| {
        bwrap.args(["--ro-bind", "/", "/", "--unshare-all", "true"]);
        bwrap.output().is_ok_and(|output| output.status.success())
    });
    for level in ["none", "landlock", "box"] {
        if level == "box" && bubblewrap != Some(true) {
            let reason = "bubblewrap makes no box for an ordinary user";
            return skip(&test_name(), reason);
        }
        let story = Story::new();
        let Some(mut command) = as_ordinary_user(story.path("awale")) else {
            return;
        };
        story.copy_awale();
        story.write("bot.py", PARENT).write(
            "a.toml",
            "[tournament]\npairs = 1\nslots = 1\nmax-plies = 8\n[clock]\nmove = \"5s\"\n\
             [[entrant]]\nname = \"parent\"\ncommand = [\"python3\", \"bot.py\"]\n\
             [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n",
        );
        story.give_to(USER);
        let said = command
            .args([
                "run",
                "a.toml",
                "--i-trust-these-bots",
                "--isolation",
                level,
            ])
            .current_dir(story.path(""))
            .env("PATH", "/usr/bin:/bin")
            .stdin(std::process::Stdio::null())
            .output();
        let said = Said::of(said.expect("awale starts")).with_code(0);
        let games = story.read("results/a/games.csv");
        assert_eq!(
            games.lines().count(),
            3,
            "{level}: {games}\n{}",
            said.stdout
        );
        assert_eq!(
            games.matches(",adjudicated,").count(),
            2,
            "{level}: {games}"
        );
    }
}
