//! Runs in a sandbox.

use std::path::Path;
use std::process::{Command, Stdio};

use testkit::{CommandOutput, TestEnv, report_skipped};

use crate::FORKHESTRA;
use crate::support::{git, repository};

/// A level with the mechanism that the tests expect on Linux.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestedLevel {
    Guard,
    Workspace,
}

impl TestedLevel {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Workspace => "workspace",
        }
    }

    /// Whether the level works on this machine. A test that needs it is skipped otherwise.
    pub(super) fn works(self) -> bool {
        let works = match self {
            Self::Guard => doctor_says(&TestEnv::new(), "`guard` is possible"),
            Self::Workspace => bubblewrap_works(),
        };
        if !works {
            report_skipped(&format!("the sandbox `{}` is not possible here", self.word()));
        }
        works
    }
}

/// Whether bubblewrap works, asked without forkhestra.
pub(super) fn bubblewrap_works() -> bool {
    let args = ["--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"];
    let tried = Command::new("bwrap").args(args).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

pub(super) fn doctor_says(env: &TestEnv, text: &str) -> bool {
    let mut command = env.command(FORKHESTRA);
    let output = env.output_of(command.env_remove("FORKHESTRA_SANDBOX").args(["doctor", "--json"]));
    output.stdout.contains(text)
}

/// A shell script that runs a command for the processes of forkhestra above the agent or check, `$p`: the runner and its
/// guard. Their environment cannot be read, and other tests have such processes as well, so they are found by their names
/// among the ancestors.
macro_rules! for_each_runner {
    ($command:literal) => {
        concat!(
            "p=$$; while [ \"${p:-0}\" -gt 1 ]; do ",
            "above=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$p/status); ",
            "if [ \"$(cat /proc/$p/comm)\" = forkhestra ]; then ",
            $command,
            "; fi; p=$above; done; true"
        )
    };
}
pub(super) use for_each_runner;

/// Runs forkhestra with a level of the user.
pub(super) fn run_at(env: &TestEnv, level: &str, args: &[&str]) -> CommandOutput {
    env.output_of(env.command(FORKHESTRA).env("FORKHESTRA_SANDBOX", level).args(args))
}

/// A project beside the tested program. `None` if that is in `/tmp` too, or if this user cannot write there.
pub(super) fn outside_of_tmp() -> Option<TestEnv> {
    let place = Path::new(FORKHESTRA).parent().expect("a program is in a directory");
    let env = (!place.starts_with("/tmp")).then(|| TestEnv::new_in(place).ok()).flatten();
    let Some(env) = env else {
        report_skipped("there is no place for a project outside of /tmp");
        return None;
    };
    // The program may be in a repository, which must not be that of the project.
    env.link_system_program("git");
    git(&env, "init --quiet");
    Some(env)
}

/// An attack: what the agent does, and whether it succeeded.
pub(super) struct Attack {
    pub(super) name: &'static str,
    /// A shell script. `$FORKHESTRA_HOME` is the user's home directory.
    pub(super) script: &'static str,
    pub(super) succeeded: fn(&TestEnv, &CommandOutput) -> bool,
}

/// Tries attacks in a project of their own: they must fail at the level, and succeed without a
/// sandbox, so that a broken attack is noticed.
#[track_caller]
pub(super) fn hold(level: TestedLevel, attacks: &[Attack]) {
    if !level.works() {
        return;
    }
    for attack in attacks {
        let confined = tried(level.word(), attack);
        assert!(confined.is_err(), "{} succeeded in {}: {confined:?}", attack.name, level.word());
        let free = tried("off", attack);
        assert!(free.is_ok(), "{} failed without a sandbox: {free:?}", attack.name);
    }
}

/// Tries attacks that another guard stops without a sandbox too.
#[track_caller]
pub(super) fn hold_at(level: TestedLevel, attacks: &[Attack]) {
    if !level.works() {
        return;
    }
    for attack in attacks {
        let confined = tried(level.word(), attack);
        assert!(confined.is_err(), "{} succeeded in {}: {confined:?}", attack.name, level.word());
    }
}

/// The output of the run, as a success or a failure of the attack.
fn tried(level: &str, attack: &Attack) -> Result<CommandOutput, CommandOutput> {
    let env = victim();
    env.agent("attacker", attack.script);
    let output = run_at(&env, level, &["--chain", "c"]);
    if (attack.succeeded)(&env, &output) { Ok(output) } else { Err(output) }
}

/// A repository with a config, a prompt, a check script, a tool and files in the home directory.
pub(super) fn victim() -> TestEnv {
    let env = repository();
    for name in ["mv", "ls", "dirname", "tr", "chmod", "ln", "id"] {
        env.link_system_program(name);
    }
    env.install("tool");
    env.write_home(".bashrc", "# mine\n");
    env.write("forge/orch/prompts/work.md", "Work.\n");
    env.write("scripts/verify.sh", "#!/bin/sh\nexit 0\n");
    env.write(
        "forge/orch/chains.json",
        r#"{"chains": {"c": {
            "steps": [{"agent": "attacker", "promptFile": "forge/orch/prompts/work.md"}],
            "checks": ["scripts/verify.sh"]
        }}}"#,
    );
    git(&env, "add --all");
    git(&env, "commit --quiet --message more");
    env
}
