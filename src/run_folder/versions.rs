//! The earlier versions of entrants that a run keeps. They are entrants of their own.
//!
//! ```text
//! versions/ada@3f9c/         the folder of an earlier program of ada
//! versions/ada@3f9c.sha256   the hash of that program in the plan
//! versions/.programs/HASH/   a copy of a program that plays now: the next earlier one
//! ```

use super::whole_file::PART;
use crate::bot::ProgramVersion;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of the versions in that of a run.
const VERSIONS: &str = "versions";
/// The copies of programs that play now.
const PROGRAMS: &str = ".programs";
/// The end of the name of a version's hash.
const HASH: &str = ".sha256";
/// Between the name of an entrant and the digits of a version.
const MARK: char = '@';
/// The hexadecimal digits in the name of a version. Two versions of one entrant may need more.
const DIGITS: usize = 4;

/// The versions that a run keeps.
#[derive(Clone, Debug)]
pub struct Versions {
    folder: PathBuf,
}

impl Versions {
    /// Those of the run in this folder.
    pub fn of(run: &Path) -> Self {
        Self {
            folder: run.join(VERSIONS),
        }
    }

    /// All versions, by their names.
    pub fn kept(&self) -> Vec<ProgramVersion> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let versions = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let of = name.rsplit_once(MARK)?.0.to_owned();
            let is_version = entry.file_type().ok()?.is_dir() && !name.starts_with('.');
            let folder = entry.path();
            is_version.then_some(ProgramVersion { name, of, folder })
        });
        let mut versions: Vec<ProgramVersion> = versions.collect();
        versions.sort_by(|one, other| one.name.cmp(&other.name));
        versions
    }

    /// Whether the program of this hash is a version of the entrant.
    pub fn has(&self, entrant: &str, hash: &str) -> bool {
        let kept = self.kept().into_iter();
        let mut kept = kept.filter(|version| version.of == entrant);
        kept.any(|version| self.hash_of(&version.name).as_deref() == Some(hash))
    }

    /// The copy of the program of this hash, if there is one.
    pub fn copy_of(&self, hash: &str) -> Option<PathBuf> {
        let copy = self.folder.join(PROGRAMS).join(hash);
        copy.is_dir().then_some(copy)
    }

    /// Keeps a copy of the program of this hash, unless there is one. `fill` creates the folder
    /// that it gets and copies the program into it.
    ///
    /// # Errors
    /// The disk's, and those of `fill`.
    pub fn keep_copy(
        &self,
        hash: &str,
        fill: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.copy_of(hash).is_some() {
            return Ok(());
        }
        let programs = self.folder.join(PROGRAMS);
        fs::create_dir_all(&programs)?;
        let part = programs.join(format!(".{hash}{PART}"));
        remove(&part)?;
        fill(&part)?;
        fs::rename(part, programs.join(hash))
    }

    /// Makes the copy of the program of this hash a version of the entrant; returns its name.
    ///
    /// # Errors
    /// The disk's; there is no such copy.
    pub fn make(&self, entrant: &str, hash: &str) -> io::Result<String> {
        let lengths = (DIGITS..=hash.len()).step_by(DIGITS);
        let mut names = lengths.map(|digits| format!("{entrant}{MARK}{}", &hash[..digits]));
        let is_free = |name: &String| !self.folder.join(name).exists();
        let name = names.find(is_free).ok_or(io::ErrorKind::AlreadyExists)?;
        fs::write(self.folder.join(format!("{name}{HASH}")), hash)?;
        fs::rename(
            self.folder.join(PROGRAMS).join(hash),
            self.folder.join(&name),
        )?;
        Ok(name)
    }

    /// Makes a version a copy of a program again.
    ///
    /// # Errors
    /// The disk's; there is no such version.
    pub fn unmake(&self, name: &str) -> io::Result<()> {
        let hash = self.hash_of(name).ok_or(io::ErrorKind::NotFound)?;
        fs::rename(
            self.folder.join(name),
            self.folder.join(PROGRAMS).join(hash),
        )?;
        fs::remove_file(self.folder.join(format!("{name}{HASH}")))
    }

    fn hash_of(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.folder.join(format!("{name}{HASH}"))).ok()?;
        Some(text.trim().to_owned())
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::is_version_of;

    fn copy(versions: &Versions, hash: &str) {
        let fill = |to: &Path| {
            fs::create_dir(to)?;
            fs::write(to.join("main.py"), hash)
        };
        versions.keep_copy(hash, fill).unwrap();
    }

    #[test]
    fn versions_have_names_of_their_own() {
        let run = tempfile::tempdir().unwrap();
        let versions = Versions::of(run.path());
        assert_eq!(versions.kept(), []);
        let hashes = ["3f9c0000aaaa", "3f9c0000bbbb", "0123456789ab"];
        let names = hashes.map(|hash| {
            copy(&versions, hash);
            versions.make("ada", hash).unwrap()
        });
        assert_eq!(names, ["ada@3f9c", "ada@3f9c0000", "ada@0123"]);
        assert!(names.iter().all(|name| is_version_of(name, "ada")));
        let kept = versions.kept();
        let shown: Vec<_> = kept.iter().map(|it| (it.name.as_str(), &*it.of)).collect();
        let expected = ["ada@0123", "ada@3f9c", "ada@3f9c0000"].map(|name| (name, "ada"));
        assert_eq!(shown, expected);
        assert!(versions.has("ada", hashes[1]) && !versions.has("ben", hashes[1]));
        versions.unmake("ada@3f9c").unwrap();
        assert!(!versions.has("ada", hashes[0]));
        let copy = versions.copy_of(hashes[0]).unwrap();
        assert_eq!(fs::read_to_string(copy.join("main.py")).unwrap(), hashes[0]);
    }

    #[test]
    fn a_copy_that_was_interrupted_is_made_again() {
        let run = tempfile::tempdir().unwrap();
        let versions = Versions::of(run.path());
        let fails = |to: &Path| {
            fs::create_dir(to)?;
            Err(io::Error::other("full"))
        };
        versions.keep_copy("aa", fails).unwrap_err();
        assert_eq!(versions.copy_of("aa"), None);
        copy(&versions, "aa");
        assert!(versions.copy_of("aa").is_some());
    }
}
