//! The commands of the task database that are killed.

/// One command under test.
pub(super) struct TaskCommand {
    pub(super) name: &'static str,
    /// The commands that create the initial tasks. Every task has a label of its own, by which it
    /// is identified.
    pub(super) before: &'static [&'static [&'static str]],
    /// Additional files with their contents.
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) arguments: &'static [&'static str],
    pub(super) kind: Kind,
}

/// What a killed command may leave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Each task is old or new.
    Single,
    /// Tasks depend on each other, and some may be half changed. The same command, run again, must
    /// lead to the same result, except for task numbers.
    Resumed,
}

const THREE: &[&[&str]] = &[
    &["create", "One", "--label=one", "--ac=It is done"],
    &["create", "Two", "--label=two", "--depends-on=1"],
    &["create", "Three", "--label=three"],
];

const ARCHIVED: &[&[&str]] = &[
    &["create", "One", "--label=one", "--ac=It is done"],
    &["create", "Two", "--label=two", "--depends-on=1"],
    &["create", "Three", "--label=three"],
    &["archive", "1", "3"],
];

const SAME_NUMBERS: &[(&str, &str)] = &[
    (
        "TASK-001 - Theirs.md",
        "---\nid: TASK-001\ntitle: Theirs\nstatus: To Do\nlabels: [theirs]\n\
         createdAt: \"2099-01-01T00:00:00.000Z\"\n---\n",
    ),
    (
        "TASK-002 - Their top.md",
        "---\nid: TASK-002\ntitle: Their top\nstatus: To Do\nlabels: [top]\n\
         dependencies: [TASK-001]\ncreatedAt: \"2099-01-02T00:00:00.000Z\"\n---\n",
    ),
    (
        "TASK-009 - Follows.md",
        "---\nid: TASK-009\ntitle: Follows\nstatus: To Do\nlabels: [follows]\nparent: TASK-002\n\
         dependencies: [TASK-001]\ncreatedAt: \"2099-01-03T00:00:00.000Z\"\n---\n",
    ),
];

const fn deed(
    name: &'static str,
    before: &'static [&'static [&'static str]],
    arguments: &'static [&'static str],
) -> TaskCommand {
    TaskCommand { name, before, files: &[], arguments, kind: Kind::Single }
}

pub(super) const COMMANDS: &[TaskCommand] = &[
    deed("the first create", &[], &["create", "First", "--label=first"]),
    deed("create", THREE, &["create", "Four", "--label=four", "--depends-on=2"]),
    deed(
        "edit",
        THREE,
        &["edit", "1", "--status=done", "--check-ac=1", "--notes=Done.", "--add-ac=More"],
    ),
    deed("edit --title", THREE, &["edit", "1", "--title=Another title"]),
    deed("claim", THREE, &["claim", "--as=ada"]),
    deed("archive", THREE, &["archive", "1", "3"]),
    deed("unarchive", ARCHIVED, &["unarchive", "1", "3"]),
    deed("delete", THREE, &["delete", "3", "-f"]),
    TaskCommand {
        name: "check --fix",
        before: THREE,
        files: SAME_NUMBERS,
        arguments: &["check", "--fix"],
        kind: Kind::Resumed,
    },
];
