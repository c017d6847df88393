//! Runs on disk: finding, listing, moving, removing.

pub(crate) mod find_run;
pub(crate) mod listed_run;
pub(crate) mod lock_owner;
pub(crate) mod move_run;
pub(crate) mod pending_messages;
pub(crate) mod run_dir;
pub(crate) mod run_origin;
pub(crate) mod run_overview;
pub(crate) mod run_removal;
pub(crate) mod run_size;
pub(crate) mod sealed_note;
pub(crate) mod state_root;
pub(crate) mod work_tree_dir;
pub(crate) mod work_tree_lock;
