//! What the streams of real agents mean, and those of a corpus of our own.

mod captured;
mod corpus;
mod listener_config;
mod listener_result;
mod order;
mod plain_fallback;
mod progress;
mod properties;
mod render;
mod startup;
