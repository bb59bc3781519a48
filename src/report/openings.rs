//! `openings.csv`: a row for each opening with its effect on games, and the entrant that is weak
//! from it.

use super::counted::CountedGame;
use crate::record::GameId;
use crate::report::csv_writer::CsvWriter;
use crate::rules::{GameResult, Position, Side};
use crate::stats::game::RatedEntrant;
use crate::stats::ratings::Ratings;
use std::collections::BTreeMap;
use std::io::{self, Write};

const COLUMNS: [&str; 13] = [
    "opening",
    "start",
    "games",
    "south_wins",
    "draws",
    "north_wins",
    "south_score",
    "expected",
    "pairs",
    "pairs_by_side",
    "pairs_by_entrant",
    "weakest",
    "shortfall",
];

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
    pub fn rows(mut self, ratings: &Ratings) -> Vec<OpeningRow> {
        // An order by content, not by time.
        self.games.sort_unstable();
        self.games
            .chunk_by(|one, other| one.opening == other.opening)
            .map(|games| OpeningRow::of(games, self.starts[&games[0].opening].1, ratings))
            .collect()
    }
}

/// The games from one opening.
#[derive(Clone, Debug, PartialEq)]
pub struct OpeningRow {
    /// `opening`: its number in the list, from 1.
    pub opening: u32,
    /// `start`: the position.
    pub start: Position,
    /// `games`, and `south_wins`, `draws`, `north_wins` of them; `south_score` from 0 to 1, to four
    /// decimals.
    pub games: u64,
    /// North's wins, draws, South's wins.
    pub results: [u64; 3],
    /// `expected`: South's score by the ratings and the advantage of moving first, to four
    /// decimals, over the games that have one; empty if none has.
    pub expected: Option<f64>,
    /// `pairs`: pairs both of whose games count.
    pub pairs: u64,
    /// `pairs_by_side`: pairs in which the same side won both games: the opening decided them.
    pub pairs_by_side: u64,
    /// `pairs_by_entrant`: pairs in which one entrant won both games.
    pub pairs_by_entrant: u64,
    /// `weakest` and `shortfall`: the entrant that is furthest below the points that the ratings
    /// predict, and by how many points, to two decimals; empty if no entrant is below by half a
    /// point.
    pub weakest: Option<(RatedEntrant, f64)>,
}

impl OpeningRow {
    fn of(games: &[OpeningGame], start: Position, ratings: &Ratings) -> Self {
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
            .max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)));
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

    fn write<W: Write>(&self, names: &[String], csv: &mut CsvWriter<W>) -> io::Result<()> {
        let [north_wins, draws, south_wins] = self.results;
        let south = south_wins as f64 + 0.5 * draws as f64;
        csv.number(Some(self.opening))?;
        csv.text(&self.start.to_string())?;
        for count in [self.games, south_wins, draws, north_wins] {
            csv.number(Some(count))?;
        }
        csv.number(Some(format!("{:.4}", south / self.games as f64)))?;
        csv.number(self.expected.map(|score| format!("{score:.4}")))?;
        for count in [self.pairs, self.pairs_by_side, self.pairs_by_entrant] {
            csv.number(Some(count))?;
        }
        csv.text(self.weakest.map_or("", |(it, _)| &names[it.position()]))?;
        csv.number(self.weakest.map(|(_, short)| format!("{short:.2}")))?;
        csv.end_row()
    }
}

pub fn write_csv(names: &[String], rows: &[OpeningRow], out: impl Write) -> io::Result<()> {
    let mut csv = CsvWriter::new(out, &COLUMNS)?;
    for row in rows {
        row.write(names, &mut csv)?;
    }
    csv.finish()
}
