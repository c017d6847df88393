//! Checks that diagnostics point into their text.

use forkhestra_core::diagnostic::Diagnostic;

/// Panics when a caret would fall outside the text or inside a character.
pub(crate) fn check(diagnostic: &Diagnostic) {
    let place = diagnostic.label.as_ref().expect("everything in a text has a place");
    let related = place.related.iter().map(|(span, _)| *span);
    for span in related.chain([place.span]) {
        assert!(
            place.source.text.get(span.range()).is_some(),
            "{span:?} is no part of {:?}: {diagnostic:?}",
            place.source.text
        );
    }
}
