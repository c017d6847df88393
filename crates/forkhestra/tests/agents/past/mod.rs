//! Runs of agents with parsed streams, looked at afterwards.

mod stats;
mod what_if;
mod why;
