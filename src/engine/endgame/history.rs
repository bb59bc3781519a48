//! Values of games in which earlier positions may come back.
//!
//! In the middle of a stretch without captures a return to an earlier position ends the game, and
//! pays nothing more. Call the player that the value favours the *leader*.
//!
//! * Is the value 0, nobody can force more than 0, and a repetition pays 0: it holds.
//! * The other player can always keep the leader from more than the value, and a repetition pays
//!   the leader less.
//! * The leader gets the value from the moves of [`EndgameValues::perfect_move`], which come back
//!   to no position of their own. They get it here as well if no answer to them leads to an earlier
//!   position. That is tried: all answers, until a capture.

use super::values::EndgameValues;
use crate::rules::{Game, Position, Side};
use std::collections::HashSet;

/// Positions that are looked at before the question is given up: a few milliseconds.
const MOST_POSITIONS: usize = 10_000;

impl EndgameValues {
    /// The value of a game as it stands, for the side to move, with its history.
    ///
    /// `None` if the game is over, has too many seeds on the board or other rules, or an earlier
    /// position may change the value.
    pub fn value_in(&self, game: &Game) -> Option<i8> {
        if game.ending().is_some() || !self.serves(game.rules()) {
            return None;
        }
        let position = game.position();
        let value = self.value(position)?;
        let leader = if value > 0 {
            position.to_move()
        } else {
            position.to_move().opponent()
        };
        let (_, earlier) = game.history().positions().split_last()?;
        let holds = value == 0 || earlier.is_empty() || self.keeps_off(earlier, position, leader);
        holds.then_some(value)
    }

    /// Whether no answer to the perfect moves of this side leads to one of these positions before
    /// the next capture.
    fn keeps_off(&self, earlier: &[Position], from: Position, leader: Side) -> bool {
        let solved = self.rules();
        let rules = solved.rules();
        let (mut open, mut seen) = (vec![from], HashSet::from([from]));
        while let Some(position) = open.pop() {
            let legal = rules.legal_moves(position);
            let perfect = self.perfect_move(position);
            let is_leaders = position.to_move() == leader;
            let moves = legal.filter(|pit| !is_leaders || Some(pit) == perfect);
            for pit in moves {
                let played = rules.play_unchecked(position, pit);
                if played.captured > 0 || !seen.insert(played.position) {
                    continue;
                }
                if earlier.contains(&played.position) || seen.len() > MOST_POSITIONS {
                    return false;
                }
                open.push(played.position);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::endgame::{SolvedRules, for_each_position};
    use crate::engine::rng::Rng;
    use crate::rules::{Pit, Preset};

    /// What the leader gets if it plays perfectly from here, and its opponent anyhow.
    fn least_gain(values: &EndgameValues, game: &Game, leader: Side, rng: &mut Rng) -> i8 {
        let gain = |stores: [u8; 2]| {
            let [own, other] = [leader, leader.opponent()].map(|side| stores[side.index()]);
            own.cast_signed() - other.cast_signed()
        };
        let plays = (0..20).map(|_| {
            let mut play = game.clone();
            while play.ending().is_none() {
                let legal: Vec<Pit> = play.legal_moves().into_iter().collect();
                let pit = if play.position().to_move() == leader {
                    values.perfect_move(play.position())
                } else {
                    rng.pick(&legal)
                };
                play.play(pit.unwrap()).unwrap();
            }
            gain(play.ending().unwrap().stores) - gain(game.position().stores())
        });
        plays.min().unwrap()
    }

    /// Games in the middle of a stretch without captures, by rules that stop none early.
    #[test]
    fn a_value_holds_whatever_the_opponent_does() {
        let rules = Preset::Simple.rules();
        let values = EndgameValues::solve(SolvedRules::of(&rules).unwrap(), 6);
        let mut rng = Rng::new(9, 0);
        let (mut held, mut open, mut number) = (0, 0, 0_u32);
        for_each_position(6, |position| {
            number += 1;
            let mut game = Game::new(rules, position);
            if !number.is_multiple_of(5) || game.ending().is_some() {
                return;
            }
            assert_eq!(values.value_in(&game), values.value(position));
            for _ in 0..12 {
                let legal: Vec<Pit> = game.legal_moves().into_iter().collect();
                let Some(pit) = rng.pick(&legal) else { break };
                game.play(pit).unwrap();
            }
            if game.ending().is_some() || game.history().len() < 4 {
                return;
            }
            let Some(value) = values.value_in(&game) else {
                open += 1;
                return;
            };
            held += 1;
            assert_eq!(Some(value), values.value(game.position()));
            let mover = game.position().to_move();
            let leader = if value > 0 { mover } else { mover.opponent() };
            if value != 0 {
                let least = least_gain(&values, &game, leader, &mut rng);
                assert!(
                    least >= value.abs(),
                    "{} {:?}",
                    game.position(),
                    game.moves()
                );
            }
        });
        assert!(held > 100 && open > 0, "{held} {open}");
    }

    #[test]
    fn a_game_that_is_over_or_of_other_rules_has_no_value() {
        let rules = Preset::Awale.rules();
        let values = EndgameValues::solve(SolvedRules::of(&rules).unwrap(), 4);
        let value = |rules, text: &str| values.value_in(&Game::new(rules, text.parse().unwrap()));
        // F takes two seeds, and North the last one.
        assert_eq!(value(rules, "0-0-0-0-0-1-1-0-1-0-0-0-22-22-S"), Some(1));
        assert_eq!(value(rules, "0-0-0-0-0-1-1-0-1-0-0-0-25-20-S"), None);
        assert_eq!(value(rules, "1-1-1-1-1-1-0-0-0-0-0-0-20-20-S"), None);
        let commun = Preset::Commun.rules();
        assert_eq!(value(commun, "0-0-0-0-0-1-1-0-1-0-0-0-22-22-S"), None);
    }
}
