//! Packs the games of a page while their journal is read for the tables, so that it need not be
//! read again.
//!
//! Which games the page shows, and in which order, is known only at the end of a run. Nearly always
//! these are all games that have a result, in the order of the schedule, from the first one on
//! without a gap. Games are packed as if it were so, and at the end it is checked. Otherwise the
//! page reads the journal itself.

use super::game_store::ReadGame;
use super::page_threads::PageThreads;
use super::shown_game::{ShownBy, ShownGame, info_bytes};
use crate::report::{PackedGames, TimeHistograms};
use crate::tournament::Plan;
use std::collections::BTreeMap;
use std::io;

/// More bytes of games than this do not wait for others of their blocks. In the rounds of sixty
/// entrants, which are not played in the order of the schedule, 4 MiB do.
const MOST_OPEN_BYTES: usize = 8 << 20;
/// More games with faults would keep too many blocks open: each waits for its evidence.
const MOST_FAULTS: usize = 64;

/// The games of a page, as far as the journal was read.
#[derive(Debug)]
pub struct PageAhead {
    packed: PackedGames,
    times: TimeHistograms,
    info_dropped: bool,
    by: ShownBy<'static>,
    /// The games of the schedule.
    planned: usize,
    /// The games that were taken.
    taken: usize,
    /// One more than the largest number among them.
    end: usize,
    /// Those that a fault ended, by their numbers: their evidence may still be unwritten.
    faults: BTreeMap<usize, ShownGame>,
}

/// The packed games of a page that shows just these.
#[derive(Debug)]
pub struct PackedAhead {
    pub packed: PackedGames,
    pub times: TimeHistograms,
    pub info_dropped: bool,
    /// Games that a fault ended, by their numbers. They are still to be added.
    pub faults: BTreeMap<usize, ShownGame>,
}

impl PageAhead {
    /// Starts without games, of this many in the plan's schedule.
    pub fn new(plan: &Plan, planned: usize) -> Self {
        Self {
            packed: PackedGames::new(planned),
            times: TimeHistograms::new(&plan.names()),
            info_dropped: false,
            by: ShownBy {
                rules: plan.rules,
                info_bytes: info_bytes(planned),
                own: None,
            },
            planned,
            taken: 0,
            end: 0,
            faults: BTreeMap::new(),
        }
    }

    /// How it shows games.
    pub const fn by(&self) -> ShownBy<'static> {
        self.by
    }

    /// Takes what is shown of a game that counts, if it is the game's first result. Returns whether
    /// this can still become the page.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn take(&mut self, game: &mut ReadGame, threads: &mut PageThreads) -> io::Result<bool> {
        let (Some(shown), Some(number)) = (game.shown.take(), game.summary.id.index()) else {
            return Ok(true);
        };
        let is_taken = !self.packed.lacks(number) || self.faults.contains_key(&number);
        if game.summary.is_void() || is_taken {
            return Ok(true);
        }
        self.taken += 1;
        self.end = self.end.max(number + 1);
        self.info_dropped |= shown.info_dropped;
        self.times.add(&game.summary.entrants, &shown.times_us);
        if game.summary.fault().is_some() {
            self.faults.insert(number, shown);
        } else if let Some(block) = self.packed.add(number, shown.into_text(None)) {
            threads.pack(block, &mut self.packed)?;
        }
        let is_small = self.packed.open_bytes() <= MOST_OPEN_BYTES;
        Ok(is_small && self.faults.len() <= MOST_FAULTS)
    }

    /// Puts the blocks of these threads to their places.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn end_threads(&mut self, threads: PageThreads) -> io::Result<()> {
        threads.finish(&mut self.packed)
    }

    /// The games of a page that shows all results of this many games, if those are the first ones
    /// of the schedule.
    pub fn of_first(mut self, games: usize) -> Option<PackedAhead> {
        if !self.is_of_first(games) {
            return None;
        }
        self.packed.cut(games);
        Some(PackedAhead {
            packed: self.packed,
            times: self.times,
            info_dropped: self.info_dropped,
            faults: self.faults,
        })
    }

    fn is_of_first(&self, games: usize) -> bool {
        let are_first = self.taken == games && self.end == games;
        // A page with fewer games has place for longer `info`.
        are_first && (!self.info_dropped || games == self.planned)
    }
}

#[cfg(test)]
mod tests {
    use super::super::folder::{FoundJournal, RunFolder};
    use super::super::journal_games::JournalGames;
    use super::super::page::{REPORT, renew_report};
    use super::super::page_facts::PageInputs;
    use super::super::run_results::RunResults;
    use super::super::tables::{TableInputs, count};
    use super::*;
    use crate::record::{
        Fault, FaultKind, GameEnding, GameId, GameRecord, PlyRecord, Void, Withdrawal,
    };
    use crate::rules::{EndReason, Pit, Position, Side};
    use crate::stats::ratings::RatingModel;
    use crate::tournament::{
        Judgement, PairNames, RunDocument, RunSettings, Schedule, Secret, judge,
    };
    use proptest::prelude::*;
    use std::fs;
    use std::path::Path;

    /// 80 pairs, so their games are more than a block.
    const PAIRS: u32 = 80;

    fn plan() -> Plan {
        Plan {
            max_faults: None,
            ..Plan::round_robin(["ada", "bob"], PAIRS, Secret::from_bytes([5; 32]))
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum How {
        Ended,
        Fault,
        Void,
        /// With so many bytes of `info`.
        Talked(usize),
    }

    fn record(number: usize, attempt: u32, how: How) -> GameRecord {
        let id: GameId = format!("ada~bob.{}.{}", number / 2 + 1, number % 2 + 1)
            .parse()
            .unwrap();
        let id = PairNames::new(&plan()).placed(id);
        let mut entrants = ["ada".to_owned(), "bob".to_owned()];
        entrants.rotate_left(number % 2);
        let ply = |ply: usize| PlyRecord {
            pit: Pit::from_letter(if ply == 0 { 'A' } else { 'b' }).unwrap(),
            time_us: 100 * number as u64 + u64::from(attempt),
            cpu_us: None,
            held_up_us: 0,
            info: match how {
                How::Talked(bytes) if ply == 0 => {
                    Some(format!("{{\"pv\":\"{}\"}}", "x".repeat(bytes)))
                }
                _ => None,
            },
        };
        GameRecord {
            opening: id.pair.round(),
            id,
            attempt,
            entrants,
            opening_moves: Vec::new(),
            start: Position::START,
            plies: (0..2).map(ply).collect(),
            ending: match how {
                How::Ended | How::Talked(_) => GameEnding::Rules(EndReason::NoMove),
                How::Fault => {
                    GameEnding::Fault(Side::North, Fault::new(FaultKind::Crash, "it \"ended"))
                }
                How::Void => GameEnding::Void(Void::new("the host slept")),
            },
            stores: [25, 20],
            ready_us: [None; 2],
            lateness_us: None,
            off_turn_us: [None; 2],
            short_cpu_us: [None; 2],
            introductions: Default::default(),
        }
    }

    /// Plays these records, and reads the journal after each of these numbers of them, and at the
    /// end. Returns the games with the page that was packed meanwhile.
    fn followed(path: &Path, records: &[GameRecord], reads: &[usize]) -> JournalGames {
        let run = RunDocument::new(plan(), RunSettings::default());
        let folder = RunFolder::open(path).unwrap();
        let mut journal = folder.journal(&run, &FoundJournal::default()).unwrap();
        let mut games = JournalGames::counting_for(&run.plan);
        games.pack_page(&run.plan, 2 * PAIRS as usize);
        for (number, record) in records.iter().enumerate() {
            if reads.contains(&number) {
                folder.read_ahead(&mut games).unwrap();
            }
            journal.append([record]).unwrap();
        }
        folder.read_on(&mut games, &mut |_, _| Ok(())).unwrap();
        games
    }

    /// The page that is written with these games, or from the journal alone.
    fn page(path: &Path, games: &JournalGames, ahead: Option<PageAhead>) -> String {
        let run = RunDocument::new(plan(), RunSettings::default());
        let folder = RunFolder::look(path).unwrap();
        let mut read = JournalGames::counting_for(&run.plan);
        let mut progress = crate::tournament::Progress::default();
        let take = &mut |_: &_, entry: &_| {
            super::super::note(&mut progress, entry);
            Ok(())
        };
        folder.read_on(&mut read, take).unwrap();
        let Judgement {
            exclusions,
            games: planned,
            complete,
            ..
        } = judge(&run.plan, &Schedule::new(&run.plan), progress);
        let inputs = TableInputs {
            plan: &run.plan,
            names: &run.plan.names(),
            exclusions: &exclusions,
            model: &RatingModel::default(),
            grading: None,
            history: &[],
        };
        let (tables, _) = count(games.store(), &inputs).unwrap();
        let results = RunResults {
            run: &run,
            games: games.store(),
            exclusions: &exclusions,
            complete,
            tables: &tables,
            folder: path,
            test: None,
            test_path: &[],
        };
        let inputs = PageInputs {
            results: &results,
            source: &folder,
            notes: &[],
            planned,
            own: None,
        };
        let target = tempfile::tempdir().unwrap();
        renew_report(&inputs, ahead, target.path()).unwrap();
        fs::read_to_string(target.path().join(REPORT)).unwrap()
    }

    /// Whether the packed games can be used, after a check that they change nothing.
    fn is_used(records: &[GameRecord], reads: &[usize]) -> bool {
        let home = tempfile::tempdir().unwrap();
        let mut games = followed(home.path(), records, reads);
        let ahead = games.take_page();
        let shown = games.store().results().count();
        let is_used = ahead.as_ref().is_some_and(|ahead| ahead.is_of_first(shown));
        let [packed, anew] = [ahead, None].map(|ahead| page(home.path(), &games, ahead));
        assert!(
            packed == anew,
            "{} records, read at {reads:?}",
            records.len()
        );
        is_used
    }

    fn ended(numbers: impl Iterator<Item = usize>) -> Vec<GameRecord> {
        numbers
            .map(|number| record(number, 1, How::Ended))
            .collect()
    }

    /// So many games; in one of them a bot says more than a page has place for.
    fn talked(games: usize) -> Vec<GameRecord> {
        let how = |number| {
            if number == 5 {
                How::Talked(300_000)
            } else {
                How::Ended
            }
        };
        (0..games)
            .map(|number| record(number, 1, how(number)))
            .collect()
    }

    #[test]
    fn games_that_are_packed_while_they_are_played_make_the_same_page() {
        let all = 2 * PAIRS as usize;
        let with = |extra: GameRecord, place: usize| {
            let mut records = ended(0..all);
            records.insert(place, extra);
            records
        };
        let cases: [(&str, Vec<GameRecord>, bool); 12] = [
            ("all", ended(0..all), true),
            ("none", Vec::new(), true),
            ("two slots", ended((0..all).map(|it| it ^ 2)), true),
            ("the first ones", ended(0..131), true),
            ("a whole block", ended(0..128), true),
            ("a gap", ended((0..131).filter(|it| *it != 7)), false),
            ("another attempt", with(record(3, 1, How::Void), 2), true),
            ("a game twice", with(record(3, 1, How::Ended), 9), true),
            (
                "faults",
                (0..131)
                    .map(|it| record(it, 1, if it % 9 == 0 { How::Fault } else { How::Ended }))
                    .collect(),
                true,
            ),
            ("long words", talked(all), true),
            ("long words in few games", talked(131), false),
            (
                "too many faults",
                (0..all).map(|it| record(it, 1, How::Fault)).collect(),
                false,
            ),
        ];
        for (name, records, expected) in cases {
            for reads in [&[][..], &[1, 2, 129]] {
                assert_eq!(is_used(&records, reads), expected, "{name}");
            }
        }
    }

    /// Games whose blocks cannot be completed do not pile up in memory.
    #[test]
    fn a_page_that_would_keep_too_much_open_is_given_up() {
        let talked = |number| record(number, 1, How::Talked(60_000));
        for (first, expected) in [(0, true), (1, false)] {
            let records: Vec<GameRecord> = (first..2 * PAIRS as usize).map(talked).collect();
            let home = tempfile::tempdir().unwrap();
            let mut games = followed(home.path(), &records, &[3]);
            assert_eq!(games.take_page().is_some(), expected, "from game {first}");
        }
    }

    #[test]
    fn a_page_without_all_planned_games_is_not_packed_ahead() {
        let home = tempfile::tempdir().unwrap();
        let run = RunDocument::new(plan(), RunSettings::default());
        let folder = RunFolder::open(home.path()).unwrap();
        let mut journal = folder.journal(&run, &FoundJournal::default()).unwrap();
        let mut games = JournalGames::counting_for(&run.plan);
        games.pack_page(&run.plan, 2 * PAIRS as usize);
        let first = record(0, 1, How::Fault);
        journal.append([&first]).unwrap();
        folder.read_ahead(&mut games).unwrap();
        let withdrawal = Withdrawal {
            entrant: "bob".to_owned(),
            after: first.id,
            faults: 1,
            games: 1,
        };
        journal.append_withdrawals(&[withdrawal]).unwrap();
        folder.read_on(&mut games, &mut |_, _| Ok(())).unwrap();
        assert!(games.take_page().is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            cases: 24,
            ..ProptestConfig::default()
        })]

        /// Whatever the journal says, and whenever it was read.
        #[test]
        fn packed_games_change_no_page(
            games in proptest::collection::vec((0..8_usize, 0..9_u8), 0..150),
            reads in proptest::collection::vec(0..150_usize, 0..5),
        ) {
            let how = |number: usize| match games[number].1 {
                0 => How::Fault,
                1 => How::Talked(9),
                _ => How::Ended,
            };
            let records = games.iter().enumerate().map(|(place, (kind, _))| match kind {
                // Some games are void, or twice there.
                0 => record(place, 1, How::Void),
                1 => record(place / 2, 2, how(place / 2)),
                _ => record(place, 2, how(place)),
            });
            is_used(&records.collect::<Vec<_>>(), &reads);
        }
    }
}
