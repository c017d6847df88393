//! Copies, scans and logs agents' output outside of the machine.
//!
//! There is an [`OutputPump`] for each output stream: a thread that lives as long as the run. For
//! each agent or aux job it receives a [`PumpJob`]: the reading end of the pipe, a log, and the
//! interpretation of the bytes (a [`StreamReading`]): text that is scanned for markers, or a stream
//! of events. A pump reads, scans, logs and passes on to the [`OutputSink`], in this order and with
//! one buffer, so that a slow reader slows the agent down and loses nothing. It reports facts in
//! [`PumpMessage`]s; its [`PumpGauge`] can be read at any time.

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
