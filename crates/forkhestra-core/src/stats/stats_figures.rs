//! The figures of a report, as `forkhestra stats --json` prints them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::cost_summary::{CostSummary, as_dollars};
use super::task_statistics::TaskOutcome;
use crate::cost::Dollars;
use crate::time::Timestamp;

/// The runs that a report is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunFigures {
    /// The number of runs that count.
    pub total: u32,
    /// Their number by status: `complete`, `running`, `limited` …
    pub by_status: BTreeMap<String, u32>,
    /// Runs with a replayed agent. They cost nothing and do not count.
    pub replays: u32,
    /// Runs whose journal cannot be read. They do not count.
    pub unreadable: Vec<UnreadableRunFigures>,
}

/// A run whose journal cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnreadableRunFigures {
    /// The run's id.
    pub run: String,
    /// Why it cannot be read.
    pub error: String,
    /// The command that repairs it, if it can be repaired.
    pub repair: Option<String>,
}

/// The figures of some runs, or of what some agents did in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupFigures {
    /// Iterations with an outcome.
    pub iterations: u32,
    /// How long the attempts of agents took, in milliseconds.
    pub agent_time_ms: u64,
    /// The tokens that agents used; null if unknown.
    pub tokens: Option<u64>,
    /// The tasks that were done.
    pub tasks: TaskFigures,
    /// Where money went; null if no cost is known.
    pub money: Option<MoneyFigures>,
    /// Where time went; null for a part of a run.
    pub time: Option<TimeFigures>,
}

/// The tasks that were done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskFigures {
    /// The number of tasks.
    pub done: usize,
    /// How many of them one iteration finished, with no other iteration working on them.
    pub first_try: usize,
    /// The number of iterations that worked on them. One that works on two tasks counts for both.
    pub iterations: u32,
    /// What they cost, with everything that was spent on them; null if unknown.
    pub cost: Option<CostSummary>,
    /// Whether there are fewer than 10 tasks: too few for a conclusion.
    pub small_sample: bool,
}

impl TaskFigures {
    /// Fewer tasks than this are a small sample.
    pub const MIN_SAMPLE: usize = 10;
}

/// Where money went, in US dollars. The categories add up to the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoneyFigures {
    /// Whether a part of the cost has no known price, so that the true figures are higher.
    pub at_least: bool,
    /// Everything that agents spent.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub total: Dollars,
    /// Iterations whose work was accepted, or whose changes stayed.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub productive: Dollars,
    /// Iterations whose completion claim was refused.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub refused: Dollars,
    /// Iterations without a change.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub no_change: Dollars,
    /// Attempts of agents that crashed, were stopped or interrupted, or were not served by their
    /// provider.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub aborted: Dollars,
    /// Iterations that are not over.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub running: Dollars,
    /// The part of the total that belongs to no task: iterations that worked on none, and those that
    /// are not over. The rest is the cost of tasks, done or not.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub without_task: Dollars,
}

/// Where time went, in milliseconds. The parts add up to the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimeFigures {
    /// All of it.
    pub total_ms: u64,
    /// Agents ran.
    pub agents_ms: u64,
    /// Work was checked.
    pub checks_ms: u64,
    /// Hooks ran.
    pub hooks_ms: u64,
    /// Runs waited for a provider: usage limits and overloads.
    pub provider_ms: u64,
    /// Runs waited after crashes.
    pub backoff_ms: u64,
    /// Runs were paused.
    pub paused_ms: u64,
    /// A person was asked.
    pub asking_ms: u64,
    /// Work of lanes was checked and landed, while no agent ran.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub landing_ms: u64,
    /// Agents in lanes ran: the sum over all lanes, which is not a part of the total.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub work_in_lanes_ms: u64,
    /// Everything else.
    pub other_ms: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The figures of one agent, model, chain or day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamedFigures {
    /// The agent with its model, the model, the chain or the day; null for models that no plan
    /// names.
    pub name: Option<String>,
    /// The number of runs.
    pub runs: u32,
    /// The figures.
    #[serde(flatten)]
    pub figures: GroupFigures,
}

/// The figures of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckFigures {
    /// Its name, or else its text.
    pub name: String,
    /// How often it ran after an iteration.
    pub runs: u32,
    /// How often it failed.
    pub failed: u32,
    /// The number of work trees on which it both passed and failed, in the same run.
    pub flaky: u32,
    /// Its median duration in milliseconds.
    pub median_ms: u64,
}

/// The figures of a task that agents worked on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkedTaskFigures {
    /// The working directory of the runs, absolute. In another one, the same id is another task.
    pub working_directory: String,
    /// The task's id.
    pub id: String,
    /// The task's title.
    pub title: String,
    /// What became of it.
    pub outcome: TaskOutcome,
    /// The number of runs that worked on it.
    pub runs: u32,
    /// The number of iterations that worked on it.
    pub iterations: u32,
    /// Whether one iteration finished it, and no other worked on it.
    pub first_try: bool,
    /// What was spent on it in US dollars; null if unknown.
    pub cost: Option<f64>,
    /// Whether a part of the cost has no known price.
    pub at_least: bool,
}

/// One of the most expensive runs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExpensiveRun {
    /// The run's id.
    pub run: String,
    /// The name of its chain, or else the chain itself.
    pub chain: String,
    /// When it began.
    pub started: Timestamp,
    /// What it cost in US dollars.
    #[serde(serialize_with = "as_dollars")]
    #[schemars(with = "f64")]
    pub cost: Dollars,
    /// Whether a part of the cost has no known price.
    pub at_least: bool,
    /// Its iterations with an outcome.
    pub iterations: u32,
    /// The task that most of its iterations worked on, if there is one.
    pub busiest_task: Option<String>,
    /// The number of iterations that worked on that task.
    pub busiest_task_iterations: u32,
}
