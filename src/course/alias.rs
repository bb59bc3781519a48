//! Aliases: the names by which people are shown to each other. Two plain words in ASCII, drawn at
//! random, so that an alias says nothing of the person. A pupil may choose another one in the
//! roster.

use crate::config::Roster;
use crate::text::folded;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use rustix::rand::{GetRandomFlags, getrandom};
use std::collections::BTreeSet;
use std::io;

/// Words that are pleasant to be called.
const ADJECTIVES: [&str; 48] = [
    "able", "amber", "agile", "brave", "bright", "brisk", "calm", "cheerful", "clear", "clever",
    "cosmic", "curious", "daring", "eager", "early", "fair", "fearless", "free", "gentle", "glad",
    "golden", "grand", "happy", "honest", "jolly", "keen", "kind", "lively", "loyal", "lucky",
    "merry", "mighty", "nimble", "noble", "patient", "polite", "proud", "quick", "quiet", "rapid",
    "royal", "silver", "smart", "steady", "sunny", "swift", "tidy", "wise",
];

/// Animals that nobody minds to be.
const ANIMALS: [&str; 64] = [
    "badger",
    "beaver",
    "bison",
    "bobcat",
    "buzzard",
    "camel",
    "caribou",
    "cheetah",
    "condor",
    "coyote",
    "crane",
    "curlew",
    "dolphin",
    "dragonfly",
    "eagle",
    "egret",
    "elk",
    "falcon",
    "ferret",
    "finch",
    "firefly",
    "fox",
    "gazelle",
    "gecko",
    "giraffe",
    "hawk",
    "hedgehog",
    "heron",
    "ibex",
    "ibis",
    "impala",
    "jackdaw",
    "jaguar",
    "kestrel",
    "kingfisher",
    "kiwi",
    "koala",
    "lark",
    "lemur",
    "leopard",
    "lion",
    "lynx",
    "magpie",
    "marmot",
    "marten",
    "meerkat",
    "moose",
    "narwhal",
    "ocelot",
    "octopus",
    "orca",
    "osprey",
    "otter",
    "owl",
    "panda",
    "panther",
    "pelican",
    "penguin",
    "puffin",
    "robin",
    "seal",
    "swan",
    "tiger",
    "zebra",
];

/// Draws words for aliases.
#[derive(Debug)]
pub struct AliasWords(ChaCha8Rng);

impl AliasWords {
    /// Words that nobody can foresee.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn drawn() -> io::Result<Self> {
        let mut seed = [0; 32];
        // The kernel never returns fewer bytes for a request of this size.
        getrandom(&mut seed, GetRandomFlags::empty())?;
        Ok(Self(ChaCha8Rng::from_seed(seed)))
    }

    /// The words that follow from a number.
    #[cfg(test)]
    fn seeded(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn alias(&mut self) -> String {
        let mut word = |words: &[&'static str]| words[self.0.next_u32() as usize % words.len()];
        format!("{} {}", word(&ADJECTIVES), word(&ANIMALS))
    }
}

/// Gives an alias to each person without one, and returns how many there were. No alias is what
/// another person is called.
pub fn give_aliases(roster: &mut Roster, words: &mut AliasWords) -> usize {
    let names = roster.rows().iter();
    let names = names.flat_map(|row| [&row.folder, &row.name, &row.alias]);
    let mut taken: BTreeSet<String> = names.map(|it| folded(it)).collect();
    let rows = roster.rows_mut().iter_mut();
    let mut given = 0;
    for row in rows.filter(|row| row.alias.is_empty()) {
        let drawn = words.alias();
        // A class of thousands has used up most pairs of words.
        let numbered = (2..).map(|number| format!("{drawn} {number}"));
        let mut free = std::iter::once(drawn.clone()).chain(numbered);
        let alias = free.find(|it| taken.insert(folded(it)));
        row.alias = alias.expect("one of endless names is free");
        given += 1;
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RosterRow;

    #[test]
    fn everybody_gets_an_alias_of_his_own() {
        let mut roster = Roster::default();
        for number in 0..5000 {
            roster.push(RosterRow {
                folder: format!("f{number}"),
                alias: if number == 3 { "Mine" } else { "" }.to_owned(),
                ..RosterRow::default()
            });
        }
        assert_eq!(give_aliases(&mut roster, &mut AliasWords::seeded(1)), 4999);
        let aliases: BTreeSet<&str> = roster.rows().iter().map(|it| it.alias.as_str()).collect();
        assert_eq!(aliases.len(), 5000);
        assert_eq!(roster.rows()[3].alias, "Mine");
        assert!(aliases.iter().all(|it| it.is_ascii() && it.len() <= 64));
        // The roster of so many is accepted.
        assert_eq!(Roster::read(&roster.to_csv()), Ok(roster));
    }

    #[test]
    fn words_are_plain_and_listed_once() {
        let words: Vec<&str> = ADJECTIVES.into_iter().chain(ANIMALS).collect();
        let different: BTreeSet<&&str> = words.iter().collect();
        assert_eq!(different.len(), words.len());
        assert!(
            words
                .iter()
                .all(|it| it.bytes().all(|letter| letter.is_ascii_lowercase()))
        );
    }
}
