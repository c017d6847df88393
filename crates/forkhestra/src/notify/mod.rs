//! Tells somebody who is not there what became of a run.
//!
//! Whom is [resolved](resolve) before anything runs. While the run goes on, a [`NotifyDispatcher`] turns its
//! events into [`Notification`]s, and a thread for each [`NotifyReceiver`] delivers them, so that the run never waits
//! for anybody. Nothing of this is part of the plan or the journal: addresses are secrets.

mod courier;
mod desktop;
mod notice;
mod parcel;
mod post;
mod retry;
mod target;
mod teller;
mod terminal;
mod wishes;

pub(crate) use notice::Notification;
pub(crate) use target::NotifyReceiver;
pub(crate) use teller::{DeliveryWait, NotifyDispatcher};
pub(crate) use wishes::{NotifyArg, resolve, resolve_for_resume};
