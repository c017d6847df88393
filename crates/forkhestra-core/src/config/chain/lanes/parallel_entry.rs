//! The config entry of parallel stages.

use jsonc_parser::ast::Value;
use schemars::{Schema, json_schema};
use serde_json::json;

use super::lane_entry::LaneEntry;
use crate::config::chain::alternative_entries::AlternativeEntries;
use crate::config::chain::refused_keys::refuse_key_of_another_kind;
use crate::config::chain::stage_entries::StageEntries;
use crate::config::decode::decoder::{Decoder, ObjectKeys, span_of};
use crate::config::decode::record::record;
use crate::diagnostic::source::Spanned;

record! {
    /// Stages that run at the same time, each in lanes of its own.
    pub struct ParallelEntry is "parallel stages", validated by validate,
        constrained by constraints, reporting REPORTED_BY_VALIDATION {
        /// The branches, at least two: each is an array of entries, or a chain in one line.
        "parallel" => parallel: Spanned<Vec<Spanned<StageEntries>>>,
        /// What the lanes of the branches are made with.
        "lane" => lane: Option<Spanned<LaneEntry>>,
        /// What runs instead if a branch is not complete: an entry, or an array of entries.
        "else" => alternative: Option<Spanned<AlternativeEntries>>,
    }
}

impl ParallelEntry {
    /// Parallel stages with the settings that a chain in one line has.
    pub(crate) const fn of(parallel: Spanned<Vec<Spanned<StageEntries>>>) -> Self {
        Self { parallel, lane: None, alternative: None }
    }
}

/// Keys that validation reports, so that they are not reported as unknown.
const REPORTED_BY_VALIDATION: [&str; 12] = [
    "agent",
    "ask",
    "group",
    "iterations",
    "rounds",
    "lanes",
    "best",
    "pick",
    "checks",
    "cleanRoom",
    "limits",
    "if",
];

/// The keys of steps and groups whose loss would change what runs, with a hint.
const REFUSED_KEYS: [(&str, &str); 7] = [
    ("lanes", "give `lanes` to an agent of a branch"),
    ("best", "give `best` to an agent of a branch"),
    ("pick", "give `best` and `pick` to an agent of a branch"),
    ("checks", "give the checks to the agents of the branches"),
    ("cleanRoom", "give the clean room to the agents of the branches"),
    ("limits", "put the parallel stages into a group with `limits`"),
    ("if", "put the parallel stages into a group with `if`"),
];

fn validate(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    for (key, hint) in REFUSED_KEYS {
        let Some(span) = keys.key_span(key) else { continue };
        let message = format!("`{}`: parallel stages have no `{key}`", decoder.path_to(key));
        decoder.error(span, message, "not for parallel stages").hints.push(hint.to_owned());
    }
    let repeat = "to repeat parallel stages, put them and a last entry into a group with `rounds`";
    for (key, kind) in [("iterations", "agent"), ("rounds", "group")] {
        refuse_key_of_another_kind(keys, key, kind, repeat, decoder);
    }
    let Some(Value::Array(branches)) = keys.value("parallel") else { return };
    if branches.elements.len() < 2 {
        let message = format!("`{}` needs at least two branches", decoder.path_to("parallel"));
        let error = decoder.error(span_of(branches), message, "each is an array of entries");
        error.hints.push("as in [[{ \"agent\": \"a\" }], [{ \"agent\": \"b\" }]]".to_owned());
    }
    let is_empty = |value: &Value<'_>| value.as_array().is_some_and(|of| of.elements.is_empty());
    decoder.at_key("parallel", |decoder| {
        for (index, branch) in branches.elements.iter().enumerate() {
            if is_empty(branch) {
                let report = |decoder: &mut Decoder| {
                    let message = format!("`{}` has no entry", decoder.here());
                    decoder.error(span_of(branch), message, "expected an entry");
                };
                decoder.at_index(index, report);
            }
        }
    });
}

/// The same rules for the schema.
fn constraints() -> Schema {
    let parallel = json!({ "minItems": 2, "items": { "minItems": 1 } });
    json_schema!({ "allOf": [{ "properties": { "parallel": parallel } }] })
}
