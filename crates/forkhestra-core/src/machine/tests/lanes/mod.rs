//! Runs with lanes: several agents at once, and their merge queue.

mod branches;
mod claims;
mod failures;
mod hooks;
mod landing;
mod limits;
mod operator;
mod properties;
mod resumes;
mod sharing;
mod support;
mod task_landings;
mod tasks;
