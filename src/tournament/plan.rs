//! The plan of a tournament: everything that decides its games, resolved. As JSON it stands in the
//! first line of a journal; `document` hashes and compares it in that form. What an earlier version
//! did not write has the value that it had without the key.

use crate::record::GameId;
use crate::referee::{AgreementTerms, ClockSettings, DrawTerms, ResignTerms, time_as_text};
use crate::rules::{Preset, RuleSet, Side};
use crate::stats::sprt::Sprt;
use crate::tournament::formats::{DealtRound, Match};
use crate::tournament::openings::Opening;
use crate::tournament::pair_names::label;
use crate::tournament::secret::Secret;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::Duration;

/// The database whose values end the games of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EndgameTerms {
    /// The most seeds on the board of a game that it ends.
    pub seeds: u8,
    /// The name of the values of all positions of up to so many seeds, in hexadecimal. A larger
    /// database has the same name for them.
    pub sha256: String,
}

/// What is required of an entrant before it may play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdmissionMode {
    /// Two games without a fault; an entrant that fails is left out.
    On,
    /// Nothing.
    #[default]
    Off,
    /// Two games without a fault of every entrant; otherwise nothing is played.
    Required,
}

/// Conditions of all games besides the rules and the entrants.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Conditions {
    /// The level of isolation, by its name.
    pub isolation: String,
    /// Whether a bot that is not on turn is frozen.
    pub freeze: bool,
    /// Folders that every bot may read, as typed.
    pub readable: Vec<String>,
    /// The time for starting a bot, until its first `ready`.
    #[serde(with = "time_as_text")]
    pub start_up: Duration,
    /// The time for each preparation of a game.
    #[serde(with = "time_as_text")]
    pub new_game: Duration,
    /// Processors that each slot takes.
    pub threads_per_bot: u32,
    /// What is required of an entrant before it may play.
    pub admission: AdmissionMode,
}

impl Default for Conditions {
    /// The meaning of absent keys of a plan: no isolation, no admission.
    fn default() -> Self {
        Self {
            isolation: "none".to_owned(),
            freeze: true,
            readable: Vec::new(),
            start_up: Duration::from_secs(10),
            new_game: Duration::from_secs(1),
            threads_per_bot: 1,
            admission: AdmissionMode::Off,
        }
    }
}

/// The most games of a tournament.
pub const MOST_GAMES: u64 = 10_000_000;

/// Who meets whom.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Format {
    /// Every entrant meets every other one.
    RoundRobin,
    /// Each champion meets every other entrant; these are their names.
    Gauntlet(Vec<String>),
    /// Entrants of equal scores meet, nobody twice.
    Swiss {
        /// The number of rounds.
        rounds: u32,
    },
    /// Who loses a match is out.
    Knockout {
        /// The most pairs of a match: more than those of the plan are played while it is drawn.
        most_pairs: u32,
    },
    /// Round robins within groups that the seeding makes equally strong.
    Groups {
        /// The number of groups.
        groups: u32,
    },
    /// Round robins within groups of equal strength, after each of which the best of a division
    /// change places with the worst of the one above.
    Divisions {
        /// The number of divisions.
        divisions: u32,
        /// The number of entrants that move up from each division after a season.
        promoted: u32,
        /// The number of seasons.
        seasons: u32,
    },
    /// One format after another.
    Stages(Vec<Stage>),
}

/// A part of a tournament with a format of its own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Its format, which has no stages.
    pub format: Format,
    /// Pairs of each match.
    pub pairs: u32,
    /// The number of entrants that go on to the next stage; the last stage needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advance: Option<u32>,
}

/// How strong the entrants are held to be before the first game, where a format asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seeding {
    /// An order that is drawn by the secret.
    #[default]
    Draw,
    /// The names of all entrants, the strongest first.
    List(Vec<String>),
}

/// When a round robin that deals its pairs where they tell most has dealt enough.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Until {
    /// The half width, in Elo, that the 95 % interval of the difference of any two neighbours in
    /// the table must not exceed.
    pub error95: f64,
    /// The most pairs of each pairing.
    pub max_pairs: u32,
    /// Two neighbours that are known to be within so many Elo need no smaller error.
    pub equal: f64,
}

/// Where the openings come from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningSource {
    /// Random legal openings of this many plies, an even number.
    Random {
        /// Plies of each opening.
        plies: u32,
    },
    /// A list that was read and checked.
    Listed(Vec<Opening>),
}

/// Which openings a pairing plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningSharing {
    /// Its own order of the openings, derived from the names of the two entrants.
    #[default]
    Own,
    /// The same for all pairings: pair i of every pairing has the same opening. Those of a list are
    /// played in its order.
    Shared,
    /// The same for all pairings, in a drawn order.
    SharedRandom,
}

/// A sequential test that ends a tournament of two entrants once it is decided.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequentialTest {
    /// The test.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// The entrant whose wins count as wins.
    pub new: EntrantIndex,
    /// Whether pairs from an opening that was played before count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeat_openings: bool,
}

/// An entrant's index in the plan's list, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(transparent)]
pub struct EntrantIndex(pub u32);

impl EntrantIndex {
    /// The index as a `usize`.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// More pairs of an entrant and a yardstick than others have.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LongerPairing {
    /// The name of the entrant.
    pub entrant: String,
    /// The name of the yardstick.
    pub yardstick: String,
    /// All pairs of the two.
    pub pairs: u32,
}

/// An entrant of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Entrant {
    /// Its name, unique in the tournament.
    pub name: String,
    /// The identity of its program, as the code that starts it writes it. The tournament stores and
    /// compares this value without reading it.
    #[serde(default)]
    pub program: serde_json::Value,
    /// Whether all others are measured by it: it meets each of them from the same openings and with
    /// the same seeds, so that equal programs play equal games against it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub yardstick: bool,
    /// Its own clock, if that is another one than the plan's. It measures the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockSettings>,
}

/// Everything that decides the games of a tournament.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Plan {
    /// Who meets whom.
    pub format: Format,
    /// The preset from which the rules were derived.
    pub preset: Preset,
    /// The rules, with overrides applied.
    pub rules: RuleSet,
    /// How strong the entrants are held to be; asked where results decide who meets whom.
    #[serde(skip_serializing_if = "is_default")]
    pub seeding: Seeding,
    /// When pairs that are dealt where they tell most are enough; `None` deals all of them equally.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// The rounds that results have decided so far. Each is a line of the journal, and none is a
    /// part of what the plan's hash names.
    #[serde(skip)]
    pub rounds: Vec<DealtRound>,
    /// Pairs of each pairing, or of a match.
    pub pairs: u32,
    /// Pairs of a yardstick and an entrant that is none; `None` if there are no others of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub house_pairs: Option<u32>,
    /// Pairings of an entrant and a yardstick that have more pairs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub longer: Vec<LongerPairing>,
    /// Varies openings and the bots' seeds, together with the secret.
    pub seed: u64,
    /// The key from which openings and the bots' seeds are derived. `None` in a plan that is shown
    /// before its run has drawn one; it cannot be played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    /// Where the openings come from.
    pub openings: OpeningSource,
    /// Which openings a pairing plays.
    pub sharing: OpeningSharing,
    /// The place of the opening in this order with which the first pair begins, from 1; those before
    /// it come after the last.
    #[serde(skip_serializing_if = "is_first")]
    pub opening_start: u32,
    /// Plies after which a game is adjudicated, without those of the opening.
    pub max_plies: u32,
    /// What ends games that perfect play decides; with `None` all are played on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endgame: Option<EndgameTerms>,
    /// What ends games whose winner both bots name; with `None` all are played on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<ResignTerms>,
    /// What ends games that both bots call drawn; with `None` all are played on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawTerms>,
    /// The clock of every entrant that has none of its own.
    pub clock: ClockSettings,
    /// The faults with which an entrant is withdrawn; `None` withdraws no entrant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_faults: Option<MaxFaults>,
    /// Whether players are not told whom they meet.
    pub blind: bool,
    /// Other conditions of all games.
    pub conditions: Conditions,
    /// A test that ends the games once it is decided; with `None` all pairs are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<SequentialTest>,
    /// The entrants, in the order of the configuration.
    pub entrants: Vec<Entrant>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_first(start: &u32) -> bool {
    *start == 1
}

impl Default for Plan {
    /// A plan without entrants and without a secret. Every entrant meets every other one at awalé,
    /// with openings of four random plies and 100 ms a move.
    fn default() -> Self {
        Self {
            format: Format::RoundRobin,
            preset: Preset::Awale,
            rules: Preset::Awale.rules(),
            seeding: Seeding::Draw,
            until: None,
            rounds: Vec::new(),
            pairs: 20,
            house_pairs: None,
            longer: Vec::new(),
            seed: 1,
            secret: None,
            openings: OpeningSource::Random { plies: 4 },
            sharing: OpeningSharing::Own,
            opening_start: 1,
            max_plies: 600,
            endgame: None,
            resign: None,
            draw: None,
            clock: ClockSettings {
                move_limit: Some(Duration::from_millis(100)),
                margin: Duration::from_millis(10),
                ..ClockSettings::default()
            },
            max_faults: None,
            blind: false,
            conditions: Conditions::default(),
            test: None,
            entrants: Vec::new(),
        }
    }
}

impl Plan {
    /// The default plan with these entrants, and `pairs` pairs for each two.
    pub fn round_robin<'a>(
        names: impl IntoIterator<Item = &'a str>,
        pairs: u32,
        secret: Secret,
    ) -> Self {
        let entrants = names.into_iter().map(|name| Entrant {
            name: name.to_owned(),
            program: serde_json::Value::Null,
            yardstick: false,
            clock: None,
        });
        Self {
            pairs,
            secret: Some(secret),
            entrants: entrants.collect(),
            ..Self::default()
        }
    }

    /// The id of a game that bots are told: its own, or in a blind tournament one that reveals
    /// nothing of the pairing.
    ///
    /// # Panics
    /// The plan is blind and has no secret.
    pub fn told_id(&self, game: &GameId) -> String {
        if self.blind {
            self.known_secret().blind_id(self.seed, game)
        } else {
            game.to_string()
        }
    }

    /// The bots' seeds of a game between South and North of these names, South's first. Against a
    /// yardstick they do not depend on who meets it.
    pub(super) fn bot_seeds(&self, game: &GameId, names: [&str; 2]) -> [u64; 2] {
        let secret = self.known_secret();
        let is_yardstick = |name| {
            self.entrants
                .iter()
                .any(|it| it.yardstick && it.name == name)
        };
        let game = match names.map(is_yardstick) {
            [true, false] => Self::game_of_yardstick(game, names[0], Side::South),
            [false, true] => Self::game_of_yardstick(game, names[1], Side::North),
            _ => game.to_string(),
        };
        Side::BOTH.map(|side| secret.bot_seed(self.seed, &game, side))
    }

    /// Names a game by its yardstick and round alone. No id contains a space.
    fn game_of_yardstick(game: &GameId, name: &str, side: Side) -> String {
        format!("{} {} {side}", label(name), game.pair.round())
    }

    /// What bots may agree on in games of the tournament; not in examinations.
    pub const fn agreement(&self) -> AgreementTerms {
        AgreementTerms {
            resign: self.resign,
            draw: self.draw,
        }
    }

    /// The clock of the entrant of this name, or of a bot that is none.
    pub fn clock_of(&self, name: &str) -> ClockSettings {
        let mut own = self.entrants.iter().filter(|it| it.name == name);
        own.find_map(|it| it.clock).unwrap_or(self.clock)
    }

    /// Whether an entrant has another clock than the others: Elo say nothing of a game without odds.
    pub fn has_odds(&self) -> bool {
        self.entrants.iter().any(|it| it.clock.is_some())
    }

    /// The longest wall time that `plies` moves of any entrant can take.
    pub fn longest(&self, plies: u32) -> Duration {
        let clocks = self.entrants.iter().filter_map(|it| it.clock);
        let longest = clocks.map(|clock| clock.longest(plies));
        longest.fold(self.clock.longest(plies), Duration::max)
    }

    /// Whether results decide who meets whom: every round is dealt when those before are settled.
    pub const fn is_dealt(&self) -> bool {
        self.until.is_some() || !matches!(self.format, Format::RoundRobin | Format::Gauntlet(_))
    }

    /// All pairings with the number of their pairs, in each the entrant listed first before the
    /// other; where rounds are dealt, those of the rounds so far.
    pub fn pairings(&self) -> BTreeMap<[EntrantIndex; 2], u32> {
        if self.is_dealt() {
            let mut pairings = BTreeMap::new();
            for (pairing, pairs) in self.dealt_matches().into_iter().flatten() {
                *pairings.entry(pairing).or_default() += pairs;
            }
            return pairings;
        }
        let with_pairs = meetings(self).into_iter().map(|it| (it, self.pairs_of(it)));
        with_pairs.collect()
    }

    /// The matches of each round so far, in each the entrant listed first before the other, and the
    /// number of their pairs. Those of entrants that the plan has no more are left out.
    pub(super) fn dealt_matches(&self) -> Vec<Vec<([EntrantIndex; 2], u32)>> {
        let names = self.entrants.iter().map(|it| it.name.as_str());
        // This map is only looked up, never iterated.
        let entrants: HashMap<&str, EntrantIndex> = names.zip((0..).map(EntrantIndex)).collect();
        let of_match = |dealt: &Match| {
            let [one, other] = dealt
                .entrants
                .each_ref()
                .map(|it| entrants.get(it.as_str()));
            let (one, other) = (*one?, *other?);
            Some(([one.min(other), one.max(other)], dealt.pairs))
        };
        let rounds = self.rounds.iter();
        let rounds = rounds.map(|round| round.matches.iter().filter_map(of_match).collect());
        rounds.collect()
    }

    /// The number of pairs of a pairing that is not dealt.
    fn pairs_of(&self, pairing: [EntrantIndex; 2]) -> u32 {
        let Some(yardstick) = self.yardstick_of(pairing) else {
            return self.pairs;
        };
        let name = |it: EntrantIndex| self.entrants[it.index()].name.as_str();
        let other = if pairing[0] == yardstick {
            pairing[1]
        } else {
            pairing[0]
        };
        let longer = self
            .longer
            .iter()
            .filter(|it| it.yardstick == name(yardstick) && it.entrant == name(other));
        let pairs = self.house_pairs.unwrap_or(self.pairs);
        longer.map(|it| it.pairs).fold(pairs, u32::max)
    }

    /// The yardstick of a pairing, if it measures the other entrant; two yardsticks do not measure
    /// each other.
    pub fn yardstick_of(&self, pairing: [EntrantIndex; 2]) -> Option<EntrantIndex> {
        let is_yardstick = |it: EntrantIndex| self.entrants[it.index()].yardstick;
        match pairing.map(is_yardstick) {
            [true, false] => Some(pairing[0]),
            [false, true] => Some(pairing[1]),
            _ => None,
        }
    }

    pub(super) fn known_secret(&self) -> &Secret {
        let secret = self.secret.as_ref();
        secret.expect("a plan that is played has a secret")
    }

    /// Whether an entrant is a champion of a gauntlet.
    pub fn is_champion(&self, entrant: EntrantIndex) -> bool {
        match &self.format {
            Format::Gauntlet(names) => names.contains(&self.entrants[entrant.index()].name),
            _ => false,
        }
    }

    /// The entrant of this name.
    pub fn entrant(&self, name: &str) -> Option<EntrantIndex> {
        let place = self.entrants.iter().position(|it| it.name == name)?;
        u32::try_from(place).ok().map(EntrantIndex)
    }

    /// The two entrants of a match; `None` if the plan has one of them no more.
    pub fn entrants_of(&self, dealt: &Match) -> Option<[EntrantIndex; 2]> {
        let [one, other] = &dealt.entrants;
        Some([self.entrant(one)?, self.entrant(other)?])
    }

    /// The names of the entrants that all others are measured by.
    pub fn yardsticks(&self) -> Vec<String> {
        let yardsticks = self.entrants.iter().filter(|it| it.yardstick);
        yardsticks.map(|it| it.name.clone()).collect()
    }

    /// The entrants' names, in the order of the configuration.
    pub fn names(&self) -> Vec<String> {
        self.entrants
            .iter()
            .map(|entrant| entrant.name.clone())
            .collect()
    }
}

/// Who meets whom if results do not decide it, in each pairing the entrant listed first before the other.
pub fn meetings(plan: &Plan) -> Vec<[EntrantIndex; 2]> {
    let count = u32::try_from(plan.entrants.len()).expect("a plan's entrants fit in 32 bits");
    let all = (0..count).map(EntrantIndex);
    let champions: Vec<bool> = all.clone().map(|it| plan.is_champion(it)).collect();
    let meet = |pairing: &[EntrantIndex; 2]| {
        !matches!(plan.format, Format::Gauntlet(_))
            || pairing.iter().any(|it| champions[it.index()])
    };
    let pairings = all.flat_map(|first| {
        let later = (first.0 + 1..count).map(EntrantIndex);
        later.map(move |second| [first, second])
    });
    pairings.filter(meet).collect()
}

/// The limits of faults. Exceeding either one withdraws the entrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MaxFaults {
    /// The number of faults with which it is withdrawn.
    pub count: Option<u32>,
    /// The share of its games lost by faults above which it is withdrawn.
    pub share: Option<MaxShare>,
}

/// A share of an entrant's games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MaxShare {
    /// The share in hundredths of a percent: 1000 is 10 %.
    pub hundredths: u32,
    /// The number of counted games from which on the share applies.
    pub after: u32,
}

impl MaxFaults {
    /// Whether an entrant with these faults in these games is withdrawn.
    pub fn withdraws(&self, faults: u32, games: u32) -> bool {
        let by_count = self.count.is_some_and(|count| faults >= count);
        let by_share = self.share.is_some_and(|share| {
            games >= share.after
                && 10_000 * u64::from(faults) > u64::from(share.hundredths) * u64::from(games)
        });
        by_count || by_share
    }
}

/// For example `10 faults, or over 10 % of 50 games or more`.
impl fmt::Display for MaxFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(count) = self.count {
            write!(f, "{count} faults")?;
        }
        if let Some(share) = self.share {
            let either = if self.count.is_some() { ", or " } else { "" };
            let (whole, part) = (share.hundredths / 100, share.hundredths % 100);
            let part = match part {
                0 => String::new(),
                part => format!(".{part:02}"),
            };
            write!(
                f,
                "{either}over {whole}{part} % of {} games or more",
                share.after
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entrant_is_withdrawn_at_the_limit_and_not_before() {
        let share = MaxShare {
            hundredths: 1000,
            after: 50,
        };
        let both = MaxFaults {
            count: Some(10),
            share: Some(share),
        };
        let count = MaxFaults {
            share: None,
            ..both
        };
        let share = MaxFaults {
            count: None,
            ..both
        };
        for (limit, faults, games, withdrawn) in [
            (both, 9, 49, false),
            (both, 10, 10, true),
            (both, 5, 50, false),
            (both, 6, 50, true),
            (both, 6, 59, true),
            (both, 6, 60, false),
            (count, 9, 60, false),
            (count, 10, 1_000_000, true),
            (share, 40, 49, false),
            (share, 100, 1000, false),
            (share, 101, 1000, true),
            (share, 500_000_000, 4_000_000_000, true),
        ] {
            assert_eq!(
                limit.withdraws(faults, games),
                withdrawn,
                "{limit}: {faults} of {games}"
            );
        }
        assert_eq!(
            both.to_string(),
            "10 faults, or over 10 % of 50 games or more"
        );
    }
}
