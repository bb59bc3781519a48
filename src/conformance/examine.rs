//! Takes the steps one after the other. This file contains the actions of the steps; `measure`
//! judges what was observed over all of them.
//!
//! A step that failed only because of time is repeated: a busy host must not make a correct bot
//! look wrong. The process of the previous attempt has ended, so the steps that it needs are
//! repeated too.

use crate::bot::SandboxedBot;
use crate::conformance::arrangement::{Arrangement, ExaminationTerms};
use crate::conformance::arrangement::{OnlyWin, RulePosition};
use crate::conformance::arrangement::{Participant, Partner};
use crate::conformance::bot_under_test::{BotUnderTest, Budgets};
use crate::conformance::message_style::MessageStyle;
use crate::conformance::outcome::{Lateness, StepReport, StepVerdict};
use crate::conformance::steps::{Step, StepAction};
use crate::conformance::{measure, steps};
use crate::protocol::Ready;
use crate::record::{FaultKind, GameEnding, fix, hint};
use crate::referee::{AgreementTerms, ClockSettings, GameSetup, PlayedGame, Stop, play_game};
use crate::rules::{Pit, Position, Side};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long a bot is watched after the last game of a step: `game-over` may have confused it.
const SETTLING: Duration = Duration::from_millis(20);
/// Short games in one process.
const MANY_GAMES: u32 = 20;

/// How much of an examination takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every step, for the author of the bot.
    Everything,
    /// No more waiting than the verdict needs: a bot that slept is not given another try, and no
    /// step follows one in which it was late.
    Verdict,
}

/// Takes the steps, all or only these and those that they need, and reports each one when it is
/// done.
pub async fn examine(
    (sandboxed_bot, budgets): (SandboxedBot, Budgets),
    (terms, extent): (ExaminationTerms, Extent),
    only: Option<&BTreeSet<&str>>,
    tell: &mut dyn FnMut(&StepReport),
) -> Vec<StepReport> {
    let mut examination = Examination {
        terms,
        extent,
        subject: BotUnderTest::new(sandboxed_bot, budgets),
        greeting: None,
        as_south: [None, None],
        games: 0,
        is_fresh: false,
    };
    let mut reports: Vec<StepReport> = Vec::new();
    let mut carried: BTreeSet<&str> = BTreeSet::new();
    let mut late: Option<&'static str> = None;
    for (place, step) in steps::all().enumerate() {
        if only.is_some_and(|only| !only.contains(step.id)) {
            continue;
        }
        let started = Instant::now();
        let missing = step.needs.iter().find(|need| !carried.contains(**need));
        let missing = late.or(missing.copied());
        // A bot that cannot play two games in a process is told so once, not by every later step.
        let plays_on = carried.contains("second-game") || !carried.contains("game-south");
        examination.is_fresh = !plays_on;
        let (verdict, earlier) = match missing {
            Some(need) => (StepVerdict::Skipped(need), Vec::new()),
            None => examination.take_in_time(step).await,
        };
        if verdict.carries() {
            carried.insert(step.id);
        }
        if extent == Extent::Verdict && verdict.is_late() {
            late = Some(step.id);
        }
        let is_red = matches!(verdict, StepVerdict::Failed { .. });
        let log = std::mem::take(&mut examination.subject.log);
        let mut report = StepReport {
            number: place + 1,
            step,
            verdict,
            earlier,
            transcript: examination.subject.take_transcript(),
            standard_error: if is_red { log } else { Vec::new() },
            same_as: None,
            time: started.elapsed(),
        };
        let mut ends = reports.iter().filter(|it| it.end().is_some());
        let same = ends.find(|it| it.end() == report.end());
        report.same_as = same.map(|it| it.number);
        tell(&report);
        reports.push(report);
    }
    examination.subject.drop_process().await;
    reports
}

/// The state of an examination. The actions of its steps are here, in `greet`, `leave` and `again`.
pub struct Examination {
    pub terms: ExaminationTerms,
    pub extent: Extent,
    pub subject: BotUnderTest,
    /// The first answer and its time.
    pub greeting: Option<(Ready, Duration)>,
    /// The bot's moves in its two games as South.
    pub as_south: [Option<Vec<Pit>>; 2],
    pub games: u32,
    /// Whether each game has a process of its own.
    pub is_fresh: bool,
}

impl Examination {
    /// Takes a step, once.
    pub async fn take(&mut self, step: &Step) -> StepVerdict {
        let terms = self.terms;
        let some_moves = |plies| Arrangement::short(&terms, Side::South, plies);
        match &step.act {
            StepAction::Start => self.start().await,
            StepAction::Hello => self.hello().await,
            StepAction::StartUpTime => self.start_up_time(),
            StepAction::Quiet => self.quiet().await,
            StepAction::Name => self.name(),
            StepAction::NewGame => self.new_game().await,
            StepAction::FirstMove => self.first_move().await,
            StepAction::Fresh(positions) => {
                self.is_fresh = true;
                self.positions(positions).await
            }
            StepAction::Positions(positions) => self.positions(positions).await,
            StepAction::Wins(positions) => self.wins(positions).await,
            StepAction::Game(side) => self.whole_game(*side).await,
            StepAction::SecondGame => self.second_game().await,
            StepAction::ManyGames => self.short_games(MANY_GAMES).await,
            StepAction::Styled(style) => self.styled(*style).await,
            StepAction::Changed(change) => {
                let mut arrangement = some_moves(2);
                change(&mut arrangement);
                self.game(arrangement).await
            }
            StepAction::Bank => self.bank(some_moves(3)).await,
            StepAction::Quit => self.quit_after(some_moves(2)).await,
            StepAction::QuitAtOnce => self.quit_at_once().await,
            StepAction::EndOfInput => self.end_of_input(Side::North).await,
            StepAction::EndOfInputAtOnce => self.end_of_input_at_once().await,
            StepAction::Deterministic => measure::deterministic(&self.as_south),
            StepAction::InTime => self.in_time().await,
            StepAction::LineEnds => measure::line_ends(&self.subject.seen),
            StepAction::Info => measure::info(&self.subject.seen),
            StepAction::Memory => measure::memory(&self.subject.seen),
            StepAction::StandardError => measure::standard_error(&self.subject.seen),
        }
    }

    async fn positions(&mut self, positions: &[RulePosition]) -> StepVerdict {
        let mut absent = String::new();
        let mut is_played = false;
        for position in positions {
            if let Err(why) = position.arises(&self.terms.rules, self.terms.all_rules) {
                absent = why;
                continue;
            }
            is_played = true;
            let terms = self.terms;
            let verdict = self
                .game(Arrangement::from_position(&terms, position))
                .await;
            if !verdict.carries() {
                return verdict;
            }
        }
        if !is_played {
            return StepVerdict::Absent(absent);
        }
        if self.is_fresh {
            // Another step judges what a bot does after `game-over`.
            return StepVerdict::Passed(String::new());
        }
        let stop = self.subject.listen(SETTLING).await;
        self.passed_unless(stop).await
    }

    /// Asks for the only winning moves. A fault is judged by other steps.
    async fn wins(&mut self, positions: &[OnlyWin]) -> StepVerdict {
        let terms = self.terms;
        if !OnlyWin::is_of(&terms.rules) {
            return StepVerdict::Absent("the rules awale decide these positions".to_owned());
        }
        let mut missed = Vec::new();
        for OnlyWin { position, pit } in positions {
            let played = self
                .play(Arrangement::from_position(&terms, position))
                .await;
            let verdict = self.judge(&played).await;
            if !verdict.carries() {
                return StepVerdict::Advice(verdict.detail());
            }
            let first = played.plies.first().map(|ply| ply.pit.letter());
            if first != Some(*pit) {
                let what = first.map_or_else(|| "resigned".to_owned(), |it| format!("played {it}"));
                let position = position.position();
                missed.push(format!("in {position} it {what}, and only {pit} wins"));
            }
        }
        match missed.len() {
            0 => StepVerdict::Passed(String::new()),
            _ => StepVerdict::Advice(missed.join("; ")),
        }
    }

    /// The verdict on a bot that nothing has stopped, or this.
    pub async fn passed_unless(&mut self, stop: Option<Stop>) -> StepVerdict {
        match stop {
            None => StepVerdict::Passed(String::new()),
            Some(stop) => self.failed(&stop).await,
        }
    }

    pub async fn whole_game(&mut self, side: Side) -> StepVerdict {
        self.subject.drop_process().await;
        let arrangement = Arrangement::whole(&self.terms, side);
        let played = self.play(arrangement).await;
        if side == Side::South {
            self.as_south[0] = Some(moves_of(&played));
        }
        self.judge(&played).await
    }

    async fn second_game(&mut self) -> StepVerdict {
        self.is_fresh = false;
        let arrangement = Arrangement::whole(&self.terms, Side::South);
        let played = self.play(arrangement).await;
        self.as_south[1] = Some(moves_of(&played));
        self.judge(&played).await
    }

    /// Some moves on both sides, and a greeting, in another style.
    async fn styled(&mut self, style: MessageStyle) -> StepVerdict {
        self.subject.drop_process().await;
        self.subject.style = style;
        let mut verdict = StepVerdict::Passed(String::new());
        for side in Side::BOTH {
            verdict = self.game(Arrangement::short(&self.terms, side, 3)).await;
            if !verdict.carries() {
                break;
            }
        }
        if verdict.carries() && !self.is_fresh {
            verdict = self.quiet().await;
        }
        self.subject.style = MessageStyle::Plain;
        self.subject.drop_process().await;
        verdict
    }

    async fn bank(&mut self, arrangement: Arrangement) -> StepVerdict {
        self.subject.is_timed = false;
        let clock = ClockSettings {
            bank: Some(self.terms.move_limit * 20),
            increment: self.terms.move_limit / 2,
            margin: self.terms.time_limit(),
            ..ClockSettings::default()
        };
        let verdict = self
            .game(Arrangement {
                clock,
                ..arrangement
            })
            .await;
        self.subject.is_timed = true;
        verdict
    }

    pub async fn game(&mut self, arrangement: Arrangement) -> StepVerdict {
        let played = self.play(arrangement).await;
        self.judge(&played).await
    }

    async fn play(&mut self, arrangement: Arrangement) -> PlayedGame {
        if self.is_fresh {
            self.subject.drop_process().await;
        }
        self.games += 1;
        let setup = GameSetup {
            id: &format!("{}.1", self.games),
            names: (!arrangement.is_blind).then_some(["bot", "partner"]),
            preset: self.terms.preset,
            rules: arrangement.rules,
            clocks: [arrangement.clock; 2],
            max_plies: arrangement.plies,
            endgame: None,
            agreement: AgreementTerms::default(),
            seeds: [arrangement.seed; 2],
            start: arrangement.start,
            opening: (arrangement.start == Position::START).then_some(""),
        };
        let mut bot = Participant::Bot(&mut self.subject);
        let mut partner = Participant::Partner(Partner::new(arrangement.first));
        match arrangement.bot {
            Side::South => play_game(&setup, [&mut bot, &mut partner]).await,
            Side::North => play_game(&setup, [&mut partner, &mut bot]).await,
        }
    }

    async fn judge(&mut self, played: &PlayedGame) -> StepVerdict {
        let plies = played.plies.len();
        match &played.ending {
            GameEnding::Fault(_, fault) => self.failed(&Stop::Fault(fault.clone())).await,
            GameEnding::Void(void) => self.failed(&Stop::Void(void.cause.clone())).await,
            GameEnding::Resignation(_) => {
                StepVerdict::Passed(format!("it resigned after {plies} plies"))
            }
            ending => StepVerdict::Passed(format!("{} after {plies} plies", ending.name())),
        }
    }

    /// The verdict on a bot at fault; its process is ended.
    pub async fn failed(&mut self, stop: &Stop) -> StepVerdict {
        self.subject.drop_process().await;
        let fault = match stop {
            Stop::Fault(fault) => fault,
            Stop::Void(cause) | Stop::Unstarted(cause) => {
                return StepVerdict::Failed {
                    what: cause.clone(),
                    hint: Some("that is this machine's trouble, not the bot's".to_owned()),
                    fix: Some("let this machine rest, and check the bot again"),
                    lateness: Lateness::PerhapsByHost,
                };
            }
        };
        let is_late = fault.kind == FaultKind::Timeout;
        StepVerdict::Failed {
            what: format!("{}: {}", fault.kind, fault.detail),
            hint: hint(fault.kind, &fault.detail).map(str::to_owned),
            fix: Some(fix(fault.kind)),
            lateness: if is_late && !self.subject.is_stuck {
                self.subject.lateness()
            } else {
                Lateness::NotLate
            },
        }
    }
}

fn moves_of(played: &PlayedGame) -> Vec<Pit> {
    played.plies.iter().map(|ply| ply.pit).collect()
}

/// The most attempts at a step.
const TRIES: usize = 3;
/// Plies of a game that is played only for the times of its moves.
const TIMED_PLIES: u32 = 60;
/// A step that has taken this long is not repeated: a bot that never answers would use up the whole
/// wait in each attempt.
const LONG_ENOUGH: Duration = Duration::from_secs(20);

impl Examination {
    /// Takes a step, up to three times while it fails only because of time. Returns the last
    /// verdict and the earlier failures.
    pub async fn take_in_time(&mut self, step: &Step) -> (StepVerdict, Vec<String>) {
        let started = Instant::now();
        let games_before = self.subject.games;
        let mut verdict = self.take(step).await;
        let mut earlier = Vec::new();
        while let StepVerdict::Failed { what, lateness, .. } = &verdict {
            let is_certain = match lateness {
                Lateness::NotLate => true,
                Lateness::PerhapsByHost => false,
                Lateness::Slept => self.extent == Extent::Verdict,
            };
            if is_certain || earlier.len() + 1 == TRIES || started.elapsed() > LONG_ENOUGH {
                break;
            }
            earlier.push(what.clone());
            // The report shows only the last attempt.
            self.subject.take_transcript();
            verdict = self.take_again(step, games_before).await;
        }
        (verdict, earlier)
    }

    async fn take_again(&mut self, step: &Step, games_before: u32) -> StepVerdict {
        let prepared = match step.act {
            StepAction::Hello | StepAction::StartUpTime => match self.subject.start().await {
                Ok(()) => self.hello().await,
                Err(stop) => self.failed(&stop).await,
            },
            StepAction::FirstMove => self.new_game().await,
            StepAction::SecondGame => self.whole_game(Side::South).await,
            StepAction::InTime => return self.in_time_again().await,
            StepAction::Positions(_)
            | StepAction::ManyGames
            | StepAction::Changed(_)
            | StepAction::Bank
                if !self.is_fresh =>
            {
                self.short_games(games_before).await
            }
            _ => StepVerdict::Passed(String::new()),
        };
        match step.act {
            StepAction::Hello => prepared,
            _ if !prepared.carries() => prepared,
            _ => self.take(step).await,
        }
    }

    /// Plays this many short games in one process, alternately as South and North.
    pub async fn short_games(&mut self, count: u32) -> StepVerdict {
        for number in 0..count {
            let side = Side::BOTH[number as usize % 2];
            let verdict = self.game(Arrangement::short(&self.terms, side, 2)).await;
            if !verdict.carries() {
                return verdict;
            }
        }
        StepVerdict::Passed(format!("{count} games"))
    }

    /// Two games, one on each side, for new times.
    async fn in_time_again(&mut self) -> StepVerdict {
        self.subject.forget_times();
        for side in Side::BOTH {
            self.subject.drop_process().await;
            let arrangement = Arrangement::short(&self.terms, side, TIMED_PLIES);
            let verdict = self.game(arrangement).await;
            if !verdict.carries() {
                return verdict;
            }
        }
        self.in_time().await
    }

    /// Judges the times of all moves. No process is left at this point that could wait for a
    /// processor.
    pub async fn in_time(&mut self) -> StepVerdict {
        self.subject.drop_process().await;
        self.subject.show_slowest();
        measure::in_time(&self.subject.seen, self.terms.move_limit)
    }
}
