//! Checks of string literals in the file.

use jsonc_parser::ast::Value;

use super::decoder::{Decoder, span_of};
use crate::diagnostic::source::Span;

/// Reports raw control characters in strings; JSON requires escape sequences. A raw line break in a
/// string is a forgotten quote or pasted text with another meaning.
pub(crate) fn refuse_raw_control_characters(text: &str, root: &Value<'_>, decoder: &mut Decoder) {
    let mut spans = Vec::new();
    collect(root, &mut spans);
    for span in spans {
        let raw = &text[span.range()];
        let Some(at) = raw.find(|c: char| c < ' ') else { continue };
        let (what, escape) = match raw.as_bytes()[at] {
            b'\n' | b'\r' => ("line break", "\\n"),
            b'\t' => ("tab", "\\t"),
            _ => ("control character", "\\u followed by its number"),
        };
        let place = Span::new(span.start + at, span.start + at + 1);
        let error = decoder.error(place, format!("a string holds a raw {what}"), "not JSON");
        error.hints.push(format!("write it as {escape}"));
    }
}

/// Collects all strings of a tree, keys included.
fn collect(value: &Value<'_>, spans: &mut Vec<Span>) {
    match value {
        Value::StringLit(literal) => spans.push(span_of(literal)),
        Value::Array(array) => array.elements.iter().for_each(|value| collect(value, spans)),
        Value::Object(object) => {
            for member in &object.properties {
                spans.push(span_of(&member.name));
                collect(&member.value, spans);
            }
        }
        Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => {}
    }
}
