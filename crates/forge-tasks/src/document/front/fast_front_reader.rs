//! The fast reader, for the form that nearly all files have.
//!
//! It knows a small part of YAML: a key on each line, with plain or quoted scalars and lists of
//! them that are unambiguous. Otherwise it returns none, and the general reader takes over. Where
//! it returns a result, that equals the result of the general reader.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use crate::document::front::FrontKey;
use crate::document::front::front_value::{RawFront, RawValue, ScalarQuoting};

/// Reads front matter of the usual form; `None` for other forms.
pub(crate) fn read(yaml: &str) -> Option<RawFront<'_>> {
    if !is_plain_text(yaml) {
        return None;
    }
    let mut reader = FastFrontReader::default();
    let mut rest = yaml;
    while !rest.is_empty() {
        let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = &rest[..end];
        reader.line(line.strip_suffix('\r').unwrap_or(line))?;
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    reader.close_list();
    Some(reader.draft)
}

/// More unknown keys than this are unusual.
const MAX_UNKNOWN: usize = 8;

#[derive(Default)]
struct FastFrontReader<'a> {
    draft: RawFront<'a>,
    /// A bit for each key that is there.
    seen: u16,
    unknown: [&'a str; MAX_UNKNOWN],
    unknown_count: usize,
    list: Option<BlockList<'a>>,
}

/// The list below a key without a value on its line.
struct BlockList<'a> {
    key: Option<FrontKey>,
    /// How far the items are from the left, once there is one.
    indent: Option<usize>,
    items: Vec<Cow<'a, str>>,
}

impl<'a> FastFrontReader<'a> {
    fn line(&mut self, line: &'a str) -> Option<()> {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        if content.is_empty() || content.starts_with('#') {
            return Some(());
        }
        if let Some(item) = content.strip_prefix("- ") {
            return self.item(indent, item.trim_matches(' '));
        }
        if indent == 0 { self.entry(line) } else { None }
    }

    fn item(&mut self, indent: usize, text: &'a str) -> Option<()> {
        let list = self.list.as_mut()?;
        if *list.indent.get_or_insert(indent) != indent {
            return None;
        }
        if let RawValue::Text(text) = read_scalar(text)? {
            list.items.push(text);
        }
        Some(())
    }

    fn entry(&mut self, line: &'a str) -> Option<()> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let length = line.bytes().position(|byte| !is_letter(byte))?;
        let name = &line[..length];
        let rest = line[length..].strip_prefix(':')?;
        if name.is_empty() || name.starts_with('-') || !(rest.is_empty() || rest.starts_with(' ')) {
            return None;
        }
        self.close_list();
        let key = self.new_key(name)?;
        let text = rest.trim_matches(' ');
        if text.is_empty() || text.starts_with('#') {
            self.list = Some(BlockList { key, indent: None, items: Vec::new() });
            return Some(());
        }
        let value = if text.starts_with('[') { read_list(text)? } else { read_scalar(text)? };
        if let Some(key) = key {
            self.draft.set(key, value);
        }
        Some(())
    }

    /// The known key of a name, if any; fails if the key occurs twice, under any of its names.
    fn new_key(&mut self, name: &'a str) -> Option<Option<FrontKey>> {
        if let Some((key, _)) = FrontKey::named(name) {
            let bit = 1 << key as u16;
            let is_new = self.seen & bit == 0;
            self.seen |= bit;
            return is_new.then_some(Some(key));
        }
        if self.unknown[..self.unknown_count].contains(&name) {
            return None;
        }
        *self.unknown.get_mut(self.unknown_count)? = name;
        self.unknown_count += 1;
        Some(None)
    }

    fn close_list(&mut self) {
        if let Some(BlockList { key: Some(key), indent: Some(_), items }) = self.list.take() {
            self.draft.set(key, RawValue::List(items));
        }
    }
}

/// Reads a list of scalars in brackets and the comment after it.
pub(crate) fn read_list(text: &str) -> Option<RawValue<'_>> {
    let mut items = Vec::new();
    let mut rest = text.strip_prefix('[')?.trim_start_matches(' ');
    loop {
        if let Some(behind) = rest.strip_prefix(']') {
            return ends_here(behind).then_some(RawValue::List(items));
        }
        let (item, behind) = list_item(rest)?;
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

fn list_item(text: &str) -> Option<(RawValue<'_>, &str)> {
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

/// Reads a scalar and the comment after it. The text has no blanks around it.
pub(crate) fn read_scalar(text: &str) -> Option<RawValue<'_>> {
    let (scalar, quoting) = match text.as_bytes().first()? {
        b'"' | b'\'' => {
            let (inner, rest) = quoted(text)?;
            (ends_here(rest).then_some(inner)?, ScalarQuoting::Quoted)
        }
        _ => (plain(text)?, ScalarQuoting::Bare),
    };
    Some(RawValue::scalar(Cow::Borrowed(scalar), quoting))
}

/// The text between quotes, and the text after them. Escapes and doubled quotes are not supported.
pub(crate) fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = *text.as_bytes().first()?;
    let inner = &text[1..];
    let end = memchr2(quote, b'\\', inner.as_bytes())?;
    (inner.as_bytes()[end] == quote).then_some((&inner[..end], &inner[end + 1..]))
}

/// Whether nothing but a comment follows.
pub(crate) fn ends_here(rest: &str) -> bool {
    rest.is_empty() || (rest.starts_with(' ') && rest.trim_start_matches(' ').starts_with('#'))
}

/// Whether a plain scalar can begin with these bytes without being anything else.
pub(crate) fn begins_plainly(bytes: &[u8]) -> bool {
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

/// Whether the text has no control characters but line breaks, nor other invisible characters for
/// which YAML has rules.
pub(crate) fn is_plain_text(text: &str) -> bool {
    let mut has_control = false;
    let mut has_return = false;
    let mut has_others = false;
    // Without an early exit, so that the compiler can vectorise the loop.
    for byte in text.bytes() {
        has_control |= (byte < b' ' && byte != b'\n' && byte != b'\r') || byte == 0x7f;
        has_return |= byte == b'\r';
        has_others |= byte >= 0x80;
    }
    !has_control
        && (!has_return || returns_are_before_newlines(text))
        && (!has_others || !text.contains(is_special))
}

fn returns_are_before_newlines(text: &str) -> bool {
    memchr::memchr_iter(b'\r', text.as_bytes())
        .all(|at| text.as_bytes().get(at + 1) == Some(&b'\n'))
}

fn is_special(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_form_is_read() {
        for yaml in [
            "",
            "id: TASK-001\ntitle: Do it\nstatus: To Do\n",
            "id: TASK-001\r\ntitle: \"Do: it\" # now\r\nlabels: [a, \"b c\", 'd', area:ui]\r\n",
            "# first\n\nlabels:\n  - a\n  # more\n\n  - 'b' # two\ndependencies:\n- TASK-1\n",
            "createdAt: \"2026-01-01T00:00:00.000Z\"\ndueDate: 2026-12-31\nx-y_z: [ ]\n",
            "title: Über C# & it's (50%) {x}, [y]\nassignee:\nparent: ~",
        ] {
            assert!(read(yaml).is_some(), "{yaml:?}");
        }
    }

    #[test]
    fn anything_unusual_is_left_to_the_general_reader() {
        for yaml in [
            "title: a\n  b\n",
            "title: >-\n  a\n",
            "title: \"a\\n\"\n",
            "title: 'it''s'\n",
            "title: a: b\n",
            "title: &a b\n",
            "title: *a\n",
            "title: !!str a\n",
            "title: {a: b}\n",
            "title: [a, [b]]\n",
            "title: [a\n]\n",
            "title: \"a\" b\n",
            "title: \"a\"#b\n",
            "title: - a\n",
            "title: a\tb\n",
            "title: a\rb\n",
            "title: a\ntitle: b\n",
            "x: a\nx: b\n",
            "created_at: a\ncreatedAt: b\n",
            "\"title\": a\n",
            "title : a\n",
            "title:a\n",
            "labels:\n  - a\n   - b\n",
            "labels:\n  - a: b\n",
            "labels:\n  - - a\n",
            "labels:\n  -\n",
            "title: a\n- b\n",
            "...\n",
            "--- a\n",
            "title: \u{feff}a\n",
            "title: a\u{0}\n",
        ] {
            assert_eq!(read(yaml), None, "{yaml:?}");
        }
    }
}

#[cfg(test)]
mod is_plain_tests {
    use super::*;

    #[test]
    fn control_characters_and_separators_are_no_plain_text() {
        assert!(is_plain_text("a\r\nä\u{1f389}\u{a0}\n"));
        for text in ["\t", "\0", "\r", "a\rb\n", "\u{7f}", "\u{85}", "\u{2028}", "\u{feff}"] {
            assert!(!is_plain_text(text), "{text:?}");
        }
    }
}
