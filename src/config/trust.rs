//! The owners of folders. An entrant's folder is hostile: nothing in it is run or trusted. HOME,
//! the configuration's folder and the run's folder belong to the organiser, and no bot sees them as
//! a whole.

use crate::config::keys::tables::TypedEntrant;
use crate::config::locate::program_word;
use crate::text::{printable, quoted};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

/// File systems whose paths differ between processes, or do not contain files.
const UNREAL: [&str; 3] = ["/proc", "/sys", "/dev"];
/// The number of links that the kernel follows in one path.
const MOST_LINKS: usize = 40;
/// Others may write.
const OTHERS_WRITE: u32 = 0o002;
/// In a folder with this bit only the owner of a file may rename or remove it.
const STICKY: u32 = 0o1000;

/// The owners of folders.
pub struct TrustBoundary {
    /// The start of relative paths.
    pub folder: PathBuf,
    home: Option<PathBuf>,
    output: Option<PathBuf>,
    /// The entrant of each folder, by its place in the configuration: of two the first. There can
    /// be hundreds, and each program of each entrant is looked up.
    entrants: BTreeMap<PathBuf, usize>,
    /// The names of the entrants.
    names: Vec<String>,
    trusted: Vec<u32>,
}

impl TrustBoundary {
    pub fn new(
        entrants: &[TypedEntrant],
        folder: &Path,
        home: Option<PathBuf>,
        output: Option<&Path>,
    ) -> Self {
        let folder = real(folder);
        let mut found = BTreeMap::new();
        for (place, entrant) in entrants.iter().enumerate() {
            for own in folders_of(entrant, &folder) {
                found.entry(own).or_insert(place);
            }
        }
        Self {
            home: home
                .filter(|home| home.is_absolute())
                .map(|home| real(&home)),
            output: output.map(|output| real(&absolute(output))),
            folder,
            entrants: found,
            names: entrants.iter().map(|it| it.name.value.clone()).collect(),
            trusted: trusted_users(),
        }
    }

    /// The entrant whose folder contains a path.
    pub fn holder(&self, path: &Path) -> Option<&str> {
        let around = path.ancestors();
        let holders = around.filter_map(|folder| self.entrants.get(folder));
        Some(&self.names[*holders.min()?])
    }

    /// Why no bot may see this folder: what it is or contains; `None` if bots may.
    pub fn objection(&self, folder: &Path) -> Option<String> {
        if folder.parent().is_none() {
            return Some("it is the root of all files".to_owned());
        }
        if let Some(reason) = self.entrant_below(folder) {
            return Some(reason);
        }
        let own = [
            (Some(&self.folder), "the configuration lies there"),
            (self.home.as_ref(), "it holds your home"),
            (self.output.as_ref(), "the run's folder lies there"),
        ];
        let found = own
            .into_iter()
            .find(|(path, _)| path.is_some_and(|path| path.starts_with(folder)));
        found.map(|(_, reason)| reason.to_owned())
    }

    /// Reports an entrant's folder that is this one or inside it.
    pub fn entrant_below(&self, folder: &Path) -> Option<String> {
        // Paths are ordered by their components: what is below a folder follows it.
        let from = self.entrants.range(folder.to_owned()..);
        let below = from.take_while(|(it, _)| it.starts_with(folder));
        let name = &self.names[*below.map(|(_, place)| place).min()?];
        Some(format!("the folder of entrant {} lies there", quoted(name)))
    }

    /// Whether a folder is among the organiser's own files.
    pub fn is_private(&self, folder: &Path) -> bool {
        let inside = |around: &Path| folder.starts_with(around);
        inside(&self.folder) || self.home.as_deref().is_some_and(inside)
    }

    /// The real path of a file or folder that may be run or trusted outside of a box: every
    /// component and link on the way belongs to root or the organiser, no other user can write to
    /// it, and none is in an entrant's folder. Otherwise the reason.
    pub fn trust(&self, path: &Path) -> Result<PathBuf, String> {
        let (steps, end) =
            steps(path).map_err(|error| format!("{} cannot be followed: {error}", shown(path)))?;
        for (step, metadata) in steps {
            if is_unreal(&step) {
                return Err(format!("it leads through {}", shown(&step)));
            }
            if let Some(name) = self.holder(&step) {
                let (step, name) = (shown(&step), quoted(name));
                return Err(format!("{step} lies in the folder of entrant {name}"));
            }
            if !self.trusted.contains(&metadata.uid()) {
                let (step, owner) = (shown(&step), metadata.uid());
                return Err(format!(
                    "{step} belongs to the user {owner}, not to root or you"
                ));
            }
            let is_shared = metadata.is_dir() && metadata.mode() & STICKY != 0;
            if !metadata.is_symlink() && metadata.mode() & OTHERS_WRITE != 0 && !is_shared {
                return Err(format!("everybody may write {}", shown(&step)));
            }
        }
        Ok(end)
    }
}

/// The folder that was given to an entrant; without one, the folders below the configuration's that
/// contain its command's files.
fn folders_of(entrant: &TypedEntrant, folder: &Path) -> Vec<PathBuf> {
    if let Some(dir) = &entrant.dir {
        let dir = plain(&folder.join(&dir.value));
        return vec![real(&dir), dir];
    }
    let words = entrant.command.value.iter().enumerate();
    let words = words.map(|(index, word)| match index {
        0 => (true, program_word(&word.value)),
        _ => (false, word.value.as_str()),
    });
    // An interpreter that the organiser names has a folder of its own.
    let files = words.filter(|(is_program, word)| {
        !is_program || !super::toolchains::is_language(Path::new(word))
    });
    let folders = files.filter_map(|(_, word)| {
        let path = plain(&folder.join(word));
        let around = path.parent()?.to_owned();
        let is_below = around.starts_with(folder) && around != folder;
        (is_below && fs::symlink_metadata(&path).is_ok_and(|it| !it.is_dir())).then_some(around)
    });
    folders.collect()
}

/// Whether a path is in one of the kernel's own file systems.
pub fn is_unreal(path: &Path) -> bool {
    UNREAL.iter().any(|folder| path.starts_with(folder))
}

/// An absolute path without `.` and `..`, without access to the disk.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in absolute(path).components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// A path without links, as far as it exists.
pub fn real(path: &Path) -> PathBuf {
    let path = plain(path);
    for around in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (around.canonicalize(), path.strip_prefix(around)) {
            return if rest.as_os_str().is_empty() {
                real
            } else {
                real.join(rest)
            };
        }
    }
    path
}

/// Root and the organiser. In a user namespace without root, files of root look like those of all
/// other unknown users.
fn trusted_users() -> Vec<u32> {
    let mut users = vec![0, rustix::process::geteuid().as_raw()];
    users.extend(fs::metadata("/").map(|root| root.uid()));
    users
}

/// Every component and link on the way to a path, and its target.
fn steps(path: &Path) -> io::Result<(Vec<(PathBuf, Metadata)>, PathBuf)> {
    let mut steps = Vec::new();
    let mut rest: VecDeque<OsString> = names(path).collect();
    let (mut here, mut links) = (PathBuf::from("/"), 0);
    while let Some(name) = rest.pop_front() {
        if name == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&name);
        let metadata = fs::symlink_metadata(&next)?;
        let is_link = metadata.is_symlink();
        steps.push((next.clone(), metadata));
        if !is_link {
            here = next;
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Err(io::Error::other("too many links"));
        }
        let target = fs::read_link(&next)?;
        if target.is_absolute() {
            here = PathBuf::from("/");
        }
        for name in names(&target).collect::<Vec<_>>().into_iter().rev() {
            rest.push_front(name);
        }
    }
    Ok((steps, here))
}

fn names(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

/// An absolute path without access to the disk: links stay links, which virtual environments
/// require.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A path in a message.
pub fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_belongs_to_the_first_entrant_whose_folder_contains_it() {
        let folders = [
            ("ada", "/bots/ada"),
            ("inside", "/bots/ada/inside"),
            ("all", "/bots"),
            ("again", "/bots/ada"),
            ("ad", "/bots/ad"),
        ];
        let mut entrants = BTreeMap::new();
        for (place, (_, folder)) in folders.iter().enumerate() {
            entrants.entry(PathBuf::from(folder)).or_insert(place);
        }
        let boundary = TrustBoundary {
            folder: PathBuf::from("/"),
            home: None,
            output: None,
            entrants,
            names: folders.map(|(name, _)| name.to_owned()).to_vec(),
            trusted: Vec::new(),
        };
        for (path, holder, below) in [
            ("/bots/ada/bot.py", Some("ada"), None),
            ("/bots/ada/inside/x/y", Some("ada"), None),
            ("/bots/ada", Some("ada"), Some("ada")),
            ("/bots/ada/inside", Some("ada"), Some("inside")),
            ("/bots/ad/x", Some("all"), None),
            ("/bots/adam", Some("all"), None),
            ("/bots", Some("all"), Some("ada")),
            ("/", None, Some("ada")),
            ("/bot", None, None),
            ("/usr/bin", None, None),
        ] {
            assert_eq!(boundary.holder(Path::new(path)), holder, "{path}");
            let found = boundary.entrant_below(Path::new(path));
            let told =
                below.map(|name| format!("the folder of entrant {} lies there", quoted(name)));
            assert_eq!(found, told, "{path}");
        }
    }
}
