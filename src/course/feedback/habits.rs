//! How an entrant plays, from the moves of its games: captures that it did not make, and whether it
//! scores less on one side of the board.

use crate::record::GameSummary;
use crate::rules::{Game, GameResult, RuleSet, Side};
use crate::stats::fit::sign_test;
use crate::text::counted;
use std::collections::BTreeMap;

/// The largest probability of a difference of the sides that is told. In a class of thirty, one
/// wrong sentence in three classes is expected.
const LEVEL: f64 = 0.01;

/// What the games of an entrant show.
#[derive(Clone, Debug, Default)]
pub struct Habits {
    /// Its turns with a move that captures.
    could_capture: usize,
    /// Those in which it played another move.
    left: usize,
    /// Twice the points, and the games, as South and as North.
    sides: [(u32, u32); 2],
    /// For each opening, how many more points it has as South than as North, times two. Games from
    /// one opening are one observation.
    openings: BTreeMap<u32, i64>,
}

impl Habits {
    /// Adds a game that counts, which the entrant played on this side.
    pub fn add(&mut self, game: &GameSummary, side: Side, rules: RuleSet) {
        let points = match game.result() {
            Some(GameResult::Win(winner)) => 2 * u32::from(winner == side),
            Some(GameResult::Draw) => 1,
            None => return,
        };
        let (sum, games) = &mut self.sides[side.index()];
        *sum += points;
        *games += 1;
        let difference = self.openings.entry(game.opening).or_default();
        // An even score weighs nothing, so that an opening may have been played on one side alone.
        let weight = i64::from(points) - 1;
        *difference += if side == Side::South { weight } else { -weight };
        self.count_captures(game, side, rules);
    }

    fn count_captures(&mut self, summary: &GameSummary, side: Side, rules: RuleSet) {
        let mut game = Game::new(rules, summary.start);
        for &pit in &summary.moves {
            let position = game.position();
            let takes = |pit| rules.play_unchecked(position, pit).captured > 0;
            if position.to_move() == side && game.legal_moves().iter().any(takes) {
                self.could_capture += 1;
                self.left += usize::from(!takes(pit));
            }
            if game.play(pit).is_err() {
                // The record is not one of these rules; verification says so.
                return;
            }
        }
    }

    /// What the games show, in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let left = self.left;
        let positions = counted(self.could_capture, "position", "positions");
        if left > 0 {
            sentences.push(format!(
                "In {left} of {positions} with a capture it played another move."
            ));
        } else if self.could_capture > 0 {
            sentences.push(format!(
                "It captured in each of {positions} with a capture."
            ));
        }
        sentences.extend(self.about_sides());
        sentences
    }

    /// A sentence, if one side is worse beyond chance.
    fn about_sides(&self) -> Option<String> {
        let count = |is_counted: fn(&i64) -> bool| {
            self.openings.values().filter(|it| is_counted(it)).count() as u64
        };
        let (south, north) = (count(|it| *it > 0), count(|it| *it < 0));
        let chance = sign_test(south.max(north), south.min(north));
        if chance >= LEVEL || self.sides.iter().any(|(_, games)| *games == 0) {
            return None;
        }
        let worse = if south > north {
            Side::North
        } else {
            Side::South
        };
        let better = worse.opponent();
        let score = |side: Side| {
            let (points, games) = self.sides[side.index()];
            format!("{:.0} %", 50.0 * f64::from(points) / f64::from(games))
        };
        let (scores, [worse, better]) =
            ([score(worse), score(better)], [worse, better].map(capital));
        let [low, high] = scores;
        Some(format!(
            "You lose as {worse}: it scores {low} as {worse} and {high} as {better}. It is better \
             as {better} in {} of {} openings; chance alone does that {}.",
            south.max(north),
            south + north,
            if chance < 0.001 {
                "less than once in 1,000 times".to_owned()
            } else {
                format!("{:.0} times in 1,000", (1000.0 * chance).max(1.0))
            }
        ))
    }
}

const fn capital(side: Side) -> &'static str {
    match side {
        Side::South => "South",
        Side::North => "North",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample::game;
    use crate::record::{FaultKind, GameRecord};
    use crate::rules::{Preset, parse_moves};

    fn habits(games: impl IntoIterator<Item = (GameRecord, Side)>) -> Habits {
        let mut habits = Habits::default();
        for (record, side) in games {
            habits.add(&GameSummary::of(&record), side, Preset::Awale.rules());
        }
        habits
    }

    /// Both games of a pair from this opening; the first entrant wins those of these sides.
    fn pair(opening: u32, won: [bool; 2]) -> [(GameRecord, Side); 2] {
        Side::BOTH.map(|side| {
            let names = ["ada", "ben"];
            let own = if won[side.index()] { 30 } else { 18 };
            let (names, stores) = match side {
                Side::South => (names, [own, 48 - own]),
                Side::North => ([names[1], names[0]], [48 - own, own]),
            };
            let id = format!("{opening}.{}", side.index() + 1);
            let record = GameRecord {
                opening,
                ..game(&id, names, stores)
            };
            (record, side)
        })
    }

    fn says_side(habits: &Habits) -> Option<String> {
        let said = habits.sentences();
        said.into_iter().find(|it| it.starts_with("You lose as"))
    }

    #[test]
    fn a_side_is_named_beyond_chance_alone() {
        // Better as South in 7 of 7 openings: 2 / 2⁷ of all cases. In 8 of 8: 2 / 2⁸.
        let lost_as_north =
            |openings| habits((1..=openings).flat_map(|it| pair(it, [true, false])));
        assert_eq!(says_side(&lost_as_north(7)), None);
        let said = says_side(&lost_as_north(8)).unwrap();
        assert_eq!(
            said,
            "You lose as North: it scores 0 % as North and 100 % as South. It is better as South \
             in 8 of 8 openings; chance alone does that 8 times in 1,000."
        );
        let lost_as_south = habits((1..=20).flat_map(|it| pair(it, [false, true])));
        let said = says_side(&lost_as_south).unwrap();
        assert!(said.starts_with("You lose as South: "), "{said}");
        // Even openings say nothing, whatever their number.
        let even = habits((1..=50).flat_map(|it| pair(it, [it % 2 == 0; 2])));
        assert_eq!(says_side(&even), None);
    }

    /// The same opening against many opponents is one observation.
    #[test]
    fn an_opening_counts_once() {
        let same = habits((1..=50).flat_map(|_| pair(1, [true, false])));
        assert_eq!(says_side(&same), None);
    }

    #[test]
    fn a_capture_that_was_possible_is_counted() {
        // South may take two seeds with F, or play A, which takes nothing.
        let start = "1-0-0-0-0-1-1-0-0-0-0-2-22-21-S".parse().unwrap();
        for (moves, expected) in [
            (
                "A",
                "In 1 of 1 position with a capture it played another move.",
            ),
            ("F", "It captured in each of 1 position with a capture."),
        ] {
            let record = GameRecord {
                start,
                ..game("1.1", ["ada", "ben"], [24, 24])
            };
            let mut summary = GameSummary::of(&record);
            summary.moves = parse_moves(moves).unwrap();
            let mut habits = Habits::default();
            habits.add(&summary, Side::South, Preset::Awale.rules());
            let said = &habits.sentences()[0];
            assert_eq!(*said, expected);
            let mut of_north = Habits::default();
            of_north.add(&summary, Side::North, Preset::Awale.rules());
            assert!(of_north.sentences().is_empty());
        }
        let faulted = game("1.1", ["ada", "ben"], [0; 2]).faulted(Side::South, FaultKind::Crash);
        assert_eq!(habits([(faulted, Side::South)]).sides[0], (0, 1));
    }
}
