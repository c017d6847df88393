//! Resolving what belongs to a flow: questions, conditions, and the checks of rounds.

use super::flow_draft::{FlowDraft, QuestionDraft};
use super::plan_flow::{Flow, FlowGroup};
use super::plan_question::PlanQuestion;
use crate::check::CheckSpec;
use crate::config::{
    CheckEntry, CheckWhen, CompletionRule, ConfigLayer, GroupEntry, OnQuestionTimeout, Shorthand,
};
use crate::diagnostic::source::Spanned;
use crate::limit::{Limit, StepLimits};
use crate::marker::Marker;
use crate::plan::check::checks::implied_tasks_check;
use crate::plan::error;
use crate::plan::plan_builder::PlanBuilder;
use crate::plan::types::{
    AgentKind, PlanAgent, PlanCheck, PlanCondition, PlanStep, Prompt, QUESTION_MARK, RoundCheck,
};
use crate::plan::value_origin::{Sourced, ValueOrigin};

/// Why a group has an implied check.
const GROUP_WORKS_ON_TASKS: &str = "a step of the group works through the task database";

impl PlanBuilder<'_> {
    /// The step in which a person answers a question.
    pub(crate) fn question(
        &mut self,
        draft: &QuestionDraft<'_>,
        layer: Option<&ConfigLayer>,
    ) -> PlanStep {
        let written = layer.zip(draft.entry);
        let text = written.and_then(|(layer, entry)| {
            let ask = entry.ask.as_ref()?;
            self.substitute(layer, (&ask.value, ask.span), QUESTION_MARK)
        });
        let entry = draft.entry;
        let question = PlanQuestion {
            text: text.filter(|text| !text.trim().is_empty()),
            timeout: entry
                .and_then(|entry| entry.timeout.as_ref())
                .map_or(Limit::Off, |time| time.value),
            approves_on_timeout: entry
                .and_then(|entry| entry.on_timeout.as_ref())
                .is_some_and(|answer| answer.value == OnQuestionTimeout::Approve),
        };
        let source = match written {
            Some((layer, entry)) => entry
                .ask
                .as_ref()
                .map_or(ValueOrigin::Default, |ask| ValueOrigin::file(layer, ask.span)),
            None => ValueOrigin::CommandLine,
        };
        PlanStep {
            number: draft.number,
            agent: PlanAgent::new(QUESTION_MARK, source, AgentKind::Person(question)),
            fallback: None,
            iterations: None,
            args: Vec::new(),
            prompt: Sourced::default(Prompt::None),
            task: None,
            completion: Sourced::default(CompletionRule::Marker),
            markers: Sourced::default(Marker::defaults()),
            done_file: None,
            require_work: false,
            works_through_tasks: false,
            priced_model: None,
            checks: Vec::new(),
            round_checks: Vec::new(),
            conditions: Vec::new(),
            decides_round: false,
            calibrate: false,
            clean_room: None,
            protect: None,
            on_cycle: None,
            sandbox: None,
            limits: StepLimits {
                timeout: Sourced::default(Limit::Off),
                idle_timeout: Sourced::default(Limit::Off),
                time: Sourced::default(Limit::Off),
                cost: Sourced::default(Limit::Off),
                stagnation: Sourced::default(Limit::Off),
                max_wait: Sourced::default(Limit::Off),
                quota: Sourced::default(Limit::Off),
            },
        }
    }

    /// Adds the conditions of steps and groups to the steps.
    pub(crate) fn add_conditions(
        &mut self,
        draft: &FlowDraft<'_>,
        layer: Option<&ConfigLayer>,
        steps: &mut [PlanStep],
    ) {
        let Some(layer) = layer else { return };
        for condition in &draft.conditions {
            let check = self.flow_check(layer, condition.entry);
            let group = condition.group;
            steps[condition.step - 1].conditions.push(PlanCondition { check, group });
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
            self.refuse_checks_of_answers(entry, group, steps);
            let members = group.stages.steps();
            let works_on_tasks = members.iter().any(|step| {
                let step = &steps[step - 1];
                step.works_through_tasks
                    || step.checks.iter().any(|check| {
                        check.value.check == CheckSpec::Tasks
                            && matches!(check.source, ValueOrigin::Implied(_))
                    })
            });
            let checks = match &written[group.number - 1] {
                Some(checks) => checks.clone(),
                None if works_on_tasks => vec![implied_tasks_check(GROUP_WORKS_ON_TASKS)],
                None => Vec::new(),
            };
            let entry = draft.groups[group.number - 1];
            let room = layer.zip(entry.and_then(|entry| entry.clean_room.as_ref()));
            for step in group.stages.deciding_steps() {
                let step = &mut steps[step - 1];
                step.decides_round = true;
                let checks = checks.iter().cloned();
                step.round_checks
                    .extend(checks.map(|check| RoundCheck { group: group.number, check }));
                if step.clean_room.is_none() {
                    step.clean_room =
                        room.and_then(|(layer, entry)| Self::clean_room_of(layer, entry));
                }
            }
            let agents = draft.agents.iter().filter(|draft| members.contains(&draft.number));
            self.protect_scripts_of_rounds(&checks, &agents.collect::<Vec<_>>(), steps);
        }
    }

    /// Refuses checks of a group that are about an agent if a question decides about its rounds:
    /// they could not pass.
    fn refuse_checks_of_answers(
        &mut self,
        entry: Option<(&ConfigLayer, &GroupEntry)>,
        group: &FlowGroup,
        steps: &[PlanStep],
    ) {
        let mut deciding = group.stages.deciding_steps().into_iter();
        if !deciding.any(|step| steps[step - 1].agent.kind.question().is_some()) {
            return;
        }
        let Some((layer, entry)) = entry else { return };
        let checks = entry.checks.iter().flat_map(|checks| &checks.value);
        for check in checks.map(|entry| &entry.value.0.check) {
            if check.value.is_about_agent() {
                self.report(error::check_of_answer(layer, check));
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
}
