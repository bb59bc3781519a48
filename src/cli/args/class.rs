//! The arguments of `awale class`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// How `awale class new` is used.
const NEW_HELP: &str = "\
awale class new INF101                          the folder INF101
awale class new INF101 --roster students.csv    with the people of a list

The list is a table (CSV) with a column for the name, or for first and last name, and any of id and
email, under the names that platforms and offices give them. Everybody gets an alias.

Exit code: 0, 2 if the folder exists or the list cannot be read, 3 if a file cannot be written.";

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
