//! The opponent of the bot: a player without a process that always plays the same moves.

use crate::conformance::bot_under_test::BotUnderTest;
use crate::referee::{Answer, Choice, GameOver, NewGame, Player, Stop, Turn};
use crate::rules::Pit;
use std::time::Duration;

/// Plays the moves it was given, then legal ones by the number of the turn.
#[derive(Debug)]
pub struct Partner {
    first: Vec<Pit>,
}

impl Partner {
    pub const fn new(first: Vec<Pit>) -> Self {
        Self { first }
    }

    fn choose(&self, turn: &Turn) -> Pit {
        let number = turn.turn as usize;
        let given = self.first.get(number).copied();
        let pits: Vec<Pit> = turn.legal.iter().collect();
        // Squares jump about among the pits; any fixed rule would serve.
        given.unwrap_or_else(|| pits[(number * number + number / 3) % pits.len()])
    }
}

/// The two players of a game of the examination.
pub enum Participant<'a> {
    /// The bot under examination.
    Bot(&'a mut BotUnderTest),
    /// The other side.
    Partner(Partner),
}

impl Player for Participant<'_> {
    async fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), Stop> {
        match self {
            Self::Bot(subject) => subject.new_game(game).await,
            Self::Partner(_) => Ok(()),
        }
    }

    async fn turn(&mut self, turn: &Turn) -> Result<Answer, Stop> {
        match self {
            Self::Bot(subject) => subject.turn(turn).await,
            Self::Partner(partner) => Ok(Answer {
                choice: Choice::Pit {
                    row_index: i64::from(partner.choose(turn).row_index()),
                    info: None,
                },
                time: Duration::ZERO,
                preempted: Duration::ZERO,
                cpu: None,
            }),
        }
    }

    async fn idle(&mut self) -> Stop {
        match self {
            Self::Bot(subject) => subject.idle().await,
            Self::Partner(_) => std::future::pending().await,
        }
    }

    async fn game_over(&mut self, end: &GameOver<'_>) {
        if let Self::Bot(subject) = self {
            subject.game_over(end).await;
        }
    }

    async fn discard(&mut self) {
        if let Self::Bot(subject) = self {
            subject.discard().await;
        }
    }
}
