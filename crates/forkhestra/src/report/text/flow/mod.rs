//! Texts about rounds, questions and alternatives.

pub(crate) mod alternatives;
pub(crate) mod questions;
pub(crate) mod rounds;
