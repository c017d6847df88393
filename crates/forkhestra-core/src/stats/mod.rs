//! Statistics of runs: what tasks cost, where time and money went, which checks fail.
//!
//! [`RunStatistics::of`] reduces the history of one run to numbers, which can be stored and added
//! up. [`StatsReport::of`] adds up many runs, in all and by a [`StatsGrouping`].
//!
//! Money is counted in billionths of a dollar. Every attempt of an iteration is in exactly one
//! [`SpendCategory`], so that the categories add up to the total.

mod agent_statistics;
mod check_statistics;
mod cost_summary;
mod group_totals;
mod run_statistics;
mod spend_by_category;
mod spend_category;
mod stats_figures;
mod stats_grouping;
mod stats_report;
mod task_statistics;
mod task_totals;
#[cfg(test)]
mod tests;

pub use agent_statistics::AgentStatistics;
pub use check_statistics::CheckStatistics;
pub use cost_summary::CostSummary;
pub use run_statistics::RunStatistics;
pub use spend_by_category::SpendByCategory;
pub use spend_category::SpendCategory;
pub use stats_figures::{
    CheckFigures, ExpensiveRun, GroupFigures, MoneyFigures, NamedFigures, RunFigures, TaskFigures,
    TimeFigures, UnreadableRunFigures, WorkedTaskFigures,
};
pub use stats_grouping::StatsGrouping;
pub use stats_report::{StatsQuery, StatsReport, schema};
pub use task_statistics::{TaskOutcome, TaskStatistics};
