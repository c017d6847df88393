//! Tells somebody who is not there what became of a run.
//!
//! Whom is [resolved](resolve) before anything runs. While the run goes on, a [`NotifyDispatcher`] turns its
//! events into [`Notification`]s, and a thread for each [`NotifyReceiver`] delivers them, so that the run never waits
//! for anybody. Nothing of this is part of the plan or the journal: addresses are secrets.

mod desktop;
mod notification;
mod notify_dispatcher;
mod notify_payload;
mod notify_receiver;
mod notify_worker;
mod resolve;
mod retry;
mod terminal;
mod webhook_post;

pub(crate) use notification::Notification;
pub(crate) use notify_dispatcher::{DeliveryWait, NotifyDispatcher};
pub(crate) use notify_receiver::NotifyReceiver;
pub(crate) use resolve::{NotifyArg, resolve, resolve_for_resume};
