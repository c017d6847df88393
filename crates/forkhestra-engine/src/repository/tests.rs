//! What we have git do in real repositories.

mod clean_rooms;
mod snapshots;
mod uncommitted;
mod work_surveys;
