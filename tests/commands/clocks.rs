//! Which clock rules, and whose, through the real binary.

use super::story::{SECRET, Said, Story, USER, as_ordinary_user, has, lacks};
use super::verify::{Lines, clean, unclean};
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

const RUN: &str = "run t.toml --output run --quiet";

/// Two bots that take their time for their second turn. One of them has only 250 ms.
fn odds() -> Story {
    let story = Story::new();
    let build = Path::new(AWALE).parent().expect("the build's folder");
    let villain = build.join("examples/villain");
    let villain = villain.display();
    let entrant = |name, nap_ms| {
        format!(
            "[[entrant]]\nname = \"{name}\"\ncommand = ['{villain}', \"move:1=wait:{nap_ms}\"]\n"
        )
    };
    story.write(
        "t.toml",
        format!(
            "[tournament]\n{SECRET}\npairs = 1\nslots = 1\nrestart = \"each-game\"\n\
             [admission]\nmode = \"off\"\n[clock]\nmove = \"60s\"\nnodes = 300\n\
             {}clock = {{ move = \"250ms\" }}\n{}",
            // For longer than any pause of the host that would be given back.
            entrant("hasty", 60_000),
            entrant("slow", 1_500)
        ),
    );
    story
}

#[test]
fn an_entrant_is_held_to_its_own_clock() {
    let story = odds();
    story
        .ok(RUN)
        .err_has("with a clock of their own play \"hasty\"");
    story
        .ok("report run")
        .out_has("250ms a move, 300 nodes a move");
    let games = story.read("run/games.csv");
    has(&games, "hasty,slow,0-1,timeout,south,");
    has(&games, "slow,hasty,1-0,timeout,north,");
    let rows = story.rows("run/standings.csv");
    let slow = rows.iter().find(|row| row["entrant"] == "slow");
    let slow = slow.expect("a row");
    assert_eq!(slow["clock"], "60s a move, 300 nodes a move");
    assert!(
        slow["max_time_us"].parse::<u64>().expect("a time") >= 1_500_000,
        "{slow:?}"
    );
    has(
        &story.read("run/plan.toml"),
        "clock = { move = \"250ms\", nodes = 300 }",
    );
    clean(&story);
    story.ok(RUN);
    story
        .ends(2, format!("{RUN} --set clock.nodes=200"))
        .err_has("hasty changed (clock.nodes): its 2 games are played again");
    // A time that the other clock alone allows.
    let mut lines = Lines::of(&story);
    let id = "hasty~slow.1.2";
    let plies = lines.game(id)["plies"].as_object_mut().expect("plies");
    plies.remove("preempted_us");
    plies["times_us"][1] = 400_000.into();
    lines.write(&story);
    unclean(&story).out_has("ply 2 took 400.000 ms, and at most 260.000 ms could be accepted");
}

#[test]
fn bots_are_told_of_their_own_clocks_and_nodes() {
    let story = Story::new();
    let minimax = |name, more| {
        let heard = story.path(name);
        let heard = heard.display();
        format!(
            "[[entrant]]\nname = \"{name}\"\ncommand = [\"sh\", \"-c\", \
             \"tee -a '{heard}' | '{AWALE}' bot minimax\"]\n{more}"
        )
    };
    story.write(
        "t.toml",
        format!(
            "[tournament]\n{SECRET}\npairs = 1\nslots = 1\nmax-plies = 6\n\
             [isolation]\nlevel = \"none\"\nfreeze = false\n[clock]\nmove = \"60s\"\nnodes = 3000\n\
             {}{}",
            minimax("many", ""),
            minimax("few", "clock = { bank = \"90s\", nodes = 400 }\n")
        ),
    );
    story.ok("run t.toml --output run --quiet --oversubscribe --i-trust-these-bots");
    let (many, few) = (story.read("many"), story.read("few"));
    // The examination is played by the same clocks.
    has(
        &many,
        "\"clock\":{\"move_ms\":60000,\"nodes\":3000},\"seed\"",
    );
    has(
        &many,
        "\"clock\":{\"move_ms\":60000,\"opponent_ms\":90000,\"nodes\":3000}}",
    );
    has(&few, "\"game\":\"0.1\"");
    has(&few, "\"clock\":{\"bank_ms\":90000,\"nodes\":400},\"seed\"");
    has(&few, "\"own_ms\":90000,\"increment_ms\":0,\"nodes\":400}}");
    lacks(&few, "\"nodes\":3000");
    for game in Lines::of(&story)
        .0
        .iter()
        .filter(|it| it["plies"].is_object())
    {
        for (ply, info) in game["plies"]["infos"].as_object().expect("infos") {
            let ply: usize = ply.parse().expect("a number");
            let most = if game["entrants"][ply % 2] == "few" {
                400
            } else {
                3000
            };
            let nodes = info["nodes"].as_u64().expect("a number");
            assert!(nodes <= most + 255, "{nodes} of {most}");
        }
    }
    clean(&story);
    let config = story.read("t.toml");
    for (clock, words) in [
        ("{ increment = \"1s\" }", "`increment` needs a `bank`"),
        (
            "{ margin = \"1s\" }",
            "unknown key `margin` in [entrant.clock]",
        ),
        ("{ nodes = 0 }", "a whole number from 1 to"),
        (
            "\"50ms\"",
            "[entrant.clock] is a table with the keys move, bank, increment, nodes",
        ),
    ] {
        let typed = config.replace("{ bank = \"90s\", nodes = 400 }", clock);
        story.write("wrong.toml", typed);
        story
            .ends(2, "run wrong.toml --i-trust-these-bots")
            .err_has(words);
    }
}
