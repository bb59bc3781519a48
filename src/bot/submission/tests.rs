//! Hostile and unusual trees, and what happens to them.

use super::*;
use rustix::fs::mkdirat;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _};

/// A folder with a submission in `from`.
fn place() -> (tempfile::TempDir, Submission) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let root = place.path().join("from");
    fs::create_dir(&root).expect("a folder");
    let submission = Submission {
        root,
        most_bytes: 8 << 20,
        left_out: Vec::new(),
        left_out_with: "games.jsonl",
        kept: Vec::new(),
        expected: None,
    };
    (place, submission)
}

#[track_caller]
fn refused(submission: &Submission, said: &str) {
    match submission.contents() {
        Err(SubmissionError::Unfit(reason)) => assert!(reason.contains(said), "{reason}"),
        other => panic!("no {said:?}: {other:?}"),
    }
}

#[test]
fn a_tree_is_copied_without_following_links() {
    let (place, submission) = place();
    let (from, to) = (&submission.root, place.path().join("to"));
    fs::create_dir_all(from.join("deep/empty")).unwrap();
    fs::write(from.join("deep/bot.py"), "x = 1").unwrap();
    fs::set_permissions(from.join("deep/bot.py"), Permissions::from_mode(0o4700)).unwrap();
    fs::write(from.join("data"), "abc").unwrap();
    symlink("/etc/hostname", from.join("link")).unwrap();
    symlink("/no/such/file", from.join("loose")).unwrap();
    let contents = submission.copy(&to).unwrap();
    assert_eq!(submission.contents().unwrap(), contents);
    let mode = |path: &str| fs::metadata(to.join(path)).unwrap().mode() & 0o7777;
    assert_eq!((mode("deep/bot.py"), mode("data")), (0o555, 0o444));
    let link = fs::read_link(to.join("link")).unwrap();
    assert_eq!(link, Path::new("/etc/hostname"));
    assert!(to.join("loose").is_symlink());
    assert!(!to.join("deep/empty").exists());
    // The published example of SHA-256.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(contents.files[Path::new("data")], abc);
    let copy = Submission {
        root: to,
        ..submission
    };
    assert_eq!(copy.contents().unwrap(), contents);
}

#[test]
fn the_hash_is_of_paths_contents_and_rights() {
    let (_place, submission) = place();
    let root = submission.root.clone();
    let hash = || submission.contents().unwrap().tree;
    fs::write(root.join("a"), "1").unwrap();
    let first = hash();
    fs::create_dir(root.join("empty")).unwrap();
    assert_eq!(hash(), first, "an empty folder");
    fs::set_permissions(root.join("a"), Permissions::from_mode(0o755)).unwrap();
    let runs = hash();
    fs::set_permissions(root.join("a"), Permissions::from_mode(0o644)).unwrap();
    fs::write(root.join("a"), "2").unwrap();
    let content = hash();
    fs::rename(root.join("a"), root.join("b")).unwrap();
    let path = hash();
    symlink("b", root.join("c")).unwrap();
    let link = hash();
    let all: std::collections::BTreeSet<_> = [first, runs, content, path, link].into();
    assert_eq!(all.len(), 5);
}

#[test]
fn special_files_are_refused_by_name() {
    for kind in [FileType::Fifo, FileType::Socket] {
        let (_place, submission) = place();
        fs::create_dir(submission.root.join("in")).unwrap();
        let path = submission.root.join("in/side");
        rustix::fs::mknodat(CWD, &path, kind, Mode::RWXU, 0).unwrap();
        refused(&submission, "\"in/side\" is a");
        let alone = read_file(&path, 1, None).unwrap_err();
        assert!(alone.to_string().contains("in/side"), "{alone}");
    }
    let (_place, submission) = place();
    symlink("/etc/passwd", submission.root.join("link")).unwrap();
    let alone = read_file(&submission.root.join("link"), 1 << 20, None).unwrap_err();
    assert!(alone.to_string().contains("is a link"), "{alone}");
}

#[test]
fn a_chain_of_3000_folders_is_refused() {
    let (_place, submission) = place();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let open = |fd: &OwnedFd, name: &str| openat(fd, name, flags, Mode::empty()).unwrap();
    let mut here: OwnedFd = File::open(&submission.root).unwrap().into();
    for _ in 0..3000 {
        mkdirat(&here, "d", Mode::RWXU).unwrap();
        here = open(&here, "d");
    }
    refused(&submission, "more than 64 folders deep");
    // `remove_dir_all` works through descriptors too, so dropping the folder removes the tree.
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let (place, submission) = place();
    let sparse = File::create(submission.root.join("model")).unwrap();
    sparse.set_len(10 << 30).unwrap();
    refused(&submission, "\"model\" it has more than 8388608 bytes");
    // Holes count, and are none in the copy: what a bot reads there would leave traces.
    sparse.set_len(8 << 20).unwrap();
    sparse.write_all_at(b"end", 4 << 20).unwrap();
    let to = place.path().join("to");
    let contents = submission.copy(&to).unwrap();
    let copy = fs::metadata(to.join("model")).unwrap();
    assert_eq!(copy.len(), 8 << 20);
    assert!(copy.blocks() * 512 >= 8 << 20, "{} blocks", copy.blocks());
    let mut plain = vec![0; 8 << 20];
    plain[4 << 20..][..3].copy_from_slice(b"end");
    fs::write(place.path().join("plain"), &plain).unwrap();
    let hash = read_file(&place.path().join("plain"), 8 << 20, None).unwrap();
    assert_eq!(contents.files[Path::new("model")], hash);
    fs::write(submission.root.join("one-more"), "x").unwrap();
    refused(&submission, "\"one-more\" it has more");
}

#[test]
fn runs_of_tournaments_are_not_part_of_it() {
    let (_place, mut submission) = place();
    let root = submission.root.clone();
    fs::write(root.join("bot.py"), "x").unwrap();
    let alone = submission.contents().unwrap();
    for run in ["results/a", "results/b"] {
        fs::create_dir_all(root.join(run)).unwrap();
        fs::write(root.join(run).join("plan.toml"), run).unwrap();
    }
    fs::write(root.join("results/a/games.jsonl"), "{}").unwrap();
    assert_ne!(submission.contents().unwrap(), alone);
    submission.left_out.push(root.join("results/b"));
    assert_eq!(submission.contents().unwrap(), alone);
    // Inside a bot's own folder this name has no special meaning.
    fs::write(root.join("games.jsonl"), "{}").unwrap();
    assert_ne!(submission.contents().unwrap(), alone);
}

#[test]
fn of_caches_only_what_the_command_names_is_part_of_it() {
    let (place, mut submission) = place();
    let root = submission.root.clone();
    fs::write(root.join("bot.py"), "x").unwrap();
    let alone = submission.contents().unwrap();
    for folder in ["target/release", ".git/objects"] {
        fs::create_dir_all(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("bot"), folder).unwrap();
        fs::write(root.join(folder).join("large"), [0; 4096]).unwrap();
    }
    assert_ne!(submission.contents().unwrap(), alone);
    fs::write(root.join("target/CACHEDIR.TAG"), "Signature: …").unwrap();
    assert_eq!(submission.contents().unwrap(), alone);
    submission.kept.push("target/release/bot".into());
    let copied = submission.copy(&place.path().join("copy")).unwrap();
    let files: Vec<_> = copied.files.keys().collect();
    assert_eq!(
        files,
        [Path::new("bot.py"), Path::new("target/release/bot")]
    );
    // The root of a submission is read even if it has the tag.
    fs::write(root.join("CACHEDIR.TAG"), "Signature: …").unwrap();
    assert!(
        submission
            .contents()
            .unwrap()
            .files
            .contains_key(Path::new("bot.py"))
    );
}

#[test]
fn what_has_changed_since_is_not_copied() {
    let (place, mut submission) = place();
    fs::write(submission.root.join("a"), "1").unwrap();
    submission.expected = Some(submission.contents().unwrap().tree);
    submission.copy(&place.path().join("one")).unwrap();
    fs::write(submission.root.join("a"), "2").unwrap();
    let error = submission.copy(&place.path().join("two")).unwrap_err();
    assert!(
        error.to_string().contains("changed while the run began"),
        "{error}"
    );
}
