//! Brings a work tree, its index and its branch back to a snapshot, and undoes that.
//!
//! Nothing is lost: the state before a rewind is kept as a commit, with the exact bytes of every
//! file that the rewind touches and a copy of the index. Only files that one of the two trees knows
//! are touched, so what git ignores does not matter. Nothing is removed that is not in the tree of
//! the current state.
//!
//! A rewind that is cut off leaves a directory in the directory of git. No run begins while it is
//! there; the undo restores the state before, and removes it.

mod file_placement;
mod head_state;
mod kept_paths;
mod obstacles;
mod rewind_error;
mod rewind_record;
mod rewind_survey;
mod rewind_undo;
mod saved_state;
mod staged_files;
mod tree_change;
mod user_index;
mod work_tree_rewinder;

pub use head_state::{HeadRelation, HeadState};
pub use rewind_error::RewindError;
pub use rewind_record::{
    RecordedTarget, RewindProgress, RewindRecord, RewindRecords, pending_rewind,
};
pub use rewind_survey::{
    ExpectedState, FileEffect, RewindLabel, RewindScope, RewindSurvey, RewindTarget, UndoSurvey,
};
pub use work_tree_rewinder::{RewindLocation, WorkTreeRewinder};
