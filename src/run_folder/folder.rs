//! A run's folder: its lock, its journal, and files that are written whole or not at all.

use super::evidence::LOGS;
use super::folder_error::{FillError, FolderError};
use super::journal_file::{JournalFile, RunOwner, open_locked};
use super::journal_games::{JournalGames, OnEntry, note};
use super::superseded::{self, Counted};
use super::whole_file::{JOURNAL, PART, open_target, write_file};
use crate::files::Folder;
use crate::tournament::{
    DealtRound, Entry, FoundLines, Journal, JournalError, JournalReader, Plan, PlanDifference,
    Progress, RunDocument, RunSettings, check_update,
};
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// The folder of a run. While it is open for playing, no other run can write to it.
#[derive(Debug)]
pub struct RunFolder {
    folder: Folder,
    /// The journal, locked for as long as it is open.
    file: File,
    /// Nothing is appended to the journal once this has ended.
    owner: Option<RunOwner>,
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
    /// The last plan of the journal, if it is another one.
    pub earlier: Option<Box<RunDocument>>,
    /// The games that were read.
    pub games: JournalGames,
}

impl FoundJournal {
    /// The rounds that results have decided so far.
    pub fn rounds(&self) -> Vec<DealtRound> {
        let recorded = self.games.state().plan.as_ref();
        recorded.map_or_else(Vec::new, |it| it.run.plan.rounds.clone())
    }
}

impl RunFolder {
    /// Creates the folder if necessary, and takes its lock.
    ///
    /// # Errors
    /// The disk fails, or another run holds the lock.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let folder = open_target(path)?;
        let file = open_locked(&folder)?;
        sweep(&folder, "");
        sweep(&folder, LOGS);
        Ok(Self {
            folder,
            file,
            owner: None,
        })
    }

    /// A folder for reading: this creates, locks and removes nothing, and nothing may be written to
    /// it.
    ///
    /// # Errors
    /// There is no journal, or it cannot be read.
    pub fn open_to_read(path: &Path) -> io::Result<Self> {
        let folder = Folder::open(path)?;
        let file = folder.file(JOURNAL)?;
        Ok(Self {
            folder,
            file,
            owner: None,
        })
    }

    /// The same, of a run that is over once this process has ended: from then on other programs end
    /// its bots, and nothing that it sees of them is written to the journal.
    #[must_use]
    pub fn owned_by(self, owner: RunOwner) -> Self {
        Self {
            owner: Some(owner),
            ..self
        }
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
        self.folder.path(name)
    }

    /// The folder itself, to read what is in it.
    pub const fn files(&self) -> &Folder {
        &self.folder
    }

    /// Reads the journal, refuses one of another plan, and cuts off a torn last
    /// line. A journal of another plan is emptied if it contains no game.
    ///
    /// # Errors
    /// The journal cannot be read, or is that of another plan.
    pub fn find(&self, plan: &Plan) -> Result<FoundJournal, FolderError> {
        let found = self.find_any(plan)?;
        match &found.earlier {
            None => Ok(found),
            Some(earlier) => {
                let differences = earlier.plan.differences(plan);
                Err(self.unusable(PlanDifference { differences }.into()))
            }
        }
    }

    /// The same for a journal that may be that of another plan of the run: what of it counts for
    /// this plan. The other plan is in the result.
    ///
    /// # Errors
    /// The journal cannot be read, or its run cannot change to this plan.
    pub fn find_any(&self, plan: &Plan) -> Result<FoundJournal, FolderError> {
        let mut progress = Progress::default();
        let mut beyond = None;
        let mut games = JournalGames::counting_for(plan);
        self.read_on(&mut games, &mut |_, entry| {
            if let Entry::Game(game) = entry
                && plan.test.is_some()
                && beyond.is_none()
            {
                let (pairs, played) = (plan.pairs, game.id.pair.round());
                beyond = (played > pairs).then_some(JournalError::FewerPairs { played, pairs });
            }
            note(&mut progress, entry);
            Ok(())
        })?;
        let recorded = games.state().plan.as_ref();
        let earlier = recorded.and_then(|recorded| recorded.other_than(plan));
        if games.is_empty() && earlier.is_some() {
            self.clear()?;
            return Ok(FoundJournal::default());
        }
        if let Some(earlier) = &earlier {
            let checked = check_update(&earlier.plan, plan);
            checked.map_err(|error| self.unusable(error.into()))?;
        } else if let Some(error) = beyond {
            return Err(self.unusable(error));
        }
        let text = games.state().text;
        if text.torn_bytes > 0 {
            self.cut(text.whole_bytes)
                .map_err(|error| self.journal_error("cut", error))?;
        }
        let recorded = games.state().plan.as_ref();
        Ok(FoundJournal {
            progress,
            torn_bytes: text.torn_bytes,
            settings: recorded.map(|it| it.run.settings.clone()),
            earlier: earlier.map(Box::new),
            games,
        })
    }

    /// The journal, for appending. It gets the plan if it has another one or none, and evidence
    /// follows the games that count.
    ///
    /// # Errors
    /// The disk's.
    pub fn journal(
        &self,
        run: &RunDocument,
        found: &FoundJournal,
    ) -> Result<Journal<JournalFile>, FolderError> {
        let after = Counted {
            plan: &run.plan,
            games: &found.games,
        };
        if let Some(earlier) = &found.earlier {
            let before = Counted {
                plan: &earlier.plan,
                games: &self.games_of(&earlier.plan)?,
            };
            superseded::set_aside(&self.folder, before, after)?;
        }
        let journal = self.appended(run, found);
        let journal = journal.map_err(|error| self.journal_error("write", error))?;
        superseded::bring_back(&self.folder, after)?;
        Ok(journal)
    }

    fn appended(
        &self,
        run: &RunDocument,
        found: &FoundJournal,
    ) -> io::Result<Journal<JournalFile>> {
        let storage = JournalFile {
            file: self.file.try_clone()?,
            owner: self.owner.clone(),
        };
        if let Some(settings) = &found.settings {
            let mut journal = Journal::resume(storage);
            if found.earlier.is_some() {
                journal.append_plan(run)?;
            } else if *settings != run.settings {
                journal.append_settings(&run.settings)?;
            }
            return Ok(journal);
        }
        let journal = Journal::begin(storage, run)?;
        // The file's directory entry must survive a crash as well.
        self.folder.sync()?;
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
        write_file(&self.folder, name, fill)
    }

    /// The journal from its beginning.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn bytes(&self) -> Result<impl BufRead + '_, FolderError> {
        self.bytes_from(0)
    }

    /// What of the journal counts for this plan.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn games_of(&self, plan: &Plan) -> Result<JournalGames, FolderError> {
        Ok(self.read_for(plan)?.0)
    }

    /// The same, and the state of these games.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn read_for(&self, plan: &Plan) -> Result<(JournalGames, Progress), FolderError> {
        self.read_up_to(u64::MAX, plan)
    }

    /// The same for this number of bytes from the beginning of the journal.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn read_up_to(
        &self,
        bytes: u64,
        plan: &Plan,
    ) -> Result<(JournalGames, Progress), FolderError> {
        let (mut games, mut progress) = (JournalGames::counting_for(plan), Progress::default());
        let read = games.read_on(self.bytes()?.take(bytes), &mut |_, entry| {
            note(&mut progress, entry);
            Ok(())
        });
        read.map_err(|error| self.unusable(error))?;
        Ok((games, progress))
    }

    /// Reads the lines of the journal that were not read yet, up to the last whole one, and passes
    /// their entries to `take`.
    ///
    /// # Errors
    /// The journal cannot be read; those of `take`.
    pub fn read_on(&self, games: &mut JournalGames, take: OnEntry<'_>) -> Result<(), FolderError> {
        let bytes = self.bytes_from(games.bytes_read())?;
        let read = games.read_on(bytes, take);
        read.map_err(|error| self.unusable(error))
    }

    /// A part of the journal.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn bytes_in(&self, bytes: Range<u64>) -> Result<impl Read + '_, FolderError> {
        let length = bytes.end.saturating_sub(bytes.start);
        Ok(self.bytes_from(bytes.start)?.take(length))
    }

    /// The damaged lines of the journal, and what must go with them.
    ///
    /// # Errors
    /// The journal cannot be read, or its format is newer.
    pub fn find_damage(&self) -> Result<FoundLines, FolderError> {
        let found = JournalReader::surveying(self.bytes()?).find_damage();
        found.map_err(|error| self.unusable(error))
    }

    /// The journal from this byte on.
    fn bytes_from(&self, start: u64) -> Result<impl BufRead + '_, FolderError> {
        from_byte(&self.file, start).map_err(|error| self.journal_error("read", error))
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

    /// Its journal cannot be used, for this reason.
    pub fn unusable(&self, error: JournalError) -> FolderError {
        FolderError::Journal {
            path: self.file(JOURNAL),
            error,
        }
    }

    /// What was attempted with the journal, and why it failed.
    pub fn journal_error(&self, attempt: &'static str, error: io::Error) -> FolderError {
        FolderError::file(attempt, self.file(JOURNAL), error)
    }
}

/// Removes unfinished files of a killed run. A file that cannot be removed does no harm.
fn sweep(folder: &Folder, below: &str) {
    let names = folder.names(below).unwrap_or_default();
    let left = |name: &&String| name.starts_with('.') && name.ends_with(PART);
    for name in names.iter().filter(left) {
        let _ = folder.remove(Path::new(below).join(name));
    }
}

/// Bytes that are read at once.
const BUFFER: usize = 64 << 10;

/// The file as it is now, from this byte on; its own offset, at which a run appends, stays.
fn from_byte(file: &File, start: u64) -> io::Result<impl BufRead + '_> {
    let end = file.metadata()?.len().max(start);
    let range = FileRange {
        file,
        rest: start..end,
    };
    Ok(BufReader::with_capacity(BUFFER, range))
}

/// The bytes of a file that were not read yet.
struct FileRange<'a> {
    file: &'a File,
    rest: Range<u64>,
}

impl Read for FileRange<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.rest.end - self.rest.start).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let count = self.file.read_at(&mut buffer[..most], self.rest.start)?;
        if count == 0 && most > 0 {
            // A game must not be missing from a table because the file was truncated.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.rest.start += count as u64;
        Ok(count)
    }
}

/// Gives the folder of a run the first free name of `NAME.1`, `NAME.2` and so on, and returns it;
/// `None` if there is no run in the folder. Nothing is deleted.
///
/// # Errors
/// A run is playing there, or the disk's.
pub fn set_run_aside(path: &Path) -> Result<Option<PathBuf>, FolderError> {
    if !path.join(JOURNAL).exists() {
        return Ok(None);
    }
    let _lock = RunFolder::open(path)?;
    let mut aside = (1_u32..).map(|number| numbered(path, number));
    let aside = aside.find(|aside| aside.symlink_metadata().is_err());
    let aside = aside.expect("a folder has fewer than 2^32 entries");
    match fs::rename(path, &aside) {
        Ok(()) => Ok(Some(aside)),
        Err(error) => Err(FolderError::File {
            attempt: "rename",
            path: path.to_owned(),
            error,
        }),
    }
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{number}"));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_later_is_not_read_and_what_is_cut_off_is_an_error() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"one\ntwo\n").unwrap();
        let read = |start, change: &dyn Fn()| {
            let mut bytes = from_byte(&file, start).unwrap();
            change();
            let mut text = String::new();
            bytes.read_to_string(&mut text).map(|_| text)
        };
        assert_eq!(read(4, &|| ()).unwrap(), "two\n");
        assert_eq!(
            read(0, &|| (&file).write_all(b"x").unwrap()).unwrap(),
            "one\ntwo\n"
        );
        assert_eq!(read(9, &|| ()).unwrap(), "");
        assert_eq!(read(12, &|| ()).unwrap(), "");
        let cut = read(0, &|| file.set_len(5).unwrap()).unwrap_err();
        assert_eq!(cut.kind(), io::ErrorKind::UnexpectedEof);
    }
}
