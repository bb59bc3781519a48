//! The charging of voids to an entrant: which entrants cause voids, and from which pair on they are
//! losses. This is part of `counted_games`, which settles pairs in schedule order. The result
//! depends on the set of records alone.
//!
//! A void on an entrant's turn may have saved it from a loss. For each entrant a betting test
//! checks whether the voids of its games fall on its turns more often than chance explains
//! ([`crate::stats::disturbance`]). Once the test rejects chance, at a settled pair:
//!
//! ```text
//! later pairs     the first void on the entrant's turn is its loss, whatever came after it
//! earlier pairs   a game that was given up for voids on its turn alone is its loss
//! the rest        what has counted still counts
//! ```
//!
//! A sequential test has counted its earlier pairs already: they do not change.

use super::plan::Plan;
use super::progress::{ATTEMPTS, Attempt, Done, Hit, Progress};
use super::schedule::Pair;
use crate::record::{Charge, ChargedGame, GameId};
use crate::rules::{GameResult, Side};
use crate::stats::disturbance::{Suspicion, Turns};
use crate::tournament::entrant::EntrantIndex;
use std::collections::BTreeMap;

/// The voids of all entrants.
#[derive(Clone, Debug)]
pub struct VoidCharges {
    suspects: Vec<Suspect>,
    charged: Vec<Charge>,
    games: BTreeMap<GameId, ChargedGame>,
}

/// The voids of one entrant.
#[derive(Clone, Debug, Default)]
struct Suspect {
    turns: Turns,
    suspicion: Suspicion,
    is_charged: bool,
    /// Games that were given up for voids on its turns alone.
    given_up: Vec<GivenUp>,
}

/// A game that was given up for voids on one side's turns.
#[derive(Clone, Debug)]
pub struct GivenUp {
    game: GameId,
    charged: ChargedGame,
    pub opponent: EntrantIndex,
}

/// A void that is a loss.
#[derive(Clone, Copy, Debug)]
struct Loss {
    charged: ChargedGame,
    done: Done,
}

impl VoidCharges {
    pub fn new(plan: &Plan) -> Self {
        Self {
            suspects: vec![Suspect::default(); plan.entrants.len()],
            charged: Vec::new(),
            games: BTreeMap::new(),
        }
    }

    /// The entrants to which voids are charged, in the order of the decisions.
    pub fn charged(&self) -> &[Charge] {
        &self.charged
    }

    /// Void games of settled pairs that are losses.
    pub const fn games(&self) -> &BTreeMap<GameId, ChargedGame> {
        &self.games
    }

    /// The result of a game of an unsettled pair, if a void of it is charged.
    pub fn result(&self, pair: &Pair, game: &GameId, progress: &Progress) -> Option<Done> {
        self.loss(pair, game, progress).map(|loss| loss.done)
    }

    fn loss(&self, pair: &Pair, game: &GameId, progress: &Progress) -> Option<Loss> {
        if self.charged.is_empty() {
            return None;
        }
        let sides = pair.sides(game.number);
        let is_charged = |hit: &Hit| self.suspects[sides[hit.side.index()].index()].is_charged;
        let attempts = progress.attempts(game).iter();
        let mut hits = attempts.filter_map(|it| Some((it.number, it.hit.as_deref()?)));
        let (attempt, hit) = hits.find(|(_, hit)| is_charged(hit))?;
        let side = hit.side;
        Some(Loss {
            charged: ChargedGame { attempt, side },
            done: Done {
                result: GameResult::Win(side.opponent()),
                fault: Some(side),
                start: hit.start,
                content: hit.content,
            },
        })
    }

    /// Notes that a game counts with its pair: if it counts because of a void, the tables need
    /// that.
    pub fn count(&mut self, pair: &Pair, game: &GameId, progress: &Progress) {
        if let Some(loss) = self.loss(pair, game, progress) {
            self.games.insert(game.clone(), loss.charged);
        }
    }

    /// Notes that a game was given up.
    pub fn give_up(&mut self, pair: &Pair, game: &GameId, progress: &Progress) {
        let sides = pair.sides(game.number);
        let attempts = progress.attempts(game);
        for side in Side::BOTH {
            let on_turn = |it: &Attempt| it.hit.as_ref().is_some_and(|hit| hit.side == side);
            if attempts.len() == ATTEMPTS as usize && attempts.iter().all(on_turn) {
                let charged = ChargedGame { attempt: 1, side };
                self.suspects[sides[side.index()].index()]
                    .given_up
                    .push(GivenUp {
                        game: game.clone(),
                        charged,
                        opponent: sides[side.opponent().index()],
                    });
            }
        }
    }

    /// Tests the voids of a pair that is being settled; returns the entrants to which voids are
    /// charged from the next pair on.
    pub fn weigh(&mut self, pair: &Pair, progress: &Progress) -> Vec<EntrantIndex> {
        for game in pair.game_ids() {
            let sides = pair.sides(game.number);
            for attempt in progress.attempts(&game) {
                for side in Side::BOTH {
                    let turns = &mut self.suspects[sides[side.index()].index()].turns;
                    turns.merge(&attempt.turns[side.index()]);
                }
                if let Some(hit) = &attempt.hit {
                    self.weigh_hit(sides, hit);
                }
            }
        }
        let proved = |entrant: &EntrantIndex| {
            let suspect = &self.suspects[entrant.index()];
            !suspect.is_charged && suspect.suspicion.is_proved()
        };
        pair.entrants.into_iter().filter(proved).collect()
    }

    fn weigh_hit(&mut self, sides: [EntrantIndex; 2], hit: &Hit) {
        let hit_entrant = sides[hit.side.index()].index();
        let other = sides[hit.side.opponent().index()].index();
        let share = match hit.late_us {
            Some(time_us) => {
                let others = self.suspects[other].turns;
                let own = &mut self.suspects[hit_entrant].turns;
                own.add(time_us);
                own.share_against(&others)
            }
            // A disturbance that is not about time affects both sides equally often.
            None => 0.5,
        };
        self.suspects[hit_entrant].suspicion.hit(share);
        self.suspects[other].suspicion.other_hit();
    }

    /// Charges voids to an entrant after a pair. With `back`, earlier games that were given up for
    /// voids on its turns alone become its losses, and are returned.
    pub fn charge(
        &mut self,
        entrant: EntrantIndex,
        name: &str,
        pair: &Pair,
        back: bool,
    ) -> Vec<GivenUp> {
        let suspect = &mut self.suspects[entrant.index()];
        suspect.is_charged = true;
        let mut lost = std::mem::take(&mut suspect.given_up);
        self.charged.push(Charge {
            entrant: name.to_owned(),
            after: pair.id.clone(),
            voids: suspect.suspicion.hits(),
        });
        if !back {
            lost.clear();
        }
        for it in &lost {
            self.games.insert(it.game.clone(), it.charged);
        }
        lost
    }
}
