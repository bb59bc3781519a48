//! A plan as JSON. Its tables and keys are those of the configuration, so that a difference between
//! two plans names the key to change.

use crate::referee::ClockSettings;
use crate::rules::{FIELDS, Preset, RuleSet};
use crate::stats::sprt::{Model, Settings, Sprt};
use crate::text::{parse_time, time_text};
use crate::tournament::document::run_settings::RunSettings;
use crate::tournament::entrant::{Entrant, EntrantIndex};
use crate::tournament::max_faults::{MaxFaults, MaxShare};
use crate::tournament::openings::opening::Opening;
use crate::tournament::openings::parse_openings;
use crate::tournament::plan::{
    AdmissionMode, Conditions, Format, OpeningSharing, OpeningSource, Plan,
};
use crate::tournament::secret::Secret;
use crate::tournament::sequential_test::SequentialTest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything that decides games.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PlanForm {
    tournament: TournamentForm,
    clock: BTreeMap<String, String>,
    rules: BTreeMap<String, Value>,
    admission: AdmissionForm,
    isolation: IsolationForm,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtForm>,
    entrant: Vec<EntrantForm>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct TournamentForm {
    format: FormatForm,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    champions: Option<Vec<String>>,
    rules: String,
    /// Absent for a test that can grow: its length is then one of the run's settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pairs: Option<u32>,
    seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret: Option<Secret>,
    openings: OpeningsForm,
    max_plies: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_faults: Option<MaxFaultsForm>,
    start_up: String,
    new_game: String,
    threads_per_bot: u32,
    blind: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum FormatForm {
    RoundRobin,
    Gauntlet,
}

/// The openings: the length of drawn ones, or a list that was read from a file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct OpeningsForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    list: Option<Vec<String>>,
    shared: bool,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct MaxFaultsForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    /// Hundredths of a percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    share: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<u32>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct AdmissionForm {
    mode: AdmissionMode,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct IsolationForm {
    level: String,
    freeze: bool,
    readable: Vec<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct SprtForm {
    new: String,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: ModelForm,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum ModelForm {
    Logistic,
    Normalized,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct EntrantForm {
    name: String,
    program: Value,
}

impl PlanForm {
    pub fn of(plan: &Plan) -> Self {
        let name = |entrant: EntrantIndex| plan.entrants[entrant.index()].name.clone();
        let conditions = &plan.conditions;
        let clock = plan.clock.named().into_iter();
        let rules = FIELDS.into_iter().filter_map(|field| {
            let text = plan.rules.get(field)?;
            Some((field.to_owned(), value_of(text)))
        });
        let entrants = plan.entrants.iter().map(|entrant| EntrantForm {
            name: entrant.name.clone(),
            program: entrant.program.clone(),
        });
        Self {
            tournament: TournamentForm::of(plan),
            clock: clock.map(|(key, text)| (key.to_owned(), text)).collect(),
            rules: rules.collect(),
            admission: AdmissionForm {
                mode: conditions.admission,
            },
            isolation: IsolationForm {
                level: conditions.isolation.clone(),
                freeze: conditions.freeze,
                readable: conditions.readable.clone(),
            },
            sprt: plan.test.as_ref().map(|test| SprtForm::of(test, &name)),
            entrant: entrants.collect(),
        }
    }

    pub fn plan(self, settings: &RunSettings) -> Result<Plan, String> {
        let names: Vec<String> = self.entrant.iter().map(|it| it.name.clone()).collect();
        let preset = Preset::ALL.into_iter();
        let mut preset = preset.filter(|preset| preset.name() == self.tournament.rules);
        let preset = preset.next().ok_or("it has unknown rules")?;
        let rules = rules_of(preset, &self.rules)?;
        let test = self
            .sprt
            .as_ref()
            .map(|sprt| sprt.test(&names))
            .transpose()?;
        let tournament = self.tournament;
        let pairs = if test.is_some() {
            settings.max_pairs
        } else {
            tournament.pairs
        };
        let clock = self
            .clock
            .iter()
            .map(|(key, text)| (key.as_str(), text.as_str()));
        let time = |text: &str| parse_time(text).ok_or_else(|| format!("{text:?} is not a time"));
        Ok(Plan {
            format: tournament.format(&names)?,
            preset,
            rules,
            pairs: pairs.ok_or("it does not say how many pairs it has")?,
            seed: tournament.seed,
            openings: tournament.openings.source(&rules)?,
            sharing: if tournament.openings.shared {
                OpeningSharing::Shared
            } else {
                OpeningSharing::Own
            },
            max_plies: tournament.max_plies,
            clock: ClockSettings::of_named(clock).ok_or("its clock is none")?,
            max_faults: tournament.max_faults.as_ref().map(MaxFaultsForm::limit),
            blind: tournament.blind,
            conditions: Conditions {
                isolation: self.isolation.level,
                freeze: self.isolation.freeze,
                readable: self.isolation.readable,
                start_up: time(&tournament.start_up)?,
                new_game: time(&tournament.new_game)?,
                threads_per_bot: tournament.threads_per_bot,
                admission: self.admission.mode,
            },
            secret: tournament.secret,
            test,
            entrants: entrants_of(self.entrant)?,
        })
    }
}

/// Checks that a plan has at least two entrants, and no two of the same name.
fn entrants_of(forms: Vec<EntrantForm>) -> Result<Vec<Entrant>, String> {
    let mut names: Vec<&str> = forms.iter().map(|form| form.name.as_str()).collect();
    names.sort_unstable();
    if names.len() < 2 || names.windows(2).any(|two| two[0] == two[1]) {
        return Err("its entrants are fewer than two, or two have one name".to_owned());
    }
    let entrant = |EntrantForm { name, program }| Entrant { name, program };
    Ok(forms.into_iter().map(entrant).collect())
}

fn index_of(name: &str, names: &[String]) -> Result<EntrantIndex, String> {
    let mut places = names.iter().zip(0..).filter(|(other, _)| *other == name);
    let (_, place) = places
        .next()
        .ok_or("it names something that is not an entrant")?;
    Ok(EntrantIndex(place))
}

/// Numbers and booleans of the rules as JSON values.
fn value_of(text: String) -> Value {
    let number = || text.parse::<u8>().ok().map(Value::from);
    let truth = text.parse::<bool>().ok().map(Value::from);
    truth.or_else(number).unwrap_or(Value::String(text))
}

fn rules_of(preset: Preset, values: &BTreeMap<String, Value>) -> Result<RuleSet, String> {
    let mut rules = preset.rules();
    for field in FIELDS {
        let value = values.get(field).ok_or("its rules are not complete")?;
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        rules.set(field, &text).map_err(|error| error.to_string())?;
    }
    if values.len() == FIELDS.len() {
        Ok(rules)
    } else {
        Err("its rules have an unknown key".to_owned())
    }
}

impl TournamentForm {
    fn of(plan: &Plan) -> Self {
        let name = |entrant: &EntrantIndex| plan.entrants[entrant.index()].name.clone();
        let (format, champions) = match &plan.format {
            Format::RoundRobin => (FormatForm::RoundRobin, None),
            Format::Gauntlet(champions) => {
                let names = champions.iter().map(name).collect();
                (FormatForm::Gauntlet, Some(names))
            }
        };
        Self {
            format,
            champions,
            rules: plan.preset.name().to_owned(),
            pairs: plan.test.is_none().then_some(plan.pairs),
            seed: plan.seed,
            secret: plan.secret.clone(),
            openings: OpeningsForm::of(plan),
            max_plies: plan.max_plies,
            max_faults: plan.max_faults.as_ref().map(MaxFaultsForm::of),
            start_up: time_text(plan.conditions.start_up),
            new_game: time_text(plan.conditions.new_game),
            threads_per_bot: plan.conditions.threads_per_bot,
            blind: plan.blind,
        }
    }

    fn format(&self, names: &[String]) -> Result<Format, String> {
        match (self.format, &self.champions) {
            (FormatForm::RoundRobin, None) => Ok(Format::RoundRobin),
            (FormatForm::Gauntlet, Some(champions)) => {
                let indices = champions.iter().map(|name| index_of(name, names));
                indices.collect::<Result<_, _>>().map(Format::Gauntlet)
            }
            _ => Err("only a gauntlet has champions".to_owned()),
        }
    }
}

impl OpeningsForm {
    fn of(plan: &Plan) -> Self {
        let (plies, list) = match &plan.openings {
            OpeningSource::Random { plies } => (Some(*plies), None),
            OpeningSource::Listed(list) => (None, Some(list.iter().map(Opening::text).collect())),
        };
        Self {
            plies,
            list,
            shared: plan.sharing == OpeningSharing::Shared,
        }
    }

    fn source(&self, rules: &RuleSet) -> Result<OpeningSource, String> {
        match (self.plies, &self.list) {
            (Some(plies), None) => Ok(OpeningSource::Random { plies }),
            (None, Some(list)) => {
                let openings = parse_openings(rules, &list.join("\n"));
                let openings = openings.map_err(|error| format!("its openings: {error}"))?;
                Ok(OpeningSource::Listed(openings))
            }
            _ => Err("its openings are neither drawn nor listed".to_owned()),
        }
    }
}

impl MaxFaultsForm {
    fn of(limit: &MaxFaults) -> Self {
        Self {
            count: limit.count,
            share: limit.share.map(|share| share.hundredths),
            after: limit.share.map(|share| share.after),
        }
    }

    fn limit(&self) -> MaxFaults {
        let share = self.share.zip(self.after);
        MaxFaults {
            count: self.count,
            share: share.map(|(hundredths, after)| MaxShare { hundredths, after }),
        }
    }
}

impl SprtForm {
    fn of(test: &SequentialTest, name: &dyn Fn(EntrantIndex) -> String) -> Self {
        let settings = test.sprt.settings();
        Self {
            new: name(test.new),
            elo0: settings.elo0,
            elo1: settings.elo1,
            alpha: settings.alpha,
            beta: settings.beta,
            model: match settings.model {
                Model::Logistic => ModelForm::Logistic,
                Model::Normalised => ModelForm::Normalized,
            },
        }
    }

    fn test(&self, names: &[String]) -> Result<SequentialTest, String> {
        let sprt = Sprt::new(Settings {
            elo0: self.elo0,
            elo1: self.elo1,
            alpha: self.alpha,
            beta: self.beta,
            model: match self.model {
                ModelForm::Logistic => Model::Logistic,
                ModelForm::Normalized => Model::Normalised,
            },
        });
        let new = index_of(&self.new, names)?;
        let sprt = sprt.map_err(|error| error.to_string())?;
        Ok(SequentialTest { sprt, new })
    }
}
