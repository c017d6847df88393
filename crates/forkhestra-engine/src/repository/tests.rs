//! Tests of git commands in real repositories.

mod clean_rooms;
mod clones;
mod lanes;
mod merge_queue;
mod rewind;
mod snapshot_checkouts;
mod snapshots;
mod uncommitted;
mod work_surveys;
