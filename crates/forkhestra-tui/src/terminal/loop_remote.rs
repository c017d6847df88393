//! Channel by which other threads reach the event loop.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};

use crossterm::event::Event;

/// An event that wakes the loop.
#[derive(Debug)]
pub(super) enum LoopWake {
    /// Input of the user.
    Terminal(Event),
    /// The terminal cannot be read any more.
    TerminalGone(io::Error),
    /// The feed has sent a message.
    Feed,
    /// Quit was requested from outside.
    Leave,
    /// Suspend was requested from outside.
    Suspend,
    /// The screen may have been overwritten.
    Redraw,
}

/// Controls the event loop from a signal handler thread.
#[derive(Debug, Clone)]
pub struct LoopRemote(Sender<LoopWake>);

/// The receiving end of the event loop.
#[derive(Debug)]
pub struct LoopInbox {
    pub(super) wakes: Receiver<LoopWake>,
    pub(super) waker: Sender<LoopWake>,
}

impl LoopRemote {
    /// Creates both ends.
    pub fn new() -> (Self, LoopInbox) {
        let (waker, wakes) = mpsc::channel();
        (Self(waker.clone()), LoopInbox { wakes, waker })
    }

    /// Makes the loop quit.
    pub fn leave(&self) {
        self.send(LoopWake::Leave);
    }

    /// Makes the loop suspend to the shell.
    pub fn suspend(&self) {
        self.send(LoopWake::Suspend);
    }

    /// Makes the loop redraw the whole screen.
    pub fn redraw(&self) {
        self.send(LoopWake::Redraw);
    }

    fn send(&self, wake: LoopWake) {
        // The loop may have ended already.
        let _ = self.0.send(wake);
    }
}
