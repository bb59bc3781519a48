//! Builds a database's file.
//!
//! The layers are solved in memory and appended to `NAME.part`, whose header is written anew after
//! each of them: at any moment it is a database of what is finished. The file gets its own name
//! when all layers are there. A build that finds such a part, or a smaller database, goes on from
//! it. A lock on the part keeps a second build away; the kernel gives it back when a process ends,
//! however it ends.

use super::database::{EndgameDatabase, read_header};
use super::error::EndgameFileError;
use super::header::{Header, checksum};
use crate::engine::endgame::{Rows, SolvedRules, Work, positions_of, solve_layer};
use rustix::fs::OFlags;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// What a build did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Built {
    /// It wrote the database.
    Written,
    /// There was one of at least so many seeds.
    AlreadyThere(u8),
}

/// A build.
struct Build<'a> {
    path: &'a Path,
    part: PathBuf,
    seeds: u8,
    header: Header,
    /// The codes of the finished layers.
    layers: Vec<Vec<u8>>,
}

/// Builds the database of these rules up to so many seeds. `begun` is called once, before the first
/// layer is solved, with the number of layers that an earlier build has finished.
///
/// # Errors
/// The file cannot be written or read, another process builds it, or it was stopped.
pub fn build(
    path: &Path,
    rules: SolvedRules,
    seeds: u8,
    work: Work<'_>,
    begun: &mut dyn FnMut(u8),
) -> Result<Built, EndgameFileError> {
    if let Some(seeds) = existing_seeds(path, rules, seeds)? {
        return Ok(Built::AlreadyThere(seeds));
    }
    let mut part = path.as_os_str().to_owned();
    part.push(OsString::from(".part"));
    let mut build = Build {
        path,
        part: part.into(),
        seeds,
        header: Header::new(rules),
        layers: Vec::new(),
    };
    let mut file = build.lock()?;
    // Another build may have ended in the meantime.
    if let Some(seeds) = existing_seeds(path, rules, seeds)? {
        build.remove_part()?;
        return Ok(Built::AlreadyThere(seeds));
    }
    build.take_over(&mut file)?;
    begun(u8::try_from(build.layers.len()).unwrap_or(u8::MAX));
    build.solve(&file, work)?;
    build.finish(&file)?;
    Ok(Built::Written)
}

/// The seeds of the file at this place, if it is for these rules and has enough.
fn existing_seeds(
    path: &Path,
    rules: SolvedRules,
    seeds: u8,
) -> Result<Option<u8>, EndgameFileError> {
    if !path.exists() {
        return Ok(None);
    }
    let database = EndgameDatabase::open_checked(path, rules.rules())?;
    Ok((database.seeds() >= seeds).then(|| database.seeds()))
}

impl Build<'_> {
    fn unwritable(&self) -> impl Fn(io::Error) -> EndgameFileError + use<> {
        let (path, bytes) = (self.part.clone(), Header::file_size(self.seeds));
        move |error| EndgameFileError::Write {
            path: path.clone(),
            bytes,
            error,
        }
    }

    /// The part's file, which no other build has meanwhile.
    fn lock(&self) -> Result<File, EndgameFileError> {
        let unwritable = self.unwritable();
        if let Some(folder) = self.path.parent().filter(|it| !it.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(&unwritable)?;
        }
        loop {
            // Neither a link nor a pipe in its place is followed, or waited for.
            let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
            let mut options = File::options();
            let options = options.read(true).write(true).create(true).truncate(false);
            let options = options.custom_flags(flags.bits().cast_signed());
            let file = options.open(&self.part).map_err(&unwritable)?;
            if !file.metadata().map_err(&unwritable)?.is_file() {
                return Err(EndgameFileError::Format {
                    path: self.part.clone(),
                    what: "it is not a file".to_owned(),
                });
            }
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(EndgameFileError::InWork {
                        path: self.path.to_owned(),
                    });
                }
                Err(TryLockError::Error(error)) => return Err(unwritable(error)),
            }
            // A build that has just ended has given the file its name; then it is not the part.
            let own = file.metadata().map_err(&unwritable)?.ino();
            if fs::metadata(&self.part).is_ok_and(|part| part.ino() == own) {
                return Ok(file);
            }
        }
    }

    fn remove_part(&self) -> Result<(), EndgameFileError> {
        fs::remove_file(&self.part).map_err(self.unwritable())
    }

    /// Takes over the layers of an earlier build, as far as they are whole: those of the part, or
    /// of a smaller database.
    fn take_over(&mut self, file: &mut File) -> Result<(), EndgameFileError> {
        let unwritable = self.unwritable();
        let part = self.part.clone();
        let unreadable = |error| EndgameFileError::Read {
            path: part.clone(),
            error,
        };
        let rules = self.header.rules();
        let is_empty = file.metadata().map_err(unreadable)?.len() == 0;
        let begun = match read_header(&self.part, file) {
            Ok(header) => Some(header).filter(|header| header.rules() == rules),
            Err(EndgameFileError::Damaged { .. }) => None,
            Err(_) if is_empty => None,
            // Somebody else's.
            Err(error) => return Err(error),
        };
        if let Some(header) = begun.as_ref().filter(|it| it.seeds() > self.seeds) {
            return Err(EndgameFileError::Unfinished {
                path: self.part.clone(),
                seeds: header.seeds(),
            });
        }
        for (seeds, sum) in (0..=self.seeds).zip(begun.iter().flat_map(Header::layers)) {
            let (first, count) = Header::layer_range(seeds);
            file.seek(SeekFrom::Start(first)).map_err(unreadable)?;
            let mut codes = Vec::new();
            file.take(count)
                .read_to_end(&mut codes)
                .map_err(unreadable)?;
            if &checksum(&codes) != sum {
                break;
            }
            self.add(codes);
        }
        let kept = self.layers.len();
        if self.path.exists() {
            let smaller = EndgameDatabase::open(self.path)?;
            if usize::from(smaller.seeds()) >= kept {
                for seeds in 0..=smaller.seeds() {
                    let codes = smaller.layer(seeds);
                    if usize::from(seeds) >= kept {
                        self.write(file, seeds, codes)?;
                        self.add(codes.to_vec());
                    }
                }
            }
        }
        file.write_all_at(&self.header.page(), 0)
            .map_err(&unwritable)?;
        file.sync_all().map_err(unwritable)
    }

    fn add(&mut self, codes: Vec<u8>) {
        self.header.add_layer(&codes);
        self.layers.push(codes);
    }

    fn write(&self, file: &File, seeds: u8, codes: &[u8]) -> Result<(), EndgameFileError> {
        let (first, _) = Header::layer_range(seeds);
        file.write_all_at(codes, first).map_err(self.unwritable())
    }

    /// Solves the layers that are missing. A layer is on the disk before the header names it.
    fn solve(&mut self, file: &File, work: Work<'_>) -> Result<(), EndgameFileError> {
        let unwritable = self.unwritable();
        let rows = Rows::up_to(self.seeds);
        let first = u8::try_from(self.layers.len()).unwrap_or(u8::MAX);
        for seeds in first..=self.seeds {
            let rules = *self.header_rules()?.rules();
            let codes = solve_layer(&rules, &rows, &self.layers, work);
            let codes = codes.ok_or(EndgameFileError::Stopped)?;
            debug_assert_eq!(codes.len() as u64, positions_of(seeds));
            self.write(file, seeds, &codes)?;
            file.sync_data().map_err(&unwritable)?;
            self.add(codes);
            file.write_all_at(&self.header.page(), 0)
                .map_err(&unwritable)?;
        }
        Ok(())
    }

    fn header_rules(&self) -> Result<SolvedRules, EndgameFileError> {
        self.header
            .rules()
            .ok_or_else(|| EndgameFileError::Damaged {
                path: self.part.clone(),
                what: "its rules have no values".to_owned(),
            })
    }

    /// Gives the file its name.
    fn finish(&self, file: &File) -> Result<(), EndgameFileError> {
        let unwritable = self.unwritable();
        file.set_len(Header::file_size(self.seeds))
            .map_err(&unwritable)?;
        file.sync_all().map_err(&unwritable)?;
        fs::rename(&self.part, self.path).map_err(&unwritable)?;
        let folder = self.path.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = File::open(folder.unwrap_or(Path::new(".")));
        folder
            .and_then(|folder| folder.sync_all())
            .map_err(unwritable)
    }
}
