//! `openings.csv`: a row for each opening with its effect on games, and the entrant that is weak
//! from it.

use super::counted::CountedGame;
use super::table::Column;
use crate::record::GameId;
use crate::rules::{GameResult, Position, Side};
use crate::stats::game::RatedEntrant;
use crate::stats::ratings::Ratings;
use std::collections::BTreeMap;

/// The games of all openings: some tens of bytes for each game.
#[derive(Clone, Debug, Default)]
pub struct OpeningGames {
    games: Vec<OpeningGame>,
    /// With the game that gave the position: the first one of the schedule, whatever the order.
    starts: BTreeMap<u32, (GameId, Position)>,
}

/// What is kept of a game.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OpeningGame {
    opening: u32,
    /// The key of its pair.
    pair: u64,
    /// South, then North.
    sides: [RatedEntrant; 2],
    /// South's points, in half points.
    half_points: u8,
}

impl OpeningGames {
    pub fn add(&mut self, game: &CountedGame<'_>) {
        let summary = game.summary;
        self.games.push(OpeningGame {
            opening: summary.opening,
            pair: summary.id.pair.key(),
            sides: game.sides,
            half_points: match game.result {
                GameResult::Win(Side::South) => 2,
                GameResult::Draw => 1,
                GameResult::Win(Side::North) => 0,
            },
        });
        let start = || (summary.id.clone(), summary.start);
        let known = self.starts.entry(summary.opening).or_insert_with(start);
        if summary.id < known.0 {
            *known = start();
        }
    }

    /// The rows, by number.
    pub fn rows(mut self, names: &[String], ratings: &Ratings) -> Vec<OpeningRow> {
        // An order by content, not by time.
        self.games.sort_unstable();
        self.games
            .chunk_by(|one, other| one.opening == other.opening)
            .map(|games| {
                let start = self.starts[&games[0].opening].1;
                OpeningRow::of(games, start, names, ratings)
            })
            .collect()
    }
}

/// The games from one opening.
#[derive(Clone, Debug, PartialEq)]
pub struct OpeningRow {
    /// Its number in the list, from 1.
    pub opening: u32,
    /// The position.
    pub start: Position,
    /// The number of games.
    pub games: u64,
    /// North's wins, draws, South's wins.
    pub results: [u64; 3],
    /// South's score by the ratings, over the games that have one.
    pub expected: Option<f64>,
    /// Pairs both of whose games count.
    pub pairs: u64,
    /// Pairs in which the same side won both games: the opening decided them.
    pub pairs_by_side: u64,
    /// Pairs in which one entrant won both games.
    pub pairs_by_entrant: u64,
    /// The entrant that is furthest below the points that the ratings predict, if that is at least
    /// half a point, and by how many points.
    pub weakest: Option<(String, f64)>,
}

/// The columns of `openings.csv`.
pub const OPENINGS: &[Column<OpeningRow>] = &[
    Column::new(
        &["opening", "start"],
        "its number in the list of openings, from 1, and the position after it",
        |row, cells| {
            cells.number(Some(row.opening));
            cells.text(&row.start.to_string());
        },
    ),
    Column::new(
        &["games", "south_wins", "draws", "north_wins", "south_score"],
        "results by side; the score is points per game",
        |row, cells| {
            let [north_wins, draws, south_wins] = row.results;
            for count in [row.games, south_wins, draws, north_wins] {
                cells.number(Some(count));
            }
            let points = south_wins as f64 + 0.5 * draws as f64;
            cells.number(Some(format!("{:.4}", points / row.games as f64)));
        },
    ),
    Column::new(
        &["expected"],
        "South's score by the ratings and the advantage of moving first; empty if no game \
                has one",
        |row, cells| cells.number(row.expected.map(|score| format!("{score:.4}"))),
    ),
    Column::new(
        &["pairs", "pairs_by_side", "pairs_by_entrant"],
        "pairs of which both games count; those in which the same side won both games (the \
                opening decided), and those in which the same entrant did",
        |row, cells| {
            for count in [row.pairs, row.pairs_by_side, row.pairs_by_entrant] {
                cells.number(Some(count));
            }
        },
    ),
    Column::new(
        &["weakest", "shortfall"],
        "the entrant that is furthest below the points that the ratings predict, and by how \
                many; empty if no entrant is below by half a point",
        |row, cells| {
            cells.text(row.weakest.as_ref().map_or("", |(name, _)| name));
            let points = row
                .weakest
                .as_ref()
                .map(|(_, points)| format!("{points:.2}"));
            cells.number(points);
        },
    ),
];

impl OpeningRow {
    fn of(games: &[OpeningGame], start: Position, names: &[String], ratings: &Ratings) -> Self {
        let mut row = Self {
            opening: games[0].opening,
            start,
            games: games.len() as u64,
            results: [0; 3],
            expected: None,
            pairs: 0,
            pairs_by_side: 0,
            pairs_by_entrant: 0,
            weakest: None,
        };
        let mut short: BTreeMap<RatedEntrant, f64> = BTreeMap::new();
        let (mut expected, mut rated) = (0.0, 0_u32);
        for game in games {
            row.results[usize::from(game.half_points)] += 1;
            let [south, north] = game.sides;
            if let Some(score) = ratings.expected_score(south, north) {
                expected += score;
                rated += 1;
                let above = f64::from(game.half_points) / 2.0 - score;
                *short.entry(south).or_default() -= above;
                *short.entry(north).or_default() += above;
            }
        }
        row.expected = (rated > 0).then(|| expected / f64::from(rated));
        row.weakest = short
            .into_iter()
            .filter(|&(_, short)| short >= 0.5)
            // The first of the plan among equals.
            .max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)))
            .map(|(entrant, points)| (names[entrant.position()].clone(), points));
        for pair in games.chunk_by(|one, other| one.pair == other.pair) {
            row.count_pair(pair);
        }
        row
    }

    fn count_pair(&mut self, pair: &[OpeningGame]) {
        let [first, second] = pair else {
            return;
        };
        self.pairs += 1;
        let is_decided = first.half_points != 1 && second.half_points != 1;
        if is_decided && first.half_points == second.half_points {
            self.pairs_by_side += 1;
        } else if is_decided {
            self.pairs_by_entrant += 1;
        }
    }
}
