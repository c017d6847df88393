//! The further lines of a criterion, which are indented below its first one.
//!
//! Reading removes the indentation that all of them have in common, however far an editor has
//! indented them. A text whose further lines are all indented themselves gets a backslash in front
//! of the first of those, so that its indentation is not taken for that of the list.

use std::borrow::Cow;

use super::line_form::{self, BLANKS};

/// Joins the text of a criterion from the text after its bullet and its further lines.
pub(super) fn join(first: &str, further: &[Cow<'_, str>]) -> String {
    let common = common_indentation(further.iter().map(AsRef::as_ref)).len();
    let mut text = first.to_owned();
    for line in further {
        let blanks = line.len() - line.trim_start_matches(BLANKS).len();
        text.push('\n');
        text.push_str(unmarked(&line[common.min(blanks)..]));
    }
    trimmed(&text).to_owned()
}

/// Splits the text of a criterion into its lines and indents the further ones.
pub(super) fn split(text: &str, indentation: usize) -> Vec<String> {
    let indentation = " ".repeat(indentation);
    let further: Vec<&str> = text.split('\n').skip(1).collect();
    let first_to_mark = if common_indentation(further.iter().copied()).is_empty() {
        None
    } else {
        further.iter().position(|line| !line_form::is_blank(line))
    };
    let mut lines: Vec<String> = text.split('\n').take(1).map(ToOwned::to_owned).collect();
    lines.extend(further.iter().enumerate().map(|(at, line)| {
        if line.is_empty() {
            String::new()
        } else if first_to_mark == Some(at) || is_marked(line) {
            format!("{indentation}\\{line}")
        } else {
            format!("{indentation}{line}")
        }
    }));
    lines
}

/// The text of a criterion without blanks and newlines around it.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n'])
}

/// The blanks that all lines begin with, blank ones aside.
fn common_indentation<'a>(lines: impl Iterator<Item = &'a str>) -> &'a str {
    let blanks = |line: &'a str| &line[..line.len() - line.trim_start_matches(BLANKS).len()];
    lines
        .filter(|line| !line_form::is_blank(line))
        .map(blanks)
        .reduce(common_start)
        .unwrap_or_default()
}

fn common_start<'a>(a: &'a str, b: &str) -> &'a str {
    let length = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    &a[..length]
}

/// Whether a line begins with backslashes and a blank.
fn is_marked(line: &str) -> bool {
    line.starts_with('\\') && line.trim_start_matches('\\').starts_with(BLANKS)
}

fn unmarked(line: &str) -> &str {
    if is_marked(line) { &line[1..] } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(first: &str, further: &[&str]) -> String {
        join(first, &further.iter().map(|line| Cow::Borrowed(*line)).collect::<Vec<_>>())
    }

    #[test]
    fn the_common_indentation_goes_and_the_rest_stays() {
        assert_eq!(joined("a", &["      b", "        c", "", "      d"]), "a\nb\n  c\n\nd");
        assert_eq!(joined("a", &["\tb", "\t c"]), "a\nb\n c");
        assert_eq!(joined("a", &["\tb", "  c"]), "a\n\tb\n  c");
        assert_eq!(joined("", &["  b"]), "b");
        assert_eq!(joined("a ", &[]), "a");
    }

    #[test]
    fn further_lines_are_indented_and_read_back() {
        for (text, lines) in [
            ("a", vec!["a"]),
            ("a\nb\n\n  c", vec!["a", "  b", "", "    c"]),
            ("a\n  b\n  c", vec!["a", "  \\  b", "    c"]),
            ("a\n \n\tb", vec!["a", "   ", "  \\\tb"]),
            ("a\n\\ b\n c", vec!["a", "  \\\\ b", "   c"]),
        ] {
            assert_eq!(split(text, 2), lines, "{text:?}");
            assert_eq!(joined(lines[0], &lines[1..]), text);
        }
    }
}
