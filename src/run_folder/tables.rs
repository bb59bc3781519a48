//! Makes the tables of a run's folder from the games of its journal. This is the only list of the
//! tables: verification makes the same ones.

use super::evidence::fault_rows;
use super::folder_error::{FillError, FolderError};
use super::journal_games::GameStore;
use super::rounds::round_tables;
use super::whole_file::{open_target, prepare_file, put_in_place};
use crate::analysis::Analyst;
use crate::endgame_file::{self, EndgameFileError};
use crate::record::{Exclusions, GameSummary, PointsItem};
use crate::report::{
    GamesCsv, HostNoise, RecordsError, StandingsRow, Tables, TablesBuilder, write_faults_csv,
    write_history_csv,
};
use crate::rules::RuleSet;
use crate::stats::anytime::widening;
use crate::stats::ratings::RatingModel;
use crate::tournament::{Plan, RunDocument, planned_games};
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;
use thiserror::Error;

/// How many seeds the moves of each entrant lost, if there is a database of endgames.
pub const ACCURACY: &str = "accuracy.csv";
/// What each game was worth when the database began to know it.
pub const ENDGAMES: &str = "endgames.csv";

/// Writes one table.
pub type Filling<'f> = Box<dyn FnOnce(&mut dyn Write) -> Result<(), FillError> + 'f>;

/// The inputs of the tables besides the journal.
#[derive(Clone, Copy, Debug)]
pub struct TableInputs<'n, 'a> {
    /// The run.
    pub run: &'a RunDocument,
    /// Its entrants, in the order of the plan.
    pub names: &'n [String],
    /// What does not count.
    pub exclusions: &'a Exclusions,
    /// The standings before each change of the plan.
    pub history: &'a [Vec<StandingsRow>],
    /// What knows the values of endgames, if there is a database.
    pub analyst: Option<&'a Analyst>,
}

/// Why there are no tables.
#[derive(Debug, Error)]
pub enum TablesError {
    /// The folder or a file in it failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The journal's games are inconsistent.
    #[error(transparent)]
    Records(#[from] RecordsError),
}

/// Writes every table of these games to the folder `target`, each whole or not at all, and none if
/// one cannot be made.
///
/// # Errors
/// The folder fails, or there are games of other entrants.
pub fn write<'a>(
    games: &GameStore,
    target: &Path,
    inputs: &TableInputs<'a, '_>,
) -> Result<(Tables<'a>, HostNoise), TablesError> {
    let target = open_target(target)?;
    let (tables, noise, files) = make(games, inputs, &|name, fill| {
        let file = prepare_file(&target, name, |out| fill(out));
        file.map_err(TablesError::from)
    })?;
    put_in_place(files)?;
    if tables.endgames().is_none() {
        // Those of earlier games would contradict the other tables.
        for stale in [ACCURACY, ENDGAMES] {
            let removed = target.remove(stale);
            removed.map_err(|error| FolderError::file("remove", target.path(stale), error))?;
        }
    }
    Ok((tables, noise))
}

/// Gets the name of a table and the function that writes it; runs on any thread.
pub type PutTable<'p, T, E> = &'p (dyn Fn(&str, Filling<'_>) -> Result<T, E> + Sync);

/// Makes every table of a journal's games. Returns also what `put` returned for each, in the order
/// of the tables.
///
/// # Errors
/// There are games of other entrants; the errors of `put`, that of the first table first.
pub fn make<'a, T: Send, E: From<RecordsError> + Send>(
    games: &GameStore,
    inputs: &TableInputs<'a, '_>,
    put: PutTable<'_, T, E>,
) -> Result<(Tables<'a>, HostNoise, Vec<T>), E> {
    let exclusions = inputs.exclusions;
    // This table is as long as the journal and needs no other, so it has a thread of its own.
    let put_games = || {
        let fill = |out: &mut dyn Write| Ok(write_games(games.results(), exclusions, out)?);
        put("games.csv", Box::new(fill))
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("games.csv".to_owned());
        let thread = thread.spawn_scoped(scope, put_games);
        let (tables, noise) = count(games, inputs)?;
        let table = |name: &str, write: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
            put(name, Box::new(|out| Ok(write(out)?)))
        };
        let mut made = vec![
            table("standings.csv", &|out| tables.standings_csv(out))?,
            table("crosstable.csv", &|out| tables.crosstable_csv(out))?,
            table("los.csv", &|out| tables.los_csv(out))?,
            table("openings.csv", &|out| tables.openings_csv(out))?,
        ];
        made.push(match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic))?,
            // The host has refused a thread.
            Err(_) => put_games()?,
        });
        let faults = fault_rows(games, exclusions);
        made.push(table("faults.csv", &|out| write_faults_csv(&faults, out))?);
        made.push(table("noise.csv", &|out| noise.write_csv(out))?);
        if !tables.hosts().is_empty() {
            made.push(table("hosts.csv", &|out| tables.hosts_csv(out))?);
        }
        if let Some(rounds) = tables.rounds() {
            made.push(table("rounds.csv", &|out| rounds.rounds_csv(out))?);
            made.push(table("places.csv", &|out| rounds.places_csv(out))?);
            if !rounds.bracket.is_empty() {
                made.push(table("bracket.csv", &|out| rounds.bracket_csv(out))?);
            }
        }
        if tables.endgames().is_some() {
            made.push(table(ACCURACY, &|out| tables.accuracy_csv(out))?);
            made.push(table(ENDGAMES, &|out| tables.endgames_csv(out))?);
        }
        if !inputs.history.is_empty() {
            let earlier = inputs.history.iter().map(Vec::as_slice);
            let revisions = earlier.chain([tables.standings().rows()]);
            made.push(table("history.csv", &|out| {
                write_history_csv(revisions.clone(), out)
            })?);
        }
        Ok((tables, noise, made))
    })
}

/// What knows the values of endgames under these rules: the database in the user's cache.
///
/// # Errors
/// Why there is none.
pub fn find_analyst(rules: &RuleSet) -> Result<Option<Analyst>, EndgameFileError> {
    let database = endgame_file::find(rules)?;
    Ok(Analyst::new(*rules, database.values().clone()))
}

/// Counts all games, and the disturbances of the host.
///
/// # Errors
/// There are games of other entrants.
pub fn count<'a>(
    games: &GameStore,
    inputs: &TableInputs<'a, '_>,
) -> Result<(Tables<'a>, HostNoise), RecordsError> {
    let TableInputs {
        run, exclusions, ..
    } = *inputs;
    let mut builder = TablesBuilder::new(inputs.names)?
        .excluding(exclusions.clone())
        .of_rounds(round_tables(&run.plan, exclusions, games))
        .introduced(games.introductions().clone())
        .rated_by(RatingModel {
            widening: widening(share_played(games, &run.plan, exclusions)),
            ..run.rating_model()
        });
    if let Some(grading) = &run.settings.grading {
        let named = grading.points.iter().filter_map(PointsItem::beats);
        let named = named.map(str::to_owned).chain(run.plan.yardsticks());
        builder = builder.measured_by(&named.collect());
    }
    if let Some(games) = planned_games(&run.plan) {
        builder = builder.planned(&games);
    }
    if run.plan.has_odds() {
        let clocks = inputs.names.iter().map(|name| run.plan.clock_of(name));
        builder = builder.clocked(clocks.map(|it| it.words().join(", ")));
    }
    if !games.hosts().is_empty() {
        builder = builder.by_host();
    }
    if let Some(analyst) = inputs.analyst {
        builder = builder.analysed_by(analyst);
    }
    let mut noise = HostNoise::default();
    for game in games.games() {
        builder.add(game);
        noise.add(game);
    }
    Ok((builder.finish()?, noise))
}

/// The share of a plan's games that are played, of those that will be; 1 once a test is decided.
pub fn share_played(games: &GameStore, plan: &Plan, exclusions: &Exclusions) -> f64 {
    let names = plan.names();
    let has_left = |name: &String| {
        let mut withdrawn = exclusions.withdrawn.iter();
        let mut refused = exclusions.refused.iter();
        withdrawn.any(|it| it.entrant == *name) || refused.any(|(it, _)| it == name)
    };
    let meet = plan.pairings().into_iter();
    let meet = meet.filter(|(two, _)| !two.iter().any(|it| has_left(&names[it.index()])));
    let pairs: usize = meet.map(|(_, pairs)| pairs as usize).sum();
    let open = exclusions.open.len() + exclusions.left_out.len();
    let planned = 2 * pairs.saturating_sub(open);
    let results = games.results();
    let played = results.filter(|game| !game.entrants.iter().any(has_left));
    let played = played.count();
    if exclusions.decided_after.is_some() || planned == 0 || played == 0 {
        return 1.0;
    }
    played as f64 / planned as f64
}

/// Writes `games.csv` of these [results](GameStore::results).
///
/// # Errors
/// Those of the writer.
pub fn write_games<'g>(
    results: impl Iterator<Item = &'g GameSummary>,
    exclusions: &Exclusions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut csv = GamesCsv::new(out)?.excluding(exclusions.clone());
    for game in results {
        csv.add(game.clone())?;
    }
    csv.finish()
}

#[cfg(test)]
mod tests {
    use super::super::folder::{FoundJournal, RunFolder};
    use super::*;
    use crate::record::{GameEnding, GameId, GameRecord, PlyRecord, Void, sample};
    use crate::rules::{EndReason, Pit};
    use crate::stats::sprt::{Model, Settings, Sprt};
    use crate::tournament::{EntrantIndex, PairNames, Plan, RunSettings, Secret, SequentialTest};
    use std::fs;

    const TABLES: [&str; 3] = ["standings.csv", "crosstable.csv", "games.csv"];

    fn plan() -> Plan {
        Plan::round_robin(["ada", "bob"], 20, Secret::from_bytes([5; 32]))
    }

    /// A game with as many plies as its pair's number, so that lines differ in length.
    fn game(id: &str, attempt: u32, ending: GameEnding) -> GameRecord {
        let id: GameId = format!("ada~bob.{id}").parse().unwrap();
        let id = PairNames::new(&plan()).placed(id);
        let mut entrants = ["ada".to_owned(), "bob".to_owned()];
        entrants.rotate_left(id.number.number() as usize - 1);
        let ply = |number: u32| PlyRecord {
            pit: Pit::from_letter(if number.is_multiple_of(2) { 'A' } else { 'b' }).unwrap(),
            time_us: u64::from(number),
            cpu_us: None,
            preempted_us: 0,
            info: None,
        };
        let [south, north] = &entrants;
        let stores = [24 + u8::try_from(id.pair.round() % 3).unwrap(), 20];
        GameRecord {
            id: id.clone(),
            attempt,
            opening: id.pair.round(),
            plies: (0..id.pair.round()).map(ply).collect(),
            ending,
            ..sample::game(&id.to_string(), [south, north], stores)
        }
    }

    fn ended(id: &str) -> GameRecord {
        game(id, 1, GameEnding::Rules(EndReason::NoMove))
    }

    fn voided(id: &str) -> GameRecord {
        game(id, 1, GameEnding::Void(Void::new("the host slept")))
    }

    fn again(id: &str) -> GameRecord {
        game(id, 2, GameEnding::Rules(EndReason::NoMove))
    }

    fn run_of(plan: &Plan) -> RunDocument {
        RunDocument::new(plan.clone(), RunSettings::default())
    }

    /// A folder whose journal has these records, in this order.
    fn folder_with(path: &Path, plan: &Plan, records: &[GameRecord]) -> RunFolder {
        let folder = RunFolder::open(path).unwrap();
        let mut journal = folder
            .journal(&run_of(plan), &FoundJournal::default())
            .unwrap();
        journal.append(records).unwrap();
        folder
    }

    fn written(path: &Path) -> [String; 3] {
        TABLES.map(|table| fs::read_to_string(path.join(table)).unwrap())
    }

    fn games_of(folder: &RunFolder) -> crate::run_folder::JournalGames {
        let mut games = crate::run_folder::JournalGames::default();
        folder.read_on(&mut games, &mut |_, _| Ok(())).unwrap();
        games
    }

    /// Writes the tables of all games with the default model.
    fn write_everything(folder: &RunFolder, plan: &Plan) -> u64 {
        let inputs = TableInputs {
            run: &RunDocument::new(plan.clone(), RunSettings::default()),
            names: &plan.names(),
            exclusions: &Exclusions::default(),
            history: &[],
            analyst: None,
        };
        let games = folder.games_of(plan).unwrap();
        let written = write(games.store(), &folder.file(""), &inputs);
        written.unwrap().0.games()
    }

    #[test]
    fn games_stand_in_schedule_order_whatever_the_journal_says() {
        let home = tempfile::tempdir().unwrap();
        let plan = plan();
        let records = [
            ended("10.2"),
            voided("1.1"),
            ended("2.1"),
            ended("1.2"),
            voided("3.1"),
            ended("2.1"),
            ended("10.1"),
            again("1.1"),
            ended("9.1"),
        ];
        let mut reversed = records.to_vec();
        reversed.reverse();
        for (name, records) in [("there", &records[..]), ("back", &reversed)] {
            let path = home.path().join(name);
            let folder = folder_with(&path, &plan, records);
            let games = write_everything(&folder, &plan);
            assert_eq!(games, 6);
            let [_, _, games] = written(&path);
            let rows: Vec<(&str, &str)> = games
                .lines()
                .skip(1)
                .map(|row| {
                    (
                        row.split_once(',').unwrap().0,
                        row.rsplit_once(',').unwrap().1,
                    )
                })
                .collect();
            assert_eq!(
                rows,
                [
                    ("ada~bob.1.1", "A"),
                    ("ada~bob.1.2", "A"),
                    ("ada~bob.2.1", "Ab"),
                    ("ada~bob.9.1", "AbAbAbAbA"),
                    ("ada~bob.10.1", "AbAbAbAbAb"),
                    ("ada~bob.10.2", "AbAbAbAbAb"),
                ]
            );
        }
        let [there, back] = ["there", "back"].map(|name| written(&home.path().join(name)));
        assert_eq!(there, back);
    }

    #[test]
    fn the_result_of_a_game_is_there_once() {
        let home = tempfile::tempdir().unwrap();
        let plan = plan();
        let records = [voided("1.2"), ended("2.1"), again("1.2"), ended("2.1")];
        let folder = folder_with(home.path(), &plan, &records);
        let found = folder.find(&plan).unwrap();
        let results: Vec<GameSummary> = found.games.store().results().cloned().collect();
        let expected = [again("1.2"), ended("2.1")];
        assert_eq!(results, expected.map(|record| GameSummary::of(&record)));
        assert_eq!(found.progress.games_done(), 2);
    }

    /// A test that was resumed with more pairs: the line of its settings is between its games.
    #[test]
    fn games_beyond_the_first_length_of_a_test_are_in_order_too() {
        let home = tempfile::tempdir().unwrap();
        let settings = Settings {
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Logistic,
        };
        let test = SequentialTest {
            sprt: Sprt::new(settings).unwrap(),
            new: EntrantIndex(0),
            repeat_openings: false,
        };
        let of_pairs = |pairs| Plan {
            pairs,
            test: Some(test),
            ..plan()
        };
        let [short, long] = [of_pairs(2), of_pairs(5)];
        drop(folder_with(home.path(), &short, &[ended("1.2")]));
        let folder = RunFolder::open(home.path()).unwrap();
        let mut found = folder.find(&long).unwrap();
        let mut journal = folder.journal(&run_of(&long), &found).unwrap();
        let records = ["5.1", "1.1", "4.2", "3.1", "2.1", "5.2"].map(ended);
        journal.append(&records).unwrap();
        assert_eq!(write_everything(&folder, &long), 7);
        let [_, _, games] = written(home.path());
        // A run that goes on reads only the rest, to the same end.
        folder
            .read_on(&mut found.games, &mut |_, _| Ok(()))
            .unwrap();
        let all = games_of(&folder);
        let all: Vec<&GameSummary> = all.store().games().collect();
        assert_eq!(found.games.store().games().collect::<Vec<_>>(), all);
        let ids: Vec<&str> = games
            .lines()
            .skip(1)
            .map(|row| row.split_once(',').unwrap().0)
            .collect();
        let expected = ["1.1", "1.2", "2.1", "3.1", "4.2", "5.1", "5.2"];
        assert_eq!(ids, expected.map(|id| format!("ada~bob.{id}")));
    }

    #[test]
    fn without_a_journal_tables_are_empty() {
        let home = tempfile::tempdir().unwrap();
        let plan = plan();
        let folder = RunFolder::open(home.path()).unwrap();
        let games = write_everything(&folder, &plan);
        assert_eq!(games, 0);
        assert_eq!(
            written(home.path()).map(|table| table.lines().count()),
            [3, 1, 1]
        );
    }
}
