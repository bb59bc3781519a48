//! The checks: a file in, findings out. Each finding names the better way.

use super::paths::{Target, module_of, named_paths};
use super::source::Source;
use std::fmt;

/// A room of the crate, and what it may know.
pub struct Room {
    /// Its module.
    pub name: &'static str,
    /// The rooms that it may know.
    pub knows: &'static [&'static str],
    /// The crates that it may use beside `std`.
    pub crates: &'static [&'static str],
    /// Paths that it must not name, though it may use the crates that they are of.
    pub never: &'static [&'static str],
    /// What to do instead of knowing more.
    pub instead: &'static str,
}

/// A room that may know only these names of another.
pub struct Door {
    /// Who knows.
    pub from: &'static str,
    /// Who is known.
    pub to: &'static str,
    /// All that may be named.
    pub names: &'static [&'static str],
}

/// A part of a room that must not know another part.
pub struct Wall {
    /// Path of the module that must not know.
    pub from: &'static str,
    /// Path of the module that must not be known.
    pub to: &'static str,
}

/// What the files are held against.
pub struct House {
    /// From those that know most to those that know least.
    pub rooms: &'static [Room],
    /// Between rooms.
    pub doors: &'static [Door],
    /// Within rooms.
    pub walls: &'static [Wall],
    /// Crates that the program is built with, as the code names them.
    pub dependencies: Vec<String>,
    /// Crates that only its tests and benches are built with.
    pub test_dependencies: Vec<String>,
}

/// Something that is not as it should be.
#[derive(Debug)]
pub struct Finding {
    place: String,
    what: String,
    instead: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.what, self.instead)
    }
}

/// Longest function, in lines.
const FUNCTION_LINES: usize = 70;
/// Longest file, in lines that are not only built for tests: a single idea may have so many.
const FILE_LINES: usize = 600;
/// Longest line, in characters.
const COLUMNS: usize = 100;

/// Macros that print.
const PRINTING: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];
/// Doors to the terminal.
const TERMINAL: [&str; 3] = ["std::io::stdin", "std::io::stdout", "std::io::stderr"];
/// Rooms that may print.
const PRINTERS: [&str; 2] = ["main", "cli"];
/// Rooms that may use standard input and output: the parts of `isolation` are processes of their
/// own, which talk to each other there.
const TALKERS: [&str; 3] = ["main", "cli", "isolation"];
/// Names that say nothing of what a module is about.
const EMPTY_NAMES: [&str; 7] = [
    "util", "utils", "helper", "helpers", "common", "misc", "shared",
];
/// Names that gather from all rooms what belongs to each.
const GATHERING_NAMES: [&str; 4] = ["error", "errors", "types", "prelude"];

/// Everything wrong with one file.
pub fn check(house: &House, source: &Source) -> Vec<Finding> {
    let mut check = Check {
        house,
        source,
        findings: Vec::new(),
    };
    check.form();
    check.lengths();
    check.attributes();
    if source.path.starts_with("src/") {
        check.name();
        check.globals();
        check.printing();
        check.paths();
    }
    // A group of imports may say the same thing many times.
    let same =
        |one: &mut Finding, other: &mut Finding| one.place == other.place && one.what == other.what;
    check.findings.dedup_by(same);
    check.findings
}

/// `src/main.rs` → `main`, `src/bot/lines.rs` → `bot`; nothing for `src/lib.rs` and files outside.
pub fn room_of(path: &str) -> Option<&str> {
    let name = path.strip_prefix("src/")?.split('/').next()?;
    Some(name.strip_suffix(".rs").unwrap_or(name)).filter(|name| *name != "lib")
}

struct Check<'a> {
    house: &'a House,
    source: &'a Source,
    findings: Vec<Finding>,
}

impl Check<'_> {
    fn find(&mut self, line: usize, what: impl Into<String>, instead: impl Into<String>) {
        self.findings.push(Finding {
            place: format!("{}:{line}", self.source.path),
            what: what.into(),
            instead: instead.into(),
        });
    }

    fn form(&mut self) {
        let source = self.source;
        if !source.text.starts_with("//!") {
            let say = "begin with //! and what the file is for, and what it leaves to others";
            self.find(1, "no head comment", say);
        }
        for (line, text) in (1..).zip(source.text.lines()) {
            if text.chars().count() > COLUMNS {
                self.find(
                    line,
                    format!("more than {COLUMNS} columns"),
                    "break the line",
                );
            }
            for word in [
                concat!("TO", "DO"),
                concat!("FIX", "ME"),
                concat!("XX", "X"),
            ] {
                if text.contains(word) {
                    self.find(line, word, "do it, or write it down where work is planned");
                }
            }
        }
    }

    fn lengths(&mut self) {
        let source = self.source;
        for function in source.functions() {
            if function.lines > FUNCTION_LINES {
                let what = format!("{} has {} lines", function.name, function.lines);
                let say = format!("give its steps names of their own, {FUNCTION_LINES} at most");
                self.find(function.line, what, say);
            }
        }
        // A table of tests may be as long as it likes.
        if !source.path.starts_with("tests/") && source.own_lines() > FILE_LINES {
            let what = format!("{} lines without tests", source.own_lines());
            let say = format!("make two nouns of one: files have {FILE_LINES} at most");
            self.find(1, what, say);
        }
    }

    fn attributes(&mut self) {
        let source = self.source;
        for at in 0..source.tokens.len() {
            if !(source.reads(at, &["#", "["]) || source.reads(at, &["#", "!", "["])) {
                continue;
            }
            let inside = at..source.end_of_attribute(at);
            if inside
                .into_iter()
                .any(|at| source.reads(at, &["allow", "("]))
            {
                let say = "write #[expect(…, reason = \"…\")], which ends when its reason does";
                self.find(source.tokens[at].line, "#[allow]", say);
            }
        }
    }

    fn name(&mut self) {
        let module = module_of(&self.source.path);
        let empty = module
            .iter()
            .find(|name| EMPTY_NAMES.contains(&name.as_str()));
        let gathering = module
            .first()
            .filter(|name| GATHERING_NAMES.contains(&name.as_str()));
        if let Some(name) = empty.or(gathering) {
            let what = format!("a module called {name}");
            let say = "name the noun that it is about, beside the code that needs it";
            self.find(1, what, say);
        }
        if let Some(room) = room_of(&self.source.path)
            && !self.house.rooms.iter().any(|known| known.name == room)
        {
            let say = "put it into a room, or give the new room its row in the map and here";
            self.find(1, format!("{room} is no room of the map"), say);
        }
    }

    fn globals(&mut self) {
        let source = self.source;
        let changing = |text: &str| {
            let cells = ["Mutex", "RwLock", "OnceLock", "OnceCell", "RefCell", "Cell"];
            cells.contains(&text) || text.starts_with("Atomic")
        };
        for at in 0..source.tokens.len() {
            let line = source.tokens[at].line;
            let is_static = source.reads(at, &["static"]) && !source.is_test(line);
            let mut kind = source.tokens[at..]
                .iter()
                .take_while(|token| token.text != "=");
            let global =
                is_static && kind.any(|token| token.text == "mut" || changing(&token.text));
            if global || source.reads(at, &["thread_local", "!"]) {
                let say = "hold it in a value and hand that to whoever needs it";
                self.find(line, "a global that changes", say);
            }
        }
        if source.path == "src/lib.rs" {
            for at in 0..source.tokens.len() {
                if source.reads(at, &["use"]) {
                    let say = "let callers name the room: a path says in which direction it goes";
                    self.find(source.tokens[at].line, "an import at the crate's root", say);
                }
            }
        }
    }

    fn printing(&mut self) {
        let source = self.source;
        if room_of(&source.path).is_some_and(|room| PRINTERS.contains(&room)) {
            return;
        }
        for at in 0..source.tokens.len() {
            let token = &source.tokens[at];
            let prints = PRINTING.contains(&token.text.as_str()) && source.reads(at + 1, &["!"]);
            if prints && !source.is_test(token.line) {
                let say = "give it back as a value: only cli prints";
                self.find(token.line, format!("{}!", token.text), say);
            }
        }
    }

    fn paths(&mut self) {
        let crates = [
            self.house.dependencies.as_slice(),
            self.house.test_dependencies.as_slice(),
        ]
        .concat();
        let rooms = self.house.rooms;
        let own = room_of(&self.source.path);
        let Some(room) = rooms.iter().find(|room| Some(room.name) == own) else {
            return;
        };
        for named in named_paths(self.source, &crates) {
            let trouble = match &named.target {
                Target::Inside(path) => self.inside(room, path),
                Target::Outside(path) => self.outside(room, path, named.line),
            };
            if let Some((what, instead)) = trouble {
                self.find(named.line, what, instead);
            }
        }
    }

    /// What is wrong with a path into the crate, and the better way.
    fn inside(&self, room: &Room, path: &[String]) -> Option<(String, String)> {
        let Some(target) = path.first().filter(|name| *name != "*") else {
            let say = "name the room that it is in: crate::ROOM::…";
            return Some(("imports the whole crate".to_owned(), say.to_owned()));
        };
        if target == room.name {
            return self.within(path);
        }
        if !self.house.rooms.iter().any(|known| known.name == target) {
            let say = "every path leads to a room of the map";
            return Some((format!("crate::{target} is no room"), say.to_owned()));
        }
        if !room.knows.contains(&target.as_str()) {
            let what = format!("{} must not know {target}", room.name);
            return Some((what, room.instead.to_owned()));
        }
        let is_door = |door: &&Door| door.from == room.name && door.to == target;
        let door = self.house.doors.iter().find(is_door)?;
        let name = path.get(1)?;
        (!door.names.contains(&name.as_str())).then(|| {
            let what = format!("{} must not know {target}::{name}", room.name);
            (what, format!("of {target} it may know {:?}", door.names))
        })
    }

    /// What is wrong with a path within a room.
    fn within(&self, path: &[String]) -> Option<(String, String)> {
        let module = module_of(&self.source.path).join("::");
        let path = path.join("::");
        let under = |path: &str, base: &str| {
            path.strip_prefix(base)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let is_hit = |wall: &&Wall| under(&module, wall.from) && under(&path, wall.to);
        let wall = self.house.walls.iter().find(is_hit)?;
        let what = format!("{} must not know {}", wall.from, wall.to);
        Some((what, "move what both need below both".to_owned()))
    }

    /// What is wrong with a path out of the crate, and the better way.
    fn outside(&self, room: &Room, path: &[String], line: usize) -> Option<(String, String)> {
        let is_test = self.source.is_test(line);
        let first = path[0].as_str();
        let is_std = matches!(first, "std" | "core" | "alloc");
        let may = room.crates.contains(&first)
            || is_test
                && self
                    .house
                    .test_dependencies
                    .iter()
                    .any(|name| name == first);
        if !is_std && !may {
            let what = format!("{} must not use the crate {first}", room.name);
            return Some((what, room.instead.to_owned()));
        }
        let terminal: &[&str] = if TALKERS.contains(&room.name) {
            &[]
        } else {
            &TERMINAL
        };
        let mut never = room.never.iter().chain(terminal);
        let hit = never
            .find(|never| reaches(path, never))
            .filter(|_| !is_test)?;
        Some((
            format!("{} must not use {hit}", room.name),
            room.instead.to_owned(),
        ))
    }
}

/// Whether a path names what `never` names, something in it, or everything around it.
fn reaches(path: &[String], never: &str) -> bool {
    let never: Vec<&str> = never.split("::").collect();
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let root = |first: &str| matches!(first, "std" | "core" | "alloc");
    let same = |one: &str, other: &str| one == other || root(one) && root(other);
    let begins = |long: &[&str], short: &[&str]| {
        long.len() >= short.len() && long.iter().zip(short).all(|(one, other)| same(one, other))
    };
    match path.split_last() {
        Some((&"*", around)) => begins(&never, around) || begins(around, &never),
        _ => begins(&path, &never),
    }
}
