//! Formats texts of agents as one line.

/// The maximum length of an outcome's message, in characters.
const MAX_MESSAGE_CHARS: usize = 300;

/// The maximum length of the summary of a tool call, in characters.
pub(super) const MAX_SUMMARY_CHARS: usize = 200;

/// The text as one line: white space and control characters become single spaces.
pub(crate) fn one_line(text: &str) -> String {
    let blank = |character: char| character.is_whitespace() || character.is_control();
    let words = text.split(blank).filter(|word| !word.is_empty());
    // The rest would be cut off, and may be megabytes.
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 4 * MAX_MESSAGE_CHARS {
            break;
        }
    }
    shortened(line, MAX_MESSAGE_CHARS)
}

/// The text as one line, or `None` if it is blank.
pub(super) fn message(text: &str) -> Option<String> {
    Some(one_line(text)).filter(|line| !line.is_empty())
}

/// The last line that is not blank.
pub(super) fn last_line(text: &str) -> Option<String> {
    text.lines().rev().find_map(message)
}

/// The text, truncated to a number of characters.
pub(super) fn shortened(text: String, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text,
        Some(_) => {
            let end = text.char_indices().nth(limit - 1).map_or(text.len(), |(end, _)| end);
            format!("{}…", &text[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_short_line() {
        assert_eq!(one_line("\u{1b}[31m two\r\n\twords \u{7}"), "[31m two words");
        assert_eq!(one_line(&"é".repeat(300)).chars().count(), 300);
        let cut = one_line(&"é".repeat(301));
        assert_eq!(cut.chars().count(), 300);
        assert!(cut.ends_with("é…"), "{cut}");
        assert_eq!(one_line(&"a ".repeat(100_000)).chars().count(), 300);
    }

    #[test]
    fn an_empty_text_is_no_message() {
        assert_eq!(message(" \n\u{0}"), None);
        assert_eq!(last_line("first\nlast\n \n"), Some("last".to_owned()));
        assert_eq!(last_line("\n"), None);
    }
}
