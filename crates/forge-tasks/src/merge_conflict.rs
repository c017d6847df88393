//! Conflicts that git leaves in a text.

const OURS: &str = "<<<<<<<";
const BASE: &str = "|||||||";
const BETWEEN: &str = "=======";
const THEIRS: &str = ">>>>>>>";

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MergedPart<'a> {
    /// Lines outside of conflicts.
    Common(&'a str),
    /// A conflict.
    Conflict(MergeConflict<'a>),
}

/// A conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MergeConflict<'a> {
    /// The line of its first marker, from 1.
    pub(crate) line: usize,
    /// All of it, with its markers.
    pub(crate) whole: &'a str,
    /// The lines of our side.
    pub(crate) ours: &'a str,
    /// The lines of their side.
    pub(crate) theirs: &'a str,
}

/// A conflict whose end is not reached yet. All numbers are byte offsets but the line.
struct OpenConflict {
    start: usize,
    line: usize,
    ours: usize,
    ours_end: Option<usize>,
    theirs: Option<usize>,
}

/// Whether a line begins or divides a conflict, or ends it.
pub(crate) fn is_marker(line: &str) -> bool {
    [OURS, BASE, BETWEEN, THEIRS].iter().any(|marker| line.starts_with(marker))
}

/// Whether a text seems to contain a conflict.
pub(crate) fn is_in(text: &str) -> bool {
    let has = |marker| text.lines().any(|line| line.starts_with(marker));
    has(OURS) && has(THEIRS)
}

/// Splits a text at its conflicts. None if a conflict does not end or contains another one.
pub(crate) fn parts(text: &str) -> Option<Vec<MergedPart<'_>>> {
    let mut parts = Vec::new();
    let mut open: Option<OpenConflict> = None;
    let (mut common, mut end) = (0, 0);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let begin = end;
        end += line.len();
        match &mut open {
            None if line.starts_with(OURS) => {
                if common < begin {
                    parts.push(MergedPart::Common(&text[common..begin]));
                }
                let line = index + 1;
                let (ours_end, theirs) = (None, None);
                open = Some(OpenConflict { start: begin, line, ours: end, ours_end, theirs });
            }
            None => {}
            Some(_) if line.starts_with(OURS) => return None,
            Some(conflict) if line.starts_with(BASE) => {
                conflict.ours_end.get_or_insert(begin);
            }
            Some(conflict) if line.starts_with(BETWEEN) && conflict.theirs.is_none() => {
                conflict.ours_end.get_or_insert(begin);
                conflict.theirs = Some(end);
            }
            Some(conflict) if line.starts_with(THEIRS) => {
                parts.push(MergedPart::Conflict(MergeConflict {
                    line: conflict.line,
                    whole: &text[conflict.start..end],
                    ours: &text[conflict.ours..conflict.ours_end?],
                    theirs: &text[conflict.theirs?..begin],
                }));
                common = end;
                open = None;
            }
            Some(_) => {}
        }
    }
    if open.is_some() {
        return None;
    }
    if common < text.len() {
        parts.push(MergedPart::Common(&text[common..]));
    }
    Some(parts)
}

/// The texts of both sides. `None` if there is no conflict, or one that cannot be parsed.
pub(crate) fn sides(text: &str) -> Option<(String, String)> {
    let parts = parts(text)?;
    if !parts.iter().any(|part| matches!(part, MergedPart::Conflict(_))) {
        return None;
    }
    let (mut ours, mut theirs) = (String::new(), String::new());
    for part in &parts {
        let (one, other) = match part {
            MergedPart::Common(text) => (*text, *text),
            MergedPart::Conflict(conflict) => (conflict.ours, conflict.theirs),
        };
        ours.push_str(one);
        theirs.push_str(other);
    }
    Some((ours, theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<<<<<<< HEAD\nb\n=======\nc\nd\n>>>>>>> theirs\ne\n";

    #[test]
    fn a_text_is_split_at_its_conflicts() {
        let whole = "<<<<<<< HEAD\nb\n=======\nc\nd\n>>>>>>> theirs\n";
        let conflict = MergeConflict { line: 2, whole, ours: "b\n", theirs: "c\nd\n" };
        let expected =
            [MergedPart::Common("a\n"), MergedPart::Conflict(conflict), MergedPart::Common("e\n")];
        assert_eq!(parts(TEXT).as_deref(), Some(&expected[..]));
        assert_eq!(sides(TEXT), Some(("a\nb\ne\n".to_owned(), "a\nc\nd\ne\n".to_owned())));
    }

    #[test]
    fn the_base_is_left_out() {
        let text = "<<<<<<< a\nb\n||||||| base\nx\n=======\nc\n>>>>>>> d\n";
        assert_eq!(sides(text), Some(("b\n".to_owned(), "c\n".to_owned())));
    }

    #[test]
    fn what_is_no_conflict_stays_text() {
        for text in ["", "a", "Title\n=======\n\nText\n", ">>>>>>> quoted\n"] {
            let expected: Vec<MergedPart<'_>> = Some(text)
                .filter(|text| !text.is_empty())
                .map(MergedPart::Common)
                .into_iter()
                .collect();
            assert_eq!(parts(text), Some(expected), "{text:?}");
            assert_eq!(sides(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_malformed_conflict_is_none() {
        for text in [
            "<<<<<<< a\nb\n",
            "<<<<<<< a\nb\n=======\nc\n",
            "<<<<<<< a\nb\n>>>>>>> c\n",
            "<<<<<<< a\n<<<<<<< b\n=======\nc\n>>>>>>> d\n",
        ] {
            assert_eq!(parts(text), None, "{text:?}");
        }
    }
}
