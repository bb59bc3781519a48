//! `awale replay-to-bot DIR --game ID --side SIDE`: any game of a run, from its journal.

use super::faults::{KindOfFault, for_each_kind, villain};
use super::story::{SECRET, Story};
use crate::support::awale_command::AWALE;
use std::collections::BTreeMap;
use std::fs;

/// A bot that notes all that it hears, by the house bot behind it.
fn noting(file: &str, bot: &str) -> Vec<String> {
    let script = format!("tee -a {file} | {AWALE} bot {bot}");
    ["sh", "-c", &script].map(str::to_owned).into()
}

/// Two bots that note what they hear, each in a process for each game.
fn tournament(story: &Story, more: &str) {
    let [one, other] = ["heard-one", "heard-other"].map(|name| {
        let path = story.path(name);
        path.to_str().expect("UTF-8").to_owned()
    });
    let text = format!(
        "[tournament]\n{SECRET}\npairs = 3\nslots = 1\n{more}\n[admission]\nmode = \"off\"\n\
         [isolation]\nlevel = \"none\"\n\
         [[entrant]]\nname = \"one\"\ncommand = {:?}\nrestart = \"each-game\"\n\
         [[entrant]]\nname = \"other\"\ncommand = {:?}\nrestart = \"each-game\"\n",
        noting(&one, "greedy"),
        noting(&other, "random")
    );
    story.write("t.toml", text);
    story.ok("run t.toml --i-trust-these-bots");
}

/// The requests of each game that a bot has heard, by the id that it was told.
fn heard(story: &Story, file: &str) -> BTreeMap<String, Vec<String>> {
    let mut games = BTreeMap::new();
    let (mut game, mut hello) = (String::new(), String::new());
    for line in story.read(file).lines() {
        let request: serde_json::Value = serde_json::from_str(line).expect("JSON");
        match request["type"].as_str() {
            Some("hello") => line.clone_into(&mut hello),
            Some("quit") => {}
            Some("new-game") => {
                request["game"]
                    .as_str()
                    .expect("an id")
                    .clone_into(&mut game);
                games.insert(game.clone(), vec![hello.clone(), line.to_owned()]);
            }
            _ => games.get_mut(&game).expect("a game").push(line.to_owned()),
        }
    }
    games
}

/// What a journal tells is what the bot was told, to the byte.
#[test]
fn every_game_is_told_again_as_it_was_told() {
    for more in [
        "[clock]\nmove = \"20s\"",
        "blind = true\nrules = \"abapa\"\n[clock]\nmove = \"20s\"",
    ] {
        let story = Story::new();
        tournament(&story, more);
        let told = [heard(&story, "heard-one"), heard(&story, "heard-other")];
        let all: Vec<_> = told.iter().flat_map(BTreeMap::values).cloned().collect();
        let rows = story.rows("results/t/games.csv");
        assert_eq!((all.len(), rows.len()), (12, 6), "{more}");
        for row in rows {
            for side in ["south", "north"] {
                let bot = noting(
                    "again",
                    if row[side] == "one" {
                        "greedy"
                    } else {
                        "random"
                    },
                );
                let _ = fs::remove_file(story.path("again"));
                let mut command = vec!["replay-to-bot", "results/t", "--game", &row["id"]];
                command.extend(["--side", side, "--"]);
                command.extend(bot.iter().map(String::as_str));
                let said = story.run(&command);
                said.with_code(0).out_has("same: every answer came again");
                let again = story.read("again");
                let again: Vec<String> = again.lines().map(str::to_owned).collect();
                assert!(all.contains(&again), "{more} {row:?} {side}: {again:?}");
            }
        }
    }
}

/// Banks are told to the ms, and a journal has whole µs.
#[test]
fn banks_are_told_again_to_a_millisecond() {
    let story = Story::new();
    tournament(&story, "[clock]\nbank = \"20s\"\nincrement = \"1ms\"");
    let told = heard(&story, "heard-one");
    for row in story.rows("results/t/games.csv") {
        let side = if row["south"] == "one" {
            "south"
        } else {
            "north"
        };
        let bot = noting("again", "greedy");
        let _ = fs::remove_file(story.path("again"));
        let mut command = vec!["replay-to-bot", "results/t", "--game", &row["id"]];
        command.extend(["--side", side, "--"]);
        command.extend(bot.iter().map(String::as_str));
        story.ok(&command);
        let again = story.read("again");
        let own = &told[&row["id"]];
        assert_eq!(again.lines().count(), own.len());
        for (now, then) in again.lines().zip(own) {
            let [mut now, mut then] = [now, then.as_str()]
                .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
            for clock in ["own_ms", "opponent_ms"] {
                let ms = |of: &mut serde_json::Value| of["clock"][clock].take().as_u64();
                let (now, then) = (ms(&mut now), ms(&mut then));
                let apart = now.zip(then).map(|(now, then)| now.abs_diff(then));
                assert!(now.is_none() == then.is_none() && apart.is_none_or(|ms| ms <= 1));
            }
            assert_eq!(now, then);
        }
    }
}

#[test]
fn another_bot_is_told_where_it_differs() {
    let story = Story::new();
    tournament(&story, "[clock]\nmove = \"20s\"");
    let rows = story.rows("results/t/games.csv");
    let game = &rows[0]["id"];
    let replay = |bot: &[&str]| {
        let mut command = vec!["replay-to-bot", "results/t", "--game", game];
        command.extend(["--side", "south"]);
        command.extend(bot);
        story.run(&command)
    };
    let random = [&["--", AWALE, "bot"][..], &["random", "--seed", "7"]].concat();
    replay(&random)
        .with_code(1)
        .out_has("hello: same (ready)")
        .out_has(" then, now pit ")
        .out_has("different in ");
    replay(&["--", "sh", "-c", "read line; exit 3"])
        .with_code(1)
        .out_has("hello: different: ready then, now no answer")
        .out_has("different: exited with code 3; ");
    replay(&["--", "no-such-program"])
        .with_code(2)
        .err_has("cannot start no-such-program");
    // A program of somebody else does not run by itself.
    replay(&[])
        .with_code(2)
        .err_has("which program is to answer?");
    replay(&["--i-trust-this-bot"]).with_code(2);
    for (arguments, error) in [
        (
            ["results/t", "--game", "one~other.9.1", "--side", "south"],
            "results/t has no game \"one~other.9.1\"",
        ),
        (
            ["results/none", "--game", game, "--side", "south"],
            "results/none",
        ),
        (
            ["results/t", "--game", game, "--side", "east"],
            "the sides are south and north",
        ),
    ] {
        story
            .ends(2, &[&["replay-to-bot"][..], &arguments].concat())
            .err_has(error);
    }
    story
        .ends(2, "replay-to-bot results/t -- true")
        .err_has("--game ID --side south");
}

/// House bots are known; one at fault is told what its answer is worth now.
#[test]
fn the_end_of_a_game_is_told() {
    let story = Story::new();
    let villain = villain();
    let illegal = [
        villain.as_str(),
        "move:2=write:{\"type\":\"move\",\"pit\":77}\\n",
    ];
    let text = format!(
        "[tournament]\n{SECRET}\npairs = 1\nslots = 1\n[admission]\nmode = \"off\"\n\
         [isolation]\nlevel = \"none\"\n[[entrant]]\nname = \"house\"\n\
         command = [\"awale\", \"bot\", \"greedy\"]\n[[entrant]]\nname = \"bad\"\n\
         command = {illegal:?}\n"
    );
    story.write("t.toml", text);
    story.ok("run t.toml --i-trust-these-bots");
    let rows = story.rows("results/t/games.csv");
    assert!(
        rows.iter().all(|row| !row["fault_side"].is_empty()),
        "{rows:?}"
    );
    for row in rows {
        let [bad, house] = match row["south"].as_str() {
            "bad" => ["south", "north"],
            _ => ["north", "south"],
        };
        let replay = ["replay-to-bot", "results/t", "--game", &row["id"], "--side"];
        let of = |side, bot: &[&str]| story.run(&[&replay[..], &[side], bot].concat());
        of(house, &[]).with_code(0).out_has("same: every answer");
        let again = [&["--"][..], &illegal].concat();
        of(bad, &again)
            .with_code(0)
            .out_has("now: pit 77, not legal, after ")
            .out_has("(the recorded fault: illegal-move)");
        of(bad, &["--", &villain])
            .with_code(1)
            .out_has(", legal, after ")
            .out_has("the fault is gone");
    }
}

/// A bot that does the same again is told so, and one that does not, whatever its fault was.
#[test]
fn every_kind_of_fault_comes_again_from_the_journal() {
    for_each_kind(comes_again);
}

fn comes_again((kind, script, _): KindOfFault) {
    let story = Story::new();
    let villain = villain();
    let faulty: Vec<&str> = [&[villain.as_str()], script].concat();
    let text = format!(
        "[tournament]\n{SECRET}\npairs = 1\nslots = 1\n[admission]\nmode = \"off\"\n\
         [clock]\nmove = \"300ms\"\n[isolation]\nlevel = \"none\"\n\
         [[entrant]]\nname = \"bad\"\ncommand = {faulty:?}\n\
         [[entrant]]\nname = \"good\"\ncommand = [{villain:?}]\n"
    );
    story.write("t.toml", text);
    story.ok("run t.toml --i-trust-these-bots");
    let game = ["replay-to-bot", "results/t", "--game", "bad~good.1.1"];
    let side = match story.rows("results/t/games.csv")[0]["south"].as_str() {
        "bad" => "south",
        _ => "north",
    };
    let replay = |bot: &[&str]| story.run(&[&game[..], &["--side", side, "--"], bot].concat());
    replay(&faulty)
        .with_code(0)
        .out_has(&format!("(the recorded fault: {kind})"))
        .out_has("same: every answer came again");
    let said = replay(&[&villain]).with_code(1);
    let said = said.out_has("different in 1 place");
    let is_right = said.stdout.contains("the fault is gone");
    assert!(is_right || kind == "timeout", "{script:?}: {}", said.stdout);
    // Another fault is another answer.
    let other = match kind {
        "start-failure" => return,
        "crash" => "move:1=write:{\"type\":\"move\",\"pit\":77}\\n",
        _ => "move:1=exit:3",
    };
    replay(&[&villain, other]).with_code(1);
}
