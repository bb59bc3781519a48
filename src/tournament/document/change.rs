//! What becomes of a run's games when its plan changes.

use super::agreement::DifferingKeys;
use super::difference::{self, KeyDifference};
use crate::tournament::plan::Plan;

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
        let DifferingKeys { terms, choices } = DifferingKeys::of(earlier, later);
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
        let keys = difference::differences(&there.program, &here.program);
        (!keys.is_empty()).then(|| (there.name.clone(), keys))
    });
    pairs.collect()
}
