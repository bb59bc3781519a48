//! A bot named on a command line: the name of a house bot, or one string that is split into words
//! as a shell does it. Its program is found like an entrant's, from the working directory. Also
//! makes a configuration of such bots.

use super::error::{Located, Medium, Origin};
use super::finder::Finder;
use super::keys::tables::TypedEntrant;
use super::toolchains::{ToolchainSearch, Toolchains};
use super::trust::TrustBoundary;
use crate::bot::{Launch, Level, Limits};
use crate::config::context::HostEnv;
use crate::config::context::HouseCommands;
use crate::config::toolchains::Questions;
use crate::engine::House;
use crate::text::{quoted, toml_array, toml_string};
use std::fmt::Write as _;
use std::path::PathBuf;

/// The launch of this bot. The working directory belongs to it, with all files.
///
/// # Errors
/// The text cannot be split as a shell does it, or names no program.
pub fn launch(text: &str, level: Level, house: &HouseCommands) -> Result<Launch, String> {
    let words = words(text)?;
    let host_env = HostEnv::of_this_process(house);
    let folder = std::env::current_dir()
        .map_err(|error| format!("cannot find the working directory: {error}"))?;
    let origin = Origin::Flag("BOT".to_owned());
    let placed = |value: &String| Located {
        value: value.clone(),
        origin: origin.clone(),
    };
    let command = Located {
        value: words.iter().map(placed).collect(),
        origin: origin.clone(),
    };
    let dir = placed(&".".to_owned());
    let entrant = TypedEntrant::new(placed(&text.to_owned()), command, Some(dir));
    let in_words = |message: &str| format!("cannot start {}: {message}", quoted(text));
    let home = host_env.variable("HOME").map(PathBuf::from);
    let entrants = std::slice::from_ref(&entrant);
    let boundary = TrustBoundary::new(entrants, &folder, home, None);
    let search = ToolchainSearch {
        host_env: &host_env,
        boundary: &boundary,
        questions: &Questions::default(),
        is_record: false,
    };
    let found = Toolchains::find(entrants, &search, level);
    let toolchains = found.map_err(|problem| in_words(&problem.message))?;
    let passed_over = toolchains.warnings.join("; ");
    let mut finder = Finder {
        medium: Medium::CommandLine,
        ..Finder::new(&host_env, &folder, level, &boundary, toolchains)
    };
    match finder.find(&entrant, Limits::default().submission_bytes) {
        Ok(program) => match program.unfit {
            None => Ok(program.launch),
            Some(reason) => Err(in_words(&reason)),
        },
        Err(problem) if passed_over.is_empty() => Err(in_words(&problem.message)),
        Err(problem) => Err(in_words(&format!("{}; {passed_over}", problem.message))),
    }
}

/// A configuration of two bots, `new` and `base`, to which the working directory belongs.
///
/// # Errors
/// One of the texts cannot be split as a shell does.
pub fn two_bots(new: &str, base: &str) -> Result<String, String> {
    let named = |name: &str, command| {
        let words = words(command).map_err(|reason| format!("--{name}: {reason}"));
        Ok::<_, String>((name.to_owned(), words?))
    };
    let head = "[tournament]\nname = \"sprt\"\nblind = true\n";
    Ok(configuration(
        head,
        &[named("new", new)?, named("base", base)?],
    ))
}

/// A configuration with this head and these bots, by name and command.
pub fn configuration(head: &str, bots: &[(String, Vec<String>)]) -> String {
    let mut text = head.to_owned();
    for (name, words) in bots {
        let (name, command) = (
            toml_string(name),
            toml_array(words.iter().map(|it| toml_string(it))),
        );
        let _ = write!(
            text,
            "[[entrant]]\nname = {name}\ncommand = {command}\ndir = \".\"\n"
        );
    }
    text
}

/// The words of the command. A house bot may be given by its name and options alone.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let words = shlex::split(text).ok_or_else(|| {
        format!(
            "{} cannot be split into words: a quote is not closed",
            quoted(text)
        )
    })?;
    let Some(first) = words.first() else {
        return Err(
            "no bot is named; it is a house bot (random, greedy, minimax) or a command, \
                    as in \"python3 ada.py\""
                .to_owned(),
        );
    };
    if House::from_name(first).is_none() {
        return Ok(words);
    }
    let house = ["awale", "bot"].map(str::to_owned);
    Ok(house.into_iter().chain(words).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_as_a_shell_does() {
        for (text, expected) in [
            ("greedy", ["awale", "bot", "greedy"].as_slice()),
            (" greedy ", &["awale", "bot", "greedy"]),
            (
                "minimax --depth 3",
                &["awale", "bot", "minimax", "--depth", "3"],
            ),
            ("./greedy", &["./greedy"]),
            (
                "python3 'my bot.py' --deep",
                &["python3", "my bot.py", "--deep"],
            ),
            ("a\\ b \"c d\"", &["a b", "c d"]),
        ] {
            assert_eq!(words(text).unwrap(), expected, "{text:?}");
        }
        for text in ["", "  ", "python3 'ada.py", "\"a"] {
            assert!(words(text).is_err(), "{text:?}");
        }
    }
}
