//! The report for graders and build servers: `JUnit` XML, one test case for each step.

use super::text;
use crate::cli::paint::Paint;
use crate::conformance::{StepCounts, StepReport, StepVerdict};
use crate::text::printable;
use std::fmt::Write as _;

/// The steps of one bot.
#[derive(Clone, Copy)]
pub struct Suite<'a> {
    pub name: &'a str,
    pub reports: &'a [StepReport],
    /// Why no step could be taken, if none could.
    pub problem: Option<&'a str>,
}

/// The sums of a suite, or of several.
#[derive(Clone, Copy, Default)]
struct Sums {
    tests: usize,
    failed: usize,
    skipped: usize,
    seconds: f64,
}

impl Sums {
    fn of(suite: &Suite<'_>) -> Self {
        let counts = StepCounts::of(suite.reports);
        let problems = usize::from(suite.problem.is_some());
        Self {
            tests: suite.reports.len() + problems,
            failed: counts.failed + problems,
            skipped: counts.skipped + counts.absent,
            seconds: suite.reports.iter().map(|it| it.time.as_secs_f64()).sum(),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
            seconds: self.seconds + other.seconds,
        }
    }

    fn attributes(self) -> String {
        format!(
            "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3}\"",
            self.tests, self.failed, self.skipped, self.seconds
        )
    }
}

/// The whole file.
pub fn report(suites: &[Suite<'_>]) -> String {
    let sums = suites.iter().map(Sums::of).fold(Sums::default(), Sums::and);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuites name=\"awale check\" {}>",
        sums.attributes()
    );
    for suite in suites {
        let (name, sums) = (escaped(suite.name), Sums::of(suite).attributes());
        let _ = writeln!(xml, "  <testsuite name=\"{name}\" {sums}>");
        for report in suite.reports {
            write_case(&mut xml, report);
        }
        if let Some(problem) = suite.problem {
            let problem = escaped(problem);
            let _ = writeln!(
                xml,
                "    <testcase classname=\"awale.check.files\" name=\"its files can be played\" \
                 time=\"0.000\">\n      <failure type=\"files\" message=\"{problem}\"/>\n    \
                 </testcase>"
            );
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn write_case(xml: &mut String, report: &StepReport) {
    let (step, time) = (report.step, report.time.as_secs_f64());
    let title = escaped(&format!("{:02} {}", report.number, step.title));
    let class = format!("awale.check.{}", step.id);
    let _ = write!(
        xml,
        "    <testcase classname=\"{class}\" name=\"{title}\" time=\"{time:.3}\""
    );
    let detail = escaped(&report.verdict.detail());
    match &report.verdict {
        StepVerdict::Failed { .. } => {
            let whole = escaped_lines(&text::step(report, Paint::none()));
            let _ = writeln!(
                xml,
                ">\n      <failure type=\"{}\" message=\"{detail}\">{whole}</failure>\n    \
                 </testcase>",
                step.id
            );
        }
        StepVerdict::Skipped(_) | StepVerdict::Absent(_) => {
            let _ = writeln!(
                xml,
                ">\n      <skipped message=\"{detail}\"/>\n    </testcase>"
            );
        }
        StepVerdict::Passed(_) | StepVerdict::Note(_)
            if detail.is_empty() && report.earlier.is_empty() =>
        {
            let _ = writeln!(xml, "/>");
        }
        StepVerdict::Passed(_) | StepVerdict::Note(_) => {
            let whole = escaped_lines(&text::step(report, Paint::none()));
            let _ = writeln!(
                xml,
                ">\n      <system-out>{whole}</system-out>\n    </testcase>"
            );
        }
    }
}

/// A text of one line that is safe in an attribute and between tags. XML 1.0 allows no control
/// characters, escaped or not, and neither U+FFFE nor U+FFFF; visible text replaces them.
fn escaped(text: &str) -> String {
    let mut xml = String::new();
    for character in printable(text).chars() {
        match character {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\'' => xml.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(xml, "{}", character.escape_unicode());
            }
            other => xml.push(other),
        }
    }
    xml
}

fn escaped_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(escaped).collect();
    lines.join("\n")
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
            assert_eq!(escaped(text), xml);
        }
        assert_eq!(escaped_lines("<\n>"), "&lt;\n&gt;");
    }
}
