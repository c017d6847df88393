//! What options are called elsewhere.

/// What people and agents type, because another verb or another program calls it so, and what it is
/// called here: the first of it that the verb has counts. What begins with no hyphen is given without
/// an option. Nothing here replaces a text where one is to be added.
pub(super) const MEANT: &[(&[&str], &[&str])] = &[
    (
        &[
            "--depends-on",
            "--depends",
            "--dep",
            "--deps",
            "--dependency",
            "--dependencies",
            "--add-dep",
            "--add-deps",
            "--add-dependency",
            "--needs",
            "--blocked-by",
            "--after",
        ],
        &["--add-dep", "--depends-on"],
    ),
    (
        &[
            "--ac",
            "--acs",
            "--add-ac",
            "--criterion",
            "--criteria",
            "--acceptance",
            "--acceptance-criteria",
            "--add-criterion",
        ],
        &["--add-ac", "--ac"],
    ),
    (
        &["--label", "--labels", "--add-label", "--add-labels", "--tag", "--tags", "-l"],
        &["--add-label", "--label"],
    ),
    (&["--rm-label", "--unlabel", "--remove-tag", "--delete-label"], &["--remove-label"]),
    (&["--rm-dep", "--undep", "--remove-dependency", "--delete-dep"], &["--remove-dep"]),
    (&["--rm-ac", "--delete-ac", "--remove-criterion"], &["--remove-ac"]),
    (&["--ac-done", "--done-ac", "--complete-ac", "--check"], &["--check-ac"]),
    (&["--uncheck"], &["--uncheck-ac"]),
    (
        &["--note", "--comment", "--append-note", "--add-note", "--add-notes", "-n"],
        &["--append-notes"],
    ),
    (&["--add-plan"], &["--append-plan"]),
    (&["--desc", "--body", "--text", "--message", "-m"], &["--description"]),
    (&["--assign", "--assigned-to", "--owner", "--agent", "--as"], &["--assignee", "--as"]),
    (&["--assignee", "--name", "-a"], &["--as"]),
    (&["--due-date", "--deadline"], &["--due"]),
    (&["--prio"], &["--priority"]),
    (&["--state"], &["--status"]),
    (&["--done", "--finish", "--close", "--complete"], &["--status done"]),
    (&["--todo", "--open"], &["--status todo"]),
    (&["--in-progress", "--start"], &["--status in-progress"]),
    (&["--part-of", "--epic"], &["--parent"]),
    (&["--archived", "--include-archived"], &["--all"]),
    (&["--max", "--count", "-n"], &["--limit"]),
    (&["--ttl", "--for", "--timeout"], &["--lease"]),
    (&["--yes", "-y"], &["--force"]),
    (&["--format", "--output", "-o", "-j"], &["--json"]),
    (&["--title", "--name", "-t"], &["TITLE"]),
    (&["--id"], &["ID"]),
    (&["--query", "-q"], &["QUERY"]),
];
