//! Tests of the merge queue.

mod properties;
mod queue_simulation;
mod repository_model;
mod rules;
