//! The resolved plan as TOML: a configuration with every default filled in, that gives the same
//! plan when it is read again, and a record of where it came from.

use super::entrants::{named_limits, restart_name};
use super::error::Placed;
use super::max_faults;
use super::resolved::Resolved;
use super::typed::{ERRORS, Logs, TypedOpenings, TypedSource};
use crate::referee::ClockSettings;
use crate::rules::FIELDS;
use crate::text::printable;
use crate::text::time_text;
use crate::tournament::{Format, Secret};
use std::fmt::{Display, Write as _};

/// A TOML text that grows by lines. Writing to a `String` cannot fail.
#[derive(Default)]
pub struct Page(String);

impl Page {
    pub fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.0, "{text}");
    }

    pub fn table(&mut self, header: &str) {
        self.line(format_args!("\n{header}"));
    }

    /// A key whose value is TOML already.
    pub fn key(&mut self, key: &str, value: impl Display) {
        self.line(format_args!("{key} = {value}"));
    }

    pub fn text(&mut self, key: &str, value: &str) {
        self.key(key, quote(value));
    }

    /// A text under a key that may be no bare word.
    pub fn text_under(&mut self, key: &str, value: &str) {
        self.text(&quote(key), value);
    }

    pub fn texts(&mut self, key: &str, values: &[&str]) {
        self.key(key, list(values.iter().map(|value| quote(value))));
    }

    pub fn into_text(self) -> String {
        self.0
    }

    /// What a clock allows.
    pub fn clock(&mut self, clock: &ClockSettings) {
        if let Some(limit) = clock.move_limit {
            self.text("move", &time_text(limit));
        }
        if let Some(bank) = clock.bank {
            self.text("bank", &time_text(bank));
            self.text("increment", &time_text(clock.increment));
        }
        self.text("margin", &time_text(clock.margin));
        self.text("measure", clock.measure.name());
    }
}

/// Who reads a dump, and so whether it holds the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpTo {
    /// Whoever looks on: the secret is there only if the configuration has it.
    Terminal,
    /// The organiser alone, in the run's folder.
    Folder,
}

/// The complete plan as TOML, for `--dump-config` and a run's `plan.toml`.
pub fn dump(resolved: &Resolved, to: DumpTo) -> String {
    let mut page = Page::default();
    page.line(format_args!(
        "# The complete plan of the tournament {}, every default filled in.",
        printable(&resolved.plan.name)
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
    page.clock(&resolved.plan.clock);
    page.table("[rules]");
    for field in FIELDS {
        let value = resolved.plan.rules.get(field).unwrap_or_default();
        let is_word = value.parse::<bool>().is_err() && value.parse::<u8>().is_err();
        page.key(field, if is_word { quote(&value) } else { value });
    }
    page.table("[admission]");
    page.text("mode", resolved.typed.admission.name());
    page.table("[isolation]");
    let isolation = &resolved.typed.isolation;
    page.text("level", resolved.level.name());
    page.key("freeze", isolation.freeze);
    page.key("readable", texts(&isolation.readable));
    page.table("[limits]");
    let common = resolved.typed.limits.common();
    for (name, value) in named_limits(common) {
        page.key(name, value);
    }
    if resolved.new.is_some() {
        page.table("[sprt]");
        for (name, value) in resolved.typed.sprt.named_values() {
            page.key(name, value);
        }
    }
    for index in 0..resolved.bots.len() {
        entrant(&mut page, resolved, index);
    }
    provenance(&mut page, resolved);
    page.0
}

fn shown_secret(resolved: &Resolved, to: DumpTo) -> Option<&Secret> {
    let is_typed = resolved.typed.tournament.secret.is_some();
    let secret = resolved.plan.secret.as_ref();
    secret.filter(|_| is_typed || to == DumpTo::Folder)
}

fn tournament(page: &mut Page, resolved: &Resolved, secret: Option<&Secret>) {
    let (plan, typed) = (&resolved.plan, &resolved.typed.tournament);
    page.table("[tournament]");
    page.text("name", &plan.name);
    page.text("folder", &resolved.folder.to_string_lossy());
    match &plan.format {
        Format::RoundRobin => page.text("format", "round-robin"),
        Format::Gauntlet(champions) => {
            page.text("format", "gauntlet");
            let name = |champion: &crate::tournament::EntrantIndex| {
                quote(&plan.entrants[champion.index()].name)
            };
            page.key("champions", list(champions.iter().map(name)));
        }
    }
    page.text("rules", plan.preset.name());
    page.key("pairs", plan.pairs);
    page.key("seed", plan.seed);
    match secret {
        Some(secret) => page.text("secret", &secret.digits()),
        None => page.line("# secret is not shown: a run draws one and keeps it in its folder"),
    }
    page.key("slots", resolved.slots);
    let TypedOpenings { source, shared } = &typed.openings.value;
    let source = match source {
        TypedSource::Plies(plies) => format!("plies = {plies}"),
        TypedSource::File(file) => format!("file = {}", quote(file)),
    };
    let shared = if *shared { ", shared = true" } else { "" };
    page.key("openings", format!("{{ {source}{shared} }}"));
    page.key("max-plies", plan.max_plies);
    page.key("max-faults", max_faults::text(typed.max_faults));
    page.text("restart", restart_name(typed.restart));
    page.text("start-up", &time_text(typed.start_up));
    page.text("new-game", &time_text(typed.new_game));
    page.key("threads-per-bot", resolved.cores_per_slot);
    let logs = Logs::NAMES
        .iter()
        .find(|(_, choice)| *choice == resolved.logs);
    page.text("logs", logs.expect("every choice has a name").0);
    page.key("blind", plan.blind);
    let errors = ERRORS.iter().find(|(_, method)| *method == typed.errors);
    page.text("errors", errors.expect("every method has a name").0);
    if !typed.anchors.is_empty() {
        let anchor =
            |(name, elo): &(Placed<String>, f64)| format!("{} = {elo:?}", quote(&name.value));
        page.key("anchor", inline(typed.anchors.iter().map(anchor)));
    }
}

fn entrant(page: &mut Page, resolved: &Resolved, index: usize) {
    let (typed, bot) = (&resolved.typed.entrants[index], &resolved.bots[index]);
    page.table("[[entrant]]");
    page.text("name", &typed.name.value);
    page.key(
        "command",
        list(typed.command.value.iter().map(|word| quote(&word.value))),
    );
    if let Some(dir) = &typed.dir {
        page.text("dir", &dir.value);
    }
    page.key("readable", texts(&typed.readable));
    let pair = |(name, value): &(String, String)| format!("{} = {}", quote(name), quote(value));
    page.key("env", inline(typed.env.iter().map(pair)));
    page.text("restart", restart_name(bot.restart));
    page.key("deterministic", resolved.deterministic[index]);
    let limits = named_limits(bot.limits);
    page.key(
        "limits",
        inline(
            limits
                .iter()
                .map(|(name, value)| format!("{name} = {value}")),
        ),
    );
}

/// Where the plan was made: never read again.
fn provenance(page: &mut Page, resolved: &Resolved) {
    page.table(
        "# A record of where the plan was made; not read when the file is run.\n[provenance]",
    );
    page.text("awale", env!("CARGO_PKG_VERSION"));
    page.text("host", &resolved.host);
    page.key("processors", resolved.processors.len());
    // Of a plan that has no secret yet, the run's is another.
    if resolved.plan.secret.is_some() {
        page.text("plan-sha256", &resolved.plan.hash());
    }
    let toolchains = resolved.toolchains.iter().map(|it| it.to_string_lossy());
    let toolchains = toolchains.map(|folder| quote(&folder));
    page.key("toolchains", list(toolchains));
    for (index, program) in resolved.programs.iter().enumerate() {
        let typed = &resolved.typed.entrants[index];
        page.table("[[provenance.entrant]]");
        page.text("name", &typed.name.value);
        page.text("program", &program.launch.program.to_string_lossy());
        let fingerprint = |(word, hash): (&usize, &String)| {
            format!(
                "{} = {}",
                quote(&typed.command.value[*word].value),
                quote(hash)
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

fn texts(words: &[Placed<String>]) -> String {
    list(words.iter().map(|word| quote(&word.value)))
}

pub(super) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn inline(pairs: impl Iterator<Item = String>) -> String {
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {} }}", pairs.join(", "))
    }
}

/// A TOML basic string: whatever a terminal would obey or hide is an escape.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            _ if printable(character.encode_utf8(&mut [0; 4])).starts_with('\\') => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
