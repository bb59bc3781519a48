//! `awale class`: the folder of a course.

use super::args::{
    ClassArguments, ClassCommand, ExportArguments, ImportArguments, NewCourseArguments,
};
use super::exit::{Exit, Failure, tell};
use crate::course::{CONFIGURATION, CourseError, HANDOUT, SUBMISSIONS, export, import, new_course};
use crate::text::{counted, printable, shell_word, some_names};

/// Does what the words ask for.
///
/// # Errors
/// Those of the course's folder.
pub fn class(arguments: &ClassArguments) -> Result<Exit, Failure> {
    match &arguments.command {
        ClassCommand::New(it) => new(it),
        ClassCommand::Import(it) => take_in(it),
        ClassCommand::Export(it) => give_back(it),
    }
}

fn new(arguments: &NewCourseArguments) -> Result<Exit, Failure> {
    let (folder, roster) = (arguments.course.as_deref(), arguments.roster.as_deref());
    let course = new_course(&arguments.name, folder, roster)?;
    let place = printable(&shell_word(&course.path.to_string_lossy()));
    let people = counted(course.people, "person", "people");
    tell(&format!(
        "{place} is a course with {people} in its roster. {HANDOUT} in it is for the students. What \
         they hand in belongs below {SUBMISSIONS}, where a platform's download gets like this:"
    ));
    for command in [
        format!("cd {place}"),
        "awale class import DOWNLOAD.zip".to_owned(),
        format!("awale check {CONFIGURATION}"),
        format!("awale run {CONFIGURATION}"),
    ] {
        tell(&format!("  {command}"));
    }
    Ok(Exit::Done)
}

fn take_in(arguments: &ImportArguments) -> Result<Exit, Failure> {
    let imported = import(&arguments.course, &arguments.export, arguments.from)?;
    let hand_ins = counted(imported.hand_ins.len(), "hand-in", "hand-ins");
    tell(&format!("It is {}, with {hand_ins}:", imported.platform));
    for hand_in in &imported.hand_ins {
        tell(&format!("  {}", hand_in.text()));
    }
    if !imported.nobodys.is_empty() {
        let files = some_names(&imported.nobodys);
        tell(&format!(
            "warning: {files} belongs to nobody and is left out: --from names another platform"
        ));
    }
    for to_do in &imported.to_do {
        tell(&format!("warning: {to_do}"));
    }
    Ok(if imported.to_do.is_empty() {
        Exit::Done
    } else {
        Exit::Attention
    })
}

fn give_back(arguments: &ExportArguments) -> Result<Exit, Failure> {
    let (worksheet, column) = (arguments.gradebook.as_deref(), arguments.column.as_deref());
    let exported = export(&arguments.course, arguments.platform, worksheet, column)?;
    let people = counted(exported.people, "person", "people");
    let most = exported.most_points.as_ref();
    let most = most.map_or_else(String::new, |it| format!(", of at most {it} points"));
    let folder = exported.folder.to_string_lossy();
    tell(&format!(
        "{folder}/gradebook.csv is {}: grades of {people}{most}",
        exported.kind
    ));
    let feedback = counted(exported.with_feedback, "person", "people");
    tell(&format!(
        "{folder}/feedback.zip has the feedback of {feedback}"
    ));
    if !exported.left_out.is_empty() {
        tell(&format!(
            "warning: {} of the roster not in the gradebook: {}. --gradebook FILE fills in the \
             platform's own, which has everybody",
            counted(exported.left_out.len(), "person is", "people are"),
            some_names(&exported.left_out)
        ));
    }
    Ok(Exit::Done)
}

impl From<CourseError> for Failure {
    fn from(error: CourseError) -> Self {
        match error {
            CourseError::Refused(_) => Self::usage(error),
            CourseError::Disk(error) => error.into(),
        }
    }
}
