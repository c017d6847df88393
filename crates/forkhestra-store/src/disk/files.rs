//! How files and directories are created and changed.
//!
//! What belongs to a run is nobody else's business. What is written for people to look at is as
//! readable as any file of theirs.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::disk::file_error::FileError;
use crate::disk::{Disk, DiskFile, ExistingFile, OpenMode, WritePosition};

const PRIVATE_DIRECTORY: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;
/// The system takes away what people do not want others to do with their files.
const PUBLIC_DIRECTORY: u32 = 0o777;
const PUBLIC_FILE: u32 = 0o644;

/// Puts a file in the place of another, so that whoever reads it finds either the old or the new one.
/// A power failure may lose both, so this is not for what cannot be made again.
pub(crate) fn replace(disk: &dyn Disk, path: &Path, content: &[u8]) -> Result<(), FileError> {
    let temporary = temporary_beside(path);
    let opening = OpenMode {
        before: ExistingFile::Replaced,
        position: WritePosition::Anywhere,
        mode: PUBLIC_FILE,
    };
    let replaced = disk
        .open(&temporary, opening)
        .and_then(|file| file.write_all(content))
        .and_then(|()| disk.rename(&temporary, path));
    replaced.map_err(|error| {
        // What cannot be removed is written over by the next one.
        let _ = disk.remove_file(&temporary);
        FileError::of("write", path)(error)
    })
}

/// Appends to a file with one call, and creates it if there is none.
pub(crate) fn append(disk: &dyn Disk, path: &Path, content: &[u8]) -> Result<(), FileError> {
    let opening = OpenMode {
        before: ExistingFile::Anything,
        position: WritePosition::End,
        mode: PUBLIC_FILE,
    };
    let appended = disk.open(path, opening).and_then(|file| file.write_all(content));
    appended.map_err(FileError::of("write", path))
}

/// The name of a file that is not finished. There is one writer for each file.
fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

/// Creates a directory for people to look into, unless it is there.
pub(crate) fn create_public_directory(disk: &dyn Disk, path: &Path) -> Result<(), FileError> {
    match disk.create_directory(path, PUBLIC_DIRECTORY) {
        Err(_) if path.is_dir() => Ok(()),
        created => created.map_err(FileError::of("create", path)),
    }
}

/// Creates a directory and those above it that are missing.
pub(crate) fn create_directories(disk: &dyn Disk, path: &Path) -> Result<(), FileError> {
    create_missing(disk, path, PRIVATE_DIRECTORY).map_err(FileError::of("create", path))
}

/// Creates a directory and those above it that are missing, which are then there for good.
///
/// A directory is made to last before anything is created in it. So whoever finds the last one need
/// not care for those above it, also if its creator did not live long; only its own name is not safe
/// before the directory above it is synced.
pub(crate) fn create_lasting_directories(disk: &dyn Disk, path: &Path) -> Result<(), FileError> {
    create_lasting(disk, path).map_err(FileError::of("create", path))
}

fn create_lasting(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        create_lasting(disk, above)?;
        above.parent().map_or(Ok(()), |place| make_last(disk, place))?;
    }
    let created = disk.create_directory(path, PRIVATE_DIRECTORY);
    // Somebody else may have been faster.
    created.or_else(|error| if path.is_dir() { Ok(()) } else { Err(error) })
}

/// Makes sure that what is in a directory above ours is still there after a power failure, unless
/// that is not for us to do. Where no directory can be synced, the journal cannot be either.
fn make_last(disk: &dyn Disk, directory: &Path) -> io::Result<()> {
    match disk.sync_directory(directory) {
        Err(error) if is_not_for_us(&error) => Ok(()),
        synced => synced,
    }
}

fn is_not_for_us(error: &io::Error) -> bool {
    use ErrorKind::{InvalidInput, NotFound, PermissionDenied, Unsupported};
    matches!(error.kind(), InvalidInput | NotFound | PermissionDenied | Unsupported)
}

fn create_missing(disk: &dyn Disk, path: &Path, mode: u32) -> io::Result<()> {
    match disk.create_directory(path, mode) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let Some(above) = path.parent() else { return Err(error) };
            create_missing(disk, above, mode)?;
            disk.create_directory(path, mode)
        }
        created => created,
    }
    // Somebody else may have been faster.
    .or_else(|error| if path.is_dir() { Ok(()) } else { Err(error) })
}

/// Creates a directory that must not be there yet.
pub(crate) fn create_directory(disk: &dyn Disk, path: &Path) -> Result<(), FileError> {
    disk.create_directory(path, PRIVATE_DIRECTORY).map_err(FileError::of("create", path))
}

/// Creates a file to append to, which must not be there yet.
pub(crate) fn create_to_append(
    disk: &dyn Disk,
    path: &Path,
) -> Result<Box<dyn DiskFile>, FileError> {
    open(disk, path, ExistingFile::Nothing, WritePosition::End)
        .map_err(FileError::of("create", path))
}

/// Opens a file to append to.
pub(crate) fn open_to_append(disk: &dyn Disk, path: &Path) -> Result<Box<dyn DiskFile>, FileError> {
    open(disk, path, ExistingFile::Something, WritePosition::End)
        .map_err(FileError::of("open", path))
}

/// Opens a file to change it.
pub(crate) fn open_to_change(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    open(disk, path, ExistingFile::Something, WritePosition::Anywhere)
}

/// Opens a file to change it, and creates it if there is none.
pub(crate) fn open_or_create(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    open(disk, path, ExistingFile::Anything, WritePosition::Anywhere)
}

/// Creates a file that must not be there yet.
pub(crate) fn create_new(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    open(disk, path, ExistingFile::Nothing, WritePosition::Anywhere)
}

/// Creates a file, whatever was there before.
pub(crate) fn create(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    open(disk, path, ExistingFile::Replaced, WritePosition::Anywhere)
}

/// Writes a file, whatever was in it before.
pub(crate) fn write(disk: &dyn Disk, path: &Path, content: &[u8]) -> Result<(), FileError> {
    let written = create(disk, path).and_then(|file| file.write_all(content));
    written.map_err(FileError::of("write", path))
}

/// Makes sure that what is in a directory is still there after a power failure.
pub(crate) fn sync_directory(disk: &dyn Disk, path: &Path) -> Result<(), FileError> {
    disk.sync_directory(path).map_err(FileError::of("sync", path))
}

fn open(
    disk: &dyn Disk,
    path: &Path,
    before: ExistingFile,
    place: WritePosition,
) -> io::Result<Box<dyn DiskFile>> {
    disk.open(path, OpenMode { before, position: place, mode: PRIVATE_FILE })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;
    use crate::disk::SYSTEM;

    fn names(directory: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(directory).expect("it is there");
        entries.map(|entry| entry.expect("it can be read").file_name()).collect()
    }

    #[test]
    fn a_file_that_is_replaced_is_another_file_and_nothing_else_is_left() {
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("view.json");
        replace(&SYSTEM, &path, b"a long first version").expect("there is room");
        let first = fs::metadata(&path).expect("it is there");
        replace(&SYSTEM, &path, b"second").expect("there is room");
        assert_eq!(fs::read(&path).expect("it is there"), b"second");
        assert_ne!(fs::metadata(&path).expect("it is there").ino(), first.ino());
        assert_eq!(first.permissions().mode() & 0o600, 0o600);
        assert_eq!(first.permissions().mode() & 0o133, 0, "nobody else may change or run it");
        assert_eq!(names(directory.path()), ["view.json"]);
    }

    #[test]
    fn a_file_that_cannot_be_replaced_stays_and_nothing_else_is_left() {
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("view.json");
        fs::create_dir(&path).expect("there is room");
        let error = replace(&SYSTEM, &path, b"a file").expect_err("a directory stands there");
        assert_eq!((error.action, error.path.as_path()), ("write", path.as_path()));
        assert_eq!(names(directory.path()), ["view.json"]);
    }

    #[test]
    fn what_is_appended_comes_last_and_the_file_need_not_be_there() {
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("lines.jsonl");
        for line in ["one\n", "two\n"] {
            append(&SYSTEM, &path, line.as_bytes()).expect("there is room");
        }
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "one\ntwo\n");
        let nowhere = directory.path().join("nowhere").join("lines.jsonl");
        let error = append(&SYSTEM, &nowhere, b"one\n").expect_err("there is no directory");
        assert_eq!((error.action, error.path), ("write", nowhere));
    }
}
