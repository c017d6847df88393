//! Compares the output of a command with the page.

use crate::run_names::{LENGTH, RunNames, is_name, split};
use crate::varying;

/// Matches any text in a line, and alone on a line any number of lines.
const LEFT_OUT: &str = "…";

/// A piece of an expected line.
#[derive(Debug)]
enum ExpectedPiece {
    Text(String),
    /// A word that may be the id of a run.
    Name(String),
    Any,
}

/// The expected output of a command.
#[derive(Debug)]
pub(crate) struct ExpectedOutput {
    /// None where any number of lines may stand.
    lines: Vec<Option<Vec<ExpectedPiece>>>,
}

impl ExpectedOutput {
    pub(crate) fn new(lines: &[String]) -> Self {
        let piece = |text: &str| match text {
            word if is_name(word) => ExpectedPiece::Name(word.to_owned()),
            text => ExpectedPiece::Text(text.to_owned()),
        };
        let line = |line: &String| {
            let mut pieces = Vec::new();
            for (index, part) in varying::without(line).split(LEFT_OUT).enumerate() {
                if index > 0 {
                    pieces.push(ExpectedPiece::Any);
                }
                pieces.extend(split(part).map(piece));
            }
            (line.trim() != LEFT_OUT).then_some(pieces)
        };
        Self { lines: lines.iter().map(line).collect() }
    }

    /// Compares, and binds names to runs if the output matches.
    pub(crate) fn fits(&self, printed: &[String], names: &mut RunNames) -> bool {
        let printed: Vec<String> = printed.iter().map(|line| varying::without(line)).collect();
        match lines_fit(&self.lines, &printed, names) {
            Some(captured) => {
                *names = captured;
                true
            }
            None => false,
        }
    }
}

fn lines_fit(
    expected: &[Option<Vec<ExpectedPiece>>],
    printed: &[String],
    names: &RunNames,
) -> Option<RunNames> {
    match expected.split_first() {
        None => printed.is_empty().then(|| names.clone()),
        Some((None, rest)) => {
            (0..=printed.len()).find_map(|left_out| lines_fit(rest, &printed[left_out..], names))
        }
        Some((Some(pieces), rest)) => {
            let (line, after) = printed.split_first()?;
            lines_fit(rest, after, &line_fits(pieces, line, names)?)
        }
    }
}

fn line_fits(pieces: &[ExpectedPiece], line: &str, names: &RunNames) -> Option<RunNames> {
    let Some((piece, rest)) = pieces.split_first() else {
        return line.is_empty().then(|| names.clone());
    };
    match piece {
        ExpectedPiece::Text(text) => line_fits(rest, line.strip_prefix(text.as_str())?, names),
        ExpectedPiece::Any => {
            let ends = line.char_indices().map(|(end, _)| end).chain([line.len()]);
            ends.into_iter().find_map(|end| line_fits(rest, &line[end..], names))
        }
        ExpectedPiece::Name(name) => {
            let (id, after) = line.split_at_checked(LENGTH)?;
            let mut captured = names.clone();
            if captured.bind(name, id) || (name == id && !names.is_run(id)) {
                return line_fits(rest, after, &captured);
            }
            None
        }
    }
}

/// The expected and the printed lines, from the first to the last difference.
pub(crate) fn difference(expected: &[String], printed: &[String], names: &RunNames) -> String {
    let same = |(one, other): &(&String, &String)| {
        let one = ExpectedOutput::new(std::slice::from_ref(one));
        one.lines[0].is_some() && one.fits(std::slice::from_ref(other), &mut names.clone())
    };
    let before = expected.iter().zip(printed).take_while(same).count();
    let (expected, printed) = (&expected[before..], &printed[before..]);
    let after = expected.iter().rev().zip(printed.iter().rev()).take_while(same).count();
    let mut lines = Vec::new();
    if before > 0 {
        lines.push(format!("    ({before} as expected)"));
    }
    lines.extend(expected[..expected.len() - after].iter().map(|line| format!("  - {line}")));
    lines.extend(printed[..printed.len() - after].iter().map(|line| format!("  + {line}")));
    if after > 0 {
        lines.push(format!("    ({after} as expected)"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn fits(expected: &str, printed: &str) -> bool {
        let mut names = RunNames::default();
        names.add_run("aaaa1111");
        names.add_run("bbbb2222");
        ExpectedOutput::new(&lines(expected)).fits(&lines(printed), &mut names)
    }

    #[test]
    fn a_wrong_word_a_missing_line_and_one_too_many_do_not_fit() {
        assert!(fits("one\ntwo", "one\ntwo"));
        assert!(!fits("one\ntwo", "one\ntow"));
        assert!(!fits("one\ntwo", "one"));
        assert!(!fits("one", "one\ntwo"));
        assert!(!fits("", "one"));
    }

    #[test]
    fn an_ellipsis_matches_anything_and_nothing() {
        assert!(fits("one\n…\nfour", "one\ntwo\nthree\nfour"));
        assert!(fits("one\n…\nfour", "one\nfour"));
        assert!(!fits("one\n…\nfour", "one\ntwo"));
        assert!(fits("a … c", "a b b c"));
        assert!(!fits("a … c", "a b b"));
    }

    #[test]
    fn names_of_runs_are_kept_apart() {
        assert!(fits("c0m9e2xk\nwwt4ksg5\nc0m9e2xk", "aaaa1111\nbbbb2222\naaaa1111"));
        assert!(!fits("c0m9e2xk\nwwt4ksg5\nc0m9e2xk", "aaaa1111\nbbbb2222\nbbbb2222"));
        assert!(!fits("c0m9e2xk\nwwt4ksg5", "aaaa1111\naaaa1111"));
        assert!(!fits("c0m9e2xk", "cccc3333"), "that is no run");
    }

    #[test]
    fn a_difference_shows_only_what_differs() {
        let shown = difference(&lines("a\nb\nc\nd"), &lines("a\nx\ny\nd"), &RunNames::default());
        assert_eq!(shown, "    (1 as expected)\n  - b\n  - c\n  + x\n  + y\n    (1 as expected)");
    }
}
