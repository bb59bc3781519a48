//! Times and sizes as texts with their unit: `"100ms"`, `"0.5s"`, `"64KiB"`. Bytes as digits.

use std::time::Duration;

/// The units of time, the longest first, in µs.
const TIMES: [(&str, u64); 5] = [
    ("h", 3_600_000_000),
    ("m", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
    ("us", 1),
];

/// The units of size, the largest first, in bytes.
const SIZES: [(&str, u64); 4] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];

/// A time of whole µs; `None` if the text is not one.
pub fn parse_time(text: &str) -> Option<Duration> {
    parse(text, &TIMES).map(Duration::from_micros)
}

/// A size in whole bytes; `None` if the text is not one.
pub fn parse_size(text: &str) -> Option<u64> {
    parse(text, &SIZES)
}

/// The shortest exact text of a time in whole µs.
pub fn time_text(time: Duration) -> String {
    // "h" and "m" are not written: times in seconds are easier to compare.
    text(micros(time), &TIMES[2..])
}

/// A long time in one unit, rounded up: `40 s`, `80 min`, `12 h`, `4 days`.
pub fn long_time(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil().max(1.0);
    if seconds < 120.0 {
        return format!("{seconds:.0} s");
    }
    let minutes = (seconds / 60.0).ceil();
    if minutes < 120.0 {
        return format!("{minutes:.0} min");
    }
    let hours = (minutes / 60.0).ceil();
    if hours < 48.0 {
        format!("{hours:.0} h")
    } else {
        format!("{:.0} days", (hours / 24.0).ceil())
    }
}

/// Whole µs.
pub fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// A time in messages: `12.500 ms`.
pub fn exact_ms(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// Bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digits = digits.map(|digit| b"0123456789abcdef"[usize::from(digit)]);
    digits.map(char::from).collect()
}

/// The shortest exact text of a size.
pub fn size_text(bytes: u64) -> String {
    text(bytes, &SIZES)
}

/// `12.5ms` → 12,500: exact, or `None`. No number is converted to floating point.
fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits_end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(digits_end);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.len() > 9 {
        return None;
    }
    let whole = whole.parse::<u64>().ok()?.checked_mul(*factor)?;
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let parts = fraction.parse::<u128>().ok()? * u128::from(*factor);
    if parts % scale != 0 {
        return None;
    }
    whole.checked_add(u64::try_from(parts / scale).ok()?)
}

fn text(amount: u64, units: &[(&str, u64)]) -> String {
    let exact = |(_, factor): &&(&str, u64)| amount.is_multiple_of(*factor) && amount >= *factor;
    match units.iter().find(exact) {
        Some((name, factor)) => format!("{}{name}", amount / factor),
        None => format!("0{}", units.last().map_or("", |(name, _)| name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_exactly() {
        for (text, micros) in [
            ("100ms", 100_000),
            ("10s", 10_000_000),
            ("2m", 120_000_000),
            ("1h", 3_600_000_000),
            ("250us", 250),
            ("0.5ms", 500),
            ("1.25 s", 1_250_000),
            ("0.001ms", 1),
            ("0s", 0),
        ] {
            let time = parse_time(text).unwrap();
            assert_eq!(time, Duration::from_micros(micros), "{text}");
            assert_eq!(parse_time(&time_text(time)), Some(time), "{text}");
        }
        assert_eq!(time_text(Duration::from_millis(1500)), "1500ms");
        assert_eq!(time_text(Duration::from_secs(120)), "120s");
        assert_eq!(time_text(Duration::ZERO), "0us");
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "100",
            "ms",
            "-1s",
            "+1s",
            "1 ",
            "1.s",
            ".5s",
            "1..5s",
            "1e3s",
            "5 minutes",
            "0.5us",
            "99999999999999999999s",
            "18446744073709551615s",
            "١s",
            "1S",
            "1s2ms",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_read_exactly() {
        for (text, bytes) in [
            ("64KiB", 65_536),
            ("4MiB", 4_194_304),
            ("1GiB", 1_073_741_824),
            ("512B", 512),
            ("0B", 0),
            ("0.5KiB", 512),
        ] {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
            assert_eq!(parse_size(&size_text(bytes)), Some(bytes), "{text}");
        }
        for text in ["64", "64KB", "64k", "0.3B", "-1B"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
        assert_eq!(size_text(65_536), "64KiB");
        assert_eq!(size_text(65_537), "65537B");
    }
}
