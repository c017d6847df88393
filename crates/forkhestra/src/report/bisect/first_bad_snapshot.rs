//! The first bad snapshot, with the iteration that created it.

use forkhestra_core::event::CommitSummary;
use forkhestra_core::history::{IterationRecord, SnapshotMoment};
use forkhestra_core::plan::PlanStep;
use forkhestra_core::text;
use forkhestra_engine::{ChangedLines, RepositoryReader};
use typeset::style::{NAME, paint};
use typeset::table::{TableCell, indented};
use typeset::text::visible;

use super::BisectSubject;
use crate::bisect::bisect_range::BisectSnapshot;
use crate::past_runs::resume_command;
use crate::report::run::short_duration;
use crate::report::text::spend;

/// The maximum of listed commits.
const MAX_COMMITS: usize = 5;

/// The first bad snapshot, with the iteration that created it.
pub(super) struct FirstBadSnapshot<'a> {
    subject: &'a BisectSubject<'a>,
    pub(super) bad: &'a BisectSnapshot,
    pub(super) good: &'a BisectSnapshot,
    /// None if no iteration created it: files changed between two steps.
    pub(super) record: Option<&'a IterationRecord>,
    pub(super) step: Option<&'a PlanStep>,
    /// The last commits, the oldest first.
    pub(super) commits: Vec<CommitSummary>,
    pub(super) changes: Option<ChangedLines>,
}

impl<'a> FirstBadSnapshot<'a> {
    pub(super) fn of(subject: &'a BisectSubject<'a>, first_bad: usize) -> Self {
        let snapshots = &subject.range.snapshots;
        let (good, bad) = (&snapshots[first_bad - 1], &snapshots[first_bad]);
        let history = &subject.run.past.history;
        let record = match bad.point.moment {
            SnapshotMoment::BeforeStep(_) => None,
            SnapshotMoment::AfterIteration(unit) => {
                let step = history.steps.get(unit.step - 1);
                step.and_then(|step| step.iterations.iter().find(|record| record.unit == unit))
            }
        };
        let step = record.and_then(|record| history.state.plan.step(record.unit.step));
        let trees = good.tree.as_deref().zip(bad.tree.as_deref());
        // Details about changes are not worth an error.
        let changes = trees.and_then(|pair| subject.run.reader.changed_lines(&[pair]).ok()?.pop());
        let commits = record.map(|record| commits(subject, record)).unwrap_or_default();
        Self { subject, bad, good, record, step, commits, changes }
    }

    pub(super) fn render(&self) -> String {
        let label = &self.bad.label;
        let mut letters = label.chars();
        let first = letters.next().map(char::to_uppercase).into_iter().flatten();
        let label: String = first.chain(letters).collect();
        let heading = format!(
            "{} is the first bad one: @{} is bad, and {} is good\n",
            paint(NAME, &label),
            self.bad.point.snapshot.number,
            self.good.name()
        );
        let row = |(name, value): (&str, String)| vec![TableCell::new(name), TableCell::new(value)];
        let facts: Vec<Vec<TableCell>> = self.facts().into_iter().map(row).collect();
        let commands = self.commands();
        let commands: Vec<Vec<TableCell>> = commands.into_iter().map(row).collect();
        format!("{heading}{}\n{}", indented(&facts, "  "), indented(&commands, ""))
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        match (self.record, self.step) {
            (Some(record), Some(step)) => {
                facts.push(("agent", agent(step)));
                facts.push(("verdict", record.report.verdict.label().to_owned()));
                let spend = record.report.spend.and_then(spend::known);
                facts.extend(spend.map(|spend| ("cost", spend::tokens_and_cost(spend))));
                facts.push(("time", short_duration(record.report.duration)));
            }
            _ => facts.push(("agent", "none: it changed between two steps".to_owned())),
        }
        let commit = |commit: &CommitSummary| {
            format!("{} {}", visible(commit.short_id()), visible(&commit.subject))
        };
        let more = self.commits.len().saturating_sub(MAX_COMMITS);
        let listed: Vec<String> = self.commits[more..].iter().map(commit).collect();
        if listed.is_empty() {
            facts.push(("commits", "none".to_owned()));
        } else if more > 0 {
            facts.push(("commits", format!("{more} before these")));
        }
        let names = std::iter::once("commits").filter(|_| more == 0).chain(std::iter::repeat(""));
        facts.extend(names.zip(listed));
        facts.extend(self.changes.map(|changes| ("changes", changed_text(changes))));
        facts
    }

    /// What the user can do now.
    fn commands(&self) -> Vec<(&'static str, String)> {
        let run = self.subject.run;
        let id = run.run_dir.run();
        let place = resume_command::state_dir_option(&run.run_dir, self.subject.project);
        let (before, address) =
            (run.timeline.before(&self.bad.point), run.address(&self.bad.point));
        let before = run.address(before.unwrap_or(&self.good.point));
        let steps = run.past.history.steps.len();
        let mut commands = Vec::new();
        match self.record {
            Some(record) => {
                let step = match steps {
                    0 | 1 => String::new(),
                    _ => format!(" --step {}", record.unit.step),
                };
                let iteration = record.unit.iteration;
                let logs = format!("forkhestra logs {id}{step} --iteration {iteration}{place}");
                commands.push(("What the agent printed:", logs));
                let diff = format!("forkhestra diff {id} --iteration {address}{place}");
                commands.push(("What it changed:", diff));
            }
            None => {
                let diff = format!("forkhestra diff {id} {before}..{address}{place}");
                commands.push(("What changed:", diff));
            }
        }
        let fork = format!("forkhestra fork {id} --at {before} -p \"…\"{place}");
        commands.push(("To try it again from there:", fork));
        let rewind = format!("forkhestra rewind {id} --to {before}{place}");
        commands.push(("To go back:", rewind));
        commands
    }
}

fn commits(subject: &BisectSubject<'_>, record: &IterationRecord) -> Vec<CommitSummary> {
    let environment = &subject.project.environment.inherited;
    let reader = RepositoryReader::open(subject.run.reader.top(), environment).ok().flatten();
    let after = &record.report.observation;
    let changes = reader.and_then(|reader| reader.changes(&record.before, after).ok()?);
    changes.map(|changes| changes.commits).unwrap_or_default()
}

/// The name of an agent with its program and model: `builder (claude, opus)`.
fn agent(step: &PlanStep) -> String {
    let name = visible(&step.agent.name);
    let direct = step.agent.kind.direct();
    let program = direct.map(|direct| visible(&direct.command));
    let model = direct.and_then(|direct| direct.model.as_deref()).map(visible);
    let details: Vec<String> = program.into_iter().chain(model).collect();
    if details.is_empty() { name } else { format!("{name} ({})", details.join(", ")) }
}

fn changed_text(changes: ChangedLines) -> String {
    let ChangedLines { files, added, removed } = changes;
    format!("{}, +{added} -{removed}", text::count(files, "file"))
}
