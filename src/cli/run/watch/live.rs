//! Tells programs what happens, and the page on which a run can be watched.

use super::events::{print, versioned};
use super::{WatchStyle, Watcher};
use crate::web::LivePage;
use serde_json::{Value, json};
use std::net::SocketAddr;

impl Watcher<'_> {
    /// Tells programs an event: those that read standard output with `--json`, and the pages of
    /// those who watch. A reader that has gone does not stop a tournament.
    pub(super) fn publish(&self, event: impl FnOnce() -> Value) {
        if self.style != WatchStyle::Json && self.live.is_none() {
            return;
        }
        let event = versioned(event());
        if let Some(live) = &self.live {
            live.tell(&event);
        }
        if self.style == WatchStyle::Json {
            let _ = print(&event);
        }
    }

    /// Shows the run on a page too.
    pub fn show_live(&mut self, page: LivePage) {
        page.count(self.earlier, self.total);
        self.live = Some(page);
    }

    /// Nothing more is played: the page shows the last results.
    pub fn finish_live(&mut self, interrupted: bool) {
        if let Some(page) = self.live.take() {
            page.finish(interrupted);
        }
    }

    /// The address of the page on which the run can be watched: port 0 is not known before.
    pub fn live_at(&self, address: SocketAddr) {
        self.publish(|| json!({ "event": "live", "url": format!("http://{address}/") }));
        if self.style != WatchStyle::Quiet {
            self.print(&format!("watch it at http://{address}/"));
        }
        if !address.ip().is_loopback() {
            self.warn(
                "everybody who can reach this machine can watch: games, names, and what bots say \
                 and write to standard error",
            );
        }
    }

    /// Tells the page how many games are played.
    pub(super) fn count_live(&self) {
        if let Some(page) = &self.live {
            page.count(self.earlier + self.played, self.total);
        }
    }
}
