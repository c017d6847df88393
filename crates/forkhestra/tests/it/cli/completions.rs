//! Shell completions, through the completion protocol and through the shells themselves.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use insta::assert_snapshot;
use testkit::{CommandOutput, TestEnv};

use crate::support::past_runs::{past, with_agents};
use crate::support::run_in_progress::{RunInProgress, WAIT_FOR_GO};
use crate::{CONFIG, FORKHESTRA, forkhestra, project};

const FORGE_TASKS: &str = env!("CARGO_BIN_EXE_forge-tasks");
const RALPH_RUNNER: &str = env!("CARGO_BIN_EXE_ralph-runner");

/// The variable that a completion script sets.
const VARIABLE: &str = "FORKHESTRA_COMPLETIONS";

const CHAINS: &str = r#"{
    "agents": {
        "owl": { "systemPromptText": "You plan.", "defaultPrompt": "Plan" },
        "my:maker": { "systemPromptText": "You build.", "defaultPrompt": "Build" }
    },
    "chains": {
        "nightly": {
            "description": "Plans, then builds",
            "steps": [{ "agent": "owl", "iterations": 3 }, { "agent": "my:maker" }]
        },
        "one-task": { "steps": [{ "agent": "my:maker", "args": ["--task", "${TASK_ID}"] }] }
    }
}"#;

fn chains() -> TestEnv {
    project(CHAINS)
}

/// The candidates for the last word, with their descriptions, in the format for fish.
#[track_caller]
fn completed(env: &TestEnv, words: &[&str]) -> String {
    let program = match words.first() {
        Some(&"forge-tasks") => FORGE_TASKS,
        Some(&"ralph-runner") => RALPH_RUNNER,
        _ => FORKHESTRA,
    };
    let mut command = env.command(program);
    let CommandOutput { stdout, stderr, code } =
        env.output_of(command.env(VARIABLE, "fish").arg("--").args(words));
    assert_eq!((stderr.as_str(), code), ("", Some(0)), "{words:?}");
    stdout.replace('\t', "  ")
}

/// The same without the descriptions.
#[track_caller]
fn values(env: &TestEnv, words: &[&str]) -> Vec<String> {
    let completed = completed(env, words);
    completed.lines().map(|line| line.split("  ").next().unwrap_or(line).to_owned()).collect()
}

#[test]
fn only_active_runs_are_offered_for_steering() {
    let env = TestEnv::new();
    env.agent("past", "true").agent("a", &format!("echo ready; {WAIT_FOR_GO}"));
    forkhestra(&env, &["past"]).success();
    let at_work = RunInProgress::start(&env, &["a"], "ready\n");
    for verb in ["stop", "pause", "continue", "tell", "skip", "set"] {
        let found = completed(&env, &["forkhestra", verb, ""]);
        assert!(found.contains("  running, a, started "), "{verb}: {found}");
        assert!(!found.contains("past"), "{verb}: {found}");
    }
    assert_eq!(at_work.release().1, Some(0));
    let found = completed(&env, &["forkhestra", "pause", ""]);
    assert!(!found.contains("started"), "none is left: {found}");
}

#[test]
fn chains_are_completed_with_their_descriptions() {
    let env = chains();
    assert_snapshot!(completed(&env, &["forkhestra", "--chain", "n"]), @"nightly  Plans, then builds");
    assert_eq!(values(&env, &["forkhestra", "--chain=ni"]), ["--chain=nightly"]);
    for words in [&["forkhestra", "--chain", ""][..], &["forkhestra", "run", "--chain", ""]] {
        let found = values(&env, words);
        assert!(found.iter().any(|chain| chain == "one-task"), "{found:?}");
        assert!(!found.iter().any(|word| word == "show" || word == "owl"), "{found:?}");
        assert!(!found.iter().any(|word| word.starts_with('-')), "{found:?}");
    }
    assert_eq!(values(&env, &["forkhestra", "run", "--chain", "on"]), ["one-task"]);
}

#[test]
fn the_first_word_is_a_verb_or_an_agent_and_no_hidden_verb() {
    let env = chains();
    let first = values(&env, &["forkhestra", ""]);
    for word in ["run", "resume", "completions", "man", "owl", "my:maker"] {
        assert!(first.iter().any(|known| known == word), "{word} in {first:?}");
    }
    for word in ["play-recording", "ps", "status", "log", "attach", "ls"] {
        assert!(!first.iter().any(|known| known == word), "{word} in {first:?}");
    }
    for word in ["runs", "show", "logs", "watch", "list"] {
        assert!(first.iter().any(|known| known == word), "{word} in {first:?}");
    }
    let options = values(&env, &["forkhestra", "ps", "--js"]);
    assert_eq!(options, ["--json"], "an alias has the options of its verb");
    assert_eq!(values(&env, &["forkhestra", "--dry-run", "ow"]), ["owl"]);
}

#[test]
fn in_a_chain_the_agent_behind_the_last_arrow_is_completed() {
    let env = chains();
    assert_eq!(values(&env, &["forkhestra", "owl:3 -> m"]), ["owl:3 -> my:maker"]);
    assert_eq!(values(&env, &["ralph-runner", "--chain", "a:2 -> ow"]), ["a:2 -> owl"]);
    assert_eq!(values(&env, &["ralph-runner", "--agent", "o"]), ["owl"]);
    assert_eq!(values(&env, &["forkhestra", "show-agent", "my"]), ["my:maker"]);
}

#[test]
fn tasks_are_completed_with_their_titles() {
    let env = TestEnv::new();
    for title in ["First thing", "Second thing"] {
        env.run(FORGE_TASKS, &["create", title, "-l", "parser"]).success();
    }
    assert_snapshot!(completed(&env, &["forge-tasks", "view", "T"]), @"
    TASK-001  First thing
    TASK-002  Second thing
    ");
    assert_eq!(values(&env, &["forge-tasks", "edit", "task-002"]), ["TASK-002"]);
    let dependencies = ["forge-tasks", "create", "x", "--depends-on", "TASK-001,TASK-002"];
    assert_eq!(values(&env, &dependencies), ["TASK-001,TASK-002"]);
    assert_eq!(values(&env, &["forge-tasks", "list", "-l", "p"]), ["parser"]);
    assert_eq!(values(&env, &["forge-tasks", "graph", "--format", "m"]), ["mermaid"]);
    let verbs = values(&env, &["forge-tasks", ""]);
    assert!(verbs.iter().any(|verb| verb == "view"), "{verbs:?}");
    assert!(!verbs.iter().any(|verb| verb == "show"), "it is called `view`: {verbs:?}");
    assert_eq!(values(&env, &["forkhestra", "sh"]), ["show", "show-agent"]);
}

#[test]
fn runs_are_completed_with_their_state_and_chain() {
    let env = with_agents();
    past(&env, &["done"]);
    past(&env, &["idle:2"]);
    let [resume, show] = ["resume", "show"].map(|verb| completed(&env, &["forkhestra", verb, ""]));
    let runs = |found: &str| found.lines().filter(|line| line.contains(", started 20")).count();
    assert_eq!(runs(&resume), 1, "{resume}");
    assert!(resume.contains("  max_iterations, idle:2, started 20"), "{resume}");
    assert_eq!(runs(&show), 2, "{show}");
    assert!(show.contains("  complete, done, started 20"), "{show}");
    let id = resume.split(' ').next().expect("there is an id");
    for words in [
        &["forkhestra", "logs", &id[..4]][..],
        &["forkhestra", "runs", "rm", &id[..4]],
        &["forkhestra", "runs", "rebuild", &id[..4]],
        &["ralph-runner", "--resume", &id[..4]],
    ] {
        assert_eq!(values(&env, words), [id], "{words:?}");
    }
}

#[test]
fn known_values_and_paths_are_completed() {
    let env = chains();
    env.write("specs/PLAN.md", "");
    for (words, expected) in [
        (&["--backend", "c"][..], &["claude", "codex"][..]),
        (
            &["--check", ""],
            &["command:", "file:", "marker:", "exit-code", "tasks", "task:", "planned"],
        ),
        (&["--hook", "on-c"], &["on-complete:"]),
        (&["--cwd", "sp"], &["specs/"]),
        (&["--prompt-file", "specs/"], &["specs/PLAN.md"]),
        (&["--check", "./sp"], &["./specs/"]),
        (&["completions", "f"], &["fish"]),
        (&["--no-s"], &["--no-snapshots"]),
    ] {
        assert_eq!(values(&env, &[&["forkhestra"], words].concat()), expected, "{words:?}");
    }
}

#[test]
fn a_broken_project_only_offers_fewer_candidates() {
    let env = project(r#"{ "chains": { "#);
    env.write_home(".local/state/forkhestra", "not a directory");
    env.write("forge/tasks/config.json", "{");
    assert_eq!(values(&env, &["forkhestra", "--chain", "n"]), [""; 0]);
    assert_eq!(values(&env, &["forkhestra", "res"]), ["resume"]);
    assert_eq!(values(&env, &["forkhestra", "show", "a"]), [""; 0]);
    assert_eq!(values(&env, &["forge-tasks", "view", "T"]), [""; 0]);
    for odd in [&["elsewhere", "x"][..], &["forkhestra", "--", "--", ""]] {
        completed(&env, odd);
    }
}

#[test]
fn control_characters_in_candidates_are_made_visible() {
    let env = project(
        r#"{ "chains": {
            "nightly": { "description": "a\u001b[2Jb\nc", "steps": [{ "agent": "x" }] }
        } }"#,
    );
    assert_snapshot!(completed(&env, &["forkhestra", "--chain", "n"]), @r"nightly  a\u{1b}[2Jb");
}

#[test]
fn nothing_is_written() {
    let env = chains();
    for words in [
        &["forkhestra", ""][..],
        &["forkhestra", "resume", ""],
        &["forkhestra", "--chain", ""],
        &["forge-tasks", "view", ""],
        &["ralph-runner", "--resume", ""],
    ] {
        completed(&env, words);
    }
    let names = |path: &Path| -> Vec<String> {
        let entries = fs::read_dir(path).expect("it is there");
        entries
            .map(|entry| entry.expect("it can be read").file_name().into_string().expect("text"))
            .collect()
    };
    assert_eq!(names(&env.project()), ["forge"]);
    assert_eq!(names(&env.home()), [""; 0]);
    assert!(env.has(CONFIG));
}

/// An environment where a shell finds our programs; none if the shell is not installed.
fn with_shell(shell: &str) -> Option<TestEnv> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|place| place.join(shell).is_file()) {
        testkit::report_skipped(&format!("{shell} is not installed"));
        return None;
    }
    let env = chains();
    env.link_system_program(shell).link_system_program("expr");
    for (name, program) in
        [("forkhestra", FORKHESTRA), ("forge-tasks", FORGE_TASKS), ("ralph-runner", RALPH_RUNNER)]
    {
        symlink(program, env.bin().join(name)).expect("the directory is ours");
    }
    Some(env)
}

/// Calls the function as bash does.
const BASH: &str = r#"
eval "$(forkhestra completions bash)"
typed() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _clap_complete_${1//-/_} "$1" "${COMP_WORDS[COMP_CWORD]}"
    printf '%s =>' "$*"; printf ' [%s]' "${COMPREPLY[@]}"; echo
}
typed forkhestra --chain n
typed forkhestra 'owl:3 -> my:'
typed ralph-runner --agent o
typed forge-tasks vie
complete -p forkhestra forge-tasks ralph-runner
"#;

#[test]
fn bash_completes_all_three_programs() {
    let Some(env) = with_shell("bash") else { return };
    let message = env.run(env.bin().join("bash"), &["--norc", "-c", BASH]).success();
    assert_snapshot!(message, @"
    forkhestra --chain n => [nightly]
    forkhestra owl:3 -> my: => [owl:3 -> my:maker]
    ralph-runner --agent o => [owl]
    forge-tasks vie => [view]
    complete -o bashdefault -o nosort -o nospace -F _clap_complete_forkhestra forkhestra
    complete -o bashdefault -o nosort -o nospace -F _clap_complete_forge_tasks forge-tasks
    complete -o bashdefault -o nosort -o nospace -F _clap_complete_ralph_runner ralph-runner
    ");
}

/// Calls the function with the arguments of the completion system of zsh.
const ZSH: &str = r#"
compdef() { print -r -- "compdef $*" }
eval "$(forkhestra completions zsh)"
_describe() { print -rn -- " [${(j:] [:)${(@P)3}}]" }
typed() { print -rn -- "${(j: :)@} =>"; words=("$@") CURRENT=$#; _clap_dynamic_completer_${1//-/_}; print }
typed forkhestra --chain n
typed ralph-runner --agent o
"#;

#[test]
fn zsh_shows_descriptions() {
    let Some(env) = with_shell("zsh") else { return };
    let message = env.run(env.bin().join("zsh"), &["-f", "-c", ZSH]).success();
    assert_snapshot!(message, @"
    compdef _clap_dynamic_completer_forkhestra forkhestra
    compdef _clap_dynamic_completer_forge_tasks forge-tasks
    compdef _clap_dynamic_completer_ralph_runner ralph-runner
    forkhestra --chain n => [nightly:Plans, then builds]
    ralph-runner --agent o => [owl:direct spawn of claude]
    ");
}

const FISH: &str = r#"
forkhestra completions fish | source
for line in 'forkhestra --chain n' 'forkhestra --chain=n' 'forkhestra my:m' 'forkhestra "owl:3 -> my:' 'ralph-runner --agent o'
    echo "$line =>"
    complete --do-complete $line | string replace \t '  '
end
"#;

#[test]
fn fish_completes_all_three_programs() {
    let Some(env) = with_shell("fish") else { return };
    let message = env.run(env.bin().join("fish"), &["--no-config", "-c", FISH]).success();
    assert_snapshot!(message, @r#"
    forkhestra --chain n =>
    nightly  Plans, then builds
    forkhestra --chain=n =>
    --chain=nightly  Plans, then builds
    forkhestra my:m =>
    my:maker  direct spawn of claude
    forkhestra "owl:3 -> my: =>
    "owl:3 -> my:maker  direct spawn of claude
    ralph-runner --agent o =>
    owl  direct spawn of claude
    "#);
}
