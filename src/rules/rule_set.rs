//! Every option of the rules, and the eight presets.
//!
//! A rule set is plain data: two rule sets are two games. Fields have names (`grand-slam`,
//! `repetition.occurrences`) under which a configuration, a command line or a message sets them.

use super::rule_fields::{FIELDS, RuleFieldError, RuleValues};
use std::ops::RangeInclusive;

/// What the last seed of a sowing captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capture {
    /// Two or three seeds in the opponent's pit, and backward as long as the pits before contain
    /// two or three.
    Chain,
    /// The last pit in the opponent's row, with any number of seeds, and no chain: the children's
    /// game.
    LastPit,
}

/// The effect of a move whose capture would empty the opponent's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrandSlam {
    /// Legal; captures nothing, the seeds stay.
    NoCapture,
    /// Illegal.
    Forbidden,
    /// Illegal unless every move is a slam; then it is played and captures nothing.
    ForbiddenUnlessOnly,
    /// Illegal unless every move is a slam; then it captures.
    ForbiddenUnlessOnlyCapture,
    /// Legal; captures everything.
    Capture,
}

impl GrandSlam {
    /// Whether a slam that is played captures its seeds.
    pub(super) const fn captures(self) -> bool {
        matches!(self, Self::Capture | Self::ForbiddenUnlessOnlyCapture)
    }
}

/// Which side gets the seeds on the board after a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remaining {
    /// Neither side.
    Nobody,
    /// Each player takes its own row.
    OwnRow,
}

/// When a repeated position ends the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repetition {
    /// The occurrence that ends the game, the first one counted; 2 or more.
    pub occurrences: u8,
    /// Which side gets the seeds on the board.
    pub remaining: Remaining,
}

/// A complete set of rules.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a knob of the rules with its own name"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RuleSet {
    /// What a sowing captures.
    pub capture: Capture,
    /// What a capture of the opponent's whole row does.
    pub grand_slam: GrandSlam,
    /// Whether an opponent with an empty row must be given seeds.
    pub must_feed: bool,
    /// Whether a store of more than 24 seeds, or 24 in both, ends the game.
    pub majority_ends: bool,
    /// Whether an empty row, of either side, ends the game.
    pub row_empty_ends: bool,
    /// Whether two or three seeds that can never be captured end the game.
    pub dead_position_ends: bool,
    /// When a repeated position ends the game.
    pub repetition: Repetition,
    /// Seeds (0–48) that a player that could not feed gives from its store after a `no-move` end.
    pub no_move_gift: u8,
}

/// A named rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// The common core of the French texts; the default.
    Awale,
    /// The rules of international play and of most programs.
    Abapa,
    /// The classic French rules, with their « indétermination » (dead position).
    Classique,
    /// « L'awalé commun »: grand slams are forbidden.
    Commun,
    /// The simplest French text: no early endings.
    Simple,
    /// As played in Abidjan, with the gift to a starved player.
    Abidjan,
    /// The children's game of Abidjan.
    Junior,
    /// The rules of the solved game.
    Awari,
}

impl Preset {
    /// All presets, the default first.
    pub const ALL: [Self; 8] = [
        Self::Awale,
        Self::Abapa,
        Self::Classique,
        Self::Commun,
        Self::Simple,
        Self::Abidjan,
        Self::Junior,
        Self::Awari,
    ];

    /// The name in configurations, lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Awale => "awale",
            Self::Abapa => "abapa",
            Self::Classique => "classique",
            Self::Commun => "commun",
            Self::Simple => "simple",
            Self::Abidjan => "abidjan",
            Self::Junior => "junior",
            Self::Awari => "awari",
        }
    }

    /// The preset of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The rules of the preset.
    pub const fn rules(self) -> RuleSet {
        use GrandSlam::{ForbiddenUnlessOnly, ForbiddenUnlessOnlyCapture};
        const BASE: RuleSet = RuleSet {
            capture: Capture::Chain,
            grand_slam: GrandSlam::NoCapture,
            must_feed: true,
            majority_ends: false,
            row_empty_ends: false,
            dead_position_ends: false,
            repetition: Repetition {
                occurrences: 2,
                remaining: Remaining::Nobody,
            },
            no_move_gift: 0,
        };
        const OWN_ROW: Repetition = Repetition {
            occurrences: 2,
            remaining: Remaining::OwnRow,
        };
        match self {
            Self::Awale => RuleSet {
                majority_ends: true,
                ..BASE
            },
            Self::Abapa => RuleSet {
                majority_ends: true,
                repetition: OWN_ROW,
                ..BASE
            },
            Self::Classique => RuleSet {
                grand_slam: ForbiddenUnlessOnly,
                dead_position_ends: true,
                repetition: OWN_ROW,
                ..BASE
            },
            Self::Commun => RuleSet {
                grand_slam: GrandSlam::Forbidden,
                ..BASE
            },
            Self::Simple => BASE,
            Self::Abidjan => RuleSet {
                no_move_gift: 1,
                ..BASE
            },
            Self::Junior => RuleSet {
                capture: Capture::LastPit,
                grand_slam: GrandSlam::Capture,
                must_feed: false,
                row_empty_ends: true,
                ..BASE
            },
            Self::Awari => RuleSet {
                grand_slam: ForbiddenUnlessOnlyCapture,
                majority_ends: true,
                repetition: Repetition {
                    occurrences: 3,
                    remaining: Remaining::Nobody,
                },
                ..BASE
            },
        }
    }
}

impl Default for RuleSet {
    /// The preset `awale`.
    fn default() -> Self {
        Preset::Awale.rules()
    }
}

const CAPTURES: [(&str, Capture); 2] = [("chain", Capture::Chain), ("last-pit", Capture::LastPit)];
const GRAND_SLAMS: [(&str, GrandSlam); 5] = [
    ("no-capture", GrandSlam::NoCapture),
    ("forbidden", GrandSlam::Forbidden),
    ("forbidden-unless-only", GrandSlam::ForbiddenUnlessOnly),
    (
        "forbidden-unless-only-capture",
        GrandSlam::ForbiddenUnlessOnlyCapture,
    ),
    ("capture", GrandSlam::Capture),
];
const REMAININGS: [(&str, Remaining); 2] = [
    ("nobody", Remaining::Nobody),
    ("own-row", Remaining::OwnRow),
];
const YES_NO: [(&str, bool); 2] = [("true", true), ("false", false)];
const OCCURRENCES: RangeInclusive<u8> = 2..=u8::MAX;
const GIFTS: RangeInclusive<u8> = 0..=48;

impl RuleSet {
    /// The values that a field allows, or `None` for a name that no field has.
    pub fn values(field: &str) -> Option<RuleValues> {
        Some(match field {
            "capture" => RuleValues::Names(names(&CAPTURES)),
            "grand-slam" => RuleValues::Names(names(&GRAND_SLAMS)),
            "repetition.occurrences" => RuleValues::Numbers(OCCURRENCES),
            "repetition.remaining" => RuleValues::Names(names(&REMAININGS)),
            "no-move-gift" => RuleValues::Numbers(GIFTS),
            _ if FIELDS.contains(&field) => RuleValues::TrueOrFalse,
            _ => return None,
        })
    }

    /// Sets one field from the text in a configuration.
    ///
    /// # Errors
    /// The field does not exist, or does not allow the value; the rule set is then unchanged.
    pub fn set(&mut self, field: &str, value: &str) -> Result<(), RuleFieldError> {
        let Some(field) = FIELDS.into_iter().find(|&name| name == field) else {
            return Err(RuleFieldError::UnknownField(field.to_owned()));
        };
        match field {
            "capture" => self.capture = choose(field, value, &CAPTURES)?,
            "grand-slam" => self.grand_slam = choose(field, value, &GRAND_SLAMS)?,
            "must-feed" => self.must_feed = choose(field, value, &YES_NO)?,
            "majority-ends" => self.majority_ends = choose(field, value, &YES_NO)?,
            "row-empty-ends" => self.row_empty_ends = choose(field, value, &YES_NO)?,
            "dead-position-ends" => self.dead_position_ends = choose(field, value, &YES_NO)?,
            "repetition.occurrences" => {
                self.repetition.occurrences = number(field, value, &OCCURRENCES)?;
            }
            "repetition.remaining" => {
                self.repetition.remaining = choose(field, value, &REMAININGS)?;
            }
            _ => self.no_move_gift = number(field, value, &GIFTS)?,
        }
        Ok(())
    }

    /// The text of one field's value, or `None` for a name that no field has.
    pub fn get(&self, field: &str) -> Option<String> {
        Some(match field {
            "capture" => text(&self.capture, &CAPTURES),
            "grand-slam" => text(&self.grand_slam, &GRAND_SLAMS),
            "must-feed" => self.must_feed.to_string(),
            "majority-ends" => self.majority_ends.to_string(),
            "row-empty-ends" => self.row_empty_ends.to_string(),
            "dead-position-ends" => self.dead_position_ends.to_string(),
            "repetition.occurrences" => self.repetition.occurrences.to_string(),
            "repetition.remaining" => text(&self.repetition.remaining, &REMAININGS),
            "no-move-gift" => self.no_move_gift.to_string(),
            _ => return None,
        })
    }

    /// The fields in which these rules differ from a preset, with their values.
    pub fn overrides(&self, preset: Preset) -> Vec<(&'static str, String)> {
        let base = preset.rules();
        FIELDS
            .into_iter()
            .filter(|field| self.get(field) != base.get(field))
            .filter_map(|field| Some((field, self.get(field)?)))
            .collect()
    }
}

fn names<T>(choices: &[(&'static str, T)]) -> Vec<&'static str> {
    choices.iter().map(|(name, _)| *name).collect()
}

fn choose<T: Copy>(
    field: &'static str,
    value: &str,
    allowed: &[(&'static str, T)],
) -> Result<T, RuleFieldError> {
    allowed
        .iter()
        .find(|(name, _)| *name == value)
        .map(|(_, choice)| *choice)
        .ok_or_else(|| {
            let allowed = format!("one of {}", names(allowed).join(", "));
            RuleFieldError::BadValue {
                field,
                value: value.to_owned(),
                allowed,
            }
        })
}

fn number(
    field: &'static str,
    value: &str,
    bounds: &RangeInclusive<u8>,
) -> Result<u8, RuleFieldError> {
    value
        .parse()
        .ok()
        .filter(|number| bounds.contains(number))
        .ok_or_else(|| {
            let (least, most) = (bounds.start(), bounds.end());
            let allowed = format!("a whole number from {least} to {most}");
            RuleFieldError::BadValue {
                field,
                value: value.to_owned(),
                allowed,
            }
        })
}

fn text<T: PartialEq>(value: &T, names: &[(&str, T)]) -> String {
    let entry = names.iter().find(|(_, choice)| choice == value);
    entry
        .map(|(name, _)| (*name).to_owned())
        .expect("every choice has a name")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of presets as the documentation prints it.
    const PUBLISHED: &str = "
        capture                 chain chain chain chain chain chain last-pit chain
        grand-slam              no-capture no-capture forbidden-unless-only forbidden
            no-capture no-capture capture forbidden-unless-only-capture
        must-feed               true true true true true true false true
        majority-ends           true true false false false false false true
        row-empty-ends          false false false false false false true false
        dead-position-ends      false false true false false false false false
        repetition.occurrences  2 2 2 2 2 2 2 3
        repetition.remaining    nobody own-row own-row nobody nobody nobody nobody nobody
        no-move-gift            0 0 0 0 0 1 0 0";

    #[test]
    fn presets_are_as_published() {
        // A row that is too long for a line goes on in the next one.
        let joined = PUBLISHED.replace("\n            ", " ");
        let rows: Vec<&str> = joined.lines().skip(1).collect();
        assert_eq!(rows.len(), FIELDS.len());
        for row in rows {
            let mut cells = row.split_whitespace();
            let field = cells.next().unwrap();
            let values: Vec<&str> = cells.collect();
            assert_eq!(values.len(), Preset::ALL.len());
            for (preset, value) in Preset::ALL.into_iter().zip(values) {
                assert_eq!(
                    preset.rules().get(field).as_deref(),
                    Some(value),
                    "{field}, {preset:?}"
                );
            }
        }
    }

    #[test]
    fn every_field_can_be_set_to_every_presets_value() {
        for from in Preset::ALL {
            for to in Preset::ALL {
                let mut rules = from.rules();
                for field in FIELDS {
                    rules.set(field, &to.rules().get(field).unwrap()).unwrap();
                }
                assert_eq!(rules, to.rules());
                assert_eq!(Preset::from_name(to.name()), Some(to));
                assert!(rules.overrides(to).is_empty());
            }
        }
    }

    #[test]
    fn refusals_name_the_field_and_what_it_takes() {
        let mut rules = RuleSet::default();
        for (field, value, said) in [
            (
                "slam",
                "capture",
                "no rule field is named `slam`; the fields are capture, grand-slam",
            ),
            (
                "grand-slam",
                "often",
                "one of no-capture, forbidden, forbidden-unless-only,",
            ),
            ("must-feed", "yes", "one of true, false"),
            (
                "repetition.occurrences",
                "1",
                "a whole number from 2 to 255",
            ),
            ("no-move-gift", "-1", "a whole number from 0 to 48"),
            ("no-move-gift", "49", "a whole number from 0 to 48"),
        ] {
            let message = rules.set(field, value).unwrap_err().to_string();
            assert!(message.contains(said), "{message}");
        }
        assert_eq!(rules, RuleSet::default());
    }
}
