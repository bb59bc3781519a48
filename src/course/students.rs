//! A list of students, as a platform or a school's office exports it: a table whose columns have
//! the names of that place.

use super::course_folder::{CourseError, free_folder, read_roster};
use crate::config::{MOST_ROSTER_MIB, Roster, separator_of};
use crate::files;
use crate::text::quoted;
use std::path::Path;

/// What columns are called elsewhere, in small letters without spaces, `-` and `_`.
const NAMES: [(&str, &[&str]); 5] = [
    (
        "name",
        &[
            "name",
            "fullname",
            "student",
            "studentname",
            "displayname",
            "vollständigername",
        ],
    ),
    (
        "first name",
        &[
            "firstname",
            "givenname",
            "forename",
            "vorname",
            "prénom",
            "prenom",
        ],
    ),
    (
        "last name",
        &[
            "lastname",
            "surname",
            "familyname",
            "nachname",
            "familienname",
            "nom",
        ],
    ),
    (
        "email",
        &[
            "email",
            "emailaddress",
            "mail",
            "emailadresse",
            "courriel",
            "adressedecourriel",
        ],
    ),
    (
        "id",
        &[
            "id",
            "idnumber",
            "studentid",
            "studentnumber",
            "sisuserid",
            "sisloginid",
            "username",
            "login",
            "idnummer",
            "matrikelnummer",
            "anmeldename",
            "benutzername",
        ],
    ),
];

/// Reads a list of students as a roster in which everybody has a folder.
pub fn read_students(path: &Path) -> Result<Roster, CourseError> {
    let bytes = files::read(path, MOST_ROSTER_MIB).map_err(|error| {
        let path = quoted(&path.to_string_lossy());
        let reason = format!("cannot read the list of students {path}: {error}");
        CourseError::Refused(reason)
    })?;
    let renamed = std::str::from_utf8(&bytes).ok().and_then(with_our_columns);
    let mut roster = read_roster(renamed.as_deref().unwrap_or(&bytes), path)?;
    for place in 0..roster.rows().len() {
        let row = &roster.rows()[place];
        if row.folder.is_empty() {
            let folder = free_folder(&roster, row.shown());
            roster.rows_mut()[place].folder = folder;
        }
    }
    Ok(roster)
}

/// The list with our names of columns; nothing if it is no table.
fn with_our_columns(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_start_matches('\u{feff}');
    let header = text.lines().next()?;
    let separator = separator_of(header, |name| our_name(name.trim()).is_some());
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut columns: Vec<String> = Vec::new();
    for typed in reader.headers().ok()? {
        let ours = our_name(typed).filter(|ours| !columns.iter().any(|it| it == ours));
        columns.push(ours.unwrap_or(typed).to_owned());
    }
    let place = |name: &str| columns.iter().position(|it| it == name);
    let parts = place("first name").zip(place("last name"));
    let parts = parts.filter(|_| place("name").is_none());
    if let Some((first, _)) = parts {
        "name".clone_into(&mut columns[first]);
    }
    let mut writer = csv::WriterBuilder::new()
        .flexible(true)
        .from_writer(Vec::new());
    writer.write_record(&columns).ok()?;
    for record in reader.records() {
        let mut cells: Vec<String> = record.ok()?.iter().map(str::to_owned).collect();
        if let Some((first, last)) = parts
            && first.max(last) < cells.len()
        {
            let whole = format!("{} {}", cells[first], cells[last]);
            whole.trim().clone_into(&mut cells[first]);
        }
        writer.write_record(&cells).ok()?;
    }
    writer.into_inner().ok()
}

fn our_name(typed: &str) -> Option<&'static str> {
    let typed = typed.to_lowercase().replace([' ', '-', '_'], "");
    let mut ours = NAMES.iter();
    ours.find(|(_, names)| names.contains(&typed.as_str()))
        .map(|(ours, _)| *ours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn people(text: &str) -> Vec<[String; 4]> {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("students.csv");
        fs::write(&path, text).unwrap();
        let roster = read_students(&path).unwrap();
        let people = roster.rows().iter().cloned();
        people
            .map(|it| [it.folder, it.name, it.id, it.email])
            .collect()
    }

    #[test]
    fn lists_of_platforms_and_offices_are_read() {
        let ada = ["ada-lovelace", "Ada Lovelace", "17", "ada@x.org"];
        let two = ["ada-lovelace-2", "Ada Lovelace", "18", ""];
        for text in [
            "First name,Last name,ID number,Email address\nAda,Lovelace,17,ada@x.org\n\
             Ada,Lovelace,18,\n",
            "\u{feff}Nachname;Vorname;Matrikelnummer;E-Mail-Adresse\r\n\
             Lovelace;Ada;17;ada@x.org\r\nLovelace;Ada;18;\r\n",
            "Student\tID\tSIS Login ID\tEmail\nAda Lovelace\t17\tada\tada@x.org\n\
             Ada Lovelace\t18\tada2\n",
            "folder,name,id,email\n,Ada Lovelace,17,ada@x.org\n,Ada Lovelace,18,\n",
        ] {
            assert_eq!(people(text), [ada, two], "{text}");
        }
        let found = people("name\ngreedy\n名前\nminimax 3\n…\n");
        let folders: Vec<&str> = found.iter().map(|it| it[0].as_str()).collect();
        assert_eq!(folders, ["greedy-2", "ming-qian", "minimax-3-2", "person"]);
    }
}
