//! Files that were built, stopped, damaged, or made for something else.

use super::*;
use crate::engine::endgame::{EndgameValues, Work};
use crate::rules::Position;
use std::fs;
use std::path::Path;

const WORK: Work<'_> = Work {
    threads: 2,
    progress: &|_| {},
    stop: &|| false,
};

fn solved(preset: Preset) -> SolvedRules {
    SolvedRules::of(&preset.rules()).unwrap()
}

fn built(path: &Path, seeds: u8) -> Result<Built, EndgameFileError> {
    build(path, solved(Preset::Awale), seeds, WORK, &mut |_| {})
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_file_says_what_was_solved() {
    let folder = folder();
    let path = folder.path().join("new/a.endgame");
    assert_eq!(built(&path, 6).unwrap(), Built::Written);
    let database = EndgameDatabase::open_for(&path, &Preset::Simple.rules()).unwrap();
    database.check_sums().unwrap();
    let expected = EndgameValues::solve(solved(Preset::Awale), 6);
    crate::engine::endgame::for_each_position(6, |position: Position| {
        assert_eq!(database.values().value(position), expected.value(position));
        assert_eq!(
            database.values().perfect_move(position),
            expected.perfect_move(position)
        );
    });
    let names = fs::read_dir(path.parent().unwrap()).unwrap();
    assert_eq!(names.count(), 1, "nothing else is left");
    assert_eq!(built(&path, 5).unwrap(), Built::AlreadyThere(6));
}

#[test]
fn a_larger_database_begins_with_a_smaller_one() {
    let folder = folder();
    let [small, large] = ["small", "large"].map(|name| folder.path().join(name));
    built(&small, 5).unwrap();
    built(&large, 7).unwrap();
    let name = |path: &Path, seeds| EndgameDatabase::open(path).unwrap().sha256(seeds);
    assert_eq!(name(&small, 5), name(&large, 5));
    assert_ne!(name(&large, 5), name(&large, 7));
    let mut layers = None;
    let again = |finished: u8| layers = Some(finished);
    build(&small, solved(Preset::Awale), 7, WORK, &mut { again }).unwrap();
    assert_eq!(layers, Some(6));
    assert!(fs::read(&small).unwrap() == fs::read(&large).unwrap());
    let limited = EndgameDatabase::open(&large).unwrap().limited_to(5);
    assert_eq!(limited.seeds(), 5);
    let six = "1-0-0-1-0-0-1-1-0-0-1-1-0-0-S".parse().unwrap();
    assert_eq!(limited.values().value(six), None);
}

/// A build that is stopped leaves what it has finished, and the next one goes on there.
#[test]
fn a_stopped_build_goes_on() {
    let folder = folder();
    let path = folder.path().join("a");
    let asked = std::sync::atomic::AtomicU64::new(0);
    let stop = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 60;
    let work = Work {
        stop: &stop,
        ..WORK
    };
    let stopped = build(&path, solved(Preset::Awale), 9, work, &mut |_| {});
    assert!(
        matches!(stopped, Err(EndgameFileError::Stopped)),
        "{stopped:?}"
    );
    assert!(!path.exists());
    let mut finished = 0;
    build(&path, solved(Preset::Awale), 9, WORK, &mut |begun| {
        finished = begun;
    })
    .unwrap();
    assert!((1..=9).contains(&finished), "{finished}");
    let whole = folder.path().join("b");
    built(&whole, 9).unwrap();
    assert!(fs::read(&path).unwrap() == fs::read(&whole).unwrap());
}

/// Whatever stands in the unfinished file, the database is right.
#[test]
fn an_unfinished_file_is_not_believed() {
    let folder = folder();
    let whole = folder.path().join("whole");
    built(&whole, 7).unwrap();
    let right = fs::read(&whole).unwrap();
    let mut damaged_layer = right.clone();
    *damaged_layer.last_mut().unwrap() ^= 1;
    let mut damaged_header = right.clone();
    damaged_header[30] ^= 1;
    let other = folder.path().join("other");
    build(&other, solved(Preset::Commun), 7, WORK, &mut |_| {}).unwrap();
    for (name, part) in [
        ("layer", damaged_layer),
        ("header", damaged_header),
        ("short", right[..5000].to_vec()),
        ("empty", Vec::new()),
        ("other rules", fs::read(other).unwrap()),
        ("long", [&right[..], &[7; 9999]].concat()),
        ("half a header", right[..300].to_vec()),
    ] {
        let path = folder.path().join(name);
        fs::write(folder.path().join(format!("{name}.part")), part).unwrap();
        built(&path, 7).unwrap();
        assert!(fs::read(&path).unwrap() == right, "{name}");
    }
}

/// What stands in the place of the unfinished file and is none stays as it is.
#[test]
fn nothing_else_is_written_to() {
    let folder = folder();
    let place = |name: &str| folder.path().join(name);
    fs::write(place("a.part"), "my thesis").unwrap();
    fs::write(place("precious"), "mine").unwrap();
    std::os::unix::fs::symlink(place("precious"), place("b.part")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(place("c.part"))
        .status();
    assert!(made.unwrap().success());
    for name in ["a", "b", "c"] {
        let refused = built(&place(name), 3);
        assert!(refused.is_err(), "{name}: {refused:?}");
    }
    assert_eq!(fs::read(place("a.part")).unwrap(), b"my thesis");
    assert_eq!(fs::read(place("precious")).unwrap(), b"mine");
    // The hours of a larger build that was stopped are not thrown away.
    built(&place("d"), 6).unwrap();
    fs::rename(place("d"), place("d.part")).unwrap();
    let refused = built(&place("d"), 4);
    assert!(
        matches!(refused, Err(EndgameFileError::Unfinished { seeds: 6, .. })),
        "{refused:?}"
    );
    built(&place("d"), 6).unwrap();
}

#[test]
fn damaged_and_foreign_files_are_named() {
    let folder = folder();
    let path = folder.path().join("a");
    built(&path, 5).unwrap();
    let right = fs::read(&path).unwrap();
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = right.clone();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let opened = EndgameDatabase::open_for(&path, &RuleSet::default());
        let checked = opened.and_then(|database| database.check_sums());
        checked.expect_err("it was changed").to_string()
    };
    for (change, expected) in [
        (
            &(|bytes: &mut Vec<u8>| bytes.truncate(bytes.len() - 1)) as &dyn Fn(&mut Vec<u8>),
            "bytes instead of",
        ),
        (&|bytes| bytes.push(0), "bytes instead of"),
        (&|bytes| bytes.truncate(100), "its header is cut off"),
        (&|bytes| bytes.clear(), "no header"),
        (&|bytes| bytes[0] = b'x', "begins with something else"),
        (&|bytes| bytes[200] ^= 1, "its header was changed"),
        (&|bytes| bytes[4096] ^= 1, "positions of 0 seeds"),
        (
            &|bytes| *bytes.last_mut().unwrap() ^= 1,
            "positions of 5 seeds",
        ),
    ] {
        let error = changed(change);
        assert!(error.contains(expected), "{error}");
        assert!(error.contains(path.to_str().unwrap()), "{error}");
    }
    // Built over a stranger's file or a damaged one, nothing is lost.
    fs::write(&path, "my notes").unwrap();
    assert!(matches!(
        built(&path, 5),
        Err(EndgameFileError::Format { .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), b"my notes");

    fs::write(&path, &right).unwrap();
    let other = EndgameDatabase::open_for(&path, &Preset::Commun.rules());
    let other = other.expect_err("for other rules").to_string();
    assert!(
        other.contains("--rules simple, not --rules commun"),
        "{other}"
    );
}

/// A file of a later format, with the right checksum of its header.
#[test]
fn other_formats_are_named() {
    let folder = folder();
    let path = folder.path().join("a");
    built(&path, 3).unwrap();
    let page = fs::read(&path).unwrap();
    let line = String::from_utf8_lossy(page.split(|&it| it == b'\n').next().unwrap()).into_owned();
    for (from, to, expected) in [
        ("endgame 1", "endgame 2", "its format is"),
        (
            "\"rules\":{",
            "\"rules\":{\"kalah\":true,",
            "fields of a newer version",
        ),
    ] {
        let line = line.replace(from, to);
        let mut page = format!("{line}\n{}\n", header::checksum(line.as_bytes())).into_bytes();
        page.resize(4096, b' ');
        fs::write(&path, page).unwrap();
        let error = EndgameDatabase::open(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn two_builds_at_once() {
    let folder = folder();
    let path = folder.path().join("a");
    let part = fs::File::create(folder.path().join("a.part")).unwrap();
    part.lock().unwrap();
    let refused = built(&path, 4);
    assert!(
        matches!(refused, Err(EndgameFileError::InWork { .. })),
        "{refused:?}"
    );
    drop(part);
    assert_eq!(built(&path, 4).unwrap(), Built::Written);
}

#[test]
fn a_command_names_the_rules() {
    let commands = |rules: &RuleSet| build_command(rules, 12);
    let mut rules = RuleSet::default();
    assert_eq!(commands(&rules), "awale endgame build --seeds 12");
    rules.grand_slam = crate::rules::GrandSlam::Capture;
    assert_eq!(
        commands(&rules),
        "awale endgame build --set grand-slam=capture --seeds 12"
    );
    let commun = Preset::Commun.rules();
    assert_eq!(
        commands(&commun),
        "awale endgame build --rules commun --seeds 12"
    );
    let mut abapa = Preset::Abapa.rules();
    abapa.repetition.occurrences = 3;
    let abapa = commands(&abapa);
    assert_eq!(
        abapa,
        "awale endgame build --rules abapa --set repetition.occurrences=3 --seeds 12"
    );
}
