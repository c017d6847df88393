//! The measured figures, their limits and their table.

pub(crate) mod document;
pub(crate) mod figure;
pub(crate) mod table;
