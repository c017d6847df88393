//! Finding the front matter in a file.

use std::ops::Range;

use memchr::memchr;

use crate::document::front::BrokenTask;

/// The parts of a file: the text between the two lines of hyphens, and the text after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileParts {
    /// The lines between the two lines of hyphens.
    pub front: Range<usize>,
    /// The start of the line after the second one.
    pub body: usize,
}

/// How much of a file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilePortion {
    /// All of it.
    WholeFile,
    /// Its first bytes, and perhaps there are more.
    FirstBytes,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const FENCE: &[u8] = b"---";

/// Finds the parts of a file.
pub fn split(text: &str) -> Result<FileParts, BrokenTask> {
    let parts = locate(text.as_bytes(), FilePortion::WholeFile)?;
    Ok(parts.expect("a whole file leaves nothing open"))
}

/// Finds the parts of a file in its first bytes; `None` if more bytes are needed.
pub(super) fn locate(bytes: &[u8], portion: FilePortion) -> Result<Option<FileParts>, BrokenTask> {
    let Some(start) = front_start(bytes, portion)? else {
        return Ok(None);
    };
    let mut position = start;
    while position < bytes.len() {
        let rest = &bytes[position..];
        let newline = memchr(b'\n', rest);
        let line = &rest[..newline.unwrap_or(rest.len())];
        let next = position + newline.map_or(rest.len(), |newline| newline + 1);
        // Without its newline, the line may continue after the bytes.
        let is_whole = newline.is_some() || portion == FilePortion::WholeFile;
        if is_whole && is_fence(line) {
            return Ok(Some(FileParts { front: start..position, body: next }));
        }
        position = next;
    }
    match portion {
        FilePortion::WholeFile => Err(BrokenTask::Unclosed),
        FilePortion::FirstBytes => Ok(None),
    }
}

/// Whether a line, without its newline, is one of the two that enclose front matter.
pub(super) fn is_fence(line: &[u8]) -> bool {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    line.strip_prefix(FENCE).is_some_and(|rest| rest.iter().all(blank))
}

/// Where the second line begins, if the first one is a line of hyphens.
fn front_start(bytes: &[u8], portion: FilePortion) -> Result<Option<usize>, BrokenTask> {
    let mark = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let first = &bytes[mark..];
    match memchr(b'\n', first) {
        Some(newline) if is_fence(&first[..newline]) => Ok(Some(mark + newline + 1)),
        Some(_) => Err(BrokenTask::NoFrontMatter),
        None if portion == FilePortion::FirstBytes && may_become_fence(bytes, first) => Ok(None),
        None if portion == FilePortion::WholeFile && is_fence(first) => Err(BrokenTask::Unclosed),
        None => Err(BrokenTask::NoFrontMatter),
    }
}

fn may_become_fence(bytes: &[u8], first: &[u8]) -> bool {
    BYTE_ORDER_MARK.starts_with(bytes) || FENCE.starts_with(first) || is_fence(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Result<(&str, &str), BrokenTask> {
        split(text).map(|parts| (&text[parts.front], &text[parts.body..]))
    }

    #[test]
    fn the_parts_are_between_and_behind_the_lines_of_hyphens() {
        for (text, expected) in [
            ("---\nid: x\n---\nbody\n", ("id: x\n", "body\n")),
            ("\u{feff}---\r\nid: x\r\n---\r\nbody", ("id: x\r\n", "body")),
            ("--- \t\nid: x\n---  \n---\n", ("id: x\n", "---\n")),
            ("---\n---", ("", "")),
            ("---\na: |\n ---\n----\n--- x\n---\n", ("a: |\n ---\n----\n--- x\n", "")),
        ] {
            assert_eq!(parts(text), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn a_file_without_both_lines_is_refused() {
        for text in ["", "# Title\n", "\n---\nid: x\n---\n", " ---\n---\n", "----\n---\n", "--"] {
            assert_eq!(split(text), Err(BrokenTask::NoFrontMatter), "{text:?}");
        }
        for text in ["---", "---\n", "---\nid: x\n", "---\nid: x\n ---\n"] {
            assert_eq!(split(text), Err(BrokenTask::Unclosed), "{text:?}");
        }
    }

    #[test]
    fn the_first_bytes_give_the_parts_of_the_whole_file_or_none() {
        for text in
            ["\u{feff}--- \r\nid: x\n--- \r\nbo\u{e4}dy\n---\n", "---\na\n---", "--x\n---\n"]
        {
            let whole = locate(text.as_bytes(), FilePortion::WholeFile);
            let mut is_known = false;
            for end in 0..=text.len() {
                match locate(&text.as_bytes()[..end], FilePortion::FirstBytes) {
                    Ok(None) => assert!(!is_known, "{text:?} {end}"),
                    result => {
                        assert_eq!(result, whole, "{text:?} {end}");
                        is_known = true;
                    }
                }
            }
            assert_eq!(is_known, !text.ends_with("\n---"), "{text:?}");
        }
    }
}
