//! Diagnostics on a screen: what is wrong, where with a caret, what to do.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use forkhestra_core::diagnostic::{Diagnostic, Place, Severity};

use super::style::HINT;
use super::text::{harmless, visible};

/// Draws a diagnostic with colours; who prints it drops them where they are not wanted.
pub(crate) fn render(diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    // What people typed is part of many messages, and must not steer the terminal.
    let title = level.primary_title(visible(&diagnostic.message));
    let group = match &diagnostic.place {
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

fn snippet(place: &Place) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let mut snippet = Snippet::source(harmless(&place.source.text))
        .annotation(AnnotationKind::Primary.span(place.span.range()).label(place.label.as_str()));
    if let Some((span, label)) = &place.related {
        snippet =
            snippet.annotation(AnnotationKind::Context.span(span.range()).label(label.as_str()));
    }
    match &place.source.name {
        Some(name) => snippet.path(visible(name)),
        None => snippet,
    }
}
