//! What agents printed, for those who come later: their bytes made harmless, and our words between.

mod harmless;
mod sequence;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use harmless::{Harmless, Shown};
pub(crate) use words::{Label, gap, nothing_kept, nothing_started, title};
