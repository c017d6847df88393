//! What a plan with lanes has, and what it cannot have.

use crate::check::CheckSpec;
use crate::config::{
    ChainEntry, CheckWhen, ConfigEntry, LaneEntry, PickChoice, StageEntries, StageEntry,
};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Spanned;
use crate::dsl::DslLanes;
use crate::plan::flow::flow_draft::FlowDraft;
use crate::plan::lanes::best_of::{BestOf, BestPick, PickScript};
use crate::plan::lanes::lane_errors;
use crate::plan::plan_builder::{PlanBuilder, StepDraft};
use crate::plan::types::{Plan, PlanStep};
use crate::text::lane_count::LaneCount;

impl PlanBuilder<'_> {
    /// When a check of a step runs that does not say so itself.
    pub(crate) fn usual_time_of_check(&self, draft: &StepDraft<'_>, spec: &CheckSpec) -> CheckWhen {
        if draft.lanes.is_laned && spec.looks_at_files() {
            return CheckWhen::Landing;
        }
        self.request.defaults.checks_run
    }

    /// Best of N of a step.
    pub(crate) fn best_of(&mut self, draft: &StepDraft<'_>) -> Option<BestOf> {
        let Some(DslLanes::Best(lanes)) = draft.lanes.own else { return None };
        let written = draft.in_config().and_then(|(layer, _, step)| {
            let pick = step.pick.as_ref()?;
            Some((layer, pick))
        });
        let pick = match written {
            None => BestPick::First,
            Some((layer, pick)) => match &pick.value {
                PickChoice::First => BestPick::First,
                PickChoice::Cheapest => BestPick::Cheapest,
                PickChoice::Smallest => BestPick::Smallest,
                PickChoice::Script(path) => {
                    let script = CheckSpec::Script(path.clone());
                    let runner = self.find_script(&script, Some((layer, pick.span)));
                    BestPick::Script(PickScript { path: path.clone(), runner })
                }
            },
        };
        Some(BestOf { lanes, pick })
    }

    /// The protected pattern of the script that chooses a lane.
    pub(crate) fn pick_pattern(&self, best: &BestOf) -> Option<String> {
        let BestPick::Script(script) = &best.pick else { return None };
        self.existing_script(&script.path)
    }

    /// Refuses checks at landings in a chain without lanes.
    pub(crate) fn refuse_landing_checks(
        &mut self,
        chain: ConfigEntry<'_, ChainEntry>,
        draft: &FlowDraft<'_>,
    ) {
        if draft.agents.iter().any(|step| step.lanes.is_laned) {
            return;
        }
        let checks = chain.entry.checks.iter().flat_map(|checks| &checks.value);
        for when in checks.filter_map(|check| check.value.0.when.as_ref()) {
            if when.value == CheckWhen::Landing {
                self.report(lane_errors::landing_without_lanes(chain.layer, when.span));
            }
        }
    }

    /// Warns about settings of lanes that hold for no lane.
    pub(crate) fn warn_of_unused_lane_settings(
        &mut self,
        chain: ConfigEntry<'_, ChainEntry>,
        draft: &FlowDraft<'_>,
    ) {
        let mut entries: Vec<&Spanned<LaneEntry>> = chain.entry.lane.iter().collect();
        collect_lane_entries(&chain.entry.steps.value, &mut entries);
        for entry in entries {
            if !draft.enclosing_lanes.is_used(entry.span) {
                self.report(lane_errors::unused_lane_settings(chain.layer, entry.span));
            }
        }
    }

    /// Refuses what is for one agent at a time.
    pub(crate) fn check_lanes(&mut self, plan: &Plan) {
        if !plan.has_lanes() {
            return;
        }
        let at_once = plan.agents_at_once();
        if at_once > u32::from(LaneCount::MAX) {
            self.report(lane_errors::too_many_lanes(at_once));
        }
        let is_laned = |step: &&PlanStep| plan.laned_stage_of(step.number).is_some();
        let any_laned = |is: fn(&PlanStep) -> bool| plan.steps.iter().filter(is_laned).any(is);
        let has_replay = any_laned(|step| step.agent.replay.is_some());
        let is_typed = self.request.replay.is_some();
        let refused = [
            ("--done-file", any_laned(|step| step.done_file.is_some())),
            ("--record", plan.record.is_some()),
            ("--replay", is_typed && has_replay),
            ("\"backend\": \"replay\"", !is_typed && has_replay),
            ("--no-snapshots", !self.request.snapshots),
            ("\"snapshots\": false", self.request.snapshots && !plan.snapshots),
        ];
        for (option, _) in refused.into_iter().filter(|(_, is_given)| *is_given) {
            self.report(lane_errors::for_one_agent(option));
        }
        for step in plan.steps.iter().filter(|step| step.lanes.is_some()) {
            self.report_idle_lanes(step);
        }
    }

    fn report_idle_lanes(&mut self, step: &PlanStep) {
        let Some((lanes, iterations)) = step.lanes.zip(step.iterations) else { return };
        if u32::from(lanes.get()) > iterations.get() {
            let message = format!(
                "step {} ('{}') has more lanes than iterations: {lanes} and {iterations}",
                step.number, step.agent.name
            );
            self.report(Diagnostic::warning(message).hint("lanes share the iterations of a step"));
        }
    }
}

/// All settings of lanes in the groups and parallel stages of a chain.
fn collect_lane_entries<'a>(entries: &'a StageEntries, found: &mut Vec<&'a Spanned<LaneEntry>>) {
    for entry in &entries.0 {
        collect_of_entry(&entry.value, found);
    }
}

fn collect_of_entry<'a>(entry: &'a StageEntry, found: &mut Vec<&'a Spanned<LaneEntry>>) {
    match entry {
        StageEntry::Agent(_) | StageEntry::Question(_) => {}
        StageEntry::Group(group) => {
            found.extend(&group.lane);
            collect_lane_entries(&group.group.value, found);
        }
        StageEntry::Parallel(parallel) => {
            found.extend(&parallel.lane);
            let branches = &parallel.parallel.value;
            branches.iter().for_each(|branch| collect_lane_entries(&branch.value, found));
        }
    }
    let others = entry.alternative().map(|other| &other.value.0);
    others.into_iter().flatten().for_each(|other| collect_of_entry(&other.value, found));
}
