//! The arguments of `awale class`.

use crate::course::{Gradebook, Platform};
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// How `awale class new` is used.
const NEW_HELP: &str = "\
awale class new INF101                          the folder INF101
awale class new INF101 --roster students.csv    with the people of a list

The list is a table (CSV) with a column for the name, or for first and last name, and any of id and
email, under the names that platforms and offices give them. Everybody gets an alias.

Exit code: 0, 2 if the folder exists or the list cannot be read, 3 if a file cannot be written.";

/// How `awale class import` is used.
const IMPORT_HELP: &str = "\
awale class import submissions.zip              the download of all submissions, as it is
awale class import downloads --course INF101    a folder with a folder for each person

Everybody in the export gets a folder below submissions and a row in roster.csv. Who has handed in
again gets a new folder; all others keep theirs.

Exit code: 0, 1 if a hand-in was not imported because it may belong to several people, 2 if the
export cannot be read, 3 if a file cannot be written.";

/// How `awale class export` is used.
const EXPORT_HELP: &str = "\
awale class export                              for the platform of the last import
awale class export --gradebook worksheet.csv    fills in the platform's own file

Writes export/gradebook.csv and export/feedback.zip from results/class, in the course's folder.

Exit code: 0, 2 if nothing is graded yet or the gradebook cannot be filled in, 3 if a file cannot be
written.";

#[derive(Args, Debug)]
pub struct ClassArguments {
    #[command(subcommand)]
    pub command: ClassCommand,
}

#[derive(Debug, Subcommand)]
pub enum ClassCommand {
    /// Make the folder of a course: configuration, roster, and a hand-out for students
    #[command(after_help = NEW_HELP)]
    New(NewCourseArguments),
    /// Take in what students have handed in: a learning platform's download
    #[command(after_help = IMPORT_HELP)]
    Import(ImportArguments),
    /// Give grades and feedback back to a learning platform
    #[command(after_help = EXPORT_HELP)]
    Export(ExportArguments),
}

#[derive(Args, Debug)]
pub struct NewCourseArguments {
    /// The name of the course, as in INF101
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The people of the course: a list of students
    #[arg(long, value_name = "FILE")]
    pub roster: Option<PathBuf>,
    /// The folder of the course (default: NAME)
    #[arg(long, value_name = "DIR")]
    pub course: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct ImportArguments {
    /// The zip that the platform gave, or a folder
    #[arg(value_name = "EXPORT")]
    pub export: PathBuf,
    /// What the export is from (default: what its names look like)
    #[arg(long, value_name = "PLATFORM", value_parser = platform())]
    pub from: Option<Platform>,
    /// The folder of the course
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub course: PathBuf,
}

#[derive(Args, Debug)]
pub struct ExportArguments {
    /// The platform (default: that of the last import)
    #[arg(long = "for", value_name = "PLATFORM", value_parser = gradebook())]
    pub platform: Option<Gradebook>,
    /// The platform's own gradebook or grading worksheet (CSV), which is filled in
    #[arg(long, value_name = "FILE")]
    pub gradebook: Option<PathBuf>,
    /// The column of the grades in it; in Canvas the assignment
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// The folder of the course
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub course: PathBuf,
}

fn gradebook() -> impl TypedValueParser<Value = Gradebook> {
    let parser = PossibleValuesParser::new(Gradebook::ALL.map(Gradebook::name));
    parser.map(|name| {
        let mut all = Gradebook::ALL.into_iter();
        all.find(|it| it.name() == name).expect("one of the names")
    })
}

fn platform() -> impl TypedValueParser<Value = Platform> {
    let parser = PossibleValuesParser::new(Platform::ALL.map(Platform::name));
    parser.map(|name| {
        let mut all = Platform::ALL.into_iter();
        all.find(|it| it.name() == name).expect("one of the names")
    })
}
