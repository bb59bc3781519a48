//! `awale verify` and the evidence of faults: it must say the same as the journal, also after the
//! folder was changed.

use super::story::{SECRET, Said, Story, has};
use super::verify::{Lines, clean, copy_folder, json, unclean};
use crate::support::awale_command::AWALE;
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::OnceLock;

/// The fault of each game; in game bad~good.1.1 the villain is South.
const TRANSCRIPT: &str = "run/faults/bad~good.1.1/transcript.jsonl";
const OPPONENT: &str = "run/faults/bad~good.1.1/opponent-transcript.jsonl";
const PAGE: &str = "run/faults/bad~good.1.1/fault.toml";

/// A villain that plays three moves in each game, and an illegal one then.
fn sound() -> &'static Story {
    static SOUND: OnceLock<Story> = OnceLock::new();
    SOUND.get_or_init(|| {
        let story = Story::new();
        let build = Path::new(AWALE).parent().expect("the build's folder");
        let villain = build.join("examples/villain");
        let command = [
            villain.to_str().expect("a path in UTF-8"),
            "move:3=write:{\"type\":\"move\",\"pit\":77}\\n",
        ];
        let config = format!(
            "[tournament]\n{SECRET}\npairs = 2\nslots = 1\n\
             [admission]\nmode = \"off\"\n[clock]\nmove = \"10s\"\n\
             [[entrant]]\nname = \"bad\"\ncommand = {command:?}\n\
             [[entrant]]\nname = \"good\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n"
        );
        story.write("sound.toml", config);
        story.ok("run sound.toml --output sound");
        story
    })
}

fn copy() -> Story {
    let copy = Story::new();
    copy_folder(&sound().path("sound"), &copy.path("run"));
    copy
}

/// Changes a text in a file, which has it.
fn edit(story: &Story, name: &str, from: &str, to: &str) {
    let text = story.read(name);
    assert!(text.contains(from), "{from} in {text}");
    story.write(name, text.replacen(from, to, 1));
}

#[track_caller]
fn finds(story: &Story, words: &str) -> Said {
    let said = unclean(story).out_has(words);
    has(&said.stdout, "evidence    1 PROBLEM");
    said
}

#[test]
fn sound_evidence_is_compared() {
    let story = copy();
    story
        .ok("verify run --strict")
        .out_has("evidence    ok         4 of 4 faults compared");
    let report = json(&story, 0);
    assert_eq!(report["checks"][8]["check"], "evidence");
}

#[test]
fn another_move_in_a_transcript_is_found() {
    // What the bot answered.
    for (file, side) in [(TRANSCRIPT, 0), (OPPONENT, 1)] {
        let story = copy();
        let text = story.read(file);
        let place = text.find("\\\"pit\\\":").expect("a move") + "\\\"pit\\\":".len();
        // The opponent's pit in the request that told of it comes first in its own transcript.
        let place = match side {
            0 => text.find("\"from\":\"bot\"").map_or(place, |_| {
                let move_at = text.find("\\\"type\\\":\\\"move\\\"").expect("a move");
                move_at + text[move_at..].find("\\\"pit\\\":").expect("a pit") + 8
            }),
            _ => place,
        };
        let mut bytes = text.into_bytes();
        bytes[place] = if bytes[place] == b'5' {
            b'4'
        } else {
            bytes[place] + 1
        };
        story.write(file, bytes);
        let said = finds(&story, "game bad~good.1.1: turn ");
        assert!(said.stdout.contains("journal"), "{}", said.stdout);
    }
}

/// A file of the evidence, what is changed in it, and the words that say so.
const FORGERIES: &str = r#"
transcript.jsonl | \"turn\":2 | \"turn\":4 | asked for where turn
transcript.jsonl | game\":\"bad~good.1.1 | game\":\"bad~good.1.2 | its last game is bad~good.1.2
transcript.jsonl | you\":\"south | you\":\"north | its last game is bad~good.1.1 as north
transcript.jsonl | "bytes": | "bytes":1 | does not have the bytes that it says
transcript.jsonl | {"time_us" | ["time_us" | is not a line of a transcript
fault.toml | moves = " | moves = "A | moves is A
fault.toml | kind = "illegal-move" | kind = "crash" | kind is crash
fault.toml | entrant = "bad" | entrant = "\u001b[2J" | entrant is \u{1b}[2J
fault.toml | opponent = "good" | opponent = "bad" | opponent is bad
fault.toml | game = "bad~good.1.1" | game = "bad~good.1.2" | game is bad~good.1.2
fault.toml | side = "south" | side = "north" | side is north
fault.toml | [position] | [position | it is damaged
"#;

#[test]
fn other_requests_and_pages_are_found() {
    for row in FORGERIES.trim().lines() {
        let [file, from, to, words] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row:?} has four columns");
        };
        let file = format!("faults/bad~good.1.1/{file}");
        let story = copy();
        edit(&story, &format!("run/{file}"), from, to);
        let said = finds(&story, words);
        has(&said.stdout, &format!("{file}, game bad~good.1.1"));
        assert!(!said.stdout.contains('\u{1b}'), "{}", said.stdout);
    }
}

#[test]
fn another_journal_beside_the_evidence_is_found() {
    let story = copy();
    let mut lines = Lines::of(&story);
    let other = lines.game("bad~good.2.1").clone();
    let game = lines.game("bad~good.1.1");
    for key in [
        "moves",
        "times_us",
        "stores",
        "opening",
        "opening_moves",
        "start",
    ] {
        game[key] = other[key].clone();
    }
    lines.write(&story);
    unclean(&story).out_has("faults/bad~good.1.1/fault.toml, game bad~good.1.1: start is ");
}

#[test]
fn evidence_that_was_taken_away_is_a_warning() {
    let story = copy();
    fs::remove_dir_all(story.path("run/faults/bad~good.1.2")).expect("a folder");
    fs::remove_file(story.path(OPPONENT)).expect("a file");
    clean(&story)
        .out_has("faults/bad~good.1.2, game bad~good.1.2: the evidence of this fault is not here")
        .out_has("faults/bad~good.1.1/opponent-transcript.jsonl, game bad~good.1.1: it is not here")
        .out_has("2 of 4 faults compared")
        .out_has("2 warnings");
    story.ends(1, "verify run --strict");
    fs::remove_dir_all(story.path("run/faults")).expect("a folder");
    clean(&story)
        .out_has("there is no such folder, and 4 games ended by a fault")
        .out_has("1 warning");
    // Of evidence that was too much only pages are kept.
    let story = copy();
    let page = story.read(PAGE);
    fs::remove_file(story.path(TRANSCRIPT)).expect("a file");
    clean(&story).out_has("1 warning");
    story.write(PAGE, format!("# Only this page is kept: …\n{page}"));
    story
        .ok("verify run --strict")
        .out_has("3 of 4 faults compared, of 1 more only fault.toml is kept");
}

#[test]
fn evidence_without_its_game_is_found() {
    let story = copy();
    fs::rename(
        story.path("run/faults/bad~good.1.2"),
        story.path("run/faults/bad~good.7.2"),
    )
    .expect("a folder");
    finds(
        &story,
        "faults/bad~good.7.2, game bad~good.7.2: it is the evidence of a fault, and the journal",
    )
    .out_has("faults/bad~good.1.2, game bad~good.1.2: the evidence of this fault is not here");
    for name in ["admission-bad", ".x.part", "\u{1b}[2J", "01.1"] {
        fs::create_dir_all(story.path("run/faults").join(name)).expect("a folder");
    }
    let said = finds(&story, "a run that was killed while it wrote this left it");
    let strange = "faults/\\u{1b}[2J: no run writes anything of this name there";
    let said = said.out_has(strange).out_has("faults/01.1: no run writes");
    assert!(!said.stdout.contains("admission"), "{}", said.stdout);
}

#[test]
fn nothing_but_regular_files_of_the_run_is_read() {
    // A link to what says the same.
    let story = copy();
    fs::rename(story.path(TRANSCRIPT), story.path("elsewhere")).expect("a file");
    symlink(story.path("elsewhere"), story.path(TRANSCRIPT)).expect("a link");
    finds(
        &story,
        "transcript.jsonl, game bad~good.1.1: it cannot be compared: it is not a file: a link",
    );
    let story = copy();
    fs::rename(
        story.path("run/faults/bad~good.1.1"),
        story.path("elsewhere"),
    )
    .expect("a folder");
    symlink(
        story.path("elsewhere"),
        story.path("run/faults/bad~good.1.1"),
    )
    .expect("a link");
    clean(&story).out_has("it is not a folder, and no link is followed");
    // A pipe without a writer, and a file without an end.
    let story = copy();
    fs::remove_file(story.path(TRANSCRIPT)).expect("a file");
    mkfifoat(CWD, story.path(TRANSCRIPT), Mode::RUSR | Mode::WUSR).expect("a pipe");
    finds(&story, "it is not a file: a link, a device, a pipe");
    let story = copy();
    for name in [TRANSCRIPT, PAGE] {
        story.lengthen(name);
        story
            .run_in_little_memory("verify run")
            .with_code(1)
            .out_has("MiB, which no such file has");
    }
}
