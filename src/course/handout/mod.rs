//! The hand-out of a course: what a student needs to write a first bot at home.
//!
//! Links between the pages stay where both are in the hand-out; the text of the others stays.

use super::starters::{STARTERS, practice_files};
use std::borrow::Cow;

/// The pages, by the names that they have in the hand-out.
const PAGES: &[(&str, &str)] = &[
    ("first-hour.md", include_str!("first-hour.md")),
    ("protocol.md", include_str!("../../../docs/protocol.md")),
    ("rules.md", include_str!("../../../docs/rules.md")),
];

/// All files of the hand-out, by their paths in it: the pages, what a bot practises with, and a starter
/// bot for each language.
pub fn handout_files() -> Vec<(String, Cow<'static, str>)> {
    let pages = PAGES.iter();
    let pages = pages.map(|&(name, text)| (name.to_owned(), without_dead_links(text).into()));
    let starters = STARTERS.iter().flat_map(|starter| {
        let files = starter.files.iter();
        files.map(|&(name, text)| {
            let path = format!("starters/{}/{name}", starter.language);
            (path, text.into())
        })
    });
    let practice = practice_files().into_iter();
    let practice = practice.map(|(name, text)| (name.to_owned(), text.into()));
    pages.chain(practice).chain(starters).collect()
}

/// The page with the text alone in place of links that lead out of the hand-out.
fn without_dead_links(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(start) = rest.find('[') {
        let (before, link) = rest.split_at(start);
        text.push_str(before);
        let parts = link[1..].split_once("](").and_then(|(shown, after)| {
            let (target, after) = after.split_once(')')?;
            Some((shown, target, after)).filter(|_| !shown.contains(['[', ']', '\n']))
        });
        match parts {
            Some((shown, target, after)) if leads_out(target) => {
                text.push_str(shown);
                rest = after;
            }
            _ => {
                text.push('[');
                rest = &link[1..];
            }
        }
    }
    text + rest
}

fn leads_out(target: &str) -> bool {
    let file = target.split('#').next().unwrap_or_default();
    let is_here = file.is_empty() || PAGES.iter().any(|(name, _)| *name == file);
    !is_here && !target.starts_with("https://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_files_of_the_handout() {
        for (page, expected) in [
            (
                "see [rules.md](rules.md#board)",
                "see [rules.md](rules.md#board)",
            ),
            ("see [`bots/`](../bots/README.md), too", "see `bots/`, too"),
            (
                "[1] and [a](b.md) [c](https://x.org)",
                "[1] and a [c](https://x.org)",
            ),
            ("\"legal\":[0,1]", "\"legal\":[0,1]"),
        ] {
            assert_eq!(without_dead_links(page), expected);
        }
        for (name, text) in handout_files() {
            if PAGES.iter().any(|(page, _)| *page == name) {
                let links = text
                    .split("](")
                    .skip(1)
                    .filter_map(|it| it.split(')').next());
                let dead: Vec<&str> = links.filter(|it| leads_out(it)).collect();
                assert!(dead.is_empty(), "{name}: {dead:?}");
            }
        }
    }

    #[test]
    fn the_first_hour_fits_on_a_page() {
        let (name, text) = PAGES[0];
        assert_eq!(name, "first-hour.md");
        assert!(text.lines().count() <= 60);
    }
}
