//! Conditions of steps, groups and questions.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::project;
use crate::support::agents_at_work::{DONE, events, iterations, reason, run};

/// A project whose chain has an agent, and this entry after it.
fn with_entry(entry: &str) -> TestEnv {
    let env = project(&format!(
        r#"{{ "chains": {{ "night": {{ "steps": [ {{ "agent": "first" }}, {entry} ] }} }} }}"#
    ));
    env.agent("first", "echo first").agent("work", DONE).agent("ci", "exit 0");
    env
}

const GROUP: &str = r#"{ "group": "work:2 -> ci", "rounds": 3, "if": "file:wanted" }"#;

#[test]
fn a_group_that_is_not_needed_is_left_out_as_a_whole() {
    let env = with_entry(GROUP);
    let output = run(&env, &["--chain", "night"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(iterations(&env), ["1-1-1"]);
    assert_eq!(events(&env, "condition_checked").len(), 1, "it is decided once");
}

#[test]
fn a_group_whose_condition_holds_runs() {
    let env = with_entry(GROUP);
    env.agent("first", "echo > wanted");
    let output = run(&env, &["--chain", "night"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(iterations(&env), ["1-1-1", "2-1-1", "3-1-1"]);
}

#[test]
fn a_question_that_is_not_needed_is_not_asked() {
    let env = with_entry(r#"{ "ask": "Deploy?", "if": "command:test -e deploy.yml" }"#);
    let output = run(&env, &["--chain", "night"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(events(&env, "asked").is_empty());
}

/// A mistyped command would otherwise skip its step silently.
#[test]
fn a_condition_that_cannot_be_checked_ends_the_run_and_is_checked_again_by_a_resume() {
    let env = with_entry(r#"{ "agent": "work", "iterations": 2, "if": "command:./is-it-needed" }"#);
    let output = run(&env, &["--chain", "night"]);
    assert_eq!(output.code, Some(1), "{output}");
    let end = &events(&env, "run_finished")[0]["end"];
    assert_eq!(end["reason"], "cannot_check", "{output}");
    // No agent has worked, so there is no work that could be checked.
    let (_, told) = output.stdout.split_once("first (exit 0)\n\n").expect("it goes on");
    assert_snapshot!(told, @r#"
    [forkhestra] Not started: work: the condition command:"./is-it-needed" has no result: exit 127

    [forkhestra] Summary
      1  first  complete    1 iteration   exit_code     [time]
      2  work   incomplete  0 iterations  cannot_check  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] What to do: fix the cause, then resume: the condition is checked again
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (1/2 steps): step 2, work, the condition command:"./is-it-needed" has no result: exit 127
    "#);
    env.agent_file("is-it-needed", "exit 0");
    let output = run(&env, &["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(iterations(&env), ["1-1-1", "2-1-1"]);
    assert_eq!(reason(&env), "exit_code");
}

/// A mistyped id, or a database that cannot be read, would otherwise skip a step silently.
#[test]
fn a_condition_about_tasks_that_cannot_be_answered_ends_the_run() {
    for (condition, database, expected) in [
        ("tasks", "", Err("the condition tasks has no result: there is no task database")),
        (
            "task:TASK-1",
            "",
            Err("has no result: there is no task TASK-1: there is no task database"),
        ),
        ("planned", "", Ok(false)),
        ("tasks", "task", Ok(false)),
        ("task:TASK-1", "task", Ok(false)),
        ("task:TASK-99", "task", Err("has no result: there is no task TASK-99")),
        ("planned", "task", Ok(true)),
        ("tasks", "broken", Err("the condition tasks has no result: ")),
        ("planned", "broken", Err("the condition planned has no result: ")),
    ] {
        let entry = format!(r#"{{ "agent": "work", "iterations": 2, "if": "{condition}" }}"#);
        let env = with_entry(&entry);
        match database {
            "task" => {
                let created = env.run(env!("CARGO_BIN_EXE_forge-tasks"), &["create", "Parse"]);
                assert_eq!(created.code, Some(0), "{created}");
            }
            "broken" => drop(env.write("forge/tasks/task-001.md", "")),
            _ => {}
        }
        let output = run(&env, &["--chain", "night"]);
        let case = format!("{condition} {database}: {output}");
        match expected {
            Ok(holds) => {
                assert_eq!(output.code, Some(0), "{case}");
                assert_eq!(events(&env, "condition_checked")[0]["holds"], holds, "{case}");
            }
            Err(why) => {
                assert_eq!(output.code, Some(1), "{case}");
                assert!(output.stdout.contains(why), "{why} {case}");
                assert!(events(&env, "condition_checked").is_empty(), "{case}");
            }
        }
    }
}
