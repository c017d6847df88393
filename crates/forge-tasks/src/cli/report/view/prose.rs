//! Longer texts of a task.

use typeset::text::{chopped, folded, visible_lines};

use super::ViewWidth;

/// The lines of a text, which is Markdown. Prose is broken between words, and code anywhere.
pub(super) fn prose(text: &str, room: ViewWidth) -> Vec<String> {
    let lines = visible_lines(text.trim_end());
    let Some(columns) = room.columns else { return lines };
    let mut fence: Option<ProseFence> = None;
    let mut shown = Vec::new();
    for line in lines {
        let is_code = fence.is_some();
        fence = match (fence, ProseFence::of(&line)) {
            (None, begun) => begun,
            (Some(open), Some(end)) if end.closes(open) => None,
            (open, _) => open,
        };
        shown.extend(if is_code { chopped(&line, columns) } else { folded(&line, columns) });
    }
    shown
}

/// The line before or after code.
#[derive(Debug, Clone, Copy)]
struct ProseFence {
    sign: char,
    length: usize,
    is_bare: bool,
}

impl ProseFence {
    fn of(line: &str) -> Option<Self> {
        let text = line.trim();
        let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let rest = text.trim_start_matches(sign);
        let length = text.len() - rest.len();
        (length >= 3).then_some(Self { sign, length, is_bare: rest.is_empty() })
    }

    fn closes(self, open: Self) -> bool {
        self.is_bare && self.sign == open.sign && self.length >= open.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_between_words_and_code_anywhere() {
        let text =
            "one two three\n````sh\nlet  a   = b;\n```\nlet  a   = b;\n````\none two three\n";
        let shown = prose(text, ViewWidth { columns: Some(9) });
        let code = ["let  a   ", "= b;"];
        let expected = [
            &["one two", "three", "````sh"][..],
            &code,
            &["```"],
            &code,
            &["````", "one two", "three"],
        ];
        assert_eq!(shown, expected.concat());
        let whole: Vec<&str> = text.lines().collect();
        assert_eq!(prose(text, ViewWidth { columns: None }), whole);
    }

    #[test]
    fn what_is_no_fence_begins_no_code() {
        let text = "`` one two\n~~~\none two six\n```\n~~~ x\n~~~\none two six";
        let shown = prose(text, ViewWidth { columns: Some(8) });
        let code = ["one two ", "six", "```", "~~~ x", "~~~"];
        let expected = [&["`` one", "two", "~~~"][..], &code, &["one two", "six"]];
        assert_eq!(shown, expected.concat());
    }
}
