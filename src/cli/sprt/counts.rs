//! `awale sprt --counts`: the log-likelihood ratio of given counts.

use super::super::args::SprtArguments;
use super::super::exit::{Exit, Failure, say};
use super::unbiased;
use crate::cli::sprt::messages;
use crate::cli::sprt::messages::state_name;
use crate::config;
use crate::config::KeyFlag;
use crate::stats::sprt::{GameCounts, PairCounts, SprtCounts};
use serde_json::json;

/// Counts above this cannot be counts of games: the sums of five stay exact in floating point.
const MOST: u64 = 1 << 50;

pub fn compute(arguments: &SprtArguments, keys: &[KeyFlag]) -> Result<Exit, Failure> {
    let counts = read(&arguments.counts).map_err(Failure::usage)?;
    let sprt = config::test_of_flags(keys).map_err(Failure::usage)?;
    let evaluation = sprt.evaluate(&counts);
    let text = if arguments.play.json {
        let object = json!({
            "llr": evaluation.llr,
            "lower": evaluation.lower,
            "upper": evaluation.upper,
            "state": state_name(evaluation.state),
            "counts": arguments.counts,
            "unbiased": unbiased::object(&sprt, &counts),
        });
        format!("{object}\n")
    } else {
        messages::computed(&sprt, &counts, &evaluation)
    };
    say(&text)
}

fn read(counts: &[u64]) -> Result<SprtCounts, String> {
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
