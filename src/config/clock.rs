//! `[clock]`, and the clocks of entrants that have one of their own.

use crate::config::error::{Diagnostic, Located, WHOLE, wrong};
use crate::config::keys::tables::{TypedClock, TypedEntrant, TypedEntrantClock};
use crate::referee::{ClockError, ClockSettings};
use crate::text::some_names;
use crate::tournament::Entrant;
use std::time::Duration;

/// The clock of all entrants that have none of their own.
pub fn resolve_clock(typed: &TypedClock) -> Result<ClockSettings, Diagnostic> {
    let settings = ClockSettings {
        move_limit: typed.move_limit.as_ref().map(|it| it.value),
        bank: typed.bank.as_ref().map(|it| it.value),
        increment: typed
            .increment
            .as_ref()
            .map_or(Duration::ZERO, |it| it.value),
        nodes: typed.nodes.as_ref().map(|it| it.value),
        margin: typed.margin,
        measure: typed.measure,
    };
    settings.check().map_err(|error| {
        let origin = match (error, &typed.increment) {
            (ClockError::IncrementWithoutBank, Some(increment)) => &increment.origin,
            _ => WHOLE,
        };
        let message = format!("the clock cannot be used: {error}, as in bank = \"10s\"");
        Diagnostic::new(origin, message)
    })?;
    Ok(settings)
}

/// Gives each entrant of the plan its own clock, if it has one that differs from the others', and
/// warns of what Elo are then.
pub fn give_clocks(
    planned: &mut [Entrant],
    typed: &[TypedEntrant],
    common: &ClockSettings,
    warnings: &mut Vec<String>,
) -> Result<(), Diagnostic> {
    for (entrant, typed) in planned.iter_mut().zip(typed) {
        let Some(clock) = &typed.clock else { continue };
        let own = own_clock(&clock.value, common);
        own.check().map_err(|error| {
            let message = format!("the clock of this entrant cannot be used: {error}");
            wrong(&entrant.name, &clock.origin, message)
        })?;
        entrant.clock = Some(own).filter(|own| own != common);
    }
    let own = planned.iter().filter(|it| it.clock.is_some());
    let own: Vec<&str> = own.map(|it| it.name.as_str()).collect();
    if !own.is_empty() {
        warnings.push(format!(
            "with a clock of their own play {}: an Elo of this run is that of a program under its \
             clock, which the standings name",
            some_names(&own)
        ));
    }
    Ok(())
}

/// The clock of an entrant. Its limits are one thing: one that names `move` or `bank` has only what
/// it names, as in `[clock]`. Each other key that is absent is that of all.
fn own_clock(typed: &TypedEntrantClock, common: &ClockSettings) -> ClockSettings {
    let [move_limit, bank] = match (&typed.move_limit, &typed.bank) {
        (None, None) => [common.move_limit, common.bank],
        (own, bank) => [own, bank].map(|it| it.as_ref().map(|it| it.value)),
    };
    let inherited = bank.map_or(Duration::ZERO, |_| common.increment);
    ClockSettings {
        move_limit,
        bank,
        increment: typed.increment.as_ref().map_or(inherited, |it| it.value),
        nodes: typed.nodes.as_ref().map(|it| it.value).or(common.nodes),
        ..*common
    }
}

/// An entrant's clock as a plan writes it, so that nothing of it comes from `[clock]`.
pub fn typed_clock(own: &ClockSettings) -> TypedEntrantClock {
    TypedEntrantClock {
        move_limit: own.move_limit.map(Located::by_default),
        bank: own.bank.map(Located::by_default),
        increment: own.bank.map(|_| Located::by_default(own.increment)),
        nodes: own.nodes.map(Located::by_default),
    }
}
