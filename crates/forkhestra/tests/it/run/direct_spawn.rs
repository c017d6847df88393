//! Agents made of a system prompt, with a stand-in for the agent program.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, only_run, run};
use crate::{FORKHESTRA, planned, project};

/// A stand-in that records its input and prints the marker.
pub(crate) const RECORD_INVOCATION: &str = "printf '%s\\0' \"$@\" > argv; cat > stdin; env > environment\n\
                                  echo FORKHESTRA_COMPLETE";

const CONFIG: &str = r#"{
  "agents": { "planner": { "systemPromptText": "You plan.", "model": "sonnet" } },
  "chains": {},
}"#;

/// The arguments that the stand-in got.
pub(crate) fn arguments(env: &TestEnv) -> Vec<String> {
    env.read("argv").split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn the_agent_program_gets_the_system_prompt_and_the_prompt() {
    let env = project(CONFIG);
    env.agent("claude", RECORD_INVOCATION);
    assert_eq!(run(&env, &["planner:3", "-p", "Plan it."]).code, Some(0));
    let args = arguments(&env);
    assert_eq!(args[..2], ["--print", "--output-format"]);
    let at = args.iter().position(|arg| arg == "--append-system-prompt").expect("it is there");
    assert!(args[at + 1].starts_with("# How you are run\n"), "{}", args[at + 1]);
    assert!(args[at + 1].ends_with("\n\nYou plan."), "{}", args[at + 1]);
    assert!(args.ends_with(&["--".to_owned(), "Plan it.".to_owned()]), "{args:?}");
    assert_eq!(env.read("stdin"), "");
    let environment = env.read("environment");
    for expected in
        ["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "FORKHESTRA_AGENT=planner", "FORKHESTRA_STEP=1"]
    {
        assert!(environment.lines().any(|line| line == expected), "{expected}: {environment}");
    }
}

/// Each backend gets the prompt and the system prompt in its own way.
#[test]
fn every_agent_program_gets_the_system_prompt_and_the_prompt() {
    for (backend, who, what) in [
        ("codex", "tr '\\0' '\\n' < argv | grep developer_instructions", "argv"),
        ("gemini", "cat \"$GEMINI_SYSTEM_MD\"", "argv"),
        ("opencode", "cat $(echo $OPENCODE_CONFIG_CONTENT | cut -d '\"' -f 4)", "stdin"),
    ] {
        let env = project(&format!(
            r#"{{
              "agents": {{ "p": {{ "backend": "{backend}", "systemPromptText": "You plan." }} }},
              "chains": {{}},
            }}"#
        ));
        env.agent(backend, &format!("{RECORD_INVOCATION}\n{who} > who"));
        let output = run(&env, &["p:2", "-p", "Plan it."]);
        assert_eq!(output.code, Some(0), "{output}");
        let who = env.read("who");
        assert!(who.contains("unattended under forkhestra"), "{backend}: {who}");
        assert!(who.trim_end().trim_end_matches('"').ends_with("You plan."), "{backend}: {who}");
        assert!(env.read(what).contains("Plan it."), "{backend}");
        assert!(!only_run(&env).join("scratch").exists(), "files are left");
    }
}

#[test]
fn an_agent_without_a_prompt_gets_the_default_prompt() {
    let env = project(CONFIG);
    env.agent("claude", RECORD_INVOCATION);
    assert_eq!(run(&env, &["planner"]).code, Some(0));
    let args = arguments(&env);
    assert_eq!(
        args.last().expect("it is there"),
        "Do your work as described in your instructions."
    );
}

/// An agent that repeats its input has not completed.
#[test]
fn an_agent_that_repeats_its_input_is_not_done() {
    let env = project(CONFIG);
    env.agent("claude", "printf '%s\\n' \"$@\"");
    assert_eq!(run(&env, &["planner:2"]).code, Some(1));
}

#[test]
fn another_program_can_replace_the_agent_program() {
    let env = project(CONFIG);
    env.agent("claude", "touch wrong").agent("other", "touch by-name");
    env.agent_file("tools/mock", "touch by-path");
    for (value, trace) in [("other", "by-name"), ("tools/mock", "by-path")] {
        let mut command = env.command(FORKHESTRA);
        let output = env.output_of(command.arg("planner").env("CLAUDE_PATH", value));
        assert_eq!(output.code, Some(0), "{output}");
        assert!(env.has(trace), "{trace}");
    }
    assert!(!env.has("wrong"));
    let mut command = env.command(FORKHESTRA);
    let output = env.output_of(command.arg("planner").env("CLAUDE_PATH", ""));
    assert_eq!(output.code, Some(0), "{output}");
    assert!(env.has("wrong"), "an empty value names nothing");
}

#[test]
fn a_plan_shows_the_program_that_is_really_started() {
    let env = project(CONFIG);
    env.agent_file("tools/mock", "");
    let mut command = env.command(FORKHESTRA);
    command.args(["--dry-run", "--quiet", "planner"]).env("CLAUDE_PATH", "tools/mock");
    assert_snapshot!(env.output_of(&mut command).success(), @"
      1. planner - run once
           agent: direct spawn of claude, as tools/mock (forge/orch/chains.json:2:15)
           system prompt: \"You plan.\"
           model: sonnet
    ");
}

#[test]
fn a_missing_agent_program_is_reported_with_a_remedy() {
    let env = project(CONFIG);
    assert_snapshot!(run(&env, &["planner"]).failure(2), @"
    error: step 1: `claude` is not installed (not found on PATH)
      |
    1 | planner
      | ^^^^^^^ cannot be started
    hint: install it with `npm install -g @anthropic-ai/claude-code`, or name the program in `CLAUDE_PATH`
    ");
    let mut command = env.command(FORKHESTRA);
    let output = env.output_of(command.arg("planner").env("CLAUDE_PATH", "tools/mock"));
    assert_snapshot!(output.failure(2), @"
    error: step 1: `tools/mock` does not exist
      |
    1 | planner
      | ^^^^^^^ cannot be started
    hint: `CLAUDE_PATH` names it; correct or unset that
    ");
}

/// The text is longer than an argument can be.
#[test]
fn a_prompt_too_long_for_an_argument_arrives() {
    let env = project(
        r#"{ "agents": { "p": { "systemPrompt": "who.md", "defaultPromptFile": "do.md" } }, "chains": {} }"#,
    );
    let (who, what) = ("You plan.\n".repeat(30_000), "/Plan it. ".repeat(30_000));
    env.write("who.md", &who).write("do.md", &what);
    let script = "previous=\n\
                  for word; do\n\
                  [ \"$previous\" != --append-system-prompt-file ] || cp \"$word\" got-who\n\
                  previous=$word\n\
                  done";
    env.agent("claude", &format!("{script}\n{RECORD_INVOCATION}"));
    assert_eq!(run(&env, &["p:2"]).code, Some(0));
    assert!(env.read("got-who").ends_with(&format!("\n\n{who}")));
    assert_eq!(env.read("stdin"), format!(" {what}"), "what begins with a slash is no command");
    assert!(!arguments(&env).contains(&"--".to_owned()));
    assert!(!only_run(&env).join("scratch").exists(), "files are left");
}

#[test]
fn prompt_files_are_read_again_for_every_iteration() {
    let env = project(
        r#"{ "agents": { "p": { "systemPrompt": "who.md", "defaultPromptFile": "do.md" } }, "chains": {} }"#,
    );
    env.write("who.md", "first who").write("do.md", "first do");
    let script = "printf '%s\\n' \"$@\" | grep -E '(who|do)$' >> seen\n\
                  echo second who > who.md; echo second do > do.md";
    env.agent("claude", &format!("{script}\n[ $FORKHESTRA_ITERATION -lt 2 ] || {DONE}"));
    assert_eq!(run(&env, &["p:3"]).code, Some(0));
    assert_eq!(env.read("seen"), "first who\nfirst do\nsecond who\nsecond do\n");
}

#[test]
fn a_removed_prompt_file_is_reported() {
    let env = project(r#"{ "agents": { "p": { "systemPrompt": "who.md" } }, "chains": {} }"#);
    env.write("who.md", "You plan.").agent("claude", "rm who.md");
    let output = run(&env, &["p:2"]).to_string();
    assert!(output.contains("system prompt file `who.md` cannot be read"), "{output}");
}

#[test]
fn a_resumed_run_finds_the_agent_program_again() {
    let env = project(CONFIG);
    env.agent("claude", "exit 3");
    assert_eq!(run(&env, &["planner"]).code, Some(1));
    fs::remove_file(env.bin().join("claude")).expect("the file is ours");
    env.agent_file("tools/mock", "touch resumed");
    let mut command = env.command(FORKHESTRA);
    let output = env.output_of(command.arg("resume").env("CLAUDE_PATH", "tools/mock"));
    assert_eq!(output.code, Some(0), "{output}");
    assert!(env.has("resumed"));
}

/// Values of variables may be secrets, and files outlive a run.
#[test]
fn values_of_variables_are_neither_stored_nor_shown() {
    let env = project(
        r#"{
          "agents": { "p": { "systemPromptText": "", "env": { "KEY": "very-secret" } } },
          "chains": {},
        }"#,
    );
    env.agent("claude", &format!("[ \"$KEY\" = very-secret ] || exit 3\n{DONE}"));
    let shown = planned(&env, &["p:2"]) + &run(&env, &["--dry-run", "-v", "p:2"]).success();
    assert!(!shown.contains("very-secret"), "{shown}");
    assert!(shown.contains("KEY=\"$KEY\""), "{shown}");
    assert_eq!(run(&env, &["p:2"]).code, Some(0));
    assert_no_file_holds(&only_run(&env), "very-secret");
}

fn assert_no_file_holds(directory: &Path, text: &str) {
    for entry in fs::read_dir(directory).expect("the directory is ours") {
        let path = entry.expect("the directory is ours").path();
        if path.is_dir() {
            assert_no_file_holds(&path, text);
        } else {
            let bytes = fs::read(&path).expect("the file is ours");
            assert!(!String::from_utf8_lossy(&bytes).contains(text), "{}", path.display());
        }
    }
}
