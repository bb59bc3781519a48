//! `accuracy.csv` and `endgames.csv`: how many seeds the moves of each entrant gave away where a
//! database knows the value of every move, and what each game was worth when that began.

use super::counted::CountedGame;
use super::standings::{ENTRANT_TITLE, StandingsRow};
use super::table::{Column, ShownColumn, TextTable};
use crate::analysis::{Analyst, Due, SolvedPosition};
use crate::record::{GameEnding, GameId};
use crate::rules::{GameResult, Side};
use crate::text::printable;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most games on the page in which something else came than was due.
const MOST_REVERSALS: usize = 10;

/// What was done with few enough seeds on the board, counted game by game.
#[derive(Clone, Debug)]
pub struct EndgameCounts {
    analyst: Analyst,
    /// By entrant and side.
    counts: Vec<[MoveCounts; 2]>,
    games: Vec<EndgameRow>,
}

/// What an entrant did on one side of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct MoveCounts {
    games: u64,
    moves: u64,
    best: u64,
    seeds_lost: u64,
    /// Moves that turned a won game into a drawn one, a won into a lost, a drawn into a lost.
    thrown: [u64; 3],
    /// Games whose result was better by the board than what a fault, a resignation, the limit of
    /// plies or an agreement made of it.
    otherwise: [u64; 4],
}

impl MoveCounts {
    fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.moves += other.moves;
        self.best += other.best;
        self.seeds_lost += other.seeds_lost;
        let thrown = self.thrown.iter_mut().zip(other.thrown);
        let otherwise = self.otherwise.iter_mut().zip(other.otherwise);
        thrown.chain(otherwise).for_each(|(sum, more)| *sum += more);
    }

    fn throw(&mut self, due: [Due; 2]) {
        match due {
            [Due::Won, Due::Drawn] => self.thrown[0] += 1,
            [Due::Won, Due::Lost] => self.thrown[1] += 1,
            [Due::Drawn, Due::Lost] => self.thrown[2] += 1,
            _ => {}
        }
    }
}

impl EndgameCounts {
    /// No games yet of so many entrants.
    pub fn new(analyst: &Analyst, entrants: usize) -> Self {
        Self {
            analyst: analyst.clone(),
            counts: vec![<[MoveCounts; 2]>::default(); entrants],
            games: Vec::new(),
        }
    }

    /// Counts a game.
    pub fn add(&mut self, game: &CountedGame<'_>) {
        let summary = game.summary;
        let analysis = self.analyst.analyse(summary.start, &summary.moves);
        let Some(first) = analysis.first else {
            return;
        };
        let mut counts = <[MoveCounts; 2]>::default();
        for ply in &analysis.plies {
            let own = &mut counts[ply.side().index()];
            own.moves += 1;
            own.best += u64::from(ply.lost() == 0);
            own.seeds_lost += u64::from(ply.lost());
            own.throw(ply.due());
        }
        let seeds_lost = counts.map(|it| it.seeds_lost);
        let cause = match *summary.ending {
            GameEnding::Fault(..) => Some(0),
            GameEnding::Resignation(_) => Some(1),
            GameEnding::Adjudicated => Some(2),
            GameEnding::AgreedWin(_) | GameEnding::AgreedDraw => Some(3),
            _ => None,
        };
        for side in Side::BOTH {
            let counts = &mut counts[side.index()];
            counts.games = 1;
            if let (Some(cause), Some(last)) = (cause, analysis.last)
                && last.due(side) > Due::got(game.result, side)
            {
                counts.otherwise[cause] = 1;
            }
            let entrant = game.sides[side.index()].position();
            self.counts[entrant][side.index()].add(counts);
        }
        self.games.push(EndgameRow {
            id: summary.id.clone(),
            entrants: Arc::clone(&summary.entrants),
            seeds: self.analyst.seeds(),
            first,
            ending: Arc::clone(&summary.ending),
            stores: summary.stores,
            result: game.result,
            seeds_lost,
        });
    }

    /// The tables, in the order of the standings. `names` are by the entrants' numbers.
    pub fn finish(mut self, names: &[String], standings: &[StandingsRow]) -> Endgames {
        let numbers: BTreeMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let mut accuracy = Vec::with_capacity(3 * names.len());
        for standing in standings {
            let Some(&number) = numbers.get(standing.entrant.as_str()) else {
                continue;
            };
            let [south, north] = self.counts[number];
            let mut both = south;
            both.add(&north);
            let sides = [
                (None, both),
                (Some(Side::South), south),
                (Some(Side::North), north),
            ];
            accuracy.extend(sides.map(|(side, counts)| AccuracyRow {
                entrant: standing.entrant.clone(),
                side,
                seeds: self.analyst.seeds(),
                counts,
            }));
        }
        self.games.sort_by(|one, other| one.id.cmp(&other.id));
        Endgames {
            analyst: self.analyst,
            accuracy,
            games: self.games,
        }
    }
}

/// What a database says of all games.
#[derive(Clone, Debug)]
pub struct Endgames {
    analyst: Analyst,
    /// Three rows for each entrant: both sides together, South, North.
    pub(super) accuracy: Vec<AccuracyRow>,
    /// The games that had a position with a value.
    pub(super) games: Vec<EndgameRow>,
}

impl Endgames {
    /// What analyses single games in the same way.
    pub const fn analyst(&self) -> &Analyst {
        &self.analyst
    }

    /// The accuracy of the entrants for people; `None` if no game came so far.
    pub fn table(&self) -> Option<TextTable> {
        let both = self.accuracy.iter().filter(|row| row.side.is_none());
        let both: Vec<AccuracyRow> = both.filter(|it| it.counts.moves > 0).cloned().collect();
        let heading = format!(
            "Accuracy of the moves with at most {} seeds on the board",
            self.analyst.seeds()
        );
        (!both.is_empty()).then(|| TextTable {
            heading: Some(heading),
            ..TextTable::new(ACCURACY, &both)
        })
    }

    /// The accuracy of an entrant as a sentence, if it made such moves.
    pub fn sentence(&self, entrant: &str) -> Option<String> {
        let is_wanted = |row: &&AccuracyRow| row.side.is_none() && row.entrant == entrant;
        let row = self.accuracy.iter().find(is_wanted)?;
        let (share, mean) = (row.share_of_best()?, row.mean_seeds_lost()?);
        Some(format!(
            "With at most {} seeds on the board perfect play is known: of its {} such moves \
             {:.1} % lost nothing, and a move lost {mean:.2} seeds on average.",
            row.seeds,
            row.counts.moves,
            100.0 * share
        ))
    }

    /// The games of such entrants in which another result came than was due: some, those with most
    /// lost seeds first.
    pub(super) fn reversals(
        &self,
        are_shown: impl Fn(&[String; 2]) -> bool,
    ) -> impl Iterator<Item = &EndgameRow> {
        let games = self.games.iter().filter(|it| are_shown(&it.entrants));
        let mut games: Vec<&EndgameRow> = games.filter(|it| it.is_reversal()).collect();
        // The sort is stable: equals stay in the order of the schedule.
        games.sort_by_key(|it| std::cmp::Reverse(it.seeds_lost.iter().sum::<u64>()));
        games.into_iter().take(MOST_REVERSALS)
    }
}

/// The accuracy of an entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccuracyRow {
    pub(super) entrant: String,
    /// The side on which it moved; `None` for both.
    side: Option<Side>,
    seeds: u8,
    counts: MoveCounts,
}

impl AccuracyRow {
    fn share_of_best(&self) -> Option<f64> {
        self.counts.ratio(self.counts.best)
    }

    fn mean_seeds_lost(&self) -> Option<f64> {
        self.counts.ratio(self.counts.seeds_lost)
    }
}

impl MoveCounts {
    fn ratio(&self, count: u64) -> Option<f64> {
        (self.moves > 0).then(|| count as f64 / self.moves as f64)
    }
}

fn positive(count: u64) -> String {
    if count > 0 {
        count.to_string()
    } else {
        String::new()
    }
}

/// The columns of `accuracy.csv`.
pub const ACCURACY: &[Column<AccuracyRow>] = &[
    Column {
        names: &["entrant", "side"],
        about: "the entrant, and the side on which it moved: `south`, `north`, or `both`",
        fill: |row, cells| {
            cells.text(&row.entrant);
            cells.text(row.side.map_or("both", Side::name));
        },
        shown: &[ShownColumn::text(ENTRANT_TITLE, 0, |row| {
            printable(&row.entrant)
        })],
    },
    Column::new(
        &["seeds"],
        "the seeds of the database: what follows is about positions with at most so many seeds on \
         the board",
        |row, cells| cells.number(Some(row.seeds)),
    ),
    Column {
        names: &["games", "moves"],
        about: "its games that came to such a position and were not over there, and its moves in \
                such positions",
        fill: |row, cells| {
            cells.number(Some(row.counts.games));
            cells.number(Some(row.counts.moves));
        },
        shown: &[ShownColumn::number("moves", 5, |row| {
            row.counts.moves.to_string()
        })],
    },
    Column {
        names: &["best_moves", "best_share"],
        about: "the moves that lost no seed, and their share; empty without moves",
        fill: |row, cells| {
            cells.number(Some(row.counts.best));
            cells.number(row.share_of_best().map(|it| format!("{it:.4}")));
        },
        shown: &[ShownColumn::number("best", 0, |row| {
            let share = row.share_of_best();
            share.map_or(String::new(), |it| format!("{:.1} %", 100.0 * it))
        })],
    },
    Column {
        names: &["seeds_lost", "mean_seeds_lost"],
        about: "the seeds that its moves lost against the best ones: all of them, and for a move; \
                the mean is empty without moves",
        fill: |row, cells| {
            cells.number(Some(row.counts.seeds_lost));
            cells.number(row.mean_seeds_lost().map(|it| format!("{it:.4}")));
        },
        shown: &[ShownColumn::number("seeds lost a move", 0, |row| {
            let mean = row.mean_seeds_lost();
            mean.map_or(String::new(), |it| format!("{it:.2}"))
        })],
    },
    Column {
        names: &["won_to_drawn", "won_to_lost", "drawn_to_lost"],
        about: "its moves that turned a won game into a drawn one, a won one into a lost one, a \
                drawn one into a lost one",
        fill: |row, cells| {
            let counts = row.counts.thrown.iter();
            counts.for_each(|count| cells.number(Some(count)));
        },
        shown: &[
            ShownColumn::number("won→drawn", 4, |row| positive(row.counts.thrown[0])),
            ShownColumn::number("won→lost", 3, |row| positive(row.counts.thrown[1])),
            ShownColumn::number("drawn→lost", 2, |row| positive(row.counts.thrown[2])),
        ],
    },
    Column {
        names: &[
            "worse_by_fault",
            "worse_by_resignation",
            "worse_by_adjudication",
            "worse_by_agreement",
        ],
        about: "its games that ended there by a fault, a resignation, at `max-plies` or because \
                both bots agreed, and worse for it than perfect play would have ended: no move is \
                to blame",
        fill: |row, cells| {
            let counts = row.counts.otherwise.iter();
            counts.for_each(|count| cells.number(Some(count)));
        },
        shown: &[ShownColumn::number("by no move", 1, |row: &AccuracyRow| {
            positive(row.counts.otherwise.iter().sum::<u64>())
        })
        .optional()],
    },
];

/// A game that came to a position with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndgameRow {
    pub(super) id: GameId,
    entrants: Arc<[String; 2]>,
    seeds: u8,
    first: SolvedPosition,
    ending: Arc<GameEnding>,
    stores: [u8; 2],
    result: GameResult,
    /// By South and North.
    seeds_lost: [u64; 2],
}

impl EndgameRow {
    fn is_reversal(&self) -> bool {
        self.first.due(Side::South) != Due::got(self.result, Side::South)
    }
}

/// What South was due, as `games.csv` writes a result.
const fn result_text(due: Due) -> &'static str {
    match due {
        Due::Won => "1-0",
        Due::Drawn => "1/2-1/2",
        Due::Lost => "0-1",
    }
}

/// The columns of `endgames.csv`.
pub const ENDGAMES: &[Column<EndgameRow>] = &[
    Column::new(
        &["id", "south", "north"],
        "the game, as in `games.csv`, and its entrants",
        |row, cells| {
            cells.number(Some(&row.id));
            row.entrants.iter().for_each(|name| cells.text(name));
        },
    ),
    Column::new(&["seeds"], "the seeds of the database", |row, cells| {
        cells.number(Some(row.seeds));
    }),
    Column::new(
        &["ply", "position"],
        "the plies before the first position with at most so many seeds on the board, as `awale \
         replay --ply` counts them, and that position",
        |row, cells| {
            cells.number(Some(row.first.ply));
            cells.text(&row.first.position.to_string());
        },
    ),
    Column::new(
        &["due_difference", "due"],
        "by how many seeds South is ahead at the end if both play perfectly from there on, and \
         the result: `1-0`, `0-1` or `1/2-1/2`",
        |row, cells| {
            cells.number(Some(row.first.difference(Side::South)));
            cells.text(result_text(row.first.due(Side::South)));
        },
    ),
    Column::new(
        &["difference", "result", "ending"],
        "by how many seeds South was ahead at the end, the result, and why the game ended. Where a \
         majority ends a game the difference may be smaller than was due, and the result the same",
        |row, cells| {
            let [south, north] = row.stores.map(i16::from);
            cells.number(Some(south - north));
            cells.text(result_text(Due::got(row.result, Side::South)));
            cells.text(row.ending.name());
        },
    ),
    Column::new(
        &["seeds_lost_south", "seeds_lost_north"],
        "the seeds that the moves of each side lost from there on",
        |row, cells| {
            let lost = row.seeds_lost.iter();
            lost.for_each(|seeds| cells.number(Some(seeds)));
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::endgame::{EndgameValues, SolvedRules};
    use crate::record::sample::{game, names};
    use crate::record::{FaultKind, GameRecord, GameSummary, PlyRecord};
    use crate::report::TablesBuilder;
    use crate::rules::{EndReason, Game, Pit, Position, Preset, parse_moves};

    fn analyst() -> Analyst {
        let rules = Preset::Awale.rules();
        let values = EndgameValues::solve(SolvedRules::of(&rules).unwrap(), 6);
        Analyst::new(rules, values).unwrap()
    }

    fn played(start: &str, moves: &[Pit], record: GameRecord) -> GameRecord {
        let ply = |&pit| PlyRecord {
            pit,
            time_us: 1,
            cpu_us: None,
            preempted_us: 0,
            info: None,
        };
        GameRecord {
            start: start.parse().unwrap(),
            plies: moves.iter().map(ply).collect(),
            ..record
        }
    }

    fn csv(records: &[GameRecord]) -> [String; 2] {
        let names = names(&["ada", "bob"]);
        let builder = TablesBuilder::new(&names).unwrap();
        let mut builder = builder.analysed_by(&analyst());
        for record in records {
            builder.add(&GameSummary::of(record));
        }
        let tables = builder.finish().unwrap();
        let (mut accuracy, mut games) = (Vec::new(), Vec::new());
        tables.accuracy_csv(&mut accuracy).unwrap();
        tables.endgames_csv(&mut games).unwrap();
        [accuracy, games].map(|it| String::from_utf8(it).unwrap())
    }

    /// `analysis` proves the values: F keeps the draw, and A loses all four seeds' worth of it
    /// but what is counted here.
    const START: &str = "1-0-0-0-0-1-1-0-0-0-0-1-20-24-S";

    #[test]
    fn moves_faults_and_resignations_are_told_apart() {
        let two = ["ada", "bob"];
        let moves = |text| parse_moves(text).unwrap();
        let drawn = GameEnding::Rules(EndReason::NoMove);
        let records = [
            // Both play perfectly: a draw was due, and came.
            played(START, &moves("Ff"), game("1.1", two, [24, 24]).ended(drawn)),
            // South throws the draw away, and goes on to lose by a fault: the move is to blame.
            played(
                START,
                &moves("Aa"),
                game("2.1", two, [20, 28]).faulted(Side::South, FaultKind::Crash),
            ),
            // A draw was due, and South resigns or is late: no move is to blame.
            played(
                START,
                &moves("F"),
                game("3.1", two, [22, 26]).ended(GameEnding::Resignation(Side::South)),
            ),
            played(
                START,
                &moves(""),
                game("4.1", two, [20, 28]).faulted(Side::South, FaultKind::Timeout),
            ),
            // So does the limit of plies, with own row each: 20 + 2 against 24 + 2.
            played(
                START,
                &moves(""),
                game("5.1", two, [22, 26]).ended(GameEnding::Adjudicated),
            ),
            // So do both bots, who say that North wins.
            played(
                START,
                &moves(""),
                game("7.1", two, [20, 28]).ended(GameEnding::AgreedWin(Side::North)),
            ),
            // Never so few seeds: no row.
            played(
                "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
                &moves(""),
                game("6.1", two, [30, 18]),
            ),
        ];
        let [accuracy, games] = csv(&records);
        let mut reversed = records.to_vec();
        reversed.reverse();
        assert_eq!(csv(&reversed), [accuracy.clone(), games.clone()]);
        let rows: Vec<&str> = accuracy.lines().skip(1).collect();
        let south = rows
            .iter()
            .find(|row| row.starts_with("ada,south"))
            .unwrap();
        let lost: i64 = south.split(',').nth(7).unwrap().parse().unwrap();
        assert!(lost > 0);
        let mean = lost as f64 / 3.0;
        let expected = format!("ada,south,6,6,3,2,0.6667,{lost},{mean:.4},0,0,1,1,1,1,1");
        assert_eq!(**south, expected);
        let north = rows
            .iter()
            .find(|row| row.starts_with("bob,north"))
            .unwrap();
        assert_eq!(*north, "bob,north,6,6,2,2,1.0000,0,0.0000,0,0,0,0,0,0,0");
        assert!(rows.contains(&"bob,south,6,0,0,0,,0,,0,0,0,0,0,0,0"));
        let rows: Vec<&str> = games.lines().skip(1).collect();
        let expected = format!("1.1,ada,bob,6,0,{START},0,1/2-1/2,0,1/2-1/2,no-move,0,0");
        assert_eq!(
            rows[0].split_once('.').map(|it| it.1),
            expected.split_once('.').map(|it| it.1)
        );
        assert!(rows[1].ends_with(&format!("0,1/2-1/2,-8,0-1,crash,{lost},0")));
        assert_eq!(rows.len(), 6);
    }

    /// Perfect players from many positions: no seed is lost, and every result is what was due.
    #[test]
    fn perfect_players_lose_nothing() {
        let rules = Preset::Awale.rules();
        let values = EndgameValues::solve(SolvedRules::of(&rules).unwrap(), 6);
        let mut positions = Vec::new();
        crate::engine::endgame::for_each_position(6, |it| positions.push(it));
        let mut records = Vec::new();
        for (number, position) in (1..).zip(positions.iter().step_by(61)) {
            let start = Position::new(position.pits(), [21, 21], Side::South).unwrap();
            let mut board = Game::new(rules, start);
            while let Some(pit) = values.perfect_move(board.position()) {
                if board.play(pit).is_err() {
                    break;
                }
            }
            let Some(ending) = board.ending() else {
                continue;
            };
            let record = game(&format!("{number}.1"), ["ada", "bob"], ending.stores);
            let record = record.ended(GameEnding::Rules(ending.reason));
            records.push(played(&start.to_string(), board.moves(), record));
        }
        assert!(records.len() > 100);
        let [accuracy, games] = csv(&records);
        for row in accuracy
            .lines()
            .skip(1)
            .filter(|row| !row.contains(",0,0,0,,"))
        {
            assert!(row.ends_with(",1.0000,0,0.0000,0,0,0,0,0,0,0"), "{row}");
        }
        for row in games.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            assert_eq!(cells[7], cells[9], "{row}");
        }
    }
}
