//! Tests of git commands in real repositories.

mod clean_rooms;
mod clones;
mod rewind;
mod snapshots;
mod uncommitted;
mod work_surveys;
