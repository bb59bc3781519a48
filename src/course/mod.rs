//! A class: how its entrants are graded, and what each author gets.
//!
//! ```text
//! tables of the run ─▶ grades ─┬─▶ grades.csv
//!                              └─▶ feedback ─▶ feedback/NAME/
//! results  writes both, and everything else that follows from the games
//! weeks    keeps them for ever, under a label
//! ```

mod feedback;
mod grades;
mod results;
mod weeks;

pub use grades::{EarnedPoints, GRADES, Grades, GradesRow, points_text};
pub use results::{GRADES_TABLE, WrittenResults, write_feedback_alone, write_results};
pub use weeks::{check_label, has_week, keep_week};

#[cfg(test)]
mod tests {
    use super::GRADES;
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
        let own = [("grades.csv", documented(GRADES))];
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
