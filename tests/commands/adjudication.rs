//! Runs whose games end as soon as perfect play is known: with the database, without it, with another
//! one, and with forged games.

use super::story::{SECRET, Said, Story, has, tables};
use super::verify::{Lines, clean, copy_folder, unclean};
use crate::support::awale_command::AWALE;
use serde_json::Value;
use std::fs;

/// Without a majority, games go on until few seeds are left.
const CONFIG: &str = r#"
rules = "simple"
pairs = 8
[adjudication]
endgame = "on"
[isolation]
level = "none"
[clock]
move = "20s"
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "random"
command = ["awale", "bot", "random"]
"#;
const RUN: &str = "run t.toml --output run --oversubscribe --quiet";
const BUILD: &str = "awale endgame build --rules simple --seeds";

/// A configuration, and a database of so many seeds in the cache.
fn story(seeds: u8) -> Story {
    let story = Story::new();
    story.write("t.toml", format!("[tournament]\n{SECRET}\n{CONFIG}"));
    build(&story, seeds);
    story
}

/// Builds the database anew.
fn build(story: &Story, seeds: u8) {
    let _ = fs::remove_dir_all(story.path("cache"));
    story.ok(format!("endgame build --rules simple --seeds {seeds}"));
}

/// The same command without a database.
fn without(story: &Story, words: &str) -> Said {
    let mut command = story.command(words);
    command.env("XDG_CACHE_HOME", story.path("no-cache"));
    Said::of(command.output().expect("awale starts"))
}

/// The ids of games that a database has ended.
fn ended(lines: &Lines) -> Vec<String> {
    let games = lines.0.iter().filter(|it| it["ending"] == "endgame");
    games
        .map(|it| it["id"].as_str().expect("an id").to_owned())
        .collect()
}

/// Gives a game a seed more for South, and one less for North or from the board.
fn forge(game: &mut Value) {
    let stores = game["stores"].as_array().expect("two stores");
    let stores = [&stores[0], &stores[1]].map(|it| it.as_u64().expect("a number"));
    game["stores"] = if stores[1] > 0 {
        [stores[0] + 1, stores[1] - 1].into()
    } else {
        [stores[0] - 1, stores[1] + 1].into()
    };
}

#[test]
fn games_end_with_their_exact_stores_and_are_verified() {
    let story = story(6);
    story.ok(RUN);
    let lines = Lines::of(&story);
    let ids = ended(&lines);
    assert!(ids.len() > 4, "{ids:?}");
    has(
        &story.read("run/plan.toml"),
        "[adjudication]\nendgame = \"on\"\nseeds = 6\nsha256 = \"",
    );
    has(&story.read("run/games.csv"), ",endgame,");
    story
        .ok(format!("replay run {}", ids[0]))
        .out_has("endgame; final stores");
    clean(&story);
    story
        .ok("verify run --replay 4")
        .out_has("4 of 16 games")
        .out_has("4 the same to the move");
    // Without the database the rest is verified.
    let games = format!("{} games ended by endgame", ids.len());
    without(&story, "verify run")
        .with_code(0)
        .out_has(&games)
        .out_has("their final stores are not checked")
        .out_has(&format!("`{BUILD} 6`"));
    without(&story, "verify run --strict").with_code(1);
    without(&story, "verify run --replay 4")
        .with_code(0)
        .out_has("nothing was played again: there is no endgame database");
    // The bots are told.
    let id = &ids[0];
    let game = lines.0.iter().find(|it| it["id"] == **id).expect("a game");
    let south = game["entrants"][0].as_str().expect("a name");
    let replayed = format!("replay-to-bot run --game {id} --side south");
    let bot = format!("-- sh -c 'tee heard | {AWALE} bot {south}'");
    story.ok(format!("{replayed} {bot}"));
    has(&story.read("heard"), "\"reason\":\"endgame\"");
}

#[test]
fn forged_endings_are_found() {
    let story = story(6);
    story.ok(RUN);
    let sound = story.read("run/games.jsonl");
    let mut lines = Lines::of(&story);
    let id = ended(&lines).remove(0);
    forge(lines.game(&id));
    lines.write(&story);
    unclean(&story)
        .out_has(&format!("game {id}: the final stores are "))
        .out_has("and perfect play leads to");
    // A game that ended by the rules in truth, and one that was not over.
    for (ending, words) in [
        (r#"{"rules":"repetition"}"#, "the rules say that it goes on"),
        (r#"{"resignation":"south"}"#, "perfect play was known"),
    ] {
        let mut lines = Lines::of(&story);
        lines.game(&id)["ending"] = serde_json::from_str(ending).expect("JSON");
        lines.write(&story);
        unclean(&story).out_has(words);
        story.write("run/games.jsonl", &sound);
    }
    let mut lines = Lines::of(&story);
    let game = lines.game(&id);
    let plies = game["plies"].as_object_mut().expect("plies");
    let moves = plies["moves"].as_str().expect("moves");
    let fewer = moves[..moves.len() - 3].to_owned();
    plies.retain(|key, _| key == "moves");
    plies["moves"] = fewer.into();
    lines.write(&story);
    unclean(&story).out_has("it ended by endgame with ");
}

#[test]
fn a_run_goes_on_with_the_seeds_of_its_plan() {
    let story = story(6);
    story.ok(RUN);
    let whole = tables(&story.path("run"));
    // As a kill leaves it.
    let journal = story.read("run/games.jsonl");
    let half: Vec<&str> = journal.split_inclusive('\n').take(9).collect();
    let half = half.concat() + "{\"sum\":\"torn";
    copy_folder(&story.path("run"), &story.path("sound"));
    let interrupt = || {
        story.write("run/games.jsonl", &half);
    };
    interrupt();
    build(&story, 8);
    story.ok(RUN);
    assert_eq!(tables(&story.path("run")), whole);
    has(&story.read("run/plan.toml"), "seeds = 6");
    clean(&story);
    // A smaller database, other values, none: nothing is played.
    interrupt();
    build(&story, 4);
    story
        .ends(2, RUN)
        .err_has("positions of up to 4 seeds, and 6 are needed")
        .err_has(&format!("`{BUILD} 6`"));
    without(&story, RUN)
        .with_code(2)
        .err_has(&format!("`{BUILD} 6`"));
    assert_eq!(story.read("run/games.jsonl"), half);
    // Another number is another plan.
    build(&story, 8);
    story
        .ends(2, format!("{RUN} --set adjudication.seeds=8"))
        .err_has("adjudication.seeds: there 6, here 8");
    story.ok(RUN);
    assert_eq!(tables(&story.path("run")), whole);
    story.ok(format!("{RUN} --fresh"));
    has(&story.read("run/plan.toml"), "seeds = 8");
    clean(&story);
}

#[test]
fn what_cannot_be_judged_is_refused_before_anything_is_played() {
    let story = story(6);
    without(&story, RUN)
        .with_code(2)
        .err_has("t.toml:7: ")
        .err_has("`endgame` in [adjudication] needs a database: there is no")
        .err_has(&format!("`{BUILD} "));
    for (flags, words) in [
        (
            "tournament.rules=abapa",
            "cannot be solved: with repetition.remaining = \"own-row\"",
        ),
        (
            "rules.no-move-gift=2",
            "cannot be solved: with no-move-gift = 2",
        ),
        (
            "tournament.rules=commun",
            "awale endgame build --rules commun --seeds",
        ),
        ("adjudication.endgame=perhaps", "it takes \"off\" or \"on\""),
        ("adjudication.seeds=36", "a whole number from 0 to 35"),
        (
            "adjudication.seeds=7",
            "positions of up to 6 seeds, and 7 are needed",
        ),
        (
            "adjudication.sha256=ab",
            "`sha256` in [adjudication] needs `seeds`",
        ),
    ] {
        story.ends(2, format!("{RUN} --set {flags}")).err_has(words);
    }
    story
        .ends(
            2,
            format!("{RUN} --set adjudication.seeds=5 --set adjudication.sha256=ab"),
        )
        .err_has("has other values of up to 5 seeds than the plan names");
    // A byte of the values: found when the run begins.
    let path = "cache/awale/endgame/no-capture.endgame";
    let mut bytes = fs::read(story.path(path)).expect("the database");
    *bytes.last_mut().expect("bytes") ^= 1;
    story.write(path, bytes);
    story.ends(2, RUN).err_has("is damaged");
    assert!(!story.path("run/games.jsonl").exists());
    // Nothing of this is asked of a run that plays its games to their end.
    without(&story, &format!("{RUN} --set adjudication.endgame=off")).with_code(0);
    let duel = "duel greedy random --pairs 1 --output duel --set adjudication.endgame=on";
    without(&story, duel)
        .with_code(2)
        .err_has("awale endgame build --seeds");
}

#[test]
fn openings_that_are_decided_are_named() {
    let story = story(6);
    story.write("openings.txt", "CdFb\n0-0-0-0-0-1-1-0-0-0-0-1-22-23-S\n");
    let set = "--set tournament.openings='{ file = \"openings.txt\" }'";
    story
        .ok(format!("{RUN} {set}"))
        .err_has("1 of 2 openings has at most 6 seeds on the board");
    clean(&story);
}

#[test]
fn shards_and_those_who_merge_them_need_the_database() {
    let story = story(6);
    story.ok("shard t.toml --write-plan plan.json");
    let shard = |index: u32| {
        format!(
            "shard t.toml --plan plan.json --index {index} --of 2 --output {index}.jsonl --quiet \
             --oversubscribe"
        )
    };
    without(&story, &shard(1))
        .with_code(2)
        .err_has(&format!("`{BUILD} 6`"));
    assert!(!story.path("1.jsonl").exists());
    // A larger one has the same values.
    build(&story, 7);
    for index in [1, 2] {
        story.ok(shard(index));
    }
    let merge = "merge run --plan plan.json 1.jsonl 2.jsonl";
    without(&story, merge).with_code(2).err_has(BUILD);
    let mut lines = Lines::read(&story, "1.jsonl");
    let id = ended(&lines).remove(0);
    forge(lines.game(&id));
    lines.write_to(&story, "forged.jsonl");
    story
        .ends(1, "merge run --plan plan.json forged.jsonl 2.jsonl")
        .err_has("and perfect play leads to");
    story.ok(merge);
    clean(&story);
    story.ok("run t.toml --plan plan.json --output one --oversubscribe --quiet");
    assert_eq!(tables(&story.path("run")), tables(&story.path("one")));
}
