//! The temporary project of the demo.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::recording;

/// The initial files of the project.
const FILES: [(&str, &str); 4] = [
    ("forge/orch/specs/PLAN.md", include_str!("project/forge/orch/specs/PLAN.md")),
    ("forge/orch/specs/SPECS.md", include_str!("project/forge/orch/specs/SPECS.md")),
    ("forge/orch/specs/AGENTS.md", include_str!("project/forge/orch/specs/AGENTS.md")),
    ("tests/run.sh", include_str!("project/tests/run.sh")),
];

/// The command that tests the project.
pub(crate) const TESTS: &str = "sh tests/run.sh";

/// Date of the first commit. It is fixed, so that all commit ids are reproducible.
const FIRST_COMMIT_DATE: &str = "2026-11-15T08:00:00+00:00";

/// Git settings that make commits and files identical everywhere, regardless of the user's
/// settings.
const SETTINGS: [(&str, &str); 7] = [
    ("user.name", "forkhestra demo"),
    ("user.email", "demo@localhost"),
    ("commit.gpgsign", "false"),
    ("tag.gpgsign", "false"),
    ("core.autocrlf", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.excludesFile", ""),
];

/// A temporary directory with the project, its state directory and the recording.
#[derive(Debug)]
pub(crate) struct DemoProject {
    temporary: TempDir,
}

impl DemoProject {
    /// Creates everything that the demo needs.
    pub(crate) fn create() -> io::Result<Self> {
        let whole = tempfile::Builder::new().prefix("forkhestra-demo-").tempdir()?;
        let project = Self { temporary: whole };
        for (name, contents) in FILES {
            write(&project.directory().join(name), contents.as_bytes())?;
        }
        for (name, contents) in recording::FILES {
            write(&project.recording().join(name), contents)?;
        }
        project.git(&["init", "--quiet", "--template=", "--object-format=sha1", "-b", "main"])?;
        for (name, value) in SETTINGS {
            project.git(&["config", name, value])?;
        }
        project.git(&["add", "--all"])?;
        project.git(&["commit", "--quiet", "--no-verify", "-m", "Say what is wanted"])?;
        Ok(project)
    }

    /// The temporary directory, which is removed when this value is dropped.
    pub(crate) fn temporary_directory(&self) -> &Path {
        self.temporary.path()
    }

    /// The directory of the project.
    pub(crate) fn directory(&self) -> PathBuf {
        self.temporary.path().join("tea-timer")
    }

    /// The state directory of its runs.
    pub(crate) fn state(&self) -> PathBuf {
        self.temporary.path().join("state")
    }

    /// The directory of the recording that is played.
    pub(crate) fn recording(&self) -> PathBuf {
        self.temporary.path().join("recording")
    }

    /// Keeps the temporary directory.
    pub(crate) fn keep(&mut self) {
        self.temporary.disable_cleanup(true);
    }

    /// The commits, oldest first.
    pub(crate) fn log(&self) -> io::Result<String> {
        self.git(&["log", "--format=%h %s%d", "--decorate-refs=refs/tags", "--reverse"])
    }

    /// Runs the tests of the project and returns their output.
    pub(crate) fn test(&self) -> io::Result<String> {
        let output =
            Command::new("sh").args(["-c", TESTS]).current_dir(self.directory()).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn git(&self, args: &[&str]) -> io::Result<String> {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.directory()).args(args);
        let led = std::env::vars_os().map(|(name, _)| name);
        for name in led.filter(|name| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        command
            .env("GIT_AUTHOR_DATE", FIRST_COMMIT_DATE)
            .env("GIT_COMMITTER_DATE", FIRST_COMMIT_DATE);
        let output = command
            .output()
            .map_err(|error| io::Error::new(error.kind(), format!("git: {error}")))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(io::Error::other(format!("git {}: {}", args[0], stderr.trim())))
    }
}

fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, contents)
}
