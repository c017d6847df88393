//! Errors about keys of chains that an entry cannot have.

use crate::config::decode::decoder::{Decoder, ObjectKeys};

/// Refuses the lanes of an entry, which share the iterations or rounds that `of` counts.
pub(crate) fn refuse_lanes(keys: &ObjectKeys<'_, '_>, of: &str, decoder: &mut Decoder) {
    let Some(span) = keys.key_span("lanes") else { return };
    let path = decoder.path_to("lanes");
    if keys.has(of) {
        let error = decoder.error(
            span,
            format!("`{path}` is not supported yet"),
            format!("reserved for {of} at the same time"),
        );
        error.hints.push(format!("leave it out: the {of} run one after another"));
    } else {
        let message = format!("`{path}` needs `{of}`");
        let error = decoder.error(span, message, format!("lanes share the {of}"));
        error.hints.push(format!("add `{of}`"));
    }
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
