//! `awale run --decide`: more pairs of a class where luck has decided about points.

use super::class::{class, hand_in, run};
use super::story::{FIRST_LEGAL, Story};

/// Two equal programs with a threshold where they play, and one that is far above another.
fn lucky_class() -> Story {
    let story = class();
    let config = story.read("class.toml").replace(
        "house = [\"greedy\", \"minimax-2\"]\nhouse-pairs = 1\n",
        "house = [\"random\", \"minimax-2\"]\nhouse-pairs = 4\n\
         points = [{ beats = \"random\", share = 0.5, points = 10 },\n          \
         { beats = \"minimax-2\", share = 0.9, points = 10 }]\n",
    );
    story.write("class.toml", config);
    for name in ["ada", "ben"] {
        hand_in(&story, &format!("{name}/bot.sh"), FIRST_LEGAL);
    }
    story
}

/// Games against each yardstick, and the whole row.
fn games_against(story: &Story, entrant: &str, yardstick: &str) -> usize {
    let games = story.rows("results/class/games.csv").into_iter();
    let between = games.filter(|game| {
        let sides = [game["south"].as_str(), game["north"].as_str()];
        sides.contains(&entrant) && sides.contains(&yardstick)
    });
    between.count()
}

#[test]
fn more_pairs_are_played_where_luck_has_decided() {
    let story = lucky_class();
    let early = run(&story, &["--decide"]).with_code(2);
    early.err_has("nothing was played yet, so luck has decided nothing");
    run(&story, &[]).with_code(0);
    let rows = story.rows("results/class/grades.csv");
    for row in &rows {
        assert_eq!(row["undecided"], "score of 0.5 against random", "{row:?}");
        assert_eq!(games_against(&story, &row["entrant"], "random"), 8);
    }
    let said = run(&story, &["--decide"]).with_code(0);
    said.err_has("luck has decided points of 2 entrants: \"ada\", \"ben\"; plays ");
    let more = games_against(&story, "ada", "random");
    assert!(more > 8, "{more}");
    // Equal programs have played equal games, and no more where nothing was open.
    assert_eq!(games_against(&story, "ben", "random"), more);
    assert_eq!(games_against(&story, "ada", "minimax-2"), 8);
    let rows = story.rows("results/class/grades.csv");
    for column in ["score_random", "low_random", "points", "undecided"] {
        assert_eq!(rows[0][column], rows[1][column], "{column}");
    }
    // What is longer stays so.
    let plan = story.read("results/class/plan.toml");
    assert!(
        plan.contains("longer = [{ entrant = \"ada\", yardstick = \"random\""),
        "{plan}"
    );
    run(&story, &[])
        .with_code(0)
        .err_has("nothing was left to play");
    assert_eq!(games_against(&story, "ada", "random"), more);
    story.ok("verify results/class");
    story.ok("report results/class");
}

#[test]
fn only_a_class_hangs_on_luck() {
    let story = lucky_class();
    let config = story.read("class.toml");
    let before = config.split("[class]").next().expect("a beginning");
    let entrant = |name| {
        format!("[[entrant]]\nname = \"{name}\"\ncommand = [\"awale\", \"bot\", \"{name}\"]\n")
    };
    story.write(
        "other.toml",
        format!("{before}{}{}", entrant("random"), entrant("greedy")),
    );
    let other = story.ends(2, "run other.toml --decide");
    other.err_has("--decide plays on for the points of a class");
}
