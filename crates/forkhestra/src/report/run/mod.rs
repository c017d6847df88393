//! What a person sees of a run: our lines, what agents print, a live line below it, a summary.
//!
//! Everything that decides what is said is a pure function of the events: [`HumanReporter`] turns
//! each into text. [`ReportOutput`] is where the text and the bytes of agents meet, from several threads.
//! [`RunScreen`] is both together, for whoever hands us events and ticks.

mod colors;
mod current_activity;
mod details;
mod duration;
mod human_reporter;
pub(crate) mod reason;
mod run_screen;
mod run_tally;
pub(crate) mod screen;
mod sentence;
pub(crate) mod steering;
mod summary;
#[cfg(test)]
mod tests;

pub(crate) use duration::{spoken, whole_seconds};
pub(crate) use human_reporter::{HumanReporter, ReporterFacts};
pub(crate) use run_screen::RunScreen;
pub(crate) use screen::byte_sink::{ByteSink, DescriptorSink, same_place};
pub(crate) use screen::report_output::{OutputFilter, ReportOutput, ReportSettings};
pub(crate) use screen::screen_action::ScreenAction;
pub(crate) use screen::screen_writer::ScreenWriter;
