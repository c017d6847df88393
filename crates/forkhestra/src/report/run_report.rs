//! Report of a run by task, on one screen.
//!
//! [`RunReport::of`] is a pure function of the history of a run, and [`RunReport::with_output`]
//! adds the last lines of an agent that failed. [`RunReport::lines`] renders it for a screen, and
//! [`RunReport::brief`] for a notification.

mod iteration_failures;
mod lines;
mod task_lines;
mod work_by_task;

use std::collections::BTreeMap;

use forge_tasks::TaskId;
use forkhestra_core::cost::Spend;
use forkhestra_core::event::{
    CheckReport, CommitSummary, OpenTask, OpenTaskStatus, RunEnd, TaskChangeKind, TaskCounts,
};
use forkhestra_core::history::{IterationRecord, RunHistory, TaskAttribution};
use forkhestra_core::id::LaneNumber;
use forkhestra_core::policy::is_settled;
use forkhestra_store::RunDir;

use self::iteration_failures::IterationFailures;
use self::work_by_task::{commits_by_iteration, unassigned_commits};

pub(crate) use self::lines::{ReportLayout, ReportPlace, ReportSection, SCREEN};
use crate::report::text::{iteration, work_summary};

/// The work of a run, by task.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunReport {
    /// Why iterations failed, if that is worth reporting.
    failures: Option<IterationFailures>,
    /// Commits and lines of all steps.
    work: Option<String>,
    /// None if the run has no tasks.
    tasks: Option<TaskSection>,
    /// All iterations; listed for runs without tasks.
    iterations: Vec<IterationLine>,
    /// The checks that failed last, if the run is not complete.
    failed_checks: Vec<CheckReport>,
    /// The warnings that still hold, newest first, without duplicates.
    warnings: Vec<String>,
}

/// Results of the tasks of a run.
#[derive(Debug, Clone, PartialEq)]
struct TaskSection {
    counts: TaskCounts,
    /// The tasks that iterations worked on or created, in order of first occurrence, and the other
    /// tasks that are not done at the end.
    tasks: Vec<TaskLine>,
    /// Spend and number of iterations without a task, or for a task that is gone.
    other: Spend,
    other_iterations: u32,
    /// Commits that belong to no task, or to one that is gone.
    other_commits: Vec<CommitSummary>,
}

/// Result of one task.
#[derive(Debug, Clone, PartialEq)]
struct TaskLine {
    id: String,
    title: String,
    fate: TaskFate,
    /// Why it is blocked.
    reason: Option<String>,
    /// Whether an agent archived it. Archived tasks are not in the counts.
    is_archived: bool,
    /// Number of iterations that worked on it.
    iterations: u32,
    spend: Spend,
    commits: Vec<CommitSummary>,
}

/// Final state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskFate {
    Done,
    Blocked,
    /// An iteration worked on it, and it is neither done nor blocked.
    Begun,
    /// No iteration worked on it.
    Waiting,
    /// It is neither done nor among the open tasks: it was deleted, archived, finished by a person,
    /// or its file cannot be read. Its work is reported as other work.
    Gone,
}

/// One iteration with its commits.
#[derive(Debug, Clone, PartialEq)]
struct IterationLine {
    step: usize,
    /// The verdict in words.
    verdict: &'static str,
    record: IterationRecord,
    commits: Vec<CommitSummary>,
}

impl RunReport {
    /// Whether the report lists commits by task or by iteration.
    pub(crate) fn names_commits(&self) -> bool {
        self.tasks.is_some() || self.iterations.iter().any(|line| !line.commits.is_empty())
    }

    /// Builds the report from the history of a run.
    pub(crate) fn of(history: &RunHistory) -> Self {
        let steps = history.steps.iter().zip(&history.state.steps);
        let commits =
            steps.map(|(step, state)| commits_by_iteration(&step.iterations, state.work.as_ref()));
        let mut commits: Vec<_> = commits.map(Vec::into_iter).collect();
        let iterations = history.attempts().map(|record| {
            let step = record.unit.step;
            IterationLine {
                step,
                verdict: iteration::verdict(history.state.plan.step(step), record),
                record: record.clone(),
                commits: commits[step - 1].next().unwrap_or_default(),
            }
        });
        let iterations: Vec<IterationLine> = iterations.collect();
        let tasks = history.task_counts.map(|counts| TaskSection::of(counts, history, &iterations));
        let works = history.state.steps.iter().filter_map(|step| step.work.as_ref());
        Self {
            failures: IterationFailures::of(history),
            work: work_summary::total_work(works),
            tasks,
            iterations,
            failed_checks: failed_checks(history),
            warnings: warnings(history),
        }
    }

    /// Adds the last lines of the agent that failed last, from its logs.
    #[must_use]
    pub(crate) fn with_output(mut self, run: &RunDir) -> Self {
        if let Some(failures) = &mut self.failures {
            failures.read_output(run);
        }
        self
    }
}

/// The attribution in each lane, and in the work tree: agents continue what is in progress there.
type LaneAttributions = BTreeMap<Option<LaneNumber>, TaskAttribution>;

impl TaskSection {
    fn of(counts: TaskCounts, history: &RunHistory, iterations: &[IterationLine]) -> Self {
        let mut section = Self {
            counts,
            tasks: Vec::new(),
            other: Spend::default(),
            other_iterations: 0,
            other_commits: Vec::new(),
        };
        let mut attributions = LaneAttributions::new();
        let worked_on: Vec<Vec<String>> =
            iterations.iter().map(|line| section.add(line, &mut attributions)).collect();
        section.apply_open_tasks(&history.open_tasks);
        // A commit can name a task that is known only from a later iteration.
        for (line, worked_on) in iterations.iter().zip(&worked_on) {
            line.commits.iter().for_each(|commit| section.assign(commit, worked_on));
        }
        let of_steps = history.state.steps.iter().filter_map(|step| step.work.as_ref());
        let of_iterations = iterations.iter().flat_map(|line| &line.commits);
        for commit in unassigned_commits(of_steps, of_iterations) {
            section.assign(&commit, &[]);
        }
        section.move_gone_to_other();
        section
    }

    /// Applies the tasks that are not done at the end. If the list is complete, a task that is
    /// neither done nor listed is gone.
    fn apply_open_tasks(&mut self, open: &[OpenTask]) {
        let are_all_listed = open.len() == self.counts.open() as usize;
        for task in self.tasks.iter_mut().filter(|task| task.fate != TaskFate::Done) {
            if are_all_listed && !open.iter().any(|listed| listed.id == task.id) {
                task.fate = TaskFate::Gone;
            }
        }
        for listed in open {
            let task = self.task(&listed.id, &listed.title);
            task.title.clone_from(&listed.title);
            task.fate = match listed.status {
                OpenTaskStatus::Blocked => TaskFate::Blocked,
                OpenTaskStatus::InProgress => TaskFate::Begun,
                OpenTaskStatus::ToDo if task.fate == TaskFate::Begun => TaskFate::Begun,
                OpenTaskStatus::ToDo => TaskFate::Waiting,
            };
            task.reason.clone_from(&listed.reason);
        }
    }

    /// Counts the work on tasks that are gone as other work.
    fn move_gone_to_other(&mut self) {
        let (gone, tasks): (Vec<TaskLine>, Vec<TaskLine>) = std::mem::take(&mut self.tasks)
            .into_iter()
            .partition(|task| task.fate == TaskFate::Gone);
        self.tasks = tasks;
        for task in gone {
            self.other += task.spend;
            self.other_iterations += task.iterations;
            self.other_commits.extend(task.commits);
        }
    }

    /// Adds an iteration and returns the tasks that it worked on.
    fn add(&mut self, line: &IterationLine, attributions: &mut LaneAttributions) -> Vec<String> {
        let changes = line.record.tasks.as_ref();
        for change in changes.iter().flat_map(|changes| &changes.changes) {
            let task = self.task(&change.id, &change.title);
            task.title.clone_from(&change.title);
            task.fate = task.fate.after(change.kind);
            if change.kind == TaskChangeKind::Blocked {
                task.reason.clone_from(&change.reason);
            }
            match change.kind {
                TaskChangeKind::Archived => task.is_archived = true,
                TaskChangeKind::Restored => task.is_archived = false,
                _ => {}
            }
        }
        let attribution = attributions.entry(line.record.lane).or_default();
        let worked_on = attribution.worked_on(changes, Some(&line.record.report.verdict));
        let spend = line.record.spend.unwrap_or_default();
        for (id, part) in worked_on.iter().zip(spend.split_evenly(worked_on.len())) {
            let task = self.task(id, "");
            task.iterations += 1;
            task.spend += part;
        }
        if worked_on.is_empty() {
            self.other += spend;
            self.other_iterations += 1;
        }
        worked_on
    }

    /// Assigns a commit to the task that its subject names; if it names several, to one that its
    /// iteration worked on. A commit that names no task belongs to the first task of its iteration,
    /// and a commit that names an unknown task to none.
    fn assign(&mut self, commit: &CommitSummary, worked_on: &[String]) {
        let mentioned = ids_in(&commit.subject);
        let known = |task: &TaskLine| TaskId::parse(&task.id).ok();
        let is_named =
            |task: &&TaskLine| known(task).is_some_and(|id| id.is_named_in(&commit.subject));
        let named: Vec<&String> = self.tasks.iter().filter(is_named).map(|task| &task.id).collect();
        let has_prefix_of = |id: &TaskId| {
            let mut known = self.tasks.iter().filter_map(known);
            known.any(|known| known.prefix().eq_ignore_ascii_case(id.prefix()))
        };
        let of_iteration = named.iter().find(|id| worked_on.contains(id));
        let owner = match of_iteration.or(named.first()) {
            Some(id) => Some(*id),
            None if mentioned.iter().any(has_prefix_of) => None,
            None => worked_on.first(),
        };
        match owner.cloned() {
            Some(id) => self.task(&id, "").commits.push(commit.clone()),
            None => self.other_commits.push(commit.clone()),
        }
    }

    fn task(&mut self, id: &str, title: &str) -> &mut TaskLine {
        let known = self.tasks.iter().position(|task| task.id == id);
        let index = known.unwrap_or_else(|| {
            self.tasks.push(TaskLine {
                id: id.to_owned(),
                title: title.to_owned(),
                fate: TaskFate::Waiting,
                reason: None,
                is_archived: false,
                iterations: 0,
                spend: Spend::default(),
                commits: Vec::new(),
            });
            self.tasks.len() - 1
        });
        &mut self.tasks[index]
    }
}

/// The words of a text that are valid task ids.
fn ids_in(text: &str) -> Vec<TaskId> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
    words.filter_map(|word| TaskId::parse(word).ok()).collect()
}

impl TaskFate {
    const fn after(self, change: TaskChangeKind) -> Self {
        match change {
            TaskChangeKind::Created => Self::Waiting,
            TaskChangeKind::Claimed | TaskChangeKind::Released | TaskChangeKind::Reopened => {
                Self::Begun
            }
            TaskChangeKind::Finished => Self::Done,
            TaskChangeKind::Blocked => Self::Blocked,
            TaskChangeKind::Removed => Self::Gone,
            TaskChangeKind::Archived | TaskChangeKind::Restored => self,
        }
    }
}

/// The checks that failed last, in the last step of a run that is not complete.
fn failed_checks(history: &RunHistory) -> Vec<CheckReport> {
    if history.state.end == Some(RunEnd::Complete) {
        return Vec::new();
    }
    let step = history.current_step().and_then(|step| history.state.steps.get(step - 1));
    let last = step.and_then(|step| step.last.as_ref());
    let checks = last.into_iter().flat_map(|last| &last.checks);
    checks.filter(|check| !check.passed()).cloned().collect()
}

/// The warnings that still hold, newest first, without duplicates.
fn warnings(history: &RunHistory) -> Vec<String> {
    let plan = &history.state.plan;
    let is_over = |text: &str| {
        let mut steps = plan.steps.iter().zip(&history.state.steps);
        steps.any(|(step, state)| {
            state.work.as_ref().is_some_and(|work| is_settled(plan, step, work, text))
        })
    };
    let mut warnings: Vec<String> = Vec::new();
    for (_, text) in history.warnings.iter().rev() {
        if !warnings.contains(text) && !is_over(text) {
            warnings.push(text.clone());
        }
    }
    warnings
}

#[cfg(test)]
mod tests;
