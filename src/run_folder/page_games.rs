//! The games of a page: which of them it shows, and their moves from the journal.

use super::folder_error::FolderError;
use super::game_page::shown_fault;
use super::page::PageInputs;
use crate::analysis::Analyst;
use crate::record::{GameId, GameRecord, GameSummary};
use crate::report::{
    Chain, Endgames, ExactPart, GameColumns, GameDetails, InfoLimit, PackedGames, Reader,
    ShownFault, TimeHistograms,
};
use crate::rules::RuleSet;
use crate::tournament::{Entry, IdentifiedGame, JournalReader};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;

/// Bytes of standard error of all games of a page, and of one game.
const STANDARD_ERROR_BYTES: [usize; 2] = [2 << 20, 4 << 10];

/// Bytes of all `info` objects of a page. Compressed, they take some 13 MiB.
const INFO_BYTES: usize = 40 << 20;

/// The most chains that a page knows.
const MOST_CHAINS: usize = 5;

/// How the games of a page are shown.
#[derive(Clone, Copy, Debug)]
struct ShownBy<'a> {
    /// The rules that they were played by.
    rules: RuleSet,
    /// What knows the worth of moves, if there is a database.
    analyst: Option<&'a Analyst>,
    /// The most bytes of `info` objects of one game.
    info_bytes: usize,
    /// Who reads it: what others said is not shown to an author.
    reader: Reader<'a>,
}

/// A game that was read for a page: everything that is independent of other games and of the
/// evidence, and so is made on any thread, whether the game counts or not.
struct PageGame {
    summary: GameSummary,
    /// The details as JSON, without a fault.
    text: String,
    /// The times of the plies, in µs.
    times_us: Vec<u64>,
    /// Its longest chain, of a game without a number.
    chain: Option<Chain>,
    /// Whether an `info` was left out or shortened.
    info_dropped: bool,
}

impl PageGame {
    fn of(record: &GameRecord, by: ShownBy<'_>) -> Self {
        let limit = InfoLimit {
            bytes: by.info_bytes,
            reader: by.reader,
        };
        let (mut details, info_dropped) = GameDetails::of(record, by.rules, limit);
        let analysis = by
            .analyst
            .map(|it| it.analyse(record.start, &record.moves()));
        details.exact = analysis.and_then(|it| ExactPart::of(&it));
        Self {
            summary: GameSummary::of(record),
            text: json_text(&details),
            chain: details.longest_chain(0),
            times_us: details.into_times_us(),
            info_dropped,
        }
    }

    /// The details as JSON, with this fault.
    fn into_text(self, fault: Option<&ShownFault>) -> String {
        let mut text = self.text;
        if let Some(fault) = fault {
            // It is the last member of the object, which has others.
            text.truncate(text.len() - "}".len());
            text.push_str(",\"fault\":");
            text.push_str(&json_text(fault));
            text.push('}');
        }
        text
    }
}

impl IdentifiedGame for PageGame {
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

/// Values of a page are made of text, numbers and lists: each of them can be written as JSON.
pub fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the values of a page are JSON")
}

/// The games of a page, in the order of the schedule.
pub struct PageGames {
    pub columns: GameColumns,
    /// The numbers of games. This map is only looked up, never iterated.
    numbers: HashMap<GameId, usize>,
    pub packed: PackedGames,
    pub times: TimeHistograms,
    pub info_dropped: bool,
    /// The longest chain of each game that is worth showing.
    chains: BinaryHeap<Reverse<(usize, Reverse<usize>, usize)>>,
    /// The bytes of standard error for each game that was lost by a fault.
    standard_error: usize,
}

impl PageGames {
    /// Finds the games that the page shows: those of `games.csv`.
    pub fn find(inputs: &PageInputs<'_>, names: &[String]) -> Self {
        let exclusions = &inputs.results.outcome.exclusions;
        let mut columns = GameColumns::new(names);
        let mut numbers = HashMap::new();
        let mut faults = 0;
        for game in inputs.results.games.games() {
            if exclusions.counted(game).is_none() || numbers.contains_key(&game.id) {
                continue;
            }
            let is_own = |own: &str| game.entrants.iter().any(|name| name == own);
            if inputs.reader.own().is_none_or(is_own) && columns.add(game) {
                faults += usize::from(game.fault().is_some());
                numbers.insert(game.id.clone(), numbers.len());
            }
        }
        let [all, each] = STANDARD_ERROR_BYTES;
        Self {
            packed: PackedGames::new(columns.len()),
            columns,
            numbers,
            times: TimeHistograms::new(names),
            info_dropped: false,
            chains: BinaryHeap::new(),
            standard_error: each.min(all / faults.max(1)),
        }
    }

    /// Reads the moves of the games from the journal.
    pub fn read(&mut self, inputs: &PageInputs<'_>) -> Result<(), FolderError> {
        let plan = &inputs.results.run.plan;
        let bytes = inputs.source.bytes()?;
        let mut journal = JournalReader::new(bytes).counting_for(plan);
        let by = ShownBy {
            rules: plan.rules,
            analyst: inputs.results.tables.endgames().map(Endgames::analyst),
            info_bytes: INFO_BYTES / self.numbers.len().max(1),
            reader: inputs.reader,
        };
        let keep = |record: Box<GameRecord>| PageGame::of(&record, by);
        let read = journal.read_all(&keep, &mut |state, entry| {
            let entry = entry?;
            let counts = state.counts(&entry);
            match entry {
                Entry::Game(game) if counts => Ok(self.take(game, inputs)?),
                _ => Ok(()),
            }
        });
        read.map_err(|error| inputs.source.unusable(error))
    }

    /// Takes the first record that counts of each game.
    fn take(&mut self, game: PageGame, inputs: &PageInputs<'_>) -> io::Result<()> {
        let exclusions = &inputs.results.outcome.exclusions;
        let summary = &game.summary;
        let Some(&number) = self.numbers.get(&summary.id) else {
            return Ok(());
        };
        if !self.packed.lacks(number) || summary.is_void() {
            return Ok(());
        }
        self.info_dropped |= game.info_dropped;
        if let Some(chain) = game.chain.filter(|_| summary.fault().is_none()) {
            let chain = (chain.pits, Reverse(number), chain.ply);
            if inputs.is_worth_showing(summary) {
                self.chains.push(Reverse(chain));
                if self.chains.len() > MOST_CHAINS {
                    self.chains.pop();
                }
            }
        }
        self.times.add(&summary.entrants, &game.times_us);
        let fault = exclusions
            .counted(summary)
            .and_then(|counted| self.fault(counted, inputs));
        self.packed.add(number, game.into_text(fault.as_ref()))
    }

    /// The longest chains, the longest first; of equal ones that of the first game.
    pub fn longest_chains(&mut self) -> Vec<Chain> {
        let chains = std::mem::take(&mut self.chains).into_sorted_vec();
        let chains = chains
            .into_iter()
            .map(|Reverse((pits, Reverse(game), ply))| Chain { pits, game, ply });
        chains.collect()
    }

    /// The fault that ended a game, unless it is a secret of another entrant.
    fn fault(&self, game: &GameSummary, inputs: &PageInputs<'_>) -> Option<ShownFault> {
        let (side, _) = game.fault()?;
        if !inputs.reader.may_read(&game.entrants[side.index()]) {
            return Some(ShownFault::default());
        }
        shown_fault(game, inputs.results.folder, self.standard_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample;
    use crate::rules::Preset;

    /// The text is that of the details with their fault.
    #[test]
    fn a_fault_is_added_to_the_text_of_a_game() {
        let record = sample::game("1.1", ["ada", "bob"], [0; 2]);
        let by = ShownBy {
            rules: Preset::Awale.rules(),
            analyst: None,
            info_bytes: 0,
            reader: Reader::Organiser,
        };
        let fault = ShownFault {
            detail: "\u{7}}\"".to_owned(),
            ..ShownFault::default()
        };
        let limit = InfoLimit {
            bytes: 0,
            reader: Reader::Organiser,
        };
        for fault in [None, Some(fault)] {
            let shown = PageGame::of(&record, by).into_text(fault.as_ref());
            let (mut details, _) = GameDetails::of(&record, by.rules, limit);
            details.fault = fault;
            assert_eq!(shown, json_text(&details));
        }
    }
}
