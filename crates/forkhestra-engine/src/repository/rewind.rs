//! Brings a work tree, its index and its branch back to a snapshot, and undoes that.
//!
//! No work is lost: the state before a rewind is saved as a commit, with the exact bytes of every file
//! that the rewind changes and a copy of the index. Only files that one of the two trees has are
//! changed, so ignored files do not matter. Nothing is removed that is not in the tree of the current
//! state.
//!
//! A rewind that is interrupted leaves a directory in the directory of git. No run begins while it is
//! there; the undo restores the previous state and removes the directory.

mod classified_changes;
mod file_placement;
mod head_state;
mod rewind_error;
mod rewind_execution;
mod rewind_record;
mod rewind_survey;
mod rewind_undo;
mod saved_state;
mod staged_files;
mod tree_change;
mod unchanged_paths;
mod user_index;
mod work_tree_file;
mod work_tree_rewinder;

pub use head_state::{HeadRelation, HeadState};
pub(super) use head_state::{operation_under_way, unfinished_operation};
pub use rewind_error::RewindError;
pub use rewind_record::{
    RecordedTarget, RewindProgress, RewindRecord, RewindRecords, UndoRecord, pending_rewind,
};
pub use rewind_survey::{
    ExpectedState, FileEffect, RewindLabel, RewindScope, RewindSurvey, RewindTarget, UndoSurvey,
};
pub use work_tree_rewinder::{RewindLocation, WorkTreeRewinder};

pub(super) use classified_changes::{ClassifiedChanges, KnownPaths};
pub(super) use file_placement::{FileModes, FilePlacement, FileStamps, file_stamps};
pub(super) use saved_state::quoted_line;
pub(super) use staged_files::{FileConversion, StagedFiles};
pub(super) use tree_change::{TreeChange, TreeEntry, TreeEntryKind, parse as parse_changes};
pub(super) use unchanged_paths::filtered_paths;
pub(super) use user_index::SavedIndex;
pub(super) use work_tree_file::metadata_below;
pub(super) use work_tree_rewinder::sparse_paths;
