//! The tables of a tournament whose rounds follow from results.

use super::journal_games::GameStore;
use crate::record::Exclusions;
use crate::report::{BracketRow, MatchRow, PlaceRow, RoundTables};
use crate::tournament::{
    BracketMatch, BracketPlace, DealtRound, FormatPlace, MatchResult, Plan, round_results,
};

/// The tables of a plan's rounds; `None` where the plan alone decides who meets whom.
pub fn round_tables(
    plan: &Plan,
    exclusions: &Exclusions,
    games: &GameStore,
) -> Option<RoundTables> {
    let results = round_results(plan, exclusions, games.games())?;
    let rounds = plan.rounds.iter().zip(&results.matches);
    let matches = rounds.flat_map(|(round, results)| {
        let played = results.iter().map(|it| match_row(plan, round, it));
        played.chain(round.byes.iter().map(|it| bye_row(round, it)))
    });
    let places = (1..).zip(&results.places);
    Some(RoundTables {
        matches: matches.collect(),
        places: places
            .map(|(place, it)| place_row(plan, place, it))
            .collect(),
        bracket: results
            .bracket
            .iter()
            .map(|it| bracket_row(plan, it))
            .collect(),
    })
}

fn match_row(plan: &Plan, round: &DealtRound, result: &MatchResult) -> MatchRow {
    let entrants = result
        .entrants
        .map(|it| plan.entrants[it.index()].name.clone());
    let dealt = round.matches.iter();
    let mut dealt = dealt.filter(|it| entrants.iter().all(|name| it.entrants.contains(name)));
    let dealt = dealt.next();
    MatchRow {
        part: dealt.map_or(String::new(), |it| it.part.clone()),
        entrants,
        pairs: dealt.map_or(0, |it| it.pairs),
        games: result.games,
        points: result.half_points.map(halves),
        seeds: result.seeds,
        match_points: result.match_points().map(halves),
        ..row_of(round)
    }
}

fn bye_row(round: &DealtRound, entrant: &str) -> MatchRow {
    MatchRow {
        entrants: [entrant.to_owned(), String::new()],
        match_points: [1.0, 0.0],
        ..row_of(round)
    }
}

fn row_of(round: &DealtRound) -> MatchRow {
    MatchRow {
        round: round.number,
        name: round.name.clone(),
        stage: (round.stage > 0).then_some(round.stage),
        ..MatchRow::default()
    }
}

fn place_row(plan: &Plan, place: usize, row: &FormatPlace) -> PlaceRow {
    PlaceRow {
        place,
        entrant: plan.entrants[row.entrant.index()].name.clone(),
        match_points: halves(row.match_points),
        points: halves(row.half_points),
        buchholz: row.buchholz.map(halves),
    }
}

fn bracket_row(plan: &Plan, of: &BracketMatch) -> BracketRow {
    let name = |place: BracketPlace| match place {
        BracketPlace::Entrant(it) => plan.entrants[it.index()].name.clone(),
        BracketPlace::Empty | BracketPlace::Undecided => String::new(),
    };
    BracketRow {
        round: of.round.clone(),
        part: of.part.clone(),
        entrants: of.places.map(name),
        pairs: of.pairs,
        points: of.half_points.map(halves),
        seeds: of.seeds,
        winner: name(of.winner),
        decided_by: of.decided_by.map_or("", |it| it.name()),
    }
}

fn halves(half_points: u32) -> f64 {
    f64::from(half_points) / 2.0
}
