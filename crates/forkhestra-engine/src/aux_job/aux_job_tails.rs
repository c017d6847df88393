//! Joins the tails of an aux job's two output streams.

/// The size of the tail of each stream.
pub(crate) const MAX_TAIL_BYTES: usize = 16 * 1024;

/// The size of the joined tail.
const MAX_JOINED_BYTES: usize = 8 * 1024;

/// Joins the tails: standard error follows standard output, since their real order is unknown. If
/// both are long, each gets half.
pub(crate) fn joined_tails(stdout: &str, stderr: &str) -> String {
    let for_stderr = (MAX_JOINED_BYTES / 2).max(MAX_JOINED_BYTES.saturating_sub(stdout.len() + 1));
    let stderr = last_lines(stderr, for_stderr);
    // One byte for a missing line end.
    let stdout = last_lines(stdout, MAX_JOINED_BYTES - stderr.len().min(MAX_JOINED_BYTES - 1) - 1);
    let is_whole = stdout.is_empty() || stdout.ends_with('\n') || stderr.is_empty();
    let between = if is_whole { "" } else { "\n" };
    format!("{stdout}{between}{stderr}")
}

/// The last lines of a text within a limit; of a line that exceeds it, the end.
fn last_lines(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = &text[text.ceil_char_boundary(text.len() - limit)..];
    match end.split_once('\n') {
        Some((_, whole)) if !whole.is_empty() => whole,
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(word: &str, bytes: usize) -> String {
        let line = format!("{word}\n");
        line.repeat(bytes / line.len())
    }

    #[test]
    fn stderr_follows_stdout() {
        let table = [
            ("", "", ""),
            ("a\n", "", "a\n"),
            ("a", "", "a"),
            ("", "b", "b"),
            ("a\n", "b\n", "a\nb\n"),
            ("a", "b", "a\nb"),
        ];
        for (stdout, stderr, expected) in table {
            assert_eq!(joined_tails(stdout, stderr), expected, "{stdout:?} {stderr:?}");
        }
    }

    #[test]
    fn neither_stream_displaces_the_other() {
        for (of_stdout, of_stderr) in [
            (MAX_TAIL_BYTES, MAX_TAIL_BYTES),
            (MAX_TAIL_BYTES, 100),
            (100, MAX_TAIL_BYTES),
            (MAX_JOINED_BYTES, MAX_JOINED_BYTES),
            (MAX_JOINED_BYTES / 2, MAX_JOINED_BYTES / 2),
            (MAX_JOINED_BYTES, 0),
        ] {
            let text = joined_tails(&lines("output", of_stdout), &lines("complaint", of_stderr));
            let of = |word: &str| text.lines().filter(|line| *line == word).count();
            let (outputs, errors) = (of("output"), of("complaint"));
            assert_eq!(outputs + errors, text.lines().count(), "all lines are whole");
            assert!(text.len() <= MAX_JOINED_BYTES, "{of_stdout} {of_stderr}");
            let fair = |bytes: usize, line: usize| bytes.min(MAX_JOINED_BYTES / 2) / line;
            assert!(outputs + 1 >= fair(of_stdout, 7), "{of_stdout} {of_stderr}: {outputs}");
            assert!(errors + 1 >= fair(of_stderr, 10), "{of_stdout} {of_stderr}: {errors}");
        }
    }

    #[test]
    fn unused_space_is_left_to_the_other_stream() {
        let text = joined_tails(&lines("output", MAX_TAIL_BYTES), "complaint\n");
        assert!(text.ends_with("output\ncomplaint\n"));
        assert!(text.len() > MAX_JOINED_BYTES - 20);
        let text = joined_tails("output\n", &lines("complaint", MAX_TAIL_BYTES));
        assert!(text.starts_with("output\ncomplaint\n"));
        assert!(text.len() > MAX_JOINED_BYTES - 20);
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_between_letters() {
        let text = joined_tails(&"ä".repeat(MAX_TAIL_BYTES), "");
        assert!(text.chars().all(|letter| letter == 'ä'));
        assert!(text.len() > MAX_JOINED_BYTES - 4 && text.len() <= MAX_JOINED_BYTES);
    }
}
