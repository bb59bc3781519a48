//! `awale tune` through the real binary: a bot whose best depth is known, killed and resumed.

use super::story::{SECRET, Story};
use rustix::process::{Pid, Signal, kill_process};
use std::thread::sleep;
use std::time::Duration;

/// The deeper minimax searches the better it plays: the best depth is the largest.
fn template() -> String {
    format!(
        "[tournament]\n{SECRET}\n[clock]\nmove = \"10s\"\n\
         [sprt]\nelo0 = 0\nelo1 = 400\nmax-pairs = 6\n\
         [tune]\niterations = 6\npairs = 2\nrate = 0.3\n\
         [[tune.parameter]]\nname = \"depth\"\nstart = 1\nmin = 1\nmax = 4\nstep = 2\n\
         [[entrant]]\nname = \"minimax\"\n\
         command = [\"awale\", \"bot\", \"minimax\", \"--depth\", \"{{depth}}\"]\n"
    )
}

#[test]
fn a_killed_tuning_goes_on_to_the_same_values() {
    let story = Story::new();
    story.write("depth.toml", template());
    let whole = story.run("tune depth.toml --slots 2 --oversubscribe");
    assert!(
        whole.stderr.contains("iteration 6 of 6: "),
        "{}",
        whole.stderr
    );
    let rows = story.rows("results/depth/tune.csv");
    assert_eq!(rows.len(), 6);
    for (number, row) in (1..).zip(&rows) {
        assert_eq!(row["iteration"], number.to_string());
        let played = story.rows(&format!(
            "results/depth/iterations/{number:04}/crosstable.csv"
        ));
        let above = format!("above-{number:04}");
        let above = played
            .iter()
            .find(|it| it["entrant"] == above)
            .expect("a row");
        for (column, there) in [("won", "wins"), ("drawn", "draws"), ("lost", "losses")] {
            assert_eq!(row[column], above[there], "{number}");
        }
        let depth: f64 = row["depth"].parse().expect("a number");
        assert!((1.0..=4.0).contains(&depth), "{depth}");
    }
    // It has found that deeper is better, and the test of both has been played.
    let last: f64 = rows[5]["depth"].parse().expect("a number");
    assert!(last >= 2.5, "{last}");
    whole
        .out_has("(at first depth 1)")
        .out_has("end against start: ");
    let picture = story.read("results/depth/tune.svg");
    assert!(picture.contains("<polyline"), "{picture}");

    let mut child = story.start("tune depth.toml --output killed --slots 1");
    let rows_of = |folder: &str| {
        let table = std::fs::read_to_string(story.path(folder).join("tune.csv"));
        table.unwrap_or_default()
    };
    while rows_of("killed").lines().count() < 3 && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    kill_process(Pid::from_child(&child), Signal::KILL).expect("the process is there");
    child.wait().expect("an end");
    let again = story.run("tune depth.toml --output killed");
    again.out_has("end against start: ");
    assert_eq!(rows_of("killed"), rows_of("results/depth"));
    // Another template is another tuning, and no stranger's table is taken over.
    story.write("depth.toml", template().replace("rate = 0.3", "rate = 0.2"));
    story.ends(2, "tune depth.toml").err_has(
        "results/depth was tuned by another template; choose another folder with --output",
    );
    story.write("depth.toml", template());
    let changed = rows_of("killed").replacen("\n1,", "\n2,", 1);
    story.write("killed/tune.csv", changed);
    story
        .ends(2, "tune depth.toml --output killed")
        .err_has("has a tune.csv that something has changed");
}

#[test]
fn a_wrong_template_is_told_before_anything_is_made() {
    let story = Story::new();
    for (from, to, what) in [
        ("step = 2", "stepp = 2", "unknown field `stepp`"),
        ("{depth}", "{dept}", "nothing uses the parameters \"depth\""),
        (
            "start = 1",
            "start = 9",
            "start (9) is between min (1) and max (4)",
        ),
    ] {
        story.write("depth.toml", template().replace(from, to));
        story.ends(2, "tune depth.toml").err_has(what);
    }
    assert!(!story.path("results").exists());
    story
        .ends(2, "tune nothing.toml")
        .err_has("cannot read the template nothing.toml");
}
