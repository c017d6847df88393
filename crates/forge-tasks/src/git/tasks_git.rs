//! Calls of git in the directory of a database.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

/// Variables that a hook of git passes on. They would lead git to another repository, or to paths
/// that are relative to another directory.
const LEADING_ELSEWHERE: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
];

/// Settings of a repository can name commands, and an agent can write them. None of them runs.
const WITHOUT_COMMANDS: [&str; 4] =
    ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/// git in a directory that is in a repository.
#[derive(Debug, Clone)]
pub(crate) struct TasksGit {
    directory: PathBuf,
}

impl TasksGit {
    /// None if the directory is in no work tree.
    pub(crate) fn at(directory: &Path) -> Option<Self> {
        let directory = directory.canonicalize().ok()?;
        let is_inside = directory.ancestors().any(|place| place.join(".git").exists());
        is_inside.then_some(Self { directory })
    }

    /// The output of a call that succeeds; `None` if it fails or git cannot run.
    pub(crate) fn output<S: AsRef<OsStr>>(&self, args: &[S]) -> Option<Vec<u8>> {
        let output = self.command(args).stdin(Stdio::null()).output().ok()?;
        successful(output)
    }

    /// The output of a call as a line of text.
    pub(crate) fn line(&self, args: &[&str]) -> Option<String> {
        let text = String::from_utf8(self.output(args)?).ok()?;
        Some(text.trim_end_matches('\n').to_owned())
    }

    /// The output of a call that reads an input.
    pub(crate) fn answer(&self, args: &[&str], input: &[u8]) -> Option<Vec<u8>> {
        let mut command = self.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let mut stdin = child.stdin.take()?;
        // git may answer before it has read everything, so one thread writes and one reads.
        let (written, output) = thread::scope(|scope| {
            let writer = thread::Builder::new().spawn_scoped(scope, move || stdin.write_all(input));
            // Without a thread the input is closed, and git ends.
            let output = child.wait_with_output();
            (writer.is_ok(), output)
        });
        successful(output.ok().filter(|_| written)?)
    }

    fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut git = Command::new("git");
        git.current_dir(&self.directory).env("GIT_OPTIONAL_LOCKS", "0").stderr(Stdio::null());
        LEADING_ELSEWHERE.iter().for_each(|name| {
            git.env_remove(name);
        });
        git.args(WITHOUT_COMMANDS).args(args);
        git
    }
}

fn successful(output: Output) -> Option<Vec<u8>> {
    output.status.success().then_some(output.stdout)
}
