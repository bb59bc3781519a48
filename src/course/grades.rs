//! `grades.csv`: a row for each entrant of a class that is graded, with what it earned and why.
//!
//! A score has an interval: with other openings it would have been another one. An item with a
//! threshold inside of the interval was decided by luck, which the row says.

use super::decision::decision;
use crate::record::{OlderVersion, Person, PointsItem, RosterStatus};
use crate::report::{
    Column, CsvTable, MeasuredScore, Standings, StandingsRow, Status, Tables, fill, score,
};
use crate::stats::rating::BoundDirection;
use crate::stats::tally::Results;
use crate::text::{counted, printable, some_names};
use crate::tournament::{Plan, RunDocument};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The grades of one entrant.
#[derive(Clone, Debug, PartialEq)]
pub struct GradesRow {
    /// The entrant's row in the standings.
    pub standing: StandingsRow,
    /// What the roster says of its author.
    pub person: Person,
    /// Which program plays, if it is not the last one.
    pub older: Option<OlderVersion>,
    /// For each yardstick, its score against it; `None` without games.
    pub against_yardsticks: Vec<Option<MeasuredScore>>,
    /// Between which yardsticks its Elo is, in words; empty if that is not known.
    pub placement: String,
    /// What it earned for each item of the configuration.
    pub earned: Vec<EarnedPoints>,
}

/// The columns of `grades.csv`. Those with `NAME` are there for each yardstick.
pub const GRADES: &[Column<GradesRow>] = &[
    Column::new(&["entrant"], "its name", |row, cells| {
        cells.text(row.entrant());
    }),
    Column::new(
        &["name", "folder", "status", "late"],
        "of the [roster](#rostercsv): the author's name, the folder in `submissions`, `withdrawn` \
                or `excused`, and `yes` for a program that came after the deadline",
        |row, cells| {
            cells.text(&row.person.name);
            cells.text(&row.person.folder);
            cells.text(match row.person.status {
                RosterStatus::Active => "",
                RosterStatus::Withdrawn => "withdrawn",
                RosterStatus::Excused => "excused",
            });
            cells.text(if row.person.late { "yes" } else { "" });
        },
    ),
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
        &["version"],
        "which of the author's programs plays, and why, if it is not the last one",
        |row, cells| {
            cells.text(&row.older.as_ref().map_or(String::new(), OlderVersion::text));
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
        &["placement"],
        "between which yardsticks its Elo is, as in `between greedy and minimax-2`",
        |row, cells| cells.text(&row.placement),
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
                the configuration, and for authors who are excused",
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
    Column::new(
        &["undecided"],
        "the items of `points` whose threshold is inside the interval of the score: luck has \
                decided them",
        |row, cells| {
            let items: Vec<String> = row.undecided().map(EarnedPoints::condition).collect();
            cells.text(&items.join("; "));
        },
    ),
    Column::new(&["reason"], "as in `standings.csv`", |row, cells| {
        cells.text(&row.standing.reason);
    }),
];

/// What an entrant earned for one item.
#[derive(Clone, Debug, PartialEq)]
pub struct EarnedPoints {
    /// The item.
    pub item: PointsItem,
    /// The score that decided an item about one; `None` without games.
    pub score: Option<f64>,
    /// The points, from 0 to those of the item.
    pub points: f64,
    /// Whether the threshold of the item is inside the interval of the score.
    pub is_undecided: bool,
}

/// The grades of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Grades {
    /// The names of the yardsticks.
    pub yardsticks: Vec<String>,
    /// The graded entrants, in the order of the plan.
    pub rows: Vec<GradesRow>,
}

impl Grades {
    /// The grades of a run with these tables; `None` if its entrants are not graded.
    pub fn of(run: &RunDocument, tables: &Tables<'_>) -> Option<Self> {
        let grading = run.settings.grading.as_ref()?;
        let standings = tables.standings().rows().iter();
        let standings: BTreeMap<&str, &StandingsRow> =
            standings.map(|row| (row.entrant.as_str(), row)).collect();
        let yardsticks = run.plan.yardsticks();
        let placements = Placements::new(&yardsticks, tables);
        let names = run.plan.names().into_iter();
        let graded = names.filter(|name| !yardsticks.contains(name));
        let row = |standing: &StandingsRow, person: Person| {
            let name = &standing.entrant;
            let measured = |other: &String| tables.score_against(name, other);
            let items = grading.points.iter();
            let earned = items.map(|it| earn(it, standing, &person, run, tables));
            GradesRow {
                against_yardsticks: yardsticks.iter().map(measured).collect(),
                placement: placements.of(name),
                earned: match person.status {
                    RosterStatus::Excused => Vec::new(),
                    RosterStatus::Active | RosterStatus::Withdrawn => earned.collect(),
                },
                standing: standing.clone(),
                person,
                older: grading.older.get(name).cloned(),
            }
        };
        let playing = graded.map(|name| {
            let person = grading.people.get(&name).cloned();
            row(standings[name.as_str()], person.unwrap_or_default())
        });
        let absent = grading.absent.iter().map(|(name, person)| {
            let standing = StandingsRow {
                entrant: name.clone(),
                status: Status::NotAdmitted,
                reason: "nothing was handed in".to_owned(),
                ..StandingsRow::default()
            };
            row(&standing, person.clone())
        });
        Some(Self {
            rows: playing.chain(absent).collect(),
            yardsticks,
        })
    }

    /// Sentences for the organiser: who was graded by luck, and whether a yardstick lost games by
    /// faults, so that scores against it say little.
    pub fn notes(&self, standings: &Standings) -> Vec<String> {
        let undecided = self
            .rows
            .iter()
            .filter(|it| it.undecided().next().is_some());
        let undecided: Vec<&str> = undecided.map(GradesRow::entrant).collect();
        let luck = (!undecided.is_empty()).then(|| {
            let decision = decision(self).map_or_else(String::new, |it| {
                let pairs = counted(it.more_pairs as usize, "pair", "pairs");
                let time = it.about(1);
                format!(
                    " `awale run CONFIG --decide` plays {pairs} that decide, {time} on one slot."
                )
            });
            format!(
                "Luck decides the points of {}: {}. In grades.csv, `undecided` has the \
                 items.{decision}",
                counted(undecided.len(), "entrant", "entrants"),
                some_names(&undecided)
            )
        });
        let older = self.rows.iter().filter_map(|row| {
            let older = row.older.as_ref()?;
            Some(format!("{}: {}.", printable(row.entrant()), older.text()))
        });
        let is_yardstick = |row: &&StandingsRow| self.yardsticks.contains(&row.entrant);
        let rows = standings.rows().iter().filter(is_yardstick);
        let faulty = rows.filter(|row| row.fault_count() > 0);
        let faulty: Vec<String> = faulty
            .map(|row| format!("{} ({})", printable(&row.entrant), row.faults_text()))
            .collect();
        let faulty = (!faulty.is_empty()).then(|| {
            format!(
                "Yardsticks lost games by faults: {}. Scores and points against them say little.",
                faulty.join(", ")
            )
        });
        older.chain(luck).chain(faulty).collect()
    }

    /// Writes `grades.csv`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
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

/// What an entrant earns for an item.
fn earn(
    item: &PointsItem,
    standing: &StandingsRow,
    person: &Person,
    run: &RunDocument,
    tables: &Tables<'_>,
) -> EarnedPoints {
    let all_or_nothing = |is_met: bool| if is_met { item.points() } else { 0.0 };
    let mut earned = EarnedPoints {
        item: item.clone(),
        score: None,
        points: 0.0,
        is_undecided: false,
    };
    let beats = match item {
        PointsItem::Check { .. } => {
            earned.points = all_or_nothing(is_admitted(standing) == Some(true));
            return earned;
        }
        PointsItem::Late { .. } => {
            earned.points = all_or_nothing(person.late);
            return earned;
        }
        PointsItem::Faults { faults, .. } => {
            let has_played = standing.results.games() > 0;
            let is_met = has_played && standing.fault_count() <= u64::from(*faults);
            earned.points = all_or_nothing(is_met);
            return earned;
        }
        PointsItem::Beats { beats, .. } | PointsItem::Slope { beats, .. } => beats,
    };
    let Some(measured) = tables.score_against(&standing.entrant, beats) else {
        return earned;
    };
    let games_each = 2 * u64::from(pairs_between(&run.plan, &standing.entrant, beats));
    let Some(score) = deciding_score(&measured.results, standing, games_each) else {
        return earned;
    };
    earned.score = Some(score);
    match item {
        PointsItem::Slope { from, to, .. } => {
            earned.points = item.points() * ((score - from) / (to - from)).clamp(0.0, 1.0);
        }
        PointsItem::Beats { share, .. } => {
            earned.points = all_or_nothing(score >= *share);
            let is_inside = |(low, high)| low < *share && *share <= high;
            // After a withdrawal no further game can change it.
            let is_open = standing.status == Status::Playing;
            earned.is_undecided = is_open && measured.interval.is_none_or(is_inside);
        }
        PointsItem::Check { .. } | PointsItem::Faults { .. } | PointsItem::Late { .. } => {}
    }
    earned
}

/// The number of pairs of two entrants in a plan.
fn pairs_between(plan: &Plan, one: &str, other: &str) -> u32 {
    let pairs = plan.entrant(one).zip(plan.entrant(other));
    let pairs = pairs.and_then(|(one, other)| {
        let pairing = [one.min(other), one.max(other)];
        plan.pairings().get(&pairing).copied()
    });
    pairs.unwrap_or_default()
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

/// How an entrant compares with a yardstick, as far as the games tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Below,
    Level,
    Above,
}

/// Places entrants between the yardsticks.
struct Placements<'a> {
    /// The yardsticks, by their Elo, the weakest first.
    yardsticks: Vec<&'a str>,
    comparisons: BTreeMap<(String, String), Comparison>,
}

impl<'a> Placements<'a> {
    fn new(yardsticks: &'a [String], tables: &Tables<'_>) -> Self {
        let rows = tables.standings().rows().iter().rev();
        let ordered = rows.filter_map(|row| yardsticks.iter().find(|it| **it == row.entrant));
        let ordered: Vec<&str> = ordered.map(String::as_str).collect();
        let rows = tables.superiority();
        let rows = rows.filter(|row| ordered.contains(&row.opponent.as_str()));
        let compared = rows.filter_map(|row| {
            let difference = row.difference?;
            let comparison = match (row.bound, row.error95) {
                (Some(BoundDirection::AtLeast), _) => Comparison::Above,
                (Some(BoundDirection::AtMost), _) => Comparison::Below,
                (None, Some(error)) if difference > error => Comparison::Above,
                (None, Some(error)) if difference < -error => Comparison::Below,
                (None, _) => Comparison::Level,
            };
            Some(((row.entrant, row.opponent), comparison))
        });
        Self {
            comparisons: compared.collect(),
            yardsticks: ordered,
        }
    }

    /// The sentence for an entrant; empty where no game compares it with the yardsticks.
    fn of(&self, entrant: &str) -> String {
        let compared = self.yardsticks.iter().filter_map(|&yardstick| {
            let key = (entrant.to_owned(), yardstick.to_owned());
            Some((yardstick, *self.comparisons.get(&key)?))
        });
        let compared: Vec<(&str, Comparison)> = compared.collect();
        let of = |wanted: Comparison| {
            let found = compared.iter().filter(move |(_, it)| *it == wanted);
            found.map(|(yardstick, _)| *yardstick)
        };
        let level: Vec<&str> = of(Comparison::Level).collect();
        match (
            of(Comparison::Above).next_back(),
            of(Comparison::Below).next(),
        ) {
            _ if !level.is_empty() => format!("about as strong as {}", level.join(" and ")),
            (Some(weaker), Some(stronger)) => format!("between {weaker} and {stronger}"),
            (Some(weaker), None) => format!("stronger than {weaker}"),
            (None, Some(stronger)) => format!("weaker than {stronger}"),
            (None, None) => String::new(),
        }
    }
}

impl EarnedPoints {
    /// The condition of the item: `score of 0.6 against greedy`.
    pub fn condition(&self) -> String {
        match &self.item {
            PointsItem::Check { .. } => "admitted".to_owned(),
            PointsItem::Late { .. } => "after the deadline".to_owned(),
            PointsItem::Faults { faults, .. } => format!("at most {faults} faults"),
            PointsItem::Beats { beats, share, .. } => {
                format!("score of {share} against {}", printable(beats))
            }
            PointsItem::Slope {
                beats, from, to, ..
            } => format!("score of {from} to {to} against {}", printable(beats)),
        }
    }

    /// The item and what it earned: `score of 0.6 against greedy (0.7250): 30 of 30`.
    pub fn text(&self) -> String {
        let score = match (&self.item, self.score) {
            (PointsItem::Late { .. }, _) => {
                return format!("{}: {}", self.condition(), points_text(self.points));
            }
            (PointsItem::Check { .. } | PointsItem::Faults { .. }, _) => String::new(),
            (_, Some(score)) => format!(" ({score:.4})"),
            (_, None) => " (no game)".to_owned(),
        };
        let [points, most] = [self.points, self.item.points()].map(points_text);
        format!("{}{score}: {points} of {most}", self.condition())
    }
}

impl EarnedPoints {
    /// The part of the item's points that was earned, from 0 to 1.
    pub fn share(&self) -> f64 {
        let most = self.item.points();
        if most > 0.0 { self.points / most } else { 1.0 }
    }

    /// What would earn the points that are missing: `a score of 0.7 earns 15 more`.
    pub fn missing(&self) -> Option<String> {
        let more = self.item.points().max(0.0) - self.points;
        if more < 0.005 {
            return None;
        }
        let more = points_text(more);
        Some(match &self.item {
            PointsItem::Check { .. } => format!("a program that is admitted earns {more}"),
            PointsItem::Late { .. } => format!("in time it would have {more} more"),
            PointsItem::Faults { faults: 0, .. } => {
                format!("a program that loses no game by a fault earns {more}")
            }
            PointsItem::Faults { faults, .. } => {
                format!("at most {faults} games lost by faults earn {more}")
            }
            PointsItem::Beats { share, .. } => format!("a score of {share} earns {more}"),
            PointsItem::Slope { to, .. } => format!("a score of {to} earns {more} more"),
        })
    }
}

impl GradesRow {
    /// The entrant's name.
    pub fn entrant(&self) -> &str {
        &self.standing.entrant
    }

    /// Its points, and the most that it could have; `None` if the configuration gives no points.
    pub fn points(&self) -> Option<(f64, f64)> {
        let sum = |points: fn(&EarnedPoints) -> f64| self.earned.iter().map(points).sum::<f64>();
        // Points that are taken away leave none at the least, and cannot be earned.
        let points = || sum(|it| it.points).max(0.0);
        (!self.earned.is_empty()).then(|| (points(), sum(|it| it.item.points().max(0.0))))
    }

    /// Whether it was admitted; `None` if it was not examined or has not played yet.
    pub fn is_admitted(&self) -> Option<bool> {
        is_admitted(&self.standing)
    }

    /// The items that luck has decided.
    pub fn undecided(&self) -> impl Iterator<Item = &EarnedPoints> {
        self.earned.iter().filter(|it| it.is_undecided)
    }
}

/// Points to at most two decimals: `30`, `2.5`.
pub fn points_text(points: f64) -> String {
    ((points * 100.0).round() / 100.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample::game;
    use crate::record::{Exclusions, FaultKind, GameRecord, GameSummary, Grading, Withdrawal};
    use crate::report::TablesBuilder;
    use crate::rules::Side;
    use crate::stats::elo::ELO_PER_LOGIT;
    use crate::tournament::{RunSettings, Secret};

    /// A class of these entrants with ten pairs each.
    fn class(names: &[&str], points: Vec<PointsItem>) -> RunDocument {
        let mut plan = Plan::round_robin(names.iter().copied(), 10, Secret::from_bytes([1; 32]));
        for entrant in &mut plan.entrants {
            entrant.yardstick = ["greedy", "random"].contains(&entrant.name.as_str());
        }
        let settings = RunSettings {
            grading: Some(Grading {
                points,
                ..Grading::default()
            }),
            ..RunSettings::default()
        };
        RunDocument::new(plan, settings)
    }

    /// The grades of a class that has played these games.
    fn graded(run: &RunDocument, games: &[GameRecord], exclusions: Exclusions) -> Grades {
        let names = run.plan.names();
        let measures = names.iter().cloned().collect();
        let builder = TablesBuilder::new(&names).unwrap().measured_by(&measures);
        let mut builder = builder.excluding(exclusions);
        for game in games {
            builder.add(&GameSummary::of(game));
        }
        Grades::of(run, &builder.finish().unwrap()).unwrap()
    }

    fn beats(share: f64, points: f64) -> PointsItem {
        PointsItem::Beats {
            beats: "greedy".to_owned(),
            share,
            points,
        }
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
                let salt = (first.len() + 2 * second.len()) % 7;
                let rest = format!("{salt}-{}-0-{}", 6 - salt, 10 - pair);
                let start = format!("{pair}-4-4-4-4-4-4-4-4-{rest}-0-S");
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
        let mut games = twenty("greedy", "ada", |_| 24);
        let all_won = twenty("greedy", "ben", |index| if index == 0 { 20 } else { 30 });
        games.extend(all_won);
        games[20] = games[20].clone().faulted(Side::North, FaultKind::Timeout);
        let points = vec![
            PointsItem::Check { check: 20.0 },
            PointsItem::Faults {
                faults: 0,
                points: 7.5,
            },
            beats(0.5, 30.0),
        ];
        let run = class(&["greedy", "ada", "ben"], points);
        let grades = graded(&run, &games, Exclusions::default());
        let half = grades.rows[0].against_yardsticks[0].unwrap();
        let (low, high) = half.interval.unwrap();
        assert!((low + high - 1.0).abs() < 1e-12);
        let elo = ELO_PER_LOGIT * (high / low).ln();
        assert!((elo - 61.4).abs() < 0.1, "{elo}");
        let mut csv = Vec::new();
        grades.write_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(
            lines[0],
            "entrant,name,folder,status,late,admitted,version,games,planned_games,faults,score_greedy,low_greedy,\
             high_greedy,placement,rank,rank_low,rank_high,points,most_points,points_for,undecided,reason"
        );
        assert!(
            lines[1]
                .starts_with("ada,,,,,yes,,20,,0,0.5000,0.4126,0.5874,about as strong as greedy,"),
            "{csv}"
        );
        let end = "57.5,57.5,admitted: 20 of 20; at most 0 faults: 7.5 of 7.5; score of 0.5 \
                   against greedy (0.5000): 30 of 30,score of 0.5 against greedy,";
        assert!(lines[1].ends_with(end), "{csv}");
        assert!(
            lines[2].starts_with("ben,,,,,yes,,20,,1,0.0000,0.0000,"),
            "{csv}"
        );
    }

    /// Twenty draws are a score of 0.5 with the interval 0.4126 to 0.5874.
    #[test]
    fn points_rise_on_a_slope_and_luck_is_only_at_a_threshold() {
        let slope = |from, to| PointsItem::Slope {
            beats: "greedy".to_owned(),
            from,
            to,
            points: 30.0,
        };
        for (item, points, is_undecided) in [
            (slope(0.4, 0.8), 7.5, false),
            (slope(0.5, 0.8), 0.0, false),
            (slope(0.6, 0.8), 0.0, false),
            (slope(0.2, 0.5), 30.0, false),
            (slope(0.0, 1.0), 15.0, false),
            (beats(0.40, 30.0), 30.0, false),
            (beats(0.45, 30.0), 30.0, true),
            (beats(0.55, 30.0), 0.0, true),
            (beats(0.60, 30.0), 0.0, false),
        ] {
            let run = class(&["greedy", "ada"], vec![item.clone()]);
            let games = twenty("greedy", "ada", |_| 24);
            let grades = graded(&run, &games, Exclusions::default());
            let earned = &grades.rows[0].earned[0];
            assert!(
                (earned.points - points).abs() < 1e-9,
                "{item:?}: {earned:?}"
            );
            assert_eq!(earned.is_undecided, is_undecided, "{item:?}");
        }
    }

    #[test]
    fn an_entrant_is_placed_between_the_yardsticks_that_games_tell_apart() {
        let names = ["greedy", "random", "ada", "ben", "cy", "dan"];
        let run = class(&names, Vec::new());
        // The entrant listed first wins all games but every so many.
        let all_but_every =
            |step: usize| move |index: usize| if index.is_multiple_of(step) { 10 } else { 30 };
        let mut games = twenty("greedy", "random", all_but_every(9));
        games.extend(twenty("greedy", "ada", all_but_every(9)));
        games.extend(twenty("ada", "random", all_but_every(9)));
        games.extend(twenty("greedy", "ben", all_but_every(2)));
        games.extend(twenty("ben", "random", all_but_every(9)));
        games.extend(twenty("random", "cy", all_but_every(9)));
        let grades = graded(&run, &games, Exclusions::default());
        let placements = grades.rows.iter().map(|it| it.placement.as_str());
        assert_eq!(
            placements.collect::<Vec<_>>(),
            [
                "between random and greedy",
                "about as strong as greedy",
                "weaker than random",
                ""
            ]
        );
    }

    #[test]
    fn nobody_earns_points_by_leaving_early() {
        let mut games = twenty("greedy", "ada", |_| 10);
        games.truncate(2);
        let run = class(&["greedy", "ada"], vec![beats(0.5, 10.0)]);
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
            let row = &graded(&run, &games, exclusions).rows[0];
            (row.points().unwrap().0, row.earned[0].score)
        };
        assert_eq!(points(false), (10.0, Some(1.0)));
        // Two wins of twenty games.
        assert_eq!(points(true), (0.0, Some(0.1)));
    }

    #[test]
    fn who_did_not_play_earns_nothing_by_playing() {
        let item = |faults| PointsItem::Faults {
            faults,
            points: 10.0,
        };
        let run = class(&["greedy", "ada"], vec![item(0), item(9)]);
        let grades = graded(&run, &[], Exclusions::default());
        let row = &grades.rows[0];
        assert_eq!(row.points(), Some((0.0, 20.0)));
        assert_eq!(row.against_yardsticks, [None]);
    }
}
