//! How a run ends: its exit code, why nothing was played, and the command that resumes it.

use super::session::SessionResult;
use crate::cli::exit::{Exit, Failure, tell};
use crate::config::Resolved;
use crate::isolation::supervisor::CommandLine;
use crate::record::{Exclusions, Refusal, hint};
use crate::run_folder::{folder_of_refusal, way_out};
use crate::text::{counted, printable, shell_word};
use crate::tournament::RunError;
use std::fmt::Write as _;

/// The exit code of a run; says whether games are missing.
pub fn conclude(played: &SessionResult<'_>, strict: bool) -> Exit {
    if let Some(exit) = unfinished(played) {
        return exit;
    }
    let exclusions = &played.outcome.exclusions;
    let blameless = !played.tables.standings().any_fault() && exclusions.is_empty();
    if !exclusions.open.is_empty() || strict && !blameless {
        Exit::Attention
    } else {
        Exit::Done
    }
}

/// Whether games are missing, and why: an interruption, with the command that resumes the run.
pub fn unfinished(played: &SessionResult<'_>) -> Option<Exit> {
    let (outcome, games) = (&played.outcome, played.tables.games());
    if outcome.interrupted && !outcome.complete {
        tell(&format!(
            "interrupted: {games} of {} games are played; to go on:\n  {}",
            outcome.games,
            own_command()
        ));
        return Some(Exit::Interrupted);
    }
    let open = outcome.exclusions.open.len();
    if open > 0 {
        tell(&format!(
            "{}: the host made a game of each void every time; to play them again:\n  {}",
            counted(open, "pair is open", "pairs are open"),
            own_command()
        ));
    }
    None
}

/// What the author of a bot that was not admitted can do, if its fault is a usual one.
pub fn advice(refusal: &Refusal) -> Option<&'static str> {
    let fault = refusal.fault()?;
    hint(fault.kind, &fault.detail)
}

/// Why nothing is played, and what to do.
pub fn barred(exclusions: &Exclusions, resolved: &Resolved) -> String {
    let reason = if resolved.gate.required {
        "[admission] is required, and not everybody passed it"
    } else {
        "too few entrants were admitted for a game between two of them"
    };
    let mut text = format!("nothing is played: {reason}");
    for (name, refusal) in &exclusions.refused {
        let _ = write!(
            text,
            "\n  {}: {}: {}",
            printable(name),
            refusal.reason(),
            printable(refusal.detail())
        );
        if let Some(hint) = advice(refusal) {
            let _ = write!(text, "; hint: {hint}");
        }
        let evidence = folder_of_refusal(name, refusal).map(|it| resolved.output.join(it));
        if let Some(evidence) = evidence.filter(|it| it.is_dir()) {
            let _ = write!(text, "; see {}", evidence.display());
        }
    }
    text.push_str("\nfix what is wrong, or take them out, and run the same command again");
    text
}

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
fn own_command() -> String {
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
