//! What agents print: copied, scanned and logged beside the machine, never through it.
//!
//! There is a [`OutputPump`] for each [`Stream`], a thread that lives as long as the run. For each agent
//! or errand it is handed a [`PumpJob`]: the reading end of the agent's pipe, somewhere to keep the bytes, and
//! what they are to us (a [`StreamReading`]): text in which markers are looked for, or a stream of events. A pump reads, scans, logs and hands on to the
//! [`OutputSink`], in this order and with one buffer, so that whoever reads our output slowly slows
//! the agent down and loses nothing. What is worth knowing it says in [`PumpMessage`]s; what can be
//! asked at any time is in its [`PumpGauge`].

mod abandoned_outputs;
pub(crate) mod null_output;
mod output_owner;
mod output_pump;
mod output_sink;
mod output_tail;
mod pipe_source;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "other.rs"]
mod platform;
mod pump_gauge;
mod pump_job;
mod pump_message;
pub(crate) mod silent_stream;
mod stderr_reader;
mod stream_copier;
#[cfg(test)]
mod tests;

pub use output_owner::OutputOwner;
pub use output_pump::OutputPump;
pub use output_sink::OutputSink;
pub use output_tail::OutputTail;
pub use pump_gauge::PumpGauge;
pub use pump_job::{OutputLogSink, OutputScan, PumpJob, StreamReading};
pub use pump_message::{EndOfOutput, PumpJobEnd, PumpJobResult, PumpMessage};
pub use stderr_reader::{StderrReader, StderrSummary};
