//! Clean rooms: temporary work trees that contain only committed files.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forkhestra_core::machine::CleanRoomFailure;

use super::GitSession;
use super::worktree_entries::{
    LOCK_FILE, LOCK_REASON_PREFIX, ROOM_DIRECTORY, remove_abandoned_rooms, remove_file,
    remove_room, remove_tree,
};
use crate::repository::git_program::GitError;
use crate::work_tree::own_paths::real_path;

/// Checks out everything: a sparse checkout could leave out the files that fail.
const FULL_CHECKOUT: [&str; 2] = ["-c", "core.sparseCheckout=false"];

/// The clean room of a run. There is at most one at a time.
#[derive(Debug, Clone)]
pub(crate) struct CleanRooms {
    /// For files that outlive this process.
    persistent_directory: PathBuf,
    /// The current clean room. It is shared with the main thread, which clears it when the run
    /// ends.
    room: Arc<Mutex<Option<CleanRoomDir>>>,
}

#[derive(Debug)]
struct CleanRoomDir {
    path: PathBuf,
    /// The directory that all work trees of its repository share.
    common: PathBuf,
    caches: CleanRoomCaches,
    /// Held as long as the clean room is used.
    _lock: File,
}

/// Paths that are kept between clean rooms.
#[derive(Debug, Clone)]
struct CleanRoomCaches {
    /// The working directory inside the clean room.
    work: PathBuf,
    /// Where they are stored between clean rooms.
    store: PathBuf,
    /// Their names, relative to the working directory.
    names: Vec<PathBuf>,
}

/// Why there is no clean room.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CleanRoomError {
    #[error("there is no commit yet, and a clean room holds nothing but commits: commit first")]
    NoCommit,
    #[error("`{0}` is not committed, so that nothing can be checked there: commit it first")]
    NoDirectory(String),
    #[error("`{0}` cannot be kept: it must be a path inside the working directory, without `..`")]
    NotInside(String),
    #[error("a clean room cannot be made: {0}")]
    Git(#[from] GitError),
    #[error("a clean room cannot be made: {0}")]
    Io(#[from] io::Error),
}

impl CleanRoomError {
    /// Classifies the error by whether an agent can fix it.
    pub(crate) fn into_failure(self) -> CleanRoomFailure {
        let why = self.to_string();
        match self {
            Self::NoCommit | Self::NoDirectory(_) => CleanRoomFailure::Work(why),
            Self::NotInside(_) | Self::Git(_) | Self::Io(_) => CleanRoomFailure::Machine(why),
        }
    }
}

impl CleanRooms {
    pub(crate) fn new(kept: &Path) -> Self {
        Self { persistent_directory: kept.to_owned(), room: Arc::default() }
    }

    /// Prepares a clean room from the current commit. Returns the path in it that corresponds to
    /// the working directory of agents.
    pub(crate) fn prepare(
        &self,
        session: &GitSession<'_>,
        directory: &Path,
        keep: &[String],
    ) -> Result<PathBuf, CleanRoomError> {
        let names: Vec<PathBuf> =
            keep.iter().map(|name| relative_inside(name)).collect::<Result<_, _>>()?;
        session.head()?.ok_or(CleanRoomError::NoCommit)?;
        let below = directory.strip_prefix(&session.repository.top).unwrap_or(Path::new(""));
        let kept = real_path(&self.persistent_directory);
        let path = kept.join(ROOM_DIRECTORY);
        let work = if below == Path::new("") { path.clone() } else { path.join(below) };
        let caches = CleanRoomCaches { work, store: kept.join("caches"), names };
        let common = real_path(&session.repository.common);
        session.git.prepare(|| self.begin(&kept, &common, &caches))?;
        let made = create_room(session, &path, &caches);
        if made.is_err() {
            // Leftovers are removed with the next clean room, or when the run ends.
            let _ = session.git.prepare(|| self.clear());
        }
        made.map(|()| caches.work)
    }

    /// Takes the lock after removing leftovers of killed runs, this one or others.
    fn begin(&self, kept: &Path, common: &Path, caches: &CleanRoomCaches) -> io::Result<()> {
        self.clear()?;
        let lock = lock(kept)?;
        let path = kept.join(ROOM_DIRECTORY);
        // Lost caches only cost time.
        let _ = caches.save();
        remove_room(common, &path)?;
        // Leftovers of other runs do no harm.
        let _ = remove_abandoned_rooms(common);
        let (common, caches) = (common.to_owned(), caches.clone());
        *self.locked() = Some(CleanRoomDir { path, common, caches, _lock: lock });
        Ok(())
    }

    /// Whether the commit has submodules, which are not checked out.
    pub(crate) fn lacks_submodules(&self) -> bool {
        self.locked().as_ref().is_some_and(|room| room.path.join(".gitmodules").exists())
    }

    /// Removes the clean room, if there is one.
    pub(crate) fn clear(&self) -> io::Result<()> {
        let mut held = self.locked();
        let Some(room) = held.as_ref() else { return Ok(()) };
        let saved = room.caches.save();
        remove_room(&room.common, &room.path)?;
        remove_file(&room.path.with_file_name(LOCK_FILE))?;
        *held = None;
        saved
    }

    fn locked(&self) -> MutexGuard<'_, Option<CleanRoomDir>> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates the clean room by git.
fn create_room(
    session: &GitSession<'_>,
    path: &Path,
    caches: &CleanRoomCaches,
) -> Result<(), CleanRoomError> {
    let mut reason = LOCK_REASON_PREFIX.to_vec();
    reason.extend(path.with_file_name(LOCK_FILE).into_os_string().into_vec());
    let reason = OsString::from_vec(reason);
    let add = ["worktree", "add", "--quiet", "--detach", "--lock", "--reason"];
    let mut args: Vec<&OsStr> = FULL_CHECKOUT.iter().chain(&add).map(OsStr::new).collect();
    args.extend([&reason, path.as_os_str(), OsStr::new("HEAD")]);
    session.require(&args)?;
    if !caches.work.is_dir() {
        let below = caches.work.strip_prefix(path).unwrap_or(&caches.work);
        return Err(CleanRoomError::NoDirectory(below.display().to_string()));
    }
    session.git.prepare(|| caches.bring())?;
    Ok(())
}

impl CleanRoomCaches {
    /// Moves the kept paths into the clean room, but never over files that are checked out.
    fn bring(&self) -> io::Result<()> {
        for name in &self.names {
            let (from, to) = (self.store.join(name), self.work.join(name));
            let is_free = to.symlink_metadata().is_err();
            if is_free && from.symlink_metadata().is_ok() && make_parent(&self.work, &to)? {
                fs::rename(from, to)?;
            }
        }
        Ok(())
    }

    /// Moves the paths that are to be kept out of the clean room.
    fn save(&self) -> io::Result<()> {
        for name in &self.names {
            let (from, to) = (self.work.join(name), self.store.join(name));
            if from.symlink_metadata().is_err() || !is_inside(&self.work, &from) {
                continue;
            }
            if to.is_dir() && !to.is_symlink() {
                remove_tree(&to)?;
            } else {
                remove_file(&to)?;
            }
            if make_parent(&self.store, &to)? {
                fs::rename(from, to)?;
            }
        }
        Ok(())
    }
}

/// Creates the parent directory of a path. `false` if a file is in the way or a link leads
/// elsewhere.
fn make_parent(root: &Path, path: &Path) -> io::Result<bool> {
    fs::create_dir_all(root)?;
    let parent = path.parent().unwrap_or(root);
    let existing = parent.ancestors().find(|place| place.symlink_metadata().is_ok());
    let existing = existing.unwrap_or(root);
    let is_usable = existing.is_dir() && is_inside(root, &existing.join("it"));
    if is_usable {
        fs::create_dir_all(parent)?;
    }
    Ok(is_usable)
}

/// Whether the parent of a path is really below a directory: links may lead elsewhere.
fn is_inside(root: &Path, path: &Path) -> bool {
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    let root = root.canonicalize().ok();
    parent.zip(root).is_some_and(|(parent, root)| parent.starts_with(root))
}

/// A relative path that cannot leave its directory.
fn relative_inside(name: &str) -> Result<PathBuf, CleanRoomError> {
    let components = Path::new(name).components().filter(|part| *part != Component::CurDir);
    let parts: Option<PathBuf> = components
        .map(|part| match part {
            Component::Normal(part) => Some(part),
            _ => None,
        })
        .collect();
    let is_some = |path: &PathBuf| !path.as_os_str().is_empty();
    parts.filter(is_some).ok_or_else(|| CleanRoomError::NotInside(name.to_owned()))
}

/// Takes the lock that marks the clean room as used.
fn lock(kept: &Path) -> io::Result<File> {
    fs::create_dir_all(kept)?;
    let path = kept.join(LOCK_FILE);
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let room = kept.join(ROOM_DIRECTORY);
                let message = format!("another process uses {}", room.display());
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // A sweep may have removed the file before it was locked.
        let is_there =
            |found: &fs::Metadata| file.metadata().is_ok_and(|own| own.ino() == found.ino());
        if fs::metadata(&path).is_ok_and(|found| is_there(&found)) {
            return Ok(file);
        }
    }
}
