//! The JSON Schema of a line.

use forkhestra_core::event::EventKind;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::{Value, json};

use super::version::Version;

const DESCRIPTION: &str = "A line of a run's journal, of `forkhestra events` and of `--output json`. \
    A newer minor version of the format may have events and members that are not known here: both are \
    valid, and readers skip them.";

/// The JSON Schema of one line: the known events, and any other.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.with_transform(RecursiveTransform(remove_null)).into_generator();
    let known = EventKind::schemas(&mut generator);
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let mut branches: Vec<Value> = known.iter().map(|(name, event)| branch(name, event)).collect();
    branches.push(json!({
        "title": "an event of a newer version",
        "properties": { "event": { "not": { "enum": names } } },
    }));
    json!({
        "$schema": generator.settings().meta_schema.as_deref(),
        "title": format!("What happens in a run, format {}", Version::CURRENT),
        "description": DESCRIPTION,
        "type": "object",
        "properties": {
            "seq": {
                "description": "The number of the line, from zero.",
                "type": "integer",
                "minimum": 0,
            },
            "at": {
                "description": "When it happened, UTC.",
                "type": "string",
                "format": "date-time",
            },
            "elapsedMs": {
                "description": "How long the run had been running, awake and not paused.",
                "type": "integer",
                "minimum": 0,
            },
            "event": { "description": "What happened.", "type": "string" },
            "lane": {
                "description": "The lane that it belongs to; left out for the run itself and for work in the user's work tree. Since 4.0.",
                "type": "integer",
                "minimum": 1,
                "maximum": 255,
            },
            "format": {
                "description": "The version of the format, in `run_started` and `run_resumed`.",
                "type": "string",
                "pattern": "^[0-9]+\\.[0-9]+$",
            },
            "hash": {
                "description": "A hash of this line and of the one before it, since version 2.2. It is the last member.",
                "type": "string",
                "pattern": "^[0-9a-f]{32}$",
            },
        },
        "required": ["seq", "at", "elapsedMs", "event"],
        "oneOf": branches,
        "$defs": generator.take_definitions(true),
    })
}

/// Removes `null` from types: members that do not apply are omitted.
fn remove_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = &types[..] {
            let one = one.clone();
            schema.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("anyOf") {
        kinds.retain(|kind| kind["type"] != "null");
        if let [Value::Object(one)] = &kinds[..] {
            let one = one.clone();
            schema.remove("anyOf");
            schema.ensure_object().extend(one);
        }
    }
}

/// The schema of a line with a known event.
fn branch(name: &str, event: &Schema) -> Value {
    let mut branch = json!({
        "title": name,
        "properties": { "event": { "const": name } },
        "allOf": [event],
    });
    if ["run_started", "run_resumed"].contains(&name) {
        branch["required"] = json!(["format"]);
    }
    branch
}
