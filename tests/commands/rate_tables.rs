//! `awale rate` through the real binary: tables as strangers write them, and the JSON that others
//! read.

use super::story::has;
use crate::support::awale_command::awale;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Output, Stdio};

/// Rates a table given on standard input.
fn rate(table: &[u8], arguments: &[&str]) -> Output {
    let mut child = awale(&["rate", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    // A program that refuses its arguments need not read.
    let _ = input.write_all(table);
    drop(input);
    child.wait_with_output().expect("the program ends")
}

fn json(table: &[u8], arguments: &[&str]) -> Value {
    let output = rate(table, &[arguments, &["--json"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is not a number"))
}

/// 18–9–3, 18–9–3 and 24–6–0 (won, drawn, lost by the first), sides alternating, in pairs.
fn three_entrants() -> String {
    let mut table = "pair,south,north,result\n".to_owned();
    let mut game = 0;
    for (first, second, wins, draws, losses) in [
        ("ada", "bob", 18, 9, 3),
        ("bob", "carl", 18, 9, 3),
        ("ada", "carl", 24, 6, 0),
    ] {
        for place in 0..wins + draws + losses {
            let (south, north) = if game % 2 == 0 {
                (first, second)
            } else {
                (second, first)
            };
            let result = match (place, game % 2 == 0) {
                (place, _) if (wins..wins + draws).contains(&place) => "1/2-1/2",
                (place, south) if (place < wins) == south => "1-0",
                _ => "0-1",
            };
            writeln!(table, "{},{south},{north},{result}", game / 2).expect("a text");
            game += 1;
        }
    }
    table
}

#[test]
fn three_entrants_are_equal_steps_apart() {
    let fit = json(three_entrants().as_bytes(), &["--no-advantage"]);
    for (index, (name, elo)) in [("ada", 190.848_502), ("bob", 0.0), ("carl", -190.848_502)]
        .into_iter()
        .enumerate()
    {
        let entrant = &fit["entrants"][index];
        assert_eq!(entrant["name"], name);
        assert!((number(&entrant["elo"]) - elo).abs() < 1e-6, "{entrant}");
        assert!(number(&entrant["error95"]) > 10.0, "{entrant}");
        assert_eq!(entrant["error_relative_to"], "mean");
        assert_eq!(
            (&entrant["extreme"], &entrant["games"]),
            (&Value::Null, &60.into())
        );
    }
    assert_eq!(fit["advantage"], Value::Null);
    assert_eq!(
        fit["components"],
        serde_json::json!([["ada", "bob", "carl"]])
    );
    assert_eq!(fit["errors"]["method"], "sandwich");
    assert_eq!(fit["errors"]["clusters"], 45);
    assert_eq!(fit["errors"]["parameters"], 2);
    let differences = fit["differences"].as_array().expect("a list");
    assert_eq!(differences.len(), 3);
    assert_eq!(
        (&differences[1]["a"], &differences[1]["b"]),
        (&"ada".into(), &"carl".into())
    );
    assert!((number(&differences[1]["elo"]) - 2.0 * 190.848_502).abs() < 1e-5);
    assert!(number(&differences[1]["los"]) > 0.999);
}

#[test]
fn anchors_give_the_scale() {
    let table = three_entrants();
    let fit = json(
        table.as_bytes(),
        &["--no-advantage", "--anchor", "bob=1000"],
    );
    let elo = |index: usize| number(&fit["entrants"][index]["elo"]);
    assert!((elo(0) - 1_190.848_502).abs() < 1e-6);
    assert!((elo(1) - 1000.0).abs() < f64::EPSILON);
    assert_eq!(fit["entrants"][1]["error95"], 0.0);
    assert_eq!(fit["entrants"][0]["error_relative_to"], "anchor");
    assert_eq!(
        fit["entrants"][0]["error95"],
        fit["differences"][0]["error95"]
    );
    let two = json(
        table.as_bytes(),
        &["--anchor", "ada=-5.5", "--anchor=carl=-100"],
    );
    assert_eq!(
        (&two["entrants"][0]["elo"], &two["entrants"][2]["elo"]),
        (&(-5.5).into(), &(-100.0).into())
    );
}

#[test]
fn tables_as_strangers_write_them() {
    let plain = "south,north,result,pair\na b,c,1-0,1\nc,a b,1/2,1\na b,c,0-1,\nc,a b,1-0,x\n";
    let expected = json(plain.as_bytes(), &[]);
    let quoted = "\u{feff}remark,\"south\",north,pair,result,moves\r\n\
                  \r\n\
                  Aa,\"a b\",c,1,1-0,\"AaBb,C\"\r\n\
                  ,c, a b ,1,1/2-1/2,\r\n   \r\n\
                  ,\"a b\",c,,0-1\r\n,c,a b,x,\"1-0\",,,";
    assert_eq!(json(quoted.as_bytes(), &[]), expected);
    assert_eq!(expected["errors"]["pairs"], 3);
    // A head in capitals is the same column, unless the one in small letters is there too.
    let capitals = plain.replace("south,north,result,pair", "South,NORTH,Result,Pair");
    assert_eq!(json(capitals.as_bytes(), &[]), expected);
    let both = "Pair,south,north,result\n9,a,b,1-0\n9,b,a,1/2\n";
    let (paired, lone) = (
        json(both.as_bytes(), &[]),
        both.replace("north,", "north,pair,"),
    );
    assert_eq!(paired["errors"]["pairs"], 1);
    let lone = lone.replace("a,b,", "a,b,,").replace("b,a,", "b,a,,");
    assert_eq!(json(lone.as_bytes(), &[])["errors"]["pairs"], 2);
}

#[test]
fn what_is_not_known_is_null() {
    let fit = json(b"south,north,result\na,b,1-0\nb,c,1-0\nx,y,1/2\n", &[]);
    let difference = |index: usize| &fit["differences"][index];
    assert_eq!(
        fit["components"],
        serde_json::json!([["a", "b", "c"], ["x", "y"]])
    );
    // a beat b: bounded; one win is Φ(√(2 ln 2)).
    assert_eq!(
        (&difference(0)["extreme"], &difference(0)["error95"]),
        (&">".into(), &Value::Null)
    );
    assert!((number(&difference(0)["los"]) - 0.880_484).abs() < 1e-6);
    // a beat b, who beat c: as surely as each of the two.
    assert_eq!(&difference(1)["extreme"], ">");
    assert!((number(&difference(1)["los"]) - 0.880_484).abs() < 1e-6);
    // a and x never met.
    assert_eq!(
        (&difference(2)["b"], &difference(2)["elo"]),
        (&"x".into(), &Value::Null)
    );
    assert_eq!(fit["entrants"][0]["extreme"], ">");
    let warnings = fit["warnings"].to_string();
    assert!(warnings.contains("2 pools") && warnings.contains("cannot be told from strength"));
    let empty = json(b"south,north,result\n", &[]);
    assert_eq!(empty["entrants"], serde_json::json!([]));
}

/// Two entrants and their games, first view: won, drawn, lost; sides alternate.
fn two_entrants(wins: usize, draws: usize, losses: usize) -> String {
    let mut table = "south,north,result\n".to_owned();
    let results = [
        ("1-0", "0-1", wins),
        ("1/2", "1/2", draws),
        ("0-1", "1-0", losses),
    ];
    for (as_south, as_north, games) in results {
        for game in 0..games {
            let _ = if game % 2 == 0 {
                writeln!(table, "ada,bob,{as_south}")
            } else {
                writeln!(table, "bob,ada,{as_north}")
            };
        }
    }
    table
}

#[test]
fn two_entrants_have_the_summary_of_engine_authors() {
    let said = json(two_entrants(136, 111, 96).as_bytes(), &[]);
    let summary = &said["summary"];
    for (key, value) in [
        ("score_elo", 40.70),
        ("normalized_elo", 49.77),
        ("normalized_error95", 36.77),
    ] {
        let found = number(&summary[key]);
        assert!((found - value).abs() < 0.006, "{key}: {found}");
    }
    let half = number(&summary["score_elo_high95"]) - number(&summary["score_elo_low95"]);
    assert!((half / 2.0 - 30.43).abs() < 0.006, "{half}");
    // The difference is that of the table.
    for key in ["elo", "error95", "los"] {
        assert_eq!(summary[key], said["differences"][0][key], "{key}");
    }
    // 10–0: a bound, Φ(√(20 ln 2)); 20 draws: ± 31.9; one win: Φ(√(2 ln 2)).
    let swept = json(two_entrants(10, 0, 0).as_bytes(), &[]);
    assert_eq!(swept["summary"]["extreme"], ">");
    assert!((number(&swept["summary"]["elo"]) - 269.66).abs() < 0.01);
    assert!((number(&swept["summary"]["los"]) - 0.999_902).abs() < 1e-6);
    let drawn = json(two_entrants(0, 20, 0).as_bytes(), &[]);
    assert!((number(&drawn["summary"]["error95"]) - 31.9).abs() < 0.05);
    assert!((number(&drawn["differences"][0]["error95"]) - 31.9).abs() < 0.05);
    let one = json(two_entrants(1, 0, 0).as_bytes(), &[]);
    assert!((number(&one["summary"]["los"]) - 0.880_484).abs() < 1e-6);
    assert!(json(three_entrants().as_bytes(), &[])["summary"].is_null());
    let text = rate(two_entrants(10, 0, 0).as_bytes(), &[]).stdout;
    let text = String::from_utf8(text).expect("a text");
    has(&text, "ada against bob: > +270 Elo (95 %)");
}

#[test]
fn a_table_without_trouble_has_no_warning() {
    let mut table = "pair,south,north,result\n".to_owned();
    for pair in 0..20 {
        let (first, second) = [("1-0", "0-1"), ("1/2", "1-0"), ("0-1", "1/2")][pair % 3];
        writeln!(table, "{pair},ada,bob,{first}\n{pair},bob,ada,{second}").expect("a text");
    }
    let fit = json(table.as_bytes(), &[]);
    assert!(number(&fit["advantage"]["error95"]) > 0.0);
    assert_eq!(fit["warnings"], serde_json::json!([]));
    // For people the advantage stands under the table.
    let text = String::from_utf8(rate(table.as_bytes(), &[]).stdout).expect("a text");
    assert!(text.contains("Moving first is worth "), "{text}");
}

#[test]
fn errors_that_are_not_shown_are_not_explained() {
    let text = |table: &str| String::from_utf8(rate(table.as_bytes(), &[]).stdout).expect("a text");
    // South won every game: both are level with the advantage at its bound, and nothing scatters.
    let south = format!("south,north,result\n{}", "a,b,1-0\nb,a,1-0\n".repeat(5));
    assert!(
        text(&south).contains("their errors hold for that value"),
        "{}",
        text(&south)
    );
    // Always the same South: one number is fitted, and it is one.
    let seats = format!("south,north,result\n{}", "a,b,1-0\na,b,0-1\n".repeat(5));
    let seats = text(&seats);
    assert!(seats.contains("The margins come from 10 games."), "{seats}");
}

/// What is clustered has its name: openings, else pairs, else games.
#[test]
fn errors_rest_on_what_the_table_tells() {
    let table = |columns: [bool; 2]| {
        let mut table = "pair,start,south,north,result\n".to_owned();
        for pair in 0..12 {
            for (south, north) in [("a", "b"), ("b", "a")] {
                let result = ["1-0", "0-1", "1/2"][(pair + usize::from(south == "a")) % 3];
                let cells = [pair.to_string(), format!("position {}", pair / 2)];
                let [pair, start] =
                    [0, 1].map(|place| if columns[place] { &cells[place] } else { "" });
                writeln!(table, "{pair},{start},{south},{north},{result}").expect("a text");
            }
        }
        table
    };
    let rated =
        |table: &str| String::from_utf8(rate(table.as_bytes(), &[]).stdout).expect("a text");
    for (columns, words) in [
        (
            [true, true],
            "come from 6 openings; games from one opening count",
        ),
        (
            [false, true],
            "come from 6 openings; games from one opening count",
        ),
        (
            [true, false],
            "come from 12 pairs; the games of one pair count",
        ),
        ([false, false], "come from 24 games."),
    ] {
        let text = rated(&table(columns));
        assert!(text.contains(words), "{words:?} in {text}");
    }
    let mixed = table([true, true]) + "99,,a,b,1-0\n99,,b,a,1-0\n,,a,b,1/2\n";
    let text = rated(&mixed);
    has(&text, "come from 8 openings, pairs and games;");
    // Where there is too little of it, too.
    let few = rated("south,north,result\na,b,1-0\nb,a,1-0\na,b,0-1\n");
    assert!(!few.contains("opening"), "{few}");
}

/// Of ten pairs one game was lost: the advantage of moving first is only bounded, and ratings and
/// their difference have errors all the same.
#[test]
fn nineteen_of_twenty_have_errors() {
    let mut table = "pair,start,south,north,result\n".to_owned();
    for pair in 0..10 {
        let second = if pair == 0 { "1-0" } else { "0-1" };
        writeln!(
            table,
            "{pair},p{pair},ada,bob,1-0\n{pair},p{pair},bob,ada,{second}"
        )
        .expect("a text");
    }
    let fit = json(table.as_bytes(), &[]);
    assert!(fit["advantage"]["extreme"].is_string(), "{fit}");
    for entrant in fit["entrants"].as_array().expect("a list") {
        assert_eq!(entrant["extreme"], Value::Null, "{entrant}");
        assert!(number(&entrant["error95"]) > 50.0, "{entrant}");
    }
    let difference = &fit["differences"][0];
    assert!(number(&difference["error95"]) > 100.0, "{difference}");
    assert!(number(&difference["elo"]) > 100.0, "{difference}");
    assert!(number(&fit["summary"]["error95"]) > 100.0, "{fit}");
    let text = String::from_utf8(rate(table.as_bytes(), &[]).stdout).expect("a text");
    let row = text.lines().find(|line| line.contains("ada"));
    let cells = row.expect("a row").split_whitespace();
    // Place, Elo, its error, games, won, drawn, lost.
    let numbers: Vec<f64> = cells.filter_map(|it| it.parse().ok()).collect();
    assert_eq!(numbers[3..7], [20.0, 19.0, 0.0, 1.0], "{text}");
    assert!(numbers[2] > 50.0, "{text}");
}

#[test]
fn pairs_that_mix_entrants_are_told() {
    let with_pairs = |of_second: &str| {
        format!(
            "pair,south,north,result\n1,a,b,1-0\n1,b,a,1/2\n2,a,b,0-1\n2,b,a,1-0\n\
             {of_second},b,c,1-0\n{of_second},c,b,1/2\n3,c,b,0-1\n3,b,c,0-1\n"
        )
    };
    let warnings = |of_second| json(with_pairs(of_second).as_bytes(), &[])["warnings"].to_string();
    assert!(warnings("1").contains("of different entrants: 1."));
    assert!(!warnings("4").contains("of different entrants"));
}
