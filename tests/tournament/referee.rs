//! The referee with scripted players: no process, no clock, no sleep. Every ending and fault is a
//! value, and what the players are told is compared with what happened.

use super::scripted_player::{Act, Heard, ScriptedPlayer, scripted};
use awale::record::{Fault, FaultKind, GameEnding, Void};
use awale::referee::{
    AgreementTerms, ClockSettings, GameSetup, HostDelay, LastMove, Limit, Measure, PlayedGame,
    Scheduled, Stop, Turn, play_game,
};
use awale::rules::{EndReason, GameResult, Pit, Position, Preset, Side, moves_text};
use std::time::Duration;

const fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// 100 ms for each move and a margin of 10 ms.
const MOVE_CLOCK: ClockSettings = ClockSettings {
    move_limit: Some(us(100_000)),
    bank: None,
    increment: us(0),
    nodes: None,
    margin: us(10_000),
    measure: Measure::Wall,
};

/// A bank of 1 s, 50 ms more after each move, a margin of 10 ms.
const BANK_CLOCK: ClockSettings = ClockSettings {
    move_limit: None,
    bank: Some(us(1_000_000)),
    increment: us(50_000),
    nodes: None,
    margin: us(10_000),
    measure: Measure::Wall,
};

fn setup(clock: ClockSettings) -> GameSetup<'static> {
    GameSetup {
        id: "3.2",
        names: Some(["ada", "bob"]),
        preset: Preset::Awale,
        rules: Preset::Awale.rules(),
        clocks: [clock; 2],
        max_plies: 600,
        endgame: None,
        agreement: AgreementTerms::default(),
        seeds: [11, 22],
        start: Position::START,
        opening: Some(""),
    }
}

fn position(text: &str) -> Position {
    text.parse().expect("a position")
}

/// Plays without any runtime: a game of scripted players waits for nothing but them.
fn play(
    setup: &GameSetup<'_>,
    south: &mut ScriptedPlayer,
    north: &mut ScriptedPlayer,
) -> PlayedGame {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let game = play_game(setup, [south, north]);
    runtime.expect("a runtime").block_on(game)
}

fn fault(kind: FaultKind) -> Stop {
    Stop::Fault(Fault::new(kind, "as scripted"))
}

fn moves(game: &PlayedGame) -> String {
    let pits: Vec<Pit> = game.plies.iter().map(|ply| ply.pit).collect();
    moves_text(&pits)
}

fn over(text: &str) -> Heard {
    Heard::GameOver(text.to_owned())
}

#[test]
fn players_are_told_what_they_play() {
    let mut setup = setup(MOVE_CLOCK);
    setup.max_plies = 0;
    let [mut south, mut north] = [scripted([]), scripted([])];
    play(&setup, &mut south, &mut north);
    let told = |text: &str| Heard::NewGame(format!("{text}, 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"));
    let end = || over("draw adjudicated [24, 24] ");
    assert_eq!(
        south.heard,
        [
            told("3.2 south against Some(\"bob\"), awale, seed 11"),
            end()
        ]
    );
    assert_eq!(
        north.heard,
        [
            told("3.2 north against Some(\"ada\"), awale, seed 22"),
            end()
        ]
    );
    setup.names = None;
    let [mut south, mut north] = [scripted([]), scripted([])];
    play(&setup, &mut south, &mut north);
    assert_eq!(
        north.heard[0],
        told("3.2 north against None, awale, seed 22")
    );
    assert_eq!(south.heard.len(), 2);
}

/// Worked out by hand: F takes 4 seeds from a and b, f takes 2 of D, and South resigns. Times are
/// 300, 1200, 50 and 850 ms.
const SOUTH_IS_TOLD: &str = include_str!("../data/told/south.jsonl");
const NORTH_IS_TOLD: &str = include_str!("../data/told/north.jsonl");

#[test]
fn both_sides_are_told_their_game_word_for_word() {
    let clock = ClockSettings {
        move_limit: Some(us(2_000_000)),
        bank: Some(us(10_000_000)),
        ..BANK_CLOCK
    };
    let mut setup = setup(clock);
    setup.start = position("0-0-0-1-1-2-1-1-4-0-0-3-18-17-S");
    setup.opening = None;
    let acts = [(5, 300_000), (4, 50_000)].map(|(pit, time)| Act::Play(pit, time));
    let mut south = scripted(acts.into_iter().chain([Act::Resign(7)]));
    let mut north = scripted([Act::Play(2, 1_200_000), Act::Play(5, 850_000)]);
    play(&setup, &mut south, &mut north);
    assert_eq!(south.lines, SOUTH_IS_TOLD);
    assert_eq!(north.lines, NORTH_IS_TOLD);
    // An opening that has moves is told as moves, too; the sides share a draw.
    setup.opening = Some("Aa");
    setup.max_plies = 0;
    setup.start = position("2-1-1-0-0-1-0-0-0-1-4-0-19-19-S");
    let [mut south, mut north] = [scripted([]), scripted([])];
    play(&setup, &mut south, &mut north);
    for lines in [south.lines, north.lines] {
        let (start, end) = lines.split_once('\n').expect("two lines");
        assert!(start.ends_with(r#"-S","opening":"Aa"}"#), "{start}");
        let said = r#","result":"draw","reason":"adjudicated","stores":[24,24],"moves":""}"#;
        assert_eq!(end.trim_end(), format!(r#"{{"type":"game-over"{said}"#));
    }
}

/// Rules, start position, the move in row numbers (`-`: none), ending, final stores.
const ENDINGS: &str = "
# F captures two: 25.
awale     0-0-0-0-0-1-1-0-0-4-0-0-23-19-S 5 majority      25 19
# The last pit is taken whole, five seeds: South's row is empty, North's is not.
junior    0-0-0-0-0-1-4-1-0-0-0-0-20-22-S 5 row-empty     25 22
# F captures two of a; the last two seeds are out of everybody's reach.
classique 0-0-0-0-0-1-1-0-0-1-0-1-22-22-S 5 dead-position 24 24
# F sows to a: South has nothing left, and nothing of North's reaches it.
awale     0-0-0-0-0-1-4-1-0-0-0-0-20-22-S 5 no-move       20 28
# Over before the first ply.
awale     0-0-0-0-0-1-1-0-0-0-0-0-25-21-S - majority      25 21
awale     0-0-0-0-0-0-1-0-0-0-0-0-24-23-S - no-move       24 24
";

#[test]
fn every_ending_by_the_rules() {
    let rows = ENDINGS.trim().lines().filter(|row| !row.starts_with('#'));
    for row in rows {
        let cells: Vec<&str> = row.split_whitespace().collect();
        let [preset, start, pit, reason, south, north] = cells[..] else {
            panic!("{row:?} has six cells");
        };
        let stores = [south, north].map(|it| it.parse::<u8>().expect("a number"));
        let mut setup = setup(MOVE_CLOCK);
        setup.preset = Preset::from_name(preset).expect("a preset");
        setup.rules = setup.preset.rules();
        setup.start = position(start);
        let acts = pit.parse().ok().map(|pit| Act::Play(pit, 7));
        let plies = usize::from(acts.is_some());
        let [mut south, mut north] = [scripted(acts), scripted([])];
        let game = play(&setup, &mut south, &mut north);
        assert!(matches!(game.ending, GameEnding::Rules(_)), "{row}");
        assert_eq!(game.ending.name(), reason, "{row}");
        assert_eq!(game.plies.len(), plies, "{row}");
        assert_eq!(game.stores, stores, "{row}");
        assert!(game.plies.iter().all(|ply| ply.time_us == 7));
        let result = GameResult::of_stores(stores).name();
        let told = over(&format!("{result} {reason} {stores:?} {}", moves(&game)));
        assert_eq!(south.heard.last(), Some(&told));
        assert_eq!(north.heard.last(), Some(&told));
    }
}

#[test]
fn a_repetition_ends_a_game() {
    // A lone seed in each row, far apart: round and round until a position comes back.
    let mut setup = setup(MOVE_CLOCK);
    setup.start = position("1-0-0-0-0-0-1-0-0-0-0-0-20-20-S");
    let [mut south, mut north] = [scripted([]), scripted([])];
    let game = play(&setup, &mut south, &mut north);
    assert_eq!(game.ending, GameEnding::Rules(EndReason::Repetition));
    // Twelve plies: the seeds have changed places, and no one can tell.
    assert_eq!(moves(&game), "AaBbCcDdEeFf");
    assert_eq!(game.stores, [20, 20]);
}

#[test]
fn turns_tell_position_and_last_move() {
    let mut setup = setup(MOVE_CLOCK);
    setup.start = position("0-0-0-0-0-1-1-0-0-4-0-4-0-0-S");
    setup.max_plies = 4;
    let [mut south, mut north] = [scripted([]), scripted([])];
    let game = play(&setup, &mut south, &mut north);
    // F makes 2 of a and takes them; d sows e, f, A, B; A makes 2 of B in its own row.
    assert_eq!(moves(&game), "FdAe");
    let last = |letter, captured| {
        let pit = Pit::from_letter(letter).expect("a pit");
        Some(LastMove { pit, captured })
    };
    let told = |turn: &Turn| (turn.turn, turn.last, turn.position.to_string());
    assert_eq!(
        south.turns.iter().map(told).collect::<Vec<_>>(),
        [
            (0, None, "0-0-0-0-0-1-1-0-0-4-0-4-0-0-S".to_owned()),
            (2, last('d', 0), "1-1-0-0-0-0-0-0-0-0-1-5-2-0-S".to_owned()),
        ]
    );
    assert_eq!(
        north.turns.iter().map(told).collect::<Vec<_>>(),
        [
            (1, last('F', 2), "0-0-0-0-0-0-0-0-0-4-0-4-2-0-N".to_owned()),
            (3, last('A', 0), "0-2-0-0-0-0-0-0-0-0-1-5-2-0-N".to_owned()),
        ]
    );
    assert_eq!(south.turns[1].legal.to_string(), "AB");
    let limit = Limit {
        shown: us(100_000),
        deadline: us(110_000),
        measure: Measure::Wall,
    };
    for turn in south.turns.iter().chain(&north.turns) {
        assert_eq!(turn.limit, limit);
        assert_eq!(
            (turn.clock.move_limit, turn.banks),
            (Some(us(100_000)), [None; 2])
        );
    }
}

/// What cannot be read is a fault of its own in time, and late a time-out as any other answer.
#[test]
fn an_unreadable_answer_is_judged_by_its_time_first() {
    for (time, kind) in [
        (110_000, FaultKind::BadOutput),
        (110_001, FaultKind::Timeout),
    ] {
        let [mut south, mut north] = [scripted([Act::Babble(time)]), scripted([])];
        let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
        let GameEnding::Fault(Side::South, fault) = game.ending else {
            panic!("{:?}", game.ending);
        };
        assert_eq!(fault.kind, kind);
        assert_eq!(fault.detail == "not a JSON object", time == 110_000);
    }
}

#[test]
fn a_limit_and_its_margin_are_exact() {
    for (time, in_time) in [(100_000, true), (110_000, true), (110_001, false)] {
        let [mut south, mut north] = [scripted([Act::Play(0, time)]), scripted([Act::Resign(0)])];
        let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
        if in_time {
            assert_eq!(game.ending, GameEnding::Resignation(Side::North));
            assert_eq!(game.plies[0].time_us, time);
        } else {
            let fault = Fault {
                kind: FaultKind::Timeout,
                detail: "too late: the program itself used 110.1 ms; the limit was 100 ms and 10 \
                         ms margin"
                    .to_owned(),
                time_us: Some(110_001),
                figures: "wall time 110.001 ms; preempted for 0.000 ms; CPU time unknown"
                    .to_owned(),
            };
            assert_eq!(game.ending, GameEnding::Fault(Side::South, fault));
            assert!(game.plies.is_empty());
        }
    }
}

#[test]
fn a_bank_is_charged_exactly() {
    let mut south = scripted([300_000, 0, 760_000, 60_000].map(Act::First));
    let mut north = scripted([]);
    let mut setup = setup(BANK_CLOCK);
    setup.max_plies = 9;
    let game = play(&setup, &mut south, &mut north);
    let banks = |player: &ScriptedPlayer| -> Vec<_> {
        let banks = |turn: &Turn| turn.banks.map(|bank| bank.expect("a bank").as_micros());
        player.turns.iter().map(banks).collect()
    };
    assert_eq!(
        banks(&south),
        [
            [1_000_000, 1_000_000],
            // 1000 − 300 + 50, and 1000 − 0 + 50.
            [750_000, 1_050_000],
            [800_000, 1_100_000],
            // 800 − 760 + 50.
            [90_000, 1_150_000],
            // 90 − 60 + 50.
            [80_000, 1_200_000],
        ],
        "{:?}",
        game.ending
    );
    assert_eq!(banks(&north)[0], [1_000_000, 750_000]);
    let shown: Vec<_> = south
        .turns
        .iter()
        .map(|turn| turn.limit.shown.as_micros())
        .collect();
    assert_eq!(shown, [1_000_000, 750_000, 800_000, 90_000, 80_000]);
    assert!(
        south
            .turns
            .iter()
            .all(|turn| turn.limit.deadline == turn.limit.shown + us(10_000))
    );
    assert!(
        south
            .turns
            .iter()
            .all(|turn| turn.clock.increment == us(50_000))
    );
}

#[test]
fn a_bank_may_be_overdrawn_by_the_margin_and_no_more() {
    // Over the bank but within the margin: nothing is left, then comes the increment.
    let mut south = scripted([Act::Play(0, 1_010_000), Act::Play(1, 60_001)]);
    let game = play(&setup(BANK_CLOCK), &mut south, &mut scripted([]));
    assert_eq!(south.turns[1].banks, [us(50_000), us(1_050_000)].map(Some));
    let fault = Fault {
        kind: FaultKind::Timeout,
        detail: "too late: the program itself used 60.1 ms; the limit was 50 ms and 10 ms margin"
            .to_owned(),
        time_us: Some(60_001),
        figures: "wall time 60.001 ms; preempted for 0.000 ms; CPU time unknown".to_owned(),
    };
    assert_eq!(game.ending, GameEnding::Fault(Side::South, fault));
    assert_eq!(game.plies.len(), 2);

    let mut south = scripted([Act::Play(0, 1_010_001)]);
    let game = play(&setup(BANK_CLOCK), &mut south, &mut scripted([]));
    assert!(matches!(game.ending, GameEnding::Fault(Side::South, _)));
    assert!(game.plies.is_empty());
}

/// A bank can be used up where nothing is added to it; the margin is all that is left then.
#[test]
fn an_empty_bank_leaves_the_margin() {
    let mut clock = BANK_CLOCK;
    clock.increment = us(0);
    clock.move_limit = Some(us(2_000_000));
    let mut south = scripted([
        Act::Play(0, 1_000_000),
        Act::Play(1, 10_000),
        Act::Play(0, 10_001),
    ]);
    let game = play(&setup(clock), &mut south, &mut scripted([]));
    let limits: Vec<_> = south.turns.iter().map(|turn| turn.limit.deadline).collect();
    assert_eq!(limits, [us(1_010_000), us(10_000), us(10_000)]);
    assert_eq!(south.turns[1].banks, [us(0), us(1_000_000)].map(Some));
    assert!(matches!(game.ending, GameEnding::Fault(Side::South, _)));
    assert_eq!(game.plies.len(), 4);
}

#[test]
fn a_player_that_resigns_loses_and_leaves_the_rest() {
    let mut setup = setup(MOVE_CLOCK);
    setup.start = position("1-0-0-0-0-0-1-0-0-0-0-0-24-10-S");
    let [mut south, mut north] = [scripted([Act::Resign(110_000)]), scripted([])];
    let game = play(&setup, &mut south, &mut north);
    assert_eq!(game.ending, GameEnding::Resignation(Side::South));
    assert_eq!(game.stores, [24, 12]);
    // More seeds, and lost all the same.
    let told = over("north resignation [24, 12] ");
    assert_eq!(south.heard.last(), Some(&told));
    assert_eq!(north.heard.last(), Some(&told));

    let mut late = scripted([Act::Resign(110_001)]);
    let game = play(&setup, &mut late, &mut scripted([]));
    assert_eq!(game.ending.name(), "timeout");
    assert_eq!(late.heard.last(), Some(&Heard::Discard));
}

#[test]
fn illegal_moves_lose_at_once() {
    // After A and a those pits are empty; 6 and −1 are no pits.
    for (pit, state) in [
        (0, "; that pit is empty"),
        (6, ""),
        (-1, ""),
        (i64::MAX, ""),
        (i64::MIN, ""),
        (256 + 1, ""),
    ] {
        let mut south = scripted([Act::Play(0, 0), Act::Play(pit, 5)]);
        let mut north = scripted([Act::Play(0, 0)]);
        let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
        let fault = Fault {
            kind: FaultKind::IllegalMove,
            detail: format!("played pit {pit}; legal were 1, 2, 3, 4, 5{state}"),
            time_us: Some(5),
            figures: String::new(),
        };
        assert_eq!(game.ending, GameEnding::Fault(Side::South, fault));
        assert_eq!((game.plies.len(), game.stores), (2, [0, 48]));
        assert_eq!(south.heard.last(), Some(&Heard::Discard));
        assert_eq!(
            north.heard.last(),
            Some(&over("north illegal-move [0, 48] Aa"))
        );
    }
    for (start, detail) in [
        // A seed is there, but it does not feed.
        (
            "1-0-0-0-0-1-0-0-0-0-0-0-20-20-S",
            "played pit 0; legal were 5; that pit holds seeds, but the rules forbid the move",
        ),
        (
            "0-0-0-0-0-1-1-0-0-0-0-0-20-20-S",
            "played pit 0; legal were 5; that pit is empty, and the opponent's of that number is \
             not",
        ),
    ] {
        let mut setup = setup(MOVE_CLOCK);
        setup.start = position(start);
        let game = play(&setup, &mut scripted([Act::Play(0, 0)]), &mut scripted([]));
        let GameEnding::Fault(Side::South, fault) = game.ending else {
            panic!("{:?}", game.ending)
        };
        assert_eq!(fault.detail, detail);
    }
}

#[test]
fn each_fault_is_kept_as_it_came() {
    for kind in FaultKind::ALL {
        for side in Side::BOTH {
            let stop = Act::Stop(fault(kind));
            let [mut south, mut north] = match side {
                Side::South => [scripted([stop]), scripted([])],
                Side::North => [scripted([]), scripted([stop])],
            };
            let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
            let expected = Fault::new(kind, "as scripted");
            assert_eq!(game.ending, GameEnding::Fault(side, expected));
            assert_eq!(game.stores[side.opponent().index()], 48);
            let winner = side.opponent().name();
            let (guilty, innocent) = match side {
                Side::South => (south, north),
                Side::North => (north, south),
            };
            assert_eq!(guilty.heard.last(), Some(&Heard::Discard));
            let told = format!("{winner} {kind} {:?} {}", game.stores, moves(&game));
            assert_eq!(innocent.heard.last(), Some(&over(&told)));
        }
    }
}

#[test]
fn a_player_that_cannot_keep_still_loses() {
    let talks = || fault(FaultKind::BadOutput);
    for side in Side::BOTH {
        let [mut south, mut north] = [scripted([]), scripted([])];
        match side {
            // The opponent thinks for ever: only the talk can end the game.
            Side::South => {
                south.idle = Some((0, talks()));
                north.acts.push_back(Act::Think);
            }
            Side::North => {
                north.idle = Some((0, talks()));
                south.acts.push_back(Act::Think);
            }
        }
        let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
        let expected = Fault::new(FaultKind::BadOutput, "as scripted");
        assert_eq!(game.ending, GameEnding::Fault(side, expected));
    }
}

#[test]
fn both_at_fault_at_once_is_the_fault_of_the_one_on_turn() {
    for acts in [
        Act::Stop(fault(FaultKind::Crash)),
        Act::Play(0, 110_001),
        Act::Play(77, 0),
    ] {
        let mut south = scripted([acts]);
        let mut north = scripted([]);
        north.idle = Some((0, fault(FaultKind::Crash)));
        let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
        assert!(matches!(game.ending, GameEnding::Fault(Side::South, _)));
    }
    let mut south = scripted([]);
    south.idle = Some((0, fault(FaultKind::Crash)));
    let mut north = scripted([Act::Stop(fault(FaultKind::Timeout))]);
    let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
    assert!(matches!(game.ending, GameEnding::Fault(Side::North, _)));
}

#[test]
fn a_bot_on_turn_that_reports_later_is_at_fault() {
    let in_idle = |stop| {
        let [mut south, mut north] = [scripted([Act::Think]), scripted([])];
        north.idle = Some((0, stop));
        south.fault_so_far = Some(fault(FaultKind::Crash));
        play(&setup(MOVE_CLOCK), &mut south, &mut north).ending
    };
    let ending = in_idle(fault(FaultKind::BadOutput));
    assert_eq!(ending.name(), "crash");
    assert!(matches!(ending, GameEnding::Fault(Side::South, _)));
    // A game that the host made void is not a loss.
    let ending = in_idle(Stop::Void("no disk".to_owned()));
    let void = Void::new("no disk").of(Side::North).on_turn(Side::South);
    assert_eq!(ending, GameEnding::Void(void));
}

#[test]
fn before_the_first_turn_south_is_at_fault_first() {
    let failure = || Err(fault(FaultKind::StartFailure));
    let [mut south, mut north] = [scripted([]), scripted([])];
    south.answer_new_games([failure()]);
    north.answer_new_games([failure()]);
    let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
    assert!(matches!(game.ending, GameEnding::Fault(Side::South, _)));
    assert_eq!(game.stores, [0, 48]);
    assert!(game.plies.is_empty());
    // North was not told of a game, so it hears of no end.
    assert_eq!(south.heard.last(), Some(&Heard::Discard));
    assert_eq!(north.heard, []);

    let [mut south, mut north] = [scripted([]), scripted([])];
    north.answer_new_games([failure()]);
    let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
    assert!(matches!(game.ending, GameEnding::Fault(Side::North, _)));
    assert_eq!(
        south.heard.last(),
        Some(&over("south start-failure [48, 0] "))
    );
    assert_eq!(north.heard.last(), Some(&Heard::Discard));
}

#[test]
fn a_void_game_is_a_loss_of_neither_side() {
    let voided = || Stop::Void("no disk".to_owned());
    let in_turn = || {
        [
            scripted([Act::Play(0, 0), Act::Stop(voided())]),
            scripted([]),
        ]
    };
    let in_idle = || {
        let mut players = [scripted([Act::Play(0, 0)]), scripted([Act::Think])];
        players[0].idle = Some((0, voided()));
        players
    };
    let in_start = || {
        let mut players = [scripted([]), scripted([])];
        players[1].answer_new_games([Err(voided())]);
        players
    };
    let (south_s, north_s) = (Side::South, Side::North);
    for ([mut south, mut north], on_turn, active) in [
        (in_turn(), south_s, south_s),
        (in_idle(), north_s, south_s),
        (in_start(), north_s, north_s),
    ] {
        let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
        let void = Void::new("no disk").of(active).on_turn(on_turn);
        assert_eq!(void.active, Some(active));
        assert_eq!(game.ending, GameEnding::Void(void));
        assert_eq!(game.ending.result(game.stores), None);
        assert_eq!(south.heard.last(), Some(&Heard::Discard));
        assert_eq!(north.heard.last(), Some(&Heard::Discard));
    }
}

/// The caller finds out who holds what the start needs.
#[test]
fn a_player_that_cannot_be_started_has_no_game() {
    for side in Side::BOTH {
        let mut players = [scripted([]), scripted([])];
        let unstarted = Err(Stop::Unstarted("no process".to_owned()));
        players[side.index()].answer_new_games([unstarted]);
        let [south, north] = &mut players;
        let game = play(&setup(MOVE_CLOCK), south, north);
        assert_eq!(game.unstarted, Some(side));
        assert_eq!(
            game.ending,
            GameEnding::Void(Void::new("no process").on_turn(side))
        );
        for player in &players {
            assert!(player.heard.contains(&Heard::Discard), "{:?}", player.heard);
        }
    }
}

/// A bot that ends, is late or cannot be started while another has too many processes may have
/// lacked them. A mistake that needs no process is its own all the same.
#[test]
fn a_bot_that_may_have_lacked_processes_is_not_at_fault() {
    use FaultKind::{BadOutput, Crash, IllegalMove, OutputLimit, Timeout};
    let greedy = || Fault::new(FaultKind::ProcessLimit, "had 40");
    for (kind, may_lack) in [
        (Crash, true),
        (Timeout, true),
        (BadOutput, false),
        (IllegalMove, false),
        (OutputLimit, false),
    ] {
        for (opponent, elsewhere) in [(true, true), (true, false), (false, true), (false, false)] {
            let [mut south, mut north] = [scripted([Act::Stop(fault(kind))]), scripted([])];
            north.too_many_processes = opponent.then(greedy);
            south.too_many_elsewhere = elsewhere.then(|| "another one had 50".to_owned());
            // What the one that waits knows of others, and holds itself, is not asked for.
            north.too_many_elsewhere = Some("nobody".to_owned());
            south.too_many_processes = Some(greedy());
            let ending = play(&setup(MOVE_CLOCK), &mut south, &mut north).ending;
            let expected = match (may_lack, opponent, elsewhere) {
                (true, true, _) => GameEnding::Fault(Side::North, greedy()),
                (true, false, true) => {
                    let void = Void::new("as scripted; meanwhile another one had 50");
                    GameEnding::Void(void.of(Side::South).on_turn(Side::South))
                }
                _ => GameEnding::Fault(Side::South, Fault::new(kind, "as scripted")),
            };
            assert_eq!(ending, expected, "{kind:?} {opponent} {elsewhere}");
        }
    }
}

/// The same for who cannot be started at all.
#[test]
fn a_failed_start_looks_for_an_opponent_with_too_many_processes() {
    let greedy = || Fault::new(FaultKind::ProcessLimit, "had 40");
    for side in Side::BOTH {
        let mut players = [scripted([]), scripted([])];
        players[side.index()].answer_new_games([Err(Stop::Unstarted("no process".to_owned()))]);
        players[side.opponent().index()].too_many_processes = Some(greedy());
        let [south, north] = &mut players;
        let game = play(&setup(MOVE_CLOCK), south, north);
        assert_eq!(game.unstarted, None);
        assert_eq!(game.ending, GameEnding::Fault(side.opponent(), greedy()));
    }
}

#[test]
fn a_long_game_is_adjudicated_by_own_rows() {
    let mut setup = setup(MOVE_CLOCK);
    setup.start = position("1-0-0-0-0-0-2-0-0-0-0-0-20-21-S");
    setup.max_plies = 3;
    let [mut south, mut north] = [scripted([]), scripted([])];
    let game = play(&setup, &mut south, &mut north);
    assert_eq!(game.ending, GameEnding::Adjudicated);
    assert_eq!((game.plies.len(), game.stores), (3, [21, 23]));
    assert_eq!(
        south.heard.last(),
        Some(&over("north adjudicated [21, 23] AaB"))
    );
    // The rules come first when both end the game.
    setup.start = position("0-0-0-0-0-1-1-0-0-4-0-0-23-19-S");
    setup.max_plies = 1;
    let game = play(&setup, &mut scripted([]), &mut scripted([]));
    assert_eq!(game.ending, GameEnding::Rules(EndReason::Majority));
}

#[test]
fn what_comes_with_a_move_is_kept() {
    let mut south = scripted([Act::Comment(2, "{\"depth\":9}")]);
    let mut north = scripted([Act::Play(0, 1234), Act::Resign(0)]);
    let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
    assert_eq!(game.plies[0].info.as_deref(), Some("{\"depth\":9}"));
    assert_eq!(
        (game.plies[1].info.as_deref(), game.plies[1].time_us),
        (None, 1234)
    );
    assert_eq!(moves(&game), "CaA");
}

/// 100 ms of CPU time for each move, a bank of 250 ms, a margin of 10 ms.
const CPU_CLOCK: ClockSettings = ClockSettings {
    bank: Some(us(250_000)),
    measure: Measure::Cpu,
    ..MOVE_CLOCK
};

#[test]
fn a_cpu_clock_charges_cpu_time_and_stops_by_the_wall() {
    // The bank is charged 100 and 60 ms: 90 are left for the third turn, whatever the wall says.
    let spent = [(400_000, 100_000), (60_000, 60_000), (1_000, 100_001)];
    let acts = spent.map(|(wall, cpu)| Act::Spend(wall, Some(cpu)));
    let mut idle = scripted((0..9).map(|_| Act::Spend(1, Some(1))));
    let game = play(&setup(CPU_CLOCK), &mut scripted(acts), &mut idle);
    let detail = "too late: the program itself used 100.1 ms of CPU time; the limit was 90 ms and \
                  10 ms margin";
    let fault = fault_of(&game);
    assert_eq!((&*fault.detail, fault.time_us), (detail, Some(1_000)));
    let times: Vec<_> = game
        .plies
        .iter()
        .map(|ply| (ply.time_us, ply.cpu_us))
        .collect();
    assert_eq!(times[0], (400_000, Some(100_000)));
    assert_eq!(times[1], (1, Some(1)));

    let mut slow = scripted([Act::Spend(550_001, Some(7))]);
    let game = play(&setup(CPU_CLOCK), &mut slow, &mut scripted([]));
    let detail = "too late: the program itself took 550.1 ms by the wall clock, which stops a turn \
                  of 100 ms of CPU time and 10 ms margin after 550 ms";
    let figures = "wall time 550.001 ms; preempted for 0.000 ms; CPU time 0.007 ms";
    let fault = fault_of(&game);
    assert_eq!((&*fault.detail, &*fault.figures), (detail, figures));

    let game = play(&setup(CPU_CLOCK), &mut scripted([]), &mut scripted([]));
    let unknown = "the host cannot tell how much CPU time a bot used";
    let void = Void::new(unknown).on_turn(Side::South);
    assert_eq!(game.ending, GameEnding::Void(void));
}

/// Whether there was an answer after 160 ms of 100 with a margin of 10, and what else; how late the
/// host was and noticed it, and how much of that the referee stood in a queue; how long others ran
/// there, in ms (`-` if unknown); what comes of it.
const LATE_HOST: &str = "
    silence  90  0  0  0 void     the referee was stopped: too little was left
    silence  49  0  0  0 timeout  enough was left
    silence  90 90 90 90 void     others ran
    silence  90 90 90 49 timeout  others ran, and not long enough
    silence  90 90 90  - timeout  nobody can tell
    answer   90 90 10 90 timeout  an answer gets time back, or is late
    crash    90  0  0  0 crash    no time-out
";

#[test]
fn a_host_that_was_late_excuses_a_silence() {
    for case in LATE_HOST.trim().lines() {
        let words: Vec<&str> = case.split_whitespace().collect();
        let time = |index: usize| words[index].parse().ok().map(Duration::from_millis);
        let act = match words[0] {
            "answer" => Act::Spend(160_000, Some(1_000)),
            "silence" => Act::Stop(fault(FaultKind::Timeout)),
            _ => Act::Stop(fault(FaultKind::Crash)),
        };
        let mut south = scripted([act]);
        // A process in the queue waits for others, or for the bot.
        let of_bot = time(3).zip(time(4));
        let of_bot = of_bot.map(|(queued, others)| queued.saturating_sub(others));
        south.host = Some(HostDelay {
            family_ran: of_bot.unwrap_or_default(),
            family_booked: of_bot.unwrap_or_default(),
            used: us(160_000),
            answered: words[0] == "answer",
            woken_late: time(1).unwrap(),
            noticed_late: time(2).unwrap(),
            thread: time(3).map(|queued| Scheduled {
                ran: Duration::ZERO,
                queued,
            }),
            others_ran: time(4),
            ..HostDelay::default()
        });
        let mut north = scripted([]);
        let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
        assert_eq!(game.ending.name(), words[5], "{case}");
        if let GameEnding::Void(void) = &game.ending {
            let cause = &void.cause;
            assert!(
                cause.starts_with("the host was late by "),
                "{case}: {cause}"
            );
            assert_eq!(void.active, Some(Side::South), "{case}");
            // What is left of the turn without the host was in time.
            assert!(void.late_us.is_some_and(|own| own <= 110_000), "{case}");
        }
        let lateness_us = time(1).and_then(|late| u64::try_from(late.as_micros()).ok());
        assert_eq!(game.lateness_us, lateness_us, "{case}");
        assert!(south.heard.contains(&Heard::Discard), "{case}");
    }
}

/// A host that was late by this many ms, in a turn of 250 ms of which the rest was the bot's own.
fn late_host(late: u64) -> HostDelay {
    HostDelay {
        used: us(250_000),
        woken_late: Duration::from_millis(late),
        thread: Some(Scheduled::default()),
        ..HostDelay::default()
    }
}

/// South has 150 ms left and 10 of margin, North a second: a silence is judged by South's bank.
#[test]
fn a_silence_is_judged_by_the_bank_of_the_side_on_turn() {
    for (late, ending) in [(100, "void"), (80, "timeout")] {
        let silence = Act::Stop(fault(FaultKind::Timeout));
        let mut south = scripted([Act::First(900_000), silence]);
        south.host = Some(late_host(late));
        south.cpu_since_asked = Some(us(7_000));
        let mut north = scripted([Act::First(1)]);
        north.cpu_since_asked = Some(us(9_000));
        let game = play(&setup(BANK_CLOCK), &mut south, &mut north);
        assert_eq!(game.ending.name(), ending, "{late}");
        if let GameEnding::Void(void) = &game.ending {
            // The CPU time of the side that was asked, and of no other.
            assert_eq!(
                (void.on_turn, void.cpu_us),
                (Some(Side::South), [Some(7_000), None])
            );
            assert_eq!(void.late_us, Some(150_000));
        }
    }
}

/// It lacks nothing that South could hold, and South is not void for it.
#[test]
fn the_crash_of_the_waiting_side_is_its_own_whatever_the_other_side_lacks() {
    let mut south = scripted([Act::Think]);
    south.too_many_elsewhere = Some("another game has too many".to_owned());
    south.too_many_processes = Some(Fault::new(FaultKind::ProcessLimit, "South's"));
    let mut north = scripted([]);
    north.too_many_processes = Some(Fault::new(FaultKind::ProcessLimit, "North's"));
    north.too_many_elsewhere = south.too_many_elsewhere.clone();
    north.idle = Some((0, fault(FaultKind::Crash)));
    let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
    let GameEnding::Fault(Side::North, fault) = &game.ending else {
        panic!("{:?}", game.ending)
    };
    assert_eq!(fault.kind, FaultKind::Crash);
}

#[test]
fn time_that_others_held_a_bot_up_is_given_back() {
    // 160 ms of 100, and a margin of 10: 50 ms held up are just enough.
    for (preempted_us, in_time) in [(50_000, true), (49_999, false), (0, false)] {
        let mut south = scripted([Act::Spend(160_000, Some(1_000))]);
        south.preempted = us(preempted_us);
        let mut north = scripted([Act::Resign(1)]);
        let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
        if in_time {
            assert_eq!(game.ending, GameEnding::Resignation(Side::North));
            let ply = &game.plies[0];
            assert_eq!((ply.time_us, ply.preempted_us), (160_000, preempted_us));
            continue;
        }
        let fault = fault_of(&game);
        let (used, delay) = match preempted_us {
            0 => ("160 ms", ""),
            _ => ("110.1 ms", ". The machine's delay of 50 ms was not charged"),
        };
        assert_eq!(
            fault.detail,
            format!(
                "too late: the program itself used {used}; the limit was 100 ms and 10 ms \
                 margin{delay}"
            )
        );
    }
    // A bank is charged what is left.
    let mut clock = BANK_CLOCK;
    clock.move_limit = None;
    let mut south = scripted([Act::Spend(900_000, None), Act::Resign(1)]);
    south.preempted = us(600_000);
    let mut north = scripted([Act::First(1)]);
    play(&setup(clock), &mut south, &mut north);
    let banks = south
        .turns
        .iter()
        .map(|turn| turn.banks[0].expect("a bank"));
    let banks: Vec<Duration> = banks.collect();
    let before = clock.bank.expect("a bank") + clock.increment;
    assert_eq!(banks[1] + us(300_000), before);
}

/// What the bot on turn does while the waiting one is busy, and whose fault ends the game.
#[test]
fn a_bot_that_is_busy_in_its_opponents_turn_is_at_fault() {
    let busy = Fault::new(FaultKind::BusyOffTurn, "20 ms");
    let timeout = fault(FaultKind::Timeout);
    for (act, guilty) in [
        (Act::First(1), Side::North),
        (Act::Spend(160_000, None), Side::North),
        (Act::Stop(timeout), Side::North),
        (Act::Stop(Stop::Void("no disk".to_owned())), Side::North),
        (Act::Stop(fault(FaultKind::Crash)), Side::South),
        (Act::Play(9, 1), Side::South),
    ] {
        let mut south = scripted([act]);
        let mut north = scripted([]);
        north.busy_off_turn = Some(busy.clone());
        let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
        assert_eq!(fault_side(&game), Some(guilty), "{:?}", game.ending);
    }
}

#[test]
fn a_bot_that_is_busy_while_the_other_prepares_is_at_fault() {
    for ready in [
        Ok(()),
        Err(Stop::Void("no disk".to_owned())),
        Err(fault(FaultKind::StartFailure)),
    ] {
        let mut south = scripted([]);
        south.busy_off_turn = Some(Fault::new(FaultKind::BusyOffTurn, "20 ms"));
        let mut north = scripted([]);
        north.answer_new_games([ready]);
        let game = play(&setup(MOVE_CLOCK), &mut south, &mut north);
        assert_eq!(fault_side(&game), Some(Side::South), "{:?}", game.ending);
        assert!(south.heard.contains(&Heard::Discard));
        // North was told of the game, and so it hears of its end.
        assert!(
            matches!(north.heard.last(), Some(Heard::GameOver(..))),
            "{:?}",
            north.heard
        );
    }
}

#[test]
fn the_last_turn_of_a_game_is_looked_at_too() {
    let mut clock = setup(MOVE_CLOCK);
    clock.max_plies = 1;
    let mut south = scripted([Act::First(1)]);
    let mut north = scripted([]);
    north.busy_off_turn = Some(Fault::new(FaultKind::BusyOffTurn, "20 ms"));
    let game = play(&clock, &mut south, &mut north);
    assert_eq!(fault_side(&game), Some(Side::North), "{:?}", game.ending);
}

fn fault_side(game: &PlayedGame) -> Option<Side> {
    match &game.ending {
        GameEnding::Fault(side, _) => Some(*side),
        _ => None,
    }
}

fn fault_of(game: &PlayedGame) -> &Fault {
    match &game.ending {
        GameEnding::Fault(_, fault) => fault,
        other => panic!("{other:?}"),
    }
}
