//! Diagnostics on a screen: what is wrong, where with a caret, what to do.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use forkhestra_core::diagnostic::source::Span;
use forkhestra_core::diagnostic::{Diagnostic, DiagnosticLabel, Severity};
use typeset::style::HINT;
use typeset::text::{sanitize, visible};

/// Draws a diagnostic with colours; who prints it drops them where they are not wanted.
pub(crate) fn render(diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    // What people typed is part of many messages, and must not steer the terminal.
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

/// Shows the lines at hand and no others: drawing must not read the whole file for each mistake.
fn snippet(place: &DiagnosticLabel) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let related = place.related.as_ref();
    let start = related.map_or(place.span.start, |(span, _)| span.start.min(place.span.start));
    let end = related.map_or(place.span.end, |(span, _)| span.end.max(place.span.end));
    let (line, shown) = place.source.lines_around(Span::new(start, end));
    let within = |span: Span| span.start - shown.start..span.end - shown.start;

    let primary = AnnotationKind::Primary.span(within(place.span)).label(place.label.as_str());
    let snippet = Snippet::source(sanitize(&place.source.text[shown.range()]))
        .line_start(line)
        .annotation(primary)
        .annotations(related.map(|(span, label)| {
            AnnotationKind::Context.span(within(*span)).label(label.as_str())
        }));
    match &place.source.name {
        Some(name) => snippet.path(visible(name)),
        None => snippet,
    }
}
