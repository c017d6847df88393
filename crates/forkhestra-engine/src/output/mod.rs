//! What agents print: copied, scanned and logged beside the machine, never through it.
//!
//! There is a [`OutputPump`] for each [`Stream`], a thread that lives as long as the run. For each agent
//! or errand it is handed a [`PumpJob`]: the reading end of the agent's pipe, somewhere to keep the bytes, and
//! what they are to us (a [`StreamReading`]): text in which markers are looked for, or a stream of events. A pump reads, scans, logs and hands on to the
//! [`OutputSink`], in this order and with one buffer, so that whoever reads our output slowly slows
//! the agent down and loses nothing. What is worth knowing it says in [`PumpMessage`]s; what can be
//! asked at any time is in its [`PumpGauge`].

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

pub use complaints::{StderrReader, StderrSummary};
pub use gauge::PumpGauge;
pub use job::{OutputLogSink, OutputScan, PumpJob, StreamReading};
pub use message::{EndOfOutput, PumpJobEnd, PumpJobResult, PumpMessage};
pub use outlet::OutputSink;
pub use pump::OutputPump;
pub use tail::OutputTail;
pub use who::OutputOwner;
