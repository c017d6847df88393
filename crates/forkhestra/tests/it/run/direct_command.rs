//! The command of a dry run, pasted into a shell, does the same as a run.

use std::fs;
use std::process::Command;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::project;
use crate::run::direct_spawn::{RECORD_INVOCATION, arguments};
use crate::support::agents_at_work::run;

/// The command that a dry run shows for the first step.
fn shown(env: &TestEnv, args: &[&str]) -> String {
    let output = env.output_of(env.command(crate::FORKHESTRA).args(["--dry-run", "-v"]).args(args));
    let text = output.stdout.replace("$TEST", env.root().to_str().expect("it is plain"));
    let (_, after) = text.split_once("\n       command:\n").expect("there is a command");
    let end = after.find("\n       ").expect("something follows");
    after[..end].to_owned()
}

/// Runs the command in a shell.
fn paste(env: &TestEnv, command: &str) {
    let mut shell: Command = env.command("/bin/sh");
    let path = format!("{}:/usr/bin:/bin", env.bin().display());
    // The command may be longer than one argument can be.
    env.write("pasted", command);
    let output = env.output_of(shell.arg("pasted").env("PATH", path).env("KEY", "k"));
    assert_eq!(output.code, Some(0), "{output}");
}

/// Asserts that the stand-in gets the same input from a run and from the command shown before it.
#[track_caller]
fn assert_same_input(env: &TestEnv, args: &[&str]) {
    paste(env, &shown(env, args));
    let pasted = (arguments(env), env.read("stdin"));
    fs::remove_file(env.project().join("argv")).expect("the file is ours");
    let output = run(env, args);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!((arguments(env), env.read("stdin")), pasted);
}

#[test]
fn a_command_in_full() {
    let env = project(
        r#"{
          "agents": { "p": {
            "systemPromptText": "You plan.",
            "allowedTools": ["Read", "Bash(git *)"],
            "maxTurns": 5,
            "env": { "KEY": "secret" },
          } },
          "chains": {},
        }"#,
    );
    env.agent("claude", RECORD_INVOCATION);
    let command = shown(&env, &["p", "-p", "Plan it.", "--max-cost", "2.50"]);
    let command = env.normalised(command.as_bytes());
    assert_snapshot!(command, @r#"
    # set KEY first: its value is in the config
    KEY="$KEY" CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1 $TEST/bin/claude --print --output-format stream-json --verbose --include-partial-messages --permission-mode dontAsk --append-system-prompt '# How you are run

    You run unattended under forkhestra. No person answers questions during the run: ask none, and wait for no confirmation. Decide yourself, record your decisions and go on.

    You begin with a fresh context. Earlier work is in files, in git and in lists of tasks: look there first. Write there what later agents must know, and commit your work before you stop.

    You are started once. No completion marker is needed: when your work is done, just stop.

    You plan.' --max-turns 5 --max-budget-usd 2.5 --strict-mcp-config --tools=Read,Bash '--allowedTools=Read,Bash(git *)' --disallowedTools=ScheduleWakeup -- 'Plan it.' < /dev/null
    "#);
}

#[test]
fn a_prompt_with_shell_metacharacters() {
    let env = project(r#"{ "agents": { "p": { "systemPrompt": "who.md" } }, "chains": {} }"#);
    env.write("who.md", "It's \"you\".\n  $HOME `id` \\ !\n\u{1b}[31m\ttab\r\n")
        .agent("claude", RECORD_INVOCATION);
    assert_same_input(&env, &["p", "--prompt=--do 'it'\n$(now) \\n *"]);
}

#[test]
fn a_prompt_on_standard_input() {
    let env = project(r#"{ "agents": { "p": { "systemPromptText": "" } }, "chains": {} }"#);
    let prompt = "Plan\tit. ".repeat(20_000);
    env.write("do.md", &prompt).agent("claude", RECORD_INVOCATION);
    let command = shown(&env, &["p", "--prompt-file", "do.md"]);
    assert!(command.ends_with(" < do.md"), "{}", &command[command.len() - 100..]);
    assert_same_input(&env, &["p", "--prompt-file", "do.md"]);
    env.write("do.md", format!("/{prompt}"));
    assert_same_input(&env, &["p", "--prompt-file", "do.md"]);
}

/// The files have another path each time, but the same content.
#[test]
fn a_system_prompt_in_a_file() {
    for (backend, path) in [
        ("gemini", "echo \"$GEMINI_SYSTEM_MD\""),
        ("opencode", "echo \"$OPENCODE_CONFIG_CONTENT\" | cut -d '\"' -f 4"),
    ] {
        let env = project(&format!(
            r#"{{ "agents": {{ "p": {{ "backend": "{backend}", "systemPrompt": "who.md" }} }}, "chains": {{}} }}"#
        ));
        env.write("who.md", "It's $you.\n\tYou plan.\n\n");
        env.agent(backend, &format!("{RECORD_INVOCATION}\ncat \"$({path})\" >> files"));
        assert_same_input(&env, &["p", "-p", "It's you who plans."]);
        let files = env.read("files");
        let (pasted, run) = files.split_at(files.len() / 2);
        assert_eq!(pasted, run, "{backend}");
        assert!(run.ends_with("\n\nIt's $you.\n\tYou plan.\n\n"), "{backend}: {run}");
    }
}

#[test]
fn a_config_of_opencode_that_is_set_is_not_shown() {
    let env = project(
        r#"{ "agents": { "p": { "backend": "opencode", "systemPromptText": "" } }, "chains": {} }"#,
    );
    env.agent("opencode", RECORD_INVOCATION);
    let mut command = env.command(crate::FORKHESTRA);
    command.args(["--dry-run", "-v", "p"]);
    command.env("OPENCODE_CONFIG_CONTENT", r#"{"key": "secret"}"#);
    let shown = env.output_of(&mut command).success();
    assert!(!shown.contains("secret"), "{shown}");
    assert!(
        shown.contains("# a run adds to the value that OPENCODE_CONFIG_CONTENT has\n"),
        "{shown}"
    );
}
