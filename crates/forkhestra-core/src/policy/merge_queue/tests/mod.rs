//! Tests of the merge queue.

mod action_text;
mod batches;
mod inputs;
mod properties;
mod queue_simulation;
mod repository_model;
