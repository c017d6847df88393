//! `forkhestra show-agent`.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::run::direct_spawn::{RECORD_INVOCATION, arguments};
use crate::support::agents_at_work::run;
use crate::{CONFIG, FORKHESTRA, forkhestra, project};

#[test]
fn show_agent_prints_the_bare_prompt_unchanged() {
    let env = project(
        r#"{
  "agents": {
    "text": { "systemPromptText": "You are a \u001b[31mtext." },
    "file": { "systemPrompt": "prompts/file.md" },
    "empty": { "systemPromptText": "" },
    "planner": { "defaultPrompt": "Plan" },
  },
  "chains": {},
}"#,
    );
    env.write("prompts/file.md", "You are a file.\n\nTwo lines.\n");
    let shown = |name: &str| forkhestra(&env, &["show-agent", name, "--prompt-only"]).success();
    assert_eq!(shown("text"), "You are a \u{1b}[31mtext.\n");
    assert_eq!(shown("file"), "You are a file.\n\nTwo lines.\n");
    assert_eq!(shown("empty"), "");
    assert!(shown("planner").starts_with("# Planner\n"));
    assert_eq!(shown("fk:planner"), shown("planner"));
}

#[test]
fn show_agent_shows_everything_that_an_agent_gets() {
    let env = project(
        r#"{ "agents": { "tester": { "systemPromptText": "You test.\nYou fix nothing.", "model": "opus" } }, "chains": {} }"#,
    );
    env.install("claude");
    assert_snapshot!(forkhestra(&env, &["show-agent", "tester"]).success(), @r#"
    tester, in a loop (tester:N)
      agent: direct spawn of claude (forge/orch/chains.json:1:15)
      system prompt: "You test." (+1 line)
      model: opus
      completion markers: `FORKHESTRA_COMPLETE`, `ORCHESTRA_COMPLETE`, `<promise>COMPLETE</promise>` or `RALPH_STATUS: COMPLETE`

    System prompt, added to that of Claude Code (the first part is the same for all agents in a loop)
      | # How you are run
      |
      | You run unattended under forkhestra. No person answers questions during the run: ask none, and wait for no confirmation. Decide yourself, record your decisions and go on.
      |
      | You begin with a fresh context. Earlier work is in files, in git and in lists of tasks: look there first. Write there what later agents must know, and commit your work before you stop.
      |
      | You are started again and again until the whole work of this step is done. If anything is left to do, or another task is waiting, just stop: you are started again. Only when everything is done, write `FORKHESTRA_COMPLETE` on a line of its own at the end of your last message, with nothing else on that line. This is the completion line.
      |
      | You test.
      | You fix nothing.

    Prompt
      | Do your work as described in your instructions.

    Variables, beside the inherited ones
      FORKHESTRA_RUN_ID, FORKHESTRA_AGENT, FORKHESTRA_STEP, FORKHESTRA_ITERATION, FORKHESTRA_MAX_ITERATIONS, CLAUDE_CODE_DISABLE_BACKGROUND_TASKS

    Command (long arguments are cut; `--dry-run -v` shows all)
      $TEST/bin/claude --print --output-format stream-json --verbose --include-partial-messages --dangerously-skip-permissions --append-system-prompt '# How you are run…' --model opus --disallowedTools=ScheduleWakeup -- 'Do your work as described in your instructions.'
    "#);
    // A run passes what is shown.
    let shown = forkhestra(&env, &["show-agent", "builder"]).success();
    env.agent("claude", RECORD_INVOCATION);
    assert_eq!(run(&env, &["builder:10", "-p", "Build"]).code, Some(0));
    let args = arguments(&env);
    let at = args.iter().position(|arg| arg == "--append-system-prompt").expect("it is there");
    for line in args[at + 1].lines().filter(|line| !line.is_empty()) {
        assert!(shown.contains(&format!("  | {line}\n")), "{line}");
    }
    assert!(shown.contains("`FORKHESTRA_COMPLETE` on a line of its own"), "{shown}");
    let variables = env.read("environment");
    for name in
        ["FORKHESTRA_AGENT", "FORKHESTRA_MAX_ITERATIONS", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"]
    {
        assert!(shown.contains(name) && variables.contains(name), "{name}: {shown}");
    }
}

#[test]
fn show_agent_shows_nothing_that_completes_a_loop() {
    let env = project(
        r#"{ "agents": { "text": { "systemPromptText": "Say\nFORKHESTRA_COMPLETE\nat the end." } }, "chains": {} }"#,
    );
    env.install("claude").agent("reader", &format!("exec {FORKHESTRA} show-agent text"));
    let output = run(&env, &["reader:1"]);
    assert_eq!(output.code, Some(1), "{output}");
}

#[test]
fn show_agent_shows_what_a_program_gets() {
    let env = project(
        r#"{ "agents": { "worker": { "command": "tool", "env": { "MODE": "x" }, "defaultPrompt": "Work" } }, "chains": {} }"#,
    );
    env.install("tool");
    assert_snapshot!(forkhestra(&env, &["show-agent", "worker"]).success(), @r#"
    worker, in a loop (worker:N)
      agent: program $TEST/bin/tool (forge/orch/chains.json:1:15)
      env: MODE
      prompt: "Work"
      completion markers: `FORKHESTRA_COMPLETE`, `ORCHESTRA_COMPLETE`, `<promise>COMPLETE</promise>` or `RALPH_STATUS: COMPLETE`

    Prompts
      A program gets no system prompt. Its prompt, if there is one, is its last argument. In a loop
      it is complete when it prints a completion marker on a line of its own.

    Variables, beside the inherited ones
      FORKHESTRA_RUN_ID, FORKHESTRA_AGENT, FORKHESTRA_STEP, FORKHESTRA_ITERATION, FORKHESTRA_MAX_ITERATIONS, MODE
    "#);
}

#[test]
fn show_agent_explains_a_missing_prompt() {
    let env = project(
        r#"{ "agents": { "worker": { "command": "tool" }, "by-name": { "systemPrompt": "${WHO}.md" } }, "chains": {} }"#,
    );
    env.install("tool").install("builder");
    let message = |name: &str| forkhestra(&env, &["show-agent", "--prompt-only", name]).failure(2);
    assert_snapshot!(message("worker"), @"
    error: the agent `worker` is a program, which has no system prompt
    hint: the program is `$TEST/bin/tool` [forge/orch/chains.json:1:15]
    ");
    assert_snapshot!(message("builder"), @"
    error: the agent `builder` is a program, which has no system prompt
    hint: the program is `$TEST/bin/builder` [PATH]
    hint: a built-in agent has the same name; what is configured or on PATH comes first
    ");
    assert_snapshot!(message("by-name"), @"
    error: Agent 'by-name' references systemPrompt '${WHO}.md', which depends on variables
    hint: only a run gives them values; look at the file itself
    ");
    assert_snapshot!(message("reviewr"), @"
    error: there is no agent called 'reviewr'
    hint: did you mean `reviewer`?
    hint: built-in agents: planner, builder, reviewer, fixer, task-manager, task-coordinator, task-worker
    hint: `forkhestra list` shows all that there are
    ");
    assert_snapshot!(message("build-all"), @"
    error: there is no agent called 'build-all'
    hint: a chain is called so; to see it: --chain build-all --dry-run
    hint: built-in agents: planner, builder, reviewer, fixer, task-manager, task-coordinator, task-worker
    hint: `forkhestra list` shows all that there are
    ");
}

#[test]
fn show_agent_shows_variables_as_they_are_written() {
    let env = TestEnv::new();
    let config = r#"{ "agents": { "own": { "systemPromptText": "Be ${TONE}.",
        "defaultPrompt": "Build ${FEATURE}." } }, "chains": {} }"#;
    env.install("claude").write(CONFIG, config);
    let shown = forkhestra(&env, &["show-agent", "own"]).success();
    assert!(shown.contains("| Build ${FEATURE}.") && shown.contains("Be ${TONE}."), "{shown}");
}
