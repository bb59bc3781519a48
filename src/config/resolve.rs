//! From typed values to a playable plan: finds and hashes programs, reads openings, and checks
//! every number against the others and the machine.

use super::entrants::{check_names, resolve_entrants};
use super::error::{Diagnostic, Located};
use super::format::resolve_format;
use super::keys::tables::Typed;
use super::openings::{resolve_openings, resolve_source};
use super::resolved::gate;
use super::resolved::{Purpose, Resolved, ResolvedEntrant};
use super::{entrants, names, sprt};
use crate::bot::Level;
use crate::config::adjudication::{ResolvedEndgame, resolve_endgame, warn_of_decided};
use crate::config::capacity::fit;
use crate::config::class::ClassFolders;
use crate::config::clock::{give_clocks, resolve_clock};
use crate::config::context::Context;
use crate::config::error::WHOLE;
use crate::config::keys::forms::resolve_points;
use crate::config::keys::value::OpeningOrder;
use crate::config::trust::{absolute, shown};
use crate::record::Grading;
use crate::tournament::{
    Conditions, Entrant, EntrantIndex, MOST_GAMES, OpeningSharing, Plan, RunSettings,
    SequentialTest, hash_of, pair_count,
};
use std::path::{Path, PathBuf};

/// Hexadecimal digits of the hash of two programs in the name of their folder.
const HASH_DIGITS: usize = 8;

/// # Errors
/// The first thing that is contradictory, missing or impossible.
pub fn resolve(mut typed: Typed, context: &Context<'_>) -> Result<Resolved, Diagnostic> {
    let mut warnings = context.class.warnings.clone();
    let name = tournament_name(&typed, context.file)?;
    let folder = base_folder(&typed, context)?;
    check_names(&typed.entrants)?;
    let length = resolve_length(&typed, context.purpose)?;
    let format = resolve_format(&typed, &folder)?;
    let clock = resolve_clock(&typed.clock)?;
    let base = output(context);
    let source = resolve_source(&typed, &folder, context.is_record)?;
    let slots = fitting_slots(&mut typed, context, &mut warnings)?;
    let mut found = resolve_entrants(&mut typed, &folder, &base, context, &mut warnings)?;
    give_clocks(&mut found.planned, &typed.entrants, &clock, &mut warnings)?;
    let output = own_output(base, &found.planned, context);
    let secret = match &typed.tournament.secret {
        Some(secret) => Some(secret.value.clone()),
        None => context.secret.secret(&output)?,
    };
    let ResolvedEndgame { terms, database } = resolve_endgame(&typed, &output, context)?;
    let tournament = &typed.tournament;
    let mut plan = Plan {
        format: format.format,
        preset: tournament.preset,
        rules: typed.rules(),
        seeding: format.seeding,
        until: format.until,
        rounds: Vec::new(),
        pairs: length.pairs.value,
        house_pairs: (!typed.class.house.is_empty()).then_some(typed.class.house_pairs.value),
        longer: typed.class.longer.iter().map(|it| it.0.clone()).collect(),
        seed: tournament.seed,
        secret,
        openings: source,
        sharing: sharing(&typed),
        opening_start: typed_start(&typed),
        max_plies: typed.max_plies(),
        endgame: terms,
        resign: typed.adjudication.resign.value,
        draw: typed.adjudication.draw.value,
        clock,
        max_faults: tournament.max_faults,
        blind: tournament.blind,
        conditions: conditions(&typed, context.level),
        test: length.test,
        entrants: found.planned,
    };
    check_size(&plan, &typed, &length.pairs)?;
    let typed_openings = &typed.tournament.openings;
    let openings = resolve_openings(&mut plan, typed_openings, context.is_record, &mut warnings)?;
    warn_of_decided(&plan, &mut warnings);
    Ok(Resolved {
        settings: settings(name, slots, &typed, &found.entrants, context.class)?,
        plan,
        gate: gate(typed.admission.mode, &found.entrants),
        entrants: found.entrants,
        openings,
        endgame: database,
        new: length.new,
        cores_per_slot: typed.tournament.threads_per_bot.value,
        processors: context.machine.processors.clone(),
        physical_cores: context.machine.physical_cores,
        allowed: context.machine.allowed,
        output,
        level: context.level,
        warnings,
        typed,
        toolchains: found.toolchains,
        folder,
        host: context.machine.host.clone(),
    })
}

/// The slots, no more than fit into what is allowed; those of a record stay as they were.
fn fitting_slots(
    typed: &mut Typed,
    context: &Context<'_>,
    warnings: &mut Vec<String>,
) -> Result<u32, Diagnostic> {
    let slots = resolve_slots(typed, context, warnings)?;
    if context.is_record {
        return Ok(slots);
    }
    fit(typed, slots, context.machine.allowed, warnings)
}

/// Starts what takes long and needs nothing but the configuration. What is wrong with it is
/// reported by [`resolve`].
pub fn start_questions(typed: &Typed, context: &Context<'_>) {
    if let Ok(folder) = base_folder(typed, context) {
        entrants::start_questions(typed, &folder, &output(context), context);
    }
}

/// The settings, which change no game.
fn settings(
    name: String,
    slots: u32,
    typed: &Typed,
    entrants: &[ResolvedEntrant],
    class: &ClassFolders,
) -> Result<RunSettings, Diagnostic> {
    let named = typed.entrants.iter().zip(entrants);
    let deterministic = named.filter(|(_, entrant)| entrant.deterministic);
    Ok(RunSettings {
        name,
        slots,
        anchor: names::resolve_anchors(typed.tournament.anchors.as_ref(), &typed.names())?,
        deterministic: deterministic
            .map(|(typed, _)| typed.name.value.clone())
            .collect(),
        toolchains: typed.tournament.toolchains,
        max_pairs: None,
        grading: grading(typed, class)?,
    })
}

/// Whether the entrants are those of a class.
pub const fn is_class(typed: &Typed) -> bool {
    let class = &typed.class;
    class.submissions.is_some() || !class.house.is_empty() || !class.points.is_empty()
}

/// How the class is graded, if this is one.
fn grading(typed: &Typed, found: &ClassFolders) -> Result<Option<Grading>, Diagnostic> {
    let class = &typed.class;
    let points = resolve_points(&class.points, &typed.names())?;
    Ok(is_class(typed).then(|| Grading {
        points,
        names: class.shown_names.value,
        people: found.people.clone(),
        absent: found.absent.clone(),
        older: found
            .versions
            .iter()
            .map(|(name, it)| (name.clone(), it.older.clone()))
            .collect(),
    }))
}

fn sharing(typed: &Typed) -> OpeningSharing {
    let openings = &typed.tournament.openings.value;
    let is_shared = openings.shared.as_ref().is_some_and(|shared| shared.value);
    match openings.order.as_ref().map(|order| order.value) {
        Some(OpeningOrder::File) => OpeningSharing::Shared,
        Some(OpeningOrder::Random) if is_shared => OpeningSharing::SharedRandom,
        None if is_shared => OpeningSharing::Shared,
        _ => OpeningSharing::Own,
    }
}

/// The opening with which the first pair begins.
fn typed_start(typed: &Typed) -> u32 {
    let start = &typed.tournament.openings.value.start;
    start.as_ref().map_or(1, |start| start.value)
}

/// The length of a pairing, and what may end it earlier.
struct Length {
    /// The new entrant, unless this is a tournament.
    new: Option<EntrantIndex>,
    test: Option<SequentialTest>,
    /// The most pairs of each pairing.
    pairs: Located<u32>,
}

fn resolve_length(typed: &Typed, purpose: Purpose) -> Result<Length, Diagnostic> {
    let pairs = typed.tournament.pairs.clone();
    let (new, test, pairs) = match purpose {
        Purpose::Tournament => (None, None, pairs),
        Purpose::Match => (
            Some(sprt::new_entrant(&typed.sprt, &typed.names())?),
            None,
            pairs,
        ),
        Purpose::Test => {
            let new = sprt::new_entrant(&typed.sprt, &typed.names())?;
            let test = sprt::test(&typed.sprt, new)?;
            (Some(new), Some(test), typed.sprt.max_pairs.clone())
        }
    };
    Ok(Length { new, test, pairs })
}

fn stem(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn output(context: &Context<'_>) -> PathBuf {
    let named = context.output.map(Path::to_owned);
    named.unwrap_or_else(|| default_output(context.file))
}

/// The folder of a run. Unless it is named, two programs that are compared have one of their own
/// inside: with another build of one, or by other names in a duel, the games are others.
fn own_output(base: PathBuf, entrants: &[Entrant], context: &Context<'_>) -> PathBuf {
    if context.purpose == Purpose::Tournament || context.output.is_some() {
        return base;
    }
    let is_match = context.purpose == Purpose::Match;
    let names = entrants
        .iter()
        .filter(|_| is_match)
        .map(|it| it.name.as_str().into());
    let programs = entrants.iter().map(|entrant| entrant.program.clone());
    let hash = hash_of(&programs.chain(names).collect());
    base.join(&hash[..HASH_DIGITS])
}

/// The folder of a run of this configuration that does not name one.
pub fn default_output(file: &Path) -> PathBuf {
    Path::new("results").join(file.file_stem().unwrap_or_default())
}

fn tournament_name(typed: &Typed, file: &Path) -> Result<String, Diagnostic> {
    if let Some(name) = &typed.tournament.name {
        names::check(&name.value).map_err(|message| Diagnostic::new(&name.origin, message))?;
        return Ok(name.value.clone());
    }
    let name = stem(file);
    names::check(&name).map_err(|message| {
        let message =
            format!("without `name` in [tournament] the file's own name is taken, and {message}");
        Diagnostic::new(WHOLE, message)
    })?;
    Ok(name)
}

/// The start of relative paths: `folder`, itself relative to the configuration file.
pub fn folder(typed: &Typed, file: &Path) -> PathBuf {
    let beside = beside(file);
    match &typed.tournament.folder {
        Some(folder) => absolute(&beside.join(&folder.value)),
        None => beside,
    }
}

/// The folder of the configuration file.
fn beside(file: &Path) -> PathBuf {
    let around = file.parent().filter(|it| *it != Path::new(""));
    absolute(around.unwrap_or(Path::new(".")))
}

/// The same, if it exists.
fn base_folder(typed: &Typed, context: &Context<'_>) -> Result<PathBuf, Diagnostic> {
    let path = folder(typed, context.file);
    let Some(folder) = &typed.tournament.folder else {
        return Ok(path);
    };
    if path.is_dir() || context.is_record {
        return Ok(path);
    }
    let message = format!(
        "there is no folder {}; `folder` in [tournament] is relative to {}",
        shown(&path),
        shown(&beside(context.file))
    );
    Err(Diagnostic::new(&folder.origin, message))
}

fn check_size(plan: &Plan, typed: &Typed, pairs: &Located<u32>) -> Result<(), Diagnostic> {
    let games = |plan: &Plan| 2 * pair_count(plan) as u64;
    let all = games(plan);
    if all <= MOST_GAMES {
        return Ok(());
    }
    // As many entrants as a tournament may have can play a pair each.
    let with = |pairs, house_pairs| {
        let house_pairs = plan.house_pairs.map(|_| house_pairs);
        games(&Plan {
            pairs,
            house_pairs,
            ..plan.clone()
        })
    };
    let of_house = with(0, plan.house_pairs.unwrap_or_default());
    let (key, value, each, others) = if of_house > MOST_GAMES {
        ("house-pairs", &typed.class.house_pairs, with(0, 1), 0)
    } else {
        ("pairs", pairs, with(1, 0), of_house)
    };
    let most = (MOST_GAMES - others) / each;
    let message = format!(
        "`{key}` = {} makes {all} games in all; a tournament has at most {MOST_GAMES}: allowed \
         here are 1 to {most} pairs",
        value.value
    );
    Err(Diagnostic::new(&value.origin, message))
}

fn resolve_slots(
    typed: &Typed,
    context: &Context<'_>,
    warnings: &mut Vec<String>,
) -> Result<u32, Diagnostic> {
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
            return Err(Diagnostic::new(origin, message));
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
    let (most, reason) = machine.most_slots();
    if most == 0 {
        let message = format!("nothing can be played: {reason}; raise that limit");
        return Err(Diagnostic::new(WHOLE, message));
    }
    if slots > most {
        warnings.push(format!("{most} slots play instead of {slots}: {reason}"));
    }
    Ok(slots.min(most))
}

/// The other conditions of games.
fn conditions(typed: &Typed, level: Level) -> Conditions {
    let tournament = &typed.tournament;
    let readable = typed.isolation.readable.iter();
    Conditions {
        isolation: level.name().to_owned(),
        freeze: typed.isolation.freeze,
        readable: readable.map(|word| word.value.clone()).collect(),
        start_up: tournament.start_up,
        new_game: tournament.new_game,
        threads_per_bot: tournament.threads_per_bot.value,
        admission: typed.admission.mode,
    }
}
