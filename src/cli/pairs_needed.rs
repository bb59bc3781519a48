//! `awale pairs-needed`: how many pairs a tournament needs until a difference shows.
//! It plays nothing.

use super::args::PairsNeededArguments;
use super::exit::{Exit, Failure, say};
use crate::stats::power::{MOST_PAIRS, PairingScheme, PowerQuestion};
use crate::stats::sprt::{TypicalError, TypicalResults};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Shares of tournaments in the table, besides the one of the command line.
const POWERS: [f64; 3] = [0.5, 0.8, 0.95];

/// Between two entrants, fewer pairs than this show a difference less often than the formula says:
/// simulated tournaments are in `docs/statistics.md`.
const FEW_PAIRS: u64 = 15;

pub fn pairs_needed(arguments: &PairsNeededArguments) -> Result<Exit, Failure> {
    let schedule = schedule(arguments)?;
    let typical =
        TypicalResults::new(arguments.draws, arguments.opening_bias).map_err(|error| {
            let TypicalError { name, value, most } = error;
            let flag = if name == "draw_share" {
                "--draws"
            } else {
                "--opening-bias"
            };
            Failure::usage(format!("{flag} must be between 0 and {most}, not {value}"))
        })?;
    let question = PowerQuestion {
        schedule,
        difference: arguments.detect,
        typical,
    };
    let mut powers = POWERS.to_vec();
    powers.extend(arguments.power);
    powers.sort_by(f64::total_cmp);
    powers.dedup();
    let answers: Vec<(f64, Option<u64>)> = powers
        .into_iter()
        .map(|power| (power, question.pairs(power)))
        .collect();
    if arguments.json {
        let object = object(arguments, &schedule, &answers);
        return say(&format!("{object}\n"));
    }
    say(&text(arguments, &schedule, &answers))
}

fn schedule(arguments: &PairsNeededArguments) -> Result<PairingScheme, Failure> {
    let (entrants, champions) = (arguments.entrants, arguments.champions);
    match champions {
        0 => Ok(PairingScheme::RoundRobin { entrants }),
        _ if champions < entrants => Ok(PairingScheme::Gauntlet {
            champions,
            challengers: entrants - champions,
        }),
        _ => Err(Failure::usage(format!(
            "--champions {champions}: of {entrants} entrants at most {} can be champions, the \
             others are their opponents; --entrants counts both",
            entrants - 1
        ))),
    }
}

fn text(
    arguments: &PairsNeededArguments,
    schedule: &PairingScheme,
    answers: &[(f64, Option<u64>)],
) -> String {
    let who = match schedule {
        PairingScheme::RoundRobin { entrants: 2 } => "two entrants".to_owned(),
        PairingScheme::RoundRobin { entrants } => {
            format!("two of {entrants} entrants, all against all")
        }
        PairingScheme::Gauntlet {
            champions: 1,
            challengers: 1,
        } => "a champion and its challenger".to_owned(),
        PairingScheme::Gauntlet {
            champions,
            challengers: 1,
        } => format!("the challenger and one of {champions} champions"),
        PairingScheme::Gauntlet {
            champions,
            challengers,
        } => {
            let plural = if *champions == 1 { "" } else { "s" };
            format!("two of {challengers} challengers, each against {champions} champion{plural}")
        }
    };
    let mut text = format!("A difference of {} Elo between {who}:\n", arguments.detect);
    for (power, pairs) in answers {
        let shown = format!("shows in {} of 100 tournaments", hundredths(*power));
        let _ = match pairs {
            Some(pairs) => {
                let games = 2 * pairs * schedule.pairings();
                let plural = if *pairs == 1 { "" } else { "s" };
                writeln!(
                    text,
                    "  {shown} with {pairs} pair{plural} to a pairing ({games} games)"
                )
            }
            None => writeln!(
                text,
                "  {shown} with more than {MOST_PAIRS} pairs to a pairing"
            ),
        };
    }
    let _ = writeln!(
        text,
        "It shows if its 95 % interval leaves out 0. Each pair has an opening of its own; {:.0} % \
         of games between equals are drawn, and an opening helps one side by {} Elo (--draws, \
         --opening-bias).",
        100.0 * arguments.draws,
        arguments.opening_bias
    );
    if schedule.pairings() == 1 && answers.iter().any(|(_, pairs)| is_few(*pairs)) {
        let _ = writeln!(
            text,
            "Two entrants with fewer than {FEW_PAIRS} pairs show it less often than this: take \
             some more (docs/statistics.md, \"How many pairs do I need?\")."
        );
    }
    text
}

fn is_few(pairs: Option<u64>) -> bool {
    pairs.is_some_and(|pairs| pairs < FEW_PAIRS)
}

/// For example `80` or `2.5`: with the digits that were given, without rounding errors.
fn hundredths(power: f64) -> f64 {
    (power * 1e11).round() / 1e9
}

fn object(
    arguments: &PairsNeededArguments,
    schedule: &PairingScheme,
    answers: &[(f64, Option<u64>)],
) -> Value {
    let answers: Vec<Value> = answers
        .iter()
        .map(|(power, pairs)| {
            json!({
                "power": power,
                "pairs": pairs,
                "games": pairs.map(|pairs| 2 * pairs * schedule.pairings()),
            })
        })
        .collect();
    json!({
        "entrants": arguments.entrants,
        "champions": arguments.champions,
        "detect": arguments.detect,
        "draws": arguments.draws,
        "opening_bias": arguments.opening_bias,
        "answers": answers,
    })
}
