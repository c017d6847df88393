//! Renders the run report as lines of text.

use forkhestra_core::cost::Spend;
use forkhestra_core::event::{CheckReport, CommitSummary, Verdict};
use forkhestra_core::explain::StopReasonEntry;
use forkhestra_core::text;
use typeset::text::{hard_wrapped, shortened, shortened_keeping_end, visible};

use super::iteration_failures::IterationFailures;
use super::{IterationLine, RunReport, TaskSection};
use crate::report::run::{reason, short_duration};
use crate::report::text::{checks, spend};

/// Maximum width of a line, if lines are cut.
const WIDTH: usize = 80;

/// Height of a standard terminal.
pub(crate) const SCREEN: usize = 24;

/// Minimum number of lines, however little room there is.
const MIN_LINES: usize = 6;

/// Maximum number of failed checks.
const MAX_CHECKS: usize = 3;

/// Maximum number of warnings.
const MAX_WARNINGS: usize = 2;

/// The beginning of each row of output.
const OUTPUT_PREFIX: &str = "  | ";

/// Where the report is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportPlace {
    /// Below the output of the run, which already contains warnings and iterations. Iterations of a
    /// run without tasks are listed only if their commits are known.
    RunEnd,
    /// On a page of its own.
    Page,
}

/// Where the report is shown, and how much room it has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportLayout {
    /// Available number of lines.
    pub(crate) room: usize,
    pub(crate) place: ReportPlace,
    /// Whether lines are cut to the width of a screen.
    pub(crate) cuts_lines: bool,
}

impl ReportLayout {
    const fn width(&self) -> usize {
        if self.cuts_lines { WIDTH } else { usize::MAX }
    }
}

/// A heading with the lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportSection {
    pub(crate) heading: String,
    /// Indented lines without line breaks.
    pub(crate) lines: Vec<String>,
}

impl ReportSection {
    const fn height(&self) -> usize {
        1 + self.lines.len()
    }
}

impl RunReport {
    /// Renders the report in sections that fit the available lines.
    pub(crate) fn lines(&self, layout: &ReportLayout) -> Vec<ReportSection> {
        let (place, width) = (layout.place, layout.width());
        let room = layout.room.max(MIN_LINES);
        let failures = self.failures.as_ref();
        // At the end of a run, the last line gives the cause of an agent that runs once, and its
        // output is above.
        let failures =
            failures.filter(|failures| place == ReportPlace::Page || !failures.runs_once);
        let failures = failures.map(|failures| match self.failed_checks.is_empty() {
            true => failures.section(width, OutputRows::Two),
            false => failures.section(width, OutputRows::One),
        });
        let mut below = self.check_sections(width);
        below.extend((!self.warnings.is_empty()).then(|| self.warning_section(place, width)));
        let taken: usize = failures.iter().chain(&below).map(ReportSection::height).sum();
        let rest = room.saturating_sub(taken).max(MIN_LINES / 2);
        let work = match &self.tasks {
            Some(tasks) => Some(tasks.section(rest, width)),
            None if place == ReportPlace::Page || self.names_commits() => {
                iteration_section(&self.iterations, rest, width)
            }
            None => None,
        };
        failures.into_iter().chain(work).chain(below).collect()
    }

    /// Failures and tasks without a limit on the number of lines.
    pub(crate) fn all_sections(&self) -> Vec<ReportSection> {
        let failures = self.failures.as_ref().map(IterationFailures::whole_section);
        let tasks = self.tasks.as_ref().map(|tasks| tasks.section(usize::MAX / 2, usize::MAX));
        failures.into_iter().chain(tasks).collect()
    }

    /// Why iterations failed, with the last lines of the agent; empty if none failed.
    pub(crate) fn failures(&self) -> String {
        let section = self.failures.as_ref().map(IterationFailures::whole_section);
        let lines = section.map(|section| [vec![section.heading], section.lines].concat());
        lines.into_iter().flatten().map(|line| format!("{line}\n")).collect()
    }

    /// The report for a notification: failures, commits, tasks and failed checks.
    pub(crate) fn brief(&self) -> Vec<String> {
        let flat = |section: ReportSection| [vec![section.heading], section.lines].concat();
        let failures =
            self.failures.as_ref().map(|failures| failures.section(WIDTH, OutputRows::One));
        let mut lines: Vec<String> = failures.into_iter().flat_map(flat).collect();
        lines.extend(self.work.as_ref().map(|work| format!("Work: {work}")));
        lines.extend(self.tasks.iter().flat_map(TaskSection::brief));
        lines.extend(self.check_sections(WIDTH).into_iter().flat_map(flat));
        lines.iter().map(|text| line(text, WIDTH)).collect()
    }

    /// The failed checks, each with its last lines.
    fn check_sections(&self, width: usize) -> Vec<ReportSection> {
        let tail = match self.failed_checks.len() {
            0 | 1 => 5,
            2 => 3,
            _ => 2,
        };
        let shown = self.failed_checks.iter().take(MAX_CHECKS);
        let mut sections: Vec<ReportSection> =
            shown.map(|check| check_section(check, tail, width)).collect();
        let more = self.failed_checks.len().saturating_sub(MAX_CHECKS);
        sections.extend((more > 0).then(|| ReportSection {
            heading: format!("Checks failed: {more} more"),
            lines: Vec::new(),
        }));
        sections
    }

    fn warning_section(&self, place: ReportPlace, width: usize) -> ReportSection {
        let number = self.warnings.len();
        match place {
            ReportPlace::RunEnd => ReportSection {
                heading: format!("Warnings: {number} (see above)"),
                lines: Vec::new(),
            },
            ReportPlace::Page => {
                let shown = self.warnings.iter().take(MAX_WARNINGS);
                let lines = shown.map(|text| line(&format!("  {}", visible(text)), width));
                ReportSection { heading: format!("Warnings: {number}"), lines: lines.collect() }
            }
        }
    }
}

/// How many rows one line of an agent may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputRows {
    One,
    /// A line that is longer than two rows loses its middle: an error often ends with the name of a
    /// file.
    Two,
}

impl IterationFailures {
    pub(super) fn section(&self, width: usize, rows: OutputRows) -> ReportSection {
        let lines = self.output.iter().flat_map(|text| output_lines(text, width, rows));
        ReportSection { heading: line(&self.heading, width), lines: lines.collect() }
    }

    fn whole_section(&self) -> ReportSection {
        self.section(usize::MAX, OutputRows::One)
    }
}

/// A line of an agent in rows that fit.
fn output_lines(text: &str, width: usize, rows: OutputRows) -> Vec<String> {
    let columns = width - OUTPUT_PREFIX.len();
    let mut parts = match rows {
        OutputRows::One => vec![shortened(text.trim_end(), columns)],
        OutputRows::Two => hard_wrapped(text, columns),
    };
    if parts.len() > 2 {
        parts = vec![parts.swap_remove(0), shortened_keeping_end(text.trim_end(), columns)];
    }
    parts.iter().map(|part| format!("{OUTPUT_PREFIX}{part}")).collect()
}

/// The last commit and the number of others. A task id at the start of the subject is stripped.
pub(super) fn commits_text(commits: &[CommitSummary], task: &str) -> Option<String> {
    let last = commits.last()?;
    let id = visible(last.short_id());
    let more = match commits.len() - 1 {
        0 => String::new(),
        more => format!("+{more} "),
    };
    let subject = last.subject.strip_prefix(task).filter(|_| !task.is_empty());
    let subject =
        subject.map_or(last.subject.as_str(), |rest| rest.trim_start_matches([':', ' ', '-']));
    Some(format!("{more}{id} {}", visible(subject)))
}

pub(super) fn cost(spend: Spend) -> Option<String> {
    spend::known(spend).map(spend::cost)
}

fn check_section(check: &CheckReport, limit: usize, width: usize) -> ReportSection {
    let why = visible(check.message.as_deref().unwrap_or(check.outcome.as_str()));
    let tail = checks::tail(check, checks::CheckDetail::All);
    let left_out = tail.len().saturating_sub(limit);
    let lines = tail[left_out..]
        .iter()
        .map(|text| line(&format!("{OUTPUT_PREFIX}{text}"), width))
        .collect();
    ReportSection {
        heading: line(&format!("Check failed: {}: {why}", checks::name(&check.name)), width),
        lines,
    }
}

/// Width of the column of verdicts, unless one is longer.
const VERDICT_WIDTH: usize = 11;

/// The last iterations of a run without tasks, if there are several.
fn iteration_section(
    iterations: &[IterationLine],
    room: usize,
    width: usize,
) -> Option<ReportSection> {
    if iterations.len() < 2 {
        return None;
    }
    let limit = room.saturating_sub(1).clamp(2, 8);
    let left_out = iterations.len().saturating_sub(limit);
    let shown = iterations.iter().skip(left_out);
    let widest = shown.clone().map(|entry| entry.verdict.len()).max().unwrap_or_default();
    let widest = widest.max(VERDICT_WIDTH);
    let lines = shown.map(|entry| line(&iteration_text(entry, widest), width)).collect();
    let heading = match left_out {
        0 => "Iterations".to_owned(),
        _ => format!("The last {} of {}", limit, text::count(iterations.len(), "iteration")),
    };
    Some(ReportSection { heading, lines })
}

fn iteration_text(entry: &IterationLine, verdict_width: usize) -> String {
    let record = &entry.record;
    let unit = record.unit;
    let place = format!("{}.{}", entry.step, unit.iteration);
    let word = entry.verdict;
    let time = short_duration(record.report.duration);
    let cost = record.report.spend.and_then(cost).map(|cost| format!("  {cost:>8}"));
    let end = match &record.report.verdict {
        // forkhestra stopped the process, so its exit status explains nothing.
        Verdict::AgentStopped(why) => StopReasonEntry::of(*why).brief.to_owned(),
        _ => record.report.end.as_ref().map(reason::agent_end).unwrap_or_default(),
    };
    let what = commits_text(&entry.commits, "").unwrap_or(end);
    let cost = cost.unwrap_or_default();
    format!("  {place:<5}  {word:<verdict_width$}  {time:<7}{cost}  {what}")
}

/// Cuts a line to a width.
pub(super) fn line(text: &str, width: usize) -> String {
    shortened(text.trim_end(), width)
}
