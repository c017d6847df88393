//! Renders the events of agents whose streams forkhestra parses.
//!
//! [`AgentEventRenderer`] is a pure state machine: events in, [`RenderedEvent`]s out. The caller
//! tracks the cursor position and ends an open line before a new one.

mod flow;
mod harmless_text;
mod imitation_marker;
mod lines;
mod render;
mod rendering;
mod rule;
mod stream;
#[cfg(test)]
mod tests;
mod tool_rules;

pub(crate) use harmless_text::{HarmlessText, as_bytes};
pub(crate) use imitation_marker::marked_continuation;
pub(crate) use render::AgentEventRenderer;
pub(crate) use rendering::{RenderedEvent, RenderedText};
pub(crate) use stream::events;
pub(crate) use tool_rules::ToolRules;
