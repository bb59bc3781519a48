//! `hosts.csv`: a row for each host on which games were played: how late it was, and whether
//! results there fit the ratings.

use super::counted::{CountedGame, add_to_tally, empty_tally};
use super::noise::Lateness;
use super::table::Column;
use super::text::hundredths;
use crate::record::{GameId, GameSummary};
use crate::stats::part_fit::PartFit;
use crate::stats::ratings::Ratings;
use crate::stats::tally::Tally;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The games of each host, that of the run first; others are ordered by their names.
#[derive(Clone, Debug)]
pub struct HostGames {
    empty: Tally,
    hosts: BTreeMap<Option<Arc<str>>, HostCounts>,
}

#[derive(Clone, Debug)]
struct HostCounts {
    tally: Tally,
    /// Void attempts; a repeated record counts once.
    voids: BTreeSet<(GameId, u32)>,
    late: Lateness,
}

impl HostGames {
    /// No games of these entrants.
    pub fn new(names: &[String]) -> Self {
        Self {
            empty: empty_tally(names),
            hosts: BTreeMap::new(),
        }
    }

    fn of(&mut self, game: &GameSummary) -> &mut HostCounts {
        let counts = || HostCounts {
            tally: self.empty.clone(),
            voids: BTreeSet::new(),
            late: Lateness::default(),
        };
        self.hosts.entry(game.host.clone()).or_insert_with(counts)
    }

    /// Counts an attempt if it is void.
    pub fn note_void(&mut self, game: &GameSummary) {
        if !game.is_void() {
            return;
        }
        let host = self.of(game);
        if host.voids.insert((game.id.clone(), game.attempt)) {
            host.late.add(game.lateness_us);
        }
    }

    /// Counts a game with a result.
    pub fn add(&mut self, game: &CountedGame<'_>) {
        let summary = game.summary;
        let host = self.of(summary);
        let what = (summary.start, Some(summary.content));
        add_to_tally(&mut host.tally, &summary.id, game.sides, game.result, what);
        host.late.add(summary.lateness_us);
    }

    /// The rows, by the ratings of all these games.
    pub fn rows(self, names: &[String], ratings: &Ratings) -> Vec<HostRow> {
        let tallies: Vec<&Tally> = self.hosts.values().map(|host| &host.tally).collect();
        let fits = ratings.part_fits(&tallies).into_iter();
        let rows = self
            .hosts
            .iter()
            .zip(fits)
            .map(|((host, counts), fit)| HostRow {
                host: host.as_deref().unwrap_or_default().to_owned(),
                games: counts.tally.games(),
                voids: counts.voids.len(),
                median_late_us: counts.late.percentile_us(50),
                max_late_us: counts.late.percentile_us(100),
                fit: fit.map(|fit| (names[fit.entrant.position()].clone(), fit)),
            });
        rows.collect()
    }
}

/// The games of one host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostRow {
    /// Its name; empty for the machine of the run. Hostile text.
    host: String,
    games: u64,
    voids: usize,
    median_late_us: Option<u64>,
    max_late_us: Option<u64>,
    /// The entrant whose results there chance explains least.
    fit: Option<(String, PartFit)>,
}

/// The columns of `hosts.csv`.
pub const HOSTS: &[Column<HostRow>] = &[
    Column::new(
        &["host"],
        "the name that the host gave itself; empty for the machine of the run",
        |row, cells| cells.text(&row.host),
    ),
    Column::new(
        &["games", "voids"],
        "games with a result that count, and void attempts",
        |row, cells| {
            cells.number(Some(row.games));
            cells.number(Some(row.voids));
        },
    ),
    Column::new(
        &["median_late_time_us", "max_late_time_us"],
        "of the largest delays of the host in each of these: the median and the largest, µs; empty \
         if none is known",
        |row, cells| {
            cells.number(row.median_late_us);
            cells.number(row.max_late_us);
        },
    ),
    Column::new(
        &["entrant", "z"],
        "the entrant whose results there chance explains least, and by how many standard errors \
         its points are above those that the ratings predict; empty where no entrant has eight \
         openings, or all its games",
        |row, cells| {
            cells.text(row.fit.as_ref().map_or("", |(name, _)| name));
            cells.number(row.fit.as_ref().map(|(_, fit)| hundredths(fit.z)));
        },
    ),
    Column::new(
        &["beyond_chance"],
        "`yes` if chance makes one such residual in less than 1 % of runs, over all entrants and \
         hosts; else `no`",
        |row, cells| {
            cells.text(match &row.fit {
                None => "",
                Some((_, fit)) if fit.is_remarkable => "yes",
                Some(_) => "no",
            });
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample::{game, names};
    use crate::record::{GameEnding, GameRecord, PlayedAt, Void};
    use crate::report::{Tables, TablesBuilder};

    fn at(host: &str, record: GameRecord) -> GameRecord {
        GameRecord {
            at: Some(PlayedAt {
                host: host.to_owned(),
                ..PlayedAt::default()
            }),
            ..record
        }
    }

    fn csv(entrants: &[&str], records: &[GameRecord]) -> String {
        let names = names(entrants);
        let mut builder = TablesBuilder::new(&names).expect("names").by_host();
        for record in records {
            builder.add(&GameSummary::of(record));
        }
        let tables: Tables<'_> = builder.finish().expect("games of these entrants");
        let mut out = Vec::new();
        tables.hosts_csv(&mut out).expect("memory");
        String::from_utf8(out).expect("text")
    }

    const HEADER: &str = "host,games,voids,median_late_time_us,max_late_time_us,entrant,z,\
                          beyond_chance\n";

    #[test]
    fn games_voids_and_delays_are_counted_by_host() {
        let two = ["ada", "bob"];
        let won = |id: &str, late_us| game(id, two, [30, 18]).with_lateness(late_us);
        let void = at("b", won("2.1", 9_000)).ended(GameEnding::Void(Void::new("late")));
        let records = [
            at("=b\u{1b}", game("4.1", two, [18, 30])),
            void.clone(),
            at("b", won("2.1", 7)),
            at("b", won("1.1", 3)),
            // Copies count once; so does a host without a name.
            void,
            at("b", won("1.1", 3)),
            at("", won("3.1", 5)),
            won("3.2", 1),
        ];
        let expected = format!("{HEADER},2,0,1,5,,,\n'=b\u{1b},1,0,,,,,\nb,2,1,7,9000,,,\n");
        assert_eq!(csv(&two, &records), expected);
        let mut reversed = records.to_vec();
        reversed.reverse();
        assert_eq!(csv(&two, &reversed), expected);
        assert_eq!(csv(&two, &[]), HEADER);
    }

    /// The pairs of `stats::part_fit`: won by ada, decided by the opening, won by bob.
    #[test]
    fn a_host_that_costs_points_is_marked() {
        let hosts = [("a", [4, 4, 2]), ("b", [5, 3, 2]), ("c", [0, 2, 8])];
        let mut records = Vec::new();
        for (host, pairs) in hosts {
            for (kind, count) in pairs.into_iter().enumerate() {
                for _ in 0..count {
                    let number = records.len() / 2 + 1;
                    let start = format!(
                        "{}-{}-{}-{}-4-4-4-4-4-4-4-4-0-0-S",
                        number % 9,
                        8 - number % 9,
                        number / 9,
                        8 - number / 9
                    );
                    let south_wins = [kind < 2, kind > 0];
                    let two = [["ada", "bob"], ["bob", "ada"]];
                    for (place, (two, wins)) in two.into_iter().zip(south_wins).enumerate() {
                        let stores = if wins { [30, 18] } else { [18, 30] };
                        let record = game(&format!("{number}.{}", place + 1), two, stores);
                        let start = start.parse().expect("a position");
                        records.push(at(host, GameRecord { start, ..record }));
                    }
                }
            }
        }
        let expected = "a,20,0,,,ada,1.65,no\nb,20,0,,,ada,2.21,no\nc,20,0,,,ada,-4.21,yes\n";
        assert_eq!(
            csv(&["ada", "bob"], &records),
            format!("{HEADER}{expected}")
        );
    }
}
