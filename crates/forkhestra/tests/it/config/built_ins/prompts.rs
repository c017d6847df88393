//! The prompts of built-in agents, and the commands of forge-tasks in them.

use std::collections::BTreeMap;

use testkit::TestEnv;

use super::backend::with_programs;
use super::single_task::task;
use crate::forkhestra;
use crate::run::direct_spawn::{RECORD_INVOCATION, arguments};
use crate::support::agents_at_work::run;

const FORGE_TASKS: &str = env!("CARGO_BIN_EXE_forge-tasks");

/// All built-in agents by their short names.
const AGENTS: [&str; 7] =
    ["planner", "builder", "reviewer", "fixer", "task-manager", "task-coordinator", "task-worker"];

/// Returns the help of a verb of forge-tasks.
fn helps(env: &TestEnv) -> impl Fn(&str) -> String {
    move |verb| env.run(FORGE_TASKS, &[verb, "--help"]).success()
}

/// The commands of forge-tasks in a prompt: in backticks, or on lines of a code block.
fn commands(prompt: &str) -> Vec<String> {
    let joined = prompt.replace("\\\n", " ");
    let mut found = Vec::new();
    for paragraph in joined.split("\n\n") {
        let is_code = paragraph.trim_start().starts_with("```");
        // A command in running text may span two lines.
        let flat = paragraph.replace('\n', if is_code { "\n" } else { " " });
        let parts: Vec<&str> = if is_code {
            flat.lines().collect()
        } else {
            flat.split('`').skip(1).step_by(2).collect()
        };
        let ours = parts.into_iter().map(str::trim).filter(|part| part.starts_with("forge-tasks "));
        found.extend(ours.map(str::to_owned));
    }
    found
}

fn unquoted(command: &str) -> String {
    command.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

#[test]
fn a_built_in_agent_gets_its_prompt_after_the_preamble() {
    let env = with_programs(&[]);
    env.agent("claude", RECORD_INVOCATION);
    env.write("forge/tasks/TASK-007 - Something.md", task("TASK-007", "To Do"));
    assert_eq!(run(&env, &["planner:2"]).code, Some(0));
    let args = arguments(&env);
    let at = args.iter().position(|arg| arg == "--append-system-prompt").expect("it is there");
    let prompt = forkhestra(&env, &["show-agent", "planner", "--prompt-only"]).success();
    assert!(args[at + 1].starts_with("# How you are run\n"), "{}", args[at + 1]);
    assert!(args[at + 1].trim_end().ends_with(prompt.trim_end()), "{}", args[at + 1]);
}

#[test]
fn prompts_name_only_what_forge_tasks_has() {
    let env = TestEnv::new();
    let help = helps(&env);
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for agent in AGENTS {
        let prompt = forkhestra(&env, &["show-agent", agent, "--prompt-only"]).success();
        let commands = commands(&prompt);
        let mentions = prompt.matches("forge-tasks ").count();
        assert_eq!(commands.len(), mentions, "{agent}: all are looked at: {commands:#?}");
        assert!(commands.len() >= 4, "{agent} does not say how: {commands:?}");
        for command in commands {
            let plain = unquoted(&command);
            let mut words = plain.split_whitespace().skip(1);
            let verb = words.next().expect("a verb follows").to_owned();
            let text = known.entry(verb.clone()).or_insert_with(|| help(&verb));
            for option in words.filter(|word| word.starts_with('-')) {
                let is_there = text.split([' ', ',', '\n']).any(|word| word == option);
                assert!(is_there, "{agent}: {command}: `{verb}` has no `{option}`");
            }
        }
    }
}

/// Runs every command of a prompt on a database of its own.
#[test]
fn every_command_of_a_prompt_works() {
    for agent in AGENTS {
        let env = TestEnv::new();
        let prompt = forkhestra(&env, &["show-agent", agent, "--prompt-only"]).success();
        for number in 1..=9 {
            let title = format!("Task {number}");
            let args = ["create", &title, "--ac", "One", "--ac", "Two", "--plain"];
            env.run(FORGE_TASKS, &args).success();
        }
        for command in commands(&prompt) {
            if command == "forge-tasks init" {
                // The database exists already.
                continue;
            }
            let words = command.strip_prefix("forge-tasks ").expect("it begins so");
            // An earlier command of the prompt may have closed the task or changed it otherwise.
            let status = if words.starts_with("release ") { "in-progress" } else { "todo" };
            env.run(FORGE_TASKS, &["edit", "1", "--status", status]).success();
            let output = env.run("/bin/sh", &["-c", &format!("exec '{FORGE_TASKS}' {words}")]);
            // Exit code 3 means that no task is ready.
            assert!(matches!(output.code, Some(0 | 3)), "{agent}: {command}: {output}");
        }
    }
}
