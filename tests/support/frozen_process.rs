//! A process that the kernel does not let die: one that is frozen by the older control groups takes
//! SIGKILL only when it is thawed.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// A frozen group with one process.
pub struct Frozen(PathBuf);

impl Frozen {
    /// Nothing where this user may not make it.
    pub fn with(process: i32) -> Option<Self> {
        let folder = Path::new("/sys/fs/cgroup/freezer");
        let folder = folder.join(format!("awale-frozen-{}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        let group = Self(folder);
        fs::write(group.0.join("cgroup.procs"), process.to_string()).ok()?;
        let state = group.0.join("freezer.state");
        fs::write(&state, "FROZEN").ok()?;
        // It freezes when it next runs, which a busy host may put off.
        while fs::read_to_string(&state).ok()?.trim() != "FROZEN" {
            sleep(Duration::from_millis(1));
        }
        Some(group)
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        let _ = fs::write(self.0.join("freezer.state"), "THAWED");
        // The kernel may be a moment behind its end.
        for _ in 0..1000 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            sleep(Duration::from_millis(10));
        }
        eprintln!("{} is left", self.0.display());
    }
}
