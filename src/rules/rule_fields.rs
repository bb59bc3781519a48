//! The fields of a rule set as a configuration or a command line sets them: their names, the values
//! that they allow, and the answer to a wrong one.

use std::fmt;
use std::ops::RangeInclusive;

/// The names of all fields, in the order of the documentation.
pub const FIELDS: [&str; 9] = [
    "capture",
    "grand-slam",
    "must-feed",
    "majority-ends",
    "row-empty-ends",
    "dead-position-ends",
    "repetition.occurrences",
    "repetition.remaining",
    "no-move-gift",
];

/// The values that a field allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleValues {
    /// One of these names.
    Names(Vec<&'static str>),
    /// A whole number within these bounds.
    Numbers(RangeInclusive<u8>),
    /// `true` or `false`.
    TrueOrFalse,
}

/// Why a field was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleFieldError {
    /// No field has this name.
    UnknownField(String),
    /// The field cannot have this value.
    BadValue {
        /// The field's name.
        field: &'static str,
        /// The value that was given.
        value: String,
        /// The allowed values, in words.
        allowed: String,
    },
}

impl fmt::Display for RuleFieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField(name) => {
                write!(
                    f,
                    "no rule field is named `{name}`; the fields are {}",
                    FIELDS.join(", ")
                )
            }
            Self::BadValue {
                field,
                value,
                allowed,
            } => {
                write!(
                    f,
                    "rule field `{field}` cannot be `{value}`; it is {allowed}"
                )
            }
        }
    }
}

impl std::error::Error for RuleFieldError {}
