//! Programs that read or watch an active run.

pub(crate) mod blocked_reader;
pub(crate) mod events_follow;
pub(crate) mod logs_follow;
pub(crate) mod notify;
pub(crate) mod readers;
pub(crate) mod views;
pub(crate) mod watch;
pub(crate) mod watch_tmux;
