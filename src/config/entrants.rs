//! Checks and resolves each entrant: names, champions, limits, identity.

use super::class;
use super::error::{Diagnostic, Diagnostics, Located, Origin};
use super::file_access::RUN_MARK;
use super::finder::Finder;
use super::keys::limits::TypedLimits;
use super::keys::tables::{Typed, TypedEntrant};
use super::locate::on_path;
use super::names;
use super::resolved::ResolvedEntrant;
use super::toolchains::{ToolchainSearch, Toolchains};
use super::trust::TrustBoundary;
use crate::bot::{
    BotSettings, BuildLimits, Level, Limits, Own, ProgramIdentity, Restart, Submission,
};
use crate::config::context::Context;
use crate::config::context::HouseCommands;
use crate::config::error::{WHOLE, wrong};
use crate::config::keys::value;
use crate::config::names::{TakenNames, no_entrant};
use crate::config::program::FoundProgram;
use crate::engine::House;
use crate::stats::rating::MOST_RATINGS;
use crate::text::{quoted, size_text};
use crate::tournament::{Entrant, label};
use rustix::process::{Resource, getrlimit};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The open files of each process of a build.
const MOST_BUILD_FILES: u32 = 4096;
/// Bytes that are kept of each end of a build's output.
const BUILD_OUTPUT_BYTES: usize = 32 << 10;

/// Entrants in the order of the file.
#[derive(Default)]
pub struct FoundEntrants {
    /// The entrants of the plan.
    pub planned: Vec<Entrant>,
    pub entrants: Vec<ResolvedEntrant>,
    /// Folders of toolchains that every box shows.
    pub toolchains: Vec<PathBuf>,
}

/// Asks the interpreters that [`resolve_entrants`] needs, and waits for none.
pub fn start_questions(typed: &Typed, folder: &Path, output: &Path, context: &Context<'_>) {
    if context.level > Level::None {
        let boundary = boundary(typed, folder, output, context);
        let mut asked = players(typed, context);
        asked.extend(starts(typed, context));
        search(&boundary, context).start_questions(&asked);
    }
}

fn boundary(typed: &Typed, folder: &Path, output: &Path, context: &Context<'_>) -> TrustBoundary {
    let home = context.host_env.variable("HOME").map(PathBuf::from);
    TrustBoundary::new(&typed.entrants, folder, home, Some(output))
}

/// No program is started for entrants that do not play.
fn players(typed: &Typed, context: &Context<'_>) -> Vec<TypedEntrant> {
    let players = typed.entrants.iter();
    let players = players.filter(|it| context.plays(&it.name.value));
    players.cloned().collect()
}

/// The programs that folders of a class may need.
fn starts(typed: &Typed, context: &Context<'_>) -> Vec<TypedEntrant> {
    if context.class.names.is_empty() {
        return Vec::new();
    }
    class::started(&typed.starts)
}

const fn search<'a>(boundary: &'a TrustBoundary, context: &Context<'a>) -> ToolchainSearch<'a> {
    ToolchainSearch {
        host_env: context.host_env,
        boundary,
        questions: context.questions,
        is_record: context.is_record,
    }
}

/// Finds every program. An entrant of a class gets its command.
pub fn resolve_entrants(
    typed: &mut Typed,
    folder: &Path,
    output: &Path,
    context: &Context<'_>,
    warnings: &mut Vec<String>,
) -> Result<FoundEntrants, Diagnostic> {
    let boundary = boundary(typed, folder, output, context);
    if !context.class.names.is_empty() && !context.is_record {
        class::check_programs(&typed.starts, folder)?;
    }
    // Before any submission is examined.
    let toolchains = find_toolchains(typed, &boundary, context)?;
    warnings.extend(toolchains.warnings.iter().cloned());
    let (host_env, level) = (context.host_env, context.level);
    let mut finder = Finder {
        rules: typed.rules(),
        output: Some(output),
        versions: &context.class.versions,
        common: &typed.isolation.readable,
        build_limits: build_limits(typed),
        ..Finder::new(host_env, folder, level, &boundary, toolchains)
    };
    let mut found = FoundEntrants {
        toolchains: finder.toolchains.folders(),
        ..FoundEntrants::default()
    };
    let mut errors = Diagnostics::default();
    for entrant in &mut typed.entrants {
        let name = &entrant.name.value;
        let is_record = !context.plays(name);
        let limits = errors.take(resolve_limits(entrant, &typed.limits, !is_record));
        let limits = limits.unwrap_or_default();
        let program = if context.class.names.contains(name) {
            finder.find_submitted(entrant, &typed.starts, limits.submission_bytes)
        } else if is_record {
            Ok(finder.list(entrant, limits.submission_bytes))
        } else {
            finder.find(entrant, limits.submission_bytes)
        };
        let Some(program) = errors.take(program) else {
            continue;
        };
        let restart = entrant.restart.as_ref();
        let restart = restart.map_or(typed.tournament.restart, |restart| restart.value);
        found.planned.push(Entrant {
            name: entrant.name.value.clone(),
            program: identity(entrant, &program, restart, limits).to_json(),
            yardstick: typed
                .class
                .house
                .iter()
                .any(|it| it.value == entrant.name.value),
            clock: None,
        });
        found.entrants.push(ResolvedEntrant {
            build: program.build.clone(),
            is_submitted: context.class.names.contains(&entrant.name.value),
            folder: own_folder(entrant, &program, limits.submission_bytes),
            bot: BotSettings {
                launch: program.launch.clone(),
                restart,
                limits,
                start_up: typed.tournament.start_up,
                new_game: typed.tournament.new_game,
                build_warning: None,
            },
            deterministic: errors
                .take(is_deterministic(entrant, &program, &context.host_env.house))
                .unwrap_or_default(),
            program,
        });
    }
    errors.end()?;
    let is_in_path = |name: &Path| on_path(context.host_env, &boundary, name).is_some();
    let missing = class::missing_programs(&typed.entrants, context.class, is_in_path);
    warnings.extend(missing);
    Ok(found)
}

fn find_toolchains(
    typed: &Typed,
    boundary: &TrustBoundary,
    context: &Context<'_>,
) -> Result<Toolchains, Diagnostic> {
    let players = players(typed, context);
    if players.is_empty() {
        return Ok(Toolchains::default());
    }
    let (starts, search) = (starts(typed, context), search(boundary, context));
    Ok(Toolchains::find(&players, &search, context.level)?.with(&starts, &search, context.level))
}

/// The entrant's own folder, as it would be copied.
fn own_folder(
    entrant: &TypedEntrant,
    program: &FoundProgram,
    most_bytes: u64,
) -> Option<Submission> {
    let is_usable = entrant.dir.is_some() && program.unfit.is_none() && !program.is_house_bot;
    is_usable.then(|| match &program.launch.file_access.own {
        Own::Folder(submission) => submission.clone(),
        Own::Files(_) => Submission {
            root: program.launch.directory.clone(),
            most_bytes,
            left_out: Vec::new(),
            left_out_with: RUN_MARK,
            kept: Vec::new(),
            expected: None,
        },
    })
}

/// The limits of all builds.
fn build_limits(typed: &Typed) -> BuildLimits {
    let limits = &typed.build;
    let common = typed.limits.values();
    BuildLimits {
        limits: Limits {
            memory_bytes: limits.memory.0,
            processes: limits.processes,
            temporary_bytes: limits.temporary.0,
            files: MOST_BUILD_FILES,
            submission_bytes: common.submission_bytes,
            stderr_head_bytes: BUILD_OUTPUT_BYTES,
            stderr_tail_bytes: BUILD_OUTPUT_BYTES,
            ..common
        },
        time: limits.time,
    }
}

/// Whether an entrant is deterministic: by its configuration, or as a house bot.
fn is_deterministic(
    entrant: &TypedEntrant,
    program: &FoundProgram,
    house: &HouseCommands,
) -> Result<bool, Diagnostic> {
    let typed = entrant.deterministic.as_ref();
    if !program.is_house_bot {
        return Ok(typed.is_some_and(|it| it.value));
    }
    let words = entrant.command.value.iter();
    let words: Vec<&str> = words.map(|word| word.value.as_str()).collect();
    let is_fixed = (house.is_deterministic)(&words);
    match typed {
        Some(Located {
            value: true,
            origin,
        }) if !is_fixed => {
            let message = "`deterministic` cannot be true: this house bot searches until its time \
                           is up; give it \"--depth\", \"4\" without --time, or take the key away";
            Err(wrong(&entrant.name.value, origin, message))
        }
        Some(typed) => Ok(typed.value),
        None => Ok(is_fixed),
    }
}

pub fn check_names(entrants: &[TypedEntrant]) -> Result<(), Diagnostic> {
    let mut seen: BTreeMap<&str, &Origin> = BTreeMap::new();
    for entrant in entrants {
        let Located { value, origin } = &entrant.name;
        names::check(value).map_err(|message| Diagnostic::new(origin, message))?;
        if let Some(first) = seen.insert(value, origin) {
            let place = match first {
                Origin::File(place) => format!(" (the other is in line {})", place.line),
                _ => String::new(),
            };
            let message = format!(
                "two entrants are named {}{place}; give each its own name",
                quoted(value)
            );
            return Err(Diagnostic::new(origin, message));
        }
    }
    check_look_alikes(entrants)?;
    if entrants.len() < 2 {
        let there = if entrants.is_empty() { "none" } else { "one" };
        let message = format!(
            "a tournament has at least two entrants, and there is {there}; write an [[entrant]] \
             with name and command for each, or name a folder of `submissions` in [class]"
        );
        return Err(Diagnostic::new(WHOLE, message));
    }
    if entrants.len() > MOST_RATINGS {
        let message = format!(
            "a tournament has at most {MOST_RATINGS} entrants, because their ratings are estimated \
             together, and there are {}; play several tournaments",
            entrants.len()
        );
        return Err(Diagnostic::new(WHOLE, message));
    }
    Ok(())
}

/// Two names that people or file systems take for one are refused.
fn check_look_alikes(entrants: &[TypedEntrant]) -> Result<(), Diagnostic> {
    let mut taken = TakenNames::default();
    for entrant in entrants {
        let name = entrant.name.value.as_str();
        if let Some(other) = taken.like(name) {
            let message = format!(
                "the names {} and {} look alike: in file names and ids they are {} and {}; give \
                 each its own name",
                quoted(other),
                quoted(name),
                label(other),
                label(name)
            );
            return Err(Diagnostic::new(&entrant.name.origin, message));
        }
        taken.add(name);
    }
    Ok(())
}

/// Checks that a champion, or another one with a role, is an entrant, and not among the earlier ones.
pub fn check_champion(
    role: &str,
    champion: &Located<String>,
    names: &[&str],
    earlier: &[String],
) -> Result<(), Diagnostic> {
    let name = &champion.value;
    let what = format!("{role} {}", quoted(name));
    let message = if !names.contains(&name.as_str()) {
        no_entrant(&what, name, names)
    } else if earlier.contains(name) {
        format!("{what} stands here twice; name it once")
    } else {
        return Ok(());
    };
    Err(Diagnostic::new(&champion.origin, message))
}

/// The limits of an entrant. Only those of a bot that plays must be possible on this machine.
fn resolve_limits(
    entrant: &TypedEntrant,
    common: &TypedLimits,
    plays: bool,
) -> Result<Limits, Diagnostic> {
    let typed = entrant.limits.or(common);
    let limits = typed.values();
    // A default is not a mistake, so an error refers to what was typed.
    let origin = |names: &[&str]| {
        let typed = names.iter().filter_map(|name| typed.get(name));
        let mut origins = typed.map(|limit| limit.origin.clone());
        origins.find(|origin| *origin != Origin::Whole)
    };
    if limits.line_bytes > limits.output_bytes {
        let [line, output] =
            [limits.line_bytes, limits.output_bytes].map(|bytes| size_text(bytes as u64));
        let message = format!(
            "the limit `line` = \"{line}\" is more than `output` = \"{output}\" of the whole game; \
             make it less or equal"
        );
        let origin = origin(&["line", "output"]).unwrap_or(Origin::Whole);
        return Err(wrong(&entrant.name.value, &origin, message));
    }
    let most_stack = getrlimit(Resource::Stack).maximum.unwrap_or(u64::MAX);
    // The default is lowered to what the machine allows.
    if plays
        && limits.stack_bytes > most_stack
        && let Some(origin) = origin(&["stack"])
    {
        let message = format!(
            "the limit `stack` = \"{}\" is more than this machine gives any program of this user \
             (`ulimit -H -s` says {} KiB); make it less, or raise that limit",
            size_text(limits.stack_bytes),
            most_stack >> 10
        );
        return Err(wrong(&entrant.name.value, &origin, message));
    }
    Ok(limits)
}

/// The version of awale, and of the house bot where it has changed since the first one: then games
/// of the same awale cannot be played again either.
fn house_bot_version(command: &[String]) -> String {
    let awale = env!("CARGO_PKG_VERSION");
    match command.get(2).and_then(|name| House::from_name(name)) {
        Some(house @ House::Minimax(_)) => {
            format!("{awale}, {} {}", house.name(), house.version())
        }
        Some(House::Random | House::Greedy) | None => awale.to_owned(),
    }
}

/// The identity of an entrant's program.
pub fn identity(
    entrant: &TypedEntrant,
    program: &FoundProgram,
    restart: Restart,
    limits: Limits,
) -> ProgramIdentity {
    let texts = |words: &[Located<String>]| words.iter().map(|it| it.value.clone()).collect();
    let command: Vec<String> = texts(&entrant.command.value);
    let files = program.fingerprints.iter();
    let dir = entrant.dir.as_ref().map_or(".", |dir| dir.value.as_str());
    ProgramIdentity {
        build: texts(&entrant.build),
        awale_version: program.is_house_bot.then(|| house_bot_version(&command)),
        dir: dir.to_owned(),
        files: files
            .map(|(word, hash)| (command[*word].clone(), hash.clone()))
            .chain(program.tools.clone())
            .collect(),
        tree: program.tree.clone(),
        readable: texts(&entrant.readable),
        env: entrant.env.iter().cloned().collect(),
        restart: value::name(restart).to_owned(),
        limits: limits
            .in_plan()
            .map(|(name, text)| (name.to_owned(), text))
            .collect(),
        command,
    }
}
