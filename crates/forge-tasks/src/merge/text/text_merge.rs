//! Merging lines three ways.

use super::line_matches::matches;

/// The marker in front of our lines.
pub(crate) const OURS: &str = "<<<<<<< ours";
/// The marker between both sides.
pub(crate) const BETWEEN: &str = "=======";
/// The marker after their lines.
pub(crate) const THEIRS: &str = ">>>>>>> theirs";

/// A merged text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextMerge {
    /// The text, with both sides of each conflict between markers.
    pub(crate) text: String,
    /// Whether there is one.
    pub(crate) has_conflict: bool,
}

/// Lines between two places where all three texts agree.
#[derive(Debug, PartialEq, Eq)]
enum MergedHunk<'a> {
    /// The lines of the result.
    Clear(&'a [&'a str]),
    /// Both sides changed the same lines.
    Conflict { ours: &'a [&'a str], theirs: &'a [&'a str] },
}

/// Merges texts whose lines end in line feeds. The last line may lack its own.
pub(crate) fn merge_text(base: &str, ours: &str, theirs: &str) -> TextMerge {
    let [base, ours, theirs] =
        [base, ours, theirs].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    let mut merged = TextMerge { text: String::new(), has_conflict: false };
    for hunk in hunks(&base, &ours, &theirs) {
        match hunk {
            MergedHunk::Clear(lines) => push_lines(&mut merged.text, lines),
            MergedHunk::Conflict { ours, theirs } => {
                merged.has_conflict = true;
                push_conflict(&mut merged.text, &ours.concat(), &theirs.concat());
            }
        }
    }
    merged
}

/// Merges texts that have no line feed at their end, such as those of sections.
pub(crate) fn merge_section(base: &str, ours: &str, theirs: &str) -> TextMerge {
    let with_end = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
    let mut merged = merge_text(&with_end(base), &with_end(ours), &with_end(theirs));
    if merged.text.ends_with('\n') {
        merged.text.pop();
    }
    merged
}

/// Writes both sides of a conflict between markers, each on a line of its own.
pub(crate) fn push_conflict(text: &mut String, ours: &str, theirs: &str) {
    for (marker, side) in [(OURS, ours), (BETWEEN, theirs)] {
        end_line(text);
        text.push_str(marker);
        text.push('\n');
        text.push_str(side);
    }
    end_line(text);
    text.push_str(THEIRS);
    text.push('\n');
}

fn push_lines(text: &mut String, lines: &[&str]) {
    if !lines.is_empty() {
        end_line(text);
    }
    lines.iter().for_each(|line| text.push_str(line));
}

/// A line that was the last of its text may lack its line feed.
fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn hunks<'a>(
    base: &'a [&'a str],
    ours: &'a [&'a str],
    theirs: &'a [&'a str],
) -> Vec<MergedHunk<'a>> {
    let (in_ours, in_theirs) = (matches(base, ours), matches(base, theirs));
    let mut hunks = Vec::new();
    let (mut b, mut o, mut t) = (0, 0, 0);
    let both = in_ours.iter().zip(&in_theirs).enumerate();
    let agreed = both.filter_map(|(at, (ours, theirs))| Some((at, (*ours)?, (*theirs)?)));
    let end = (base.len(), ours.len(), theirs.len());
    for (base_at, ours_at, theirs_at) in agreed.chain([end]) {
        push_hunk(&mut hunks, &base[b..base_at], &ours[o..ours_at], &theirs[t..theirs_at]);
        if base_at < base.len() {
            hunks.push(MergedHunk::Clear(&ours[ours_at..=ours_at]));
        }
        (b, o, t) = (base_at + 1, ours_at + 1, theirs_at + 1);
    }
    hunks
}

fn push_hunk<'a>(
    hunks: &mut Vec<MergedHunk<'a>>,
    base: &[&str],
    ours: &'a [&'a str],
    theirs: &'a [&'a str],
) {
    if ours == theirs || theirs == base {
        return hunks.push(MergedHunk::Clear(ours));
    }
    if ours == base {
        return hunks.push(MergedHunk::Clear(theirs));
    }
    // Lines that both sides begin or end with are no part of the conflict.
    let start = ours.iter().zip(theirs).take_while(|(one, other)| one == other).count();
    let (our_rest, their_rest) = (&ours[start..], &theirs[start..]);
    let same = |(one, other): &(&&str, &&str)| one == other;
    let end = our_rest.iter().rev().zip(their_rest.iter().rev()).take_while(same).count();
    let (our_lines, our_end) = our_rest.split_at(our_rest.len() - end);
    let their_lines = &their_rest[..their_rest.len() - end];
    hunks.push(MergedHunk::Clear(&ours[..start]));
    hunks.push(MergedHunk::Conflict { ours: our_lines, theirs: their_lines });
    hunks.push(MergedHunk::Clear(our_end));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_different_lines_are_both_made() {
        for (base, ours, theirs, merged) in [
            ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
            ("a\nb\nc\n", "b\nc\n", "a\nb\nc\nd\n", "b\nc\nd\n"),
            ("a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n", "a\nx\nc\n"),
            ("", "a\n", "", "a\n"),
            ("a\n", "", "a\n", ""),
            ("a\nb", "a\nb", "a\nB", "a\nB"),
            ("a\nb\nc", "A\nb\nc", "a\nb\nc\n", "A\nb\nc\n"),
        ] {
            let expected = TextMerge { text: merged.to_owned(), has_conflict: false };
            assert_eq!(merge_text(base, ours, theirs), expected, "{base:?} {ours:?} {theirs:?}");
        }
    }

    #[test]
    fn lines_that_both_changed_are_between_markers() {
        for (base, ours, theirs, merged) in [
            ("a\n", "b\n", "c\n", "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"),
            ("", "x\nb\ny\n", "x\nc\ny\n", "x\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\ny\n"),
            ("a\nb\n", "a\n", "a\nc", "a\n<<<<<<< ours\n=======\nc\n>>>>>>> theirs\n"),
            ("a", "b", "c", "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"),
        ] {
            let expected = TextMerge { text: merged.to_owned(), has_conflict: true };
            assert_eq!(merge_text(base, ours, theirs), expected, "{base:?} {ours:?} {theirs:?}");
        }
    }

    #[test]
    fn a_section_has_no_line_feed_at_its_end() {
        let clear = |text: &str| TextMerge { text: text.to_owned(), has_conflict: false };
        assert_eq!(merge_section("a\n\nb", "a\n\nb", "A\n\nb"), clear("A\n\nb"));
        assert_eq!(merge_section("", "a", ""), clear("a"));
        assert_eq!(merge_section("a", "", "a"), clear(""));
    }
}
