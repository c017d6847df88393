//! Scalars on one line.

use std::borrow::Cow;

use memchr::memchr2;

use crate::document::front::raw_value::{RawValue, ScalarQuoting};

/// Reads a scalar and the comment after it. The text has no blanks around it.
pub(super) fn read(text: &str) -> Option<RawValue<'_>> {
    let (scalar, bareness) = match text.as_bytes().first()? {
        b'"' | b'\'' => {
            let (inner, rest) = quoted(text)?;
            (ends_here(rest).then_some(inner)?, ScalarQuoting::Quoted)
        }
        _ => (plain(text)?, ScalarQuoting::Bare),
    };
    Some(RawValue::scalar(Cow::Borrowed(scalar), bareness))
}

/// The text between quotes, and the text after them. Escapes and doubled quotes are not supported.
pub(super) fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = *text.as_bytes().first()?;
    let inner = &text[1..];
    let end = memchr2(quote, b'\\', inner.as_bytes())?;
    (inner.as_bytes()[end] == quote).then_some((&inner[..end], &inner[end + 1..]))
}

/// Whether nothing but a comment follows.
pub(super) fn ends_here(rest: &str) -> bool {
    rest.is_empty() || (rest.starts_with(' ') && rest.trim_start_matches(' ').starts_with('#'))
}

/// Whether a plain scalar can begin with these bytes without being anything else.
pub(super) fn begins_plainly(bytes: &[u8]) -> bool {
    match bytes {
        [b'-', next, ..] => next.is_ascii_alphanumeric(),
        [b'_' | b'/' | b'.' | b'+' | b'(' | b'$' | b'^' | b';' | b'<' | b'=', ..] => true,
        [first, ..] => first.is_ascii_alphanumeric() || !first.is_ascii(),
        [] => false,
    }
}

fn plain(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if bytes == b"~" {
        return Some(text);
    }
    if !begins_plainly(bytes) {
        return None;
    }
    let mut from = 0;
    while let Some(found) = memchr2(b':', b'#', &bytes[from..]) {
        let at = from + found;
        if bytes[at] == b'#' && bytes[at - 1] == b' ' {
            return Some(text[..at].trim_end_matches(' '));
        }
        if bytes[at] == b':' && matches!(bytes.get(at + 1), None | Some(b' ')) {
            return None;
        }
        from = at + 1;
    }
    Some(text)
}
