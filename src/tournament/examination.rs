//! The admission gate. Before the first game of a tournament an entrant is started in a process of
//! its own, and plays one game against itself and one against the house bot `random`. It may lose
//! them, but not by a fault. These games are not in the journal as games.

use super::game_setup::PlannedGame;
use super::openings::Openings;
use super::plan::Plan;
use crate::record::{
    Evidence, Examiner, Fault, FaultKind, GameEnding, GameId, GameNumber, GameRecord, PairId,
    Refusal, SLEEPS,
};
use crate::referee::play_game;
use crate::rules::Side;
use crate::tournament::plan::EntrantIndex;
use crate::tournament::player_factory::PlayerFactory;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How often a game of an examination is played at most: a void one is repeated three times.
pub const ATTEMPTS: u32 = 4;
/// How often an entrant is examined at most that is too late, and has no other fault. A late move
/// loses a game and not the tournament: after that it is admitted, and its faults in games count.
pub const LATE_ROUNDS: u32 = 3;
/// How often an entrant is examined at most if the host disturbs it, so that a busy minute or two
/// can pass.
pub const ROUNDS: u32 = 4;

/// The examinations before the first game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    /// The entrants that are examined; the others are admitted.
    pub candidates: Vec<EntrantIndex>,
    /// Whether nothing is played unless all are admitted.
    pub required: bool,
    /// Entrants that are refused without a game because their files cannot be used, with the
    /// reason.
    pub unfit: Vec<(EntrantIndex, Refusal)>,
}

/// A game of an examination that ended by the entrant's fault.
#[derive(Debug)]
pub struct FailedGame {
    /// The entrant that was examined.
    pub entrant: EntrantIndex,
    /// The side at fault: against itself, the entrant holds both sides.
    pub side: Side,
    /// The game. Its pair has a number that no other pair has: `0.1` against itself, `0.2` against
    /// `random`.
    pub record: GameRecord,
    /// The logs of South and North.
    pub logs: [Vec<u8>; 2],
    /// The transcripts of South and North, and how their processes ended.
    pub evidence: [Evidence; 2],
}

/// The result of an examination.
#[derive(Debug)]
pub enum AdmissionVerdict {
    /// It was in time, and its side of a game took so long.
    Admitted(Duration),
    /// It was too late in each examination, and is admitted all the same. Its last fault.
    Late(Fault),
    /// It was at fault in a game.
    Refused(Refusal, Box<FailedGame>),
    /// The submitted files cannot be used.
    Unfit(Refusal),
    /// The host disturbed a game too often.
    Disturbed {
        /// Whom it met in that game.
        against: Examiner,
        /// The last disturbance.
        cause: String,
    },
}

/// The examination of one entrant.
pub struct AdmissionExamination<'a, B: PlayerFactory> {
    pub plan: &'a Plan,
    pub openings: &'a Openings,
    pub factory: &'a B,
    pub entrant: EntrantIndex,
}

impl<B: PlayerFactory> AdmissionExamination<'_, B> {
    /// Examines the entrant, again if it is too late. Players that are no longer needed are added
    /// to `leaving`.
    pub async fn hold(&self, leaving: &mut JoinSet<Option<String>>) -> AdmissionVerdict {
        let mut verdict = self.play_games(leaving).await;
        for _ in 1..LATE_ROUNDS {
            if !matches!(verdict, AdmissionVerdict::Late(_)) {
                break;
            }
            verdict = self.play_games(leaving).await;
        }
        verdict
    }

    /// Plays the games once.
    async fn play_games(&self, leaving: &mut JoinSet<Option<String>>) -> AdmissionVerdict {
        let mut own = self.factory.candidate(self.entrant);
        let (mut failed, mut taken) = (None, Duration::ZERO);
        for against in Examiner::ALL {
            let mut other = match against {
                Examiner::Itself => self.factory.candidate(self.entrant),
                Examiner::Random => self.factory.random(),
            };
            let verdict = self.game(against, [&mut own, &mut other]).await;
            self.factory.dismiss(other, leaving);
            match verdict {
                AdmissionVerdict::Admitted(game) => taken += game,
                verdict => {
                    failed = Some(verdict);
                    break;
                }
            }
        }
        self.factory.dismiss(own, leaving);
        // Three sides of the two games are its own, and `random` takes no time.
        failed.unwrap_or(AdmissionVerdict::Admitted(taken / 3))
    }

    /// Plays a game until the host does not disturb it.
    async fn game(&self, against: Examiner, players: [&mut B::Player; 2]) -> AdmissionVerdict {
        let [own, other] = players;
        let mut problem = String::new();
        for attempt in 1..=ATTEMPTS {
            let begun = Instant::now();
            let record = self.play(against, attempt, [&mut *own, &mut *other]).await;
            let logs = [&mut *own, &mut *other].map(|player| self.factory.take_log(player));
            let (side, fault) = match &record.ending {
                GameEnding::Void(void) => {
                    problem.clone_from(&void.cause);
                    continue;
                }
                GameEnding::Fault(side, fault) => (*side, fault.clone()),
                _ => return AdmissionVerdict::Admitted(begun.elapsed()),
            };
            if against == Examiner::Random && side == Side::North {
                problem = random_failed(&fault);
                continue;
            }
            let is_late = fault.kind == FaultKind::Timeout;
            if is_late && !fault.detail.starts_with(SLEEPS) {
                return AdmissionVerdict::Late(fault);
            }
            let evidence = [own, other].map(|player| self.factory.take_evidence(player));
            let failed = FailedGame {
                entrant: self.entrant,
                side,
                record,
                logs,
                evidence,
            };
            let refusal = Refusal::Fault {
                against,
                fault,
                may_pass: false,
            };
            return AdmissionVerdict::Refused(refusal, Box::new(failed));
        }
        AdmissionVerdict::Disturbed {
            against,
            cause: problem,
        }
    }

    async fn play(
        &self,
        against: Examiner,
        attempt: u32,
        players: [&mut B::Player; 2],
    ) -> GameRecord {
        let plan = self.plan;
        let name = plan.entrants[self.entrant.index()].name.as_str();
        let (names, game) = match against {
            Examiner::Itself => ([name, name], GameNumber::First),
            Examiner::Random => ([name, against.name()], GameNumber::Second),
        };
        // The pairs of a plan are counted from 1.
        let pair = PairId::numbered(0);
        let id = GameId { pair, number: game };
        let game = PlannedGame::new(plan, id, names, self.openings.of_examinations());
        let played = play_game(&game.setup(), players).await;
        game.record(played, attempt)
    }
}

/// The house bot is never at fault on a sound host.
fn random_failed(fault: &Fault) -> String {
    let kind: FaultKind = fault.kind;
    format!(
        "the house bot random was at fault: {kind}, {}",
        fault.detail
    )
}
