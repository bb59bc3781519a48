//! A sandbox that isolates nothing.

use awale::bot::{Sandbox, SandboxSettings};
use std::path::PathBuf;
use std::sync::Arc;

/// What it starts is stopped by signals while it is not on turn, or not at all.
pub fn unisolated(freezes: bool) -> Arc<Sandbox> {
    let sandbox = Sandbox::new(SandboxSettings {
        freeze: freezes,
        ..SandboxSettings::unisolated(PathBuf::from(env!("CARGO_BIN_EXE_awale")))
    });
    Arc::new(sandbox.expect("a sandbox that needs nothing"))
}
