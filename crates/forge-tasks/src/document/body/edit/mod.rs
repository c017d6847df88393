//! Changing a body.

mod body_edit;
mod criteria_writer;
mod section_writer;

pub use body_edit::{BodyEdit, NoSuchCriterion, edit};
