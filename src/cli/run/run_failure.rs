//! A run that the machine ended: the error, and the command that resumes it.

use crate::cli::exit::Failure;
use crate::isolation::supervisor::CommandLine;
use crate::run_folder::way_out;
use crate::text::shell_word;
use crate::tournament::RunError;

/// A run that the machine ended, with the command that resumes it, if nothing else is wrong.
pub fn run_failure(error: RunError) -> Failure {
    match error {
        RunError::Blocked { .. } | RunError::Unstarted { .. } => {
            Failure::machine(format!("{error}:\n  {}", own_command()))
        }
        RunError::Journal(ref cause) if !way_out(cause).is_empty() => {
            Failure::machine(format!("{error}: {cause}{}", way_out(cause)))
        }
        _ => Failure::machine(error),
    }
}

/// The user's command line, quoted for a shell.
pub fn own_command() -> String {
    let words = CommandLine::own().words.into_iter();
    let words = words.map(|word| word.to_string_lossy().into_owned());
    let words = without_secret(words.collect());
    // What goes on does not begin anew.
    let words = words.iter().filter(|word| *word != "--fresh");
    let words = words.map(|word| shell_word(word));
    words.collect::<Vec<String>>().join(" ")
}

/// Removes a typed secret: the folder keeps it.
fn without_secret(words: Vec<String>) -> Vec<String> {
    const SET: &str = "--set";
    // A key may have spaces around it.
    let is_secret = |word: &str| word.trim_start().starts_with("tournament.secret");
    let mut kept: Vec<String> = Vec::new();
    for word in words {
        let joined = word.strip_prefix(SET).and_then(|it| it.strip_prefix('='));
        if joined.is_some_and(is_secret) {
            continue;
        }
        if is_secret(&word) && kept.last().is_some_and(|last| last == SET) {
            kept.pop();
            continue;
        }
        kept.push(word);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_secret_is_not_repeated() {
        let secret = "tournament.secret=5e5e";
        for typed in [
            vec!["--set".to_owned(), secret.to_owned()],
            vec!["--set".to_owned(), format!(" {secret}")],
            vec![format!("--set={secret}")],
            vec![format!("--set= {secret}")],
        ] {
            let rest = ["--set", "tournament.seed=1"].map(str::to_owned);
            let words = typed.iter().cloned().chain(rest.clone());
            assert_eq!(without_secret(words.collect()), rest, "{typed:?}");
        }
    }
}
