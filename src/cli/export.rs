//! `awale export`: the games of a run for other programs. The forms are those of `report::notation`,
//! of the journal's records, of `games.csv`, and of `report::samples`.

use super::args::{ExportFormat, ExportGamesArguments};
use super::exit::{Exit, Failure, tell};
use super::output_file;
use crate::record::{Exclusions, GameId, GameRecord, GameSummary};
use crate::report::{Dialect, Notation, points, samples};
use crate::rules::Preset;
use crate::run_folder::tables::{share_played, write_games};
use crate::run_folder::{RecordedRun, RunFolder, read_records};
use crate::text::{counted, did_you_mean, printable, printable_json, quoted};
use crate::tournament::{Plan, RunDocument, changed_fields};
use crate::verification;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What Aualé calls its rules.
const RULES_OF_AUALE: &str = "Oware Abapa";

/// Writes the games, and says what is left out. The run may still be playing.
///
/// # Errors
/// There is no such run or game, the flags do not fit each other, or the journal is damaged.
pub fn export(arguments: &ExportGamesArguments) -> Result<Exit, Failure> {
    check(arguments).map_err(|reason| Failure::usage(reason.to_owned()))?;
    let folder = verification::open(&arguments.folder)?;
    let recorded = RecordedRun::read(&folder)?;
    let games = Games::of(&recorded, &arguments.games)?;
    let mut bytes = Vec::new();
    match (arguments.format, arguments.samples) {
        (ExportFormat::Csv, false) => {
            write_games(
                games.chosen.iter().copied(),
                &Exclusions::default(),
                &mut bytes,
            )
            .map_err(Failure::machine)?;
        }
        (format, _) => {
            let rows = games.rows(&folder, &recorded.run, arguments)?;
            if format == ExportFormat::Csv {
                bytes = csv_header();
            }
            bytes.extend(rows.into_values().flatten());
        }
    }
    output_file::write(arguments.output.as_deref(), &bytes)?;
    tell(&games.summary(&recorded));
    Ok(Exit::Done)
}

/// The flags that belong to other forms.
fn check(arguments: &ExportGamesArguments) -> Result<(), &'static str> {
    let is_notation = matches!(arguments.format, ExportFormat::Ogn | ExportFormat::Pgn);
    if arguments.comments && !is_notation {
        return Err("--comments belongs to --format ogn and pgn; a line of jsonl has everything");
    }
    if arguments.samples && is_notation {
        return Err("--samples are written as --format csv or jsonl");
    }
    Ok(())
}

/// The games of a run that are exported.
struct Games<'a> {
    /// In the order of the schedule.
    chosen: Vec<&'a GameSummary>,
    /// All games with a result.
    results: usize,
}

impl<'a> Games<'a> {
    /// The games that count, or those of them with these ids.
    fn of(recorded: &'a RecordedRun, ids: &[String]) -> Result<Self, Failure> {
        let exclusions = &recorded.outcome.exclusions;
        let store = recorded.games.store();
        let counted = store.results().filter_map(|game| exclusions.counted(game));
        let mut chosen: Vec<&GameSummary> = counted.collect();
        let known: Vec<String> = chosen.iter().map(|game| game.id.to_string()).collect();
        if let Some(id) = ids.iter().find(|id| !known.contains(id)) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let hint = did_you_mean(id, &known, ["", ""]);
            let id = quoted(id);
            return Err(Failure::usage(format!(
                "no game {id} counts{hint}; the run's games.csv has the ids of all that do"
            )));
        }
        let ids: BTreeSet<&String> = ids.iter().collect();
        chosen.retain(|game| ids.is_empty() || ids.contains(&game.id.to_string()));
        Ok(Self {
            chosen,
            results: store.results().count(),
        })
    }

    /// The text of each game. Of several records of a game the first one with a result counts.
    fn rows(
        &self,
        folder: &RunFolder,
        run: &RunDocument,
        arguments: &ExportGamesArguments,
    ) -> Result<BTreeMap<GameId, Vec<u8>>, Failure> {
        let chosen: BTreeSet<&GameId> = self.chosen.iter().map(|game| &game.id).collect();
        let rules = rules_name(&run.plan);
        let writer = Writer {
            plan: &run.plan,
            notation: Notation {
                dialect: match arguments.format {
                    ExportFormat::Ogn => Dialect::Ogn,
                    _ => Dialect::Pgn,
                },
                event: &run.settings.name,
                rules: &rules,
                has_comments: arguments.comments,
            },
            arguments,
        };
        let (mut rows, mut failed) = (BTreeMap::new(), None);
        read_records(folder, &run.plan, &mut |record| {
            if record.is_void() || !chosen.contains(&record.id) || rows.contains_key(&record.id) {
                return;
            }
            match writer.row(&record) {
                Ok(row) => {
                    rows.insert(record.id, row);
                }
                Err(error) => failed = failed.take().or(Some(error)),
            }
        })?;
        failed.map_or(Ok(rows), Err)
    }

    /// How much was exported, and what was left out.
    fn summary(&self, recorded: &RecordedRun) -> String {
        let (games, exclusions) = (&recorded.games, &recorded.outcome.exclusions);
        let voids = games.store().games().filter(|game| game.is_void()).count();
        let exported = counted(self.chosen.len(), "game", "games");
        let reasons = [
            (
                self.results - self.chosen.len(),
                "that does not count or was not asked for",
                "that do not count or were not asked for",
            ),
            (voids, "void attempt", "void attempts"),
            (games.superseded(), "of an earlier plan", "of earlier plans"),
        ];
        let left_out = reasons.into_iter().filter(|(count, ..)| *count > 0);
        let left_out: Vec<String> = left_out
            .map(|(count, one, many)| counted(count, one, many))
            .collect();
        let left_out = match left_out.as_slice() {
            [] => String::new(),
            reasons => format!("; left out: {}", reasons.join(", ")),
        };
        let share = share_played(games.store(), &recorded.run.plan, exclusions);
        let more = if share < 1.0 {
            "; the run has not played all of its games"
        } else {
            ""
        };
        format!("{exported} exported{left_out}{more}")
    }
}

/// Writes games in one form.
struct Writer<'a> {
    plan: &'a Plan,
    notation: Notation<'a>,
    arguments: &'a ExportGamesArguments,
}

/// A game as a line of JSON: its record as the journal has it, and who won.
#[derive(Serialize)]
struct GameLine<'a> {
    #[serde(flatten)]
    record: &'a GameRecord,
    result: &'a str,
}

impl Writer<'_> {
    fn row(&self, record: &GameRecord) -> Result<Vec<u8>, Failure> {
        Ok(match (self.arguments.format, self.arguments.samples) {
            (_, true) => self.samples(record)?,
            (ExportFormat::Ogn | ExportFormat::Pgn, _) => self.notation.game(record).into_bytes(),
            _ => json_line(&GameLine {
                record,
                result: points(record).unwrap_or_default(),
            }),
        })
    }

    fn samples(&self, record: &GameRecord) -> Result<Vec<u8>, Failure> {
        let samples = samples(record, self.plan.rules).map_err(|error| {
            Failure::usage(format!(
                "the journal has an illegal move in game {}: {error}; `awale verify` says more",
                record.id
            ))
        })?;
        if self.arguments.format == ExportFormat::Jsonl {
            return Ok(samples.iter().flat_map(json_line).collect());
        }
        let mut csv = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(Vec::new());
        for sample in samples {
            csv.serialize(sample).map_err(Failure::machine)?;
        }
        csv.into_inner()
            .map_err(|error| Failure::machine(error.to_string()))
    }
}

/// The names of the columns of samples.
fn csv_header() -> Vec<u8> {
    const COLUMNS: &str =
        "game,ply,position,side,move,score,depth,result,seeds,plies_to_end,ending\n";
    COLUMNS.into()
}

fn json_line(value: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_string(value).expect("texts, numbers and lists");
    (printable_json(&text) + "\n").into_bytes()
}

/// The preset of the rules and the fields that differ from it, as in `abapa, majority-ends=true`.
fn rules_name(plan: &Plan) -> String {
    if plan.rules == Preset::Abapa.rules() {
        return RULES_OF_AUALE.to_owned();
    }
    let changed = changed_fields(&plan.rules, plan.preset).into_iter();
    let changed = changed.map(|(field, value)| format!(", {field}={value}"));
    printable(&(plan.preset.name().to_owned() + &changed.collect::<String>()))
}
