//! Strangers' programs that mean harm, at each level of isolation that promises to hold them: real
//! tournaments of real processes. Each villain meets an honest bot while other games are played
//! beside; it must come to the outcome of the table, gain nothing, disturb no other game, and leave
//! nothing on the host.
//!
//! ```text
//! hostile_programs    the villains and what becomes of them
//! namespaces          where they run: namespaces, control groups, memory of their own
//! hostile_tournament  a host: what is planted, which tournaments are played, what is left
//! time_thieves        bots that work in their opponents' turns, and honest ones on a crowded host
//! programs            the villains' programs, in Python and C
//! ```
//!
//! Nothing of this runs outside of such namespaces, and nothing dangerous without isolation.

mod hostile_programs;
mod hostile_tournament;
mod namespaces;
mod time_thieves;

use crate::support::skip::{skip, test_name};
use awale::bot::Level;
use hostile_programs::VILLAINS;
use hostile_tournament::{Host, killings, play_hostile_tournaments};
use namespaces::{Namespaces, find, in_namespaces};
use std::collections::BTreeSet;
use time_thieves::{killed_with_thieves, sleepless_library, strangers, thieves};

fn play(level: Level, root: bool, freeze: bool) {
    with_host(level, root, freeze, play_hostile_tournaments);
}

fn with_host(level: Level, root: bool, freeze: bool, scene: impl FnOnce(&Namespaces, Host)) {
    if level == Level::Box && find("bwrap").is_none() {
        return skip(&test_name(), "no bwrap (package bubblewrap)");
    }
    let host = Host {
        level,
        root,
        freeze,
    };
    in_namespaces(|namespaces| scene(namespaces, host));
}

#[test]
fn a_box_holds_villains_for_root() {
    play(Level::Box, true, true);
}

#[test]
fn a_box_holds_villains_for_a_user() {
    play(Level::Box, false, true);
}

#[test]
fn landlock_holds_villains_for_root() {
    play(Level::Landlock, true, true);
}

#[test]
fn landlock_holds_villains_for_a_user() {
    play(Level::Landlock, false, true);
}

/// Never as root: here only the namespaces of the test hold them, and only harmless ones play.
#[test]
fn without_walls_deadlines_and_caps_hold() {
    play(Level::None, false, true);
}

#[test]
fn processes_that_end_late_cost_their_bot_a_game_of_root() {
    with_host(Level::Box, true, true, hostile_tournament::slow_ends);
}

#[test]
fn processes_that_end_late_cost_their_bot_a_game_of_a_user() {
    with_host(Level::Box, false, true, hostile_tournament::slow_ends);
}

#[test]
fn no_call_outlasts_its_bot_behind_landlock() {
    with_host(Level::Landlock, false, true, hostile_tournament::slow_ends);
}

#[test]
fn thieves_of_time_are_caught_in_a_box_of_root() {
    with_host(Level::Box, true, true, thieves);
}

#[test]
fn thieves_of_time_are_caught_in_a_box_of_a_user() {
    with_host(Level::Box, false, true, thieves);
}

#[test]
fn thieves_of_time_are_caught_behind_landlock_for_root() {
    with_host(Level::Landlock, true, true, thieves);
}

#[test]
fn thieves_of_time_are_caught_behind_landlock_for_a_user() {
    with_host(Level::Landlock, false, true, thieves);
}

#[test]
fn a_sleepless_library_is_no_fault_in_a_box_of_root() {
    with_host(Level::Box, true, true, sleepless_library);
}

#[test]
fn a_sleepless_library_is_no_fault_in_a_box_of_a_user() {
    with_host(Level::Box, false, true, sleepless_library);
}

#[test]
fn a_sleepless_library_is_no_fault_behind_landlock_for_root() {
    with_host(Level::Landlock, true, true, sleepless_library);
}

#[test]
fn a_sleepless_library_is_no_fault_behind_landlock_for_a_user() {
    with_host(Level::Landlock, false, true, sleepless_library);
}

#[test]
fn strangers_make_no_honest_bot_late_in_a_box() {
    with_host(Level::Box, true, true, strangers);
}

#[test]
fn strangers_make_no_honest_bot_late_without_groups() {
    with_host(Level::Box, false, true, strangers);
}

#[test]
fn a_run_killed_while_it_makes_boxes_leaves_no_process() {
    with_host(Level::Box, true, true, killings);
}

#[test]
fn a_killed_run_of_root_leaves_no_thief() {
    with_host(Level::Box, true, true, killed_with_thieves);
}

#[test]
fn a_killed_run_of_a_user_leaves_no_thief() {
    with_host(Level::Landlock, false, true, killed_with_thieves);
}

/// Bots that are never stopped have more time for their deeds.
#[test]
#[ignore = "the full form of scripts/test runs it"]
fn a_box_holds_villains_that_are_never_frozen() {
    play(Level::Box, true, false);
}

#[test]
fn the_table_is_a_table() {
    let names: BTreeSet<&str> = VILLAINS.iter().map(|villain| villain.deed).collect();
    assert_eq!(
        names.len(),
        VILLAINS.len(),
        "each villain has a name of its own"
    );
    assert!(VILLAINS.len() >= 40);
    for villain in VILLAINS {
        assert!(villain.held_by.contains(&Level::Box), "{}", villain.deed);
    }
}
