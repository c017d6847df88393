//! From the text of `config.json` to a [`TasksConfig`].

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::values::take;
use super::{TasksConfig, TasksConfigError, key};
use crate::merge_conflict;

const MARK: &str = "\u{feff}";

/// A config, and whether it has a counter.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::database) struct ReadConfig {
    pub(in crate::database) config: TasksConfig,
    pub(in crate::database) has_counter: bool,
}

/// Reads `config.json`.
pub(in crate::database) fn read(text: &str) -> Result<ReadConfig, TasksConfigError> {
    with_object(text, |object| decode(text, object))?
}

/// Passes the object of a config, with its positions in the text, to a function.
pub(super) fn with_object<T>(
    text: &str,
    look: impl FnOnce(&Object<'_>) -> T,
) -> Result<T, TasksConfigError> {
    if merge_conflict::is_in(text) {
        return Err(TasksConfigError::Conflict);
    }
    // A byte order mark becomes blanks of the same length, so that offsets stay valid.
    let blanked = text.strip_prefix(MARK).map(|rest| format!("{}{rest}", " ".repeat(MARK.len())));
    let json = blanked.as_deref().unwrap_or(text);
    let parsed = parse_to_ast(json, &collect_nothing(), &json_with_comments())
        .map_err(|error| not_json(text, &error))?;
    match parsed.value {
        Some(Value::Object(object)) => Ok(look(&object)),
        Some(other) => {
            Err(TasksConfigError::at(text, other.range().start, "this is not an object {…}"))
        }
        None => Err(TasksConfigError::at(text, 0, "it is empty")),
    }
}

fn not_json(text: &str, error: &ParseError) -> TasksConfigError {
    let reason = error.kind().to_string();
    let what = format!("it is not JSON: {}", lowercase_first(&reason));
    TasksConfigError::at(text, error.range().start.min(text.len()), what)
}

fn lowercase_first(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}

/// Comments and trailing commas are accepted; everything else is strict.
const fn json_with_comments() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

const fn collect_nothing() -> CollectOptions {
    CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false }
}

fn decode(text: &str, object: &Object<'_>) -> Result<ReadConfig, TasksConfigError> {
    let mut config = TasksConfig::default();
    let mut has_counter = false;
    for (index, property) in object.properties.iter().enumerate() {
        let name = property.name.as_str();
        let before = &object.properties[..index];
        let refuse = |what| TasksConfigError::at(text, property.range.start, what);
        if before.iter().any(|other| other.name.as_str() == name) {
            return Err(refuse(format!("`{name}` is there twice")));
        }
        if property.value.as_null_keyword().is_some() {
            continue;
        }
        take(&mut config, name, &property.value)
            .map_err(|what| refuse(format!("`{name}` {what}")))?;
        has_counter |= name == key::LAST_ID_NUMBER;
    }
    Ok(ReadConfig { config, has_counter })
}
