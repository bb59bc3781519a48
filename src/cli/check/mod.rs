//! `awale check BOT`: is my bot correct? `awale check CONFIG.toml`: who of all entrants is?
//!
//! ```text
//! entrants             the entrants of a configuration
//! entrants_report      their report, in all its forms
//! text, json, junit    the three forms of the report
//! output               standard output, and the file of the last of them
//! waiting              who is waited for
//! ```

mod entrants;
mod entrants_report;
mod json;
mod junit;
mod output;
mod text;
mod waiting;

use super::args::CheckArguments;
use super::exit::{Exit, Failure, runtime, tell};
use super::rule_args;
use super::run::{PlacedBot, interrupted, listen, no_place};
use crate::bot::{BotSettings, Level, Limits, Restart, SandboxedBot};
use crate::cli::house_bot::HOUSE_COMMANDS;
use crate::cli::paint::Paint;
use crate::config;
use crate::conformance::{
    Budgets, ExaminationTerms, Extent, StepCounts, StepReport, examine, steps,
};
use crate::isolation::supervisor::Guard;
use crate::isolation::{Equipment, Isolation, IsolationRequest};
use crate::text::printable;
use crate::tournament::changed_fields;
use entrants_report::EntrantReport;
use output::{CheckOutput, ReportFile};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// The times of a check without a configuration.
const START_UP: Duration = Duration::from_secs(10);
const NEW_GAME: Duration = Duration::from_secs(1);

/// The limit of each move, unless a clock or the user sets another one.
pub const MOVE_LIMIT: Duration = Duration::from_millis(100);

/// The subject of an examination, for the head of a report.
pub struct Subject<'a> {
    /// The bot as it was typed.
    pub bot: &'a str,
    pub terms: ExaminationTerms,
    /// The level of its isolation.
    pub level: Level,
    /// The steps that are taken, if not all.
    pub only: Option<BTreeSet<&'static str>>,
    /// Whether a note counts as a failure.
    pub is_strict: bool,
}

impl Subject<'_> {
    /// The fields of the rules that differ from the preset.
    fn overrides(&self) -> Vec<(String, Value)> {
        changed_fields(&self.terms.rules, self.terms.preset)
    }
}

pub fn check(arguments: &CheckArguments, guard: &Guard) -> Result<Exit, Failure> {
    if entrants::is_configuration(&arguments.bot) {
        return entrants::check_entrants(arguments, guard);
    }
    entrants::refuse_without_configuration(arguments)?;
    check_bot(arguments, guard)
}

fn check_bot(arguments: &CheckArguments, guard: &Guard) -> Result<Exit, Failure> {
    let rules = rule_args::rules(&arguments.rules)?;
    let preset = rule_args::preset(&arguments.rules.rules).map_err(Failure::usage)?;
    let only = steps::with_needs(&arguments.only).map_err(Failure::usage)?;
    let level = arguments.isolation.as_deref().unwrap_or("auto");
    let budgets = Budgets {
        start_up: arguments.start_up.unwrap_or(START_UP),
        new_game: arguments.new_game.unwrap_or(NEW_GAME),
    };
    let (bot, level, _equipment) = place_bot(&arguments.bot, level, budgets, guard)?;
    let junit = arguments.junit.as_deref().map(ReportFile::open);
    let junit = junit.transpose()?;
    let subject = Subject {
        bot: &arguments.bot,
        terms: ExaminationTerms {
            preset,
            rules,
            move_limit: arguments.move_limit.unwrap_or(MOVE_LIMIT),
            nodes: None,
            all_rules: arguments.all_rules,
        },
        level,
        only,
        is_strict: arguments.strict,
    };
    let mut page = CheckOutput::new(arguments.json, !arguments.all);
    let bot = (bot.1, budgets);
    let Some(reports) = take_steps(bot, &subject, guard, &mut page)? else {
        tell("interrupted: the bot was ended, and no report is complete");
        return Ok(Exit::Interrupted);
    };
    let holds = StepCounts::of(&reports).all_hold(subject.is_strict);
    if let Some(file) = junit {
        let report = EntrantReport {
            name: format!("awale check {}", subject.bot),
            problem: None,
            steps: reports,
        };
        file.write(&junit::report(std::iter::once(&report)))?;
    }
    page.end()?;
    Ok(if holds { Exit::Done } else { Exit::Attention })
}

/// Places a bot of the command line in the strongest sandbox, or in that of this level. Its files
/// are there as long as the equipment.
pub fn place_bot(
    text: &str,
    level: &str,
    budgets: Budgets,
    guard: &Guard,
) -> Result<(PlacedBot, Level, Equipment), Failure> {
    let request = IsolationRequest {
        level: wanted_level(level)?,
        at_least: None,
    };
    let isolation = Isolation::choose(request, Some(guard)).map_err(Failure::usage)?;
    let level = isolation.level();
    // A frozen bot could not write out of turn; this one can, so that its mistake is found.
    let equipment = Equipment::new(&isolation.mechanism, guard, false, Vec::new());
    let equipment = equipment.map_err(|error| no_place(&error))?;
    let bot = place_in(&equipment, text, level, budgets)?;
    Ok((bot, level, equipment))
}

/// Places a bot of the command line with the equipment of this level.
pub fn place_in(
    equipment: &Equipment,
    text: &str,
    level: Level,
    budgets: Budgets,
) -> Result<PlacedBot, Failure> {
    let settings = BotSettings {
        launch: config::launch(text, level, &HOUSE_COMMANDS).map_err(Failure::usage)?,
        restart: Restart::Never,
        limits: Limits::default(),
        start_up: budgets.start_up,
        new_game: budgets.new_game,
        build_warning: None,
    };
    let bot = equipment.sandboxed_bot(&settings);
    let bot = bot.map_err(|error| no_place(&error.into()))?;
    Ok((settings, bot))
}

/// The level of isolation of this name; `auto` is none in particular.
fn wanted_level(name: &str) -> Result<Option<Level>, Failure> {
    if name == "auto" {
        return Ok(None);
    }
    let level = Level::from_name(name).ok_or_else(|| {
        let name = printable(name);
        Failure::usage(format!(
            "--isolation cannot be `{name}`; it is auto, box, landlock or none"
        ))
    });
    level.map(Some)
}

/// Takes the steps and writes the report to standard output; a text report step by step. `None` if
/// it was interrupted.
fn take_steps(
    bot: (SandboxedBot, Budgets),
    subject: &Subject<'_>,
    guard: &Guard,
    page: &mut CheckOutput,
) -> Result<Option<Vec<StepReport>>, Failure> {
    let paint = Paint::for_standard_output();
    page.say(&text::head(subject));
    let mut skips = text::Skips::default();
    let mut interrupt = listen(guard)?;
    let examined = runtime()?.block_on(async {
        let mut say = |report: &StepReport| {
            if !skips.hold_back(report) {
                page.say(&skips.take());
                if page.folds && text::says_nothing_new(report) {
                    page.say_in_passing(&text::step(report, Paint::none()));
                } else {
                    page.say(&text::step(report, paint));
                }
            }
        };
        let only = subject.only.as_ref();
        let examination = examine(bot, (subject.terms, Extent::Everything), only, &mut say);
        // Dropping this future ends the bot's processes.
        tokio::select! {
            biased;
            () = interrupted(&mut interrupt) => None,
            reports = examination => Some(reports),
        }
    });
    if let Some(reports) = &examined {
        page.say(&skips.take());
        page.say(&text::tail(subject, reports, paint));
        page.say_json(&json::report(subject, reports));
    }
    Ok(examined)
}
