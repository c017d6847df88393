//! The names of task files: `TASK-001 - Title.md`.

use unicode_width::UnicodeWidthChar;

use crate::TaskId;

/// Shorter than the limit of file systems, so that other programs can add to it.
const MAX_NEW_NAME: usize = 200;
/// The limit of file systems.
pub(crate) const FILE_SYSTEM_MAX: usize = 255;

pub(crate) const EXTENSION: &str = ".md";
const BETWEEN: &str = " - ";
const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// The name of a new file. It is one component of a path on any file system.
pub(crate) fn file_name(id: &TaskId, title: &str) -> String {
    let title = cleaned(title);
    let room = MAX_NEW_NAME.saturating_sub(id.as_str().len() + BETWEEN.len() + EXTENSION.len());
    match trimmed(shortened(&title, room)) {
        "" => format!("{id}{EXTENSION}"),
        title => format!("{id}{BETWEEN}{title}{EXTENSION}"),
    }
}

/// The id that the name of a file begins with.
pub(crate) fn id_of(name: &str) -> Option<TaskId> {
    let is_of_id = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let end = name.find(|c| !is_of_id(c)).unwrap_or(name.len());
    let (id, rest) = name.split_at(end);
    rest.starts_with([' ', '.']).then(|| TaskId::parse(id).ok()).flatten()
}

/// Whether a name that starts with an id has our usual form: with a title, or nothing else.
pub(crate) fn is_usual(name: &str) -> bool {
    let behind_id = name.find([' ', '.']).map(|end| &name[end..]);
    behind_id.is_some_and(|rest| rest.starts_with(BETWEEN) || rest.eq_ignore_ascii_case(EXTENSION))
}

/// Whether the name of a file begins with an id.
pub fn is_named_after(file: &str, id: &TaskId) -> bool {
    id_of(file).is_some_and(|named| named == *id)
}

/// Another name for a file whose own is taken: `TASK-001 - Title (2).md`.
pub(crate) fn numbered(name: &str, number: u32) -> String {
    let end = name.len().saturating_sub(EXTENSION.len());
    let stem = match name.split_at_checked(end) {
        Some((stem, extension)) if extension.eq_ignore_ascii_case(EXTENSION) => stem,
        _ => name,
    };
    let end = format!(" ({number}){EXTENSION}");
    let room = FILE_SYSTEM_MAX - end.len();
    format!("{}{end}", &stem[..stem.floor_char_boundary(room)])
}

/// Removes characters that some file system refuses or that are misleading. White space becomes a
/// blank.
fn cleaned(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_whitespace() || !is_unwanted(*c));
    let kept: String = kept.collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_unwanted(c: char) -> bool {
    let is_special = "<>:\"/\\|?*".contains(c);
    let turns_text_around = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    let is_invisible = c.is_control() || c == '\u{feff}';
    is_special || turns_text_around || is_invisible
}

/// Strict file systems drop blanks and dots at the end.
fn trimmed(title: &str) -> &str {
    title.trim_end_matches([' ', '.'])
}

/// Cuts a text to a number of bytes, without splitting a grapheme.
fn shortened(text: &str, room: usize) -> &str {
    let mut end = text.floor_char_boundary(room);
    while let (Some(last), Some(next)) =
        (text[..end].chars().next_back(), text[end..].chars().next())
    {
        let belongs_together = next.width() == Some(0) || last == ZERO_WIDTH_JOINER;
        if !belongs_together {
            break;
        }
        end -= last.len_utf8();
    }
    &text[..end]
}
