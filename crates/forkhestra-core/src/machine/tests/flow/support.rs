//! Plans with a flow, and short forms of what happened.

use crate::check::CheckSpec;
use crate::config::{CheckWhen, OnProtectedChange};
use crate::event::EventKind;
use crate::limit::{HumanDuration, Limit};
use crate::machine::tests::support::run_simulation::RunSimulation;
use crate::plan::{
    AgentKind, DirectSpawn, Plan, PlanCheck, PlanCondition, ProgramLocation, Protection,
    RoundCheck, Sourced,
};

pub(super) fn command(text: &str) -> Sourced<PlanCheck> {
    Sourced::default(PlanCheck {
        check: CheckSpec::Command(text.to_owned()),
        name: None,
        when: CheckWhen::Completion,
        timeout: Limit::At(HumanDuration::from_secs(60)),
        must_fail_first: false,
        runner: None,
    })
}

/// Adds a check to the rounds of a group, which one step decides about.
pub(super) fn with_round_check(mut plan: Plan, step: usize, group: usize, text: &str) -> Plan {
    plan.steps[step - 1].round_checks.push(RoundCheck { group, check: command(text) });
    plan
}

/// Adds a condition to a step, or to the group that it begins.
pub(super) fn with_condition(mut plan: Plan, step: usize, group: Option<usize>) -> Plan {
    let check = command("is it needed");
    plan.steps[step - 1].conditions.push(PlanCondition { check, group });
    plan
}

/// Lets no step change tests.
pub(super) fn protecting(mut plan: Plan) -> Plan {
    let on_change = OnProtectedChange::Refuse;
    let protection = Protection { patterns: vec!["tests".to_owned()], on_change };
    for step in &mut plan.steps {
        step.protect = Some(Sourced::default(protection.clone()));
    }
    plan
}

/// Makes a step's agent one whose stream is understood.
pub(super) fn understood(mut plan: Plan, step: usize) -> Plan {
    let location = ProgramLocation::Found("/bin/claude".to_owned());
    let direct = DirectSpawn::new(crate::config::Backend::Claude, "claude".to_owned(), location);
    plan.steps[step - 1].agent.kind = AgentKind::Direct(direct);
    plan
}

/// What happened in the flow, in short form.
pub(super) fn story(run: &RunSimulation) -> Vec<String> {
    run.kinds()
        .filter_map(|kind| match kind {
            EventKind::RoundStarted { group, round } => Some(format!("round {group}.{round}")),
            EventKind::RoundRefused { step, reason, .. } => {
                Some(format!("refused by {step}: {}", reason.as_deref().unwrap_or("-")))
            }
            EventKind::StepStarted { step, instead_of: Some(other), .. } => {
                Some(format!("{step} instead of {other}"))
            }
            EventKind::IterationStarted { unit, .. } => Some(unit.to_string()),
            EventKind::Asked { question, .. } => Some(format!("asked {question}")),
            EventKind::Answered { answer, .. } => {
                let word = if answer.approved { "approved" } else { "denied" };
                Some(format!("{word} by {}", answer.by.as_str()))
            }
            EventKind::ConditionChecked { step, holds, .. } => {
                Some(format!("condition of {step}: {holds}"))
            }
            _ => None,
        })
        .collect()
}

/// What happened in the flow, in one line.
pub(super) fn story_line(run: &RunSimulation) -> String {
    story(run).join(", ")
}
