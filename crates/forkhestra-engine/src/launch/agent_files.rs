//! Files that an agent needs while it runs.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use forkhestra_core::id::UnitId;

use crate::launch::tools_directory::ToolsDirectory;

/// The name of the file that is an agent's standard input.
pub(crate) const STDIN: &str = "stdin";

/// Files that exist as long as this value. They are readable by the owner only.
#[derive(Debug)]
pub(crate) struct AgentFiles {
    directory: Option<PathBuf>,
    stdin: Option<File>,
    /// The directory with forkhestra's own program.
    pub(crate) tools: Option<ToolsDirectory>,
}

impl AgentFiles {
    /// No files at all.
    pub(crate) const fn none() -> Self {
        Self { directory: None, stdin: None, tools: None }
    }

    /// The directory of an agent's files.
    pub(crate) fn directory(scratch: &Path, unit: UnitId) -> PathBuf {
        let scratch = std::path::absolute(scratch).unwrap_or_else(|_| scratch.to_owned());
        let UnitId { step, iteration, attempt } = unit;
        scratch.join("agent").join(format!("{step}-{iteration}-{attempt}"))
    }

    /// Writes the files. They replace those of a run that was killed here.
    pub(crate) fn write(
        directory: &Path,
        files: &[(String, String)],
        stdin: Option<&str>,
    ) -> io::Result<Self> {
        if files.is_empty() && stdin.is_none() {
            return Ok(Self::none());
        }
        // The directory may not exist.
        let _ = fs::remove_dir_all(directory);
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        // From here on, dropping the value removes the files if something fails.
        let mut written = Self { directory: Some(directory.to_owned()), stdin: None, tools: None };
        for (name, content) in files {
            write_file(&directory.join(name), content)?;
        }
        if let Some(text) = stdin {
            let path = directory.join(STDIN);
            write_file(&path, text)?;
            written.stdin = Some(File::open(path)?);
        }
        Ok(written)
    }

    /// The standard input of the agent, if it has one.
    pub(crate) const fn stdin(&self) -> Option<&File> {
        self.stdin.as_ref()
    }
}

impl Drop for AgentFiles {
    fn drop(&mut self) {
        if let Some(directory) = &self.directory {
            // A directory that cannot be removed now is removed with the scratch directory when the
            // run is over.
            let _ = fs::remove_dir_all(directory);
        }
    }
}

fn write_file(path: &Path, content: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(content.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn unit() -> UnitId {
        UnitId { step: 1, iteration: 2, attempt: 3 }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[test]
    fn files_are_private_and_removed_afterwards() {
        let temporary = tempfile::tempdir().expect("there is room");
        let directory = AgentFiles::directory(temporary.path(), unit());
        let named = [("who.md".to_owned(), "You plan.".to_owned())];
        let files =
            AgentFiles::write(&directory, &named, Some("Plan!")).expect("the directory is ours");
        assert_eq!(mode(&directory), 0o700);
        assert_eq!(mode(&directory.join("who.md")), 0o600);
        assert_eq!(mode(&directory.join(STDIN)), 0o600);
        let mut read = String::new();
        let mut stdin = files.stdin().expect("there is something to read");
        stdin.read_to_string(&mut read).expect("it is text");
        assert_eq!(read, "Plan!");
        assert!(stdin.write(b"x").is_err(), "it is only to be read");
        drop(files);
        assert!(!directory.exists());
    }

    #[test]
    fn leftovers_of_a_killed_run_are_replaced() {
        let temporary = tempfile::tempdir().expect("there is room");
        let directory = AgentFiles::directory(temporary.path(), unit());
        fs::create_dir_all(&directory).expect("the directory is ours");
        fs::write(directory.join(STDIN), "old").expect("the directory is ours");
        let files = AgentFiles::write(&directory, &[], Some("new")).expect("it is ours");
        assert_eq!(fs::read_to_string(directory.join(STDIN)).expect("it is text"), "new");
        drop(files);
    }

    #[test]
    fn an_agent_without_files_creates_no_directory() {
        let temporary = tempfile::tempdir().expect("there is room");
        let directory = AgentFiles::directory(temporary.path(), unit());
        let files = AgentFiles::write(&directory, &[], None).expect("there is nothing to do");
        assert!(files.stdin().is_none());
        assert!(!temporary.path().join("agent").exists());
    }
}
