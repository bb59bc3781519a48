//! `openings` of `[tournament]` as typed.

use super::check::KeyPlace;
use super::declaration::{ConfigKey, Keys, Kind};
use super::value::{KeyValue, Section, TypedField, declare, inline_keys};
use crate::config::error::{Diagnostic, Diagnostics, Located};
use crate::config::tree::Node;

/// Random play rarely lasts longer.
const MOST_PLIES: u32 = 200;
pub const ALLOWED: &str = "{ plies = 4 } or { file = \"openings.txt\" }";

declare! {
    /// `openings` of `[tournament]`.
    OPENINGS, OpeningKeys = "`openings` of [tournament]" {
        plies: Option<Located<u32>> = "plies", Kind::Integer(0..=MOST_PLIES as u64);
        file: Option<Located<String>> = "file", Kind::Text("\"openings.txt\"");
        shared: Option<Located<bool>> = "shared", Kind::Boolean;
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedOpenings {
    pub source: TypedSource,
    /// Whether all pairings play the same openings.
    pub shared: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedSource {
    Plies(u32),
    File(String),
}

impl KeyValue for TypedOpenings {
    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let keys = OpeningKeys::read(node)?;
        let source = match (keys.plies, keys.file) {
            (Some(plies), None) => TypedSource::Plies(even(&plies)?),
            (None, Some(file)) => TypedSource::File(file.value),
            (None, None) => {
                let message = format!("`openings` in [tournament] is empty; it takes {ALLOWED}");
                return Err(Diagnostic::new(&node.origin, message));
            }
            (Some(plies), Some(_)) => {
                let message = format!(
                    "`openings` in [tournament] has both plies and file; it takes {ALLOWED}"
                );
                return Err(Diagnostic::new(&plies.origin, message));
            }
        };
        let shared = keys.shared.is_some_and(|it| it.value);
        Ok(Self { source, shared })
    }

    fn to_toml(&self) -> String {
        let (plies, file) = match &self.source {
            TypedSource::Plies(plies) => (Some(Located::by_default(*plies)), None),
            TypedSource::File(file) => (None, Some(Located::by_default(file.clone()))),
        };
        let shared = self.shared.then(|| Located::by_default(true));
        let keys = OpeningKeys {
            plies,
            file,
            shared,
        };
        inline_keys(keys.named())
    }
}

fn even(plies: &Located<u32>) -> Result<u32, Diagnostic> {
    if plies.value.is_multiple_of(2) {
        return Ok(plies.value);
    }
    let message = format!(
        "`plies` of `openings` cannot be {}: South begins every game, so an opening has an even \
         number of plies, 0 to {MOST_PLIES}",
        plies.value
    );
    Err(Diagnostic::new(&plies.origin, message))
}
