//! A project with a test that its commit does not pass.

use std::path::PathBuf;

use testkit::{CommandOutput, TestEnv};

use crate::support::{DONE, forkhestra, git, repository, verdicts};

/// The check: a fresh clone of the first commit does not pass it.
pub(crate) const CHECK: &str = "command:\"sh test.sh\"";

/// A repository whose test fails: `answer` is wrong. The commit has a strong test and a weak file.
pub(crate) fn failing_project() -> TestEnv {
    let env = repository();
    for name in ["chmod", "ln", "mkfifo", "mv", "dirname", "head", "cut"] {
        env.link_system_program(name);
    }
    env.write("answer", "wrong\n").write("test.sh", "grep -q right answer\n");
    git(&env, "add --all");
    git(&env, "commit --quiet --message test");
    env
}

/// Runs an agent that attacks and claims completion, with checks in a clean room.
pub(crate) fn attack(env: &TestEnv, script: &str, options: &[&str]) -> CommandOutput {
    env.agent("a", &format!("{script}\n{DONE}"));
    let args = ["a:1", "--clean-room", "--check", CHECK];
    forkhestra(env, &[&args, options].concat())
}

/// Asserts that the run is not complete, and returns the verdicts.
#[track_caller]
pub(crate) fn assert_incomplete(env: &TestEnv, output: &CommandOutput) -> Vec<String> {
    assert_eq!(output.code, Some(1), "{output}");
    let verdicts = verdicts(env);
    assert!(verdicts.iter().all(|verdict| !verdict.starts_with("complete")), "{output}");
    verdicts
}

/// The file that a command of the agent's creates if it is run. The agent gets its path in a shell
/// command.
pub(crate) fn trace(env: &TestEnv) -> PathBuf {
    env.root().join("trace")
}
