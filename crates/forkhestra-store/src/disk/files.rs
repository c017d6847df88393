//! Creates and changes files and directories.
//!
//! Files of a run are private to its user. Views for people have ordinary permissions.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::disk::file_error::FileError;
use crate::disk::{Disk, DiskFile, ExistingFile, OpenMode, WritePosition};

const PRIVATE_DIRECTORY: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;
/// The umask of the user applies.
const PUBLIC_DIRECTORY: u32 = 0o777;
const PUBLIC_FILE: u32 = 0o644;

/// Replaces a file atomically: readers see either the old or the new content. A power failure may
/// lose both, so this is only for content that can be regenerated.
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
        // A leftover is overwritten by the next call.
        let _ = disk.remove_file(&temporary);
        FileError::of("write", path)(error)
    })
}

/// Appends to a file with one call, and creates it if it is missing.
pub(crate) fn append(disk: &dyn Disk, path: &Path, content: &[u8]) -> Result<(), FileError> {
    let opening = OpenMode {
        before: ExistingFile::Anything,
        position: WritePosition::End,
        mode: PUBLIC_FILE,
    };
    let appended = disk.open(path, opening).and_then(|file| file.write_all(content));
    appended.map_err(FileError::of("write", path))
}

/// The name of the temporary file. Each file has only one writer.
fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

/// Creates a directory with ordinary permissions, unless it exists.
pub(crate) fn create_public_directory(disk: &dyn Disk, path: &Path) -> Result<(), FileError> {
    match disk.create_directory(path, PUBLIC_DIRECTORY) {
        Err(_) if path.is_dir() => Ok(()),
        created => created.map_err(FileError::of("create", path)),
    }
}

/// Creates a directory and its missing parents.
pub(crate) fn create_directories(disk: &dyn Disk, path: &Path) -> Result<(), FileError> {
    create_missing(disk, path, PRIVATE_DIRECTORY).map_err(FileError::of("create", path))
}

/// Creates a directory and its missing parents, and makes them survive a power failure.
///
/// Each directory is synced into its parent before anything is created in it. So if the last one
/// exists, those above it are durable, even if their creator was killed. Only the name of the last
/// one is not durable until its parent is synced.
pub(crate) fn create_lasting_directories(disk: &dyn Disk, path: &Path) -> Result<(), FileError> {
    create_lasting(disk, path).map_err(FileError::of("create", path))
}

fn create_lasting(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        create_lasting(disk, above)?;
        above.parent().map_or(Ok(()), |place| sync_parent(disk, place))?;
    }
    let created = disk.create_directory(path, PRIVATE_DIRECTORY);
    // Another process may have created it in the meantime.
    created.or_else(|error| if path.is_dir() { Ok(()) } else { Err(error) })
}

/// Syncs a directory above the state directory, unless that is not permitted or not supported.
/// Where directories cannot be synced, the journal cannot be either.
fn sync_parent(disk: &dyn Disk, directory: &Path) -> io::Result<()> {
    match disk.sync_directory(directory) {
        Err(error) if is_unsupported_sync(&error) => Ok(()),
        synced => synced,
    }
}

fn is_unsupported_sync(error: &io::Error) -> bool {
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
    // Another process may have created it in the meantime.
    .or_else(|error| if path.is_dir() { Ok(()) } else { Err(error) })
}

/// Creates a private directory. It must not exist.
pub(crate) fn create_directory(disk: &dyn Disk, path: &Path) -> Result<(), FileError> {
    disk.create_directory(path, PRIVATE_DIRECTORY).map_err(FileError::of("create", path))
}

/// Creates a file for appending. It must not exist.
pub(crate) fn create_to_append(
    disk: &dyn Disk,
    path: &Path,
) -> Result<Box<dyn DiskFile>, FileError> {
    open(disk, path, ExistingFile::Nothing, WritePosition::End)
        .map_err(FileError::of("create", path))
}

/// Opens an existing file for appending.
pub(crate) fn open_to_append(disk: &dyn Disk, path: &Path) -> Result<Box<dyn DiskFile>, FileError> {
    open(disk, path, ExistingFile::Something, WritePosition::End)
        .map_err(FileError::of("open", path))
}

/// Opens an existing file for writing at offsets.
pub(crate) fn open_to_change(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    open(disk, path, ExistingFile::Something, WritePosition::Anywhere)
}

/// Opens a file for writing at offsets, and creates it if it is missing.
pub(crate) fn open_or_create(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    open(disk, path, ExistingFile::Anything, WritePosition::Anywhere)
}

/// Creates a file. It must not exist.
pub(crate) fn create_new(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    open(disk, path, ExistingFile::Nothing, WritePosition::Anywhere)
}

/// Creates a file, or truncates an existing one.
pub(crate) fn create(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn DiskFile>> {
    open(disk, path, ExistingFile::Replaced, WritePosition::Anywhere)
}

/// Writes a file and replaces its content.
pub(crate) fn write(disk: &dyn Disk, path: &Path, content: &[u8]) -> Result<(), FileError> {
    let written = create(disk, path).and_then(|file| file.write_all(content));
    written.map_err(FileError::of("write", path))
}

/// Makes the entries of a directory survive a power failure.
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
        assert_eq!(first.permissions().mode() & 0o133, 0, "only the owner may change or run it");
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
    fn appended_text_comes_last_and_the_file_may_be_missing() {
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
