//! All moves of a game: the exact part and, before it, estimates.
//!
//! An estimated move is compared with the position after it: what the side to move could expect
//! before its move, less what it can expect after it, is what the move has lost. The preferred move
//! of the search has lost nothing, whatever the next search says.

use super::endgame::{Analyst, PlyAnalysis, SolvedPosition};
use super::estimate::{Estimate, Estimator};
use crate::rules::{Game, Pit, PlayError, Position, RuleSet, Side};

/// Less is no loss where it is estimated, in seeds: searches of neighbouring positions differ by
/// as much without a mistake.
const LEAST_ESTIMATED_LOSS: f64 = 0.5;

/// What the end of the game looks like from a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outlook {
    /// South is ahead by so many seeds at the end.
    Difference(f64),
    /// This side wins, by a number of seeds that is not known.
    Winner(Side),
}

/// A move of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveAnalysis {
    /// The plies before it.
    pub ply: usize,
    /// The position before it.
    pub position: Position,
    /// The move.
    pub pit: Pit,
    /// Whether all that follows is exact, or estimated.
    pub is_exact: bool,
    /// The end of the game, if both play as well as possible from this position on.
    pub outlook: Outlook,
    /// The seeds that the move has lost, 0 or more; `None` if it has let a certain win go, or has
    /// made a loss certain, and the seeds are not known.
    pub lost: Option<f64>,
    /// A better move, if it has lost anything.
    pub better: Option<Pit>,
}

/// What is known of a position.
struct Known {
    outlook: Outlook,
    /// The preferred move of an estimate.
    preferred: Option<Pit>,
}

/// Analyses all moves of a game.
///
/// # Errors
/// A move that the rules do not allow.
pub fn all_moves(
    rules: RuleSet,
    start: Position,
    moves: &[Pit],
    (analyst, estimator): (Option<&Analyst>, &mut Estimator),
) -> Result<Vec<MoveAnalysis>, PlayError> {
    let exact = analyst.map(|it| it.analyse(start, moves).plies);
    let exact = exact.unwrap_or_default();
    // Once few seeds are left, there are never more again.
    let first_exact = moves.len() - exact.len();
    let mut game = Game::new(rules, start);
    let mut all = Vec::with_capacity(moves.len());
    let mut known = look(&game, analyst, estimator);
    for (ply, &pit) in moves.iter().enumerate().take(first_exact) {
        let position = game.position();
        game.play(pit)?;
        let next = look(&game, analyst, estimator);
        let (lost, better) = compare(&known, pit, next.outlook);
        all.push(MoveAnalysis {
            ply,
            position,
            pit,
            is_exact: false,
            outlook: known.outlook,
            lost,
            better,
        });
        known = next;
    }
    all.extend(exact.iter().map(exact_move));
    Ok(all)
}

fn exact_move(ply: &PlyAnalysis) -> MoveAnalysis {
    let before = ply.before;
    MoveAnalysis {
        ply: before.ply,
        position: before.position,
        pit: ply.pit,
        is_exact: true,
        outlook: exact_outlook(&before),
        lost: Some(ply.lost().into()),
        better: ply.better,
    }
}

fn exact_outlook(solved: &SolvedPosition) -> Outlook {
    Outlook::Difference(solved.difference(Side::South).into())
}

/// The end of the game as it is, as a database says, or as a search expects it.
fn look(game: &Game, analyst: Option<&Analyst>, estimator: &mut Estimator) -> Known {
    let exact = |outlook| Known {
        outlook,
        preferred: None,
    };
    if let Some(solved) = analyst.and_then(|it| it.solved(game)) {
        return exact(exact_outlook(&solved));
    }
    if let Some(Estimate { outlook, pit }) = estimator.estimate(game) {
        return Known {
            outlook,
            preferred: Some(pit),
        };
    }
    let stores = game.ending().map_or([0; 2], |it| it.stores);
    let [south, north] = stores.map(f64::from);
    exact(Outlook::Difference(south - north))
}

/// What a move has lost by an estimate, and the better move.
fn compare(before: &Known, pit: Pit, after: Outlook) -> (Option<f64>, Option<Pit>) {
    let side = pit.side();
    let lost = match (before.outlook, after) {
        _ if before.preferred == Some(pit) => Some(0.0),
        (Outlook::Difference(before), Outlook::Difference(after)) => {
            let lost = match side {
                Side::South => before - after,
                Side::North => after - before,
            };
            Some(if lost < LEAST_ESTIMATED_LOSS {
                0.0
            } else {
                lost
            })
        }
        (Outlook::Winner(winner), _) if winner != side => Some(0.0),
        (_, Outlook::Winner(winner)) if winner == side => Some(0.0),
        // A win stays one if the number of seeds becomes known.
        (Outlook::Winner(_), Outlook::Difference(after)) if is_ahead(side, after) => Some(0.0),
        _ => None,
    };
    let better = before.preferred.filter(|_| lost != Some(0.0));
    (lost, better)
}

fn is_ahead(side: Side, difference: f64) -> bool {
    match side {
        Side::South => difference > 0.0,
        Side::North => difference < 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::endgame::{EndgameValues, SolvedRules};
    use crate::rules::{Preset, parse_moves};

    fn known(outlook: Outlook, preferred: char) -> Known {
        Known {
            outlook,
            preferred: Pit::from_letter(preferred),
        }
    }

    #[test]
    fn an_estimated_loss_is_what_the_side_could_expect_less_what_it_can() {
        use Outlook::{Difference, Winner};
        use Side::{North, South};
        for (before, pit, after, lost) in [
            (Difference(3.0), 'A', Difference(1.0), Some(2.0)),
            (Difference(3.0), 'A', Difference(4.0), Some(0.0)),
            (Difference(3.0), 'A', Difference(2.75), Some(0.0)),
            (Difference(-3.0), 'a', Difference(-1.0), Some(2.0)),
            (Difference(-3.0), 'a', Difference(-4.0), Some(0.0)),
            // The preferred move loses nothing.
            (Difference(3.0), 'F', Difference(-9.0), Some(0.0)),
            // A certain loss cannot become worse, a win that stays one has lost nothing.
            (Winner(North), 'A', Difference(-5.0), Some(0.0)),
            (Winner(South), 'A', Winner(South), Some(0.0)),
            (Winner(South), 'A', Difference(2.0), Some(0.0)),
            (Difference(1.0), 'A', Winner(South), Some(0.0)),
            // What a certain win was worth is not known.
            (Winner(South), 'A', Difference(0.0), None),
            (Winner(South), 'A', Winner(North), None),
            (Difference(1.0), 'A', Winner(North), None),
            (Winner(North), 'a', Difference(1.0), None),
        ] {
            let pit = Pit::from_letter(pit).unwrap();
            let preferred = known(before, if pit.side() == South { 'F' } else { 'f' });
            let (found, better) = compare(&preferred, pit, after);
            assert_eq!(found, lost, "{before:?} {pit} {after:?}");
            assert_eq!(
                better.is_some(),
                lost != Some(0.0),
                "{before:?} {pit} {after:?}"
            );
        }
    }

    /// Six seeds, of which F takes two; a database of four knows what comes after.
    #[test]
    fn exact_moves_follow_estimated_ones() {
        let rules = Preset::Simple.rules();
        let solved = SolvedRules::of(&rules).unwrap();
        let analyst = Analyst::new(rules, EndgameValues::solve(solved, 4)).unwrap();
        let start = "2-0-0-0-0-1-1-0-0-0-0-2-20-22-S".parse().unwrap();
        let moves = parse_moves("Ff").unwrap();
        let mut estimator = Estimator::new(1_000);
        let with = (Some(&analyst), &mut estimator);
        let all = all_moves(rules, start, &moves, with).unwrap();
        assert_eq!([all[0].is_exact, all[1].is_exact], [false, true]);
        assert_eq!([all[0].ply, all[1].ply], [0, 1]);
        let without = (None, &mut Estimator::new(1_000));
        let estimated = all_moves(rules, start, &moves, without).unwrap();
        assert_eq!(estimated[0].outlook, all[0].outlook, "the same search");
        assert!(!estimated[1].is_exact);
        // A move that the rules do not allow.
        let wrong = parse_moves("Aa").unwrap();
        let with = (None, &mut estimator);
        assert!(
            all_moves(
                rules,
                "0-0-0-0-0-1-1-0-0-0-0-2-20-22-S".parse().unwrap(),
                &wrong,
                with
            )
            .is_err()
        );
    }
}
