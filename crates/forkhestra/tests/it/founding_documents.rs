//! The configurations, prompts and command lines of the founding documents, copied unchanged
//! (`founding/`). Each file is named after its document.

use std::os::unix::fs::symlink;

use serde_json::Value;
use testkit::{CommandOutput, TestEnv};

use crate::run::stagnation::repository;
use crate::{CONFIG, FORKHESTRA, forkhestra, headings};

const RALPH_RUNNER: &str = env!("CARGO_BIN_EXE_ralph-runner");
const FORGE_TASKS: &str = env!("CARGO_BIN_EXE_forge-tasks");

/// Every complete configuration: the schema of 000 is not JSON, and two snippets of 001 are parts
/// of a file that is here in full.
const CONFIGS: [(&str, &str); 10] = [
    ("000-example", include_str!("founding/000-example.json")),
    ("001-feature-build", include_str!("founding/001-feature-build.json")),
    ("001-quick-build", include_str!("founding/001-quick-build.json")),
    ("001-build-feature", include_str!("founding/001-build-feature.json")),
    ("001-full-schema", include_str!("founding/001-full-schema.json")),
    ("001-implement-task", include_str!("founding/001-implement-task.json")),
    ("001-full-workflow", include_str!("founding/001-full-workflow.json")),
    ("001-direct-spawn", include_str!("founding/001-direct-spawn.json")),
    ("002-agents", include_str!("founding/002-agents.json")),
    ("003-prompts", include_str!("founding/003-prompts.json")),
];

/// Every command line without a placeholder: the number of its document, and the line.
const COMMAND_LINES: &str = include_str!("founding/command-lines.txt");

/// Files that the configurations and command lines refer to.
const FILES: [&str; 13] = [
    "forge/orch/specs/PLAN.md",
    "forge/orch/prompts/planner.md",
    "forge/orch/prompts/builder.md",
    "system-prompts/fk/planner.md",
    "system-prompts/fk/builder.md",
    "prompts/instructions.md",
    "prompts/coordinator-instructions.md",
    "prompts/coordinator-default.md",
    "path/to/default-prompt.md",
    "path/to/chain-prompt.md",
    "path/to/step-prompt.md",
    "instructions.md",
    "notify.sh",
];

/// An environment with all programs and files that the documents assume.
fn with_everything_installed() -> TestEnv {
    let env = TestEnv::new();
    for file in FILES {
        env.write(file, "Text.\n");
    }
    env.write_script("notify.sh").install("claude");
    for (program, name) in [(FORKHESTRA, "forkhestra"), (RALPH_RUNNER, "ralph-runner")] {
        symlink(program, env.bin().join(name)).expect("the directory is ours");
    }
    env
}

/// The chains of a configuration, with the variables that they need.
fn chains(config: &str) -> Vec<(String, Vec<String>)> {
    let value: Value = serde_json::from_str(config).expect("it is JSON");
    let chains = value["chains"].as_object().expect("it has chains");
    let needed = |chain: &Value| {
        let text = chain.to_string();
        let names = text.split("${").skip(1).filter_map(|rest| rest.split('}').next());
        let mut names: Vec<String> = names.map(|name| format!("{name}=x")).collect();
        names.dedup();
        names.sort();
        names.dedup();
        names
    };
    chains.iter().map(|(name, chain)| (name.clone(), needed(chain))).collect()
}

#[test]
fn every_chain_of_every_configuration_is_planned() {
    for (name, config) in CONFIGS {
        let env = with_everything_installed();
        env.write(CONFIG, config);
        let chains = chains(config);
        assert!(!chains.is_empty(), "{name}");
        for (chain, variables) in chains {
            let mut args = vec!["--dry-run", "--quiet", "--chain", &chain];
            args.extend(variables.iter().map(String::as_str));
            let shown = forkhestra(&env, &args);
            assert_eq!(shown.code, Some(0), "{name}, {chain}: {shown}");
            assert!(!headings(&shown.stdout).is_empty(), "{name}, {chain}: {shown}");
        }
    }
}

/// The configuration for a command line: the one of its document that has the chain. Built-in
/// chains need none.
fn config_for(document: &str, line: &str) -> Option<&'static str> {
    let chain = line.split("--chain ").nth(1)?.split(' ').next()?;
    // The chain is only an example of two variables.
    if chain == "custom" {
        return Some(
            r#"{"chains": {"custom": {"steps": [{"agent": "a", "args": ["${TASK_ID}", "${LABEL}"]}]}}}"#,
        );
    }
    let of_document = CONFIGS.iter().filter(|(name, _)| name.starts_with(document));
    let mut defining =
        of_document.filter(|(_, config)| config.contains(&format!("\"{chain}\": {{")));
    defining.next().map(|(_, config)| *config)
}

/// Runs a line in a shell.
fn typed(env: &TestEnv, line: &str) -> CommandOutput {
    env.run("/bin/sh", &["-c", line])
}

#[test]
fn every_command_line_is_accepted() {
    let lines: Vec<(&str, &str)> =
        COMMAND_LINES.lines().filter_map(|line| line.split_once(' ')).collect();
    assert!(lines.len() >= 50, "{}", lines.len());
    for (document, line) in lines {
        let env = with_everything_installed();
        if let Some(config) = config_for(document, line) {
            env.write(CONFIG, config);
        }
        // The documents have projects in these directories.
        let here = env.project().to_string_lossy().into_owned();
        let line = line.replace("/path/to/project", &here).replace("--cwd /project", "--cwd .");
        if line.contains("--resume") {
            let output = typed(&env, &line);
            assert_eq!(output.code, Some(3), "there is no such run: {output}");
            assert!(output.stderr.contains(".agent-state/chain-abc123.json"), "{output}");
            continue;
        }
        let dry = if line.contains("--dry-run") { "" } else { " --dry-run" };
        let output = typed(&env, &format!("{line}{dry}"));
        assert_eq!(output.code, Some(0), "{line}: {output}");
    }
}

/// Follows the prompts of 002 literally: the planner makes tasks, the builder does one and claims
/// completion each time.
const LITERAL_AGENT: &str = r##"
case "$*" in
*"# Forkhestra Planner"*)
    if [ -z "$(forge-tasks list --plain)" ]; then
        forge-tasks create "First" --description "Why" --ac "It works" --label backend --priority high
        forge-tasks create "Second" --ac "It works" --depends-on TASK-001
    fi ;;
*"# Forkhestra Builder"*)
    id=$(forge-tasks list --ready --plain | head -1 | cut -d ' ' -f 1)
    if [ -n "$id" ]; then
        forge-tasks view "$id" --plain
        forge-tasks edit "$id" --status "In Progress"
        echo "$id" > "$id.txt"
        forge-tasks edit "$id" --check-ac 1
        git add -A
        git -c user.name=A -c user.email=a@b commit --quiet -m "$id: description"
        forge-tasks edit "$id" --status done
    fi ;;
*) exit 9 ;;
esac > /dev/null
echo FORKHESTRA_COMPLETE"##;

#[test]
fn the_configuration_and_the_prompts_of_direct_spawn_build_every_task() {
    let env = repository();
    env.agent("claude", LITERAL_AGENT)
        .write("forge/chains.json", include_str!("founding/002-agents.json"))
        .write("system-prompts/fk/planner.md", include_str!("founding/002-planner.md"))
        .write("system-prompts/fk/builder.md", include_str!("founding/002-builder.md"))
        .write("ralph/PLAN.md", "Two things.\n");
    let output = forkhestra(&env, &["--chain", "plan"]);
    assert_eq!(output.code, Some(0), "{output}");
    let output = forkhestra(&env, &["--chain", "build"]);
    assert_eq!(output.code, Some(0), "{output}");
    let tasks = env.run(FORGE_TASKS, &["list", "--all", "--plain"]).success();
    assert_eq!(tasks.matches("| Done |").count(), 2, "{tasks}\n{output}");
    assert!(env.has("TASK-001.txt") && env.has("TASK-002.txt"), "{output}");
}
