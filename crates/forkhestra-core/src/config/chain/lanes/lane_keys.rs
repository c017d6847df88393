//! Errors about the keys of lanes: `lanes`, `best`, `pick` and `lane`.

use schemars::{Schema, json_schema};

use crate::config::decode::decoder::{Decoder, ObjectKeys};

/// Checks the keys of a step.
pub(crate) fn validate_step(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    let iterations = "add `iterations`: as in \"iterations\": 20";
    needs(keys, ("lanes", "iterations"), ("lanes share iterations", iterations), decoder);
    needs(keys, ("best", "iterations"), ("each lane has all iterations", iterations), decoder);
    let best = "add `best`, the number of lanes: as in \"best\": 3";
    needs(keys, ("pick", "best"), ("it chooses a lane of best of N", best), decoder);
    if let (Some(best), Some(lanes)) = (keys.key_span("best"), keys.key_span("lanes")) {
        let message = format!("`{}` has both `lanes` and `best`", decoder.here());
        let error = decoder.error(best, message, "the same work in each lane");
        *error = error.clone().related(lanes, "lanes that share the work");
        error.hints.push("leave one of them out".to_owned());
    }
    let Some(lane) = keys.key_span("lane") else { return };
    if !keys.has("lanes") && !keys.has("best") {
        let message = format!("`{}` needs `lanes` or `best`", decoder.path_to("lane"));
        let error = decoder.error(lane, message, "this step has no lanes of its own");
        error.hints.push(
            "the lane of a group, of parallel stages or of the chain has its settings there"
                .to_owned(),
        );
    }
}

/// The same rules for the schema of a step.
pub(crate) fn constraints_of_step() -> Schema {
    json_schema!({
        "dependentRequired": { "lanes": ["iterations"], "best": ["iterations"], "pick": ["best"] },
        "dependentSchemas": {
            "lane": { "anyOf": [{ "required": ["lanes"] }, { "required": ["best"] }] },
            "lanes": { "not": { "required": ["best"] } },
        },
    })
}

/// Checks the keys of a group.
pub(crate) fn validate_group(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    let rounds = "add `rounds`: as in \"rounds\": 20";
    needs(keys, ("lanes", "rounds"), ("lanes share rounds", rounds), decoder);
    for key in ["best", "pick"] {
        let hint = "give it to an agent of the group";
        refuse(keys, key, ("a group has no best of N", hint), decoder);
    }
}

/// Refuses the keys for a question.
pub(crate) fn refuse_for_question(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    for key in ["lanes", "best", "pick", "lane"] {
        let hint = "leave it out: a question is asked once";
        refuse(keys, key, ("a question has no lanes", hint), decoder);
    }
}

fn refuse(keys: &ObjectKeys<'_, '_>, key: &str, (why, hint): (&str, &str), decoder: &mut Decoder) {
    let Some(span) = keys.key_span(key) else { return };
    let message = format!("`{}`: {why}", decoder.path_to(key));
    decoder.error(span, message, "not for this entry").hints.push(hint.to_owned());
}

fn needs(
    keys: &ObjectKeys<'_, '_>,
    (key, other): (&str, &str),
    (why, hint): (&str, &str),
    decoder: &mut Decoder,
) {
    let Some(span) = keys.key_span(key).filter(|_| !keys.has(other)) else { return };
    let message = format!("`{}` needs `{other}`", decoder.path_to(key));
    decoder.error(span, message, why).hints.push(hint.to_owned());
}
