//! How the folder of a class is started: by the first `[[start]]` whose file it has, or by the one
//! that its `awale.toml` chooses. That file is data from a stranger: it may choose from the
//! organiser's list, and name nothing else.

use crate::bot::Contents;
use crate::config::keys::tables::TypedStart;
use crate::config::tree::{TomlTable, Value};
use crate::text::{did_you_mean, nearest, quoted, some_names};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file of a folder that chooses how it is started.
pub const CHOICE_FILE: &str = "awale.toml";
/// The file that `awale class import` writes into a folder for which it could take nothing.
pub const REFUSED: &str = "not-imported.txt";
/// The most bytes of a [`CHOICE_FILE`].
pub const MOST_CHOICE_BYTES: u64 = 4096;
/// Its only key.
const CHOICE_KEY: &str = "start";
/// The program of the hand-out that plays practice games.
const PRACTICE: &str = "practice.py";
/// Endings of the names of archives.
const ARCHIVES: [&str; 8] = ["zip", "tar", "gz", "tgz", "bz2", "xz", "7z", "rar"];

/// The start for these contents; `choice` is the text of their [`CHOICE_FILE`], if there is one.
///
/// # Errors
/// No start fits, in words for the author.
pub fn start<'s>(
    starts: &'s [TypedStart],
    contents: &Contents,
    choice: Option<&[u8]>,
) -> Result<&'s TypedStart, String> {
    if let Some(choice) = choice {
        let name = chosen(starts, choice).map_err(|reason| format!("its awale.toml {reason}"))?;
        let mut named = starts.iter().filter(|it| it.name.value == name);
        let fitting = named.clone().find(|it| has(contents, &it.file.value));
        return fitting.ok_or_else(|| {
            let files: Vec<String> = named.by_ref().map(|it| quoted(&it.file.value)).collect();
            format!(
                "its awale.toml chooses the start {}, which needs the file {}, and there is none",
                quoted(&name),
                files.join(" or ")
            )
        });
    }
    let mut fitting = starts.iter();
    fitting
        .find(|start| has(contents, &start.file.value))
        .ok_or_else(|| none_fits(starts, contents))
}

fn has(contents: &Contents, file: &str) -> bool {
    contents.files.contains_key(Path::new(file))
}

/// The name of the start that the file chooses.
fn chosen(starts: &[TypedStart], choice: &[u8]) -> Result<String, String> {
    let mut names: Vec<&str> = starts.iter().map(|it| it.name.value.as_str()).collect();
    // Those of one name stand together.
    names.dedup();
    let form = format!(
        "it contains {CHOICE_KEY} = NAME with one of {}, and nothing else",
        some_names(&names)
    );
    let text = std::str::from_utf8(choice).map_err(|_| format!("is not UTF-8; {form}"))?;
    let table = TomlTable::parse(text).map_err(|error| format!("{}; {form}", error.message))?;
    let mut name = None;
    for entry in table.entries() {
        match &entry.node.value {
            Value::Text(text) if entry.key == CHOICE_KEY => name = Some(text),
            _ => return Err(format!("cannot contain {}; {form}", quoted(&entry.key))),
        }
    }
    let name = name.ok_or_else(|| format!("chooses nothing; {form}"))?;
    if names.contains(&name.as_str()) {
        return Ok(name.clone());
    }
    let hint = did_you_mean(name, &names, ["\"", "\""]);
    Err(format!("chooses {}{hint}; {form}", quoted(name)))
}

/// Says which file is missing, and what is there that looks like it.
fn none_fits(starts: &[TypedStart], contents: &Contents) -> String {
    let files: Vec<&str> = starts.iter().map(|it| it.file.value.as_str()).collect();
    // Other files of the same name are accepted, and need not be known.
    let mut firsts: Vec<&TypedStart> = starts.iter().collect();
    firsts.dedup_by_key(|it| &it.name.value);
    let firsts: Vec<&str> = firsts.iter().map(|it| it.file.value.as_str()).collect();
    let wanted = format!(
        "no file says how it is started; name its program {}",
        some_names(&firsts)
    );
    if let Some(reason) = wrongly_saved(&files, contents) {
        return format!("{reason}; {wanted}");
    }
    if has(contents, REFUSED) {
        return format!("it could not be imported, and {REFUSED} says why; {wanted}");
    }
    let Some((path, file)) = alike(&files, contents) else {
        return match (contents.files.len(), archive(contents)) {
            (0, _) => format!("it is empty: nothing was handed in; {wanted}"),
            (_, Some(archive)) => format!("it has {}: unpack it there; {wanted}", quoted(&archive)),
            (_, None) => format!("{wanted}; it has only {}", some_names(&all(contents))),
        };
    };
    let below = Path::new(&path).parent().filter(|it| *it != Path::new(""));
    match below {
        Some(folder) if Path::new(&path).ends_with(file) => format!(
            "its {file} is in the folder {}: move the files of that folder up; {wanted}",
            quoted(&folder.to_string_lossy())
        ),
        _ => format!("it has {}: is it {file}? {wanted}", quoted(&path)),
    }
}

/// A program that its author's system or editor has saved under another name.
fn wrongly_saved(files: &[&str], contents: &Contents) -> Option<String> {
    let paths = || contents.files.keys().map(|path| path.to_string_lossy());
    let doubled = paths().find_map(|path| {
        let (file, _) = path
            .rsplit_once('.')
            .filter(|(file, _)| file.contains('.') && files.contains(file))?;
        Some(format!("it has {}: rename it to {file}", quoted(&path)))
    });
    let notebook = || {
        let path = paths().find(|path| path.to_lowercase().ends_with(".ipynb"))?;
        Some(format!(
            "it has the notebook {}, which cannot be started: export it as a program",
            quoted(&path)
        ))
    };
    doubled.or_else(notebook)
}

fn all(contents: &Contents) -> Vec<String> {
    let paths = contents.files.keys();
    paths
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

/// A file that was handed in as it was packed.
fn archive(contents: &Contents) -> Option<String> {
    let is_archive = |path: &&Path| {
        let ending = path.extension().map(OsStr::to_ascii_lowercase);
        ending.is_some_and(|it| ARCHIVES.iter().any(|archive| it == *archive))
    };
    let mut paths = contents.files.keys().map(PathBuf::as_path);
    let found = paths.find(is_archive)?;
    Some(found.to_string_lossy().into_owned())
}

/// The first file whose name is that of a start in another folder, or nearly that, or one of the
/// same language.
fn alike<'f>(files: &[&'f str], contents: &Contents) -> Option<(String, &'f str)> {
    let paths = || {
        let paths = contents.files.keys().map(|path| path.to_string_lossy());
        // It is handed out, and no bot.
        paths.filter(|path| !path.ends_with(PRACTICE))
    };
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let in_folder = paths().find_map(|path| {
        let file = files.iter().find(|file| name(&path) == **file)?;
        Some((path.into_owned(), *file))
    });
    let ending = |text: &str| Path::new(text).extension().map(OsStr::to_ascii_lowercase);
    let of_this_kind = || {
        paths().filter(|path| !path.contains('/')).find_map(|path| {
            let file = files
                .iter()
                .find(|file| ending(file).is_some_and(|it| Some(it) == ending(&path)))?;
            Some((path.into_owned(), *file))
        })
    };
    let nearly = || {
        paths().find_map(|path| {
            let near = nearest(&name(&path).to_lowercase(), files)?;
            let is_same_kind = ending(&path) == ending(near);
            let near = files.iter().find(|file| **file == near)?;
            is_same_kind.then(|| (path.into_owned(), *near))
        })
    };
    in_folder.or_else(nearly).or_else(of_this_kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::error::Located;

    fn starts() -> Vec<TypedStart> {
        let text = |text: &str| Located::by_default(text.to_owned());
        let start = |(name, file): (&str, &str)| TypedStart {
            name: text(name),
            file: text(file),
            command: Located::by_default(vec![text("python3"), text(file)]),
            build: Vec::new(),
            tools: Vec::new(),
        };
        let all = [
            ("python", "main.py"),
            ("python", "bot.py"),
            ("javascript", "bot.js"),
            ("made", "Makefile"),
        ];
        all.map(start).to_vec()
    }

    fn contents(files: &[&str]) -> Contents {
        let hash = |file: &&str| (PathBuf::from(file), "0".to_owned());
        Contents {
            tree: "0".to_owned(),
            files: files.iter().map(hash).collect(),
        }
    }

    #[test]
    fn the_first_start_whose_file_is_there_or_the_chosen_one() {
        for (files, choice, expected) in [
            (["main.py", "x"], None, "python"),
            (["bot.js", "x"], None, "javascript"),
            (["bot.js", "main.py"], None, "python"),
            (["bot.py", "x"], None, "python"),
            (["bot.py", "bot.js"], Some("start = \"python\""), "python"),
            (
                ["bot.js", "main.py"],
                Some("start = \"javascript\""),
                "javascript",
            ),
            (
                ["Makefile", "main.py"],
                Some("# made\nstart = 'made'\n"),
                "made",
            ),
        ] {
            let starts = starts();
            let found = start(&starts, &contents(&files), choice.map(str::as_bytes));
            assert_eq!(found.unwrap().name.value, expected, "{files:?}");
        }
    }

    #[test]
    fn what_was_handed_in_wrongly_is_told_its_author() {
        for (files, said) in [
            (&[][..], "it is empty: nothing was handed in; no file"),
            (&["Bot.ZIP"], "it has \"Bot.ZIP\": unpack it there; no file"),
            (&["a.txt", "b.tar.gz"], "it has \"b.tar.gz\": unpack"),
            (
                &["main.py.txt"],
                "it has \"main.py.txt\": rename it to main.py; no file",
            ),
            (
                &["bot.ipynb", "a.pdf"],
                "it has the notebook \"bot.ipynb\",",
            ),
            (&["essay.pdf"], "; it has only \"essay.pdf\""),
            (&["not-imported.txt"], "not-imported.txt says why; no file"),
        ] {
            let starts = starts();
            let said_now = start(&starts, &contents(files), None).unwrap_err();
            assert!(said_now.contains(said), "{files:?}: {said_now}");
        }
    }

    #[test]
    fn what_fits_no_start_is_told_its_author() {
        for (files, choice, said) in [
            (
                ["notes.txt"].as_slice(),
                None,
                "no file says how it is started; name its program \"main.py\"",
            ),
            (
                &["ada/main.py", "a.txt"],
                None,
                "its main.py is in the folder \"ada\": move",
            ),
            (&["Main.py"], None, "it has \"Main.py\": is it main.py?"),
            (
                &["notes.txt", "search.py"],
                None,
                "it has \"search.py\": is it main.py?",
            ),
            (&["bots.js"], None, "it has \"bots.js\": is it bot.js?"),
            (
                &["main.py"],
                Some("start = \"javascript\""),
                "needs the file \"bot.js\"",
            ),
            (
                &["bot.js"],
                Some("start = \"python\""),
                "needs the file \"main.py\" or \"bot.py\"",
            ),
            (
                &["practice.py", "a.txt"],
                None,
                "no file says how it is started",
            ),
            (
                &["practice.py", "ada.py"],
                None,
                "it has \"ada.py\": is it main.py?",
            ),
            (
                &["main.py"],
                Some("start = \"pyton\""),
                "chooses \"pyton\"; did you mean",
            ),
            (&["main.py"], Some("start = 3"), "cannot contain \"start\""),
            (
                &["main.py"],
                Some("command = [\"rm\"]"),
                "cannot contain \"command\"",
            ),
            (&["main.py"], Some("start = \"../x\""), "chooses \"../x\""),
            (&["main.py"], Some(""), "chooses nothing"),
            (&["main.py"], Some("start = "), "not TOML"),
            (&["main.py"], Some("\u{1b}[2J"), "not TOML"),
        ] {
            let starts = starts();
            let found = start(&starts, &contents(files), choice.map(str::as_bytes));
            let said_now = found.unwrap_err();
            assert!(said_now.contains(said), "{files:?} {choice:?}: {said_now}");
            assert!(!said_now.contains('\u{1b}'), "{said_now:?}");
        }
    }
}
