//! The sums of a group of runs, or of what some agents did in them.

use std::time::Duration;

use super::agent_statistics::AgentStatistics;
use super::cost_summary::CostSummary;
use super::spend_by_category::SpendByCategory;
use super::stats_figures::{GroupFigures, MoneyFigures, TaskFigures, TimeFigures};
use super::task_totals::TaskTotals;
use crate::cost::{Cost, Dollars, Spend};
use crate::history::ActivityTimes;

/// The sums of a group.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupTotals<'a> {
    pub(super) runs: u32,
    /// The run that was counted last.
    last_run: Option<usize>,
    iterations: u32,
    agent_time: Duration,
    spend: Option<Spend>,
    money: SpendByCategory,
    without_task: Dollars,
    times: Option<ActivityTimes>,
    done: Vec<&'a TaskTotals>,
}

impl<'a> GroupTotals<'a> {
    /// Counts an agent of a run, and the run itself once.
    pub(super) fn add_agent(&mut self, run: usize, agent: &AgentStatistics) {
        self.add_run(run);
        self.iterations += agent.iterations;
        self.agent_time = self.agent_time.saturating_add(agent.duration);
        if let Some(spend) = agent.spend {
            self.spend = Some(self.spend.unwrap_or_default() + spend);
        }
        self.money += agent.money;
        self.without_task += agent.without_task;
    }

    /// Counts a run, once. Runs are counted in order.
    pub(super) fn add_run(&mut self, run: usize) {
        if self.last_run != Some(run) {
            self.runs += 1;
            self.last_run = Some(run);
        }
    }

    /// Counts the time of a whole run.
    pub(super) fn add_times(&mut self, times: ActivityTimes) {
        *self.times.get_or_insert_default() += times;
    }

    /// Counts a task that is done.
    pub(super) fn add_done(&mut self, task: &'a TaskTotals) {
        self.done.push(task);
    }

    pub(super) fn figures(&self) -> GroupFigures {
        GroupFigures {
            iterations: self.iterations,
            agent_time_ms: milliseconds(self.agent_time),
            tokens: self.spend.map(|spend| spend.tokens.total()),
            tasks: self.task_figures(),
            money: self.money_figures(),
            time: self.times.map(time_figures),
        }
    }

    fn task_figures(&self) -> TaskFigures {
        TaskFigures {
            done: self.done.len(),
            first_try: self.done.iter().filter(|task| task.is_first_try()).count(),
            iterations: self.done.iter().map(|task| task.iterations).sum(),
            cost: CostSummary::of(self.done.iter().map(|task| task.spend)),
            small_sample: self.done.len() < TaskFigures::MIN_SAMPLE,
        }
    }

    fn money_figures(&self) -> Option<MoneyFigures> {
        // An unknown cost is never shown as zero.
        let spend = self.spend.filter(|spend| spend.cost() != Cost::Unknown)?;
        let SpendByCategory { productive, refused, no_change, aborted, running } = self.money;
        Some(MoneyFigures {
            at_least: spend.unpriced,
            total: self.money.total(),
            productive,
            refused,
            no_change,
            aborted,
            running,
            without_task: self.without_task,
        })
    }
}

fn time_figures(times: ActivityTimes) -> TimeFigures {
    let ActivityTimes { agents, checks, hooks, provider, backoff, paused, .. } = times;
    let ActivityTimes { asking, landing, work_in_lanes, other, .. } = times;
    TimeFigures {
        total_ms: milliseconds(times.total()),
        agents_ms: milliseconds(agents),
        checks_ms: milliseconds(checks),
        hooks_ms: milliseconds(hooks),
        provider_ms: milliseconds(provider),
        backoff_ms: milliseconds(backoff),
        paused_ms: milliseconds(paused),
        asking_ms: milliseconds(asking),
        landing_ms: milliseconds(landing),
        work_in_lanes_ms: milliseconds(work_in_lanes),
        other_ms: milliseconds(other),
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
