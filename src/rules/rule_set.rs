//! Every option of the rules, and the nine presets.
//!
//! A rule set is plain data: two rule sets are two games. A configuration, a command line and a
//! message name its fields as serde does: `grand-slam`, `repetition.occurrences`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::RangeInclusive;

/// The occurrences of a position that can end a game.
pub const OCCURRENCES: RangeInclusive<u8> = 2..=u8::MAX;
/// No position occurs so often in a game of 200 plies: it returns after 12 plies at the earliest,
/// so 17 times at most. A number that every bot can count to needs no special case in any of them.
const NEVER: u8 = u8::MAX;
/// The seeds that can be a gift.
pub const GIFTS: RangeInclusive<u8> = 0..=48;

/// What the last seed of a sowing captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capture {
    /// Two or three seeds in the opponent's pit, and backward as long as the pits before contain
    /// two or three.
    Chain,
    /// The last pit in the opponent's row, with any number of seeds, and no chain: the children's
    /// game.
    LastPit,
}

/// The effect of a move whose capture would empty the opponent's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remaining {
    /// Neither side.
    Nobody,
    /// Each player takes its own row.
    OwnRow,
}

/// When a repeated position ends the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Repetition {
    /// The occurrence that ends the game, the first one counted; 2 or more.
    #[serde(deserialize_with = "occurrences")]
    pub occurrences: u8,
    /// Which side gets the seeds on the board.
    pub remaining: Remaining,
}

/// A complete set of rules.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a knob of the rules with its own name"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(default, rename_all = "kebab-case")]
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
    #[serde(deserialize_with = "gift")]
    pub no_move_gift: u8,
}

fn occurrences<'d, D: Deserializer<'d>>(from: D) -> Result<u8, D::Error> {
    within(&OCCURRENCES, from)
}

fn gift<'d, D: Deserializer<'d>>(from: D) -> Result<u8, D::Error> {
    within(&GIFTS, from)
}

fn within<'d, D: Deserializer<'d>>(bounds: &RangeInclusive<u8>, from: D) -> Result<u8, D::Error> {
    let number = u8::try_from(i64::deserialize(from)?).ok();
    number.filter(|it| bounds.contains(it)).ok_or_else(|| {
        let (least, most) = (bounds.start(), bounds.end());
        D::Error::custom(format!("a whole number from {least} to {most}"))
    })
}

/// A named rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
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
    /// The game of CodinGame's arena: `abapa` without a rule about repetition, and a short game.
    Codingame,
}

impl Preset {
    /// All presets, the default first.
    pub const ALL: [Self; 9] = [
        Self::Awale,
        Self::Abapa,
        Self::Classique,
        Self::Commun,
        Self::Simple,
        Self::Abidjan,
        Self::Junior,
        Self::Awari,
        Self::Codingame,
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
            Self::Codingame => "codingame",
        }
    }

    /// The preset of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The plies after which a tournament ends a game of this preset, unless it has a limit of its
    /// own.
    pub const fn max_plies(self) -> u32 {
        match self {
            Self::Codingame => 200,
            _ => 600,
        }
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
            Self::Codingame => RuleSet {
                repetition: Repetition {
                    occurrences: NEVER,
                    ..OWN_ROW
                },
                ..Self::Abapa.rules()
            },
        }
    }
}

impl Default for Repetition {
    /// That of the preset `awale`.
    fn default() -> Self {
        Preset::Awale.rules().repetition
    }
}

impl Default for RuleSet {
    /// The preset `awale`.
    fn default() -> Self {
        Preset::Awale.rules()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of presets as the documentation prints it.
    const PUBLISHED: &str = "
        capture                 chain chain chain chain chain chain last-pit chain chain
        grand-slam              no-capture no-capture forbidden-unless-only forbidden
            no-capture no-capture capture forbidden-unless-only-capture
            no-capture
        must-feed               true true true true true true false true true
        majority-ends           true true false false false false false true true
        row-empty-ends          false false false false false false true false false
        dead-position-ends      false false true false false false false false false
        repetition.occurrences  2 2 2 2 2 2 2 3 255
        repetition.remaining    nobody own-row own-row nobody nobody nobody nobody nobody
            own-row
        no-move-gift            0 0 0 0 0 1 0 0 0";

    #[test]
    fn presets_are_as_published() {
        // A row that is too long for a line goes on in the next one.
        let joined = PUBLISHED.replace("\n            ", " ");
        for row in joined.lines().skip(1) {
            let mut cells = row.split_whitespace();
            let pointer = format!("/{}", cells.next().unwrap().replace('.', "/"));
            let values: Vec<&str> = cells.collect();
            assert_eq!(values.len(), Preset::ALL.len());
            for (preset, value) in Preset::ALL.into_iter().zip(values) {
                let rules = serde_json::to_value(preset.rules()).unwrap();
                let found = rules.pointer(&pointer).unwrap().to_string();
                assert_eq!(found.trim_matches('"'), value, "{pointer}, {preset:?}");
            }
        }
    }

    #[test]
    fn presets_come_back_from_their_names_and_fields() {
        for preset in Preset::ALL {
            assert_eq!(Preset::from_name(preset.name()), Some(preset));
            let name = serde_json::to_value(preset).unwrap();
            assert_eq!(name, preset.name());
            assert_eq!(serde_json::from_value::<Preset>(name).unwrap(), preset);
            let text = serde_json::to_string(&preset.rules()).unwrap();
            assert_eq!(
                serde_json::from_str::<RuleSet>(&text).unwrap(),
                preset.rules()
            );
        }
    }
}
