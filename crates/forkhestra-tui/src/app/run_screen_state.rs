//! The one run that is looked at.

use std::collections::BTreeMap;
use std::time::Duration;

use forkhestra_core::cost::Spend;
use forkhestra_core::event::{CheckReport, RunEnd, StepEnd};
use forkhestra_core::history::{ExecutionStatus, Liveness, MessageRecord, RunHistory};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::time::Timestamp;

use super::detail_view::DetailView;
use super::output_view::{OutputTop, OutputView};
use super::run_activity::RunActivity;
use super::task_groups::in_order;
use super::task_progress::TaskProgress;
use super::timeline::{self, TimelineEntry};
use crate::run_source::{IterationChanges, RunCondition, TaskBoard, TaskDetails};

/// What can be looked at beside the iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunTab {
    Output,
    Checks,
    Tasks,
    Messages,
    Details,
}

impl RunTab {
    pub(crate) const ALL: [Self; 5] =
        [Self::Output, Self::Checks, Self::Tasks, Self::Messages, Self::Details];

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Output => "Output",
            Self::Checks => "Checks",
            Self::Tasks => "Tasks",
            Self::Messages => "Messages",
            Self::Details => "Details",
        }
    }

    /// The same where there is hardly any room.
    pub(crate) const fn shortest_title(self) -> &'static str {
        match self {
            Self::Output => "Out",
            Self::Checks => "Chk",
            Self::Messages => "Msg",
            other => other.short_title(),
        }
    }

    /// The same where there is little room.
    pub(crate) const fn short_title(self) -> &'static str {
        match self {
            Self::Messages => "Msgs",
            Self::Details => "Info",
            other => other.title(),
        }
    }
}

/// Where the arrow keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunFocus {
    Timeline,
    Pane,
}

/// Which iteration is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IterationPick {
    /// The last one, whichever that is.
    Latest,
    /// This one.
    Unit(UnitId),
}

/// The run that is looked at.
#[derive(Debug)]
pub(crate) struct RunScreenState {
    pub(crate) run: RunId,
    /// What has happened; none before its first event is known.
    pub(crate) history: Option<RunHistory>,
    pub(crate) activity: RunActivity,
    pub(crate) liveness: Liveness,
    /// Whether everything that has happened by now is known.
    pub(crate) is_caught_up: bool,
    /// What is wrong with what there is to read.
    pub(crate) trouble: Option<String>,
    /// What was read and cannot have happened.
    pub(crate) misfit: Option<String>,
    /// The command that goes on with it.
    pub(crate) resume: Option<String>,
    /// What it has spent: this takes longer to find out than a screen has time for.
    pub(crate) spend: Option<Spend>,
    pub(crate) pick: IterationPick,
    pub(crate) focus: RunFocus,
    pub(crate) tab: RunTab,
    pub(crate) output: OutputView,
    /// How far the other tabs are scrolled.
    pub(crate) scroll: usize,
    /// The tasks, once they are known; none inside if there is no task database.
    pub(crate) tasks: Option<Option<Result<TaskBoard, String>>>,
    /// The task that is selected; none for the first.
    pub(crate) selected_task: Option<String>,
    /// The task or the iteration that was opened in place of the views.
    pub(crate) detail: Option<DetailView>,
    /// The task that was opened, once it was read; none inside if it does not exist.
    pub(crate) task: Option<Result<Option<Box<TaskDetails>>, String>>,
    /// The last message of the iteration that was opened, once it was read.
    pub(crate) last_message: Option<Result<Option<String>, String>>,
    /// What iterations changed in the repository, as far as that was read.
    pub(crate) changes: BTreeMap<UnitId, Result<IterationChanges, String>>,
}

impl RunScreenState {
    pub(crate) fn new(run: RunId) -> Self {
        Self {
            run,
            history: None,
            activity: RunActivity::default(),
            liveness: Liveness::Gone,
            is_caught_up: false,
            trouble: None,
            misfit: None,
            resume: None,
            spend: None,
            pick: IterationPick::Latest,
            focus: RunFocus::Pane,
            tab: RunTab::Output,
            output: OutputView::new(),
            scroll: 0,
            tasks: None,
            selected_task: None,
            detail: None,
            task: None,
            last_message: None,
            changes: BTreeMap::new(),
        }
    }

    /// The tasks, if there are any and they could be read.
    pub(crate) fn board(&self) -> Option<&TaskBoard> {
        self.tasks.as_ref()?.as_ref()?.as_ref().ok()
    }

    /// How far the tasks are; none if there are none.
    pub(crate) fn task_progress(&self) -> Option<TaskProgress<'_>> {
        self.board().and_then(TaskProgress::of)
    }

    /// The place of the task that is selected, in the order in which tasks are shown.
    pub(crate) fn task_place(&self) -> Option<usize> {
        let tasks = in_order(self.board()?);
        let is_it = |id: &String| tasks.iter().position(|task| &task.id == id);
        let place = self.selected_task.as_ref().and_then(is_it).unwrap_or(0);
        (!tasks.is_empty()).then_some(place)
    }

    /// Selects a task by its place, or the last one.
    pub(crate) fn select_task(&mut self, place: usize) {
        let Some(board) = self.board() else { return };
        let tasks = in_order(board);
        let task = tasks.get(place).or(tasks.last());
        self.selected_task = task.map(|task| task.id.clone());
    }

    /// Whether it can be asked for anything.
    pub(crate) fn is_live(&self) -> bool {
        let is_over = self.history.as_ref().is_none_or(|history| history.state.end.is_some());
        self.is_caught_up && self.liveness == Liveness::Alive && !is_over
    }

    /// Since when it stands still, if it does.
    pub(crate) fn paused(&self) -> Option<Timestamp> {
        self.history.as_ref()?.steering.paused
    }

    /// What is said of it instead of its status, as in a list.
    pub(crate) fn condition(&self) -> Option<RunCondition> {
        if self.history.as_ref().is_some_and(RunHistory::was_stopped) {
            return Some(RunCondition::Stopped);
        }
        let end = self.history.as_ref().and_then(|history| history.state.end.as_ref());
        if let Some(RunEnd::Incomplete { end: StepEnd::TasksBlocked(_), .. }) = end {
            return Some(RunCondition::Incomplete);
        }
        let steering = &self.history.as_ref().filter(|_| self.is_live())?.steering;
        if self.activity.cancelled.is_some() {
            Some(RunCondition::Stopping)
        } else if steering.paused.is_some() {
            Some(RunCondition::Paused)
        } else if steering.stop_requested.is_some() {
            Some(RunCondition::Stopping)
        } else {
            steering.waiting.map(|_| RunCondition::Waiting)
        }
    }

    /// What people had to say to agents, the oldest first.
    pub(crate) fn messages(&self) -> &[MessageRecord] {
        self.history.as_ref().map_or(&[], |history| &history.steering.messages)
    }

    /// How many messages wait for the next agent.
    pub(crate) fn waiting_messages(&self) -> usize {
        self.history.as_ref().map_or(0, |history| history.state.messages.len())
    }

    /// What is wrong with what is shown, if anything is.
    pub(crate) fn problem_text(&self) -> Option<&str> {
        self.trouble.as_deref().or(self.misfit.as_deref())
    }

    pub(crate) fn status(&self) -> ExecutionStatus {
        self.history
            .as_ref()
            .map_or(ExecutionStatus::Pending, |history| history.status(self.liveness))
    }

    /// How long it has been running: awake, and not paused.
    pub(crate) fn elapsed(&self, now: Timestamp) -> Duration {
        let Some(history) = &self.history else { return Duration::ZERO };
        let stands_still = !self.is_live() || self.paused().is_some();
        let more =
            if stands_still { Duration::ZERO } else { now.saturating_since(history.updated) };
        history.state.elapsed + more
    }

    /// How long the agent of a step, from one, has been at work: awake, and not paused.
    pub(crate) fn agent_elapsed(&self, step: usize, now: Timestamp) -> Duration {
        let steps = self.history.as_ref().map(|history| &history.state.steps);
        let state = steps.and_then(|steps| steps.get(step.checked_sub(1)?));
        let started = state.map(|state| state.started).unwrap_or_default();
        self.elapsed(now).saturating_sub(started)
    }

    /// How many iterations there are to choose from.
    pub(crate) fn entries(&self) -> usize {
        self.history.as_ref().map_or(0, timeline::len)
    }

    /// The place of the iteration that is looked at.
    pub(crate) fn selected(&self) -> Option<usize> {
        let history = self.history.as_ref()?;
        let last = timeline::len(history).checked_sub(1);
        match self.pick {
            IterationPick::Latest => last,
            IterationPick::Unit(unit) => timeline::find(history, unit).or(last),
        }
    }

    /// The iteration that is looked at.
    pub(crate) fn entry(&self) -> Option<TimelineEntry<'_>> {
        timeline::get(self.history.as_ref()?, self.selected()?)
    }

    /// What was checked of it.
    pub(crate) fn checks(&self) -> &[CheckReport] {
        match self.entry() {
            Some(TimelineEntry::Over { record, .. }) => &record.report.checks,
            Some(TimelineEntry::AtWork(work)) => &work.checks,
            None => &[],
        }
    }

    /// Looks at another iteration. Whoever looks at the last one wants to go on doing so.
    pub(crate) fn select(&mut self, index: usize) {
        let Some(history) = &self.history else { return };
        let last = timeline::len(history).saturating_sub(1);
        self.pick = match timeline::get(history, index.min(last)) {
            Some(entry) if index < last => IterationPick::Unit(entry.unit()),
            _ => IterationPick::Latest,
        };
        if self.tab == RunTab::Checks {
            self.scroll = 0;
        }
    }

    /// Goes on looking at the same output, if somebody has scrolled there, whatever has begun since.
    pub(crate) fn keep_position(&mut self) {
        let entry = self.entry().map(|entry| entry.unit());
        let is_reading = self.tab == RunTab::Output && self.output.top != OutputTop::Follow;
        if let Some(unit) = self.output.unit.filter(|unit| is_reading && entry != Some(*unit)) {
            self.pick = IterationPick::Unit(unit);
        }
    }

    /// The step whose iteration is looked at, from one.
    pub(crate) fn step(&self) -> usize {
        let of_entry = self.entry().map(|entry| entry.unit().step);
        let current = self.history.as_ref().and_then(RunHistory::current_step);
        of_entry.or(current).unwrap_or(1)
    }
}
