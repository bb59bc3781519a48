//! `examples/minimal.rs` as a library's user starts it: it plays, goes on, and finds what was
//! changed afterwards.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Examples are built into a folder beside the program.
fn example() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_awale"));
    program.parent().expect("a folder").join("examples/minimal")
}

fn start(folder: &Path) -> Output {
    let mut command = Command::new(example());
    command.arg(folder).output().expect("the example is built")
}

#[test]
fn a_tournament_of_functions_is_played_and_verified() {
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = temporary.path().join("run");
    let [played, again] = [start(&folder), start(&folder)];
    for output in [&played, &again] {
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{output:?}");
        // Three pairings of 20 pairs, two games each.
        assert!(text.ends_with("120 games verified\n"), "{text}");
    }
    assert_eq!(played.stdout, again.stdout, "nothing was left to play");

    let journal = folder.join("games.jsonl");
    let text = std::fs::read_to_string(&journal).expect("a journal");
    let (kept, _) = text.trim_end().rsplit_once('\n').expect("many lines");
    let (kept, cut) = kept.rsplit_once('\n').expect("many lines");
    std::fs::write(&journal, format!("{kept}\n")).expect("a journal");
    let resumed = start(&folder);
    assert_eq!(resumed.stdout, played.stdout, "the same games again");

    let text = std::fs::read_to_string(&journal).expect("a journal");
    std::fs::write(&journal, text.replace(cut, "{}")).expect("a journal");
    let damaged = start(&folder);
    assert!(!damaged.status.success(), "{damaged:?}");
    let message = String::from_utf8_lossy(&damaged.stderr);
    assert!(message.contains("games.jsonl"), "{message}");
}
