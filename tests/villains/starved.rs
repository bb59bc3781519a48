//! A control group whose processes get next to no processor: what a crowded host does to a bot, or
//! a kernel with a fault, and on purpose.

use std::fs;
use std::path::{Path, PathBuf};

/// A group that gives its members a millisecond of processor in each second.
pub struct Starved(PathBuf);

impl Starved {
    /// Nothing where this user may not make it, in the old hierarchy or in the new one.
    pub fn new() -> Option<Self> {
        let name = format!("awale-starved-{}", std::process::id());
        ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"]
            .map(|hierarchy| Path::new(hierarchy).join(&name))
            .into_iter()
            .find(|folder| starves(folder))
            .map(Self)
    }

    /// Whoever writes a process's number here makes it a member.
    pub fn door(&self) -> String {
        self.0.join("cgroup.procs").display().to_string()
    }
}

fn starves(folder: &Path) -> bool {
    if fs::create_dir(folder).is_err() {
        return false;
    }
    let limited = fs::write(folder.join("cpu.cfs_period_us"), "1000000")
        .and_then(|()| fs::write(folder.join("cpu.cfs_quota_us"), "1000"))
        .or_else(|_| fs::write(folder.join("cpu.max"), "1000 1000000"));
    if limited.is_err() {
        let _ = fs::remove_dir(folder);
    }
    limited.is_ok()
}

impl Drop for Starved {
    fn drop(&mut self) {
        // Members that were killed stay until the kernel has buried them.
        for _ in 0..1000 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        eprintln!("{} is left", self.0.display());
    }
}
