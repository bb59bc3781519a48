//! The first steps: the start, the greeting, and a first move, message by message. And the last
//! ones: asking the bot to quit, and watching how it ends.

use crate::bot::ExitReport;
use crate::conformance::arrangement::Arrangement;
use crate::conformance::examine::Examination;
use crate::conformance::measure;
use crate::conformance::outcome::StepVerdict;
use crate::record::{Fault, FaultKind};
use crate::referee::{Choice, Clock, NewGame, Player as _, Stop, Turn};
use crate::rules::{Game, Position, Side};
use std::time::Duration;

/// How long a program is watched after its start: it may end at once.
const STARTING: Duration = Duration::from_millis(500);
/// How long the wait is in which the bot must write nothing.
const QUIET: Duration = Duration::from_millis(100);

impl Examination {
    /// This finds a program that ends at once.
    pub async fn start(&mut self) -> StepVerdict {
        if let Err(stop) = self.subject.start().await {
            return self.failed(&stop).await;
        }
        match self.subject.listen_to_start(STARTING).await {
            Some(stop) if !is_output(&stop) => self.failed(&stop).await,
            // It wrote something before `hello`, which is read as its answer.
            _ => {
                let stop = self.subject.start().await.err();
                self.passed_unless(stop).await
            }
        }
    }

    pub async fn hello(&mut self) -> StepVerdict {
        let time_limit = self.subject.time_limit_with_start();
        match self.subject.hello(time_limit).await {
            Ok((ready, time)) => {
                let name = ready.name.clone().unwrap_or_default();
                self.greeting = Some((ready, time));
                StepVerdict::Passed(name)
            }
            Err(stop) => self.failed(&stop).await,
        }
    }

    pub fn start_up_time(&self) -> StepVerdict {
        let budget = self.subject.start_up();
        let time = self.greeting.as_ref().map_or(budget, |(_, time)| *time);
        let words = format!(
            "{:.0} ms of {:.0} ms",
            time.as_secs_f64() * 1e3,
            budget.as_secs_f64() * 1e3
        );
        if time > budget {
            StepVerdict::failed(words, self.subject.lateness())
        } else {
            StepVerdict::Passed(words)
        }
    }

    pub fn name(&self) -> StepVerdict {
        let name = self.greeting.as_ref().and_then(|(it, _)| it.name.clone());
        match name {
            Some(name) if !name.is_empty() => StepVerdict::Passed(name),
            _ => StepVerdict::Note("its ready has no name".to_owned()),
        }
    }

    pub async fn quiet(&mut self) -> StepVerdict {
        let stop = self.subject.listen(QUIET).await;
        self.passed_unless(stop).await
    }

    pub async fn announce(&mut self, you: Side) -> Result<(), Stop> {
        let game = NewGame {
            game: "1.1",
            you,
            opponent: Some("partner"),
            preset: self.terms.preset,
            rules: &self.terms.rules,
            clock: &self.terms.clock(),
            seed: 1,
            start: Position::START,
            opening: Some(""),
        };
        self.subject.new_game(&game).await
    }

    pub async fn new_game(&mut self) -> StepVerdict {
        let stop = self.announce(Side::South).await.err();
        self.passed_unless(stop).await
    }

    pub async fn first_move(&mut self) -> StepVerdict {
        let game = Game::new(self.terms.rules, Position::START);
        let clock = self.terms.clock();
        let turn = Turn {
            turn: 0,
            position: game.position(),
            legal: game.legal_moves(),
            last: None,
            limit: Clock::new([clock; 2]).limit(Side::South),
            clock,
            banks: [None; 2],
        };
        let choice = self.subject.turn(&turn).await.map(|answer| answer.choice);
        let (kind, detail) = match choice {
            Ok(Choice::Resign) => return StepVerdict::Passed("it resigned".to_owned()),
            Ok(Choice::Pit { row_index, .. }) if (0..6).contains(&row_index) => {
                return StepVerdict::Passed(format!("pit {row_index}"));
            }
            Ok(Choice::Pit { row_index, .. }) => {
                let detail = format!("played pit {row_index}; legal were 0, 1, 2, 3, 4, 5");
                (FaultKind::IllegalMove, detail)
            }
            Ok(Choice::Unreadable { reason }) => (FaultKind::BadOutput, reason),
            Err(stop) => return self.failed(&stop).await,
        };
        self.failed(&Stop::Fault(Fault::new(kind, detail))).await
    }
}

const fn is_output(stop: &Stop) -> bool {
    let Stop::Fault(fault) = stop else {
        return false;
    };
    matches!(fault.kind, FaultKind::BadOutput | FaultKind::OutputLimit)
}

/// How long to wait for a bot that was asked to quit: long enough to tell a slow bot from one that
/// does not quit.
const LEAVING: Duration = Duration::from_secs(2);
/// The same for a bot that was just started: a slow host may need several times as long as for the
/// first start.
const STARTING_ANEW: Duration = Duration::from_secs(4);

impl Examination {
    pub async fn quit_after(&mut self, arrangement: Arrangement) -> StepVerdict {
        let verdict = self.game(arrangement).await;
        if !verdict.carries() {
            return verdict;
        }
        self.part(true).await
    }

    pub async fn quit_at_once(&mut self) -> StepVerdict {
        if let Err(stop) = self.subject.start().await {
            return self.failed(&stop).await;
        }
        match self.subject.hello(self.subject.start_up()).await {
            Ok(_) => self.part(true).await,
            Err(stop) => self.failed(&stop).await,
        }
    }

    pub async fn end_of_input(&mut self, side: Side) -> StepVerdict {
        self.subject.drop_process().await;
        match self.announce(side).await {
            Ok(()) => self.part(false).await,
            Err(stop) => self.failed(&stop).await,
        }
    }

    pub async fn end_of_input_at_once(&mut self) -> StepVerdict {
        match self.subject.start().await {
            Ok(()) => {
                // The bot may see the end of its input only after its start.
                let start_up = self.greeting.as_ref().map_or(Duration::ZERO, |it| it.1);
                self.part_after(false, start_up * 2, STARTING_ANEW).await
            }
            Err(stop) => self.failed(&stop).await,
        }
    }

    /// Asks the bot to quit, by `quit` or by the end of its input, and watches how it ends.
    async fn part(&mut self, by_quit: bool) -> StepVerdict {
        self.part_after(by_quit, Duration::ZERO, Duration::ZERO)
            .await
    }

    /// The same for a bot that cannot read its input at first, for `deaf`, and on a slow host for
    /// `slow` more.
    async fn part_after(&mut self, by_quit: bool, deaf: Duration, slow: Duration) -> StepVerdict {
        let Some(mut conversation) = self.subject.take_conversation() else {
            return StepVerdict::Skipped("starts");
        };
        if by_quit {
            conversation.tell(b"{\"type\":\"quit\"}\n");
        } else {
            conversation.close_input();
        }
        let exit_report: ExitReport = conversation.part(LEAVING + deaf + slow).await;
        self.subject.close(conversation).await;
        measure::exit_report(&exit_report, by_quit, deaf)
    }
}
