//! Adding, removing and checking criteria.

use super::*;

const BLOCK: &str = "x\n\n<!-- AC:BEGIN -->\n- [ ] #1 a\n  more\n* [X]  #5 b\n\n\tleft\nother\n\
                     <!-- AC:END -->\ny\n";

#[test]
fn checking_changes_one_character_or_none() {
    let check = |number, checked| edited(BLOCK, &[BodyEdit::Check(number, checked)]);
    assert_eq!(check(1, true), BLOCK.replace("[ ]", "[x]"));
    assert_eq!(check(5, false), BLOCK.replace("[X]", "[ ]"));
    assert_eq!(check(1, false), BLOCK);
    assert_eq!(check(5, true), BLOCK);
    let both = [BodyEdit::Check(1, true), BodyEdit::Check(1, false)];
    assert_eq!(edited(BLOCK, &both), BLOCK);
}

#[test]
fn removing_takes_the_lines_and_leaves_the_other_numbers() {
    let remove = |numbers: &[u32]| {
        let edits: Vec<_> =
            numbers.iter().map(|number| BodyEdit::RemoveCriterion(*number)).collect();
        edited(BLOCK, &edits)
    };
    assert_eq!(remove(&[1]), BLOCK.replace("- [ ] #1 a\n  more\n", ""));
    assert_eq!(remove(&[5]), BLOCK.replace("* [X]  #5 b\n\n\tleft\n", ""));
    let none = "x\n\n<!-- AC:BEGIN -->\nother\n<!-- AC:END -->\ny\n";
    assert_eq!(remove(&[5, 1, 5]), none);
    let added = edited(none, &[add("new")]);
    assert_eq!(added, none.replace("other\n", "other\n- [ ] #1 new\n"));
}

#[test]
fn edits_use_the_old_numbers_and_a_removal_wins() {
    let edits = [
        BodyEdit::RemoveCriterion(5),
        BodyEdit::Check(5, false),
        add("c"),
        BodyEdit::RemoveCriterion(1),
        add("d"),
    ];
    let expected = "x\n\n<!-- AC:BEGIN -->\n- [ ] #6 c\n- [ ] #7 d\nother\n<!-- AC:END -->\ny\n";
    assert_eq!(edited(BLOCK, &edits), expected);
}

#[test]
fn a_criterion_that_is_not_there_changes_nothing() {
    for wrong in [BodyEdit::Check(2, true), BodyEdit::RemoveCriterion(2)] {
        let refused = edit(BLOCK, Newline::Lf, &[add("new"), wrong, BodyEdit::Check(9, true)]);
        assert_eq!(refused, Err(NoSuchCriterion { wanted: 2, known: vec![1, 5] }));
    }
    let refused = edit("", Newline::Lf, &[add("new"), BodyEdit::Check(1, true)]);
    assert_eq!(refused, Err(NoSuchCriterion { wanted: 1, known: vec![] }));
}

#[test]
fn a_new_criterion_comes_behind_the_last_one() {
    for (before, after) in [
        (BLOCK.to_owned(), BLOCK.replace("\tleft\n", "\tleft\n- [ ] #6 new\n\n  line\n")),
        (
            "<!-- AC:BEGIN -->\n- [ ] #1 a".to_owned(),
            "<!-- AC:BEGIN -->\n- [ ] #1 a\n- [ ] #2 new\n\n  line\n".to_owned(),
        ),
        (
            "<!-- AC:BEGIN -->\n  - [ ] #3 a\n  b\n<!-- AC:END -->".to_owned(),
            "<!-- AC:BEGIN -->\n  - [ ] #3 a\n  - [ ] #4 new\n\n    line\n  b\n<!-- AC:END -->"
                .to_owned(),
        ),
        (
            "<!-- AC:BEGIN -->\n\n<!-- AC:END -->".to_owned(),
            "<!-- AC:BEGIN -->\n- [ ] #1 new\n\n  line\n\n<!-- AC:END -->".to_owned(),
        ),
        ("<!-- AC:BEGIN -->".to_owned(), "<!-- AC:BEGIN -->\n- [ ] #1 new\n\n  line\n".to_owned()),
        (
            "## Acceptance Criteria\n\nThese:\n\n## Else\n".to_owned(),
            "## Acceptance Criteria\n\nThese:\n\n<!-- AC:BEGIN -->\n- [ ] #1 new\n\n  line\n\
             <!-- AC:END -->\n\n## Else\n"
                .to_owned(),
        ),
        (
            "## Acceptance criteria\n## Else\n".to_owned(),
            "## Acceptance criteria\n\n<!-- AC:BEGIN -->\n- [ ] #1 new\n\n  line\n\
             <!-- AC:END -->\n\n## Else\n"
                .to_owned(),
        ),
        (
            "\n## Implementation Notes\n\na\n".to_owned(),
            "\n## Acceptance Criteria\n\n<!-- AC:BEGIN -->\n- [ ] #1 new\n\n  line\n\
             <!-- AC:END -->\n\n## Implementation Notes\n\na\n"
                .to_owned(),
        ),
    ] {
        for newline in ["\n", "\r\n"] {
            let (before, after) = (before.replace('\n', newline), after.replace('\n', newline));
            let result = edit(
                &before,
                if newline == "\n" { Newline::Lf } else { Newline::CrLf },
                &[add("\n new\r\n\nline ")],
            );
            assert_eq!(result.as_ref(), Ok(&after), "{before:?}");
        }
    }
}

#[test]
fn a_list_without_markers_gets_them_with_the_first_edit_of_a_criterion() {
    let before = "## Acceptance Criteria\n\nThese:\n1. a\n   b\n\n2) c\n   - d\n\nbetween\n\
                  * [x] e\n-  #7 f\n+ [ ]\n\nend\n## Else\n";
    let after = "## Acceptance Criteria\n\nThese:\n<!-- AC:BEGIN -->\n- [ ] #1 a\n   b\n\n\
                 - [x] #2 c\n   - d\n\nbetween\n* [x] #3 e\n-  [ ] #4 #7 f\n+ [ ] #5\n\
                 <!-- AC:END -->\n\nend\n## Else\n";
    assert_eq!(edited(before, &[BodyEdit::Check(2, true)]), after);
    let untouched = edited(before, &[set(BodySection::Notes, "n")]);
    assert!(untouched.starts_with(&before[..before.len() - "## Else\n".len()]));

    let before = "## Acceptance Criteria\n- [ ] #4 a\n- [x] #2 b";
    let after = "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #4 a\n<!-- AC:END -->\n";
    assert_eq!(edited(before, &[BodyEdit::RemoveCriterion(2)]), after);
    let after = "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #4 a\n- [x] #2 b\n- [ ] #5 c\n\
                 <!-- AC:END -->\n";
    assert_eq!(edited(before, &[add("c")]), after);
}

#[test]
fn the_first_edit_of_a_criterion_numbers_those_without_a_number() {
    let before = "<!-- AC:BEGIN -->\n- [ ]  #3 a\n- [x] #3 b\n* [ ] c\n- [X]\nother\n";
    let after = "<!-- AC:BEGIN -->\n- [x]  #3 a\n- [x] #4 b\n* [ ] #5 c\n- [X] #6\nother\n";
    assert_eq!(edited(before, &[BodyEdit::Check(3, true)]), after);
    let removed = edited(before, &[BodyEdit::RemoveCriterion(4), add("new")]);
    assert_eq!(criteria(&removed), ["3[ ] a", "5[ ] c", "6[x] ", "7[ ] new"]);
    assert_eq!(edited(before, &[]), before);

    let highest = format!("<!-- AC:BEGIN -->\n- [ ] #{} a\n- [ ] #7 b\n", u32::MAX);
    assert_eq!(criteria(&edited(&highest, &[add("c")])), ["1[ ] a", "2[ ] b", "3[ ] c"]);
    let checked = edited(&highest, &[BodyEdit::Check(u32::MAX, true)]);
    assert_eq!(checked, highest.replacen("[ ]", "[x]", 1));
}

#[test]
fn removing_a_criterion_changes_no_other_text() {
    let blocks = [
        "- [ ] #1 a\n - [ ] #2 b\n  - [ ] #3 c\n f\n",
        "  - [ ] #1 a\n- [ ] #2 b\nf\n  - [ ] #3 c\n  g\n",
        "- [ ] #1 a\n - [ ] #2 b\n foo\n",
        "- [ ] #1 a\n  ```\nb\n  ```\n- [ ] #2 c\n",
    ];
    for block in blocks {
        let text = format!("<!-- AC:BEGIN -->\n{block}<!-- AC:END -->\n");
        let before = TaskBody::read(&text).criteria;
        for gone in &before {
            let after = edited(&text, &[BodyEdit::RemoveCriterion(gone.index)]);
            let rest: Vec<_> = before.iter().filter(|it| *it != gone).cloned().collect();
            assert_eq!(TaskBody::read(&after).criteria, rest, "{block}");
        }
    }
}

#[test]
fn a_criterion_with_any_markdown_reads_back() {
    for text in [
        "",
        "#3 a",
        "[x] a",
        "a\n- [ ] #1 b\n## c\n<!-- AC:END -->\n```",
        "a\n```\n## b\n```",
        "a\n  b\n  c",
        "a\n ```\n b\n ```",
        "a\n\\ b\n\\\\## c\n --\\> d --> e",
        "a\n   \n\t\n b",
    ] {
        for before in ["", "<!-- AC:BEGIN -->\n   - [ ] #4 z\n<!-- AC:END -->", "```\n\n<!-- a\n"] {
            let body = TaskBody::read(&edited(before, &[add(text), add(text)]));
            let texts: Vec<_> = body.criteria.iter().rev().map(|it| it.text.as_str()).collect();
            assert_eq!(texts[..2], [text, text], "{before:?}");
        }
    }
}
