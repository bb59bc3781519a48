//! A configuration of two bots that meet by names of their own. A name is typed before its bot, as
//! in `new="python3 a.py"`, or follows from what tells the two commands apart.

use super::context::OURSELVES;
use super::locate::program_word;
use super::names::TakenNames;
use super::one_bot::{configuration, words};
use crate::text::quoted;
use std::path::Path;

/// The most characters of a name that is not typed.
const LONGEST_NAME: usize = 40;

/// The configuration. The working directory belongs to both bots.
///
/// # Errors
/// One of the texts cannot be split as a shell does, or both have the same name.
pub fn duel(bots: [&str; 2]) -> Result<String, String> {
    let [(name, one), (other_name, other)] = bots.map(split_name);
    let commands = [words(one)?, words(other)?];
    let typed = [name, other_name];
    let [first, second] = named(typed, told_apart(commands.each_ref().map(Vec::as_slice)));
    if first == second {
        return Err(format!(
            "both bots are named {}; give each its own name",
            quoted(&first)
        ));
    }
    let [one, other] = commands;
    let head = "[tournament]\nname = \"duel\"\n";
    Ok(configuration(head, &[(first, one), (second, other)]))
}

/// A bot with the name that is typed before it: letters, digits, `-`, `_` and `.` up to the first
/// `=`. So `./a=b`, `python3 a.py --depth=3` and `env LEVEL=3 ./bot` have no name.
fn split_name(text: &str) -> (Option<&str>, &str) {
    let is_name = |name: &str| {
        let fits = |it: char| it.is_alphanumeric() || "-_.".contains(it);
        !name.is_empty() && !name.starts_with('-') && name.chars().all(fits)
    };
    match text.split_once('=') {
        Some((name, bot)) if is_name(name) => (Some(name), bot),
        _ => (None, text),
    }
}

/// The name of a bot that is typed as for a duel, and its command.
///
/// # Errors
/// The text cannot be split as a shell does.
pub fn named_bot(text: &str) -> Result<(String, Vec<String>), String> {
    let (name, bot) = split_name(text);
    let command = words(bot)?;
    let name = name.map_or_else(|| short_name(&command), str::to_owned);
    Ok((name, command))
}

/// The typed names, and for the others their own; one that looks like the other name has a number.
fn named(typed: [Option<&str>; 2], own: [String; 2]) -> [String; 2] {
    let mut names = own;
    for (name, typed) in names.iter_mut().zip(typed) {
        *name = typed.map_or_else(|| std::mem::take(name), str::to_owned);
    }
    let mut taken = TakenNames::default();
    taken.add(&names[0]);
    if taken.like(&names[1]).is_some() {
        // Two typed names are refused like those of a file.
        if let Some(place) = typed.iter().rposition(Option::is_none) {
            names[place].push_str(".2");
        }
    }
    names
}

/// Names of two bots: of a house bot with its numbers, as in `minimax-3`; of the file of a program;
/// or, if both start the same program, by the first word that differs.
fn told_apart(bots: [&[String]; 2]) -> [String; 2] {
    let short = bots.map(short_name);
    let [one, other] = bots;
    let is_same_program = one.first() == other.first() && house_bot(one).is_none();
    if short[0] != short[1] && !is_same_program {
        return short;
    }
    let mut places = 0..one.len().max(other.len());
    let Some(place) = places.find(|&place| one.get(place) != other.get(place)) else {
        return short;
    };
    let own = bots.map(|words| words.get(place).map_or("", String::as_str));
    let mut names = short;
    for (name, (word, tail)) in names.iter_mut().zip(own.iter().zip(differing_tails(own))) {
        // The program and its script say enough; an option or its value does not.
        if place > 1 || word.starts_with('-') {
            name.push('-');
        } else if !word.is_empty() {
            name.clear();
        }
        *name = fitting(&format!("{name}{}", tail.trim_start_matches('-')));
    }
    names
}

/// The shortest ends of two paths that differ: `bot.py` and `bot2.py`, or `v1-bot.py` and
/// `v2-bot.py`.
fn differing_tails(words: [&str; 2]) -> [String; 2] {
    let [one, other] = words.map(|word| word.split('/').collect::<Vec<_>>());
    let tail = |parts: &[&str], count: usize| parts[parts.len().saturating_sub(count)..].join("-");
    let most = one.len().max(other.len());
    let count = (1..most).find(|&count| tail(&one, count) != tail(&other, count));
    [&one, &other].map(|parts| tail(parts, count.unwrap_or(most)))
}

/// The name of a house bot and its options.
fn house_bot(words: &[String]) -> Option<(&String, &[String])> {
    match words {
        [awale, bot, name, options @ ..] if awale == OURSELVES && bot == "bot" => {
            Some((name, options))
        }
        _ => None,
    }
}

/// A name for a bot: that of its file, without what names cannot contain.
fn short_name(words: &[String]) -> String {
    if let Some((name, options)) = house_bot(words) {
        let numbers = options.iter().filter(|it| it.parse::<u64>().is_ok());
        let all: Vec<&str> = std::iter::once(name)
            .chain(numbers)
            .map(String::as_str)
            .collect();
        return fitting(&all.join("-"));
    }
    fitting(&match words {
        // The interpreter says less than its script.
        [_, script, ..] if !script.starts_with('-') => stem(script),
        [program, ..] => stem(program_word(program)),
        [] => String::new(),
    })
}

/// The part of a text that can be a name.
fn fitting(text: &str) -> String {
    let fits = |it: &char| it.is_ascii_alphanumeric() || "-_.".contains(*it);
    let name: String = text.chars().filter(fits).take(LONGEST_NAME).collect();
    match name.trim_matches('-') {
        "" => "bot".to_owned(),
        name => name.to_owned(),
    }
}

fn stem(path: &str) -> String {
    let stem = Path::new(path).file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bots: [&str; 2]) -> [String; 2] {
        let split = bots.map(split_name);
        let commands = split.map(|(_, bot)| words(bot).unwrap());
        named(
            split.map(|it| it.0),
            told_apart(commands.each_ref().map(Vec::as_slice)),
        )
    }

    #[test]
    fn bots_of_a_duel_are_told_apart() {
        for (bots, expected) in [
            // What they are.
            (["greedy", "minimax --depth 3"], ["greedy", "minimax-3"]),
            (
                ["minimax --depth 3", "minimax --depth 5"],
                ["minimax-3", "minimax-5"],
            ),
            (
                ["./engines/new-engine.exe", "random"],
                ["new-engine", "random"],
            ),
            (
                ["greedy", "python3 'bots/my bot.py' --deep"],
                ["greedy", "mybot"],
            ),
            (["java -Xmx64m Bot", "python3 java.py"], ["java", "python3"]),
            (["./=cmd", "./-"], ["cmd", "bot"]),
            // The first word that differs.
            (["python3 a.py", "python3 b.py"], ["a.py", "b.py"]),
            (
                ["python3 v1/bot.py", "python3 v2/bot.py"],
                ["v1-bot.py", "v2-bot.py"],
            ),
            (["./v1/bot", "./v2/bot"], ["v1-bot", "v2-bot"]),
            (
                ["java -jar old.jar", "java -jar new.jar"],
                ["java-old.jar", "java-new.jar"],
            ),
            (["./bot --new", "./bot --old"], ["bot-new", "bot-old"]),
            (["python3 a.py", "python3 a.py --deep"], ["a", "a-deep"]),
            (["python3 a.py -d 3", "python3 a.py -d 5"], ["a-3", "a-5"]),
            (
                ["minimax", "minimax --endgame"],
                ["minimax", "minimax-endgame"],
            ),
            // Equal lines, and what looks alike.
            (["greedy", "greedy"], ["greedy", "greedy.2"]),
            (["python3 a.py", "python3 A.py"], ["a.py", "A.py.2"]),
            // Names that were typed.
            (["new=python3 a.py", "old=python3 a.py"], ["new", "old"]),
            (["new=python3 a.py", "python3 b.py"], ["new", "b.py"]),
            (["greedy", "greedy=random"], ["greedy.2", "greedy"]),
            (["greedy=random", "greedy"], ["greedy", "greedy.2"]),
            (["a=greedy", "a=greedy"], ["a", "a"]),
        ] {
            assert_eq!(names(bots), expected, "{bots:?}");
        }
    }

    #[test]
    fn a_name_ends_at_the_first_sign_of_equality() {
        for (text, expected) in [
            ("greedy", (None, "greedy")),
            ("new=greedy", (Some("new"), "greedy")),
            ("v1.2_b-3=./bot --x=1", (Some("v1.2_b-3"), "./bot --x=1")),
            ("öwaré=./bot", (Some("öwaré"), "./bot")),
            ("a=b=c", (Some("a"), "b=c")),
            ("new=", (Some("new"), "")),
            ("./a=b", (None, "./a=b")),
            ("python3 a.py --depth=3", (None, "python3 a.py --depth=3")),
            ("env LEVEL=3 ./bot", (None, "env LEVEL=3 ./bot")),
            ("'a'=greedy", (None, "'a'=greedy")),
            ("--x=1", (None, "--x=1")),
            ("=greedy", (None, "=greedy")),
        ] {
            assert_eq!(split_name(text), expected);
        }
    }
}
