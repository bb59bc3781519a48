//! The referee's end of its supervisor, and the traces of a run on the host.

use super::channel;
use crate::bot::{ControlGroups, is_stale_run, remove_store};
use crate::files::unless_missing;
use crate::isolation::supervisor::SupervisorError;
use crate::log::LogError as _;
use crate::text::printable;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{StatVfsMountFlags, statvfs};
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file in a run's temporary folder with the path of the store of its submissions.
const STORE: &str = "store";

/// The mechanism that ends the processes of a run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SupervisorKind {
    /// The kernel, because the run has its own PID namespace.
    Namespace,
    /// A process that adopts orphans. It cannot act after its own death: if it is killed together
    /// with the referee, bots live until they notice that their pipes are closed.
    Subreaper {
        /// Why there is no namespace.
        reason: String,
    },
}

/// The environment of a referee.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct RefereeContext {
    /// Name of the run on this host.
    pub run: String,
    /// Its supervisor.
    pub kind: SupervisorKind,
    /// Where its temporary files belong.
    pub folder: PathBuf,
}

/// The referee's end of its supervisor.
#[derive(Debug)]
pub struct Guard {
    place: RefereeContext,
    /// Interruptions come out of it, one byte each.
    interruptions: UnixStream,
    /// Serialises what makes files in the folder for temporary files.
    files: Mutex<()>,
}

impl Guard {
    /// Takes what the parent hands over, the user's standard input among it.
    ///
    /// # Errors
    /// Standard input is not a socket of a supervisor.
    pub fn take(place: RefereeContext) -> io::Result<Self> {
        let interruptions = channel::inherited()?;
        let input = channel::receive(&interruptions)?;
        channel::restore_input(&input)?;
        Ok(Self {
            place,
            interruptions,
            files: Mutex::default(),
        })
    }

    /// The mechanism that ends the processes of the run: to be printed and recorded.
    pub fn kind(&self) -> &SupervisorKind {
        &self.place.kind
    }

    /// The warning for the user, if the supervisor does not cover everything.
    pub fn warning(&self) -> Option<String> {
        match &self.place.kind {
            SupervisorKind::Namespace => None,
            SupervisorKind::Subreaper { reason } => Some(format!(
                "no PID namespace ({reason}): if this process is killed with SIGKILL, bots may \
                 live on for a moment, and those that want to, for longer"
            )),
        }
    }

    /// The run's name on this host, which is that of its control groups.
    pub fn run_name(&self) -> &str {
        &self.place.run
    }

    /// A folder for temporary files that others may pass through but not look into, made when it
    /// is first asked for. In a namespace it is of memory, at most 1 GiB, and ends with it.
    ///
    /// # Errors
    /// It cannot be made, or somebody else has made it.
    pub fn folder(&self) -> io::Result<&Path> {
        let folder = &self.place.folder;
        make_private(folder)?;
        Ok(folder)
    }

    /// The same, at a place that the whole host sees.
    ///
    /// # Errors
    /// As above.
    pub fn visible_folder(&self) -> io::Result<PathBuf> {
        let folder = temporary_folder(&std::env::temp_dir(), &self.place.run);
        make_private(&folder)?;
        Ok(folder)
    }

    /// To be held while sandboxes are made: they share files in [`Guard::folder`].
    pub fn make_files(&self) -> MutexGuard<'_, ()> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file that names the store of the run's submissions, whether or not it is there.
    pub fn store_pointer(&self) -> PathBuf {
        temporary_folder(&std::env::temp_dir(), &self.place.run).join(STORE)
    }

    /// Whether what is written to this folder ends with the run: it is in the memory that the
    /// namespace has to itself.
    pub fn forgets(&self, folder: &Path) -> bool {
        let device = |path: &Path| fs::metadata(path).ok().map(|found| found.dev());
        let own = self.place.folder.parent().filter(|parent| {
            self.place.kind == SupervisorKind::Namespace && *parent != std::env::temp_dir()
        });
        own.is_some_and(|own| device(own) == device(folder))
    }

    /// Tells whether the process that the user started has ended: other programs may then remove
    /// what is left of the run.
    ///
    /// # Errors
    /// No descriptor is left.
    pub fn end_of_owner(&self) -> io::Result<impl Fn() -> bool + Send + Sync + 'static> {
        let socket = self.interruptions()?;
        Ok(move || {
            let mut looks = [PollFd::new(&socket, PollFlags::empty())];
            poll(&mut looks, Some(&Timespec::default())).is_ok_and(|found| found > 0)
        })
    }

    /// The socket that delivers interruptions.
    ///
    /// # Errors
    /// No descriptor is left.
    pub fn interruptions(&self) -> io::Result<UnixStream> {
        self.interruptions.try_clone()
    }
}

/// Makes a folder that others may pass through but not look into, unless it is there. Another
/// thread may make it meanwhile.
fn make_private(folder: &Path) -> io::Result<()> {
    let made = DirBuilder::new().mode(0o711).create(folder);
    made.or_else(|error| if folder.is_dir() { Ok(()) } else { Err(error) })
}

/// The folder for the temporary files of runs: that of the user, or else a usual one from which
/// programs of bots can be started. Every process of a run gets it as its `TMPDIR`.
///
/// # Errors
/// No folder serves; says why, for each.
pub fn choose_temporary_folder(tell: fn(&str)) -> Result<PathBuf, SupervisorError> {
    let own = std::path::absolute(std::env::temp_dir()).unwrap_or_else(|_| "/tmp".into());
    let mut flaws: Vec<String> = Vec::new();
    for folder in [own, "/var/tmp".into(), "/dev/shm".into()] {
        let shown = printable(&folder.to_string_lossy());
        match flaw(&folder) {
            None => {
                if !flaws.is_empty() {
                    let flaws = flaws.join("; ");
                    tell(&format!("warning: temporary files are in {shown}: {flaws}"));
                }
                return Ok(folder);
            }
            Some(flaw) => flaws.push(format!("{shown} {flaw}")),
        }
    }
    Err(SupervisorError::NoTemporaryFolder(flaws.join("; ")))
}

/// Why a folder does not serve for the copies of programs that bots are started from.
fn flaw(folder: &Path) -> Option<String> {
    if folder.to_str().is_none() {
        return Some("is not UTF-8".to_owned());
    }
    match (statvfs(folder), tempfile::tempfile_in(folder)) {
        (Err(error), _) => Some(format!("cannot be used: {}", io::Error::from(error))),
        (Ok(mount), _) if mount.f_flag.contains(StatVfsMountFlags::NOEXEC) => {
            Some("is mounted noexec, and starts no program".to_owned())
        }
        (_, Err(error)) => Some(format!("cannot be written: {error}")),
        _ => None,
    }
}

/// Where a run's temporary files belong if it has no memory to itself.
pub fn temporary_folder(around: &Path, run: &str) -> PathBuf {
    around.join(run)
}

/// Removes what a run has on this host, with all processes that are still in its control groups.
pub fn remove_traces(around: &Path, run: &str) {
    ControlGroups::remove_run(run);
    remove_temporary_folder(&temporary_folder(around, run));
}

/// The same for runs that are over without having done it.
pub fn remove_stale_traces(around: &Path) {
    ControlGroups::remove_stale();
    let entries = fs::read_dir(around);
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(is_stale_run) {
            remove_temporary_folder(&entry.path());
        }
    }
}

/// A run's temporary folder, and the store that is named there.
fn remove_temporary_folder(folder: &Path) {
    remove_store(&folder.join(STORE));
    // A process that still writes there is about to be killed; the next run tries again.
    let removed = unless_missing(fs::remove_dir_all(folder));
    removed.log_error("remove the run's temporary files");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_owner_is_seen_at_once() {
        let (interruptions, owner) = UnixStream::pair().unwrap();
        let guard = Guard {
            place: RefereeContext {
                run: String::new(),
                kind: SupervisorKind::Namespace,
                folder: PathBuf::new(),
            },
            interruptions,
            files: Mutex::default(),
        };
        let has_ended = guard.end_of_owner().unwrap();
        assert!(!has_ended());
        // An interruption that nobody has read yet is no end.
        (&owner).write_all(b"i").unwrap();
        assert!(!has_ended());
        drop(owner);
        assert!(has_ended());
    }
    use std::io::Write as _;
    use std::sync::Barrier;

    #[test]
    fn two_threads_may_make_a_folder_at_once() {
        let around = tempfile::tempdir().unwrap();
        for number in 0..200 {
            let folder = around.path().join(number.to_string());
            let both = Barrier::new(2);
            let make = || {
                both.wait();
                make_private(&folder)
            };
            std::thread::scope(|threads| {
                let other = threads.spawn(make);
                make().unwrap();
                other.join().unwrap().unwrap();
            });
        }
        let file = around.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(make_private(&file).is_err());
    }
}
