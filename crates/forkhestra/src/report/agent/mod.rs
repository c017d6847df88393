//! What agents say whose streams are understood, for people.
//!
//! A [`AgentEventRenderer`] is a pure state machine: events in, [`RenderedEvent`]s out. Whoever shows them knows
//! where the last line of the screen is, and so whether one has to be ended first.

mod flow;
mod lines;
mod render;
mod rendering;
mod rule;
mod stream;
#[cfg(test)]
mod tests;
mod tool_rules;

pub(crate) use render::AgentEventRenderer;
pub(crate) use rendering::{RenderedEvent, RenderedText};
pub(crate) use stream::events;
pub(crate) use tool_rules::ToolRules;
