//! The feed of the open run.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::history::Liveness;
use forkhestra_core::id::{RunId, UnitId};

use super::feed_worker::{PollPace, unreadable};
use super::message_sender::{MessageSender, MessagesClosed};
use super::output_follower::OutputFollower;
use crate::msg::{Msg, RunNews};
use crate::output::diff_lines;
use crate::run_source::{OutputRendering, RunFeed, RunSource, TaskBoard, TaskDetails};

/// Maximum number of events per read.
const MAX_EVENTS_PER_POLL: usize = 1024;
/// Interval of liveness checks while no events arrive.
const LIVENESS_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of task polls. The feed reads tasks only if they have changed.
const TASKS_INTERVAL: Duration = Duration::from_secs(1);
/// Number of latest iterations whose changes are read in advance.
const CHANGES: usize = 200;
/// Most bytes of a diff.
const MAX_DIFF_BYTES: usize = 2 << 20;
/// Number of iterations whose changes are read per poll.
const MAX_CHANGES_PER_POLL: usize = 4;

/// The feed of the open run.
pub(super) struct OpenRunFeed {
    id: RunId,
    feed: Box<dyn RunFeed>,
    /// The last value sent to the screens.
    liveness: Option<Liveness>,
    liveness_checked_at: Option<Instant>,
    trouble: Option<String>,
    /// The attempts whose agents run.
    running: Vec<UnitId>,
    is_over: bool,
    follower: Option<OutputFollower>,
    tasks: TaskFeed,
    /// Finished iterations whose changes have not been read, oldest first.
    unread: VecDeque<UnitId>,
}

/// The displayed tasks.
#[derive(Default)]
struct TaskFeed {
    read: Option<Instant>,
    /// The last value sent to the screens.
    sent: Option<Option<Result<TaskBoard, String>>>,
    /// The task on the detail screen.
    opened: Option<String>,
    /// The last details sent to the screens.
    sent_details: Option<Result<Option<TaskDetails>, String>>,
}

impl OpenRunFeed {
    pub(super) fn new(id: RunId, feed: Box<dyn RunFeed>) -> Self {
        Self {
            id,
            feed,
            liveness: None,
            liveness_checked_at: None,
            trouble: None,
            running: Vec::new(),
            is_over: false,
            follower: None,
            tasks: TaskFeed::default(),
            unread: VecDeque::new(),
        }
    }

    /// Follows this output instead of any other.
    pub(super) fn follow(&mut self, unit: UnitId, form: OutputRendering, keeps_colors: bool) {
        self.follower = Some(OutputFollower::new(unit, form, keeps_colors));
    }

    /// Reads lines before the first line of the followed output.
    pub(super) fn load_earlier(&mut self, keeps_colors: bool) {
        if let Some(following) = &mut self.follower {
            following.load_earlier(keeps_colors);
        }
    }

    /// Reads the details of this task instead of any other.
    pub(super) fn read_task(&mut self, id: Option<String>) {
        (self.tasks.opened, self.tasks.sent_details) = (id, None);
        self.tasks.read = None;
    }

    /// Reads the last message of an agent and the changes of its iteration.
    pub(super) fn read_iteration(
        &mut self,
        unit: UnitId,
        sender: &MessageSender,
    ) -> Result<(), MessagesClosed> {
        self.send_changes(unit, sender)?;
        let message = self.feed.last_message(unit);
        sender.send(Msg::LastMessage { run: self.id.clone(), unit, message })
    }

    /// Reads the diff of an iteration.
    pub(super) fn read_diff(
        &mut self,
        unit: UnitId,
        sender: &MessageSender,
    ) -> Result<(), MessagesClosed> {
        let lines = self.feed.diff(unit, MAX_DIFF_BYTES).map(|diff| diff_lines(&diff));
        sender.send(Msg::Diff { run: self.id.clone(), unit, lines })
    }

    /// Polls everything that is shown of the run and sends news.
    pub(super) fn poll(
        &mut self,
        source: &dyn RunSource,
        sender: &MessageSender,
    ) -> Result<PollPace, MessagesClosed> {
        let has_more = self.poll_journal(source, sender)?;
        if has_more {
            // Output is polled only once it is known which agents are running.
            return Ok(PollPace::AtOnce);
        }
        let mut pace = match self.liveness {
            Some(Liveness::Alive) => PollPace::Soon,
            _ => PollPace::Later,
        };
        pace = pace.min(self.poll_output(sender)?);
        self.poll_tasks(sender)?;
        for unit in self.unread.split_off(self.unread.len().saturating_sub(MAX_CHANGES_PER_POLL)) {
            self.send_changes(unit, sender)?;
        }
        Ok(if self.unread.is_empty() { pace } else { PollPace::AtOnce })
    }

    /// Sends new events and returns whether more are available.
    fn poll_journal(
        &mut self,
        source: &dyn RunSource,
        sender: &MessageSender,
    ) -> Result<bool, MessagesClosed> {
        // Checked before reading: a process that is gone by now has written all its events.
        let liveness = self.ask_liveness();
        let events = match self.feed.events(MAX_EVENTS_PER_POLL) {
            Ok(events) => events,
            Err(trouble) => {
                self.report_error(trouble, source, sender)?;
                return Ok(false);
            }
        };
        let has_more = events.len() >= MAX_EVENTS_PER_POLL;
        if !events.is_empty() {
            // New events may be the last ones of their writer, so liveness is checked again at the
            // next poll.
            self.liveness_checked_at = None;
        }
        let has_recovered = self.trouble.take().is_some();
        if events.is_empty() && self.liveness == Some(liveness) && !has_recovered {
            return Ok(false);
        }
        self.liveness = Some(liveness);
        self.follow_events(&events);
        let is_active = liveness == Liveness::Alive && !self.is_over;
        let resume = match has_more || is_active {
            true => None,
            false => self.feed.resume_command(),
        };
        sender.send(Msg::News(RunNews {
            run: self.id.clone(),
            events,
            liveness,
            is_caught_up: !has_more,
            trouble: None,
            resume,
        }))?;
        Ok(has_more)
    }

    fn ask_liveness(&mut self) -> Liveness {
        let is_recent =
            self.liveness_checked_at.is_some_and(|asked| asked.elapsed() < LIVENESS_INTERVAL);
        match self.liveness.filter(|_| is_recent) {
            Some(known) => known,
            None => {
                self.liveness_checked_at = Some(Instant::now());
                self.feed.liveness()
            }
        }
    }

    /// Reports an error once, and reopens the run if its journal was replaced.
    fn report_error(
        &mut self,
        trouble: String,
        source: &dyn RunSource,
        sender: &MessageSender,
    ) -> Result<(), MessagesClosed> {
        if self.trouble.as_ref() != Some(&trouble) {
            self.liveness = Some(Liveness::Gone);
            sender.send(Msg::News(unreadable(self.id.clone(), trouble.clone())))?;
        }
        self.trouble = Some(trouble);
        if self.feed.is_replaced()
            && let Ok(feed) = source.open(&self.id)
        {
            let following = self.follower.take().map(OutputFollower::restart);
            let tasks = std::mem::take(&mut self.tasks);
            *self = Self { follower: following, tasks, ..Self::new(self.id.clone(), feed) };
        }
        Ok(())
    }

    fn follow_events(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::IterationStarted { unit, .. } => self.running.push(*unit),
                EventKind::AgentFinished { unit, .. } => self.running.retain(|of| of != unit),
                EventKind::IterationFinished { unit, .. } => {
                    self.running.retain(|of| of != unit);
                    self.unread.push_back(*unit);
                    if self.unread.len() > CHANGES {
                        self.unread.pop_front();
                    }
                }
                EventKind::RunResumed { .. } => {
                    self.is_over = false;
                    self.running.clear();
                }
                EventKind::RunFinished { .. } => {
                    self.is_over = true;
                    self.running.clear();
                }
                _ => {}
            }
        }
    }

    fn poll_output(&mut self, sender: &MessageSender) -> Result<PollPace, MessagesClosed> {
        let Some(following) = &mut self.follower else { return Ok(PollPace::Never) };
        let is_alive = self.liveness == Some(Liveness::Alive);
        let may_print = is_alive && self.running.contains(&following.unit);
        let (patch, pace) = following.poll(&mut *self.feed, may_print);
        if let Some(patch) = patch {
            let (run, unit, form) = (self.id.clone(), following.unit, following.form);
            sender.send(Msg::Output { run, unit, form, patch })?;
        }
        Ok(pace)
    }

    fn poll_tasks(&mut self, sender: &MessageSender) -> Result<(), MessagesClosed> {
        let tasks = &mut self.tasks;
        if tasks.read.is_some_and(|read| read.elapsed() < TASKS_INTERVAL) {
            return Ok(());
        }
        tasks.read = Some(Instant::now());
        let board = self.feed.tasks();
        if tasks.sent.as_ref() != Some(&board) {
            tasks.sent = Some(board.clone());
            sender.send(Msg::Tasks { run: self.id.clone(), board })?;
        }
        let Some(id) = tasks.opened.clone() else { return Ok(()) };
        let task = self.feed.task(&id);
        if tasks.sent_details.as_ref() != Some(&task) {
            tasks.sent_details = Some(task.clone());
            let task = task.map(|task| task.map(Box::new));
            sender.send(Msg::Task { run: self.id.clone(), id, task })?;
        }
        Ok(())
    }

    fn send_changes(&mut self, unit: UnitId, sender: &MessageSender) -> Result<(), MessagesClosed> {
        match self.feed.changes(unit) {
            Some(changes) => sender.send(Msg::Changes { run: self.id.clone(), unit, changes }),
            None => Ok(()),
        }
    }
}
