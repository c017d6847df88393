//! Other names of verbs and options.

use super::read;

#[test]
fn an_alias_is_read_as_the_option() {
    for (typed, meant) in [
        (&["edit", "1", "--depends-on", "2"][..], &["edit", "1", "--add-dep", "2"][..]),
        (&["edit", "1", "--deps", "2,3"], &["edit", "1", "--add-dep", "2,3"]),
        (&["edit", "1", "--ac", "x"], &["edit", "1", "--add-ac", "x"]),
        (&["edit", "1", "-l", "z"], &["edit", "1", "--add-label", "z"]),
        (&["edit", "1", "--tag", "z"], &["edit", "1", "--add-label", "z"]),
        (&["edit", "1", "--note", "- x"], &["edit", "1", "--append-notes", "- x"]),
        (&["edit", "1", "--comment=x"], &["edit", "1", "--append-notes", "x"]),
        (&["edit", "1", "--check", "2"], &["edit", "1", "--check-ac", "2"]),
        (&["edit", "1", "--state", "done"], &["edit", "1", "-s", "done"]),
        (&["create", "x", "--dep", "1"], &["create", "x", "--depends-on", "1"]),
        (&["create", "x", "--add-ac", "y"], &["create", "x", "--ac", "y"]),
        (&["create", "x", "--tags", "a,b"], &["create", "x", "-l", "a,b"]),
        (&["create", "x", "--desc", "y"], &["create", "x", "-d", "y"]),
        (&["list", "--tag", "a"], &["list", "--label", "a"]),
        (&["list", "--include-archived"], &["list", "--all"]),
        (&["search", "x", "-n", "3"], &["search", "x", "--limit", "3"]),
        (&["claim", "--assignee", "ada"], &["claim", "--as", "ada"]),
        (&["claim", "--ttl", "1h"], &["claim", "--lease", "1h"]),
        (&["delete", "1", "-y"], &["delete", "1", "-f"]),
        (&["add", "x"], &["create", "x"]),
        (&["next"], &["claim"]),
        (&["show", "1"], &["view", "1"]),
        (&["remove", "1"], &["delete", "1"]),
        (&["find", "x"], &["search", "x"]),
    ] {
        assert_eq!(format!("{:?}", read(typed)), format!("{:?}", read(meant)), "{typed:?}");
    }
}
