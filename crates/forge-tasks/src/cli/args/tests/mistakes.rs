//! Wrong use, reported in one line.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use typeset::text::visible;

use super::{ParseRefusal, mistake, parse, typed};

#[test]
fn mistakes_are_reported_in_one_line() {
    let mistakes: &[&[&str]] = &[
        &[],
        &["lst"],
        &["frobnicate"],
        &["create"],
        &["create", ""],
        &["create", "Fix", "the", "login"],
        &["create", "x", "-p", "urgent"],
        &["create", "x", "--due", "tomorrow"],
        &["create", "x", "--depends-on", "1,zwei"],
        &["create", "--titel", "x"],
        &["create", "--prioritty", "high", "x"],
        &["create", "x", "--prioritty=high"],
        &["edit"],
        &["edit", "TASK"],
        &["edit", "1", "-s", "finished"],
        &["edit", "1", "-t", " "],
        &["edit", "1", "-s"],
        &["edit", "1", "--status", "--json"],
        &["edit", "1", "-s", "done", "-s", "todo"],
        &["edit", "1", "--check-ac", "one"],
        &["edit", "1", "--check-ac", "-1"],
        &["edit", "1", "-z"],
        &["list", "--reddy"],
        &["list", "--ready", "--blocked"],
        &["list", "extra"],
        &["-s", "todo", "list"],
        &["search", " "],
        &["search", "x", "--limit", "0"],
        &["search", "x", "--limit", "many"],
        &["claim", "--lease", "0s"],
        &["claim", "--lease", "-2h"],
        &["claim", "--lease", "soon"],
        &["claim", "--as", " "],
        &["archive", "1", "--done"],
        &["graph", "--format", "svg"],
        &["list", "--color", "red"],
        &["list", "--dir", ""],
        &["init", "-p", "../x"],
        &["view", "1\u{1b}[2J\nx"],
        &["create", "x", "--depends-on", "1", "2"],
        &["create", "2", "-l=a", "2"],
        &["create", "x", "--ac", "reads", "CRLF"],
        &["create", "--", "--dash", "--plain"],
        &["edit", "1", "--check-ac", "1", "2"],
        &["edit", "1", "-d", "two", "words"],
        &["edit", "1", "--due", "-1"],
        &["view", "-1"],
        &["search", "x", "--limit", "-1"],
        &["append", "--ac", "x", "y"],
        &["edit", "1", "--ac", "1"],
        &["edit", "1", "--add-ac", " #12 "],
        &["list", "--all", "--archived"],
    ];
    let messages: Vec<String> = mistakes
        .iter()
        .map(|words| {
            let message = mistake(words);
            assert!(!message.contains('\n') || words.concat().contains('\n'), "{message}");
            format!("{words:?}\n    {}", visible(&message))
        })
        .collect();
    insta::assert_snapshot!(messages.join("\n"), @r#"
    []
        say what to do, such as `list` or `create`; see `forge-tasks --help`
    ["lst"]
        there is no command `lst`; did you mean `list`?
    ["frobnicate"]
        there is no command `frobnicate`; see `forge-tasks --help`
    ["create"]
        `forge-tasks create` needs a TITLE; see `forge-tasks create --help`
    ["create", ""]
        a task needs a title that is not empty
    ["create", "Fix", "the", "login"]
        unexpected argument `the`; a text of several words needs quotes
    ["create", "x", "-p", "urgent"]
        `urgent` is not a priority; there are high, medium and low
    ["create", "x", "--due", "tomorrow"]
        `tomorrow` is not a date such as 2026-12-31 or 2026-12-31T18:00:00Z
    ["create", "x", "--depends-on", "1,zwei"]
        `zwei` is not an id such as TASK-001
    ["create", "--titel", "x"]
        unknown option `--titel`; see `forge-tasks create --help`
    ["create", "--prioritty", "high", "x"]
        unknown option `--prioritty`; did you mean `--priority`?
    ["create", "x", "--prioritty=high"]
        unknown option `--prioritty`; did you mean `--priority`?
    ["edit"]
        `forge-tasks edit` needs an ID; see `forge-tasks edit --help`
    ["edit", "TASK"]
        `TASK` is not an id such as TASK-001
    ["edit", "1", "-s", "finished"]
        `finished` is not a status; there are todo, in-progress, done and blocked
    ["edit", "1", "-t", " "]
        a task needs a title that is not empty
    ["edit", "1", "-s"]
        `--status` lacks its value; see `forge-tasks edit --help`
    ["edit", "1", "--status", "--json"]
        `--status` lacks its value; see `forge-tasks edit --help`
    ["edit", "1", "-s", "done", "-s", "todo"]
        `--status` is given twice; see `forge-tasks edit --help`
    ["edit", "1", "--check-ac", "one"]
        `one` is not the number of a criterion, such as 1
    ["edit", "1", "--check-ac", "-1"]
        `-1` is not the number of a criterion, such as 1
    ["edit", "1", "-z"]
        unknown option `-z`; see `forge-tasks edit --help`
    ["list", "--reddy"]
        unknown option `--reddy`; did you mean `--ready`?
    ["list", "--ready", "--blocked"]
        `--ready` does not go with `--blocked`; see `forge-tasks list --help`
    ["list", "extra"]
        unexpected argument `extra`; see `forge-tasks list --help`
    ["-s", "todo", "list"]
        unknown option `-s` before the command; the options of a command stand behind it
    ["search", " "]
        QUERY must not be empty; `forge-tasks list` shows every task
    ["search", "x", "--limit", "0"]
        `--limit` is a number from 1 on, not `0`
    ["search", "x", "--limit", "many"]
        `--limit` is a number from 1 on, not `many`
    ["claim", "--lease", "0s"]
        `--lease` must be more than no time, not `0s`
    ["claim", "--lease", "-2h"]
        `--lease` must be more than no time, not `-2h`
    ["claim", "--lease", "soon"]
        `--lease` is a length of time with a unit (s, m, h, d or w), such as 90m or 2h, not `soon`
    ["claim", "--as", " "]
        a name must not be empty
    ["archive", "1", "--done"]
        `ID` does not go with `--done`; see `forge-tasks archive --help`
    ["graph", "--format", "svg"]
        `svg` is not a value of `--format`; there are text, dot and mermaid; see `forge-tasks graph --help`
    ["list", "--color", "red"]
        `red` is not a value of `--color`; there are auto, always and never; see `forge-tasks list --help`
    ["list", "--dir", ""]
        `--dir` lacks its value
    ["init", "-p", "../x"]
        `../x` is not a prefix; it begins with a letter, has only letters, digits, `_` and `-`, ends with none of the latter, and has at most 32 characters
    ["view", "1\u{1b}[2J\nx"]
        `1\u{1b}[2J\nx` is not an id such as TASK-001
    ["create", "x", "--depends-on", "1", "2"]
        unexpected argument `2`; for several, write `--depends-on 1,2` or repeat `--depends-on`
    ["create", "2", "-l=a", "2"]
        unexpected argument `2`; for several, write `--label a,2` or repeat `--label`
    ["create", "x", "--ac", "reads", "CRLF"]
        unexpected argument `CRLF`; a text of several words needs quotes, and several `--ac` each
    ["create", "--", "--dash", "--plain"]
        unexpected argument `--plain`; options stand before `--`
    ["edit", "1", "--check-ac", "1", "2"]
        unexpected argument `2`; for several, write `--check-ac 1,2` or repeat `--check-ac`
    ["edit", "1", "-d", "two", "words"]
        unexpected argument `words`; a text of several words needs quotes
    ["edit", "1", "--due", "-1"]
        `-1` is not a date such as 2026-12-31 or 2026-12-31T18:00:00Z
    ["view", "-1"]
        `-1` is not an id such as TASK-001
    ["search", "x", "--limit", "-1"]
        `--limit` is a number from 1 on, not `-1`
    ["append", "--ac", "x", "y"]
        there is no command `append`; see `forge-tasks --help`
    ["edit", "1", "--ac", "1"]
        `1` is not the text of a criterion; to check criterion 1, write `--check-ac 1`
    ["edit", "1", "--add-ac", " #12 "]
        `#12` is not the text of a criterion; to check criterion 12, write `--check-ac 12`
    ["list", "--all", "--archived"]
        `--all` does not go with `--archived`; see `forge-tasks list --help`
    "#);
}

#[test]
fn an_option_is_never_taken_for_a_text() {
    let with = |words: &[&str]| mistake(&[&["edit", "1"], words].concat());
    let text_options = [
        "-t",
        "--title",
        "-d",
        "--description",
        "--plan",
        "--append-plan",
        "--notes",
        "--append-notes",
        "--add-ac",
    ];
    let own = ["--json", "-s", "--status", "--help", "-h", "--check-ac", "--color", "--dir"];
    for option in text_options {
        for value in own {
            let message = with(&[option, value]);
            let begins = format!("`{option}` lacks its value; if `{value}` is meant, write `--");
            assert!(message.starts_with(&begins), "{message}");
        }
    }
    let message = with(&["--notes", "--json"]);
    assert_eq!(message, "`--notes` lacks its value; if `--json` is meant, write `--notes=--json`");
    let message = with(&["-d", "-s", "done"]);
    assert_eq!(message, "`-d` lacks its value; if `-s` is meant, write `--description=-s`");
    let message = mistake(&["create", "x", "--ac", "--plain"]);
    assert_eq!(message, "`--ac` lacks its value; if `--plain` is meant, write `--ac=--plain`");
}

#[test]
fn what_is_not_text_is_refused() {
    let mut arguments = typed(&["view"]);
    arguments.push(OsString::from_vec(vec![0xff]));
    let refusal = parse(&arguments, "1.2.3").expect_err("it is not text");
    let expected = "an argument is not UTF-8 text; see `forge-tasks view --help`";
    assert_eq!(refusal, ParseRefusal::Wrong(expected.to_owned()));
}
