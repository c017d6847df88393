//! An edit keeps every byte that it does not change.

use crate::task_test_project::TaskTestProject;

/// A file with unusual formatting.
const UNUSUAL_FILE: &str = "---
# Ours.
\"id\": TASK-001   # the number
title: >-
  A folded
  title
status: 'to do'  # for now
custom: {deep: [1, 2, {x: y}], \"q\": 'z'}
labels:
    # why
    - one   # first
    - \"two\"
multi: |
  # not a comment
  status: Done
dependencies: [ TASK-002 ,  TASK-003 ]
updatedAt: \"2020-01-01T00:00:00.000Z\"
createdAt: 2020-01-01


---
Text before everything.

## Description

```md
## Implementation Notes
<!-- AC:BEGIN -->
- [ ] #9 not a criterion
<!-- AC:END -->
```

Trailing blanks   \t
<!--
## Also not a heading
-->

## acceptance criteria

Intro.
<!-- AC:BEGIN -->
* [ ] #1 first
      with more
- [X] #2 second

text between
- [ ] #5 fifth
<!-- AC:END -->
after

## Anything else
~~~
## Description
~~~
no newline at the end";

/// The file after an edit, with its time of change restored.
fn edited(options: &[&str]) -> String {
    edited_from(UNUSUAL_FILE, options)
}

fn edited_from(text: &str, options: &[&str]) -> String {
    let project = TaskTestProject::new();
    project.write("TASK-001 - Strange.md", text);
    let output = project.run(&[&["edit", "1"], options].concat());
    assert_eq!(output.code, Some(0), "{output}");
    let new = project.file("TASK-001");
    let now = new.split("updatedAt: \"").nth(1).and_then(|rest| rest.get(..24)).unwrap_or_default();
    assert!(now > "2026", "{new}");
    new.replace(now, "2020-01-01T00:00:00.000Z")
}

#[track_caller]
fn changes(options: &[&str], from: &str, to: &str) {
    assert_eq!(UNUSUAL_FILE.matches(from).count(), 1, "{from}");
    assert_eq!(edited(options), UNUSUAL_FILE.replacen(from, to, 1), "{options:?}");
    // The same with CRLF line ends.
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let expected = crlf(&UNUSUAL_FILE.replacen(from, to, 1));
    assert_eq!(edited_from(&crlf(UNUSUAL_FILE), options), expected, "{options:?}");
}

#[test]
fn an_edit_changes_only_the_given_fields() {
    changes(&["-s", "done"], "status: 'to do'  # for now", "status: Done  # for now");
    changes(
        &["-p", "high"],
        "status: 'to do'  # for now\n",
        "status: 'to do'  # for now\npriority: high\n",
    );
    changes(&["--add-label", "three"], "    - \"two\"\n", "    - \"two\"\n    - three\n");
    changes(&["--remove-label", "one"], "    - one   # first\n", "");
    changes(&["--check-ac", "1"], "* [ ] #1", "* [x] #1");
    changes(&["--uncheck-ac", "2"], "- [X] #2", "- [ ] #2");
    changes(&["--remove-ac", "5"], "- [ ] #5 fifth\n", "");
    changes(&["--add-ac", "sixth"], "#5 fifth\n", "#5 fifth\n- [ ] #6 sixth\n");
    changes(&["-t", "Short"], "title: >-\n  A folded\n  title\n", "title: Short\n");
    changes(
        &["--notes", "Noted"],
        "after\n\n## Anything",
        "after\n\n## Implementation Notes\n\nNoted\n\n## Anything",
    );
}

#[test]
fn a_description_is_replaced_with_its_fences_and_comments() {
    let new = edited(&["-d", "New"]);
    let begin = UNUSUAL_FILE.find("```md").expect("it is there");
    let end = UNUSUAL_FILE.find("\n\n## acceptance").expect("it is there");
    assert_eq!(new, format!("{}New{}", &UNUSUAL_FILE[..begin], &UNUSUAL_FILE[end..]));
}

#[test]
fn an_edit_without_changes_writes_nothing() {
    let project = TaskTestProject::new();
    project.write("TASK-001 - Strange.md", UNUSUAL_FILE);
    let options = [
        "-s",
        "todo",
        "-t",
        "A folded title",
        "--check-ac",
        "2",
        "--uncheck-ac",
        "1",
        "--add-label",
        "two",
        "-a",
        "",
    ];
    assert_eq!(
        project.ok(&[&["edit", "1", "--plain"], &options[..]].concat()),
        "unchanged TASK-001\n"
    );
    assert_eq!(project.file("TASK-001"), UNUSUAL_FILE);
}

#[test]
fn claiming_and_releasing_restores_the_file() {
    let project = TaskTestProject::new();
    let text = UNUSUAL_FILE
        .replace("dependencies: [ TASK-002 ,  TASK-003 ]\n", "")
        .replace("'to do'", "To Do");
    project.write("TASK-001 - Strange.md", &text);
    project.ok(&["claim", "--as", "ada"]);
    project.ok(&["release", "1"]);
    let new = project.file("TASK-001");
    let now =
        new.split("updatedAt: \"").nth(1).and_then(|rest| rest.get(..24)).expect("it is there");
    assert_eq!(new.replace(now, "2020-01-01T00:00:00.000Z"), text);
}

#[test]
fn an_edit_that_would_lose_data_is_refused() {
    let project = TaskTestProject::new();
    project.write("TASK-001 - Flow.md", "---\n{id: TASK-001, title: Flow}\n---\n");
    let message = project.refused(&["edit", "1", "-s", "done"]);
    assert!(message.starts_with("TASK-001: "), "{message}");
}
