//! Clean rooms: temporary directories with the files of a commit and nothing else, as a clone on
//! another machine would have them. Git's directory of a room is our own: nothing in the agents'
//! repository except its objects, which are hashed again, and the names of its branches and tags
//! reaches a room.

mod clean_room_caches;
mod committed_files;
mod room_repository;

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forkhestra_core::machine::CleanRoomFailure;

use self::clean_room_caches::CleanRoomCaches;
pub(super) use self::clean_room_caches::{make_parent, relative_inside};
use self::committed_files::CommittedFiles;
use self::room_repository::RoomRepository;
pub(super) use self::room_repository::{
    UploadHistory, object_format, run_isolated, upload_command,
};
use super::GitSession;
use super::worktree_entries::{
    LOCK_FILE, ROOM_DIRECTORY, ROOM_REPOSITORY, remove_abandoned_rooms, remove_file,
    remove_other_rooms, remove_room, remove_tree,
};
use crate::repository::git_program::GitError;
use crate::work_tree::own_paths::real_path;

/// The clean room of a run. There is at most one at a time.
#[derive(Debug, Clone)]
pub(crate) struct CleanRooms {
    /// For files that outlive this process.
    persistent_directory: PathBuf,
    /// The current clean room. It is shared with the main thread, which clears it when the run
    /// ends.
    room: Arc<Mutex<Option<CleanRoomDir>>>,
    /// The repository from which rooms are made.
    repository: Arc<Mutex<RoomRepository>>,
}

#[derive(Debug)]
struct CleanRoomDir {
    path: PathBuf,
    /// The directory that all work trees of the agents' repository share. Older versions registered
    /// their rooms there.
    common: PathBuf,
    caches: CleanRoomCaches,
    /// Held as long as the clean room is used.
    _lock: File,
}

/// What a clean room is made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CleanRoomRequest<'a> {
    /// The working directory of agents.
    pub(crate) directory: &'a Path,
    /// Paths that are kept between clean rooms.
    pub(crate) keep: &'a [String],
    /// The commit with which the run began. Its links may leave the room.
    pub(crate) run_base: Option<&'a str>,
    /// The commit with which the step began.
    pub(crate) step_base: Option<&'a str>,
    /// Whether the files are needed that were committed since the step began.
    pub(crate) lists_changes: bool,
}

/// A clean room.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PreparedCleanRoom {
    /// The path in it that corresponds to the working directory of agents.
    pub(crate) work: PathBuf,
    /// The files below it that differ from the commit with which the step began, relative to it.
    /// `None` if that commit is lost, or if they were not requested.
    pub(crate) changes: Option<Vec<PathBuf>>,
    /// Notices for the operator.
    pub(crate) notices: Vec<String>,
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
    #[error(
        "the commit has a link that leaves the repository, and checks must not read through it: {0}; \
         commit the content instead of the link"
    )]
    OutsideLinks(String),
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
            Self::NoCommit | Self::NoDirectory(_) | Self::OutsideLinks(_) => {
                CleanRoomFailure::Work(why)
            }
            Self::NotInside(_) | Self::Git(_) | Self::Io(_) => CleanRoomFailure::Machine(why),
        }
    }
}

impl CleanRooms {
    pub(crate) fn new(kept: &Path) -> Self {
        let kept = real_path(kept);
        let repository = RoomRepository::new(kept.join(ROOM_REPOSITORY));
        Self {
            persistent_directory: kept,
            room: Arc::default(),
            repository: Arc::new(Mutex::new(repository)),
        }
    }

    /// Prepares a clean room from the current commit.
    pub(crate) fn prepare(
        &self,
        session: &GitSession<'_>,
        request: CleanRoomRequest<'_>,
    ) -> Result<PreparedCleanRoom, CleanRoomError> {
        let names = request.keep.iter().map(|name| relative_inside(name));
        let names: Vec<PathBuf> = names.collect::<Result<_, _>>()?;
        let head = session.head()?.ok_or(CleanRoomError::NoCommit)?;
        let top = &session.repository.top;
        let below = request.directory.strip_prefix(top).unwrap_or(Path::new(""));
        let kept = &self.persistent_directory;
        let path = kept.join(ROOM_DIRECTORY);
        let work = if below == Path::new("") { path.clone() } else { path.join(below) };
        let caches = CleanRoomCaches { work, store: kept.join("caches"), names };
        let common = real_path(&session.repository.common);
        session.git.prepare(|| self.begin(kept, &common, &caches))?;
        let made = self.create(session, &head, request, &caches);
        if made.is_err() {
            // Leftovers are removed with the next clean room, or when the run ends.
            let _ = session.git.prepare(|| self.clear());
        }
        made
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
        let _ = remove_other_rooms(kept);
        let (common, caches) = (common.to_owned(), caches.clone());
        *self.locked() = Some(CleanRoomDir { path, common, caches, _lock: lock });
        Ok(())
    }

    fn create(
        &self,
        session: &GitSession<'_>,
        head: &str,
        request: CleanRoomRequest<'_>,
        caches: &CleanRoomCaches,
    ) -> Result<PreparedCleanRoom, CleanRoomError> {
        let path = self.persistent_directory.join(ROOM_DIRECTORY);
        let mut repository = self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        let mut notices: Vec<String> = repository.update(session, head)?.into_iter().collect();
        repository.check_out(session, head, &path)?;
        let files = CommittedFiles::list(session, &path)?;
        let links = files.outside_links();
        if !links.is_empty() {
            let before = repository.links(session, request.run_base)?;
            notices.push(links.judge(&before).map_err(CleanRoomError::OutsideLinks)?);
        }
        notices.extend(files.notices());
        let below = caches.work.strip_prefix(&path).unwrap_or(Path::new(""));
        if !caches.work.is_dir() {
            return Err(CleanRoomError::NoDirectory(below.display().to_string()));
        }
        let changes = match request.lists_changes {
            true => repository.changes(session, request.step_base, head, below)?,
            false => None,
        };
        session.git.prepare(|| caches.bring())?;
        Ok(PreparedCleanRoom { work: caches.work.clone(), changes, notices })
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

    /// Removes everything except the kept paths, since the run is over.
    pub(crate) fn clear_all(&self) -> io::Result<()> {
        let cleared = self.clear();
        remove_tree(&self.persistent_directory.join(ROOM_REPOSITORY))?;
        cleared
    }

    fn locked(&self) -> MutexGuard<'_, Option<CleanRoomDir>> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
