//! The last steps: asking the bot to quit, and watching how it ends.

use super::arrangement::Arrangement;
use super::examine::Examination;
use super::measure;
use super::outcome::StepVerdict;
use crate::bot::ExitReport;
use crate::rules::Side;
use std::time::Duration;

/// How long to wait for a bot that was asked to quit: long enough to tell a slow bot from one that
/// does not quit.
const LEAVING: Duration = Duration::from_secs(2);
/// The same for a bot that was just started: a slow host may need several times as long as for the
/// first start.
const STARTING: Duration = Duration::from_secs(4);

impl Examination {
    pub async fn quit_after(&mut self, arrangement: Arrangement) -> StepVerdict {
        let verdict = self.game(arrangement).await;
        if !verdict.carries() {
            return verdict;
        }
        self.part(true).await
    }

    pub async fn quit_at_once(&mut self) -> StepVerdict {
        let started = self.subject.start().await;
        let greeted = match started {
            Ok(()) => self.subject.hello(self.subject.start_up()).await.map(drop),
            Err(stop) => Err(stop),
        };
        match greeted {
            Ok(()) => self.part(true).await,
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
                self.part_after(false, start_up * 2, STARTING).await
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
