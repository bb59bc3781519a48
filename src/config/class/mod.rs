//! The entrants of a class. Each folder of its submissions is one, named after the folder, and the
//! house bots of `house` are yardsticks that everybody meets.
//!
//! ```text
//! [class] submissions ─ one level of names ─▶ entrants without a command
//!                                                  │ toolchains, then files
//! [[start]] ───────────────────────────────────────┴─▶ start: the command of each
//! ```
//!
//! The roster beside the configuration says who each folder belongs to.
//!
//! ```text
//! start      the command of a folder
//! roster     the people, and whose folder each is
//! finalists  who plays in a final
//! graded     the grades of an earlier run, read back
//! ```
//!
//! Nothing in a folder is opened here. What a folder contains decides its command, so that comes
//! after the toolchains are known.

use crate::config::context::{HOUSE_BOTS, OURSELVES};
use crate::config::error::{Diagnostic, Located, Medium, Origin};
use crate::config::keys::tables::{Typed, TypedClass, TypedEntrant, TypedStart};
use crate::config::locate::{program_word, unusable};
use crate::config::names::{self, TakenNames};
use crate::config::toolchains;
use crate::config::trust::shown;
use crate::engine::House;
use crate::files;
use crate::record::{OlderVersion, Person, RosterStatus, ShownNames};
use crate::text::{counted, did_you_mean, folded, quoted, some_names};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::{fs, io};
use toml::value::Datetime;

mod finalists;
mod graded;
mod roster;
pub mod start;

use finalists::Finalists;
pub use graded::{GradedRow, read_grades};
pub use roster::{MOST_ROSTER_MIB, ROSTER, Roster, RosterRow, separator_of};
pub use start::REFUSED;

/// The folders of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassFolders {
    /// The names of the entrants that are folders.
    pub names: BTreeSet<String>,
    /// The people of the roster who have an entrant, by its name.
    pub people: BTreeMap<String, Person>,
    /// The people of the roster of whom nothing is there, by the names that others see.
    pub absent: BTreeMap<String, Person>,
    /// What was left out, for the organiser.
    pub warnings: Vec<String>,
    /// The entrants that play with an earlier program, by their names.
    pub versions: CountedVersions,
}

/// The earlier programs that play in place of the last ones, by the names of their entrants.
pub type CountedVersions = BTreeMap<String, CountedVersion>;

/// An earlier program of an entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedVersion {
    /// The folder with its files, as they were handed in.
    pub place: PathBuf,
    /// What is told of it.
    pub older: OlderVersion,
}

/// The configuration with the entrants of its class: first those that were typed, then the
/// yardsticks, then the folders in the order of their names.
///
/// # Errors
/// A yardstick is not a house bot, two starts have the same name, the folder of the submissions or
/// the roster cannot be read, a final has nobody to choose from, or somebody whose name is not to be shown has no alias.
pub fn expand(
    mut typed: Typed,
    folder: &Path,
    versions: &CountedVersions,
) -> Result<(Typed, ClassFolders), Diagnostic> {
    check_start_names(&typed.starts)?;
    for yardstick in typed.class.house.clone() {
        let is_typed = |entrant: &TypedEntrant| entrant.name.value == yardstick.value;
        if !typed.entrants.iter().any(is_typed) {
            typed.entrants.push(house_entrant(&yardstick)?);
        }
    }
    let mut found = ClassFolders {
        versions: versions.clone(),
        ..ClassFolders::default()
    };
    let Some(submissions) = typed.class.submissions.clone() else {
        return Ok((typed, found));
    };
    let mut listed = list(folder, &submissions)?;
    found.warnings.extend(listed.warnings(&submissions.value));
    listed.folders.sort();
    let people = People::read(folder, &typed.class)?;
    let finalists = Finalists::read(folder, &typed.class)?;
    let mut named = BTreeSet::new();
    let mut taken = TakenNames::default();
    for entrant in &typed.entrants {
        taken.add(&entrant.name.value);
    }
    for folder in listed.folders {
        let own = people.entrant_of(&folder)?;
        let Some(name) = free_name(&folder, own, &taken, &mut found.warnings) else {
            continue;
        };
        taken.add(&name);
        named.insert(name.clone());
        if !finalists.has(&name) {
            continue;
        }
        let dir = format!("{}/{folder}", submissions.value.trim_end_matches('/'));
        typed.entrants.push(TypedEntrant::new(
            Located::by_default(name.clone()),
            Located::by_default(Vec::new()),
            Some(Located {
                value: dir,
                origin: submissions.origin.clone(),
            }),
        ));
        if let Some(row) = people.roster.of_folder(&folder) {
            found.people.insert(name.clone(), people.person(row));
        }
        found.names.insert(name);
    }
    found.warnings.extend(people.roster.column_warning());
    let older = versions.iter();
    let older = older.map(|(name, it)| format!("{}: {}", quoted(name), it.older.text()));
    found.warnings.extend(older);
    Finalists::check(&typed.class.only, &named)?;
    if finalists.are_all() {
        people.find_absent(&mut found);
    }
    Ok((typed, found))
}

/// The name of the entrant of a folder, with a number if it looks like another one. A folder with a
/// name that no entrant may have is left out: it does not stop the others.
fn free_name(
    folder: &str,
    own: String,
    taken: &TakenNames,
    warnings: &mut Vec<String>,
) -> Option<String> {
    let folder = quoted(folder);
    if let Err(reason) = names::check(&own) {
        warnings.push(format!(
            "the folder {folder} in `submissions` is left out: {reason}; rename it"
        ));
        return None;
    }
    let Some(other) = taken.like(&own) else {
        return Some(own);
    };
    let name = taken.numbered(&own);
    warnings.push(format!(
        "the folder {folder} in `submissions` has the name of {}, or one that looks like it: it \
         plays as {}",
        quoted(other),
        quoted(&name)
    ));
    Some(name)
}

/// The roster, and what the configuration says of the people.
struct People {
    roster: Roster,
    names: Located<ShownNames>,
    deadline: Option<Datetime>,
}

impl People {
    fn read(folder: &Path, class: &TypedClass) -> Result<Self, Diagnostic> {
        let roster = read_roster(folder, class.roster.as_ref())?;
        let names = class.shown_names.clone();
        if roster.is_none() && names.value == ShownNames::Pseudonyms {
            let message = format!(
                "names = \"pseudonyms\" in [class] needs a {ROSTER} with a column `alias` in {}; \
                 `awale class new` makes one",
                shown(folder)
            );
            return Err(Diagnostic::new(&names.origin, message));
        }
        let deadline = class.deadline.as_ref().map(|typed| {
            let time = Datetime::from_str(&typed.value).ok();
            time.filter(|it| it.date.is_some()).ok_or_else(|| {
                let message = format!(
                    "`deadline` in [class] cannot be {}; it is a time as in \
                     \"2026-12-04T23:59+01:00\"",
                    quoted(&typed.value)
                );
                Diagnostic::new(&typed.origin, message)
            })
        });
        Ok(Self {
            roster: roster.unwrap_or_default(),
            names,
            deadline: deadline.transpose()?,
        })
    }

    /// The name of the entrant of a folder.
    fn entrant_of(&self, folder: &str) -> Result<String, Diagnostic> {
        if self.names.value == ShownNames::Full {
            return Ok(folder.to_owned());
        }
        let refuse = |reason: &str| {
            let message = format!(
                "names = \"pseudonyms\" in [class] hides every name, and {} for the folder {}; \
                 write the folder and an alias of your choice into roster.csv, or names = \
                 \"full\"",
                reason,
                quoted(folder)
            );
            Err(Diagnostic::new(&self.names.origin, message))
        };
        match self.roster.of_folder(folder) {
            None => refuse("the roster has no row"),
            Some(row) if row.alias.is_empty() => refuse("the roster has no alias"),
            Some(row) => Ok(row.alias.clone()),
        }
    }

    fn person(&self, row: &RosterRow) -> Person {
        Person {
            name: row.name.clone(),
            folder: row.folder.clone(),
            status: row.status,
            late: row.is_late(self.deadline),
            submitted: row
                .submitted
                .and_then(|it| it.date)
                .map_or(String::new(), |it| it.to_string()),
        }
    }

    /// Names the people of whom nothing is there. Who has left or is excused needs nothing.
    fn find_absent(&self, found: &mut ClassFolders) {
        let known: BTreeSet<String> = found.people.values().map(|it| folded(&it.folder)).collect();
        let rows = self.roster.rows().iter();
        let mut missing = Vec::new();
        for row in rows.filter(|row| !known.contains(&folded(&row.folder))) {
            let name = match self.names.value {
                ShownNames::Full => row.shown().to_owned(),
                ShownNames::Pseudonyms => row.alias.clone(),
            };
            if row.status == RosterStatus::Active {
                missing.push(row.shown());
            }
            found.absent.insert(name, self.person(row));
        }
        if !missing.is_empty() {
            found.warnings.push(format!(
                "`submissions` has no folder for {} of the roster: {}",
                counted(missing.len(), "person", "people"),
                some_names(&missing)
            ));
        }
    }
}

/// The roster that the configuration names; without a name, the file of the usual name, if there is
/// one.
fn read_roster(
    folder: &Path,
    typed: Option<&Located<String>>,
) -> Result<Option<Roster>, Diagnostic> {
    let path = folder.join(typed.map_or(ROSTER, |it| &it.value));
    let refuse = |reason: String| {
        let origin = typed.map_or(&Origin::Whole, |it| &it.origin);
        let message = format!("cannot read the roster {}: {reason}", shown(&path));
        Diagnostic::new(origin, message)
    };
    match files::read(&path, MOST_ROSTER_MIB) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && typed.is_none() => Ok(None),
        Err(error) => Err(refuse(error.to_string())),
        Ok(bytes) => {
            let roster = Roster::read(&bytes).map_err(|error| refuse(error.to_string()))?;
            Ok(Some(roster))
        }
    }
}

/// A folder chooses its start by name, and its file decides among those of one name.
fn check_start_names(starts: &[TypedStart]) -> Result<(), Diagnostic> {
    let mut seen = BTreeSet::new();
    let second = starts
        .iter()
        .find(|it| !seen.insert((&it.name.value, &it.file.value)));
    second.map_or(Ok(()), |start| {
        let message = format!(
            "two [[start]] tables are named {} and have the same file {}; the second is never \
             used: give each its own file, or its own name, which an awale.toml can choose",
            quoted(&start.name.value),
            quoted(&start.file.value)
        );
        Err(Diagnostic::new(&start.name.origin, message))
    })
}

/// Whether the program of a start's command is the organiser's: its path begins at the folder of
/// the configuration. A path that begins with `./` leads to a file of the submission.
pub fn is_organisers_path(word: &str) -> bool {
    let word = program_word(word);
    word.contains('/') && !word.starts_with("./")
}

/// Fails if the organiser's program of a start is missing: no author could do anything about it.
pub fn check_programs(starts: &[TypedStart], folder: &Path) -> Result<(), Diagnostic> {
    let programs = starts.iter().filter_map(|it| it.command.value.first());
    for word in programs.filter(|word| is_organisers_path(&word.value)) {
        let path = folder.join(program_word(&word.value));
        let Some(reason) = unusable(&path, Medium::File) else {
            continue;
        };
        let message = format!(
            "{reason}; in a [[start]] a relative path begins at {}, and \"./bot\" is a file of the \
             submission",
            shown(folder)
        );
        return Err(Diagnostic::new(&word.origin, message));
    }
    Ok(())
}

/// Warnings for the organiser: the programs that the commands of submissions need, and that are not
/// in PATH. The authors can do nothing about that.
pub fn missing_programs(
    entrants: &[TypedEntrant],
    class: &ClassFolders,
    is_in_path: impl Fn(&Path) -> bool,
) -> Vec<String> {
    let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let submitted = entrants
        .iter()
        .filter(|it| class.names.contains(&it.name.value));
    for entrant in submitted {
        let words = toolchains::programs(entrant).map(|word| program_word(&word.value));
        let names = words.filter(|word| !word.contains('/') && *word != OURSELVES);
        for name in names.collect::<BTreeSet<_>>() {
            if !is_in_path(Path::new(name)) {
                let name = missing.entry(name).or_default();
                name.push(entrant.name.value.clone());
            }
        }
    }
    let warning = |(program, needed): (&str, Vec<String>)| {
        format!(
            "there is no program {} in PATH, which the submissions of {} need: install it, or \
             take its [[start]] out of the configuration",
            quoted(program),
            some_names(&needed)
        )
    };
    missing.into_iter().map(warning).collect()
}

/// The entries of the folder of submissions.
#[derive(Default)]
struct Listed {
    folders: Vec<String>,
    /// Files, and names that are not UTF-8.
    others: Vec<String>,
}

impl Listed {
    /// What is no entrant.
    fn warnings(&self, submissions: &str) -> Vec<String> {
        let submissions = quoted(submissions);
        let mut warnings = Vec::new();
        if !self.others.is_empty() {
            warnings.push(format!(
                "{} in {submissions} belongs to no entrant: each entrant is a folder, and no link; \
                 put it into one",
                some_names(&self.others)
            ));
        }
        if self.folders.is_empty() {
            warnings.push(format!(
                "{submissions} has no folder: nobody has handed in anything yet"
            ));
        }
        warnings
    }
}

fn list(folder: &Path, submissions: &Located<String>) -> Result<Listed, Diagnostic> {
    let path = folder.join(&submissions.value);
    let refuse = |reason: String| {
        let message = format!(
            "cannot list the submissions in {}: {reason}; `submissions` in [class] is relative \
             to {}",
            shown(&path),
            shown(folder)
        );
        Diagnostic::new(&submissions.origin, message)
    };
    let entries = fs::read_dir(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => refuse("there is no such folder".to_owned()),
        _ => refuse(error.to_string()),
    })?;
    let mut listed = Listed::default();
    for entry in entries {
        let entry = entry.map_err(|error| refuse(error.to_string()))?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        match name.into_string() {
            // A link could lead to any folder, whose files would count as a stranger's.
            Ok(name) if entry.file_type().is_ok_and(|it| it.is_dir()) => listed.folders.push(name),
            Ok(name) => listed.others.push(name),
            Err(name) => listed.others.push(name.to_string_lossy().into_owned()),
        }
    }
    listed.others.sort();
    Ok(listed)
}

/// A yardstick: `random`, `greedy`, `minimax`, or `minimax-3` with that depth.
fn house_entrant(yardstick: &Located<String>) -> Result<TypedEntrant, Diagnostic> {
    let text = yardstick.value.as_str();
    let (name, depth) = match text.split_once('-') {
        Some((name, depth)) => (name, Some(depth)),
        None => (text, None),
    };
    let is_depth = |depth: &str| depth.parse::<u8>().is_ok_and(|it| it > 0);
    let words = match (House::from_name(name), depth) {
        (Some(_), None) => vec![name],
        (Some(House::Minimax(_)), Some(depth)) if is_depth(depth) => vec![name, "--depth", depth],
        _ => {
            let message = format!(
                "`house` in [class] cannot contain {}; it takes \"random\", \"greedy\", \
                 \"minimax\", or \"minimax-3\" with a depth from 1 to 255{}",
                quoted(text),
                did_you_mean(text, &HOUSE_BOTS, ["\"", "\""])
            );
            return Err(Diagnostic::new(&yardstick.origin, message));
        }
    };
    let words = [OURSELVES, "bot"].into_iter().chain(words);
    let words = words.map(|word| placed(word, &yardstick.origin));
    let command = Located::by_default(words.collect());
    Ok(TypedEntrant::new(yardstick.clone(), command, None))
}

fn placed(word: &str, origin: &Origin) -> Located<String> {
    Located {
        value: word.to_owned(),
        origin: origin.clone(),
    }
}

/// The starts as entrants, which only the search of toolchains sees.
pub fn started(starts: &[TypedStart]) -> Vec<TypedEntrant> {
    let entrants = starts.iter().map(|start| TypedEntrant {
        build: start.build.clone(),
        tools: start.tools.clone(),
        ..TypedEntrant::new(start.name.clone(), start.command.clone(), None)
    });
    entrants.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yardsticks_are_house_bots_with_a_depth() {
        let words = |text: &str| {
            let entrant = house_entrant(&Located::by_default(text.to_owned()))?;
            let words = entrant.command.value.into_iter().map(|it| it.value);
            Ok::<_, Diagnostic>(words.collect::<Vec<_>>().join(" "))
        };
        for (text, command) in [
            ("random", "awale bot random"),
            ("greedy", "awale bot greedy"),
            ("minimax", "awale bot minimax"),
            ("minimax-3", "awale bot minimax --depth 3"),
        ] {
            assert_eq!(words(text).unwrap(), command);
        }
        for text in [
            "gredy",
            "greedy-3",
            "minimax-0",
            "minimax-x",
            "minimax-300",
            "",
        ] {
            let error = words(text).unwrap_err();
            assert!(error.message.contains("minimax-3"), "{}", error.message);
        }
        assert!(words("gredy").unwrap_err().message.contains("greedy"));
    }
}
