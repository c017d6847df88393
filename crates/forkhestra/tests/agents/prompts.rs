//! The prompts that an agent gets, and how they are passed.

use crate::scripted_stream::ScriptedStream;
use crate::support::AgentProject;

fn done() -> ScriptedStream {
    ScriptedStream::new().runs("make", "ok").model_message("FORKHESTRA_COMPLETE").succeeds(0.01)
}

/// The arguments from `flag` on.
fn from<'a>(args: &'a str, flag: &str) -> Vec<&'a str> {
    args.lines().skip_while(|arg| *arg != flag).collect()
}

#[test]
fn the_prompt_follows_two_dashes_and_the_system_prompt_follows_the_preamble() {
    let project = AgentProject::new(&[done()]);
    let output = project.run(&["worker:2", "-p=-x is broken", "--", "--effort", "low"]);
    assert_eq!(output.code, Some(0), "{output}");
    let args = project.got("args.1");
    assert_eq!(from(&args, "--"), ["--", "-x is broken"], "{args}");
    let ours = args.find("forkhestra").expect("the agent knows who runs it");
    assert!(ours < args.find("You are a worker.").expect("its own prompt is there"), "{args}");
    assert!(from(&args, "--effort").starts_with(&["--effort", "low"]), "{args}");
    assert!(!args.lines().any(|line| line.trim() == "FORKHESTRA_COMPLETE"), "{args}");
    assert_eq!(project.got("stdin.1"), "");
}

#[test]
fn a_prompt_that_is_too_long_for_an_argument_comes_by_standard_input() {
    let project = AgentProject::new(&[done()]);
    let long: String = "Read this carefully. ".repeat(15_000);
    project.env.write("prompt.md", &long);
    let output = project.run(&["worker:2", "--prompt-file", "prompt.md"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(project.got("stdin.1").trim_end() == long.trim_end(), "all of it arrives");
}

#[test]
fn files_are_read_again_for_every_iteration() {
    let config = r#"{
        "agents": { "worker": { "systemPrompt": "who.md", "defaultPromptFile": "what.md" } },
        "chains": {}
    }"#;
    let project = AgentProject::with_config(
        config,
        &[ScriptedStream::new().model_message("no").succeeds(0.01), done()],
    );
    project.env.write("who.md", "First self.").write("what.md", "First task.");
    project.env.agent(
        "claude",
        r#"n=$FORKHESTRA_ITERATION
        printf '%s\n' "$@" > "$PLACE/args.$n"
        printf 'Second self.' > who.md; printf 'Second task.' > what.md
        cat "$PLACE/stream.$n""#,
    );
    let output = project.run(&["worker:3"]);
    assert_eq!(output.code, Some(0), "{output}");
    let second = project.got("args.2");
    assert!(second.contains("Second self.") && second.contains("Second task."), "{second}");
    let warning = "the prompt or the system prompt of step 1 is not what it was before";
    assert!(output.stderr.contains(warning), "{output}");
}

/// A project whose agent has its system prompt in a file; `deed` is run in each iteration.
fn with_system_prompt_file(command: &str) -> AgentProject {
    let config = r#"{ "agents": { "worker": { "systemPrompt": "who.md" } }, "chains": {} }"#;
    let project = AgentProject::with_config(
        config,
        &[ScriptedStream::new().model_message("no").succeeds(0.01), done()],
    );
    project.env.write("who.md", "First self.");
    project.env.agent("claude", &format!("{command}; cat \"$PLACE/stream.$FORKHESTRA_ITERATION\""));
    project
}

#[test]
fn a_changed_system_prompt_file_is_named() {
    let output = with_system_prompt_file("printf 'Second self.' > who.md").run(&["worker:3"]);
    let warning = "the system prompt of step 1 is not what it was before";
    assert!(output.stderr.contains(warning), "{output}");
}

#[test]
fn a_removed_system_prompt_is_reported_with_a_remedy() {
    let project = with_system_prompt_file("rm -f who.md");
    let output = project.run(&["worker:3"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("system prompt file `who.md` cannot be read"), "{output}");
    let remedy = "What to do: put who.md back, or make it readable, then resume\n";
    assert!(output.stdout.contains(remedy), "{output}");
    project.env.write("who.md", "First self.");
    let output = project.run(&["resume"]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn an_agent_without_a_prompt_gets_the_default_prompt() {
    let project = AgentProject::new(&[done()]);
    assert_eq!(project.run(&["worker:2"]).code, Some(0));
    let args = project.got("args.1");
    let prompt = from(&args, "--");
    assert!(prompt.len() == 2 && !prompt[1].is_empty(), "{prompt:?}");
}

#[test]
fn a_variable_names_another_program() {
    let project = AgentProject::new(&[done()]);
    std::fs::rename(project.env.bin().join("claude"), project.env.project().join("mine.sh"))
        .expect("both are ours");
    let mut command = project.command(&["worker:2"]);
    let output = project.env.output_of(command.env("CLAUDE_PATH", "./mine.sh"));
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn a_dry_run_prints_a_command_that_can_be_pasted() {
    let project = AgentProject::new(&[done()]);
    let output =
        project.run(&["worker:2", "-p", "it's \"done\"\nwhen $HOME is", "--dry-run", "-v"]);
    assert_eq!(output.code, Some(0), "{output}");
    let (_, command) = output.stdout.split_once("command:").expect("it is there");
    assert!(command.contains("--append-system-prompt"), "{command}");
    assert!(command.contains("claude"), "{command}");
}
