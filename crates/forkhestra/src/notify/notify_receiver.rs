//! Somebody who is told.

use std::fmt;
use std::path::PathBuf;

use forkhestra_core::config::{NotifyTarget, NotifyTrigger, ServiceUrl};

use super::notification::Notification;
use super::retry::DeliveryAttempt;
use super::webhook_post::WebhookPost;
use super::{desktop, terminal};

/// Somebody who is told, and of what.
#[derive(Debug, Clone)]
pub(crate) struct NotifyReceiver {
    pub(super) transport: NotifyTransport,
    pub(super) on: Vec<NotifyTrigger>,
}

/// How somebody is reached.
#[derive(Debug, Clone)]
pub(super) enum NotifyTransport {
    /// On the terminal that the run prints to.
    Terminal,
    /// On the desktop, by this program.
    Desktop(PathBuf),
    /// By a request to a service.
    Post(NotifyTarget, ServiceUrl),
}

impl NotifyReceiver {
    /// Whether the target wants to know of this.
    pub(super) fn accepts(&self, kind: NotifyTrigger) -> bool {
        self.on.contains(&kind)
    }

    /// Whether it has to wait until the run is over before it is told of that: what agents print must
    /// not be torn, and whatever is below us is ended with the run.
    pub(super) const fn waits_for_run_end(&self) -> bool {
        matches!(self.transport, NotifyTransport::Terminal | NotifyTransport::Desktop(_))
    }

    /// The address, which must not be in any file.
    pub(crate) fn secret(&self) -> Option<&str> {
        match &self.transport {
            NotifyTransport::Post(_, address) => Some(address.secret()),
            NotifyTransport::Terminal | NotifyTransport::Desktop(_) => None,
        }
    }

    /// What tries to reach it, as often as it is called.
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
