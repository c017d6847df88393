//! Clean rooms: scratch work trees with nothing in them but what is committed.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forkhestra_core::machine::CleanRoomFailure;

use super::GitSession;
use super::worktree_entries::{LOCK, REASON, ROOM, remove_file, remove_room, remove_tree, sweep};
use crate::repository::git_program::GitError;
use crate::work_tree::own_paths::real;

/// What has git check out everything: whoever could leave out a part could leave out what fails.
const WHOLE: [&str; 2] = ["-c", "core.sparseCheckout=false"];

/// The clean room of a run, of which there is one at a time.
#[derive(Debug, Clone)]
pub(crate) struct CleanRooms {
    /// Where files outlive this process.
    kept: PathBuf,
    /// What is there now. Whoever ends the run takes it away, whatever is going on.
    room: Arc<Mutex<Option<CleanRoomDir>>>,
}

#[derive(Debug)]
struct CleanRoomDir {
    path: PathBuf,
    /// What all work trees of its repository share.
    common: PathBuf,
    caches: CleanRoomCaches,
    /// Locked for as long as the room is used.
    _lock: File,
}

/// What is kept from one room to the next.
#[derive(Debug, Clone)]
struct CleanRoomCaches {
    /// Where the work is in the room.
    work: PathBuf,
    /// Where they are meanwhile.
    store: PathBuf,
    /// Their names, relative to the work.
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
    /// Whether an agent can do something about it.
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
        Self { kept: kept.to_owned(), room: Arc::default() }
    }

    /// Makes a room of what is committed: the place in it where the directory of agents would be.
    pub(crate) fn prepare(
        &self,
        session: &GitSession<'_>,
        directory: &Path,
        keep: &[String],
    ) -> Result<PathBuf, CleanRoomError> {
        let names: Vec<PathBuf> = keep.iter().map(|name| inside(name)).collect::<Result<_, _>>()?;
        session.head()?.ok_or(CleanRoomError::NoCommit)?;
        let below = directory.strip_prefix(&session.repository.top).unwrap_or(Path::new(""));
        let kept = real(&self.kept);
        let path = kept.join(ROOM);
        let work = if below == Path::new("") { path.clone() } else { path.join(below) };
        let caches = CleanRoomCaches { work, store: kept.join("caches"), names };
        let common = real(&session.repository.common);
        session.git.prepare(|| self.begin(&kept, &common, &caches))?;
        let made = make(session, &path, &caches);
        if made.is_err() {
            // What could not be removed now is removed with the next room, or when the run ends.
            let _ = session.git.prepare(|| self.clear());
        }
        made.map(|()| caches.work)
    }

    /// Takes over, once what was left is gone: by us, if we were killed, or by others who were.
    fn begin(&self, kept: &Path, common: &Path, caches: &CleanRoomCaches) -> io::Result<()> {
        self.clear()?;
        let lock = lock(kept)?;
        let path = kept.join(ROOM);
        // Caches that cannot be kept cost no more than time.
        let _ = caches.save();
        remove_room(common, &path)?;
        // What others could not remove hinders nobody.
        let _ = sweep(common);
        let (common, caches) = (common.to_owned(), caches.clone());
        *self.locked() = Some(CleanRoomDir { path, common, caches, _lock: lock });
        Ok(())
    }

    /// Whether what is checked out has submodules, which are not.
    pub(crate) fn lacks_submodules(&self) -> bool {
        self.locked().as_ref().is_some_and(|room| room.path.join(".gitmodules").exists())
    }

    /// Takes the room away, if there is one.
    pub(crate) fn clear(&self) -> io::Result<()> {
        let mut held = self.locked();
        let Some(room) = held.as_ref() else { return Ok(()) };
        let saved = room.caches.save();
        remove_room(&room.common, &room.path)?;
        remove_file(&room.path.with_file_name(LOCK))?;
        *held = None;
        saved
    }

    fn locked(&self) -> MutexGuard<'_, Option<CleanRoomDir>> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has git make the room.
fn make(
    session: &GitSession<'_>,
    path: &Path,
    caches: &CleanRoomCaches,
) -> Result<(), CleanRoomError> {
    let mut reason = REASON.to_vec();
    reason.extend(path.with_file_name(LOCK).into_os_string().into_vec());
    let reason = OsString::from_vec(reason);
    let add = ["worktree", "add", "--quiet", "--detach", "--lock", "--reason"];
    let mut args: Vec<&OsStr> = WHOLE.iter().chain(&add).map(OsStr::new).collect();
    args.extend([&reason, path.as_os_str(), OsStr::new("HEAD")]);
    session.require_for_paths(&args)?;
    if !caches.work.is_dir() {
        let below = caches.work.strip_prefix(path).unwrap_or(&caches.work);
        return Err(CleanRoomError::NoDirectory(below.display().to_string()));
    }
    session.git.prepare(|| caches.bring())?;
    Ok(())
}

impl CleanRoomCaches {
    /// Puts everything into the room that was kept of the last one, but never over what is checked
    /// out.
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

    /// Takes everything out of the room that is to be kept.
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

/// Makes the directory for something, unless something else is in the way or leads elsewhere.
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

/// Whether what holds a path is really below a directory: links may lead elsewhere.
fn is_inside(root: &Path, path: &Path) -> bool {
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    let root = root.canonicalize().ok();
    parent.zip(root).is_some_and(|(parent, root)| parent.starts_with(root))
}

/// A name that cannot lead out of where it begins.
fn inside(name: &str) -> Result<PathBuf, CleanRoomError> {
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

/// Holds the lock that says that somebody uses the room.
fn lock(kept: &Path) -> io::Result<File> {
    fs::create_dir_all(kept)?;
    let path = kept.join(LOCK);
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let room = kept.join(ROOM);
                let message = format!("another process uses {}", room.display());
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Whoever swept may have removed the file before we had its lock.
        let is_there =
            |found: &fs::Metadata| file.metadata().is_ok_and(|own| own.ino() == found.ino());
        if fs::metadata(&path).is_ok_and(|found| is_there(&found)) {
            return Ok(file);
        }
    }
}
