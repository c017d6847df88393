//! File operations with errors that name the path.

use std::fs;
use std::io;
use std::path::Path;

use crate::error::{Error, Result};

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(failing("read", path))
}

/// The text of a file, or `None` if it does not exist.
pub fn read_text_if_any(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failing("read", path)(error)),
    }
}

/// Writes a file, and creates its folder.
pub fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    fs::write(path, text).map_err(failing("write", path))
}

/// Copies a file.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).map_err(failing("copy to", to))
}

/// The size of a file in bytes.
pub fn size(path: &Path) -> Result<u64> {
    fs::metadata(path).map(|metadata| metadata.len()).map_err(failing("look at", path))
}

/// Creates a folder and its parents.
pub fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(failing("create", path))
}

/// Adds the action and the path to an IO error.
pub fn failing(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::File { action, path, source }
}
