//! The thread that reads what the screens want to see.

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

/// How soon there is something to look at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PollPace {
    /// There is more to read already.
    AtOnce,
    /// Somebody is at work.
    Soon,
    /// Nobody is, but somebody may come.
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

/// Reads what the screens want to see.
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

    /// Reads until nobody wants to see anything any more.
    pub(super) fn run(&mut self, commands: &Receiver<Cmd>) {
        let mut pace = PollPace::Never;
        loop {
            let found = match next(commands, pace) {
                // Looked at once all that waits has been heard.
                FeedTask::Command(command) => self.perform(command).map(|()| PollPace::AtOnce),
                FeedTask::Look => self.look(),
                FeedTask::Over => return,
            };
            match found {
                Ok(soon) => pace = soon,
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
            // Not for us.
            Cmd::SendRequest { .. }
            | Cmd::Resume(_)
            | Cmd::Copy(_)
            | Cmd::CaptureMouse(_)
            | Cmd::Suspend
            | Cmd::Redraw
            | Cmd::Quit => {}
        }
        Ok(())
    }

    /// Looks once at everything that is shown, and tells what is new.
    fn look(&mut self) -> Result<PollPace, MessagesClosed> {
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

/// What is told of a run of which nothing can be read.
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

/// What to do next: what somebody wants, or to look again when it is time.
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
