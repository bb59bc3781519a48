//! What a person sees: the same commands on terminals of 60 and 100 columns, and through a pipe.
//! Needs python3, whose pseudo-terminals these are.

use super::boxes::boxes_work;
use super::story::{Story, has};
use crate::support::awale_command::AWALE;
use crate::support::skip::{skip, test_name};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

const CONFIG: &str = r#"
[tournament]
secret = "5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c"
pairs = 3
[clock]
move = "10s"
[isolation]
level = "none"
[[entrant]]
name = "minimax-two"
command = ["awale", "bot", "minimax", "--depth", "2"]
[[entrant]]
name = "minimax-one"
command = ["awale", "bot", "minimax", "--depth", "1"]
[[entrant]]
name = "random"
command = ["awale", "bot", "random"]
"#;

/// What a command writes on a terminal of this width; `None` without python3.
fn on_terminal(story: &Story, columns: u32, arguments: &[&str], no_colour: bool) -> Option<String> {
    on_terminal_with(story, columns, AWALE, arguments, no_colour)
}

/// The same of another program.
fn on_terminal_with(
    story: &Story,
    columns: u32,
    program: &str,
    arguments: &[&str],
    no_colour: bool,
) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/terminal.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(columns.to_string()).arg(program);
    command.args(arguments).current_dir(story.path(""));
    if no_colour {
        command.env("NO_COLOR", "1");
    } else {
        command.env_remove("NO_COLOR");
    }
    command.env("TERM", "xterm");
    command.env("XDG_CACHE_HOME", story.path("cache"));
    let Ok(output) = command.output() else {
        skip(&test_name(), "no python3");
        return None;
    };
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{said}");
    Some(said.replace("\r\n", "\n"))
}

/// The text without what colours it.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split("\u{1b}[");
    plain += parts.next().expect("a part");
    for part in parts {
        let end = part.find(|it: char| it.is_ascii_alphabetic());
        plain += &part[end.expect("an end of a sequence") + 1..];
    }
    plain
}

/// Times differ from run to run, and the widths of their columns.
fn without_times(text: &str) -> String {
    let is_unit = |word: &str| ["µs", "ms", "s"].contains(&word);
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('─')) {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        // Where a note is broken, a line may begin with the unit of a number before.
        while let Some(place) = words.iter().skip(1).rposition(|word| is_unit(word)) {
            words.splice(place..=place + 1, ["TIME"]);
        }
        lines.push(words.join(" "));
    }
    lines.join("\n")
}

fn played() -> Story {
    let story = Story::new();
    story.write("seen.toml", CONFIG);
    story.ok("run seen.toml");
    story
}

/// Emacs and editors like it run programs on such a terminal.
#[test]
fn a_dumb_terminal_gets_no_escapes() {
    let story = played();
    story.write("one.toml", CONFIG.replace("pairs = 3", "pairs = 1"));
    for arguments in [
        &["run", "one.toml"][..],
        &["table", "results/seen"],
        &["check", "random"],
    ] {
        let words = [&["TERM=dumb", AWALE], arguments].concat();
        let Some(shown) = on_terminal_with(&story, 100, "env", &words, false) else {
            return;
        };
        assert!(
            shown.contains("random") && !shown.contains('\u{1b}'),
            "{shown}"
        );
    }
}

/// No line is wider than the terminal, no word is broken, and a narrow one has fewer columns.
#[test]
fn tables_and_notes_fit_the_terminal() {
    let story = played();
    let piped = story.ok("table results/seen").stdout;
    let words: Vec<&str> = piped.lines().last().expect("notes").split(' ').collect();
    for (columns, titles) in [
        (60, "# entrant Elo ±95 % games won score"),
        (
            100,
            "# entrant Elo ±95 % games won drawn lost score mean time max time",
        ),
    ] {
        let Some(shown) = on_terminal(&story, columns, &["table", "results/seen"], true) else {
            return;
        };
        assert!(!shown.contains('\u{1b}'), "{shown}");
        let widest = shown.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(columns as usize), "{widest:?}: {shown}");
        assert_eq!(without_times(&shown).lines().next(), Some(titles));
        // The same words in the same order.
        let notes = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(notes.ends_with(&words.join(" ")), "{shown}");
    }
    let titles = without_times(&piped);
    let titles = titles.lines().next().expect("titles");
    assert!(titles.ends_with("mean time max time"), "{titles}");
    assert!(
        piped.lines().any(|line| line.chars().count() > 100),
        "{piped}"
    );
}

/// Long names stay apart, and columns of the matrices are left out; not so through a pipe.
#[test]
fn forty_entrants_with_long_names_fit() {
    let story = Story::new();
    let mut config = "[tournament]\npairs = 1\nformat = \"gauntlet\"\nchampions = [\"greedy\"]\n\
                      max-plies = 8\n[admission]\nmode = \"off\"\n\
                      [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n"
        .to_owned();
    let name = |number: u32| format!("a student of the first year, number {number}, of the spring");
    for number in 1..=40 {
        let name = name(number);
        let command = r#"["awale", "bot", "random"]"#;
        config.extend([
            "[[entrant]]\nname = \"",
            &name,
            "\"\ncommand = ",
            command,
            "\n",
        ]);
    }
    story.write("many.toml", config);
    story.ok("run many.toml");
    let piped = story.ok("table results/many").stdout;
    assert!(piped.contains(&name(40)), "{piped}");
    let mut titles = piped.lines().filter(|line| line.contains("#  entrant"));
    assert!(
        titles.any(|line| line.trim_end().ends_with(" 41")),
        "{piped}"
    );
    for columns in [40, 80] {
        let arguments = ["table", "results/many"];
        let Some(shown) = on_terminal(&story, columns, &arguments, true) else {
            return;
        };
        let widest = shown.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(columns as usize), "{widest:?}: {shown}");
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        has(
            &words,
            " to 41 do not fit into this width: `awale table DIR | less -S` shows them",
        );
        let rows = shown.lines().skip(2).take(41);
        let names: BTreeSet<&str> = rows
            .map(|row| row.trim_start().split_once("  ").expect("a name").1)
            .map(|row| row.split("  ").next().expect("a name"))
            .collect();
        assert_eq!(names.len(), 41, "{shown}");
    }
}

/// Colours are on a terminal alone, and change no word.
#[test]
fn colours_change_no_word() {
    let story = played();
    let again = ["run", "seen.toml"];
    let piped = story.ok(&again);
    assert!(!piped.stdout.contains('\u{1b}') && !piped.stderr.contains('\u{1b}'));
    let (Some(plain), Some(coloured)) = (
        on_terminal(&story, 100, &again, true),
        on_terminal(&story, 100, &again, false),
    ) else {
        return;
    };
    let tables = |text: &str| {
        let text = without_colours(text);
        let begin = text.rfind("#  entrant").expect("the table");
        text[begin..].to_owned()
    };
    assert_eq!(tables(&plain), tables(&coloured));
    for (place, text) in [
        ("bold titles", "\u{1b}[1m#  entrant"),
        ("dim notes", "\u{1b}[2m"),
        (
            "the bold end",
            "\u{1b}[1mnothing was left to play\u{1b}[0m → results/seen/report.html",
        ),
    ] {
        assert!(coloured.contains(text), "no {place} in {coloured:?}");
        assert!(!plain.contains(text), "{place} in {plain:?}");
    }
    assert!(
        tables(&plain)
            .lines()
            .all(|line| line.chars().count() <= 100),
        "{plain}"
    );
}

/// What terminals and a pipe show of a run that is kept here, journal alone, to the letter.
#[test]
fn a_kept_run_is_shown_as_it_was() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/shown");
    let story = Story::new();
    fs::create_dir_all(story.path("results/shown")).expect("a folder");
    let journal = story.path("results/shown/games.jsonl");
    fs::copy(kept.join("games.jsonl"), journal).expect("the journal");
    let table = ["table", "results/shown"];
    let faults = ["faults", "results/shown", "--entrant", "eve"];
    for (name, command) in [("table", &table[..]), ("faults", &faults[..])] {
        for columns in [None, Some(60), Some(100)] {
            let (width, shown) = match columns {
                None => ("piped".to_owned(), story.ok(command).stdout),
                Some(columns) => match on_terminal(&story, columns, command, true) {
                    Some(shown) => (columns.to_string(), shown),
                    None => return,
                },
            };
            let file = kept.join(format!("{name}-{width}.txt"));
            let expected = fs::read_to_string(&file).expect("a text");
            assert_eq!(shown, expected, "{}", file.display());
        }
    }
}

/// What a terminal shows in the end: a line that was taken back is gone.
fn left(text: &str) -> String {
    let shown = text
        .lines()
        .map(|line| line.rsplit("\r\u{1b}[K").next().unwrap_or(line));
    shown.collect::<Vec<_>>().join("\n")
}

/// Passed steps of a check give way to the next one, except through a pipe and with `--all`.
#[test]
fn passed_steps_fold_away_on_a_terminal() {
    let story = Story::new();
    let check = ["check", "greedy", "--only", "1,2,3"];
    let all = [&check[..], &["--all"]].concat();
    let (Some(folded), Some(kept)) = (
        on_terminal(&story, 60, &check, true),
        on_terminal(&story, 60, &all, true),
    ) else {
        return;
    };
    let piped = story.ok(&check).stdout;
    let passed = |text: &str| text.lines().filter(|line| line.contains(" ok ")).count();
    assert_eq!(passed(&left(&folded)), 0, "{folded:?}");
    assert_eq!(passed(&kept), passed(&piped), "{kept:?}");
    assert!(passed(&piped) >= 3, "{piped}");
    let end = |text: &str| text.lines().last().map(str::to_owned);
    assert_eq!(end(&left(&folded)), end(&piped));
}

/// Opens the terminal, and sends a signal to its group of processes, which it ignores itself.
const LOOKS_OUT: &str = include_str!("../bots/looks_out.py");

const LOOKS_OUT_CONFIG: &str = r#"
[tournament]
pairs = 1
slots = 1
max-plies = 4
[admission]
mode = "off"
[clock]
move = "20s"
[[entrant]]
name = "one"
command = ["/usr/bin/python3", "bot.py"]
[[entrant]]
name = "two"
command = ["/usr/bin/python3", "bot.py"]
"#;

/// Without isolation a bot has the terminal neither: the referee is in a session without one.
#[test]
fn a_bot_in_a_box_has_no_terminal_and_a_group_of_its_own() {
    let story = Story::new();
    story
        .write("bot.py", LOOKS_OUT)
        .write("looks.toml", LOOKS_OUT_CONFIG);
    let opens = "import os; os.open('/dev/tty', os.O_RDWR); print('opened')";
    let control = on_terminal_with(&story, 80, "python3", &["-c", opens], true);
    let Some(control) = control else {
        return;
    };
    assert_eq!(control, "opened\n");
    let run = ["run", "looks.toml", "--oversubscribe"];
    let boxed = [&run[..], &["--isolation", "box"]].concat();
    let without_terminal = story.run(&[&boxed[..], &["--output", "x"]].concat());
    if without_terminal.code == Some(2) && !boxes_work() {
        return;
    }
    without_terminal.with_code(0);
    let open = [&run[..], &["--isolation", "none", "--i-trust-these-bots"]].concat();
    for (arguments, to) in [(boxed, "y"), (open, "z")] {
        let arguments = [&arguments[..], &["--output", to]].concat();
        let Some(said) = on_terminal(&story, 80, &arguments, true) else {
            return;
        };
        let journal = story.read(&format!("{to}/games.jsonl"));
        let endings = journal.matches("\"ending\":\"adjudicated\"").count();
        assert_eq!(endings, 2, "{journal}{said}");
        let seen = journal.matches("{\"seen\":\"<").count();
        assert_eq!(seen, 8, "{journal}");
        assert!(!journal.contains("/dev/tty"), "{journal}");
        if to == "y" {
            assert_eq!(journal.matches("{\"seen\":\"<>").count(), 8, "{journal}");
        }
    }
}
