//! How accurate the moves of a run are where few seeds are left: `accuracy.csv`, `endgames.csv`,
//! and `awale analyse`.

use super::class::run;
use super::feedback::graded_class;
use super::story::Story;
use awale::engine::endgame::{EndgameValues, SolvedRules};
use awale::rules::{Game, Position, Preset, RuleSet, Side, parse_moves};
use std::collections::BTreeMap;
use std::fs;

const SEEDS: u8 = 8;
/// For a class with few games.
const MANY: u8 = 12;

/// Random against greedy, whose endings are full of mistakes. No majority ends a game.
const CONFIG: &str = "[tournament]\npairs = 10\nslots = 1\nrules = \"commun\"\n\
                      [isolation]\nlevel = \"none\"\n\
                      [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n\
                      [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n";

type Row = BTreeMap<String, String>;

fn number(row: &Row, column: &str) -> i64 {
    let cell = &row[column];
    cell.parse()
        .unwrap_or_else(|_| panic!("{column}: {cell:?}"))
}

/// What an entrant did on one side of a game, counted from its moves.
#[derive(Default)]
struct Count {
    moves: i64,
    best: i64,
    lost: i64,
}

/// The plies before the first position with few seeds, by how many seeds South is ahead at the end
/// of perfect play from there, and the moves of both sides; `None` if no such position came.
fn count(rules: RuleSet, values: &EndgameValues, row: &Row) -> Option<(usize, i64, [Count; 2])> {
    let start: Position = row["start"].parse().unwrap();
    let mut game = Game::new(rules, start);
    let mut first = None;
    let mut counts = <[Count; 2]>::default();
    for pit in parse_moves(&row["moves"]).unwrap() {
        let position = game.position();
        if let Some(value) = values.value(position) {
            let [south, north] = position.stores().map(i64::from);
            let value = i64::from(value);
            let sign = if position.to_move() == Side::South {
                1
            } else {
                -1
            };
            first.get_or_insert((game.moves().len(), south - north + sign * value));
            let of_move = |pit| {
                let played = rules.play(position, pit).unwrap();
                let after = i64::from(values.value(played.position).unwrap());
                i64::from(played.captured) - after
            };
            let best = game.legal_moves().iter().map(of_move).max().unwrap();
            let count = &mut counts[position.to_move().index()];
            count.moves += 1;
            count.best += i64::from(of_move(pit) == best);
            count.lost += best - of_move(pit);
        }
        game.play(pit).unwrap();
    }
    first.map(|(ply, due)| (ply, due, counts))
}

fn built(seeds: u8) -> Story {
    let story = Story::new();
    story.ok(format!("endgame build --rules commun --seeds {seeds}"));
    story.write("a.toml", CONFIG);
    story
}

#[test]
fn accuracy_is_what_an_independent_count_says() {
    let story = built(SEEDS);
    let said = story.ok("run a.toml");
    assert!(
        said.stdout.contains("at most 8 seeds on the board"),
        "{}",
        said.stdout
    );
    let rules = Preset::Commun.rules();
    let values = EndgameValues::solve(SolvedRules::of(&rules).unwrap(), SEEDS);
    let rows = story.rows("results/a/endgames.csv");
    let mut endgames: BTreeMap<&str, &Row> = rows.iter().map(|it| (&*it["id"], it)).collect();
    let mut lost: BTreeMap<(String, &str), [i64; 2]> = BTreeMap::new();
    for game in story.rows("results/a/games.csv") {
        let Some((ply, due, counts)) = count(rules, &values, &game) else {
            // Nobody moved there; a game that ended by a capture is not in the table.
            continue;
        };
        let row = endgames.remove(&*game["id"]).expect("a row");
        assert_eq!(number(row, "ply"), i64::try_from(ply).unwrap());
        assert_eq!(number(row, "due_difference"), due);
        let result = ["0-1", "1/2-1/2", "1-0"][usize::try_from(due.signum() + 1).unwrap()];
        assert_eq!((&*row["due"], &row["result"]), (result, &game["result"]));
        let stated = ["south", "north"].map(|it| number(row, &format!("seeds_lost_{it}")));
        if game["ending"] == "repetition" {
            // Each move may have kept the value, and what was due is lost all the same.
            assert_eq!(due - stated[0] + stated[1], number(row, "difference"));
        } else {
            assert_eq!(
                stated,
                counts.each_ref().map(|it| it.lost),
                "{}",
                game["id"]
            );
        }
        for (side, (count, lost_there)) in ["south", "north"]
            .into_iter()
            .zip(counts.iter().zip(stated))
        {
            let sum = lost.entry((game[side].clone(), side)).or_default();
            sum[0] += count.moves;
            sum[1] += lost_there;
        }
    }
    assert!(endgames.is_empty(), "games of no moves: {endgames:?}");
    let accuracy = story.rows("results/a/accuracy.csv");
    assert_eq!(accuracy.len(), 6);
    for row in accuracy.iter().filter(|row| row["side"] != "both") {
        let expected = lost[&(row["entrant"].clone(), &*row["side"])];
        assert_eq!(
            [number(row, "moves"), number(row, "seeds_lost")],
            expected,
            "{row:?}"
        );
        assert!(expected[1] > 0, "such players lose seeds: {row:?}");
        assert_eq!(row["seeds"], "8");
    }
    for both in accuracy.iter().filter(|row| row["side"] == "both") {
        for column in ["moves", "best_moves", "seeds_lost", "games", "won_to_lost"] {
            let sides = accuracy
                .iter()
                .filter(|row| row["entrant"] == both["entrant"] && row["side"] != "both");
            assert_eq!(
                number(both, column),
                sides.map(|row| number(row, column)).sum::<i64>()
            );
        }
    }
    let page = story.read("results/a/report.html");
    assert!(
        page.contains("\"mean_seeds_lost\":"),
        "the page has the table"
    );
}

/// Also for a run of a time without a database; and the tables are compared with as many seeds as
/// they were made with.
#[test]
fn tables_are_made_and_verified_where_there_is_a_database() {
    let story = Story::new();
    story.write("a.toml", CONFIG.replace("pairs = 10", "pairs = 3"));
    story.ok("run a.toml");
    assert!(!story.path("results/a/accuracy.csv").exists());
    let advice = "`awale endgame build --rules commun --seeds 12` makes it";
    story.ok("table results/a").out_has(advice);
    story.ok("verify results/a");
    story.ok("endgame build --rules commun --seeds 6");
    story
        .ok("report results/a")
        .out_has("at most 6 seeds on the board");
    story.ok("table results/a --md").out_has("at most 6 seeds");
    let made = ["accuracy.csv", "endgames.csv"].map(|it| story.read(&format!("results/a/{it}")));
    story.ok("verify results/a").out_has("accuracy.csv");
    // More seeds, and the tables of fewer are still compared.
    story.ok("endgame build --rules commun --seeds 7");
    let (head, rows) = made[0].split_once('\n').unwrap();
    story.write(
        "results/a/accuracy.csv",
        format!("{head}\n{}", rows.replacen("both,6,", "both,6,9", 1)),
    );
    story.ends(1, "verify results/a").out_has("accuracy.csv");
    story.write("results/a/accuracy.csv", &made[0]);
    story.ok("verify results/a");
    // Without a database nothing says whether they are right.
    fs::rename(story.path("cache"), story.path("elsewhere")).unwrap();
    story.ok("verify results/a").out_has("were not compared");
    story.ok("report results/a");
    assert!(
        !story.path("results/a/accuracy.csv").exists(),
        "it would not be of this journal"
    );
}

#[test]
fn a_game_is_analysed_move_by_move() {
    let story = built(SEEDS);
    story.ok("run a.toml");
    let games = story.rows("results/a/endgames.csv");
    let game = games
        .iter()
        .find(|it| it["ending"] != "repetition")
        .expect("a game");
    let id = &game["id"];
    let json = story
        .ok(format!("analyse results/a {id} --nodes 300 --json"))
        .stdout;
    assert_eq!(
        json,
        story
            .ok(format!("analyse results/a {id} --nodes 300 --json"))
            .stdout
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["seeds"], &json["nodes"]),
        (&SEEDS.into(), &300.into())
    );
    let moves = json["moves"].as_array().unwrap();
    let all = story.rows("results/a/games.csv").into_iter();
    let row = all.into_iter().find(|it| it["id"] == *id).unwrap();
    assert_eq!(moves.len(), usize::try_from(number(&row, "plies")).unwrap());
    let first = usize::try_from(number(game, "ply")).unwrap();
    for (ply, it) in moves.iter().enumerate() {
        assert_eq!(it["exact"], ply >= first, "{it}");
        let lost = it["lost"].as_f64();
        assert_eq!(it["better"].is_null(), lost == Some(0.0), "{it}");
    }
    let due = moves[first]["difference"].as_f64().unwrap();
    assert_eq!(due.to_string(), game["due_difference"]);
    let lost = |side: usize| {
        let own = moves[first..]
            .iter()
            .filter(|it| it["ply"].as_u64().unwrap() % 2 == side as u64);
        let lost = own.map(|it| it["lost"].as_f64().unwrap()).sum::<f64>();
        lost.to_string()
    };
    assert_eq!(lost(0), game["seeds_lost_south"]);
    assert_eq!(lost(1), game["seeds_lost_north"]);
    let text = story.ok(format!("analyse results/a {id} --nodes 300"));
    text.out_has("≈")
        .out_has("minimax on 300 positions")
        .out_has("at most 8 seeds");
    // Without a database everything is estimated.
    fs::remove_dir_all(story.path("cache")).unwrap();
    let text = story.ok(format!("analyse results/a {id} --nodes 300"));
    text.out_has("build it with `awale endgame build --rules commun --seeds 12`");
    story
        .ends(2, "analyse results/a no-such-game")
        .err_has("has no game");
}

/// The section of `feedback.txt`: `F lost 3 seeds; A was better`, and then where.
fn told(text: &str) -> Vec<(i64, String, String)> {
    let (_, section) = text
        .split_once("The most expensive moves\n")
        .expect("the section");
    let mut lines = section.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let item = line.split_once(" lost ").and_then(|(pit, rest)| {
            let lost: i64 = rest.split(' ').next()?.parse().ok()?;
            Some((lost, pit.to_owned()))
        });
        if let Some((lost, pit)) = item {
            let place = lines.next().expect("where").trim().to_owned();
            found.push((lost, pit, place));
        }
        if line.starts_with("Games to look at") {
            break;
        }
    }
    found
}

#[test]
fn an_author_reads_the_three_most_expensive_moves() {
    let story = graded_class();
    story.ok(format!("endgame build --seeds {MANY}"));
    run(&story, &[]).with_code(0);
    let rules = Preset::Awale.rules();
    let values = EndgameValues::solve(SolvedRules::of(&rules).unwrap(), MANY);
    let feedback = "results/class/feedback/ada";
    let told = told(&story.read(&format!("{feedback}/feedback.txt")));
    assert_eq!(told.len(), 3, "{told:?}");
    // Its own table has the names that its author reads.
    let games = story.rows(&format!("{feedback}/games.csv"));
    let mut losses = Vec::new();
    for row in games.iter().filter(|row| row["ending"] != "repetition") {
        let side = if row["south"] == "ada" {
            Side::South
        } else {
            Side::North
        };
        let mut game = Game::new(rules, row["start"].parse().unwrap());
        for pit in parse_moves(&row["moves"]).unwrap() {
            let position = game.position();
            if let Some(value) = values
                .value(position)
                .filter(|_| position.to_move() == side)
            {
                let lost = value - values.value_of_move(position, pit).unwrap();
                let ply = game.moves().len();
                let place = format!(
                    "at ply {ply} of {} ({side}), in the position {position}",
                    row["id"]
                );
                losses.push((i64::from(lost), pit.to_string(), place));
            }
            game.play(pit).unwrap();
        }
    }
    for it in &told {
        let game = it.2.split(' ').nth(4).unwrap();
        let row = games
            .iter()
            .find(|row| row["id"] == game)
            .expect("a game of its table");
        assert!(
            row["ending"] == "repetition" || losses.contains(it),
            "{it:?}"
        );
    }
    let largest = losses.iter().map(|it| it.0).max().unwrap();
    assert!(
        told[0].0 >= largest && told.is_sorted_by_key(|it| -it.0),
        "{told:?}"
    );
}
