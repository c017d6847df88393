//! Labels of the `logs` verb.

mod labels;

pub(crate) use labels::{AttemptLabel, dropped_output, gap, no_agent_started, title};
