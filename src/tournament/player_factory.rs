//! The interface from which a slot gets its players, and players inside this process: for
//! tournaments between functions in examples, in tests, and for engines before they speak the
//! protocol.

use crate::record::Evidence;
use crate::referee::{Answer, Choice, GameOver, NewGame, Player, Stop, Turn};
use crate::rules::Pit;
use crate::tournament::plan::EntrantIndex;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use std::time::Duration;
use tokio::task::JoinSet;

/// Creates players.
pub trait PlayerFactory: Sync {
    /// A player.
    type Player: Player;

    /// Creates a player for an entrant, to be used on the calling slot.
    fn player(&self, entrant: EntrantIndex) -> Self::Player;

    /// Creates a player for the examination of an entrant.
    fn candidate(&self, entrant: EntrantIndex) -> Self::Player {
        self.player(entrant)
    }

    /// Creates a player of the house bot `random`, as the opponent in an examination.
    fn random(&self) -> Self::Player;

    /// The player's log of the last game.
    fn take_log(&self, player: &mut Self::Player) -> Vec<u8>;

    /// Other evidence of the player's last game, if that ended by a fault of one side or all
    /// transcripts are kept.
    fn take_evidence(&self, _player: &mut Self::Player) -> Evidence {
        Evidence::default()
    }

    /// Whether the evidence of every game is kept, for its transcripts.
    fn keeps_transcripts(&self) -> bool {
        false
    }

    /// Describes the processes of the player that survive their kill: then the slot's cores are not
    /// free, and no other entrant may play there.
    fn remains(&self, _player: &mut Self::Player) -> Option<String> {
        None
    }

    /// Lets a player wait while others play: it stands still until its next game. False if it must
    /// leave instead.
    fn park(&self, _player: &mut Self::Player) -> bool {
        true
    }

    /// Waits, then starts this many processes of an entrant, which live at the same time, and ends
    /// them again, to see whether the host can.
    ///
    /// # Errors
    /// Why it cannot.
    fn try_starts(
        &self,
        _entrant: EntrantIndex,
        _processes: usize,
        _after: Duration,
    ) -> impl Future<Output = Result<(), String>> {
        std::future::ready(Ok(()))
    }

    /// Whether the player has a process.
    fn has_process(&self, _player: &Self::Player) -> bool {
        true
    }

    /// Bytes of memory that the player holds.
    fn held_bytes(&self, _player: &Self::Player) -> u64 {
        0
    }

    /// Lets a player go that the slot does not need any more. The task for this is added to
    /// `leaving` and returns the surviving processes, as [`PlayerFactory::remains`] does. The slot
    /// waits for the task before the next game: a leaving player may still use its cores.
    fn dismiss(&self, player: Self::Player, leaving: &mut JoinSet<Option<String>>);
}

/// Entrants that are functions from a turn to a pit, in the plan's order. They use no game time,
/// because nothing can stop a function that does not return.
#[derive(Clone, Debug)]
pub struct InProcess<S> {
    strategies: Vec<S>,
}

impl<S: Fn(&Turn) -> Pit + Clone> InProcess<S> {
    /// One function for each entrant of the plan.
    pub fn new(strategies: impl IntoIterator<Item = S>) -> Self {
        Self {
            strategies: strategies.into_iter().collect(),
        }
    }
}

impl<S: Fn(&Turn) -> Pit + Clone + Sync> PlayerFactory for InProcess<S> {
    type Player = InProcessPlayer<S>;

    /// # Panics
    /// The plan has more entrants than there are functions.
    fn player(&self, entrant: EntrantIndex) -> Self::Player {
        InProcessPlayer::Strategy(self.strategies[entrant.index()].clone())
    }

    fn random(&self) -> Self::Player {
        InProcessPlayer::Random(Box::new(ChaCha8Rng::seed_from_u64(0)))
    }

    fn take_log(&self, _: &mut Self::Player) -> Vec<u8> {
        Vec::new()
    }

    fn dismiss(&self, _: Self::Player, _: &mut JoinSet<Option<String>>) {}
}

/// A player of [`InProcess`].
#[derive(Clone, Debug)]
pub enum InProcessPlayer<S> {
    /// An entrant's function.
    Strategy(S),
    /// The opponent in admission games: plays legal pits at random, by the seed of the game.
    Random(Box<ChaCha8Rng>),
}

impl<S: Fn(&Turn) -> Pit> Player for InProcessPlayer<S> {
    async fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), Stop> {
        if let Self::Random(generator) = self {
            **generator = ChaCha8Rng::seed_from_u64(game.seed);
        }
        Ok(())
    }

    async fn turn(&mut self, turn: &Turn) -> Result<Answer, Stop> {
        let pit = match self {
            Self::Strategy(strategy) => strategy(turn),
            Self::Random(generator) => {
                let legal: Vec<Pit> = turn.legal.iter().collect();
                legal[generator.next_u32() as usize % legal.len()]
            }
        };
        Ok(Answer {
            choice: Choice::Pit {
                row_index: i64::from(pit.row_index()),
                info: None,
            },
            time: Duration::ZERO,
            preempted: Duration::ZERO,
            cpu: None,
        })
    }

    async fn idle(&mut self) -> Stop {
        std::future::pending().await
    }

    async fn game_over(&mut self, _: &GameOver<'_>) {}

    async fn discard(&mut self) {}
}
