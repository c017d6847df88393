//! Collects facts about the machine that influence how agents are started.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use forkhestra_core::plan::{DirectSpawn, Plan, PlanStep};
use forkhestra_engine::agent::command::HostFacts;

use crate::project::agent_settings::AgentSettings;
use crate::project::project_location::{ProgramEnvironment, ProjectLocation};

/// The facts that the agents of a plan need. Git is queried, and settings are read, only for agents
/// that need it.
pub(crate) fn host_facts_of_plan(plan: &Plan, project: &ProjectLocation) -> HostFacts {
    let directory = Path::new(&plan.working_directory);
    let agents = plan.steps.iter().flat_map(PlanStep::agents);
    let real = agents.filter(|agent| agent.replay.is_none());
    let direct: Vec<&DirectSpawn> = real.filter_map(|agent| agent.kind.direct()).collect();
    let environment = &project.environment;
    let needs_identity = direct.iter().any(|direct| direct.backend.facts().needs_git_identity);
    let decides = |direct: &&DirectSpawn| {
        let Some(key) = direct.backend.facts().login_shell_key else { return false };
        let all = AgentSettings::all(direct.backend, environment, &direct.env, directory);
        all.iter().any(|settings| settings.mentions(key))
    };
    HostFacts {
        git_identity: match needs_identity {
            true => git_identity(environment, directory),
            false => Vec::new(),
        },
        settings_decide_login_shell: direct.iter().any(decides),
    }
}

/// The variables that give commits their author and committer, from git's settings. Variables that
/// are already set are skipped, and git is not queried for them.
fn git_identity(environment: &ProgramEnvironment, directory: &Path) -> Vec<(String, String)> {
    let variables = ["AUTHOR", "COMMITTER"].into_iter();
    let variables = variables.flat_map(|role| {
        let [name, email] = ["NAME", "EMAIL"].map(|part| format!("GIT_{role}_{part}"));
        if [&name, &email].iter().all(|variable| environment.variable(variable).is_some()) {
            return Vec::new();
        }
        let identity = query_git_var(&format!("GIT_{role}_IDENT"), directory);
        match identity.as_deref().and_then(name_and_email) {
            Some((known, address)) if !known.is_empty() && !address.is_empty() => {
                vec![(name, known.to_owned()), (email, address.to_owned())]
            }
            _ => Vec::new(),
        }
    });
    variables.collect()
}

/// Name and address of the committer, from git's settings for a directory.
pub(crate) fn committer(directory: &Path) -> Option<(String, String)> {
    let identity = query_git_var("GIT_COMMITTER_IDENT", directory)?;
    let (name, email) = name_and_email(&identity)?;
    Some((name.to_owned(), email.to_owned()))
}

/// Whether git has a committer identity for a directory; `None` if git cannot run.
pub(crate) fn knows_committer(directory: &Path) -> Option<bool> {
    Some(git_var("GIT_COMMITTER_IDENT", directory)?.status.success())
}

/// Whether git signs commits of a directory with GnuPG; `None` if git cannot run.
pub(crate) fn signs_with_gnupg(directory: &Path) -> Option<bool> {
    let setting = |args: &[&str]| {
        let output = git(directory).arg("config").args(args).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    };
    let signs = setting(&["--type=bool", "--get", "commit.gpgsign"])? == "true";
    Some(signs && setting(&["--get", "gpg.format"])? != "ssh")
}

fn git(directory: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(directory).stdin(Stdio::null()).stderr(Stdio::null());
    git
}

/// The output of `git var`; `None` if git cannot run or has no identity.
fn query_git_var(variable: &str, directory: &Path) -> Option<String> {
    let output = git_var(variable, directory)?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok())?
}

fn git_var(variable: &str, directory: &Path) -> Option<Output> {
    git(directory).args(["var", variable]).output().ok()
}

/// Parses `Name <email> seconds zone`.
fn name_and_email(identity: &str) -> Option<(&str, &str)> {
    let (name, rest) = identity.split_once('<')?;
    let (email, _) = rest.rsplit_once('>')?;
    Some((name.trim(), email.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_has_a_name_and_an_address() {
        for (identity, expected) in [
            ("Ada L <ada@example.org> 1794733889 +0000\n", Some(("Ada L", "ada@example.org"))),
            (" <> 1 +0000", Some(("", ""))),
            ("nothing", None),
        ] {
            assert_eq!(name_and_email(identity), expected);
        }
    }
}
