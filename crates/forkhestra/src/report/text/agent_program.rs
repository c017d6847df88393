//! Remedies for an agent program that cannot be started.

use forkhestra_core::config::Backend;
use forkhestra_core::plan::{
    AgentKind, HostEnvironment, NotRunnableReason, PlanAgent, ProgramLocation, ValueOrigin,
};

use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;

/// How to install or locate a missing program of a known agent.
pub(crate) fn remedy(kind: &AgentKind) -> Option<String> {
    let (AgentKind::Direct(direct), Some(ProgramLocation::Missing(why))) = (kind, kind.location())
    else {
        return None;
    };
    missing(direct.backend, &direct.command, *why)
}

/// How to install or locate a missing program that is started as `command`.
pub(crate) fn missing(backend: Backend, command: &str, why: NotRunnableReason) -> Option<String> {
    let variable = backend.facts().path_variable;
    if command != backend.program() {
        let is_there = why == NotRunnableReason::NotExecutable;
        return (!is_there).then(|| format!("`{variable}` names it; correct or unset that"));
    }
    let install = format!("install it with `npm install -g {}`", backend.facts().package);
    (why == NotRunnableReason::NotOnPath)
        .then(|| format!("{install}, or name the program in `{variable}`"))
}

/// Suggests another installed agent program for a built-in agent whose own is missing.
pub(crate) fn other_agent_hint(agent: &PlanAgent, project: &ProjectLocation) -> Option<String> {
    let is_missing = matches!(agent.kind.location(), Some(ProgramLocation::Missing(_)));
    if agent.source != ValueOrigin::BuiltIn || !is_missing {
        return None;
    }
    let host = LocalHost { project };
    let is_there = |backend: &Backend| {
        matches!(host.locate(&host.agent_program(*backend)), ProgramLocation::Found(_))
    };
    let there = Backend::ALL.into_iter().find(is_there)?;
    let (program, title) = (there.program(), there.title());
    Some(format!("{title} is installed: `--backend {program}` lets it do the work"))
}
