//! Lines below the row of a step: its checks and its work.

use forkhestra_core::event::{IterationReport, StepEnd, WorkSummary};
use forkhestra_core::plan::PlanStep;
use forkhestra_core::policy::expects_commits;
use typeset::style::{DIM, WARNING, paint};
use typeset::text::shortened;

use super::{step_decision, work_summary};

/// Indentation of each line.
pub(crate) const INDENT: &str = "     ";

/// Facts about a step that has started.
pub(crate) struct StartedStep<'a> {
    pub(crate) plan: &'a PlanStep,
    pub(crate) end: Option<&'a StepEnd>,
    pub(crate) last: Option<&'a IterationReport>,
    pub(crate) work: Option<&'a WorkSummary>,
    /// Lines about what ran instead of what.
    pub(crate) alternatives: Vec<String>,
    /// Lines about the rounds of groups that end with it.
    pub(crate) rounds: Vec<String>,
    /// Lines about the landings of its work in lanes.
    pub(crate) landings: Vec<String>,
    /// How its fallback was used, if it was.
    pub(crate) fallback: Option<String>,
}

/// Renders the lines, with at most `most_commits` commits and at most `columns` wide.
pub(crate) fn render(past: &StartedStep<'_>, most_commits: usize, columns: usize) -> String {
    let decided = past.end.and_then(|end| step_decision::of(past.plan, end, past.last));
    let mut lines: Vec<String> = past.alternatives.clone();
    lines.extend(past.fallback.iter().cloned());
    lines.extend(decided);
    if let Some(made) = past.work {
        lines.push(work_summary::work_text(made));
        let (commits, more) = work_summary::subjects(made, most_commits);
        lines.extend(commits.iter().map(|(id, subject)| format!("  {id} {subject}")));
        let is_cut = most_commits > 0 && more > 0;
        lines.extend(is_cut.then(|| format!("  … and {more} more")));
    }
    lines.extend(past.landings.iter().cloned());
    lines.extend(past.rounds.iter().cloned());
    let room = columns.saturating_sub(INDENT.len());
    let lines = lines.iter().map(|line| paint(DIM, &shortened(line, room)));
    // The agent was expected to commit these files.
    let made = past.work.filter(|_| expects_commits(past.plan));
    let warning = made
        .and_then(work_summary::uncommitted)
        .map(|text| paint(WARNING, &shortened(&text, room)));
    lines.chain(warning).map(|line| format!("{INDENT}{line}\n")).collect()
}
