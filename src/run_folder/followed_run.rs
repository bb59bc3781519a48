//! A run that is read while it is played: its page, again and again, as its journal grows.
//!
//! Only what was added to the journal is read each time. The reader needs no lock, and the
//! run need not know of it.

use super::folder::RunFolder;
use super::folder_error::FolderError;
use super::game_page::shown_fault;
use super::journal_games::{JournalGames, note};
use super::page::{PageData, PageInputs, page_data};
use super::page_games::json_text;
use super::run_results::{RunResults, notes_for_readers};
use super::tables::{TableInputs, TablesError, count};
use crate::record::{Exclusions, GameId, GameRecord, GameSummary};
use crate::report::{GameDetails, InfoLimit, Reader, ShownFault};
use crate::tournament::{Entry, JournalReader, PairNames, Progress, RunDocument, Schedule, judge};
use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes of `info` and of standard error of one game.
const INFO_BYTES: usize = 256 << 10;
const STANDARD_ERROR_BYTES: usize = 4 << 10;

/// A run that is being played.
#[derive(Debug)]
pub struct FollowedRun {
    folder: RunFolder,
    path: PathBuf,
    run: RunDocument,
    names: Vec<String>,
    schedule: Schedule,
    games: JournalGames,
    progress: Progress,
    exclusions: Exclusions,
    /// Where the record of each game stands in the journal. This map is only looked up, never
    /// iterated.
    lines: HashMap<GameId, Range<u64>>,
    /// The entrants that its readers do not see.
    hidden: BTreeSet<String>,
}

impl FollowedRun {
    /// Follows the run in this folder, which is played by this definition. Nothing is read yet.
    ///
    /// # Errors
    /// The folder has no journal, or it cannot be read.
    pub fn new(path: &Path, run: RunDocument) -> io::Result<Self> {
        Ok(Self {
            folder: RunFolder::open_to_read(path)?,
            path: path.to_owned(),
            names: run.plan.names(),
            schedule: Schedule::new(&run.plan),
            games: JournalGames::counting_for(&run.plan),
            progress: Progress::default(),
            exclusions: Exclusions::default(),
            lines: HashMap::new(),
            hidden: run.settings.hidden_entrants(),
            run,
        })
    }

    /// Reads what was added since the last time, up to the last whole line. Returns whether there
    /// was anything.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn read_on(&mut self) -> Result<bool, FolderError> {
        let before = self.games.bytes_read();
        let Self {
            games,
            progress,
            lines,
            ..
        } = self;
        self.folder.read_on(games, &mut |state, entry| {
            note(progress, entry);
            if let Entry::Game(game) = entry
                && !game.is_void()
            {
                let end = state.text.whole_bytes;
                let line = end - state.text.last_bytes..end;
                // The first result is the one that counts.
                lines.entry(game.id.clone()).or_insert(line);
            }
            Ok(())
        })?;
        let rounds = self.games.state().plan.as_ref();
        let rounds = rounds.map_or(&[][..], |it| &it.run.plan.rounds);
        if self.run.plan.rounds.len() < rounds.len() {
            self.run.plan.rounds = rounds.to_vec();
            self.schedule = Schedule::new(&self.run.plan);
        }
        Ok(self.games.bytes_read() > before)
    }

    /// The page of what was read.
    ///
    /// # Errors
    /// The journal has games of other entrants.
    pub fn page(&mut self) -> Result<PageData, TablesError> {
        let outcome = judge(&self.run.plan, &self.schedule, self.progress.clone());
        let inputs = TableInputs {
            run: &self.run,
            names: &self.names,
            exclusions: &outcome.exclusions,
            history: &[],
            analyst: None,
        };
        let (tables, noise) = count(self.games.store(), &inputs)?;
        let notes = notes_for_readers(&tables, &noise, self.games.state());
        let results = RunResults {
            run: &self.run,
            games: self.games.store(),
            outcome: &outcome,
            tables: &tables,
            folder: &self.path,
        };
        let data = page_data(&PageInputs {
            results: &results,
            source: &self.folder,
            notes: &notes,
            reader: self.reader(),
            class: None,
        });
        drop(tables);
        self.exclusions = outcome.exclusions;
        Ok(data)
    }

    /// Anybody who has the address reads it.
    fn reader(&self) -> Reader<'static> {
        if self.run.settings.hides_names() {
            Reader::Public
        } else {
            Reader::Organiser
        }
    }

    /// What the replay of a game shows, as JSON; `None` if the last page has no such game.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn game(&self, id: &str) -> Result<Option<String>, FolderError> {
        let Some(record) = self.record(id)? else {
            return Ok(None);
        };
        if record.entrants.iter().any(|it| self.hidden.contains(it)) {
            return Ok(None);
        }
        let summary = GameSummary::of(&record);
        let Some(game) = self.exclusions.counted(&summary) else {
            return Ok(None);
        };
        let limit = InfoLimit {
            bytes: INFO_BYTES,
            reader: self.reader(),
        };
        let (mut details, _) = GameDetails::of(&record, self.run.plan.rules, limit);
        details.fault = match self.reader() {
            Reader::Organiser => shown_fault(game, &self.path, STANDARD_ERROR_BYTES),
            Reader::Author(_) | Reader::Public => game.fault().map(|_| ShownFault::default()),
        };
        Ok(Some(json_text(&details)))
    }

    /// The record of a game, from its line alone: the journal may be long.
    fn record(&self, id: &str) -> Result<Option<GameRecord>, FolderError> {
        let Ok(id) = id.parse::<GameId>() else {
            return Ok(None);
        };
        let id = PairNames::new(&self.run.plan).placed(id);
        let Some(line) = self.lines.get(&id) else {
            return Ok(None);
        };
        let bytes = BufReader::new(self.folder.bytes_in(line.clone())?);
        let mut reader = JournalReader::surveying(bytes).counting_for(&self.run.plan);
        let entry = reader.next_entry();
        let entry = entry.map_err(|error| self.folder.unusable(error))?;
        Ok(match entry {
            Some(Entry::Game(record)) => Some(*record),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::Turn;
    use crate::rules::Pit;
    use crate::run_folder::game_page::find_game;
    use crate::run_folder::{JOURNAL, play};
    use crate::tournament::{Format, InProcess, Plan, RunSettings, Secret};

    /// Every game is found by its line, as it is found by reading the whole journal.
    #[test]
    fn games_are_read_from_their_lines() {
        let place = tempfile::tempdir().unwrap();
        let plan = Plan::round_robin(["ada", "bob", "cyd"], 3, Secret::from_bytes([7; 32]));
        let run = RunDocument::new(plan.clone(), RunSettings::default());
        let first: fn(&Turn) -> Pit = |turn| turn.legal.iter().next().unwrap();
        play(place.path(), &run, &InProcess::new([first; 3])).unwrap();
        let mut followed = FollowedRun::new(place.path(), run).unwrap();
        assert!(followed.game("ada~bob.1.1").unwrap().is_none());
        assert!(followed.read_on().unwrap());
        assert!(!followed.read_on().unwrap());
        followed.page().unwrap();
        let folder = RunFolder::open_to_read(place.path()).unwrap();
        let mut games = 0;
        for game in followed.games.store().games() {
            let id = game.id.to_string();
            let expected = find_game(&folder, &plan, &id).unwrap();
            assert_eq!(followed.record(&id).unwrap(), expected.map(|it| *it));
            let shown = followed.game(&id).unwrap().unwrap();
            assert!(shown.contains("\"moves\":\""), "{shown}");
            games += 1;
        }
        assert_eq!(games, 18);
        for unknown in ["ada~bob.4.1", "eve~bob.1.1", "", "../x"] {
            assert_eq!(followed.game(unknown).unwrap(), None, "{unknown}");
        }
    }

    /// The page has each round once its line is in the journal, and in the end a winner.
    #[test]
    fn rounds_appear_as_they_are_dealt() {
        let [place, copy] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let plan = Plan {
            format: Format::Knockout { most_pairs: 1 },
            ..Plan::round_robin(["ada", "ben", "cyd"], 1, Secret::from_bytes([7; 32]))
        };
        let run = RunDocument::new(plan, RunSettings::default());
        let first: fn(&Turn) -> Pit = |turn| turn.legal.iter().next().unwrap();
        play(place.path(), &run, &InProcess::new([first; 3])).unwrap();
        let journal = std::fs::read_to_string(place.path().join(JOURNAL)).unwrap();
        let rounds = journal.match_indices("\"kind\":\"round\"");
        let line = |(at, _)| journal[..at].rfind('\n').unwrap() + 1;
        // A semi-final beside a bye, and the final.
        let [_, last_round] = rounds.map(line).collect::<Vec<_>>()[..] else {
            panic!("two rounds");
        };
        let write = |end: usize| std::fs::write(copy.path().join(JOURNAL), &journal[..end]);
        write(last_round).unwrap();
        let mut followed = FollowedRun::new(copy.path(), run).unwrap();
        let seen = [last_round, journal.len()].map(|end| {
            write(end).unwrap();
            followed.read_on().unwrap();
            let summary = followed.page().unwrap().summary;
            let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
            let rounds = summary["rounds"]["matches"].as_array().unwrap();
            let bracket = summary["rounds"]["bracket"].as_array().unwrap();
            let winner = bracket.last().unwrap()["winner"].as_str().unwrap();
            (rounds.len(), !winner.is_empty())
        });
        assert_eq!(seen, [(2, false), (3, true)]);
    }
}
