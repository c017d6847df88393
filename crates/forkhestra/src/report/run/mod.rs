//! Report of a run for people: report lines, agent output, a live line below it, a summary.
//!
//! The text is a pure function of the events: [`HumanReporter`] turns each event into text.
//! [`ReportOutput`] merges the text with the bytes of agents, from several threads. [`RunScreen`]
//! combines the reporter with the live line and takes events and ticks.

mod colors;
mod details;
mod duration;
mod flow_sentences;
mod human_reporter;
mod lane_sentences;
mod live_line;
pub(crate) mod reason;
mod reported_step;
mod run_screen;
pub(crate) mod screen;
mod sentence;
pub(crate) mod steering;
mod summary;
#[cfg(test)]
mod tests;

pub(crate) use duration::{short_duration, whole_seconds};
pub(crate) use human_reporter::{HumanReporter, ReporterFacts};
pub(crate) use run_screen::RunScreen;
pub(crate) use screen::byte_sink::{ByteSink, DescriptorSink, same_place};
pub(crate) use screen::report_output::{OutputFilter, ReportOutput, ReportSettings};
pub(crate) use screen::screen_action::ScreenAction;
pub(crate) use screen::screen_writer::ScreenWriter;
