//! The text of a diff as lines.

use ratatui::style::Style;
use typeset::text::visible;

use super::output_buffer::OutputBuffer;
use super::output_line::OutputLine;
use super::output_line_reader::MAX_LINE_BYTES;
use crate::run_source::IterationDiff;
use crate::theme::{ACCENT, ADDED, NAME, PLAIN, REMOVED, WARNING};

/// Most lines of a diff. A notice may follow them.
const MAX_LINES: usize = OutputBuffer::MAX_LINES - 1;
/// Most memory of the lines, so that the buffer evicts none of them.
const MAX_BYTES: usize = OutputBuffer::MAX_BYTES - 8 * MAX_LINE_BYTES;

/// The lines of a diff. Control characters in files are made visible. If the diff is too long, the
/// last line names the command that shows all of it.
pub(crate) fn diff_lines(diff: &IterationDiff) -> Vec<OutputLine> {
    let text = diff.text.strip_suffix(b"\n").unwrap_or(&diff.text);
    let mut lines = Vec::new();
    let (mut is_cut, mut size, mut is_in_hunk) = (diff.is_cut, 0, false);
    for bytes in text.split(|byte| *byte == b'\n').filter(|_| !text.is_empty()) {
        let line = line(&String::from_utf8_lossy(bytes), &mut is_in_hunk);
        size += line.size();
        if lines.len() == MAX_LINES || size > MAX_BYTES {
            is_cut = true;
            break;
        }
        lines.push(line);
    }
    if is_cut {
        let notice = format!("the rest is not shown; to see all of it: {}", visible(&diff.command));
        let spans = vec![(WARNING, "▲ ".to_owned()), (PLAIN, notice)];
        lines.push(OutputLine { spans, ..OutputLine::default() });
    }
    lines
}

/// One line. The header of a file ends at the first hunk; a line of a hunk begins with its sign.
fn line(text: &str, is_in_hunk: &mut bool) -> OutputLine {
    if text.starts_with("diff ") {
        *is_in_hunk = false;
    } else if text.starts_with("@@ ") {
        *is_in_hunk = true;
        let end = text[2..].find("@@").map_or(text.len(), |place| place + 4);
        let (range, rest) = text.split_at(end);
        return styled(&[(ACCENT, range), (PLAIN, rest)]);
    }
    let style = match text.as_bytes().first() {
        _ if !*is_in_hunk => NAME,
        Some(b'+') => ADDED,
        Some(b'-') => REMOVED,
        _ => PLAIN,
    };
    styled(&[(style, text)])
}

fn styled(pieces: &[(Style, &str)]) -> OutputLine {
    let mut line = OutputLine::default();
    let mut room = MAX_LINE_BYTES;
    for (style, text) in pieces.iter().filter(|(_, text)| !text.is_empty()) {
        let mut text = visible(&text.replace('\t', "    "));
        line.is_cut |= text.len() > room;
        text.truncate(text.floor_char_boundary(room));
        room -= text.len();
        line.spans.push((*style, text));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(text: &str, is_cut: bool) -> IterationDiff {
        let command = "forkhestra diff k3v9x2ab --iteration 2".to_owned();
        IterationDiff { text: text.into(), is_cut, command }
    }

    #[test]
    fn lines_have_the_style_of_their_place() {
        let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@ fn main()\n kept\n--- a comment\n\
                    +++ b\n\n\\ No newline at end of file\ndiff --git a/y b/y\n-old mode 1\nBinary files differ\n";
        let lines = diff_lines(&diff(text, false));
        let styles: Vec<Style> =
            lines.iter().map(|line| line.spans.first().map_or(PLAIN, |span| span.0)).collect();
        let expected =
            [NAME, NAME, NAME, ACCENT, PLAIN, REMOVED, ADDED, PLAIN, PLAIN, NAME, NAME, NAME];
        assert_eq!(styles, expected);
        assert_eq!(lines[3].spans[1], (PLAIN, " fn main()".to_owned()));
        let joined: String = lines.iter().map(|line| format!("{}\n", line.text())).collect();
        assert_eq!(joined, text);
        assert_eq!(diff_lines(&diff("", false)), []);
    }

    #[test]
    fn control_characters_are_shown_as_numbers() {
        let lines = diff_lines(&diff("@@ -1 +1 @@\n+a\tb\u{1b}[2J\u{202e}\r\n", false));
        assert_eq!(lines[1].text(), "+a    b\\u{1b}[2J\\u{202e}\\r");
        let invalid = IterationDiff { text: b"+\xff\xfe".to_vec(), ..diff("", false) };
        assert_eq!(diff_lines(&invalid)[0].text(), "+\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_diff_that_is_too_long_names_the_command_for_the_rest() {
        let long = "+x\n".repeat(MAX_LINES);
        assert_eq!(diff_lines(&diff(&long, false)).len(), MAX_LINES);
        let wide = format!("+{}\n", "\t".repeat(2000)).repeat(1100);
        for (text, is_cut) in [("+x\n", true), (&*format!("{long}+y\n"), false), (&*wide, false)] {
            let lines = diff_lines(&diff(text, is_cut));
            let last = lines.last().expect("there is a notice").text().into_owned();
            assert!(
                last.ends_with("to see all of it: forkhestra diff k3v9x2ab --iteration 2"),
                "{last}"
            );
            let mut buffer = OutputBuffer::default();
            let after = lines.clone();
            buffer.apply(super::super::BufferPatch { is_new: true, after, ..Default::default() });
            assert_eq!((buffer.first_key(), buffer.len()), (0, lines.len()));
        }
        let line = &diff_lines(&diff(&format!("+{}", "é".repeat(MAX_LINE_BYTES)), false))[0];
        assert!(line.is_cut && line.text().len() <= MAX_LINE_BYTES);
    }
}
