//! Checks every entrant of a configuration as a run would start it: built, isolated, and as many at
//! a time as there are slots.

use super::entrants_report::{EntrantReport, EntrantsReport, TermsOf};
use super::output::{CheckOutput, ReportFile};
use super::waiting::{TICK, Waiting};
use super::{MOVE_LIMIT, Subject, junit, text};
use crate::bot::{BotSettings, ProgramIdentity, SandboxedBot};
use crate::cli::args::CheckArguments;
use crate::cli::entrant_named::entrant_named;
use crate::cli::exit::{Exit, Failure, tell};
use crate::cli::paint::Paint;
use crate::cli::run::{
    ConfigSource, Loaded, build_all, check_trust, equip, has_strangers, interrupted, listen, load,
    no_place,
};
use crate::config::{EndgameSource, KeyFlag, Overrides, Resolved, SecretSource};
use crate::conformance::{Budgets, ExaminationTerms, Extent, StepReport, examine, steps};
use crate::course::write_checked_feedback;
use crate::isolation::supervisor::Guard;
use crate::isolation::{Equipment, Isolation};
use crate::referee::ClockSettings;
use crate::run_folder::{self, open_target};
use crate::text::{counted, printable};
use crate::tournament::{EntrantIndex, Phase, Plan};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use tokio::sync::watch;

/// Whether the argument names a configuration, and not a bot.
pub fn is_configuration(argument: &str) -> bool {
    let extension = Path::new(argument).extension();
    extension.is_some_and(|it| it == "toml")
}

/// Refuses flags that only a configuration takes.
pub fn refuse_without_configuration(arguments: &CheckArguments) -> Result<(), Failure> {
    let typed = [
        (arguments.csv.is_some(), "--csv"),
        (arguments.feedback.is_some(), "--feedback"),
        (!arguments.entrant.is_empty(), "--entrant"),
    ];
    refuse(
        &typed,
        "needs a configuration, as in awale check class.toml",
    )
}

/// Refuses flags whose values a configuration has.
fn refuse_with_configuration(arguments: &CheckArguments) -> Result<(), Failure> {
    let typed = [
        (arguments.move_limit.is_some(), "--move"),
        (arguments.start_up.is_some(), "--start-up"),
        (arguments.new_game.is_some(), "--new-game"),
        (!arguments.rules.sets.is_empty(), "--set"),
        (arguments.rules.rules != "awale", "--rules"),
    ];
    refuse(
        &typed,
        "is not for a configuration, which has it; change the file",
    )
}

fn refuse(typed: &[(bool, &str)], reason: &str) -> Result<(), Failure> {
    match typed.iter().find(|(is_typed, _)| *is_typed) {
        Some((_, flag)) => Err(Failure::usage(format!("{flag} {reason}"))),
        None => Ok(()),
    }
}

pub fn check_entrants(arguments: &CheckArguments, guard: &Guard) -> Result<Exit, Failure> {
    refuse_with_configuration(arguments)?;
    let only = steps::with_needs(&arguments.only).map_err(Failure::usage)?;
    let open = |path: &Option<PathBuf>| path.as_deref().map(ReportFile::open).transpose();
    let (junit, csv) = (open(&arguments.junit)?, open(&arguments.csv)?);
    if let Some(folder) = &arguments.feedback {
        open_target(folder).map_err(Failure::usage)?;
    }
    let (resolved, isolation) = load_configuration(arguments, guard)?;
    let wanted = wanted(&arguments.entrant, &resolved)?;
    let terms_of = terms_of(&resolved.plan, arguments.all_rules);
    let interrupt = listen(guard)?;
    // A frozen bot could not write out of turn; these can, so that their mistake is found.
    let equipment = equip(&resolved, &isolation.mechanism, guard, false)?;
    let folder = tempfile::Builder::new().prefix("awale-check-").tempdir();
    let folder = folder.map_err(|error| no_place(&error))?;
    let candidates = candidates(&resolved, &wanted, folder.path(), &equipment, &interrupt)?;
    let subject = Subject {
        bot: &arguments.bot,
        terms: terms(&resolved.plan, &resolved.plan.clock, arguments.all_rules),
        level: isolation.level(),
        only,
        is_strict: arguments.strict,
    };
    let mut report = EntrantsReport {
        subject,
        terms_of: &terms_of,
        entrants: candidates.unfit,
    };
    let mut page = Page::new(arguments.json, &resolved, &wanted);
    page.output.say(&text::head(&report.subject));
    page.show(&report);
    let slots = resolved.settings.slots as usize;
    let examination = (&terms_of as TermsOf<'_>, report.subject.only.clone());
    let queue = candidates.queue;
    let mut waiting = Waiting::new(queue.len());
    let examined = examine_all(queue, slots, &examination, &interrupt, |news| {
        let name = |index: EntrantIndex| resolved.plan.entrants[index.index()].name.clone();
        match news {
            Some(ExaminationNews::Begun(index)) => waiting.begin(index, &name(index)),
            Some(ExaminationNews::Done(index, steps)) => {
                let examined = EntrantReport {
                    name: name(index),
                    problem: None,
                    steps,
                };
                report.entrants.insert(index, examined);
                waiting.end(index);
                waiting.above(|| page.show(&report));
            }
            None => {}
        }
        waiting.tick();
    });
    waiting.close();
    let is_whole = examined?;
    if !is_whole || *interrupt.borrow() > Phase::Play {
        tell("interrupted: the bots were ended, and the report is not complete");
        return Ok(Exit::Interrupted);
    }
    page.output
        .say(&report.failures(Paint::for_standard_output()));
    page.output.say_json(&report.json());
    write_files(arguments, &resolved, &report, [junit, csv])?;
    page.output.end()?;
    Ok(if report.all_hold() {
        Exit::Done
    } else {
        Exit::Attention
    })
}

/// Writes what was asked for beside the report on standard output.
fn write_files(
    arguments: &CheckArguments,
    resolved: &Resolved,
    report: &EntrantsReport<'_>,
    [junit, csv]: [Option<ReportFile>; 2],
) -> Result<(), Failure> {
    if let Some(file) = junit {
        file.write(&junit::report(report.entrants.values()))?;
    }
    if let Some(file) = csv {
        file.write(&report.csv().map_err(Failure::machine)?)?;
    }
    if let Some(folder) = &arguments.feedback {
        let entrants = report.entrants.values().map(EntrantReport::checked);
        let entrants: Vec<_> = entrants.collect();
        write_checked_feedback(folder, &resolved.settings.name, &resolved.plan, &entrants)?;
        let folder = printable(&folder.to_string_lossy());
        tell(&format!(
            "the feedback is in {folder}, a folder for each entrant"
        ));
    }
    Ok(())
}

/// The configuration as a run would load it. No secret is drawn: no game is played.
fn load_configuration(
    arguments: &CheckArguments,
    guard: &Guard,
) -> Result<(Resolved, Isolation), Failure> {
    let level = arguments.isolation.as_ref();
    let level = KeyFlag::typed("--isolation", ["isolation", "level"], level);
    let overrides = Overrides {
        keys: level.into_iter().collect(),
        secret: SecretSource::Folder(run_folder::kept_secret),
        endgame: EndgameSource::Unused,
        ..Overrides::default()
    };
    let source = ConfigSource::File(Path::new(&arguments.bot));
    let loaded = load(&source, &overrides, None, Some(guard))?;
    let Loaded {
        resolved,
        isolation,
        ..
    } = loaded;
    check_trust(
        arguments.i_trust_these_bots,
        &isolation,
        has_strangers(&resolved),
    )?;
    for line in isolation.banner() {
        tell(&line);
    }
    for warning in &resolved.warnings {
        tell(&format!("warning: {}", printable(warning)));
    }
    Ok((resolved, isolation))
}

/// The entrants to examine, and those that nothing can be asked.
struct Candidates {
    queue: Queue,
    unfit: BTreeMap<EntrantIndex, EntrantReport>,
}

/// Builds and places the entrants' programs; what is built is in this folder.
fn candidates(
    resolved: &Resolved,
    wanted: &BTreeSet<String>,
    folder: &Path,
    equipment: &Equipment,
    interrupt: &watch::Receiver<Phase>,
) -> Result<Candidates, Failure> {
    let plays = |name: &str| wanted.contains(name);
    let begin = |programs| {
        let what = counted(programs, "program", "programs");
        tell(&format!("building {what} first"));
    };
    let built = build_all(resolved, folder, equipment, &plays, interrupt, begin)?;
    let name = |index: EntrantIndex| resolved.plan.entrants[index.index()].name.clone();
    let refused = built.gate(&resolved.gate).unfit.into_iter();
    let unfit: BTreeMap<EntrantIndex, EntrantReport> = refused
        .filter(|(index, _)| plays(&name(*index)))
        .map(|(index, refusal)| {
            let report = EntrantReport {
                name: name(index),
                problem: Some(refusal.detail().to_owned()),
                steps: Vec::new(),
            };
            (index, report)
        })
        .collect();
    let mut queue = Queue::new();
    for (index, bot) in (0..).map(EntrantIndex).zip(built.bots) {
        queue.extend(bot.map(|bot| (index, bot)));
    }
    Ok(Candidates { queue, unfit })
}

/// The names of the entrants to check: those that were asked for, or all that are no house bots.
fn wanted(asked: &[String], resolved: &Resolved) -> Result<BTreeSet<String>, Failure> {
    if !asked.is_empty() {
        let names = resolved.plan.names();
        return asked.iter().map(|it| entrant_named(it, &names)).collect();
    }
    let strangers = resolved.plan.entrants.iter().filter(|entrant| {
        let identity = ProgramIdentity::of(&entrant.program);
        !identity.is_some_and(|it| it.is_house_bot())
    });
    Ok(strangers.map(|entrant| entrant.name.clone()).collect())
}

/// The terms of a run by this clock. With a bank alone, a move may take all of it.
fn terms(plan: &Plan, clock: &ClockSettings, all_rules: bool) -> ExaminationTerms {
    let move_limit = clock.move_limit.or(clock.bank);
    ExaminationTerms {
        preset: plan.preset,
        rules: plan.rules,
        move_limit: move_limit.unwrap_or(MOVE_LIMIT),
        nodes: clock.nodes,
        all_rules,
    }
}

/// The terms of each entrant by its own clock.
fn terms_of(plan: &Plan, all_rules: bool) -> impl Fn(EntrantIndex) -> ExaminationTerms + Sync {
    move |index| {
        let own = plan.entrants[index.index()].clock;
        terms(plan, &own.unwrap_or(plan.clock), all_rules)
    }
}

/// The entrants that wait for a slot.
type Queue = VecDeque<(EntrantIndex, (BotSettings, SandboxedBot))>;

/// What a slot tells.
enum ExaminationNews {
    /// It examines an entrant.
    Begun(EntrantIndex),
    /// It has examined it.
    Done(EntrantIndex, Vec<StepReport>),
}

/// Examines the entrants, each slot one at a time; false if it was interrupted. `tell` gets all
/// news, and nothing from time to time.
fn examine_all(
    queue: Queue,
    slots: usize,
    examination: &(TermsOf<'_>, Option<BTreeSet<&'static str>>),
    interrupt: &watch::Receiver<Phase>,
    mut tell: impl FnMut(Option<ExaminationNews>),
) -> Result<bool, Failure> {
    let threads = slots.min(queue.len());
    let queue = Mutex::new(queue);
    let (news, heard) = mpsc::channel();
    thread::scope(|scope| {
        let slot = || serve(&queue, examination, interrupt.clone(), news.clone());
        let slots: Vec<_> = (0..threads).map(|_| scope.spawn(slot)).collect();
        let mut left = threads;
        while left > 0 {
            match heard.recv_timeout(TICK) {
                Ok(Some(news)) => tell(Some(news)),
                Ok(None) | Err(RecvTimeoutError::Disconnected) => left -= 1,
                Err(RecvTimeoutError::Timeout) => tell(None),
            }
        }
        let mut is_whole = true;
        for slot in slots {
            is_whole &= slot.join().expect("a slot does not panic")?;
        }
        Ok(is_whole)
    })
    .map_err(|error: io::Error| Failure::machine(format!("cannot watch a process: {error}")))
}

/// The channel of a slot, which ends with `None`.
type NewsSender = mpsc::Sender<Option<ExaminationNews>>;

/// Examines one entrant after the other until none is left; false if it was interrupted.
#[expect(
    clippy::needless_pass_by_value,
    reason = "each slot has its own ends of the channels"
)]
fn serve(
    queue: &Mutex<Queue>,
    (terms_of, only): &(TermsOf<'_>, Option<BTreeSet<&'static str>>),
    mut interrupt: watch::Receiver<Phase>,
    news: NewsSender,
) -> io::Result<bool> {
    let served = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map(|runtime| {
            loop {
                let next = queue
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .pop_front();
                let Some((index, (settings, sandboxed_bot))) = next else {
                    return true;
                };
                let _ = news.send(Some(ExaminationNews::Begun(index)));
                let budgets = Budgets {
                    start_up: settings.start_up,
                    new_game: settings.new_game,
                };
                let bot = (sandboxed_bot, budgets);
                let mut silently = |_: &StepReport| ();
                let terms = (terms_of(index), Extent::Verdict);
                let examined = examine(bot, terms, only.as_ref(), &mut silently);
                // Dropping the future ends the bot's processes.
                let reports = runtime.block_on(async {
                    tokio::select! {
                        biased;
                        () = interrupted(&mut interrupt) => None,
                        reports = examined => Some(reports),
                    }
                });
                match reports {
                    Some(reports) => {
                        let _ = news.send(Some(ExaminationNews::Done(index, reports)));
                    }
                    None => return false,
                }
            }
        });
    let _ = news.send(None);
    served
}

/// The lines of entrants in the order of the plan, each as soon as those before it
/// are known.
struct Page {
    output: CheckOutput,
    width: usize,
    /// The entrants that are not shown yet.
    order: VecDeque<EntrantIndex>,
}

impl Page {
    fn new(is_json: bool, resolved: &Resolved, wanted: &BTreeSet<String>) -> Self {
        let entrants = (0..).map(EntrantIndex).zip(&resolved.plan.entrants);
        let shown = entrants.filter(|(_, entrant)| wanted.contains(&entrant.name));
        let widths = wanted.iter().map(|name| name.chars().count());
        Self {
            output: CheckOutput::new(is_json, false),
            width: widths.max().unwrap_or(0),
            order: shown.map(|(index, _)| index).collect(),
        }
    }

    fn show(&mut self, report: &EntrantsReport<'_>) {
        let paint = Paint::for_standard_output();
        while let Some(entrant) = self.order.front().and_then(|it| report.entrants.get(it)) {
            let line = entrant.line(self.width, report.subject.is_strict, paint);
            self.output.say(&line);
            self.order.pop_front();
        }
    }
}
