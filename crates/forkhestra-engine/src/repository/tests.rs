//! What we have git do in real repositories.

mod rooms;
mod snapshots;
mod surveys;
mod uncommitted;
