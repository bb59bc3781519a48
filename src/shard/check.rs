//! Whether a game that another machine has played is possible in a run.

use crate::record::GameRecord;
use crate::referee::EndgameJudge;
use crate::tournament::{Openings, Plan, Schedule};
use crate::verification::problems_of;
use std::sync::Arc;

/// The most bytes of all texts of a game but what its bots say with their moves, and of each ply: the
/// referee lets no bot say more.
pub const LONGEST_TEXTS: usize = 256 << 10;
const LONGEST_PLY: usize = 32 << 10;
/// The longest name of a host, in bytes.
const LONGEST_HOST: usize = 255;

/// What a game is compared with.
#[derive(Debug)]
pub struct GameCheck {
    /// The plan.
    pub plan: Plan,
    /// Its schedule.
    pub schedule: Schedule,
    openings: Openings,
    endgame: Option<Arc<dyn EndgameJudge>>,
}

impl GameCheck {
    /// For the games of this plan. `endgame` knows the values that it names, if it names any:
    /// without them, a machine could give a game any stores.
    ///
    /// # Errors
    /// A message: the openings of the plan are not known.
    pub fn new(plan: Plan, endgame: Option<Arc<dyn EndgameJudge>>) -> Result<Self, &'static str> {
        assert_eq!(
            plan.endgame.is_some(),
            endgame.is_some(),
            "games that values end are checked with these values"
        );
        Ok(Self {
            schedule: Schedule::new(&plan),
            openings: Openings::of(&plan).ok_or("the openings of the plan are not known")?,
            plan,
            endgame,
        })
    }

    /// Why a game cannot have been played like this.
    pub fn problem(&self, record: &GameRecord) -> Option<String> {
        let mut problems = problems_of(
            record,
            &self.plan,
            &self.schedule,
            &self.openings,
            self.endgame.as_deref(),
        );
        let host = record.at.as_ref().map_or(0, |it| it.host.len());
        if host == 0 || host > LONGEST_HOST {
            problems.push("it names no host".to_owned());
        }
        let most = LONGEST_TEXTS + record.plies.len() * LONGEST_PLY;
        let length = serde_json::to_string(record).map_or(usize::MAX, |it| it.len());
        if length > most {
            problems.push(format!(
                "it has {length} bytes, and such a game has at most {most}"
            ));
        }
        problems.into_iter().next()
    }
}
