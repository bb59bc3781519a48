//! The resolved plan as TOML: a configuration with every default filled in, which gives the same
//! plan when it is read again, and a record of its origin.

use super::clock::typed_clock;
use super::error::Located;
use super::keys::forms::{TypedLonger, TypedSeeding};
use super::keys::tables::{
    TypedAdjudication, TypedClass, TypedEntrant, TypedIsolation, TypedTournament,
};
use super::keys::value::inline_table;
use super::resolved::Resolved;
use crate::text::{TomlWriter, printable, toml_array, toml_string};
use crate::tournament::{Secret, Seeding, rule_fields};

/// The reader of a dump, which decides whether it contains the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpTo {
    /// Any reader: the secret is included only if it is in the configuration.
    Terminal,
    /// The organiser alone, in the run's folder.
    Folder,
    /// Another machine, which needs to find and start the programs alone.
    Worker,
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
    tournament(&mut page, resolved, secret, to);
    page.table("[clock]");
    keys(&mut page, resolved.typed.clock.named());
    page.table("[rules]");
    // JSON's names, numbers and booleans are also TOML's.
    for (field, value) in rule_fields(&resolved.plan.rules) {
        page.key(&field, value);
    }
    adjudication(&mut page, resolved);
    page.table("[admission]");
    keys(&mut page, resolved.typed.admission.named());
    page.table("[isolation]");
    let isolation = TypedIsolation {
        level: Located::by_default(Some(resolved.level)),
        ..resolved.typed.isolation.clone()
    };
    keys(&mut page, isolation.named());
    page.table("[limits]");
    keys(&mut page, resolved.typed.limits.values().named());
    page.table("[build]");
    keys(&mut page, resolved.typed.build.named());
    if to == DumpTo::Worker {
        for index in 0..resolved.entrants.len() {
            entrant(&mut page, resolved, index);
        }
        return page.into_text();
    }
    page.table("[class]");
    // Its folders are entrants below.
    let longer = resolved.plan.longer.iter().cloned();
    let class = TypedClass {
        submissions: None,
        only: Vec::new(),
        best: None,
        best_of: None,
        longer: longer.map(TypedLonger).collect(),
        ..resolved.typed.class.clone()
    };
    keys(&mut page, class.named());
    if resolved.new.is_some() {
        page.table("[sprt]");
        keys(&mut page, resolved.typed.sprt.named());
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
    match to {
        DumpTo::Terminal => secret.filter(|_| is_typed),
        DumpTo::Folder => secret,
        DumpTo::Worker => None,
    }
}

fn tournament(page: &mut TomlWriter, resolved: &Resolved, secret: Option<&Secret>, to: DumpTo) {
    page.table("[tournament]");
    let settings = &resolved.settings;
    let folder = resolved.folder.to_string_lossy().into_owned();
    let complete = TypedTournament {
        name: Some(Located::by_default(settings.name.clone())),
        folder: Some(Located::by_default(folder)),
        pairs: Located::by_default(resolved.plan.pairs),
        secret: secret.cloned().map(Located::by_default),
        slots: Some(Located::by_default(settings.slots)),
        seeding: seeding(resolved),
        max_plies: Some(Located::by_default(resolved.plan.max_plies)),
        ..resolved.typed.tournament.clone()
    };
    // What is drawn or listed here, another machine is told with each game.
    let is_left_out = |name: &str| {
        to == DumpTo::Worker
            && [
                "folder", "openings", "slots", "format", "seeding", "until", "anchor",
            ]
            .contains(&name)
    };
    let keys = complete.named().into_iter();
    for (name, value) in keys.filter(|(name, _)| !is_left_out(name)) {
        page.key(name, value);
        if name == "seed" && secret.is_none() {
            page.line("# secret is not shown: a run draws one and keeps it in its folder");
        }
    }
}

/// The order that was found, where another run gave it.
fn seeding(resolved: &Resolved) -> Option<Located<TypedSeeding>> {
    let typed = resolved.typed.tournament.seeding.clone()?;
    let Seeding::List(names) = &resolved.plan.seeding else {
        return Some(typed);
    };
    let names = names.iter().cloned().map(Located::by_default);
    Some(Located::by_default(TypedSeeding::Order(names.collect())))
}

/// With the name of the database that the plan has.
fn adjudication(page: &mut TomlWriter, resolved: &Resolved) {
    page.table("[adjudication]");
    let terms = resolved.plan.endgame.clone();
    let (seeds, sha256) = terms.map(|it| (it.seeds, it.sha256)).unzip();
    let complete = TypedAdjudication {
        seeds: seeds.map(Located::by_default),
        sha256: sha256.map(Located::by_default),
        ..resolved.typed.adjudication.clone()
    };
    keys(page, complete.named());
}

fn entrant(page: &mut TomlWriter, resolved: &Resolved, index: usize) {
    let (typed, entrant) = (&resolved.typed, &resolved.entrants[index]);
    page.table("[[entrant]]");
    let complete = TypedEntrant {
        restart: Some(Located::by_default(entrant.bot.restart)),
        deterministic: Some(Located::by_default(entrant.deterministic)),
        clock: resolved.plan.entrants[index]
            .clock
            .map(|own| Located::by_default(typed_clock(&own))),
        limits: typed.entrants[index].limits.or(&typed.limits),
        ..typed.entrants[index].clone()
    };
    keys(page, complete.named());
}

fn keys(page: &mut TomlWriter, named: impl IntoIterator<Item = (&'static str, String)>) {
    for (name, value) in named {
        page.key(name, value);
    }
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
        page.text("program", &program.launch.known_program().to_string_lossy());
        let fingerprint = |(word, hash): (&usize, &String)| {
            format!(
                "{} = {}",
                toml_string(&typed.command.value[*word].value),
                toml_string(hash)
            )
        };
        // A house bot has the hash of its database of endgames, if it plays by one.
        if !program.is_house_bot || !program.tools.is_empty() {
            let files = program.fingerprints.iter().map(fingerprint);
            let tools = program.tools.iter();
            let tools =
                tools.map(|(word, hash)| format!("{} = {}", toml_string(word), toml_string(hash)));
            page.key("sha256", inline_table(files.chain(tools)));
            if let Some(tree) = &program.tree {
                page.text("tree-sha256", tree);
            }
        }
    }
}
