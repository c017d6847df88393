//! The thread that reads what the screens want to see.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use forkhestra_core::history::Liveness;
use forkhestra_core::id::RunId;

use super::listing::Listing;
use super::outlet::{Closed, Outlet};
use super::run::OpenRun;
use crate::msg::{Cmd, Msg, News};
use crate::world::World;

/// How soon there is something to look at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pace {
    /// There is more to read already.
    AtOnce,
    /// Somebody is at work.
    Soon,
    /// Nobody is, but somebody may come.
    Later,
    /// Nothing is shown.
    Never,
}

impl Pace {
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
pub(super) struct Worker {
    world: Arc<dyn World>,
    outlet: Outlet,
    keeps_colors: bool,
    listing: Option<Listing>,
    run: Option<OpenRun>,
}

impl Worker {
    pub(super) fn new(world: Arc<dyn World>, outlet: Outlet, keeps_colors: bool) -> Self {
        Self { world, outlet, keeps_colors, listing: None, run: None }
    }

    /// Reads until nobody wants to see anything any more.
    pub(super) fn work(&mut self, commands: &Receiver<Cmd>) {
        let mut pace = Pace::Never;
        loop {
            let found = match next(commands, pace) {
                // Looked at once all that waits has been heard.
                Next::Command(command) => self.perform(command).map(|()| Pace::AtOnce),
                Next::Look => self.look(),
                Next::Over => return,
            };
            match found {
                Ok(soon) => pace = soon,
                Err(Closed) => return,
            }
        }
    }

    fn perform(&mut self, command: Cmd) -> Result<(), Closed> {
        match command {
            Cmd::ListRuns(scope) => self.listing = Some(Listing::new(scope)),
            Cmd::OpenRun(run) => {
                self.listing = None;
                self.run = None;
                match self.world.open(&run) {
                    Ok(feed) => self.run = Some(OpenRun::new(run, feed)),
                    Err(trouble) => self.outlet.tell(Msg::News(unreadable(run, trouble)))?,
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
                    run.read_iteration(unit, &self.outlet)?;
                }
            }
            // Not for us.
            Cmd::Ask { .. }
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
    fn look(&mut self) -> Result<Pace, Closed> {
        let mut pace = Pace::Never;
        if let Some(run) = &mut self.run {
            pace = pace.min(run.look(&*self.world, &self.outlet)?);
        }
        if let Some(listing) = &mut self.listing {
            if let Some(message) = listing.news(&*self.world) {
                self.outlet.tell(message)?;
            }
            pace = pace.min(Pace::Later);
        }
        Ok(pace)
    }
}

/// What is told of a run of which nothing can be read.
pub(super) fn unreadable(run: RunId, trouble: String) -> News {
    News {
        run,
        events: Vec::new(),
        liveness: Liveness::Gone,
        is_caught_up: true,
        trouble: Some(trouble),
        resume: None,
    }
}

enum Next {
    Command(Cmd),
    Look,
    Over,
}

/// What to do next: what somebody wants, or to look again when it is time.
fn next(commands: &Receiver<Cmd>, pace: Pace) -> Next {
    match pace.pause() {
        None => commands.recv().map_or(Next::Over, Next::Command),
        Some(Duration::ZERO) => match commands.try_recv() {
            Ok(command) => Next::Command(command),
            Err(TryRecvError::Empty) => Next::Look,
            Err(TryRecvError::Disconnected) => Next::Over,
        },
        Some(pause) => match commands.recv_timeout(pause) {
            Ok(command) => Next::Command(command),
            Err(RecvTimeoutError::Timeout) => Next::Look,
            Err(RecvTimeoutError::Disconnected) => Next::Over,
        },
    }
}
