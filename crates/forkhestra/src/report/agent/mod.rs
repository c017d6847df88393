//! Renders the events of agents whose streams forkhestra parses.
//!
//! [`AgentEventRenderer`] is a pure state machine: events in, [`RenderedEvent`]s out. The caller
//! tracks the cursor position and ends an open line before a new one.

mod flow;
mod forged_line_marker;
mod lines;
mod render;
mod rendering;
mod rule;
mod sanitized_text;
mod stream;
#[cfg(test)]
mod tests;
mod tool_rules;

pub(crate) use forged_line_marker::marked_continuation;
pub(crate) use render::AgentEventRenderer;
pub(crate) use rendering::{RenderedEvent, RenderedText};
pub(crate) use sanitized_text::{SanitizedText, as_bytes};
pub(crate) use stream::events;
pub(crate) use tool_rules::ToolRules;
