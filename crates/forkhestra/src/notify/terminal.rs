//! Notifications on the terminal of a run.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};

use typeset::text::visible;

use super::notification::Notification;
use super::retry::DeliveryAttempt;

/// Whether there is a terminal.
pub(super) fn has_terminal() -> bool {
    io::stdout().is_terminal() || io::stderr().is_terminal()
}

/// Shows a notification.
pub(super) fn show(notice: &Notification) -> DeliveryAttempt {
    let terminal = match stream() {
        Ok(Some(terminal)) => terminal,
        Ok(None) => return DeliveryAttempt::Failed("there is no terminal".to_owned()),
        Err(error) => return DeliveryAttempt::Failed(error.to_string()),
    };
    match File::from(terminal).write_all(sequence(notice).as_bytes()) {
        Ok(()) => DeliveryAttempt::Delivered,
        Err(error) => DeliveryAttempt::Failed(error.to_string()),
    }
}

/// The stream that is a terminal.
fn stream() -> io::Result<Option<OwnedFd>> {
    let (out, err) = (io::stdout(), io::stderr());
    if out.is_terminal() {
        out.as_fd().try_clone_to_owned().map(Some)
    } else if err.is_terminal() {
        err.as_fd().try_clone_to_owned().map(Some)
    } else {
        Ok(None)
    }
}

/// The escape sequence for a terminal notification, and the bell for terminals without them.
/// Neither moves the cursor. The text starts with the program's name because some terminals
/// interpret a leading number.
fn sequence(notice: &Notification) -> String {
    let outcome_text = notice.text.lines().next().unwrap_or_default();
    let text = visible(&format!("forkhestra: {}. {outcome_text}", notice.title));
    format!("\x1b]9;{text}\x07\x07")
}
