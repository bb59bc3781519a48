//! `awale tune`: finds better values for the parameters of a bot. In each iteration two bots, with
//! values on both sides of the present ones, play pairs from common openings; at the end the final
//! values are tested against the first ones.
//!
//! ```text
//! template.toml     the template
//! iterations/0001   the run of the first iteration, and so on
//! tune.csv          what each iteration gave, and the values after it
//! tune.svg          the path of the values
//! sprt              the run of the test at the end
//! ```
//!
//! The path follows from the template and the results in `tune.csv`: a tuning that was killed goes
//! on with the iteration that is not there.

use super::args::{PlayArguments, TuneArguments};
use super::exit::{Exit, Failure, say, tell};
use super::run::{
    ConfigSource, Ended, Loaded, OnChange, Session, load_to_play, overrides, unfinished,
};
use super::sprt;
use crate::config::{KeyFlag, Overrides, Purpose, TuneTemplate};
use crate::files::{self, Folder};
use crate::isolation::supervisor::Guard;
use crate::report::{CsvTable, PlottedPath, path_plot};
use crate::run_folder::{FolderError, TEMPLATE, open_target, write_file};
use crate::stats::tally::Results;
use crate::text::printable;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The largest template and the largest table of a tuning, in MiB.
const MOST_MIB: u64 = 64;

const TABLE: &str = "tune.csv";
const PLOT: &str = "tune.svg";
const ITERATIONS: &str = "iterations";

/// Tunes, or goes on, and tests what came of it.
///
/// # Errors
/// The template is wrong, the folder is that of another tuning, or a run had to stop.
pub fn tune(arguments: &TuneArguments, guard: &Guard) -> Result<Exit, Failure> {
    let mut run = TuneRun::open(arguments)?;
    while run.results.len() < run.template.tuning.iterations as usize {
        match run.play_iteration(guard)? {
            Ok(results) => run.results.push(results),
            Err(exit) => return Ok(exit),
        }
        run.write()?;
        tell(&run.line());
    }
    run.test(guard)
}

struct TuneRun<'a> {
    arguments: &'a TuneArguments,
    template: TuneTemplate,
    output: PathBuf,
    folder: Folder,
    /// Of each iteration, the games of its first opponent.
    results: Vec<Results>,
}

impl<'a> TuneRun<'a> {
    fn open(arguments: &'a TuneArguments) -> Result<Self, Failure> {
        let path = &arguments.template;
        let shown = printable(&path.to_string_lossy());
        let text = files::read_text(path, MOST_MIB).map_err(|error| {
            Failure::usage(format!("cannot read the template {shown}: {error}"))
        })?;
        let template = TuneTemplate::read(&text)
            .map_err(|what| Failure::usage(format!("{shown} is no template: {what}")))?;
        let default = || Path::new("results").join(path.file_stem().unwrap_or_default());
        let output = arguments.output.clone().unwrap_or_else(default);
        let folder = open_target(&output)?;
        let refuse = |what: &str| {
            Failure::usage(format!(
                "{} {what}; choose another folder with --output",
                printable(&output.to_string_lossy())
            ))
        };
        let names = folder.names("").unwrap_or_default();
        let is_begun = [TABLE, ITERATIONS]
            .iter()
            .any(|it| names.iter().any(|name| name == it));
        match folder.read(TEMPLATE, MOST_MIB) {
            Ok(kept) if kept == text.as_bytes() => {}
            Ok(_) if is_begun => return Err(refuse("was tuned by another template")),
            Err(_) if names.iter().any(|name| !name.starts_with('.')) => {
                return Err(refuse("has other files"));
            }
            // Nothing was played: the first template had a mistake.
            _ => write_file(&folder, TEMPLATE, |file| {
                Ok(file.write_all(text.as_bytes())?)
            })?,
        }
        let mut run = Self {
            arguments,
            template,
            output: output.clone(),
            folder,
            results: Vec::new(),
        };
        match run.folder.read(TABLE, MOST_MIB) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(FolderError::file("read", run.folder.path(TABLE), error).into());
            }
            Ok(table) => {
                run.results = results(&table).unwrap_or_default();
                // The path follows from the results: all else is as this would write it.
                if run.table() != table {
                    return Err(refuse("has a tune.csv that something has changed"));
                }
            }
        }
        Ok(run)
    }

    /// The values before each iteration, and after the last one.
    fn path(&self) -> Vec<Vec<f64>> {
        let tuning = &self.template.tuning;
        let mut path = vec![tuning.start()];
        for (iteration, result) in (1..).zip(&self.results) {
            let ahead = result.wins as f64 - result.losses as f64;
            path.push(tuning.after(&path[path.len() - 1], iteration, ahead));
        }
        path
    }

    fn now(&self) -> Vec<f64> {
        self.path().pop().expect("it begins with the first values")
    }

    /// The values as people read them: `depth 4, weight 0.250`.
    fn shown(&self, values: &[f64]) -> String {
        let all = self.template.names.iter().zip(values).enumerate();
        let all = all
            .map(|(index, (name, value))| format!("{name} {}", self.template.shown(index, *value)));
        all.collect::<Vec<_>>().join(", ")
    }

    /// The last iteration as a line.
    fn line(&self) -> String {
        let Results {
            wins,
            draws,
            losses,
        } = self.results.last().copied().unwrap_or_default();
        format!(
            "iteration {} of {}: {wins} won, {draws} drawn, {losses} lost → {}",
            self.results.len(),
            self.template.tuning.iterations,
            self.shown(&self.now())
        )
    }

    /// Plays the next iteration, or what is missing of it. Returns the games of the first opponent,
    /// or how the program ends.
    fn play_iteration(&self, guard: &Guard) -> Result<Result<Results, Exit>, Failure> {
        let iteration = u32::try_from(self.results.len() + 1).expect("no more than a million");
        let [above, below] = self.template.tuning.opponents(&self.now(), iteration);
        let names = ["above", "below"].map(|side| format!("{side}-{iteration:04}"));
        let config = self
            .template
            .configuration(iteration, [(&names[0], &above), (&names[1], &below)]);
        let play = PlayArguments {
            quiet: true,
            ..self.play(format!("{ITERATIONS}/{iteration:04}"))
        };
        let pairs = KeyFlag::typed("pairs", ["tournament", "pairs"], Some(self.template.pairs));
        let loaded = self.load(&config, &play, guard, Purpose::Match, pairs)?;
        let session = Session::new(&play, guard, &loaded, OnChange::Refuse)?;
        let played = match session.play(None)? {
            Ended::Barred { reason, .. } => return Err(Failure::usage(reason)),
            Ended::Played(played) => played,
        };
        if let Some(exit) = unfinished(&played) {
            return Ok(Err(exit));
        }
        if !played.outcome.complete {
            return Ok(Err(Exit::Attention));
        }
        if let Some(out) = played.outcome.exclusions.withdrawn.first() {
            return Err(Failure::usage(format!(
                "{} lost {} of {} games by faults: see faults/ in {}",
                printable(&out.entrant),
                out.faults,
                out.games,
                printable(&loaded.resolved.output.to_string_lossy())
            )));
        }
        let rows = &played.tables.crosstable().rows;
        let row = rows.iter().find(|row| row.entrant == names[0]);
        Ok(Ok(row.map(|row| row.results).unwrap_or_default()))
    }

    /// Tests the final values against the first ones.
    fn test(&self, guard: &Guard) -> Result<Exit, Failure> {
        let tuning = &self.template.tuning;
        let played = |values: &[f64]| -> Vec<f64> {
            let all = tuning.parameters.iter().zip(values);
            all.map(|(parameter, value)| parameter.played(*value))
                .collect()
        };
        let (start, end) = (played(&tuning.start()), played(&self.now()));
        let shown = [&start, &end].map(|values| self.shown(values));
        say(&format!("tuned: {} (at first {})\n", shown[1], shown[0]))?;
        if shown[0] == shown[1] {
            tell("the final values are the first ones: there is nothing to test");
            return Ok(Exit::Done);
        }
        let number = tuning.iterations + 1;
        let config = self
            .template
            .configuration(number, [("end", &end), ("start", &start)]);
        let play = self.play("sprt".to_owned());
        let loaded = self.load(&config, &play, guard, Purpose::Test, None)?;
        sprt::play_test(&play, guard, &loaded, None, None)
    }

    fn load(
        &self,
        config: &str,
        play: &PlayArguments,
        guard: &Guard,
        purpose: Purpose,
        key: Option<KeyFlag>,
    ) -> Result<Loaded, Failure> {
        let flags = Overrides {
            purpose,
            ..overrides(play, [key])
        };
        let source = ConfigSource::Text(config, self.arguments.template.clone());
        load_to_play(&source, &flags, play, Some(guard))
    }

    /// The arguments of a run in a folder of the tuning.
    fn play(&self, folder: String) -> PlayArguments {
        PlayArguments {
            output: Some(self.output.join(folder)),
            ..self.arguments.play()
        }
    }

    fn write(&self) -> Result<(), Failure> {
        let table = self.table();
        let path = self.path();
        let all = self
            .template
            .names
            .iter()
            .zip(&self.template.tuning.parameters);
        let paths = all
            .enumerate()
            .map(|(index, (name, parameter))| PlottedPath {
                name,
                range: [parameter.min, parameter.max],
                values: path.iter().map(|values| values[index]).collect(),
                last: self.template.shown(index, path[path.len() - 1][index]),
            });
        let paths: Vec<PlottedPath<'_>> = paths.collect();
        let plot = path_plot(&paths, self.template.tuning.iterations);
        write_file(&self.folder, PLOT, |file| {
            Ok(file.write_all(plot.as_bytes())?)
        })?;
        Ok(write_file(&self.folder, TABLE, |file| {
            Ok(file.write_all(&table)?)
        })?)
    }

    /// `tune.csv`.
    fn table(&self) -> Vec<u8> {
        let TuneTemplate { names, tuning, .. } = &self.template;
        let names = names.iter().map(String::as_str);
        let columns = ["iteration", "won", "drawn", "lost"]
            .into_iter()
            .chain(names);
        let memory = "memory takes every row";
        let mut table = CsvTable::new(Vec::new(), columns).expect(memory);
        let path = self.path();
        for (number, (result, values)) in (1..).zip(self.results.iter().zip(&path[1..])) {
            let row = table.row(|cells| {
                cells.number(Some(number));
                for count in [result.wins, result.draws, result.losses] {
                    cells.number(Some(count));
                }
                for (index, value) in values.iter().enumerate() {
                    // θ itself is not rounded to a whole number.
                    let is_whole = tuning.parameters[index].is_whole;
                    let shown = if is_whole {
                        format!("{value:.3}")
                    } else {
                        self.template.shown(index, *value)
                    };
                    cells.number(Some(shown));
                }
            });
            row.expect(memory);
        }
        table.into_inner().expect(memory)
    }
}

/// The results in a table of a tuning, as far as it is one.
fn results(table: &[u8]) -> Option<Vec<Results>> {
    let mut reader = csv::Reader::from_reader(table);
    let rows = reader.records().map(|row| {
        let row = row.ok()?;
        let count = |column: usize| row.get(column)?.parse().ok();
        Some(Results {
            wins: count(1)?,
            draws: count(2)?,
            losses: count(3)?,
        })
    });
    rows.collect()
}
