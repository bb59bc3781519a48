//! The feedback of entrants that are examined before any game is played.

use super::content::{Block, Content, advice, item, output, sentence};
use super::text::feedback_text;
use super::{TEXT, WEB_PAGE, last_lines_of, shown_program};
use crate::report::feedback_page;
use crate::run_folder::{FolderError, open_target, write_file};
use crate::text::{counted, printable};
use crate::tournament::{Plan, label};
use std::io::Write as _;
use std::path::Path;

/// What an examination found of an entrant.
#[derive(Clone, Debug)]
pub struct CheckedEntrant {
    /// Its name in the plan.
    pub name: String,
    /// Why no step could be taken, if none could. Hostile text.
    pub problem: Option<String>,
    /// The number of steps that it passed.
    pub passed: usize,
    /// The steps that failed.
    pub failed: Vec<CheckedStep>,
    /// Those with a note.
    pub notes: Vec<CheckedStep>,
}

/// A step that was not simply passed.
#[derive(Clone, Debug)]
pub struct CheckedStep {
    /// What is examined.
    pub title: &'static str,
    /// What happened. Hostile text.
    pub what: String,
    /// What to do about it, in its place or beside `fix`. Hostile text.
    pub hint: Option<String>,
    /// What to do about such a failure.
    pub fix: &'static str,
    /// What the program wrote to standard error. Hostile bytes.
    pub standard_error: Vec<u8>,
}

/// Writes the feedback of each entrant to a folder of its own in `target`.
///
/// # Errors
/// The disk's.
pub fn write_checked_feedback(
    target: &Path,
    tournament: &str,
    plan: &Plan,
    entrants: &[CheckedEntrant],
) -> Result<(), FolderError> {
    let target = open_target(target)?;
    for entrant in entrants {
        let name = label(&entrant.name);
        let folder = target.make(&name);
        let folder = folder.map_err(|error| super::failed(&target, &name, error))?;
        let content = content_of(entrant, tournament, plan);
        let page = feedback_page(&content.title, &content);
        for (name, text) in [(WEB_PAGE, page), (TEXT, feedback_text(&content))] {
            write_file(&folder, name, |out| Ok(out.write_all(text.as_bytes())?))?;
        }
    }
    Ok(())
}

fn content_of(entrant: &CheckedEntrant, tournament: &str, plan: &Plan) -> Content {
    let sections = [
        ("", verdict(entrant, plan)),
        ("Faults", faults(entrant)),
        ("Notes", entrant.notes.iter().flat_map(step).collect()),
    ];
    Content::new(&entrant.name, tournament, sections)
}

fn verdict(entrant: &CheckedEntrant, plan: &Plan) -> Vec<Block> {
    let mut blocks = vec![sentence("No game is played yet: this is an examination.")];
    if entrant.problem.is_some() {
        blocks.push(sentence("It cannot be started. The reason is below."));
    } else if entrant.failed.is_empty() {
        let steps = counted(entrant.passed, "step", "steps");
        blocks.push(sentence(format!(
            "It keeps to the protocol: {steps} passed."
        )));
        return blocks;
    } else {
        let failed = counted(entrant.failed.len(), "step", "steps");
        blocks.push(sentence(format!(
            "It does not keep to the protocol: {failed} failed, {} passed. Such a program is not \
             admitted, or loses games by faults.",
            entrant.passed
        )));
    }
    blocks.extend(advice(&shown_program(plan, &entrant.name)));
    blocks
}

fn faults(entrant: &CheckedEntrant) -> Vec<Block> {
    let problem = entrant.problem.iter().map(|it| item(printable(it)));
    let failed = entrant.failed.iter().flat_map(step);
    let blocks: Vec<Block> = problem.chain(failed).collect();
    if blocks.is_empty() {
        return vec![sentence("none")];
    }
    blocks
}

fn step(step: &CheckedStep) -> Vec<Block> {
    let mut blocks = vec![item(format!("{}: {}", step.title, printable(&step.what)))];
    blocks.extend(last_lines_of(&step.standard_error).map(output));
    let hint = step.hint.as_deref().map(printable);
    blocks.extend(hint.map(|hint| sentence(format!("hint: {hint}"))));
    blocks.push(sentence(format!("to do: {}", step.fix)));
    blocks
}
