//! The conditions of steps and groups, and the checks of rounds.

use std::slice;

use super::flow_draft::{ConditionDraft, FlowDraft};
use super::plan_flow::{Flow, FlowGroup};
use crate::check::CheckSpec;
use crate::config::{
    ChainEntry, CheckEntry, CheckWhen, ConfigEntry, ConfigLayer, GroupEntry, Shorthand,
};
use crate::diagnostic::source::Spanned;
use crate::plan::check::checks::implied_tasks_check;
use crate::plan::check::plan_check::PlanCheck;
use crate::plan::error;
use crate::plan::plan_builder::PlanBuilder;
use crate::plan::types::{PlanCondition, PlanStep, RoundCheck};
use crate::plan::value_origin::{Sourced, ValueOrigin};

/// Why a group has an implied check.
const GROUP_WORKS_ON_TASKS: &str = "a step of the group works through the task database";

impl PlanBuilder<'_> {
    /// Adds the conditions of steps and groups to the steps, and protects their scripts: an agent that
    /// may change a condition decides whether its reviewer runs.
    pub(crate) fn add_conditions(
        &mut self,
        draft: &FlowDraft<'_>,
        layer: Option<&ConfigLayer>,
        steps: &mut [PlanStep],
    ) {
        let Some(layer) = layer else { return };
        for ConditionDraft { step, group, entry } in &draft.conditions {
            let check = self.flow_check(layer, entry);
            let mut groups = draft.flow.groups().into_iter();
            let repeated = groups.find(|of| of.rounds.is_some() && of.contains(*step));
            // Work of another branch may land at any time.
            let parallel = draft.flow.parallel_stage_with(*step);
            let can_run_before = |other: usize| {
                other < *step
                    || repeated.is_some_and(|group| group.contains(other))
                    || parallel.contains(&other)
            };
            let agents = draft.agents.iter().filter(|draft| can_run_before(draft.number));
            self.protect_scripts_of_flow(slice::from_ref(&check), agents, steps);
            steps[step - 1].conditions.push(PlanCondition { check, group: *group });
        }
    }

    /// Adds the checks of rounds to the steps that decide about them.
    pub(crate) fn add_round_checks(
        &mut self,
        draft: &FlowDraft<'_>,
        layer: Option<&ConfigLayer>,
        flow: &Flow,
        steps: &mut [PlanStep],
    ) {
        let written: Vec<_> = draft
            .groups
            .iter()
            .map(|entry| {
                let (layer, entry) = layer.zip(*entry)?;
                let entries = &entry.checks.as_ref()?.value;
                Some(entries.iter().map(|entry| self.flow_check(layer, entry)).collect::<Vec<_>>())
            })
            .collect();
        for group in flow.groups() {
            if group.rounds.is_none() {
                continue;
            }
            let entry = layer.zip(draft.groups[group.number - 1]);
            self.refuse_agent_checks_of_question(entry, group, steps);
            let members = group.stages.steps();
            let works_on_tasks = members.iter().any(|step| works_on_tasks(&steps[step - 1]));
            let checks = match &written[group.number - 1] {
                Some(checks) => checks.clone(),
                None if works_on_tasks => vec![implied_tasks_check(GROUP_WORKS_ON_TASKS)],
                None => Vec::new(),
            };
            for step in group.stages.deciding_steps() {
                let step = &mut steps[step - 1];
                step.decides_round = true;
                let checks = checks.iter().cloned();
                step.round_checks
                    .extend(checks.map(|check| RoundCheck { group: group.number, check }));
            }
            let agents = draft.agents.iter().filter(|draft| members.contains(&draft.number));
            self.protect_scripts_of_flow(&checks, agents, steps);
        }
    }

    /// Gives a clean room to the steps that decide about rounds with checks: that of the innermost
    /// group that has one, or that of the chain. A step with a clean room of its own keeps it.
    pub(crate) fn add_round_clean_rooms(
        &mut self,
        draft: &FlowDraft<'_>,
        chain: Option<ConfigEntry<'_, ChainEntry>>,
        steps: &mut [PlanStep],
    ) {
        let layer = chain.map(|chain| chain.layer);
        let chain_room = chain.and_then(|chain| chain.entry.clean_room.as_ref());
        for group in draft.flow.groups().into_iter().rev() {
            let entry = draft.groups[group.number - 1];
            let group_room = entry.and_then(|entry| entry.clean_room.as_ref());
            let has_checks =
                |step: &PlanStep| step.round_checks.iter().any(|of| of.group == group.number);
            let deciding = group.stages.deciding_steps();
            if deciding.iter().all(|step| !has_checks(&steps[step - 1])) {
                let room = group_room.filter(|entry| entry.value.room().is_some());
                if let Some((layer, entry)) = layer.zip(room) {
                    let guard = error::IneffectiveGuard::CleanRoom(entry.span);
                    self.report(error::ineffective_guard(layer, guard, "the group"));
                }
                continue;
            }
            for step in deciding {
                let step = &mut steps[step - 1];
                if step.clean_room.is_none() {
                    let written = group_room.into_iter().chain(chain_room);
                    step.clean_room = self.chosen_clean_room(layer, written);
                }
            }
        }
    }

    /// A check that decides about the flow.
    fn flow_check(
        &mut self,
        layer: &ConfigLayer,
        entry: &Spanned<Shorthand<CheckEntry>>,
    ) -> Sourced<PlanCheck> {
        self.written_check(layer, entry, CheckWhen::Completion)
    }

    /// Refuses checks of a group that are about an agent if a question decides about its rounds:
    /// they could not pass.
    fn refuse_agent_checks_of_question(
        &mut self,
        entry: Option<(&ConfigLayer, &GroupEntry)>,
        group: &FlowGroup,
        steps: &[PlanStep],
    ) {
        let mut deciding = group.stages.deciding_steps().into_iter();
        if !deciding.any(|step| steps[step - 1].is_question()) {
            return;
        }
        let Some((layer, entry)) = entry else { return };
        let checks = entry.checks.iter().flat_map(|checks| &checks.value);
        for check in checks.map(|entry| &entry.value.0.check) {
            if check.value.is_about_agent() {
                self.report(error::agent_check_of_question(layer, check));
            }
        }
    }
}

/// Whether a step works through the task database.
fn works_on_tasks(step: &PlanStep) -> bool {
    let is_implied = |check: &Sourced<PlanCheck>| matches!(check.source, ValueOrigin::Implied(_));
    let mut checks = step.checks.iter();
    step.works_through_tasks
        || checks.any(|check| check.value.check == CheckSpec::Tasks && is_implied(check))
}
