//! The resolved plan as TOML: a configuration with every default filled in, which gives the same
//! plan when it is read again, and a record of its origin.

use super::entrants::restart_name;
use super::error::Located;
use super::resolved::{Resolved, ResolvedEntrant};
use super::typed::{ERRORS, Logs, TypedOpenings, TypedSource};
use super::{admission, max_faults};
use crate::rules::FIELDS;
use crate::text::{TomlWriter, printable, time_text, toml_array, toml_string};
use crate::tournament::{Format, Secret};

/// The reader of a dump, which decides whether it contains the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpTo {
    /// Any reader: the secret is included only if it is in the configuration.
    Terminal,
    /// The organiser alone, in the run's folder.
    Folder,
}

/// The complete plan as TOML, for `--dump-config` and a run's `plan.toml`.
pub fn dump(resolved: &Resolved, to: DumpTo) -> String {
    let mut page = TomlWriter::default();
    page.line(format_args!(
        "# The complete plan of the tournament {}, every default filled in.",
        printable(&resolved.settings.name)
    ));
    let command = match &resolved.plan.test {
        Some(_) => "`awale sprt`",
        None => "awale",
    };
    let secret = shown_secret(resolved, to);
    let same = match secret {
        Some(_) => "plays the same games again",
        None => "plays this plan with a secret of its own",
    };
    page.line(format_args!(
        "# Run with this file as its configuration, {command} {same}."
    ));
    tournament(&mut page, resolved, secret);
    page.table("[clock]");
    for (key, value) in resolved.plan.clock.named() {
        page.text(key, &value);
    }
    page.table("[rules]");
    for field in FIELDS {
        let value = resolved.plan.rules.get(field).unwrap_or_default();
        let is_word = value.parse::<bool>().is_err() && value.parse::<u8>().is_err();
        page.key(field, if is_word { toml_string(&value) } else { value });
    }
    page.table("[admission]");
    page.text("mode", admission::name(resolved.typed.admission));
    page.table("[isolation]");
    let isolation = &resolved.typed.isolation;
    page.text("level", resolved.level.name());
    page.key("freeze", isolation.freeze);
    page.key("readable", texts(&isolation.readable));
    page.table("[limits]");
    let common = resolved.typed.limits.values();
    for (name, value) in common.named() {
        page.key(name, value);
    }
    if resolved.new.is_some() {
        page.table("[sprt]");
        for (name, value) in resolved.typed.sprt.named_values() {
            page.key(name, value);
        }
    }
    for index in 0..resolved.entrants.len() {
        entrant(&mut page, resolved, index);
    }
    provenance(&mut page, resolved);
    page.into_text()
}

fn shown_secret(resolved: &Resolved, to: DumpTo) -> Option<&Secret> {
    let is_typed = resolved.typed.tournament.secret.is_some();
    let secret = resolved.plan.secret.as_ref();
    secret.filter(|_| is_typed || to == DumpTo::Folder)
}

fn tournament(page: &mut TomlWriter, resolved: &Resolved, secret: Option<&Secret>) {
    let (plan, typed) = (&resolved.plan, &resolved.typed.tournament);
    page.table("[tournament]");
    page.text("name", &resolved.settings.name);
    page.text("folder", &resolved.folder.to_string_lossy());
    match &plan.format {
        Format::RoundRobin => page.text("format", "round-robin"),
        Format::Gauntlet(champions) => {
            page.text("format", "gauntlet");
            let name = |champion: &crate::tournament::EntrantIndex| {
                toml_string(&plan.entrants[champion.index()].name)
            };
            page.key("champions", toml_array(champions.iter().map(name)));
        }
    }
    page.text("rules", plan.preset.name());
    page.key("pairs", plan.pairs);
    page.key("seed", plan.seed);
    match secret {
        Some(secret) => page.text("secret", &secret.digits()),
        None => page.line("# secret is not shown: a run draws one and keeps it in its folder"),
    }
    page.key("slots", resolved.settings.slots);
    let TypedOpenings { source, shared } = &typed.openings.value;
    let source = match source {
        TypedSource::Plies(plies) => format!("plies = {plies}"),
        TypedSource::File(file) => format!("file = {}", toml_string(file)),
    };
    let shared = if *shared { ", shared = true" } else { "" };
    page.key("openings", format!("{{ {source}{shared} }}"));
    page.key("max-plies", plan.max_plies);
    page.key("max-faults", max_faults::text(typed.max_faults));
    page.text("restart", restart_name(typed.restart));
    page.text("start-up", &time_text(typed.start_up));
    page.text("new-game", &time_text(typed.new_game));
    page.key("threads-per-bot", resolved.cores_per_slot);
    page.key("processes-kept", resolved.processes_kept);
    let logs = Logs::NAMES
        .iter()
        .find(|(_, choice)| *choice == resolved.logs);
    page.text("logs", logs.expect("every choice has a name").0);
    page.key("blind", plan.blind);
    let errors = ERRORS.iter().find(|(_, method)| *method == typed.errors);
    page.text("errors", errors.expect("every method has a name").0);
    if !typed.anchors.is_empty() {
        let anchor = |(name, elo): &(Located<String>, f64)| {
            format!("{} = {elo:?}", toml_string(&name.value))
        };
        page.key("anchor", inline(typed.anchors.iter().map(anchor)));
    }
}

fn entrant(page: &mut TomlWriter, resolved: &Resolved, index: usize) {
    let typed = &resolved.typed.entrants[index];
    let ResolvedEntrant {
        bot, deterministic, ..
    } = &resolved.entrants[index];
    page.table("[[entrant]]");
    page.text("name", &typed.name.value);
    page.key(
        "command",
        toml_array(
            typed
                .command
                .value
                .iter()
                .map(|word| toml_string(&word.value)),
        ),
    );
    if let Some(dir) = &typed.dir {
        page.text("dir", &dir.value);
    }
    page.key("readable", texts(&typed.readable));
    let pair = |(name, value): &(String, String)| {
        format!("{} = {}", toml_string(name), toml_string(value))
    };
    page.key("env", inline(typed.env.iter().map(pair)));
    page.text("restart", restart_name(bot.restart));
    page.key("deterministic", deterministic);
    let limits = bot.limits.named();
    let limits = limits.map(|(name, value)| format!("{name} = {value}"));
    page.key("limits", inline(limits));
}

/// Where the plan was made; this is never read again.
fn provenance(page: &mut TomlWriter, resolved: &Resolved) {
    page.table(
        "# A record of where the plan was made; not read when the file is run.\n[provenance]",
    );
    page.text("awale", env!("CARGO_PKG_VERSION"));
    page.text("host", &resolved.host);
    page.key("processors", resolved.processors.len());
    // A plan without a secret is not the run's: the run will have one.
    if resolved.plan.secret.is_some() {
        page.text("plan-sha256", &resolved.plan.hash());
    }
    let toolchains = resolved.toolchains.iter().map(|it| it.to_string_lossy());
    let toolchains = toolchains.map(|folder| toml_string(&folder));
    page.key("toolchains", toml_array(toolchains));
    let programs = resolved.entrants.iter().map(|entrant| &entrant.program);
    for (index, program) in programs.enumerate() {
        let typed = &resolved.typed.entrants[index];
        page.table("[[provenance.entrant]]");
        page.text("name", &typed.name.value);
        page.text("program", &program.launch.program.to_string_lossy());
        let fingerprint = |(word, hash): (&usize, &String)| {
            format!(
                "{} = {}",
                toml_string(&typed.command.value[*word].value),
                toml_string(hash)
            )
        };
        if !program.is_house_bot {
            page.key(
                "sha256",
                inline(program.fingerprints.iter().map(fingerprint)),
            );
            if let Some(tree) = &program.tree {
                page.text("tree-sha256", tree);
            }
        }
    }
}

fn texts(words: &[Located<String>]) -> String {
    toml_array(words.iter().map(|word| toml_string(&word.value)))
}

fn inline(pairs: impl Iterator<Item = String>) -> String {
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {} }}", pairs.join(", "))
    }
}
