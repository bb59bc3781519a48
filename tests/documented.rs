//! What README.md and `docs/` show is what awale does: every command line of them is run, and every
//! piece of a configuration is read.
//!
//! The commands are run in a folder that has what they speak of: the tournament `spring.toml` with
//! its results, the class `class.toml`, bots and games. Each gets a copy of that folder.

use crate::support::awale_command::awale;
use std::fs;
use std::io::{BufRead as _, BufReader, Cursor, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A bot that ends in one game, and another that plays.
const BOT: &str = include_str!("bots/documented.py");

const SPRING: &str = r#"
[tournament]
secret = "5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c"
pairs = 3
[clock]
move = "10s"
[isolation]
level = "none"
[admission]
mode = "off"
[[entrant]]
name = "ada"
command = ["python3", "ada.py"]
[[entrant]]
name = "ben"
command = ["awale", "bot", "minimax", "--depth", "1"]
[[entrant]]
name = "omar"
command = ["python3", "omar.py"]
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
"#;

const CLASS: &str = r#"
[class]
submissions = "submissions"
house = ["greedy"]
house-pairs = 1
points = [{ check = 20 }]
[tournament]
pairs = 1
[clock]
move = "5s"
[[start]]
name = "python"
file = "bot.py"
command = ["python3", "bot.py"]
"#;

/// The people of the class.
const ROSTER: &str =
    "folder,name,handed_in_as\ncleo,Cleo Example,Cleo Example_1_assignsubmission_file_\n";
/// The grading worksheet of its platform.
const WORKSHEET: &str = "Identifier,Full name,Email address,Status,Grade,Maximum Grade\n\
                         Participant 1,Cleo Example,,Submitted for grading,,20\n";

/// What was handed in on that platform.
fn submissions(program: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let name = "Cleo Example_1_assignsubmission_file_/bot.py";
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file(name, options).expect("memory");
    zip.write_all(program.as_bytes()).expect("memory");
    zip.finish().expect("memory").into_inner()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The documents at the top and everything in `docs/` and `docs/design/`.
fn documents() -> Vec<(String, String)> {
    let folders = ["", "docs", "docs/design"];
    let docs = folders.map(|name| fs::read_dir(root().join(name)).expect("a folder"));
    let docs = docs.into_iter().flatten();
    let docs = docs.map(|entry| entry.expect("a file").path());
    let mut paths: Vec<PathBuf> = docs
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    paths.sort();
    let named = paths.into_iter().map(|path| {
        let text = fs::read_to_string(&path).expect("text");
        let name = path.file_name().expect("a name").to_string_lossy();
        (name.into_owned(), text)
    });
    named.collect()
}

/// The lines of fenced blocks of this kind; `None` for those of any kind that is no language.
fn blocks(text: &str, wanted: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<(String, bool)> = None;
    for line in text.lines() {
        let fence = line.trim_start().strip_prefix("```");
        block = match (block, fence) {
            (None, None) => None,
            (None, Some(kind)) => {
                let is_wanted = match wanted {
                    Some(wanted) => kind == wanted,
                    None => ["", "sh", "console"].contains(&kind),
                };
                Some((String::new(), is_wanted))
            }
            (Some((text, is_wanted)), None) => Some((text + line + "\n", is_wanted)),
            (Some((text, is_wanted)), Some(_)) => {
                found.extend(is_wanted.then_some(text));
                None
            }
        };
    }
    found
}

/// The words of a line that runs awale: without prompt, comment, and what a shell does with it.
fn command_of(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    let line = line.strip_prefix("$ ").unwrap_or(line);
    line.strip_prefix("awale ")?;
    let line = line.split(" > ").next()?;
    let words = shell_words(line);
    Some(words.into_iter().skip(1).collect())
}

/// The words of a line up to a comment; quotes hold words together.
fn shell_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None, None);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(end), it) if it == end => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_with(String::new);
            }
            (None, ' ') => words.extend(word.take()),
            (None, '#') if word.is_none() => break,
            _ => word.get_or_insert_with(String::new).push(letter),
        }
    }
    words.extend(word);
    words
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn write_program(path: &Path, text: &str) {
    write(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.expect("cp").success());
}

/// A folder with everything that the documents speak of.
fn prepared() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path().join("work");
    let crashing = BOT.replace("CRASHES", "\"ada~greedy.3.1\"");
    write(&folder.join("ada.py"), &crashing);
    write(
        &folder.join("omar.py"),
        &BOT.replace("CRASHES", "\"ben~omar.2.1\""),
    );
    for name in ["bot", "mybot", "engine-new", "engine-old"] {
        write_program(&folder.join(name), &BOT.replace("CRASHES", "None"));
    }
    let honest = BOT.replace("CRASHES", "None");
    write(&folder.join("submissions/cleo/bot.py"), &honest);
    write(&folder.join("spring.toml"), SPRING);
    write(&folder.join("class.toml"), CLASS);
    write(&folder.join("students.csv"), "name,id\nAda Lovelace,7001\n");
    write(&folder.join("roster.csv"), ROSTER);
    write(&folder.join("worksheet.csv"), WORKSHEET);
    fs::write(folder.join("submissions.zip"), submissions(&honest)).expect("a file");
    copy(&root().join("configs"), &folder.join("configs"));
    write(&folder.join("results/.keep"), "");
    copy(
        &root().join("results/example"),
        &folder.join("results/example"),
    );
    copy(
        &root().join("results/example/games.csv"),
        &folder.join("games.csv"),
    );
    for config in ["spring.toml", "class.toml"] {
        let played = awale(&["run", config, "--i-trust-these-bots"])
            .current_dir(&folder)
            .output()
            .expect("awale starts");
        let said = String::from_utf8_lossy(&played.stderr).into_owned();
        assert_eq!(played.status.code(), Some(0), "{said}");
    }
    // Shards of the run that was played.
    for shard in [
        "shard spring.toml --write-plan plan.json",
        "shard spring.toml --plan plan.json --pairs 1..1 --output s/1.jsonl --i-trust-these-bots",
        "shard spring.toml --plan plan.json --pairs 1..1 --output results/spring.shards/1.jsonl \
         --i-trust-these-bots",
    ] {
        let words: Vec<&str> = shard.split_whitespace().collect();
        let played = awale(&words).current_dir(&folder).output();
        let said = played.expect("awale starts");
        assert!(
            said.status.success(),
            "{}",
            String::from_utf8_lossy(&said.stderr)
        );
    }
    place
}

/// Removes what a command writes, and refuses to overwrite.
fn make_room(trial: &Path, words: &[String]) {
    let has = |word: &str| words.iter().any(|it| it == word);
    if words[0] == "init" {
        fs::remove_file(trial.join(&words[1])).expect("the file that it writes");
    } else if has("--write-plan") {
        for plan in ["plan.json", "plan.toml"] {
            fs::remove_file(trial.join(plan)).expect("the file that it writes");
        }
    } else if has("--script") {
        fs::remove_dir_all(trial.join("results/spring.shards")).expect("the folder that it writes");
    }
}

/// What a documented command needs to end soon, and on any machine.
fn adapted(mut words: Vec<String>) -> Vec<String> {
    let has = |words: &[String], name: &str| words.iter().any(|it| it == name);
    for option in ["--live", "--web"] {
        if let Some(place) = words.iter().position(|it| it == option) {
            words.truncate(place + 1);
            // Any free port.
            words.push("0".to_owned());
        }
    }
    if words[0] == "sprt" {
        words.push("--dry-run".to_owned());
        words.retain(|it| it != "--json");
    }
    let starts_bots = ["run", "duel", "shard"].contains(&words[0].as_str());
    if starts_bots
        && !has(&words, "--write-plan")
        && !has(&words, "--dry-run")
        && !has(&words, "--dump-config")
    {
        words.push("--i-trust-these-bots".to_owned());
    }
    words
}

/// Runs a command to its end; a page is closed as soon as it is served. Returns the exit code and
/// what was said on standard error.
fn run(folder: &Path, words: &[String]) -> (Option<i32>, String) {
    let mut command = awale(words);
    command.current_dir(folder);
    let is_page = words.iter().any(|it| it == "--web");
    if !is_page {
        let output = command.output().expect("awale starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return (output.status.code(), said);
    }
    let mut child = command.stdout(Stdio::null()).spawn().expect("awale starts");
    let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let mut said = String::new();
    for line in lines.map_while(Result::ok) {
        said += &line;
        if line.starts_with("play at http://127.0.0.1:") {
            let process = i32::try_from(child.id()).expect("a process id");
            let process = rustix::process::Pid::from_raw(process).expect("a process");
            let signal = rustix::process::Signal::INT;
            rustix::process::kill_process(process, signal).expect("the process is there");
        }
    }
    (child.wait().expect("an end").code(), said)
}

#[test]
fn every_documented_command_does_what_it_says() {
    let place = prepared();
    let (work, trial) = (place.path().join("work"), place.path().join("trial"));
    let mut number = 0;
    for (document, text) in documents() {
        let lines = blocks(&text, None);
        for words in lines
            .iter()
            .flat_map(|it| it.lines())
            .filter_map(command_of)
        {
            // Waits for a debugger.
            if words.iter().any(|it| it == "--hold") {
                continue;
            }
            copy(&work, &trial);
            make_room(&trial, &words);
            let (code, said) = run(&trial, &adapted(words.clone()));
            let allowed: &[i32] = match words[0].as_str() {
                // The fault may be gone, or not.
                "replay-to-bot" => &[0, 1],
                // Its page is closed by Ctrl-C.
                "play" => &[0, 130],
                _ => &[0],
            };
            let is_allowed = code.is_some_and(|code| allowed.contains(&code));
            assert!(
                is_allowed,
                "{document}: awale {}: {code:?}\n{said}",
                words.join(" ")
            );
            fs::remove_dir_all(&trial).expect("the copy");
            number += 1;
        }
    }
    assert!(number > 35, "{number} commands were found");
}

/// A piece need not be a whole configuration, but has no key and no value that awale refuses.
#[test]
fn every_documented_piece_of_a_configuration_is_read() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let mut number = 0;
    for (document, text) in documents() {
        for piece in blocks(&text, Some("toml")) {
            fs::write(place.path().join("piece.toml"), &piece).expect("a file");
            let (_, said) = run(
                place.path(),
                &["run", "piece.toml", "--dry-run"].map(str::to_owned),
            );
            for refusal in ["unknown key", "unknown [", "cannot be", "not TOML"] {
                assert!(!said.contains(refusal), "{document}:\n{piece}\n{said}");
            }
            number += 1;
        }
    }
    assert!(number > 7, "{number} pieces were found");
}

#[test]
fn words_are_split_as_a_shell_does() {
    let words = |line| command_of(line).unwrap_or_default();
    assert_eq!(
        words("$ awale duel greedy \"python3 ada.py\"   # two bots"),
        ["duel", "greedy", "python3 ada.py"]
    );
    assert_eq!(
        words("awale sprt a.toml --json > b; code=$?"),
        ["sprt", "a.toml", "--json"]
    );
    assert_eq!(words("cargo build"), [""; 0]);
}
