//! An open directory.

use std::ffi::CStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::database::DatabaseError;
use crate::database::locate::link_to_nothing;

const A_LINK: &str = "is a symbolic link, which is not followed";

/// An open directory. Its files are reached through the handle, and never through a link.
#[derive(Debug)]
pub(crate) struct DirectoryHandle {
    handle: File,
    path: PathBuf,
}

/// The kind of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A directory, a pipe or the like.
    Other,
    /// The directory does not report it.
    Unknown,
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Symlink => Self::Link,
            FileType::Unknown => Self::Unknown,
            _ => Self::Other,
        }
    }
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileReadError {
    #[error("does not exist")]
    Gone,
    /// A symbolic link.
    #[error("{A_LINK}")]
    Link,
    /// A directory, a pipe or the like.
    #[error("is not a regular file")]
    NotAFile,
    /// The system refused.
    #[error("cannot be read: {0}")]
    Refused(#[from] io::Error),
}

impl DirectoryHandle {
    /// Opens a directory, also through links: the user chooses where the database is. `None` if it
    /// does not exist.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, DatabaseError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match openat(CWD, path, flags, Mode::empty()) {
            Ok(handle) => Ok(Some(Self { handle: handle.into(), path: path.to_owned() })),
            Err(Errno::NOENT) => match link_to_nothing(path) {
                Some(link) => {
                    let why = "is a symbolic link that leads nowhere";
                    Err(DatabaseError::NotAFolder { path: link.to_owned(), why })
                }
                None => Ok(None),
            },
            Err(error) => Err(DatabaseError::of("open", path)(error)),
        }
    }

    /// Opens a directory so that nothing in it can be synced.
    #[cfg(all(test, target_os = "linux"))]
    pub(crate) fn open_without_sync(path: &Path) -> io::Result<Self> {
        let handle = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { handle: handle.into(), path: path.to_owned() })
    }

    /// Opens a subdirectory; `None` if it does not exist.
    pub(crate) fn folder(&self, name: &str) -> Result<Option<Self>, DatabaseError> {
        let path = self.path_of(name);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        match openat(self, name, flags, Mode::empty()) {
            Ok(handle) => Ok(Some(Self { handle: handle.into(), path })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => {
                let is_link = self.stat(name).is_ok_and(|stat| kind_of(&stat) == Kind::Link);
                let why = if is_link { A_LINK } else { "is not a directory" };
                Err(DatabaseError::NotAFolder { path, why })
            }
            Err(error) => Err(DatabaseError::of("open", &path)(error)),
        }
    }

    /// Where it was when it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of something in it, for messages.
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The handle itself.
    pub(crate) fn handle(&self) -> &File {
        &self.handle
    }

    /// The directory, opened once more: a lock on this handle is another one.
    pub(crate) fn opened_again(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(openat(self, ".", flags, Mode::empty())?.into())
    }

    /// Calls `show` with the name and the kind of every entry, except `.` and `..`.
    pub(crate) fn each_entry(&self, mut show: impl FnMut(&CStr, Kind)) -> io::Result<()> {
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                show(entry.file_name(), entry.file_type().into());
            }
        }
        Ok(())
    }

    /// Opens a file for reading. Its kind is queried only if the directory does not report it.
    ///
    /// Opening does not block, even if `x.md` is a pipe.
    pub(crate) fn file(&self, name: impl Arg, kind: Kind) -> Result<File, FileReadError> {
        match kind {
            Kind::File | Kind::Unknown => {}
            Kind::Link => return Err(FileReadError::Link),
            Kind::Other => return Err(FileReadError::NotAFile),
        }
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = match openat(self, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Err(FileReadError::Gone),
            Err(Errno::LOOP) => return Err(FileReadError::Link),
            // A socket.
            Err(Errno::NXIO) => return Err(FileReadError::NotAFile),
            Err(error) => return Err(FileReadError::Refused(error.into())),
        };
        let is_regular =
            kind == Kind::File || kind_of(&fstat(&file).map_err(io::Error::from)?) == Kind::File;
        if is_regular { Ok(file.into()) } else { Err(FileReadError::NotAFile) }
    }

    /// Reads a whole file.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>, FileReadError> {
        let mut bytes = Vec::new();
        self.file(name, Kind::Unknown)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The metadata of an entry; of a link itself.
    pub(crate) fn stat(&self, name: &str) -> Result<Stat, Errno> {
        statat(self, name, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// The permissions of a file; `None` if it does not exist.
    pub(crate) fn permissions_of(&self, name: &str) -> Option<Mode> {
        let stat = self.stat(name).ok()?;
        let is_file = kind_of(&stat) == Kind::File;
        is_file.then(|| Mode::from_raw_mode(stat.st_mode) & (Mode::RWXU | Mode::RWXG | Mode::RWXO))
    }
}

fn kind_of(stat: &Stat) -> Kind {
    FileType::from_raw_mode(stat.st_mode).into()
}

impl AsFd for DirectoryHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// Creates a directory and its missing parents, and makes them durable.
pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    if let Some(above) = above {
        create_folders(above)?;
    }
    match fs::create_dir(path) {
        // Another process may have created it meanwhile.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        created => created,
    }?;
    sync_parent(above.unwrap_or(Path::new(".")))
}

/// Syncs a directory above the database, unless that is not permitted or not supported.
fn sync_parent(directory: &Path) -> io::Result<()> {
    use ErrorKind::{InvalidInput, NotFound, PermissionDenied, Unsupported};
    match File::open(directory).and_then(|directory| directory.sync_all()) {
        Err(error)
            if matches!(error.kind(), InvalidInput | NotFound | PermissionDenied | Unsupported) =>
        {
            Ok(())
        }
        synced => synced,
    }
}
