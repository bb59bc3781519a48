//! Errors of a configuration with the lines that they are about.

use super::paint::Paint;
use crate::config::{ConfigError, SourceLine};
use crate::text::printable_lines;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// All errors, each with its line if there is one, as they are printed on standard error.
pub fn report(error: &ConfigError) -> String {
    let renderer = if Paint::for_standard_error().is_used() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    rendered(error, &renderer)
}

fn rendered(error: &ConfigError, renderer: &Renderer) -> String {
    let all = std::iter::once(error).chain(&error.others);
    let reports = all.map(|error| {
        let headline = printable_lines(&error.headline());
        let title = Level::ERROR.primary_title(&*headline);
        let group = match &error.source_line {
            Some(line) => title.element(snippet(line)),
            None => Group::with_title(title),
        };
        renderer.render(&[group])
    });
    reports.collect::<Vec<_>>().join("\n")
}

fn snippet(line: &SourceLine) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let annotation = AnnotationKind::Primary.span(line.wrong.clone());
    Snippet::source(line.text.as_str())
        .line_start(line.number)
        .annotation(annotation)
}
