//! Front matter: what becomes of a key that both sides changed.

use super::{document, merge};
use crate::merge::merge_task;

fn front(lines: &str) -> String {
    format!("---\nid: TASK-1\ntitle: T\n{lines}---\n\n## Description\n\nText\n")
}

/// Merges lines of front matter and returns the merged ones, and the names of the conflicts.
fn merged(base: &str, ours: &str, theirs: &str) -> (String, Vec<String>) {
    let texts = [base, ours, theirs].map(front);
    let merged = merge([&texts[0], &texts[1], &texts[2]]);
    let text = merged.document.text().to_owned();
    merged.document.front().expect("it stays a task");
    let lines = text.strip_prefix("---\nid: TASK-1\ntitle: T\n").expect("the rest is the same");
    let lines =
        lines.strip_suffix("---\n\n## Description\n\nText\n").expect("the rest is the same");
    (lines.to_owned(), merged.conflicts)
}

fn clear(lines: &str) -> (String, Vec<String>) {
    (lines.to_owned(), Vec::new())
}

#[test]
fn what_one_side_changed_is_as_that_side_wrote_it() {
    for (base, ours, theirs, expected) in [
        ("", "due: a\n", "", "due: a\n"),
        (
            "status: To Do\n",
            "status: To Do\n",
            "status: 'Done' # at last\n",
            "status: 'Done' # at last\n",
        ),
        ("x: 1\ny: 2\n", "x: 1\n", "x: 1\ny: 2\n", "x: 1\n"),
        ("x: 1\ny: 2\n", "x: 1\ny: 2\n", "y: 2\n", "y: 2\n"),
        ("x: 1\n", "x: 1\n", "x: {a: [b]}\n", "x: {a: [b]}\n"),
        ("", "a: 1\n", "# why\nb: 2\n", "# why\nb: 2\na: 1\n"),
        ("priority: low\n", "priority: high\n", "priority: 'low'\n", "priority: high\n"),
        ("x: 1\n", "x: 2\n", "x: 2\n", "x: 2\n"),
    ] {
        assert_eq!(merged(base, ours, theirs), clear(expected), "{base:?} {ours:?} {theirs:?}");
    }
}

#[test]
fn times_sets_and_leases_never_conflict() {
    for (base, ours, theirs, expected) in [
        (
            "updatedAt: \"2026-11-15T10:00:00Z\"\n",
            "updatedAt: \"2026-11-15T11:00:00Z\"\n",
            "updatedAt: \"2026-11-15T13:00:00+01:00\"\n",
            "updatedAt: \"2026-11-15T13:00:00+01:00\"\n",
        ),
        ("labels: [a, b]\n", "labels: [a, c]\n", "labels: [b, d]\n", "labels: [c, d]\n"),
        ("labels:\n- a\n", "labels:\n- a\n- b\n", "labels:\n- c\n", "labels:\n- b\n- c\n"),
        (
            "dependencies: [TASK-2]\n",
            "dependencies: [TASK-2, TASK-3]\n",
            "dependencies: [TASK-2, task-03, TASK-4]\n",
            "dependencies: [TASK-2, TASK-3, TASK-4]\n",
        ),
        (
            "",
            "leaseUntil: \"2026-11-15T12:00:00Z\"\nleaseRun: k3v\n",
            "leaseUntil: \"2026-11-15T13:00:00Z\"\nleaseRun: m2x\nleaseLane: 2\n",
            "leaseUntil: \"2026-11-15T13:00:00Z\"\nleaseRun: m2x\nleaseLane: 2\n",
        ),
        ("landing: k3v/1\n", "landing: k3v/1\n", "", ""),
        (
            "updatedAt: 2026-11-15\n",
            "landing: k3v/1\nupdatedAt: 2026-11-16\n",
            "landing: k3v/2\nupdatedAt: 2026-11-17\n",
            "landing: k3v/2\nupdatedAt: 2026-11-17\n",
        ),
    ] {
        assert_eq!(merged(base, ours, theirs), clear(expected), "{base:?} {ours:?} {theirs:?}");
    }
}

#[test]
fn done_wins_over_work_and_ends_the_lease() {
    let claimed = "status: In Progress\nleaseUntil: \"2026-11-15T12:00:00Z\"\nleaseRun: k3v\n";
    let (open, done) = ("status: To Do\n", "status: Done\n");
    assert_eq!(merged(open, claimed, done), clear(done));
    assert_eq!(merged(open, done, claimed), clear(done));
    let (text, conflicts) = merged(open, "status: Blocked\n", done);
    assert_eq!(conflicts, ["status"]);
    let marked = "# <<<<<<< ours\nstatus: Blocked\n# =======\n# status: Done\n# >>>>>>> theirs\n";
    assert_eq!(text, marked);
}

#[test]
fn done_with_an_open_criterion_is_a_question() {
    let with = |status: &str| {
        format!(
            "---\nid: TASK-1\ntitle: T\nstatus: {status}\n---\n\n## Acceptance Criteria\n- [ ] a\n"
        )
    };
    let merged = merge([&with("To Do"), &with("In Progress"), &with("Done")]);
    assert_eq!(merged.conflicts, ["status"]);
}

#[test]
fn a_conflict_is_marked_in_comments_around_its_key() {
    let (text, conflicts) =
        merged("x: 1\npriority: low\n", "x: 2\n", "x: |\n  a\n  b\npriority: high\n");
    let expected = "# <<<<<<< ours\nx: 2\n# =======\n# x: |\n#   a\n#   b\n# >>>>>>> theirs\n\
                    # <<<<<<< ours\n# =======\n# priority: high\n# >>>>>>> theirs\n";
    assert_eq!((text.as_str(), conflicts), (expected, vec!["x".to_owned(), "priority".to_owned()]));
}

#[test]
fn files_that_both_sides_added_are_merged_without_a_base() {
    let ours = front("labels: [a]\ncreatedAt: 2026-11-16\nupdatedAt: 2026-11-16\n");
    let theirs =
        front("labels: [b]\npriority: low\ncreatedAt: 2026-11-15\nupdatedAt: 2026-11-15\n");
    let merged = merge_task(None, &document(&ours), &document(&theirs)).expect("they are tasks");
    let both = "labels: [a, b]\npriority: low\ncreatedAt: 2026-11-15\nupdatedAt: 2026-11-16\n";
    assert_eq!((merged.document.text(), merged.conflicts), (front(both).as_str(), Vec::new()));
}

#[test]
fn line_ends_of_our_file_are_kept() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let base = front("status: To Do\n");
    let ours = crlf(&front("status: To Do\nlabels: [a]\n"));
    let merged = merge([&base, &ours, &front("status: Done\n")]);
    assert_eq!(merged.document.text(), crlf(&front("status: Done\nlabels: [a]\n")));
    let merged = merge([&base, ours.trim_end(), &front("status: Done\n")]);
    assert_eq!(merged.document.text(), crlf(&front("status: Done\nlabels: [a]\n")).trim_end());
}

#[test]
fn front_matter_that_cannot_be_changed_in_parts_is_refused() {
    let flow = |status: &str| format!("---\n{{id: TASK-1, title: T, {status}}}\n---\n");
    let [base, ours, theirs] = ["a: 1", "a: 2", "b: 1"].map(|rest| document(&flow(rest)));
    assert_eq!(merge_task(Some(&base), &ours, &theirs), None);
}
