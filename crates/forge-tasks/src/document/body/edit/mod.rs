//! Changing a body.

mod criteria;
mod criterion;
mod edit_body;
mod section;
mod splice;
mod wishes;

pub use edit_body::edit;
