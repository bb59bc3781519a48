//! `[limits]` and the limits of one entrant as typed. `bot` declares each limit.

use super::check::KeyPlace;
use super::declaration::{ConfigKey, Keys, Kind};
use super::value::{Bytes, KeyValue, Section, TypedField, inline_keys};
use crate::bot::{self, LIMIT_NAMES, LimitKey, LimitUnit};
use crate::config::error::{Diagnostic, Located};
use crate::config::tree::Node;

/// `[limits]`.
pub const LIMITS: Keys = Keys {
    table: "[limits]",
    keys: &KEYS,
};
/// `[entrant.limits]`.
pub const ENTRANT_LIMITS: Keys = Keys {
    table: "[entrant.limits]",
    keys: &KEYS,
};

const KEYS: [ConfigKey; bot::LIMITS.len()] = {
    let mut keys = [const { ConfigKey::new("", Kind::Unread) }; bot::LIMITS.len()];
    let mut index = 0;
    while index < keys.len() {
        keys[index] = key(&bot::LIMITS[index]);
        index += 1;
    }
    keys
};

const fn key(limit: &LimitKey) -> ConfigKey {
    let bounds = *limit.range.start()..=*limit.range.end();
    let kind = match limit.unit {
        LimitUnit::Bytes => Kind::Size {
            bounds,
            example: limit.default,
        },
        LimitUnit::Count => Kind::Integer(bounds),
    };
    ConfigKey::new(limit.name, kind)
}

/// Limits by their index in [`bot::LIMITS`]; limits that are not set come from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct TypedLimits([Option<Located<u64>>; bot::LIMITS.len()]);

impl KeyValue for TypedLimits {
    const UNSET: Option<fn() -> Self> = Some(Self::default);

    fn from_node(place: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let Kind::Table(keys) = place.key.kind else {
            unreachable!("limits are declared as tables")
        };
        let section = Section::new(keys, node);
        let mut typed = Self::default();
        for (limit, key) in typed.0.iter_mut().zip(bot::LIMITS) {
            *limit = match key.unit {
                LimitUnit::Bytes => {
                    let size: Option<Located<Bytes>> = TypedField::read(&section, key.name)?;
                    size.map(|size| size.map(|Bytes(bytes)| bytes))
                }
                LimitUnit::Count => TypedField::read(&section, key.name)?,
            };
        }
        Ok(typed)
    }

    fn to_toml(&self) -> String {
        inline_keys(self.values().named())
    }
}

impl TypedLimits {
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

    /// Lowers a limit, or its default, to this value if it is higher.
    pub fn lower(&mut self, key: &LimitKey, most: u64) {
        let place = LIMIT_NAMES.iter().position(|known| *known == key.name);
        if let Some(place) = place
            && key.get(&self.values()) > most
        {
            let limit = self.0[place].take();
            let limit = limit.unwrap_or_else(|| Located::by_default(most));
            self.0[place] = Some(limit.map(|_| most));
        }
    }

    /// A limit and where it was typed.
    pub fn get(&self, name: &str) -> Option<&Located<u64>> {
        let place = LIMIT_NAMES.iter().position(|known| *known == name)?;
        self.0[place].as_ref()
    }

    /// The values, with defaults for those that are not set.
    pub fn values(&self) -> bot::Limits {
        let mut limits = bot::Limits::default();
        for (limit, key) in self.0.iter().zip(bot::LIMITS) {
            if let Some(limit) = limit {
                key.set(&mut limits, limit.value);
            }
        }
        limits
    }
}
