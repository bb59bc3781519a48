//! Makes the tables of a run's folder from the journal. Games are read one by one and dropped, so
//! that memory hardly grows with their number. This is the only list of the tables: verification
//! makes the same ones.

use super::folder::{RunFolder, write_file};
use super::folder_error::{FillError, FolderError};
use crate::record::Exclusions;
use crate::report::{GamesCsv, HostNoise, RecordsError, Tables, TablesBuilder};
use crate::stats::ratings::RatingModel;
use crate::tournament::{Plan, planned_games};
use std::io::Write;
use std::path::Path;
use thiserror::Error;

/// Writes one table.
pub type Filling<'f> = Box<dyn FnOnce(&mut dyn Write) -> Result<(), FillError> + 'f>;

/// The inputs of the tables besides the journal.
#[derive(Clone, Copy, Debug)]
pub struct TableInputs<'n, 'a> {
    /// The plan of the run.
    pub plan: &'a Plan,
    /// The plan's entrants, in their order.
    pub names: &'n [String],
    /// What does not count.
    pub exclusions: &'a Exclusions,
    /// The rating model.
    pub model: &'a RatingModel,
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

/// Writes every table of a folder's journal to `target`, each whole or not at all.
///
/// # Errors
/// The folders fail, or the journal has games of other entrants.
pub fn write<'a>(
    folder: &RunFolder,
    target: &Path,
    inputs: &TableInputs<'a, '_>,
) -> Result<(Tables<'a>, HostNoise), TablesError> {
    make(folder, inputs, &mut |name, fill| {
        Ok(write_file(target, name, |out| fill(out))?)
    })
}

/// Makes every table of the journal; `put` gets the name of each and the function that writes it.
///
/// # Errors
/// The journal cannot be read, or has games of other entrants; the errors of `put`.
pub fn make<'a, E: From<FolderError> + From<RecordsError>>(
    folder: &RunFolder,
    inputs: &TableInputs<'a, '_>,
    put: &mut dyn FnMut(&str, Filling<'_>) -> Result<(), E>,
) -> Result<(Tables<'a>, HostNoise), E> {
    let exclusions = inputs.exclusions;
    let mut builder = TablesBuilder::new(inputs.names)?
        .excluding(exclusions.clone())
        .rated_by(inputs.model.clone());
    if let Some(games) = planned_games(inputs.plan) {
        builder = builder.planned(&games);
    }
    let mut noise = HostNoise::default().charging(exclusions);
    let lines = folder.read(inputs.plan, exclusions, |record| {
        builder.add(record);
        noise.add(record);
    })?;
    let tables = builder.finish()?;
    put(
        "standings.csv",
        Box::new(|out| Ok(tables.standings_csv(out)?)),
    )?;
    put(
        "crosstable.csv",
        Box::new(|out| Ok(tables.crosstable_csv(out)?)),
    )?;
    put("los.csv", Box::new(|out| Ok(tables.los_csv(out)?)))?;
    put(
        "openings.csv",
        Box::new(|out| Ok(tables.openings_csv(out)?)),
    )?;
    put(
        "games.csv",
        Box::new(|out| {
            let mut csv = GamesCsv::new(out)?.excluding(exclusions.clone());
            folder.read_again(inputs.plan, lines, |record| Ok(csv.add(record)?))?;
            Ok(csv.finish()?)
        }),
    )?;
    put("noise.csv", Box::new(|out| Ok(noise.write_csv(out)?)))?;
    Ok((tables, noise))
}

#[cfg(test)]
mod tests {
    use super::super::folder::{FoundJournal, JOURNAL};
    use super::*;
    use crate::record::{ChargedGame, GameEnding, GameId, GameRecord, PlyRecord, Void};
    use crate::rules::{EndReason, Pit, Position, Side};
    use crate::stats::sprt::{Model, Settings, Sprt};
    use crate::tournament::{
        EntrantIndex, PairNames, RunDocument, RunSettings, Secret, SequentialTest,
    };
    use std::fs::{self, OpenOptions};

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
            held_up_us: 0,
            info: None,
        };
        GameRecord {
            id: id.clone(),
            attempt,
            entrants,
            opening: id.pair.round(),
            opening_moves: Vec::new(),
            start: Position::START,
            plies: (0..id.pair.round()).map(ply).collect(),
            ending,
            stores: [24 + u8::try_from(id.pair.round() % 3).unwrap(), 20],
            ready_us: [None; 2],
            lateness_us: None,
            off_turn_us: [None; 2],
            short_cpu_us: [None; 2],
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

    /// Writes the tables of all games with the default model.
    fn write_everything(folder: &RunFolder, plan: &Plan) -> u64 {
        let inputs = TableInputs {
            plan,
            names: &plan.names(),
            exclusions: &Exclusions::default(),
            model: &RatingModel::default(),
        };
        write(folder, &folder.file(""), &inputs).unwrap().0.games()
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
    fn earlier_games_are_heard_of_once() {
        let home = tempfile::tempdir().unwrap();
        let plan = plan();
        let records = [voided("1.2"), ended("2.1"), again("1.2"), ended("2.1")];
        let folder = folder_with(home.path(), &plan, &records);
        let mut heard = Vec::new();
        let found = folder.find(&plan, |record| heard.push(record.clone()));
        assert_eq!(heard, [ended("2.1"), again("1.2")]);
        assert_eq!(found.unwrap().progress.games_done(), 2);
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
        };
        let of_pairs = |pairs| Plan {
            pairs,
            test: Some(test),
            ..plan()
        };
        let [short, long] = [of_pairs(2), of_pairs(5)];
        drop(folder_with(home.path(), &short, &[ended("1.2")]));
        let folder = RunFolder::open(home.path()).unwrap();
        let found = folder.find(&long, |_| ()).unwrap();
        let mut journal = folder.journal(&run_of(&long), &found).unwrap();
        let records = ["5.1", "1.1", "4.2", "3.1", "2.1", "5.2"].map(ended);
        journal.append(&records).unwrap();
        assert_eq!(write_everything(&folder, &long), 7);
        let [_, _, games] = written(home.path());
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

    #[test]
    fn a_journal_that_shrinks_is_an_error_and_leaves_no_table() {
        let home = tempfile::tempdir().unwrap();
        let plan = plan();
        let folder = folder_with(home.path(), &plan, &[ended("1.1"), ended("1.2")]);
        let lines = folder.read(&plan, &Exclusions::default(), |_| ()).unwrap();
        let journal = OpenOptions::new()
            .write(true)
            .open(home.path().join(JOURNAL))
            .unwrap();
        journal
            .set_len(journal.metadata().unwrap().len() - 1)
            .unwrap();
        let mut games = 0;
        let filled = folder.write_with("games.csv", |_| {
            folder.read_again(&plan, lines, |_| {
                games += 1;
                Ok(())
            })
        });
        assert!(filled.is_err());
        assert_eq!(games, 1);
        assert!(!home.path().join("games.csv").exists());
    }

    #[test]
    fn a_charged_void_is_a_loss_in_every_table() {
        let place = tempfile::tempdir().unwrap();
        let plan = plan();
        let path = place.path().join("run");
        let void = Void::new("no last words").on_turn(Side::North);
        let records = [
            game("1.1", 1, GameEnding::Void(void)),
            // It was played again before the charge was decided.
            again("1.1"),
            ended("1.2"),
            voided("2.1"),
        ];
        let folder = folder_with(&path, &plan, &records);
        let names = plan.names();
        let lost = ChargedGame {
            attempt: 1,
            side: Side::North,
        };
        let exclusions = Exclusions {
            charged_games: [(records[0].id.clone(), lost)].into(),
            ..Exclusions::default()
        };
        let inputs = TableInputs {
            plan: &plan,
            names: &names,
            exclusions: &exclusions,
            model: &RatingModel::default(),
        };
        let (tables, _) = write(&folder, &path, &inputs).unwrap();
        assert_eq!(tables.games(), 2);
        let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
        let games = read("games.csv");
        let row = games.lines().nth(1).unwrap();
        assert!(
            row.starts_with("ada~bob.1.1,ada~bob.1,") && row.contains(",1-0,voids-charged,north,")
        );
        assert_eq!(games.lines().count(), 3, "{games}");
        let noise = read("noise.csv");
        assert!(
            noise.contains("ada~bob.1.1,1,void,,bob,bob,no last words"),
            "{noise}"
        );
        assert!(
            noise.contains("ada~bob.2.1,1,void,,,,the host slept"),
            "{noise}"
        );
    }
}
