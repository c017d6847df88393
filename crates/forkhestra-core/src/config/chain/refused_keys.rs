//! Errors about keys of chains that an entry cannot have.

use crate::config::decode::decoder::{Decoder, ObjectKeys};

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
