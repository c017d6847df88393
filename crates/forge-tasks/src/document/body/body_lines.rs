//! The lines of a body: the form of each line, and its meaning in its context.

use std::ops::Range;

use crate::document::body::BodySection;

/// The meaning of a line in its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text, or something that opens and is never closed.
    Text,
    /// The line that opens fenced code or a comment.
    Opener,
    /// A line in fenced code or a comment, including the closing line.
    Inside,
    /// A heading of the second level, and the section it is for if that has a meaning.
    Heading(Option<BodySection>),
    /// Begins a block of criteria.
    Begin,
    /// Ends a block of criteria.
    End,
}

/// The lines of a text.
#[derive(Debug)]
pub(crate) struct BodyLines<'a> {
    text: &'a str,
    lines: Vec<BodyLine>,
}

/// The position of a line, and its meaning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLine {
    /// Where it begins.
    pub(crate) start: usize,
    /// Where its content ends: before the newline, and before the carriage returns in front of it.
    pub(crate) end: usize,
    /// Where the next one begins.
    pub(crate) next: usize,
    pub(crate) kind: Kind,
}

impl<'a> BodyLines<'a> {
    /// Splits a text, and classifies its lines.
    pub(crate) fn of(text: &'a str) -> Self {
        let mut lines = Self { text, lines: split(text) };
        let mut unclosed = UnclosedBlocks { fences: [usize::MAX; 2], comment: false };
        let mut at = 0;
        while at < lines.len() {
            let (kind, last) = lines.kind_and_last(at, &mut unclosed);
            lines.lines[at].kind = kind;
            for inside in &mut lines.lines[at + 1..=last] {
                inside.kind = Kind::Inside;
            }
            at = last + 1;
        }
        lines
    }

    /// The kind of a line, and the last line of the block that it opens.
    fn kind_and_last(&self, at: usize, unclosed: &mut UnclosedBlocks) -> (Kind, usize) {
        let end = match form(self.content(at)) {
            BodyLineForm::Heading(title) => {
                return (Kind::Heading(BodySection::with_heading(title)), at);
            }
            BodyLineForm::Begin => return (Kind::Begin, at),
            BodyLineForm::End => return (Kind::End, at),
            BodyLineForm::Other => None,
            BodyLineForm::Fence(fence) => self.end_of_fence(fence, at, unclosed),
            BodyLineForm::Comment { closed: true } => Some(at),
            BodyLineForm::Comment { closed: false } => self.end_of_comment(at, unclosed),
        };
        end.map_or((Kind::Text, at), |last| (Kind::Opener, last))
    }

    fn end_of_fence(
        &self,
        fence: BodyFence,
        opener: usize,
        unclosed: &mut UnclosedBlocks,
    ) -> Option<usize> {
        let shortest = &mut unclosed.fences[usize::from(fence.mark == '~')];
        if fence.length >= *shortest {
            return None;
        }
        let closes = |at: &usize| {
            matches!(form(self.content(*at)), BodyLineForm::Fence(other)
                if other.bare && other.mark == fence.mark && other.length >= fence.length)
        };
        let end = (opener + 1..self.len()).find(closes);
        if end.is_none() {
            *shortest = fence.length;
        }
        end
    }

    fn end_of_comment(&self, opener: usize, unclosed: &mut UnclosedBlocks) -> Option<usize> {
        if unclosed.comment {
            return None;
        }
        let closes = |at: &usize| {
            let line = self.content(*at);
            let is_marker = matches!(form(line), BodyLineForm::Begin | BodyLineForm::End);
            line.contains("-->") && !is_marker
        };
        let end = (opener + 1..self.len()).find(closes);
        unclosed.comment = end.is_none();
        end
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn line(&self, at: usize) -> BodyLine {
        self.lines[at]
    }

    pub(crate) fn kind(&self, at: usize) -> Kind {
        self.lines[at].kind
    }

    /// A line without its line break.
    pub(crate) fn content(&self, at: usize) -> &'a str {
        &self.text[self.lines[at].start..self.lines[at].end]
    }

    pub(crate) fn is_blank(&self, at: usize) -> bool {
        is_blank(self.content(at))
    }

    /// Whether a newline ends the line. Only the last line may lack one.
    pub(crate) fn is_terminated(&self, at: usize) -> bool {
        self.text[..self.lines[at].next].ends_with('\n')
    }

    /// The offset of a line; the end of the text for the line after the last.
    pub(crate) fn start(&self, at: usize) -> usize {
        self.lines.get(at).map_or(self.text.len(), |line| line.start)
    }

    /// Some lines without the blank ones at both ends.
    pub(crate) fn trimmed(&self, mut range: Range<usize>) -> Range<usize> {
        while !range.is_empty() && self.is_blank(range.start) {
            range.start += 1;
        }
        while !range.is_empty() && self.is_blank(range.end - 1) {
            range.end -= 1;
        }
        range
    }
}

/// The blocks that are never closed. They are remembered, so that a text with many of them is not
/// searched to its end for each.
struct UnclosedBlocks {
    /// The shortest such fence of each character.
    fences: [usize; 2],
    comment: bool,
}

fn split(text: &str) -> Vec<BodyLine> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let next = start + line.len();
            let content = line.strip_suffix('\n').unwrap_or(line).trim_end_matches('\r');
            let line = BodyLine { start, end: start + content.len(), next, kind: Kind::Text };
            start = next;
            line
        })
        .collect()
}

/// The characters that mean nothing at the ends of a line.
pub(crate) const BLANKS: [char; 2] = [' ', '\t'];

/// The form of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyLineForm<'a> {
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
pub(crate) struct BodyFence {
    /// A backtick or a tilde.
    pub(crate) mark: char,
    /// How many of them there are.
    pub(crate) length: usize,
    /// Whether nothing follows the characters, so that it can close as well as open.
    pub(crate) bare: bool,
}

/// The form of a line. A line that is indented by four or more is code.
pub(crate) fn form(line: &str) -> BodyLineForm<'_> {
    let rest = line.trim_start_matches(' ');
    if line.len() - rest.len() > 3 { BodyLineForm::Other } else { start(rest) }
}

/// The form of a line without its indentation.
pub(crate) fn start(rest: &str) -> BodyLineForm<'_> {
    match rest.as_bytes().first() {
        Some(b'#') => heading(rest).map_or(BodyLineForm::Other, BodyLineForm::Heading),
        Some(b'`') => fence(rest, '`').map_or(BodyLineForm::Other, BodyLineForm::Fence),
        Some(b'~') => fence(rest, '~').map_or(BodyLineForm::Other, BodyLineForm::Fence),
        Some(b'<') => comment(rest),
        Some(b'-' | b'*' | b'+' | b'0'..=b'9') => {
            item_fence(rest).map_or(BodyLineForm::Other, BodyLineForm::Fence)
        }
        _ => BodyLineForm::Other,
    }
}

/// Whether there is nothing on a line.
pub(crate) fn is_blank(line: &str) -> bool {
    line.trim_start_matches(BLANKS).is_empty()
}

/// The column of the first character. A tab extends to the next multiple of four.
pub(crate) fn indentation(line: &str) -> usize {
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

fn fence(rest: &str, mark: char) -> Option<BodyFence> {
    let info = rest.trim_start_matches(mark);
    let length = rest.len() - info.len();
    // Three backticks with more of them later are code within a line.
    let is_inline = mark == '`' && info.contains(mark);
    (length >= 3 && !is_inline).then(|| BodyFence { mark, length, bare: is_blank(info) })
}

/// A fence that opens as the first thing in an item of a list. It closes nothing.
fn item_fence(rest: &str) -> Option<BodyFence> {
    let behind = match rest.strip_prefix(['-', '*', '+']) {
        Some(behind) => behind,
        None => rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['.', ')'])?,
    };
    let content = behind.trim_start_matches(BLANKS);
    let mark = content.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
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
        assert_eq!(form("```"), fence('`', 3, true));
        assert_eq!(form("  ````rust"), fence('`', 4, false));
        assert_eq!(form("~~~ \t"), fence('~', 3, true));
        assert_eq!(form("~~~ `a` ~"), fence('~', 3, false));
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
