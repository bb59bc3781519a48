//! `awale class import`: a download of a learning platform with every mistake that classes make
//! becomes folders and a roster; the next week's updates them.

use super::story::{Story, has, lacks};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::{Cursor, Write as _};
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

/// A zip of files; a name with `/` at its end is a folder, and one with `->` a link.
fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    zipped_on(files, |_| (11, 20))
}

/// The same; the files are of this month and day of 2026.
pub fn zipped_on(files: &[(&str, &[u8])], day: impl Fn(&str) -> (u8, u8)) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let (month, day) = day(name);
        let time = DateTime::from_date_and_time(2026, month, day, 21, 4, 0).expect("a time");
        let options = SimpleFileOptions::default().last_modified_time(time);
        if let Some((link, target)) = name.split_once("->") {
            zip.add_symlink(link, target, options).expect("memory");
        } else if name.ends_with('/') {
            zip.add_directory(*name, options).expect("memory");
        } else {
            zip.start_file(*name, options).expect("memory");
            zip.write_all(bytes).expect("memory");
        }
    }
    zip.finish().expect("memory").into_inner()
}

fn tar_gz(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, *bytes).expect("memory");
    }
    tar.into_inner().expect("memory").finish().expect("memory")
}

/// The files below a folder of the submissions.
fn files(story: &Story, folder: &str) -> Vec<String> {
    let root = story.path(&format!("INF101/submissions/{folder}"));
    let mut found = Vec::new();
    let mut left = vec![root.clone()];
    while let Some(below) = left.pop() {
        for entry in fs::read_dir(below).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
            } else {
                let path = path.strip_prefix(&root).expect("below");
                found.push(path.to_str().expect("UTF-8").to_owned());
            }
        }
    }
    found.sort();
    found
}

fn column(story: &Story, name: &str) -> Vec<String> {
    let rows = story.rows("INF101/roster.csv").into_iter();
    rows.map(|row| row[name].clone()).collect()
}

/// A download of Moodle in which each hand-in has a mistake of its own.
fn moodle() -> Vec<u8> {
    let packed = zipped(&[
        ("bot/main.py", b"print()"),
        ("bot/node_modules/x/index.js", b""),
        ("bot/.DS_Store", b""),
        ("__MACOSX/bot/._main.py", b""),
        ("bot/env/pyvenv.cfg", b""),
        ("bot/env/bin/python", b""),
    ]);
    let hostile = zipped(&[
        ("main.py", b"print()"),
        ("../../evil.py", b"evil"),
        ("/etc/evil", b"evil"),
        ("link->/etc/passwd", b""),
        ("\u{1b}[2J.py", b""),
    ]);
    let bomb = zipped(&[("zeros", &vec![0; 40 << 20])]);
    let cargo = tar_gz(&[
        ("Cargo.toml", b""),
        ("src/main.rs", b""),
        ("target/debug/bot", b"x"),
    ]);
    let long = format!(
        "{}_9_assignsubmission_file_/main.py",
        "Ñandú ".repeat(15).trim()
    );
    zipped(&[
        (
            "Ada Lovelace_1_assignsubmission_file_/main.py",
            b"#!/usr/bin/env python3",
        ),
        ("Ada Lovelace_1_assignsubmission_file_/Main.py", b"other"),
        (
            "Ada Lovelace_1_assignsubmission_onlinetext_/onlinetext.html",
            b"<p>done",
        ),
        ("Ben Bo_2_assignsubmission_file_/Ben's bot.ZIP", &packed),
        ("Cy_3_assignsubmission_file_/bot.tar.gz", &cargo),
        (
            "De\u{301}a Zhang_4_assignsubmission_file_/outer/main.py.txt",
            b"print()",
        ),
        ("Eve_5_assignsubmission_file_/x.zip", &hostile),
        ("Flo_6_assignsubmission_file_/bomb.zip", &bomb),
        ("Gus_7_assignsubmission_file_/", b""),
        ("Hal_8_assignsubmission_file_/bot.ipynb", b"{}"),
        (&long, b"print()"),
        ("Ivy_10_assignsubmission_file_/../../../evil.py", b"evil"),
        ("=1+1_11_assignsubmission_file_main.py", b"print()"),
        ("greedy_12_assignsubmission_file_/essay.pdf", b"%PDF"),
    ])
}

#[test]
fn a_download_with_every_mistake_becomes_folders_and_rows() {
    let story = Story::new();
    story.write("students.csv", "name,id\nDéa Zhang,17\nZoe,18\n");
    story.ok("class new INF101 --roster students.csv");
    story.write("week-1.zip", moodle());
    let said = story.ok("class import week-1.zip --course INF101");
    for line in [
        "It is a download of Moodle, with 12 hand-ins:",
        "ada-lovelace (\"Ada Lovelace\"): new, 3 files; a new row in the roster; \"Main.py\", \
         \"main.py\" differ only in case",
        "unpacked \"Ben's bot.ZIP\"",
        "took the files out of the folder \"bot\"",
        "node_modules",
        "env/",
        "target/",
        "dea-zhang (\"Déa Zhang\"): new, 1 file; took",
        "a path that leads out of its folder",
        "an absolute path",
        "a link, a device or a pipe",
        "control characters in the name",
        "left \"bomb.zip\" packed: it unpacks to too many bytes",
        "gus (\"Gus\"): new, 0 files",
    ] {
        has(&said.stderr, line);
    }
    assert!(!said.stderr.contains('\u{1b}'));
    for (folder, expected) in [
        (
            "ada-lovelace",
            &["Main.py", "main.py", "onlinetext.html"][..],
        ),
        ("ben-bo", &["main.py"]),
        ("cy", &["Cargo.toml", "src/main.rs"]),
        ("dea-zhang", &["main.py.txt"]),
        ("eve", &["main.py"]),
        ("flo", &["bomb.zip"]),
        ("gus", &[]),
        ("hal", &["bot.ipynb"]),
        ("ivy", &["not-imported.txt"]),
        ("1-1", &["main.py"]),
        ("greedy-2", &["essay.pdf"]),
    ] {
        assert_eq!(files(&story, folder), expected, "{folder}");
    }
    // Nothing was written elsewhere.
    assert!(!story.path("evil.py").exists() && !story.path("INF101/evil.py").exists());
    let folders = column(&story, "folder");
    assert_eq!(folders.len(), 13);
    for folder in folders.iter().filter(|it| *it != "zoe") {
        assert!(
            story.path(&format!("INF101/submissions/{folder}")).is_dir(),
            "{folder}"
        );
    }
    assert!(column(&story, "alias").iter().all(|it| !it.is_empty()));
    let dea = &story.rows("INF101/roster.csv")[0];
    assert_eq!(dea["id"], "17");
    assert_eq!(dea["submitted"], "2026-11-20T21:04:00");
    has(&dea["handed_in_as"], "Zhang_4_assignsubmission_file_");
}

#[test]
fn the_next_import_updates_those_who_handed_in_again() {
    let story = Story::new();
    story.ok("class new INF101");
    let import = |files: &[(&str, &[u8])]| {
        story.write("week.zip", zipped(files));
        story.ok("class import week.zip --course INF101").stderr
    };
    let (ada, ben) = (
        "Ada L_1_assignsubmission_file_/main.py",
        "Ben_2_assignsubmission_file_/main.py",
    );
    import(&[(ada, b"1"), (ben, b"1")]);
    // A spreadsheet writes the roster in its way; the pupil has chosen a name.
    let roster = story
        .read("INF101/roster.csv")
        .replace(',', ";")
        .replace('\n', "\r\n");
    let alias = column(&story, "alias").swap_remove(0);
    story.write("INF101/roster.csv", roster.replace(&alias, "Queen of Pits"));
    let said = import(&[(ada, b"2"), (ben, b"1")]);
    has(&said, "ada-l (\"Ada L\"): handed in again, 1 file");
    has(&said, "ben (\"Ben\"): unchanged");
    assert_eq!(story.read("INF101/submissions/ada-l/main.py"), "2");
    has(
        &story.read("INF101/roster.csv"),
        "ada-l;Ada L;;;Queen of Pits;",
    );
    // Another assignment has other numbers; its people are found by their names.
    let said = import(&[("ada l_77_assignsubmission_file_main.py", b"3")]);
    has(&said, "ada-l (\"Ada L\"): handed in again, 1 file");
    has(
        &story.read("INF101/roster.csv"),
        "ada l_77_assignsubmission_file_",
    );
    assert_eq!(story.read("INF101/submissions/ben/main.py"), "1");
}

#[test]
fn two_people_of_one_name_are_not_confused() {
    let story = Story::new();
    story.write("students.csv", "name,id\nAnna,1\nAnna,2\n");
    story.ok("class new INF101 --roster students.csv");
    story.write(
        "week.zip",
        zipped(&[("Anna_7_assignsubmission_file_/main.py", b"x")]),
    );
    let said = story.ends(1, "class import week.zip --course INF101");
    has(
        &said.stderr,
        "\"Anna_7_assignsubmission_file_\" is not imported: it may belong to",
    );
    assert!(!story.path("INF101/submissions/anna").exists());
    let roster = story.read("INF101/roster.csv");
    let second = roster
        .lines()
        .find(|line| line.starts_with("anna-2"))
        .expect("a row");
    let told = format!("{second}Anna_7_assignsubmission_file_");
    story.write("INF101/roster.csv", roster.replace(second, &told));
    story.ok("class import week.zip --course INF101");
    assert!(story.path("INF101/submissions/anna-2/main.py").exists());
}

#[test]
fn canvas_ilias_and_folders_are_recognised() {
    let story = Story::new();
    for (course, export, platform, folders) in [
        (
            "canvas",
            zipped(&[
                ("lovelaceada_LATE_12_34_main-1.py", b"x"),
                ("zoe_13_35_bot.zip", &zipped(&[("main.py", b"y")])),
            ]),
            "Canvas",
            ["lovelaceada/main.py", "zoe/main.py"],
        ),
        (
            "ilias",
            zipped(&[
                ("T/S/Lovelace_Ada_al_4/20261120210400_main.py", b"x"),
                ("T/S/Bo_Zoe_zb_5/20261120210400_main.py", b"y"),
            ]),
            "ILIAS",
            ["ada-lovelace/main.py", "zoe-bo/main.py"],
        ),
        (
            "folders",
            zipped(&[
                ("all/ada/main.py", b"x"),
                ("all/zoe.zip", &zipped(&[("zoe/main.py", b"y")])),
            ]),
            "a folder for each person",
            ["ada/main.py", "zoe/main.py"],
        ),
    ] {
        story.ok(format!("class new {course}"));
        story.write("export.zip", export);
        let said = story.ok(format!("class import export.zip --course {course}"));
        has(&said.stderr, platform);
        for file in folders {
            assert!(
                story.path(&format!("{course}/submissions/{file}")).exists(),
                "{file}"
            );
        }
    }
    let canvas = story.rows("canvas/roster.csv");
    assert_eq!(
        (canvas[0]["id"].as_str(), canvas[0]["late"].as_str()),
        ("12", "yes")
    );
    let ilias = story.rows("ilias/roster.csv");
    assert!(
        ilias
            .iter()
            .any(|row| row["id"] == "al" && row["submitted"] == "2026-11-20T21:04:00")
    );
    // A folder on disk.
    fs::create_dir_all(story.path("disk/ada")).expect("a folder");
    story.write("disk/ada/main.py", "z");
    let said = story.ok("class import disk --course folders");
    has(&said.stderr, "ada (\"ada\"): handed in again");
}

#[test]
fn what_is_no_export_is_refused() {
    let story = Story::new();
    story.ok("class new canvas");
    story.write("export.zip", zipped(&[("ada/main.py", b"")]));
    for (arguments, reason) in [
        (
            "class import export.zip",
            "is no course: it has no class.toml",
        ),
        (
            "class import export.zip --course canvas --from moodle",
            "has no hand-in",
        ),
        (
            "class import canvas/roster.csv --course canvas",
            "it is no zip that can be read",
        ),
        (
            "class import none.zip --course canvas",
            "cannot import \"none.zip\"",
        ),
    ] {
        let said = story.ends(2, arguments);
        has(&said.stderr, reason);
        lacks(&said.stderr, "panicked");
    }
}
