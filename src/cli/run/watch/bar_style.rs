//! The style of a bar. Its rate and its rest count the games of this session alone: a resumed run
//! begins with many that took no time.

use indicatif::{ProgressState, ProgressStyle};
use std::fmt;
use std::time::Instant;

/// A style with the keys `rate` and `left`; this many games were played before this moment.
pub fn bar_style(template: &str, earlier: usize) -> ProgressStyle {
    let since = Instant::now();
    let rate = move |state: &ProgressState| {
        let played = state.pos().saturating_sub(earlier as u64);
        played as f64 / since.elapsed().as_secs_f64().max(1e-3)
    };
    ProgressStyle::with_template(template)
        .expect("a template without mistakes")
        .with_key(
            "rate",
            move |state: &ProgressState, out: &mut dyn fmt::Write| {
                // A terminal that takes no text takes no error either.
                let _ = write!(out, "{:.1} games/s", rate(state));
            },
        )
        .with_key(
            "left",
            move |state: &ProgressState, out: &mut dyn fmt::Write| {
                let games = state.len().unwrap_or(0).saturating_sub(state.pos());
                let _ = out.write_str(&left(games as f64, rate(state)));
            },
        )
}

/// The time that so many games take at this rate, in games a second.
fn left(games: f64, rate: f64) -> String {
    let seconds = games / rate;
    if !seconds.is_finite() {
        return "–".to_owned();
    }
    if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else if seconds < 7200.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.1} h", seconds / 3600.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_has_one_unit() {
        for (games, rate, text) in [
            (100.0, 0.0, "–"),
            (0.0, 10.0, "0 s"),
            (100.0, 10.0, "10 s"),
            (10_000.0, 10.0, "17 min"),
            (100_000.0, 10.0, "2.8 h"),
        ] {
            assert_eq!(left(games, rate), text);
        }
    }
}
