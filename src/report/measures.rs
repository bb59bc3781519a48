//! Games of each entrant against a few that all are measured by, such as the yardsticks of a class.

use super::counted::{CountedGame, add_to_tally};
use crate::rules::Side;
use crate::stats::game::RatedEntrant;
use crate::stats::head_to_head::{Pairing, Summary};
use crate::stats::tally::{Results, Tally};
use std::collections::{BTreeMap, BTreeSet};

/// A score against one entrant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredScore {
    /// The games, as the measured entrant sees them.
    pub results: Results,
    /// The 95 % interval of the score, 0 to 1; `None` where it rests on one opening.
    pub interval: Option<(f64, f64)>,
}

/// The games of every entrant against those that it is measured by.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// The entrants that others are measured by.
    by: BTreeSet<RatedEntrant>,
    /// The games of an entrant (number 0) against one of those (number 1).
    // Each two have a tally of their own: to find their games in that of all games would take as
    // long as to read all games.
    tallies: BTreeMap<(RatedEntrant, RatedEntrant), Tally>,
}

impl Measures {
    /// Measures without games. A name that is not an entrant measures no one.
    pub fn new(measured_by: &BTreeSet<String>, names: &[String]) -> Self {
        let named = (0..)
            .zip(names)
            .filter(|(_, name)| measured_by.contains(*name));
        Self {
            by: named.map(|(index, _)| RatedEntrant(index)).collect(),
            tallies: BTreeMap::new(),
        }
    }

    /// Counts a game, if it measures one of its entrants.
    pub fn add(&mut self, game: &CountedGame<'_>) {
        let summary = game.summary;
        let what = (summary.start, Some(summary.content));
        for side in Side::BOTH {
            let (measured, other) = (side.index(), side.opponent().index());
            if !self.by.contains(&game.sides[other]) {
                continue;
            }
            let key = (game.sides[measured], game.sides[other]);
            let tally = self.tallies.entry(key).or_insert_with(|| Tally::new(2));
            let mut sides = [RatedEntrant(0); 2];
            sides[other] = RatedEntrant(1);
            add_to_tally(tally, &summary.id, sides, game.result, what);
        }
    }

    /// The score of an entrant against another; `None` without games, or if the other one measures
    /// no one.
    pub fn score(&self, entrant: RatedEntrant, other: RatedEntrant) -> Option<MeasuredScore> {
        let tally = self.tallies.get(&(entrant, other))?;
        let pairing = Pairing::of_tally(tally, RatedEntrant(0), RatedEntrant(1));
        let summary = Summary::of(&pairing)?;
        let [losses, draws, wins] = summary.games.0;
        Some(MeasuredScore {
            results: Results {
                wins,
                draws,
                losses,
            },
            interval: summary.score95,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample::{game, names};
    use crate::record::{FaultKind, GameRecord, GameSummary};
    use crate::report::Tables;
    use crate::report::TablesBuilder;
    use crate::report::counted::{EntrantNames, empty_tally};

    /// Twenty games from ten openings with results that differ by pairing.
    fn twenty(salt: usize, first: &str, second: &str) -> Vec<GameRecord> {
        let of_pair = |pair: usize| {
            [1, 2].map(|number| {
                let index = 2 * pair + number - 1;
                let own = [10, 24, 30, 24, 40][(index * salt + index / 3) % 5];
                let id = format!("{first}~{second}.{}.{number}", pair + 1);
                let (sides, stores) = match number {
                    1 => ([first, second], [own, 48 - own]),
                    _ => ([second, first], [48 - own, own]),
                };
                let start = format!("{pair}-4-4-4-4-4-4-4-4-4-1-1-{}-0-S", 10 - pair);
                GameRecord {
                    start: start.parse().unwrap(),
                    ..game(&id, sides, stores)
                }
            })
        };
        (0..10).flat_map(of_pair).collect()
    }

    /// Against the slow way: the score in a tally of all games of all entrants.
    #[test]
    fn scores_are_those_of_the_whole_tally() {
        let names = names(&["greedy", "ada", "ben", "random"]);
        let measures = ["greedy", "random"].map(str::to_owned);
        let pairings = [
            ("greedy", "ada"),
            ("greedy", "ben"),
            ("ada", "ben"),
            ("ada", "random"),
            ("ben", "random"),
        ];
        let played = (1..).zip(pairings);
        let mut games: Vec<GameRecord> = played
            .flat_map(|(salt, (first, second))| twenty(salt, first, second))
            .collect();
        games[7] = games[7].clone().faulted(Side::South, FaultKind::Crash);
        let builder = TablesBuilder::new(&names).unwrap();
        let mut builder = builder.measured_by(&measures.clone().into());
        let entrants = EntrantNames::new(&names).unwrap();
        let mut tally = empty_tally(&names);
        for game in &games {
            let summary = GameSummary::of(game);
            let sides = entrants.sides(&summary.id, &summary.entrants).unwrap();
            let what = (summary.start, Some(summary.content));
            let result = summary.result().unwrap();
            add_to_tally(&mut tally, &summary.id, sides, result, what);
            builder.add(&summary);
        }
        let tables: Tables<'_> = builder.finish().unwrap();
        let number = |name: &str| {
            let place = names.iter().position(|it| it == name).unwrap();
            RatedEntrant(u32::try_from(place).unwrap())
        };
        for own in ["ada", "ben"] {
            for other in &measures {
                let pairing = Pairing::of_tally(&tally, number(own), number(other));
                let summary = Summary::of(&pairing).unwrap();
                let measured = tables.score_against(own, other).unwrap();
                let results = measured.results;
                let games = [results.losses, results.draws, results.wins];
                assert_eq!(games, summary.games.0);
                assert_eq!(measured.interval, summary.score95);
                assert!(measured.interval.is_some());
            }
        }
        assert_eq!(tables.score_against("ada", "ben"), None);
    }
}
