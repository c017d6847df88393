//! Agents and chains that come with forkhestra: there without any file, and below everything else.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::run::direct_spawn::{WITNESS, arguments};
use crate::support::agents_at_work::run;
use crate::{CONFIG, FORKHESTRA, forkhestra, planned, project, refused};

const FORGE_TASKS: &str = env!("CARGO_BIN_EXE_forge-tasks");

/// All built-in agents by their short names.
const AGENTS: [&str; 7] =
    ["planner", "builder", "reviewer", "fixer", "task-manager", "task-coordinator", "task-worker"];

/// An environment with these agent programs, a plan, and nothing else.
fn with_programs(programs: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    env.write("forge/orch/specs/PLAN.md", "A shop.\n");
    for program in programs {
        env.install(program);
    }
    env
}

#[test]
fn a_built_in_chain_needs_no_file() {
    let env = with_programs(&["claude"]);
    assert_snapshot!(planned(&env, &["--chain", "build-all"]), @r##"
    1. planner - loop up to 3 iterations
         agent: direct spawn of claude (built-in)
         system prompt: "# Planner" (+61 lines)
         model: sonnet
         max turns: 50
         allowed tools: Read, Grep, Glob, Bash
         check: planned  [added because this agent makes tasks]
         stagnation: at most 2  [default of planner loops]
    2. builder - loop up to 20 iterations
         agent: direct spawn of claude (built-in)
         system prompt: "# Builder" (+58 lines)
         model: sonnet
         max turns: 100
         check: tasks
         stagnation: at most 3  [default of builder loops]
    "##);
}

#[test]
fn a_backend_is_chosen_on_the_command_line() {
    let env = with_programs(&["gemini"]);
    assert_snapshot!(planned(&env, &["planner:3 -> builder:2", "--backend", "gemini"]), @r##"
    1. planner - loop up to 3 iterations
         agent: direct spawn of gemini (built-in)
         system prompt: "# Planner" (+61 lines)
         max turns: 50
         allowed tools: read_file, grep_search, glob, list_directory, run_shell_command
         check: planned  [added because this agent makes tasks]
         stagnation: at most 2  [default of planner loops]
    2. builder - loop up to 2 iterations
         agent: direct spawn of gemini (built-in)
         system prompt: "# Builder" (+58 lines)
         max turns: 100
         check: tasks  [added because this agent works through the task database]
         stagnation: at most 3  [default of builder loops]
    "##);
}

#[test]
fn a_backend_is_chosen_in_the_config_file() {
    let env = project(r#"{ "backend": "codex", "chains": {} }"#);
    env.install("codex");
    assert_snapshot!(planned(&env, &["fk:reviewer:3"]), @r##"
    1. fk:reviewer - loop up to 3 iterations
         agent: direct spawn of codex (built-in)
         system prompt: "# Reviewer" (+54 lines)
         max turns: 100
         stagnation: at most 3  [default of fk:reviewer loops]
    "##);
}

#[test]
fn an_invalid_backend_is_reported_with_its_position() {
    let env = project(r#"{ "backend": "copilot", "chains": {} }"#);
    assert_snapshot!(refused(&env, &["planner"]), @r#"
    error: `backend` must be `claude`, `codex`, `gemini` or `opencode`, found the string "copilot"
     --> forge/orch/chains.json:1:14
      |
    1 | { "backend": "copilot", "chains": {} }
      |              ^^^^^^^^^ expected `claude`, `codex`, `gemini` or `opencode`
    "#);
}

#[test]
fn a_backend_without_a_built_in_agent_is_a_warning() {
    let env = with_programs(&["tool"]);
    let said = forkhestra(&env, &["tool", "--backend", "codex", "--dry-run"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert_snapshot!(said.stderr, @"
    warning: `--backend codex` has no effect: no agent of the chain is built in
    hint: an agent of the config file names its program by its own `backend`
    ");
}

#[test]
fn an_installed_backend_is_suggested_if_the_default_is_missing() {
    let env = with_programs(&["codex"]);
    assert_snapshot!(forkhestra(&env, &["planner:3"]).failure(2), @"
    error: step 1: `claude` is not installed (not found on PATH)
    hint: install it with `npm install -g @anthropic-ai/claude-code`, or name the program in `CLAUDE_PATH`
    hint: Codex is installed: `--backend codex` lets it do the work
    ");
    let shown = planned(&env, &["planner:3"]);
    let warning = shown.lines().find(|line| line.contains("warning:")).expect("there is one");
    assert!(
        warning.ends_with("; Codex is installed: `--backend codex` lets it do the work"),
        "{warning}"
    );
}

#[test]
fn a_misspelt_agent_gets_a_suggestion() {
    let said = forkhestra(&with_programs(&["claude"]), &["bulider:3"]).failure(2);
    assert!(said.contains("did you mean `builder`?"), "{said}");
}

#[test]
fn the_worker_gets_a_single_task_in_its_prompt() {
    let env = TestEnv::new();
    env.agent("claude", &format!("forge-tasks edit TASK-007 --status done > edited\n{WITNESS}"));
    env.write("forge/tasks/TASK-007 - Something.md", task("TASK-007", "To Do"));
    let said = run(&env, &["--chain", "single-task", "TASK_ID=TASK-007"]);
    assert_eq!(said.code, Some(0), "{said}");
    let args = arguments(&env);
    assert!(args.ends_with(&["--".to_owned(), "Work on TASK-007.".to_owned()]), "{args:?}");
    assert!(!args.contains(&"--task".to_owned()), "{args:?}");
}

fn task(id: &str, status: &str) -> String {
    format!("---\nid: {id}\ntitle: Something\nstatus: {status}\n---\n")
}

#[test]
fn a_single_task_is_done_when_the_database_has_it_done() {
    let env = TestEnv::new();
    env.agent("claude", WITNESS);
    env.write("forge/tasks/TASK-007 - Something.md", task("TASK-007", "To Do"));
    let said = run(&env, &["--chain", "single-task", "TASK_ID=TASK-007"]);
    assert_eq!(said.code, Some(1), "{said}");
    let failed = "Check failed: TASK-007 is Done: 1 task is not done: TASK-007";
    assert!(said.stdout.contains(failed), "{said}");
}

#[test]
fn a_built_in_agent_gets_its_prompt_after_the_preamble() {
    let env = with_programs(&[]);
    env.agent("claude", WITNESS);
    env.write("forge/tasks/TASK-007 - Something.md", task("TASK-007", "To Do"));
    assert_eq!(run(&env, &["planner:2"]).code, Some(0));
    let args = arguments(&env);
    let at = args.iter().position(|arg| arg == "--append-system-prompt").expect("it is there");
    let prompt = forkhestra(&env, &["show-agent", "planner", "--prompt-only"]).success();
    assert!(args[at + 1].starts_with("# How you are run\n"), "{}", args[at + 1]);
    assert!(args[at + 1].trim_end().ends_with(prompt.trim_end()), "{}", args[at + 1]);
}

#[test]
fn an_invalid_task_of_a_chain_is_reported_with_its_position() {
    let env = project(
        r#"{ "chains": { "one": { "steps": [{ "agent": "task-worker", "args": ["--task"] }] } } }"#,
    );
    assert_snapshot!(refused(&env, &["--chain", "one"]), @r#"
    error: `--task` needs the id of a task
     --> forge/orch/chains.json:1:69
      |
    1 | { "chains": { "one": { "steps": [{ "agent": "task-worker", "args": ["--task"] }] } } }
      |                                                                     ^^^^^^^^ nothing follows
    hint: name one task: `--task TASK-001`; `forge-tasks list` shows which there are
    "#);
}

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
      | You run unattended under forkhestra. Nobody reads along and nobody answers: ask no questions, wait for no confirmation, decide for yourself and go on.
      |
      | You begin with a fresh context. What was done before you is in files, in git and in lists of tasks, so look there first. Whatever should be known after you must be there as well: write it down, and commit your work before you stop.
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
    env.agent("claude", WITNESS);
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
    let said = run(&env, &["reader:1"]);
    assert_eq!(said.code, Some(1), "{said}");
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
    let said = |name: &str| forkhestra(&env, &["show-agent", "--prompt-only", name]).failure(2);
    assert_snapshot!(said("worker"), @"
    error: the agent `worker` is a program, which has no system prompt
    hint: the program is `$TEST/bin/tool` [forge/orch/chains.json:1:15]
    ");
    assert_snapshot!(said("builder"), @"
    error: the agent `builder` is a program, which has no system prompt
    hint: the program is `$TEST/bin/builder` [PATH]
    hint: a built-in agent has the same name; what is configured or on PATH comes first
    ");
    assert_snapshot!(said("by-name"), @"
    error: Agent 'by-name' references systemPrompt '${WHO}.md', which depends on variables
    hint: only a run gives them values; look at the file itself
    ");
    assert_snapshot!(said("reviewr"), @"
    error: there is no agent called 'reviewr'
    hint: did you mean `reviewer`?
    hint: built-in agents: planner, builder, reviewer, fixer, task-manager, task-coordinator, task-worker
    hint: `forkhestra list` shows all that there are
    ");
    assert_snapshot!(said("build-all"), @"
    error: there is no agent called 'build-all'
    hint: a chain is called so; to see it: --chain build-all --dry-run
    hint: built-in agents: planner, builder, reviewer, fixer, task-manager, task-coordinator, task-worker
    hint: `forkhestra list` shows all that there are
    ");
}

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
            let said = env.run("/bin/sh", &["-c", &format!("exec '{FORGE_TASKS}' {words}")]);
            // Exit code 3 means that no task is ready.
            assert!(matches!(said.code, Some(0 | 3)), "{agent}: {command}: {said}");
        }
    }
}

/// An environment with the agent program and a program of this name on PATH.
fn with_program_called(name: &str, script: &str) -> TestEnv {
    let env = TestEnv::new();
    env.agent("claude", WITNESS).agent(name, script);
    env.write("forge/orch/specs/PLAN.md", "# Plan\n\nA calculator.\n");
    env
}

#[test]
fn a_program_on_path_does_not_replace_an_agent_of_a_built_in_chain() {
    let env = with_program_called("planner", "echo GUI: $@");
    let said = run(&env, &["--chain", "plan"]);
    assert!(!said.stdout.contains("GUI"), "{said}");
    assert!(arguments(&env).iter().any(|arg| arg.contains("# Planner")), "{said}");
    let warning = "warning: a program `planner` is on PATH ($TEST/bin/planner); the built-in chain \
                   uses the built-in agent\n";
    assert!(said.stderr.starts_with(warning), "{said}");
    assert_snapshot!(forkhestra(&env, &["--chain", "plan", "--dry-run", "--quiet"]), @r##"
      1. planner - loop up to 5 iterations
           agent: direct spawn of claude (built-in)
           system prompt: "# Planner" (+61 lines)
           model: sonnet
           max turns: 50
           allowed tools: Read, Grep, Glob, Bash
           check: planned  [added because this agent makes tasks]
           stagnation: at most 2  [default of planner loops]
    ------- stderr -------
    warning: a program `planner` is on PATH ($TEST/bin/planner); the built-in chain uses the built-in agent
    hint: to use the program: "planner": { "command": "planner" } under `agents` in the config file
    "##);
}

#[test]
fn the_config_can_replace_an_agent_of_a_built_in_chain_by_a_program() {
    let env = with_program_called("planner", "echo GUI: $@\necho FORKHESTRA_COMPLETE");
    env.write(CONFIG, r#"{ "agents": { "planner": { "command": "planner" } }, "chains": {} }"#);
    let said = run(&env, &["--chain", "plan"]);
    assert!(said.stdout.contains("GUI"), "{said}");
    assert!(!said.stderr.contains("planner"), "{said}");
}

#[test]
fn a_typed_name_means_the_program_and_a_warning_names_the_built_in_agent() {
    let env = with_program_called("planner", "echo FORKHESTRA_COMPLETE");
    env.install("builder");
    let warned = |chain: &str| forkhestra(&env, &[chain, "--dry-run"]).stderr;
    assert_snapshot!(warned("planner:3"), @"warning: `planner` means the program `$TEST/bin/planner`; the built-in agent is `fk:planner`");
    assert_snapshot!(warned("planner:3 -> builder:3"), @"warning: `planner` and `builder` mean programs on PATH; the built-in agents are `fk:planner` and `fk:builder`");
    assert_eq!(warned("fk:planner:3"), "");
}

#[test]
fn list_and_doctor_report_a_program_with_the_name_of_a_built_in_agent() {
    let env = with_program_called("planner", "echo");
    let listed = forkhestra(&env, &["list"]).success();
    let note = "the built-in agent of this name is `fk:planner`; built-in chains use it";
    assert!(listed.contains(&format!("    {note}\n")), "{listed}");
    let said = forkhestra(&env, &["doctor"]);
    assert!(said.stdout.contains(&format!("agent `planner`: {note}")), "{said}");
}

#[test]
fn an_entry_without_a_prompt_adjusts_a_built_in_agent() {
    let env = project(
        r#"{
          "agents": { "builder": { "model": "opus", "env": { "KEY": "value" } } },
          "chains": {},
        }"#,
    );
    env.agent("claude", WITNESS);
    assert_snapshot!(planned(&env, &["--chain", "build"]), @r##"
    1. builder - loop up to 30 iterations
         agent: direct spawn of claude (built-in)
         system prompt: "# Builder" (+58 lines)
         model: opus  [forge/orch/chains.json:2:45]
         max turns: 100
         env: KEY  [forge/orch/chains.json:2:60]
         check: tasks
         stagnation: at most 3  [default of builder loops]
    "##);
    let listed = forkhestra(&env, &["list"]).success();
    let line = "  builder is adjusted: env, model opus  [forge/orch/chains.json]\n";
    assert!(listed.contains(line), "{listed}");
    assert_eq!(run(&env, &["builder:1", "-p", "Build it."]).code, Some(0));
    let args = arguments(&env);
    let model = args.iter().position(|arg| arg == "--model").expect("it gets a model");
    assert_eq!(args[model + 1], "opus", "{args:?}");
    assert!(args.iter().any(|arg| arg.contains("# Builder")), "{args:?}");
}

#[test]
fn a_config_with_only_an_adjusted_agent_is_valid() {
    let env = project(r#"{"agents":{"builder":{"model":"opus"}}}"#);
    env.agent("claude", WITNESS);
    for typed in [&["--chain", "build"][..], &["builder:3"], &["fk:builder:3"]] {
        let shown = planned(&env, typed);
        assert!(shown.contains("model: opus  [forge/orch/chains.json:1:31]\n"), "{shown}");
    }
    let said = forkhestra(&env, &["doctor"]);
    assert!(said.stdout.contains("forge/orch/chains.json adjusts `builder`"), "{said}");
    assert!(!said.stdout.contains("adds"), "{said}");
    let empty = project("{}");
    empty.agent("claude", WITNESS);
    assert!(planned(&empty, &["--chain", "build"]).contains("builder - loop"), "{{}}");
}

#[test]
fn a_model_of_another_backend_is_a_warning() {
    let env = project(r#"{"agents":{"builder":{"model":"opus"}}}"#);
    let warned = |options: &[&str]| {
        let options = [&["builder:3", "--dry-run", "--quiet"], options].concat();
        let said = forkhestra(&env, &options);
        assert_eq!(said.code, Some(0), "{said}");
        said.stderr
    };
    assert_snapshot!(warned(&["--backend", "codex"]), @r#"
    warning: `agents.builder.model` is a model of Claude Code, and `builder` is run by Codex
     --> forge/orch/chains.json:1:31
      |
    1 | {"agents":{"builder":{"model":"opus"}}}
      |                               ^^^^^^ not a model of Codex
    hint: name a model of Codex, or none to use its default
    "#);
    assert_snapshot!(warned(&["--backend", "codex", "--model", "haiku"]), @"
    warning: `haiku` is a model of Claude Code, and `builder` is run by Codex
    hint: name a model of Codex, or none to use its default
    ");
    assert_eq!(warned(&["--backend", "codex", "--model", "gpt-5"]), "");
    assert_eq!(warned(&[]), "");
}

#[test]
fn a_model_is_chosen_on_the_command_line() {
    let env = TestEnv::new();
    env.agent("claude", WITNESS).install("tool");
    let shown = planned(&env, &["builder:3", "--model", "opus"]);
    assert!(shown.contains("model: opus  [--model]\n"), "{shown}");
    assert_eq!(
        run(&env, &["builder:1", "-p", "Build it.", "--model", "claude-opus-4-5"]).code,
        Some(0)
    );
    let args = arguments(&env);
    let model = args.iter().position(|arg| arg == "--model").expect("it gets a model");
    assert_eq!(args[model + 1], "claude-opus-4-5", "{args:?}");
    assert_snapshot!(refused(&env, &["tool", "--model", "opus"]), @"
    error: `--model opus` has no effect: every agent of the chain is a program
    hint: `--model` is for built-in agents, and for agents that have a system prompt
    hint: give a program its own option after `--`: forkhestra AGENT -- --model NAME
    ");
    assert_snapshot!(refused(&env, &["builder", "--model", "son net"]), @"
    error: `--model son net` is not a model of Claude Code
    hint: did you mean `sonnet`?
    hint: expected `sonnet`, `opus`, `haiku` or a full model id
    ");
    let said = run(&env, &["builder:1", "-p", "Build it.", "--model", "sonnet[1m]"]);
    assert_eq!(said.code, Some(0), "{said}");
    let warning = "warning: `--model sonnet[1m]` is not a known model of Claude Code\n";
    assert!(said.stderr.contains(warning), "{said}");
    assert!(arguments(&env).contains(&"sonnet[1m]".to_owned()), "{said}");
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

#[test]
fn a_wrapper_given_as_a_path_is_a_plain_program() {
    let env = TestEnv::new();
    env.write_script("claude").install("claude");
    env.write(CONFIG, r#"{ "agents": { "wrapped": { "command": "./claude" } }, "chains": {} }"#);
    for agent in ["./claude", "wrapped"] {
        let shown = planned(&env, &[agent]);
        assert!(shown.contains("agent: program $TEST/project/claude"), "{shown}");
    }
    let shown = planned(&env, &["claude"]);
    assert!(shown.contains("direct spawn"), "{shown}");
}

#[test]
fn a_later_step_that_skips_permissions_is_refused_to_root() {
    let env = TestEnv::new();
    env.install("claude");
    if fs::metadata(env.project()).is_ok_and(|ours| ours.uid() != 0) {
        return;
    }
    let mut command = env.command(FORKHESTRA);
    command.args(["claude -> builder:2", "-p", "Work."]).env_remove("IS_SANDBOX");
    let said = env.output_of(&mut command);
    assert_eq!(said.code, Some(2), "{said}");
    assert!(said.stderr.contains("error: step 2: ") && said.stderr.contains("root"), "{said}");
}

#[test]
fn the_worker_written_by_init_gets_a_single_task_in_its_prompt() {
    let env = TestEnv::new();
    let finishes = format!("forge-tasks edit 7 --status done --plain; {WITNESS}");
    env.agent("claude", &finishes).link_system_program("grep");
    assert_eq!(forkhestra(&env, &["init", "--with-prompts"]).code, Some(0));
    env.write("forge/tasks/TASK-007 - Something.md", task("TASK-007", "To Do"));
    let said = run(&env, &["--chain", "single-task", "TASK_ID=TASK-007"]);
    assert_eq!(said.code, Some(0), "{said}");
    assert!(said.stdout.contains("Check passed: TASK-007 is Done"), "{said}");
    let args = arguments(&env);
    assert!(args.ends_with(&["--".to_owned(), "Work on TASK-007.".to_owned()]), "{args:?}");
    assert!(!args.contains(&"--task".to_owned()), "{args:?}");
    env.write("more.md", "Hurry.\n");
    env.write("forge/tasks/TASK-007 - Something.md", task("TASK-007", "To Do"));
    let args = ["--chain", "single-task", "TASK_ID=TASK-007", "--prompt-file", "more.md"];
    assert_eq!(run(&env, &args).code, Some(0));
    let last = arguments(&env).pop().expect("there are arguments");
    assert_eq!(last, "Work on TASK-007.\n\nHurry.\n");
}
