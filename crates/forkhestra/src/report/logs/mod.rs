//! What agents printed, for those who come later: our words between it.

mod labels;

pub(crate) use labels::{AttemptLabel, gap, nothing_kept, nothing_started, title};
