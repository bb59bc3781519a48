//! Parses the command of a house bot before any game, as the command line does.

use super::args::{Arguments, Command};
use crate::config::{HouseCommands, Medium};
use crate::engine::House;
use crate::text::{printable, quoted};
use clap::Parser as _;

/// The parser of this program.
pub const HOUSE_COMMANDS: HouseCommands = HouseCommands {
    check,
    is_deterministic,
};

/// The end of every error message.
fn form(medium: Medium) -> String {
    format!(
        "a house bot is {} with NAME random, greedy or minimax and options, as in {}",
        medium
            .command(&["awale", "bot", "NAME"])
            .replace("\"NAME\"", "NAME"),
        medium.words(&["--depth", "4"])
    )
}

/// Why the words do not start a house bot.
fn check(words: &[&str], medium: Medium) -> Result<(), String> {
    let form = form(medium);
    match Arguments::try_parse_from(words) {
        Ok(Arguments {
            command: Command::Bot(bot),
            ..
        }) if House::from_name(&bot.name).is_some() => Ok(()),
        Ok(Arguments {
            command: Command::Bot(bot),
            ..
        }) => Err(format!(
            "no house bot is named {}; {form}",
            quoted(&bot.name)
        )),
        Err(error) if error.use_stderr() => {
            // The first paragraph says what is wrong; the usage of a command line would not help
            // here.
            let text = error.render().to_string();
            let first = text.split("\n\n").next().unwrap_or_default();
            let words: Vec<&str> = first.split_whitespace().skip(1).collect();
            Err(format!("{}; {form}", printable(&words.join(" "))))
        }
        Ok(_) | Err(_) => Err(format!("this command does not play; {form}")),
    }
}

/// Whether the words start a house bot, and nothing else.
pub fn starts_a_house_bot(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    check(&words, Medium::CommandLine).is_ok()
}

/// Whether the words start a house bot that always plays the same in the same game, whatever time
/// it has.
fn is_deterministic(words: &[&str]) -> bool {
    match Arguments::try_parse_from(words) {
        Ok(Arguments {
            command: Command::Bot(bot),
            ..
        }) => match House::from_name(&bot.name) {
            Some(House::Random | House::Greedy) => true,
            Some(House::Minimax(_)) => bot.is_fixed(),
            None => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_at_a_clock_is_not_deterministic() {
        for (words, expected) in [
            ("awale bot greedy", true),
            ("awale bot random --seed 3", true),
            ("awale bot minimax --depth 4 --table-mib 2", true),
            ("awale bot minimax", false),
            ("awale bot minimax --time 20ms", false),
            ("awale bot minimax --depth 4 --time 20ms", false),
            ("awale bot gredy", false),
            ("awale doctor", false),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            assert_eq!(is_deterministic(&words), expected, "{words:?}");
        }
    }

    #[test]
    fn only_players_are_house_bots() {
        for words in [
            ["awale", "bot", "greedy"].as_slice(),
            &["awale", "bot", "minimax", "--depth", "4"],
            &["awale", "bot", "minimax", "--time", "20ms"],
        ] {
            assert_eq!(check(words, Medium::File), Ok(()), "{words:?}");
        }
        for words in [
            ["awale"].as_slice(),
            &["awale", "--help"],
            &["awale", "perft", "--depth", "3"],
            &["awale", "bot"],
            &["awale", "bot", "gredy"],
            &["awale", "bot", "minimax", "--depth", "many"],
            &["awale", "bot", "minimax", "--deep", "4"],
        ] {
            assert!(check(words, Medium::File).is_err(), "{words:?}");
        }
    }
}
