//! Control groups around a program, as a container has them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Control groups that limit the memory and the processes of everything inside, one in each
/// hierarchy; dropping it ends all that is inside.
pub struct Container {
    /// One in each hierarchy.
    pub folders: Vec<PathBuf>,
    memory_bytes: u64,
    processes: u32,
}

impl Container {
    /// Groups of this name; the error says why they cannot be made here.
    pub fn new(name: &str, memory_bytes: u64, processes: u32) -> Result<Self, String> {
        // Two tests of a process may have one at the same time.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = format!("{name}-{}-{number}", std::process::id());
        let root = Path::new("/sys/fs/cgroup");
        let mut groups = Self {
            folders: Vec::new(),
            memory_bytes,
            processes,
        };
        let made = if root.join("cgroup.procs").exists() {
            groups.make_of_two(&root.join(folder))
        } else {
            groups.make_of_one(root, &folder)
        };
        made.map(|()| groups)
            .map_err(|error| format!("no control group to hold it can be written: {error}"))
    }

    /// Version 2: limits on the outside, processes in a leaf, so that groups can stand beside it.
    fn make_of_two(&mut self, folder: &Path) -> std::io::Result<()> {
        fs::create_dir(folder)?;
        self.folders.push(folder.to_owned());
        let above = folder.parent().expect("a parent");
        let _ = fs::write(above.join("cgroup.subtree_control"), "+memory +pids");
        fs::write(folder.join("memory.max"), self.memory_bytes.to_string())?;
        let _ = fs::write(folder.join("memory.swap.max"), "0");
        fs::write(folder.join("pids.max"), self.processes.to_string())?;
        fs::write(folder.join("cgroup.subtree_control"), "+memory +pids")?;
        fs::create_dir(folder.join("leaf"))
    }

    fn make_of_one(&mut self, root: &Path, name: &str) -> std::io::Result<()> {
        for (controller, needed) in [
            ("memory", true),
            ("pids", true),
            ("cpuacct", false),
            ("unified", false),
        ] {
            let folder = root.join(controller).join(name);
            match fs::create_dir(&folder) {
                Ok(()) => self.folders.push(folder.clone()),
                Err(error) if needed => return Err(error),
                Err(_) => continue,
            }
            match controller {
                "memory" => fs::write(
                    folder.join("memory.limit_in_bytes"),
                    self.memory_bytes.to_string(),
                )?,
                "pids" => fs::write(folder.join("pids.max"), self.processes.to_string())?,
                _ => {}
            }
        }
        Ok(())
    }

    /// A command that enters the groups and becomes this program with these arguments; code 99 if
    /// it cannot enter.
    pub fn command(&self, words: &[&str]) -> Command {
        let entrance = |folder: &PathBuf| {
            let leaf = folder.join("leaf");
            let folder = if leaf.exists() { &leaf } else { folder };
            folder.join("cgroup.procs").display().to_string()
        };
        let entrances: Vec<String> = self.folders.iter().map(entrance).collect();
        let enter = "for entrance in $ENTRANCES; do echo $$ >\"$entrance\" || exit 99; done; \
                     unset ENTRANCES; exec \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", enter, "sh"]).args(words);
        command.env("ENTRANCES", entrances.join(" "));
        command
    }

    /// Removes the groups, and returns those that are not empty.
    pub fn remove(&self) -> Vec<PathBuf> {
        let gone = |folder: &PathBuf| {
            let _ = fs::remove_dir(folder.join("leaf"));
            (0..100).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(5));
                fs::remove_dir(folder).is_ok()
            })
        };
        self.folders
            .iter()
            .filter(|folder| !gone(folder))
            .cloned()
            .collect()
    }
}

/// After a test that failed in the middle of a run, with that run's groups.
impl Drop for Container {
    fn drop(&mut self) {
        for folder in &self.folders {
            for _ in 0..100 {
                remove_below(folder);
                if !folder.exists() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
    }
}

fn remove_below(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            remove_below(&entry.path());
        }
    }
    let _ = fs::remove_dir(folder);
}
