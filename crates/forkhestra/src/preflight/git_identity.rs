//! Warns about agents that cannot commit: git has no identity, or the sandbox hides what it signs with.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{AgentKind, EnvVars, Plan, SandboxLevel};

use crate::project::host_facts;
use crate::project::project_location::ProjectLocation;

/// The variables that set the committer without git's settings.
const COMMITTER: [&str; 2] = ["GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];

/// A warning for coding agents in a repository whose git has no identity. Git is queried only if
/// there are such agents.
pub(crate) fn check_git_identity(plan: &Plan, project: &ProjectLocation) -> Option<Diagnostic> {
    let has_own = |env: &EnvVars| COMMITTER.iter().all(|name| env.0.contains_key(*name));
    let needs_one = plan.steps.iter().any(|step| {
        let is_real =
            matches!(step.agent.kind, AgentKind::Direct(_)) && step.agent.replay.is_none();
        is_real && !has_own(step.agent.kind.env())
    });
    if !needs_one || !project.is_in_repository() {
        return None;
    }
    let is_known = host_facts::knows_committer(&project.working_directory)?;
    (!is_known).then(|| {
        Diagnostic::warning(
            "git has no name and address for commits, so agents cannot commit; to set them: git config \
             --global user.name NAME && git config --global user.email ADDRESS",
        )
    })
}

/// A warning for a sandbox that hides the agent of GnuPG from a git that signs commits with it. Git is
/// queried only if there is such a sandbox.
pub(crate) fn check_git_signing(plan: &Plan, project: &ProjectLocation) -> Option<Diagnostic> {
    let hides_agent = plan.steps.iter().filter(|step| step.agent.replay.is_none()).any(|step| {
        step.active_sandbox().is_some_and(|sandbox| {
            let is_hidden = sandbox.level >= SandboxLevel::Workspace;
            is_hidden && !sandbox.writable.iter().any(|path| path.contains("gnupg"))
        })
    });
    if !hides_agent || !project.is_in_repository() {
        return None;
    }
    host_facts::signs_with_gnupg(&project.working_directory)?.then(|| {
        Diagnostic::warning(
            "git signs commits with GnuPG, which the sandbox hides: commits of agents will fail",
        )
        .hint("to commit without signatures in this repository: git config commit.gpgsign false")
        .hint("to sign: --writable ~/.gnupg --writable \"$(dirname \"$(gpgconf --list-dirs agent-socket)\")\"")
    })
}
