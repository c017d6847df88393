//! Tests of the interpretation of front matter.

use jiff::Timestamp;

use super::front;
use crate::document::front::{BrokenTask, FilePortion, FrontMatter, FrontMatterWarning, TaskLease};
use crate::{Priority, TaskStatus};

fn with(lines: &str) -> FrontMatter {
    front(&format!("id: TASK-001\ntitle: x\nstatus: Done\n{lines}\n"))
}

fn line_and_message(yaml: &str) -> (usize, String) {
    match FrontMatter::read(yaml) {
        Err(BrokenTask::Yaml { line, message }) => (line, message),
        other => panic!("{other:?} is not about YAML"),
    }
}

#[test]
fn front_matter_of_the_usual_form_is_understood() {
    let front = front(
        "id: task-12\ntitle: \"Do: it\"\nstatus: in-progress\npriority: HIGH\nassignee: ann\n\
         labels: [a, \"b c\"]\ndependencies:\n  - TASK-1\n  - 2\nparent: TASK-9\n\
         dueDate: 2026-12-31\nleaseUntil: \"2026-01-01T00:00:00.000Z\"\nleaseRun: r1\n\
         createdAt: \"2026-01-01T00:00:00.000Z\"\nupdatedAt: 2026-01-02\nother: thing\n",
    );
    assert_eq!((front.id.as_str(), front.title.as_str()), ("task-12", "Do: it"));
    assert_eq!((front.status, front.priority), (TaskStatus::InProgress, Some(Priority::High)));
    assert_eq!(front.assignee.as_deref(), Some("ann"));
    assert_eq!((front.labels, front.dependencies), (list(&["a", "b c"]), list(&["TASK-1", "2"])));
    assert_eq!(front.parent.as_deref(), Some("TASK-9"));
    assert_eq!(front.due_date.as_deref(), Some("2026-12-31"));
    assert_eq!(front.created_at.as_deref(), Some("2026-01-01T00:00:00.000Z"));
    assert_eq!(front.updated_at.as_deref(), Some("2026-01-02"));
    let lease = front.lease.expect("it is taken");
    assert_eq!(lease.until.map(Timestamp::as_second), Some(1_767_225_600));
    assert_eq!(lease.run.as_deref(), Some("r1"));
    assert_eq!(front.warnings, []);
}

fn list(items: &[&str]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

#[test]
fn scalars_are_the_text_that_they_are_written_as() {
    for (yaml, title) in [
        ("title: 012", "012"),
        ("title: no", "no"),
        ("title: 1e3 # x", "1e3"),
        ("title: 'null'", "null"),
        ("title: !!str ~", "~"),
        ("title: >-\n  two\n  lines", "two lines"),
        ("title: |\n  two\n  lines", "two\nlines"),
        ("title: |+\n  two\n\n", "two"),
        ("title: \"\\u00e4\\n\"", "ä\n"),
        ("title: over\n  two lines", "over two lines"),
        ("x: &t text\ntitle: *t", "text"),
        ("\"title\" : x", "x"),
        ("? title\n: x", "x"),
        ("# first\n\ntitle: x\n...", "x"),
    ] {
        assert_eq!(front(&format!("id: TASK-1\n{yaml}\n")).title, title, "{yaml}");
        let crlf = format!("id: TASK-1\n{yaml}\n").replace('\n', "\r\n");
        assert_eq!(front(&crlf).title, title, "{yaml}");
    }
    assert_eq!(front("{id: TASK-1, title: x}\n").title, "x");
}

#[test]
fn an_alias_of_a_list_is_the_list() {
    let aliased = with("base: &base [TASK-1, TASK-2]\ndependencies: *base");
    assert_eq!((aliased.dependencies, aliased.warnings), (list(&["TASK-1", "TASK-2"]), vec![]));
    let (line, message) = line_and_message("id: TASK-1\ndependencies: &self [*self]\n");
    assert_eq!((line, message.as_str()), (3, "an alias is within its own anchor"));
    let doubled = (1..40).map(|n| format!("k{n}: &k{n} [*k{}, *k{}]\n", n - 1, n - 1));
    let laughs = format!("k0: &k0 [a]\n{}", doubled.collect::<String>());
    let (_, message) = line_and_message(&laughs);
    assert_eq!(message, "its aliases repeat too much text");
}

#[test]
fn labels_are_a_list_or_a_single_text_or_nothing() {
    for (yaml, labels) in [
        ("labels: bug", &["bug"][..]),
        ("labels: a, b", &["a", "b"]),
        ("labels: [a, '', ~, \"b, c\"]", &["a", "b, c"]),
        ("labels:\n- a\n-\n- 'b'", &["a", "b"]),
        ("labels: [\n  a, # one\n  b\n  ]", &["a", "b"]),
        ("labels:", &[]),
        ("labels: null", &[]),
        ("labels: ''", &[]),
    ] {
        assert_eq!((with(yaml).labels, with(yaml).warnings), (list(labels), vec![]), "{yaml}");
    }
    assert_eq!(with("assignee: ['@ann', bob]").assignee.as_deref(), Some("@ann, bob"));
    assert_eq!(with("assignee: []").assignee, None);
}

#[test]
fn odd_values_are_reported_and_ignored() {
    let odd = |key| vec![FrontMatterWarning::InvalidValue(key)];
    for (yaml, warnings) in [
        ("priority: urgent", vec![FrontMatterWarning::UnknownPriority("urgent".to_owned())]),
        ("priority: [high]", odd("priority")),
        ("assignee: {name: ann}", odd("assignee")),
        ("labels: [a, [b]]", odd("labels")),
        ("labels: {a: b}", odd("labels")),
        ("x: &x [a]\nlabels: [*x]", odd("labels")),
        ("due_date: [a]", odd("dueDate")),
    ] {
        let front = with(yaml);
        assert_eq!(front.warnings, warnings, "{yaml}");
        assert_eq!((front.priority, front.assignee, front.due_date), (None, None, None));
        assert_eq!(front.labels, [""; 0]);
    }
    for (status, warning) in [
        ("status: finished", FrontMatterWarning::UnknownStatus("finished".to_owned())),
        ("status: ~", FrontMatterWarning::NoStatus),
        ("x: y", FrontMatterWarning::NoStatus),
        ("status: {a: b}", FrontMatterWarning::InvalidValue("status")),
    ] {
        let front = front(&format!("id: TASK-1\ntitle: x\n{status}\n"));
        assert_eq!((front.status, front.warnings), (TaskStatus::ToDo, vec![warning]), "{status}");
    }
}

#[test]
fn a_lease_is_there_if_either_of_its_keys_is() {
    assert_eq!(with("x: y").lease, None);
    assert_eq!(with("leaseUntil: soon").lease, Some(TaskLease::default()));
    let run = Some("7".to_owned());
    assert_eq!(with("leaseRun: 7").lease, Some(TaskLease { until: None, run, lane: None }));
}

#[test]
fn the_names_of_other_programs_count_unless_ours_are_there() {
    assert_eq!(with("created_date: a\nparent_task_id: b").created_at.as_deref(), Some("a"));
    assert_eq!(with("parent_task_id: b").parent.as_deref(), Some("b"));
    for yaml in ["updated_at: a\nupdatedAt: b", "updatedAt: b\nupdated_at: a"] {
        assert_eq!(with(yaml).updated_at.as_deref(), Some("b"));
    }
}

#[test]
fn without_an_id_or_a_title_it_is_no_task() {
    for (yaml, broken) in [
        ("", BrokenTask::NoId),
        ("title: x\n", BrokenTask::NoId),
        ("id: ''\ntitle: x\n", BrokenTask::NoId),
        ("id: seven\ntitle: x\n", BrokenTask::BadId("seven".to_owned())),
        ("id: [TASK-1]\ntitle: x\n", BrokenTask::BadId("[…]".to_owned())),
        ("id: {a: b}\ntitle: x\n", BrokenTask::BadId("{…}".to_owned())),
        ("id: TASK-1\n", BrokenTask::NoTitle),
        ("id: TASK-1\ntitle: [x]\n", BrokenTask::NoTitle),
    ] {
        assert_eq!(FrontMatter::read(yaml), Err(broken), "{yaml}");
    }
}

#[test]
fn a_merge_conflict_is_reported_as_one() {
    let yaml = "id: TASK-1\ntitle: T\n<<<<<<< HEAD\nstatus: Done\n=======\nstatus: To Do\n>>>>>>> theirs\n";
    assert_eq!(FrontMatter::read(yaml), Err(BrokenTask::Conflict));
}

#[test]
fn mistakes_are_reported_with_their_line_in_the_file() {
    for (yaml, line, message) in [
        (
            "id: TASK-1\ntitle: a: b\n",
            3,
            "mapping values are not allowed in this context; a text with `: ` in it needs quotes",
        ),
        ("id: TASK-1\nx: 1\nid: TASK-2\n", 4, "the key `id` is there twice"),
        ("x: 1\r\n\"x\": 2\r\n", 3, "the key `x` is there twice"),
        ("# c\n- a\n", 3, "it is not made of lines like `key: value`"),
        ("id: TASK-1\n--- x\n", 3, "it ends here, and something else begins"),
    ] {
        assert_eq!(line_and_message(yaml), (line, message.to_owned()), "{yaml:?}");
    }
    let long = format!("{0}: 1\n{0}: 2\n", "x".repeat(500));
    assert!(line_and_message(&long).1.len() < 100);
}

#[test]
fn front_matter_is_read_from_the_first_bytes_of_a_file() {
    let start = b"---\nid: TASK-1\ntitle: x\n---\n\xff\xff";
    let read = |bytes: &[u8], portion| {
        FrontMatter::read_start(bytes, portion).map(|front| front.map(|front| front.title))
    };
    assert_eq!(read(start, FilePortion::FirstBytes), Ok(Some("x".to_owned())));
    assert_eq!(read(&start[..27], FilePortion::FirstBytes), Ok(None));
    assert_eq!(read(&start[..27], FilePortion::WholeFile), Ok(Some("x".to_owned())));
    assert_eq!(
        read(b"---\ntitle: \xffx\n---\n", FilePortion::FirstBytes),
        Err(BrokenTask::NotText(11))
    );
    assert_eq!(read(b"# Notes\n", FilePortion::FirstBytes), Err(BrokenTask::NoFrontMatter));
}
