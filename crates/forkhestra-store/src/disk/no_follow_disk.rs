//! File operations that follow no symbolic link.
//!
//! Views are in the work tree, which agents can write to. A link there, at any part of the path and made at any moment,
//! must not lead a write of this process to another place. So each call opens the directory of the file first, without
//! following a link, and then works relative to that descriptor.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::real_disk::open_checked;
use super::untrusted_path::{UntrustedPath, open_error, require_regular};
use super::{Disk, DiskFile, OpenMode};

/// The disk of the operating system, on which no link is followed. Paths are absolute and canonical.
#[derive(Debug)]
pub struct NoFollowDisk;

/// The only instance.
pub static NO_FOLLOW_DISK: NoFollowDisk = NoFollowDisk;

#[cfg(target_os = "linux")]
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

impl Disk for NoFollowDisk {
    fn create_directory(&self, path: &Path, mode: u32) -> io::Result<()> {
        let (directory, name) = split(path)?;
        Ok(mkdirat(directory, name, Mode::from_raw_mode(mode))?)
    }

    fn open(&self, path: &Path, opening: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let (directory, name) = split(path)?;
        let open = |flags: OFlags, mode: u32| -> io::Result<File> {
            let (flags, mode) = (flags | OFlags::CLOEXEC, Mode::from_raw_mode(mode));
            Ok(retry_on_intr(|| openat(&directory, name, flags, mode))?.into())
        };
        Ok(Box::new(open_checked(path, opening, open)?))
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        let (directory, name) = split(path)?;
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        File::from(openat(directory, name, flags, Mode::empty())?).sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let ((directory, name), (new_directory, new_name)) = (split(from)?, split(to)?);
        Ok(renameat(directory, name, new_directory, new_name)?)
    }

    fn link(&self, path: &Path, second: &Path) -> io::Result<()> {
        let ((directory, name), (new_directory, new_name)) = (split(path)?, split(second)?);
        Ok(linkat(directory, name, new_directory, new_name, AtFlags::empty())?)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let (directory, name) = split(path)?;
        Ok(unlinkat(directory, name, AtFlags::empty())?)
    }
}

/// Opens a regular file for reading, without waiting and without following a link.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    let (directory, name) = split(path)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(directory, name, flags, Mode::empty());
    let file = File::from(opened.map_err(|error| open_error(path, error.into()))?);
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// The directory of a path, opened without following a link, and the name in it.
fn split(path: &Path) -> io::Result<(OwnedFd, &OsStr)> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    Ok((open_directory(directory)?, name))
}

#[cfg(target_os = "linux")]
fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};

    // An older kernel has no such call, and a container may forbid it. The other way also names the link.
    openat2(CWD, path, DIRECTORY, Mode::empty(), ResolveFlags::NO_SYMLINKS)
        .or_else(|_| open_step_by_step(path))
}

#[cfg(not(target_os = "linux"))]
fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    open_step_by_step(path)
}

/// Opens a directory, one component after the other.
fn open_step_by_step(path: &Path) -> io::Result<OwnedFd> {
    let start = if path.is_absolute() { "/" } else { "." };
    let mut directory = openat(CWD, start, DIRECTORY, Mode::empty())?;
    let mut reached = PathBuf::from(start);
    for component in path.components() {
        let name = match component {
            Component::RootDir | Component::CurDir => continue,
            Component::Normal(name) => name,
            Component::ParentDir | Component::Prefix(_) => {
                return Err(io::ErrorKind::InvalidInput.into());
            }
        };
        reached.push(name);
        let opened = openat(&directory, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
        directory = match opened {
            Ok(opened) => opened,
            Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) if is_link(&directory, name) => {
                return Err(UntrustedPath::Link(reached).into());
            }
            Err(error) => return Err(error.into()),
        };
    }
    Ok(directory)
}

fn is_link(directory: &OwnedFd, name: &OsStr) -> bool {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|found| rustix::fs::FileType::from_raw_mode(found.st_mode).is_symlink())
}
