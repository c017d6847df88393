//! The form of a line, without its context.

/// The characters that mean nothing at the ends of a line.
pub(super) const BLANKS: [char; 2] = [' ', '\t'];

/// The form of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyLineForm<'a> {
    /// A heading of the second level, with its text.
    Heading(&'a str),
    /// Opens or closes fenced code.
    Fence(BodyFence),
    /// Begins a block of criteria.
    Begin,
    /// Ends a block of criteria.
    End,
    /// Opens a comment, and possibly closes it.
    Comment { closed: bool },
    /// Any other line.
    Other,
}

/// A line of backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BodyFence {
    pub(super) mark: FenceCharacter,
    /// How many of them there are.
    pub(super) length: usize,
    /// Whether nothing follows the characters, so that it can close as well as open.
    pub(super) bare: bool,
}

/// The character of a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FenceCharacter {
    Backtick,
    Tilde,
}

/// The form of a line. A line that is indented by four or more is code.
pub(super) fn form(line: &str) -> BodyLineForm<'_> {
    let rest = line.trim_start_matches(' ');
    if line.len() - rest.len() > 3 { BodyLineForm::Other } else { start(rest) }
}

/// The form of a line without its indentation.
pub(super) fn start(rest: &str) -> BodyLineForm<'_> {
    match rest.as_bytes().first() {
        Some(b'#') => heading(rest).map_or(BodyLineForm::Other, BodyLineForm::Heading),
        Some(b'`') => {
            fence(rest, FenceCharacter::Backtick).map_or(BodyLineForm::Other, BodyLineForm::Fence)
        }
        Some(b'~') => {
            fence(rest, FenceCharacter::Tilde).map_or(BodyLineForm::Other, BodyLineForm::Fence)
        }
        Some(b'<') => comment(rest),
        Some(b'-' | b'*' | b'+' | b'0'..=b'9') => {
            item_fence(rest).map_or(BodyLineForm::Other, BodyLineForm::Fence)
        }
        _ => BodyLineForm::Other,
    }
}

/// Whether there is nothing on a line.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim_start_matches(BLANKS).is_empty()
}

/// The column of the first character. A tab extends to the next multiple of four.
pub(super) fn indentation(line: &str) -> usize {
    let mut column = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => column += 1,
            b'\t' => column += 4 - column % 4,
            _ => break,
        }
    }
    column
}

fn heading(rest: &str) -> Option<&str> {
    let title = rest.strip_prefix("##")?;
    if !(title.is_empty() || title.starts_with(BLANKS)) {
        return None;
    }
    let title = title.trim_matches(BLANKS);
    let open = title.trim_end_matches('#');
    let closing_is_apart = open.is_empty() || open.ends_with(BLANKS);
    Some(if closing_is_apart { open.trim_end_matches(BLANKS) } else { title })
}

fn fence(rest: &str, mark: FenceCharacter) -> Option<BodyFence> {
    let sign = match mark {
        FenceCharacter::Backtick => '`',
        FenceCharacter::Tilde => '~',
    };
    let info = rest.trim_start_matches(sign);
    let length = rest.len() - info.len();
    // Three backticks with more of them later are code within a line.
    let is_inline = mark == FenceCharacter::Backtick && info.contains(sign);
    (length >= 3 && !is_inline).then(|| BodyFence { mark, length, bare: is_blank(info) })
}

/// A fence that opens as the first thing in an item of a list. It closes nothing.
fn item_fence(rest: &str) -> Option<BodyFence> {
    let behind = match rest.strip_prefix(['-', '*', '+']) {
        Some(behind) => behind,
        None => rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['.', ')'])?,
    };
    let content = behind.trim_start_matches(BLANKS);
    let mark = match content.as_bytes().first()? {
        b'`' => FenceCharacter::Backtick,
        b'~' => FenceCharacter::Tilde,
        _ => return None,
    };
    let is_apart = content.len() < behind.len();
    let fence = fence(content, mark).filter(|_| is_apart)?;
    Some(BodyFence { bare: false, ..fence })
}

fn comment(rest: &str) -> BodyLineForm<'_> {
    let Some(inside) = rest.strip_prefix("<!--") else {
        return BodyLineForm::Other;
    };
    if let Some(word) = inside.trim_end_matches(BLANKS).strip_suffix("-->") {
        let word = word.trim_matches(BLANKS);
        if word.eq_ignore_ascii_case("AC:BEGIN") {
            return BodyLineForm::Begin;
        }
        if word.eq_ignore_ascii_case("AC:END") {
            return BodyLineForm::End;
        }
    }
    // As in HTML, `<!-->` is a whole comment.
    BodyLineForm::Comment { closed: rest[2..].contains("-->") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(line: &str) -> Option<&str> {
        if let BodyLineForm::Heading(title) = form(line) { Some(title) } else { None }
    }

    #[test]
    fn a_heading_of_the_second_level_has_two_signs_and_a_gap() {
        for line in ["## A b", "   ##\tA b", "##   A b  ", "## A b ##", "## A b #  "] {
            assert_eq!(title(line), Some("A b"), "{line:?}");
        }
        assert_eq!([title("##"), title("## "), title("## ##")], [Some(""); 3]);
        assert_eq!(title("## A#"), Some("A#"));
        for line in ["# A", "### A", "##A", "    ## A", "\t## A", "\\## A", "x ## A", ""] {
            assert_eq!(title(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_fence_has_three_signs_or_more() {
        let fence = |mark, length, bare| BodyLineForm::Fence(BodyFence { mark, length, bare });
        assert_eq!(form("```"), fence(FenceCharacter::Backtick, 3, true));
        assert_eq!(form("  ````rust"), fence(FenceCharacter::Backtick, 4, false));
        assert_eq!(form("~~~ \t"), fence(FenceCharacter::Tilde, 3, true));
        assert_eq!(form("~~~ `a` ~"), fence(FenceCharacter::Tilde, 3, false));
        for line in ["- ```", "  *  ```sh", "12) ```", "3. ````"] {
            assert!(
                matches!(form(line), BodyLineForm::Fence(BodyFence { bare: false, .. })),
                "{line:?}"
            );
        }
        for line in ["``", "~~", "``` a`", "    ```", "a ```", "`~`", "-```", "- a ```", "1 ```"] {
            assert_eq!(form(line), BodyLineForm::Other, "{line:?}");
        }
    }

    #[test]
    fn a_comment_begins_its_line_and_markers_are_comments_of_their_own() {
        for line in ["<!-- AC:BEGIN -->", "<!--ac:begin-->", "  <!--\tAC:Begin   -->  "] {
            assert_eq!(form(line), BodyLineForm::Begin, "{line:?}");
        }
        assert_eq!(form("<!-- AC:END -->"), BodyLineForm::End);
        for line in ["<!-- AC:END --> a", "<!-- a -->", "<!-->", "<!--->", "<!-- AC:END -->-->"] {
            assert_eq!(form(line), BodyLineForm::Comment { closed: true }, "{line:?}");
        }
        assert_eq!(form("<!-- AC:BEGIN"), BodyLineForm::Comment { closed: false });
        for line in ["<!-", "a <!-- AC:BEGIN -->", "    <!-- AC:BEGIN -->", "<b>", "-->"] {
            assert_eq!(form(line), BodyLineForm::Other, "{line:?}");
        }
    }

    #[test]
    fn a_tab_indents_to_the_next_multiple_of_four() {
        assert_eq!(["a", "  a", "\ta", " \ta", "\t a"].map(indentation), [0, 2, 4, 4, 5]);
    }
}
