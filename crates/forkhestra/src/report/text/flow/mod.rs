//! Texts about rounds and questions.

pub(crate) mod questions;
pub(crate) mod rounds;
