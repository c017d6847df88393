//! Writing files where none are: nothing that is there is ever changed.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The directory that is set up.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    directory: &'a Path,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was not there, and is now.
    Created,
    /// It was there, and lines were added to it.
    Extended,
    /// It is as it was.
    Kept,
}

/// A file that could not be written.
#[derive(Debug)]
pub(crate) struct NotWritten {
    /// The file.
    pub(crate) path: PathBuf,
    /// Why.
    pub(crate) source: io::Error,
}

impl<'a> Place<'a> {
    /// A place to write to.
    pub(crate) fn new(directory: &'a Path) -> Self {
        Self { directory }
    }

    /// Writes a file that is not there yet, whole or not at all.
    pub(crate) fn create(&self, name: &str, text: &str) -> Result<Outcome, NotWritten> {
        let path = self.directory.join(name);
        // A link that leads nowhere is something that is there as well.
        if path.symlink_metadata().is_ok() {
            return Ok(Outcome::Kept);
        }
        create(&path, text).map_err(|source| NotWritten { path, source })
    }

    /// Adds those lines to a file that it has not got, and makes the file if there is none.
    pub(crate) fn add_lines(&self, name: &str, lines: &[&str]) -> Result<Outcome, NotWritten> {
        let path = self.directory.join(name);
        let failed = |source| NotWritten { path: path.clone(), source };
        let known = match fs::read(&path) {
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
            return Ok(Outcome::Kept);
        }
        let is_ended = known.is_empty() || known.ends_with(b"\n");
        let added = if is_ended { missing } else { format!("\n{missing}") };
        let file = fs::OpenOptions::new().append(true).open(&path);
        file.and_then(|mut file| file.write_all(added.as_bytes())).map_err(failed)?;
        Ok(Outcome::Extended)
    }
}

fn create(path: &Path, text: &str) -> io::Result<Outcome> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    // As any other file: what the user lets others do with new files, they may do with this.
    let mut file = tempfile::Builder::new()
        .prefix(".forkhestra-")
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(Outcome::Created),
        // Somebody else was faster.
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(Outcome::Kept),
        Err(error) => Err(error.error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_as_it_is() {
        let directory = tempfile::tempdir().expect("there is room");
        let place = Place::new(directory.path());
        assert_eq!(place.create("a/b.md", "ours").expect("there is room"), Outcome::Created);
        assert_eq!(place.create("a/b.md", "other").expect("it is there"), Outcome::Kept);
        let file = directory.path().join("a/b.md");
        assert_eq!(fs::read_to_string(&file).expect("it is text"), "ours");
        std::os::unix::fs::symlink("nowhere", directory.path().join("link")).expect("it is ours");
        assert_eq!(place.create("link", "ours").expect("it is there"), Outcome::Kept);
        assert!(!directory.path().join("nowhere").exists());
        let left: Vec<_> = fs::read_dir(directory.path().join("a")).expect("it is there").collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn lines_are_added_once_and_nothing_else_changes() {
        let directory = tempfile::tempdir().expect("there is room");
        let place = Place::new(directory.path());
        let file = directory.path().join("ignored");
        for (before, after, outcome) in [
            (None, "x/\ny/\n", Outcome::Created),
            (Some(""), "x/\ny/\n", Outcome::Extended),
            (Some("z\n"), "z\nx/\ny/\n", Outcome::Extended),
            (Some("z"), "z\nx/\ny/\n", Outcome::Extended),
            (Some(" y/ \r\n\nz\n"), " y/ \r\n\nz\nx/\n", Outcome::Extended),
            (Some("y/\nx/"), "y/\nx/", Outcome::Kept),
        ] {
            let _ = fs::remove_file(&file);
            if let Some(before) = before {
                fs::write(&file, before).expect("the place is ours");
            }
            assert_eq!(place.add_lines("ignored", &["x/", "y/"]).expect("there is room"), outcome);
            assert_eq!(fs::read_to_string(&file).expect("it is text"), after, "{before:?}");
        }
    }

    #[test]
    fn a_file_in_the_way_of_a_directory_is_named() {
        let directory = tempfile::tempdir().expect("there is room");
        fs::write(directory.path().join("forge"), "a file").expect("the place is ours");
        let error =
            Place::new(directory.path()).create("forge/x", "").expect_err("it is in the way");
        assert_eq!(error.path, directory.path().join("forge/x"));
    }
}
