//! Whose hand-in is it? Compares an export with the roster.

use super::platform::{HandIn, Platform};
use crate::config::{Roster, RosterRow, check_harmless};
use crate::text::{folded, printable};
use std::collections::BTreeSet;

/// What spreadsheets would read as a formula.
const FORMULAS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// The row of a hand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// The row with this index.
    Row(usize),
    /// Nobody of the roster.
    Nobody,
    /// One of several people, by their folders or names.
    OneOf(Vec<String>),
}

/// The row of each hand-in, each row at most once. The folder in the export decides first, then the
/// name, then the id: numbers of Moodle are other ones in each assignment.
pub fn matches(roster: &Roster, hand_ins: &[HandIn], platform: Platform) -> Vec<Match> {
    let mut taken = BTreeSet::new();
    let mut found: Vec<Option<Match>> = Vec::new();
    for hand_in in hand_ins {
        let wanted = folded(&cell(&hand_in.handed_in_as));
        let mut rows = roster.rows().iter();
        let row = rows
            .position(|row| !row.handed_in_as.is_empty() && folded(&row.handed_in_as) == wanted);
        let row = row.filter(|row| taken.insert(*row));
        found.push(row.map(Match::Row));
    }
    let rest = found.into_iter().zip(hand_ins);
    rest.map(|(found, hand_in)| {
        found.unwrap_or_else(|| {
            let found = match_by_name(roster, hand_in, platform, &taken);
            if let Match::Row(row) = found {
                taken.insert(row);
            }
            found
        })
    })
    .collect()
}

fn match_by_name(
    roster: &Roster,
    hand_in: &HandIn,
    platform: Platform,
    taken: &BTreeSet<usize>,
) -> Match {
    let rows = || {
        roster
            .rows()
            .iter()
            .enumerate()
            .filter(|(index, _)| !taken.contains(index))
    };
    let has_id = |row: &RosterRow| !hand_in.id.is_empty() && folded(&row.id) == folded(&hand_in.id);
    let named: Vec<(usize, &RosterRow)> = rows()
        .filter(|(_, row)| has_name(row, hand_in, platform))
        .collect();
    match named[..] {
        [(index, _)] => return Match::Row(index),
        [] => {}
        _ => {
            let mut with_id = named.iter().filter(|(_, row)| has_id(row));
            return match (with_id.next(), with_id.next()) {
                (Some((index, _)), None) => Match::Row(*index),
                _ => Match::OneOf(
                    named
                        .iter()
                        .map(|(_, row)| row.shown().to_owned())
                        .collect(),
                ),
            };
        }
    }
    // A login names one person; a number of Canvas may be another office's number of somebody else.
    let is_login = |row: &RosterRow| {
        let id = if hand_in.id.is_empty() {
            &hand_in.name
        } else {
            &hand_in.id
        };
        let id = folded(id);
        let email = folded(&row.email);
        !id.is_empty()
            && (folded(&row.id) == id
                || !email.is_empty() && (email == id || email.split('@').next() == Some(&id)))
    };
    let has_logins = matches!(platform, Platform::Ilias | Platform::Folders);
    let mut logins = rows().filter(|(_, row)| has_logins && is_login(row));
    match (logins.next(), logins.next()) {
        (Some((index, _)), None) => Match::Row(index),
        _ => Match::Nobody,
    }
}

/// Whether a person has the name of a hand-in: its words in any order, or for Canvas all in one.
fn has_name(row: &RosterRow, hand_in: &HandIn, platform: Platform) -> bool {
    let words = words(&row.name);
    if platform == Platform::Canvas {
        let wanted = folded(&hand_in.name);
        return (0..words.len()).any(|first| {
            let turned = words[first..].iter().chain(&words[..first]);
            turned.map(String::as_str).collect::<String>() == wanted
        });
    }
    let is_folder = platform == Platform::Folders
        && !row.folder.is_empty()
        && folded(&row.folder) == folded(&hand_in.name);
    is_folder || !words.is_empty() && name_words(&row.name) == name_words(&hand_in.name)
}

fn words(name: &str) -> Vec<String> {
    let folded = folded(name);
    let words = folded.split(|it: char| !it.is_alphanumeric());
    words
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The words of a name in the form in which they are compared, in the order of the alphabet: some
/// platforms write the last name first.
pub fn name_words(name: &str) -> Vec<String> {
    let mut words = words(name);
    words.sort();
    words
}

/// The text as a cell of the roster may have it.
pub fn cell(text: &str) -> String {
    let text = text.trim();
    if check_harmless(text).is_ok() {
        return text.to_owned();
    }
    let shown = printable(text);
    shown.trim_start_matches(FORMULAS).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(rows: &[[&str; 4]]) -> Roster {
        let mut roster = Roster::default();
        for [name, id, email, handed_in_as] in rows {
            roster.push(RosterRow {
                name: (*name).to_owned(),
                id: (*id).to_owned(),
                email: (*email).to_owned(),
                handed_in_as: (*handed_in_as).to_owned(),
                ..RosterRow::default()
            });
        }
        roster
    }

    fn hand_in(handed_in_as: &str, name: &str, id: &str) -> HandIn {
        HandIn {
            handed_in_as: handed_in_as.to_owned(),
            name: name.to_owned(),
            id: id.to_owned(),
            ..HandIn::default()
        }
    }

    #[test]
    fn people_are_found_by_folder_then_name_then_login() {
        let roster = roster(&[
            [
                "Anna Müller",
                "17",
                "a.mueller@x.org",
                "Anna Müller_1_assignsubmission_file_",
            ],
            ["Müller, Anna", "18", "", ""],
            ["Ada Lovelace", "19", "ada@x.org", ""],
            ["Ben van der Berg", "ben7", "", ""],
        ]);
        let both = vec!["Anna Müller".to_owned(), "Müller, Anna".to_owned()];
        for (platform, as_, name, id, expected) in [
            // The folder is that of the last export.
            (
                Platform::Moodle,
                "ANNA Mu\u{308}ller_1_assignsubmission_file_",
                "Anna Müller",
                "",
                Match::Row(0),
            ),
            (
                Platform::Moodle,
                "Anna Müller_9_x",
                "Anna Müller",
                "",
                Match::OneOf(both),
            ),
            (
                Platform::Moodle,
                "Lovelace Ada_9_x",
                "LOVELACE Ada",
                "",
                Match::Row(2),
            ),
            // A number of an assignment is no id of a person.
            (Platform::Moodle, "Zoe_19_x", "Zoe", "", Match::Nobody),
            (
                Platform::Canvas,
                "lovelaceada_5",
                "lovelaceada",
                "5",
                Match::Row(2),
            ),
            (
                Platform::Canvas,
                "vanderbergben_6",
                "vanderbergben",
                "6",
                Match::Row(3),
            ),
            (Platform::Canvas, "zoe_19", "zoe", "19", Match::Nobody),
            (
                Platform::Ilias,
                "Berg_B_ben7_3",
                "B Berg",
                "ben7",
                Match::Row(3),
            ),
            (
                Platform::Ilias,
                "Muller_A_18_3",
                "A Muller",
                "18",
                Match::Row(1),
            ),
            (Platform::Folders, "ada", "ada", "", Match::Row(2)),
            (Platform::Folders, "", "", "", Match::Nobody),
        ] {
            let found = matches(&roster, &[hand_in(as_, name, id)], platform);
            assert_eq!(found, [expected], "{as_}");
        }
    }

    #[test]
    fn a_row_belongs_to_one_hand_in() {
        let roster = roster(&[["Anna", "", "", "Anna_2_x"]]);
        let two = [
            hand_in("Anna_1_x", "Anna", ""),
            hand_in("Anna_2_x", "Anna", ""),
        ];
        let found = matches(&roster, &two, Platform::Moodle);
        assert_eq!(found, [Match::Nobody, Match::Row(0)]);
    }

    #[test]
    fn cells_are_harmless_and_stay_as_they_are_where_they_are() {
        for (text, expected) in [
            ("Ada", "Ada"),
            ("=cmd|x", "cmd|x"),
            (" \u{1b}[2J", "\\u{1b}[2J"),
            ("-\u{202e}x", "\\u{202e}x"),
        ] {
            assert_eq!(cell(text), expected);
            assert_eq!(check_harmless(&cell(text)), Ok(()));
        }
    }
}
