//! Many tournaments of one scenario: how often what is promised holds.

use super::claims::{Openings, PARTS, PROMISES, Rated, Statement};
use super::known_strengths::{Scenario, Tournament, World};
use super::recorded_outcomes::Table;
use super::true_ratings::{Effective, Truth, Weights};
use awale::stats::rating::rate;
use awale::stats::ratings::RatingModel;
use std::collections::BTreeMap;
use std::fmt;

/// How often a promise was kept.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Of each tournament in which it was made: statements that hold, and all.
    tournaments: Vec<(f64, f64)>,
    /// Statements that were not made: "not known yet".
    pub unknown: u64,
    /// Intervals: their number, the sum of their half-widths, and of squares of what they are off.
    intervals: (f64, f64, f64),
}

impl Kept {
    pub fn add(&mut self, statements: &[Statement]) {
        let made: Vec<bool> = statements.iter().filter_map(|it| it.holds).collect();
        self.unknown += (statements.len() - made.len()) as u64;
        if !made.is_empty() {
            let held = made.iter().filter(|&&holds| holds).count();
            self.tournaments.push((held as f64, made.len() as f64));
        }
        for (half_width, off) in statements.iter().filter_map(|it| it.interval) {
            let (count, widths, squares) = self.intervals;
            self.intervals = (count + 1.0, widths + half_width, squares + off * off);
        }
    }

    pub fn made(&self) -> f64 {
        self.tournaments.iter().map(|(_, made)| made).sum()
    }

    /// How many of them were intervals.
    pub fn intervals(&self) -> f64 {
        self.intervals.0
    }

    /// The share of statements that hold.
    pub fn coverage(&self) -> f64 {
        self.tournaments.iter().map(|(held, _)| held).sum::<f64>() / self.made()
    }

    /// The share of numbers of which nothing untrue was said.
    pub fn harmless(&self) -> f64 {
        let all = self.made() + self.unknown as f64;
        1.0 - (1.0 - self.coverage()) * self.made() / all
    }

    /// The standard error of that: statements of one tournament hang together, tournaments do not.
    /// No smaller than that of this many statements of which 95 % hold.
    pub fn error(&self) -> f64 {
        let coverage = self.coverage();
        let terms = self.tournaments.iter();
        let squares: f64 = terms
            .map(|(held, made)| (held - coverage * made).powi(2))
            .sum();
        let apart = (0.95 * 0.05 / self.made()).sqrt();
        (squares.sqrt() / self.made()).max(apart)
    }

    /// The mean half-width over what 95 % of a normal spread as large as the real one would need.
    pub fn width(&self) -> f64 {
        let (count, widths, squares) = self.intervals;
        widths / count / (1.96 * (squares / count).sqrt())
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:5.1} % ± {:.1} (harmless {:5.1})  of {:7}, unknown {:6}, width {:.2}",
            100.0 * self.coverage(),
            100.0 * self.error(),
            100.0 * self.harmless(),
            self.made(),
            self.unknown,
            self.width()
        )
    }
}

/// What came of a scenario, by promise and by how many openings are behind a number.
pub type Outcome = BTreeMap<(&'static str, Openings), Kept>;

pub fn simulate(table: &Table, scenario: &Scenario, tournaments: u64) -> Outcome {
    let world = World::new(table, scenario);
    let first = Tournament::new(scenario, 0);
    let weights = Weights::of(&first, world.entrants);
    let all = vec![0; world.entrants];
    let whole = Truth::new(&world, &weights, &all).expect("all results of all openings are mixed");
    let effective = Effective::new(&first, &whole);
    let mut of_groups: BTreeMap<Vec<usize>, Option<Truth>> = BTreeMap::new();
    let mut outcome = Outcome::new();
    for number in 1..=tournaments {
        let tally = Tournament::new(scenario, number).tally(&world);
        let ratings = rate(&tally, &RatingModel::default()).expect("few entrants");
        let groups = &ratings.connectivity.group_of;
        let inside = of_groups
            .entry(groups.clone())
            .or_insert_with(|| Truth::new(&world, &weights, groups));
        // Every fourth: this takes longer than all the rest.
        let ranks = number.is_multiple_of(4).then(|| ratings.ranks());
        let rated = Rated {
            ratings: &ratings,
            ranks: ranks.as_ref(),
            inside: inside.as_ref(),
            whole: &whole,
            effective: &effective,
        };
        for (name, promise) in PROMISES.into_iter().chain(PARTS) {
            let statements = promise(&rated);
            for openings in [Openings::Few, Openings::Some, Openings::Many] {
                let of_these: Vec<Statement> = statements
                    .iter()
                    .filter(|it| it.openings == openings)
                    .copied()
                    .collect();
                outcome.entry((name, openings)).or_default().add(&of_these);
            }
        }
    }
    outcome.retain(|_, kept| !kept.tournaments.is_empty() || kept.unknown > 0);
    outcome
}
