//! The parts of the page, compared with values found by hand. A browser tests the page itself
//! (`tests/browser`).

use super::games::{Chain, ExactPart, GameColumns, GameDetails, InfoLimit};
use super::packing::{BLOCK_GAMES, PackedGames};
use super::summary::{PageFacts, PageSummary, Reader, headline};
use super::times::TimeHistograms;
use crate::analysis::Analyst;
use crate::engine::endgame::{EndgameValues, SolvedRules};
use crate::record::sample::{game, names};
use crate::record::{FaultKind, GameRecord, GameSummary, PlayedAt};
use crate::report::{BracketRow, MatchRow, PlaceRow, RoundTables, Tables, TablesBuilder};
use crate::rules::{Preset, Side, parse_moves};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Read as _;

const EVERYTHING: InfoLimit<'_> = InfoLimit {
    bytes: usize::MAX,
    reader: Reader::Organiser,
};

/// Pairs in which the first entrant wins both games, each from an opening of its own.
fn won_pairs([winner, loser]: [&str; 2], first: u32, pairs: u32) -> Vec<GameRecord> {
    let pair = |round: u32| {
        let opening = |record: GameRecord| GameRecord {
            start: format!("{}-{}-4-4-4-4-4-4-4-4-4-4-0-0-S", round % 9, 8 - round % 9)
                .parse()
                .expect("a position"),
            opening: round,
            ..record
        };
        [
            opening(game(&format!("{round}.1"), [winner, loser], [30, 18])),
            opening(game(&format!("{round}.2"), [loser, winner], [18, 30])),
        ]
    };
    (first..first + pairs).flat_map(pair).collect()
}

fn said(entrants: &[&str], records: &[GameRecord]) -> Vec<String> {
    let names = names(entrants);
    let tables = Tables::new(&names, records).expect("games of these entrants");
    headline(&tables, &BTreeSet::new())
}

#[test]
fn the_headline_names_the_first_and_the_faults() {
    assert_eq!(said(&["ada", "bob"], &[]), [""; 0]);
    // Eight wins of eight bound the difference, and say nothing of its size.
    let all_won = won_pairs(["ada", "bob"], 1, 8);
    let first = &said(&["ada", "bob"], &all_won)[0];
    assert!(first.starts_with("ada against bob: > +"), "{first}");
    // Five pairs won by each: nobody leads.
    let mut even = won_pairs(["ada", "bob"], 1, 5);
    even.extend(won_pairs(["bob", "ada"], 6, 5));
    let [first, second] = &said(&["ada", "bob"], &even)[..] else {
        panic!("two sentences");
    };
    assert!(first.starts_with("ada against bob: +0.0 ± "), "{first}");
    assert!(
        second.starts_with("Too close to call: ada and bob."),
        "{second}"
    );

    let mut faulty = even.clone();
    faulty[0] = faulty[0].clone().faulted(Side::South, FaultKind::Timeout);
    faulty[1] = faulty[1].clone().faulted(Side::North, FaultKind::Timeout);
    faulty[3] = faulty[3].clone().faulted(Side::South, FaultKind::Crash);
    let sentences = said(&["ada", "bob"], &faulty);
    assert_eq!(
        sentences[2..],
        [
            "ada lost 2 of 20 games on time.",
            "bob lost 1 of 20 games by faults (1 crash)."
        ]
    );
}

#[test]
fn the_headline_of_several_names_the_best() {
    // zoe beats the others, who are level.
    let mut records = won_pairs(["zoe", "ada"], 1, 20);
    records.extend(won_pairs(["zoe", "bob"], 21, 20));
    records.extend(won_pairs(["zoe", "cyd"], 41, 20));
    let mut first = 61;
    for (one, other) in [("ada", "bob"), ("bob", "cyd"), ("ada", "cyd")] {
        records.extend(won_pairs([one, other], first, 5));
        records.extend(won_pairs([other, one], first + 5, 5));
        first += 10;
    }
    let sentences = said(&["ada", "bob", "cyd", "zoe"], &records);
    assert_eq!(sentences, ["zoe is the best (95 %)."]);
}

/// Captures of one and of two pits, and none.
#[test]
fn captures_are_the_pits_that_a_move_empties() {
    let moved = |start: &str, letter: &str| {
        let record = GameRecord {
            start: start.parse().expect("a position"),
            ..game("1.1", ["ada", "bob"], [24, 24]).with_plies(letter, &[5])
        };
        let (details, _) = GameDetails::of(&record, Preset::Awale.rules(), EVERYTHING);
        serde_json::to_value(details).expect("JSON")["captured"].clone()
    };
    for (start, letter, captured) in [
        // F's two seeds make a and b two and three: both are taken.
        ("0-0-0-0-4-2-1-2-5-5-5-5-10-9-S", "F", json!([[0, "ab"]])),
        // The chain ends at a pit of four.
        ("0-0-0-0-4-2-3-2-5-5-5-5-10-7-S", "F", json!([[0, "b"]])),
        // Own pits are not taken.
        ("0-1-1-0-8-8-4-4-4-4-4-4-3-3-S", "B", json!([])),
        // Thirteen seeds pass over the pit of origin and end at b; a and b have two each.
        ("0-0-0-0-1-13-0-0-5-5-5-5-7-7-S", "F", json!([[0, "ab"]])),
    ] {
        assert_eq!(moved(start, letter), captured, "{start} {letter}");
    }
}

/// E gains 8 seeds, as `awale check` says where it asks for the only winning move, and B loses 2.
#[test]
fn the_exact_part_has_the_moves_that_lost_seeds() {
    let rules = Preset::Awale.rules();
    let values = EndgameValues::solve(SolvedRules::of(&rules).expect("solvable"), 10);
    let analyst = Analyst::new(rules, values).expect("values of these rules");
    let exact = |start: &str, moves: &str| {
        let start = start.parse().expect("a position");
        let analysis = analyst.analyse(start, &parse_moves(moves).expect("moves"));
        serde_json::to_value(ExactPart::of(&analysis)).expect("JSON")
    };
    let start = "0-2-0-5-2-0-1-0-0-0-0-0-19-19-S";
    let lost = json!({ "ply": 0, "ahead": 8, "lost": [[0, 10, "E"]] });
    assert_eq!(exact(start, "B"), lost);
    assert_eq!(exact(start, "E")["lost"], json!([]));
    assert_eq!(exact("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "CdF"), Value::Null);
}

#[test]
fn the_longest_chain_empties_most_pits() {
    for (start, moves, expected) in [
        ("0-0-0-0-4-2-1-2-5-5-5-5-10-9-S", "F", Some((2, 0))),
        ("0-0-0-0-4-2-3-2-5-5-5-5-10-7-S", "F", Some((1, 0))),
        ("0-1-1-0-8-8-4-4-4-4-4-4-3-3-S", "B", None),
    ] {
        let times = vec![5; moves.len()];
        let record = GameRecord {
            start: start.parse().expect("a position"),
            ..game("1.1", ["ada", "bob"], [24, 24]).with_plies(moves, &times)
        };
        let (details, _) = GameDetails::of(&record, Preset::Awale.rules(), EVERYTHING);
        let chain = details.longest_chain(7);
        let expected = expected.map(|(pits, ply)| Chain { pits, game: 7, ply });
        assert_eq!(chain, expected, "{start}");
    }
}

fn with_info(texts: &[&str]) -> GameRecord {
    let times = vec![1; texts.len()];
    let moves: String = "AaBbCc".chars().take(texts.len()).collect();
    let mut record = game("1.1", ["ada", "bob"], [24, 24]).with_plies(&moves, &times);
    for (ply, text) in record.plies.iter_mut().zip(texts) {
        ply.info = (!text.is_empty()).then(|| (*text).to_owned());
    }
    record
}

#[test]
fn too_much_info_is_cut_to_score_and_depth() {
    let long = r#"{"score":2.50,"pv":"AbCdEf","depth":7}"#;
    let record = with_info(&[long, "", "{}", r#"{"score":"<b>"}"#, long]);
    let shown = |limit| {
        let (details, is_cut) = GameDetails::of(&record, Preset::Awale.rules(), limit);
        let details = serde_json::to_value(details).expect("JSON");
        (details["info"].clone(), is_cut)
    };
    let whole = json!([[0, long], [2, "{}"], [3, r#"{"score":"<b>"}"#], [4, long]]);
    assert_eq!(shown(EVERYTHING), (whole, false));
    let souths = InfoLimit {
        reader: Reader::Author(&record.entrants[0]),
        ..EVERYTHING
    };
    let of_south = json!([[0, long], [2, "{}"], [4, long]]);
    assert_eq!(shown(souths), (of_south, false));
    let short = |bytes| InfoLimit {
        bytes,
        ..EVERYTHING
    };
    let numbers = r#"{"depth":7,"score":2.5}"#;
    assert_eq!(
        shown(short(60)),
        (json!([[0, numbers], [4, numbers]]), true)
    );
    assert_eq!(shown(short(30)), (json!([[0, numbers]]), true));
    assert_eq!(shown(short(3)), (json!([]), true));
    // Text is not for everybody.
    let everybodys = InfoLimit {
        reader: Reader::Public,
        ..EVERYTHING
    };
    assert_eq!(
        shown(everybodys),
        (json!([[0, numbers], [4, numbers]]), true)
    );
}

#[test]
fn times_fall_into_the_interval_that_they_begin() {
    let names = names(&["ada", "bob"]);
    let mut times = TimeHistograms::new(&names);
    let entrants = ["bob", "ada"].map(str::to_owned);
    times.add(&entrants, &[0, 1, 1, 49, 700_000_000]);
    let starts = TimeHistograms::starts();
    let counts = |name: usize| {
        let rows = times.rows();
        let counted = rows[name]
            .iter()
            .zip(starts)
            .filter(|(count, _)| **count > 0);
        counted
            .map(|(count, start)| (*start, *count))
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(0), [(1, 1), (20, 1)], "ada, as North");
    assert_eq!(counts(1), [(1, 2), (500_000_000, 1)], "bob, as South");
}

/// Blocks have the games in their order, whatever the order in which they came.
#[test]
fn games_are_packed_in_their_order() {
    let count = 2 * BLOCK_GAMES + 3;
    let mut packed = PackedGames::new(count);
    for number in (0..count).rev().filter(|number| *number != 5) {
        assert!(packed.lacks(number));
        let added = packed.add(number, number.to_string());
        added.expect("no disk is needed");
        assert!(!packed.lacks(number));
    }
    assert!(!packed.lacks(count));
    let blocks = packed.finish().expect("no disk is needed");
    let read = blocks.iter().flat_map(|block| {
        let mut text = String::new();
        let mut decoder = GzDecoder::new(block.as_slice());
        decoder.read_to_string(&mut text).expect("gzip");
        serde_json::from_str::<Vec<Value>>(&text).expect("JSON")
    });
    let expected = (0..count).map(|number| {
        if number == 5 {
            Value::Null
        } else {
            json!(number)
        }
    });
    assert_eq!(read.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn columns_tell_who_won_and_whose_fault_it_was() {
    let names = names(&["ada", "bob"]);
    let mut columns = GameColumns::new(&names);
    let records = [
        game("ada~bob.3.1", ["ada", "bob"], [20, 28]),
        game("ada~bob.3.2", ["bob", "ada"], [24, 24]),
        game("7.1", ["ada", "bob"], [0, 0]).faulted(Side::North, FaultKind::Crash),
    ];
    for record in &records {
        assert!(columns.add(&GameSummary::of(record)));
    }
    let stranger = game("7.2", ["eve", "bob"], [20, 28]);
    assert!(!columns.add(&GameSummary::of(&stranger)));
    let columns = serde_json::to_value(&columns).expect("JSON");
    for (column, values) in [
        ("labels", json!(["ada~bob.", ""])),
        ("label", json!([0, 0, 1])),
        ("round", json!([3, 3, 7])),
        ("number", json!([1, 2, 1])),
        ("south", json!([0, 1, 0])),
        ("winner", json!([2, 0, 1])),
        ("fault", json!([0, 0, 2])),
        ("endings", json!(["no-move", "crash"])),
        ("store_north", json!([28, 24, 0])),
    ] {
        assert_eq!(columns[column], values, "{column}");
    }
}

#[test]
fn hosts_are_shown_to_the_organiser_alone() {
    let entrants = names(&["ada", "bob"]);
    let host = "<b>\u{1b}".to_owned();
    let at = Some(PlayedAt {
        host: host.clone(),
        ..PlayedAt::default()
    });
    let mut records = won_pairs(["ada", "bob"], 1, 1);
    records[0].at = at;
    let shown = |reader, by_host: bool| {
        let mut builder = TablesBuilder::new(&entrants).expect("two names");
        if by_host {
            builder = builder.by_host();
        }
        for record in &records {
            builder.add(&GameSummary::of(record));
        }
        let tables = builder.finish().expect("games of these entrants");
        let facts = PageFacts {
            reader,
            ..PageFacts::default()
        };
        let summary = PageSummary::new(&tables, facts, &[], &TimeHistograms::new(&[]));
        serde_json::to_value(&summary).expect("JSON")["hosts"].take()
    };
    let rows = shown(Reader::Organiser, true);
    assert_eq!(
        (&rows[0]["host"], &rows[0]["games"]),
        (&json!(""), &json!(1))
    );
    assert_eq!(
        (&rows[1]["host"], &rows[1]["games"]),
        (&json!(host), &json!(1))
    );
    assert_eq!(rows[1]["z"], Value::Null);
    for (reader, by_host) in [
        (Reader::Public, true),
        (Reader::Author("ada"), true),
        (Reader::Organiser, false),
    ] {
        assert_eq!(shown(reader, by_host), Value::Null, "{reader:?}");
    }
}

/// A drawn ending that South throws away, as `report::accuracy` tells it.
#[test]
fn accuracy_is_shown_to_all_and_reversals_to_those_who_may_see_the_game() {
    let entrants = names(&["ada", "bob", "eve"]);
    let rules = Preset::Awale.rules();
    let values = EndgameValues::solve(SolvedRules::of(&rules).expect("solvable"), 4);
    let analyst = Analyst::new(rules, values).expect("values of these rules");
    let lost = GameRecord {
        start: "1-0-0-0-0-1-1-0-0-0-0-1-20-24-S"
            .parse()
            .expect("a position"),
        ..game("1.1", ["ada", "bob"], [20, 28]).faulted(Side::South, FaultKind::Timeout)
    };
    let shown = |reader, hidden: &[&str], is_analysed: bool| {
        let mut builder = TablesBuilder::new(&entrants).expect("three names");
        if is_analysed {
            builder = builder.analysed_by(&analyst);
        }
        builder.add(&GameSummary::of(&lost));
        let tables = builder.finish().expect("games of these entrants");
        let facts = PageFacts {
            reader,
            hidden: hidden.iter().map(|&it| it.to_owned()).collect(),
            ..PageFacts::default()
        };
        let summary = PageSummary::new(&tables, facts, &[], &TimeHistograms::new(&[]));
        serde_json::to_value(&summary).expect("JSON")["endgames"].take()
    };
    let all = shown(Reader::Organiser, &[], true);
    assert_eq!(all["seeds"], 4);
    assert_eq!(all["accuracy"].as_array().map(Vec::len), Some(9));
    assert_eq!(all["reversals"][0]["id"], lost.id.to_string());
    assert_eq!(all["reversals"][0]["due"], "1/2-1/2");
    for (reader, hidden, rows, games) in [
        (Reader::Author("ada"), &[][..], 9, 1),
        (Reader::Author("eve"), &[], 9, 0),
        (Reader::Public, &["bob"], 6, 0),
    ] {
        let seen = shown(reader, hidden, true);
        let count = |key: &str| seen[key].as_array().map(Vec::len);
        assert_eq!(count("accuracy"), Some(rows), "{reader:?}");
        assert_eq!(count("reversals"), Some(games), "{reader:?}");
    }
    assert_eq!(shown(Reader::Organiser, &[], false), Value::Null);
}

/// A semi-final that ben has lost to ada; cyd had a bye.
#[test]
fn rounds_hide_those_who_have_left_and_are_not_on_the_page_of_an_author() {
    let entrants = names(&["ada", "ben", "cyd"]);
    let both = |one: &str, other: &str| [one.to_owned(), other.to_owned()];
    let matches = [both("ada", "ben"), both("cyd", "")].map(|entrants| MatchRow {
        entrants,
        ..MatchRow::default()
    });
    let bracket =
        [("ada", "ben", "ben"), ("cyd", "", "cyd")].map(|(first, second, winner)| BracketRow {
            entrants: both(first, second),
            winner: winner.to_owned(),
            ..BracketRow::default()
        });
    let places = ["ben", "ada", "cyd"].map(|it| PlaceRow {
        entrant: it.to_owned(),
        ..PlaceRow::default()
    });
    let rounds = RoundTables {
        matches: matches.into(),
        places: places.into(),
        bracket: bracket.into(),
    };
    let shown = |reader, hidden: &[&str]| {
        let builder = TablesBuilder::new(&entrants).expect("three names");
        let tables = builder.of_rounds(Some(rounds.clone())).finish();
        let tables = tables.expect("no games");
        let facts = PageFacts {
            reader,
            hidden: hidden.iter().map(|&it| it.to_owned()).collect(),
            ..PageFacts::default()
        };
        let summary = PageSummary::new(&tables, facts, &[], &TimeHistograms::new(&[]));
        serde_json::to_value(&summary).expect("JSON")["rounds"].take()
    };
    let names = |rows: &Value, column: &str| -> Vec<String> {
        let rows = rows.as_array().expect("rows").iter();
        rows.map(|it| it[column].as_str().expect("a name").to_owned())
            .collect()
    };
    let all = shown(Reader::Organiser, &[]);
    assert_eq!(names(&all["matches"], "first"), ["ada", "cyd"]);
    assert_eq!(names(&all["bracket"], "winner"), ["ben", "cyd"]);
    assert_eq!(names(&all["places"], "entrant"), ["ben", "ada", "cyd"]);
    let public = shown(Reader::Public, &["ben"]);
    assert_eq!(names(&public["matches"], "first"), ["cyd"]);
    assert_eq!(names(&public["bracket"], "first"), ["ada", "cyd"]);
    assert_eq!(names(&public["bracket"], "winner"), ["", "cyd"]);
    assert_eq!(names(&public["places"], "entrant"), ["ada", "cyd"]);
    assert!(!public.to_string().contains("ben"), "{public}");
    assert_eq!(shown(Reader::Author("ada"), &[]), Value::Null);
}
