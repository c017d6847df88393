//! Fingerprints files by their names and either their sizes and times or their contents.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Instant;

use crate::fnv_hasher::FnvHasher;
use crate::work_tree::file_content::content;
use crate::work_tree::own_paths::OwnPaths;

/// Adds files to a hash.
pub(crate) struct FileTreeHasher<'a> {
    hasher: &'a mut FnvHasher,
    /// Paths that are skipped.
    own_paths: &'a OwnPaths,
    deadline: Instant,
    comparison: FileComparison<'a>,
}

/// How files are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileComparison<'a> {
    /// By size and time, which is fast.
    Times,
    /// By size and time, but below this directory by content.
    TimesExcept(&'a Path),
    /// By content. A file that is rewritten with the same content is equal.
    Contents,
}

impl<'a> FileTreeHasher<'a> {
    pub(crate) const fn new(
        hasher: &'a mut FnvHasher,
        own_paths: &'a OwnPaths,
        deadline: Instant,
        comparison: FileComparison<'a>,
    ) -> Self {
        Self { hasher, own_paths, deadline, comparison }
    }

    /// Adds all files below a directory. An unreadable entry is added as such.
    pub(crate) fn directory(&mut self, directory: &Path) -> io::Result<()> {
        let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        entries.iter().try_for_each(|entry| self.entry(&entry.path()))
    }

    /// Adds a file, or a directory and all files below it.
    pub(crate) fn entry(&mut self, path: &Path) -> io::Result<()> {
        if Instant::now() >= self.deadline {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "there are too many files"));
        }
        if self.own_paths.contains(path) {
            return Ok(());
        }
        // Links are not followed, and files that vanish meanwhile are skipped.
        let metadata = fs::symlink_metadata(path);
        if matches!(&metadata, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            return Ok(());
        }
        self.hasher.update(path.as_os_str().as_bytes());
        self.hasher.update(b"\0");
        let taken = metadata.and_then(|metadata| {
            if metadata.is_dir() {
                return self.directory(path);
            }
            match self.comparison {
                FileComparison::TimesExcept(directory) if path.starts_with(directory) => {
                    self.content(path);
                }
                FileComparison::Times | FileComparison::TimesExcept(_) => {
                    self.hasher.update(&metadata.size().to_le_bytes());
                    self.hasher.update(&metadata.mtime().to_le_bytes());
                    self.hasher.update(&metadata.mtime_nsec().to_le_bytes());
                }
                FileComparison::Contents => self.content(path),
            }
            Ok(())
        });
        match taken {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(error),
            Err(_) => {
                self.hasher.update(b"not readable");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn content(&mut self, path: &Path) {
        let content = content(path).unwrap_or_default();
        self.hasher.update(content.as_bytes());
        self.hasher.update(b"\0");
    }
}
