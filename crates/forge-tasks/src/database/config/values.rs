//! Validates the values in `config.json`.

use jsonc_parser::ast::Value;

use super::{HIGHEST_NUMBER, TasksConfig, key};
use crate::{IdPrefix, Priority};

pub(in crate::database) const MOST_PADDING: usize = 9;

/// Stores a value. Unknown keys are ignored.
pub(super) fn take(config: &mut TasksConfig, name: &str, value: &Value<'_>) -> Result<(), String> {
    match name {
        key::PREFIX => config.prefix = prefix(value)?,
        key::ZERO_PADDING => config.zero_padding = padding(value)?,
        key::PROJECT_NAME => {
            config.project_name = Some(text(value)?).filter(|name| !name.is_empty());
        }
        key::DEFAULT_PRIORITY => config.default_priority = priority(value)?,
        key::DEFAULT_LABELS => config.default_labels = labels(value)?,
        key::LAST_ID_NUMBER => config.last_id_number = last_number(value)?,
        _ => {}
    }
    Ok(())
}

fn text(value: &Value<'_>) -> Result<String, String> {
    let literal = value.as_string_lit().ok_or("must be a text in double quotes")?;
    Ok(literal.value.clone().into_owned())
}

fn prefix(value: &Value<'_>) -> Result<IdPrefix, String> {
    IdPrefix::parse(&text(value)?).map_err(|error| format!("is wrong: {error}"))
}

fn priority(value: &Value<'_>) -> Result<Option<Priority>, String> {
    let text = text(value)?;
    if text.is_empty() {
        return Ok(None);
    }
    Priority::parse(&text).map(Some).map_err(|error| format!("is wrong: {error}"))
}

fn labels(value: &Value<'_>) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or("must be a list of texts")?;
    let labels = list.elements.iter().map(text).collect::<Result<_, _>>();
    labels.map_err(|_| "must be a list of texts".to_owned())
}

fn padding(value: &Value<'_>) -> Result<usize, String> {
    let number = whole_number(value).and_then(|number| usize::try_from(number).ok());
    number
        .filter(|number| *number <= MOST_PADDING)
        .ok_or_else(|| format!("must be a whole number from 0 to {MOST_PADDING}"))
}

fn last_number(value: &Value<'_>) -> Result<u64, String> {
    whole_number(value)
        .filter(|number| *number <= HIGHEST_NUMBER)
        .ok_or_else(|| format!("must be a whole number from 0 to {HIGHEST_NUMBER}"))
}

fn whole_number(value: &Value<'_>) -> Option<u64> {
    let digits = value.as_number_lit()?.value;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}
