//! The statistics of many runs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::cost_summary::{known_cost, median};
use super::group_totals::GroupTotals;
use super::run_statistics::RunStatistics;
use super::stats_figures::{
    CheckFigures, ExpensiveRun, GroupFigures, NamedFigures, RunFigures, UnreadableRunFigures,
    WorkedTaskFigures,
};
use super::stats_grouping::StatsGrouping;
use super::task_totals::{TaskTotals, tasks_of};
use crate::cost::Dollars;
use crate::time::Timestamp;

/// The maximum number of expensive runs in a report.
const MAX_EXPENSIVE_RUNS: usize = 5;

/// What a report is asked for.
#[derive(Clone, Copy)]
pub struct StatsQuery<'a> {
    pub by: Option<StatsGrouping>,
    /// Runs that began earlier were left out.
    pub since: Option<Timestamp>,
    /// The day of a time in the zone of the reader.
    pub day_of: &'a dyn Fn(Timestamp) -> String,
}

/// The statistics of many runs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsReport {
    /// The version of this format. A version only adds members, unless this number changes.
    pub version: u32,
    /// Runs that began earlier do not count; null if all count.
    pub since: Option<Timestamp>,
    /// The runs.
    pub runs: RunFigures,
    /// The figures of all runs together.
    #[serde(flatten)]
    pub all: GroupFigures,
    /// The agents, those with the highest cost first.
    pub agents: Vec<NamedFigures>,
    /// The checks, those that failed most often first.
    pub checks: Vec<CheckFigures>,
    /// The most expensive runs, at most five.
    pub most_expensive: Vec<ExpensiveRun>,
    /// What `groups` or `tasksWorkedOn` are requested by; null if nothing was requested.
    pub by: Option<StatsGrouping>,
    /// The figures of each agent, model, chain or day, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<NamedFigures>>,
    /// The figures of each task, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks_worked_on: Option<Vec<WorkedTaskFigures>>,
}

/// The JSON Schema of a report.
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::SchemaGenerator::default().into_root_schema_for::<StatsReport>();
    schema.insert("title".to_owned(), "Statistics, as forkhestra stats --json prints them".into());
    schema.to_value()
}

impl StatsReport {
    /// The version of the format.
    pub const VERSION: u32 = 1;

    /// Adds up runs.
    pub fn of(mut runs: Vec<RunStatistics>, query: StatsQuery<'_>) -> Self {
        runs.sort_by(|one, other| (one.started, &one.run).cmp(&(other.started, &other.run)));
        let tasks = tasks_of(&runs);
        let groups = |by| Groups::of(&runs, &tasks, by, query.day_of).into_figures();
        let grouping = query.by.and_then(GroupKey::of);
        Self {
            version: Self::VERSION,
            since: query.since,
            runs: run_figures(&runs),
            all: total(&runs, &tasks),
            agents: groups(GroupKey::Agent),
            checks: check_figures(&runs),
            most_expensive: most_expensive(&runs),
            by: query.by,
            groups: grouping.map(groups),
            tasks_worked_on: (query.by == Some(StatsGrouping::Task)).then(|| worked_tasks(&tasks)),
        }
    }

    /// Adds what the runs themselves cannot tell: which were left out.
    #[must_use]
    pub fn with_left_out(mut self, replays: u32, unreadable: Vec<UnreadableRunFigures>) -> Self {
        self.runs.replays = replays;
        self.runs.unreadable = unreadable;
        self
    }
}

/// What a group is identified by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupKey {
    Agent,
    Model,
    Chain,
    Day,
}

impl GroupKey {
    fn of(by: StatsGrouping) -> Option<Self> {
        match by {
            StatsGrouping::Agent => Some(Self::Agent),
            StatsGrouping::Model => Some(Self::Model),
            StatsGrouping::Chain => Some(Self::Chain),
            StatsGrouping::Day => Some(Self::Day),
            StatsGrouping::Check | StatsGrouping::Task => None,
        }
    }

    /// Whether the groups consist of whole runs.
    const fn has_whole_runs(self) -> bool {
        matches!(self, Self::Chain | Self::Day)
    }
}

/// The sums of all groups.
struct Groups<'a> {
    key: GroupKey,
    totals: BTreeMap<Option<String>, GroupTotals<'a>>,
}

impl<'a> Groups<'a> {
    fn of(
        runs: &[RunStatistics],
        tasks: &'a [TaskTotals],
        key: GroupKey,
        day_of: &dyn Fn(Timestamp) -> String,
    ) -> Self {
        let name_of = |run: &RunStatistics, agent: usize| match key {
            GroupKey::Agent => Some(run.agents[agent].label()),
            GroupKey::Model => run.agents[agent].model.clone(),
            GroupKey::Chain => Some(run.chain_name().to_owned()),
            GroupKey::Day => Some(day_of(run.started)),
        };
        let mut groups = Self { key, totals: BTreeMap::new() };
        for (index, run) in runs.iter().enumerate() {
            if key.has_whole_runs() {
                let group = groups.group(name_of(run, 0));
                group.add_run(index);
                group.add_times(run.times);
            }
            for (number, agent) in run.agents.iter().enumerate() {
                groups.group(name_of(run, number)).add_agent(index, agent);
            }
        }
        // A task belongs to the agent and the run that finished it, with everything spent on it.
        for task in tasks.iter().filter(|task| task.is_done()) {
            if let Some((run, agent)) = task.finished_by {
                groups.group(name_of(&runs[run], agent)).add_done(task);
            }
        }
        groups
    }

    fn group(&mut self, name: Option<String>) -> &mut GroupTotals<'a> {
        self.totals.entry(name).or_default()
    }

    /// Days in their order, everything else by cost.
    fn into_figures(self) -> Vec<NamedFigures> {
        let named = self.totals.into_iter().map(|(name, totals)| NamedFigures {
            name,
            runs: totals.runs,
            figures: totals.figures(),
        });
        let mut all: Vec<NamedFigures> = named.collect();
        if self.key != GroupKey::Day {
            all.sort_by_key(|group| {
                let GroupFigures { money, tasks, .. } = &group.figures;
                Reverse((money.map(|money| money.total), tasks.done, group.runs))
            });
        }
        all
    }
}

fn total(runs: &[RunStatistics], tasks: &[TaskTotals]) -> GroupFigures {
    let mut total = GroupTotals::default();
    for (index, run) in runs.iter().enumerate() {
        total.add_run(index);
        total.add_times(run.times);
        run.agents.iter().for_each(|agent| total.add_agent(index, agent));
    }
    tasks.iter().filter(|task| task.is_done()).for_each(|task| total.add_done(task));
    total.figures()
}

fn run_figures(runs: &[RunStatistics]) -> RunFigures {
    let mut by_status: BTreeMap<String, u32> = BTreeMap::new();
    for run in runs {
        *by_status.entry(run.status.as_str().to_owned()).or_default() += 1;
    }
    let total = u32::try_from(runs.len()).unwrap_or(u32::MAX);
    RunFigures { total, by_status, replays: 0, unreadable: Vec::new() }
}

fn check_figures(runs: &[RunStatistics]) -> Vec<CheckFigures> {
    let mut sums: BTreeMap<&str, (CheckFigures, Vec<u64>)> = BTreeMap::new();
    for check in runs.iter().flat_map(|run| &run.checks) {
        let (sum, durations) = sums.entry(&check.name).or_insert_with(|| {
            let name = check.name.clone();
            (CheckFigures { name, runs: 0, failed: 0, flaky: 0, median_ms: 0 }, Vec::new())
        });
        sum.runs += check.runs;
        sum.failed += check.failed;
        sum.flaky += check.flaky;
        durations.extend(&check.durations);
    }
    let figures = sums.into_values().map(|(sum, mut durations)| {
        durations.sort_unstable();
        CheckFigures { median_ms: median(&durations).unwrap_or_default(), ..sum }
    });
    let mut figures: Vec<CheckFigures> = figures.collect();
    figures.sort_by_key(|check| Reverse((check.failed, check.runs)));
    figures
}

fn most_expensive(runs: &[RunStatistics]) -> Vec<ExpensiveRun> {
    let mut expensive: Vec<ExpensiveRun> = runs.iter().filter_map(expensive_run).collect();
    expensive.sort_by_key(|run| Reverse((run.cost, run.started)));
    expensive.truncate(MAX_EXPENSIVE_RUNS);
    expensive
}

/// The entry of a run, if it cost anything.
fn expensive_run(run: &RunStatistics) -> Option<ExpensiveRun> {
    let spend = run.spend().filter(|spend| !spend.dollars.is_zero())?;
    // Of equals the first one.
    let tasks = run.tasks.iter().filter(|task| task.iterations > 0);
    let busiest = tasks.rev().max_by_key(|task| task.iterations);
    Some(ExpensiveRun {
        run: run.run.to_string(),
        chain: run.chain_name().to_owned(),
        started: run.started,
        cost: spend.dollars,
        at_least: spend.unpriced,
        iterations: run.iterations(),
        busiest_task: busiest.map(|task| task.id.clone()),
        busiest_task_iterations: busiest.map_or(0, |task| task.iterations),
    })
}

/// All tasks, the most expensive first.
fn worked_tasks(tasks: &[TaskTotals]) -> Vec<WorkedTaskFigures> {
    let mut all: Vec<&TaskTotals> = tasks.iter().collect();
    let cost = |task: &TaskTotals| known_cost(task.spend).map(|spend| spend.dollars);
    all.sort_by_key(|task| Reverse((cost(task), task.iterations)));
    let figures = all.into_iter().map(|task| WorkedTaskFigures {
        working_directory: task.working_directory.clone(),
        id: task.id.clone(),
        title: task.title.clone(),
        outcome: task.outcome,
        runs: task.runs,
        iterations: task.iterations,
        first_try: task.is_first_try(),
        cost: cost(task).map(Dollars::to_dollars),
        at_least: task.spend.is_some_and(|spend| spend.unpriced),
    });
    figures.collect()
}
