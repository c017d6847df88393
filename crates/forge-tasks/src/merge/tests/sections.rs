//! The body: sections, criteria, and text that has no meaning.

use super::merge;

fn task(body: &str) -> String {
    format!("---\nid: TASK-1\ntitle: T\n---\n{body}")
}

/// Merges bodies and returns the merged one, and the names of the conflicts.
fn merged(base: &str, ours: &str, theirs: &str) -> (String, Vec<String>) {
    let texts = [base, ours, theirs].map(task);
    let merged = merge([&texts[0], &texts[1], &texts[2]]);
    let text = merged.document.text().strip_prefix(&task("")).expect("front matter is the same");
    (text.to_owned(), merged.conflicts)
}

fn clear(body: &str) -> (String, Vec<String>) {
    (body.to_owned(), Vec::new())
}

fn criteria(items: &str) -> String {
    format!("\n## Acceptance Criteria\n\n<!-- AC:BEGIN -->\n{items}<!-- AC:END -->\n")
}

#[test]
fn sections_of_both_sides_stand_in_their_order() {
    let base = "\n## Description\n\na\n";
    let ours = "\n## Description\n\na\n\n## Implementation Notes\n\nn\n";
    let theirs = "\n## Description\n\nA\n\n## Implementation Plan\n\np\n\n## Links\n\nl\n";
    let both = "\n## Description\n\nA\n\n## Implementation Plan\n\np\n\n## Links\n\nl\n\n\
                ## Implementation Notes\n\nn\n";
    assert_eq!(merged(base, ours, theirs), clear(both));
}

#[test]
fn notes_of_both_sides_stay() {
    let notes = |text: &str| format!("\n## Implementation Notes\n\n{text}\n");
    let both = merged(&notes("a"), &notes("a\n\nb"), &notes("a\n\nc"));
    assert_eq!(both, clear(&notes("a\n\nb\n\nc")));
}

#[test]
fn a_description_that_both_changed_has_markers_in_it() {
    let with = |text: &str| format!("\n# T\n\n## Description\n\n{text}\n\n## Links\n\nl\n");
    let conflict = "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs";
    let (text, conflicts) = merged(&with("a\nx"), &with("a\nb"), &with("a\nc"));
    assert_eq!((text, conflicts), (with(conflict), vec!["description".to_owned()]));
}

#[test]
fn criteria_are_merged_by_number() {
    for (base, ours, theirs, both) in [
        (
            "- [ ] #1 a\n- [ ] #2 b\n",
            "- [x] #1 a\n- [ ] #2 b\n",
            "- [ ] #1 a\n- [x] #2 b\n",
            "- [x] #1 a\n- [x] #2 b\n",
        ),
        (
            "- [ ] #1 a\n",
            "- [ ] #1 a\n- [x] #2 b\n",
            "- [x] #1 a\n- [x] #2 c\n- [ ] #3 d\n",
            "- [x] #1 a\n- [x] #2 b\n- [x] #3 c\n- [ ] #4 d\n",
        ),
        (
            "- [ ] #1 a\n- [ ] #2 b\n",
            "- [ ] #1 a\n- [ ] #2 b\n- [ ] #3 c\n",
            "- [ ] #2 b\n",
            "- [ ] #2 b\n- [ ] #3 c\n",
        ),
        ("- [ ] #1 a\n", "- [x] #1 a\n- [ ] #2 b\n", "- [ ] #1 A\n", "- [ ] #1 A\n- [ ] #2 b\n"),
        (
            "- [ ] #1 a\n",
            "- [ ] #1 a\n- [ ] #2 b\n",
            "- [ ] #1 a\n- [x] #2 b\n",
            "- [ ] #1 a\n- [x] #2 b\n",
        ),
        (
            "- [ ] #1 a\n- [ ] #2 b\n",
            "- [ ] #2 b\n",
            "- [ ] #1 A\n- [ ] #2 b\n",
            "- [ ] #2 b\n- [ ] #3 A\n",
        ),
    ] {
        let result = merged(&criteria(base), &criteria(ours), &criteria(theirs));
        assert_eq!(result, clear(&criteria(both)), "{base:?} {ours:?} {theirs:?}");
    }
}

#[test]
fn a_criterion_that_both_reworded_is_there_twice_between_markers() {
    let [base, ours, theirs] = ["- [ ] #1 a\n", "- [x] #1 b\n", "- [ ] #1 c\n"].map(criteria);
    let both = "<<<<<<< ours\n- [x] #1 b\n=======\n- [ ] #1 c\n>>>>>>> theirs\n";
    assert_eq!(merged(&base, &ours, &theirs), (criteria(both), vec!["criteria".to_owned()]));
}

#[test]
fn other_sections_are_merged_by_lines() {
    let with = |links: &str| format!("\nintro\n\n## Links\n\n{links}\n\n## Description\n\nd\n");
    assert_eq!(
        merged(&with("a\nb\nc"), &with("A\nb\nc"), &with("a\nb\nC")),
        clear(&with("A\nb\nC"))
    );
    let none = "\nintro\n\n## Description\n\nd\n";
    assert_eq!(merged(&with("a"), &with("a"), none), clear(none));
    assert_eq!(merged(&with("a"), none, &with("a")), clear(none));
    let (text, conflicts) = merged(&with("a"), none, &with("b"));
    assert_eq!(conflicts, ["section links"]);
    assert!(text.contains("## Links\n\n<<<<<<< ours\n=======\nb\n>>>>>>> theirs\n"), "{text}");
}

#[test]
fn text_in_an_unexpected_place_is_not_lost() {
    let with = |inner: &str, d: &str| {
        format!(
            "\n## Description\n\n{d}\n\n## Acceptance Criteria\n\n<!-- AC:BEGIN -->\n- [ ] #1 a\n{inner}<!-- AC:END -->\n"
        )
    };
    let result = merged(&with("", "d"), &with("", "e"), &with("said\n", "d"));
    assert_eq!(result, clear(&with("said\n", "e")));
}
