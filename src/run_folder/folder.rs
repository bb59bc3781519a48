//! A run's folder: its lock, its journal, and files that are written whole or not at all.

use super::folder_error::{FillError, FolderError};
use super::lines::{self, GameLines};
use crate::record::{Exclusions, GameRecord};
use crate::tournament::{
    Entry, Journal, JournalError, JournalReader, Plan, Progress, RecordedPlan, RunDocument,
    RunSettings, Storage,
};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The suffix of unfinished files, whose names begin with a dot.
const PART: &str = ".part";
/// The name of the journal in the folder.
pub const JOURNAL: &str = "games.jsonl";
/// The name of the plan in the folder.
pub const PLAN: &str = "plan.toml";
/// The mode of files that contain the run's secret.
const OWNER_ONLY: u32 = 0o600;
/// The mode of all others.
const READABLE: u32 = 0o644;
/// How long a held lock is tried again: a killed run may take a moment to end.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// The folder of a run. While it is open for playing, no other run can write to it.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The journal, locked for as long as it is open.
    file: File,
}

/// What an existing journal contains.
#[derive(Debug, Default)]
pub struct FoundJournal {
    /// The games that are done.
    pub progress: Progress,
    /// Bytes of a torn last line that were cut off.
    pub torn_bytes: u64,
    /// The last settings of the run, if the journal has its first line.
    pub settings: Option<RunSettings>,
}

impl RunFolder {
    /// Creates the folder if necessary, and takes its lock.
    ///
    /// # Errors
    /// The disk fails, or another run holds the lock.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let failed = |attempt, path: &Path| {
            let path = path.to_owned();
            move |error| FolderError::File {
                attempt,
                path,
                error,
            }
        };
        fs::create_dir_all(path).map_err(failed("create the folder", path))?;
        let journal = path.join(JOURNAL);
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(OWNER_ONLY)
            .open(&journal)
            .map_err(failed("open the journal", &journal))?;
        lock(&file, path)?;
        sweep(path);
        sweep(&path.join("logs"));
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    /// A folder for reading: this creates, locks and removes nothing, and nothing may be written to
    /// it.
    ///
    /// # Errors
    /// There is no journal, or it cannot be read.
    pub fn look(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: File::open(path.join(JOURNAL))?,
        })
    }

    /// Whether a run is playing in it now. The check holds the lock for an instant; a run that
    /// begins in that instant waits.
    pub fn is_played(&self) -> bool {
        match self.file.try_lock_shared() {
            Ok(()) => self.file.unlock().is_err(),
            Err(error) => matches!(error, TryLockError::WouldBlock),
        }
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Reads the journal, refuses one of another plan or an older format, and cuts off a torn last
    /// line. A journal of another plan is emptied if it contains no game. `earlier` gets every game
    /// that counts, once.
    ///
    /// # Errors
    /// The journal cannot be read, or is that of another plan.
    pub fn find(
        &self,
        plan: &Plan,
        mut earlier: impl FnMut(&GameRecord),
    ) -> Result<FoundJournal, FolderError> {
        let mut found = FoundJournal::default();
        let mut reader = JournalReader::new(self.bytes()?);
        let failed = |error| self.unusable(error);
        let mut foreign = None;
        let mut checked = false;
        loop {
            let entry = reader.next_entry().map_err(failed)?;
            if !checked {
                foreign = check(&reader, plan).err();
                checked = true;
            }
            let Some(entry) = entry else { break };
            if let Entry::Game(record) = &entry {
                if let Some(error) = foreign {
                    return Err(failed(error));
                }
                let pairs = plan.pairs;
                let played = record.id.pair.round();
                if plan.test.is_some() && played > pairs {
                    return Err(failed(JournalError::FewerPairs { played, pairs }));
                }
                if !record.is_void() && !found.progress.is_done(&record.id) {
                    earlier(record);
                }
            }
            found.progress.note_entry(&entry);
        }
        if foreign.is_some() {
            self.clear()?;
            return Ok(FoundJournal::default());
        }
        let text = reader.text();
        let recorded = reader.recorded_plan().and_then(RecordedPlan::run);
        found.settings = recorded.map(|run| run.settings.clone());
        found.torn_bytes = text.torn_bytes;
        if text.torn_bytes > 0 {
            self.cut(text.whole_bytes)
                .map_err(|error| self.journal_error("cut", error))?;
        }
        Ok(found)
    }

    /// Passes every record to `take`, in the order of the journal, without storing any. Returns
    /// where the games are in the file.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn read(
        &self,
        plan: &Plan,
        exclusions: &Exclusions,
        mut take: impl FnMut(&GameRecord),
    ) -> Result<GameLines, FolderError> {
        let plan_bytes = self.bytes()?.skip_until(b'\n');
        let plan_bytes = plan_bytes.map_err(|error| self.journal_error("read", error))? as u64;
        let mut lines = GameLines::new(plan_bytes);
        let mut start = plan_bytes;
        let mut reader = JournalReader::new(self.bytes()?).naming(plan);
        while let Some(entry) = reader.next_entry().map_err(|error| self.unusable(error))? {
            let end = reader.text().whole_bytes;
            if let Entry::Game(record) = entry {
                if exclusions.has_result(&record) {
                    lines.note(&record, start..end);
                }
                take(&record);
            }
            start = end;
        }
        Ok(lines)
    }

    /// Passes each game that counts to `take` once, in the order of the schedule.
    ///
    /// # Errors
    /// The journal cannot be read; those of `take`.
    pub fn read_again(
        &self,
        plan: &Plan,
        lines: GameLines,
        mut take: impl FnMut(&GameRecord) -> Result<(), FillError>,
    ) -> Result<(), FillError> {
        let ordered = BufReader::new(lines.in_schedule_order(&self.file));
        // Lines of settings between the games have no effect here, at whatever place the order puts
        // them.
        let mut reader = JournalReader::new(ordered).naming(plan);
        while let Some(record) = reader.next_record().map_err(|error| self.unusable(error))? {
            take(&record)?;
        }
        Ok(())
    }

    /// The journal, for appending.
    ///
    /// # Errors
    /// The disk's.
    pub fn journal(
        &self,
        run: &RunDocument,
        found: &FoundJournal,
    ) -> Result<Journal<JournalFile>, FolderError> {
        let failed = |error| self.journal_error("write", error);
        let storage = JournalFile {
            file: self.file.try_clone().map_err(failed)?,
        };
        if let Some(settings) = &found.settings {
            let mut journal = Journal::resume(storage);
            if *settings != run.settings {
                journal.append_settings(&run.settings).map_err(failed)?;
            }
            return Ok(journal);
        }
        let journal = Journal::begin(storage, run).map_err(failed)?;
        // The file's directory entry must survive a crash as well.
        File::open(&self.path)
            .and_then(|folder| folder.sync_all())
            .map_err(failed)?;
        Ok(journal)
    }

    /// Writes a file of the folder whole or not at all.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), FolderError> {
        self.write_with(name, |out| Ok(out.write_all(contents)?))
    }

    /// Writes what `fill` writes to a file of the folder, whole or not at all.
    ///
    /// # Errors
    /// The disk's; those of `fill`.
    pub fn write_with(
        &self,
        name: &str,
        fill: impl FnOnce(&mut File) -> Result<(), FillError>,
    ) -> Result<(), FolderError> {
        write_file(&self.path, name, fill)
    }

    /// The journal from its beginning.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn bytes(&self) -> Result<impl BufRead + '_, FolderError> {
        lines::whole(&self.file)
            .map(BufReader::new)
            .map_err(|error| self.journal_error("read", error))
    }

    /// Empties a journal without a game.
    ///
    /// # Errors
    /// The disk's.
    pub fn clear(&self) -> Result<(), FolderError> {
        self.cut(0)
            .map_err(|error| self.journal_error("empty", error))
    }

    fn cut(&self, whole_bytes: u64) -> io::Result<()> {
        self.file.set_len(whole_bytes)?;
        self.file.sync_all()
    }

    fn unusable(&self, error: JournalError) -> FolderError {
        FolderError::Journal {
            path: self.path.join(JOURNAL),
            error,
        }
    }

    fn journal_error(&self, attempt: &'static str, error: io::Error) -> FolderError {
        FolderError::File {
            attempt,
            path: self.path.join(JOURNAL),
            error,
        }
    }
}

/// Whether a run of this plan can be resumed in a journal.
fn check(reader: &JournalReader<impl BufRead>, plan: &Plan) -> Result<(), JournalError> {
    reader
        .recorded_plan()
        .map_or(Ok(()), |recorded| recorded.check(plan))
}

/// Removes unfinished files of a killed run. A file that cannot be removed does no harm.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name.ends_with(PART) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn lock(file: &File, folder: &Path) -> Result<(), FolderError> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_PATIENCE => {
                thread::sleep(LOCK_PAUSE);
            }
            Err(TryLockError::WouldBlock) => return Err(FolderError::Locked(folder.to_owned())),
            Err(TryLockError::Error(error)) => {
                let path = folder.to_owned();
                return Err(FolderError::File {
                    attempt: "lock",
                    path,
                    error,
                });
            }
        }
    }
}

/// Writes what `fill` writes to a file of any folder, whole or not at all.
///
/// # Errors
/// The disk's; those of `fill`.
pub fn write_file(
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&mut File) -> Result<(), FillError>,
) -> Result<(), FolderError> {
    let path = folder.join(name);
    let mode = if name == PLAN { OWNER_ONLY } else { READABLE };
    write_whole(&path, mode, fill).map_err(|error| match error {
        FillError::Write(error) => FolderError::File {
            attempt: "write",
            path,
            error,
        },
        FillError::Source(error) => error,
    })
}

/// Writes a temporary file beside it, syncs, renames, and syncs the folder.
fn write_whole(
    path: &Path,
    mode: u32,
    fill: impl FnOnce(&mut File) -> Result<(), FillError>,
) -> Result<(), FillError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .suffix(PART)
        .permissions(fs::Permissions::from_mode(mode))
        .tempfile_in(folder)?;
    fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(File::open(folder)?.sync_all()?)
}

/// The journal's file as storage for the tournament.
#[derive(Debug)]
pub struct JournalFile {
    file: File,
}

impl Storage for JournalFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}
