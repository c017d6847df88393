//! Lanes in git: makes the clones in which agents of a run work beside each other, merges what they
//! commit, moves the integration ref and brings the user's work tree forward.

mod lane_directory;
mod lane_tasks;
mod opened_lane;
mod repository_lanes;
mod run_repository;

pub use lane_tasks::{LandedTaskFile, LandingTask, LaneTasks, NoLaneTasks};
pub use repository_lanes::{RepositoryLanes, RepositoryLanesSettings};
