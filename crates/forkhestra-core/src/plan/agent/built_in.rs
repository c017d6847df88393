//! Built-in agents in a plan.

use crate::built_in;
use crate::config::{Backend, ConfigLayers};
use crate::plan::agent::plan_agent::{AgentKind, DirectSpawn, PlanAgent};
use crate::plan::error;
use crate::plan::host_environment::HostEnvironment;
use crate::plan::plan_builder::PlanBuilder;
use crate::plan::types::{Plan, Prompt};
use crate::plan::value_origin::{Sourced, ValueOrigin};

/// The built-in agent of this name, for the requested agent program, else for that of the config,
/// else for the default one.
pub(crate) fn agent(
    name: &str,
    requested: Option<Backend>,
    layers: &ConfigLayers,
    host: &dyn HostEnvironment,
) -> Option<PlanAgent> {
    let built_in = built_in::agent(name).filter(|_| layers.has_built_ins())?;
    let backend = requested.or_else(|| layers.backend()).unwrap_or_default();
    let command = host.agent_program(backend);
    let tools = built_in.allowed_tools(backend);
    let location = host.locate(&command);
    let kind = AgentKind::Direct(DirectSpawn {
        system_prompt: Sourced::new(Prompt::Text(built_in.prompt.to_owned()), ValueOrigin::BuiltIn),
        model: backend.facts().models.built_in.map(str::to_owned),
        max_turns: Some(built_in.max_turns),
        allowed_tools: tools.map(|tools| tools.iter().map(|tool| (*tool).to_owned()).collect()),
        ..DirectSpawn::new(backend, command, location)
    });
    Some(PlanAgent::new(name, ValueOrigin::BuiltIn, kind))
}

impl PlanBuilder<'_> {
    /// Warns about a requested agent program that no agent of the chain uses.
    pub(crate) fn warn_of_unused_backend(&mut self, plan: &Plan) {
        let Some(backend) = self.request.backend else { return };
        if plan.steps.iter().all(|step| step.agent.source != ValueOrigin::BuiltIn) {
            self.report(error::unused_backend(backend));
        }
    }
}
