//! The terminal window of the live line.

use std::os::fd::OwnedFd;

use forkhestra_engine::is_own_group;
use rustix::termios::{tcgetpgrp, tcgetwinsize};

/// Width of a terminal that does not report its size.
const DEFAULT_COLUMNS: usize = 80;

/// Width available for a live line.
pub(crate) trait LiveLineWindow: Send {
    /// The current width; none if nothing may be drawn now.
    fn columns(&self) -> Option<usize>;
}

/// The window of a real terminal.
pub(crate) struct TerminalWindow(pub(crate) OwnedFd);

impl LiveLineWindow for TerminalWindow {
    fn columns(&self) -> Option<usize> {
        // In the background the last line belongs to the shell.
        if tcgetpgrp(&self.0).is_ok_and(|foreground| !is_own_group(foreground)) {
            return None;
        }
        match tcgetwinsize(&self.0).ok()?.ws_col {
            0 => Some(DEFAULT_COLUMNS),
            columns => Some(usize::from(columns)),
        }
    }
}
