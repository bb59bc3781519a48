//! Programs with the same text, and those that differ in white space and comments alone. The files are
//! hostile: they are only read, and no more of them than a limit.

use super::{Note, NoteKind};
use crate::course::starters::STARTERS;
use crate::files::Folder;
use crate::text::hexadecimal;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// Endings of files of source code, and how their comments begin.
const LANGUAGES: [(&str, Comments); 15] = [
    ("py", Comments::Hash),
    ("sh", Comments::Hash),
    ("js", Comments::Slashes),
    ("mjs", Comments::Slashes),
    ("ts", Comments::Slashes),
    ("c", Comments::Slashes),
    ("h", Comments::Slashes),
    ("cc", Comments::Slashes),
    ("cpp", Comments::Slashes),
    ("hpp", Comments::Slashes),
    ("java", Comments::Slashes),
    ("kt", Comments::Slashes),
    ("rs", Comments::Slashes),
    ("go", Comments::Slashes),
    ("cs", Comments::Slashes),
];
/// The largest file that is compared, in MiB.
const MOST_MIB: u64 = 1;
/// The most files of a program, and the deepest folder.
const MOST_FILES: usize = 500;
const MOST_DEPTH: usize = 8;
/// Less text than this is alike by chance, in bytes without white space.
const LEAST_TEXT: usize = 60;

/// How a language writes comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comments {
    Hash,
    Slashes,
}

/// The text of a program as hashes: whole, and without white space and comments.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Source {
    exact: String,
    bare: String,
}

impl Source {
    /// `None` if there is too little.
    fn of(files: &BTreeMap<String, Vec<u8>>) -> Option<Self> {
        let mut exact = Sha256::new();
        let mut bare = Vec::new();
        for (path, bytes) in files {
            let Some(comments) = comments_of(path) else {
                continue;
            };
            exact.update(Sha256::digest(bytes));
            bare.push(without_comments(bytes, comments));
        }
        // Other names of files are no other program.
        bare.retain(|it| !it.is_empty());
        bare.sort();
        if bare.iter().map(Vec::len).sum::<usize>() < LEAST_TEXT {
            return None;
        }
        let mut hash = Sha256::new();
        for text in &bare {
            hash.update(Sha256::digest(text));
        }
        Some(Self {
            exact: hexadecimal(&exact.finalize()),
            bare: hexadecimal(&hash.finalize()),
        })
    }
}

fn comments_of(path: &str) -> Option<Comments> {
    let ending = path.rsplit('.').next()?;
    let mut languages = LANGUAGES.into_iter();
    languages.find_map(|(known, comments)| (known == ending).then_some(comments))
}

/// The text without white space and comments. A comment's sign inside a string counts as one, too:
/// that is the same for two texts that are the same.
fn without_comments(bytes: &[u8], comments: Comments) -> Vec<u8> {
    let mut bare = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        let to_end = |rest: &[u8]| {
            rest.iter()
                .position(|it| *it == b'\n')
                .unwrap_or(rest.len())
        };
        let skipped = match comments {
            Comments::Hash if byte == b'#' => to_end(rest),
            Comments::Slashes if rest.starts_with(b"//") => to_end(rest),
            Comments::Slashes if rest.starts_with(b"/*") => {
                let end = rest[2..].windows(2).position(|it| it == b"*/");
                end.map_or(rest.len(), |it| it + 4)
            }
            _ => {
                if !byte.is_ascii_whitespace() {
                    bare.push(byte);
                }
                rest = after;
                continue;
            }
        };
        rest = &rest[skipped..];
    }
    bare
}

/// A program of an author.
pub struct ProgramFiles {
    /// The entrant.
    pub entrant: String,
    /// Its folder, below that of the run.
    pub folder: String,
    /// Whether it is the one that plays.
    pub is_present: bool,
}

/// The texts of all programs.
pub struct Sources {
    present: BTreeMap<String, Source>,
    earlier: Vec<(String, Source)>,
}

impl Sources {
    /// Reads the programs that are kept in a run's folder. One that cannot be read is compared with
    /// nobody.
    pub fn read(run: &Folder, programs: &[ProgramFiles]) -> Self {
        let mut sources = Self {
            present: BTreeMap::new(),
            earlier: Vec::new(),
        };
        for program in programs {
            let mut files = BTreeMap::new();
            let found = run.below(&program.folder).ok();
            if let Some(folder) = found {
                read_files(&folder, "", MOST_DEPTH, &mut files);
            }
            let Some(source) = Source::of(&files) else {
                continue;
            };
            if program.is_present {
                sources.present.insert(program.entrant.clone(), source);
            } else {
                sources.earlier.push((program.entrant.clone(), source));
            }
        }
        sources
    }

    /// What is alike, for each of these entrants.
    pub fn notes(&self, entrants: &[&str]) -> Vec<Note> {
        let starters: Vec<(&str, Source)> = STARTERS
            .iter()
            .filter_map(|starter| {
                let files = starter.files.iter();
                let files =
                    files.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
                Some((starter.language, Source::of(&files.collect())?))
            })
            .collect();
        let mut notes = Vec::new();
        for entrant in entrants {
            let Some(own) = self.present.get(*entrant) else {
                continue;
            };
            let mut note = |kind, with: &str, detail: &str| {
                notes.push(Note {
                    entrant: (*entrant).to_owned(),
                    kind,
                    with: with.to_owned(),
                    detail: detail.to_owned(),
                });
            };
            if let Some((language, _)) = starters.iter().find(|(_, it)| it.bare == own.bare) {
                // Others that still have it are named in rows of their own.
                note(
                    NoteKind::Starter,
                    language,
                    "the starter bot, but for white space and comments",
                );
                continue;
            }
            for (other, source) in self.present.iter().filter(|(it, _)| it != entrant) {
                if source.exact == own.exact {
                    note(NoteKind::SameProgram, other, "the same files");
                } else if source.bare == own.bare {
                    let detail = "the same but for white space, comments and names of files";
                    note(NoteKind::SameButSpacing, other, detail);
                }
            }
            let mut earlier = self.earlier.iter().filter(|(other, source)| {
                let is_known = self
                    .present
                    .get(other)
                    .is_some_and(|it| it.bare == own.bare);
                other != entrant && source.bare == own.bare && !is_known
            });
            if let Some((other, _)) = earlier.next() {
                note(
                    NoteKind::EarlierProgram,
                    other,
                    "the same as an earlier program, but for white space and comments",
                );
            }
        }
        notes
    }
}

fn read_files(folder: &Folder, path: &str, depth: usize, files: &mut BTreeMap<String, Vec<u8>>) {
    let names = folder.names(path).unwrap_or_default();
    for name in names {
        let below = if path.is_empty() {
            name
        } else {
            format!("{path}/{name}")
        };
        if files.len() >= MOST_FILES {
            return;
        }
        if folder.is_folder(&below) && depth > 0 {
            read_files(folder, &below, depth - 1, files);
        } else if folder.is_file(&below)
            && comments_of(&below).is_some()
            && let Ok(bytes) = folder.read(&below, MOST_MIB)
        {
            files.insert(below, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(files: &[(&str, &str)]) -> Option<Source> {
        let files = files.iter();
        let files = files.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        Source::of(&files.collect())
    }

    const PROGRAM: &str = "def move(legal):\n    best = max(legal, key=seeds)\n    return best\n\nprint(move(read_legal()))\n";

    #[test]
    fn white_space_comments_and_names_of_files_are_no_difference() {
        let own = source(&[("main.py", PROGRAM)]).expect("enough text");
        let spaced = PROGRAM.replace("    ", "\t").replace('\n', "  # mine\r\n");
        let other = source(&[("bot.py", &spaced), ("notes.txt", "x")]).expect("enough text");
        assert_ne!(own.exact, other.exact);
        assert_eq!(own.bare, other.bare);
        let changed = PROGRAM.replace("max", "min");
        assert_ne!(
            source(&[("main.py", &changed)]).expect("text").bare,
            own.bare
        );
        assert_eq!(source(&[("main.py", "print(1)")]), None, "alike by chance");
    }

    #[test]
    fn comments_go_by_language() {
        for (text, comments, expected) in [
            ("a = 1 # b\nc", Comments::Hash, "a=1c"),
            ("a; // b\nc; /* d\n */ e /", Comments::Slashes, "a;c;e/"),
            ("a /* never closed", Comments::Slashes, "a"),
            ("a //", Comments::Slashes, "a"),
            ("x = 7 // 2\n", Comments::Hash, "x=7//2"),
        ] {
            let bare = without_comments(text.as_bytes(), comments);
            assert_eq!(String::from_utf8(bare).unwrap(), expected, "{text}");
        }
    }
}
