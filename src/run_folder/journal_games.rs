//! The games of a journal in memory, as far as tables need them, so that the journal is read once:
//! some 450 bytes for a game of 60 plies. A run that goes on with a journal reads the rest of it
//! when it ends. After a change of the plan, games of earlier revisions that no longer count are
//! left out.

use crate::record::{GameEnding, GameId, GameRecord, GameSummary};
use crate::rules::Pit;
use crate::tournament::{Entry, JournalError, JournalReader, JournalState, Plan, Progress, label};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::Hash;
use std::io::BufRead;
use std::sync::Arc;

/// The games of a journal, void ones included.
#[derive(Clone, Debug, Default)]
pub struct GameStore {
    /// What many games share: the names of South and North, openings, endings, hosts.
    // These sets are only looked up, never iterated.
    entrants: HashSet<Arc<[String; 2]>>,
    openings: HashSet<Arc<[Pit]>>,
    endings: HashSet<Arc<GameEnding>>,
    hosts: HashSet<Arc<str>>,
    games: Vec<StoredGame>,
    /// What entrants called themselves, by their names.
    introductions: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
struct StoredGame {
    /// Boxed, so that sorting and growing move few bytes.
    game: Box<GameSummary>,
    revision: u32,
}

impl GameStore {
    /// Adds the next game of the journal, which was played in this revision of the plan.
    pub fn add(&mut self, mut game: GameSummary, revision: u32) {
        share(&mut self.entrants, &mut game.entrants);
        share(&mut self.openings, &mut game.opening_moves);
        share(&mut self.endings, &mut game.ending);
        if let Some(host) = &mut game.host {
            share(&mut self.hosts, host);
        }
        game.introductions = None;
        self.games.push(StoredGame {
            game: Box::new(game),
            revision,
        });
    }

    /// Notes what the players of a game called themselves. Where they did so several times, the
    /// last time counts, but a game that does not count only fills a gap: it may have been played
    /// by another program.
    pub fn note_introductions(&mut self, game: &GameSummary, counts: bool) {
        let introductions = game.introductions.iter().flat_map(|it| it.iter());
        for (name, introduction) in game.entrants.iter().zip(introductions) {
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

    /// The names of the other machines on which games were played. Hostile text.
    pub fn hosts(&self) -> BTreeSet<&str> {
        self.hosts.iter().map(|host| &**host).collect()
    }

    /// The id of a game by its number in the journal, from 0; the games must not be sorted yet.
    ///
    /// # Panics
    /// There is no such game.
    pub fn id_of(&self, number: u32) -> GameId {
        self.games[number as usize].game.id.clone()
    }

    /// Sorts the games: in the order of the schedule, records of one game in that of the journal.
    pub fn sort(&mut self) {
        self.games
            .sort_by(|one, other| one.game.id.cmp(&other.game.id));
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
        let mut results = self.records_of(game).filter(|it| !it.game.is_void());
        results.next().map(|it| it.revision)
    }

    fn records_of<'a>(&'a self, game: &'a GameId) -> impl Iterator<Item = &'a StoredGame> {
        let place = self.games.partition_point(|it| it.game.id < *game);
        self.games[place..]
            .iter()
            .take_while(move |it| it.game.id == *game)
    }

    /// The first result of each game, in the order of the games; they must be sorted.
    pub fn results(&self) -> impl Iterator<Item = &GameSummary> {
        let mut last = None;
        self.games().filter(move |game| {
            let is_next = !game.is_void() && last != Some(&game.id);
            if is_next {
                last = Some(&game.id);
            }
            is_next
        })
    }

    /// All games, in their order.
    pub fn games(&self) -> impl Iterator<Item = &GameSummary> {
        self.games.iter().map(|it| &*it.game)
    }
}

/// Replaces a value by the equal one that is known, if there is one.
fn share<T: Eq + Hash + ?Sized>(known: &mut HashSet<Arc<T>>, value: &mut Arc<T>) {
    if let Some(known) = known.get(&**value) {
        *value = Arc::clone(known);
    } else {
        known.insert(Arc::clone(value));
    }
}

/// The games of a journal, as far as it was read.
#[derive(Debug, Default)]
pub struct JournalGames {
    state: JournalState,
    store: GameStore,
    /// The number of games that do not count.
    superseded: usize,
    /// The revision in which each entrant was examined, by its label.
    examined: BTreeMap<String, u32>,
}

/// Gets an entry and the state after its line.
pub type OnEntry<'t> =
    &'t mut dyn FnMut(&JournalState, &Entry<GameSummary>) -> Result<(), JournalError>;

impl JournalGames {
    /// The games that count for this plan, which need not be the journal's last one.
    pub fn counting_for(plan: &Plan) -> Self {
        Self {
            state: JournalState::default().counting_for(plan),
            ..Self::default()
        }
    }

    /// Reads the lines that were not read yet, up to the last whole one, and passes their entries
    /// to `take`, if they count. The bytes are those of the journal from
    /// [`JournalGames::bytes_read`] on.
    ///
    /// # Errors
    /// The journal cannot be read; those of `take`.
    pub fn read_on(&mut self, bytes: impl BufRead, take: OnEntry<'_>) -> Result<(), JournalError> {
        let mut reader = JournalReader::going_on(bytes, std::mem::take(&mut self.state));
        let keep = |record: Box<GameRecord>| GameSummary::of(&record);
        let read = reader.read_all(&keep, &mut |state, entry| {
            let (entry, revision) = (entry?, state.revision());
            let counts = state.counts(&entry);
            if counts {
                take(state, &entry)?;
            }
            if let Entry::Game(game) = &entry {
                self.store.note_introductions(game, counts);
            }
            match entry {
                Entry::Game(game) if counts => self.store.add(game, revision),
                Entry::Game(_) => self.superseded += 1,
                Entry::Admission(admission) if counts => {
                    self.examined.insert(label(&admission.entrant), revision);
                }
                _ => {}
            }
            Ok(())
        });
        self.state = reader.state;
        self.store.sort();
        read
    }

    /// The bytes of the lines that were read.
    pub const fn bytes_read(&self) -> u64 {
        self.state.text.whole_bytes
    }

    /// What is known after the last line that was read.
    pub const fn state(&self) -> &JournalState {
        &self.state
    }

    /// The games that count, in the order of the schedule.
    pub const fn store(&self) -> &GameStore {
        &self.store
    }

    /// The number of games that do not count because the plan changed.
    pub const fn superseded(&self) -> usize {
        self.superseded
    }

    /// Whether the journal has no game.
    pub const fn is_empty(&self) -> bool {
        self.store.is_empty() && self.superseded == 0
    }

    /// The revision of the plan in which the entrant with this label was examined last, if that
    /// counts.
    pub fn examined(&self, label: &str) -> Option<u32> {
        self.examined.get(label).copied()
    }
}

/// Notes an entry of a journal.
pub fn note(progress: &mut Progress, entry: &Entry<GameSummary>) {
    match entry {
        Entry::Game(game) => progress.note_game(game),
        Entry::Admission(admission) => progress.note_admission(admission),
        Entry::Withdrawal(withdrawal) => progress.note_withdrawal(withdrawal),
    }
}
