//! A game between a person and a bot, in which moves may be taken back.
//!
//! The bot plays by the protocol like in any game. After a move that was taken back it is started
//! anew, and gets a game that begins at the last position with South to move, as all games do.

use crate::bot::BotPlayer;
use crate::engine::endgame::EndgameValues;
use crate::record::{Fault, FaultKind};
use crate::referee::{
    Answer, Choice, Clock, ClockSettings, GameOver, LastMove, NewGame, Player as _, Stop, Turn,
};
use crate::rules::{
    Ending, Game, GameResult, IllegalMove, Pit, Position, Preset, RuleSet, Side, moves_text,
};
use std::time::Duration;

/// What the bot is told of the game.
const GAME: &str = "play";
/// How the person is called.
const PERSON: &str = "you";

/// What a game is played by.
#[derive(Clone, Debug)]
pub struct PersonTerms {
    pub preset: Preset,
    pub rules: RuleSet,
    /// The values from which exact hints are taken.
    pub endgame: Option<EndgameValues>,
    pub clock: ClockSettings,
    pub person: Side,
    /// The bot's name as it was typed.
    pub bot: String,
    /// The moves before the person's and the bot's first.
    pub opening: Vec<Pit>,
    pub seed: u64,
}

/// What a bot gave with a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotMove {
    pub time: Duration,
    /// The object that came with it, as JSON text. Hostile.
    pub info: Option<String>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonGameEnd {
    /// By the rules.
    Rules(Ending),
    /// After very many plies; with the final stores.
    Adjudicated([u8; 2]),
    /// The bot resigned.
    Resigned,
    /// The bot made a mistake. Its detail is hostile text.
    Fault(Fault),
    /// The machine could not run the bot.
    NoBot(String),
}

/// A game.
pub struct PersonGame {
    terms: PersonTerms,
    bot: BotPlayer,
    /// The game before each ply, and as it is now.
    games: Vec<Game>,
    /// What the bot gave with each ply; nothing for the person's.
    given: Vec<Option<BotMove>>,
    /// The ply with which the game begins that the bot was told of, if it was told of one.
    told_from: Option<usize>,
    end: Option<PersonGameEnd>,
}

impl PersonGame {
    /// A game after the opening of its terms.
    ///
    /// # Errors
    /// The opening has an illegal move.
    pub fn new(terms: PersonTerms, bot: BotPlayer) -> Result<Self, IllegalMove> {
        let mut game = Self {
            terms,
            bot,
            games: Vec::new(),
            given: Vec::new(),
            told_from: None,
            end: None,
        };
        game.begin()?;
        Ok(game)
    }

    /// Sets the opening up again.
    fn begin(&mut self) -> Result<(), IllegalMove> {
        self.games = vec![Game::new(self.terms.rules, Position::START)];
        self.given = Vec::new();
        self.end = None;
        for pit in self.terms.opening.clone() {
            self.push(pit, None)?;
        }
        Ok(())
    }

    pub const fn terms(&self) -> &PersonTerms {
        &self.terms
    }

    /// The game as it is now.
    pub fn game(&self) -> &Game {
        self.games.last().expect("there is always a game")
    }

    pub fn position(&self) -> Position {
        self.game().position()
    }

    /// The position before each ply, and as it is now.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        self.games.iter().map(Game::position)
    }

    pub const fn end(&self) -> Option<&PersonGameEnd> {
        self.end.as_ref()
    }

    /// The number of plies.
    pub const fn plies(&self) -> usize {
        self.given.len()
    }

    /// A ply by its number from 1, the seeds that it captured, and what the bot gave with it.
    pub fn ply(&self, number: usize) -> Option<(LastMove, Option<&BotMove>)> {
        let given = self.given.get(number.checked_sub(1)?)?.as_ref();
        Some((self.last_move(number)?, given))
    }

    /// Whether there is a move of the person that can be taken back.
    pub fn can_undo(&self) -> bool {
        self.last_choice().is_some()
    }

    /// The last ply, from 0, that the person chose.
    fn last_choice(&self) -> Option<usize> {
        let mut plies = (self.terms.opening.len()..self.given.len()).rev();
        plies.find(|ply| self.games[*ply].position().to_move() == self.terms.person)
    }

    /// The ply before this one.
    fn last_move(&self, ply: usize) -> Option<LastMove> {
        let before = self.games.get(ply.checked_sub(1)?)?.position();
        let after = &self.games[ply];
        let pit = *after.moves().last()?;
        let store = |position: Position| position.store(pit.side());
        let captured = store(after.position()) - store(before);
        Some(LastMove { pit, captured })
    }

    pub fn is_persons_turn(&self) -> bool {
        self.end.is_none() && self.position().to_move() == self.terms.person
    }

    pub fn is_bots_turn(&self) -> bool {
        self.end.is_none() && !self.is_persons_turn()
    }

    /// Plays a pit of the person.
    ///
    /// # Errors
    /// It is not legal.
    pub fn play(&mut self, pit: Pit) -> Result<(), IllegalMove> {
        self.push(pit, None)
    }

    fn push(&mut self, pit: Pit, given: Option<BotMove>) -> Result<(), IllegalMove> {
        let mut game = self.game().clone();
        let legal = game.legal_moves();
        game.play(pit).map_err(|_| IllegalMove { pit, legal })?;
        let position = game.position();
        self.end = match game.ending() {
            Some(ending) => Some(PersonGameEnd::Rules(ending)),
            None if self.games.len() >= self.terms.preset.max_plies() as usize => {
                Some(PersonGameEnd::Adjudicated(position.stores_with_own_rows()))
            }
            None => None,
        };
        self.games.push(game);
        self.given.push(given);
        Ok(())
    }

    /// Takes plies back until the person is on turn with one choice fewer. Returns whether there
    /// was one.
    pub async fn undo(&mut self) -> bool {
        let Some(ply) = self.last_choice() else {
            return false;
        };
        self.games.truncate(ply + 1);
        self.given.truncate(ply);
        self.end = None;
        self.forget().await;
        true
    }

    /// Begins a new game against another bot of this name.
    pub async fn replace_bot(&mut self, name: String, bot: BotPlayer) {
        self.restart().await;
        self.bot = bot;
        self.terms.bot = name;
    }

    /// Begins a new game.
    pub async fn restart(&mut self) {
        self.terms.seed = self.terms.seed.wrapping_add(1) % (1 << 53);
        self.begin().expect("the opening was played before");
        self.forget().await;
    }

    /// Ends the bot's process: it knows nothing of moves that are taken back.
    async fn forget(&mut self) {
        if self.told_from.take().is_some() {
            self.bot.discard().await;
        }
    }

    /// Lets the bot play, if it is on turn, and tells it if the game is over.
    pub async fn answer(&mut self) {
        if self.is_bots_turn() {
            let answered = match self.tell_of_game().await {
                Ok(()) => self.bot.turn(&self.turn()).await,
                Err(stop) => Err(stop),
            };
            if let Err(end) = self.accept(answered) {
                self.end = Some(end);
            }
        }
        self.tell_of_end().await;
    }

    /// Starts the bot while the person thinks about the first move, so that a bot that cannot play
    /// is known before.
    pub async fn prepare(&mut self) {
        if self.is_persons_turn()
            && let Err(stop) = self.tell_of_game().await
        {
            self.end = Some(PersonGameEnd::of(stop));
        }
    }

    /// Tells the bot of the game, unless it knows.
    async fn tell_of_game(&mut self) -> Result<(), Stop> {
        if self.told_from.is_some() {
            return Ok(());
        }
        let bot = self.terms.person.opponent();
        let now = self.given.len();
        // The last position with South to move: this one or the one before.
        let from = match self.position().to_move() {
            Side::South => now,
            Side::North => now.saturating_sub(1),
        };
        let pits = (1..=from).filter_map(|ply| Some(self.last_move(ply)?.pit));
        let opening = moves_text(&pits.collect::<Vec<_>>());
        let game = NewGame {
            game: GAME,
            you: bot,
            opponent: Some(PERSON),
            preset: self.terms.preset,
            rules: &self.terms.rules,
            clock: &self.terms.clock,
            seed: self.terms.seed,
            start: self.games[from].position(),
            opening: Some(&opening),
        };
        if let Err(stop) = self.bot.new_game(&game).await {
            self.bot.discard().await;
            return Err(stop);
        }
        self.told_from = Some(from);
        Ok(())
    }

    fn turn(&self) -> Turn {
        let clock = &self.terms.clock;
        let ply = self.given.len() - self.told_from.unwrap_or_default();
        Turn {
            turn: u32::try_from(ply).unwrap_or(u32::MAX),
            position: self.position(),
            legal: self.game().legal_moves(),
            last: (ply > 0)
                .then(|| self.last_move(self.given.len()))
                .flatten(),
            limit: Clock::new([*clock; 2]).limit(self.terms.person.opponent()),
            clock: *clock,
            banks: [None; 2],
        }
    }

    fn accept(&mut self, answered: Result<Answer, Stop>) -> Result<(), PersonGameEnd> {
        let answer = answered.map_err(PersonGameEnd::of)?;
        let fault = |kind, detail| PersonGameEnd::Fault(Fault::new(kind, detail));
        let (row_index, info) = match answer.choice {
            Choice::Pit { row_index, info } => (row_index, info),
            Choice::Resign => return Err(PersonGameEnd::Resigned),
            Choice::Unreadable { reason } => return Err(fault(FaultKind::BadOutput, reason)),
        };
        let given = BotMove {
            time: answer.time,
            info,
        };
        let side = self.terms.person.opponent();
        let pit = u8::try_from(row_index).ok();
        let pit = pit.and_then(|index| Pit::in_row(side, index));
        let played = pit.and_then(|pit| self.push(pit, Some(given)).ok());
        played.ok_or_else(|| {
            let legal = self.game().legal_moves();
            let detail = format!("played pit {row_index} of its row; legal were {legal}");
            fault(FaultKind::IllegalMove, detail)
        })
    }

    /// Tells the bot how the game ended. After a mistake of its own it is started anew.
    async fn tell_of_end(&mut self) {
        let (Some(end), Some(from)) = (&self.end, self.told_from) else {
            return;
        };
        let Some(stores) = end.stores() else {
            self.told_from = None;
            self.bot.discard().await;
            return;
        };
        let moves = self.game().moves().to_vec();
        let over = GameOver {
            result: GameResult::of_stores(stores),
            reason: end.name(),
            stores,
            moves: &moves[from..],
        };
        self.bot.game_over(&over).await;
        self.told_from = None;
    }
}

impl PersonGameEnd {
    fn of(stop: Stop) -> Self {
        match stop {
            Stop::Fault(fault) => Self::Fault(fault),
            Stop::Void(cause) | Stop::Unstarted(cause) => Self::NoBot(cause),
        }
    }

    /// The final stores; `None` if the game was not played to its end.
    pub const fn stores(&self) -> Option<[u8; 2]> {
        match self {
            Self::Rules(ending) => Some(ending.stores),
            Self::Adjudicated(stores) => Some(*stores),
            Self::Resigned | Self::Fault(_) | Self::NoBot(_) => None,
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Rules(ending) => ending.reason.name(),
            Self::Adjudicated(_) => "adjudicated",
            Self::Resigned => "resignation",
            Self::Fault(fault) => fault.kind.name(),
            Self::NoBot(_) => "void",
        }
    }
}
