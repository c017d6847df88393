//! The plan of a run that continues from a snapshot of another one: the recorded plan, overridden by the
//! options of the command line. Steps that the new run does not execute are not changed.

use crate::check::CheckSpec;
use crate::plan::agent::priced_model::priced_model;
use crate::plan::agent::resolve::{AgentNameOrigin, resolve_for};
use crate::plan::agent::task_option::work_on;
use crate::plan::check::checks::{RequestedCheck, is_implied};
use crate::plan::check::work_tree_rules::{has_nothing_to_verify, with_more_protection};
use crate::plan::error;
use crate::plan::fallback::step_fallback::BackendRole;
use crate::plan::flow::chain_line::chain_line;
use crate::plan::flow::plan_flow::Flow;
use crate::plan::lanes::lanes_draft::StepLanes;
use crate::plan::plan_builder::{PlanBuilder, StepDraft, StepOrigin};
use crate::plan::plan_request::RecordedPlan;
use crate::plan::types::{Plan, PlanStep, Prompt};
use crate::plan::value_origin::ValueOrigin;

impl PlanBuilder<'_> {
    /// The plan of a forked run.
    pub(crate) fn plan_of_recorded(&mut self, recorded: &RecordedPlan) -> Plan {
        let request = self.request;
        let drafts: Vec<StepDraft<'_>> = recorded.drafts().collect();
        let flow = recorded.plan.flow.as_ref();
        let deciding = flow.map(Flow::all_deciding_steps).unwrap_or_default();
        self.warn_of_loop_only_settings(&drafts, None, &deciding);
        if request.limits.iterations.is_some()
            && drafts.iter().all(|step| step.iterations.is_none())
        {
            self.report(error::no_step_loops("--max-iterations"));
        }
        let mut plan = recorded.plan.clone();
        plan.steps.iter_mut().for_each(|step| step.use_backend(BackendRole::Primary));
        let requested = self.requested_checks(&drafts);
        for (step, draft) in open_steps(&mut plan, recorded.next_step).zip(&drafts) {
            self.override_step(step, draft, &requested);
            step.priced_model =
                priced_model(&step.agent.kind, &step.args, self.host, &recorded.plan.prices);
        }
        if request.fallback.is_some() {
            self.resolve_fallbacks(&drafts, None, open_steps(&mut plan, recorded.next_step));
        } else if open_steps(&mut plan, recorded.next_step).any(|step| step.fallback.is_some()) {
            self.refuse_recording_with_fallback();
        }
        self.change_limits(&mut plan, recorded.next_step);
        plan.hooks.extend(self.hooks(None));
        plan.definition = chain_line(plan.flow.as_ref(), &plan.steps);
        plan.state_directory.clone_from(&request.state_directory);
        plan.feedback &= request.feedback;
        plan.snapshots &= request.snapshots;
        plan.record.clone_from(&request.record);
        (plan.programs, plan.prompts) = (None, None);
        if plan.task_database.is_some() {
            plan.task_database = self.host.task_database();
        }
        plan
    }

    /// Changes the limits of the steps that are executed. The new number of iterations is that of the
    /// loop in which the run continues. The limits of other loops are never lowered.
    fn change_limits(&self, plan: &mut Plan, next_step: usize) {
        let limits = &self.request.limits;
        limits.apply_to_run(&mut plan.limits);
        let open = plan.steps.iter_mut().filter(|step| step.number >= next_step);
        for step in open {
            limits.apply_to_step(&mut step.limits);
            let Some(limit) = &mut step.iterations else { continue };
            if let Some(changed) = limits.iterations {
                let is_current = step.number == next_step;
                *limit = if is_current { changed } else { changed.max(*limit) };
            }
        }
    }

    /// Overrides a step by the options.
    fn override_step(
        &mut self,
        step: &mut PlanStep,
        draft: &StepDraft<'_>,
        requested: &[RequestedCheck],
    ) {
        self.override_agent(step);
        self.override_prompt(step);
        let before = step.checks.len();
        self.add_requested_checks(&mut step.checks, draft, requested);
        if self.request.prompt.is_some() || !requested.is_empty() {
            step.works_through_tasks =
                Self::works_through_tasks(draft, &step.agent, &step.checks, &step.prompt.value);
        }
        if !self.request.markers.is_empty() {
            step.markers = self.markers(draft);
        }
        step.done_file = self.done_file().or(step.done_file.take());
        if step.iterations.is_some() || step.decides_round {
            step.on_cycle = self.on_cycle(draft).or(step.on_cycle.take());
        }
        step.calibrate |= self.request.calibrate;
        if step.clean_room.is_none() {
            step.clean_room = self.clean_room(draft, has_nothing_to_verify(&step.checks));
        }
        let scripts = self.script_patterns(&step.checks[before..], None);
        let more = self.protect(draft, scripts);
        step.protect = with_more_protection(step.protect.take(), more);
    }

    /// Another agent program for a built-in agent, and another model.
    fn override_agent(&mut self, step: &mut PlanStep) {
        if step.agent.replay.is_some() {
            return;
        }
        if self.request.backend.is_some() && step.agent.source == ValueOrigin::BuiltIn {
            let (backend, named_by) = (self.request.backend, AgentNameOrigin::BuiltInChain);
            step.agent = resolve_for(backend, named_by, &step.agent.name, self.layers, self.host);
            self.report_settings_without_effect(&step.agent);
            if self.request.fallback.is_none() {
                self.renew_fallback(step);
            }
        }
        if self.request.backend.is_some() || self.request.model.is_some() {
            self.use_requested_model(&mut step.agent);
            self.warn_of_a_foreign_model(&step.agent);
        }
    }

    /// Another prompt. The task that `--task` named stays a part of it.
    fn override_prompt(&mut self, step: &mut PlanStep) {
        let Some(requested) = &self.request.prompt else { return };
        let task = named_task(step);
        step.prompt = self.requested_prompt(requested);
        step.task = None;
        let Some(task) = task else { return };
        match &mut step.prompt.value {
            Prompt::None => step.prompt.value = Prompt::Text(work_on(&task)),
            Prompt::Text(text) => *text = format!("{}\n\n{text}", work_on(&task)),
            Prompt::File(_) => step.task = Some(task),
        }
    }
}

impl RecordedPlan {
    /// The steps that the new run executes.
    fn drafts(&self) -> impl Iterator<Item = StepDraft<'_>> {
        let open = self
            .plan
            .steps
            .iter()
            .filter(|step| step.number >= self.next_step && !step.is_question());
        open.map(|step| StepDraft {
            number: step.number,
            agent: &step.agent.name,
            iterations: step.iterations,
            written: StepOrigin::Recorded,
            groups: Vec::new(),
            lanes: StepLanes {
                is_laned: self.plan.laned_stage_of(step.number).is_some(),
                ..StepLanes::default()
            },
        })
    }
}

/// The agents of the steps that the new run executes.
fn open_steps(plan: &mut Plan, next_step: usize) -> impl Iterator<Item = &mut PlanStep> {
    let open = plan.steps.iter_mut().skip(next_step.saturating_sub(1));
    open.filter(|step| !step.is_question())
}

/// The task that `--task` names among the arguments of a step.
fn named_task(step: &PlanStep) -> Option<String> {
    let implied = step.checks.iter().filter(|check| is_implied(check));
    let mut tasks = implied.filter_map(|check| match &check.value.check {
        CheckSpec::Task(task) => Some(task.clone()),
        _ => None,
    });
    step.task.clone().or_else(|| tasks.next())
}
