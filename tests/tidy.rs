//! Holds the code to the map in the head of `src/lib.rs`: no room names one that the map does not
//! let it know, and no two rooms know each other. Every file says what it is about, only `cli`
//! prints, and words that were given up stay away.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms whose whole work is to compute: the time, files and processes arrive as values.
const PURE: [&str; 7] = [
    "engine", "protocol", "record", "referee", "rules", "stats", "text",
];
/// What such a room must not name.
const EFFECTS: [&str; 4] = ["env", "fs", "net", "process"];
/// Rooms that may print. The processes of `isolation` talk to each other there.
const PRINTERS: [&str; 3] = ["main", "cli", "isolation"];

/// Names and words that only their authors could guess.
const BANNED: &[&str] = &[
    "Bench",
    "BotBench",
    "Feed",
    "Ruling",
    "Parting",
    "Lifeline",
    "Orders",
    "Belongings",
    "Outfitter",
    "Trouble",
    "Surroundings",
    "Roll",
    "Dice",
    "Wish",
    "Trial",
    "Traps",
    "Seat",
    "Chair",
    "Guardian",
    "Utterance",
    "lifeline",
    "parting",
    "belongings",
    "surroundings",
    "wish",
    "bench",
    "ruling",
    "seat",
    "seats",
    "traps",
    "dice",
    "roll",
    "sheet",
    "praise",
    "guardian",
    "whoever",
];

/// A file below `src`.
struct SourceFile {
    path: String,
    /// Its first part below `src`; nothing for `lib.rs`.
    room: Option<String>,
    text: String,
}

impl SourceFile {
    /// Its lines with their numbers, without comments, and without the tests at its end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_all_tests = self.path.ends_with("/tests.rs") || self.path.contains("/tests/");
        let code = if is_all_tests { "" } else { &self.text };
        let code = code
            .split("\n#[cfg(test)]\nmod tests {")
            .next()
            .expect("a part");
        (1..)
            .zip(code.lines())
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn sources() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(&root.join("src"), &mut paths);
    paths.sort();
    let source = |path: &PathBuf| {
        let name = path.strip_prefix(root).expect("below the root");
        let path = name.to_str().expect("a path in UTF-8").to_owned();
        let first = path.split('/').nth(1).expect("a file below src");
        let room = first.strip_suffix(".rs").unwrap_or(first);
        SourceFile {
            room: Some(room).filter(|it| *it != "lib").map(str::to_owned),
            text: fs::read_to_string(root.join(&path)).expect("a text"),
            path,
        }
    };
    paths.iter().map(source).collect()
}

/// Each room of the map in the head of `src/lib.rs`, with the rooms that its arrow leads to.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let text = fs::read_to_string(lib).expect("src/lib.rs");
    let map = text.split("```").nth(1).expect("a map between fences");
    // A list that is too long for its line goes on in the next.
    let map = map.replace("//!", "").replace(",\n", ",");
    let mut rooms = BTreeMap::new();
    for line in map.lines().filter(|line| line.contains('→')) {
        let (room, known) = line.split_once('→').expect("an arrow");
        let room = room.split_whitespace().next().expect("a name").to_owned();
        let words = known.split([',', '→']).map(|word| word.trim().to_owned());
        rooms.insert(room, words.collect());
    }
    let below = rooms.keys().filter(|it| *it != "main").cloned().collect();
    rooms.insert("cli".to_owned(), below);
    rooms.insert("main".to_owned(), BTreeSet::from(["cli".to_owned()]));
    rooms
}

/// Each first name after `crate::` in some code, with the line where it stands; groups as well.
fn named_rooms(file: &SourceFile) -> Vec<(usize, String)> {
    let path = Regex::new(r"(?-u)\b(?:crate|awale)::(\w+|(?u:\{[^;]*;))").expect("an expression");
    let code: Vec<(usize, &str)> = file.code().collect();
    let text: Vec<&str> = code.iter().map(|(_, line)| *line).collect();
    let text = text.join("\n");
    let mut named = Vec::new();
    for found in path.captures_iter(&text) {
        let place = text[..found.get(0).expect("all of it").start()]
            .lines()
            .count();
        let (line, _) = code[place.saturating_sub(1)];
        named.extend(first_names(&found[1]).map(|name| (line, name)));
    }
    named
}

/// `a` of `a`; `a` and `c` of `{a::{b}, c}`.
fn first_names(path: &str) -> impl Iterator<Item = String> {
    let mut depth = 0;
    let mut names = vec![String::new()];
    let mut is_first = true;
    for character in path.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => names.push(String::new()),
            _ => {}
        }
        is_first = is_first && character != ':' || character == ',' && depth == 1;
        if is_first && depth <= 1 && (character.is_alphanumeric() || character == '_') {
            names.last_mut().expect("one").push(character);
        }
    }
    names.into_iter().filter(|name| !name.is_empty())
}

#[test]
fn no_room_names_one_that_it_may_not_know() {
    let arrows = arrows();
    let mut wrong = Vec::new();
    for file in sources() {
        let Some(room) = &file.room else { continue };
        let known = arrows.get(room);
        let known = known.unwrap_or_else(|| panic!("{}: {room} is not on the map", file.path));
        for (line, name) in named_rooms(&file) {
            if arrows.contains_key(&name) && name != *room && !known.contains(&name) {
                wrong.push(format!("{}:{line}: {room} must not know {name}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn no_room_knows_one_that_knows_it() {
    let mut left = arrows();
    // Rooms that know none of those that are left are taken away, until none is left.
    while !left.is_empty() {
        let lowest: Vec<String> = left
            .iter()
            .filter(|(room, known)| !known.iter().any(|it| it != *room && left.contains_key(it)))
            .map(|(room, _)| room.clone())
            .collect();
        assert!(!lowest.is_empty(), "a circle among {:?}", left.keys());
        left.retain(|room, _| !lowest.contains(room));
    }
}

#[test]
fn every_file_says_what_it_is_about() {
    for file in sources() {
        assert!(
            file.text.starts_with("//! "),
            "{}: no head comment",
            file.path
        );
    }
}

#[test]
fn rooms_that_compute_have_no_effects_and_only_faces_print() {
    let effects = format!(r"(?-u)\bstd::(?:{})\b", EFFECTS.join("|"));
    let effects = Regex::new(&effects).expect("an expression");
    let printing = Regex::new(r"(?-u)\b(?:e?print(?:ln)?|dbg)!").expect("an expression");
    let mut wrong = Vec::new();
    for file in sources() {
        let Some(room) = file.room.as_deref() else {
            continue;
        };
        for (number, line) in file.code() {
            let has_effect = PURE.contains(&room) && effects.is_match(line);
            let prints = !PRINTERS.contains(&room) && printing.is_match(line);
            if has_effect || prints {
                wrong.push(format!("{}:{number}: {}", file.path, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn banned_words_stay_away() {
    let banned = format!(r"(?-u)\b(?:{})\b", BANNED.join("|"));
    let banned = Regex::new(&banned).expect("an expression");
    let mut wrong = Vec::new();
    for file in sources() {
        for (number, line) in file.code() {
            if let Some(word) = banned.find(line) {
                wrong.push(format!("{}:{number}: {}", file.path, word.as_str()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// What the checks must catch, and what they must not.
#[test]
fn the_checks_bite() {
    let file = |path: &str, text: &str| SourceFile {
        path: path.to_owned(),
        room: Some("rules".to_owned()),
        text: text.to_owned(),
    };
    let names = |text: &str| -> Vec<String> {
        let found = named_rooms(&file("src/rules/x.rs", text));
        found.into_iter().map(|(_, name)| name).collect()
    };
    assert_eq!(names("use crate::stats::elo;"), ["stats"]);
    assert_eq!(names("use crate::{bot, record::Void};"), ["bot", "record"]);
    assert_eq!(
        names("use crate::{\n    text::{a, b},\n    files,\n};"),
        ["text", "files"]
    );
    assert_eq!(names("let x = crate::bot::y();"), ["bot"]);
    assert!(names("// crate::bot").is_empty());
    assert!(names("use std::fmt;\n#[cfg(test)]\nmod tests {\nuse crate::bot;").is_empty());
    assert!(
        file("src/rules/tests.rs", "use crate::bot;")
            .code()
            .next()
            .is_none()
    );
}
