//! `max-faults` of `[tournament]`: the faults with which an entrant is withdrawn.

use super::check::{KeyPlace, text_of};
use super::declaration::{ConfigKey, Keys, Kind};
use super::value::{KeyValue, Section, TypedField, declare, inline_keys};
use crate::config::error::{Diagnostic, Diagnostics, Located};
use crate::config::tree::{Node, Value};
use crate::text::toml_string;
use crate::tournament::{MaxFaults, MaxShare};

/// More than any entrant can have in a tournament.
const MOST: u64 = 10_000_000;
pub const ALLOWED: &str = "{ count = 10, share = \"10%\", after = 50 }, a part of it ({ count = 3 \
                           } or { share = \"5%\", after = 20 }), or \"off\"";
/// What [`parse_share`] reads.
const SHARE: &str = "^[0-9]{1,2}([.][0-9]{1,2})?\\s*%$";
/// The word for no limit.
pub const OFF: &str = "off";

declare! {
    /// `max-faults` of `[tournament]`.
    MAX_FAULTS, MaxFaultsKeys = "`max-faults` of [tournament]" {
        count: Option<Located<u32>> = "count", Kind::Integer(1..=MOST);
        share: Option<Located<FaultShare>> = "share", Kind::Pattern(SHARE);
        after: Option<Located<u32>> = "after", Kind::Integer(1..=MOST);
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
            "`max-faults` in [tournament] is empty; it takes {ALLOWED}"
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
