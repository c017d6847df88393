//! The environment, arguments, prompt and working directory of an agent.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::support::agents_at_work::{DONE, id, only_run, run, steady};
use crate::{FORKHESTRA, project};

#[test]
fn an_agent_gets_its_position_in_the_run() {
    let env = TestEnv::new();
    env.agent("first", "").agent("second", "env | grep ^FORKHESTRA_ | sort >> told");
    assert_eq!(run(&env, &["first -> second:2"]).code, Some(1));
    let run = only_run(&env);
    assert_snapshot!(env.read("told").replace(id(&run), "[id]"), @"
    FORKHESTRA_AGENT=second
    FORKHESTRA_ITERATION=1
    FORKHESTRA_MAX_ITERATIONS=2
    FORKHESTRA_RUN_ID=[id]
    FORKHESTRA_RUN_IDS=[id]
    FORKHESTRA_SANDBOX=off
    FORKHESTRA_STEP=2
    FORKHESTRA_AGENT=second
    FORKHESTRA_ITERATION=2
    FORKHESTRA_MAX_ITERATIONS=2
    FORKHESTRA_RUN_ID=[id]
    FORKHESTRA_RUN_IDS=[id]
    FORKHESTRA_SANDBOX=off
    FORKHESTRA_STEP=2
    ");
}

#[test]
fn an_agent_inherits_the_environment_and_the_config_adds_to_it() {
    let env = project(
        r#"{
          "agents": { "a": { "command": "tool", "env": { "ADDED": "new", "CHANGED": "by config" } } },
          "chains": {},
        }"#,
    );
    env.agent("tool", r#"echo "$KEPT, $ADDED, $CHANGED, $FORKHESTRA_AGENT" > told"#);
    let mut command = env.command(FORKHESTRA);
    command.arg("a").env("KEPT", "inherited").env("CHANGED", "by nobody");
    assert_eq!(env.output_of(&mut command).code, Some(0));
    assert_eq!(env.read("told"), "inherited, new, by config, a\n");
}

/// Variables of an outer run do not reach the agent.
#[test]
fn an_agent_does_not_get_the_position_of_an_outer_run() {
    let env = TestEnv::new();
    env.agent("a", r#"echo "$FORKHESTRA_RUN_ID $FORKHESTRA_STEP" > told"#);
    let mut command = env.command(FORKHESTRA);
    command.arg("a").env("FORKHESTRA_RUN_ID", "another1").env("FORKHESTRA_STEP", "77");
    assert_eq!(env.output_of(&mut command).code, Some(0));
    assert_eq!(env.read("told"), format!("{} 1\n", id(&only_run(&env))));
}

#[test]
fn an_agent_works_in_the_working_directory_with_empty_standard_input() {
    let env = TestEnv::new();
    env.agent("a", "pwd > told; cat >> told; echo \"$#\" >> told").write("sub/keep", "");
    assert_eq!(run(&env, &["a", "--cwd", "sub"]).code, Some(0));
    assert_eq!(env.read("sub/told"), "$TEST/project/sub\n0\n");
}

#[test]
fn arguments_come_from_the_agent_then_the_step_then_the_command_line_and_the_prompt_is_last() {
    let env = project(
        r#"{
          "agents": { "a": { "command": "tool", "args": ["of agent", "--x"] } },
          "chains": { "c": {
            "prompt": "the prompt\nwith two lines",
            "steps": [{ "agent": "a", "args": ["of step", ""] }],
          } },
        }"#,
    );
    env.agent("tool", r#"for arg; do echo "[$arg]"; done > told"#);
    let output = run(&env, &["--chain", "c", "--", "--global", "*", "$HOME"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert_snapshot!(env.read("told"), @"
    [of agent]
    [--x]
    [of step]
    []
    [--global]
    [*]
    [$HOME]
    [the prompt
    with two lines]
    ");
}

#[test]
fn global_arguments_go_to_every_agent() {
    let env = TestEnv::new();
    env.agent("a", r#"echo "a $*" >> told"#).agent("b", r#"echo "b $*" >> told"#);
    assert_eq!(run(&env, &["a -> b", "--", "--model", "x"]).code, Some(0));
    assert_eq!(env.read("told"), "a --model x\nb --model x\n");
}

#[test]
fn the_prompt_is_the_same_in_every_iteration() {
    let env = TestEnv::new();
    env.agent("a", r#"echo "$1" >> told"#);
    assert_eq!(run(&env, &["a:2", "-p", "Do it: $HOME \"now\""]).code, Some(1));
    assert_eq!(env.read("told"), "Do it: $HOME \"now\"\n".repeat(2));
}

#[test]
fn an_empty_prompt_is_no_argument() {
    let env = TestEnv::new();
    env.agent("a", "echo $# >> told").write("empty.md", "");
    assert_eq!(run(&env, &["a", "-p", ""]).code, Some(0));
    assert_eq!(run(&env, &["a", "--prompt-file", "empty.md"]).code, Some(0));
    assert_eq!(env.read("told"), "0\n0\n");
}

#[test]
fn a_prompt_file_is_read_for_every_iteration_and_its_change_is_noted() {
    let env = TestEnv::new();
    env.agent("a", r#"echo "got: $1"; echo "second" > prompt.md"#).write("prompt.md", "first\n");
    assert_snapshot!(run(&env, &["a:3", "--prompt-file", "prompt.md"]), @"
    [forkhestra] Starting: a (max 3 iterations)
    [forkhestra] Iteration 1/3
    got: first

    [forkhestra] Iteration 2/3
    got: second

    [forkhestra] Iteration 3/3
    got: second

    [forkhestra] Incomplete after 3 iterations (max_iterations)

    [forkhestra] Summary
      1  a  incomplete  3 iterations  max_iterations  [time]

    [forkhestra] Warnings: 1 (see above)
    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] To resume: forkhestra resume [id] --max-iterations 6
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, not complete after 3 iterations
    ------- stderr -------
    warning: the prompt of step 1 is not what it was before
    [exit status: 1]
    ");
}

#[test]
fn a_program_that_vanishes_during_the_run_ends_it() {
    let env = TestEnv::new();
    env.agent("a", r#"rm "$0""#);
    assert_snapshot!(run(&env, &["a:3"]), @"
    [forkhestra] Starting: a (max 3 iterations)
    [forkhestra] Iteration 1/3
    [forkhestra] Iteration 2/3
    [forkhestra] Iteration 2/3 failed (not started: `$TEST/bin/a` does not exist)
    [forkhestra] Incomplete after 1 iteration: not started: `$TEST/bin/a` does not exist (cannot_start)

    [forkhestra] Summary
      1  a  incomplete  1 iteration  cannot_start  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, could not be started: `$TEST/bin/a` does not exist
    [exit status: 1]
    ");
}

#[test]
fn a_working_directory_that_vanishes_during_the_run_ends_it() {
    let env = TestEnv::new();
    env.agent("a", "rm -r ../sub").write("sub/keep", "");
    assert_snapshot!(run(&env, &["a:3", "--cwd", "sub"]), @"
    [forkhestra] Starting: a (max 3 iterations)
    [forkhestra] Iteration 1/3
    [forkhestra] Iteration 2/3
    [forkhestra] Iteration 2/3 failed (not started: the working directory `$TEST/project/sub` does not exist)
    [forkhestra] Incomplete after 1 iteration: not started: the working directory `$TEST/project/sub` does not exist (cannot_start)

    [forkhestra] Summary
      1  a  incomplete  1 iteration  cannot_start  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, could not be started: the working directory `$TEST/project/sub` does not exist
    [exit status: 1]
    ");
}

#[test]
fn a_prompt_file_that_vanishes_during_the_run_ends_it() {
    let env = TestEnv::new();
    env.agent("a", "rm prompt.md").write("prompt.md", "Do it.");
    assert_snapshot!(run(&env, &["a:3", "--prompt-file", "prompt.md"]), @"
    [forkhestra] Starting: a (max 3 iterations)
    [forkhestra] Iteration 1/3
    [forkhestra] Iteration 2/3
    [forkhestra] Iteration 2/3 failed (not started: prompt file `prompt.md` cannot be read: No such file or directory (os error 2))
    [forkhestra] Incomplete after 1 iteration: not started: prompt file `prompt.md` cannot be read: No such file or directory (os error 2) (cannot_start)

    [forkhestra] Summary
      1  a  incomplete  1 iteration  cannot_start  [time]

    [forkhestra] Logs: $TEST/home/.local/state/forkhestra/[work tree]/[started]-[id]
    [forkhestra] What to do: put prompt.md back, or make it readable, then resume
    [forkhestra] To resume: forkhestra resume [id]
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, could not be started: prompt file `prompt.md` cannot be read: No such file or directory (os error 2)
    [exit status: 1]
    ");
}

/// The plan is kept: a later program of the same name is ignored.
#[test]
fn a_program_added_earlier_on_path_during_the_run_is_not_run() {
    let env = TestEnv::new();
    env.agent("second/a", "mkdir -p ../first; cp fake ../first/a; echo real");
    env.write("fake", "#!/bin/sh\necho FORKHESTRA_COMPLETE\n");
    let mut command = env.command(FORKHESTRA);
    let path = format!("../first:{}", env.bin().join("second").display());
    command.args(["a:2"]).env("PATH", path);
    let output = steady(&env, &env.output_of(&mut command));
    assert_eq!(output.code, Some(1), "{output}");
    assert!(!output.stdout.contains("COMPLETE\n"), "{output}");
}

#[test]
fn a_prompt_file_that_is_too_long_is_reported_with_its_size() {
    let env = TestEnv::new();
    env.agent("a", DONE).write("prompt.md", vec![b'x'; 200_000]);
    let output = run(&env, &["a:3", "--prompt-file", "prompt.md", "--quiet"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("200001 bytes in the longest"), "{output}");
}
