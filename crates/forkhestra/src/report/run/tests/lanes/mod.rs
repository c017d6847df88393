//! Reports of runs with lanes.

mod landings;
mod lane_script;
mod output;
