//! Replaces a journal and keeps the old one. A kill at any moment leaves one of the two in place.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forkhestra_core::time::Timestamp;

use crate::disk::file_error::{FileError, found};
use crate::disk::files;
use crate::disk::reading;
use crate::disk::{Disk, DiskFile};
use crate::journal::journal_lock::{JournalLock, try_lock};
use crate::runs::run_dir::{RunDir, file_timestamp};
use crate::runs::state_root::entries;

/// The temporary name of the new journal.
const UNFINISHED_FILE: &str = "journal.repairing";
/// The prefix of the names of damaged journals.
const DAMAGED_PREFIX: &str = "journal.damaged-";

/// Replaces the content of a journal, and returns the path of the old one.
pub(super) fn replace(
    lock: &mut JournalLock,
    content: &[u8],
    now: Timestamp,
) -> Result<PathBuf, FileError> {
    let run = lock.run().clone();
    let (journal, unfinished) = (run.journal(), run.path().join(UNFINISHED_FILE));
    let disk = run.disk();
    let placed = write(disk, &unfinished, content).and_then(|file| {
        // The file is locked before it gets its final name, so that no other process can take it.
        try_lock(&*file).map_err(FileError::of("lock", &unfinished))?;
        let kept = keep(&run, now)?;
        disk.rename(&unfinished, &journal).map_err(FileError::of("replace", &journal))?;
        Ok((file, kept))
    });
    let (file, kept) = match placed {
        Ok(placed) => placed,
        Err(error) => {
            // A leftover is not a journal, and the next repair removes it first.
            let _ = disk.remove_file(&unfinished);
            return Err(error);
        }
    };
    lock.continue_with(file);
    files::sync_directory(disk, run.path())?;
    Ok(kept)
}

/// Writes and syncs a file before it gets its final name.
fn write(disk: &dyn Disk, path: &Path, content: &[u8]) -> Result<Box<dyn DiskFile>, FileError> {
    found(disk.remove_file(path)).map_err(FileError::of("remove", path))?;
    let file = files::create_to_append(disk, path)?;
    let written = file.write_all(content).and_then(|()| file.sync_data());
    written.map_err(FileError::of("write", path))?;
    Ok(file)
}

/// Adds a second name to the damaged journal, which it keeps when the first is taken over.
fn keep(run: &RunDir, now: Timestamp) -> Result<PathBuf, FileError> {
    let (journal, directory) = (&run.journal(), run.path());
    if let Some(kept) = earlier_copy(journal, directory)? {
        return Ok(kept);
    }
    numbered(DAMAGED_PREFIX, now, ".jsonl", run, |path| match run.disk().link(journal, path) {
        // Some file systems do not support hard links.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Ok(copy(run.disk(), journal, path)?)
        }
        linked => linked,
    })
}

/// Creates something with the first free name: `PREFIX` and the time, with a number if needed.
pub(super) fn numbered(
    prefix: &str,
    now: Timestamp,
    extension: &str,
    run: &RunDir,
    create: impl Fn(&Path) -> io::Result<()>,
) -> Result<PathBuf, FileError> {
    let mut name = format!("{prefix}{}", file_timestamp(now));
    let mut numbers = 2..;
    loop {
        let path = run.path().join(format!("{name}{extension}"));
        match create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(FileError::of("create", &path)(error)),
        }
        let number: u32 = numbers.next().unwrap_or(u32::MAX);
        name = format!("{prefix}{}-{number}", file_timestamp(now));
    }
}

/// The name from an earlier repair that was killed halfway, if there is one.
fn earlier_copy(journal: &Path, directory: &Path) -> Result<Option<PathBuf>, FileError> {
    let identity = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    let is_kept = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| name.starts_with(DAMAGED_PREFIX))
            && identity(path) == identity(journal)
    };
    Ok(entries(directory)?.into_iter().find(is_kept))
}

fn copy(disk: &dyn Disk, journal: &Path, path: &Path) -> Result<(), FileError> {
    let mut content = Vec::new();
    let read = reading::open(journal).and_then(|mut file| file.read_to_end(&mut content));
    read.map_err(FileError::of("read", journal))?;
    write(disk, path, &content).map(drop)
}
