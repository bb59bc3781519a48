//! Builds the tables from games, in any order.

use super::Tables;
use super::accuracy::EndgameCounts;
use super::counted::{GameCounter, RecordsError, add_to_tally, empty_tally};
use super::crosstable::Crosstable;
use super::hosts::HostGames;
use super::measures::Measures;
use super::openings::OpeningGames;
use super::rounds::RoundTables;
use super::standings::{EntrantCounts, Standings};
use crate::analysis::Analyst;
use crate::record::{Exclusions, GameRecord, GameSummary};
use crate::stats::game::RatedEntrant;
use crate::stats::head_to_head::Pairing;
use crate::stats::ratings::RatingModel;
use crate::stats::tally::Tally;
use std::collections::{BTreeMap, BTreeSet};

/// Builds the tables: takes records one by one, in any order, and keeps only enough of each game to
/// recognise a repetition.
#[derive(Clone, Debug)]
pub struct TablesBuilder<'a> {
    names: &'a [String],
    games: GameCounter<'a>,
    tally: Tally,
    counts: EntrantCounts,
    openings: OpeningGames,
    exclusions: Exclusions,
    model: RatingModel,
    measures: Measures,
    introductions: BTreeMap<String, String>,
    hosts: Option<HostGames>,
    endgames: Option<EndgameCounts>,
    rounds: Option<RoundTables>,
}

impl<'a> TablesBuilder<'a> {
    /// Starts without games. `names` are the entrants in the order of the plan; each gets a row,
    /// with or without games.
    ///
    /// # Errors
    /// Two entrants of one name.
    pub fn new(names: &'a [String]) -> Result<Self, RecordsError> {
        Ok(Self {
            names,
            games: GameCounter::new(names)?,
            tally: empty_tally(names),
            counts: EntrantCounts::new(names),
            openings: OpeningGames::default(),
            exclusions: Exclusions::default(),
            model: RatingModel::default(),
            measures: Measures::default(),
            introductions: BTreeMap::new(),
            hosts: None,
            endgames: None,
            rounds: None,
        })
    }

    /// Sets what the entrants' programs called themselves, by the entrants' names.
    #[must_use]
    pub fn introduced(self, introductions: BTreeMap<String, String>) -> Self {
        Self {
            introductions,
            ..self
        }
    }

    /// Sets the rating model.
    #[must_use]
    pub fn rated_by(self, model: RatingModel) -> Self {
        Self { model, ..self }
    }

    /// Keeps the games against the entrants of these names apart, so that all can be measured by
    /// them; to be called before the first game.
    #[must_use]
    pub fn measured_by(self, names: &BTreeSet<String>) -> Self {
        Self {
            measures: Measures::new(names, self.names),
            ..self
        }
    }

    /// Sets the number of games that the plan has for each entrant, in the order of the names; to
    /// be called before the first game.
    #[must_use]
    pub fn planned(mut self, games: &[u64]) -> Self {
        self.counts.plan(games);
        self
    }

    /// Sets the clocks of the entrants in words, in the order of the names; to be called before the
    /// first game, if not all have the same.
    #[must_use]
    pub fn clocked(mut self, clocks: impl IntoIterator<Item = String>) -> Self {
        self.counts.clock(clocks);
        self
    }

    /// Counts the games of each host, too; to be called before the first game.
    #[must_use]
    pub fn by_host(self) -> Self {
        Self {
            hosts: Some(HostGames::new(self.names)),
            ..self
        }
    }

    /// Analyses the games, too; to be called before the first game.
    #[must_use]
    pub fn analysed_by(self, analyst: &Analyst) -> Self {
        Self {
            endgames: Some(EndgameCounts::new(analyst, self.names.len())),
            ..self
        }
    }

    /// Sets the tables of the rounds, where results decide who meets whom.
    #[must_use]
    pub fn of_rounds(self, rounds: Option<RoundTables>) -> Self {
        Self { rounds, ..self }
    }

    /// Sets what does not count, which the tables report; to be called before the first game.
    #[must_use]
    pub fn excluding(self, exclusions: Exclusions) -> Self {
        Self { exclusions, ..self }
    }

    /// Counts a game, unless it is void or excluded. A repeated record counts once.
    pub fn add(&mut self, summary: &GameSummary) {
        self.counts.note_void(summary);
        if let Some(hosts) = &mut self.hosts {
            hosts.note_void(summary);
        }
        if let Some(game) = self.games.take(summary)
            && self.exclusions.allow_game(&summary.id, &summary.entrants)
        {
            let what = (summary.start, Some(summary.content));
            add_to_tally(&mut self.tally, &summary.id, game.sides, game.result, what);
            self.counts.add(&game);
            self.openings.add(&game);
            self.measures.add(&game);
            if let Some(hosts) = &mut self.hosts {
                hosts.add(&game);
            }
            if let Some(endgames) = &mut self.endgames {
                endgames.add(&game);
            }
        }
    }

    /// Rates the games that were counted.
    ///
    /// # Errors
    /// Records that cannot come from a tournament of these entrants; the first one in schedule
    /// order: see [`RecordsError`].
    pub fn finish(self) -> Result<Tables<'a>, RecordsError> {
        self.games.check()?;
        let standings = Standings::new(self.counts, &self.tally, &self.model, &self.exclusions)?;
        let standings = standings.introduced(self.introductions);
        let fits = standings.ratings().fits(&self.tally);
        Ok(Tables {
            names: self.names,
            games: self.tally.games(),
            crosstable: Crosstable::new(self.names, &self.tally, &fits, &self.exclusions),
            openings: self.openings.rows(self.names, standings.ratings()),
            measures: self.measures,
            hosts: self.hosts.map_or_else(Vec::new, |hosts| {
                hosts.rows(self.names, standings.ratings())
            }),
            endgames: self
                .endgames
                .map(|it| it.finish(self.names, standings.rows())),
            standings,
            fits,
            pairing: match self.names {
                [_, _] => Some(Pairing::of_tally(
                    &self.tally,
                    RatedEntrant(0),
                    RatedEntrant(1),
                )),
                _ => None,
            },
            rounds: self.rounds,
            exclusions: self.exclusions,
        })
    }
}

impl<'a> Tables<'a> {
    /// The tables of these records, made by a [`TablesBuilder`].
    ///
    /// # Errors
    /// Those of [`TablesBuilder::new`] and [`TablesBuilder::finish`].
    pub fn new<'r>(
        names: &'a [String],
        records: impl IntoIterator<Item = &'r GameRecord>,
    ) -> Result<Self, RecordsError> {
        let mut builder = TablesBuilder::new(names)?;
        for record in records {
            builder.add(&GameSummary::of(record));
        }
        builder.finish()
    }
}
