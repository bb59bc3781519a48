//! Fits slots and limits into what the control groups around this program allow, as in a container:
//! awale itself and, on each slot, two bots at their limits. Where more could be used, one bot
//! within its limit would take from another what that one lacks.
//!
//! First fewer slots are used, then limits are lowered. Processes that are kept for later games get
//! what is left (`cli/run/bot_factory.rs`). Other programs in the same container are not known
//! here: what they take is the host's trouble.

use super::error::{Diagnostic, WHOLE};
use super::keys::tables::Typed;
use crate::bot::{HostLimits, LIMITS, LimitKey, Limits};
use std::fmt::Write as _;

/// Something that bots share with awale, and of which each has a limit.
struct Resource {
    /// The limit of a bot.
    limit: &'static str,
    noun: &'static str,
    /// What awale itself needs: about twice what a run of two slots was seen to use.
    own: u64,
    /// With less, hardly any bot plays.
    least: u64,
}

const MEMORY: Resource = Resource {
    limit: "memory",
    noun: "of memory",
    own: 64 << 20,
    least: 32 << 20,
};
const PROCESSES: Resource = Resource {
    limit: "processes",
    noun: "processes and threads",
    own: 32,
    least: 8,
};

/// Fits a configuration into these limits. Returns the number of slots, and adds one warning if
/// anything was lowered.
///
/// # Errors
/// Not even one slot fits.
pub fn fit(
    typed: &mut Typed,
    mut slots: u32,
    allowed: HostLimits,
    warnings: &mut Vec<String>,
) -> Result<u32, Diagnostic> {
    let resources = [
        (MEMORY, allowed.memory_bytes),
        (PROCESSES, allowed.processes),
    ];
    let mut said = Vec::new();
    for (resource, allowed) in resources {
        let Some(allowed) = allowed else { continue };
        said.extend(resource.fit(typed, &mut slots, allowed)?);
    }
    if !said.is_empty() {
        warnings.push(said.join("; "));
    }
    Ok(slots)
}

impl Resource {
    /// Fits slots, and then the limit, into what is allowed. Says what was lowered.
    fn fit(
        &self,
        typed: &mut Typed,
        slots: &mut u32,
        allowed: u64,
    ) -> Result<Option<String>, Diagnostic> {
        let mut keys = LIMITS.into_iter();
        let key = keys.find(|key| key.name == self.limit);
        let key = key.expect("a limit of bots");
        let [first, second] = largest_pair(all_limits(typed).map(|limits| key.get(&limits)));
        let (pair, room) = (
            first.saturating_add(second),
            allowed.saturating_sub(self.own),
        );
        if pair.saturating_mul((*slots).into()) <= room {
            return Ok(None);
        }
        let wanted = *slots;
        let fitting = u32::try_from(room / pair.max(1)).unwrap_or(wanted);
        *slots = fitting.clamp(1, wanted);
        let mut words = format!(
            "the control groups around this program allow {} {}, less than {} for awale and {} + \
             {} for the bots of each slot: {slots} of {wanted} slots in use",
            key.text(allowed),
            self.noun,
            key.text(self.own),
            key.text(first),
            key.text(second)
        );
        if pair > room {
            let most = rounded(room / 2);
            if most < self.least {
                return Err(Diagnostic::new(WHOLE, self.nothing_fits(&words, &key)));
            }
            lower(typed, &key, most);
            let _ = write!(words, ", and `{}` is at most {}", key.name, key.text(most));
        }
        Ok(Some(words))
    }

    fn nothing_fits(&self, words: &str, key: &LimitKey) -> String {
        format!(
            "{words}, and that leaves less than {} for each of two bots; give this program more, \
             or set a smaller `{}` in [limits]",
            key.text(self.least),
            key.name
        )
    }
}

/// What is left for processes that are kept, after awale and the two bots of each slot: bytes of
/// memory, and processes; `None` where nothing limits them.
pub fn left_for_kept(allowed: HostLimits, slots: u32, limits: &[Limits]) -> [Option<u64>; 2] {
    let left = |resource: Resource, allowed: Option<u64>, get: fn(&Limits) -> u64| {
        let [first, second] = largest_pair(limits.iter().map(get));
        let needed = first.saturating_add(second).saturating_mul(slots.into());
        Some(allowed?.saturating_sub(resource.own).saturating_sub(needed))
    };
    [
        left(MEMORY, allowed.memory_bytes, |limits| limits.memory_bytes),
        left(PROCESSES, allowed.processes, |limits| {
            limits.processes.into()
        }),
    ]
}

fn all_limits(typed: &Typed) -> impl Iterator<Item = Limits> {
    let entrants = typed.entrants.iter();
    entrants.map(|entrant| entrant.limits.or(&typed.limits).values())
}

/// The two largest of these, the largest first.
fn largest_pair(values: impl Iterator<Item = u64>) -> [u64; 2] {
    values.fold([0, 0], |[first, second], value| {
        [first.max(value), second.max(value.min(first))]
    })
}

/// Whole mebibytes.
const fn rounded(value: u64) -> u64 {
    if value < 1 << 20 {
        value
    } else {
        value >> 20 << 20
    }
}

fn lower(typed: &mut Typed, key: &LimitKey, most: u64) {
    typed.limits.lower(key, most);
    for entrant in &mut typed.entrants {
        if entrant.limits.get(key.name).is_some() {
            entrant.limits.lower(key, most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_largest_limits_meet() {
        for (limits, expected) in [
            (&[][..], [0, 0]),
            (&[7], [7, 0]),
            (&[3, 7, 5], [7, 5]),
            (&[7, 7, 1], [7, 7]),
        ] {
            assert_eq!(largest_pair(limits.iter().copied()), expected, "{limits:?}");
        }
    }
}
