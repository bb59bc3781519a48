//! The ids of a plan's pairs, and the pair that an id means.
//!
//! The id of a game consists of the labels of both entrants, the round and the game:
//! `ada~greedy.3.1`.

use super::plan::Plan;
use super::rounds::Rounds;
use crate::record::{GameId, LONGEST_LABEL, PairId, is_of_labels};
use crate::text::{folded, slug};
use crate::tournament::plan::EntrantIndex;
use std::collections::HashMap;
use std::sync::Arc;

/// The label of a name without a letter or digit.
const NAMELESS: &str = "entrant";

/// The label of an entrant in ids, file names and addresses. A plain name is its own label, and any
/// other name has its slug: `equipe-bleue` for `Équipe Bleue`. No two entrants of a plan have the same
/// one ([`look_alike`]).
pub fn label(name: &str) -> String {
    if is_plain(name) {
        return name.to_owned();
    }
    let mut label = slug(name);
    label.truncate(LONGEST_LABEL);
    match label.trim_end_matches('-') {
        "" => NAMELESS.to_owned(),
        label => label.to_owned(),
    }
}

/// Whether people or file systems could take one name for the other: they differ in case or in the
/// form of their accents alone, or have the same label.
pub fn look_alike(one: &str, other: &str) -> bool {
    folded(one) == folded(other) || label(one).eq_ignore_ascii_case(&label(other))
}

/// The name with a number, for an entrant whose name looks like another one: `Équipe Bleue 2`. A long
/// name is cut so that its label has the number, too.
pub fn numbered(name: &str, number: u32) -> String {
    let all = name.chars().count();
    let numbered = (1..=all.min(LONGEST_LABEL)).rev().map(|length| {
        let beginning: String = name.chars().take(length).collect();
        format!("{} {number}", beginning.trim_end())
    });
    let end = format!("-{number}");
    let mut fitting = numbered.filter(|it| label(it).ends_with(&end));
    fitting
        .next()
        .unwrap_or_else(|| format!("{NAMELESS} {number}"))
}

/// Whether a name can stand in an id, and would not be a hidden file or a flag there.
fn is_plain(name: &str) -> bool {
    name.len() <= LONGEST_LABEL
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(is_of_labels)
}

/// The ids of a plan's pairs.
#[derive(Clone, Debug)]
pub struct PairNames {
    /// The labels of pairings in the order of a round.
    labels: Vec<Arc<str>>,
    /// The number of each entrant's label.
    // This map is only looked up, never iterated.
    entrants: HashMap<String, EntrantIndex>,
    /// The pairings in the order of a round, which is also theirs, and the places of their pairs.
    rounds: Rounds,
}

impl PairNames {
    /// The ids of this plan's pairs.
    pub fn new(plan: &Plan) -> Self {
        let rounds = Rounds::of(plan);
        debug_assert!(rounds.pairings.is_sorted(), "they are searched");
        // Each entrant has many pairings, but one label.
        let entrants: Vec<String> = plan.entrants.iter().map(|it| label(&it.name)).collect();
        let of_pairing = |pairing: &[EntrantIndex; 2]| {
            let labels = pairing.map(|entrant| entrants[entrant.index()].as_str());
            Arc::from(labels.join("~"))
        };
        let labels = rounds.pairings.iter().map(of_pairing).collect();
        let numbered = entrants.into_iter().zip((0..).map(EntrantIndex));
        Self {
            entrants: numbered.collect(),
            rounds,
            labels,
        }
    }

    /// The pair with this index in the order of a round, and this round; both count from 0.
    ///
    /// # Panics
    /// There is no such pair.
    pub fn pair(&self, pairing: u32, round: u32) -> PairId {
        let label = Arc::clone(&self.labels[pairing as usize]);
        let place = self.place(pairing, round).expect("a pair of the plan");
        PairId::new(place, label, round + 1)
    }

    /// The same id with its place, if the schedule has such a game.
    pub fn placed(&self, id: GameId) -> GameId {
        let round = id.pair.round();
        let found = self.pairing(id.pair.pairing()).and_then(|pairing| {
            let place = self.place(pairing, round.checked_sub(1)?)?;
            Some((pairing, place))
        });
        let Some((pairing, place)) = found else {
            return id;
        };
        let label = Arc::clone(&self.labels[pairing as usize]);
        GameId {
            pair: PairId::new(place, label, round),
            ..id
        }
    }

    /// The index of the pairing with this label in the order of a round.
    fn pairing(&self, label: &str) -> Option<u32> {
        let (first, second) = label.split_once('~')?;
        let entrant = |label| self.entrants.get(label).copied();
        let pairing = [entrant(first)?, entrant(second)?];
        let index = self.rounds.pairings.binary_search(&pairing).ok()?;
        u32::try_from(index).ok()
    }

    /// The place of a pair in the schedule, from 1.
    fn place(&self, pairing: u32, round: u32) -> Option<u32> {
        let place = self.rounds.place(pairing, round)? + 1;
        Some(u32::try_from(place).expect("a plan's pairs fit in 32 bits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameNumber, LONGEST_ID};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn labels_are_short_and_recognisable() {
        for name in ["ada", "Ada-2.1_b", "7"] {
            assert_eq!(label(name), name);
        }
        for (name, expected) in [
            ("Équipe Bleue", "equipe-bleue"),
            ("Béatrice Müller", "beatrice-muller"),
            (".hidden", "hidden"),
            ("_x", "x"),
            ("a/b", "a-b"),
            ("~", "entrant"),
            ("", "entrant"),
        ] {
            assert_eq!(label(name), expected, "{name}");
        }
        assert!(is_plain(&label("名前")), "{}", label("名前"));
        let long = "a".repeat(LONGEST_LABEL);
        assert_eq!(label(&long), long);
        assert_eq!(label(&format!("{long}a")).len(), LONGEST_LABEL);
    }

    #[test]
    fn names_that_look_alike_get_numbers() {
        let long = "à ".repeat(32);
        for (one, other, numbered_label) in [
            ("Greedy", "greedy", "greedy-2"),
            ("Ren\u{e9}e", "Rene\u{301}e", "renee-2"),
            ("Équipe Bleue", "equipe-bleue", "equipe-bleue-2"),
            ("!!", "??", "entrant-2"),
            (
                &long,
                &format!("{long}b"),
                "a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-2",
            ),
        ] {
            assert!(look_alike(one, other), "{one} {other}");
            let third = numbered(other, 2);
            assert_eq!(label(&third).to_lowercase(), numbered_label);
            assert!(!look_alike(one, &third), "{one} {third}");
        }
        assert!(!look_alike("ada", "adam"));
    }

    /// Many plain names, long names, and names that look like labels and ids.
    fn names() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-c._~-]{1,4}",
            "[A-Za-z0-9._~ éñ名-]{1,64}",
            "_[a-c]{0,2}-[0-9a-f]{16}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// No two of (name, name, round, game) have the same id where no names look alike, and every
        /// id is valid everywhere.
        #[test]
        fn ids_are_injective_and_speakable(
            names in proptest::collection::vec(names(), 4),
            rounds in [1..=1_000_000_u32, 1..=20_u32],
        ) {
            let mut distinct: Vec<String> = Vec::new();
            for name in names {
                if !distinct.iter().any(|it| look_alike(it, &name)) {
                    distinct.push(name);
                }
            }
            let names = distinct;
            let mut seen = BTreeMap::new();
            for first in &names {
                for second in &names {
                    for round in rounds {
                        for number in GameNumber::BOTH {
                            let pairing = [first, second].map(|it| label(it)).join("~").into();
                            let pair = PairId::new(1, pairing, round);
                            let id = GameId { pair, number }.to_string();
                            prop_assert!(id.len() <= LONGEST_ID, "{id}");
                            let is_allowed = |it| is_of_labels(it) || it == b'~';
                            prop_assert!(id.bytes().all(is_allowed), "{id}");
                            prop_assert!(id.starts_with(|c: char| c == '_' || c.is_alphanumeric()));
                            prop_assert_eq!(id.parse::<GameId>().unwrap().to_string(), id.clone());
                            let what = (first, second, round, number);
                            let earlier = seen.insert(id, what);
                            prop_assert!(earlier.is_none_or(|it| it == what));
                        }
                    }
                }
            }
        }
    }
}
