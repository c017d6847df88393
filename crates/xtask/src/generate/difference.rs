//! The first difference of two texts, in the style of a unified diff.

use std::fmt::Write as _;

/// How many equal lines are shown before the difference.
const CONTEXT: usize = 3;
/// How many lines of each side are shown.
const MAX_SHOWN: usize = 8;

/// The first difference between two texts, or `None` when they are equal.
pub(super) fn first(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    // Not `lines()`: a missing newline at the end is a difference, too.
    let old: Vec<&str> = old.split('\n').collect();
    let new: Vec<&str> = new.split('\n').collect();
    let start = equal(old.iter(), new.iter());
    let tail = equal(old[start..].iter().rev(), new[start..].iter().rev());

    let mut shown = format!("@@ line {} @@\n", start + 1);
    for line in &old[start.saturating_sub(CONTEXT)..start] {
        push_line(&mut shown, ' ', line);
    }
    side(&mut shown, '-', &old[start..old.len() - tail]);
    side(&mut shown, '+', &new[start..new.len() - tail]);
    Some(shown)
}

fn equal<'a>(
    left: impl Iterator<Item = &'a &'a str>,
    right: impl Iterator<Item = &'a &'a str>,
) -> usize {
    left.zip(right).take_while(|(left, right)| left == right).count()
}

fn side(shown: &mut String, sign: char, lines: &[&str]) {
    for line in lines.iter().take(MAX_SHOWN) {
        push_line(shown, sign, line);
    }
    if lines.len() > MAX_SHOWN {
        push_line(shown, sign, &format!("… {} more", lines.len() - MAX_SHOWN));
    }
}

fn push_line(shown: &mut String, sign: char, line: &str) {
    writeln!(shown, "{sign}{line}").expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(first("a\nb\n", "a\nb\n"), None);
        assert_eq!(first("", ""), None);
    }

    #[test]
    fn a_changed_line_is_shown_with_its_context() {
        assert_eq!(
            first("1\n2\n3\n4\nold\n6\n", "1\n2\n3\n4\nnew\n6\n").as_deref(),
            Some("@@ line 5 @@\n 2\n 3\n 4\n-old\n+new\n")
        );
    }

    #[test]
    fn added_and_removed_lines_show_one_side() {
        assert_eq!(first("a\nb\n", "a\nnew\nb\n").as_deref(), Some("@@ line 2 @@\n a\n+new\n"));
        assert_eq!(first("a\nold\nb\n", "a\nb\n").as_deref(), Some("@@ line 2 @@\n a\n-old\n"));
    }

    #[test]
    fn a_missing_newline_at_the_end_is_a_difference() {
        assert_eq!(first("a\n", "a").as_deref(), Some("@@ line 2 @@\n a\n-\n"));
    }

    #[test]
    fn long_sides_are_cut() {
        let long: String = (0..20).map(|n| format!("{n}\n")).collect();
        let shown = first("x", &long).expect("they differ");
        assert!(shown.contains("+… 13 more\n"), "{shown}");
    }
}
