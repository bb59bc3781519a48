//! The earlier versions of entrants that a run keeps. They are entrants of their own.
//!
//! ```text
//! versions/ada@3f9c/         the folder of an earlier program of ada
//! versions/ada@3f9c.sha256   the hash of that program in the plan
//! versions/.programs/HASH/   a copy of a program that plays now: the next earlier one
//! ```

use super::whole_file::PART;
use crate::bot::ProgramVersion;
use crate::files::Folder;
use std::io::{self, Write as _};
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
#[derive(Debug)]
pub struct Versions {
    run: Folder,
}

impl Versions {
    /// Those of the run in this folder.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn of(run: &Path) -> io::Result<Self> {
        let run = Folder::open(run)?;
        Ok(Self { run })
    }

    /// All versions, by their names.
    pub fn kept(&self) -> Vec<ProgramVersion> {
        let names = self.run.names(VERSIONS).unwrap_or_default().into_iter();
        let versions = names.filter_map(|name| {
            let of = name.rsplit_once(MARK)?.0.to_owned();
            let place = format!("{VERSIONS}/{name}");
            let is_version = self.run.is_folder(&place) && !name.starts_with('.');
            let folder = self.run.path(place);
            is_version.then_some(ProgramVersion { name, of, folder })
        });
        versions.collect()
    }

    /// Whether the program of this hash is a version of the entrant.
    pub fn has(&self, entrant: &str, hash: &str) -> bool {
        let kept = self.kept().into_iter();
        let mut kept = kept.filter(|version| version.of == entrant);
        kept.any(|version| self.hash_of(&version.name).as_deref() == Some(hash))
    }

    /// The copy of the program of this hash, if there is one.
    pub fn copy_of(&self, hash: &str) -> Option<PathBuf> {
        let copy = program(hash);
        self.run.is_folder(&copy).then(|| self.run.path(copy))
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
        let part = program(&format!(".{hash}{PART}"));
        self.run.remove(&part)?;
        self.run.make(program(""))?;
        fill(&self.run.path(&part))?;
        self.run.rename(part, program(hash)).map(drop)
    }

    /// Makes the copy of the program of this hash a version of the entrant; returns its name.
    ///
    /// # Errors
    /// The disk's; there is no such copy.
    pub fn make(&self, entrant: &str, hash: &str) -> io::Result<String> {
        let lengths = (DIGITS..=hash.len()).step_by(DIGITS);
        let mut names = lengths.map(|digits| format!("{entrant}{MARK}{}", &hash[..digits]));
        let is_free = |name: &String| self.run.kind(format!("{VERSIONS}/{name}")).is_none();
        let name = names.find(is_free).ok_or(io::ErrorKind::AlreadyExists)?;
        let of_hash = format!("{VERSIONS}/{name}{HASH}");
        self.run.remove(&of_hash)?;
        let mut file = self.run.create_file(of_hash, 0o666)?;
        file.write_all(hash.as_bytes())?;
        self.run
            .rename(program(hash), format!("{VERSIONS}/{name}"))?;
        Ok(name)
    }

    /// Makes a version a copy of a program again.
    ///
    /// # Errors
    /// The disk's; there is no such version.
    pub fn unmake(&self, name: &str) -> io::Result<()> {
        let hash = self.hash_of(name).ok_or(io::ErrorKind::NotFound)?;
        self.run
            .rename(format!("{VERSIONS}/{name}"), program(&hash))?;
        self.run.remove(format!("{VERSIONS}/{name}{HASH}"))
    }

    fn hash_of(&self, name: &str) -> Option<String> {
        let text = self.run.read(format!("{VERSIONS}/{name}{HASH}"), 1).ok()?;
        Some(String::from_utf8(text).ok()?.trim().to_owned())
    }
}

/// The place of a copy of a program, in the folder of the run.
fn program(name: &str) -> String {
    format!("{VERSIONS}/{PROGRAMS}/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::is_version_of;
    use std::fs;

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
        let versions = Versions::of(run.path()).unwrap();
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
        let versions = Versions::of(run.path()).unwrap();
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
