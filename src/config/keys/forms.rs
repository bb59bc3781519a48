//! The values of keys that have a form of their own: `openings`, `max-faults`, `stages` and the like of
//! `[tournament]`, `resign` and `draw` of `[adjudication]`, `longer` and `points` of `[class]`.

use crate::config::error::{Diagnostic, Diagnostics, Located};
use crate::config::keys::check::{KeyPlace, text_of};
use crate::config::keys::declaration::{ConfigKey, Keys, Kind};
use crate::config::keys::tables::{self, MOST_PAIRS, MOST_PARTS};
use crate::config::keys::value::{
    FormatName, KeyValue, OpeningOrder, Section, TypedField, declare, from_keys, inline_keys, names,
};
use crate::config::names::no_entrant;
use crate::config::tree::{Node, Value};
use crate::record::PointsItem;
use crate::referee::{DrawTerms, ResignTerms};
use crate::rules::SEEDS;
use crate::text::{quoted, toml_string};
use crate::tournament::{LongerPairing, MaxFaults, MaxShare};
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::ser::ValueSerializer;

/// Random play rarely lasts longer.
const MOST_PLIES: u32 = 200;
pub const OPENINGS_ALLOWED: &str = "{ plies = 4 } or { file = \"openings.txt\" }";

declare! {
    /// `openings` of `[tournament]`. One of the first two is set.
    OPENINGS, TypedOpenings = "`openings` of [tournament]", checked by check_openings {
        plies: Option<Located<u32>> = "plies", Kind::Integer(0..=MOST_PLIES as u64);
        file: Option<Located<String>> = "file", Kind::Text("\"openings.txt\"");
        shared: Option<Located<bool>> = "shared", Kind::Boolean;
        order: Option<Located<OpeningOrder>> = "order", Kind::Choice(names::<OpeningOrder>);
        start: Option<Located<u32>> = "start", Kind::Integer(1..=u32::MAX as u64);
    }
}

fn check_openings(typed: &TypedOpenings, node: &Node) -> Result<(), Diagnostic> {
    if let Some(shared) = typed.shared.as_ref().filter(|shared| !shared.value)
        && typed
            .order
            .as_ref()
            .is_some_and(|order| order.value == OpeningOrder::File)
    {
        let message = "with `order = \"file\"` all pairings have the openings of the file in the same \
                       order, so they cannot have `shared = false`; leave one of the two out";
        return Err(Diagnostic::new(&shared.origin, message.to_owned()));
    }
    let of_file = [
        typed.order.as_ref().map(|it| (&it.origin, "order")),
        typed.start.as_ref().map(|it| (&it.origin, "start")),
    ];
    if let Some((origin, key)) = of_file.into_iter().flatten().next()
        && typed.file.is_none()
    {
        let message = format!("`{key}` of `openings` belongs to `file`; random openings have none");
        return Err(Diagnostic::new(origin, message));
    }
    let (origin, reason) = match (&typed.plies, &typed.file) {
        (Some(plies), None) if !plies.value.is_multiple_of(2) => {
            let message = format!(
                "`plies` of `openings` cannot be {}: South begins every game, so an opening has an \
                 even number of plies, 0 to {MOST_PLIES}",
                plies.value
            );
            return Err(Diagnostic::new(&plies.origin, message));
        }
        (Some(_), None) | (None, Some(_)) => return Ok(()),
        (None, None) => (&node.origin, "is empty"),
        (Some(plies), Some(_)) => (&plies.origin, "has both plies and file"),
    };
    let message = format!("`openings` in [tournament] {reason}; it takes {OPENINGS_ALLOWED}");
    Err(Diagnostic::new(origin, message))
}

/// The word for a seeding by lot.
pub const DRAWN: &str = "draw";
pub const SEEDING_ALLOWED: &str = "\"draw\", { order = [\"ada\", \"ben\"] }, the strongest first, or { elo-of = \"results/before\" }";
pub const UNTIL_ALLOWED: &str =
    "{ error95 = 25, max-pairs = 400 }, in Elo and pairs of each pairing, perhaps with equal = 10";
pub const STAGE_ALLOWED: &str = "a list such as [{ format = \"groups\", groups = 4, advance = 8 }, \
                                 { format = \"knockout\", pairs = 5 }]";
/// No error of a table is larger, in Elo.
const MOST_ERROR: f64 = 4000.0;

declare! {
    /// An item of `stages` of `[tournament]`.
    STAGE, TypedStage = "`stages` of [tournament]" {
        format: Option<Located<FormatName>> = "format", Kind::Choice(names::<FormatName>);
        pairs: Option<Located<u32>> = "pairs", Kind::Integer(1..=MOST_PAIRS);
        rounds: Option<Located<u32>> = "rounds", Kind::Integer(1..=MOST_PARTS);
        most_pairs: Option<Located<u32>> = "most-pairs", Kind::Integer(1..=MOST_PAIRS);
        groups: Option<Located<u32>> = "groups", Kind::Integer(1..=MOST_PARTS);
        divisions: Option<Located<u32>> = "divisions", Kind::Integer(1..=MOST_PARTS);
        promoted: Option<Located<u32>> = "promoted", Kind::Integer(1..=MOST_PARTS);
        seasons: Option<Located<u32>> = "seasons", Kind::Integer(1..=MOST_PARTS);
        advance: Option<Located<u32>> = "advance", Kind::Integer(2..=MOST_PARTS);
    }

    /// `until` of `[tournament]`.
    UNTIL, TypedUntil = "`until` of [tournament]" {
        error95: Option<Located<f64>> = "error95", Kind::Number(1.0..=MOST_ERROR);
        max_pairs: Option<Located<u32>> = "max-pairs", Kind::Integer(1..=MOST_PAIRS);
        equal: Option<Located<f64>> = "equal", Kind::Number(0.0..=MOST_ERROR);
    }

    /// `seeding` of `[tournament]`.
    SEEDING, SeedingKeys = "`seeding` of [tournament]" {
        order: Option<Located<Vec<Located<String>>>> = "order", Kind::Texts("[\"ada\"]");
        elo_of: Option<Located<String>> = "elo-of", Kind::Text("\"results/before\"");
    }
}

/// How strong the entrants are held to be.
#[derive(Clone, Debug)]
pub enum TypedSeeding {
    /// Drawn by the secret.
    Draw,
    /// In this order, the strongest first.
    Order(Vec<Located<String>>),
    /// As in the table of the run in this folder.
    EloOf(Located<String>),
}

impl KeyValue for TypedSeeding {
    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        if !matches!(node.value, Value::Table(_)) {
            return Ok(Self::Draw);
        }
        let keys = SeedingKeys::read(node)?;
        match (keys.order, keys.elo_of) {
            (Some(order), None) => Ok(Self::Order(order.value)),
            (None, Some(run)) => Ok(Self::EloOf(run)),
            _ => Err(Diagnostic::new(
                &node.origin,
                format!("`seeding` in [tournament] takes {SEEDING_ALLOWED}"),
            )),
        }
    }

    fn to_toml(&self) -> String {
        let keys = match self {
            Self::Draw => return toml_string(DRAWN),
            Self::Order(order) => SeedingKeys {
                order: Some(Located::by_default(order.clone())),
                elo_of: None,
            },
            Self::EloOf(run) => SeedingKeys {
                order: None,
                elo_of: Some(run.clone()),
            },
        };
        inline_keys(keys.named())
    }
}

/// More than any entrant can have in a tournament.
const MOST_COUNT: u64 = 10_000_000;
pub const MAX_FAULTS_ALLOWED: &str = "{ count = 10, share = \"10%\", after = 50 }, a part of it \
                                      ({ count = 3 } or { share = \"5%\", after = 20 }), or \"off\"";
/// What [`parse_share`] reads.
const SHARE: &str = "^[0-9]{1,2}([.][0-9]{1,2})?\\s*%$";
/// The word for none.
pub const OFF: &str = "off";

declare! {
    /// `max-faults` of `[tournament]`.
    MAX_FAULTS, MaxFaultsKeys = "`max-faults` of [tournament]" {
        count: Option<Located<u32>> = "count", Kind::Integer(1..=MOST_COUNT);
        share: Option<Located<FaultShare>> = "share", Kind::Pattern(SHARE);
        after: Option<Located<u32>> = "after", Kind::Integer(1..=MOST_COUNT);
    }
}

/// A share in hundredths of a percent.
#[derive(Clone, Copy, Debug)]
pub struct FaultShare(u32);

/// `None` is "off".
impl KeyValue for Option<MaxFaults> {
    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        match node.value {
            Value::Table(_) => limit(&MaxFaultsKeys::read(node)?, node).map(Some),
            _ => Ok(None),
        }
    }

    fn to_toml(&self) -> String {
        let Some(MaxFaults { count, share }) = self else {
            return toml_string(OFF);
        };
        let keys = MaxFaultsKeys {
            count: count.map(Located::by_default),
            share: share.map(|it| Located::by_default(FaultShare(it.hundredths))),
            after: share.map(|it| Located::by_default(it.after)),
        };
        inline_keys(keys.named())
    }
}

fn limit(keys: &MaxFaultsKeys, node: &Node) -> Result<MaxFaults, Diagnostic> {
    let count = keys.count.as_ref().map(|placed| placed.value);
    let refuse = |message: String| Err(Diagnostic::new(&node.origin, message));
    match (&keys.share, &keys.after) {
        (None, None) if count.is_none() => refuse(format!(
            "`max-faults` in [tournament] is empty; it takes {MAX_FAULTS_ALLOWED}"
        )),
        (None, None) => Ok(MaxFaults { count, share: None }),
        (Some(share), Some(after)) => {
            let (hundredths, after) = (share.value.0, after.value);
            let share = Some(MaxShare { hundredths, after });
            Ok(MaxFaults { count, share })
        }
        (Some(_), None) => refuse(
            "`share` of `max-faults` needs `after`, the games of an entrant from which on its \
             share is looked at, as in { share = \"10%\", after = 50 }"
                .to_owned(),
        ),
        (None, Some(_)) => refuse(
            "`after` of `max-faults` belongs to `share`, as in { share = \"10%\", after = 50 }"
                .to_owned(),
        ),
    }
}

impl KeyValue for FaultShare {
    fn from_node(place: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let share = text_of(node).and_then(|text| parse_share(&text));
        share.map(Self).ok_or_else(|| {
            let allowed = "a share from 0% to 99.99% in quotes, as in share = \"10%\"";
            place.refuse(node, allowed)
        })
    }

    fn to_toml(&self) -> String {
        match (self.0 / 100, self.0 % 100) {
            (whole, 0) => format!("\"{whole}%\""),
            (whole, part) => format!("\"{whole}.{part:02}%\""),
        }
    }
}

/// Hundredths of a percent, without rounding: `2.5%` is 250.
fn parse_share(text: &str) -> Option<u32> {
    let number = text.strip_suffix('%')?.trim_end();
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || whole.len() > 2 || part.len() > 2 {
        return None;
    }
    let part = format!("{part:0<2}");
    Some(100 * whole.parse::<u32>().ok()? + part.parse::<u32>().ok()?)
}

pub const RESIGN_ALLOWED: &str = "{ seeds = 12, turns = 4 } or \"off\"";
pub const DRAW_ALLOWED: &str = "{ seeds = 1, turns = 6, after = 60 } or \"off\"";

declare! {
    /// `resign` of `[adjudication]`.
    RESIGN, ResignKeys = "`resign` of [adjudication]" {
        seeds: Option<Located<u8>> = "seeds", Kind::Integer(1..=SEEDS as u64);
        turns: Option<Located<u32>> = "turns", Kind::Integer(1..=tables::MOST_PLIES);
    }

    /// `draw` of `[adjudication]`.
    DRAW, DrawKeys = "`draw` of [adjudication]" {
        seeds: Option<Located<u8>> = "seeds", Kind::Integer(0..=SEEDS as u64);
        turns: Option<Located<u32>> = "turns", Kind::Integer(1..=tables::MOST_PLIES);
        after: Option<Located<u32>> = "after", Kind::Integer(0..=tables::MOST_PLIES);
    }
}

/// Terms of which every key is needed; `None` is "off".
macro_rules! terms_or_off {
    ($($terms:ty, $keys:ty, $name:literal, $allowed:expr;)*) => {$(
        impl KeyValue for Option<$terms> {
            fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
                if !matches!(node.value, Value::Table(_)) {
                    return Ok(None);
                }
                let keys = <$keys>::read(node)?.named();
                let terms = from_keys(keys).map_err(|_| {
                    let message = format!(
                        "`{}` in [adjudication] has {}; it takes {}",
                        $name, typed_keys(node), $allowed
                    );
                    Diagnostic::new(&node.origin, message)
                });
                terms.map(Some)
            }

            fn to_toml(&self) -> String {
                self.as_ref().map_or_else(|| toml_string(OFF), item_to_toml)
            }
        }
    )*};
}

terms_or_off! {
    ResignTerms, ResignKeys, "resign", RESIGN_ALLOWED;
    DrawTerms, DrawKeys, "draw", DRAW_ALLOWED;
}

/// More than any scale of grades has.
const MOST_POINTS: f64 = 1000.0;
/// More faults than games of any tournament.
const MOST_FAULTS: u64 = 10_000_000;
pub const POINTS_ALLOWED: &str = "a list of { check = 20 }, { faults = 0, points = 10 }, \
                           { late = -10 }, \
                           { beats = \"greedy\", from = 0.4, to = 0.7, points = 30 } and \
                           { beats = \"greedy\", share = 0.6, points = 30 }";

declare! {
    /// An item of `points` of `[class]`.
    POINTS, PointsKeys = "`points` of [class]" {
        check: Option<Located<f64>> = "check", Kind::Number(0.0..=MOST_POINTS);
        beats: Option<Located<String>> = "beats", Kind::Text("\"greedy\"");
        share: Option<Located<f64>> = "share", Kind::Number(0.0..=1.0);
        from: Option<Located<f64>> = "from", Kind::Number(0.0..=1.0);
        to: Option<Located<f64>> = "to", Kind::Number(0.0..=1.0);
        faults: Option<Located<u32>> = "faults", Kind::Integer(0..=MOST_FAULTS);
        late: Option<Located<f64>> = "late", Kind::Number(-MOST_POINTS..=0.0);
        points: Option<Located<f64>> = "points", Kind::Number(0.0..=MOST_POINTS);
    }
}

pub const LONGER_ALLOWED: &str =
    "a list of { entrant = \"ada\", yardstick = \"greedy\", pairs = 400 }";

declare! {
    /// An item of `longer` of `[class]`.
    LONGER, LongerKeys = "`longer` of [class]" {
        entrant: Option<Located<String>> = "entrant", Kind::Text("\"ada\"");
        yardstick: Option<Located<String>> = "yardstick", Kind::Text("\"greedy\"");
        pairs: Option<Located<u32>> = "pairs", Kind::Integer(1..=MOST_PAIRS);
    }
}

/// More pairs of an entrant and a yardstick. Names of no entrant have no effect: somebody may have
/// left.
#[derive(Clone, Debug)]
pub struct TypedLonger(pub LongerPairing);

impl KeyValue for TypedLonger {
    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let keys = LongerKeys::read(node)?.named();
        Ok(Self(list_item("longer", keys, LONGER_ALLOWED, node)?))
    }

    fn to_toml(&self) -> String {
        item_to_toml(&self.0)
    }
}

/// An item and its place.
#[derive(Clone, Debug)]
pub struct TypedPoints(pub Located<PointsItem>);

impl KeyValue for TypedPoints {
    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let keys = PointsKeys::read(node)?.named();
        let value = list_item("points", keys, POINTS_ALLOWED, node)?;
        let origin = node.origin.clone();
        Ok(Self(Located { value, origin }))
    }

    fn to_toml(&self) -> String {
        item_to_toml(&self.0.value)
    }
}

/// An item of a list of `[class]` from its keys.
fn list_item<T: DeserializeOwned>(
    list: &str,
    keys: Vec<(&'static str, String)>,
    allowed: &str,
    node: &Node,
) -> Result<T, Diagnostic> {
    from_keys(keys).map_err(|_| {
        let message = format!(
            "an item of `{list}` in [class] has {}; it takes {allowed}",
            typed_keys(node)
        );
        Diagnostic::new(&node.origin, message)
    })
}

fn item_to_toml(item: &impl Serialize) -> String {
    let mut text = String::new();
    let written = item.serialize(ValueSerializer::new(&mut text));
    written.expect("texts and numbers");
    text
}

/// The keys that were typed, in their order.
fn typed_keys(node: &Node) -> String {
    let keys: Vec<String> = node.entries().map(|it| format!("`{}`", it.key)).collect();
    match keys.as_slice() {
        [] => "no key".to_owned(),
        keys => format!("the keys {}", keys.join(", ")),
    }
}

/// The items, if all of them name entrants.
///
/// # Errors
/// An item is about an entrant that does not exist, or a slope does not rise.
pub fn resolve_points(
    items: &[TypedPoints],
    names: &[&str],
) -> Result<Vec<PointsItem>, Diagnostic> {
    for TypedPoints(item) in items {
        let refuse = |message: String| Err(Diagnostic::new(&item.origin, message));
        if let Some(beats) = item.value.beats()
            && !names.contains(&beats)
        {
            let what = format!("beats = {} in `points` of [class]", quoted(beats));
            return refuse(no_entrant(&what, beats, names));
        }
        if let PointsItem::Slope { from, to, .. } = item.value
            && from >= to
        {
            return refuse(format!(
                "`from` = {from} in `points` of [class] is not below `to` = {to}; points rise \
                 from the one score to the other"
            ));
        }
    }
    Ok(items.iter().map(|item| item.0.value.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_exactly() {
        for (text, hundredths) in [
            ("10%", Some(1000)),
            ("2.5%", Some(250)),
            ("0.05%", Some(5)),
            ("0%", Some(0)),
            ("99.99%", Some(9999)),
            ("7 %", Some(700)),
            ("100%", None),
            ("10", None),
            ("-1%", None),
            (".5%", None),
            ("1.234%", None),
            ("%", None),
        ] {
            assert_eq!(parse_share(text), hundredths, "{text}");
        }
    }
}
