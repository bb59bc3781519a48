//! From what was typed to what will be played: programs found and hashed, openings read, every
//! number checked against the others and against the machine.

use super::admission;
use super::entrants::{champion_index, check_names, identity, listed, resolve_limits};
use super::error::{Placed, Trouble};
use super::machine::Machine;
use super::names;
use super::program::{Finder, Program, Surroundings, absolute, shown};
use super::typed::{FormatName, Logs, Typed, TypedOpenings, WHOLE};
use super::units::time_text;
use crate::bot::{BotSettings, Level};
use crate::referee::{ClockError, ClockSettings};
use crate::tournament::{
    Entrant, Format, Gate, OpeningSource, Openings, Plan, parse_openings, random_openings,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// More games than this do not fit a run's memory and disk.
const MOST_GAMES: u64 = 10_000_000;

/// A tournament that can be played: everything looked up, nothing left to default.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What decides the games.
    pub plan: Plan,
    /// How each entrant's bot is run, in the order of the plan's entrants.
    pub bots: Vec<BotSettings>,
    /// Who is examined before the first game: all but our own bots.
    pub gate: Gate,
    /// The openings of the plan: opening i belongs to pair i of every pairing.
    pub openings: Openings,
    /// Games that are played at a time.
    pub slots: u32,
    /// Processors that each slot takes.
    pub cores_per_slot: u32,
    /// The processors that slots are pinned to: slot s takes the numbers s × `cores_per_slot` and
    /// following of this list, from its beginning again after its end.
    pub processors: Vec<usize>,
    /// The run's folder.
    pub output: PathBuf,
    /// Whose standard error is kept.
    pub logs: Logs,
    /// How far bots are kept from the host.
    pub level: Level,
    /// Whether a bot that is not on turn is frozen.
    pub freeze: bool,
    /// What the user should know although it can be played.
    pub warnings: Vec<String>,
    pub(super) typed: Typed,
    pub(super) programs: Vec<Program>,
    /// Where relative paths start.
    pub folder: PathBuf,
    pub(super) host: String,
}

/// What a resolution needs besides the configuration.
pub(super) struct Context<'a> {
    /// The configuration file, as it was named.
    pub(super) file: &'a Path,
    pub(super) output: Option<&'a Path>,
    pub(super) oversubscribe: bool,
    pub(super) machine: &'a Machine,
    pub(super) level: Level,
    pub(super) surroundings: &'a Surroundings,
}

pub(super) fn resolve(typed: Typed, context: &Context<'_>) -> Result<Resolved, Trouble> {
    let mut warnings = Vec::new();
    let name = tournament_name(&typed, context.file)?;
    let folder = base_folder(&typed, context.file)?;
    check_names(&typed.entrants)?;
    let format = resolve_format(&typed)?;
    check_size(&typed, &format)?;
    let clock = resolve_clock(&typed)?;
    let (source, openings) = resolve_openings(&typed, &folder, &mut warnings)?;
    let slots = resolve_slots(&typed, context, &mut warnings)?;

    let mut finder = Finder::new(
        context.surroundings,
        &folder,
        context.level,
        &typed.isolation.readable,
    );
    let (mut entrants, mut bots, mut programs) = (Vec::new(), Vec::new(), Vec::new());
    for entrant in &typed.entrants {
        let program = finder.find(entrant)?;
        let limits = resolve_limits(entrant, &typed.limits)?;
        let restart = entrant.restart.unwrap_or(typed.tournament.restart);
        entrants.push(Entrant {
            name: entrant.name.value.clone(),
            identity: identity(entrant, &program, restart, limits),
        });
        bots.push(BotSettings {
            launch: program.launch.clone(),
            restart,
            limits,
            start_up: typed.tournament.start_up,
        });
        programs.push(program);
    }
    let plan = Plan {
        name,
        format,
        preset: typed.tournament.preset,
        rules: typed.rules,
        pairs: typed.tournament.pairs.value,
        seed: typed.tournament.seed,
        openings: source,
        max_plies: typed.tournament.max_plies,
        clock,
        max_faults: typed.tournament.max_faults,
        blind: typed.tournament.blind,
        circumstances: circumstances(&typed, context.level),
        entrants,
    };
    Ok(Resolved {
        plan,
        bots,
        gate: admission::gate(typed.admission, &programs),
        openings,
        slots,
        cores_per_slot: typed.tournament.threads_per_bot.value,
        processors: context.machine.processors.clone(),
        output: context
            .output
            .map_or_else(|| default_output(context.file), Path::to_owned),
        logs: typed.tournament.logs,
        level: context.level,
        freeze: typed.isolation.freeze,
        warnings,
        typed,
        programs,
        folder,
        host: context.machine.host.clone(),
    })
}

fn stem(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn default_output(file: &Path) -> PathBuf {
    Path::new("results").join(file.file_stem().unwrap_or_default())
}

fn tournament_name(typed: &Typed, file: &Path) -> Result<String, Trouble> {
    if let Some(name) = &typed.tournament.name {
        names::check(&name.value).map_err(|message| Trouble::new(&name.origin, message))?;
        return Ok(name.value.clone());
    }
    let name = stem(file);
    names::check(&name).map_err(|message| {
        let message =
            format!("without `name` in [tournament] the file's own name is taken, and {message}");
        Trouble::new(WHOLE, message)
    })?;
    Ok(name)
}

/// Where relative paths start: `folder`, itself relative to the configuration file.
fn base_folder(typed: &Typed, file: &Path) -> Result<PathBuf, Trouble> {
    let beside = absolute(
        file.parent()
            .filter(|p| *p != Path::new(""))
            .unwrap_or(Path::new(".")),
    );
    let Some(folder) = &typed.tournament.folder else {
        return Ok(beside);
    };
    let path = absolute(&beside.join(&folder.value));
    if path.is_dir() {
        return Ok(path);
    }
    let message = format!(
        "there is no folder {}; `folder` in [tournament] is relative to {}",
        shown(&path),
        shown(&beside)
    );
    Err(Trouble::new(&folder.origin, message))
}

fn resolve_format(typed: &Typed) -> Result<Format, Trouble> {
    let format = &typed.tournament.format;
    match (format.value, &typed.tournament.champions) {
        (FormatName::RoundRobin, None) => Ok(Format::RoundRobin),
        (FormatName::RoundRobin, Some(champions)) => Err(Trouble::new(
            &champions.origin,
            "`champions` in [tournament] needs format = \"gauntlet\"; in a round robin everybody \
             meets everybody",
        )),
        (FormatName::Gauntlet, None) => Err(Trouble::new(
            &format.origin,
            "a gauntlet needs `champions`, the entrants that meet all others, as in \
             champions = [\"greedy\"]",
        )),
        (FormatName::Gauntlet, Some(champions)) => {
            let names: Vec<&str> = typed
                .entrants
                .iter()
                .map(|e| e.name.value.as_str())
                .collect();
            if champions.value.is_empty() {
                let message = format!(
                    "`champions` in [tournament] is empty; allowed: {}",
                    listed(&names)
                );
                return Err(Trouble::new(&champions.origin, message));
            }
            let mut indices = Vec::new();
            for champion in &champions.value {
                indices.push(champion_index(champion, &names, &indices)?);
            }
            Ok(Format::Gauntlet(indices))
        }
    }
}

fn check_size(typed: &Typed, format: &Format) -> Result<(), Trouble> {
    let pairs_of = |count: usize| (count * count.saturating_sub(1) / 2) as u64;
    let entrants = typed.entrants.len();
    let pairings = match format {
        Format::RoundRobin => pairs_of(entrants),
        Format::Gauntlet(champions) => pairs_of(entrants) - pairs_of(entrants - champions.len()),
    };
    let pairs = &typed.tournament.pairs;
    let games = 2 * pairings * u64::from(pairs.value);
    if games > MOST_GAMES {
        let most = MOST_GAMES / (2 * pairings).max(1);
        let message = format!(
            "`pairs` = {} in {pairings} pairings makes {games} games; a tournament has at most \
             {MOST_GAMES}: allowed here are 1 to {most} pairs",
            pairs.value
        );
        return Err(Trouble::new(&pairs.origin, message));
    }
    Ok(())
}

fn resolve_clock(typed: &Typed) -> Result<ClockSettings, Trouble> {
    let clock = &typed.clock;
    let value = |placed: &Option<Placed<_>>| placed.as_ref().map(|placed| placed.value);
    let settings = ClockSettings {
        move_limit: value(&clock.move_limit),
        bank: value(&clock.bank),
        increment: value(&clock.increment).unwrap_or_default(),
        margin: clock.margin,
        measure: clock.measure,
    };
    settings.check().map_err(|error| {
        let origin = match error {
            ClockError::IncrementWithoutBank => clock.increment.as_ref().map(|p| &p.origin),
            ClockError::NoLimit | ClockError::Zero(_) => None,
        };
        let message = format!("the clock cannot be used: {error}, as in bank = \"10s\"");
        Trouble::new(origin.unwrap_or(WHOLE), message)
    })?;
    Ok(settings)
}

fn resolve_openings(
    typed: &Typed,
    folder: &Path,
    warnings: &mut Vec<String>,
) -> Result<(OpeningSource, Openings), Trouble> {
    let tournament = &typed.tournament;
    let origin = &tournament.openings.origin;
    let pairs = tournament.pairs.value;
    let (source, list) = match &tournament.openings.value {
        TypedOpenings::Plies(plies) => {
            let list = random_openings(&typed.rules, *plies, pairs as usize, tournament.seed);
            if list.is_empty() {
                let message = format!(
                    "no game was found that goes on after {plies} random plies; take fewer \
                     `plies` for `openings`"
                );
                return Err(Trouble::new(origin, message));
            }
            (OpeningSource::Random { plies: *plies }, list)
        }
        TypedOpenings::File(name) => {
            let path = absolute(&folder.join(name));
            let refuse = |message: String| Trouble::new(origin, message);
            let text = fs::read_to_string(&path).map_err(|error| {
                refuse(format!(
                    "cannot read the openings in {}: {error}; `file` is relative to {}",
                    shown(&path),
                    shown(folder)
                ))
            })?;
            let list = parse_openings(&typed.rules, &text).map_err(|error| {
                let place = if error.line == 0 {
                    shown(&path)
                } else {
                    format!("{}:{}", shown(&path), error.line)
                };
                let reason = names::visible(&error.reason);
                refuse(format!(
                    "bad openings in {place}: {reason}. Each line is a list of moves, as in \
                     CdFb, or a position with South to move"
                ))
            })?;
            (OpeningSource::Listed(list.clone()), list)
        }
    };
    if (list.len() as u64) < u64::from(pairs) {
        let few = match list.len() {
            1 => "is only 1 opening".to_owned(),
            count => format!("are only {count} different openings"),
        };
        warnings.push(format!(
            "there {few} for {pairs} pairs of each pairing: they are played again from the first, \
             and bots without randomness will repeat their games"
        ));
    }
    Ok((source, Openings::new(list)))
}

fn resolve_slots(
    typed: &Typed,
    context: &Context<'_>,
    warnings: &mut Vec<String>,
) -> Result<u32, Trouble> {
    let machine = context.machine;
    let threads = &typed.tournament.threads_per_bot;
    let typed_slots = typed.tournament.slots.as_ref();
    let slots = typed_slots.map_or_else(
        || (machine.physical_cores / threads.value).max(1),
        |slots| slots.value,
    );
    let asked = u64::from(slots) * u64::from(threads.value);
    let there = machine.processor_count();
    if asked > u64::from(there) {
        let sum = match threads.value {
            1 => format!("{slots} slots"),
            threads if slots == 1 => format!("1 slot with {threads} threads per bot"),
            threads => format!("{slots} slots with {threads} threads per bot"),
        };
        if !context.oversubscribe {
            let message = format!(
                "{asked} processors are needed for {sum}, and {there} can be used here; take \
                 fewer, or let them share with --oversubscribe, which makes times unreliable"
            );
            let origin = typed_slots.map_or(&threads.origin, |slots| &slots.origin);
            return Err(Trouble::new(origin, message));
        }
        warnings.push(format!(
            "{sum} share {there} processors: times are unreliable, and bots may lose on time \
             through no fault of their own"
        ));
    } else if asked > u64::from(machine.physical_cores) {
        warnings.push(format!(
            "{asked} processors are used on {} physical cores: slots slow each other down, and \
             times are less reliable",
            machine.physical_cores
        ));
    }
    Ok(slots)
}

/// What else decides games.
fn circumstances(typed: &Typed, level: Level) -> BTreeMap<String, String> {
    let tournament = &typed.tournament;
    let readable = typed.isolation.readable.iter();
    let readable: Vec<&str> = readable.map(|word| word.value.as_str()).collect();
    [
        ("isolation.level", level.name().to_owned()),
        ("isolation.freeze", typed.isolation.freeze.to_string()),
        ("isolation.readable", format!("{readable:?}")),
        ("tournament.start-up", time_text(tournament.start_up)),
        (
            "tournament.threads-per-bot",
            tournament.threads_per_bot.value.to_string(),
        ),
    ]
    .into_iter()
    .chain(admission::circumstance(typed.admission))
    .map(|(key, value)| (key.to_owned(), value))
    .collect()
}
