//! The terminal window of the live line.

use std::os::fd::OwnedFd;

use forkhestra_engine::process::process_group;
use rustix::process::{Pid, getpgrp, getppid};
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
        if tcgetpgrp(&self.0).is_ok_and(|foreground| !is_ours(foreground)) {
            return None;
        }
        match tcgetwinsize(&self.0).ok()?.ws_col {
            0 => Some(DEFAULT_COLUMNS),
            columns => Some(usize::from(columns)),
        }
    }
}

/// Whether a process group is the one that the user started: ours, or that of the guard process,
/// which owns the terminal while the worker runs.
fn is_ours(group: Pid) -> bool {
    group == getpgrp() || getppid().and_then(process_group) == Some(group)
}
