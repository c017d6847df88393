//! Parses texts from the command line.

/// Makes a newline of every `\n` that was typed as two characters. `\\n` is those two characters,
/// and nothing else is touched.
pub(crate) fn with_newlines(typed: &str) -> String {
    let mut text = String::with_capacity(typed.len());
    let mut rest = typed;
    while let Some(found) = rest.find('\\') {
        text.push_str(&rest[..found]);
        rest = &rest[found..];
        if let Some(behind) = rest.strip_prefix("\\\\n") {
            text.push_str("\\n");
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("\\n") {
            text.push('\n');
            rest = behind;
        } else {
            text.push('\\');
            rest = &rest['\\'.len_utf8()..];
        }
    }
    text + rest
}

/// Makes one line of a text: control characters, newlines among them, become blanks.
pub(crate) fn one_line(typed: &str) -> String {
    let parts = typed.split(char::is_control).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Reads a text of several lines.
pub(super) fn text(typed: &str) -> Result<String, std::convert::Infallible> {
    Ok(with_newlines(typed))
}

/// Reads the text of a new criterion. A number is a criterion that should be checked.
pub(super) fn criterion(typed: &str) -> Result<String, String> {
    let number = typed.trim().trim_start_matches('#');
    if number.parse::<u32>().is_ok() {
        let text = typed.trim();
        return Err(format!(
            "`{text}` is not the text of a criterion; to check criterion {number}, write \
             `--check-ac {number}`"
        ));
    }
    Ok(with_newlines(typed))
}

/// Reads a text of one line that may be empty.
pub(super) fn line(typed: &str) -> Result<String, std::convert::Infallible> {
    Ok(one_line(typed))
}

/// Reads a title.
pub(super) fn title(typed: &str) -> Result<String, &'static str> {
    match one_line(typed) {
        title if title.is_empty() => Err("a task needs a title that is not empty"),
        title => Ok(title),
    }
}

/// Reads a name.
pub(super) fn name(typed: &str) -> Result<String, &'static str> {
    match one_line(typed) {
        name if name.is_empty() => Err("a name must not be empty"),
        name => Ok(name),
    }
}

/// Parses a search query.
pub(super) fn query(typed: &str) -> Result<String, &'static str> {
    match typed.trim() {
        "" => Err("QUERY must not be empty; `forge-tasks list` shows every task"),
        query => Ok(query.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_a_backslash_and_an_n_are_a_newline() {
        for (typed, text) in [
            (r"a\nb", "a\nb"),
            (r"a\\nb", r"a\nb"),
            (r"a\\\nb", r"a\\nb"),
            (r"\n\n", "\n\n"),
            (r"a\tb\\c\", r"a\tb\\c\"),
            ("real\nnewline", "real\nnewline"),
            (r"é\né", "é\né"),
            ("", ""),
        ] {
            assert_eq!(with_newlines(typed), text, "{typed}");
        }
    }

    #[test]
    fn a_line_has_no_control_characters() {
        assert_eq!(one_line(" a\r\n\tb\u{1b}c \u{7f}"), "a b c");
        assert_eq!(one_line("two  blanks"), "two  blanks");
        assert_eq!(title(" \n\t "), Err("a task needs a title that is not empty"));
    }

    proptest! {
        #[test]
        fn a_text_without_backslashes_stays(text in "[^\\\\]{0,40}") {
            prop_assert_eq!(with_newlines(&text), text);
        }

        #[test]
        fn every_text_without_a_backslash_before_a_newline_can_be_typed(
            text in "([a-n\n é]|\\\\[a-n])*",
        ) {
            let typed = text.replace("\\n", "\\\\n").replace('\n', "\\n");
            prop_assert_eq!(with_newlines(&typed), text);
        }
    }
}
