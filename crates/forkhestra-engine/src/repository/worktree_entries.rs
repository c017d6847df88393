//! Finds and removes clean rooms, and git's entries for those of older versions, which were work trees
//! of the agents' repository. It does not run git, so that it works even after the run has stopped
//! starting processes.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::work_tree::file_content::is_missing;

/// The prefix of the lock reason that git stores for a clean room of an older version. The path of
/// the lock file follows.
pub(super) const LOCK_REASON_PREFIX: &[u8] = b"forkhestra checks here: ";

/// The name of the clean room in the directory of its run.
pub(super) const ROOM_DIRECTORY: &str = "room";

/// The name of the repository from which clean rooms are made.
pub(super) const ROOM_REPOSITORY: &str = "room.git";

/// The repository with the objects of clean rooms, in the directory that outlives this process.
pub(crate) fn room_repository(kept: &Path) -> PathBuf {
    kept.join(ROOM_REPOSITORY)
}

/// The name of the lock file of the clean room.
pub(super) const LOCK_FILE: &str = "room.lock";

/// Git's entry for a work tree.
struct WorktreeEntry {
    path: PathBuf,
    /// Our lock file, or `None` if it is not a clean room.
    lock: Option<PathBuf>,
    /// The path of the work tree, or `None` if git was killed before it wrote the path.
    work_tree: Option<PathBuf>,
}

/// Removes a clean room, if it exists, and git's entry for it.
pub(super) fn remove_room(common: &Path, room: &Path) -> io::Result<()> {
    let entries = entries(common)?;
    remove_tree(room)?;
    let lock = room.with_file_name(LOCK_FILE);
    let is_its = |entry: &&WorktreeEntry| {
        entry.work_tree.as_deref() == Some(room) || entry.lock.as_deref() == Some(&lock)
    };
    entries.iter().filter(is_its).try_for_each(|entry| remove_tree(&entry.path))
}

/// Removes clean rooms of runs that were killed and not resumed.
pub(super) fn remove_abandoned_rooms(common: &Path) -> io::Result<()> {
    for entry in entries(common)? {
        let Some(lock) = &entry.lock else { continue };
        let room = lock.with_file_name(ROOM_DIRECTORY);
        let is_room = entry.work_tree.as_ref().is_none_or(|place| *place == room);
        let Some(_held) = take(lock)?.filter(|_| is_room) else { continue };
        remove_tree(&room)?;
        remove_tree(&entry.path)?;
        remove_file(lock)?;
    }
    Ok(())
}

/// Removes the clean rooms of other runs of the same project that were killed and not resumed. The
/// directory is the one in which a run keeps its room; those of other runs have the same name.
pub(super) fn remove_other_rooms(kept: &Path) -> io::Result<()> {
    let places = kept.file_name().zip(kept.parent().and_then(Path::parent));
    let Some((name, runs)) = places else { return Ok(()) };
    for entry in fs::read_dir(runs)? {
        let other = entry?.path().join(name);
        let lock = other.join(LOCK_FILE);
        let is_there = |name: &str| other.join(name).symlink_metadata().is_ok();
        // A run that was killed while an agent worked has no room, but the repository for rooms.
        if other == kept || !(is_there(LOCK_FILE) || is_there(ROOM_REPOSITORY)) {
            continue;
        }
        // A run that still goes on makes its repository again.
        let created = File::options().create(true).truncate(false).write(true).open(&lock);
        drop(created?);
        let Some(_held) = take(&lock)? else { continue };
        remove_tree(&other.join(ROOM_DIRECTORY))?;
        remove_tree(&other.join(ROOM_REPOSITORY))?;
        remove_file(&lock)?;
    }
    Ok(())
}

/// A lock that no other process holds.
enum ReclaimedLock {
    /// This process holds it now.
    Ours { _file: File },
    /// The lock file does not exist.
    Nothing,
}

fn take(lock: &Path) -> io::Result<Option<ReclaimedLock>> {
    let file = match File::open(lock) {
        Err(error) if is_missing(&error) => return Ok(Some(ReclaimedLock::Nothing)),
        file => file?,
    };
    match file.try_lock() {
        Ok(()) => Ok(Some(ReclaimedLock::Ours { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn entries(common: &Path) -> io::Result<Vec<WorktreeEntry>> {
    let listed = match fs::read_dir(common.join("worktrees")) {
        Err(error) if is_missing(&error) => return Ok(Vec::new()),
        listed => listed?,
    };
    let mut entries = Vec::new();
    for entry in listed {
        let path = entry?.path();
        let line = |name: &str| {
            let mut bytes = fs::read(path.join(name)).ok()?;
            bytes.pop_if(|byte| *byte == b'\n');
            Some(bytes)
        };
        let lock = line("locked").and_then(|output| {
            let lock = output.strip_prefix(LOCK_REASON_PREFIX)?;
            Some(PathBuf::from(OsStr::from_bytes(lock)))
        });
        let lock = lock.filter(|lock| lock.is_absolute() && lock.ends_with(LOCK_FILE));
        let place = line("gitdir").map(|file| PathBuf::from(std::ffi::OsString::from_vec(file)));
        let place = place.and_then(|file| file.parent().map(Path::to_owned));
        entries.push(WorktreeEntry { path, lock, work_tree: place });
    }
    Ok(entries)
}

/// Removes a directory with its content, even without write permission. A missing directory is no
/// error.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    let removed = match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(path)?;
            fs::remove_dir_all(path)
        }
        removed => removed,
    };
    match removed {
        Err(error) if !is_missing(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Grants write permission for a directory and all below it: caches are often read-only.
fn make_writable(directory: &Path) -> io::Result<()> {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes a directory, a file or a link.
pub(crate) fn remove_any(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => remove_tree(path),
        _ => remove_file(path),
    }
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if !is_missing(&error) => Err(error),
        _ => Ok(()),
    }
}
