//! `awale openings`: lists of openings that are made, for `openings = { file = … }`.
//!
//! Candidates come in an order that the seed draws. They are searched in blocks, on several threads,
//! and taken in their order: the number of threads changes nothing in the list.

use super::args::{MakeOpeningsArguments, OpeningsArguments, OpeningsCommand};
use super::exit::{Exit, Failure, tell};
use super::{output_file, rule_args};
use crate::analysis::{Estimate, Estimator, Outlook};
use crate::engine::{House, MinimaxOptions};
use crate::rules::{Game, RuleSet};
use crate::text::counted;
use crate::tournament::{Opening, seeded_openings};
use std::fmt::Write as _;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The plies that `minimax` searches from each position. With a fixed depth its values are those of
/// plain negamax.
const DEPTH: u32 = 8;
/// Candidates that are searched before the next ones are drawn.
const BLOCK: usize = 256;
/// After this many positions that are not even, the search for more ends.
const PATIENCE: usize = 2_000;

pub fn openings(arguments: &OpeningsArguments) -> Result<Exit, Failure> {
    match &arguments.command {
        OpeningsCommand::Make(it) => make(it),
    }
}

/// Writes a list of even openings.
///
/// # Errors
/// There are too few such openings; the file cannot be written.
fn make(arguments: &MakeOpeningsArguments) -> Result<Exit, Failure> {
    let plies = arguments.plies;
    if !plies.is_multiple_of(2) {
        return Err(Failure::usage(format!(
            "--plies {plies}: South begins every game, so an opening has an even number of plies"
        )));
    }
    let rules = rule_args::rules(&arguments.rules)?;
    let count = arguments.count as usize;
    let mut search = BookSearch::default();
    let mut candidates = seeded_openings(&rules, plies, arguments.seed);
    while search.book.len() < count && search.in_vain < PATIENCE {
        let block: Vec<Opening> = candidates.by_ref().take(BLOCK).collect();
        if block.is_empty() {
            break;
        }
        let even = even(&rules, &block, arguments);
        search.take(block.into_iter().zip(even), count);
    }
    if search.book.len() < count {
        return Err(Failure::usage(search.too_few(arguments)));
    }
    let text = search.text(arguments);
    output_file::write(arguments.output.as_deref(), text.as_bytes())?;
    let found = counted(count, "opening", "openings");
    tell(&format!(
        "{found} of {} positions after {plies} plies",
        search.tried
    ));
    Ok(Exit::Done)
}

/// Which openings `minimax` holds for even.
fn even(rules: &RuleSet, block: &[Opening], arguments: &MakeOpeningsArguments) -> Vec<bool> {
    let threads = arguments.threads.map(usize::from);
    let threads =
        threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
    let most = f64::from(arguments.balanced);
    let next = AtomicUsize::new(0);
    let search = || {
        let mut estimator = Estimator::to_depth(DEPTH);
        let mut found = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(opening) = block.get(index) else {
                return found;
            };
            let estimate = estimator.estimate(&Game::new(*rules, opening.position));
            found.push((index, is_even(estimate, most)));
        }
    };
    let mut found: Vec<(usize, bool)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(search)).collect();
        let found = workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a search does not panic"));
        found.collect()
    });
    found.sort_unstable();
    found.into_iter().map(|(_, is_even)| is_even).collect()
}

fn is_even(estimate: Option<Estimate>, most: f64) -> bool {
    match estimate.map(|it| it.outlook) {
        Some(Outlook::Difference(seeds)) => seeds.abs() <= most,
        Some(Outlook::Winner(_)) | None => false,
    }
}

/// The openings that were found so far.
#[derive(Default)]
struct BookSearch {
    book: Vec<Opening>,
    tried: usize,
    /// The positions since the last even one.
    in_vain: usize,
}

impl BookSearch {
    /// Takes the even ones of these openings, up to `count` in all.
    fn take(&mut self, openings: impl Iterator<Item = (Opening, bool)>, count: usize) {
        for (opening, is_even) in openings {
            if self.book.len() == count || self.in_vain == PATIENCE {
                return;
            }
            self.tried += 1;
            self.in_vain += 1;
            if is_even {
                self.in_vain = 0;
                self.book.push(opening);
            }
        }
    }

    fn too_few(&self, arguments: &MakeOpeningsArguments) -> String {
        let MakeOpeningsArguments {
            count,
            plies,
            balanced,
            ..
        } = arguments;
        let (tried, found) = (self.tried, self.book.len());
        let searched = if self.in_vain == PATIENCE {
            format!("were searched, the last {PATIENCE} in vain")
        } else {
            "are all that were found".to_owned()
        };
        format!(
            "cannot make {count} openings: {tried} positions after {plies} plies {searched}, and \
             minimax holds {found} of them for even within {balanced} seeds; take more --plies or a \
             larger --balanced, or a smaller --count"
        )
    }

    /// The list, with a comment that says how it was made.
    fn text(&self, arguments: &MakeOpeningsArguments) -> String {
        let MakeOpeningsArguments {
            count,
            plies,
            balanced,
            seed,
            rules,
            ..
        } = arguments;
        let sets = rules.sets.iter().map(|set| format!(" --set {set}"));
        let minimax = House::Minimax(MinimaxOptions::default()).version();
        let mut text = format!(
            "# Made by awale {}:\n\
             # awale openings make --count {count} --plies {plies} --balanced {balanced} --seed {seed} \
             --rules {}{}\n\
             # minimax (version {minimax}, {DEPTH} plies deep) holds each position for even within \
             {balanced} seeds; {} were searched.\n",
            env!("CARGO_PKG_VERSION"),
            rules.rules,
            sets.collect::<String>(),
            self.tried,
        );
        for opening in &self.book {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", opening.text());
        }
        text
    }
}
