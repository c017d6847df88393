//! Rendering of diagnostics: the problem, its location with a caret, hints.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use forkhestra_core::diagnostic::source::Span;
use forkhestra_core::diagnostic::{Diagnostic, DiagnosticLabel, Severity};
use typeset::style::HINT;
use typeset::text::{sanitize, visible};

/// Renders a diagnostic with colours; the printer strips them where colours are off.
pub(crate) fn render(diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    // Messages quote user input, which must not control the terminal.
    let title = level.primary_title(visible(&diagnostic.message));
    let group = match &diagnostic.label {
        Some(place) => title.element(snippet(place)),
        None => annotate_snippets::Group::with_title(title),
    };
    let mut text = Renderer::styled().render(&[group]);
    text.push('\n');
    for hint in &diagnostic.hints {
        text.push_str(&format!("{HINT}hint{HINT:#}: {}\n", visible(hint)));
    }
    text
}

/// Passes only the affected lines to the renderer, so that it does not scan the whole file for each
/// diagnostic.
fn snippet(directory: &DiagnosticLabel) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let related = directory.related.as_ref();
    let start =
        related.map_or(directory.span.start, |(span, _)| span.start.min(directory.span.start));
    let end = related.map_or(directory.span.end, |(span, _)| span.end.max(directory.span.end));
    let (line, shown) = directory.source.lines_around(Span::new(start, end));
    let within = |span: Span| span.start - shown.start..span.end - shown.start;

    let primary =
        AnnotationKind::Primary.span(within(directory.span)).label(directory.label.as_str());
    let snippet = Snippet::source(sanitize(&directory.source.text[shown.range()]))
        .line_start(line)
        .annotation(primary)
        .annotations(related.map(|(span, label)| {
            AnnotationKind::Context.span(within(*span)).label(label.as_str())
        }));
    match &directory.source.name {
        Some(name) => snippet.path(visible(name)),
        None => snippet,
    }
}
