//! Errors about keys of chains that an entry cannot have.

use crate::config::decode::decoder::{Decoder, ObjectKeys};

/// Refuses lanes. `hint` says what the entry can have instead.
pub(crate) fn refuse_lanes(keys: &ObjectKeys<'_, '_>, hint: &str, decoder: &mut Decoder) {
    let Some(span) = keys.key_span("lanes") else { return };
    let message = format!("`{}` is not supported yet", decoder.path_to("lanes"));
    let error = decoder.error(span, message, "reserved for agents at the same time");
    error.hints.push(format!("leave it out: {hint}"));
}

/// Refuses the settings of a lane.
pub(crate) fn refuse_lane(keys: &ObjectKeys<'_, '_>, decoder: &mut Decoder) {
    let Some(span) = keys.key_span("lane") else { return };
    let message = format!("`{}` is not supported yet", decoder.path_to("lane"));
    let error = decoder.error(span, message, "reserved for the settings of lanes");
    error.hints.push("leave it out: agents run in the working directory".to_owned());
}

/// Refuses a key of another kind of entry, unless the other kind is refused itself.
pub(crate) fn refuse_key_of_another_kind(
    keys: &ObjectKeys<'_, '_>,
    key: &str,
    kind: &str,
    hint: &str,
    decoder: &mut Decoder,
) {
    let Some(span) = keys.key_span(key).filter(|_| !keys.has(kind)) else { return };
    let message = format!("`{}` needs `{kind}`", decoder.path_to(key));
    let error = decoder.error(span, message, format!("not for an entry without `{kind}`"));
    error.hints.push(hint.to_owned());
}
