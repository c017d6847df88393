//! Tests of finding sections and criteria, and their texts.

use super::*;

fn description(text: &str) -> Option<String> {
    TaskBody::read(text).description
}

#[test]
fn a_whole_body_reads_as_its_parts() {
    let body = TaskBody::read(
        "\n## Description\n\nwhy\n\nand what\n\n## Implementation Plan\n\nhow\n\n\
         ## Acceptance Criteria\n\n<!-- AC:BEGIN -->\n- [ ] #1 first\n- [x] #2 second\n\
         <!-- AC:END -->\n\n## Implementation Notes\n\nnotes\n\n## Else\n\nelse\n",
    );
    assert_eq!(body.description.as_deref(), Some("why\n\nand what"));
    assert_eq!(body.plan.as_deref(), Some("how"));
    assert_eq!(body.notes.as_deref(), Some("notes"));
    let criteria: Vec<_> =
        body.criteria.iter().map(|it| (it.index, it.text.as_str(), it.checked)).collect();
    assert_eq!(criteria, [(1, "first", false), (2, "second", true)]);
}

#[test]
fn an_empty_body_has_no_sections() {
    assert_eq!(TaskBody::read(""), TaskBody::default());
    assert_eq!(TaskBody::read("\r\n\n  "), TaskBody::default());
}

#[test]
fn a_section_goes_from_its_heading_to_the_next_one_of_the_second_level() {
    for (text, expected) in [
        ("## Description\na\n## Else\nb", Some("a")),
        ("## description ##\na", Some("a")),
        ("   ##\tDESCRIPTION  \na", Some("a")),
        ("## Description\n# A\n### B\na\n", Some("# A\n### B\na")),
        ("## Description\n\n\n  a  \n \n b\n\t\n", Some("  a  \n \n b")),
        ("## Description\r\n\r\na\r\nb\r\n", Some("a\nb")),
        ("## Description\n \n\t\n## Else\nb", None),
        ("## Description", None),
        ("# Description\na", None),
        ("## Descriptions\na", None),
        ("a\n", None),
        ("## Description\na\n## Description\nb", Some("a")),
        ("## Description\n\n## Description\nb", None),
    ] {
        assert_eq!(description(text).as_deref(), expected, "{text:?}");
    }
}

#[test]
fn headings_in_fences_and_comments_are_text() {
    for inside in [
        "```\n## Else\n```",
        "~~~ info\n## Else\n```\n~~\n~~~~",
        "- ```sh\n  ## Else\n  ```\n- b",
        "   ````\n## Else\n```\n    ````\n```` a\n````",
        "<!-- a\n## Else\n--> b",
        "<!--\n```\n## Else\n-->",
        "```\n<!--\n```\n\n<!-- ``` -->",
        "<!--\n<!-- AC:BEGIN -->\n-->",
    ] {
        let text = format!("## Description\n{inside}\nb\n## Else\nc");
        assert_eq!(description(&text), Some(format!("{inside}\nb")), "{text:?}");
    }
    assert_eq!(description("```\n## Description\n```\na"), None);
}

#[test]
fn an_unclosed_fence_or_comment_hides_no_section() {
    for stray in ["```", "~~~~\n~~~", "<!--", "<!-- a", "```\n~~~", "```` a\n```"] {
        let text = format!(
            "## Description\n{stray}\n## Implementation Notes\nb\n<!-- AC:BEGIN -->\n- [ ] c\n\
             <!-- AC:END -->\n"
        );
        let body = TaskBody::read(&text);
        assert_eq!(body.description.as_deref(), Some(stray));
        assert_eq!(body.notes.as_deref(), Some("b"));
        assert_eq!(criteria(&text), ["1[ ] c"]);
    }
}

#[test]
fn a_block_may_stand_anywhere_and_ends_the_text_before_it() {
    let text = "<!-- AC:BEGIN -->\n- [ ] #4 a\n<!-- AC:END -->\n## Description\nb\n\
                <!--ac:begin-->\n* [X] #2 c\n<!-- AC:END -->\nelse\n## Implementation Notes\nd\n";
    assert_eq!(criteria(text), ["4[ ] a", "2[x] c"]);
    let body = TaskBody::read(text);
    assert_eq!(body.description.as_deref(), Some("b"));
    assert_eq!(body.notes.as_deref(), Some("d"));
}

#[test]
fn a_block_without_an_end_goes_to_the_next_heading() {
    let text = "<!-- AC:BEGIN -->\n- [ ] a\n## Else\n- [ ] b\n<!-- AC:BEGIN -->\n- [ ] c\n\
                <!-- AC:BEGIN -->\n- [ ] d";
    assert_eq!(criteria(text), ["1[ ] a", "2[ ] c", "3[ ] d"]);
    assert_eq!(criteria("```\n<!-- AC:BEGIN -->\n```\n- [ ] a"), [""; 0]);
}

#[test]
fn further_lines_belong_to_a_criterion_if_they_are_indented() {
    for (block, expected) in [
        ("- [ ] #1 a\n  b\n\n  c\n- [ ] #2 d", vec!["1[ ] a\nb\n\nc", "2[ ] d"]),
        ("- [ ] #1 a\n      b\n        c", vec!["1[ ] a\nb\n  c"]),
        ("- [ ] #1 a\n  - [ ] #2 b\n  - c", vec!["1[ ] a\n- [ ] #2 b\n- c"]),
        ("- [ ] #1 a\nb\n  c\n- [ ] #2 d", vec!["1[ ] a", "2[ ] d"]),
        ("  - [ ] #1 a\n  - [ ] #2 b\n    c\n d", vec!["1[ ] a", "2[ ] b\nc"]),
        ("- [ ] #1 a\n - [ ] #2 b", vec!["1[ ] a", "2[ ] b"]),
        ("- [ ] #1 a\n\tb", vec!["1[ ] a\nb"]),
        ("- [ ] #1\n  b", vec!["1[ ] b"]),
        ("- [ ] #1 a\n\n\n- b\nc", vec!["1[ ] a"]),
        (
            "- [ ] #1 a\n  ```\n  - [ ] #2 b\n\nc\n  ```\n  d",
            vec!["1[ ] a\n  ```\n  - [ ] #2 b\n\nc\n  ```\n  d"],
        ),
        ("```\n- [ ] #1 a\n```\n<!--\n- [ ] #2 b\n-->", vec![]),
    ] {
        for newline in ["\n", "\r\n"] {
            let text = format!("<!-- AC:BEGIN -->\n{block}\n<!-- AC:END -->\n");
            assert_eq!(criteria(&text.replace('\n', newline)), expected, "{text}");
        }
    }
}

#[test]
fn duplicate_and_missing_numbers_continue_after_the_highest() {
    for (block, expected) in [
        ("- [ ] #3 a\n- [ ] #1 b", ["3[ ] a", "1[ ] b"]),
        ("- [ ] #3 a\n- [ ] b", ["3[ ] a", "4[ ] b"]),
        ("- [ ] a\n- [ ] #3 b", ["4[ ] a", "3[ ] b"]),
        ("- [ ] #3 a\n- [x] #03 b", ["3[ ] a", "4[x] b"]),
        ("- [ ] a\n- [ ] b", ["1[ ] a", "2[ ] b"]),
    ] {
        assert_eq!(criteria(&format!("<!-- AC:BEGIN -->\n{block}")), expected);
    }
}

#[test]
fn without_markers_the_items_of_the_section_are_criteria() {
    let text = "- no\n## Acceptance Criteria\n\nThese:\n\n1. a\n   - b\n2) c\n* [x] d\n- e\n  f\n\n\
                ```\n- g\n```\n* * *\n### Sub\n- h\n## Acceptance Criteria\n- no\n";
    assert_eq!(criteria(text), ["1[ ] a\n- b", "2[ ] c", "3[x] d", "4[ ] e\nf", "5[ ] h"]);
    let with_markers = format!("{text}<!-- AC:BEGIN -->\n- [ ] #7 only\n");
    assert_eq!(criteria(&with_markers), ["7[ ] only"]);
}

#[test]
fn a_backslash_that_keeps_a_line_from_meaning_something_is_not_read() {
    for (written, read) in [
        ("\\## a", "## a"),
        ("  \\\\## a", "  \\## a"),
        ("\\<!-- AC:END -->", "<!-- AC:END -->"),
        ("\\```", "```"),
        ("\\~~~ x", "~~~ x"),
        ("\\<!-- a", "<!-- a"),
        ("a --\\> b", "a --> b"),
        ("\\a", "\\a"),
        ("\\# a", "\\# a"),
        ("    \\## a", "    \\## a"),
        ("```\n\\## a\n```", "```\n\\## a\n```"),
        ("<!--\n\\## --\\> a\n-->", "<!--\n\\## --\\> a\n-->"),
    ] {
        assert_eq!(description(&format!("## Description\n{written}\n")).as_deref(), Some(read));
    }
}
