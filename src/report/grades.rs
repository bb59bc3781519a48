//! `grades.csv`: a row for each entrant of a class that is graded.

use super::counted::{CountedGame, add_to_tally};
use super::crosstable::score;
use super::excluded::Status;
use super::standings::{Standings, StandingsRow};
use crate::record::{Grading, PointsItem};
use crate::report::table::{Column, CsvTable, fill};
use crate::rules::Side;
use crate::stats::game::RatedEntrant;
use crate::stats::head_to_head::{Pairing, Summary};
use crate::stats::tally::{Results, Tally};
use crate::text::printable;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The grades of one entrant.
#[derive(Clone, Debug, PartialEq)]
pub struct GradesRow {
    /// The entrant's row in the standings.
    pub standing: StandingsRow,
    /// For each yardstick, its score against it; `None` without games.
    pub against_yardsticks: Vec<Option<MeasuredScore>>,
    /// What it earned for each item of the configuration.
    pub earned: Vec<EarnedPoints>,
}

/// The columns of `grades.csv`. Those with `NAME` are there for each yardstick.
pub const GRADES: &[Column<GradesRow>] = &[
    Column::new(&["entrant"], "its name", |row, cells| {
        cells.text(row.entrant());
    }),
    Column::new(
        &["admitted"],
        "`yes`, `no`, or empty: it was not examined, or has not played yet",
        |row, cells| {
            cells.text(match row.is_admitted() {
                Some(true) => "yes",
                Some(false) => "no",
                None => "",
            });
        },
    ),
    Column::new(
        &["games", "planned_games"],
        "games that count, and games of the plan; fewer are played until the run is \
                finished, after a withdrawal, or if an opponent was not admitted",
        |row, cells| {
            cells.number(Some(row.standing.results.games()));
            cells.number(row.standing.planned_games);
        },
    ),
    Column::new(
        &["faults"],
        "games that it lost by a fault",
        |row, cells| cells.number(Some(row.standing.fault_count())),
    ),
    Column::new(
        &["score_NAME", "low_NAME", "high_NAME"],
        "for each yardstick, with `_` for `-`: its score in the games against it, from 0 to \
                1, as in `crosstable.csv`, and the 95 % interval of that score",
        |row, cells| {
            for measured in &row.against_yardsticks {
                let own = measured.map(|it| score(&it.results).unwrap_or_default());
                let (low, high) = measured.and_then(|it| it.interval).unzip();
                for number in [own, low, high] {
                    cells.number(number.map(|it| format!("{it:.4}")));
                }
            }
        },
    ),
    Column::new(
        &["rank", "rank_low", "rank_high"],
        "as in `standings.csv`, among all entrants",
        |row, cells| {
            cells.number(row.standing.rank);
            cells.number(row.standing.ranks.map(|it| it.low));
            cells.number(row.standing.ranks.map(|it| it.high));
        },
    ),
    Column::new(
        &["points", "most_points"],
        "the points that it earned, and all that can be earned; empty without `points` in \
                the configuration",
        |row, cells| {
            let (points, most) = row.points().unzip();
            cells.number(points.map(points_text));
            cells.number(most.map(points_text));
        },
    ),
    Column::new(
        &["points_for"],
        "each item of `points`, and what it earned",
        |row, cells| {
            let items: Vec<String> = row.earned.iter().map(EarnedPoints::text).collect();
            cells.text(&items.join("; "));
        },
    ),
    Column::new(&["reason"], "as in `standings.csv`", |row, cells| {
        cells.text(&row.standing.reason);
    }),
];

/// A score against one entrant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredScore {
    /// The games, as the graded entrant sees them.
    pub results: Results,
    /// The 95 % interval of the score, 0 to 1; `None` where it rests on one opening.
    pub interval: Option<(f64, f64)>,
}

/// What an entrant earned for one item.
#[derive(Clone, Debug, PartialEq)]
pub struct EarnedPoints {
    /// The item.
    pub item: PointsItem,
    /// The score that decided an item about one; `None` without games.
    pub score: Option<f64>,
    /// The points: all of the item's, or 0.
    pub points: f64,
}

/// The grades of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Grades {
    /// The names of the yardsticks.
    pub yardsticks: Vec<String>,
    /// The graded entrants, in the order of the plan.
    pub rows: Vec<GradesRow>,
}

/// Counts games against the entrants that others are measured by.
#[derive(Clone, Debug)]
pub struct GradesBuilder {
    grading: Grading,
    /// The games of each pairing in the plan.
    games_each: u64,
    /// Who others are measured by, with the name of each.
    measures: BTreeMap<RatedEntrant, String>,
    /// The games of an entrant (number 0) against one of those (number 1).
    tallies: BTreeMap<(RatedEntrant, RatedEntrant), Tally>,
}

impl GradesBuilder {
    /// A builder without games. A yardstick that is not an entrant measures no one.
    pub(super) fn new(grading: Grading, games_each: u64, names: &[String]) -> Self {
        let named = grading.points.iter().filter_map(|item| match item {
            PointsItem::Beats { beats, .. } => Some(beats),
            PointsItem::Check { .. } | PointsItem::Faults { .. } => None,
        });
        let named: Vec<&String> = named.chain(&grading.yardsticks).collect();
        let measures = (0..).zip(names).filter(|(_, name)| named.contains(name));
        Self {
            measures: measures
                .map(|(index, name)| (RatedEntrant(index), name.clone()))
                .collect(),
            grading,
            games_each,
            tallies: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, game: &CountedGame<'_>) {
        let summary = game.summary;
        let what = (summary.start, Some(summary.content));
        for side in Side::BOTH {
            let (graded, other) = (side.index(), side.opponent().index());
            if !self.measures.contains_key(&game.sides[other]) {
                continue;
            }
            let key = (game.sides[graded], game.sides[other]);
            let tally = self.tallies.entry(key).or_insert_with(|| Tally::new(2));
            let mut sides = [RatedEntrant(0); 2];
            sides[other] = RatedEntrant(1);
            add_to_tally(tally, &summary.id, sides, game.result, what);
        }
    }

    pub(super) fn finish(self, names: &[String], standings: &Standings) -> Grades {
        let standings = standings.rows().iter();
        let standings: BTreeMap<&str, &StandingsRow> =
            standings.map(|row| (row.entrant.as_str(), row)).collect();
        let graded = (0..).map(RatedEntrant).zip(names);
        let graded = graded.filter(|(_, name)| self.grading.grades(name));
        let rows = graded.map(|(entrant, name)| self.row(entrant, standings[name.as_str()]));
        Grades {
            rows: rows.collect(),
            yardsticks: self.grading.yardsticks,
        }
    }

    fn row(&self, entrant: RatedEntrant, standing: &StandingsRow) -> GradesRow {
        let against: BTreeMap<&str, MeasuredScore> = self
            .measures
            .iter()
            .filter_map(|(measure, name)| {
                let tally = self.tallies.get(&(entrant, *measure))?;
                Some((name.as_str(), measured(tally)?))
            })
            .collect();
        let items = self.grading.points.iter();
        GradesRow {
            against_yardsticks: self
                .grading
                .yardsticks
                .iter()
                .map(|name| against.get(name.as_str()).copied())
                .collect(),
            earned: items
                .map(|it| earned(it, standing, &against, self.games_each))
                .collect(),
            standing: standing.clone(),
        }
    }
}

/// The score of entrant 0 against entrant 1; `None` without games.
fn measured(tally: &Tally) -> Option<MeasuredScore> {
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

fn earned(
    item: &PointsItem,
    standing: &StandingsRow,
    against: &BTreeMap<&str, MeasuredScore>,
    games_each: u64,
) -> EarnedPoints {
    let mut decisive = None;
    let is_met = match item {
        PointsItem::Check { .. } => is_admitted(standing) == Some(true),
        PointsItem::Faults { faults, .. } => {
            standing.results.games() > 0 && standing.fault_count() <= u64::from(*faults)
        }
        PointsItem::Beats { beats, share, .. } => {
            decisive = against
                .get(beats.as_str())
                .and_then(|it| deciding_score(&it.results, standing, games_each));
            decisive.is_some_and(|score| score >= *share)
        }
    };
    EarnedPoints {
        item: item.clone(),
        score: decisive,
        points: if is_met { item.points() } else { 0.0 },
    }
}

/// The score that decides about points. Games that a withdrawn entrant would still have played
/// count as lost: leaving early earns no points.
fn deciding_score(results: &Results, standing: &StandingsRow, games_each: u64) -> Option<f64> {
    match standing.status {
        Status::Withdrawn(_) => {
            let games = games_each.max(results.games());
            (games > 0).then(|| results.points() / games as f64)
        }
        Status::Playing | Status::NotAdmitted => score(results),
    }
}

/// Whether an entrant was admitted; before its first game, this is not known.
fn is_admitted(standing: &StandingsRow) -> Option<bool> {
    match standing.status {
        Status::NotAdmitted => Some(false),
        Status::Playing | Status::Withdrawn(_) => (standing.results.games() > 0).then_some(true),
    }
}

impl EarnedPoints {
    /// The item and what it earned: `score of 0.6 against greedy (0.7250): 30 of 30`.
    pub fn text(&self) -> String {
        let condition = match &self.item {
            PointsItem::Check { .. } => "admitted".to_owned(),
            PointsItem::Faults { faults, .. } => format!("at most {faults} faults"),
            PointsItem::Beats { beats, share, .. } => {
                let score = self
                    .score
                    .map_or("no game".to_owned(), |it| format!("{it:.4}"));
                format!("score of {share} against {} ({score})", printable(beats))
            }
        };
        let [points, most] = [self.points, self.item.points()].map(points_text);
        format!("{condition}: {points} of {most}")
    }
}

impl GradesRow {
    /// The entrant's name.
    pub fn entrant(&self) -> &str {
        &self.standing.entrant
    }

    /// Its points, and the most that it could have; `None` if the configuration gives no points.
    pub fn points(&self) -> Option<(f64, f64)> {
        let sum = |points: fn(&EarnedPoints) -> f64| self.earned.iter().map(points).sum();
        (!self.earned.is_empty()).then(|| (sum(|it| it.points), sum(|it| it.item.points())))
    }

    /// Whether it was admitted; `None` if it was not examined or has not played yet.
    pub fn is_admitted(&self) -> Option<bool> {
        is_admitted(&self.standing)
    }
}

impl Grades {
    /// A sentence if a yardstick lost games by faults: then scores against it say little.
    pub(super) fn note(&self, standings: &Standings) -> Option<String> {
        let is_yardstick = |row: &&StandingsRow| self.yardsticks.contains(&row.entrant);
        let rows = standings.rows().iter().filter(is_yardstick);
        let faulty = rows.filter(|row| row.fault_count() > 0);
        let faulty: Vec<String> = faulty
            .map(|row| format!("{} ({})", printable(&row.entrant), row.faults_text()))
            .collect();
        (!faulty.is_empty()).then(|| {
            format!(
                "Yardsticks lost games by faults: {}. Scores and points against them say little.",
                faulty.join(", ")
            )
        })
    }

    pub(super) fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let names = GRADES.iter().flat_map(|column| {
            let is_each = column.names.iter().any(|name| name.contains("NAME"));
            let of_all = || column.names.iter().map(|&name| name.to_owned());
            let of = |yardstick: &String| {
                let yardstick = yardstick.replace('-', "_");
                of_all().map(move |name| name.replace("NAME", &yardstick))
            };
            if is_each {
                self.yardsticks.iter().flat_map(of).collect()
            } else {
                of_all().collect::<Vec<String>>()
            }
        });
        let mut csv = CsvTable::new(out, names)?;
        for row in &self.rows {
            csv.row(|cells| fill(GRADES, row, cells))?;
        }
        csv.finish()
    }
}

/// Points to at most four decimals: `30`, `2.5`.
pub fn points_text(points: f64) -> String {
    ((points * 1e4).round() / 1e4).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample::{game, names};
    use crate::record::{
        Exclusions, Fault, FaultKind, GameEnding, GameRecord, GameSummary, Withdrawal,
    };
    use crate::report::counted::{EntrantNames, empty_tally};
    use crate::report::{Tables, TablesBuilder};
    use crate::stats::elo::ELO_PER_LOGIT;

    fn graded<'a>(names: &'a [String], games: &[GameRecord], grading: &Grading) -> Tables<'a> {
        let mut builder = TablesBuilder::new(names).unwrap().graded(Some(grading), 20);
        for game in games {
            builder.add(&GameSummary::of(game));
        }
        builder.finish().unwrap()
    }

    /// Twenty games, no two alike, that ended with these stores of the entrant listed first.
    fn twenty(first: &str, second: &str, stores: impl Fn(usize) -> u8) -> Vec<GameRecord> {
        let moves = ["A", "B", "C", "D", "E", "F", "Aa", "Ab", "Ac", "Ad"];
        let of_pair = |pair: usize| {
            let moves = moves[pair];
            [1, 2].map(|number| {
                let own = stores(2 * pair + number - 1);
                let id = format!("{first}~{second}.{}.{number}", pair + 1);
                let (sides, stores) = match number {
                    1 => ([first, second], [own, 48 - own]),
                    _ => ([second, first], [48 - own, own]),
                };
                // Each pair has an opening of its own.
                let start = format!("{pair}-4-4-4-4-4-4-4-4-4-1-1-{}-0-S", 10 - pair);
                GameRecord {
                    start: start.parse().unwrap(),
                    ..game(&id, sides, stores).with_plies(moves, &vec![1; moves.len()])
                }
            })
        };
        (0..10).flat_map(of_pair).collect()
    }

    #[test]
    fn twenty_draws_are_half_of_the_points_and_leave_61_elo_of_doubt() {
        let names = names(&["greedy", "ada", "ben"]);
        let mut games = twenty("greedy", "ada", |_| 24);
        let all_won = twenty("greedy", "ben", |index| if index == 0 { 20 } else { 30 });
        games.extend(all_won);
        games[20] = games[20].clone().faulted(Side::North, FaultKind::Timeout);
        let grading = Grading {
            yardsticks: vec!["greedy".to_owned()],
            points: vec![
                PointsItem::Check { check: 20.0 },
                PointsItem::Faults {
                    faults: 0,
                    points: 7.5,
                },
                PointsItem::Beats {
                    beats: "greedy".to_owned(),
                    share: 0.5,
                    points: 30.0,
                },
            ],
        };
        let tables = graded(&names, &games, &grading);
        let rows = &tables.grades().unwrap().rows;
        let [ada, ben] = &rows[..] else {
            panic!("{rows:?}")
        };
        assert_eq!((ada.entrant(), ada.points()), ("ada", Some((57.5, 57.5))));
        assert_eq!((ben.entrant(), ben.points()), ("ben", Some((20.0, 57.5))));
        let measured = ada.against_yardsticks[0].unwrap();
        assert_eq!(measured.results.draws, 20);
        // Ten level pairs: the likelihood ratio falls by 1.92 where a share w of pairs is won with
        // both games, and 10 ln(1 − w) = −1.92.
        let won = 1.0 - (-1.9207_f64 / 10.0).exp();
        let (low, high) = measured.interval.expect("ten openings");
        assert!((high - (0.5 + won / 2.0)).abs() < 1e-4, "{measured:?}");
        assert!((low - (0.5 - won / 2.0)).abs() < 1e-4, "{measured:?}");
        let elo = ELO_PER_LOGIT * (high / low).ln();
        assert!((elo - 61.4).abs() < 0.1, "{elo}");
        let mut csv = Vec::new();
        tables.grades_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(
            lines[0],
            "entrant,admitted,games,planned_games,faults,score_greedy,low_greedy,high_greedy,rank,\
             rank_low,rank_high,points,most_points,points_for,reason"
        );
        assert!(
            lines[1].starts_with("ada,yes,20,,0,0.5000,0.4126,0.5874,"),
            "{csv}"
        );
        let end = "57.5,57.5,admitted: 20 of 20; at most 0 faults: 7.5 of 7.5; score of 0.5 \
                   against greedy (0.5000): 30 of 30,";
        assert!(lines[1].ends_with(end), "{csv}");
        assert!(
            lines[2].starts_with("ben,yes,20,,1,0.0000,0.0000,"),
            "{csv}"
        );
    }

    #[test]
    fn nobody_earns_points_by_leaving_early() {
        let names = names(&["greedy", "ada"]);
        let mut games = twenty("greedy", "ada", |_| 10);
        games.truncate(2);
        let grading = Grading {
            yardsticks: vec!["greedy".to_owned()],
            points: vec![PointsItem::Beats {
                beats: "greedy".to_owned(),
                share: 0.5,
                points: 10.0,
            }],
        };
        let points = |withdrawn: bool| {
            let withdrawn = withdrawn.then(|| Withdrawal {
                entrant: "ada".to_owned(),
                after: games[1].id.clone(),
                faults: 10,
                games: 16,
            });
            let exclusions = Exclusions {
                withdrawn: withdrawn.into_iter().collect(),
                ..Exclusions::default()
            };
            let builder = TablesBuilder::new(&names).unwrap().excluding(exclusions);
            let mut builder = builder.graded(Some(&grading), 20);
            for game in &games {
                builder.add(&GameSummary::of(game));
            }
            let tables = builder.finish().unwrap();
            let row = &tables.grades().unwrap().rows[0];
            (row.points().unwrap().0, row.earned[0].score)
        };
        assert_eq!(points(false), (10.0, Some(1.0)));
        // Two wins of twenty games.
        assert_eq!(points(true), (0.0, Some(0.1)));
    }

    #[test]
    fn who_did_not_play_earns_nothing_by_playing() {
        let names = names(&["greedy", "ada"]);
        let item = |faults| PointsItem::Faults {
            faults,
            points: 10.0,
        };
        let grading = Grading {
            yardsticks: vec!["greedy".to_owned()],
            points: vec![item(0), item(9)],
        };
        let tables = graded(&names, &[], &grading);
        let row = &tables.grades().unwrap().rows[0];
        assert_eq!(row.points(), Some((0.0, 20.0)));
        assert_eq!(row.against_yardsticks, [None]);
    }

    /// Against the slow way: the score in a tally of all games of all entrants.
    #[test]
    fn scores_are_those_of_the_whole_tally() {
        let names = names(&["greedy", "ada", "ben", "random"]);
        let grading = Grading {
            yardsticks: vec!["greedy".to_owned(), "random".to_owned()],
            points: Vec::new(),
        };
        let mut games = Vec::new();
        let pairings = [
            ("greedy", "ada"),
            ("greedy", "ben"),
            ("ada", "ben"),
            ("ada", "random"),
            ("ben", "random"),
        ];
        for (salt, (first, second)) in (1..).zip(pairings) {
            let stores = |index: usize| [10, 24, 30, 24, 40][(index * salt + index / 3) % 5];
            games.extend(twenty(first, second, stores));
        }
        let fault = Fault::new(FaultKind::Crash, "");
        games[7] = games[7]
            .clone()
            .ended(GameEnding::Fault(Side::South, fault));
        let tables = graded(&names, &games, &grading);
        let entrants = EntrantNames::new(&names).unwrap();
        let mut tally = empty_tally(&names);
        for game in &games {
            let summary = GameSummary::of(game);
            let sides = entrants.sides(&summary.id, &summary.entrants).unwrap();
            let what = (summary.start, Some(summary.content));
            let result = summary.result().unwrap();
            add_to_tally(&mut tally, &summary.id, sides, result, what);
        }
        for row in &tables.grades().unwrap().rows {
            let number = |name: &str| {
                let place = names.iter().position(|it| it == name).unwrap();
                RatedEntrant(u32::try_from(place).unwrap())
            };
            let own = number(row.entrant());
            for (yardstick, measured) in ["greedy", "random"].iter().zip(&row.against_yardsticks) {
                let other = number(yardstick);
                let summary = Summary::of(&Pairing::of_tally(&tally, own, other)).unwrap();
                let measured = measured.unwrap();
                let results = measured.results;
                let games = [results.losses, results.draws, results.wins];
                assert_eq!(games, summary.games.0);
                assert_eq!(measured.interval, summary.score95);
                assert!(measured.interval.is_some());
            }
        }
    }
}
