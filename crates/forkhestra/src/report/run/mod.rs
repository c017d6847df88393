//! What a person sees of a run: our lines, what agents print, a live line below it, a summary.
//!
//! Everything that decides what is said is a pure function of the events: [`HumanReporter`] turns
//! each into text. [`ReportOutput`] is where the text and the bytes of agents meet, from several threads.
//! [`RunScreen`] is both together, for whoever hands us events and ticks.

mod act;
mod cursor;
mod details;
mod duration;
mod human;
mod line;
mod outlet;
pub(crate) mod reason;
mod run_screen;
mod sentence;
mod sink;
mod status;
mod status_line;
pub(crate) mod steering;
mod summary;
mod tally;
#[cfg(test)]
mod tests;
mod tint;
mod window;
mod writer;

pub(crate) use act::ScreenAction;
pub(crate) use duration::{spoken, whole_seconds};
pub(crate) use human::{HumanReporter, ReporterFacts};
pub(crate) use outlet::{OutputFilter, ReportOutput, ReportSettings};
pub(crate) use run_screen::RunScreen;
pub(crate) use sink::{ByteSink, DescriptorSink, same_place};
pub(crate) use writer::ScreenWriter;
