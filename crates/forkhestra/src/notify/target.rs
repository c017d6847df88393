//! Somebody who is told.

use std::fmt;
use std::path::PathBuf;

use forkhestra_core::config::{Address, NotifyOn, NotifyTo};

use super::notice::Notice;
use super::post::Post;
use super::retry::Attempt;
use super::{desktop, terminal};

/// Somebody who is told, and of what.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(super) way: Way,
    pub(super) on: Vec<NotifyOn>,
}

/// How somebody is reached.
#[derive(Debug, Clone)]
pub(super) enum Way {
    /// On the terminal that the run prints to.
    Terminal,
    /// On the desktop, by this program.
    Desktop(PathBuf),
    /// By a request to a service.
    Post(NotifyTo, Address),
}

impl Target {
    /// Whether the target wants to know of this.
    pub(super) fn wants(&self, kind: NotifyOn) -> bool {
        self.on.contains(&kind)
    }

    /// Whether it has to wait until the run is over before it is told of that: what agents print must
    /// not be torn, and whatever is below us is ended with the run.
    pub(super) const fn comes_last(&self) -> bool {
        matches!(self.way, Way::Terminal | Way::Desktop(_))
    }

    /// The address, which must not be in any file.
    pub(crate) fn secret(&self) -> Option<&str> {
        match &self.way {
            Way::Post(_, address) => Some(address.secret()),
            Way::Terminal | Way::Desktop(_) => None,
        }
    }

    /// What tries to reach it, as often as it is called.
    pub(super) fn runner(&self) -> Box<dyn FnMut(&Notice) -> Attempt> {
        match &self.way {
            Way::Terminal => Box::new(terminal::show),
            Way::Desktop(program) => {
                let program = program.clone();
                Box::new(move |notice| desktop::show(&program, notice))
            }
            Way::Post(to, address) => {
                let post = Post::new(*to, address.clone());
                Box::new(move |notice| post.send(notice))
            }
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.way {
            Way::Terminal => f.write_str("the terminal"),
            Way::Desktop(_) => f.write_str("the desktop"),
            Way::Post(to, address) => write!(f, "{} ({})", to.word(), address.host()),
        }
    }
}
