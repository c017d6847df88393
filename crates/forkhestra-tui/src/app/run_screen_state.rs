//! State of the run screen.

use std::collections::BTreeMap;
use std::time::Duration;

use forkhestra_core::cost::Spend;
use forkhestra_core::event::CheckReport;
use forkhestra_core::explain::is_incomplete;
use forkhestra_core::history::{
    ExecutionStatus, Liveness, MessageRecord, RunHistory, UnfinishedAgent,
};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::plan::PlanStep;
use forkhestra_core::time::Timestamp;

use super::detail_view::{DetailSubject, DetailView};
use super::open_question::OpenQuestion;
use super::output_view::{OutputTop, OutputView};
use super::task_groups::in_order;
use super::task_progress::TaskProgress;
use super::timeline::{self, TimelineEntry};
use crate::run_source::{IterationChanges, StatusOverride, TaskBoard, TaskDetails};

/// The tabs beside the timeline.
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

    /// Title for the narrowest layout.
    pub(crate) const fn shortest_title(self) -> &'static str {
        match self {
            Self::Output => "Out",
            Self::Checks => "Chk",
            Self::Messages => "Msg",
            other => other.short_title(),
        }
    }

    /// Title for a narrow layout.
    pub(crate) const fn short_title(self) -> &'static str {
        match self {
            Self::Messages => "Msgs",
            Self::Details => "Info",
            other => other.title(),
        }
    }
}

/// Which pane receives the arrow keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunFocus {
    Timeline,
    Pane,
}

/// The selected iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IterationPick {
    /// Always the latest one.
    Latest,
    Unit(UnitId),
}

/// State of the run screen.
#[derive(Debug)]
pub(crate) struct RunScreenState {
    pub(crate) run: RunId,
    /// None before the first event.
    pub(crate) history: Option<RunHistory>,
    pub(crate) liveness: Liveness,
    /// Whether all events recorded so far have been read.
    pub(crate) is_caught_up: bool,
    /// A read error of the journal.
    pub(crate) trouble: Option<String>,
    /// An event that contradicts the history.
    pub(crate) misfit: Option<String>,
    /// The command that resumes the run.
    pub(crate) resume: Option<String>,
    /// Total spend, cached because it is too slow to compute for each frame.
    pub(crate) spend: Option<Spend>,
    pub(crate) pick: IterationPick,
    pub(crate) focus: RunFocus,
    pub(crate) tab: RunTab,
    pub(crate) output: OutputView,
    /// Scroll position of the tabs other than output.
    pub(crate) scroll: usize,
    /// The tasks, once read; the inner value is none without a task database.
    pub(crate) tasks: Option<Option<Result<TaskBoard, String>>>,
    /// The selected task; none for the first one.
    pub(crate) selected_task: Option<String>,
    /// The open detail screen.
    pub(crate) detail: Option<DetailView>,
    /// The open task, once read; the inner value is none if it does not exist.
    pub(crate) task: Option<Result<Option<Box<TaskDetails>>, String>>,
    /// The last message of the open iteration, once read.
    pub(crate) last_message: Option<Result<Option<String>, String>>,
    /// The open diff of an iteration, in front of the detail screen.
    pub(crate) diff: Option<OutputView>,
    /// Changes of iterations in the repository, as far as they were read.
    pub(crate) changes: BTreeMap<UnitId, Result<IterationChanges, String>>,
}

impl RunScreenState {
    pub(crate) fn new(run: RunId) -> Self {
        Self {
            run,
            history: None,
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
            diff: None,
            changes: BTreeMap::new(),
        }
    }

    /// The tasks, if there are any and they could be read.
    pub(crate) fn board(&self) -> Option<&TaskBoard> {
        self.tasks.as_ref()?.as_ref()?.as_ref().ok()
    }

    /// Progress of the tasks; none without tasks.
    pub(crate) fn task_progress(&self) -> Option<TaskProgress<'_>> {
        self.board().and_then(TaskProgress::of)
    }

    /// Index of the selected task in display order.
    pub(crate) fn task_place(&self) -> Option<usize> {
        let tasks = in_order(self.board()?);
        let is_it = |id: &String| tasks.iter().position(|task| &task.id == id);
        let place = self.selected_task.as_ref().and_then(is_it).unwrap_or(0);
        (!tasks.is_empty()).then_some(place)
    }

    /// Selects a task by its index; an index past the end selects the last one.
    pub(crate) fn select_task(&mut self, place: usize) {
        let Some(board) = self.board() else { return };
        let tasks = in_order(board);
        let task = tasks.get(place).or(tasks.last());
        self.selected_task = task.map(|task| task.id.clone());
    }

    /// Whether the run accepts requests.
    pub(crate) fn is_live(&self) -> bool {
        let is_over = self.history.as_ref().is_none_or(|history| history.state.end.is_some());
        self.is_caught_up && self.liveness == Liveness::Alive && !is_over
    }

    /// When the run was paused, if it is.
    pub(crate) fn paused(&self) -> Option<Timestamp> {
        self.history.as_ref()?.steering.paused
    }

    /// The state that replaces the status word, as in the list.
    pub(crate) fn status_override(&self) -> Option<StatusOverride> {
        if self.history.as_ref().is_some_and(RunHistory::was_stopped) {
            return Some(StatusOverride::Stopped);
        }
        if self.history.as_ref().and_then(RunHistory::reason).is_some_and(is_incomplete) {
            return Some(StatusOverride::Incomplete);
        }
        let history = self.history.as_ref().filter(|_| self.is_live())?;
        let steering = &history.steering;
        if steering.cancelled.is_some() {
            Some(StatusOverride::Stopping)
        } else if steering.paused.is_some() {
            Some(StatusOverride::Paused)
        } else if steering.stop_requested.is_some() {
            Some(StatusOverride::Stopping)
        } else {
            let asking = self.question().map(|question| StatusOverride::Asking(question.asked));
            asking.or_else(|| history.pending_wait().map(|_| StatusOverride::Waiting))
        }
    }

    /// The question that the run asks now.
    pub(crate) fn question(&self) -> Option<OpenQuestion<'_>> {
        let state = &self.history.as_ref().filter(|_| self.is_live())?.state;
        let (step, question) = state.open_question()?;
        let planned = state.plan.step(step).and_then(PlanStep::question);
        Some(OpenQuestion {
            step,
            number: question.number,
            asked: question.asked,
            until: question.until,
            text: planned.and_then(|planned| planned.text.as_deref()),
            approves_on_timeout: planned.is_some_and(|planned| planned.approves_on_timeout),
        })
    }

    /// The command that resumes a run which is not active and whose question is open.
    pub(crate) fn answering_resume(&self) -> Option<&str> {
        let state = &self.history.as_ref().filter(|_| !self.is_live())?.state;
        let (open, _) = state.open_question()?;
        let is_answerable = self.is_caught_up && state.answerable_step() == Some(open);
        self.resume.as_deref().filter(|_| is_answerable)
    }

    /// Operator messages, oldest first.
    pub(crate) fn messages(&self) -> &[MessageRecord] {
        self.history.as_ref().map_or(&[], |history| &history.steering.messages)
    }

    /// Number of messages that wait for the next agent.
    pub(crate) fn waiting_messages(&self) -> usize {
        self.history.as_ref().map_or(0, |history| history.state.messages.len())
    }

    /// The problem with the displayed data, if any.
    pub(crate) fn problem_text(&self) -> Option<&str> {
        self.trouble.as_deref().or(self.misfit.as_deref())
    }

    pub(crate) fn status(&self) -> ExecutionStatus {
        self.history
            .as_ref()
            .map_or(ExecutionStatus::Pending, |history| history.status(self.liveness))
    }

    /// Run time, without sleep and pauses.
    pub(crate) fn elapsed(&self, now: Timestamp) -> Duration {
        let Some(history) = &self.history else { return Duration::ZERO };
        let is_stopped = !self.is_live() || history.is_clock_paused();
        let more = if is_stopped { Duration::ZERO } else { now.saturating_since(history.updated) };
        history.state.elapsed + more
    }

    /// Run time of an agent that is not over, without sleep and pauses.
    pub(crate) fn agent_elapsed(&self, agent: &UnfinishedAgent, now: Timestamp) -> Duration {
        let history = self.history.as_ref();
        let started = history.and_then(|history| {
            let lane = agent.lane.zip(history.state.lanes.as_deref());
            let lane = lane.and_then(|(number, lanes)| Some(&lanes.lane(number)?.progress));
            Some(lane.unwrap_or(&history.state).step(agent.unit.step)?.started)
        });
        self.elapsed(now).saturating_sub(started.unwrap_or_default())
    }

    /// Number of timeline entries.
    pub(crate) fn entries(&self) -> usize {
        self.history.as_ref().map_or(0, timeline::len)
    }

    /// Index of the selected iteration.
    pub(crate) fn selected(&self) -> Option<usize> {
        let history = self.history.as_ref()?;
        let last = timeline::len(history).checked_sub(1);
        match self.pick {
            IterationPick::Latest => last,
            IterationPick::Unit(unit) => timeline::find(history, unit).or(last),
        }
    }

    /// The selected iteration.
    pub(crate) fn entry(&self) -> Option<TimelineEntry<'_>> {
        timeline::get(self.history.as_ref()?, self.selected()?)
    }

    /// The iteration of the open diff or detail screen, or else the selected one.
    pub(crate) fn shown_unit(&self) -> Option<UnitId> {
        let of_detail = match self.detail.as_ref().map(|detail| &detail.subject) {
            Some(DetailSubject::Iteration(unit)) => Some(*unit),
            Some(DetailSubject::Task(_)) | None => None,
        };
        let of_diff = self.diff.as_ref().and_then(|diff| diff.unit);
        of_diff.or(of_detail).or_else(|| Some(self.entry()?.unit()))
    }

    /// The lines that are searched and wrapped: the open diff, or else the output.
    pub(crate) fn lines(&self) -> &OutputView {
        self.diff.as_ref().unwrap_or(&self.output)
    }

    pub(crate) fn lines_mut(&mut self) -> &mut OutputView {
        self.diff.as_mut().unwrap_or(&mut self.output)
    }

    /// Whether the run has several steps.
    pub(crate) fn has_steps(&self) -> bool {
        self.history.as_ref().is_some_and(|history| history.steps.len() > 1)
    }

    /// Checks of the selected iteration.
    pub(crate) fn checks(&self) -> &[CheckReport] {
        match self.entry() {
            Some(TimelineEntry::Over { record, .. }) => &record.report.checks,
            Some(TimelineEntry::AtWork(work)) => &work.checks,
            None => &[],
        }
    }

    /// Selects an iteration. Selecting the last one follows later iterations.
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

    /// Keeps the displayed output if the user has scrolled in it, even if a later iteration has
    /// started.
    pub(crate) fn keep_position(&mut self) {
        let entry = self.entry().map(|entry| entry.unit());
        let is_reading = self.tab == RunTab::Output && self.output.top != OutputTop::Follow;
        if let Some(unit) = self.output.unit.filter(|unit| is_reading && entry != Some(*unit)) {
            self.pick = IterationPick::Unit(unit);
        }
    }

    /// The step of the selected iteration, counted from one.
    pub(crate) fn step(&self) -> usize {
        let of_entry = self.entry().map(|entry| entry.unit().step);
        let current = self.history.as_ref().and_then(RunHistory::current_step);
        of_entry.or(current).unwrap_or(1)
    }
}
