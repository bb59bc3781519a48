//! The names that entrants and tournaments may have. Names appear in tables, spreadsheets,
//! terminals and web pages, so text that could act there is refused.
//!
//! `anchor` of `[tournament]` gives entrants an Elo by their names, so that the tables of several
//! tournaments share a scale. It affects only the tables, not the games.

use crate::config::error::{Diagnostic, Located};
use crate::config::keys::check::{KeyPlace, number_of};
use crate::config::keys::value::{KeyValue, inline_table};
use crate::config::tree::{Node, TomlEntry};
use crate::text::{did_you_mean, folded, is_invisible, quoted, some_names, toml_string};
use crate::tournament::{label, numbered};
use std::collections::BTreeMap;

/// The longest name, in characters.
const LONGEST: usize = 64;

/// The end of every refusal.
const ALLOWED: &str = "a name has 1 to 64 visible characters of any script and spaces between \
                       them, no / or ;, and none of = + - @ at its beginning";

/// Checks a name.
///
/// # Errors
/// What is wrong with it, and what is allowed.
pub fn check(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err(format!("the name is empty; {ALLOWED}"));
    }
    let length = name.chars().count();
    if length > LONGEST {
        return Err(format!("the name has {length} characters; {ALLOWED}"));
    }
    let refuse = |reason: String| Err(format!("the name {} {reason}; {ALLOWED}", quoted(name)));
    if let Some(reason) = harm(name) {
        return refuse(reason);
    }
    if let Some(character) = name.chars().find(|character| "/;".contains(*character)) {
        return refuse(format!("contains {character}"));
    }
    Ok(())
}

/// Checks a text that people and spreadsheets read, but that names no entrant: it may be empty or
/// long.
///
/// # Errors
/// What is wrong with it.
pub fn check_harmless(text: &str) -> Result<(), String> {
    let reason = harm(text).map(|reason| format!("the text {} {reason}", quoted(text)));
    reason.map_or(Ok(()), Err)
}

/// How a text could act where it is shown.
fn harm(text: &str) -> Option<String> {
    if text.trim() != text {
        return Some("begins or ends with a space".to_owned());
    }
    let mut first = text.chars().take(1);
    if let Some(first) = first.find(|first| "=+-@＝＋－＠".contains(*first)) {
        return Some(format!(
            "begins with {first}, which spreadsheets read as a formula"
        ));
    }
    let bad = |c: &char| c.is_control() || is_invisible(*c) || (c.is_whitespace() && *c != ' ');
    text.chars().find(bad).map(|character| {
        format!(
            "contains the control or invisible character U+{:04X}",
            u32::from(character)
        )
    })
}

/// Names of entrants, which no further one may look like.
#[derive(Clone, Debug, Default)]
pub struct TakenNames(BTreeMap<String, String>);

impl TakenNames {
    /// The forms in which names are compared.
    fn forms(name: &str) -> [String; 2] {
        [folded(name), label(name).to_lowercase()]
    }

    /// Takes a name.
    pub fn add(&mut self, name: &str) {
        for form in Self::forms(name) {
            self.0.insert(form, name.to_owned());
        }
    }

    /// The name that this one looks like, if one does.
    pub fn like(&self, name: &str) -> Option<&str> {
        let mut found = Self::forms(name)
            .into_iter()
            .filter_map(|it| self.0.get(&it));
        found.next().map(String::as_str)
    }

    /// The name with the first number with which it looks like none.
    pub fn numbered(&self, name: &str) -> String {
        let mut numbered = (2..).map(|number| numbered(name, number));
        let free = numbered.find(|it| self.like(it).is_none());
        free.expect("there are more numbers than entrants")
    }
}

/// Says that no entrant has this name, suggests a similar one, and lists them. `what` describes it
/// as typed.
pub fn no_entrant(what: &str, name: &str, names: &[&str]) -> String {
    let hint = did_you_mean(name, names, ["\"", "\""]);
    let allowed = if hint.is_empty() {
        "; allowed"
    } else {
        " Allowed"
    };
    format!(
        "{what} is not an entrant{hint}{allowed}: {}",
        some_names(names)
    )
}

/// A larger Elo means nothing: bots cannot be told apart there.
pub const MOST_ANCHOR: f64 = 10_000.0;
pub const ANCHORS_ALLOWED: &str =
    "names of entrants with their Elo, as in anchor = { greedy = 1000 }";

/// Names and Elo as typed.
pub type TypedAnchors = Vec<(Located<String>, f64)>;

impl KeyValue for TypedAnchors {
    const UNSET: Option<fn() -> Self> = Some(Self::new);

    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        node.entries().map(anchor).collect()
    }

    fn to_toml(&self) -> String {
        let anchor = |(name, elo): &(Located<String>, f64)| {
            format!("{} = {elo:?}", toml_string(&name.value))
        };
        inline_table(self.iter().map(anchor))
    }
}

fn anchor(entry: &TomlEntry) -> Result<(Located<String>, f64), Diagnostic> {
    let elo = number_of(&entry.node).filter(|elo| elo.abs() <= MOST_ANCHOR);
    let elo = elo.ok_or_else(|| {
        let message = format!(
            "the Elo of {} in `anchor` cannot be {}; it is a number from -{MOST_ANCHOR} to \
             {MOST_ANCHOR}",
            quoted(&entry.key),
            entry.node.shown()
        );
        Diagnostic::new(&entry.node.origin, message)
    })?;
    let name = Located {
        value: entry.key.clone(),
        origin: entry.key_origin.clone(),
    };
    Ok((name, elo))
}

/// The Elo of these entrants, by name.
pub fn resolve_anchors(
    anchors: Option<&Located<TypedAnchors>>,
    names: &[&str],
) -> Result<BTreeMap<String, f64>, Diagnostic> {
    let mut resolved = BTreeMap::new();
    for (name, elo) in anchors.iter().flat_map(|anchors| &anchors.value) {
        if !names.contains(&name.value.as_str()) {
            let what = format!("anchor {}", quoted(&name.value));
            let message = no_entrant(&what, &name.value, names);
            return Err(Diagnostic::new(&name.origin, message));
        }
        resolved.insert(name.value.clone(), *elo);
    }
    Ok(resolved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_script_pass() {
        for name in [
            "a",
            "Ada 2",
            "öwaré",
            "アワレ",
            "v1.2 (d=4)",
            "a,\"b\"",
            "x=1",
            "a-b",
        ] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        assert_eq!(check(&"é".repeat(64)), Ok(()));
    }

    #[test]
    fn tricks_are_refused_and_named() {
        for (name, said) in [
            ("", "is empty"),
            (" a", "begins or ends with a space"),
            ("a\u{a0}", "begins or ends with a space"),
            ("=cmd()", "begins with ="),
            ("@x", "begins with @"),
            ("-o", "begins with -"),
            ("＝cmd|calc", "begins with ＝"),
            ("a/b", "contains /"),
            ("a;=1", "contains ;"),
            ("a\u{1b}[2J", "U+001B"),
            ("a\u{202e}b", "U+202E"),
            ("a\u{200b}b", "U+200B"),
            ("a\u{2003}b", "U+2003"),
        ] {
            let error = check(name).unwrap_err();
            assert!(error.contains(said), "{name:?}: {error}");
            assert!(!error.contains('\u{1b}') && !error.contains('\u{202e}'));
        }
        assert!(check(&"a".repeat(65)).is_err());
    }
}
