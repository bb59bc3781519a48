//! `awale class export`: the gradebooks of platforms, to the byte, and the zip of feedback under the
//! names of the download.

use super::story::{Story, has};
use std::fs;
use std::io::{Cursor, Read as _};
use std::os::unix::fs::symlink;
use zip::ZipArchive;

/// The beginning of a roster.
const COLUMNS: &str = "folder,name,id,email,alias,status,late,handed_in_as\n";
/// What `awale run` has written, in the columns that are read, and one more.
const GRADES: &str = "\
entrant,name,folder,rank,version,points,most_points,reason
brave-otter,\"Lovelace, Ada\",ada,1,,87.5,100,
calm-fox,Ben,ben,2,,,100,
keen-owl,Cy,cy,3,,40,100,
wise-elk,Dee,,,,0,100,nothing was handed in
loyal-lynx,Eve,eve,,,20,100,no file says how it is started
";

/// A course with these rows in its roster, whose run has ended.
fn graded(rows: &str) -> Story {
    let story = Story::new();
    story.ok("class new INF101");
    story.write("INF101/roster.csv", COLUMNS.to_owned() + rows);
    for folder in ["ada", "ben", "cy", "eve"] {
        fs::create_dir(story.path(&format!("INF101/submissions/{folder}"))).expect("a folder");
        story.write(&format!("INF101/submissions/{folder}/main.py"), "");
    }
    for name in ["brave-otter/faults/one", "loyal-lynx", "keen-owl"] {
        let folder = story.path(&format!("INF101/results/class/feedback/{name}"));
        fs::create_dir_all(folder).expect("a folder");
    }
    let feedback = "INF101/results/class/feedback";
    story.write("INF101/results/class/grades.csv", GRADES);
    story.write(
        &format!("{feedback}/brave-otter/feedback.txt"),
        "well done\n",
    );
    story.write(
        &format!("{feedback}/brave-otter/faults/one/fault.toml"),
        "x",
    );
    story.write(&format!("{feedback}/loyal-lynx/feedback.txt"), "no start\n");
    story.write(&format!("{feedback}/keen-owl/feedback.txt"), "left\n");
    symlink(
        "/etc/passwd",
        story.path(&format!("{feedback}/loyal-lynx/link")),
    )
    .expect("a link");
    story
}

fn moodle() -> Story {
    graded(
        "ada,\"Lovelace, Ada\",,ada@x.org,brave-otter,,,Ada Lovelace_1_assignsubmission_file_\n\
         ben,Ben,,,calm-fox,excused,,Ben_2_assignsubmission_file_\n\
         cy,Cy,,,keen-owl,withdrawn,,Cy_3_assignsubmission_file_\n\
         ,Dee,,dee@x.org,wise-elk,,,\n\
         eve,Eve,,,loyal-lynx,,yes,../Eve_5_assignsubmission_file_\n",
    )
}

fn canvas() -> Story {
    graded(
        "ada,\"Lovelace, Ada\",12,ada@x.org,brave-otter,,,lovelaceada_12\n\
         ben,Ben,13,,calm-fox,excused,,ben_13\n\
         ,Dee,14,,wise-elk,,,\n",
    )
}

fn gradebook(story: &Story) -> String {
    story.read("INF101/export/gradebook.csv")
}

#[test]
fn a_worksheet_of_moodle_has_its_numbers() {
    let story = moodle();
    let said = story.ok("class export --course INF101");
    has(&said.stderr, "Moodle's grading worksheet");
    has(&said.stderr, "100 points");
    has(&said.stderr, "\"Dee\"");
    assert_eq!(
        gradebook(&story),
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade)\n\
         Participant 1,\"Lovelace, Ada\",ada@x.org,Submitted for grading,87.5,100,-\n\
         Participant 2,Ben,,Submitted for grading,,100,-\n\
         Participant 5,Eve,,Submitted for grading,20,100,-\n"
    );
}

#[test]
fn the_worksheet_of_a_site_in_another_language_is_filled_in() {
    let story = moodle();
    let sheet = |grades: [&str; 3]| {
        let [ada, ben, dee] = grades;
        format!(
            "\u{feff}ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung\r\n\
             Teilnehmer/in1,Ada Lovelace,,Abgegeben,{ada},100\r\n\
             Teilnehmer/in2,Ben,,Abgegeben,{ben},100\r\n\
             Teilnehmer/in44,Somebody else,dee@x.org,Keine Abgabe,{dee},100\r\n\
             Teilnehmer/in55,A guest,,Keine Abgabe,7,100\r\n"
        )
    };
    story.write("sheet.csv", sheet(["", "9", "8"]));
    story.ok("class export --course INF101 --gradebook sheet.csv");
    assert_eq!(gradebook(&story), sheet(["87.5", "", ""]));
    story.write("sheet.csv", "ID;Nimi;Hinne\nOsaleja1;Ada;\n");
    let said = story.ends(2, "class export --course INF101 --gradebook sheet.csv");
    has(
        &said.stderr,
        "it has no column for the grades; name one of them with --column NAME",
    );
    story.ok("class export --course INF101 --gradebook sheet.csv --column Hinne");
    assert_eq!(gradebook(&story), "ID;Nimi;Hinne\nOsaleja1;Ada;87.5\n");
    for (sheet, reason) in [
        (
            "Identifier,Grade\nParticipant 99,\n",
            "nobody of the roster is in it",
        ),
        ("", "it is empty"),
    ] {
        story.write("sheet.csv", sheet);
        let said = story.ends(2, "class export --course INF101 --gradebook sheet.csv");
        has(&said.stderr, reason);
    }
}

#[test]
fn canvas_has_its_ids_and_a_word_for_the_excused() {
    let story = canvas();
    let said = story.ok("class export --course INF101");
    has(&said.stderr, "Canvas' gradebook");
    assert_eq!(
        gradebook(&story),
        "Student,ID,SIS User ID,SIS Login ID,Section,INF101\n\
         Points Possible,,,,,100\n\
         \"Lovelace, Ada\",12,,,,87.5\n\
         Ben,13,,,,EX\n\
         Dee,14,,,,\n"
    );
    let sheet = |ada: &str, ben: &str| {
        format!(
            "Student,ID,SIS User ID,Section,Essay (1),Awalé (77)\n\
             \"    Points Possible\",,,,10,100\n\
             \"Lovelace, Ada\",12,17,A,9,{ada}\n\
             \"Bo, Ben\",13,18,A,8,{ben}\n"
        )
    };
    story.write("sheet.csv", sheet("", ""));
    let said = story.ends(2, "class export --course INF101 --gradebook sheet.csv");
    has(&said.stderr, "--column NAME: ");
    story.ok("class export --course INF101 --gradebook sheet.csv --column awalé");
    assert_eq!(
        gradebook(&story),
        sheet("87.5", "EX").replace("\"    Points Possible\"", "    Points Possible")
    );
}

#[test]
fn a_table_for_everything_else_has_every_reason() {
    let story = moodle();
    story.ok("class export --course INF101 --for csv");
    assert_eq!(
        gradebook(&story),
        "\u{feff}folder,name,id,email,alias,status,late,points,most_points,reason\n\
         ada,\"Lovelace, Ada\",,ada@x.org,brave-otter,active,,87.5,100,\n\
         ben,Ben,,,calm-fox,excused,,,100,excused\n\
         ,Dee,,dee@x.org,wise-elk,active,,,100,nothing was handed in\n\
         eve,Eve,,,loyal-lynx,active,yes,20,100,no file says how it is started\n"
    );
}

#[test]
fn feedback_goes_back_under_the_names_of_the_download() {
    let story = moodle();
    story.ok("class export --course INF101");
    let bytes = || fs::read(story.path("INF101/export/feedback.zip")).expect("the zip");
    let first = bytes();
    let mut zip = ZipArchive::new(Cursor::new(first.clone())).expect("a zip");
    let names: Vec<String> = zip
        .file_names()
        .map(|it| it.expect("UTF-8").into_owned())
        .collect();
    assert_eq!(
        names,
        [
            "Ada Lovelace_1_assignsubmission_file_/feedback.txt",
            "Ada Lovelace_1_assignsubmission_file_/faults/one/fault.toml",
            // No link, nobody who has left, and no name that leads out of the zip.
            "eve/feedback.txt",
        ]
    );
    let mut text = String::new();
    zip.by_index(0)
        .expect("a file")
        .read_to_string(&mut text)
        .expect("a text");
    assert_eq!(text, "well done\n");
    story.ok("class export --course INF101");
    assert_eq!(bytes(), first);
}

#[test]
fn nothing_is_exported_before_there_are_grades() {
    let story = Story::new();
    story.ok("class new INF101");
    let said = story.ends(2, "class export --course INF101");
    has(
        &said.stderr,
        "nothing is graded yet; run `awale run class.toml`",
    );
}
