//! Writes files into a project directory. Existing files are changed only on request.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use forkhestra_engine::regular_file;
use tempfile::NamedTempFile;

/// The directory that is set up.
#[derive(Debug)]
pub(crate) struct InitDirectory<'a> {
    directory: &'a Path,
}

/// The outcome for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileOutcome {
    Created,
    /// Lines were added to the existing file.
    Extended,
    /// The existing file has a new content.
    Replaced,
    /// The existing file is unchanged.
    Kept,
}

/// A file that could not be written.
#[derive(Debug)]
pub(crate) struct FileWriteError {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

impl<'a> InitDirectory<'a> {
    /// Uses this directory for all files.
    pub(crate) fn new(directory: &'a Path) -> Self {
        Self { directory }
    }

    /// Writes a file atomically, unless it exists.
    pub(crate) fn create(&self, name: &str, text: &str) -> Result<FileOutcome, FileWriteError> {
        let path = self.directory.join(name);
        // A dangling link counts as an existing file.
        if path.symlink_metadata().is_ok() {
            return Ok(FileOutcome::Kept);
        }
        self.require_inside(name)?;
        create(&path, text).map_err(|source| FileWriteError { path, source })
    }

    /// Requires that no link leads a path out of the directory. A repository may bring one.
    pub(crate) fn require_inside(&self, name: &str) -> Result<(), FileWriteError> {
        let path = self.directory.join(name);
        let existing = path.ancestors().find(|place| place.symlink_metadata().is_ok());
        let real = existing.unwrap_or(self.directory).canonicalize();
        let is_inside = real.and_then(|real| Ok(real.starts_with(self.directory.canonicalize()?)));
        let checked = is_inside.and_then(|is_inside| match is_inside {
            true => Ok(()),
            false => Err(io::Error::other("a symbolic link leads out of the project")),
        });
        checked.map_err(|source| FileWriteError { path, source })
    }

    /// Writes a file atomically, whether or not it exists.
    pub(crate) fn replace(&self, name: &str, text: &str) -> Result<FileOutcome, FileWriteError> {
        self.require_inside(name)?;
        let path = self.directory.join(name);
        let exists = path.symlink_metadata().is_ok();
        // The target of a link is replaced, not the link.
        let target = path.canonicalize().unwrap_or_else(|_| path.clone());
        replace(&target, text).map_err(|source| FileWriteError { path, source })?;
        Ok(if exists { FileOutcome::Replaced } else { FileOutcome::Created })
    }

    /// Appends text to an existing file, atomically.
    pub(crate) fn append(&self, name: &str, text: &str) -> Result<FileOutcome, FileWriteError> {
        self.require_inside(name)?;
        let path = self.directory.join(name);
        let known = regular_file::read_text(&path)
            .map_err(|source| FileWriteError { path: path.clone(), source })?;
        let line_end = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
        self.replace(name, &format!("{known}{line_end}{text}"))?;
        Ok(FileOutcome::Extended)
    }

    /// Appends the lines that a file lacks. The file is created if it does not exist.
    pub(crate) fn add_lines(
        &self,
        name: &str,
        lines: &[&str],
    ) -> Result<FileOutcome, FileWriteError> {
        let path = self.directory.join(name);
        let failed = |source| FileWriteError { path: path.clone(), source };
        if path.exists() {
            self.require_inside(name)?;
        }
        let known = match regular_file::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
                return self.create(name, &text);
            }
            Err(error) => return Err(failed(error)),
        };
        let has = |line: &str| {
            known.split(|byte| *byte == b'\n').any(|l| l.trim_ascii() == line.as_bytes())
        };
        let missing: String =
            lines.iter().filter(|line| !has(line)).map(|line| format!("{line}\n")).collect();
        if missing.is_empty() {
            return Ok(FileOutcome::Kept);
        }
        let is_ended = known.is_empty() || known.ends_with(b"\n");
        let added = if is_ended { missing } else { format!("\n{missing}") };
        let file = fs::OpenOptions::new().append(true).open(&path);
        file.and_then(|mut file| file.write_all(added.as_bytes())).map_err(failed)?;
        Ok(FileOutcome::Extended)
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let file = write_temporary_beside(path, text)?;
    if let Ok(known) = fs::metadata(path) {
        file.as_file().set_permissions(known.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A temporary file with this text in the same directory.
fn write_temporary_beside(path: &Path, text: &str) -> io::Result<NamedTempFile> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    // The file gets the usual permissions, according to the user's umask.
    let mut file = tempfile::Builder::new()
        .prefix(".forkhestra-")
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

fn create(path: &Path, text: &str) -> io::Result<FileOutcome> {
    match write_temporary_beside(path, text)?.persist_noclobber(path) {
        Ok(_) => Ok(FileOutcome::Created),
        // Another process has created the file meanwhile.
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(FileOutcome::Kept),
        Err(error) => Err(error.error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_files_stay_unchanged() {
        let directory = tempfile::tempdir().expect("there is room");
        let target = InitDirectory::new(directory.path());
        assert_eq!(target.create("a/b.md", "ours").expect("there is room"), FileOutcome::Created);
        assert_eq!(target.create("a/b.md", "other").expect("it is there"), FileOutcome::Kept);
        let file = directory.path().join("a/b.md");
        assert_eq!(fs::read_to_string(&file).expect("it is text"), "ours");
        std::os::unix::fs::symlink("nowhere", directory.path().join("link")).expect("it is ours");
        assert_eq!(target.create("link", "ours").expect("it is there"), FileOutcome::Kept);
        assert!(!directory.path().join("nowhere").exists());
        let left: Vec<_> = fs::read_dir(directory.path().join("a")).expect("it is there").collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn replacing_and_appending_leave_no_other_file_and_keep_links() {
        let directory = tempfile::tempdir().expect("there is room");
        let target = InitDirectory::new(directory.path());
        let read = |name: &str| fs::read_to_string(directory.path().join(name)).expect("text");
        assert_eq!(target.replace("a/b.md", "one").expect("there is room"), FileOutcome::Created);
        assert_eq!(target.append("a/b.md", "two\n").expect("it is there"), FileOutcome::Extended);
        assert_eq!(read("a/b.md"), "one\ntwo\n");
        std::os::unix::fs::symlink("a/b.md", directory.path().join("link")).expect("it is ours");
        assert_eq!(target.replace("link", "three").expect("it is there"), FileOutcome::Replaced);
        assert_eq!(read("a/b.md"), "three");
        assert!(directory.path().join("link").is_symlink());
        let left: Vec<_> = fs::read_dir(directory.path().join("a")).expect("it is there").collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn lines_are_added_once_and_nothing_else_changes() {
        let directory = tempfile::tempdir().expect("there is room");
        let target = InitDirectory::new(directory.path());
        let file = directory.path().join("ignored");
        for (before, after, outcome) in [
            (None, "x/\ny/\n", FileOutcome::Created),
            (Some(""), "x/\ny/\n", FileOutcome::Extended),
            (Some("z\n"), "z\nx/\ny/\n", FileOutcome::Extended),
            (Some("z"), "z\nx/\ny/\n", FileOutcome::Extended),
            (Some(" y/ \r\n\nz\n"), " y/ \r\n\nz\nx/\n", FileOutcome::Extended),
            (Some("y/\nx/"), "y/\nx/", FileOutcome::Kept),
        ] {
            let _ = fs::remove_file(&file);
            if let Some(before) = before {
                fs::write(&file, before).expect("the place is ours");
            }
            assert_eq!(target.add_lines("ignored", &["x/", "y/"]).expect("there is room"), outcome);
            assert_eq!(fs::read_to_string(&file).expect("it is text"), after, "{before:?}");
        }
    }

    #[test]
    fn a_file_in_the_way_of_a_directory_is_named() {
        let directory = tempfile::tempdir().expect("there is room");
        fs::write(directory.path().join("forge"), "a file").expect("the place is ours");
        let error = InitDirectory::new(directory.path())
            .create("forge/x", "")
            .expect_err("it is in the way");
        assert_eq!(error.path, directory.path().join("forge/x"));
    }
}
