//! The plan of a journal up to format 4: keys of the configuration and their values, compared with
//! those of `plan.toml`.

use super::super::findings::{Check, FindingPlace, Findings};
use super::super::openings::{self, OpeningBook};
use crate::bot::ProgramIdentity;
use crate::rules::FIELDS;
use crate::run_folder::{JOURNAL, PLAN, RunFolder};
use crate::stats::sprt::Model;
use crate::text::{quoted, time_text};
use crate::tournament::{
    AdmissionMode, Entrant, Format, OpeningNumbers, OpeningSharing, OpeningSource, Openings, Plan,
    RecordedPlan, RunDocument, Secret,
};
use crate::verification::bot_files::{
    ProgramFiles, TREE, VERSION, compare_bots, compare_provenance, files_of,
};
use crate::verification::known_plan::KnownPlan;
use crate::verification::openings::openings_text;
use std::collections::{BTreeMap, BTreeSet};

/// The prefix of an entrant's keys with hashes of files.
const HASH_OF: &str = "SHA-256 of ";
/// The key of the secret's short hash.
const SECRET_KEY: &str = "tournament.secret";
/// The key of the number of pairs; a test has none.
pub const PAIRS_KEY: &str = "tournament.pairs";

/// The first line of an older journal.
pub struct RecordedKeys<'a> {
    /// The definition of the run.
    pub recorded: &'a RecordedPlan,
    /// Keys and values.
    pub identity: &'a BTreeMap<String, String>,
}

impl RecordedKeys<'_> {
    /// The run of `plan.toml`, if it is that of the journal.
    pub fn compare(
        &self,
        folder: &RunFolder,
        mut run: RunDocument,
        findings: &mut Findings,
    ) -> Option<KnownPlan> {
        let secret = self.recorded.secret().map(Secret::short_hash);
        if self.recorded.format >= 3 && secret.as_ref() != self.identity.get(SECRET_KEY) {
            let message = "the secret is not the one that the plan has the short hash of";
            findings.problem(Check::Plan, FindingPlace::line(JOURNAL, 1), message);
        }
        without_later_rules(&mut run.plan, self.recorded, self.identity);
        let played = self.files(&run.plan);
        compare_provenance(folder, &self.recorded.hash, &played, findings);
        if !self.is_same(&run.plan, findings) {
            return None;
        }
        let others = compare_bots(&run.plan, &played, &files_of(&run.plan), findings);
        Some(KnownPlan {
            openings: self.opening_book(&run.plan, findings),
            run,
            others,
            file_settings: None,
            file_fits: true,
        })
    }

    /// Whether the plan has the journal's keys and values.
    fn is_same(&self, plan: &Plan, findings: &mut Findings) -> bool {
        let here = keys_of(plan);
        let mut keys: BTreeSet<&String> = self.identity.keys().chain(here.keys()).collect();
        keys.retain(|key| {
            !is_of_this_machine(plan, key) && !is_new_key(self.recorded, self.identity, key)
        });
        let names = "entrants";
        if self.identity.get(names) != here.get(names) {
            // In another entrant everything differs.
            keys.retain(|key| !key.starts_with("entrant \""));
        }
        let mut same = true;
        for key in keys {
            let [there, here] = [self.identity, &here].map(|map| map.get(key));
            let is_same = match (there, here) {
                (Some(there), Some(here)) => is_same_value(self.recorded, there, here),
                _ => there == here,
            };
            if !is_same {
                same = false;
                let [there, here] = [there, here].map(|it| it.map_or("nothing", String::as_str));
                let message = format!("{key}: the games were played with {there}, it says {here}");
                findings.problem(Check::Plan, FindingPlace::file(PLAN), &message);
            }
        }
        findings.done(Check::Plan, format!("{} keys", self.identity.len()));
        same
    }

    /// The files of all entrants, by name.
    fn files(&self, plan: &Plan) -> BTreeMap<String, ProgramFiles> {
        let files = plan.entrants.iter().map(|entrant| {
            let prefix = prefix(entrant);
            let own = self.identity.iter();
            let own = own.filter_map(|(key, value)| Some((key.strip_prefix(&prefix)?, value)));
            let own = own.filter_map(|(key, value)| {
                let file = key
                    .strip_prefix(HASH_OF)
                    .or((key == VERSION).then_some(key))?;
                Some((file.to_owned(), value.clone()))
            });
            (entrant.name.clone(), own.collect())
        });
        files.collect()
    }

    /// The openings for the comparison; `None` if the journal does not contain them either.
    fn opening_book(&self, plan: &Plan, findings: &mut Findings) -> Option<OpeningBook> {
        let here = openings_text(plan);
        let there = self.identity.get(openings::KEY);
        if there.is_none_or(|there| *there == here) {
            return Openings::of(plan).map(OpeningBook::Known);
        }
        let Some(count) = there.and_then(|it| openings::count_of(it)) else {
            let message =
                "what the journal says of the openings is not a list, and plan.toml names one";
            findings.problem(Check::Openings, FindingPlace::file(PLAN), message);
            return None;
        };
        let message = openings::changed(&plan.openings);
        findings.warning(Check::Openings, FindingPlace::file(PLAN), message);
        Some(OpeningBook::Shown {
            count,
            numbers: OpeningNumbers::of_list(plan, count),
            shown: BTreeMap::new(),
        })
    }
}

/// Whether the value of a key depends on the machine where the plan was made.
fn is_of_this_machine(plan: &Plan, key: &str) -> bool {
    let listed = matches!(plan.openings, OpeningSource::Listed(_));
    let mut entrants = plan.entrants.iter();
    (listed && key == openings::KEY)
        || entrants.any(|entrant| {
            let rest = key.strip_prefix(&prefix(entrant));
            rest.is_some_and(|rest| rest == VERSION || rest.starts_with(HASH_OF))
        })
}

fn prefix(entrant: &Entrant) -> String {
    format!("entrant {:?} ", entrant.name)
}

/// The keys that decide games, as in journals up to format 4.
fn keys_of(plan: &Plan) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    let mut put = |key: &str, value: String| {
        keys.insert(key.to_owned(), value);
    };
    put("tournament.format", format_text(plan));
    if plan.test.is_none() {
        put(PAIRS_KEY, plan.pairs.to_string());
    }
    put("tournament.seed", plan.seed.to_string());
    if let Some(secret) = &plan.secret {
        put(SECRET_KEY, secret.short_hash());
    }
    put(openings::KEY, openings_text(plan));
    put("tournament.max-plies", plan.max_plies.to_string());
    put("tournament.rules", plan.preset.name().to_owned());
    for field in FIELDS {
        let value = plan.rules.get(field).unwrap_or_default();
        put(&format!("rules.{field}"), value);
    }
    if let Some(limit) = plan.max_faults {
        put("tournament.max-faults", limit.to_string());
    }
    if let Some(test) = &plan.test {
        let settings = test.sprt.settings();
        put("sprt.new", plan.entrants[test.new.index()].name.clone());
        put("sprt.elo0", settings.elo0.to_string());
        put("sprt.elo1", settings.elo1.to_string());
        put("sprt.alpha", settings.alpha.to_string());
        put("sprt.beta", settings.beta.to_string());
        let model = match settings.model {
            Model::Logistic => "logistic",
            Model::Normalised => "normalized",
        };
        put("sprt.model", model.to_owned());
    }
    put("tournament.blind", plan.blind.to_string());
    for (key, value) in plan.clock.named_values() {
        put(&format!("clock.{key}"), value);
    }
    put_conditions(plan, &mut put);
    put("entrants", format!("{:?}", plan.names()));
    for entrant in &plan.entrants {
        let prefix = prefix(entrant);
        for (key, value) in program_keys(entrant) {
            put(&format!("{prefix}{key}"), value);
        }
    }
    keys
}

fn put_conditions(plan: &Plan, put: &mut dyn FnMut(&str, String)) {
    let conditions = &plan.conditions;
    put("isolation.level", conditions.isolation.clone());
    put("isolation.freeze", conditions.freeze.to_string());
    put("isolation.readable", format!("{:?}", conditions.readable));
    put("tournament.start-up", time_text(conditions.start_up));
    put("tournament.new-game", time_text(conditions.new_game));
    put(
        "tournament.threads-per-bot",
        conditions.threads_per_bot.to_string(),
    );
    match conditions.admission {
        AdmissionMode::Off => {}
        AdmissionMode::On => put("admission.mode", "on".to_owned()),
        AdmissionMode::Required => put("admission.mode", "required".to_owned()),
    }
}

/// The keys of an entrant's program.
fn program_keys(entrant: &Entrant) -> Vec<(String, String)> {
    let identity = ProgramIdentity::of(&entrant.program).unwrap_or_default();
    let mut keys = vec![
        ("command".to_owned(), format!("{:?}", identity.command)),
        ("dir".to_owned(), identity.dir),
        ("restart".to_owned(), identity.restart),
    ];
    let version = identity.awale_version;
    keys.extend(version.map(|version| (VERSION.to_owned(), version)));
    let files = identity.files.into_iter();
    keys.extend(files.map(|(word, hash)| (format!("{HASH_OF}{}", quoted(&word)), hash)));
    let tree = identity.tree;
    keys.extend(tree.map(|hash| (format!("{HASH_OF}{TREE}"), hash)));
    let readable = identity.readable.iter();
    keys.extend(readable.map(|it| (format!("readable {}", quoted(it)), "yes".to_owned())));
    let env = identity.env.into_iter();
    keys.extend(env.map(|(name, value)| (format!("env.{name}"), value)));
    let limits = identity.limits.into_iter().map(|(name, value)| {
        // Sizes were in quotes, numbers were not.
        let is_size = value.parse::<u64>().is_err();
        let value = if is_size {
            format!("\"{value}\"")
        } else {
            value
        };
        (format!("limits.{name}"), value)
    });
    keys.extend(limits);
    keys
}

fn format_text(plan: &Plan) -> String {
    match &plan.format {
        Format::RoundRobin => "round-robin".to_owned(),
        Format::Gauntlet(champions) => {
            let names = champions.iter();
            let names: Vec<&str> = names
                .map(|champion| plan.entrants[champion.index()].name.as_str())
                .collect();
            format!("gauntlet {names:?}")
        }
    }
}

/// Keys of a plan's identity that came with format 3.
pub const NEW_KEYS: [&str; 2] = ["tournament.secret", "tournament.new-game"];

/// Keys that were added with format 2: of the plan, and of each entrant.
pub const KEYS_OF_2: [&str; 7] = [
    "admission.mode",
    "isolation.freeze",
    "isolation.readable",
    "limits.memory",
    "limits.processes",
    "limits.files",
    "limits.temporary",
];

/// Whether the journal was written before runs had a secret.
pub fn is_without_secret(recorded: Option<&RecordedPlan>) -> bool {
    recorded.is_some_and(|it| it.format < 3)
}

/// Removes rules from the plan that are defaults today and did not exist in the journal's version:
/// for example, older versions withdrew no entrant for its faults.
pub fn without_later_rules(
    plan: &mut Plan,
    recorded: &RecordedPlan,
    identity: &BTreeMap<String, String>,
) {
    plan.numbers_pairs = true;
    if recorded.format <= 3 {
        plan.sharing = OpeningSharing::OfFormat3;
    }
    if recorded.format == 1 && !identity.contains_key("tournament.max-faults") {
        plan.max_faults = None;
    }
    if is_without_secret(Some(recorded)) {
        // The time limit of the answer to `new-game`.
        plan.conditions.new_game = plan.conditions.start_up;
    }
}

/// Whether a key of the plan has no effect on the games of this journal.
pub fn is_new_key(recorded: &RecordedPlan, identity: &BTreeMap<String, String>, key: &str) -> bool {
    let is_of_2 = || {
        let own = key.rsplit_once(' ').map_or(key, |(_, own)| own);
        recorded.format == 1 && KEYS_OF_2.contains(&own)
    };
    // Before format 4 the number of pairs of a test was fixed.
    let is_length = key == PAIRS_KEY && identity.keys().any(|key| key.starts_with("sprt."));
    is_length || is_without_secret(Some(recorded)) && (NEW_KEYS.contains(&key) || is_of_2())
}

/// Whether a value of the plan equals that of the journal: format 1 had sizes without the quotes of
/// later formats.
pub fn is_same_value(recorded: &RecordedPlan, there: &str, here: &str) -> bool {
    there == here || recorded.format == 1 && here.trim_matches('"') == there
}
