//! The tables of a run whose results are given, against numbers that were worked out without
//! awale: by hand, and the integrals with another program.
//!
//! Games end in a draw after two plies, unless a bot resigns. Points of the first of each pairing
//! in the five rounds, of two:
//!
//! ```text
//!   ana–bob   2 2 2 2 1   9 of 10
//!   ana–cyd   2 2 1 1 1   7 of 10
//!   bob–cyd   2 1 1 1 1   6 of 10
//!   dan loses everything, eve is not admitted
//! ```
//!
//! bob and cyd have as many points, so they are rated equally, and ana has 16 of 20 against them:
//! she leads by x with σ(x) = 4/5. x = ln 4 is 240.8 Elo. Around the mean: 160.5, −80.3, −80.3.
//! Each pair is won by one bot or drawn in both games, so South gains nothing. All pairings have
//! the same five openings, one in each round.

use super::story::{FIRST_LEGAL, SECRET, Story};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A bot that resigns games whose names begin with one of its arguments.
fn resigns() -> String {
    let ready = "*'\"type\":\"hello\"'*";
    let new_game = "*'\"type\":\"new-game\"'*) resigns=\n            for game; do case $line in \
                    *\"\\\"game\\\":\\\"$game\"*) resigns=yes ;; esac; done\n            \
                    echo '{\"type\":\"ready\"}' ;;\n        ";
    let turn = "*'\"type\":\"turn\"'*)";
    let resign =
        format!("{new_game}{turn} test \"$resigns\" && echo '{{\"type\":\"resign\"}}' && continue");
    assert!(FIRST_LEGAL.contains(ready) && FIRST_LEGAL.contains(turn));
    FIRST_LEGAL.replace(turn, &resign)
}

fn played() -> Story {
    let story = Story::new();
    let mut config = format!(
        "[tournament]\n{SECRET}\npairs = 5\nslots = 1\nmax-plies = 2\n\
         openings = {{ file = \"openings.txt\", shared = true }}\n\
         [clock]\nmove = \"60s\"\n[isolation]\nlevel = \"none\"\n"
    );
    for (name, command) in [
        ("ana", "\"bot.sh\""),
        (
            "bob",
            "\"bot.sh\", \"ana~bob.1\", \"ana~bob.2\", \"ana~bob.3\", \"ana~bob.4\"",
        ),
        (
            "cyd",
            "\"bot.sh\", \"ana~cyd.1\", \"ana~cyd.2\", \"bob~cyd.1\"",
        ),
        ("dan", "\"bot.sh\", \"ana~\", \"bob~\", \"cyd~\""),
        ("eve", "\"-c\", \"exit 3\""),
    ] {
        let _ = writeln!(
            config,
            "[[entrant]]\nname = \"{name}\"\ncommand = [\"sh\", {command}]"
        );
    }
    story
        .write("t.toml", config)
        .write("bot.sh", resigns())
        .write("openings.txt", "AaBb\nAaCc\nAaDd\nAaEe\nAaFd\n");
    story.ok("run t.toml --i-trust-these-bots");
    story
}

/// Some columns of a table, a row each, with spaces between the cells and `-` for empty ones.
fn cells(story: &Story, table: &str, columns: &str) -> Vec<String> {
    let row = |row: &BTreeMap<String, String>| {
        let cell = |column: &str| match row[column].as_str() {
            "" => "-".to_owned(),
            cell => cell.to_owned(),
        };
        columns.split(' ').map(cell).collect::<Vec<_>>().join(" ")
    };
    let rows = story.rows(&format!("results/t/{table}.csv"));
    rows.iter().map(row).collect()
}

#[test]
fn tables_of_given_results_are_as_worked_out() {
    let story = played();
    standings(&story);
    crosstable(&story);
    differences(&story);
    openings(&story);
}

/// w = 10 p (1 − p) is the information of a pairing: 1.6, 1.6, 2.5. An opening has a fifth of it
/// all, so 4 of 5 parts of its scatter are seen, with 4 degrees of freedom: t = 2.776445.
///
/// H a = ℓ for ana against the mean, ℓ = (2, −1, −1)/3, has a = (2, −1, −1)/14.4. What the
/// openings move it by, points minus expected times the difference in a: (4, 4, −1, −1, −6)/24. The
/// squares have the sum 70/576, 5/4 of it the variance: t √0.151910 = 1.082136, 188.0 Elo.
///
/// For bob against cyd a = (0, 1, −1)/6.6, and the openings move it by (2, 0, −1, −1, 0)/6.6. For
/// cyd it is −ana/2 − this/2: −0.234848, −0.083333, 0.096591, 0.096591, 0.125; t √0.120479 is 167.4
/// Elo. For bob it is −ana/2 + this/2, 98.3 Elo: less than five openings of 6 games can show. Level
/// ones allow 2 artanh(1 − exp(−1.920729/5)) = 0.660951, times √(q · 30/4) with
/// q = (1/7.2 + 2/6.6)/4: 104.5.
///
/// dan: 30 games lost in 5 openings, of which each counts as 2: Σ 10/3 · ln σ(r − y) = −1.920729
/// over the r of the others has the root y = −1.7059, −296.3 Elo.
///
/// A game has 48 seeds for the winner, 24 for each in a draw.
fn standings(story: &Story) {
    let columns = "rank entrant elo bound error95 relative_to games wins draws losses score \
                   planned_games pairs seeds_for seeds_against pool status";
    assert_eq!(
        cells(story, "standings", columns),
        [
            "1 ana 160.5 - 188.0 mean 30 22 8 0 0.8667 40 15 1248 192 1 -",
            "2 bob -80.3 - 104.5 mean 30 12 10 8 0.5667 40 15 816 624 1 -",
            "2 cyd -80.3 - 167.4 mean 30 10 14 6 0.5667 40 15 816 624 1 -",
            "4 dan -296.3 < - mean 30 0 0 30 0.0000 40 15 0 1440 1 -",
            "- eve - - - - 0 0 0 0 - 40 0 0 0 - not-admitted",
        ]
    );
}

/// Expected of 10: 8, 8 and 5. The deviances of 9, 7 and 6 points,
/// s ln(s/e) + (n−s) ln((n−s)/(n−e)): 0.366900, 0.281675, 0.201355. The squares of the openings
/// around the mean of their pairing have the sums 0.8, 1.2, 0.8; the model says 4/5 of 5.7. With
/// one opening more, of 0.38: φ = 3.18/4.94. The fit follows w R of the points, where R is
/// 1/(1.6 + 1/(1/1.6 + 1/2.5)) for ana–bob and ana–cyd and 1/(2.5 + 0.8) for bob–cyd: it leaves
/// 25/66, 25/66 and 8/33.
///
/// z = √(2 · 0.366900 / (φ · 25/66)) = 1.73; −1.52; √(2 · 0.201355 / (φ · 8/33)) = 1.61.
fn crosstable(story: &Story) {
    let columns = "entrant opponent games wins draws losses score expected z status";
    assert_eq!(
        cells(story, "crosstable", columns),
        [
            "ana bob 10 8 2 0 0.9000 0.8000 1.73 -",
            "ana cyd 10 4 6 0 0.7000 0.8000 -1.52 -",
            "ana dan 10 10 0 0 1.0000 - - -",
            "bob ana 10 0 2 8 0.1000 0.2000 -1.73 -",
            "bob cyd 10 2 8 0 0.6000 0.5000 1.61 -",
            "bob dan 10 10 0 0 1.0000 - - -",
            "cyd ana 10 0 6 4 0.3000 0.2000 1.52 -",
            "cyd bob 10 0 8 2 0.4000 0.5000 -1.61 -",
            "cyd dan 10 10 0 0 1.0000 - - -",
            "dan ana 10 0 0 10 0.0000 - - -",
            "dan bob 10 0 0 10 0.0000 - - -",
            "dan cyd 10 0 0 10 0.0000 - - -",
        ]
    );
}

/// ana–bob is 3/2 of ana's line above minus half of that of bob–cyd: t √0.266470 is 249.0 Elo; with
/// a plus, ana–cyd: t √0.503212, 342.1; bob–cyd itself: t √0.172176, 200.1. Student's t with 4
/// degrees of freedom is below ln 4/0.516207 with 0.972544, and below ln 4/0.709374 with 0.938820.
/// dan's bound is −296.3, less what each of the others may be off: 160.5 + 296.3 − 188.0 = 268.9,
/// 216.1 − 104.5 = 111.5, 216.1 − 167.4 = 48.7. `los` is Φ(L) at the level L at which that is 0:
/// the sum is −L²/2 at y(L), and r − y(L) = L/1.959964 times the error of r. L is 2.972052 for ana,
/// 2.432787 for bob and 2.135415 for cyd.
fn differences(story: &Story) {
    let columns = "entrant opponent difference bound error95 los";
    let found = cells(story, "los", columns);
    let found: Vec<&str> = found
        .iter()
        .map(String::as_str)
        .filter(|row| !row.contains("eve"))
        .collect();
    assert_eq!(
        found,
        [
            "ana bob 240.8 - 249.0 0.972544",
            "ana cyd 240.8 - 342.1 0.938820",
            "ana dan 268.9 > - 0.998521",
            "bob ana -240.8 - 249.0 0.027456",
            "bob cyd 0.0 - 200.1 0.500000",
            "bob dan 111.5 > - 0.992508",
            "cyd ana -240.8 - 342.1 0.061180",
            "cyd bob 0.0 - 200.1 0.500000",
            "cyd dan 48.7 > - 0.983636",
            "dan ana -268.9 < - 0.001479",
            "dan bob -111.5 < - 0.007492",
            "dan cyd -48.7 < - 0.016364",
        ]
    );
    // All three of an entrant at once are wider than each, by one factor, and narrower than three
    // at a third of 5 %: Student's t is there 3.960.
    let wide = cells(story, "los", "entrant opponent error95 simultaneous95");
    let factor = |row: &String| {
        let cells: Vec<&str> = row.split(' ').collect();
        let factor = cells[3].parse::<f64>().ok()? / cells[2].parse::<f64>().ok()?;
        Some((cells[0].to_owned(), factor))
    };
    let factors: Vec<(String, f64)> = wide.iter().filter_map(factor).collect();
    assert_eq!(factors.len(), 6, "{wide:?}");
    for (entrant, factor) in &factors {
        assert!((1.01..3.960 / 2.776).contains(factor), "{wide:?}");
        let mut own = factors.iter().filter(|it| it.0 == *entrant);
        assert!(own.all(|it| (factor - it.1).abs() < 0.002), "{wide:?}");
    }
}

/// Of twelve games in each round dan loses six, three of them as South. In the first cyd has no
/// point of 0.4 + 1 expected, in the last ana 2 of 3.2.
fn openings(story: &Story) {
    let columns = "opening start games south_wins draws north_wins south_score expected pairs \
                   pairs_by_side pairs_by_entrant weakest shortfall";
    assert_eq!(
        cells(story, "openings", columns),
        [
            "1 1-0-6-6-6-5-1-0-6-6-6-5-0-0-S 12 6 0 6 0.5000 0.5000 6 0 6 cyd 1.40",
            "2 1-6-0-6-6-5-1-6-0-6-6-5-0-0-S 12 5 2 5 0.5000 0.5000 6 0 5 - -",
            "3 1-6-6-0-6-5-1-6-6-0-6-5-0-0-S 12 4 4 4 0.5000 0.5000 6 0 4 - -",
            "4 1-6-6-6-0-5-1-6-6-6-0-5-0-0-S 12 4 4 4 0.5000 0.5000 6 0 4 - -",
            "5 1-6-6-6-5-0-1-6-6-0-6-5-0-0-S 12 3 6 3 0.5000 0.5000 6 0 3 ana 1.20",
        ]
    );
}
