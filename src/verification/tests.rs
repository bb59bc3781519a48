//! Games that the referee allows pass, others do not; every kind of damage is found.

use super::findings::{Check, Findings, Severity};
use super::game::play_again;
use super::scan::Scan;
use crate::engine::endgame::{EndgameValues, SolvedRules};
use crate::record::{
    Admission, Examiner, Fault, FaultKind, GameEnding, GameId, GameRecord, PlyRecord, Refusal,
    Void, Withdrawal,
};
use crate::referee::{
    Answer, Choice, ClockSettings, DrawTerms, EndgameJudge, GameOver, GameSetup, Judged, Measure,
    NewGame, Player, ResignTerms, Stop, Turn, play_game,
};
use crate::rules::{Game, GameResult, Position, Preset, Side};
use crate::tournament::{
    Conditions, EndgameTerms, Entrant, Format, Journal, Opening, OpeningSharing, OpeningSource,
    Plan, PlannedGame, RunDocument, RunSettings, Secret, Seeding,
};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A player that does anything a bot can do, by a seed.
struct Wild {
    random: ChaCha8Rng,
    measure: Measure,
    /// Whether it says what it thinks of its game: that it goes on as it went.
    speaks: bool,
}

impl Wild {
    fn below(&mut self, count: u32) -> u32 {
        self.random.next_u32() % count
    }

    fn info(&mut self, position: Position) -> Option<String> {
        let side = position.to_move();
        let [own, other] = [side, side.opponent()].map(|it| i16::from(position.store(it)));
        let speaks = self.speaks && self.below(40) > 0;
        speaks.then(|| format!("{{\"score\":{}}}", own - other))
    }

    /// A time around a limit, usually far below it, and not in whole µs.
    fn time(&mut self, limit: Duration) -> Duration {
        let share = match self.below(900) {
            0 => 1000,
            1 => 1001,
            2 => 2000,
            _ => self.below(300),
        };
        let nanos = Duration::from_nanos(self.below(1500).into());
        (limit * share / 1000).saturating_sub(nanos)
    }
}

impl Player for Wild {
    async fn new_game(&mut self, _: &NewGame<'_>) -> Result<(), Stop> {
        match self.below(60) {
            0 => Err(Stop::Void("the host slept".to_owned())),
            1 => Err(Stop::Fault(
                Fault::new(FaultKind::Timeout, "not ready").after(micros(START_UP) + 1),
            )),
            2 => Err(Stop::Fault(Fault::new(
                FaultKind::StartFailure,
                "no such file",
            ))),
            _ => Ok(()),
        }
    }

    async fn turn(&mut self, turn: &Turn) -> Result<Answer, Stop> {
        let legal: Vec<i64> = turn.legal.iter().map(|it| it.row_index().into()).collect();
        let row_index = legal[self.random.next_u32() as usize % legal.len()];
        let time = self.time(turn.limit.deadline);
        let cpu = (self.measure == Measure::Cpu && self.below(200) > 0)
            .then(|| self.time(turn.limit.deadline));
        let choice = match self.below(1500) {
            0 => Choice::Resign,
            1 => {
                let illegal = (0..9).find(|pit| !legal.contains(pit));
                Choice::Pit {
                    row_index: illegal.unwrap(),
                    info: None,
                }
            }
            2 | 5 | 6 => return Err(Stop::Fault(Fault::new(FaultKind::Crash, "gone").after(7))),
            3 => return Err(Stop::Void("the host slept".to_owned())),
            4 => {
                // What a process reports of a silent bot after the end of the referee's wait.
                let late = turn.limit.wall_stop() + Duration::from_nanos(1);
                assert!(matches!(turn.limit.judge(late, cpu), Judged::Late(_)));
                let fault = Fault::new(FaultKind::Timeout, "silent");
                return Err(Stop::Fault(fault.after(micros(late))));
            }
            _ => Choice::Pit {
                row_index,
                info: self.info(turn.position),
            },
        };
        let preempted = Duration::ZERO;
        Ok(Answer {
            choice,
            time,
            preempted,
            cpu,
        })
    }

    async fn idle(&mut self) -> Stop {
        std::future::pending().await
    }

    async fn game_over(&mut self, _: &GameOver<'_>) {}

    async fn discard(&mut self) {}
}

/// The entrants of every plan here.
const NAMES: [&str; 2] = ["ada", "bob"];

const START_UP: Duration = Duration::from_secs(2);

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).expect("a short time")
}

fn plan(preset: Preset, clock: ClockSettings, max_plies: u32) -> Plan {
    let entrant = |name: &str| Entrant {
        yardstick: false,
        clock: None,
        name: name.to_owned(),
        program: serde_json::Value::Null,
    };
    Plan {
        house_pairs: None,
        longer: Vec::new(),
        format: Format::RoundRobin,
        preset,
        rules: preset.rules(),
        seeding: Seeding::Draw,
        until: None,
        rounds: Vec::new(),
        pairs: 1,
        seed: 1,
        secret: Some(Secret::from_bytes([7; 32])),
        openings: OpeningSource::Random { plies: 0 },
        sharing: OpeningSharing::Own,
        opening_start: 1,
        max_plies,
        endgame: None,
        resign: None,
        draw: None,
        clock,
        max_faults: None,
        blind: false,
        conditions: Conditions {
            new_game: START_UP,
            ..Conditions::default()
        },
        test: None,
        entrants: NAMES.map(entrant).to_vec(),
    }
}

fn clock(move_ms: Option<u64>, bank_ms: Option<u64>, measure: Measure) -> ClockSettings {
    ClockSettings {
        move_limit: move_ms.map(Duration::from_millis),
        bank: bank_ms.map(Duration::from_millis),
        increment: Duration::from_millis(bank_ms.map_or(0, |_| 3)),
        nodes: None,
        margin: Duration::from_millis(10),
        measure,
    }
}

/// A game of two such players.
fn wild_game(plan: &Plan, seed: u64) -> GameRecord {
    judged_game(plan, None, seed)
}

/// The same with somebody who knows endgames.
fn judged_game(plan: &Plan, endgame: Option<&dyn EndgameJudge>, seed: u64) -> GameRecord {
    let player = |add| Wild {
        random: ChaCha8Rng::seed_from_u64(2 * seed + add),
        measure: plan.clock.measure,
        speaks: plan.resign.is_some(),
    };
    let setup = GameSetup {
        id: "1.1",
        names: None,
        preset: plan.preset,
        rules: plan.rules,
        clocks: NAMES.map(|name| plan.clock_of(name)),
        max_plies: plan.max_plies,
        endgame,
        agreement: plan.agreement(),
        seeds: [1, 2],
        start: Position::START,
        opening: Some(""),
    };
    let (mut south, mut north) = (player(0), player(1));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let played = runtime.block_on(play_game(&setup, [&mut south, &mut north]));
    let id = "1.1".parse().unwrap();
    let opening = Opening::NONE;
    let game = PlannedGame::new(plan, id, NAMES, (1, &opening));
    game.record(played, 1)
}

/// A game that ended by the rules.
fn ended(plan: &Plan) -> GameRecord {
    (0..1_000)
        .map(|seed| wild_game(plan, seed))
        .find(|it| matches!(it.ending, GameEnding::Rules(_)))
        .expect("a game that nothing disturbs")
}

fn told(plan: &Plan, record: &GameRecord) -> Vec<(Check, String)> {
    judged(plan, None, record)
}

fn judged(
    plan: &Plan,
    endgame: Option<&dyn EndgameJudge>,
    record: &GameRecord,
) -> Vec<(Check, String)> {
    let mut told = Vec::new();
    play_again(plan, endgame, record, &mut |check, message| {
        told.push((check, message.to_owned()));
    });
    told
}

#[test]
fn whatever_the_referee_lets_happen_is_believed() {
    let mut endings = BTreeSet::new();
    for preset in Preset::ALL {
        for clock in [
            clock(Some(100), None, Measure::Wall),
            clock(None, Some(300), Measure::Wall),
            clock(Some(50), Some(400), Measure::Wall),
            clock(Some(100), None, Measure::Cpu),
            clock(None, Some(300), Measure::Cpu),
        ] {
            // Half of the games are played with time odds.
            let odds = ClockSettings {
                move_limit: Some(Duration::from_millis(20)),
                ..clock
            };
            for (max_plies, seed) in [600, 30]
                .into_iter()
                .flat_map(|most| (0..25).map(move |it| (most, it)))
            {
                let mut plan = plan(preset, clock, max_plies);
                plan.entrants[1].clock = (seed % 2 > 0).then_some(odds);
                let record = wild_game(&plan, seed);
                assert_eq!(told(&plan, &record), [], "{preset:?} {clock:?} {record:?}");
                endings.insert(record.ending.name());
                // Any other stores are wrong.
                for change in [[1, 0], [0, 1], [1, 1]] {
                    let stores = [0, 1].map(|side| record.stores[side] ^ change[side]);
                    let record = GameRecord {
                        stores,
                        ..record.clone()
                    };
                    assert_eq!(told(&plan, &record)[0].0, Check::Games);
                }
            }
        }
    }
    for name in [
        "majority",
        "repetition",
        "adjudicated",
        "resignation",
        "timeout",
        "void",
        "crash",
    ] {
        assert!(endings.contains(name), "{name} of {endings:?}");
    }
}

/// The values of few seeds, and a plan that has them end its games; `None` if there are none.
fn solved(plan: &Plan, seeds: u8) -> Option<(EndgameValues, Plan)> {
    let values = EndgameValues::solve(SolvedRules::of(&plan.rules).ok()?, seeds);
    let sha256 = String::new();
    let plan = Plan {
        endgame: Some(EndgameTerms { seeds, sha256 }),
        ..plan.clone()
    };
    Some((values, plan))
}

#[test]
fn games_that_values_end_are_believed_as_they_are() {
    let (mut ended, mut checked) = (0, 0);
    for preset in Preset::ALL {
        let whole = plan(preset, clock(Some(100), None, Measure::Wall), 600);
        let Some((values, plan)) = solved(&whole, 8) else {
            continue;
        };
        checked += 1;
        for seed in 0..60 {
            let record = judged_game(&plan, Some(&values), seed);
            assert_eq!(judged(&plan, Some(&values), &record), [], "{record:?}");
            // Without the values, only the stores are unknown.
            assert_eq!(told(&plan, &record), []);
            let long = wild_game(&plan, seed);
            if record.ending != GameEnding::Endgame {
                assert_eq!(record, long);
                continue;
            }
            ended += 1;
            let problem = |plan: &Plan, record: &GameRecord| {
                let problems = judged(plan, Some(&values), record);
                problems
                    .into_iter()
                    .next()
                    .map(|it| it.1)
                    .unwrap_or_default()
            };
            for change in [[1, 0], [0, 1], [1, 1]] {
                let stores = [0, 1].map(|side| record.stores[side] ^ change[side]);
                let other = GameRecord {
                    stores,
                    ..record.clone()
                };
                assert!(problem(&plan, &other).contains("and perfect play leads to"));
            }
            let forged = GameRecord {
                stores: [0, 49],
                ..record.clone()
            };
            assert_ne!(told(&plan, &forged), []);
            for (plan, record, words) in [
                (&whole, &record, "the plan plays all games to their end"),
                (&plan, &long, "perfect play"),
            ] {
                let problem = problem(plan, record);
                assert!(problem.contains(words), "{words}: {problem}");
            }
            let fewer = solved(&plan, 1).unwrap().1;
            assert!(problem(&fewer, &record).contains("and the plan says at most 1"));
            let ending = GameEnding::Resignation(Side::South);
            let resigned = GameRecord { ending, ..record };
            assert!(problem(&plan, &resigned).contains("perfect play was known"));
        }
    }
    assert!(ended > 100 && checked > 4, "{ended} {checked}");
}

/// A plan whose games end where both say so: by the stores, as these players do.
fn agreeing() -> Plan {
    let (seeds, turns) = (7, 3);
    Plan {
        resign: Some(ResignTerms { seeds, turns }),
        draw: Some(DrawTerms {
            seeds: 1,
            turns: 5,
            after: 20,
        }),
        ..plan(Preset::Simple, clock(Some(100), None, Measure::Wall), 90)
    }
}

#[test]
fn games_that_both_end_are_believed_as_they_are() {
    let plan = agreeing();
    let silent = Plan {
        resign: None,
        draw: None,
        ..plan.clone()
    };
    let mut endings = BTreeMap::new();
    for seed in 0..200 {
        let record = wild_game(&plan, seed);
        assert_eq!(told(&plan, &record), [], "{record:?}");
        *endings.entry(record.ending.name()).or_insert(0) += 1;
        let is_agreed = matches!(
            record.ending,
            GameEnding::AgreedWin(_) | GameEnding::AgreedDraw
        );
        if !is_agreed {
            continue;
        }
        let problem = |plan: &Plan, change: &dyn Fn(&mut GameRecord)| {
            let mut changed = record.clone();
            change(&mut changed);
            told(plan, &changed).remove(0).1
        };
        let loser = record.result().and_then(|it| match it {
            GameResult::Win(winner) => Some(winner.opponent()),
            GameResult::Draw => None,
        });
        let resigned = GameEnding::Resignation(loser.unwrap_or(Side::South));
        let mut game = Game::new(plan.rules, record.start);
        for ply in &record.plies {
            game.play(ply.pit).unwrap();
        }
        let next = PlyRecord {
            pit: game.legal_moves().iter().next().unwrap(),
            ..record.plies[0].clone()
        };
        let unsaid = "the scores of the bots do not say so";
        let silenced = |it: &mut GameRecord| it.plies.last_mut().unwrap().info = None;
        for (message, words) in [
            (problem(&silent, &|_| ()), unsaid),
            (problem(&plan, &silenced), unsaid),
            (
                problem(&plan, &|it| it.ending = resigned.clone()),
                "it ended by resignation, and before, both bots had agreed (agreed-",
            ),
            (
                problem(&plan, &|it| it.plies.push(next.clone())),
                "both bots agree after ply",
            ),
        ] {
            assert!(message.contains(words), "{message}");
        }
    }
    for name in ["agreed-win", "agreed-draw", "adjudicated", "crash"] {
        assert!(endings.contains_key(name), "{name} of {endings:?}");
    }
}

#[test]
fn other_endings_of_the_same_moves_are_not_believed() {
    let plan = plan(Preset::Awale, clock(Some(100), None, Measure::Wall), 600);
    let record = ended(&plan);
    let fault = |kind, side| GameEnding::Fault(side, Fault::new(kind, ""));
    let over = [
        GameEnding::Adjudicated,
        GameEnding::Resignation(Side::South),
        fault(FaultKind::Crash, Side::North),
        GameEnding::Void(Void::default()),
    ];
    for ending in over {
        let message = &told(
            &plan,
            &GameRecord {
                ending,
                ..record.clone()
            },
        )[0]
        .1;
        assert!(
            message.contains("by the rules it was over before"),
            "{message}"
        );
    }
    // Half of the game: only a forfeit of the side to move can end it there.
    let mut half = record.clone();
    half.plies.truncate(5);
    let cases = [
        (record.ending.clone(), "the rules say that it goes on"),
        (
            GameEnding::Adjudicated,
            "adjudicated after 5 plies, and the plan says after 600",
        ),
        (
            GameEnding::Resignation(Side::South),
            "south resigned, and north was to move",
        ),
        (
            fault(FaultKind::Timeout, Side::South),
            "south was too late, and north",
        ),
        (
            fault(FaultKind::IllegalMove, Side::South),
            "south played an illegal move",
        ),
        (
            fault(FaultKind::StartFailure, Side::South),
            "failed to start after 5 plies",
        ),
    ];
    for (ending, words) in cases {
        let message = &told(
            &plan,
            &GameRecord {
                ending,
                ..half.clone()
            },
        )[0]
        .1;
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn nothing_is_played_after_the_end() {
    let plan = plan(Preset::Awale, clock(Some(100), None, Measure::Wall), 600);
    let mut long = ended(&plan);
    let more = long.plies[0].clone();
    long.plies.push(more);
    let message = &told(&plan, &long)[0].1;
    assert!(message.contains("and goes on"), "{message}");
}

#[test]
fn times_of_faults_must_fit_the_clock() {
    let plan = plan(Preset::Awale, clock(Some(100), None, Measure::Wall), 600);
    let mut record = wild_game(&plan, 3);
    assert!(record.plies.len() > 4, "{record:?}");
    record.plies.truncate(4);
    let stores =
        |record: &GameRecord| told(&plan, record).first().map(|it| it.0) == Some(Check::Games);
    for (kind, time_us, words) in [
        (FaultKind::Timeout, 110_001, None),
        // Before it was truncated to whole µs, this may have been slightly more.
        (FaultKind::Timeout, 110_000, None),
        (
            FaultKind::Timeout,
            109_000,
            Some("a time-out after 109.000 ms, where 110.000 ms"),
        ),
        (FaultKind::IllegalMove, 110_000, None),
        (
            FaultKind::IllegalMove,
            110_001,
            Some("an illegal move after 110.001 ms"),
        ),
        (FaultKind::Crash, 5, None),
    ] {
        record.ending = GameEnding::Fault(Side::South, Fault::new(kind, "").after(time_us));
        record.stores = [0, 0];
        // The stores do not matter: South loses all seeds on the board.
        assert!(stores(&record));
        let mut game = Game::new(plan.rules, record.start);
        for ply in &record.plies {
            game.play(ply.pit).unwrap();
        }
        record.stores = game.position().stores_after_forfeit(Side::South);
        let told: Vec<String> = told(&plan, &record).into_iter().map(|it| it.1).collect();
        match words {
            None => assert!(told.is_empty(), "{kind} {time_us}: {told:?}"),
            Some(words) => assert!(told[0].contains(words), "{told:?}"),
        }
    }
}

/// A journal with every kind of line.
fn journal() -> Vec<u8> {
    let plan = plan(Preset::Awale, clock(Some(100), None, Measure::Cpu), 20);
    let mut journal = Journal::begin(
        Vec::new(),
        &RunDocument::new(plan.clone(), RunSettings::default()),
    )
    .unwrap();
    for (name, refusal) in [
        ("ada", None),
        (
            "bob",
            Some(Refusal::Fault {
                against: Examiner::Random,
                fault: Fault::new(FaultKind::BadOutput, "said é \u{1b}[2J"),
                may_pass: false,
            }),
        ),
    ] {
        let entrant = name.to_owned();
        journal
            .append_admission(&Admission {
                entrant,
                refusal,
                late: None,
                side_ms: None,
            })
            .unwrap();
    }
    for (seed, id) in (0..).zip(["1.1", "1.2"]) {
        let mut record = wild_game(&plan, seed);
        record.id = id.parse::<GameId>().unwrap();
        if let Some(ply) = record.plies.first_mut() {
            // Text that looks like a line of its own.
            ply.info = Some("{\"sum\":\"0123456789abcdef\",\"kind\":\"plan\"}".to_owned());
        }
        journal.append([&record]).unwrap();
    }
    let withdrawal = Withdrawal {
        entrant: "ada".to_owned(),
        after: "1.2".parse().unwrap(),
        faults: 2,
        games: 2,
    };
    journal.append_withdrawals(&[withdrawal]).unwrap();
    journal.into_storage()
}

fn damage(journal: &[u8]) -> Vec<(usize, String)> {
    let mut findings = Findings::new();
    Scan::read(journal, None, false, &mut findings).unwrap();
    let found = findings.of(Check::Journal, Severity::Problem);
    found
        .map(|it| (it.place.line.expect("a line"), it.message.clone()))
        .collect()
}

#[test]
fn any_flipped_bit_of_a_journal_is_found_in_its_line() {
    let sound = journal();
    assert_eq!(damage(&sound), []);
    let mut line = 1;
    for place in 0..sound.len() {
        for bit in 0..8 {
            let mut flipped = sound.clone();
            flipped[place] ^= 1 << bit;
            let found = damage(&flipped);
            // A missing newline joins two lines; an additional one splits a line.
            let near = found.first().is_some_and(|it| it.0 == line);
            assert!(near, "byte {place}, bit {bit} in line {line}: {found:?}");
            let lines = found.last().map_or(0, |it| it.0);
            assert!(lines <= line + 1, "byte {place}, bit {bit}: {found:?}");
        }
        line += usize::from(sound[place] == b'\n');
    }
}

#[test]
fn any_other_byte_in_place_of_one_is_found() {
    let sound = journal();
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..2_000 {
        let mut damaged = sound.clone();
        let place = random.next_u32() as usize % sound.len();
        let byte = random.next_u32().to_le_bytes()[0];
        if byte != sound[place] {
            damaged[place] = byte;
            assert!(!damage(&damaged).is_empty(), "byte {place} as {byte}");
        }
    }
}

#[test]
fn every_damaged_line_is_named_and_the_rest_is_read() {
    let text = String::from_utf8(journal()).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[1] = lines[1].replace("ada", "Ada");
    lines[3].insert(8, ' ');
    lines[5] = lines[5].to_uppercase();
    let damaged = lines.join("\n") + "\n\n";
    let found: Vec<usize> = damage(damaged.as_bytes())
        .into_iter()
        .map(|it| it.0)
        .collect();
    assert_eq!(found, [2, 4, 6, 7]);
    let mut findings = Findings::new();
    let scan = Scan::read(damaged.as_bytes(), None, false, &mut findings).unwrap();
    assert_eq!((scan.records, scan.damaged), (1, 4));
    // The plan itself is damaged: the rest is still read.
    let without = text.replacen("{\"sum\"", "{\"sun\"", 1);
    let scan = Scan::read(without.as_bytes(), None, false, &mut findings).unwrap();
    assert_eq!((scan.records, scan.damaged), (2, 1));
    // A missing line does not damage any bytes, except the first line.
    let (_, rest) = text.split_once('\n').unwrap();
    let found = damage(rest.as_bytes());
    assert!(
        found[0].1.contains("no line of it is the plan"),
        "{found:?}"
    );
    let (first, _) = text.split_once('\n').unwrap();
    let found = damage(format!("{rest}{first}\n").as_bytes());
    let words: Vec<&str> = found.iter().map(|it| it.1.as_str()).collect();
    assert_eq!(words, ["the plan is not in the first line"]);
}
