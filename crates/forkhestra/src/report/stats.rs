//! Report of `stats`: figures of runs, in all or by agent, model, chain, check, task or day.

mod amount_scale;
mod group_table;
mod section;
mod shares;
mod summary;
mod task_table;

use forkhestra_core::stats::{RunStatistics, StatsGrouping, StatsReport, TaskFigures};

use self::amount_scale::AmountScale;
use crate::project::project_location::ProgramEnvironment;

/// Why the figures of a small sample are marked.
fn small_sample_note() -> String {
    format!("fewer than {} tasks", TaskFigures::MIN_SAMPLE)
}

/// Layout of the report.
#[derive(Default)]
pub(crate) struct StatsLayout<'a> {
    /// Maximum width; none if nothing may be cut.
    pub(crate) columns: Option<usize>,
    /// The only run, if one was named.
    pub(crate) single: Option<&'a RunStatistics>,
    /// Set if tasks have a directory column; the environment abbreviates the home directory to `~`.
    pub(crate) directories: Option<&'a ProgramEnvironment>,
}

/// The figures for a person.
pub(crate) fn render(report: &StatsReport, layout: &StatsLayout<'_>) -> String {
    let scale = AmountScale::of(report.all.money.map(|money| money.total).unwrap_or_default());
    let head = summary::runs(report, layout);
    let body = match report.by {
        None => summary::render(report, scale, layout),
        Some(StatsGrouping::Check) => group_table::checks(report, layout.columns),
        Some(StatsGrouping::Task) => task_table::render(report, scale, layout),
        Some(by) => group_table::render(report, by, scale, layout.columns),
    };
    match report.by {
        None => head + &body,
        Some(_) => format!("{head}\n{body}"),
    }
}

#[cfg(test)]
mod tests;
