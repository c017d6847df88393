//! Dry runs of the examples of the founding documents.

use insta::assert_snapshot;

use crate::{headings, planned, project, refused};

/// The example configuration of 000.
const PLAN: &str = include_str!("founding/000-example.json");

/// The example of 001 with variables.
const GUIDE: &str = include_str!("founding/001-build-feature.json");

/// The agents and chains of 002.
const DIRECT_SPAWN: &str = include_str!("founding/002-agents.json");

/// The schema example of 003.
const PROMPTS: &str = include_str!("founding/003-prompts.json");

#[test]
fn the_chains_of_the_plan_are_planned() {
    let env = project(PLAN);
    env.write("forge/orch/specs/PLAN.md", "A shop.\n");
    let table: [(&[&str], &str); 4] = [
        (
            &["plan-and-build"],
            "forge-task-manager - loop up to 3 iterations, \
             forge-task-coordinator - loop up to 15 iterations",
        ),
        (&["quick-pipeline"], "forge-task-manager - run once, forge-task-coordinator - run once"),
        (&["single-task", "TASK_ID=TASK-001"], "forge-task-worker - loop up to 8 iterations"),
        (
            &["mixed-mode"],
            "forge-task-manager - run once, forge-task-coordinator - loop up to 15 iterations",
        ),
    ];
    for (args, expected) in table {
        assert_eq!(headings(&planned(&env, &[&["--chain"], args].concat())), expected);
    }
}

#[test]
fn the_variable_of_the_plan_is_replaced_and_its_absence_has_the_message_of_the_guide() {
    let env = project(PLAN);
    let shown = planned(&env, &["--chain", "single-task", "TASK_ID=TASK-001"]);
    assert!(shown.contains("prompt: \"Work on TASK-001.\"\n"), "{shown}");
    assert!(!shown.contains("args: "), "{shown}");
    let message = refused(&env, &["--chain", "single-task"]);
    let expected = "error: Variable 'TASK_ID' referenced in 'forge-task-worker' but not provided\n";
    assert!(message.starts_with(expected), "{message}");
    // A program of that name gets the option itself.
    env.install("forge-task-worker");
    let shown = planned(&env, &["--chain", "single-task", "TASK_ID=TASK-001"]);
    assert!(shown.contains("args: --task TASK-001\n"), "{shown}");
}

#[test]
fn the_command_lines_of_the_plan_are_accepted() {
    let env = project(PLAN);
    env.write("forge/orch/specs/PLAN.md", "A shop.\n");
    for chain in [
        "task-manager -> task-coordinator",
        "planner -> builder -> tester",
        "task-coordinator:10",
        "task-manager:3 -> task-coordinator:10",
        "task-manager -> task-coordinator:10",
    ] {
        planned(&env, &[chain]);
    }
    planned(&env, &["task-worker:5", "--cwd", "."]);
}

#[test]
fn the_feature_of_the_guide_is_planned() {
    let env = project(GUIDE);
    env.install("task-manager").install("task-coordinator");
    let args = [
        "--chain",
        "build-feature",
        "FEATURE_NAME=authentication",
        "REQUIREMENTS_FILE=docs/auth-spec.md",
    ];
    assert_snapshot!(planned(&env, &args), @r#"
    1. task-manager - run once
         agent: program $TEST/bin/task-manager (PATH)
         prompt: "Create tasks for authentication from docs/auth-spec.md"
    2. task-coordinator - loop up to 10 iterations
         agent: program $TEST/bin/task-coordinator (PATH)
         prompt: "Work on the authentication feature"
         check: tasks  [added because this agent works through the task database]
         stagnation: at most 3  [default of task-coordinator loops]
    "#);
}

#[test]
fn a_missing_prompt_file_has_the_message_of_the_guide() {
    let env = project(GUIDE);
    let message = refused(&env, &["task-manager:3", "--prompt-file", "prompts/missing.md"]);
    assert!(message.starts_with("error: Prompt file not found: prompts/missing.md\n"), "{message}");
}

#[test]
fn the_agents_of_direct_spawn_are_planned() {
    let env = project(DIRECT_SPAWN);
    env.install("claude")
        .write("system-prompts/fk/planner.md", "# Forkhestra Planner\n")
        .write("system-prompts/fk/builder.md", "# Forkhestra Builder\n");
    assert_snapshot!(planned(&env, &["--chain", "ralph"]), @r##"
    1. fk:planner - loop up to 3 iterations
         agent: direct spawn of claude (forge/orch/chains.json:3:5)
         system prompt: file system-prompts/fk/planner.md
           "# Forkhestra Planner"
         model: sonnet
         max turns: 50
         allowed tools: Read, Grep, Glob, Bash
         stagnation: at most 2  [default of fk:planner loops]
    2. fk:builder - loop up to 20 iterations
         agent: direct spawn of claude (forge/orch/chains.json:9:5)
         system prompt: file system-prompts/fk/builder.md
           "# Forkhestra Builder"
         model: sonnet
         max turns: 100
         check: tasks  [added because this agent works through the task database]
         stagnation: at most 3  [default of fk:builder loops]
    "##);
    assert_eq!(headings(&planned(&env, &["fk:builder:3"])), "fk:builder - loop up to 3 iterations");
}

#[test]
fn the_prompts_of_all_levels_are_planned() {
    let env = project(PROMPTS);
    env.install("task-manager")
        .install("task-coordinator")
        .write("prompts/coordinator-instructions.md", "Coordinate.\n");
    assert_snapshot!(planned(&env, &["--chain", "plan-and-build"]), @r#"
    1. task-manager - loop up to 3 iterations
         agent: program $TEST/bin/task-manager (PATH)
         prompt: "Step-specific override prompt"
         stagnation: at most 2  [default of task-manager loops]
    2. task-coordinator - loop up to 10 iterations
         agent: program $TEST/bin/task-coordinator (PATH)
         prompt: file prompts/coordinator-instructions.md
           "Coordinate."
         check: tasks  [added because this agent works through the task database]
         stagnation: at most 3  [default of task-coordinator loops]
    "#);
    assert_snapshot!(planned(&env, &["task-manager:3 -> task-coordinator:10"]), @r#"
    1. task-manager - loop up to 3 iterations
         agent: program $TEST/bin/task-manager (PATH)
         prompt: "Create tasks from current requirements"
         stagnation: at most 2  [default of task-manager loops]
    2. task-coordinator - loop up to 10 iterations
         agent: program $TEST/bin/task-coordinator (PATH)
         prompt: "Execute all pending tasks to completion"
         check: tasks  [added because this agent works through the task database]
         stagnation: at most 3  [default of task-coordinator loops]
    "#);
}
