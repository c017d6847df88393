//! Simulated runs with lanes.

pub(super) mod journal_rules;
mod lane_processes;
pub(super) mod lane_scripts;
pub(super) mod lanes_simulation;
pub(super) mod plans;
pub(super) mod simulated_repository;
