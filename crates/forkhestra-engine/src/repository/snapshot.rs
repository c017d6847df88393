//! Snapshots of work trees: commits outside of any branch, and their copies.

mod cleanup;
mod snapshot_backup;
mod snapshot_reader;
mod snapshot_room;
mod snapshot_store;

pub use cleanup::{forget_snapshots, keep_snapshots};
pub use snapshot_reader::{ChangedLines, SnapshotLocation, SnapshotReadError, SnapshotReader};
pub use snapshot_room::RoomSnapshot;
pub(crate) use snapshot_room::SnapshotRoom;
pub(crate) use snapshot_store::{SnapshotRequest, SnapshotStore};
