//! Text about the fallback of a step.

use forkhestra_core::config::Backend;
use forkhestra_core::cost::Spend;
use forkhestra_core::event::{FallbackReason, FallbackUse};
use forkhestra_core::history::{IterationRecord, RunHistory};
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::{PlanAgent, PlanStep};
use forkhestra_core::text;
use typeset::text::visible;

use super::local_time::minute_in_zone;
use super::spend;

/// The line before an attempt that runs on another back-end than the attempt before it.
pub(crate) fn switch_sentence(
    run: &RunHistory,
    unit: UnitId,
    fallback: Option<FallbackUse>,
) -> Option<String> {
    let plan = run.state.plan.step(unit.step)?;
    let last = run.steps.get(unit.step.checked_sub(1)?)?.iterations.last();
    let was_on_fallback = last.is_some_and(|last| last.fallback.is_some());
    let (name, primary) = (visible(&plan.agent.name), title(plan.primary_agent()));
    match fallback {
        Some(FallbackUse { backend, why, until }) if !was_on_fallback => {
            let (why, until, other) = (limit(why), minute_in_zone(until), backend.title());
            Some(format!("{name}: the {why} of {primary} holds until {until}: {other} takes over"))
        }
        None if was_on_fallback => {
            Some(format!("{name}: the limit of {primary} is over: {primary} takes over again"))
        }
        _ => None,
    }
}

/// How many iterations of a step ran on its fallback, what they cost, and why; none if none did.
pub(crate) fn usage(plan: &PlanStep, records: &[IterationRecord]) -> Option<String> {
    let outcomes = || records.iter().filter(|record| record.report.has_outcome());
    let on_fallback: Vec<(&IterationRecord, FallbackUse)> =
        outcomes().filter_map(|record| Some((record, record.fallback?))).collect();
    let (_, used) = on_fallback.first()?;
    let attempts = records.iter().filter(|record| record.fallback.is_some());
    let spend = attempts.filter_map(|record| record.spend).reduce(|sum: Spend, spend| sum + spend);
    let spend = spend.and_then(spend::known);
    let spend = spend.map(|spend| format!(" ({})", spend::tokens_and_cost(spend)));
    let mut reasons: Vec<&str> = Vec::new();
    for (_, FallbackUse { why, .. }) in &on_fallback {
        let reason = limit(*why);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let (other, primary) = (used.backend.title(), title(plan.primary_agent()));
    let all = text::count(u32::try_from(outcomes().count()).unwrap_or(u32::MAX), "iteration");
    Some(format!(
        "{} of {all} on {other}{}: {} of {primary}",
        on_fallback.len(),
        spend.unwrap_or_default(),
        reasons.join(" and ")
    ))
}

/// Both back-ends of a step with a fallback, the primary one first: `Claude Code and Codex`.
pub(crate) fn both_titles(plan: &PlanStep) -> Option<String> {
    Some(format!("{} and {}", title(plan.primary_agent()), title(plan.fallback_agent()?)))
}

/// The limit of an account that is the reason.
const fn limit(why: FallbackReason) -> &'static str {
    match why {
        FallbackReason::UsageLimit => "usage limit",
        FallbackReason::Quota => "quota",
    }
}

fn title(agent: &PlanAgent) -> &'static str {
    agent.kind.direct().map_or("its program", |direct| Backend::title(direct.backend))
}
