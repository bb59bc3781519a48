//! Do the checks bite? Each snippet with the finding that it must give, or none; and the words,
//! lines and paths that the checks build upon.

use super::checks::check;
use super::circles::Needs;
use super::declared_twice;
use super::house;
use super::paths::{Target, named_paths};
use super::source::Source;

fn findings(path: &str, text: &str) -> Vec<String> {
    let findings = check(&house(), &Source::new(path, text));
    findings.iter().map(ToString::to_string).collect()
}

#[test]
fn snippets_are_caught_or_let_through() {
    let rows = include_str!("../data/tidy/snippets.txt").lines();
    for row in rows.filter(|row| !row.starts_with('#') && !row.is_empty()) {
        let cells: Vec<&str> = row.split('¦').map(str::trim).collect();
        let [path, code, wanted] = cells[..] else {
            panic!("a row of three cells: {row}")
        };
        let found = findings(path, &format!("//! Head.\n{code}\n"));
        if wanted.is_empty() {
            assert!(found.is_empty(), "{path}: {code}\n{found:#?}");
        } else {
            assert_eq!(found.len(), 1, "{path}: {code}\n{found:#?}");
            assert!(found[0].contains(wanted), "{path}: {code}\n{found:#?}");
            let place = format!("{path}:2: ");
            assert!(found[0].starts_with(&place), "its line: {found:#?}");
        }
    }
}

#[test]
fn findings_on_a_whole_file_are_caught() {
    let found = findings("src/clocks/mod.rs", "//! Head.\n");
    assert!(
        found[0].contains("clocks is no room of the map"),
        "{found:?}"
    );
    let found = findings("src/errors.rs", "//! Head.\n");
    assert!(found[0].contains("a module called errors"), "{found:?}");
    let found = findings("src/cli/util.rs", "//! Head.\n");
    assert!(found[0].contains("a module called util"), "{found:?}");
    assert!(findings("src/cli/a.rs", "fn f() {}\n")[0].contains("no head comment"));
}

#[test]
fn lengths_are_counted_as_people_count() {
    let function = |lines: usize| format!("//! Head.\nfn f() {{\n{}}}\n", "//\n".repeat(lines - 2));
    assert_eq!(findings("src/cli/a.rs", &function(70)).len(), 0);
    assert!(findings("src/cli/a.rs", &function(71))[0].contains("f has 71 lines"));

    let file = |lines: usize| format!("//! Head.\n{}", "//\n".repeat(lines - 1));
    let tests = "#[cfg(test)]\n#[expect(a)]\nmod tests {\n\n}\n";
    assert_eq!(findings("src/cli/a.rs", &(file(600) + tests)).len(), 0);
    assert_eq!(findings("tests/a.rs", &file(700)).len(), 0);
    assert!(findings("src/cli/a.rs", &(file(601) + tests))[0].contains("601 lines"));

    let line = |columns: usize| format!("//! {}\n", "é".repeat(columns - 4));
    assert_eq!(findings("src/cli/a.rs", &line(100)).len(), 0);
    assert!(findings("src/cli/a.rs", &line(101))[0].contains("100 columns"));
}

#[test]
fn texts_and_comments_are_left_out() {
    let cases = [
        ("a /* b /* c */ d */ e", "a e"),
        ("a // b\nc", "a c"),
        ("\"a \\\" b\" c", "c"),
        ("r#\"a \" b\"# c", "c"),
        ("br##\"a\"# b\"## c", "c"),
        ("b\"a\" b'a' 'a' '\\'' '\"' c\"a\" d", "d"),
        ("fn f<'a>(x: &'static str)", "fn f < > ( x : & str )"),
        ("r#type::x", "type :: x"),
        ("1..=5", "1 . . = 5"),
        ("\"a\nb\" c", "c"),
        ("/* open", ""),
        ("\"open", ""),
    ];
    for (text, wanted) in cases {
        let source = Source::new("src/a.rs", text);
        let texts: Vec<&str> = source
            .tokens
            .iter()
            .map(|token| token.text.as_str())
            .collect();
        assert_eq!(texts.join(" "), wanted, "{text}");
    }
    let source = Source::new("src/a.rs", "a\n/*\n*/ b \"\n\n\" c");
    let lines: Vec<usize> = source.tokens.iter().map(|token| token.line).collect();
    assert_eq!(lines, [1, 3, 5]);
}

#[test]
fn trees_of_imports_are_followed() {
    let text = "use a::{self, b::{c, d as e}, f::*}; fn g() { e::h(); a::i(); std::j(); k::l(); }";
    let source = Source::new("src/cli/x.rs", text);
    let named = named_paths(&source, &["a".to_owned()]);
    let paths: Vec<String> = named
        .into_iter()
        .map(|named| match named.target {
            Target::Inside(path) => format!("crate::{}", path.join("::")),
            Target::Outside(path) => path.join("::"),
        })
        .collect();
    let wanted = [
        "a",
        "a::b::c",
        "a::b::d",
        "a::f::*",
        "a::b::d::h",
        "a::i",
        "std::j",
    ];
    assert_eq!(paths, wanted);
}

/// Files of a small program by path, each after its head comment.
fn program(files: &[(&str, &str)]) -> Vec<Source> {
    let source = |(path, code): &(&str, &str)| Source::new(path, &format!("//! Head.\n{code}\n"));
    files.iter().map(source).collect()
}

#[test]
fn circles_between_files_are_found() {
    let root = "pub mod cli;";
    for (files, wanted) in [
        // A child that needs its parent's type, and a parent that calls its child.
        (
            vec![
                ("src/cli/mod.rs", "mod a; struct T; fn f() { a::g(); }"),
                ("src/cli/a.rs", "use super::T; pub fn g() {}"),
            ],
            "src/cli/a.rs needs {\"T\"} of src/cli/mod.rs\n\
             src/cli/mod.rs needs {\"g\"} of src/cli/a.rs",
        ),
        // The same, the child's function re-exported and used.
        (
            vec![
                (
                    "src/cli/mod.rs",
                    "mod a; pub use a::g; struct T; fn f() { g(); }",
                ),
                ("src/cli/a.rs", "fn h() { super::T; } pub fn g() {}"),
            ],
            "src/cli/a.rs needs",
        ),
        // Through a third file, and through a re-export.
        (
            vec![
                ("src/cli/mod.rs", "mod a; mod b; pub(super) use a::A;"),
                ("src/cli/a.rs", "use crate::cli::b::B; pub struct A;"),
                ("src/cli/b.rs", "use super::A; pub struct B;"),
            ],
            "src/cli/b.rs needs {\"A\"} of src/cli/a.rs",
        ),
        // A re-export alone is not a need, nor are tests, nor who may see an item.
        (
            vec![
                ("src/cli/mod.rs", "mod a; pub use a::g; struct T;"),
                (
                    "src/cli/a.rs",
                    "use super::T; pub(in crate::cli) fn g() {} #[cfg(test)] mod tests { use \
                     crate::cli::b::B; }",
                ),
                ("src/cli/b.rs", "use super::a::g; pub struct B;"),
            ],
            "",
        ),
    ] {
        let sources = program(&[files.as_slice(), &[("src/lib.rs", root)]].concat());
        let circles = Needs::new(sources.iter()).circles();
        if wanted.is_empty() {
            assert_eq!(circles, [""; 0], "{files:?}");
        } else {
            assert_eq!(circles.len(), 1, "{files:?}: {circles:#?}");
            assert!(circles[0].contains(wanted), "{files:?}: {circles:#?}");
        }
    }
}

#[test]
fn a_name_of_two_types_is_found() {
    let sources = program(&[
        (
            "src/rules/a.rs",
            "pub struct Pit; impl X for Pit { type Err = (); }",
        ),
        ("src/stats/b.rs", "type Err = u8; fn f() { enum Pit {} }"),
        (
            "src/stats/c.rs",
            "#[cfg(test)] mod tests { struct Pit; } impl Y for B { type C = u8; }",
        ),
        (
            "src/stats/d.rs",
            "fn f() { a.union(b); } impl Y for D { type C = u8; }",
        ),
    ]);
    let twice = declared_twice(sources.iter());
    assert_eq!(twice, ["Pit: src/rules/a.rs:2, src/stats/b.rs:2"]);
}
