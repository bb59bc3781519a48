//! What learning platforms call the files of a download: whose each file is.
//!
//! ```text
//! Moodle   Ada Lovelace_1234567_assignsubmission_file_/main.py      a number of this assignment
//!          Ada Lovelace_1234567_assignsubmission_file_main.py
//! Canvas   lovelaceada_LATE_12345_67890_main-1.py                   user, then hand-in
//! ILIAS    …/Lovelace_Ada_al123_4711/20261120210400_main.py         login, then number
//! folders  ada/main.py  ada.zip
//! ```

use super::archive::{Entry, is_archive, without_ending};
use super::tree::is_leftover;
use std::collections::BTreeMap;
use std::fmt;
use toml::value::Datetime;

/// What stands between the number and the name of the plugin in Moodle.
const MOODLE: &str = "_assignsubmission_";
/// The end of the folder in which Moodle takes feedback files back.
const MOODLE_FOLDER: &str = "_assignsubmission_file_";
/// What Canvas writes after the name of somebody who was late.
const CANVAS_LATE: &str = "LATE";
/// The page that platforms put beside the hand-ins.
const OVERVIEW: &str = "index.html";
/// The digits of a time before the names of files in ILIAS.
const ILIAS_TIME: usize = 14;

/// Where an export comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// The download of all submissions of an assignment in Moodle.
    Moodle,
    /// The same in Canvas.
    Canvas,
    /// The same in ILIAS.
    Ilias,
    /// A folder for each person.
    Folders,
}

impl Platform {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Moodle, Self::Canvas, Self::Ilias, Self::Folders];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moodle => "moodle",
            Self::Canvas => "canvas",
            Self::Ilias => "ilias",
            Self::Folders => "folders",
        }
    }

    /// The platform that names files like these.
    pub fn of(entries: &[Entry]) -> Self {
        let files = || {
            let files = entries.iter().filter(|it| !it.is_folder);
            files.map(|it| it.path.as_str()).filter(|it| is_own(it))
        };
        let is_from =
            |it: Self| files().next().is_some() && files().all(|path| it.place(path).is_some());
        if entries
            .iter()
            .any(|it| Self::Moodle.place(&it.path).is_some())
        {
            return Self::Moodle;
        }
        let known = [Self::Canvas, Self::Ilias];
        known
            .into_iter()
            .find(|it| is_from(*it))
            .unwrap_or(Self::Folders)
    }

    /// Whose a file is, by the first part of its path that tells it.
    fn place(self, path: &str) -> Option<Place> {
        let mut start = 0;
        for step in path.split('/') {
            let after = path.get(start + step.len() + 1..).unwrap_or_default();
            start += step.len() + 1;
            let found = match self {
                Self::Moodle => moodle(step),
                Self::Canvas => canvas(step),
                Self::Ilias => ilias(step),
                Self::Folders => None,
            };
            if let Some(mut place) = found {
                if self == Self::Ilias {
                    place.file = ilias_file(after, &mut place.submitted);
                } else if !after.is_empty() {
                    let own = place.file.trim_matches('/');
                    place.file = match own {
                        "" => after.to_owned(),
                        _ => format!("{own}/{after}"),
                    };
                }
                return Some(place);
            }
        }
        None
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Moodle => "a download of Moodle",
            Self::Canvas => "a download of Canvas",
            Self::Ilias => "a download of ILIAS",
            Self::Folders => "a folder for each person",
        })
    }
}

/// What one person has handed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandIn {
    /// The folder, or the beginning of the names, in the export.
    pub handed_in_as: String,
    /// The name as the platform writes it.
    pub name: String,
    /// The number or login, if it is the same in every export.
    pub id: String,
    /// Whether the platform says that it was late.
    pub late: bool,
    /// The last time.
    pub submitted: Option<Datetime>,
    /// Paths below the folder of the person, with the indices of their entries.
    pub files: Vec<(String, usize)>,
}

/// Whose a file is.
#[derive(Default)]
struct Place {
    handed_in_as: String,
    name: String,
    id: String,
    late: bool,
    submitted: Option<Datetime>,
    /// The path below the folder of the person; empty for that folder.
    file: String,
}

/// The hand-ins of an export in the order of their names, and the files that belong to nobody.
pub fn hand_ins(platform: Platform, entries: &[Entry]) -> (Vec<HandIn>, Vec<String>) {
    let mut found: BTreeMap<String, HandIn> = BTreeMap::new();
    let mut nobodys = Vec::new();
    let root = (platform == Platform::Folders).then(|| common_root(entries));
    for (index, entry) in entries.iter().enumerate() {
        let place = match &root {
            None => platform.place(&entry.path),
            Some(root) => in_folder(entry, root),
        };
        let Some(place) = place else {
            let is_overview = entry.path.split('/').any(|step| step == OVERVIEW);
            if !entry.is_folder && is_own(&entry.path) && !is_overview {
                nobodys.push(entry.path.clone());
            }
            continue;
        };
        let hand_in = found.entry(place.handed_in_as.clone()).or_default();
        hand_in.handed_in_as = place.handed_in_as;
        hand_in.name = place.name;
        hand_in.id = place.id;
        hand_in.late |= place.late;
        let time = place.submitted.or(entry.modified);
        if !entry.is_folder && text_of(time) > text_of(hand_in.submitted) {
            hand_in.submitted = time;
        }
        if !place.file.is_empty() {
            hand_in.files.push((place.file, index));
        }
    }
    let mut hand_ins: Vec<HandIn> = found.into_values().collect();
    if platform == Platform::Canvas {
        hand_ins.iter_mut().for_each(restore_names);
    }
    (hand_ins, nobodys)
}

/// Whether a file is not what tools have left.
fn is_own(path: &str) -> bool {
    !path.split('/').any(is_leftover)
}

/// Times of one zone are in the order of their texts.
fn text_of(time: Option<Datetime>) -> String {
    time.map(|it| it.to_string()).unwrap_or_default()
}

/// The number of a person in an assignment of Moodle, from the folder of the hand-in.
pub fn moodle_number(handed_in_as: &str) -> Option<&str> {
    let (person, _) = handed_in_as.split_once(MOODLE)?;
    let (_, number) = person.rsplit_once('_')?;
    is_number(number).then_some(number)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// `Ada Lovelace_1234567_assignsubmission_file_main.py`; `onlinetext` is what was typed.
fn moodle(step: &str) -> Option<Place> {
    let number = moodle_number(step)?;
    let (person, plugin) = step.split_once(MOODLE)?;
    let file = plugin.split_once('_').map_or("", |(_, file)| file);
    Some(Place {
        handed_in_as: format!("{person}{MOODLE_FOLDER}"),
        name: person[..person.len() - number.len() - 1].to_owned(),
        file: file.to_owned(),
        ..Place::default()
    })
}

/// `lovelaceada_LATE_12345_67890_main.py`, or `lovelaceada_12345_text.html`.
fn canvas(step: &str) -> Option<Place> {
    let (name, rest) = step.split_once('_')?;
    let late = rest
        .strip_prefix(CANVAS_LATE)
        .and_then(|it| it.strip_prefix('_'));
    let (user, rest) = late.unwrap_or(rest).split_once('_')?;
    let file = match rest.split_once('_') {
        Some((number, file)) if is_number(number) => file,
        _ if rest.starts_with("text.") => rest,
        _ => return None,
    };
    (is_number(user) && !name.is_empty() && !file.is_empty()).then(|| Place {
        handed_in_as: format!("{name}_{user}"),
        name: name.to_owned(),
        id: user.to_owned(),
        late: late.is_some(),
        file: file.to_owned(),
        ..Place::default()
    })
}

/// `main-1.py` is a second `main.py`: Canvas numbers what is handed in again. A name that two files
/// would have stays as it is.
fn restore_names(hand_in: &mut HandIn) {
    let first = |name: &str| {
        let (stem, ending) = name.split_once('.')?;
        let (stem, number) = stem.rsplit_once('-')?;
        number.parse::<u32>().ok()?;
        Some(format!("{stem}.{ending}"))
    };
    let mut wanted: Vec<String> = Vec::new();
    for (name, _) in &hand_in.files {
        wanted.push(name.clone());
        wanted.extend(first(name));
    }
    for (name, _) in &mut hand_in.files {
        let first =
            first(name).filter(|it| wanted.iter().filter(|other| *other == it).count() == 1);
        if let Some(first) = first {
            *name = first;
        }
    }
}

/// `Lovelace_Ada_al123_4711`.
fn ilias(step: &str) -> Option<Place> {
    let (person, number) = step.rsplit_once('_')?;
    let mut parts = person.splitn(3, '_');
    let (last, first, login) = (parts.next()?, parts.next()?, parts.next()?);
    let is_whole = is_number(number) && ![last, first, login].contains(&"");
    is_whole.then(|| Place {
        handed_in_as: step.to_owned(),
        name: format!("{first} {last}"),
        id: login.to_owned(),
        ..Place::default()
    })
}

/// The path of a file in ILIAS without the time before its name.
fn ilias_file(path: &str, submitted: &mut Option<Datetime>) -> String {
    let (before, name) = path.rsplit_once('/').map_or(("", path), |it| it);
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    if digits != ILIAS_TIME || name.as_bytes().get(digits) != Some(&b'_') {
        return path.to_owned();
    }
    let part = |from: usize, to: usize| &name[from..to];
    let time = format!(
        "{}-{}-{}T{}:{}:{}",
        part(0, 4),
        part(4, 6),
        part(6, 8),
        part(8, 10),
        part(10, 12),
        part(12, 14)
    );
    *submitted = time.parse().ok();
    match before {
        "" => name[digits + 1..].to_owned(),
        _ => format!("{before}/{}", &name[digits + 1..]),
    }
}

/// The folder around the folders of all people, if there is one: two people at least are in it.
fn common_root(entries: &[Entry]) -> String {
    let own = entries.iter().filter(|it| is_own(&it.path));
    let mut roots = own.clone().map(|it| it.path.split('/').next());
    let Some(Some(root)) = roots.next() else {
        return String::new();
    };
    if roots.any(|it| it != Some(root)) {
        return String::new();
    }
    let inside = format!("{root}/");
    let below = own.filter_map(|it| Some((it, it.path.strip_prefix(&inside)?)));
    let is_person = |(entry, path): (&Entry, &str)| {
        let (first, rest) = path.split_once('/').map_or((path, ""), |it| it);
        let is_file = rest.is_empty() && !entry.is_folder && !is_archive(path);
        (!is_file).then(|| first.to_owned()).ok_or(())
    };
    let people: Result<std::collections::BTreeSet<String>, ()> = below.map(is_person).collect();
    match people {
        Ok(people) if people.len() > 1 => inside,
        _ => String::new(),
    }
}

/// `ada/main.py` or `ada.zip` below the folder of all people.
fn in_folder(entry: &Entry, root: &str) -> Option<Place> {
    let path = entry.path.strip_prefix(root)?;
    let (folder, file) = path.split_once('/').map_or((path, ""), |it| it);
    if folder.starts_with('.') || !is_own(folder) || folder.is_empty() {
        return None;
    }
    let is_file = file.is_empty() && !entry.is_folder;
    if is_file && !is_archive(folder) {
        return None;
    }
    let name = if is_file {
        without_ending(folder)
    } else {
        folder
    };
    Some(Place {
        handed_in_as: name.to_owned(),
        name: name.to_owned(),
        file: if is_file { folder } else { file }.to_owned(),
        ..Place::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(paths: &[&str]) -> Vec<Entry> {
        let entry = |path: &&str| Entry {
            path: path.trim_end_matches('/').to_owned(),
            is_folder: path.ends_with('/'),
            ..Entry::default()
        };
        paths.iter().map(entry).collect()
    }

    /// Names and files as `name|id|late: file file`.
    fn shown(platform: Platform, paths: &[&str]) -> Vec<String> {
        let (hand_ins, _) = hand_ins(platform, &entries(paths));
        let shown = |it: HandIn| {
            let late = if it.late { "late" } else { "" };
            let files: Vec<String> = it.files.into_iter().map(|(path, _)| path).collect();
            format!("{}|{}|{late}: {}", it.name, it.id, files.join(" "))
        };
        hand_ins.into_iter().map(shown).collect()
    }

    #[test]
    fn names_of_each_platform_are_read() {
        for (platform, paths, expected) in [
            (
                Platform::Moodle,
                &[
                    "Ada Lovelace_1234567_assignsubmission_file_/main.py",
                    "Ada Lovelace_1234567_assignsubmission_file_/lib/a_b.py",
                    "Ada Lovelace_1234567_assignsubmission_onlinetext_/onlinetext.html",
                    "Anna-Maria O'Neill_12_assignsubmission_file_bot_2.py",
                    "Cy_13_assignsubmission_file/main.py",
                    "Dee_14_assignsubmission_file_/",
                    "__MACOSX/x",
                ][..],
                &[
                    "Ada Lovelace||: main.py lib/a_b.py onlinetext.html",
                    "Anna-Maria O'Neill||: bot_2.py",
                    "Cy||: main.py",
                    "Dee||: ",
                ][..],
            ),
            (
                Platform::Canvas,
                &[
                    "lovelaceada_12345_67890_main.py",
                    "lovelaceada_12345_67891_my_lib-2.py",
                    "neillann_LATE_12_13_main-1.py",
                    "neillann_LATE_12_14_main-2.py",
                    "zoe_15_text.html",
                ],
                &[
                    "lovelaceada|12345|: main.py my_lib.py",
                    "neillann|12|late: main-1.py main-2.py",
                    "zoe|15|: text.html",
                ],
            ),
            (
                Platform::Ilias,
                &[
                    "Task/Submissions/Lovelace_Ada_al123_4711/20261120210400_main.py",
                    "Task/Submissions/van der Berg_Ben_b_7_12/",
                ],
                &["Ada Lovelace|al123|: main.py", "Ben van der Berg|b_7|: "],
            ),
            (
                Platform::Folders,
                &[
                    "all/ada/main.py",
                    "all/ben.zip",
                    "all/cy/",
                    // The Finder of macOS leaves it in every folder.
                    "all/.DS_Store",
                    "__MACOSX/all/._x",
                ],
                &["ada||: main.py", "ben||: ben.zip", "cy||: "],
            ),
            (Platform::Folders, &["ada/main.py"], &["ada||: main.py"]),
            (
                Platform::Folders,
                &["ada/src/main.py", "readme.txt"],
                &["ada||: src/main.py"],
            ),
        ] {
            assert_eq!(shown(platform, paths), expected);
            assert_eq!(Platform::of(&entries(paths)), platform, "{paths:?}");
        }
    }

    #[test]
    fn times_and_files_of_nobody_are_kept() {
        let paths = [
            "A_B_c_1/20261120210400_x.py",
            "A_B_c_1/20261121000000_y.py",
            "notes.txt",
        ];
        let (people, nobodys) = hand_ins(Platform::Ilias, &entries(&paths));
        let submitted = people[0].submitted.map(|it| it.to_string());
        assert_eq!(submitted.as_deref(), Some("2026-11-21T00:00:00"));
        assert_eq!(nobodys, ["notes.txt"]);
    }
}
