//! Strangers' programs that mean harm, at each level of isolation that promises to hold them: real
//! tournaments of real processes. Each villain meets an honest bot while other games are played
//! beside; it must come to the outcome of the table, gain nothing, spoil no other game, and leave
//! nothing on the host.
//!
//! ```text
//! villains/table    the villains and what becomes of them
//! villains/arena    where they are let loose: namespaces, control groups, memory of its own
//! villains/night    a host: what is planted, which tournaments are played, what is left
//! villains/hostile  their programs, in Python and C
//! ```
//!
//! Nothing of this runs outside an arena, and nothing dangerous without walls.

#[path = "villains/arena.rs"]
mod arena;
#[path = "villains/night.rs"]
mod night;
#[path = "villains/table.rs"]
mod table;

use arena::{arena, find, skip};
use awale::bot::Level;
use night::{Host, night};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use table::VILLAINS;

/// One arena at a time: each needs both cores and its memory.
static ALONE: Mutex<()> = Mutex::new(());

fn play(name: &str, host: Host) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if host.level == Level::Box && find("bwrap").is_none() {
        return skip(name, "no `bwrap` (package bubblewrap)");
    }
    arena(name, |arena| night(arena, host));
}

#[test]
fn a_box_holds_villains_for_root() {
    let (level, root) = (Level::Box, true);
    play("a_box_holds_villains_for_root", Host { level, root });
}

#[test]
fn a_box_holds_villains_for_a_user() {
    let (level, root) = (Level::Box, false);
    play("a_box_holds_villains_for_a_user", Host { level, root });
}

#[test]
fn landlock_holds_villains_for_root() {
    let (level, root) = (Level::Landlock, true);
    play("landlock_holds_villains_for_root", Host { level, root });
}

#[test]
fn landlock_holds_villains_for_a_user() {
    let (level, root) = (Level::Landlock, false);
    play("landlock_holds_villains_for_a_user", Host { level, root });
}

/// Never as root: here nothing but the arena holds them, and only harmless ones play.
#[test]
fn without_walls_deadlines_and_caps_hold() {
    let (level, root) = (Level::None, false);
    play(
        "without_walls_deadlines_and_caps_hold",
        Host { level, root },
    );
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
