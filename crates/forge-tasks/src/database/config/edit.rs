//! Changing one value of `config.json`. All other bytes stay.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;

use super::TasksConfigError;
use super::read::with_object;
use crate::document::Newline;

/// The text after a key got a value, which is given as JSON.
pub(in crate::database) fn with_value(
    text: &str,
    key: &str,
    value: &str,
) -> Result<String, TasksConfigError> {
    with_object(text, |object| match object.get(key) {
        Some(property) => {
            let range = property.value.range();
            format!("{}{value}{}", &text[..range.start], &text[range.end..])
        }
        None => inserted(text, object, &format!("\"{key}\": {value}")),
    })
}

/// Inserts after the last property, on a line of its own if that one has one.
fn inserted(text: &str, object: &Object<'_>, property: &str) -> String {
    let Some(last) = object.properties.last() else {
        let (before, behind) = text.split_at(object.range.start + 1);
        return format!("{before}{property}{behind}");
    };
    let (before, behind) = text.split_at(last.range.end);
    let line_start = text[..last.range.start].rfind('\n').map(|newline| newline + 1);
    let indent = line_start.map(|start| &text[start..last.range.start]);
    match indent.filter(|indent| indent.bytes().all(|byte| byte == b' ' || byte == b'\t')) {
        Some(indent) => {
            let newline = Newline::of(text).as_str();
            format!("{before},{newline}{indent}{property}{behind}")
        }
        None => format!("{before}, {property}{behind}"),
    }
}
