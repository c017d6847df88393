//! Snapshots of work trees: commits outside of any branch, and their backup.

mod checkout_leftovers;
mod clone_config;
mod cloned_refs;
mod missing_files;
mod object_pack;
mod snapshot_backup;
mod snapshot_checkout;
mod snapshot_clone;
mod snapshot_diff;
mod snapshot_numbers;
mod snapshot_reader;
mod snapshot_refs;
mod snapshot_store;

pub(super) use cloned_refs::ClonedRefs;
pub use missing_files::MissingFiles;
pub(super) use missing_files::with_filter;
pub use snapshot_checkout::CheckoutRequest;
pub(crate) use snapshot_checkout::SnapshotCheckout;
pub use snapshot_clone::{SnapshotClone, SnapshotCloneError, SnapshotCloneRequest};
pub use snapshot_diff::{DiffPager, DiffText, SnapshotDiff};
pub(crate) use snapshot_numbers::SnapshotNumbers;
pub use snapshot_reader::{ChangedLines, SnapshotLocation, SnapshotReadError, SnapshotReader};
pub use snapshot_refs::{copy_snapshot_refs, forget_snapshots};
pub(super) use snapshot_store::{REF_NAMESPACE, identity};
pub(crate) use snapshot_store::{SnapshotRequest, SnapshotStore};
