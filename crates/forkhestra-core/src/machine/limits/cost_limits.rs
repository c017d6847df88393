//! Cost limits: what a run spends and how much it may.

use crate::cost::{Dollars, Spend, UnusableFigure};
use crate::event::{EventKind, ProcessEnd, StepEnd, StopReason};
use crate::id::UnitId;
use crate::limit::{Limit, Usd};
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state::run_state::RunState;
use crate::machine::state::step_state::StepState;
use crate::machine::state_machine::Machine;
use crate::plan::FlowGroup;

impl RunState {
    /// What the run has spent, including the running agent.
    pub fn spend(&self) -> Spend {
        self.steps.iter().map(StepState::all_spend).sum()
    }

    /// What a step (one-based) has spent, including its running agent.
    pub fn spend_of(&self, step: usize) -> Spend {
        self.step(step).map(StepState::all_spend).unwrap_or_default()
    }

    /// What the steps of a group have spent in all its rounds, including the running agent.
    pub(crate) fn spend_of_group(&self, group: &FlowGroup) -> Spend {
        group.stages.steps().into_iter().map(|step| self.spend_of(step)).sum()
    }

    /// What an agent of a step (one-based) may still spend; none without a limit.
    pub fn budget_left(&self, step: usize) -> Option<Dollars> {
        let left = |(limit, spend, _): (Usd, Spend, StopReason)| amount(limit) - spend.dollars;
        self.cost_limits(step).map(left).min()
    }

    /// Why the cost limits of run and step allow no further attempt. The limit of the run takes
    /// precedence; an unknown cost is a reason only while the known part is within the limits.
    pub(in crate::machine) fn reached_cost_limit(&self, step: usize) -> Option<StopReason> {
        self.cost_is_spent(step).or_else(|| self.cost_is_unknown(step))
    }

    /// The cost limit of run or step that is reached.
    fn cost_is_spent(&self, step: usize) -> Option<StopReason> {
        let mut limits = self.cost_limits(step);
        let reached = limits.find(|(limit, spend, _)| spend.dollars.at_least(*limit));
        reached.map(|(_, _, why)| why)
    }

    /// Whether a limit cannot be enforced because the cost of a finished attempt is unknown: tokens
    /// without a price, a cost that was never reported or is implausible, or an agent killed before
    /// it reported any.
    fn cost_is_unknown(&self, step: usize) -> Option<StopReason> {
        let of_run = self.plan.limits.cost.value != Limit::Off;
        let of_step = self.plan.steps[step - 1].limits.cost.value != Limit::Off;
        let is_unknown = StepState::has_unknown_cost;
        let in_run = of_run && self.steps.iter().any(is_unknown);
        let in_step = of_step && is_unknown(&self.steps[step - 1]);
        let enclosing = self.plan.enclosing_groups(step).into_iter();
        let limited: Vec<&FlowGroup> =
            enclosing.filter(|group| group.limits.cost.value != Limit::Off).collect();
        let mut members = limited.iter().flat_map(|group| group.stages.steps());
        let in_group = members.any(|step| is_unknown(&self.steps[step - 1]));
        let is_limited = of_run || of_step || !limited.is_empty();
        let is_silent = is_limited && self.last_agent_unreported(step);
        (in_run || in_group || in_step || is_silent).then_some(StopReason::CostUnknown)
    }

    /// Whether the last agent of a step incurs cost but its stream could not be parsed: a program
    /// that prints plain text in its place may spend as much.
    fn last_agent_unreported(&self, step: usize) -> bool {
        let spends = self.plan.steps[step - 1].agent.kind.reports_spend();
        let last = self.steps[step - 1].last.as_ref().filter(|report| report.has_outcome());
        spends
            && last.is_some_and(|report| {
                let ran =
                    matches!(report.end, Some(ProcessEnd::Exited(_) | ProcessEnd::Signaled(_)));
                ran && report.stream_summary.is_none() && report.spend.is_none()
            })
    }

    /// Whether tokens without a known price were reported although there is a limit.
    fn unpriced_stop_reason(&self, step: usize, spend: Spend) -> Option<StopReason> {
        let is_limited = self.cost_limits(step).next().is_some();
        (is_limited && spend.unpriced).then_some(StopReason::CostUnknown)
    }

    /// Why the running agent of a step has to be ended for its cost. An agent that is being
    /// terminated for `stop_reason` keeps that reason while only the price is unknown.
    pub(crate) fn agent_cost_stop_reason(
        &self,
        step: usize,
        stop_reason: Option<StopReason>,
    ) -> Option<StopReason> {
        let blindly = || self.unpriced_agent_stop_reason(step).filter(|_| stop_reason.is_none());
        self.cost_is_spent(step).or_else(blindly)
    }

    /// Whether the cost of the running agent will stay unknown although there is a limit. An agent
    /// that reports its own cost does so at its end.
    fn unpriced_agent_stop_reason(&self, step: usize) -> Option<StopReason> {
        let agent = &self.plan.steps[step - 1].agent.kind;
        let spend = self.steps[step - 1].spending.filter(|_| !agent.reports_cost_at_end())?;
        self.unpriced_stop_reason(step, spend)
    }

    /// The cost limits that are set, with the spend that counts for each. The run's limit is first,
    /// then those of groups, the innermost first.
    fn cost_limits(&self, step: usize) -> impl Iterator<Item = (Usd, Spend, StopReason)> + use<> {
        let of_step = self.plan.step(step).map_or(Limit::Off, |step| step.limits.cost.value);
        let run = (self.plan.limits.cost.value, self.spend(), StopReason::RunCost);
        let groups = self.plan.enclosing_groups(step).into_iter().map(|group| {
            (group.limits.cost.value, self.spend_of_group(group), StopReason::GroupCost)
        });
        let of_step = (of_step, self.spend_of(step), StopReason::StepCost);
        let limits = [run].into_iter().chain(groups).chain([of_step]);
        let limits = limits.filter_map(|(limit, spend, why)| Some((limit.value()?, spend, why)));
        limits.collect::<Vec<_>>().into_iter()
    }
}

/// The end of a step whose agent was, or would be, ended for its cost.
pub(in crate::machine) const fn end_by_cost(why: StopReason) -> Option<StepEnd> {
    match why {
        StopReason::RunCost => Some(StepEnd::RunCost),
        StopReason::GroupCost => Some(StepEnd::GroupCost),
        StopReason::StepCost => Some(StepEnd::StepCost),
        StopReason::CostUnknown => Some(StepEnd::CostUnknown),
        _ => None,
    }
}

impl Machine {
    /// Records a new spend of the running agent.
    pub(in crate::machine) fn spent(&mut self, now: Now, spend: Spend) {
        let MachinePhase::AgentRunning(unit) = &self.phase else { return };
        let unit = unit.id;
        if self.state.steps[unit.step - 1].spending == Some(spend) {
            return;
        }
        let before: Vec<_> = self.state.cost_limits(unit.step).collect();
        self.emit(now, EventKind::Spent { unit, spend });
        let after: Vec<_> = self.state.cost_limits(unit.step).collect();
        for ((_, before, _), (limit, after, why)) in before.into_iter().zip(after) {
            if is_close(limit, after.dollars) && !is_close(limit, before.dollars) {
                self.warn_of_cost(now, (limit, after.dollars), (why, unit.step));
            }
        }
        self.enforce_cost(now);
    }

    fn warn_of_cost(
        &mut self,
        now: Now,
        (limit, spent): (Usd, Dollars),
        (why, step): (StopReason, usize),
    ) {
        // A limit that is reached is reported by the end of the step.
        if spent.at_least(limit) {
            return;
        }
        let whole = match why {
            StopReason::RunCost => "the run".to_owned(),
            StopReason::GroupCost => format!("the group around step {step}"),
            _ => format!("step {step}"),
        };
        let message = format!("80 % of the cost limit of {whole} is reached: {spent} of {limit}");
        self.emit(now, EventKind::Warning { message });
    }

    /// Warns about an implausible figure by name. The spend reported with it is unpriced.
    pub(in crate::machine) fn warn_of_figure(
        &mut self,
        now: Now,
        unit: UnitId,
        figure: &UnusableFigure,
    ) {
        let agent = &self.plan(unit.step).agent.name;
        let message = figure.warning(agent);
        self.emit(now, EventKind::Warning { message });
    }

    /// Ends the running agent if its cost limit is reached. A concluded agent incurs no further
    /// cost.
    pub(in crate::machine) fn enforce_cost(&mut self, now: Now) {
        let MachinePhase::AgentRunning(unit) = &self.phase else { return };
        let why = self.state.agent_cost_stop_reason(unit.id.step, unit.lifecycle.stop_reason);
        if let Some(why) = why.filter(|_| unit.may_spend()) {
            self.end_agent(now, why);
        }
    }
}

/// Whether four fifths of a limit are spent.
fn is_close(limit: Usd, spent: Dollars) -> bool {
    u128::from(spent.nanos()) * 5 >= limit.nanos() * 4
}

fn amount(limit: Usd) -> Dollars {
    Dollars::from_nanos(u64::try_from(limit.nanos()).unwrap_or(u64::MAX))
}
