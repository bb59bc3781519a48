//! The page on which a run can be watched: its address, and its errors.

use super::watch::Watcher;
use crate::cli::exit::Failure;
use crate::config::Resolved;
use crate::tournament::Boards;
use crate::web::{BoundPage, LiveRun, PageAddress};
use std::io;
use std::sync::Arc;
use std::time::Instant;

/// Without isolation bots have the network of this machine.
pub const BOTS_CAN_WATCH: &str = "without isolation the bots can read the live page too: the \
                                  games of others, and in a blind tournament their names";

/// The boards of the slots.
pub fn boards(resolved: &Resolved) -> Arc<Boards> {
    let begun = Instant::now();
    let slots = resolved.settings.slots as usize;
    Arc::new(Boards::new(slots, move || begun.elapsed()))
}

/// Takes the address of a page before anything is played.
pub fn take_address(address: PageAddress) -> Result<BoundPage, Failure> {
    BoundPage::bind(address).map_err(|error| cannot_serve(&address.to_string(), &error))
}

/// Serves the page, and tells where.
pub fn serve(page: BoundPage, run: LiveRun<'_>, watcher: &mut Watcher<'_>) -> Result<(), Failure> {
    let address = page.address();
    let served = page.serve(run);
    watcher.show_live(served.map_err(|error| cannot_serve(&address.to_string(), &error))?);
    watcher.live_at(address);
    Ok(())
}

fn cannot_serve(address: &str, error: &io::Error) -> Failure {
    Failure::usage(format!(
        "cannot serve the live page at {address}: {error}; name another address, or --live 0 for \
         any free port"
    ))
}
