//! A database's file, opened and mapped: all processes that ask it share its memory.

use super::error::EndgameFileError;
use super::header::{HEADER, Header, HeaderError, checksum};
use crate::engine::endgame::EndgameValues;
use crate::files;
use crate::rules::RuleSet;
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An opened database. It is read-only, and can be asked by many threads.
#[derive(Clone, Debug)]
pub struct EndgameDatabase {
    path: PathBuf,
    header: Header,
    bytes: Arc<Mmap>,
    values: EndgameValues,
}

impl EndgameDatabase {
    /// Opens a file. Its header is checked, its values are not: see
    /// [`check_sums`](Self::check_sums).
    ///
    /// Nobody may shorten the file while it is open; a build never does (it replaces files whole).
    ///
    /// # Errors
    /// It cannot be read; it is no database, one of another format, or damaged.
    pub fn open(path: &Path) -> Result<Self, EndgameFileError> {
        let unreadable = |error| EndgameFileError::Read {
            path: path.to_owned(),
            error,
        };
        let damaged = |what: &str| EndgameFileError::Damaged {
            path: path.to_owned(),
            what: what.to_owned(),
        };
        let mut file = files::open(path).map_err(unreadable)?;
        let header = read_header(path, &mut file)?;
        let size = file.metadata().map_err(unreadable)?.len();
        let expected = Header::file_size(header.seeds());
        if size != expected {
            return Err(damaged(&format!(
                "it has {size} bytes instead of {expected}"
            )));
        }
        let bytes = Arc::new(map(&file).map_err(unreadable)?);
        let first = usize::try_from(HEADER).unwrap_or(usize::MAX);
        let values = header
            .rules()
            .and_then(|rules| EndgameValues::new(rules, header.seeds(), bytes.clone(), first))
            .ok_or_else(|| damaged("its header contradicts its size"))?;
        Ok(Self {
            path: path.to_owned(),
            header,
            bytes,
            values,
        })
    }

    /// Opens a file that must be for these rules. Like [`open`](Self::open), it takes the values as
    /// they are: for a bot, whose file was checked before its first game.
    ///
    /// # Errors
    /// Like [`open`](Self::open); it is for other rules.
    pub fn open_for(path: &Path, rules: &RuleSet) -> Result<Self, EndgameFileError> {
        super::solved(rules)?;
        let database = Self::open(path)?;
        if database.values.serves(rules) {
            return Ok(database);
        }
        let in_words = |rules: &RuleSet| match super::words(rules).join(" ") {
            words if words.is_empty() => "--rules awale".to_owned(),
            words => words,
        };
        Err(EndgameFileError::OtherRules {
            path: path.to_owned(),
            found: in_words(database.values.rules().rules()),
            expected: in_words(rules),
        })
    }

    /// The same, after a look at all values: they are what was written.
    ///
    /// # Errors
    /// Like [`open_for`](Self::open_for); a layer is damaged.
    pub fn open_checked(path: &Path, rules: &RuleSet) -> Result<Self, EndgameFileError> {
        let database = Self::open_for(path, rules)?;
        database.check_sums()?;
        Ok(database)
    }

    /// Compares the codes with their checksums, layer by layer.
    ///
    /// # Errors
    /// A layer is damaged.
    pub fn check_sums(&self) -> Result<(), EndgameFileError> {
        for seeds in 0..=self.seeds() {
            let (first, count) = Header::layer_range(seeds);
            let codes = self.layer(seeds);
            if checksum(codes) != self.header.layers()[usize::from(seeds)] {
                return Err(EndgameFileError::Damaged {
                    path: self.path.clone(),
                    what: format!(
                        "the values of the positions of {seeds} seeds (bytes {first} to {}) are \
                         not those that were written",
                        first + count
                    ),
                });
            }
        }
        Ok(())
    }

    /// The codes of the positions of so many seeds.
    pub(super) fn layer(&self, seeds: u8) -> &[u8] {
        let (first, count) = Header::layer_range(seeds);
        let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        &self.bytes[place(first)..place(first + count)]
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The most seeds on the board of a position with a value.
    pub const fn seeds(&self) -> u8 {
        self.values.seeds()
    }

    /// The values.
    pub const fn values(&self) -> &EndgameValues {
        &self.values
    }

    /// Names the values of all positions of up to so many seeds: 64 hexadecimal digits. A larger
    /// database has the same name for the same number.
    pub fn sha256(&self, seeds: u8) -> String {
        self.header.name(seeds)
    }

    /// The same database without the layers above.
    #[must_use]
    pub fn limited_to(self, seeds: u8) -> Self {
        Self {
            values: self.values.limited_to(seeds),
            ..self
        }
    }
}

/// Reads the header of a file, from its beginning.
pub(super) fn read_header(path: &Path, file: &mut File) -> Result<Header, EndgameFileError> {
    let mut page = Vec::new();
    let read = file.take(HEADER).read_to_end(&mut page);
    read.map_err(|error| EndgameFileError::Read {
        path: path.to_owned(),
        error,
    })?;
    Header::read(&page).map_err(|error| match error {
        HeaderError::Format(what) => EndgameFileError::Format {
            path: path.to_owned(),
            what,
        },
        HeaderError::Damaged(what) => EndgameFileError::Damaged {
            path: path.to_owned(),
            what,
        },
    })
}

#[expect(unsafe_code, reason = "a file cannot be mapped without it")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only, and its bytes are only ever read as numbers, of which every one
    // has a meaning: somebody who changes the file changes values, and nothing else. Who shortens
    // it ends this process; the file belongs to the user of this process.
    unsafe { Mmap::map(file) }
}
