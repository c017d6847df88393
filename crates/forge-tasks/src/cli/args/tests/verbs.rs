//! Every verb with every option it has.

use std::path::PathBuf;
use std::time::Duration;

use typeset::color_mode::ColorMode;

use super::read;
use crate::actions::{NewTask, TaskEdit};
use crate::cli::args::{GraphFormat, SetOrClear, TaskFilter, TasksOutputFormat, TasksVerb};
use crate::{DueDate, IdQuery, Priority, TaskStatus};

fn ids(texts: &[&str]) -> Vec<IdQuery> {
    texts.iter().map(|text| IdQuery::parse(text).expect("it is an id")).collect()
}

fn id(text: &str) -> IdQuery {
    IdQuery::parse(text).expect("it is an id")
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn date(text: &str) -> DueDate {
    DueDate::parse(text).expect("it is a date")
}

fn created(words: &[&str]) -> NewTask {
    match read(&[&["create"], words].concat()).verb {
        TasksVerb::Create(args) => args.new_task(),
        other => panic!("{other:?}"),
    }
}

fn edited(words: &[&str]) -> Option<TaskEdit> {
    match read(&[&["edit", "1"], words].concat()).verb {
        TasksVerb::Edit(args) => args.change(),
        other => panic!("{other:?}"),
    }
}

fn listed(words: &[&str]) -> (TaskFilter, [bool; 2]) {
    match read(&[&["list"], words].concat()).verb {
        TasksVerb::List(args) => (args.filter.clone(), [args.ready, args.blocked]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn global_options_are_read_before_and_after_the_verb() {
    for (words, format) in [
        (&["list"][..], TasksOutputFormat::Human),
        (&["--plain", "list"], TasksOutputFormat::Plain),
        (&["list", "--plain"], TasksOutputFormat::Plain),
        (&["--json", "list"], TasksOutputFormat::Json),
        (&["list", "--json", "--plain"], TasksOutputFormat::Json),
        (&["--json", "list", "--plain"], TasksOutputFormat::Json),
        (&["--plain", "list", "--json"], TasksOutputFormat::Json),
        (&["list", "--plain", "--plain"], TasksOutputFormat::Plain),
        (&["--json", "--json", "list", "--json", "--json"], TasksOutputFormat::Json),
    ] {
        assert_eq!(read(words).global.format(), format, "{words:?}");
    }
    for words in
        [&["--dir", "x", "--color", "never", "board"][..], &["board", "--dir=x", "--color=never"]]
    {
        let global = read(words).global;
        assert_eq!((global.dir, global.color), (Some(PathBuf::from("x")), ColorMode::Never));
    }
    assert_eq!(read(&["board"]).global.color, ColorMode::Auto);
}

#[test]
fn init_takes_a_prefix_and_a_name() {
    for words in
        [["-p", "BUG", "-n", "Shop", "-f"], ["--prefix", "BUG", "--name", "Shop", "--force"]]
    {
        let TasksVerb::Init(args) = read(&[&["init"], &words[..]].concat()).verb else { panic!() };
        assert_eq!(args.prefix.map(|prefix| prefix.to_string()), some("BUG"));
        assert_eq!((args.name, args.force), (some("Shop"), true));
    }
    let TasksVerb::Init(args) = read(&["init"]).verb else { panic!() };
    assert_eq!((args.prefix, args.name, args.force), (None, None, false));
}

#[test]
fn create_takes_everything_a_task_has() {
    let expected = NewTask {
        title: "Write it".to_owned(),
        description: some("One\nTwo"),
        priority: Some(Some(Priority::High)),
        assignee: some("ada"),
        labels: texts(&["a", "b", "c d"]),
        due_date: Some(date("2026-12-31")),
        depends_on: ids(&["1", "task-2", "3"]),
        criteria: texts(&["first, of all", "second\nline"]),
        parent: Some(id("7")),
    };
    let long = [
        "Write it",
        "--description",
        "One\\nTwo",
        "--priority",
        "HIGH",
        "--assignee",
        "ada",
        "--label",
        "a,b",
        "--label",
        "c d",
        "--due",
        "2026-12-31",
        "--depends-on",
        "1, task-2",
        "--depends-on",
        "3",
        "--ac",
        "first, of all",
        "--ac",
        "second\\nline",
        "--parent",
        "7",
    ];
    assert_eq!(created(&long), expected);
    let short = [
        "-d",
        "One\\nTwo",
        "-p",
        "high",
        "-aada",
        "-l",
        "a",
        "-l",
        "b,c d,",
        "--due=2026-12-31",
        "--depends-on=1,task-2,3",
        "--ac",
        "first, of all",
        "--ac",
        "second\\nline",
        "--parent=7",
        "Write it",
    ];
    assert_eq!(created(&short), expected);
}

#[test]
fn an_empty_value_is_none_in_create() {
    let empty = ["-d", "-p", "-a", "-l", "--due", "--depends-on", "--ac", "--parent"];
    let words: Vec<&str> = empty.iter().flat_map(|option| [*option, ""]).collect();
    // An empty priority means none, even if the config has a default.
    let expected = NewTask { title: "x".to_owned(), priority: Some(None), ..NewTask::default() };
    assert_eq!(created(&[&["x"], words.as_slice()].concat()), expected);
}

#[test]
fn a_title_is_one_line_and_keeps_its_backslashes() {
    assert_eq!(created(&[" a\n\tb\\nc "]).title, "a b\\nc");
}

#[test]
fn list_takes_every_filter() {
    let expected = TaskFilter {
        status: Some(TaskStatus::InProgress),
        priority: Some(SetOrClear::To(Priority::Low)),
        assignee: some("ada"),
        labels: texts(&["a", "b"]),
        parent: Some(SetOrClear::To(id("3"))),
        ..TaskFilter::default()
    };
    let long = [
        "--status",
        "in-progress",
        "--priority",
        "low",
        "--assignee",
        "ada",
        "--label",
        "a",
        "--label",
        "b",
        "--parent",
        "3",
    ];
    assert_eq!(listed(&long), (expected.clone(), [false; 2]));
    let short = ["-s", "In Progress", "-p", "LOW", "-a", "ada", "-l", "a,b", "--parent", "3"];
    assert_eq!(listed(&short), (expected, [false; 2]));
    assert_eq!(listed(&["--ready"]), (TaskFilter::default(), [true, false]));
    assert_eq!(listed(&["--blocked"]).1, [false, true]);
    let all = TaskFilter { all: true, ..TaskFilter::default() };
    assert_eq!(listed(&["--all"]).0, all);
    let archived = TaskFilter { archived: true, ..TaskFilter::default() };
    assert_eq!(listed(&["--archived"]).0, archived);
    assert!(matches!(read(&["ls"]).verb, TasksVerb::List(_)));
}

#[test]
fn list_takes_empty_filter_values() {
    let expected = TaskFilter {
        priority: Some(SetOrClear::Clear),
        assignee: some(""),
        parent: Some(SetOrClear::Clear),
        ..TaskFilter::default()
    };
    assert_eq!(listed(&["-p", "", "-a", "", "--parent", ""]).0, expected);
}

#[test]
fn view_and_release_take_an_id() {
    for verb in ["view", "show"] {
        let TasksVerb::View(args) = read(&[verb, "TASK-1"]).verb else { panic!("{verb}") };
        assert_eq!(args.id, id("TASK-1"));
    }
    let TasksVerb::Release(args) = read(&["release", "1"]).verb else { panic!() };
    assert_eq!(args.id, id("1"));
}

#[test]
fn edit_takes_every_field() {
    let words = [
        "-t",
        "New",
        "-d",
        "One\\nTwo",
        "-s",
        "done",
        "-p",
        "low",
        "-a",
        "ada",
        "--due",
        "2026-12-31",
        "--plan",
        "p",
        "--append-plan",
        "q",
        "--append-plan",
        "r\\ns",
        "--notes",
        "n",
        "--append-notes",
        "m",
        "--add-label",
        "a,b",
        "--remove-label",
        "c",
        "--add-dep",
        "1,2",
        "--remove-dep",
        "3",
        "--add-ac",
        "x, y",
        "--remove-ac",
        "1,2",
        "--check-ac",
        "3",
        "--check-ac",
        "#4",
        "--uncheck-ac",
        "5",
        "--parent",
        "9",
    ];
    let expected = TaskEdit {
        title: some("New"),
        description: some("One\nTwo"),
        status: Some(TaskStatus::Done),
        lane: None,
        priority: Some(Some(Priority::Low)),
        assignee: some("ada"),
        due_date: Some(Some(date("2026-12-31"))),
        plan: some("p"),
        append_plan: texts(&["q", "r\ns"]),
        notes: some("n"),
        append_notes: texts(&["m"]),
        add_labels: texts(&["a", "b"]),
        remove_labels: texts(&["c"]),
        add_dependencies: ids(&["1", "2"]),
        remove_dependencies: ids(&["3"]),
        add_criteria: texts(&["x, y"]),
        remove_criteria: vec![1, 2],
        check: vec![3, 4],
        uncheck: vec![5],
        parent: Some(Some(id("9"))),
    };
    assert_eq!(edited(&words), Some(expected.clone()));
    let long = words.map(|word| match word {
        "-t" => "--title",
        "-d" => "--description",
        "-s" => "--status",
        "-p" => "--priority",
        "-a" => "--assignee",
        other => other,
    });
    assert_eq!(edited(&long), Some(expected));
    assert!(matches!(read(&["update", "1", "-s", "done"]).verb, TasksVerb::Edit(_)));
}

#[test]
fn an_empty_value_clears_in_edit() {
    let clears = ["-d", "-p", "-a", "--due", "--plan", "--notes", "--parent"];
    let words: Vec<&str> = clears.iter().flat_map(|option| [*option, ""]).collect();
    let expected = TaskEdit {
        description: some(""),
        priority: Some(None),
        assignee: some(""),
        due_date: Some(None),
        plan: some(""),
        notes: some(""),
        parent: Some(None),
        ..TaskEdit::default()
    };
    assert_eq!(edited(&words), Some(expected));
}

#[test]
fn an_edit_without_options_or_with_empty_ones_is_no_change() {
    assert_eq!(edited(&[]), None);
    assert_eq!(edited(&["--json"]), None);
    assert_eq!(edited(&["--add-label", "", "--append-notes", "", "--add-ac", " "]), None);
}

#[test]
fn search_takes_a_query_and_a_limit() {
    let words = ["search", "line ends", "-s", "todo", "-p", "high", "-l", "a", "--limit", "3"];
    let TasksVerb::Search(args) = read(&words).verb else { panic!() };
    assert_eq!((args.query.as_str(), args.limit), ("line ends", 3));
    let expected = TaskFilter {
        status: Some(TaskStatus::ToDo),
        priority: Some(SetOrClear::To(Priority::High)),
        labels: texts(&["a"]),
        ..TaskFilter::default()
    };
    assert_eq!(args.filter, expected);
    let TasksVerb::Search(args) = read(&["search", "- item", "--all"]).verb else { panic!() };
    assert_eq!((args.query.as_str(), args.limit), ("- item", 10));
    assert!(args.filter.all);
}

#[test]
fn delete_can_be_forced() {
    for (words, force) in
        [(&["delete", "1"][..], false), (&["rm", "-f", "1"], true), (&["rm", "1", "--force"], true)]
    {
        let TasksVerb::Delete(args) = read(words).verb else { panic!("{words:?}") };
        assert_eq!((args.id, args.force), (id("1"), force));
    }
}

#[test]
fn claim_takes_an_id_a_name_and_a_lease() {
    let TasksVerb::Claim(args) = read(&["claim"]).verb else { panic!() };
    assert_eq!((args.id, args.name), (None, None));
    assert_eq!(args.lease, Duration::from_secs(2 * 3600));
    for (lease, minutes) in
        [("90m", 90), ("1h 30m", 90), ("2h", 120), ("PT5M", 5), ("24 hours", 1440)]
    {
        let words = ["claim", "4", "--as", "builder", "--lease", lease];
        let TasksVerb::Claim(args) = read(&words).verb else { panic!("{lease}") };
        assert_eq!((args.id, args.name), (Some(id("4")), some("builder")));
        assert_eq!(args.lease, Duration::from_secs(minutes * 60), "{lease}");
    }
}

#[test]
fn archive_takes_ids_or_what_is_done() {
    let TasksVerb::Archive(args) = read(&["archive", "1", "TASK-2"]).verb else { panic!() };
    assert_eq!((args.ids, args.done), (ids(&["1", "TASK-2"]), false));
    let TasksVerb::Archive(args) = read(&["archive", "--done"]).verb else { panic!() };
    assert_eq!((args.ids, args.done), (Vec::new(), true));
    let TasksVerb::Archive(args) = read(&["archive"]).verb else { panic!() };
    assert_eq!((args.ids, args.done), (Vec::new(), false));
}

#[test]
fn graph_takes_a_format_and_check_can_fix() {
    for (words, format) in [
        (&["graph"][..], GraphFormat::Text),
        (&["graph", "--format", "text"], GraphFormat::Text),
        (&["graph", "--format", "dot"], GraphFormat::Dot),
        (&["graph", "--format=mermaid"], GraphFormat::Mermaid),
    ] {
        let TasksVerb::Graph(args) = read(words).verb else { panic!("{words:?}") };
        assert_eq!(args.format, format);
    }
    for (words, fix) in [(&["check"][..], false), (&["check", "--fix"], true)] {
        let TasksVerb::Check(args) = read(words).verb else { panic!("{words:?}") };
        assert_eq!(args.fix, fix);
    }
}

#[test]
fn texts_may_begin_with_a_hyphen() {
    for text in ["- item", "-1 degrees", "--not an option", "-", "-x", "--json=1", "---"] {
        let words = ["-d", text, "--plan", text, "--append-plan", text, "--notes", text];
        let more = ["--append-notes", text, "--add-ac", text, "-t", text];
        let change = edited(&[&words[..], &more[..]].concat()).expect("something is to change");
        let expected = TaskEdit {
            title: some(text),
            description: some(text),
            plan: some(text),
            append_plan: texts(&[text]),
            notes: some(text),
            append_notes: texts(&[text]),
            add_criteria: texts(&[text]),
            ..TaskEdit::default()
        };
        assert_eq!(change, expected, "{text}");
    }
    for title in ["- item", "-1 degrees", "--not an option"] {
        let task = created(&["--json", title, "--ac", "- x", "-d", "-y", "--plain"]);
        assert_eq!(task.title, title);
        assert_eq!((task.criteria, task.description), (texts(&["- x"]), some("-y")));
    }
    assert_eq!(created(&["--", "--json"]).title, "--json");
    assert_eq!(edited(&["--notes=--json"]).and_then(|change| change.notes), some("--json"));
    assert_eq!(edited(&["-d-s"]).and_then(|change| change.description), some("-s"));
}
