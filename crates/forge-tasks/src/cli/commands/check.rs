//! `check`: finds problems, and fixes some.

use std::path::Path;

use serde::Serialize;
use typeset::style::{BAD, DIM, GOOD, WARNING, paint};
use typeset::text::visible;

use crate::actions::{self, DatabaseProblem, FixReport};
use crate::cli::args::{CheckArgs, TasksOutputFormat};
use crate::cli::commands::{CommandContext, CommandResult};
use crate::cli::error::TasksCliError;
use crate::cli::exit_code;
use crate::cli::report::{json, plain};
use crate::database::DatabaseWriter;
use crate::git;
use crate::{TaskId, words};

/// Finds problems, after fixing them with `--fix`.
pub(crate) fn execute(args: &CheckArgs, context: &mut CommandContext<'_>) -> CommandResult {
    let place = context.place();
    let Some(database) = place.database_to_check()? else {
        return context.answer(&check_report(&[], &FixedJson::default(), context.format()));
    };
    let fixed = if args.fix { run_fix(database.path(), context)? } else { FixReport::default() };
    if let Some(command) = git::missing_driver(database.path()) {
        let what = "this clone does not merge tasks field by field, as .gitattributes asks";
        context.console.warn(&[format!("{what}; set it up: {command}")]);
    }
    // Read again: the fix may have changed the config.
    let database = place.database_to_check()?.unwrap_or(database);
    let (mut problems, error) = match actions::check(&database, context.inputs.runs) {
        Ok(problems) => (problems, fixed.error),
        Err(error) => (Vec::new(), fixed.error.or(Some(error))),
    };
    problems.extend(fixed.problems);
    let mended = FixedJson { fixed: &fixed.changes, mentions: &fixed.mentions };
    let text = check_report(&problems, &mended, context.format());
    // Fixes are reported even if something failed after them.
    if !fixed.changes.is_empty() {
        context.answer_after("it was fixed", &text)?;
    } else if error.is_none() {
        context.answer(&text)?;
    }
    match error {
        Some(error) => Err(error.into()),
        None if problems.is_empty() && fixed.mentions.is_empty() => Ok(exit_code::DONE),
        None => Ok(exit_code::ERROR),
    }
}

/// Releases the lock before everything is read again.
fn run_fix(path: &Path, context: &CommandContext<'_>) -> Result<FixReport, TasksCliError> {
    let mut writer = DatabaseWriter::open_leniently(path)?;
    writer.number_after(git::highest_number(path, writer.database().config()));
    Ok(actions::fix(&mut writer, context.now()))
}

/// The result of a fix.
#[derive(Default)]
pub(crate) struct FixedJson<'a> {
    /// The changes, a line each.
    pub(crate) fixed: &'a [String],
    /// Texts that name a task which has another number now, a line each.
    pub(crate) mentions: &'a [String],
}

/// The fixes and the remaining problems.
pub(crate) fn check_report(
    problems: &[DatabaseProblem],
    mended: &FixedJson<'_>,
    format: TasksOutputFormat,
) -> String {
    match format {
        TasksOutputFormat::Human => human_lines(problems, mended),
        TasksOutputFormat::Plain => plain_lines(problems, mended),
        TasksOutputFormat::Json => {
            json::object(&CheckJson { problems, fixed: mended.fixed, mentions: mended.mentions })
        }
    }
}

fn human_lines(problems: &[DatabaseProblem], mended: &FixedJson<'_>) -> String {
    let mut text = String::new();
    for line in mended.fixed {
        text.push_str(&format!("{} {}\n", paint(GOOD, "fixed"), visible(line)));
    }
    for line in mended.mentions {
        text.push_str(&format!("{} {}\n", paint(WARNING, "look at"), visible(line)));
    }
    for DatabaseProblem { kind, message, .. } in problems {
        let kind = paint(DIM, &format!("({kind})"));
        text.push_str(&format!("{} {} {kind}\n", paint(BAD, "✗"), visible(message)));
    }
    let counts = [(problems.len(), "problem"), (mended.mentions.len(), "reference")];
    let left = counts.into_iter().filter(|(number, _)| *number > 0);
    let mut left: Vec<String> = left.map(|(number, what)| words::count(number, what)).collect();
    if let Some(last) = left.last_mut().filter(|_| !mended.mentions.is_empty()) {
        last.push_str(" to look at");
    }
    text.push_str(&match left[..] {
        [] => paint(GOOD, "No problems") + "\n",
        _ => paint(DIM, &left.join(", ")) + "\n",
    });
    text
}

/// `kind | ids or - | problem`.
fn plain_lines(problems: &[DatabaseProblem], mended: &FixedJson<'_>) -> String {
    let fixed = mended.fixed.iter().map(|line| plain::row(&["fixed", "-", line]));
    let mentions = mended.mentions.iter().map(|line| plain::row(&["mention", "-", line]));
    let problems = problems.iter().map(|problem| {
        let ids: Vec<&str> = problem.ids.iter().map(TaskId::as_str).collect();
        let ids = if ids.is_empty() { "-".to_owned() } else { ids.join(",") };
        plain::row(&[problem.kind, &ids, &problem.message])
    });
    fixed.chain(mentions).chain(problems).collect()
}

#[derive(Serialize)]
struct CheckJson<'a> {
    problems: &'a [DatabaseProblem],
    fixed: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    mentions: &'a [String],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::id;
    use crate::cli::samples::words;

    fn problems() -> [DatabaseProblem; 2] {
        [
            DatabaseProblem {
                kind: "cycle",
                ids: vec![id("TASK-001"), id("TASK-002")],
                files: words(&["TASK-001 - a.md", "TASK-002 - b.md"]),
                message: "TASK-001 and TASK-002 wait for one another".to_owned(),
            },
            DatabaseProblem {
                kind: "broken-file",
                ids: Vec::new(),
                files: words(&["x.md"]),
                message: "x.md is not\u{1b} a task".to_owned(),
            },
        ]
    }

    fn shown(format: TasksOutputFormat) -> String {
        let fixed = words(&["the second TASK-007 is TASK-031 now"]);
        let mentions = words(&["a.md names TASK-007 in its notes; b.md is now TASK-031"]);
        let mended = FixedJson { fixed: &fixed, mentions: &mentions };
        anstream::adapter::strip_str(&check_report(&problems(), &mended, format)).to_string()
    }

    #[test]
    fn problems_are_reported_to_people_and_programs() {
        insta::assert_snapshot!(shown(TasksOutputFormat::Human), @r"
        fixed the second TASK-007 is TASK-031 now
        look at a.md names TASK-007 in its notes; b.md is now TASK-031
        ✗ TASK-001 and TASK-002 wait for one another (cycle)
        ✗ x.md is not\u{1b} a task (broken-file)
        2 problems, 1 reference to look at
        ");
        insta::assert_snapshot!(shown(TasksOutputFormat::Plain), @r"
        fixed | - | the second TASK-007 is TASK-031 now
        mention | - | a.md names TASK-007 in its notes; b.md is now TASK-031
        cycle | TASK-001,TASK-002 | TASK-001 and TASK-002 wait for one another
        broken-file | - | x.md is not\u{1b} a task
        ");
        insta::assert_snapshot!(shown(TasksOutputFormat::Json), @r#"
        {
          "problems": [
            {
              "kind": "cycle",
              "ids": [
                "TASK-001",
                "TASK-002"
              ],
              "files": [
                "TASK-001 - a.md",
                "TASK-002 - b.md"
              ],
              "message": "TASK-001 and TASK-002 wait for one another"
            },
            {
              "kind": "broken-file",
              "ids": [],
              "files": [
                "x.md"
              ],
              "message": "x.md is not\u001b a task"
            }
          ],
          "fixed": [
            "the second TASK-007 is TASK-031 now"
          ],
          "mentions": [
            "a.md names TASK-007 in its notes; b.md is now TASK-031"
          ]
        }
        "#);
    }

    #[test]
    fn references_to_look_at_are_counted() {
        let mentions = words(&["a.md depends on TASK-007; it may mean b.md or c.md"; 2]);
        let mended = FixedJson { fixed: &[], mentions: &mentions };
        let shown = check_report(&[], &mended, TasksOutputFormat::Human);
        let shown = anstream::adapter::strip_str(&shown).to_string();
        assert!(shown.ends_with("c.md\n2 references to look at\n"), "{shown}");
    }

    #[test]
    fn no_problems_are_reported_in_two_words() {
        let shown = check_report(&[], &FixedJson::default(), TasksOutputFormat::Human);
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), "No problems\n");
        assert_eq!(check_report(&[], &FixedJson::default(), TasksOutputFormat::Plain), "");
    }
}
