//! What happened, in a few sentences.

use crate::record::{Exclusions, FaultKind};
use crate::report::Tables;
use crate::report::standings::StandingsRow;
use crate::report::text::{listed, signed_elo};

use crate::stats::game::RatedEntrant;
use crate::stats::rating::{BoundDirection, Difference};
use crate::text::{counted, printable};

/// The most runs of places, and the most entrants with faults, that are named.
const MOST_NAMED: usize = 3;

/// An interval wider than this many Elo compares nothing.
const COMPARABLE: f64 = 400.0;

/// The sentences.
pub fn headline(tables: &Tables<'_>) -> Vec<String> {
    let rows = tables.standings().rows();
    let mut sentences = Vec::new();
    sentences.extend(leader(tables, rows));
    sentences.extend(unseparated(tables, rows));
    sentences.extend(faults(rows));
    sentences.extend(withdrawn(tables.exclusions()));
    sentences.extend(refused(tables.exclusions()));
    sentences
}

/// Whether a place, from 0, and the next one are in the same pool.
fn are_together(rows: &[StandingsRow], upper: usize) -> bool {
    let pool = |place: usize| rows.get(place).and_then(|row| row.pool);
    pool(upper).is_some() && pool(upper) == pool(upper + 1)
}

/// The difference of a place, from 0, and the next one, if any game compares the two.
fn difference(tables: &Tables<'_>, rows: &[StandingsRow], upper: usize) -> Option<Difference> {
    let (upper, lower) = (rows.get(upper)?, rows.get(upper + 1)?);
    let index = |name: &str| {
        let place = tables.names.iter().position(|it| it == name)?;
        u32::try_from(place).ok().map(RatedEntrant)
    };
    let ratings = tables.standings().ratings();
    ratings.difference(index(&upper.entrant)?, index(&lower.entrant)?)
}

fn leader(tables: &Tables<'_>, rows: &[StandingsRow]) -> Option<String> {
    if !are_together(rows, 0) {
        return None;
    }
    let [first, second] = [0, 1].map(|place: usize| printable(&rows[place].entrant));
    let Some(difference) = difference(tables, rows, 0) else {
        return Some(format!(
            "{first} and {second} lead; no game compares the two."
        ));
    };
    let elo = signed_elo(difference.elo, None);
    let elo = elo.trim_start_matches('+');
    Some(match (difference.bound, difference.error95) {
        (Some(BoundDirection::AtLeast), _) if difference.is_parted() => {
            format!("{first} leads: it is at least {elo} Elo above {second}.")
        }
        // A few games without a loss bound the difference by a number below 0.
        (Some(BoundDirection::AtLeast), _) => {
            format!("{first} is first; how far it is above {second} is not known yet.")
        }
        (Some(BoundDirection::AtMost), _) | (None, None) => {
            format!("{first} is first, and {second} follows; too few games to compare them.")
        }
        (None, Some(error95)) if difference.is_parted() => {
            format!("{first} leads by {elo} ± {error95:.0} Elo.")
        }
        (None, Some(error95)) if error95 > COMPARABLE => {
            format!("Too few games to compare {first} and {second}.")
        }
        (None, Some(error95)) => {
            format!("Too close to call: {first} and {second} ({elo} ± {error95:.0} Elo).")
        }
    })
}

/// The places behind the first two that are not separated from the next.
fn unseparated(tables: &Tables<'_>, rows: &[StandingsRow]) -> Option<String> {
    let is_close = |upper: usize| {
        let difference = difference(tables, rows, upper);
        are_together(rows, upper) && difference.is_none_or(|it| !it.is_parted())
    };
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for upper in (1..rows.len().saturating_sub(1)).filter(|upper| is_close(*upper)) {
        match runs.last_mut() {
            Some([_, last]) if *last == upper => *last = upper + 1,
            _ => runs.push([upper, upper + 1]),
        }
    }
    // In a longer run the ends may well be parted.
    let sentence = |[first, last]: &[usize; 2]| {
        let (first, last) = (first + 1, last + 1);
        match last - first {
            1 => format!("places {first} and {last}"),
            _ => format!("places {first} to {last}"),
        }
    };
    let mut named: Vec<String> = runs.iter().take(MOST_NAMED).map(sentence).collect();
    if runs.len() > named.len() {
        named.push("others further down".to_owned());
    }
    let (last, others) = named.split_last()?;
    let all = if others.is_empty() {
        last.clone()
    } else {
        format!("{}, and {last}", others.join(", "))
    };
    Some(capitalised(&all) + " are too close to call.")
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn faults(rows: &[StandingsRow]) -> Vec<String> {
    let mut faulty: Vec<&StandingsRow> = rows.iter().filter(|row| row.fault_count() > 0).collect();
    // The sort is stable: equals stay in the order of the standings.
    faulty.sort_by_key(|row| std::cmp::Reverse(row.fault_count()));
    let sentence = |row: &&StandingsRow| {
        let count = usize::try_from(row.fault_count()).unwrap_or(usize::MAX);
        let games = usize::try_from(row.results.games()).unwrap_or(usize::MAX);
        let only = FaultKind::ALL.into_iter().zip(row.faults);
        let on_time = only
            .clone()
            .all(|(kind, count)| count == 0 || kind == FaultKind::Timeout);
        let how = if on_time {
            "on time".to_owned()
        } else {
            format!("by faults ({})", row.faults_text())
        };
        let name = printable(&row.entrant);
        format!(
            "{name} lost {count} of {} {how}.",
            counted(games, "game", "games")
        )
    };
    let mut sentences: Vec<String> = faulty.iter().take(MOST_NAMED).map(sentence).collect();
    if faulty.len() > MOST_NAMED {
        let others = faulty.len() - MOST_NAMED;
        sentences.push(format!(
            "{} more lost games by faults.",
            counted(others, "entrant", "entrants")
        ));
    }
    sentences
}

fn withdrawn(exclusions: &Exclusions) -> Option<String> {
    let names = exclusions.withdrawn.iter().map(|it| it.entrant.as_str());
    let verb = if names.len() == 1 { "was" } else { "were" };
    (names.len() > 0).then(|| format!("{} {verb} withdrawn because of faults.", listed(names)))
}

fn refused(exclusions: &Exclusions) -> Option<String> {
    let names = exclusions.refused.iter().map(|(name, _)| name.as_str());
    let verb = if names.len() == 1 { "was" } else { "were" };
    (names.len() > 0).then(|| format!("{} {verb} not admitted.", listed(names)))
}
