//! The demo: a temporary project with specifications and failing tests, and a recording of two
//! agents that build it.

mod project;
mod recording;

pub(crate) use project::{DemoProject, TESTS};
