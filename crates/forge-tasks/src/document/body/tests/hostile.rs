//! Texts made of everything that could go wrong.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

const LINES: &[&str] = &[
    "",
    "",
    " ",
    "\t",
    "a",
    "  a",
    " a",
    "    a",
    "## Description",
    "## Implementation Plan",
    "##  implementation notes ##",
    "## Acceptance Criteria",
    "  ## Acceptance Criteria",
    "## Else",
    "##",
    "# Title",
    "### Sub",
    "```",
    "```",
    "  ```",
    "   ```",
    "    ```",
    "````",
    "```rust",
    "```a`",
    "~~~",
    "- ```",
    "  1) ~~~ a",
    "\\- ```",
    " ~~~~",
    "~~~ ~ `",
    "<!--",
    "  <!-- a",
    "<!-- a -->",
    "<!-->",
    "-->",
    "a --> b",
    "a --\\> b ---> c",
    "--\\\\>",
    "<!-- AC:BEGIN -->",
    "<!-- AC:BEGIN -->",
    "<!-- AC:END -->",
    "  <!--ac:end-->",
    "<!-- AC:END --> a",
    "- [ ] #1",
    "- [ ] #1 a",
    "- [x] #2 b",
    "* [X] #3 c",
    "- [ ] d",
    " - [ ] #4 e",
    "  - [ ] #5 f",
    "   + [ ] #6 g",
    "    - [ ] #7 h",
    "- [ ]",
    "- j",
    "1. k",
    "  2) [x] l",
    "* * *",
    "\\",
    "\\## a",
    "\\\\## Description",
    " \\```",
    "\\~~~",
    "\\<!--",
    "\\<!-- AC:END -->",
    "\\ a",
    "\\\\\ta",
    "a\rb",
    "é\u{a0}—",
];

fn text_of(lines: Vec<String>, ends: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    let count = lines.len();
    let ends = ends.to_vec();
    (Just(lines), vec(select(ends), count), any::<bool>()).prop_map(|(lines, ends, open)| {
        let mut text: String =
            lines.iter().zip(&ends).flat_map(|(line, end)| [line.as_str(), end]).collect();
        if open {
            let length = text.trim_end_matches(['\r', '\n']).len();
            text.truncate(length);
        }
        text
    })
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => select(LINES).prop_map(ToOwned::to_owned),
        1 => "[ \\\\`~<!>#x\\[\\]*+\\-]{0,6}",
    ]
}

/// A text to be written.
pub(super) fn text() -> impl Strategy<Value = String> {
    vec(line(), 0..8).prop_flat_map(|lines| text_of(lines, &["\n", "\n", "\n", "\r\n", "\r"]))
}

/// A body in any style.
pub(super) fn body() -> impl Strategy<Value = String> {
    vec(line(), 0..30)
        .prop_flat_map(|lines| text_of(lines, &["\n", "\n", "\n", "\n", "\r\n", "\r\r\n"]))
}

/// A body that most likely has criteria, in a block or in a list without markers.
pub(super) fn with_criteria() -> impl Strategy<Value = String> {
    let opener = select(&["## Acceptance Criteria\n", "<!-- AC:BEGIN -->\n"][..]);
    let items: Vec<&str> = LINES.iter().copied().filter(|line| line.contains("[ ]")).collect();
    let line = prop_oneof![3 => select(items).prop_map(ToOwned::to_owned), 2 => line()];
    let lines = vec(line, 1..12).prop_flat_map(|lines| text_of(lines, &["\n", "\n", "\r\n"]));
    (body(), opener, lines, body()).prop_map(|(before, opener, lines, after)| {
        let newline = |text: &str| if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{before}{}{opener}{lines}{}{after}", newline(&before), newline(&lines))
    })
}

/// The section of a text that can be set.
pub(super) fn section() -> impl Strategy<Value = BodySection> {
    select(&[BodySection::Description, BodySection::Plan, BodySection::Notes][..])
}

/// A text in the form in which it is read back.
pub(super) fn normal(text: &str) -> Option<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<&str> = text.split('\n').collect();
    let is_blank = |line: &&str| line.chars().all(|char| char == ' ' || char == '\t');
    while lines.last().is_some_and(is_blank) {
        lines.pop();
    }
    while lines.first().is_some_and(is_blank) {
        lines.remove(0);
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The text of a criterion in the form in which it is read back.
pub(super) fn normal_criterion(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.trim_matches([' ', '\t', '\n']).to_owned()
}
