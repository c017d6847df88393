//! Labels of the `logs` verb.

mod labels;

pub(crate) use labels::{AttemptLabel, gap, nothing_kept, nothing_started, title};
