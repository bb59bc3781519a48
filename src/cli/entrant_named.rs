//! The entrant that a user names: by its name, by its form in file names and addresses, or in another
//! case.

use super::exit::Failure;
use crate::text::{did_you_mean, quoted, some_names};
use crate::tournament::look_alike;

/// The name of the entrant that was typed.
///
/// # Errors
/// There is none; the nearest one is suggested.
pub fn entrant_named(typed: &str, names: &[String]) -> Result<String, Failure> {
    let exact = names.iter().find(|name| *name == typed);
    let found = exact.or_else(|| names.iter().find(|name| look_alike(name, typed)));
    found.cloned().ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Failure::usage(format!(
            "there is no entrant {}{}; there are {}",
            quoted(typed),
            did_you_mean(typed, &names, ["\"", "\""]),
            some_names(&names)
        ))
    })
}
