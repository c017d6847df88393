//! Tests of agents' streams: captured and constructed ones.

mod captured;
mod corpus;
mod listener_config;
mod listener_result;
mod order;
mod plain_text;
mod progress;
mod properties;
mod render;
mod startup;
