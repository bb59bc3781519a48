//! What becomes of a run's games when its plan changes, and which results of an earlier plan still
//! count for a later one.
//!
//! A game depends on the terms of all games (rules, clock, seed, openings, isolation and the like)
//! and on the programs of its two entrants. It depends on no other entrant, and not on the number
//! of pairs: ids, openings and seeds derive from names and rounds. So the games of two entrants
//! still count after a change of the plan if neither program changed, no term of all games did, and
//! the later plan has a game of this id.

use super::difference::{self, KeyDifference};
use crate::record::GameId;
use crate::tournament::plan::{AdmissionMode, Plan};
use std::collections::BTreeSet;

/// The keys that decide which games are played, and no game itself. Every other key outside of the
/// entrants is a term of all games.
const CHOICE: [&str; 9] = [
    "tournament.format",
    "tournament.seeding",
    "tournament.until",
    "tournament.champions",
    "tournament.pairs",
    "class.house-pairs",
    "class.longer",
    "tournament.max-faults",
    "admission.mode",
];

/// Which results of an earlier plan count for a later one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Agreement {
    /// All: the plans are equal.
    #[default]
    Whole,
    /// Those of entrants whose programs are the same.
    Entrants {
        /// Their names.
        unchanged: BTreeSet<String>,
        /// Whether the later plan examines entrants.
        examines: bool,
    },
    /// None: a term of all games differs.
    Nothing,
}

impl Agreement {
    /// The agreement of two plans of one run.
    pub fn of(earlier: &Plan, later: &Plan) -> Self {
        if earlier.differences(later).is_empty() {
            return Self::Whole;
        }
        if !differing_keys(earlier, later)[0].is_empty() {
            return Self::Nothing;
        }
        let entrants = earlier.entrants.iter();
        let unchanged = entrants.filter(|entrant| later.entrants.contains(entrant));
        Self::Entrants {
            unchanged: unchanged.map(|entrant| entrant.name.clone()).collect(),
            examines: later.conditions.admission != AdmissionMode::Off,
        }
    }

    /// Whether a game of these entrants counts. The id has its place in the schedule of the later
    /// plan, if that plan has such a game.
    pub fn counts_game(&self, entrants: &[String; 2], id: &GameId) -> bool {
        match self {
            Self::Whole => true,
            Self::Entrants { unchanged, .. } => {
                id.pair.index().is_some() && entrants.iter().all(|name| unchanged.contains(name))
            }
            Self::Nothing => false,
        }
    }

    /// Whether the examination of an entrant counts.
    pub fn counts_admission(&self, entrant: &str) -> bool {
        match self {
            Self::Whole => true,
            Self::Entrants {
                unchanged,
                examines,
            } => *examines && unchanged.contains(entrant),
            Self::Nothing => false,
        }
    }

    /// Whether a withdrawal counts. It follows from all games before it, so another plan may not
    /// lead to it; a run of that plan decides anew.
    pub const fn counts_withdrawal(&self) -> bool {
        matches!(self, Self::Whole)
    }
}

/// The keys outside of the entrants in which two plans differ: terms of all games, and those that
/// decide which games are played.
fn differing_keys(earlier: &Plan, later: &Plan) -> [Vec<KeyDifference>; 2] {
    let differences = earlier.differences_of_all(later).into_iter();
    let (choices, terms) = differences.partition(|it| is_choice(&it.key));
    [terms, choices]
}

fn is_choice(key: &str) -> bool {
    let is_at = |choice: &&str| {
        let below = key.strip_prefix(*choice);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    CHOICE.iter().any(is_at)
}

/// What differs between two plans of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanChange {
    /// Terms of all games.
    pub terms: Vec<KeyDifference>,
    /// Keys that decide which games are played.
    pub choices: Vec<KeyDifference>,
    /// Entrants that only the later plan has.
    pub new: Vec<String>,
    /// Entrants whose program changed, with the keys.
    pub changed: Vec<(String, Vec<KeyDifference>)>,
    /// Entrants that only the earlier plan has.
    pub left: Vec<String>,
    /// Whether the entrants of both plans are listed in another order. The one listed first is
    /// South in the first game of a pair, so other games are asked for.
    pub is_reordered: bool,
}

impl PlanChange {
    /// The change from one plan to another.
    pub fn between(earlier: &Plan, later: &Plan) -> Self {
        let [before, now] = [earlier, later].map(Plan::names);
        let [common_before, left] = parted(&before, &now);
        let [common_now, new] = parted(&now, &before);
        let [terms, choices] = differing_keys(earlier, later);
        Self {
            terms,
            choices,
            new,
            changed: changed(earlier, later),
            left,
            is_reordered: common_before != common_now,
        }
    }
}

/// The names that are among others, and those that are not.
fn parted(names: &[String], others: &[String]) -> [Vec<String>; 2] {
    let (common, own) = names.iter().cloned().partition(|it| others.contains(it));
    [common, own]
}

fn changed(earlier: &Plan, later: &Plan) -> Vec<(String, Vec<KeyDifference>)> {
    let pairs = earlier.entrants.iter().filter_map(|there| {
        let here = later.entrants.iter().find(|it| it.name == there.name)?;
        let [there_value, here_value] = [there, here]
            .map(|it| serde_json::to_value(it).expect("an entrant of texts and numbers"));
        let keys = difference::of_entrant(&there_value, &here_value);
        (!keys.is_empty()).then(|| (there.name.clone(), keys))
    });
    pairs.collect()
}
