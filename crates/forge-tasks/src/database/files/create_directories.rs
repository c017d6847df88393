//! Creating the directory of tasks.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

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
    make_last(above.unwrap_or(Path::new(".")))
}

/// Syncs a directory above the database, unless that is not permitted or not supported.
fn make_last(directory: &Path) -> io::Result<()> {
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
