//! Backslashes that keep the lines of a text from having a meaning for the lines around it.
//!
//! A line that opens or ends something gets a backslash: `\## Heading`. A line that already has
//! some gets one more, so that reading, which removes one, returns the original. The same holds for
//! the end of a comment, `--\>`, but that is only escaped where a comment before the text is open.
//!
//! Lines in fences and comments that the text closes itself are not changed in either direction.

use std::borrow::Cow;

use crate::document::body::body_lines::{self, BodyLineForm, BodyLines, Kind};

/// How much of a text gets a backslash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeStrength {
    /// Lines that would end the text, or open something that the text does not close.
    Needed,
    /// Everything that opens or closes something.
    Everything,
}

/// Escapes a text, whose lines end in line feeds.
pub(super) fn escape(text: &str, strength: EscapeStrength) -> String {
    let lines = BodyLines::of(text);
    let mut escaped = String::with_capacity(text.len() + 8);
    for at in 0..lines.len() {
        let line = lines.content(at);
        match (strength, lines.kind(at)) {
            (EscapeStrength::Needed, Kind::Opener | Kind::Inside) => escaped.push_str(line),
            (EscapeStrength::Needed, _) => escaped.push_str(&guarded(line, 1)),
            (EscapeStrength::Everything, _) => escaped.push_str(&guarded(line, 0)),
        }
        if lines.is_terminated(at) {
            escaped.push('\n');
        }
    }
    escaped
}

/// Reads a line in its context.
pub(super) fn read_line<'a>(lines: &BodyLines<'a>, at: usize) -> Cow<'a, str> {
    let line = lines.content(at);
    if lines.kind(at) == Kind::Text { unguarded(line) } else { Cow::Borrowed(line) }
}

/// Adds a backslash to a line with a meaning, and to ends of comments that have at least `least`.
fn guarded(line: &str, least: usize) -> Cow<'_, str> {
    let line = match special(line) {
        Some((at, _)) => Cow::Owned(format!("{}\\{}", &line[..at], &line[at..])),
        None => Cow::Borrowed(line),
    };
    match with_arrows(&line, least, CommentArrow::Guard) {
        Some(guarded) => Cow::Owned(guarded),
        None => line,
    }
}

/// Reverts [`guarded`].
fn unguarded(line: &str) -> Cow<'_, str> {
    let line = match special(line) {
        Some((at, 1..)) => Cow::Owned(format!("{}{}", &line[..at], &line[at + 1..])),
        _ => Cow::Borrowed(line),
    };
    match with_arrows(&line, 1, CommentArrow::Unguard) {
        Some(unguarded) => Cow::Owned(unguarded),
        None => line,
    }
}

/// Where something that has a meaning begins, and how many backslashes it has in front.
fn special(line: &str) -> Option<(usize, usize)> {
    let rest = line.trim_start_matches(' ');
    let at = line.len() - rest.len();
    let bare = rest.trim_start_matches('\\');
    (at <= 3 && body_lines::start(bare) != BodyLineForm::Other)
        .then_some((at, rest.len() - bare.len()))
}

#[derive(Clone, Copy)]
enum CommentArrow {
    Guard,
    Unguard,
}

/// Changes the number of backslashes in each `--\>` that has at least `least`; `None` if nothing
/// changes.
fn with_arrows(line: &str, least: usize, change: CommentArrow) -> Option<String> {
    let mut changed = String::new();
    let mut done = 0;
    for (at, _) in line.match_indices('>') {
        let stem = line[..at].trim_end_matches('\\');
        if !stem.ends_with("--") || at - stem.len() < least {
            continue;
        }
        match change {
            CommentArrow::Guard => {
                changed.push_str(&line[done..at]);
                changed.push('\\');
            }
            CommentArrow::Unguard => changed.push_str(&line[done..at - 1]),
        }
        done = at;
    }
    if done == 0 {
        return None;
    }
    changed.push_str(&line[done..]);
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_text_or_is_never_closed_gets_a_backslash() {
        for (text, escaped) in [
            ("## a", "\\## a"),
            ("  ##", "  \\##"),
            ("### a", "### a"),
            ("    ## a", "    ## a"),
            ("<!-- AC:END -->", "\\<!-- AC:END -->"),
            ("```\na", "\\```\na"),
            ("```\na\n```", "```\na\n```"),
            ("```\n## a\n```\n## b", "```\n## a\n```\n\\## b"),
            ("~~~\n```", "\\~~~\n\\```"),
            ("<!-- a -->", "<!-- a -->"),
            ("<!-- a", "\\<!-- a"),
            ("<!--\n## a\n--> b", "<!--\n## a\n--> b"),
            ("<!--\n<!-- AC:END -->", "\\<!--\n\\<!-- AC:END -->"),
            ("\\## a", "\\\\## a"),
            (" \\\\~~~", " \\\\\\~~~"),
            ("\\a", "\\a"),
            ("a --> b --\\> c", "a --> b --\\\\> c"),
            ("", ""),
            ("\n", "\n"),
        ] {
            assert_eq!(escape(text, EscapeStrength::Needed), escaped, "{text:?}");
        }
    }

    #[test]
    fn everything_that_opens_or_closes_gets_a_backslash_where_needed() {
        for (text, escaped) in [
            ("```\n## a\n```", "\\```\n\\## a\n\\```"),
            ("<!-- a -->", "\\<!-- a --\\>"),
            ("a ---> --> b", "a ---\\> --\\> b"),
            ("a -> b", "a -> b"),
        ] {
            assert_eq!(escape(text, EscapeStrength::Everything), escaped, "{text:?}");
        }
    }
}
