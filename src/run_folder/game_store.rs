//! The games of a journal in memory, as far as tables need them, so that the journal is read once:
//! about 150 bytes for a game of 60 plies.

use super::packed_game::{pack, unpack};
use crate::record::{GameId, GameRecord, GameSummary};
use crate::tournament::{IdentifiedGame, NotedGame};
use std::collections::{BTreeMap, HashMap};

/// Bytes of a page, unless a single game is larger. Pages never move, so growing copies nothing.
const PAGE: usize = 256 << 10;

/// What is kept of a game that was read from a journal.
#[derive(Clone, Debug)]
pub struct ReadGame {
    /// The game, with its place in the schedule after the reader has found it.
    pub summary: GameSummary,
    /// What the progress needs of it.
    pub noted: NotedGame,
    /// What South and North called themselves, if they did so in it.
    introductions: [Option<String>; 2],
}

impl ReadGame {
    /// Works out everything that is independent of other games.
    pub fn of(record: &GameRecord) -> Self {
        let summary = GameSummary::of(record);
        Self {
            noted: NotedGame::of(record, summary.content),
            summary,
            introductions: record.introductions.clone(),
        }
    }
}

impl IdentifiedGame for ReadGame {
    fn id(&self) -> &GameId {
        &self.summary.id
    }

    fn id_mut(&mut self) -> &mut GameId {
        &mut self.summary.id
    }

    fn entrants(&self) -> &[String; 2] {
        &self.summary.entrants
    }
}

/// The games of a journal, void ones included.
#[derive(Clone, Debug, Default)]
pub struct GameStore {
    /// The names of entrants, each once.
    names: Vec<String>,
    // This map is only looked up, never iterated.
    numbers: HashMap<String, u32>,
    pages: Vec<Vec<u8>>,
    games: Vec<StoredGame>,
    /// The bytes of the game that is added.
    packed: Vec<u8>,
    /// What entrants called themselves, by their names.
    introductions: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
struct StoredGame {
    id: GameId,
    entrants: [u32; 2],
    revision: u32,
    is_void: bool,
    page: u32,
    offset: u32,
}

impl GameStore {
    /// Adds the next game of the journal, which was played in this revision of the plan.
    pub fn add(&mut self, game: &GameSummary, revision: u32) {
        self.packed.clear();
        pack(game, &mut self.packed);
        let size = self.packed.len();
        let is_full = |page: &Vec<u8>| page.len() + size > PAGE;
        if self.pages.last().is_none_or(is_full) {
            self.pages.push(Vec::with_capacity(PAGE.max(size)));
        }
        let entrants = game.entrants.each_ref().map(|it| self.number(it));
        let number = u32::try_from(self.pages.len() - 1).expect("fewer than 2^32 pages");
        let page = self.pages.last_mut().expect("the page was added");
        self.games.push(StoredGame {
            id: game.id.clone(),
            entrants,
            revision,
            is_void: game.is_void(),
            page: number,
            offset: u32::try_from(page.len()).expect("a game begins within the first page length"),
        });
        page.extend_from_slice(&self.packed);
    }

    /// Notes what the players of a game called themselves. Where they did so several times, the
    /// last time counts, but a game that does not count only fills a gap: it may have been played
    /// by another program.
    pub fn note_introductions(&mut self, game: &ReadGame, counts: bool) {
        let both = game.summary.entrants.iter().zip(&game.introductions);
        for (name, introduction) in both {
            let Some(introduction) = introduction else {
                continue;
            };
            if counts || !self.introductions.contains_key(name) {
                self.introductions
                    .insert(name.clone(), introduction.clone());
            }
        }
    }

    /// What entrants called themselves, by their names. Hostile text.
    pub const fn introductions(&self) -> &BTreeMap<String, String> {
        &self.introductions
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = u32::try_from(self.names.len()).expect("fewer than 2^32 names");
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The id of a game by its number in the journal, from 0; the games must not be sorted yet.
    ///
    /// # Panics
    /// There is no such game.
    pub fn id_of(&self, number: u32) -> GameId {
        self.games[number as usize].id.clone()
    }

    /// Sorts the games: in the order of the schedule, records of one game in that of the journal.
    pub fn sort(&mut self) {
        let place = |game: &StoredGame| (game.page, game.offset);
        self.games.sort_unstable_by(|one, other| {
            let ids = one.id.cmp(&other.id);
            ids.then_with(|| place(one).cmp(&place(other)))
        });
    }

    /// Whether there is no game.
    pub const fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// The revision of the plan in which a game was played first, if it is here; the games must be
    /// sorted.
    pub fn revision_of(&self, game: &GameId) -> Option<u32> {
        self.records_of(game).next().map(|it| it.revision)
    }

    /// The same for its first record with a result.
    pub fn revision_of_result(&self, game: &GameId) -> Option<u32> {
        let mut results = self.records_of(game).filter(|it| !it.is_void);
        results.next().map(|it| it.revision)
    }

    fn records_of<'a>(&'a self, game: &'a GameId) -> impl Iterator<Item = &'a StoredGame> {
        let place = self.games.partition_point(|it| it.id < *game);
        self.games[place..]
            .iter()
            .take_while(move |it| it.id == *game)
    }

    /// The first result of each game, in the order of the games; they must be sorted.
    pub fn results(&self) -> impl Iterator<Item = GameSummary> + '_ {
        let mut last = None;
        self.games().filter(move |game| {
            let is_next = !game.is_void() && last.as_ref() != Some(&game.id);
            if is_next {
                last = Some(game.id.clone());
            }
            is_next
        })
    }

    /// All games, in their order.
    pub fn games(&self) -> impl Iterator<Item = GameSummary> + '_ {
        self.games.iter().map(|game| {
            let bytes = &self.pages[game.page as usize][game.offset as usize..];
            let entrants = game.entrants.map(|it| self.names[it as usize].clone());
            unpack(bytes, game.id.clone(), entrants)
        })
    }
}
