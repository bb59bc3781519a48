//! `awale play`: a person against a bot, by lines on standard input.

use super::story::{Said, Story, has};
use awale::engine::endgame::{EndgameValues, SolvedRules};
use awale::rules::{Game, Pit, Position, Preset, Side, moves_text};
use serde_json::Value;
use std::fs::File;

/// A bot that keeps all that it hears, and plays its last legal pit.
const LISTENER: &str = include_str!("../bots/listener.py");

fn story() -> Story {
    let story = Story::new();
    story.write("listener.py", LISTENER);
    story
}

const BOT: [&str; 5] = [
    "play",
    "python3 listener.py",
    "--isolation",
    "none",
    "--seed=7",
];

/// Every position that the bot is told is the one that its game has led to, whatever was taken
/// back.
fn check_what_was_heard(story: &Story, games: usize) {
    let heard = story.read("heard.jsonl");
    let mut game: Option<Game> = None;
    let (mut begun, mut turns) = (0, 0);
    for line in heard.lines() {
        let message: Value = serde_json::from_str(line).expect("JSON");
        match message["type"].as_str().expect("a type") {
            "new-game" => {
                let start = message["start"].as_str().expect("a position");
                let start: Position = start.parse().expect("a position");
                assert_eq!(start.to_move().name(), "south", "{line}");
                game = Some(Game::new(Preset::Awale.rules(), start));
                begun += 1;
            }
            "turn" => {
                let game = game.as_mut().expect("a game before a turn");
                if let Some(last) = message["last"]["pit"].as_u64() {
                    let side = game.position().to_move();
                    let pit = Pit::in_row(side, u8::try_from(last).expect("a pit"));
                    game.play(pit.expect("a pit")).expect("a legal move");
                }
                assert_eq!(message["position"], game.position().to_string(), "{line}");
                assert_eq!(message["turn"], game.moves().len(), "{line}");
                turns += 1;
            }
            "own" => {
                let game = game.as_mut().expect("a game before a move");
                let index = u8::try_from(message["pit"].as_u64().expect("a pit"));
                let pit = Pit::in_row(game.position().to_move(), index.expect("a pit"));
                game.play(pit.expect("a pit")).expect("a legal move");
            }
            _ => {}
        }
    }
    assert_eq!(begun, games, "{heard}");
    assert!(turns > games, "{heard}");
}

#[test]
fn moves_are_played_and_taken_back() {
    let story = story();
    let lines = b"A\nb\nu\nc\nzz\nf\nu\nu\nd\nm\nh\nq\n";
    let said = story.run_with_input(&BOT, lines).with_code(0);
    for text in [
        "you (South, A to F) against python3 listener.py (North, a to f), rules awale",
        "your move (ABCDEF)> ",
        "python3 listener.py plays f, after ",
        "and says {\"comment\":\"\\u001b[31mred\"}",
        "\"zz\" is no pit and no command:\n  a letter",
        ": minimax expects to end ",
        "position ",
    ] {
        assert!(said.stdout.contains(text), "no {text:?} in {}", said.stdout);
    }
    assert!(!said.stdout.contains('\u{1b}'));
    check_what_was_heard(&story, 3);
}

#[test]
fn the_bot_may_move_first() {
    let story = story();
    let arguments = [&BOT[..], &["--north"]].concat();
    let said = story.run_with_input(&arguments, b"a\nu\nb\nu\nu\nc\nd\nn\nf\n");
    let said = said.with_code(0);
    assert!(
        said.stdout
            .contains("there is no move of yours to take back")
    );
    check_what_was_heard(&story, 4);
}

#[test]
fn a_game_is_played_to_its_end() {
    let story = Story::new();
    // Each line is played if it is legal, and refused if not.
    let lines = "A\nA\nB\nB\nC\nC\nD\nD\nE\nE\nF\nF\n".repeat(150);
    let arguments = ["play", "minimax --depth 6", "--seed", "1"];
    let said = story.run_with_input(&arguments, lines.as_bytes());
    let said = said.with_code(0).stdout;
    assert!(said.contains("minimax --depth 6 wins, "), "{said}");
    assert!(said.contains("n new game, u undo, q quit> "), "{said}");
    has(&said, "the game is over; n begins a new one");
    assert!(said.contains(" is empty; you may play "), "{said}");
}

#[test]
fn a_bot_that_is_at_fault_loses_and_the_person_goes_on() {
    let story = Story::new();
    story.write(
        "faulty.py",
        LISTENER.replace(
            "\"legal\"][-1]",
            "\"legal\"][-1] if message[\"turn\"] < 2 else 6",
        ),
    );
    let arguments = ["play", "python3 faulty.py", "--isolation", "none"];
    let said = story.run_with_input(&arguments, b"A\nB\nu\nC\nn\nA\n");
    let said = said.with_code(0).stdout;
    has(
        &said,
        "you win by a fault of python3 faulty.py: illegal-move: played pit 6 of its",
    );
    // The bot was started anew, and plays the position as the beginning of a game.
    assert!(
        said.matches("python3 faulty.py plays ").count() >= 3,
        "{said}"
    );
}

/// The bot is started before the first move, and anew after a start that has failed.
#[test]
fn a_bot_that_does_not_start_is_known_before_the_first_move() {
    let story = Story::new();
    let begin = "import os\nif not os.path.exists('begun'):\n    open('begun', 'w')\n    \
                 raise SystemExit('not now')\n";
    story.write("late.py", format!("{begin}{LISTENER}"));
    let arguments = ["play", "python3 late.py", "--isolation", "none"];
    let said = story
        .run_with_input(&arguments, b"n\nA\n")
        .with_code(0)
        .stdout;
    let (before, after) = said
        .split_once("n new game, u undo, q quit> ")
        .expect("an end");
    for text in [
        "you win by a fault of python3 late.py: start-failure: ",
        "awale check 'python3 late.py' examines it step by step",
    ] {
        assert!(before.contains(text), "{said}");
    }
    assert!(after.contains("python3 late.py plays f, after "), "{said}");
}

#[test]
fn lines_of_any_bytes_and_length_end_nothing() {
    let story = Story::new();
    let long = "x".repeat(1_000_000);
    let lines = [b"\xe9\xff\n", long.as_bytes(), b"\nA\n\x1b[2J\nq"].concat();
    let said = story
        .run_with_input(&["play", "greedy"], &lines)
        .with_code(0)
        .stdout;
    assert_eq!(
        said.matches("is no pit and no command").count(),
        3,
        "{said}"
    );
    assert!(said.contains("greedy plays "), "{said}");
    assert!(said.len() < 10_000 && !said.contains('\u{1b}'));
}

#[test]
fn what_cannot_be_played_is_said_at_once() {
    let story = Story::new();
    for (arguments, text) in [
        (
            &["play", "nobody-has-this"][..],
            "cannot start \"nobody-has-this\": no program",
        ),
        (
            &["play", "greedy", "--moves", "AA"],
            "cannot begin with --moves: move A is not legal",
        ),
        (
            &["play", "greedy", "--moves", "xyz"],
            "cannot read --moves: ",
        ),
        (
            &["play", "greedy", "--isolation", "moon"],
            "--isolation cannot be `moon`",
        ),
        (
            &["play", "greedy", "--rules", "chess"],
            "no rules are named \"chess\"",
        ),
        (
            &["play", "greedy", "--web", "0.0.0.0:0"],
            "everybody could play in your place",
        ),
    ] {
        story.ends(2, arguments).err_has(text);
    }
}

/// Few seeds are left after these moves, and the user has a database.
#[test]
fn hints_are_exact_where_a_database_knows() {
    let story = Story::new();
    let rules = Preset::Awale.rules();
    let values = EndgameValues::solve(SolvedRules::of(&rules).expect("solvable"), 8);
    // A game of players that take what they can comes to few seeds.
    let mut game = Game::new(rules, Position::START);
    while game.position().seeds_on_board() > 8 || game.position().to_move() == Side::North {
        let position = game.position();
        let taken = |pit: &Pit| rules.play_unchecked(position, *pit).captured;
        let pit = game.legal_moves().iter().max_by_key(taken);
        game.play(pit.expect("the game is not over"))
            .expect("a legal move");
    }
    let moves = moves_text(game.moves());
    let arguments = ["play", "greedy", "--seed", "1", "--moves", &moves];
    story.write("input", "h\n");
    let run = |arguments: &[&str]| {
        let mut command = story.command(arguments);
        command.stdin(File::open(story.path("input")).expect("the input"));
        Said::of(command.output().expect("awale starts")).with_code(0)
    };
    has(&run(&arguments).stdout, "minimax expects");
    run(&["endgame", "build", "--seeds", "8"]);
    let said = run(&arguments).stdout;
    let value = values.value_in(&game).expect("a value");
    let [south, north] = game.position().stores().map(u8::cast_signed);
    let end = match south - north + value {
        0 => "it ends in a draw".to_owned(),
        ahead @ 1.. => format!("you win by {ahead} seed"),
        behind => format!("the bot wins by {} seed", -behind),
    };
    let line = said
        .lines()
        .find(|it| it.contains(", exact: "))
        .expect("an exact hint");
    has(line, &end);
    let best = values.best_moves(game.position()).expect("few seeds");
    assert!(
        best.iter()
            .any(|pit| line.contains(&format!("{pit}, exact"))),
        "{line}"
    );
}
