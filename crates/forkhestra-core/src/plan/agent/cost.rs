//! Checks whether a cost limit can be enforced: only known costs count.

use crate::cost::PriceTable;
use crate::limit::Limit;
use crate::plan::agent::plan_agent::{AgentKind, DirectSpawn};
use crate::plan::error;
use crate::plan::plan_builder::PlanBuilder;
use crate::plan::types::{Plan, PlanStep};

impl PlanBuilder<'_> {
    /// Warns about costs that a limit cannot cover. An agent whose tokens have no price is refused
    /// before it is started; otherwise it would be paid once and then ended.
    pub(crate) fn warn_of_unknown_costs(&mut self, plan: &Plan) {
        let limited: Vec<&PlanStep> =
            plan.steps.iter().filter(|step| is_limited(plan, step)).collect();
        if limited.is_empty() {
            return;
        }
        let is_program = |step: &&&PlanStep| matches!(step.agent.kind, AgentKind::Program(_));
        let programs: Vec<usize> =
            limited.iter().filter(is_program).map(|step| step.number).collect();
        if !programs.is_empty() {
            self.report(error::cost_of_programs(&programs));
        }
        let prices = PriceTable::shipped().with(&plan.prices);
        let limited: Vec<PlanStep> =
            limited.into_iter().flat_map(PlanStep::on_each_backend).collect();
        for step in &limited {
            let AgentKind::Direct(direct) = &step.agent.kind else { continue };
            // A recording costs nothing.
            if step.agent.replay.is_some() {
                continue;
            }
            if let Some(model) = unpriced_model(step, direct, &prices) {
                self.report(error::unknown_price(step.number, model));
            } else if is_unnamed_model(step, direct) {
                self.report(error::unnamed_model(
                    step.number,
                    direct.backend,
                    step.runs_fallback(),
                ));
            }
        }
    }
}

/// Whether a limit of the run, of a group around the step, or of the step applies to its cost.
fn is_limited(plan: &Plan, step: &PlanStep) -> bool {
    let of_groups = plan.enclosing_groups(step.number).into_iter().map(|group| &group.limits.cost);
    let mut all = of_groups.chain([&plan.limits.cost, &step.limits.cost]);
    all.any(|limit| limit.value != Limit::Off)
}

/// Whether the model of an agent, and so its price, is unknown.
fn is_unnamed_model(step: &PlanStep, direct: &DirectSpawn) -> bool {
    let is_named = direct.model.is_some() || step.priced_model.is_some();
    direct.backend.facts().cost.lacks_model() && !is_named
}

/// The model of an agent whose price is needed and unknown.
fn unpriced_model<'a>(
    step: &'a PlanStep,
    direct: &'a DirectSpawn,
    prices: &PriceTable,
) -> Option<&'a str> {
    let model = direct.model.as_deref().or(step.priced_model.as_deref());
    let needs_price = direct.backend.facts().cost.needs_prices();
    model.filter(|model| needs_price && prices.of(model).is_none())
}
