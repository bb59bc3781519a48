//! Runs whose games end when both bots say how they will end: with their tables, verified, played again,
//! forged, and what is refused.

use super::story::{SECRET, Story, has};
use super::verify::{Lines, clean, unclean};
use crate::support::awale_command::AWALE;
use serde_json::json;

/// Two bots that say what they think, and think the same of many games.
const CONFIG: &str = r#"
rules = "simple"
pairs = 6
[adjudication]
resign = { seeds = 8, turns = 2 }
draw = { seeds = 2, turns = 3, after = 12 }
[isolation]
level = "none"
[clock]
move = "20s"
[[entrant]]
name = "deep"
command = ["awale", "bot", "minimax", "--depth", "4"]
[[entrant]]
name = "flat"
command = ["awale", "bot", "minimax", "--depth", "3"]
"#;
const RUN: &str = "run t.toml --output run --oversubscribe --quiet";

fn story() -> Story {
    let story = Story::new();
    story.write("t.toml", format!("[tournament]\n{SECRET}\n{CONFIG}"));
    story
}

/// The first game with this ending, as the journal writes it.
fn first(lines: &Lines, is_it: impl Fn(&serde_json::Value) -> bool) -> String {
    let game = lines.0.iter().find(|it| is_it(&it["ending"]));
    let id = game.expect("a game that ended so")["id"].as_str();
    id.expect("an id").to_owned()
}

#[test]
fn games_end_when_both_say_so_and_every_forgery_is_found() {
    let story = story();
    story.ok(RUN);
    let games = story.read("run/games.csv");
    has(&games, ",agreed-win,");
    has(&games, ",agreed-draw,");
    let plan = story.read("run/plan.toml");
    has(&plan, "resign = { seeds = 8, turns = 2 }\n");
    has(&plan, "draw = { seeds = 2, turns = 3, after = 12 }\n");
    clean(&story);
    story
        .ok("verify run --replay 12")
        .out_has("12 the same to the move");
    let sound = story.read("run/games.jsonl");
    let lines = Lines::of(&story);
    let won = first(&lines, |it| it["agreed-win"].is_string());
    let drawn = first(&lines, |it| *it == "agreed-draw");
    story
        .ok(format!("replay run {drawn}"))
        .out_has("agreed-draw; final stores");
    // The bots are told.
    let bot = format!("-- sh -c 'tee heard | {AWALE} bot minimax --depth 4'");
    story.ok(format!(
        "replay-to-bot run --game {drawn} --side {} {bot}",
        if drawn.ends_with(".1") {
            "south"
        } else {
            "north"
        }
    ));
    has(&story.read("heard"), "\"reason\":\"agreed-draw\"");
    // Another winner; a game that both ended otherwise; and one that went on.
    let unsaid = "and the scores of the bots do not say so";
    for (id, ending, words) in [
        (&won, json!("agreed-draw"), unsaid),
        (&drawn, json!({"agreed-win": "south"}), unsaid),
        (
            &drawn,
            json!({"resignation": "south"}),
            "both bots had agreed (agreed-draw)",
        ),
        (
            &won,
            json!("adjudicated"),
            "both bots had agreed (agreed-win)",
        ),
    ] {
        let mut lines = Lines::of(&story);
        lines.game(id)["ending"] = ending;
        lines.write(&story);
        unclean(&story)
            .out_has(&format!("game {id}: "))
            .out_has(words);
        story.write("run/games.jsonl", &sound);
    }
    // Scores that nobody sent, and stores that nobody has.
    let mut lines = Lines::of(&story);
    let infos = lines.game(&drawn)["plies"]["infos"].as_object_mut();
    for info in infos.expect("infos").values_mut() {
        info["score"] = json!(48);
    }
    lines.write(&story);
    unclean(&story).out_has(unsaid);
    story.write("run/games.jsonl", &sound);
    let mut lines = Lines::of(&story);
    lines.game(&drawn)["stores"] = json!([26, 22]);
    lines.write(&story);
    unclean(&story).out_has("the final stores are 26–22, and the moves lead to ");
    story.write("run/games.jsonl", &sound);
    // Other terms are another plan.
    story
        .ends(2, format!("{RUN} --set adjudication.draw=off"))
        .err_has("adjudication.draw");
}

#[test]
fn terms_that_cannot_hold_are_refused() {
    let story = story();
    for (set, words) in [
        (
            "resign=on",
            "`resign` in [adjudication] cannot be \"on\"; it takes { seeds = 12,",
        ),
        (
            "resign='{ seeds = 8 }'",
            "`resign` in [adjudication] has the keys `seeds`; it takes { seeds = 12, turns = 4 }",
        ),
        (
            "resign='{ seeds = 49, turns = 1 }'",
            "a whole number from 1 to 48",
        ),
        ("resign='{ seeds = 8, turn = 1 }'", "did you mean `turns`?"),
        (
            "draw='{ seeds = 1, turns = 2 }'",
            "has the keys `seeds`, `turns`; it takes",
        ),
        (
            "draw='{ seeds = 8, turns = 2, after = 0 }'",
            "the `seeds` of `draw` must be fewer",
        ),
    ] {
        let run = format!("{RUN} --set adjudication.{set}");
        story.ends(2, run).err_has(words);
    }
    story
        .ends(2, format!("{RUN} --set class.house='[\"random\"]'"))
        .err_has("t.toml:7: ")
        .err_has("`resign` in [adjudication] believes what bots say of their games");
    story.ok(format!(
        "{RUN} --set class.house='[\"random\"]' --set adjudication.resign=off --set \
         adjudication.draw=off --dry-run"
    ));
}
