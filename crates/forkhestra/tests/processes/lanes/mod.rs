//! Several agents at once, with real git.

mod ending;
mod landing;
mod laned_project;
mod user_work_tree;
