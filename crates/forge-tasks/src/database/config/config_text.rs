//! The text of `config.json`: reading it, and changing one value of it. All other bytes stay.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use crate::database::config::tasks_config::take;
use crate::database::config::{LAST_ID_NUMBER, TasksConfig, TasksConfigError};
use crate::document::Newline;
use crate::merge_conflict::{self, sides};

const MARK: &str = "\u{feff}";

/// A config, and whether it has a counter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReadConfig {
    pub(crate) config: TasksConfig,
    pub(crate) has_counter: bool,
}

/// Reads `config.json`.
pub(crate) fn read_config(text: &str) -> Result<ReadConfig, TasksConfigError> {
    with_object(text, |object| decode(text, object))?
}

/// Passes the object of a config, with its positions in the text, to a function.
pub(crate) fn with_object<T>(
    text: &str,
    listing: impl FnOnce(&Object<'_>) -> T,
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
        Some(Value::Object(object)) => Ok(listing(&object)),
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
        has_counter |= name == LAST_ID_NUMBER;
    }
    Ok(ReadConfig { config, has_counter })
}

/// The text after a key got a value, which is given as JSON.
pub(crate) fn with_value(text: &str, key: &str, value: &str) -> Result<String, TasksConfigError> {
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

/// Writes every key, so that the file shows all settings.
pub(crate) fn render_config(config: &TasksConfig) -> String {
    let json = serde_json::to_string_pretty(config).expect("numbers and texts are JSON");
    format!("{json}\n")
}

/// Settles a merge conflict in `config.json`: if its sides differ only in the highest assigned
/// number, returns the text with the higher one. `None` if there is no conflict, or one that the
/// user has to settle.
pub fn merged(text: &str) -> Option<String> {
    let (ours, theirs) = sides(text)?;
    let number = |side: &str| read_config(side).ok().map(|read| read.config.last_id_number);
    let highest = number(&ours)?.max(number(&theirs)?).to_string();
    let with_highest = |side: &str| with_value(side, LAST_ID_NUMBER, &highest).ok();
    let merged = with_highest(&ours)?;
    (with_highest(&theirs)? == merged).then_some(merged)
}
