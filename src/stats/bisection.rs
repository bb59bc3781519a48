//! Where a condition begins to hold, by halving, to the last bit.

/// The smallest number for which a condition holds that, once true, stays true: found by doubling
/// and then halving, to the last bit. Looks no further than ±2⁶⁰.
pub fn smallest_with(holds: impl Fn(f64) -> bool) -> f64 {
    const MOST_DOUBLINGS: i32 = 60;
    let start_holds = holds(0.0);
    let outwards = if start_holds { -1.0 } else { 1.0 };
    let (mut near, mut far) = (0.0, outwards);
    for _ in 0..MOST_DOUBLINGS {
        if holds(far) != start_holds {
            break;
        }
        near = far;
        far *= 2.0;
    }
    halve(near.min(far), near.max(far), holds)
}

/// Halves the distance between a number for which a condition does not hold and a greater one for
/// which it does, to the last bit.
pub fn halve(mut fails: f64, mut holds: f64, condition: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = fails + (holds - fails) / 2.0;
        if middle <= fails || middle >= holds {
            return holds;
        }
        if condition(middle) {
            holds = middle;
        } else {
            fails = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_finds_both_signs() {
        for edge in [-12.75, 0.0, 0.3, 1e6] {
            assert!(
                (smallest_with(|x| x >= edge) - edge).abs() <= 1e-9_f64.max(edge.abs() * 1e-15)
            );
        }
    }
}
