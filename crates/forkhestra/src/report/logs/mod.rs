//! What agents printed, for those who come later: our words between it.

mod words;

pub(crate) use words::{AttemptLabel, gap, nothing_kept, nothing_started, title};
