//! The exact part: every move that was made with few enough seeds on the board.
//!
//! # Repetition
//!
//! Values hold for a game in which no earlier position can come back (the head of `engine::endgame`
//! says why). A side with an advantage may keep the value with each move and still go round in a
//! circle: the game then ends, and nobody gets what was left. So the move that ends a game by
//! repetition is worth nothing to its side, whatever the position after it is worth. If that side
//! had an advantage, it has lost it with this move. If its opponent had the advantage, the opponent
//! has lost it with its own last move, which is then worth nothing too.
//!
//! Before the end earlier positions are not considered: a side that can only avoid a repetition by
//! a worse move is charged for that move.

use crate::engine::endgame::EndgameValues;
use crate::rules::{EndReason, Game, GameResult, Pit, PitSet, Position, RuleSet, Side};

/// The result that a side can expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// It loses.
    Lost,
    /// Nobody wins.
    Drawn,
    /// It wins.
    Won,
}

impl Due {
    /// What a side gets that ends so many seeds ahead.
    const fn of(difference: i16) -> Self {
        match difference {
            ..0 => Self::Lost,
            0 => Self::Drawn,
            1.. => Self::Won,
        }
    }

    /// What a side got.
    pub fn got(result: GameResult, side: Side) -> Self {
        match result {
            GameResult::Draw => Self::Drawn,
            GameResult::Win(winner) if winner == side => Self::Won,
            GameResult::Win(_) => Self::Lost,
        }
    }
}

/// A position of a game with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolvedPosition {
    /// The plies before it.
    pub ply: usize,
    /// The position.
    pub position: Position,
    /// The seeds that the side to move gains more than its opponent from here on, if both play
    /// perfectly.
    pub value: i8,
}

impl SolvedPosition {
    /// By how many seeds a side is ahead at the end, if both play perfectly from here on.
    pub fn difference(&self, side: Side) -> i16 {
        let [own, other] = [side, side.opponent()].map(|it| i16::from(self.position.store(it)));
        let value = i16::from(self.value);
        let is_mover = side == self.position.to_move();
        own - other + if is_mover { value } else { -value }
    }

    /// The result of a side, if both play perfectly from here on.
    pub fn due(&self, side: Side) -> Due {
        Due::of(self.difference(side))
    }
}

/// A move of a game, made in a position with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlyAnalysis {
    /// The position before the move.
    pub before: SolvedPosition,
    /// The move.
    pub pit: Pit,
    /// What the move was worth, as a value of the position before it. See the head of this file for
    /// a move that has let a game repeat.
    pub value_of_move: i8,
    /// The moves that keep the value.
    pub best: PitSet,
    /// One of them, if the move has lost seeds. `None` too where the move kept the value and
    /// the repetition could have been avoided only earlier.
    pub better: Option<Pit>,
}

impl PlyAnalysis {
    /// The side that made the move.
    pub const fn side(&self) -> Side {
        self.pit.side()
    }

    /// The seeds that the move has lost, 0 or more.
    pub fn lost(&self) -> u8 {
        let lost = i16::from(self.before.value) - i16::from(self.value_of_move);
        u8::try_from(lost).unwrap_or(0)
    }

    /// The result of the side that made the move, before it and after it.
    pub fn due(&self) -> [Due; 2] {
        let after = SolvedPosition {
            value: self.value_of_move,
            ..self.before
        };
        [self.before, after].map(|it| it.due(self.side()))
    }
}

/// The exact part of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameAnalysis {
    /// The first position with a value in which the game was not over.
    pub first: Option<SolvedPosition>,
    /// The moves from there on.
    pub plies: Vec<PlyAnalysis>,
    /// The position after the last move, if it has a value and the rules did not end the game.
    pub last: Option<SolvedPosition>,
}

/// Analyses games under one rule set.
#[derive(Clone, Debug)]
pub struct Analyst {
    rules: RuleSet,
    values: EndgameValues,
}

impl Analyst {
    /// Analyses games under these rules; `None` if the values are those of other rules.
    pub fn new(rules: RuleSet, values: EndgameValues) -> Option<Self> {
        values.serves(&rules).then_some(Self { rules, values })
    }

    /// The most seeds on the board of a position with a value.
    pub const fn seeds(&self) -> u8 {
        self.values.seeds()
    }

    /// The position of a game with its value, if it has one and the game is not over.
    pub fn solved(&self, game: &Game) -> Option<SolvedPosition> {
        let position = game.position();
        game.ending().is_none().then_some(SolvedPosition {
            ply: game.moves().len(),
            position,
            value: self.values.value(position)?,
        })
    }

    /// The exact part of a game. What follows a move that the rules do not allow is left out:
    /// verification reports such a record.
    pub fn analyse(&self, start: Position, moves: &[Pit]) -> GameAnalysis {
        let mut game = Game::new(self.rules, start);
        let mut analysis = GameAnalysis {
            first: self.solved(&game),
            ..GameAnalysis::default()
        };
        for &pit in moves {
            let before = self.solved(&game);
            if game.play(pit).is_err() {
                break;
            }
            analysis.first = analysis.first.or(before);
            analysis
                .plies
                .extend(before.and_then(|it| self.ply(it, pit)));
        }
        analysis.last = self.solved(&game);
        analysis.first = analysis.first.or(analysis.last);
        if game
            .ending()
            .is_some_and(|it| it.reason == EndReason::Repetition)
        {
            self.charge_repetition(&mut analysis.plies);
        }
        analysis
    }

    fn ply(&self, before: SolvedPosition, pit: Pit) -> Option<PlyAnalysis> {
        let best = self.values.best_moves(before.position)?;
        let better = (!best.contains(pit)).then(|| self.values.perfect_move(before.position));
        Some(PlyAnalysis {
            before,
            pit,
            value_of_move: self.values.value_of_move(before.position, pit)?,
            best,
            better: better.flatten(),
        })
    }

    /// The side that had the advantage before the last move has lost it with its own last move.
    fn charge_repetition(&self, plies: &mut [PlyAnalysis]) {
        let mut last = plies.iter_mut().rev();
        let Some(repeating) = last.next() else {
            return;
        };
        repeating.value_of_move = 0;
        let charged = if repeating.before.value < 0 {
            last.next()
        } else {
            Some(repeating)
        };
        if let Some(charged) = charged.filter(|it| it.before.value > 0) {
            charged.value_of_move = 0;
            let perfect = self.values.perfect_move(charged.before.position);
            let others = perfect.into_iter().chain(charged.best.iter());
            charged.better = others.into_iter().find(|pit| *pit != charged.pit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::endgame::{SolvedRules, for_each_position};
    use crate::engine::reference::Rng;
    use crate::rules::{Preset, moves_text, parse_moves};
    use std::collections::HashMap;

    const SEEDS: u8 = 5;

    /// `simple`: no majority ends a game, so that every seed is counted.
    fn analyst(rules: RuleSet) -> Analyst {
        let solved = SolvedRules::of(&rules).unwrap();
        Analyst::new(rules, EndgameValues::solve(solved, SEEDS)).unwrap()
    }

    fn analysed(start: &str, moves: &str) -> GameAnalysis {
        let moves = parse_moves(moves).unwrap();
        analyst(Preset::Simple.rules()).analyse(start.parse().unwrap(), &moves)
    }

    /// Value, value of the move, best moves and the better one of each ply.
    fn shown(analysis: &GameAnalysis) -> Vec<(i8, i8, String, Option<char>)> {
        let plies = analysis.plies.iter().map(|ply| {
            let best: Vec<Pit> = ply.best.iter().collect();
            let better = ply.better.map(Pit::letter);
            (
                ply.before.value,
                ply.value_of_move,
                moves_text(&best),
                better,
            )
        });
        plies.collect()
    }

    /// F takes two of four seeds. North has only f, which goes to A. That makes two there, and all
    /// that South has: nothing is taken. South cannot feed with A, so it takes its row: 2 + 2.
    #[test]
    fn a_move_that_wins_all_seeds() {
        let analysis = analysed("1-0-0-0-0-1-1-0-0-0-0-1-20-24-S", "Ff");
        let expected = [(4, 4, "F".into(), None), (-2, -2, "f".into(), None)];
        assert_eq!(shown(&analysis), expected);
        // 20 + 4 against 24.
        assert_eq!(analysis.plies[0].due(), [Due::Drawn; 2]);
        assert_eq!(analysis.first.unwrap().difference(Side::South), 0);
        assert_eq!(analysis.first.unwrap().difference(Side::North), 0);
        assert_eq!(analysis.last, None);
    }

    /// The same board, but South lets the two seeds go with A. North plays a: nobody can take any
    /// more of the four seeds by force (the plain iteration below says the same), and the draw is
    /// a loss by the seeds that were not taken.
    #[test]
    fn a_move_that_throws_the_draw_away() {
        let analysis = analysed("1-0-0-0-0-1-1-0-0-0-0-1-20-24-S", "Aa");
        let after = "0-1-0-0-0-1-1-0-0-0-0-1-0-0-N".parse().unwrap();
        let worth = -plain_values(Preset::Simple.rules(), 4)[&after];
        let ply = &analysis.plies[0];
        assert_eq!((ply.before.value, ply.value_of_move), (4, worth));
        assert_eq!(ply.better, Pit::from_letter('F'));
        assert_eq!(ply.due(), [Due::Drawn, Due::Lost]);
        assert_eq!(analysis.last.unwrap().ply, 2);
    }

    /// One seed each, and no other move: both go round until the first position is back.
    #[test]
    fn a_repetition_without_an_advantage_charges_nobody() {
        let start = "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S";
        let analysis = analysed(start, "AaBbCcDdEeFf");
        assert_eq!(analysis.plies.len(), 12);
        assert_eq!(analysis.last, None, "the game is over");
        for ply in &analysis.plies {
            assert_eq!((ply.before.value, ply.lost(), ply.better), (0, 0, None));
        }
    }

    /// The values of play that is cut after more and more plies: v(0) = 0, and v(k + 1) is the best
    /// of captured − v(k) after each move. They stop to change.
    fn plain_values(rules: RuleSet, seeds: u8) -> HashMap<Position, i8> {
        let mut values = HashMap::new();
        for count in 0..=seeds {
            for_each_position(count, |position| {
                values.insert(position, 0);
            });
        }
        let of = |values: &HashMap<Position, i8>, position: Position| values[&bare(position)];
        for _ in 0..150 {
            let next = values.keys().map(|&position| {
                let value = if let Some(reason) = rules.ends_at(position) {
                    let [south, north] = rules.settle(position, reason);
                    south.cast_signed() - north.cast_signed()
                } else {
                    let moves = rules.legal_moves(position).iter();
                    let worth = moves.map(|pit| {
                        let played = rules.play_unchecked(position, pit);
                        played.captured.cast_signed() - of(&values, played.position)
                    });
                    worth.max().unwrap()
                };
                (position, value)
            });
            values = next.collect();
        }
        let turned: Vec<_> = values
            .iter()
            .map(|(it, value)| (north(*it), *value))
            .collect();
        values.extend(turned);
        values
    }

    /// The same position for South, with empty stores.
    fn bare(position: Position) -> Position {
        let mut pits = position.pits();
        if position.to_move() == Side::North {
            pits.rotate_left(6);
        }
        Position::new(pits, [0, 0], Side::South).unwrap()
    }

    /// The same position for North.
    fn north(position: Position) -> Position {
        let mut pits = position.pits();
        pits.rotate_left(6);
        Position::new(pits, [0, 0], Side::North).unwrap()
    }

    /// A game of moves that luck chooses, from a start that luck chooses.
    fn random_game(rules: RuleSet, rng: &mut Rng) -> Game {
        let mut pits = [0; 12];
        for _ in 0..SEEDS {
            let places: Vec<usize> = (0..12).collect();
            pits[rng.pick(&places).unwrap()] += 1;
        }
        let store = rng.pick(&[17, 20, 21, 22, 23, 26]).unwrap();
        let start = Position::new(pits, [store, 43 - store], Side::South).unwrap();
        let mut game = Game::new(rules, start);
        while let Some(pit) = rng.pick(&game.legal_moves().iter().collect::<Vec<_>>()) {
            game.play(pit).unwrap();
        }
        game
    }

    /// Every seed that was lost, and no other, is missing from the final stores; and what a move
    /// costs is what the plain values say. A third of these games ends by repetition.
    #[test]
    fn what_was_due_less_what_was_lost_is_what_came() {
        for preset in [Preset::Simple, Preset::Commun] {
            let rules = preset.rules();
            let (analyst, plain) = (analyst(rules), plain_values(rules, SEEDS));
            let mut repetitions = 0;
            for seed in 0..400 {
                let game = random_game(rules, &mut Rng::new(seed, 44));
                let analysis = analyst.analyse(game.start(), game.moves());
                let Some(first) = analysis.first else {
                    continue;
                };
                let ending = game.ending().unwrap();
                let lost = |side| {
                    let plies = analysis.plies.iter().filter(|it| it.side() == side);
                    plies.map(|it| i16::from(it.lost())).sum::<i16>()
                };
                let due = first.difference(Side::South) - lost(Side::South) + lost(Side::North);
                let [south, north] = ending.stores.map(i16::from);
                let line = format!("{} {}", game.start(), moves_text(game.moves()));
                assert_eq!(due, south - north, "{line}");
                let repeats = ending.reason == EndReason::Repetition;
                repetitions += usize::from(repeats);
                let judged = analysis.plies.len() - if repeats { 2 } else { 0 };
                for ply in &analysis.plies[..judged] {
                    let played = rules.play_unchecked(ply.before.position, ply.pit);
                    let before = plain[&bare(ply.before.position)];
                    let after = played.captured.cast_signed() - plain[&bare(played.position)];
                    assert_eq!(i16::from(ply.lost()), i16::from(before - after), "{line}");
                    assert_eq!(ply.lost() > 0, ply.better.is_some(), "{line}");
                }
            }
            assert!(repetitions > 40, "{repetitions}");
        }
    }
}
