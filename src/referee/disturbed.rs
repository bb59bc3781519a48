//! Games that the host or the other side disturbed: which silence is void, who is at fault for a
//! lack of resources, and what is recorded of a void.

use super::clock::Limit;
use super::player::Player;
use crate::record::{Fault, FaultKind, GameEnding, Void};
use crate::referee::delay::micros;
use crate::rules::Side;
use std::fmt::Write as _;

/// Makes a silence void if the host explains it. Otherwise it stays a fault, with the figures.
pub fn void_if_host_late<P: Player>(
    players: &[&mut P; 2],
    limit: &Limit,
    ending: GameEnding,
) -> GameEnding {
    let (side, mut fault) = match ending {
        GameEnding::Fault(side, fault) if fault.kind == FaultKind::Timeout => (side, fault),
        _ => return ending,
    };
    let Some(delay) = players[side.index()].host_delay() else {
        return GameEnding::Fault(side, fault);
    };
    if let Some(lost) = delay.excused(limit.wall_stop()) {
        let void = Void::new(delay.cause(lost)).of(side);
        return GameEnding::Void(Void {
            late_us: Some(micros(delay.used.saturating_sub(lost))),
            ..void
        });
    }
    let _ = write!(fault.figures, "; {}", delay.describe_figures());
    GameEnding::Fault(side, fault)
}

/// A bot that crashes, is late or cannot be started may have lacked processes that another bot
/// holds beyond its limit. If that bot is the other side, it is at fault; if it plays another game,
/// the game is void.
pub fn blame_resource_hog<P: Player>(
    players: &[&mut P; 2],
    side: Side,
    ending: GameEnding,
) -> GameEnding {
    let fault = match &ending {
        GameEnding::Void(_) => None,
        GameEnding::Fault(guilty, fault) if *guilty == side && may_be_of_lack(fault) => Some(fault),
        _ => return ending,
    };
    let other = side.opponent();
    if let Some(fault) = players[other.index()].too_many_processes() {
        return GameEnding::Fault(other, fault);
    }
    // A void game has its cause already.
    let elsewhere = fault.and_then(|_| players[side.index()].too_many_elsewhere());
    match fault.zip(elsewhere) {
        Some((fault, elsewhere)) => {
            let cause = format!("{}; meanwhile {elsewhere}", fault.detail);
            GameEnding::Void(Void::new(cause).of(side))
        }
        None => ending,
    }
}

const fn may_be_of_lack(fault: &Fault) -> bool {
    matches!(
        fault.kind,
        FaultKind::Crash | FaultKind::StartFailure | FaultKind::Timeout
    )
}

/// Adds to a void the side that was on turn or getting ready, and its family's CPU time. `late_us`
/// reads what only the player on turn knows.
pub fn with_void_details<P: Player>(
    players: &mut [&mut P; 2],
    on_turn: Side,
    ending: GameEnding,
    late_us: impl Fn(&P) -> Option<u64>,
) -> GameEnding {
    let GameEnding::Void(mut void) = ending else {
        return ending;
    };
    // The waiting side's CPU time is in the game's `off_turn_us`.
    let own = players[on_turn.index()].cpu_since_asked();
    void.cpu_us[on_turn.index()] = own.map(micros);
    void.late_us = void.late_us.or_else(|| late_us(players[on_turn.index()]));
    GameEnding::Void(void.on_turn(on_turn))
}

/// If the host took at least half of a preparation, its void is about time: returns the rest, in
/// µs.
pub fn unprepared_us<P: Player>(player: &P) -> Option<u64> {
    let delay = player.host_delay()?;
    let lost = delay.excused(delay.used / 2)?;
    Some(micros(delay.used.saturating_sub(lost)))
}
