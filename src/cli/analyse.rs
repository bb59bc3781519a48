//! `awale analyse`: a game of a run move by move, with what each move was worth: exact where a
//! database knows it, estimated before that.

use super::args::AnalyseArguments;
use super::exit::{Exit, Failure, output_failure, say, say_data};
use super::replay::recorded_game;
use super::terminal_table::{drawn, fitted, print_notes, terminal_columns};
use crate::analysis::{Analyst, Estimator, MoveAnalysis, Outlook, all_moves};
use crate::record::GameRecord;
use crate::report::{TextColumn, TextTable, shortened_apart};
use crate::rules::Side;
use crate::run_folder::tables::find_analyst;
use crate::text::counted;
use serde_json::{Value, json};
use std::io;

/// The width of a name, in columns.
const NAME_COLUMNS: usize = 24;

/// Prints the analysis of a game. The run may still be playing.
///
/// # Errors
/// There is no such run or game, or the journal is damaged or too old.
pub fn analyse(arguments: &AnalyseArguments) -> Result<Exit, Failure> {
    let (plan, record) = recorded_game(&arguments.folder, &arguments.game)?;
    let found = find_analyst(&plan.rules);
    let analyst = found.as_ref().ok().and_then(Option::as_ref);
    let mut estimator = Estimator::new(arguments.nodes);
    let by = (analyst, &mut estimator);
    let moves = all_moves(plan.rules, record.start, &record.moves(), by).map_err(|error| {
        Failure::usage(format!(
            "the journal has an illegal move in game {}: {error}; `awale verify` says more",
            record.id
        ))
    })?;
    let seeds = analyst.map(Analyst::seeds);
    if arguments.json {
        let report = as_json(&record, &moves, seeds, arguments.nodes);
        let text = serde_json::to_string_pretty(&report).expect("a value always serializes");
        return say_data(format!("{text}\n").as_bytes());
    }
    let table = table(&record, &moves);
    say(&format!(
        "{}\n",
        drawn(&fitted(vec![table], terminal_columns()))
    ))?;
    let mut notes = notes(&record, &moves, seeds, arguments.nodes);
    notes.extend(
        found
            .err()
            .map(|error| format!("No number is exact: {error}")),
    );
    let printed = print_notes(&mut io::stdout().lock(), &notes);
    printed.map_err(|error| output_failure(&error))?;
    Ok(Exit::Done)
}

fn as_json(record: &GameRecord, moves: &[MoveAnalysis], seeds: Option<u8>, nodes: u64) -> Value {
    let rows = moves.iter().map(|it| {
        let (difference, winner) = match it.outlook {
            Outlook::Difference(difference) => (Some(difference), None),
            Outlook::Winner(winner) => (None, Some(winner.name())),
        };
        json!({
            "ply": it.ply,
            "position": it.position.to_string(),
            "move": it.pit.to_string(),
            "exact": it.is_exact,
            "difference": difference,
            "winner": winner,
            "lost": it.lost,
            "better": it.better.map(|pit| pit.to_string()),
        })
    });
    json!({
        "game": record.id.to_string(),
        "south": record.entrants[0],
        "north": record.entrants[1],
        "ending": record.ending.name(),
        "stores": record.stores,
        "seeds": seeds,
        "nodes": nodes,
        "moves": rows.collect::<Vec<_>>(),
    })
}

fn table(record: &GameRecord, moves: &[MoveAnalysis]) -> TextTable {
    let [south, north] = names(record);
    let column = |title: &str, is_text| TextColumn {
        title: title.to_owned(),
        is_text,
        spared: 0,
    };
    let rows = moves.iter().map(|it| {
        let name = match it.pit.side() {
            Side::South => &south,
            Side::North => &north,
        };
        vec![
            (it.ply + 1).to_string(),
            name.clone(),
            it.pit.to_string(),
            outlook(it),
            lost(it),
            it.better.map(|pit| pit.to_string()).unwrap_or_default(),
        ]
    });
    TextTable {
        heading: Some(format!(
            "{}: {south} (South) against {north} (North)",
            record.id
        )),
        columns: vec![
            column("ply", false),
            column("entrant", true),
            column("move", true),
            column("South ahead", false),
            column("lost", false),
            column("better", true),
        ],
        rows: rows.collect(),
    }
}

fn names(record: &GameRecord) -> [String; 2] {
    let names = record.entrants.each_ref().map(String::as_str);
    let short = shortened_apart(&names, NAME_COLUMNS);
    [short[0].clone(), short[1].clone()]
}

/// `+3`, or `≈+1.25`, or `≈South wins`.
fn outlook(it: &MoveAnalysis) -> String {
    match it.outlook {
        Outlook::Difference(seeds) if it.is_exact => format!("{:+.0}", seeds + 0.0),
        Outlook::Difference(seeds) => format!("≈{:+.2}", seeds + 0.0),
        Outlook::Winner(Side::South) => "≈South wins".to_owned(),
        Outlook::Winner(Side::North) => "≈North wins".to_owned(),
    }
}

/// Empty for a move that has lost nothing.
fn lost(it: &MoveAnalysis) -> String {
    match it.lost {
        Some(0.0) => String::new(),
        Some(seeds) if it.is_exact => format!("{seeds:.0}"),
        Some(seeds) => format!("≈{seeds:.2}"),
        None => "≈the game".to_owned(),
    }
}

fn notes(
    record: &GameRecord,
    moves: &[MoveAnalysis],
    seeds: Option<u8>,
    nodes: u64,
) -> Vec<String> {
    let [south, north] = record.stores;
    let mut notes = vec![format!(
        "{}; final stores {south}–{north}",
        record.ending.name()
    )];
    let exact: Vec<&MoveAnalysis> = moves.iter().filter(|it| it.is_exact).collect();
    if let Some(seeds) = seeds {
        let made = counted(exact.len(), "move was", "moves were");
        notes.push(format!(
            "{made} made with at most {seeds} seeds on the board: their numbers are exact."
        ));
    }
    for (side, name) in Side::BOTH.into_iter().zip(names(record)) {
        let own = exact.iter().filter(|it| it.pit.side() == side);
        let lost: f64 = own.clone().filter_map(|it| it.lost).sum();
        if own.count() > 0 {
            let noun = if (lost - 1.0).abs() < 0.5 {
                "seed"
            } else {
                "seeds"
            };
            notes.push(format!("In these moves {name} lost {lost:.0} {noun}."));
        }
    }
    if exact.len() < moves.len() {
        notes.push(format!(
            "≈ is an estimate: minimax on {nodes} positions for each move. ≈the game: the move let a win \
             go that the search had proved, or made a loss certain."
        ));
    }
    notes
}
