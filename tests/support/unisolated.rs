//! A sandbox that isolates nothing.

use awale::bot::{CoverMaker, Level, Sandbox, SandboxSettings};
use std::path::PathBuf;
use std::sync::Arc;

/// What it starts is stopped by signals while it is not on turn, or not at all.
pub fn unisolated(freezes: bool) -> Arc<Sandbox> {
    let sandbox = Sandbox::new(SandboxSettings {
        level: Level::None,
        freeze: freezes,
        helper: PathBuf::from(env!("CARGO_BIN_EXE_awale")),
        bubblewrap: None,
        cover_maker: CoverMaker::default(),
        groups: None,
        stage: PathBuf::new(),
        store: PathBuf::new(),
        user: None,
        mounts: None,
        hidden: Vec::new(),
    });
    Arc::new(sandbox.expect("a sandbox that needs nothing"))
}
