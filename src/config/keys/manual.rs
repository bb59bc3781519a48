//! The manual: the documentation of every key and its default, in the words for users.

use toml::de::DeValue;

/// The commented file of all keys and their defaults.
pub const MANUAL: &str = include_str!("../../../configs/default.toml");

/// What the manual says of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualEntry {
    /// The table in which the key stands, without brackets.
    pub table: String,
    /// The key as it stands there, perhaps with a table before a dot.
    pub key: String,
    /// Its default, or an example if it is not set, as TOML.
    pub value: String,
    /// Whether the value is the default. Entrants and starts have none: their values are examples.
    pub is_default: bool,
    /// What it is for.
    pub doc: String,
}

/// Every key of the manual, in its order.
pub fn manual() -> Vec<ManualEntry> {
    let mut entries: Vec<ManualEntry> = Vec::new();
    let mut table = String::new();
    for line in MANUAL.lines() {
        if let Some(header) = header(line) {
            header.clone_into(&mut table);
        } else if let Some(comment) = continued(line) {
            if let Some(entry) = entries.last_mut() {
                if !entry.doc.is_empty() {
                    entry.doc.push(' ');
                }
                entry.doc.push_str(comment);
            }
        } else if let Some(entry) = entry(&table, line) {
            entries.push(entry);
        }
    }
    entries
}

/// `[clock]` or `[[entrant]]`, with or without a comment.
fn header(line: &str) -> Option<&str> {
    let name = line.strip_prefix('[')?.trim_start_matches('[');
    name.split_once(']').map(|(name, _)| name)
}

/// A further line of the comment on a key.
fn continued(line: &str) -> Option<&str> {
    let comment = line.strip_prefix(' ')?.trim_start();
    comment.strip_prefix('#').map(str::trim)
}

/// `key = value  # comment`, or `# key = value  # comment` for a key that is not set.
fn entry(table: &str, line: &str) -> Option<ManualEntry> {
    let unset = line.strip_prefix("# ");
    let (key, rest) = unset.unwrap_or(line).split_once(" = ")?;
    let is_key = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    if !key.chars().all(is_key) {
        return None;
    }
    let ends = rest.match_indices('#').map(|(end, _)| end);
    let mut ends = ends.chain([rest.len()]);
    // A text can contain `#`.
    let end = ends.find(|&end| DeValue::parse(rest[..end].trim()).is_ok())?;
    Some(ManualEntry {
        table: table.to_owned(),
        key: key.to_owned(),
        value: rest[..end].trim().to_owned(),
        is_default: unset.is_none() && !["entrant", "start"].contains(&table),
        doc: rest[end..].trim_start_matches('#').trim().to_owned(),
    })
}
