//! Receivers of notifications.

use std::fmt;
use std::path::PathBuf;

use forkhestra_core::config::{NotifyTarget, NotifyTrigger, ServiceUrl};

use super::notification::Notification;
use super::retry::DeliveryAttempt;
use super::webhook_post::WebhookPost;
use super::{desktop, terminal};

/// A receiver, with the triggers it is notified of.
#[derive(Debug, Clone)]
pub(crate) struct NotifyReceiver {
    pub(super) transport: NotifyTransport,
    pub(super) on: Vec<NotifyTrigger>,
}

/// How a receiver is reached.
#[derive(Debug, Clone)]
pub(super) enum NotifyTransport {
    /// Prints to the terminal of the run.
    Terminal,
    /// Starts this program, which shows a desktop notification.
    Desktop(PathBuf),
    /// Sends a request to a service.
    Post(NotifyTarget, ServiceUrl),
}

impl NotifyReceiver {
    /// Whether the receiver wants notifications of this kind.
    pub(super) fn accepts(&self, kind: NotifyTrigger) -> bool {
        self.on.contains(&kind)
    }

    /// Whether the final notification must wait until the run is over: terminal output must not
    /// interleave with that of agents, and child processes are killed at the end of the run.
    pub(super) const fn waits_for_run_end(&self) -> bool {
        matches!(self.transport, NotifyTransport::Terminal | NotifyTransport::Desktop(_))
    }

    /// The address, which must not be written to any file.
    pub(crate) fn secret(&self) -> Option<&str> {
        match &self.transport {
            NotifyTransport::Post(_, address) => Some(address.secret()),
            NotifyTransport::Terminal | NotifyTransport::Desktop(_) => None,
        }
    }

    /// A function that makes one delivery attempt for each call.
    pub(super) fn runner(&self) -> Box<dyn FnMut(&Notification) -> DeliveryAttempt> {
        match &self.transport {
            NotifyTransport::Terminal => Box::new(terminal::show),
            NotifyTransport::Desktop(program) => {
                let program = program.clone();
                Box::new(move |notice| desktop::show(&program, notice))
            }
            NotifyTransport::Post(to, address) => {
                let post = WebhookPost::new(*to, address.clone());
                Box::new(move |notice| post.send(notice))
            }
        }
    }
}

impl fmt::Display for NotifyReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.transport {
            NotifyTransport::Terminal => f.write_str("the terminal"),
            NotifyTransport::Desktop(_) => f.write_str("the desktop"),
            NotifyTransport::Post(to, address) => write!(f, "{} ({})", to.word(), address.host()),
        }
    }
}
