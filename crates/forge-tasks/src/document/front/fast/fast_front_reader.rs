//! The reader for the usual form of front matter.

use std::borrow::Cow;

use memchr::memchr;

use super::is_plain::is_tame;
use super::{flow_list, scalar};
use crate::document::front::FrontKey;
use crate::document::front::raw_value::{RawFront, RawValue};

/// Reads front matter of the usual form; `None` for other forms.
pub(in crate::document::front) fn read(yaml: &str) -> Option<RawFront<'_>> {
    if !is_tame(yaml) {
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
const MOST_UNKNOWN: usize = 8;

#[derive(Default)]
struct FastFrontReader<'a> {
    draft: RawFront<'a>,
    /// A bit for each key that is there.
    seen: u16,
    unknown: [&'a str; MOST_UNKNOWN],
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
        if let RawValue::Text(text) = scalar::read(text)? {
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
        let given =
            if text.starts_with('[') { flow_list::read(text)? } else { scalar::read(text)? };
        if let Some(key) = key {
            self.draft.set(key, given);
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
