//! `awale pairs-needed`: how many pairs a tournament needs until a difference shows.
//! It plays nothing.

use super::args::PairsNeededArguments;
use super::exit::{Exit, Failure, say};
use crate::stats::power::{Compared, MOST_PAIRS, PairingScheme, PowerQuestion};
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
    let mut powers = POWERS.to_vec();
    powers.extend(arguments.power);
    powers.sort_by(f64::total_cmp);
    powers.dedup();
    let answers = schedule.comparisons().into_iter().flat_map(|compared| {
        let question = PowerQuestion {
            schedule,
            compared,
            difference: arguments.detect,
            typical,
        };
        let answer = move |&power: &f64| PairsAnswer {
            compared,
            power,
            pairs: question.pairs(power),
        };
        powers.iter().map(answer).collect::<Vec<PairsAnswer>>()
    });
    let answers: Vec<PairsAnswer> = answers.collect();
    if arguments.json {
        let object = object(arguments, &schedule, &answers);
        return say(&format!("{object}\n"));
    }
    say(&text(arguments, &schedule, &answers))
}

/// How many pairs to a pairing show a difference of these two.
struct PairsAnswer {
    compared: Compared,
    /// In this share of tournaments.
    power: f64,
    /// `None` if there are too many.
    pairs: Option<u64>,
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

/// The two who are compared, in words.
fn who(schedule: &PairingScheme, compared: Compared) -> String {
    let (champions, challengers) = match *schedule {
        PairingScheme::RoundRobin { entrants: 2 } => return "two entrants".to_owned(),
        PairingScheme::RoundRobin { entrants } => {
            return format!("two of {entrants} entrants, all against all");
        }
        PairingScheme::Gauntlet {
            champions,
            challengers,
        } => (champions, challengers),
    };
    let counted = |count: u64, word: &str| match count {
        1 => format!("the {word}"),
        _ => format!("one of {count} {word}s"),
    };
    match compared {
        Compared::Champions => format!("two of {champions} champions"),
        Compared::Challengers => format!("two of {challengers} challengers"),
        Compared::Entrants | Compared::ChampionAndChallenger => format!(
            "{} and {}",
            counted(champions, "champion"),
            counted(challengers, "challenger")
        ),
    }
}

fn text(
    arguments: &PairsNeededArguments,
    schedule: &PairingScheme,
    answers: &[PairsAnswer],
) -> String {
    let mut text = String::new();
    for of_two in answers.chunk_by(|one, other| one.compared == other.compared) {
        let who = who(schedule, of_two[0].compared);
        let _ = writeln!(
            text,
            "A difference of {} Elo between {who}:",
            arguments.detect
        );
        for PairsAnswer { power, pairs, .. } in of_two {
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
    }
    let _ = writeln!(
        text,
        "It shows if its 95 % interval leaves out 0. Each pair has an opening of its own; {:.0} % \
         of games between equals are drawn, and an opening helps one side by {} Elo (--draws, \
         --opening-bias).",
        100.0 * arguments.draws,
        arguments.opening_bias
    );
    if schedule.pairings() == 1 && answers.iter().any(|it| is_few(it.pairs)) {
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
    answers: &[PairsAnswer],
) -> Value {
    let answer = |it: &PairsAnswer| {
        json!({
            "compared": match it.compared {
                Compared::Entrants => "entrants",
                Compared::ChampionAndChallenger => "champion and challenger",
                Compared::Challengers => "challengers",
                Compared::Champions => "champions",
            },
            "power": it.power,
            "pairs": it.pairs,
            "games": it.pairs.map(|pairs| 2 * pairs * schedule.pairings()),
        })
    };
    let answers: Vec<Value> = answers.iter().map(answer).collect();
    json!({
        "entrants": arguments.entrants,
        "champions": arguments.champions,
        "detect": arguments.detect,
        "draws": arguments.draws,
        "opening_bias": arguments.opening_bias,
        "answers": answers,
    })
}
