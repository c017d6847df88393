//! `forkhestra plan`: an idea becomes PLAN.md, and the planner creates tasks for it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use insta::assert_snapshot;
use testkit::{CommandOutput, PseudoTerminal, TestEnv, eventually};

use crate::run::direct_spawn::{RECORD_INVOCATION, arguments};
use crate::support::agents_at_work::{run, steady};
use crate::{FORKHESTRA, forkhestra};

const PLAN: &str = "forge/orch/specs/PLAN.md";

/// An environment with a planner that keeps its input and completes at once.
fn with_planner() -> TestEnv {
    let env = TestEnv::new();
    env.agent(
        "claude",
        &format!("forge-tasks create 'Sell tea' --plain > created\n{RECORD_INVOCATION}"),
    );
    env
}

/// A program at a pseudo-terminal, with what is on the screen.
struct TerminalProgram {
    child: Child,
    terminal: PseudoTerminal,
    screen: Arc<Mutex<String>>,
    reader: thread::JoinHandle<()>,
}

impl TerminalProgram {
    fn start(env: &TestEnv, args: &[&str]) -> Self {
        let mut terminal = PseudoTerminal::open();
        let mut command = env.command(FORKHESTRA);
        command.args(args).stdin(terminal.stdio()).stderr(terminal.stdio()).stdout(Stdio::piped());
        let child = command.spawn().expect("it starts");
        drop(command);
        terminal.hand_over();
        let (screen, mut source) =
            (Arc::new(Mutex::new(String::new())), File::from(terminal.screen()));
        let shown = Arc::clone(&screen);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 1024];
            // Reading from a terminal that no program has open is an error.
            while let Ok(length @ 1..) = source.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..length]).replace('\r', "");
                shown.lock().expect("the lock is not poisoned").push_str(&text);
            }
        });
        Self { child, terminal, screen, reader }
    }

    fn wait_for(&self, text: &str) {
        eventually(text, || {
            self.screen.lock().expect("the lock is not poisoned").contains(text).then_some(())
        });
    }

    fn end(self, env: &TestEnv) -> (CommandOutput, Option<i32>) {
        let Self { child, screen, reader, .. } = self;
        let output = child.wait_with_output().expect("it ends");
        reader.join().expect("it only reads");
        let stderr = screen.lock().expect("the lock is not poisoned").clone();
        let output_of = CommandOutput {
            stdout: env.normalised(&output.stdout),
            stderr: env.normalised(stderr.as_bytes()),
            code: output.status.code(),
        };
        (steady(env, &output_of), output.status.signal())
    }
}

#[test]
fn an_idea_becomes_a_plan_and_the_planner_runs() {
    let env = with_planner();
    let output = run(&env, &["plan", "A shop for tea", "--done-when", "An order can be placed"]);
    assert_snapshot!(output, @"
    [forkhestra] Starting: planner (max 5 iterations)
    [forkhestra] Iteration 1/5
    FORKHESTRA_COMPLETE
    [forkhestra] Check passed: planned ([time])
    [forkhestra] Complete after 1 iteration

    [forkhestra] Summary
      1  planner  complete  1 iteration  marker  [time]
         marker; checks passed: planned

    [forkhestra] Tasks: 0 of 1 done, 1 left
      to do    TASK-001  Sell tea
    [forkhestra] Warnings: 1 (see above)
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] Chain complete (1/1 steps)
    ------- stderr -------
    Setting up $TEST/project, as `forkhestra init` does
      created  forge/orch/specs/PLAN.md
      created  forge/orch/chains.json
      created  forge/orch/chains.schema.json
      created  forge/orch/specs/SPECS.md
      created  forge/orch/specs/AGENTS.md
      created  .gitignore
      created  forge/tasks/config.json
    warning: $TEST/project is not in a git repository: no commits, no snapshots to undo an iteration, no clean room; to have them: git init && git add -A && git commit -m Begin

    Next:
      forge-tasks list            see the tasks
      forkhestra --chain build    build them, one after another
    ");
    assert_snapshot!(env.read(PLAN), @"
    # Plan

    A shop for tea

    ## Done when

    - An order can be placed
    ");
    let args = arguments(&env);
    let at = args.iter().position(|arg| arg == "--append-system-prompt").expect("it is there");
    assert!(args[at + 1].contains("# Planner"), "{args:?}");
    assert!(!args.iter().any(|arg| arg.contains("shop for tea")), "it is in PLAN.md: {args:?}");
}

#[test]
fn every_answer_can_be_an_option() {
    let env = with_planner();
    env.write("Cargo.toml", "");
    let args = [
        "plan",
        "-p",
        "A shop",
        "--users",
        "Tea drinkers",
        "--done-when",
        "Orders work",
        "--done-when",
        "Payment works",
        "--test",
        "make check",
        "--constraint",
        "No JavaScript",
        "--out-of-scope",
        "Coffee",
        "--no-run",
    ];
    assert_snapshot!(forkhestra(&env, &args), @"
    ------- stderr -------
    Setting up $TEST/project, as `forkhestra init` does
      created  forge/orch/specs/PLAN.md
      created  forge/orch/chains.json
      created  forge/orch/chains.schema.json
      created  forge/orch/specs/SPECS.md
      created  forge/orch/specs/AGENTS.md
      created  .gitignore
      created  forge/tasks/config.json

    Next:
      forkhestra --chain plan     create the tasks
    ");
    assert_snapshot!(env.read(PLAN), @"
    # Plan

    A shop

    ## Users

    Tea drinkers

    ## Done when

    - Orders work
    - Payment works

    ## Tests

    - `make check` passes

    ## Constraints

    - No JavaScript

    ## Out of scope

    - Coffee
    ");
    let agents = env.read("forge/orch/specs/AGENTS.md");
    assert!(agents.contains("- Build and test: `make check`"), "{agents}");
    let config = env.read("forge/orch/chains.json");
    assert!(config.contains(r#""command:\"make check\"""#), "{config}");
    assert!(!env.has("argv"), "the planner did not run");
}

#[test]
fn missing_answers_are_prompted_for_at_a_terminal() {
    let env = with_planner();
    env.write("Cargo.toml", "");
    let asked = TerminalProgram::start(&env, &["plan", "--no-run"]);
    asked.terminal.type_in(b"\nA shop\nTea drinkers\nOrders work\nPayment works\n\n\n\nCoffee\n\n");
    let (output, _) = asked.end(&env);
    assert_snapshot!(output, @"
    ------- stderr -------
    A few questions. Enter skips one; Ctrl-C leaves, and nothing is written.

    What do you want to build?
    > 
    This answer is needed. What do you want to build?
    > 
    Who uses it, and what for?
    > 
    What must be true when it is done?
    One answer a line; an empty line ends.
    > > > 
    Which command tests it? [cargo test]
    > 
    What must it respect: languages, libraries, files not to change?
    One answer a line; an empty line ends.
    > 
    What is out of scope?
    One answer a line; an empty line ends.
    > > 
    Setting up $TEST/project, as `forkhestra init` does
      created  forge/orch/specs/PLAN.md
      created  forge/orch/chains.json
      created  forge/orch/chains.schema.json
      created  forge/orch/specs/SPECS.md
      created  forge/orch/specs/AGENTS.md
      created  .gitignore
      created  forge/tasks/config.json

    Next:
      forkhestra --chain plan     create the tasks
    ");
    assert_snapshot!(env.read(PLAN), @"
    # Plan

    A shop

    ## Users

    Tea drinkers

    ## Done when

    - Orders work
    - Payment works

    ## Tests

    - `cargo test` passes

    ## Out of scope

    - Coffee
    ");
}

#[test]
fn aborting_writes_nothing() {
    let env = with_planner();
    let asked = TerminalProgram::start(&env, &["plan", "A shop"]);
    asked.wait_for("Who uses it");
    // Ctrl-D.
    asked.terminal.press(4);
    let (output, _) = asked.end(&env);
    assert!(output.stderr.ends_with("\nNothing was written.\n"), "{output}");
    assert_eq!((output.code, env.has("forge")), (Some(1), false));

    let asked = TerminalProgram::start(&env, &["plan"]);
    asked.wait_for("What do you want to build?");
    let process = rustix::process::Pid::from_child(&asked.child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("it is there");
    let (output, signal) = asked.end(&env);
    assert_eq!((output.code, signal, env.has("forge")), (None, Some(2), false), "{output}");
}

#[test]
fn a_plan_that_a_person_wrote_is_kept() {
    let env = with_planner();
    env.write(PLAN, "# Ours\n");
    assert_snapshot!(forkhestra(&env, &["plan", "-p", "A shop"]).failure(2), @"
    error: `forge/orch/specs/PLAN.md` has text of its own, which `plan` keeps
    hint: --append adds the idea to it, --force replaces it
    hint: `forkhestra --chain plan` creates tasks for what it says
    ");
    assert_eq!(env.read(PLAN), "# Ours\n");
    assert!(!env.has("argv"), "the planner did not run");
    let output = forkhestra(&env, &["plan", "-p", "A shop", "--append", "--no-run"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read(PLAN), "# Ours\n\n## Next\n\nA shop\n");
    let output = forkhestra(&env, &["plan", "-p", "A bar", "--force", "--no-run"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(env.read(PLAN), "# Plan\n\nA bar\n");
}

#[test]
fn the_template_of_init_is_replaced_and_the_config_is_kept() {
    let env = with_planner();
    env.run(FORKHESTRA, &["init"]).success();
    let config = env.read("forge/orch/chains.json");
    assert_snapshot!(forkhestra(&env, &["plan", "-p", "A shop", "--no-run"]), @"
    ------- stderr -------
      replaced forge/orch/specs/PLAN.md

    Next:
      forkhestra --chain plan     create the tasks
    ");
    assert_eq!(env.read(PLAN), "# Plan\n\nA shop\n");
    assert_eq!(env.read("forge/orch/chains.json"), config);
}

#[test]
fn a_dry_run_shows_plan_and_run_and_does_neither() {
    let env = with_planner();
    assert_snapshot!(forkhestra(&env, &["plan", "A shop", "--dry-run"]), @r##"
    Would write forge/orch/specs/PLAN.md:

      # Plan

      A shop

    [forkhestra] Dry run - would execute the following chain:

      1. planner - loop up to 5 iterations
           agent: direct spawn of claude (built-in)
           system prompt: "# Planner" (+62 lines)
           model: sonnet
           max turns: 50
           allowed tools: Read, Grep, Glob, Bash
           check: planned  [added because this agent makes tasks]
           stagnation: at most 2  [default of planner loops]

    [forkhestra] Dry run complete. No agents were executed.
    "##);
    assert!(!env.has("forge") && !env.has("argv"));
}

#[test]
fn the_idea_can_come_from_a_file_or_from_standard_input() {
    let env = with_planner();
    env.write("idea.md", "A shop\n\nfor tea\n");
    let output = forkhestra(&env, &["plan", "--prompt-file", "idea.md", "--no-run"]);
    assert_eq!(
        (output.code, env.read(PLAN)),
        (Some(0), "# Plan\n\nA shop\n\nfor tea\n".to_owned())
    );
    let mut command = env.command(FORKHESTRA);
    command.args(["plan", "-", "--no-run", "--force"]).stdin(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(b"A bar\n").expect("it reads");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(env.read(PLAN), "# Plan\n\nA bar\n");
}

#[test]
fn an_unusable_plan_request_is_refused_before_anything_is_written() {
    let env = with_planner();
    let refused = |args: &[&str]| forkhestra(&env, args).failure(2);
    assert_snapshot!(refused(&["plan"]), @r#"
    error: no idea is given, and there is no terminal to ask at
    hint: forkhestra plan "what you want to build"
    "#);
    assert_snapshot!(refused(&["plan", " "]), @r#"
    error: the idea is empty
    hint: forkhestra plan "what you want to build"
    "#);
    assert_snapshot!(refused(&["plan", "-p", ""]), @r#"
    error: the idea is empty
    hint: forkhestra plan "what you want to build"
    "#);
    assert_snapshot!(refused(&["plan", "A shop", "-p", "A bar"]), @"
    error: the argument '[IDEA]...' cannot be used with '--prompt <TEXT>'
    hint: for the options and their values see `forkhestra plan --help`
    ");
    assert_snapshot!(refused(&["plan", "--prompt-file", "missing.md"]), @"
    error: Prompt file not found: missing.md
    hint: paths are relative to the working directory (`--cwd`)
    ");
    assert_snapshot!(refused(&["plan", "A shop", "--append", "--force"]), @"
    error: the argument '--append' cannot be used with '--force'
    hint: for the options and their values see `forkhestra plan --help`
    ");
    assert_snapshot!(refused(&["plan", "A shop", "--cwd", "nowhere"]), @"
    error: the working directory `nowhere` does not exist
    hint: `--cwd` takes an existing directory
    ");
    assert!(!env.has("forge"));
    // A missing agent program is reported before PLAN.md is written.
    let env = TestEnv::new();
    assert_snapshot!(forkhestra(&env, &["plan", "A shop"]).failure(2), @"
    error: step 1: `claude` is not installed (not found on PATH)
    hint: install it with `npm install -g @anthropic-ai/claude-code`, or name the program in `CLAUDE_PATH`
    ");
    assert!(!env.has("forge"));
    env.write("forge", "a file");
    assert_snapshot!(forkhestra(&env, &["plan", "A shop", "--no-run"]).failure(2), @"
    error: cannot write $TEST/project/forge/orch/specs/PLAN.md: Not a directory (os error 20)
    hint: nothing was written
    ");
}

#[test]
fn the_backend_of_the_user_is_written_into_the_project() {
    let env = TestEnv::new();
    env.write_home(".config/forkhestra/chains.json", r#"{"backend": "codex", "chains": {}}"#);
    let output = forkhestra(&env, &["plan", "A shop", "--no-run"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(env.read("forge/orch/chains.json").contains(r#""backend": "codex""#));
}

#[test]
fn an_agent_called_plan_can_still_be_run() {
    let env = TestEnv::new();
    env.agent("plan", "echo I am an agent");
    let output = forkhestra(&env, &["run", "plan"]);
    assert!(output.stdout.contains("I am an agent"), "{output}");
    let output = forkhestra(&env, &["plan:2", "--dry-run"]);
    assert_eq!(output.code, Some(0), "{output}");
}
