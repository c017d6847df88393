//! Setting, appending and removing the text of sections.

use super::BodySection::{Description, Notes, Plan};
use super::*;

#[test]
fn a_new_task_has_its_sections_in_order() {
    let edits = [
        add("first"),
        set(Notes, "notes"),
        set(Plan, "plan"),
        add("second\nin two lines"),
        set(Description, "text"),
    ];
    let expected = "\n## Description\n\ntext\n\n## Implementation Plan\n\nplan\n\n\
                    ## Acceptance Criteria\n\n<!-- AC:BEGIN -->\n- [ ] #1 first\n\
                    - [ ] #2 second\n  in two lines\n<!-- AC:END -->\n\n\
                    ## Implementation Notes\n\nnotes\n";
    assert_eq!(edited("", &edits), expected);
    let crlf = edit("", Newline::CrLf, &edits).expect("nothing is named");
    assert_eq!(crlf, expected.replace('\n', "\r\n"));
    assert_eq!(edited("", &[]), "");
    assert_eq!(edited("", &[set(Plan, " \r\n"), append(Notes, "")]), "");
}

#[test]
fn a_text_is_replaced_between_the_blank_lines_around_it() {
    for (before, after) in [
        ("## Description\n\nold\n\nold\n\n## Else\n", "## Description\n\nnew\nnew\n\n## Else\n"),
        ("## description\nold\n## Else\n", "## description\nnew\nnew\n## Else\n"),
        ("a\n## Description\n\n\nold\n \n\n", "a\n## Description\n\n\nnew\nnew\n \n\n"),
        ("## Description\nold", "## Description\nnew\nnew"),
        ("## Description\r\n\r\nold\r\n", "## Description\r\n\r\nnew\r\nnew\r\n"),
        ("## Description\nold\n<!-- AC:BEGIN -->", "## Description\nnew\nnew\n<!-- AC:BEGIN -->"),
        ("## Description\na\n## Description\nb", "## Description\nnew\nnew\n## Description\nb"),
    ] {
        for text in ["new\nnew", "\n \nnew\r\nnew\n\n", "new\rnew"] {
            assert_eq!(edited(before, &[set(Description, text)]), after, "{before:?}");
        }
    }
}

#[test]
fn a_text_that_is_there_already_changes_nothing() {
    for text in
        ["## Description\n\n\\~~~ a --\\> b\r\n\\## c", "## Description\r\n~~~ a --> b\n\\## c"]
    {
        assert_eq!(edited(text, &[set(Description, "~~~ a --> b\n## c")]), text);
        assert_eq!(edited(text, &[append(Description, " \n")]), text);
        assert_eq!(edited(text, &[set(Plan, "")]), text);
        assert_eq!(edited(text, &[]), text);
    }
    assert_eq!(edited("## Description\n", &[set(Description, "")]), "## Description\n");
}

#[test]
fn a_blank_section_is_filled_as_in_a_new_file() {
    for (before, after) in [
        ("## Description", "## Description\n\nnew\n"),
        ("## Description\n", "## Description\n\nnew\n"),
        ("## Description\n\n\n \n## Else\n", "## Description\n\nnew\n\n## Else\n"),
        ("## Description\n## Else\n", "## Description\n\nnew\n\n## Else\n"),
        ("## Description\n<!-- AC:END -->\n", "## Description\n\nnew\n\n<!-- AC:END -->\n"),
    ] {
        assert_eq!(edited(before, &[set(Description, "new")]), after, "{before:?}");
        assert_eq!(edited(before, &[append(Description, "new")]), after, "{before:?}");
    }
}

#[test]
fn an_empty_text_removes_the_section_and_leaves_one_blank_line() {
    for (before, after) in [
        ("\n## Description\n\na\n\n## Else\n", "\n## Else\n"),
        ("## Description\na\n## Else\n", "## Else\n"),
        ("x\n\n## Description\n\na\n\n## Else\n", "x\n\n## Else\n"),
        ("x\n## Description\na\n## Else\n", "x\n\n## Else\n"),
        ("x\n \n\n\n## Description\na\n## Else\n", "x\n \n## Else\n"),
        ("x\n\n\n## Description\n\na\n", "x\n"),
        ("x\n## Description\na", "x\n"),
        ("\n## Description\n\na\n", ""),
        ("\n## Description\n\na\n<!-- AC:BEGIN -->\n", "\n<!-- AC:BEGIN -->\n"),
        ("\r\nx\r\n## Description\na\n## Else\n", "\r\nx\r\n\r\n## Else\n"),
        ("## Description\na\n## Description\nb\n", "## Description\n\n## Description\nb\n"),
    ] {
        assert_eq!(edited(before, &[set(Description, "")]), after, "{before:?}");
        assert_eq!(edited(before, &[set(Description, " \n\t\r\n")]), after, "{before:?}");
    }
}

#[test]
fn a_new_section_is_put_where_it_belongs() {
    let new = "## Implementation Plan\n\nnew\n";
    for (before, after) in [
        ("## Description\na\n", format!("## Description\na\n\n{new}")),
        ("## Description\na", format!("## Description\na\n\n{new}")),
        ("## Description\na\n\n## Else\n", format!("## Description\na\n\n{new}\n## Else\n")),
        (
            "\n## Implementation Notes\na\n## Description\nb\n",
            format!("\n## Implementation Notes\na\n## Description\nb\n\n{new}"),
        ),
        (
            "x\n## Else\n## Implementation Notes\na\n## Acceptance Criteria\n",
            format!("x\n## Else\n## Implementation Notes\na\n\n{new}\n## Acceptance Criteria\n"),
        ),
        (
            "\n## Else\n\n## Implementation Notes\na\n",
            format!("\n## Else\n\n{new}\n## Implementation Notes\na\n"),
        ),
        ("x\n\n## Else\n", format!("x\n\n{new}\n## Else\n")),
        ("## Else\n", format!("\n{new}\n## Else\n")),
        ("x", format!("x\n\n{new}")),
        ("x\n \n", format!("x\n \n{new}")),
        ("x\n ", format!("x\n \n{new}")),
        ("\n", format!("\n{new}")),
    ] {
        assert_eq!(edited(before, &[set(Plan, "new")]), after, "{before:?}");
        assert_eq!(edited(before, &[append(Plan, "new")]), after, "{before:?}");
    }
    let crlf = "x\r\n## Else\r\n";
    assert_eq!(
        edited(crlf, &[set(Plan, "new")]),
        format!("x\n\n{new}\n## Else\n").replace('\n', "\r\n")
    );
}

#[test]
fn what_is_appended_is_a_paragraph_of_its_own() {
    for (before, after) in [
        ("## Description\n- a\n\n## Else\n", "## Description\n- a\n\n- b\n  c\n\n## Else\n"),
        ("## Description\n\na", "## Description\n\na\n\n- b\n  c"),
        ("## Description\r\na\r\n", "## Description\r\na\r\n\r\n- b\r\n  c\r\n"),
    ] {
        assert_eq!(edited(before, &[append(Description, "\n- b\n  c\n")]), after, "{before:?}");
    }
}

#[test]
fn edits_of_one_section_are_made_in_order() {
    let text = "## Description\na\n";
    for (edits, expected) in [
        (vec![append(Description, "b"), append(Description, "c")], "a\n\nb\n\nc"),
        (vec![append(Description, "b"), set(Description, "c")], "c"),
        (vec![set(Description, "b"), set(Plan, "x"), append(Description, "c")], "b\n\nc"),
        (vec![set(Description, ""), append(Description, "c")], "c"),
    ] {
        let body = TaskBody::read(&edited(text, &edits));
        assert_eq!(body.description.as_deref(), Some(expected));
    }
    assert_eq!(edited(text, &[append(Description, "b"), set(Description, "")]), "");
    let text = "## Description\n\n<!-- AC:BEGIN -->\n- [ ] #1 a\n<!-- AC:END -->\n";
    let nothing = [set(BodySection::Criteria, "x"), append(BodySection::Criteria, "x")];
    assert_eq!(edited(text, &nothing), text);
}

#[test]
fn a_fence_left_open_before_it_makes_a_text_keep_all_its_backslashes() {
    let before = "## Description\n\n```\nopen\n\n## Implementation Notes\n\nold\n";
    let text = edited(before, &[set(Notes, "```\n## a\n```")]);
    assert_eq!(text, before.replace("old", "\\```\n\\## a\n\\```"));
    // A fence of another kind closes nothing.
    let text = edited(before, &[set(Notes, "~~~\n## a\n~~~")]);
    assert_eq!(text, before.replace("old", "~~~\n## a\n~~~"));

    let before = "## Description\n\n<!-- open\n\n## Implementation Notes\n\nold\n";
    let text = edited(before, &[set(Notes, "a --> b")]);
    assert_eq!(text, before.replace("old", "a --\\> b"));
    let text = edited(before, &[append(Description, "## a --> b")]);
    assert_eq!(text, before.replace("open", "open\n\n\\## a --\\> b"));
    let text = edited(before, &[add("a --> b")]);
    assert_eq!(criteria(&text), ["1[ ] a --> b"]);
}
