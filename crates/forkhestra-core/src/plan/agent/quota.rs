//! Checks whether a quota limit can be enforced: only agents that report their usage are
//! delayed.

use crate::config::{Backend, Billing};
use crate::diagnostic::Diagnostic;
use crate::limit::Limit;
use crate::plan::agent::plan_agent::{AgentKind, DirectSpawn};
use crate::plan::error;
use crate::plan::plan_builder::PlanBuilder;
use crate::plan::types::{Plan, PlanStep};

impl PlanBuilder<'_> {
    /// Warns about agents whose usage is unknown, so that a quota does not delay them.
    pub(crate) fn warn_of_unknown_quotas(&mut self, plan: &Plan) {
        let warnings = quota_warnings(plan.steps.iter());
        warnings.into_iter().for_each(|problem| self.report(problem));
    }
}

/// Warnings about steps whose quota cannot be enforced.
pub(crate) fn quota_warnings<'a>(steps: impl Iterator<Item = &'a PlanStep>) -> Vec<Diagnostic> {
    let is_limited =
        |step: &&PlanStep| step.limits.quota.value != Limit::Off && step.agent.replay.is_none();
    let limited: Vec<PlanStep> =
        steps.filter(is_limited).flat_map(PlanStep::on_each_backend).collect();
    let numbers = |is_silent: &dyn Fn(&AgentKind) -> bool| -> Vec<usize> {
        let silent = limited.iter().filter(|step| is_silent(&step.agent.kind));
        silent.map(|step| step.number).collect()
    };
    let programs = numbers(&|kind| matches!(kind, AgentKind::Program(_)));
    let with_key = numbers(&|kind| kind.direct().is_some_and(pays_by_key));
    let silent = Backend::ALL.map(|backend| {
        let is_silent = |agent: &DirectSpawn| agent.backend == backend && !reports_usage(backend);
        (backend, numbers(&|kind| kind.direct().is_some_and(is_silent)))
    });
    let of_programs = (!programs.is_empty()).then(|| error::quota_of_programs(&programs));
    let of_keys = (!with_key.is_empty()).then(|| error::quota_of_api_keys(&with_key));
    let of_silent = silent.iter().filter(|(_, steps)| !steps.is_empty());
    let of_silent = of_silent.map(|(backend, steps)| error::unreported_quota(steps, *backend));
    of_silent.chain(of_keys).chain(of_programs).collect()
}

/// Whether an agent reports how full its account is.
pub(crate) fn reports_quota(agent: &DirectSpawn) -> bool {
    reports_usage(agent.backend) && !pays_by_key(agent)
}

fn reports_usage(backend: Backend) -> bool {
    backend.facts().reports_quota
}

/// Whether the agent would report its usage, but never uses an account with windows.
fn pays_by_key(agent: &DirectSpawn) -> bool {
    reports_usage(agent.backend) && agent.billing == Billing::ApiKey
}
