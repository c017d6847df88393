//! Files and directories that are nobody else's business.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::FileError;

const PRIVATE_DIRECTORY: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

/// Creates a directory and those above it that are missing.
pub(crate) fn create_directories(path: &Path) -> Result<(), FileError> {
    DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE_DIRECTORY)
        .create(path)
        .map_err(FileError::of("create", path))
}

/// Creates a directory that must not be there yet.
pub(crate) fn create_directory(path: &Path) -> Result<(), FileError> {
    let builder = &mut DirBuilder::new();
    builder.mode(PRIVATE_DIRECTORY).create(path).map_err(FileError::of("create", path))
}

/// Creates a file to append to, which must not be there yet.
pub(crate) fn create_to_append(path: &Path) -> Result<File, FileError> {
    let mut options = OpenOptions::new();
    options.create_new(true).append(true).mode(PRIVATE_FILE);
    options.open(path).map_err(FileError::of("create", path))
}

/// Opens a file to append to.
pub(crate) fn open_to_append(path: &Path) -> Result<File, FileError> {
    OpenOptions::new().append(true).open(path).map_err(FileError::of("open", path))
}

/// Opens a file to read and change it, and creates it if there is none.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(PRIVATE_FILE).open(path)
}

/// Writes a file, whatever was in it before.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(PRIVATE_FILE);
    let written = options.open(path).and_then(|mut file| file.write_all(content));
    written.map_err(FileError::of("write", path))
}

/// Puts a file in the place of another, so that whoever reads it finds either the old or the new one.
/// A power failure may lose both, so this is not for what cannot be made again.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let temporary = temporary_beside(path);
    let replaced = fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    replaced.map_err(|error| {
        // What cannot be removed is written over by the next one.
        let _ = fs::remove_file(&temporary);
        FileError::of("write", path)(error)
    })
}

/// Appends to a file with one call, and creates it if there is none.
pub(crate) fn append(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.and_then(|mut file| file.write_all(content)).map_err(FileError::of("write", path))
}

/// The name of a file that is not finished. There is one writer for each file.
fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

/// Makes sure that what is in a directory is still there after a power failure.
pub(crate) fn sync_directory(path: &Path) -> Result<(), FileError> {
    File::open(path).and_then(|directory| directory.sync_all()).map_err(FileError::of("sync", path))
}
