//! `awale league` through the real binary: a folder of bots that come and go.

use super::story::{FIRST_LEGAL, Story};
use std::fs;

#[test]
fn bots_come_and_go_and_the_games_of_the_others_count() {
    let story = Story::new();
    fs::create_dir(story.path("bots")).expect("a folder");
    story.write("bots/first.sh", format!("#!/bin/sh\n{FIRST_LEGAL}"));
    story
        .ends(2, "league play spring")
        .err_has("there is no league in spring");
    story.ok("league add spring greedy");
    story
        .ends(2, "league play spring")
        .err_has("a league needs two entrants");
    story.ok("league add spring random");
    story.ok("league add spring first=bots/first.sh");
    story
        .ends(2, "league add spring Greedy=random")
        .err_has("\"greedy\" is in the league already");
    // Few pairs are enough here.
    let file = story.read("spring/league.toml");
    story.write(
        "spring/league.toml",
        file.replace("max-pairs = 400", "max-pairs = 7"),
    );
    story.ok("league play spring --i-trust-these-bots");
    story.ok("verify spring/results").out_has("\nclean: ");
    let games = |names: [&str; 2]| {
        let rows = story.rows("spring/results/rounds.csv").into_iter();
        let own = rows.filter(|row| names.iter().all(|it| row.values().any(|cell| cell == it)));
        own.map(|row| row["games"].parse::<u32>().expect("a number"))
            .sum::<u32>()
    };
    assert_eq!(games(["greedy", "random"]), 14);
    assert_eq!(games(["first", "random"]), 14);
    story.ok("league remove spring random");
    story
        .ends(2, "league remove spring random")
        .err_has("there is no entrant \"random\" in the league");
    story
        .ok("league play spring --i-trust-these-bots")
        .err_has("random left: its 28 games no longer count");
    story.ok("verify spring/results").out_has("\nclean: ");
    assert_eq!(games(["greedy", "first"]), 14);
    let table = story.ok("league table spring").stdout;
    assert!(
        table.contains("first") && !table.contains("random"),
        "{table}"
    );
}
