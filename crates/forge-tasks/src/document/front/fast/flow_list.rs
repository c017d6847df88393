//! Lists in brackets on one line.

use std::borrow::Cow;

use super::scalar::{begins_plainly, ends_here, quoted};
use crate::document::front::raw_value::{RawValue, ScalarQuoting};

/// Reads a list of scalars in brackets and the comment after it.
pub(super) fn read(text: &str) -> Option<RawValue<'_>> {
    let mut items = Vec::new();
    let mut rest = text.strip_prefix('[')?.trim_start_matches(' ');
    loop {
        if let Some(behind) = rest.strip_prefix(']') {
            return ends_here(behind).then_some(RawValue::List(items));
        }
        let (item, behind) = item(rest)?;
        if let RawValue::Text(text) = item {
            items.push(text);
        }
        rest = behind.trim_start_matches(' ');
        if let Some(behind) = rest.strip_prefix(',') {
            rest = behind.trim_start_matches(' ');
        } else if !rest.starts_with(']') {
            return None;
        }
    }
}

fn item(text: &str) -> Option<(RawValue<'_>, &str)> {
    if text.starts_with(['"', '\'']) {
        let (inner, rest) = quoted(text)?;
        return Some((RawValue::scalar(Cow::Borrowed(inner), ScalarQuoting::Quoted), rest));
    }
    if !begins_plainly(text.as_bytes()) {
        return None;
    }
    let end = text.find([',', ']'])?;
    let plain = text[..end].trim_end_matches(' ');
    if !is_plain_everywhere(plain) {
        return None;
    }
    Some((RawValue::scalar(Cow::Borrowed(plain), ScalarQuoting::Bare), &text[end..]))
}

/// In brackets, more characters have a meaning.
fn is_plain_everywhere(text: &str) -> bool {
    let is_plain = |byte: &u8| {
        byte.is_ascii_alphanumeric() || !byte.is_ascii() || b" _-./+#@()".contains(byte)
    };
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(at, byte)| match byte {
        b'#' => bytes[at - 1] != b' ',
        b':' => bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
        _ => is_plain(byte),
    })
}
