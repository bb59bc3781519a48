//! Exported games read back: what a reader of OGN and PGN that shares nothing with the writer finds
//! in them is what the records say.

use awale::record::{Fault, FaultKind, GameEnding, GameRecord, PlyRecord};
use awale::report::{Dialect, Notation, Sample, samples};
use awale::rules::{EndReason, Game, GameResult, Pit, Position, Preset, RuleSet, Side, moves_text};
use awale::text::printable;
use awale::tournament::parse_openings;
use proptest::prelude::*;
use regex::Regex;
use std::collections::BTreeMap;

fn rules() -> RuleSet {
    Preset::Awale.rules()
}

/// Plays the legal moves that the numbers choose.
fn play(game: &mut Game, choices: &[usize]) {
    for choice in choices {
        let legal: Vec<Pit> = game.legal_moves().into_iter().collect();
        if legal.is_empty() {
            return;
        }
        game.play(legal[choice % legal.len()])
            .expect("a legal move");
    }
}

fn any_name() -> impl Strategy<Value = String> {
    let names = [
        "ada",
        "the \"one\"",
        "back\\slash\\",
        "[A b] {C} (d) ; %",
        "1-0",
        "]\"",
        "Ελένη 明",
        "red\u{1b}[31m\u{202e}",
        "two\nlines",
        "=1+1,\"x\"",
    ];
    proptest::sample::select(names.to_vec()).prop_map(str::to_owned)
}

fn any_ending() -> impl Strategy<Value = GameEnding> {
    let side = proptest::sample::select(Side::BOTH.to_vec());
    let fault = |side| GameEnding::Fault(side, Fault::new(FaultKind::Timeout, "\u{1b}}"));
    prop_oneof![
        Just(GameEnding::Rules(EndReason::NoMove)),
        Just(GameEnding::Adjudicated),
        Just(GameEnding::Endgame),
        side.clone().prop_map(GameEnding::Resignation),
        side.prop_map(fault),
    ]
}

fn any_info() -> impl Strategy<Value = Option<String>> {
    let infos = [
        r#"{"score":3.5,"depth":9}"#,
        r#"{"score":-12,"pv":"}A{"}"#,
        r#"{"depth":4}"#,
        r#"{"score":1e300,"depth":-1}"#,
        r#"{"score":"9"}"#,
        "[1]",
    ];
    let infos = proptest::sample::select(infos.to_vec());
    proptest::option::of(infos.prop_map(str::to_owned))
}

prop_compose! {
    fn any_record()(
        opening in proptest::collection::vec(0..6_usize, 0..4),
        choices in proptest::collection::vec(0..6_usize, 0..40),
        is_position in any::<bool>(),
        entrants in (any_name(), any_name()),
        ending in any_ending(),
        times in proptest::collection::vec(0..100_000_000_u64, 40),
        infos in proptest::collection::vec(any_info(), 40),
        south in 0..=48_u8,
        round in 1..10_000_u32,
    ) -> GameRecord {
        let mut game = Game::new(rules(), Position::START);
        play(&mut game, &opening[..opening.len() / 2 * 2]);
        let (start, opening_moves) = (game.position(), game.moves().to_vec());
        let mut game = Game::new(rules(), start);
        play(&mut game, &choices);
        let plies = game.moves().iter().zip(times).zip(infos);
        let plies = plies.map(|((&pit, time_us), info)| PlyRecord {
            pit, time_us, cpu_us: None, preempted_us: 0, info,
        });
        GameRecord {
            id: format!("ada~bob.{round}.1").parse().expect("an id"),
            attempt: 1,
            entrants: entrants.into(),
            opening: 1,
            opening_moves: if is_position { Vec::new() } else { opening_moves },
            start,
            plies: plies.collect(),
            ending,
            stores: [south, 48 - south],
            ready_us: [None; 2],
            lateness_us: None,
            off_turn_us: [None; 2],
            short_cpu_us: [None; 2],
            introductions: [None, None],
            at: None,
        }
    }
}

/// What a reader of one game finds.
struct Found {
    tags: BTreeMap<String, String>,
    first_tag: String,
    /// The letters outside of comments, as Aualé reads them.
    moves: String,
    /// The letters before `{book}`.
    book: String,
    /// The comments but `{book}`.
    comments: Vec<String>,
    end: String,
}

/// The rules of the reader of Aualé: tags first, then letters, with comments in braces.
fn found(text: &str) -> Found {
    let tag = Regex::new(r#"^\[(\w+) "((?:[^"\\]|\\.)*)"\]$"#).expect("a pattern");
    let escaped = Regex::new(r"\\(.)").expect("a pattern");
    let (head, body) = text.split_once("\n\n").expect("tags, then moves");
    let mut tags = BTreeMap::new();
    let mut first_tag = None;
    for line in head.lines() {
        let parts = tag
            .captures(line)
            .unwrap_or_else(|| panic!("no tag: {line}"));
        let value = escaped.replace_all(&parts[2], "$1");
        first_tag.get_or_insert_with(|| parts[1].to_owned());
        let known = tags.insert(parts[1].to_owned(), value.into_owned());
        assert_eq!(known, None, "{line}");
    }
    assert!(body.lines().all(|line| line.len() < 80), "{body}");
    let (mut moves, mut book, mut comments, mut rest) =
        (String::new(), String::new(), Vec::new(), body);
    while let Some((before, after)) = rest.split_once('{') {
        moves.extend(before.chars().filter(char::is_ascii_alphabetic));
        let (comment, after) = after.split_once('}').expect("a closed comment");
        assert!(!moves.is_empty(), "Aualé keeps comments of moves alone");
        if comment == "book" {
            book.clone_from(&moves);
        } else {
            comments.push(comment.to_owned());
        }
        rest = after;
    }
    moves.extend(rest.chars().filter(char::is_ascii_alphabetic));
    Found {
        tags,
        first_tag: first_tag.expect("a tag"),
        moves,
        book,
        comments,
        end: body.split_whitespace().last().expect("a result").to_owned(),
    }
}

fn points(record: &GameRecord) -> &'static str {
    match record.result().expect("a result") {
        GameResult::Win(Side::South) => "1-0",
        GameResult::Win(Side::North) => "0-1",
        GameResult::Draw => "1/2-1/2",
    }
}

/// What the comments of a record say.
fn comments(record: &GameRecord) -> Vec<String> {
    let plies = record.plies.iter().map(|ply| {
        let said = match ply.info.as_deref() {
            Some(r#"{"score":3.5,"depth":9}"#) => "+3.50/9 ",
            Some(info) if info.contains("-12") => "-12.00 ",
            Some(r#"{"depth":4}"#) => "/4 ",
            _ => "",
        };
        let seconds = ply.time_us as f64 / 1e6;
        format!("{said}{seconds:.6}s")
    });
    plies.collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn games_in_notation_are_read_back(record in any_record(), has_comments in any::<bool>()) {
        for dialect in [Dialect::Ogn, Dialect::Pgn] {
            let notation = Notation {
                dialect, event: "spring \"1\"", rules: "awale", has_comments,
            };
            let text = notation.game(&record);
            let found = found(&text);
            let tag = |name: &str| found.tags[name].as_str();
            let (first, players) = match dialect {
                Dialect::Ogn => ("Variant", ["South", "North"]),
                Dialect::Pgn => ("Event", ["White", "Black"]),
            };
            prop_assert_eq!(&found.first_tag, first);
            prop_assert_eq!(tag("Event"), "spring \"1\"");
            for (name, entrant) in players.iter().zip(&record.entrants) {
                prop_assert_eq!(tag(name), printable(entrant));
            }
            let all = moves_text(&record.opening_moves) + &moves_text(&record.moves());
            prop_assert_eq!(&found.moves, &all);
            prop_assert_eq!(&found.book, &moves_text(&record.opening_moves));
            prop_assert_eq!(tag("Round"), record.id.pair.round().to_string());
            let [south, north] = record.stores;
            prop_assert_eq!(tag("Stores"), format!("{south}-{north}"));
            prop_assert_eq!(tag("Start"), record.start.to_string());
            let by_seeds = matches!(
                record.ending,
                GameEnding::Rules(_) | GameEnding::Adjudicated | GameEnding::Endgame
            );
            let result = match dialect {
                Dialect::Ogn if by_seeds => format!("{south}-{north}"),
                _ => points(&record).to_owned(),
            };
            prop_assert_eq!(tag("Result"), &result);
            prop_assert_eq!(&found.end, &result);
            let said = if has_comments { comments(&record) } else { Vec::new() };
            prop_assert_eq!(&found.comments, &said);
            // Its opening can be played again; an opening of no moves is the start.
            let mut played = Game::new(rules(), Position::START);
            for &pit in &record.opening_moves {
                played.play(pit).expect("a legal opening");
            }
            let position = found.tags.get("FEN").map(|it| it.parse().expect("a position"));
            prop_assert_eq!(position.unwrap_or(played.position()), record.start);
            if !record.opening_moves.is_empty() || record.plies.is_empty() {
                let openings = parse_openings(&rules(), &text).expect("an opening");
                prop_assert_eq!(openings[0].position, record.start);
                prop_assert_eq!(openings.len(), 1);
            }
        }
    }

    /// Samples are the game once more, seen by the side to move.
    #[test]
    fn samples_tell_the_game(record in any_record()) {
        let found = samples(&record, rules()).expect("legal moves");
        prop_assert_eq!(found.len(), record.plies.len());
        let mut game = Game::new(rules(), record.start);
        for (number, (sample, ply)) in found.iter().zip(&record.plies).enumerate() {
            prop_assert_eq!(&sample.position, &game.position().to_string());
            prop_assert_eq!(&sample.r#move, &ply.pit.to_string());
            prop_assert_eq!((sample.ply, sample.ply + sample.plies_to_end), (number, found.len()));
            let side = game.position().to_move();
            prop_assert_eq!(&sample.side, side.name());
            let points = match points(&record) {
                "1/2-1/2" => 0.5,
                "1-0" => f64::from(u8::from(side == Side::South)),
                _ => f64::from(u8::from(side == Side::North)),
            };
            prop_assert!((sample.result - points).abs() < f64::EPSILON);
            let south = 2 * i16::from(record.stores[0]) - 48;
            prop_assert_eq!(sample.seeds, if side == Side::South { south } else { -south });
            prop_assert_eq!(sample.score.is_some(), ply.info.as_ref().is_some_and(
                |info| info.contains("\"score\":") && !info.contains("\"9\"")
            ));
            game.play(ply.pit).expect("a legal move");
        }
        let lines: Vec<String> = found
            .iter()
            .map(|it| serde_json::to_string(it).expect("JSON"))
            .collect();
        let again = lines.iter().map(|line| serde_json::from_str::<Sample>(line).expect("a sample"));
        prop_assert_eq!(again.collect::<Vec<_>>(), found);
    }
}
