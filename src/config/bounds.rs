//! The bounds of a bot as typed: `[isolation]` and `[limits]`.

use super::error::{Diagnostic, Located};
use super::section::Section;
use crate::bot::{LIMIT_NAMES, LIMITS, Level, LimitUnit, Limits};
use crate::config::section::given;
use crate::text::size_text;

/// The requested isolation of bots.
#[derive(Clone, Debug)]
pub struct TypedIsolation {
    /// `None` requests the strongest level that is available.
    pub level: Located<Option<Level>>,
    pub freeze: bool,
    pub readable: Vec<Located<String>>,
}

/// The levels by their names in a configuration.
const LEVELS: [(&str, Option<Level>); 4] = [
    ("auto", None),
    ("box", Some(Level::Box)),
    ("landlock", Some(Level::Landlock)),
    ("none", Some(Level::None)),
];

/// Limits by their index in [`LIMITS`]; limits that are not set come from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct TypedLimits([Option<Located<u64>>; LIMITS.len()]);

impl TypedIsolation {
    pub fn read(section: &Section<'_>) -> Result<Self, Diagnostic> {
        let readable = section.texts("readable", "[\"/opt/models\"]")?;
        Ok(Self {
            level: given(section.choice("level", &LEVELS)?),
            freeze: given(section.boolean("freeze")?).value,
            readable: given(readable).value,
        })
    }
}

impl TypedLimits {
    pub fn read(section: &Section<'_>) -> Result<Self, Diagnostic> {
        let mut typed = Self::default();
        for (limit, key) in typed.0.iter_mut().zip(LIMITS) {
            *limit = match key.unit {
                LimitUnit::Bytes => section.size(key.name, key.range, &size_text(key.default))?,
                LimitUnit::Count => section.integer(key.name, key.range)?,
            };
        }
        Ok(typed)
    }

    /// These limits, completed by those of all entrants.
    pub fn or(&self, common: &Self) -> Self {
        let mut both = common.clone();
        for (limit, own) in both.0.iter_mut().zip(&self.0) {
            if own.is_some() {
                limit.clone_from(own);
            }
        }
        both
    }

    /// A limit and where it was typed.
    pub fn get(&self, name: &str) -> Option<&Located<u64>> {
        let place = LIMIT_NAMES.iter().position(|known| *known == name)?;
        self.0[place].as_ref()
    }

    /// The values, with defaults for those that are not set.
    pub fn values(&self) -> Limits {
        let mut limits = Limits::default();
        for (limit, key) in self.0.iter().zip(LIMITS) {
            if let Some(limit) = limit {
                key.set(&mut limits, limit.value);
            }
        }
        limits
    }
}
