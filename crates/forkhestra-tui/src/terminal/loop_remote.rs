//! How others reach the loop.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};

use crossterm::event::Event;

/// Something that the loop wakes up for.
#[derive(Debug)]
pub(super) enum LoopWake {
    /// A person did something.
    Terminal(Event),
    /// The terminal cannot be read any more.
    TerminalGone(io::Error),
    /// There is a message of the feed.
    Feed,
    /// Somebody wants us to leave.
    Leave,
    /// Somebody wants us to stand aside.
    Suspend,
    /// Whatever is on the screen may not be ours.
    Redraw,
}

/// For whoever hears of signals.
#[derive(Debug, Clone)]
pub struct LoopRemote(Sender<LoopWake>);

/// Where the loop hears of all of that.
#[derive(Debug)]
pub struct LoopInbox {
    pub(super) wakes: Receiver<LoopWake>,
    pub(super) waker: Sender<LoopWake>,
}

impl LoopRemote {
    /// Both ends.
    pub fn new() -> (Self, LoopInbox) {
        let (waker, wakes) = mpsc::channel();
        (Self(waker.clone()), LoopInbox { wakes, waker })
    }

    /// Has us leave.
    pub fn leave(&self) {
        self.send(LoopWake::Leave);
    }

    /// Has us stand aside for the shell.
    pub fn suspend(&self) {
        self.send(LoopWake::Suspend);
    }

    /// Has us draw everything again.
    pub fn redraw(&self) {
        self.send(LoopWake::Redraw);
    }

    fn send(&self, wake: LoopWake) {
        // Whoever has left already need not be told.
        let _ = self.0.send(wake);
    }
}
