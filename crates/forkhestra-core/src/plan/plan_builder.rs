//! Building a plan from a request: each step is resolved, and all errors are collected.

use std::collections::{BTreeMap, BTreeSet};

use super::agent::known_program::known_program;
use super::agent::overlay;
use super::agent::priced_model::priced_model;
use super::agent::resolve::AgentNameOrigin;
use super::cached_host::CachedHost;
use super::check::checks::RequestedCheck;
use super::check::work_tree_rules::has_nothing_to_verify;
use super::error;
use super::flow::chain_line::chain_line;
use super::flow::flow_draft::FlowDraft;
use super::host_environment::HostEnvironment;
use super::lanes::lane_settings::LaneSettings;
use super::lanes::lanes_draft::{StepLanes, lane_settings};
use super::plan_request::{PlanRequest, RunTarget};
use super::step::agent_files::check_files;
use super::types::{Plan, PlanStep, Prompt};
use super::value_origin::{Sourced, ValueOrigin};
use crate::check::CheckSpec;
use crate::config::{
    ChainEntry, ConfigEntry, ConfigLayer, ConfigLayerKind, ConfigLayers, GroupEntry, StepEntry,
};
use crate::diagnostic::source::{Span, Spanned};
use crate::diagnostic::{Diagnostic, has_errors};
use crate::dsl::Dsl;
use crate::policy::{expects_commits, is_about_tasks, polls_tasks};
use crate::text::count::Count;

/// The version of the plan's JSON.
const PLAN_VERSION: u32 = 1;

/// A plan with its warnings.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltPlan {
    pub plan: Plan,
    /// Warnings that concern no single step.
    pub warnings: Vec<Diagnostic>,
}

/// Resolves a request, or returns all its errors.
pub fn build(
    request: &PlanRequest,
    layers: &ConfigLayers,
    host: &dyn HostEnvironment,
) -> Result<BuiltPlan, Vec<Diagnostic>> {
    let host = &CachedHost::new(host);
    let mut builder = PlanBuilder::new(request, layers, host);
    // The plan of a recorded run was made from config files as they were then.
    let is_recorded = matches!(request.target, RunTarget::Recorded(_));
    if !is_recorded {
        check_files(layers, host).into_iter().for_each(|problem| builder.report(problem));
    }
    let plan = match &request.target {
        RunTarget::Dsl(dsl) => builder.plan_of_dsl(dsl),
        RunTarget::Chain(name) => match layers.chain(name) {
            Some(chain) => builder.plan_of_chain(chain),
            None => {
                builder.report(error::unknown_chain(name, layers));
                return Err(builder.diagnostics);
            }
        },
        RunTarget::Recorded(recorded) => builder.plan_of_recorded(recorded),
    };
    builder.check_lanes(&plan);
    builder.warn_of_unused_backend(&plan);
    builder.warn_of_programs_before_built_ins();
    builder.refuse_a_model_without_effect(&plan);
    if !is_recorded {
        builder.warn_of_unused_entries(&plan);
    }
    builder.warn_of_unknown_costs(&plan);
    builder.warn_of_unknown_quotas(&plan);
    builder.warn_of_unused_variables();
    builder.report_missing_variables();
    if has_errors(&builder.diagnostics) {
        return Err(builder.diagnostics);
    }
    Ok(BuiltPlan { plan, warnings: builder.diagnostics })
}

/// The context while a plan is built.
pub(super) struct PlanBuilder<'a> {
    pub(super) request: &'a PlanRequest,
    pub(super) layers: &'a ConfigLayers,
    pub(super) host: &'a dyn HostEnvironment,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Reported diagnostics, by message and position.
    reported: BTreeSet<(String, Option<Span>)>,
    /// Agent names of the plan that mean programs although built-in agents have them too, each with
    /// the program's path.
    pub(super) programs_before_built_ins: Vec<(String, String)>,
    pub(super) used_variables: BTreeSet<String>,
    /// Variables without a value, each with the positions that need it.
    pub(super) missing_variables: BTreeMap<String, Vec<Diagnostic>>,
}

/// A step before it is resolved.
#[derive(Clone)]
pub(crate) struct StepDraft<'a> {
    pub(super) number: usize,
    pub(super) agent: &'a str,
    pub(super) iterations: Option<Count>,
    pub(super) written: StepOrigin<'a>,
    /// The entries of the groups around it in a config file, the innermost first.
    pub(super) groups: Vec<&'a GroupEntry>,
    pub(super) lanes: StepLanes<'a>,
}

/// Where a step was written.
#[derive(Clone, Copy)]
pub(crate) enum StepOrigin<'a> {
    /// In a chain on the command line.
    Dsl { dsl: &'a Dsl, agent: &'a Spanned<String> },
    /// In a config file.
    Config { layer: &'a ConfigLayer, chain: &'a ChainEntry, step: &'a StepEntry },
    /// In the plan of a recorded run.
    Recorded,
}

impl<'a> PlanBuilder<'a> {
    pub(super) fn new(
        request: &'a PlanRequest,
        layers: &'a ConfigLayers,
        host: &'a dyn HostEnvironment,
    ) -> Self {
        Self {
            request,
            layers,
            host,
            diagnostics: Vec::new(),
            reported: BTreeSet::new(),
            programs_before_built_ins: Vec::new(),
            used_variables: BTreeSet::new(),
            missing_variables: BTreeMap::new(),
        }
    }
}

impl PlanBuilder<'_> {
    fn plan_of_dsl(&mut self, dsl: &Dsl) -> Plan {
        dsl.warnings().into_iter().for_each(|warning| self.report(warning));
        self.plan(ValueOrigin::CommandLine, None, &FlowDraft::of_dsl(dsl))
    }

    pub(super) fn plan_of_chain(&mut self, chain: ConfigEntry<'_, ChainEntry>) -> Plan {
        let ConfigEntry { layer, name, entry } = chain;
        if entry.steps.value.0.is_empty() {
            self.report(error::no_steps(layer, entry.steps.span, &name.value));
        }
        let source = ValueOrigin::file(layer, name.span);
        let draft = FlowDraft::of_entry(chain);
        for rounds in draft.groups.iter().filter_map(|group| group.as_ref()?.only_round()) {
            self.report(error::only_round(layer, rounds));
        }
        self.refuse_landing_checks(chain, &draft);
        self.warn_of_unused_lane_settings(chain, &draft);
        self.plan(source, Some(chain), &draft)
    }

    fn plan(
        &mut self,
        source: ValueOrigin,
        chain: Option<ConfigEntry<'_, ChainEntry>>,
        draft: &FlowDraft<'_>,
    ) -> Plan {
        let steps = self.steps(draft, chain);
        let is_planned = |step: &PlanStep| {
            step.all_checks().any(|check| check.value.check == CheckSpec::Planned)
        };
        let has_round_tasks = |step: &PlanStep| {
            step.round_checks.iter().any(|round| is_about_tasks(&round.check.value.check))
        };
        let needs_tasks = |step: &PlanStep| {
            polls_tasks(step) || is_planned(step) || has_round_tasks(step) || expects_commits(step)
        };
        let task_database =
            if steps.iter().any(needs_tasks) { self.host.task_database() } else { None };
        let flow = (!draft.is_plain()).then(|| self.flow(draft, chain));
        Plan {
            version: PLAN_VERSION,
            chain: chain.map(|chain| chain.name.value.clone()),
            definition: chain_line(flow.as_ref(), &steps),
            source,
            description: chain
                .and_then(|chain| Some(chain.entry.description.as_ref()?.value.clone())),
            working_directory: self.request.working_directory.clone(),
            state_directory: self.request.state_directory.clone(),
            task_database,
            steps,
            flow,
            lane_settings: chain
                .and_then(|chain| Some(lane_settings(chain.layer, chain.entry.lane.as_ref()?))),
            approves_all: self.request.approves_all,
            hooks: self.hooks(chain),
            limits: self.run_limits(chain),
            feedback: self.request.feedback,
            snapshots: self.request.snapshots && keeps_snapshots(chain),
            record: self.request.record.clone(),
            programs: None,
            prompts: None,
            scripts_may_change: draft.agents.iter().any(|draft| self.may_change_scripts(draft)),
            is_masked: false,
            prices: self.layers.prices(),
        }
    }

    fn steps(
        &mut self,
        draft: &FlowDraft<'_>,
        chain: Option<ConfigEntry<'_, ChainEntry>>,
    ) -> Vec<PlanStep> {
        let drafts = &draft.agents;
        self.warn_of_loop_only_settings(drafts, chain, &draft.flow.all_deciding_steps());
        let requested_checks = self.requested_checks(drafts);
        let mut agents: Vec<PlanStep> =
            drafts.iter().map(|draft| self.step(draft, &requested_checks)).collect();
        self.assign_replays(drafts, &mut agents);
        // A replay only repeats recorded changes.
        for step in agents.iter_mut().filter(|step| step.agent.replay.is_some()) {
            step.sandbox = None;
        }
        self.resolve_fallbacks(drafts, chain, agents.iter_mut());
        let layer = chain.map(|chain| chain.layer);
        let questions = draft.questions.iter().map(|question| self.question(question, layer));
        let mut steps: Vec<PlanStep> = questions.chain(agents).collect();
        steps.sort_unstable_by_key(|step| step.number);
        self.add_conditions(draft, layer, &mut steps);
        self.add_round_checks(draft, layer, &draft.flow, &mut steps);
        self.add_round_clean_rooms(draft, chain, &mut steps);
        self.warn_of_ineffective_guards(drafts, chain, &steps);
        for draft in drafts {
            let step = &mut steps[draft.number - 1];
            if step.decides_round && step.on_cycle.is_none() {
                step.on_cycle = self.on_cycle(draft);
            }
        }
        steps
    }

    fn step(&mut self, draft: &StepDraft<'_>, requested: &[RequestedCheck]) -> PlanStep {
        let agent = self.agent(draft);
        let entries = overlay::entries(&agent, self.layers, self.host);
        let mut args = self.args(draft, &entries, &agent.kind);
        let mut prompt = self.prompt(draft, entries.prompts);
        let mut agent = known_program(agent, &mut args, &mut prompt);
        self.use_requested_model(&mut agent);
        self.warn_of_a_foreign_model(&agent);
        let task = self.pass_task_option(draft, &agent, &mut args, &mut prompt);
        let mut checks = self.checks(draft, &agent, requested);
        checks.extend(self.check_of_task(draft, task.as_deref()));
        let works_through_tasks = Self::works_through_tasks(draft, &agent, &checks, &prompt.value);
        let completion = self.completion(draft, &checks);
        let clean_room = self.clean_room(draft, has_nothing_to_verify(&checks));
        let best = self.best_of(draft);
        let mut scripts = self.script_patterns(&checks, clean_room.as_ref());
        scripts.extend(best.as_ref().and_then(|best| self.pick_pattern(best)));
        PlanStep {
            number: draft.number,
            priced_model: priced_model(&agent.kind, &args, self.host, &self.layers.prices()),
            agent,
            fallback: None,
            iterations: draft.iterations,
            lanes: draft.lanes.shared(),
            best,
            lane_settings: draft.lane_settings(),
            args,
            task: task.filter(|_| matches!(prompt.value, Prompt::File(_))),
            prompt,
            completion,
            markers: self.markers(draft),
            done_file: self.done_file(),
            require_work: Self::requires_work(draft),
            works_through_tasks,
            clean_room,
            protect: self.protect(draft, scripts),
            on_cycle: draft.iterations.and_then(|_| self.on_cycle(draft)),
            calibrate: self.calibrates(draft),
            sandbox: self.sandbox(draft, &entries),
            checks,
            round_checks: Vec::new(),
            conditions: Vec::new(),
            decides_round: false,
            limits: self.step_limits(draft),
        }
    }

    /// Reports a diagnostic once, even if two steps share its cause.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let span = diagnostic.label.as_ref().map(|label| label.span);
        if self.reported.insert((diagnostic.message.clone(), span)) {
            self.diagnostics.push(diagnostic);
        }
    }
}

impl<'a> StepDraft<'a> {
    /// The step, its chain and their file, if the step is in a config file.
    pub(super) fn in_config(&self) -> Option<(&'a ConfigLayer, &'a ChainEntry, &'a StepEntry)> {
        match self.written {
            StepOrigin::Config { layer, chain, step } => Some((layer, chain, step)),
            StepOrigin::Dsl { .. } | StepOrigin::Recorded => None,
        }
    }

    /// The settings of the lane that its agent works in.
    fn lane_settings(&self) -> Option<Sourced<LaneSettings>> {
        let (layer, ..) = self.in_config()?;
        Some(lane_settings(layer, self.lanes.entry?))
    }

    /// Where the name of the agent was written.
    pub(super) fn agent_name_origin(&self) -> AgentNameOrigin {
        match self.in_config() {
            Some((layer, _, _)) if layer.kind == ConfigLayerKind::BuiltIn => {
                AgentNameOrigin::BuiltInChain
            }
            _ => AgentNameOrigin::User,
        }
    }
}

/// Whether a chain keeps snapshots of the work tree, which is the default.
fn keeps_snapshots(chain: Option<ConfigEntry<'_, ChainEntry>>) -> bool {
    let written = chain.and_then(|chain| chain.entry.snapshots.as_ref());
    written.is_none_or(|keeps| keeps.value)
}
