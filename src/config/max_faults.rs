//! `max-faults` of `[tournament]`: the faults with which an entrant is withdrawn.

use super::error::Diagnostic;
use super::keys;
use super::section::{Section, text_of};
use super::tree::{Node, Value};
use crate::tournament::{MaxFaults, MaxShare};

/// More than any entrant can have in a tournament.
const MOST: u32 = 10_000_000;
const ALLOWED: &str = "{ count = 10, share = \"10%\", after = 50 }, a part of it ({ count = 3 } \
                       or { share = \"5%\", after = 20 }), or \"off\"";
const SHARE: &str = "a share from 0% to 99.99% in quotes, as in share = \"10%\"";

/// Reads the key, which always has a value; `None` is "off".
pub fn read(section: &Section<'_>) -> Result<Option<MaxFaults>, Diagnostic> {
    let node = section.get("max-faults").expect("default.toml has it");
    match &node.value {
        Value::Text(text) if text == "off" => Ok(None),
        Value::Table(_) => read_table(node).map(Some),
        _ => Err(section.refuse("max-faults", node, ALLOWED)),
    }
}

fn read_table(node: &Node) -> Result<MaxFaults, Diagnostic> {
    let table = Section::open(&keys::MAX_FAULTS, node)?;
    let count = table.count("count", 1..=MOST)?.map(|placed| placed.value);
    let share = match table.get("share") {
        Some(share) => Some(read_share(&table, share)?),
        None => None,
    };
    let after = table.count("after", 1..=MOST)?.map(|placed| placed.value);
    let refuse = |message: String| Err(Diagnostic::new(&node.origin, message));
    match (share, after) {
        (None, None) if count.is_none() => refuse(format!(
            "`max-faults` in [tournament] is empty; it takes {ALLOWED}"
        )),
        (None, None) => Ok(MaxFaults { count, share: None }),
        (Some(hundredths), Some(after)) => Ok(MaxFaults {
            count,
            share: Some(MaxShare { hundredths, after }),
        }),
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

fn read_share(table: &Section<'_>, node: &Node) -> Result<u32, Diagnostic> {
    let share = text_of(node).and_then(|text| parse_share(&text));
    share.ok_or_else(|| table.refuse("share", node, SHARE))
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

/// The value as TOML.
pub fn text(limit: Option<MaxFaults>) -> String {
    let Some(MaxFaults { count, share }) = limit else {
        return "\"off\"".to_owned();
    };
    let count = count.map(|count| format!("count = {count}"));
    let share = share.map(|MaxShare { hundredths, after }| {
        let (whole, part) = (hundredths / 100, hundredths % 100);
        let part = match part {
            0 => String::new(),
            part => format!(".{part:02}"),
        };
        format!("share = \"{whole}{part}%\", after = {after}")
    });
    let parts: Vec<String> = count.into_iter().chain(share).collect();
    format!("{{ {} }}", parts.join(", "))
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
