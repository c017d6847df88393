//! Large bodies take time in proportion to their size: in proportion to its square, these tests
//! would not end in time.

use super::*;

#[test]
fn ten_thousand_criteria_are_changed_at_once() {
    let edits: Vec<_> = (0..10_000).map(|number| add(&format!("criterion {number}"))).collect();
    let text = edited("", &edits);
    let edits: Vec<_> = (1..=10_000)
        .map(|number| match number % 2 {
            0 => BodyEdit::Check(number, true),
            _ => BodyEdit::RemoveCriterion(number),
        })
        .collect();
    let body = TaskBody::read(&edited(&text, &edits));
    assert_eq!(body.criteria.len(), 5_000);
    assert!(body.criteria.iter().all(|criterion| criterion.checked));
}

#[test]
fn many_lines_of_anything_are_read_and_changed() {
    for line in [
        "a\n",
        "\n",
        "```\n",
        "```a\n",
        "<!--\n",
        "- [ ] a\n",
        "- [ ] a\n  b\n",
        "## Description\n",
        "<!-- AC:BEGIN -->\n",
    ] {
        read_and_change(&line.repeat(40_000));
    }
    // No opening line closes, and each has to be compared with all the others.
    read_and_change(&("````a\n".repeat(40_000) + &"```\n".repeat(40_000)));
}

#[test]
fn a_megabyte_on_one_line_is_read_and_changed() {
    for piece in ["a", " ", "\\", "--\\>", "-->", "<!--", "`"] {
        read_and_change(&piece.repeat(1_000_000 / piece.len()));
    }
}

fn read_and_change(text: &str) {
    let before = format!("## Description\n{text}");
    let after = edited(&before, &[set(BodySection::Notes, "```\n-->\n```"), add("new")]);
    let body = TaskBody::read(&after);
    assert_eq!(body.notes.as_deref(), Some("```\n-->\n```"));
    assert_eq!(body.criteria.last().map(|it| it.text.as_str()), Some("new"));
}
