//! A class: its folder, its people, how they are graded, and what each author gets.
//!
//! ```text
//! INF101/  class.toml    the configuration: what is played, and what earns points
//!          roster.csv    the people (config/class/roster)
//!          submissions/  what they have handed in, a folder each
//!          handout/      what they get to begin with
//!
//! course_folder  such a folder, and why it cannot be used
//! new_course     makes one
//! starters       the starter bots, and what a student practises with
//! handout        the files for students
//! students       a list of people, as platforms and offices export it
//! import         what students have handed in, from a learning platform's download
//! alias          the names by which people are shown to others
//!
//! tables of the run ─▶ grades ─┬─▶ grades.csv
//!                              └─▶ feedback ─▶ feedback/NAME/
//! decision  the pairs that decide what luck has decided so far
//! notes    what a teacher may want to look at: notes.csv
//! results  writes them, and everything else that follows from the games
//! export   gives grades and feedback back to a learning platform
//! weeks    keeps them for ever, under a label
//! versions which of an author's programs plays
//! ```

mod alias;
mod course_folder;
mod decision;
mod export;
mod feedback;
mod grades;
mod handout;
mod import;
mod new_course;
mod notes;
mod results;
mod starters;
mod students;
mod versions;
mod weeks;

pub use course_folder::{CONFIGURATION, CourseError, HANDOUT, SUBMISSIONS};
pub use decision::{Decision, decision};
pub use export::{Exported, Gradebook, export};
pub use feedback::{CheckedEntrant, CheckedStep, write_checked_feedback};
pub use feedback::{FeedbackFolder, WrittenGame, WrittenGameError};
pub use grades::{EarnedPoints, GRADES, Grades, GradesRow, points_text};
pub use import::{Change, Imported, ImportedHandIn, Platform, import};
pub use new_course::{NewCourse, new_course};
pub use notes::{NOTES, NOTES_TABLE};
pub use results::{write_feedback_alone, write_results};
pub use starters::{STARTERS, Starter, practice_files};
pub use versions::{Refusals, keep_versions, recorded_versions, versions_that_play};
pub use weeks::{check_label, keep_week, kept_week};

#[cfg(test)]
mod tests {
    use super::{GRADES, NOTES};
    use crate::report::{documented, documented_tables};
    use std::path::Path;
    use std::{env, fs};

    /// `docs/tables.md` explains every column, in the words of its declaration. With `AWALE_REWRITE`
    /// in the environment, this test writes them there.
    #[test]
    fn the_docs_have_every_column() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tables.md");
        let text = fs::read_to_string(&path).expect("the page");
        let mut page = text.clone();
        let own = [
            ("grades.csv", documented(GRADES)),
            ("notes.csv", documented(NOTES)),
        ];
        for (table, columns) in documented_tables().into_iter().chain(own) {
            let head = format!("<!-- columns of {table} -->\n");
            let (before, after) = page
                .split_once(&head)
                .unwrap_or_else(|| panic!("no {head}"));
            let (_, after) = after
                .split_once("\n\n")
                .expect("a paragraph after the table");
            page = format!("{before}{head}{columns}\n{after}");
        }
        if env::var_os("AWALE_REWRITE").is_some() {
            fs::write(&path, page).expect("the page");
        } else {
            assert_eq!(
                text, page,
                "AWALE_REWRITE=1 cargo test --lib every_column writes the columns"
            );
        }
    }
}
