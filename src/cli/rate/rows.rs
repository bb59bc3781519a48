//! The games of a table during its reading: names as numbers, and few bytes for each game, since
//! there may be millions.

use crate::report::Observations;
use crate::stats::game::{Outcome, RatedEntrant, RatedGame};
use crate::text::shown_bytes;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A game as it is in the table.
#[derive(Clone, Copy)]
pub struct GameText<'a> {
    /// The player that moved first.
    pub south: &'a str,
    /// The player that moved second.
    pub north: &'a str,
    pub outcome: Outcome,
    /// The beginning of the game; empty if it is unknown.
    pub opening: &'a str,
    /// The name of its pair; empty if it has none.
    pub pair: &'a str,
    /// A hash of the beginning and the moves.
    pub content: Option<u64>,
}

/// A hash of what was played, for games whose moves are another's words: the beginning and the
/// moves as they stand in the file.
pub fn text_hash(opening: &str, moves: &[u8]) -> u64 {
    // The keys are fixed and the hash is never stored, so any hash function serves.
    let mut hasher = DefaultHasher::new();
    (opening, moves).hash(&mut hasher);
    // The highest number means that the moves are unknown.
    hasher.finish() >> 1
}

#[derive(Clone, Copy)]
struct ResultRow {
    /// [`NONE`] for a game with an unknown opening.
    opening: u64,
    /// [`NONE`] for a game without a pair.
    pair: u64,
    south: u32,
    north: u32,
    outcome: Outcome,
}

/// Games in rows of sums are counted one by one, so there are bounds to the time that a line takes.
const MOST_POOLED: u64 = 10_000_000;

/// Represents no pair, no opening, or no content.
const NONE: u64 = u64::MAX;

/// Names as numbers.
#[derive(Default)]
struct Numbered(HashMap<String, u64>);

impl Numbered {
    fn number(&mut self, name: &str) -> u64 {
        if name.is_empty() {
            return NONE;
        }
        if let Some(&number) = self.0.get(name) {
            return number;
        }
        let number = self.0.len() as u64;
        self.0.insert(name.to_owned(), number);
        number
    }
}

/// The games so far, with entrants numbered in the order of their first games.
#[derive(Default)]
pub struct NumberedGames {
    entrants: Numbered,
    openings: Numbered,
    pairs: Numbered,
    games: Vec<ResultRow>,
    /// By game, or [`NONE`]; shorter than the games if no later game has one.
    contents: Vec<u64>,
    /// The sums of games without anything else: the two players, and the games won, drawn and lost
    /// by the first one.
    pooled: Vec<([u32; 2], [u64; 3])>,
    unfinished: u64,
    /// The least share of its games that a run has played.
    share: Option<f64>,
    /// The number of files before this one, and the games in them.
    files: u64,
    earlier: usize,
}

/// Entrants by name in alphabetical order, so that the order of the rows has no effect.
pub struct RateTable {
    pub names: Vec<String>,
    /// The games, entrants numbered by their names.
    pub games: Box<dyn Iterator<Item = RatedGame>>,
    /// The kind of observations behind the errors.
    pub observations: Observations,
    /// Whether it is known of each game who moved first.
    pub has_sides: bool,
    /// The number of games that were left out because they were not finished.
    pub unfinished: u64,
    /// The share of its games that a run has played; 1 for all other tables.
    pub share: f64,
}

impl NumberedGames {
    /// Notes the share of its games that a run has played.
    pub fn note_share(&mut self, share: f64) {
        self.share = Some(self.share.map_or(share, |least| least.min(share)));
    }

    /// Begins another file, whose pairs are its own.
    pub fn begin_file(&mut self) {
        self.files += 1;
        self.earlier = self.games.len();
    }

    /// The number of a pair of this file.
    fn pair(&mut self, name: &str) -> u64 {
        // A name that looks like one of a later file gets a file too.
        let is_plain = self.files <= 1 && !name.contains('\n');
        if is_plain || name.is_empty() {
            return self.pairs.number(name);
        }
        self.pairs.number(&format!("{}\n{name}", self.files))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// A player's name is not valid.
    pub fn add(&mut self, game: GameText<'_>) -> Result<(), String> {
        let [south, north] = self.players([game.south, game.north])?;
        let row = ResultRow {
            opening: self.openings.number(game.opening),
            pair: self.pair(game.pair),
            south,
            north,
            outcome: game.outcome,
        };
        if let Some(content) = game.content {
            self.contents.resize(self.games.len(), NONE);
            self.contents.push(content);
        }
        self.games.push(row);
        Ok(())
    }

    /// Adds the sums of games of two players: those that the first one won, drew and lost.
    ///
    /// # Errors
    /// A player's name is not valid; there are too many games.
    pub fn add_pooled(&mut self, players: [&str; 2], games: [u64; 3]) -> Result<(), String> {
        let players = self.players(players)?;
        self.pooled.push((players, games));
        let sums = self.pooled.iter().flat_map(|(_, games)| games);
        if sums.fold(0, |sum: u64, games| sum.saturating_add(*games)) > MOST_POOLED {
            return Err(format!("more than {MOST_POOLED} games are in rows of sums"));
        }
        Ok(())
    }

    /// The numbers of the two players of a game.
    fn players(&mut self, [one, other]: [&str; 2]) -> Result<[u32; 2], String> {
        if one.is_empty() || other.is_empty() {
            return Err("a game needs the names of both players".to_owned());
        }
        if one == other {
            let one = shown_bytes(one.as_bytes());
            return Err(format!("{one} plays itself, which rates no player"));
        }
        Ok([one, other].map(|name| self.entrant(name)))
    }

    /// Counts a game that is left out because it was not finished.
    pub fn leave_out(&mut self) {
        self.unfinished += 1;
    }

    fn entrant(&mut self, name: &str) -> u32 {
        let number = self.entrants.number(name);
        u32::try_from(number).expect("fewer than 2^32 players")
    }

    /// Removes games of this file from pairs that are not real pairs: two games of the same two
    /// players with sides swapped.
    pub fn keep_true_pairs(&mut self) {
        let mut games_of: HashMap<u64, Vec<[u32; 2]>> = HashMap::new();
        let own = &mut self.games[self.earlier..];
        for game in own.iter().filter(|game| game.pair != NONE) {
            let players = [game.south, game.north];
            games_of.entry(game.pair).or_default().push(players);
        }
        let is_pair = |games: &Vec<[u32; 2]>| match games[..] {
            [[south, north], other] => other == [north, south],
            _ => false,
        };
        for game in own {
            if games_of.get(&game.pair).is_some_and(|it| !is_pair(it)) {
                game.pair = NONE;
            }
        }
    }

    /// Removes contents that no other game has: they give no information and cost memory later.
    fn keep_repeated_contents(&mut self) {
        let mut sorted = self.contents.clone();
        sorted.sort_unstable();
        let mut repeated: Vec<u64> = sorted
            .chunk_by(|one, other| one == other)
            .filter(|equal| equal.len() > 1)
            .map(|equal| equal[0])
            .collect();
        repeated.shrink_to_fit();
        drop(sorted);
        for content in &mut self.contents {
            if repeated.binary_search(content).is_err() {
                *content = NONE;
            }
        }
    }

    fn observations(&self) -> Observations {
        let mut observations = Observations {
            games: !self.pooled.is_empty(),
            ..Observations::default()
        };
        for game in &self.games {
            match (game.opening, game.pair) {
                (NONE, NONE) => observations.games = true,
                (NONE, _) => observations.pairs = true,
                _ => observations.openings = true,
            }
        }
        observations
    }

    pub fn sorted(mut self) -> RateTable {
        self.keep_repeated_contents();
        let observations = self.observations();
        let by_name: BTreeMap<String, u64> = self.entrants.0.into_iter().collect();
        let mut places = vec![RatedEntrant(0); by_name.len()];
        for (place, &number) in (0..).zip(by_name.values()) {
            places[usize::try_from(number).expect("a place")] = RatedEntrant(place);
        }
        let contents = self.contents.into_iter().chain(std::iter::repeat(NONE));
        let known = |number: u64| (number != NONE).then_some(number);
        let games = self.games.into_iter().zip(contents);
        let has_sides = self.pooled.is_empty();
        let pooled = pooled_games(self.pooled, places.clone());
        let games = games.map(move |(row, content)| RatedGame {
            south: places[row.south as usize],
            north: places[row.north as usize],
            outcome: row.outcome,
            opening: known(row.opening),
            pair: known(row.pair),
            content: known(content),
        });
        RateTable {
            names: by_name.into_keys().collect(),
            games: Box::new(games.chain(pooled)),
            has_sides,
            observations,
            unfinished: self.unfinished,
            share: self.share.unwrap_or(1.0),
        }
    }
}

/// The games behind sums. The first player stands for South; the sides are not known.
fn pooled_games(
    pooled: Vec<([u32; 2], [u64; 3])>,
    places: Vec<RatedEntrant>,
) -> impl Iterator<Item = RatedGame> {
    let outcomes = [Outcome::SouthWins, Outcome::Draw, Outcome::NorthWins];
    pooled.into_iter().flat_map(move |(players, games)| {
        let [south, north] = players.map(|player| places[player as usize]);
        outcomes
            .into_iter()
            .zip(games)
            .flat_map(move |(outcome, games)| {
                let game = RatedGame {
                    south,
                    north,
                    outcome,
                    opening: None,
                    pair: None,
                    content: None,
                };
                (0..games).map(move |_| game)
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tally::Tally;
    use proptest::prelude::*;

    fn rows(games: &[(&str, &str, &str, Option<u64>)]) -> NumberedGames {
        let mut rows = NumberedGames::default();
        for &(south, north, pair, content) in games {
            rows.add(GameText {
                south,
                north,
                outcome: Outcome::Draw,
                opening: "",
                pair,
                content,
            })
            .expect("two players");
        }
        rows
    }

    #[test]
    fn contents_stay_with_their_games() {
        let games = [
            ("a", "b", "1", None),
            ("b", "a", "1", Some(7)),
            ("a", "b", "", None),
            ("a", "b", "2", Some(8)),
            ("b", "a", "2", Some(7)),
        ];
        let contents =
            |games| -> Vec<_> { rows(games).sorted().games.map(|it| it.content).collect() };
        // Contents that are not repeated are removed.
        assert_eq!(contents(&games), [None, Some(7), None, None, Some(7)]);
        assert_eq!(contents(&games[..4]), [None; 4]);
    }

    /// A game of two players whose content usually determines its sides and its result.
    fn any_game() -> impl Strategy<Value = RatedGame> {
        let opening = proptest::option::of(0..4_u64);
        let content = proptest::option::weighted(0.9, 0..40_u64);
        (content, 0..40_u64, opening, 0..20_u64).prop_map(|(content, other, opening, pair)| {
            let number = content.unwrap_or(other);
            let south = u32::from(number % 2 == 0 || other == 0);
            RatedGame {
                south: RatedEntrant(south),
                north: RatedEntrant(1 - south),
                outcome: match number % 3 {
                    0 => Outcome::SouthWins,
                    1 => Outcome::Draw,
                    _ => Outcome::NorthWins,
                },
                opening,
                pair: (pair > 0).then_some(pair),
                content,
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// A game that is not repeated needs no content: the tally is the same.
        #[test]
        fn contents_of_single_games_tell_nothing(
            mut games in proptest::collection::vec(any_game(), 0..60),
        ) {
            let whole = Tally::from_games(2, games.iter().copied());
            let mut rows = NumberedGames {
                contents: games.iter().map(|it| it.content.unwrap_or(NONE)).collect(),
                ..NumberedGames::default()
            };
            rows.keep_repeated_contents();
            for (game, content) in games.iter_mut().zip(rows.contents) {
                game.content = (content != NONE).then_some(content);
            }
            prop_assert_eq!(Tally::from_games(2, games), whole);
        }
    }

    #[test]
    fn a_pair_is_two_games_with_sides_swapped() {
        let mut rows = rows(&[
            ("a", "b", "swapped", None),
            ("b", "a", "swapped", None),
            ("a", "b", "same seats", None),
            ("a", "b", "same seats", None),
            ("a", "b", "three", None),
            ("b", "a", "three", None),
            ("a", "b", "three", None),
            ("a", "b", "alone", None),
            ("a", "b", "mixed", None),
            ("b", "c", "mixed", None),
            ("a", "b", "", None),
        ]);
        rows.keep_true_pairs();
        let table = rows.sorted();
        let observations = table.observations;
        assert!(observations.pairs && observations.games && !observations.openings);
        let has_pair: Vec<bool> = table.games.map(|game| game.pair.is_some()).collect();
        assert_eq!(has_pair[..2], [true, true]);
        assert!(!has_pair[2..].contains(&true));
    }
}
