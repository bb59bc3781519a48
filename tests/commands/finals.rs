//! A final: some of a class play, by name or by the grades of an earlier run.

use super::class::{class, hand_in, run};
use super::story::{FIRST_LEGAL, Story};
use std::fs;

/// A class of four that was graded: only ada's program searches.
fn graded() -> Story {
    let story = class();
    let config = story.read("class.toml").replace(
        "house-pairs = 1",
        "house-pairs = 2\npoints = [{ beats = \"greedy\", from = 0.0, to = 1.0, points = 10 }]",
    );
    let awale = env!("CARGO_BIN_EXE_awale");
    let strong = format!(
        "{config}[[start]]\nname = \"strong\"\nfile = \"strong.sh\"\n\
         command = [\"sh\", \"strong.sh\", \"{awale}\"]\n"
    );
    story.write("class.toml", strong);
    let strong = "exec \"$1\" bot minimax --depth 3\n";
    hand_in(&story, "ada/strong.sh", strong);
    for name in ["ben", "cy"] {
        hand_in(&story, &format!("{name}/bot.sh"), FIRST_LEGAL);
    }
    hand_in(&story, "dee/bot.sh", "exit 3");
    run(&story, &[]).with_code(0);
    story
}

/// The configuration of a final with these keys.
fn write_final(story: &Story, keys: &str) {
    let config = story.read("class.toml");
    let keys = format!("submissions = \"submissions\"\n{keys}");
    let config = config.replace("submissions = \"submissions\"", &keys);
    story.write("final.toml", config);
}

fn players(story: &Story) -> Vec<String> {
    let rows = story.rows("results/final/grades.csv").into_iter();
    rows.map(|row| row["entrant"].clone()).collect()
}

#[test]
fn the_best_of_an_earlier_run_and_those_who_are_named_play() {
    for (keys, expected) in [
        ("best = 1\nbest-of = \"results/class\"", vec!["ada"]),
        // The two equal programs have played equal games against the yardsticks, and drawn ranks.
        ("only = [\"cy\"]", vec!["cy"]),
        (
            "best = 1\nbest-of = \"results/class\"\nonly = [\"cy\"]",
            vec!["ada", "cy"],
        ),
        // dee was not admitted, and is not among the best.
        (
            "best = 8\nbest-of = \"results/class\"",
            vec!["ada", "ben", "cy"],
        ),
    ] {
        let story = graded();
        write_final(&story, keys);
        story.ok("run final.toml --i-trust-these-bots");
        assert_eq!(players(&story), expected, "{keys}");
        story.ok("verify results/final");
    }
}

#[test]
fn a_bad_program_after_the_class_costs_no_place_in_the_final() {
    // One that fails its examination, and one that cannot even be started.
    for (file, text) in [("strong.sh", "exit 3"), ("notes.txt", "")] {
        let story = graded();
        write_final(&story, "best = 1\nbest-of = \"results/class\"");
        fs::remove_dir_all(story.path("submissions/ada")).expect("a folder");
        hand_in(&story, &format!("ada/{file}"), text);
        for more in ["", " --update"] {
            story.ok(format!("run final.toml --i-trust-these-bots{more}"));
            let rows = story.rows("results/final/grades.csv");
            assert_eq!(players(&story), ["ada"], "{file}");
            assert_eq!(rows[0]["admitted"], "yes", "{file}: {rows:?}");
            let version = &rows[0]["version"];
            assert!(version.contains("is not admitted"), "{file}: {version}");
        }
        story.ok("verify results/final");
    }
}

#[test]
fn mistakes_in_a_final_are_named() {
    let story = graded();
    for (keys, said) in [
        ("best = 2", "`best` needs `best-of`"),
        (
            "best-of = \"results/class\"",
            "`best-of` needs `best`, the number",
        ),
        (
            "best = 2\nbest-of = \"results/clas\"",
            "cannot read grades.csv in ",
        ),
        (
            "only = [\"adda\"]",
            "\"adda\" of `only` in [class] is not an entrant; did you mean \"ada\"?",
        ),
    ] {
        write_final(&story, keys);
        story
            .ends(2, "run final.toml --i-trust-these-bots")
            .err_has(said);
    }
}
