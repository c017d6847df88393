//! What agents print: copied, scanned and logged beside the machine, never through it.
//!
//! There is a [`Pump`] for each [`Stream`], a thread that lives as long as the run. For each agent
//! or errand it is handed a [`Job`]: the reading end of the agent's pipe, somewhere to keep the bytes, and
//! what they are to us (a [`Reading`]): text in which markers are looked for, or a stream of events. A pump reads, scans, logs and hands on to the
//! [`Outlet`], in this order and with one buffer, so that whoever reads our output slowly slows
//! the agent down and loses nothing. What is worth knowing it says in [`Message`]s; what can be
//! asked at any time is in its [`Gauge`].

mod abandon;
mod complaints;
mod copy;
mod gauge;
mod job;
mod message;
mod outlet;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "other.rs"]
mod platform;
mod pump;
mod source;
mod tail;
#[cfg(test)]
mod tests;
mod who;

pub use complaints::{Complained, Complaints};
pub use gauge::Gauge;
pub use job::{Job, Log, Reading, Scan};
pub use message::{EndOfOutput, Ended, Found, Message};
pub use outlet::Outlet;
pub use pump::Pump;
pub use tail::Tail;
pub use who::Who;
