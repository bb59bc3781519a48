//! Late, missing and disturbed answers: the fault of an answer that came too late or not at all,
//! which silence is void because of the host, which side is at fault for a lack of resources, and
//! what is recorded of a void. The sentence of a fault begins with the verdict; the figures behind
//! it stand in the fault's folder.

use crate::record::{Fault, FaultKind, GameEnding, Void};
use crate::referee::clock::{Limit, Measure};
use crate::referee::player::Player;
use crate::rules::Side;
use crate::text::{exact_ms, micros};
use std::fmt::Write as _;
use std::time::Duration;

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

/// A delay below this is not told: the scheduler and its clocks are not more exact.
const WORTH_TELLING: Duration = Duration::from_millis(1);

/// The fault of an answer that came too late by this measure: what the program itself used, the
/// clock that ran out, and in the figures the wall time, its held-up part and the CPU time.
pub fn timeout(
    limit: &Limit,
    by: Measure,
    [wall, preempted]: [Duration; 2],
    cpu: Option<Duration>,
) -> Fault {
    let own = ms(wall.saturating_sub(preempted));
    let margin = ms(limit.deadline.saturating_sub(limit.shown));
    let shown = ms(limit.shown);
    let mut detail = match (limit.measure, by) {
        (_, Measure::Cpu) => format!(
            "too late: the program itself used {} of CPU time; the limit was {shown} and {margin} \
             margin",
            ms(cpu.unwrap_or_default())
        ),
        (Measure::Wall, Measure::Wall) => format!(
            "too late: the program itself used {own}; the limit was {shown} and {margin} margin"
        ),
        (Measure::Cpu, Measure::Wall) => format!(
            "too late: the program itself took {own} by the wall clock, which stops a turn of \
             {shown} of CPU time and {margin} margin after {}",
            ms(limit.wall_stop())
        ),
    };
    if preempted >= WORTH_TELLING {
        let preempted = ms(preempted);
        let _ = write!(
            detail,
            ". The machine's delay of {preempted} was not charged"
        );
    }
    let cpu = cpu.map_or("unknown".to_owned(), exact_ms);
    let (wall_time, preempted) = (exact_ms(wall), exact_ms(preempted));
    Fault {
        figures: format!("wall time {wall_time}; preempted for {preempted}; CPU time {cpu}"),
        ..Fault::new(FaultKind::Timeout, detail).after(micros(wall))
    }
}

/// The same for a bot that gave no answer within its limit; what is known of its silence follows.
pub fn silence<P: Player>(players: &[&mut P; 2], limit: &Limit, ending: GameEnding) -> GameEnding {
    match ending {
        GameEnding::Fault(side, fault) if fault.kind == FaultKind::Timeout => {
            let wall = fault.time_us.map(Duration::from_micros);
            let Some(wall) = wall.filter(|wall| *wall >= limit.wall_stop()) else {
                return GameEnding::Fault(side, fault);
            };
            let delay = players[side.index()].host_delay();
            let preempted = delay.map_or(Duration::ZERO, |delay| delay.lost());
            let late = timeout(limit, Measure::Wall, [wall, preempted], None);
            let detail = format!("{} ({})", late.detail, fault.detail);
            GameEnding::Fault(side, Fault { detail, ..fault })
        }
        ending => ending,
    }
}

/// A time in ms, rounded up to a tenth: what is over a limit is shown over it.
fn ms(time: Duration) -> String {
    let tenths = time.as_micros().div_ceil(100);
    match tenths % 10 {
        0 => format!("{} ms", tenths / 10),
        tenth => format!("{}.{tenth} ms", tenths / 10),
    }
}
