//! Moves a run to another work tree.

use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::journal::journal_lock::JournalLock;
use crate::runs::run_dir::RunDir;
use crate::runs::work_tree_dir::WorkTreeDir;
use crate::runs::work_tree_lock::LockProof;

/// Moves the directory of a run to another work tree. The directory is always in exactly one of the
/// two places. Both work trees must be locked.
pub fn move_run(
    lock: &mut JournalLock,
    from: &LockProof,
    tree: &WorkTreeDir,
    to: &LockProof,
) -> Result<RunDir, FileError> {
    let run = lock.run().clone();
    let disk = run.disk();
    from.check(&run.work_tree())?;
    files::create_lasting_directories(disk, tree.path())?;
    to.check(tree)?;
    let moved = RunDir::below(disk, tree.path(), run.run().clone(), run.started());
    disk.rename(run.path(), moved.path()).map_err(FileError::of("move", run.path()))?;
    lock.move_to(moved.clone());
    files::sync_directory(disk, tree.path())?;
    files::sync_directory(disk, run.work_tree().path())?;
    Ok(moved)
}
