//! The sample run in `results/example/` is a real one: its tables are what its journal gives, and
//! its games are what two implementations of the rules make of their moves. `scripts/sample` plays
//! it again.

use crate::support::literal_rules::{Board, LiteralGame};
use awale::record::{GameEnding, GameSummary};
use awale::report::{GamesCsv, TablesBuilder};
use awale::rules::{Game, Pit, RuleSet};
use awale::tournament::JournalReader;
use std::fs;
use std::path::PathBuf;

fn example(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/example");
    fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_sample_tables_are_those_of_the_sample_journal() {
    let journal = example("games.jsonl");
    let mut reader = JournalReader::new(&journal[..]);
    let mut records = Vec::new();
    while let Some(record) = reader.next_record().expect("a sound journal") {
        records.push(record);
    }
    records.sort_by_key(|record| record.id.clone());
    let plan: toml::Table = String::from_utf8(example("plan.toml"))
        .expect("UTF-8")
        .parse()
        .expect("TOML");
    let entrants = plan["entrant"].as_array().expect("a list");
    let names: Vec<String> = entrants
        .iter()
        .map(|entrant| entrant["name"].as_str().expect("a name").to_owned())
        .collect();

    // A round robin: both games of this many pairs against each other entrant.
    let pairs = plan["tournament"]["pairs"].as_integer().expect("a number");
    let planned = 2 * pairs.cast_unsigned() * (names.len() as u64 - 1);
    let mut builder = TablesBuilder::new(&names)
        .expect("different names")
        .planned(&vec![planned; names.len()]);
    let mut games = Vec::new();
    let mut csv = GamesCsv::new(&mut games).expect("a csv");
    for record in &records {
        builder.add(&GameSummary::of(record));
        csv.add(GameSummary::of(record)).expect("a row");
    }
    csv.finish().expect("an end");
    let tables = builder.finish().expect("records of these entrants");
    let (mut standings, mut crosstable) = (Vec::new(), Vec::new());
    tables.standings_csv(&mut standings).expect("a table");
    tables.crosstable_csv(&mut crosstable).expect("a table");
    for (name, made) in [
        ("standings.csv", standings),
        ("crosstable.csv", crosstable),
        ("games.csv", games),
    ] {
        let text = String::from_utf8(made).expect("UTF-8");
        assert_eq!(
            text,
            String::from_utf8(example(name)).expect("UTF-8"),
            "{name}"
        );
    }
}

#[test]
fn the_sample_games_are_the_same_on_both_implementations_of_the_rules() {
    let journal = example("games.jsonl");
    let mut reader = JournalReader::new(&journal[..]);
    let mut games = 0;
    while let Some(record) = reader.next_record().expect("a sound journal") {
        let id = &record.id;
        let GameEnding::Rules(reason) = record.ending else {
            panic!("game {id} ended by {}", record.ending.name())
        };
        let rules = RuleSet::default();
        let mut game = Game::new(rules, record.start);
        let board = Board {
            pits: record.start.pits().map(u32::from),
            stores: record.start.stores().map(u32::from),
            to_move: record.start.to_move().index(),
        };
        let mut slow = LiteralGame::new(rules, board);
        for pit in record.moves() {
            assert_eq!((game.ending(), slow.ends()), (None, None), "{id}");
            let legal: Vec<usize> = game.legal_moves().iter().map(Pit::index).collect();
            assert_eq!(legal, slow.board.moves(&rules), "{id}");
            let captured = game.play(pit).expect("a legal move").captured;
            assert_eq!(u32::from(captured), slow.play(pit.index()), "{id}");
        }
        assert_eq!(slow.ends(), Some(reason.name()), "{id}");
        let stores = slow.board.settle(&rules, reason.name());
        assert_eq!(stores, record.stores.map(u32::from), "{id}");
        let ending = game.ending().expect("an ending");
        assert_eq!(
            (ending.reason, ending.stores),
            (reason, record.stores),
            "{id}"
        );
        games += 1;
    }
    assert_eq!(games, 100);
}
