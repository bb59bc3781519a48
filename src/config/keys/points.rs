//! `points` of `[class]`: what earns points in `grades.csv`.

use super::check::KeyPlace;
use super::declaration::{ConfigKey, Keys, Kind};
use super::value::{KeyValue, Section, TypedField, declare, inline_keys};
use crate::config::error::{Diagnostic, Diagnostics, Located};
use crate::config::names::no_entrant;
use crate::config::tree::{Node, Value};
use crate::record::PointsItem;
use crate::text::{quoted, toml_array};

/// More than any scale of grades has.
const MOST_POINTS: f64 = 1000.0;
/// More faults than games of any tournament.
const MOST_FAULTS: u64 = 10_000_000;
pub const ALLOWED: &str = "a list of { check = 20 }, { faults = 0, points = 10 } and \
                           { beats = \"greedy\", share = 0.6, points = 30 }";

declare! {
    /// An item of `points` of `[class]`.
    POINTS, PointsKeys = "`points` of [class]" {
        check: Option<Located<f64>> = "check", Kind::Number(0.0..=MOST_POINTS);
        beats: Option<Located<String>> = "beats", Kind::Text("\"greedy\"");
        share: Option<Located<f64>> = "share", Kind::Number(0.0..=1.0);
        faults: Option<Located<u32>> = "faults", Kind::Integer(0..=MOST_FAULTS);
        points: Option<Located<f64>> = "points", Kind::Number(0.0..=MOST_POINTS);
    }
}

/// An item and its place.
pub type TypedPoints = Located<PointsItem>;

impl KeyValue for Vec<TypedPoints> {
    const UNSET: Option<fn() -> Self> = Some(Self::new);

    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let Value::Array(items) = &node.value else {
            unreachable!("the declaration of the key accepts only lists")
        };
        let mut errors = Diagnostics::default();
        let items: Vec<Option<TypedPoints>> =
            items.iter().map(|it| errors.take(item(it))).collect();
        errors.end()?;
        Ok(items.into_iter().flatten().collect())
    }

    fn to_toml(&self) -> String {
        toml_array(
            self.iter()
                .map(|item| inline_keys(keys(&item.value).named())),
        )
    }
}

fn item(node: &Node) -> Result<TypedPoints, Diagnostic> {
    let keys = PointsKeys::read(node)?;
    let value = match (keys.check, keys.beats, keys.share, keys.faults, keys.points) {
        (Some(check), None, None, None, None) => PointsItem::Check { check: check.value },
        (None, Some(beats), Some(share), None, Some(points)) => PointsItem::Beats {
            beats: beats.value,
            share: share.value,
            points: points.value,
        },
        (None, None, None, Some(faults), Some(points)) => PointsItem::Faults {
            faults: faults.value,
            points: points.value,
        },
        _ => {
            let message = format!(
                "an item of `points` in [class] has {}; it takes {ALLOWED}",
                typed_keys(node)
            );
            return Err(Diagnostic::new(&node.origin, message));
        }
    };
    Ok(Located {
        value,
        origin: node.origin.clone(),
    })
}

/// The keys that were typed, in their order.
fn typed_keys(node: &Node) -> String {
    let keys: Vec<String> = node.entries().map(|it| format!("`{}`", it.key)).collect();
    match keys.as_slice() {
        [] => "no key".to_owned(),
        keys => format!("the keys {}", keys.join(", ")),
    }
}

fn keys(item: &PointsItem) -> PointsKeys {
    let mut keys = PointsKeys {
        check: None,
        beats: None,
        share: None,
        faults: None,
        points: None,
    };
    match item.clone() {
        PointsItem::Check { check } => keys.check = Some(Located::by_default(check)),
        PointsItem::Beats {
            beats,
            share,
            points,
        } => {
            keys.beats = Some(Located::by_default(beats));
            keys.share = Some(Located::by_default(share));
            keys.points = Some(Located::by_default(points));
        }
        PointsItem::Faults { faults, points } => {
            keys.faults = Some(Located::by_default(faults));
            keys.points = Some(Located::by_default(points));
        }
    }
    keys
}

/// The items, if all of them name entrants.
///
/// # Errors
/// An item is about an entrant that does not exist.
pub fn resolve(items: &[TypedPoints], names: &[&str]) -> Result<Vec<PointsItem>, Diagnostic> {
    for item in items {
        if let PointsItem::Beats { beats, .. } = &item.value
            && !names.contains(&beats.as_str())
        {
            let what = format!("beats = {} in `points` of [class]", quoted(beats));
            return Err(Diagnostic::new(
                &item.origin,
                no_entrant(&what, beats, names),
            ));
        }
    }
    Ok(items.iter().map(|item| item.value.clone()).collect())
}
