//! The thread that reads what the screens show.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use forkhestra_core::history::Liveness;
use forkhestra_core::id::RunId;

use super::message_sender::{MessageSender, MessagesClosed};
use super::open_run_feed::OpenRunFeed;
use super::run_list_feed::RunListFeed;
use crate::msg::{Cmd, Msg, RunNews};
use crate::run_source::RunSource;

/// When to poll again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PollPace {
    /// More data is available.
    AtOnce,
    /// The run is alive.
    Soon,
    /// Nothing is running, but that may change.
    Later,
    /// Nothing is shown.
    Never,
}

impl PollPace {
    const fn pause(self) -> Option<Duration> {
        match self {
            Self::AtOnce => Some(Duration::ZERO),
            Self::Soon => Some(Duration::from_millis(100)),
            Self::Later => Some(Duration::from_secs(1)),
            Self::Never => None,
        }
    }
}

/// Reads what the screens show.
pub(super) struct FeedWorker {
    source: Arc<dyn RunSource>,
    sender: MessageSender,
    keeps_colors: bool,
    listing: Option<RunListFeed>,
    run: Option<OpenRunFeed>,
}

impl FeedWorker {
    pub(super) fn new(
        source: Arc<dyn RunSource>,
        sender: MessageSender,
        keeps_colors: bool,
    ) -> Self {
        Self { source, sender, keeps_colors, listing: None, run: None }
    }

    /// Runs until the command channel or the message channel is closed.
    pub(super) fn run(&mut self, commands: &Receiver<Cmd>) {
        let mut pace = PollPace::Never;
        loop {
            let found = match next(commands, pace) {
                // Polled after all queued commands.
                FeedTask::Command(command) => self.perform(command).map(|()| PollPace::AtOnce),
                FeedTask::Look => self.poll(),
                FeedTask::Over => return,
            };
            match found {
                Ok(next_pace) => pace = next_pace,
                Err(MessagesClosed) => return,
            }
        }
    }

    fn perform(&mut self, command: Cmd) -> Result<(), MessagesClosed> {
        match command {
            Cmd::ListRuns(scope) => self.listing = Some(RunListFeed::new(scope)),
            Cmd::OpenRun(run) => {
                self.listing = None;
                self.run = None;
                match self.source.open(&run) {
                    Ok(feed) => self.run = Some(OpenRunFeed::new(run, feed)),
                    Err(trouble) => self.sender.send(Msg::News(unreadable(run, trouble)))?,
                }
            }
            Cmd::CloseRun => self.run = None,
            Cmd::Follow { unit, form } => {
                if let Some(run) = &mut self.run {
                    run.follow(unit, form, self.keeps_colors);
                }
            }
            Cmd::LoadEarlier => {
                if let Some(run) = &mut self.run {
                    run.load_earlier(self.keeps_colors);
                }
            }
            Cmd::ReadTask(id) => {
                if let Some(run) = &mut self.run {
                    run.read_task(id);
                }
            }
            Cmd::ReadIteration(unit) => {
                if let Some(run) = &mut self.run {
                    run.read_iteration(unit, &self.sender)?;
                }
            }
            Cmd::ReadDiff(unit) => {
                if let Some(run) = &mut self.run {
                    run.read_diff(unit, &self.sender)?;
                }
            }
            // Handled elsewhere.
            Cmd::SendRequest { .. }
            | Cmd::Rewind { .. }
            | Cmd::Resume(_)
            | Cmd::Copy(_)
            | Cmd::CaptureMouse(_)
            | Cmd::Suspend
            | Cmd::Redraw
            | Cmd::Quit => {}
        }
        Ok(())
    }

    /// Polls everything that is shown and sends news.
    fn poll(&mut self) -> Result<PollPace, MessagesClosed> {
        let mut pace = PollPace::Never;
        if let Some(run) = &mut self.run {
            pace = pace.min(run.poll(&*self.source, &self.sender)?);
        }
        if let Some(listing) = &mut self.listing {
            if let Some(message) = listing.poll(&*self.source) {
                self.sender.send(message)?;
            }
            pace = pace.min(PollPace::Later);
        }
        Ok(pace)
    }
}

/// News for a run that cannot be read.
pub(super) fn unreadable(run: RunId, trouble: String) -> RunNews {
    RunNews {
        run,
        events: Vec::new(),
        liveness: Liveness::Gone,
        is_caught_up: true,
        trouble: Some(trouble),
        resume: None,
    }
}

enum FeedTask {
    Command(Cmd),
    Look,
    Over,
}

/// The next task: a command, or a poll when it is due.
fn next(commands: &Receiver<Cmd>, pace: PollPace) -> FeedTask {
    match pace.pause() {
        None => commands.recv().map_or(FeedTask::Over, FeedTask::Command),
        Some(Duration::ZERO) => match commands.try_recv() {
            Ok(command) => FeedTask::Command(command),
            Err(TryRecvError::Empty) => FeedTask::Look,
            Err(TryRecvError::Disconnected) => FeedTask::Over,
        },
        Some(pause) => match commands.recv_timeout(pause) {
            Ok(command) => FeedTask::Command(command),
            Err(RecvTimeoutError::Timeout) => FeedTask::Look,
            Err(RecvTimeoutError::Disconnected) => FeedTask::Over,
        },
    }
}
