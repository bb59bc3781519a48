//! The terms of an examination, and what varies between its games: positions from which a few plies
//! are played (corner cases of the rules as data), and the opponent of the bot, a player without a
//! process that always plays the same moves.

use crate::conformance::bot_under_test::BotUnderTest;
use crate::referee::{Answer, Choice, ClockSettings, GameOver, NewGame, Player, Stop, Turn};
use crate::rules::{
    EndReason, Game, GrandSlam, PITS, Pit, Position, Preset, Repetition, RuleSet, SEEDS, Side,
    parse_moves,
};
use std::time::Duration;

/// The terms of an examination.
#[derive(Clone, Copy, Debug)]
pub struct ExaminationTerms {
    /// The preset from which the rules were derived.
    pub preset: Preset,
    /// The rules.
    pub rules: RuleSet,
    /// Limit of each move.
    pub move_limit: Duration,
    /// Positions that the bot may look at for a move; it is trusted.
    pub nodes: Option<u64>,
    /// Whether steps about other rules are taken as well.
    pub all_rules: bool,
}

impl ExaminationTerms {
    /// How long to wait for an answer: long enough to tell a slow bot from one that never answers.
    pub fn time_limit(&self) -> Duration {
        (self.move_limit * 10).clamp(Duration::from_secs(2), Duration::from_secs(30))
    }

    /// The clock of the examination. The bot is told the real limit; the margin is added silently.
    pub fn clock(&self) -> ClockSettings {
        ClockSettings {
            move_limit: Some(self.move_limit),
            nodes: self.nodes,
            margin: self.time_limit(),
            ..ClockSettings::default()
        }
    }
}

/// What varies between the games of an examination.
pub struct Arrangement {
    pub start: Position,
    pub bot: Side,
    /// The partner's first moves.
    pub first: Vec<Pit>,
    pub plies: u32,
    pub rules: RuleSet,
    pub clock: ClockSettings,
    pub seed: u64,
    pub is_blind: bool,
}

impl Arrangement {
    /// A whole game from the start position.
    pub fn whole(terms: &ExaminationTerms, bot: Side) -> Self {
        Self {
            start: Position::START,
            bot,
            first: Vec::new(),
            plies: terms.preset.max_plies(),
            rules: terms.rules,
            clock: terms.clock(),
            seed: 1,
            is_blind: false,
        }
    }

    /// This many plies from the start position.
    pub fn short(terms: &ExaminationTerms, bot: Side, plies: u32) -> Self {
        Self {
            plies,
            ..Self::whole(terms, bot)
        }
    }

    /// This many plies from a given position.
    pub fn from_position(terms: &ExaminationTerms, position: &RulePosition) -> Self {
        Self {
            start: position.position(),
            first: position.first_moves(),
            plies: position.plies,
            rules: position.rules(&terms.rules),
            ..Self::whole(terms, position.bot)
        }
    }
}

/// A position with South to move, and what is played from it.
#[derive(Clone, Copy, Debug)]
pub struct RulePosition {
    /// Seeds in the pits A–F, a–f.
    pub board: [u8; PITS],
    /// The stores of South and North; without them, the rest of the 48 seeds is divided equally.
    pub stores: Option<[u8; 2]>,
    /// The bot's side.
    pub bot: Side,
    /// South's first move, if the bot is North.
    pub first: &'static str,
    /// Plies after which the game is adjudicated.
    pub plies: u32,
    /// The rule for slams, if it differs from the examination's.
    pub grand_slam: Option<GrandSlam>,
    /// The ending to which the moves, all of them forced, lead.
    pub ending: Option<EndReason>,
}

impl RulePosition {
    /// One move of South.
    pub const fn south(board: [u8; PITS]) -> Self {
        Self {
            board,
            stores: None,
            bot: Side::South,
            first: "",
            plies: 1,
            grand_slam: None,
            ending: None,
        }
    }

    /// The position at its beginning.
    pub fn position(&self) -> Position {
        let on_board: u8 = self.board.iter().sum();
        let missing = SEEDS - on_board;
        let stores = self.stores.unwrap_or([missing / 2, missing - missing / 2]);
        Position::new(self.board, stores, Side::South).expect("a position has 48 seeds at most")
    }

    /// The rules for this position.
    pub fn rules(&self, asked: &RuleSet) -> RuleSet {
        RuleSet {
            grand_slam: self.grand_slam.unwrap_or(asked.grand_slam),
            ..*asked
        }
    }

    /// South's first moves, if South is not the bot.
    pub fn first_moves(&self) -> Vec<Pit> {
        parse_moves(self.first).expect("a position's moves are letters")
    }

    /// Whether the position can arise under these rules. A position of other rules can only if
    /// `all_rules` are examined.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn arises(&self, asked: &RuleSet, all_rules: bool) -> Result<(), String> {
        if !all_rules && self.rules(asked) != *asked {
            return Err("these rules have another slam; --all-rules examines this one".to_owned());
        }
        let mut game = Game::new(self.rules(asked), self.position());
        if let Some(ending) = game.ending() {
            return Err(format!("these rules end the game there: {}", ending.reason));
        }
        for pit in self.first_moves() {
            game.play(pit).map_err(|error| error.to_string())?;
        }
        let Some(reason) = self.ending else {
            return Ok(());
        };
        for _ in 0..self.plies {
            let Some(pit) = game.legal_moves().iter().next() else {
                break;
            };
            let _ = game.play(pit);
        }
        match game.ending() {
            Some(ending) if ending.reason == reason => Ok(()),
            Some(ending) => Err(format!("by these rules the game ends by {}", ending.reason)),
            None => Err(format!("by these rules nothing ends by {reason} there")),
        }
    }
}

/// A position with South to move in which exactly one move wins, with its pit. Both stores are
/// equal.
#[derive(Clone, Copy, Debug)]
pub struct OnlyWin {
    /// The position.
    pub position: RulePosition,
    /// The letter of the pit.
    pub pit: char,
}

impl OnlyWin {
    /// This board, and the pit that wins.
    pub const fn new(board: [u8; PITS], pit: char) -> Self {
        Self {
            position: RulePosition::south(board),
            pit,
        }
    }

    /// Whether the moves of these rules win as those of `awale` do. When a majority or a repetition
    /// stops a game makes no difference.
    pub fn is_of(rules: &RuleSet) -> bool {
        let awale = Preset::Awale.rules();
        let repetition = Repetition {
            occurrences: awale.repetition.occurrences,
            ..rules.repetition
        };
        let like_it = RuleSet {
            majority_ends: awale.majority_ends,
            repetition,
            ..*rules
        };
        like_it == awale
    }
}

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
