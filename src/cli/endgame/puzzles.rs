//! `awale endgame puzzles`: positions with exactly one winning move, as openings, as JSON, and as a
//! page on which one solves them.

use crate::cli::args::PuzzlesArguments;
use crate::cli::exit::{Exit, Failure, say, tell};
use crate::cli::rule_args;
use crate::engine::endgame::{EndgameValues, SolvedRules};
use crate::engine::puzzles::{PuzzleTurn, find_puzzles};
use crate::report::puzzles_page;
use crate::run_folder::{open_target, write_file};
use crate::text::counted;
use crate::tournament::changed_fields;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::io::Write as _;

const OPENINGS: &str = "puzzles.txt";
const DATA: &str = "puzzles.json";
const PAGE: &str = "puzzles.html";

/// The puzzles as JSON.
#[derive(Serialize)]
struct PuzzleFile<'a> {
    /// The version of this form.
    v: u8,
    /// The preset of the rules.
    rules: &'static str,
    /// The fields of the rules that differ from the preset.
    set: Map<String, Value>,
    puzzles: &'a [PuzzleTurn],
}

/// Writes the puzzles and says where they are.
pub fn puzzles(arguments: &PuzzlesArguments) -> Result<Exit, Failure> {
    let preset = rule_args::preset(&arguments.rules.rules).map_err(Failure::usage)?;
    let rules = rule_args::rules(&arguments.rules)?;
    let solved = SolvedRules::of(&rules)
        .map_err(|why| Failure::usage(format!("cannot make puzzles for these rules: {why}")))?;
    let seeds = arguments.seeds.clone();
    let values = EndgameValues::solve(solved, *seeds.end());
    let found = find_puzzles(&values, &rules, seeds, arguments.count.into());
    if found.is_empty() {
        return Err(Failure::usage(
            "no position with so few seeds has exactly one winning move; take more of them, as in \
             --seeds 6..10",
        ));
    }
    let file = PuzzleFile {
        v: 1,
        rules: preset.name(),
        set: changed_fields(&rules, preset).into_iter().collect(),
        puzzles: &found,
    };
    let json = serde_json::to_string(&file).expect("puzzles are texts and numbers") + "\n";
    let target = open_target(&arguments.output)?;
    for (name, text) in [
        (OPENINGS, openings(&found)),
        (DATA, json),
        (PAGE, puzzles_page(&file)),
    ] {
        write_file(&target, name, |out| Ok(out.write_all(text.as_bytes())?))?;
        say(&format!("{}\n", arguments.output.join(name).display()))?;
    }
    if found.len() < arguments.count.into() {
        let found = counted(found.len(), "puzzle", "puzzles");
        tell(&format!(
            "there are no more than {found} with so many seeds"
        ));
    }
    Ok(Exit::Done)
}

/// A list of openings; what stands after `#` says how long each win takes.
fn openings(puzzles: &[PuzzleTurn]) -> String {
    let mut text = "# South wins with exactly one move.\n".to_owned();
    let mut plies = 0;
    for puzzle in puzzles {
        if puzzle.plies > plies {
            plies = puzzle.plies;
            let _ = writeln!(text, "# plies of the shortest win: {plies}");
        }
        let _ = writeln!(text, "{}", puzzle.position);
    }
    text
}
