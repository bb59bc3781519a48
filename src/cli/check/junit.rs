//! The report for graders and build servers: `JUnit` XML, one test case for each step.

use super::entrants_report::EntrantReport;
use super::text;
use crate::cli::paint::Paint;
use crate::conformance::{StepReport, StepVerdict};
use crate::text::printable;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The whole file.
pub fn report<'a>(bots: impl Iterator<Item = &'a EntrantReport> + Clone) -> String {
    let mut report = Report::new("awale check");
    report.set_time(bots.clone().map(time_of).sum());
    report.add_test_suites(bots.map(suite));
    report.to_string().expect("the text is in memory")
}

fn time_of(bot: &EntrantReport) -> Duration {
    bot.steps.iter().map(|report| report.time).sum()
}

fn suite(bot: &EntrantReport) -> TestSuite {
    let mut tests = TestSuite::new(visible(&bot.name));
    tests.set_time(time_of(bot));
    tests.add_test_cases(bot.steps.iter().map(case));
    if let Some(problem) = &bot.problem {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type("files").set_message(visible(problem));
        let mut case = TestCase::new("its files can be played", status);
        case.set_classname("awale.check.files")
            .set_time(Duration::ZERO);
        tests.add_test_case(case);
    }
    tests
}

fn case(report: &StepReport) -> TestCase {
    let (step, detail) = (report.step, visible(&report.verdict.detail()));
    let whole = || {
        let text = text::step(report, Paint::none());
        text.lines().map(visible).collect::<Vec<_>>().join("\n")
    };
    let mut output = None;
    let status = match &report.verdict {
        StepVerdict::Failed { .. } => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(step.id).set_message(detail);
            status.set_description(whole());
            status
        }
        StepVerdict::Skipped(_) | StepVerdict::Absent(_) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(detail);
            status
        }
        StepVerdict::Passed(_) | StepVerdict::Note(_) | StepVerdict::Advice(_) => {
            let has_more = !detail.is_empty() || !report.earlier.is_empty();
            output = has_more.then(whole);
            TestCaseStatus::success()
        }
    };
    let title = format!("{:02} {}", report.number, step.title);
    let mut case = TestCase::new(visible(&title), status);
    case.set_classname(format!("awale.check.{}", step.id))
        .set_time(report.time);
    if let Some(output) = output {
        case.set_system_out(output);
    }
    case
}

/// A text of one line in which everything is visible. XML 1.0 allows no control characters, escaped
/// or not, and neither U+FFFE nor U+FFFF: they would disappear.
fn visible(text: &str) -> String {
    let text = printable(text).replace('\u{fffe}', "\\u{fffe}");
    text.replace('\u{ffff}', "\\u{ffff}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_read_as_xml() {
        for (text, xml) in [
            ("a<b>&\"c\"'", "a&lt;b&gt;&amp;&quot;c&quot;&apos;"),
            ("]]>", "]]&gt;"),
            ("\u{1b}[2J\0", "\\u{1b}[2J\\u{0}"),
            ("\u{ffff}", "\\u{ffff}"),
            ("é 🌱", "é 🌱"),
        ] {
            let bot = EntrantReport {
                name: text.to_owned(),
                problem: Some(text.to_owned()),
                steps: Vec::new(),
            };
            let written = report(std::iter::once(&bot));
            for attribute in ["name", "message"] {
                let shown = format!("{attribute}=\"{xml}\"");
                assert!(written.contains(&shown), "{shown} in {written}");
            }
        }
    }
}
