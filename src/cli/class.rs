//! `awale class`: the folder of a course.

use super::args::{ClassArguments, ClassCommand, ImportArguments, NewCourseArguments};
use super::exit::{Exit, Failure, tell};
use crate::course::{CONFIGURATION, CourseError, HANDOUT, SUBMISSIONS, import, new_course};
use crate::text::{counted, printable, shell_word, some_names};

/// Does what the words ask for.
///
/// # Errors
/// Those of the course's folder.
pub fn class(arguments: &ClassArguments) -> Result<Exit, Failure> {
    match &arguments.command {
        ClassCommand::New(it) => new(it),
        ClassCommand::Import(it) => take_in(it),
    }
}

fn new(arguments: &NewCourseArguments) -> Result<Exit, Failure> {
    let (folder, roster) = (arguments.course.as_deref(), arguments.roster.as_deref());
    let course = new_course(&arguments.name, folder, roster)?;
    let place = printable(&shell_word(&course.path.to_string_lossy()));
    let people = counted(course.people, "person", "people");
    let folder = match course.people {
        0 => "a folder, and the folder with an alias into its roster.csv",
        _ => "the folder that its roster.csv names",
    };
    tell(&format!(
        "{place} is a course with {people} in its roster. {HANDOUT} in it is for the students. Put \
         what each has handed in below {SUBMISSIONS} into {folder}, then:"
    ));
    for command in [
        format!("cd {place}"),
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

impl From<CourseError> for Failure {
    fn from(error: CourseError) -> Self {
        match error {
            CourseError::Refused(_) => Self::usage(error),
            CourseError::Disk(error) => error.into(),
        }
    }
}
