//! `awale sprt`: is a new version of a bot stronger than its base? It plays as few games as
//! necessary, and has an exit code for build servers.
//!
//! ```text
//! messages  the messages before, during and after a test
//! ledger    many tests that share a budget for errors
//! ```
//!
//! The games are a tournament of two entrants that ends once the test is decided. Journal,
//! resuming, isolation and faults are those of `awale run`.

mod ledger;
mod messages;

use super::args::{PlayArguments, SprtArguments};
use super::exit::{Exit, Failure, output_failure, say, tell};
use super::run::{
    ConfigSource, Ended, Loaded, MakeCarrier, OnBegin, OnChange, Session, SessionResult,
    describe_plan, emit, load_to_play, of_command_line, overrides, state_name, unfinished,
};
use crate::config;
use crate::config::{CoreLocks, KeyFlag, Overrides, Purpose, Resolved};
use crate::isolation::supervisor::Guard;
use crate::run_folder::TestVerdict;
use crate::stats::sprt::{GameCounts, PairCounts, SprtCounts, State};
use messages::Names;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The folder and the name of a configuration that is made from a command line.
const NOWHERE: &str = "sprt";

/// Counts above this cannot be counts of games: the sums of five stay exact in floating point.
const MOST: u64 = 1 << 50;

/// Tests, or plays a fixed number of pairs.
pub fn sprt(
    arguments: &SprtArguments,
    guard: &Guard,
    carrier: Option<MakeCarrier<'_>>,
) -> Result<Exit, Failure> {
    let mut loaded = resolve(arguments, Some(guard))?;
    if carrier.is_some() {
        // Its slots seldom play: workers on this machine may have the cores.
        loaded.cores = CoreLocks::default();
    }
    play_test(
        &arguments.play,
        guard,
        &loaded,
        carrier,
        arguments.ledger.as_deref(),
    )
}

/// Plays or resumes what was loaded, and enters it into a ledger, if there is one.
pub fn play_test(
    play: &PlayArguments,
    guard: &Guard,
    loaded: &Loaded,
    carrier: Option<MakeCarrier<'_>>,
    ledger: Option<&Path>,
) -> Result<Exit, Failure> {
    let session = Session::new(play, guard, loaded, OnChange::Refuse)?;
    let session = session.carried(carrier, loaded)?;
    let resolved = &loaded.resolved;
    let begin = ledger.map(|path| move || ledger::begin(path, resolved));
    let session = session.beginning_with(begin.as_ref().map(|it| it as OnBegin<'_>));
    let names = Names::of(resolved);
    let ended = match &resolved.plan.test {
        None => session.play(None)?,
        Some(test) => {
            if !play.quiet && !play.json {
                tell(&messages::outlook(&test.sprt, &names));
            }
            let names = &names;
            let test = (&test.sprt, resolved.plan.pairs);
            session.play(Some(Box::new(move |progress| {
                messages::progress(test, progress, names)
            })))?
        }
    };
    match ended {
        Ended::Barred { reason, .. } => {
            tell(&format!("faulty: {reason}"));
            if let Some(path) = ledger {
                ledger::enter(path, resolved, PairCounts::default(), TestVerdict::Faulty)?;
            }
            if play.json {
                emit(names.barred(&reason)).map_err(|error| output_failure(&error))?;
            }
            Ok(Exit::Faulty)
        }
        Ended::Played(played) => conclude(&played, resolved, &names, ledger),
    }
}

/// Shows a ledger, computes from counts, or describes what would be played; starts nothing.
pub fn describe(arguments: &SprtArguments) -> Result<Exit, Failure> {
    if let (Some(path), false) = (&arguments.ledger, arguments.has_bots()) {
        return ledger::show(path);
    }
    if !arguments.counts.is_empty() {
        return compute(arguments);
    }
    let Loaded {
        resolved,
        isolation,
        ..
    } = resolve(arguments, None)?;
    if arguments.pairs_needed {
        return pairs_needed(arguments, &resolved);
    }
    let exit = describe_plan(&arguments.play, &resolved, &isolation)?;
    // Last, so that users need not scroll back over thousands of pairs.
    match &resolved.plan.test {
        Some(test) if !arguments.play.dump_config => {
            let outlook = messages::outlook(&test.sprt, &Names::of(&resolved));
            say(&format!("{outlook}\n"))
        }
        _ => Ok(exit),
    }
}

/// `--counts`: the log-likelihood ratio of given counts.
fn compute(arguments: &SprtArguments) -> Result<Exit, Failure> {
    let counts = read_counts(&arguments.counts).map_err(Failure::usage)?;
    let sprt =
        config::test_of_flags(keys(arguments).into_iter().flatten()).map_err(Failure::usage)?;
    let evaluation = sprt.evaluate(&counts);
    let text = if arguments.play.json {
        let object = json!({
            "llr": evaluation.llr,
            "lower": evaluation.lower,
            "upper": evaluation.upper,
            "state": state_name(evaluation.state),
            "counts": arguments.counts,
            "unbiased": messages::unbiased_json(&sprt, &counts),
        });
        format!("{object}\n")
    } else {
        messages::computed(&sprt, &counts, &evaluation)
    };
    say(&text)
}

fn read_counts(counts: &[u64]) -> Result<SprtCounts, String> {
    if let Some(count) = counts.iter().find(|&&count| count > MOST) {
        return Err(format!("--counts: {count} is more than any match has"));
    }
    match *counts {
        [losses, draws, wins] => Ok(SprtCounts::Games(GameCounts([losses, draws, wins]))),
        [ll, ld, level, wd, ww] => Ok(SprtCounts::Pairs(PairCounts([ll, ld, level, wd, ww]))),
        _ => Err(format!(
            "--counts takes five counts of pairs, LL,LD,DD+WL,WD,WW from the new bot's view, or \
             three of games, losses,draws,wins; these are {}",
            counts.len()
        )),
    }
}

/// The number of pairs that the test is expected to take.
fn pairs_needed(arguments: &SprtArguments, resolved: &Resolved) -> Result<Exit, Failure> {
    let test = resolved.plan.test.as_ref();
    let test = test.expect("without --pairs there is a test");
    let names = Names::of(resolved);
    say(&if arguments.play.json {
        format!(
            "{}\n",
            messages::outlook_json(&test.sprt, resolved.plan.pairs)
        )
    } else {
        format!(
            "{}\nat most {} are played; a test that needs more is inconclusive\n",
            messages::outlook(&test.sprt, &names),
            resolved.plan.pairs
        )
    })
}

fn resolve(arguments: &SprtArguments, guard: Option<&Guard>) -> Result<Loaded, Failure> {
    let flags = Overrides {
        purpose: match arguments.pairs {
            Some(_) => Purpose::Match,
            None => Purpose::Test,
        },
        ..overrides(&arguments.play, keys(arguments))
    };
    let play = &arguments.play;
    let loaded = match (&arguments.config, &arguments.new, &arguments.base) {
        (Some(file), ..) => load_to_play(&ConfigSource::File(file), &flags, play, guard),
        (None, Some(new), Some(base)) => {
            let text = config::two_bots(new, base).map_err(Failure::usage)?;
            let source = ConfigSource::Text(&text, PathBuf::from(NOWHERE));
            load_to_play(&source, &flags, play, guard)
                .map_err(|failure| of_command_line(failure, |entrant| format!("--{entrant}: ")))
        }
        _ => unreachable!("clap asks for a configuration or for both bots"),
    };
    let mut loaded = loaded?;
    let resolved = &mut loaded.resolved;
    if let [one, other] = resolved.plan.entrants.as_slice()
        && one.program == other.program
    {
        resolved.warnings.push(
            "both bots are the same program with the same arguments: was the new version built?"
                .to_owned(),
        );
    }
    Ok(loaded)
}

/// The flags that stand for keys.
fn keys(arguments: &SprtArguments) -> [Option<KeyFlag>; 7] {
    let number = |number: Option<f64>| number.map(|number| format!("{number:?}"));
    let model = arguments.model.as_ref().map(|model| format!("{model:?}"));
    [
        KeyFlag::typed("--pairs", ["tournament", "pairs"], arguments.pairs),
        KeyFlag::typed("--elo0", ["sprt", "elo0"], number(arguments.elo0)),
        KeyFlag::typed("--elo1", ["sprt", "elo1"], number(arguments.elo1)),
        KeyFlag::typed("--alpha", ["sprt", "alpha"], number(arguments.alpha)),
        KeyFlag::typed("--beta", ["sprt", "beta"], number(arguments.beta)),
        KeyFlag::typed("--model", ["sprt", "model"], model),
        KeyFlag::typed("--max-pairs", ["sprt", "max-pairs"], arguments.max_pairs),
    ]
}

/// Says how it ended; the exit code says the same.
fn conclude(
    played: &SessionResult<'_>,
    resolved: &Resolved,
    names: &Names,
    ledger: Option<&Path>,
) -> Result<Exit, Failure> {
    let counts = played.outcome.test.as_ref().map(|test| test.counts);
    let entered = ledger.map(|path| {
        let counts = counts.unwrap_or_default();
        ledger::enter(path, resolved, counts, ledger::verdict(played))
    });
    let conclusion = messages::conclusion(played, resolved, names, entered.transpose()?);
    played
        .watcher
        .concluded((&conclusion.text, conclusion.event))
        .map_err(|error| output_failure(&error))?;
    played
        .watcher
        .tell_results(&played.tables, "", &resolved.output);
    if !played.outcome.exclusions.withdrawn.is_empty() {
        return Ok(Exit::Faulty);
    }
    if let Some(exit) = unfinished(played) {
        return Ok(exit);
    }
    Ok(
        match played
            .outcome
            .test
            .as_ref()
            .map(|test| test.evaluation.state)
        {
            None | Some(State::H1) => Exit::Done,
            Some(State::H0) => Exit::Attention,
            Some(State::Continue) => Exit::Inconclusive,
        },
    )
}
