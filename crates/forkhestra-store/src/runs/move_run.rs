//! A run whose work tree is at another place by now.

use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::journal::journal_lock::JournalLock;
use crate::runs::run_dir::RunDir;
use crate::runs::work_tree_dir::WorkTreeDir;
use crate::runs::work_tree_lock::LockProof;

/// Moves everything that is kept of a run to another work tree, where it is found from then on. It is
/// at one of the two places at every moment. Both work trees must be held.
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
