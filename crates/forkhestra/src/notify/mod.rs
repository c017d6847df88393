//! Notifications about a run.
//!
//! Receivers are [resolved](resolve()) before the run starts. During the run a [`NotifyDispatcher`]
//! turns events into [`Notification`]s, and one thread for each [`NotifyReceiver`] delivers them,
//! so that the run never waits for a delivery. Receivers are part of neither the plan nor the
//! journal: their addresses are secrets.

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
