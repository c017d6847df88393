//! Tells somebody who is not there what became of a run.
//!
//! Whom is [resolved](resolve) before anything runs. While the run goes on, a [`Teller`] turns its
//! events into [`Notice`]s, and a thread for each [`Target`] delivers them, so that the run never waits
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

pub(crate) use notice::Notice;
pub(crate) use target::Target;
pub(crate) use teller::{Patience, Teller};
pub(crate) use wishes::{Wish, resolve, resolve_again};
