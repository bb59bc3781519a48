//! Games that end because perfect play is known, and what perfect players make of them.

use super::scripted_player::{Act, Heard, scripted};
use super::scripted_tournament::{games, openings_of, plan, run_of};
use awale::engine::endgame::{EndgameValues, SolvedRules, for_each_position};
use awale::record::{GameEnding, GameId, GameRecord, GameSummary};
use awale::referee::{AgreementTerms, ClockSettings, EndgameJudge, GameSetup, Turn, play_game};
use awale::report::TablesBuilder;
use awale::rules::{EndReason, Game, Pit, Position, Preset, RuleSet};
use awale::tournament::{
    EndgameTerms, Format, InProcess, Journal, Plan, Progress, RunSetup, Schedule, run_to_end,
};
use std::collections::BTreeMap;
use std::time::Duration;

fn values(preset: Preset, seeds: u8) -> EndgameValues {
    let rules = SolvedRules::of(&preset.rules()).expect("such rules have values");
    EndgameValues::solve(rules, seeds)
}

/// What South is told of the end of a game from a position, in which each side plays the pits of
/// these numbers, or its first one: rules, the seeds of the values, position, pits, the most plies.
///
/// Worked out by hand. A single seed in A to E cannot feed, so its owner takes it; from F it goes to
/// the opponent, who takes it. With 11 seeds South gets all of `2,0,0,0,0,2|1,2,4,0,0,0`, by a
/// program of others. More seeds than have values wait for a capture, here of two seeds by F.
const ENDS: &str = "
    awale   1  0-0-0-0-0-1-0-0-0-0-0-0-22-22-S  -   9  north endgame [22, 23]
    awale   2  0-0-0-0-0-1-0-0-0-0-0-0-22-22-S  -   9  north endgame [22, 23]
    simple 11  2-0-0-0-0-2-1-2-4-0-0-0-15-22-S  -   9  south endgame [26, 22]
    awale   1  0-0-0-0-0-1-1-0-0-0-0-1-22-23-S  5   9  south endgame [25, 23] F
    awale   1  0-0-1-0-0-0-0-0-1-0-0-0-23-23-S  22  2  draw adjudicated [24, 24] Cc
    awale   2  0-0-0-0-0-0-0-0-2-0-0-0-25-21-S  -   9  south majority [25, 21]
    awale   4  0-0-0-0-0-1-1-0-0-4-0-0-23-19-S  5   9  south majority [25, 19] F
    awale   1  0-0-0-0-1-0-0-0-0-0-0-0-22-22-S  -   9  south no-move [23, 22]
    awale   1  0-0-0-0-0-1-0-0-0-0-0-0-22-22-S  -   0  north endgame [22, 23]
    awale   1  0-0-0-0-0-1-1-0-0-0-0-1-22-23-S  5   1  south endgame [25, 23] F
";

#[test]
fn a_game_ends_as_soon_as_perfect_play_is_known() {
    for row in ENDS.trim().lines() {
        let words: Vec<&str> = row.split_whitespace().collect();
        let preset = Preset::from_name(words[0]).expect("a preset");
        let values = values(preset, words[1].parse().expect("seeds"));
        let setup = GameSetup {
            id: "1.1",
            names: None,
            preset,
            rules: preset.rules(),
            clocks: [ClockSettings {
                move_limit: Some(Duration::from_secs(1)),
                ..ClockSettings::default()
            }; 2],
            max_plies: words[4].parse().expect("plies"),
            endgame: Some(&values),
            agreement: AgreementTerms::default(),
            seeds: [1, 2],
            start: words[2].parse().expect("a position"),
            opening: None,
        };
        let pits = words[3].chars().filter_map(|it| it.to_digit(10));
        let pits: Vec<u32> = pits.collect();
        let [mut south, mut north] = [0, 1].map(|first| {
            let own = pits.iter().skip(first).step_by(2);
            scripted(own.map(|pit| Act::Play(i64::from(*pit), 0)))
        });
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let game = play_game(&setup, [&mut south, &mut north]);
        let played = runtime.expect("a runtime").block_on(game);
        assert_eq!(played.ending.name(), words[6], "{row}");
        let Some(Heard::GameOver(told)) = south.heard.last() else {
            panic!("no end of {row}");
        };
        assert_eq!(told.trim_end(), words[5..].join(" "), "{row}");
    }
}

/// Plays any pit, by the position and its own number, and then perfectly.
fn mixed(values: &EndgameValues, own: u64, turn: &Turn) -> Pit {
    values.perfect_move(turn.position).unwrap_or_else(|| {
        let pits = turn.position.to_string().bytes().fold(own, |mixed, byte| {
            (mixed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let legal: Vec<Pit> = turn.legal.iter().collect();
        legal[(pits >> 33) as usize % legal.len()]
    })
}

/// A tournament of such players, with the games of which perfect play is known ended or not.
fn tournament(plan: &Plan, values: &EndgameValues, ends: bool) -> BTreeMap<GameId, GameRecord> {
    let terms = EndgameTerms {
        seeds: values.seeds(),
        sha256: String::new(),
    };
    let plan = &Plan {
        endgame: ends.then_some(terms),
        ..plan.clone()
    };
    let (schedule, openings) = (Schedule::new(plan), openings_of(plan));
    let setup = RunSetup {
        endgame: ends.then_some(values as &dyn EndgameJudge),
        ..RunSetup::new(plan, &schedule, &openings)
    };
    let players = [3_u64, 5, 7].map(|own| move |turn: &Turn| mixed(values, own, turn));
    let mut journal = Journal::begin(Vec::new(), &run_of(plan)).unwrap();
    let factory = InProcess::new(players);
    run_to_end(&setup, &factory, &mut journal, Progress::default()).unwrap();
    games(&journal.into_storage())
}

/// Standings and cross table.
fn tables(plan: &Plan, games: &BTreeMap<GameId, GameRecord>) -> String {
    let names = plan.names();
    let mut builder = TablesBuilder::new(&names).unwrap();
    for record in games.values() {
        builder.add(&GameSummary::of(record));
    }
    let tables = builder.finish().unwrap();
    let mut text = Vec::new();
    tables.standings_csv(&mut text).unwrap();
    tables.crosstable_csv(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn perfect_players_have_the_same_table_either_way() {
    let mut ended = 0;
    for preset in [Preset::Awale, Preset::Commun, Preset::Awari] {
        let values = values(preset, 9);
        let plan = Plan {
            preset,
            rules: preset.rules(),
            ..plan(&["ada", "bob", "cyd"], 40, Format::RoundRobin)
        };
        let [whole, short] = [false, true].map(|ends| tournament(&plan, &values, ends));
        for (id, record) in &short {
            let long = &whole[id];
            assert_eq!(record.stores, long.stores, "{id} {preset:?}");
            assert!(long.moves().starts_with(&record.moves()));
            let is_ended = record.ending == GameEnding::Endgame;
            assert_eq!(is_ended, record.ending != long.ending);
            ended += usize::from(is_ended);
        }
        assert_eq!(tables(&plan, &short), tables(&plan, &whole));
    }
    assert!(ended > 300, "{ended}");
}

/// From every position of up to 6 seeds, and of some stores: a majority may end the game first.
#[test]
fn thousands_of_endings_are_played_out_to_the_stores_of_the_judge() {
    let mut judged = 0;
    for preset in [
        Preset::Awale,
        Preset::Commun,
        Preset::Simple,
        Preset::Junior,
        Preset::Awari,
    ] {
        let values = values(preset, 6);
        for seeds in 1..=6_u8 {
            let mut stores = (0..5_u8).map(|more| 22 + more).cycle();
            for_each_position(seeds, |position| {
                let pits = position.to_string();
                let pits = pits.strip_suffix("-0-0-S").expect("nothing in the stores");
                let south = stores.next().expect("a cycle").min(48 - seeds);
                let north = 48 - seeds - south;
                let start = format!("{pits}-{south}-{north}-S").parse();
                let start = start.expect("a position");
                judged += usize::from(is_played_out(preset.rules(), &values, start));
            });
        }
    }
    assert!(judged > 20_000, "{judged}");
}

/// Plays a game on with the perfect moves of both sides; its stores must be those that were
/// foretold. Returns whether there was something to play.
fn is_played_out(rules: RuleSet, values: &EndgameValues, start: Position) -> bool {
    let mut game = Game::new(rules, start);
    let foretold = values.final_stores(&game);
    assert_eq!(foretold.is_some(), game.ending().is_none(), "{start}");
    while game.ending().is_none() {
        let pit = values.perfect_move(game.position()).expect("a move");
        game.play(pit).expect("a legal move");
        assert_eq!(values.final_stores(&game).is_some(), is_fresh(&game));
    }
    let stores = game.ending().map(|ending| ending.stores);
    if let Some(foretold) = foretold {
        assert_eq!(stores, Some(foretold), "{start}");
        let won = |stores: [u8; 2]| i16::from(stores[0]) - i16::from(stores[1]);
        let value = values.value(start).expect("few seeds");
        let before = won(start.stores());
        let majority = game
            .ending()
            .is_some_and(|it| it.reason == EndReason::Majority);
        assert!(
            majority || won(foretold) - before == i16::from(value),
            "{start}"
        );
        assert_eq!(
            won(foretold).signum(),
            (before + i16::from(value)).signum(),
            "{start}"
        );
    }
    foretold.is_some()
}

fn is_fresh(game: &Game) -> bool {
    game.ending().is_none() && game.history().len() == 1
}
