//! The fault of an answer that came too late, or not at all. Its sentence begins with the verdict;
//! the figures behind it stand in the fault's folder.

use super::clock::{Limit, Measure};
use super::delay::micros;
use super::player::Player;
use crate::record::{Fault, FaultKind, GameEnding};
use std::fmt::Write as _;
use std::time::Duration;

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
    let cpu = cpu.map_or("unknown".to_owned(), exact);
    let (wall_time, preempted) = (exact(wall), exact(preempted));
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

fn exact(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
