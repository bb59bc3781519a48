//! Who plays in a final: the entrants that the organiser names, and the best of an earlier run, by
//! the points of its table of grades, then by rank. Who has the points and the rank of the last one is
//! in, too.

use super::graded::{GradedRow, read_grades};
use crate::config::error::{Diagnostic, Located};
use crate::config::keys::tables::TypedClass;
use crate::config::names::no_entrant;
use crate::config::trust::shown;
use crate::files::Folder;
use crate::record::GRADES_TABLE;
use crate::text::quoted;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::Path;

/// The names of those who play; `None` if all do.
#[derive(Clone, Debug, Default)]
pub struct Finalists(Option<BTreeSet<String>>);

impl Finalists {
    /// What the configuration says; `folder` is where its paths begin.
    ///
    /// # Errors
    /// The grades of the earlier run cannot be read, or one of two keys is missing.
    pub fn read(folder: &Path, class: &TypedClass) -> Result<Self, Diagnostic> {
        let mut names = BTreeSet::new();
        match (&class.best, &class.best_of) {
            (None, None) if class.only.is_empty() => return Ok(Self(None)),
            (None, None) => {}
            (Some(best), Some(run)) => {
                let place = folder.join(&run.value);
                let rows = Folder::open(&place).and_then(|it| read_grades(&it, ""));
                let rows = rows.map_err(|error| {
                    let message = format!(
                        "cannot read {GRADES_TABLE} in {}: {error}; `best-of` is the folder of an \
                         earlier run of the class, relative to {}",
                        shown(&place),
                        shown(folder)
                    );
                    Diagnostic::new(&run.origin, message)
                })?;
                names.extend(first(rows, best.value as usize));
            }
            (Some(typed), None) => {
                let message = "`best` needs `best-of`, the folder of an earlier run of the class, \
                               as in best-of = \"results/class\"";
                return Err(Diagnostic::new(&typed.origin, message));
            }
            (None, Some(typed)) => {
                let message = "`best-of` needs `best`, the number of entrants, as in best = 8";
                return Err(Diagnostic::new(&typed.origin, message));
            }
        }
        names.extend(class.only.iter().map(|it| it.value.clone()));
        Ok(Self(Some(names)))
    }

    /// Whether everybody plays.
    pub const fn are_all(&self) -> bool {
        self.0.is_none()
    }

    /// Whether an entrant of this name plays.
    pub fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.contains(name))
    }

    /// Fails if `only` names somebody who has handed in nothing.
    pub fn check(only: &[Located<String>], names: &BTreeSet<String>) -> Result<(), Diagnostic> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let unknown = only.iter().find(|it| !names.contains(&it.value.as_str()));
        unknown.map_or(Ok(()), |typed| {
            let message = no_entrant(
                &format!("{} of `only` in [class]", quoted(&typed.value)),
                &typed.value,
                &names,
            );
            Err(Diagnostic::new(&typed.origin, message))
        })
    }
}

/// The names of the first ones.
fn first(rows: Vec<GradedRow>, number: usize) -> Vec<String> {
    let mut rows: Vec<GradedRow> = rows
        .into_iter()
        .filter(|it| it.status.is_empty() && it.admitted == "yes")
        .collect();
    rows.sort_by(order);
    let last = rows.get(number.saturating_sub(1)).cloned();
    let is_in = |it: &GradedRow| {
        last.as_ref()
            .is_none_or(|last| order(it, last) != Ordering::Greater)
    };
    let first = rows.into_iter().filter(is_in);
    first.map(|it| it.entrant).collect()
}

/// More points first, then the better rank; who has none comes last.
fn order(one: &GradedRow, other: &GradedRow) -> Ordering {
    let points = |it: &GradedRow| it.points().unwrap_or(f64::NEG_INFINITY);
    let rank = |it: &GradedRow| it.rank.unwrap_or(usize::MAX);
    points(other)
        .total_cmp(&points(one))
        .then(rank(one).cmp(&rank(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_then_ranks_and_who_is_level_with_the_last_is_in() {
        let table = "entrant,status,admitted,points,rank,more\n\
                     ada,,yes,70,3,x\nben,,yes,80.5,4,\ncy,withdrawn,yes,90,1,\n\
                     dee,,yes,70,2,\neve,,no,99,,\nfay,,yes,70,3,\ngus,,yes,,5,\n";
        let rows = || {
            let mut reader = csv::Reader::from_reader(table.as_bytes());
            let rows: Result<Vec<GradedRow>, _> = reader.deserialize().collect();
            rows.expect("a table")
        };
        for (number, expected) in [
            (1, vec!["ben"]),
            (2, vec!["ben", "dee"]),
            (3, vec!["ben", "dee", "ada", "fay"]),
            (4, vec!["ben", "dee", "ada", "fay"]),
            (5, vec!["ben", "dee", "ada", "fay", "gus"]),
            (90, vec!["ben", "dee", "ada", "fay", "gus"]),
        ] {
            assert_eq!(first(rows(), number), expected, "{number}");
        }
    }
}
