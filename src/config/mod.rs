//! From a configuration file and flags to a playable plan. Everything unknown, contradictory or
//! impossible is an error here, before any game.
//!
//! ```text
//! file ─ tree ─ flags ─ defaults ─→ typed ──→ resolve ──→ Resolved ─→ dump
//!        each value knows its       types,    programs,   plan and    the same as
//!        line or its flag           bounds    cores …     bots        TOML again
//!
//! keys      the declarations of all keys, and the values that are read by them
//! names     the names that entrants may have, and entrants with a given Elo
//! one_bot   a bot named on a command line
//! duel      two of them that meet by names of their own
//! league    the file of a league, to which bots are added
//! openings  drawn, or read from a file
//! secret    the key from which openings and the bots' seeds derive
//! class     the entrants of a class: its submissions' folders and its yardsticks
//! format    who meets whom, and how the entrants are seeded
//! entrants  names, champions, limits and identity of entrants
//! clock     the clock of all, and of entrants that have one of their own
//! sprt      a sequential test
//! adjudication  the database whose values end games, and what bots may agree on
//! tune      a template for tuning the parameters of a bot
//! context   what a resolution uses besides the configuration: machine, environment, house bots
//! resolved  a playable configuration, and the entrants that are examined first
//! record    the plan of a finished run
//! trust     the owners of folders, and what may be trusted
//! toolchains  the programs of the organiser's commands and PATH, and their folders
//! file_access  the files of an entrant that its bot gets
//! finder    the files, toolchains and folders of an entrant
//! program   the program of an entrant, built or found, and its identity
//! locate    finds the program of a command
//! machine   processors, host, what the control groups around this program allow, and the physical
//!           cores that runs on this machine use
//! capacity  fits slots and limits into what is allowed
//! error     origins and errors
//! ```
//!
//! The manual of all keys is `configs/default.toml`. It is embedded, and the defaults are read from
//! it.

mod adjudication;
mod capacity;
mod class;
mod clock;
mod context;
mod duel;
mod dump;
mod entrants;
mod error;
mod file_access;
mod finder;
mod format;
mod keys;
mod league;
mod locate;
mod machine;
mod names;
mod one_bot;
mod openings;
mod program;
mod record;
mod resolve;
mod resolved;
mod secret;
mod sprt;
mod toolchains;
mod tree;
mod trust;
mod tune;

pub use adjudication::EndgameSource;
pub use class::{
    CountedVersion, CountedVersions, GradedRow, MOST_ROSTER_MIB, REFUSED, ROSTER, Roster,
    RosterRow, read_grades, separator_of,
};
pub use context::{EndgameChoice, HOUSE_BOTS, HouseCommands};
pub use duel::duel;
pub use dump::{DumpTo, dump};
pub use error::{ConfigError, Located, Medium, Origin, SourceLine, TextPlace};
pub use keys::declaration::{ConfigKey, Keys, Kind, MANUAL, ManualEntry, manual};
pub use keys::tables::FILE as CONFIG_KEYS;
pub use keys::value::{Counts, Logs};
pub use league::LeagueFile;
pub use locate::split_adapter;
pub use machine::CoreLocks;
pub use names::{check as check_name, check_harmless};
pub use one_bot::{launch, two_bots};
pub use record::{recorded, recorded_to_play};
pub use resolved::{Purpose, Resolved, ResolvedEntrant};
pub use secret::SecretSource;
pub use tune::TuneTemplate;

use crate::bot::Level;
use crate::config::context::Context;
use crate::files;
use crate::stats::sprt::Sprt;
use crate::text::did_you_mean;
use crate::tournament::EntrantIndex;
use context::HostEnv;
use error::Diagnostic;
use keys::tables::Typed;
use machine::Machine;
use resolve::resolve;
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toolchains::Questions;
use tree::{Node, TomlTable, Value};
use trust::TrustBoundary;

/// The largest `plan.toml` of a run, in MiB: with 10,000 entrants it has about 10.
pub const MOST_PLAN_MIB: u64 = 64;

/// The default number of plies of random openings, as in the manual.
const OPENING_PLIES: u8 = 4;
/// The same for a sequential test, which usually ends before half a million openings are used up.
const TEST_OPENING_PLIES: u8 = 8;

/// The flags that override the file.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--set`: each `KEY=VALUE` with a dotted key, as in `tournament.pairs=4`. `keys`
    /// override these, and a later one overrides an earlier one.
    pub sets: Vec<String>,
    /// `--output`: the run's folder.
    pub output: Option<PathBuf>,
    /// `--oversubscribe`: slots may share processors.
    pub oversubscribe: bool,
    /// The purpose of the configuration.
    pub purpose: Purpose,
    /// The source of a secret that is not typed.
    pub secret: SecretSource,
    /// The source of what is not typed of the database whose values end games.
    pub endgame: EndgameSource,
    /// Flags that each represent one key.
    pub keys: Vec<KeyFlag>,
    /// Earlier programs of a class that play in place of the last ones.
    pub versions: CountedVersions,
}

/// A flag that represents a key of the configuration.
#[derive(Clone, Debug)]
pub struct KeyFlag {
    /// The flag: `--elo0`.
    pub flag: &'static str,
    /// The key's path.
    pub path: [&'static str; 2],
    /// The value as TOML, or a bare word.
    pub value: String,
}

impl KeyFlag {
    /// A flag, if it is typed.
    pub fn typed(
        flag: &'static str,
        path: [&'static str; 2],
        value: Option<impl ToString>,
    ) -> Option<Self> {
        let value = value?.to_string();
        Some(Self { flag, path, value })
    }
}

/// Reads a configuration, applies the flags and resolves everything. `choose_level` gets the
/// requested level of isolation, if any, and returns the one to use.
///
/// # Errors
/// The first value that is unknown, of the wrong type, contradictory, missing or impossible, with
/// its line or flag and what is allowed.
pub fn load(
    path: &Path,
    overrides: &Overrides,
    house: &HouseCommands,
    choose_level: impl FnOnce(Option<Level>) -> Level,
) -> Result<Resolved, ConfigError> {
    let refuse =
        |message: String| Diagnostic::new(&Origin::Whole, message).in_file(path.to_owned());
    let bytes = read_file(path).map_err(refuse)?;
    load_bytes(&bytes, path, overrides, house, choose_level)
}

/// The bytes of a configuration, or why it cannot be read.
fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    files::read(path, MOST_PLAN_MIB).map_err(|error| {
        let advice = match error.kind() {
            ErrorKind::NotFound => {
                let meant = meant_file(path);
                format!("{meant}; `awale init` writes a first one")
            }
            _ => String::new(),
        };
        format!("cannot read this configuration: {error}{advice}")
    })
}

/// `; did you mean …`, if a configuration in its folder has a name like it.
fn meant_file(path: &Path) -> String {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new(".")));
    let names: Vec<String> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension() == Some("toml".as_ref()))
        .collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    let typed = path.file_name().and_then(|name| name.to_str());
    did_you_mean(typed.unwrap_or_default(), &names, ["\"", "\""])
}

/// The same for a configuration that was read already; `path` is the path that it would have.
///
/// # Errors
/// Those of [`load`].
pub fn load_bytes(
    bytes: &[u8],
    path: &Path,
    overrides: &Overrides,
    house: &HouseCommands,
    choose_level: impl FnOnce(Option<Level>) -> Level,
) -> Result<Resolved, ConfigError> {
    let host_env = HostEnv::of_this_process(house);
    let resolved = read(bytes, overrides).and_then(|typed| {
        let folder = resolve::folder(&typed, path);
        let (typed, class) = class::expand(typed, &folder, &overrides.versions)?;
        check_sandbox_program(&typed, &folder, &host_env)?;
        let requested = typed.isolation.level.value;
        let before = Context {
            file: path,
            output: overrides.output.as_deref(),
            oversubscribe: overrides.oversubscribe,
            purpose: overrides.purpose,
            machine: &Machine::this(),
            level: requested.unwrap_or(Level::Box),
            host_env: &host_env,
            questions: &Questions::default(),
            secret: &overrides.secret,
            endgame: &overrides.endgame,
            is_record: false,
            replayed: &BTreeSet::new(),
            class: &class,
        };
        // The interpreters answer while the isolation is tested.
        resolve::start_questions(&typed, &before);
        let context = Context {
            level: choose_level(requested),
            ..before
        };
        resolve(typed, &context)
    });
    resolved.map_err(|problem| {
        let problem = problem.in_file(path.to_owned());
        match std::str::from_utf8(bytes) {
            Ok(text) => problem.with_source(text),
            Err(_) => problem,
        }
    })
}

/// Isolation is tested before programs are resolved, so the program that makes boxes must not be a
/// file of an entrant.
fn check_sandbox_program(
    typed: &Typed,
    folder: &Path,
    host_env: &HostEnv,
) -> Result<(), Diagnostic> {
    let boundary = TrustBoundary::new(&typed.entrants, folder, None, None);
    let found = locate::programs_on_path(host_env, Path::new("bwrap")).next();
    let held = found.filter(|it| boundary.holder(&trust::real(it)).is_some());
    held.map_or(Ok(()), |program| {
        let message = format!(
            "PATH names {} first, which lies in an entrant's folder; take that folder out of PATH",
            trust::shown(&program)
        );
        Err(Diagnostic::new(&Origin::Whole, message))
    })
}

/// The numbers of a sequential test that is given by flags only.
///
/// # Errors
/// They are not a valid test.
pub fn test_of_flags(keys: impl Iterator<Item = KeyFlag>) -> Result<Sprt, ConfigError> {
    let overrides = Overrides {
        keys: keys.collect(),
        ..Overrides::default()
    };
    let test = read(b"", &overrides).and_then(|typed| sprt::test(&typed.sprt, EntrantIndex(0)));
    test.map(|test| test.sprt)
        .map_err(|problem| problem.in_file(PathBuf::from("awale sprt --counts")))
}

/// The configuration as typed, with flags and defaults.
fn read(bytes: &[u8], overrides: &Overrides) -> Result<Typed, Diagnostic> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        Diagnostic::new(
            &Origin::File(TextPlace::new(line, &(0..0))),
            "this is not UTF-8; save the file as UTF-8 text",
        )
    })?;
    let mut table = TomlTable::parse(text)?;
    apply(overrides, &mut table)?;
    fill_openings(&mut table, overrides.purpose);
    fill(&mut table);
    Typed::of_file(table)
}

/// Adds the length of random openings if it is missing, even if `openings` only says that they are
/// shared. A test needs a new opening for each of its pairs.
fn fill_openings(table: &mut TomlTable, purpose: Purpose) {
    let plies = match purpose {
        Purpose::Tournament => OPENING_PLIES,
        Purpose::Test | Purpose::Match => TEST_OPENING_PLIES,
    };
    let path = ["tournament", "openings"];
    let is_open = match table.get(path[0]).map(|node| &node.value) {
        None => true,
        Some(Value::Table(tournament)) => match tournament.get(path[1]).map(|node| &node.value) {
            None => true,
            Some(Value::Table(typed)) => {
                let has = |key: &str| typed.get(key).is_some();
                has("shared") && !has("plies") && !has("file")
            }
            Some(_) => false,
        },
        Some(_) => false,
    };
    if is_open {
        let node = Node {
            value: Value::Integer(plies.into()),
            origin: Origin::Whole,
        };
        table.set(&[path[0], path[1], "plies"], node);
    }
}

/// Adds the defaults. A clock with only a bank has no limit for each move.
fn fill(table: &mut TomlTable) {
    let defaults = TomlTable::parse(MANUAL).expect("default.toml is TOML");
    fill_starts(table, &defaults);
    table.fill(&defaults, |typed, table, key| {
        let has_bank =
            |node: &Node| matches!(&node.value, Value::Table(clock) if clock.get("bank").is_some());
        table == "clock" && key == "move" && typed.get("clock").is_some_and(has_bank)
    });
}

/// Adds the built-in starts. Typed ones replace those of the same name, in their place; others come
/// first.
fn fill_starts(table: &mut TomlTable, defaults: &TomlTable) {
    let built_in = match defaults.get("start").map(|node| &node.value) {
        Some(Value::Array(starts)) => starts.clone(),
        _ => unreachable!("default.toml has starts"),
    };
    let mut typed = match table.get("start").map(|node| &node.value) {
        None => Vec::new(),
        Some(Value::Array(starts)) => starts.clone(),
        // What it should be is said where it is read.
        Some(_) => return,
    };
    let mut all = Vec::new();
    let replaced: BTreeSet<String> = typed.iter().filter_map(name_of).collect();
    for start in built_in {
        let name = name_of(&start).expect("every start of default.toml has a name");
        if replaced.contains(&name) {
            let is_same = |it: &Node| name_of(it).as_ref() == Some(&name);
            all.extend(typed.extract_if(.., |it| is_same(it)));
        } else {
            all.push(start);
        }
    }
    typed.extend(all);
    let value = Value::Array(typed);
    let origin = Origin::Whole;
    table.set(&["start"], Node { value, origin });
}

/// The name of a start, if it has one.
fn name_of(start: &Node) -> Option<String> {
    let Value::Table(start) = &start.value else {
        return None;
    };
    match &start.get("name")?.value {
        Value::Text(name) => Some(name.clone()),
        _ => None,
    }
}

fn apply(overrides: &Overrides, table: &mut TomlTable) -> Result<(), Diagnostic> {
    for set in &overrides.sets {
        let flag = format!("--set {}", secret::shown(set));
        let refuse = |message: &str| Diagnostic::new(&Origin::Flag(flag.clone()), message);
        let (path, value) = set
            .split_once('=')
            .ok_or_else(|| refuse("this is not KEY=VALUE, as in --set tournament.pairs=4"))?;
        let path: Vec<&str> = path.trim().split('.').collect();
        if path[0] == "entrant" {
            return Err(refuse(&format!(
                "--set does not change entrants; change the [[entrant]] in the file. Allowed: \
                 keys of {}",
                keys::tables::single_tables().join(", ")
            )));
        }
        let node = if path == secret::PATH {
            secret::from_flag(value.trim(), &flag)
        } else {
            Node::from_flag(value.trim(), &flag)
        };
        table.set(&path, node?);
    }
    for KeyFlag { flag, path, value } in &overrides.keys {
        let flag = format!("{flag} {value}");
        table.set(path, Node::from_flag(value, &flag)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
