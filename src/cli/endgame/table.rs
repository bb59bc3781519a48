//! `awale endgame table`: how many positions are won, drawn and lost.

use super::{database, too_few};
use crate::cli::args::EndgameTableArguments;
use crate::cli::exit::{Exit, Failure, say};
use crate::engine::endgame::{for_each_position, positions_of};
use std::cmp::Ordering;
use std::fmt::Write as _;

pub fn table(arguments: &EndgameTableArguments) -> Result<Exit, Failure> {
    let (database, rules) = database(&arguments.database)?;
    let most = arguments.seeds.unwrap_or(database.seeds());
    let values = database.values();
    if most > database.seeds() {
        return Err(too_few(
            format_args!("a table up to {most} seeds was asked for"),
            &database,
            &rules,
            most,
        ));
    }
    let mut text = "seeds,positions,wins,draws,losses\n".to_owned();
    for seeds in 0..=most {
        let (mut wins, mut draws, mut losses) = (0_u64, 0_u64, 0_u64);
        for_each_position(seeds, |position| {
            match values.value(position).unwrap_or(0).cmp(&0) {
                Ordering::Greater => wins += 1,
                Ordering::Equal => draws += 1,
                Ordering::Less => losses += 1,
            }
        });
        let positions = positions_of(seeds);
        let _ = writeln!(text, "{seeds},{positions},{wins},{draws},{losses}");
    }
    say(&text)
}
