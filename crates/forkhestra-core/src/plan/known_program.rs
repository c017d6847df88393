//! Programs that are agent programs by their name: `forkhestra claude:3`.

use super::origin::Sourced;
use super::types::{Agent, AgentKind, DirectSpawn, Prompt};
use crate::config::{Backend, Billing, Permissions};

/// Arguments of Claude Code that a direct spawn gives it anyway.
const PRINT: [&str; 2] = ["-p", "--print"];

/// The argument of Claude Code that is a setting of ours.
const SKIP_PERMISSIONS: &str = "--dangerously-skip-permissions";

/// Spawns a program directly that is called like an agent program that we know, so that its stream is
/// understood. It keeps its own permissions unless its arguments say otherwise. Arguments that mean
/// something else are the user's way to start it: then it stays a program. So does a path, which may be
/// that of a wrapper.
pub(super) fn known_program(agent: Agent, args: &mut Vec<Sourced<String>>) -> Agent {
    let AgentKind::Program(program) = &agent.kind else { return agent };
    let backend = Backend::ALL.into_iter().find(|backend| backend.program() == program.command);
    let is_known = |backend: &Backend| {
        args.iter().all(|arg| {
            let arg = arg.value.as_str();
            *backend == Backend::Claude && (PRINT.contains(&arg) || arg == SKIP_PERMISSIONS)
        })
    };
    let Some(backend) = backend.filter(|backend| agent.replay.is_none() && is_known(backend))
    else {
        return agent;
    };
    let skips = args.iter().any(|arg| arg.value == SKIP_PERMISSIONS);
    args.clear();
    let kind = AgentKind::Direct(DirectSpawn {
        backend,
        command: program.command.clone(),
        location: program.location.clone(),
        system_prompt: Sourced::default(Prompt::None),
        mcp_config: None,
        settings: None,
        model: None,
        max_turns: None,
        allowed_tools: None,
        disallowed_tools: None,
        permissions: if skips { Permissions::Skip } else { Permissions::Default },
        billing: Billing::default(),
        env: program.env.clone(),
    });
    Agent { kind, ..agent }
}
