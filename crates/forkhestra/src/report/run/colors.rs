//! Colours of report lines.

use anstyle::Style;
use typeset::style::{BAD, GOOD, NAME, WARNING, paint};

/// Beginnings of lines and their colours.
const LINE_STYLES: [(&str, Style); 14] = [
    ("Check passed", GOOD),
    ("Check failed", BAD),
    ("Complete after", GOOD),
    ("Incomplete after", BAD),
    ("Chain complete", GOOD),
    ("Chain incomplete", BAD),
    ("Chain stopped", WARNING),
    ("Warning", WARNING),
    ("Starting", NAME),
    ("Approved", GOOD),
    ("Denied", WARNING),
    ("Landed", GOOD),
    ("Parked", WARNING),
    ("The work tree stays as it is", WARNING),
];

/// Marks a refused completion claim.
const REFUSAL: &str = "refused";

/// Beginnings of the lines in which forkhestra itself prints this word.
const CAN_BE_REFUSED: [&str; 3] = ["Iteration ", "Round ", "Lane "];

/// The beginning of the line about a question: `Step 2 asks`.
fn asking_part(line: &str) -> Option<&str> {
    let number =
        line.strip_prefix("Step ")?.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let rest = number.strip_prefix(" asks")?;
    Some(&line[..line.len() - rest.len()])
}

/// Adds colours to a line.
pub(super) fn tinted(line: &str) -> String {
    if let Some(begin) = asking_part(line) {
        return format!("{}{}", paint(WARNING, begin), &line[begin.len()..]);
    }
    if let Some((begin, style)) = LINE_STYLES.iter().find(|(begin, _)| line.starts_with(begin)) {
        return format!("{}{}", paint(*style, begin), &line[begin.len()..]);
    }
    match line.split_once(REFUSAL) {
        Some((before, after)) if CAN_BE_REFUSED.iter().any(|begin| line.starts_with(begin)) => {
            format!("{before}{}{after}", paint(WARNING, REFUSAL))
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use typeset::color_mode::{PrintStyle, painted};

    use super::*;

    #[test]
    fn colours_mark_what_matters_and_change_no_text() {
        for (line, part, style) in [
            ("Check failed: tasks: 2 tasks are not done", "Check failed", BAD),
            ("Check passed: tasks (1ms)", "Check passed", GOOD),
            ("Chain complete (2/2 steps)", "Chain complete", GOOD),
            ("Step 12 asks: Is it right?", "Step 12 asks", WARNING),
            ("Step 2 asks for approval", "Step 2 asks", WARNING),
            ("Iteration 1/3 claimed completion; refused: why", "refused", WARNING),
        ] {
            let tinted = tinted(line);
            assert!(tinted.contains(&paint(style, part)), "{tinted:?}");
            assert_eq!(painted(&tinted, PrintStyle::new(false)), line);
        }
        for line in [
            "Iteration 1/3",
            "",
            "Step 3, b, runs instead of step 2, a",
            "A check failed",
            "The system refused",
        ] {
            assert_eq!(tinted(line), line);
        }
    }
}
