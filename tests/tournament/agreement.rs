//! Games that end because both players say so, with scripted players.

use super::scripted_player::{Act, Heard, scripted};
use awale::referee::{AgreementTerms, ClockSettings, DrawTerms, GameSetup, ResignTerms, play_game};
use awale::rules::{Position, Preset};
use std::time::Duration;

/// The seeds and turns of a win, those of a draw and the plies before it, what is said with each ply
/// from the first on (a number is a score, `_` says nothing, and anything else is the whole `info`),
/// and who wins, by which ending, after how many plies.
const GAMES: &str = r#"
    12 2  -       12 -12 12 -12                   south agreed-win 4
    12 2  -       -48 12.5 -12 99                 north agreed-win 4
    12 1  -       12 -12                          south agreed-win 2
    12 1  -       -1 12 -12                       north agreed-win 3
    12 2  -       12 -12 12 -11.9                 nobody adjudicated 4
    12 2  -       12 -12 12 -12e0                 south agreed-win 4
    12 2  -       12 -12 12 12                    nobody adjudicated 4
    12 2  -       12 12 12 12 12 12               nobody adjudicated 6
    12 2  -       12 -12 _ -12 12 -12             nobody adjudicated 6
    12 2  -       12 -12 _ -12 12 -12 12          south agreed-win 7
    12 2  -       12 -12 12 12 -12 12 -12         north agreed-win 7
    12 1  -       12 {"score":"-12"}              nobody adjudicated 2
    12 1  -       12 {"score":null}               nobody adjudicated 2
    12 1  -       12 {"score":-1e999}             nobody adjudicated 2
    12 1  -       12 {"score":-12,"score":-12}    nobody adjudicated 2
    12 1  -       12 {"depth":-12}                nobody adjudicated 2
    12 1  -       12 {"depth":3,"score":-12}      south agreed-win 2
    -     1 2 0   0 1 -1 0.5                      draw agreed-draw 4
    -     1 2 0   0 1 -1 1.5                      nobody adjudicated 4
    -     1 2 0   0 _ 0 0 0 0                     draw agreed-draw 6
    -     0 1 5   0 0 0 0 0 0                     draw agreed-draw 5
    -     1 1 0   12 -12 12 -12                   nobody adjudicated 4
    -     -       0 0 48 -48 48 -48               nobody adjudicated 6
    12 2  1 2 0   12 -12 0 0 0 0                  draw agreed-draw 6
    12 2  1 2 0   0 0 0 -12 12 -12 12             south agreed-win 7
"#;

/// The next words, or the `-` in their place.
fn numbers<'w, const N: usize>(words: &mut impl Iterator<Item = &'w str>) -> Option<[u8; N]> {
    let mut read = [0; N];
    for place in &mut read {
        match words.next().expect("a number or -") {
            "-" => return None,
            word => *place = word.parse().expect("a number"),
        }
    }
    Some(read)
}

/// The end of a game, as the player is told of it.
fn told(said: &[&'static str], agreement: AgreementTerms, start: Position) -> (String, usize) {
    let clock = ClockSettings {
        move_limit: Some(Duration::from_secs(1)),
        ..ClockSettings::default()
    };
    let setup = GameSetup {
        id: "1.1",
        names: None,
        preset: Preset::Simple,
        rules: Preset::Simple.rules(),
        clocks: [clock; 2],
        max_plies: u32::try_from(said.len()).expect("plies"),
        endgame: None,
        agreement,
        seeds: [1, 2],
        start,
        opening: None,
    };
    let [mut south, mut north] = [0, 1].map(|first| {
        let own = said.iter().skip(first).step_by(2);
        scripted(own.map(|info| Act::Say(info)))
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let game = play_game(&setup, [&mut south, &mut north]);
    let played = runtime.expect("a runtime").block_on(game);
    let Some(Heard::GameOver(told)) = south.heard.last() else {
        panic!("no end of {said:?}");
    };
    (told.clone(), played.plies.len())
}

#[test]
fn a_game_ends_when_both_say_so_for_as_long_as_they_must() {
    for row in GAMES.trim().lines() {
        let mut words = row.split_whitespace();
        let resign = numbers(&mut words).map(|[seeds, turns]| ResignTerms {
            seeds,
            turns: turns.into(),
        });
        let draw = numbers(&mut words).map(|[seeds, turns, after]| DrawTerms {
            seeds,
            turns: turns.into(),
            after: after.into(),
        });
        let words: Vec<&str> = words.collect();
        let end = words.len() - 3;
        let said = words[..end].iter().map(|word| match *word {
            "_" => "",
            info if info.starts_with('{') => info,
            score => format!("{{\"score\":{score}}}").leak(),
        });
        let said: Vec<&'static str> = said.collect();
        let terms = AgreementTerms { resign, draw };
        let (told, plies) = told(&said, terms, Position::START);
        let [winner, ending, expected] = words[end..] else {
            unreachable!("three words")
        };
        let ends = told.contains(&format!(" {ending} ["));
        let wins = winner == "nobody" || told.starts_with(&format!("{winner} "));
        assert!(ends && wins, "{row}: {told}");
        assert_eq!(Ok(plies), expected.parse(), "{row}");
    }
}

/// What is captured stays captured: the winner gets the rest, and a draw is as even as it can be.
#[test]
fn the_seeds_on_the_board_go_where_the_bots_say() {
    let start = |text: &str| text.parse().expect("a position");
    let win = AgreementTerms {
        resign: Some(ResignTerms { seeds: 1, turns: 1 }),
        draw: None,
    };
    let draw = AgreementTerms {
        resign: None,
        draw: Some(DrawTerms {
            seeds: 1,
            turns: 1,
            after: 0,
        }),
    };
    let (won, even) = (["{\"score\":-9}", "{\"score\":9}"], ["{\"score\":0}"; 2]);
    for (position, said, terms, end) in [
        (
            "4-0-0-0-0-0-4-0-0-0-0-0-20-20-S",
            won,
            win,
            "north agreed-win [20, 28]",
        ),
        (
            "4-0-0-0-0-0-4-0-0-0-0-0-30-10-S",
            won,
            win,
            "north agreed-win [30, 18]",
        ),
        (
            "4-0-0-0-0-0-4-0-0-0-0-0-22-18-S",
            even,
            draw,
            "draw agreed-draw [24, 24]",
        ),
        (
            "4-0-0-0-0-0-4-0-0-0-0-0-30-10-S",
            even,
            draw,
            "draw agreed-draw [30, 18]",
        ),
        (
            "4-0-0-0-0-0-4-0-0-0-0-0-15-25-S",
            even,
            draw,
            "draw agreed-draw [23, 25]",
        ),
    ] {
        let (told, plies) = told(&said, terms, start(position));
        assert!(told.starts_with(end), "{position}: {told}");
        assert_eq!(plies, 2);
    }
}
