//! Tests of single edits.

use super::{remove, set, set_list};
use crate::document::Newline;
use crate::document::front::{FrontEdit, FrontEditError, FrontKey, FrontValue, edit};

#[track_caller]
fn check(before: &str, change: &FrontEdit, after: &str) {
    let edits = std::slice::from_ref(change);
    assert_eq!(edit(before, Newline::Lf, edits, None).as_deref(), Ok(after), "{before:?}");
    let (before, after) = (before.replace('\n', "\r\n"), after.replace('\n', "\r\n"));
    assert_eq!(edit(&before, Newline::CrLf, edits, None).as_deref(), Ok(&*after), "{before:?}");
}

#[track_caller]
fn refused(before: &str, change: &FrontEdit) {
    let result = edit(before, Newline::Lf, std::slice::from_ref(change), None);
    assert_eq!(result, Err(FrontEditError { key: change.key }), "{before:?}");
}

#[test]
fn a_text_is_replaced_and_the_comment_behind_it_stays() {
    let done = set(FrontKey::Status, "Done");
    check("status: To Do\n", &done, "status: Done\n");
    check(
        "a: 1\n'status' :  \"To Do\"  # now\nb: 2\n",
        &done,
        "a: 1\n'status' :  Done  # now\nb: 2\n",
    );
    check("status:   # now\n", &done, "status: Done   # now\n");
    check("status:", &done, "status: Done");
    check("status: ~\n", &done, "status: Done\n");
    check("status:\n  Blocked # why\n", &done, "status:\n  Done # why\n");
    check("status: To\n  Do # now\nb: 2\n", &done, "status: Done # now\nb: 2\n");
    check(
        "status: >- # now\n  To\n  Do\n\n# b\nb: 2\n",
        &done,
        "status: Done # now\n\n# b\nb: 2\n",
    );
    check("status: |+\n  a\n\n\nb: 2\n", &done, "status: Done\nb: 2\n");
    check("a: &a x\nstatus: *a # now\n", &done, "a: &a x\nstatus: Done # now\n");
    check("a: &a |\n  x\nstatus: *a # now\n", &done, "a: &a |\n  x\nstatus: Done # now\n");
    check("  a: 1\n  status: x\n", &done, "  a: 1\n  status: Done\n");
}

#[test]
fn a_text_keeps_its_quotes_only_if_it_needs_some() {
    let no = set(FrontKey::Title, "no");
    check("title: x\n", &no, "title: \"no\"\n");
    check("title: 'x'\n", &no, "title: 'no'\n");
    check("title: \"x\"\n", &no, "title: \"no\"\n");
    check("title: 'x'\n", &set(FrontKey::Title, "z"), "title: z\n");
    check("title: 'x'\n", &set(FrontKey::Title, "a\nb"), "title: \"a\\nb\"\n");
    let now =
        FrontEdit { key: FrontKey::UpdatedAt, value: Some(FrontValue::Quoted("now".to_owned())) };
    check("updatedAt: 'x'\n", &now, "updatedAt: 'now'\n");
    check("updatedAt: 2026-01-01\n", &now, "updatedAt: \"now\"\n");
}

#[test]
fn a_value_that_already_reads_as_wanted_is_unchanged() {
    for (text, change) in [
        ("status:   done # x\n", set(FrontKey::Status, "Done")),
        ("priority: 'HIGH'\n", set(FrontKey::Priority, "high")),
        ("title: >-\n  a\n  b\n", set(FrontKey::Title, "a b")),
        ("labels: a, b\n", set_list(FrontKey::Labels, &["a", "b"])),
        ("assignee: [a, b]\n", set(FrontKey::Assignee, "a, b")),
        ("{id: TASK-1}\n", set(FrontKey::Id, "TASK-1")),
        ("id: TASK-1\n", set(FrontKey::Assignee, "")),
        ("id: TASK-1\n", set_list(FrontKey::Labels, &[""])),
        ("id: TASK-1\n", remove(FrontKey::Labels)),
        ("", remove(FrontKey::Labels)),
    ] {
        check(text, &change, text);
    }
    // An unknown status reads as To Do, but is not written so.
    check("status: finished\n", &set(FrontKey::Status, "To Do"), "status: To Do\n");
}

#[test]
fn a_new_key_gets_its_place_in_the_order() {
    let low = set(FrontKey::Priority, "low");
    check(
        "id: a\nstatus: x # y\n# c\nlabels: []\n",
        &low,
        "id: a\nstatus: x # y\npriority: low\n# c\nlabels: []\n",
    );
    check("id: a\nx:\n  - b\n", &low, "id: a\npriority: low\nx:\n  - b\n");
    check("title: |\n  a\n\n  b\n\n# c\n", &low, "title: |\n  a\n\n  b\npriority: low\n\n# c\n");
    check("title: |\n  a\n     \nx: 1\n", &low, "title: |\n  a\n     \npriority: low\nx: 1\n");
    check("title: |+\n  a\n\nx: 1\n", &low, "title: |+\n  a\n\npriority: low\nx: 1\n");
    check("x: 1\n\n# labels\nlabels: []\n", &low, "x: 1\n\npriority: low\n# labels\nlabels: []\n");
    check("x: 1\n# c\n", &low, "x: 1\n# c\npriority: low\n");
    check("", &low, "priority: low\n");
    check("  id: a\n", &low, "  id: a\n  priority: low\n");
    check("id: a", &low, "id: a\npriority: low");
    check("id: a\n", &set_list(FrontKey::Labels, &["b", "c: d"]), "id: a\nlabels: [b, \"c: d\"]\n");
}

#[test]
fn a_removed_key_takes_its_lines_along_and_nothing_else() {
    let gone = remove(FrontKey::Labels);
    check("id: a\n# c\nlabels: [a] # d\n\nx: 1\n", &gone, "id: a\n# c\n\nx: 1\n");
    check("labels:\n  - a\n  # b\n  - c\n  # d\nx: 1\n", &gone, "  # d\nx: 1\n");
    check("labels: [\n  a\n  ] # c\nx: 1\n", &gone, "x: 1\n");
    check("labels: a\n", &gone, "");
    check("created_at: a\nx: 1\ncreatedAt: b\n", &remove(FrontKey::CreatedAt), "x: 1\n");
    check("title: |\n  a\n\n  b\n\n\n# c\n", &remove(FrontKey::Title), "\n\n# c\n");
}

#[test]
fn an_empty_key_stays_with_its_comment_when_it_is_removed() {
    for yaml in ["assignee:   # who\nx: 1\n", "assignee: ~ # who\n", "assignee: ''\n"] {
        check(yaml, &remove(FrontKey::Assignee), yaml);
    }
}

#[test]
fn the_name_that_another_program_gave_a_key_stays() {
    let day = set(FrontKey::DueDate, "2026-12-31");
    check("due_date: x\n", &day, "due_date: \"2026-12-31\"\n");
    check("due_date: x\ndueDate: y\n", &day, "due_date: x\ndueDate: \"2026-12-31\"\n");
}

#[test]
fn a_list_in_brackets_stays_one_and_keeps_its_other_items() {
    let wanted = |items: &[&str]| set_list(FrontKey::Labels, items);
    let list = "labels: [ a, 'b' , \"c\" ] # d\n";
    check(list, &wanted(&["a", "b", "c", "no"]), "labels: [ a, 'b' , \"c\", \"no\" ] # d\n");
    check(list, &wanted(&["b", "c"]), "labels: [ 'b' , \"c\" ] # d\n");
    check(list, &wanted(&["a", "c"]), "labels: [ a , \"c\" ] # d\n");
    check(list, &wanted(&["a"]), "labels: [ a ] # d\n");
    check(list, &wanted(&["x", "b", "z"]), "labels: [ x, 'b', z ] # d\n");
    check(list, &wanted(&[]), "labels: [] # d\n");
    check("labels: []\n", &wanted(&["a", "b"]), "labels: [a, b]\n");
    let lines = "labels: [\n  a, # one\n  b, # two\n  c # three\n]\n";
    check(lines, &wanted(&["b", "c"]), "labels: [\n   # one\n  b, # two\n  c # three\n]\n");
    check(lines, &wanted(&["a"]), "labels: [\n  a, # one\n   # two\n   # three\n]\n");
    check(
        lines,
        &wanted(&["a", "b", "c", "d"]),
        "labels: [\n  a, # one\n  b, # two\n  c, d # three\n]\n",
    );
    check("assignee: ['@ann']\n", &set(FrontKey::Assignee, "bob"), "assignee: [bob]\n");
}

#[test]
fn a_list_of_lines_stays_one_and_keeps_its_other_lines() {
    let wanted = |items: &[&str]| set_list(FrontKey::Labels, items);
    let list = "labels: # words\n  - a # one\n  # two\n  -   'b'\n# end\nx: 1\n";
    check(list, &wanted(&["a", "b", "c"]), &list.replace("'b'\n", "'b'\n  - c\n"));
    check(list, &wanted(&["b"]), &list.replace("  - a # one\n", ""));
    check(list, &wanted(&["a", "x", "b"]), &list.replace("one\n", "one\n  - x\n"));
    check(list, &wanted(&["no"]), "labels: # words\n  - \"no\"\n  # two\n# end\nx: 1\n");
    check(list, &wanted(&[]), "labels: [] # words\n  # two\n# end\nx: 1\n");
    check("labels:\n- a\n-\n- b\n", &wanted(&["b", "c"]), "labels:\n-\n- b\n- c\n");
    check("labels:\n  - a", &wanted(&["a", "b"]), "labels:\n  - a\n  - b");
    check("labels: a, b # c\n", &wanted(&["a", "b", "c"]), "labels: [a, b, c] # c\n");
}

#[test]
fn an_edit_that_would_change_something_else_is_refused() {
    let done = set(FrontKey::Status, "Done");
    for yaml in [
        "{status: x}\n",
        "{\nstatus: x,\n}\n",
        "? status\n: x\n",
        "status: &s x\ny: *s\n",
        "status: &s x\n",
        "status: !!str x\n",
        "status: {a: b}\n",
        "status: [a]\n",
        "&k status: x\n",
        "!!map\nstatus: x\n",
        "status: x\nstatus: y\n",
        "status: x\ra: b\r",
        "\tstatus: x\n",
        "- status\n",
        "status: \"x\n",
        "a: |+\n  b\n...\n",
    ] {
        refused(yaml, &done);
    }
    refused("labels: [a, {b: c}]\n", &set_list(FrontKey::Labels, &["a"]));
    refused("labels: [&l a, b]\n", &set_list(FrontKey::Labels, &["b"]));
    refused("labels: {b: c}\n", &remove(FrontKey::Labels));
    refused("labels: &l [a]\nx: *l\n", &remove(FrontKey::Labels));
    refused("a: |+\n  b\nlabels: c\n\nd: e\n", &remove(FrontKey::Labels));
}

#[test]
fn edits_are_applied_together_or_not_at_all() {
    let before = "id: TASK-1\ntitle: x\nlabels: {a: b}\n";
    let edits = [set(FrontKey::Title, "y"), set_list(FrontKey::Labels, &["z"])];
    assert_eq!(
        edit(before, Newline::Lf, &edits, None),
        Err(FrontEditError { key: FrontKey::Labels })
    );
    assert_eq!(edit(before, Newline::Lf, &[], None).as_deref(), Ok(before));
    let error = FrontEditError { key: FrontKey::DueDate }.to_string();
    assert!(error.starts_with("`dueDate` cannot be changed without"), "{error}");
}

#[test]
fn the_refusal_of_several_edits_names_the_key_that_cannot_be_changed() {
    let before = "id: TASK-1\ntitle: x\na: |+\n  b\nlabels: c\n\nd: e\n";
    let edits = [set(FrontKey::Title, "y"), remove(FrontKey::Labels)];
    assert_eq!(
        edit(before, Newline::Lf, &edits, None),
        Err(FrontEditError { key: FrontKey::Labels })
    );
}

#[test]
fn a_comment_goes_with_the_value_or_item_that_is_removed() {
    let wanted = |items: &[&str]| set_list(FrontKey::Labels, items);
    check("labels:\n  - a # one\n  - b # two\n", &wanted(&["b"]), "labels:\n  - b # two\n");
    check("labels: [\n  a, # one\n  b # two\n]\n", &wanted(&[]), "labels: []\n");
    check("assignee: ada # who\nx: 1\n", &remove(FrontKey::Assignee), "x: 1\n");
}

#[test]
fn an_alias_of_a_list_is_not_edited() {
    let yaml = "base: &base [a, b]\nlabels: *base\n";
    check(yaml, &set_list(FrontKey::Labels, &["a", "b"]), yaml);
    refused(yaml, &set_list(FrontKey::Labels, &["a"]));
    check(yaml, &remove(FrontKey::Labels), "base: &base [a, b]\n");
}

#[test]
fn keys_are_changed_inserted_and_removed_in_one_pass() {
    let before =
        "id: TASK-1\ntitle: x # t\nstatus: To Do\nleaseUntil: a\nleaseRun: b\nlabels: [a]\n";
    let edits = [
        set_list(FrontKey::Labels, &["a", "b"]),
        set(FrontKey::Status, "Done"),
        remove(FrontKey::LeaseUntil),
        remove(FrontKey::LeaseRun),
        set(FrontKey::Assignee, "ada"),
        set(FrontKey::Priority, "high"),
    ];
    let stamp = set(FrontKey::UpdatedAt, "now");
    let after = "id: TASK-1\ntitle: x # t\nstatus: Done\npriority: high\nassignee: ada\n\
                 updatedAt: now\nlabels: [a, b]\n";
    assert_eq!(edit(before, Newline::Lf, &edits, Some(&stamp)).as_deref(), Ok(after));
    let again = edit(after, Newline::Lf, &edits, Some(&set(FrontKey::UpdatedAt, "later")));
    assert_eq!(again.as_deref(), Ok(after), "nothing changes, so there is no stamp");
    let twice = [set(FrontKey::Status, "Blocked"), set(FrontKey::Status, "Done")];
    assert_eq!(edit("status: x\n", Newline::Lf, &twice, None).as_deref(), Ok("status: Done\n"));
}

#[test]
fn a_new_key_is_inserted_below_the_new_items_of_the_list_above_it() {
    let edits = [set(FrontKey::Title, "x"), set_list(FrontKey::Labels, &["a", "b"])];
    assert_eq!(
        edit("labels:\n- a\nstatus: To Do\n", Newline::Lf, &edits, None).as_deref(),
        Ok("labels:\n- a\n- b\ntitle: x\nstatus: To Do\n")
    );
}
