//! Refusals before anything runs: exit code 3, and no agent is started.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{looped, repository};

/// The error message of a refused run, which is the same for a dry run.
#[track_caller]
fn refused(env: &TestEnv, options: &[&str]) -> String {
    env.agent("agent", "touch started");
    let message = looped(env, "agent", 3, options).failure(3);
    assert!(!env.has("started"), "an agent was started");
    let dry = looped(env, "agent", 3, &[options, &["--dry-run"]].concat()).failure(3);
    assert_eq!(dry, message);
    message
}

#[test]
fn a_missing_agent_is_an_error() {
    let env = TestEnv::new();
    env.write_script("bin/builder");
    assert_snapshot!(looped(&env, "bilder", 3, &[]).failure(3), @"
    error: step 1: `bilder` is not installed (not found on PATH)
      |
    1 | bilder
      | ^^^^^^ cannot be started
    hint: did you mean `builder`?
    hint: `bin` of the working directory has none of this name either
    ");
    assert_snapshot!(looped(&env, "./bilder", 3, &[]).failure(3), @"
    error: step 1: `./bilder` does not exist
      |
    1 | ./bilder
      | ^^^^^^^^ cannot be started
    ");
}

#[test]
fn a_missing_hook_is_an_error() {
    let hook = ["--hook", "on-complete:./notify.sh now", "--hook", "on-failure:echo a/b"];
    assert_snapshot!(refused(&TestEnv::new(), &hook), @"
    error: hook on-complete: `./notify.sh` does not exist
    hint: paths of hooks are relative to the working directory
    ");
}

#[test]
fn a_hook_that_may_not_be_executed_is_an_error_unless_a_shell_reads_it() {
    let env = TestEnv::new();
    env.write("notify", "#!/bin/sh\n").write("notify.sh", "echo hello\n");
    assert_snapshot!(refused(&env, &["--hook", "on-complete:./notify"]), @"
    error: hook on-complete: `./notify` is not executable
    hint: make it executable: chmod +x ./notify
    ");
    looped(&env, "agent", 3, &["--dry-run", "--hook", "on-complete:./notify.sh"]).success();
}

#[test]
fn a_clean_room_needs_a_repository_and_git() {
    let room = ["--clean-room", "--check", "exit-code"];
    assert_snapshot!(refused(&TestEnv::new(), &room), @"
    error: step 1: a clean room is made of what is committed, and `$TEST/project` is not in a git repository
    hint: make it one with `git init`, and commit something; or leave `cleanRoom` and `--clean-room` out
    ");
    let env = TestEnv::new();
    env.write(".git/HEAD", "ref: refs/heads/main\n");
    assert_snapshot!(refused(&env, &room), @"
    error: step 1: a clean room is made of what is committed, and git is not installed (not found on PATH)
    hint: install git, or leave `cleanRoom` and `--clean-room` out
    ");
    let env = repository();
    env.install("agent");
    looped(&env, "agent", 3, &[&room[..], &["--dry-run"]].concat()).success();
}

const CHECK: &str = "export const check = () => ({ passed: true });\n";

#[test]
fn typescript_needs_something_that_runs_it() {
    let env = TestEnv::new();
    env.write("check.ts", CHECK);
    let check = ["--check", "./check.ts"];
    let message = refused(&env, &check);
    assert!(["bun", "deno", "node"].iter().all(|program| message.contains(program)), "{message}");
    env.agent("node", "echo v20.19.4");
    assert_snapshot!(refused(&env, &check), @"
    error: the check `./check.ts` is TypeScript, which `$TEST/bin/node` cannot run: it is node 20.19.4, and 22.6 is the first that can
    hint: install bun, deno or node 22.6 or later, or write the check in JavaScript
    ");
    for (program, version) in [("node", "v22.6.0"), ("bun", "never asked"), ("deno", "never asked")]
    {
        let env = TestEnv::new();
        env.write("check.ts", CHECK).install("agent").agent(program, &format!("echo {version}"));
        looped(&env, "agent", 3, &[&check[..], &["--dry-run"]].concat()).success();
    }
}

#[test]
fn javascript_does_not_need_a_new_node() {
    let env = TestEnv::new();
    env.write("check.mjs", CHECK).install("agent").agent("node", "echo v18.0.0; touch asked");
    looped(&env, "agent", 3, &["--check", "./check.mjs", "--dry-run"]).success();
    assert!(!env.has("asked"), "the version is not queried");
}
