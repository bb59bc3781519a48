//! The fault of an answer that came too late.

use super::clock::{Limit, Measure};
use super::delay::micros;
use crate::record::{Fault, FaultKind};
use std::fmt::Write as _;
use std::time::Duration;

/// Names the clock that ran out, and all times: wall time, its held-up part, and CPU time.
pub fn timeout(
    limit: &Limit,
    by: Measure,
    [wall, held_up]: [Duration; 2],
    cpu: Option<Duration>,
) -> Fault {
    let cpu = cpu.map_or("unknown".to_owned(), |cpu| format!("{:.3} ms", in_ms(cpu)));
    let (shown, used) = (in_ms(limit.shown), in_ms(wall));
    let mut detail = match (limit.measure, by) {
        (_, Measure::Cpu) => {
            format!("used {cpu} of CPU time of {shown:.3} ms; by the wall clock {used:.3} ms")
        }
        (Measure::Wall, Measure::Wall) => {
            format!("answered after {used:.3} ms of {shown:.3} ms; CPU time {cpu}")
        }
        (Measure::Cpu, Measure::Wall) => format!(
            "answered after {used:.3} ms by the wall clock, which stops a turn of {shown:.3} ms \
             of CPU time at {:.3} ms; CPU time {cpu}",
            in_ms(limit.wall_stop())
        ),
    };
    if !held_up.is_zero() {
        let _ = write!(
            detail,
            "; other programs held it up for {:.3} ms, which do not count",
            in_ms(held_up)
        );
    }
    Fault::new(FaultKind::Timeout, detail).after(micros(wall))
}

fn in_ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
