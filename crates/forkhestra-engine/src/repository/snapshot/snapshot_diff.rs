//! The difference between two snapshots: as a text, and the command that shows it.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::snapshot_reader::{SnapshotReadError, SnapshotReader};
use crate::repository::git_program::{GitOutputStart, GitQuery, OUR_SETTINGS};
use crate::repository::{GitSession, names, text};
use crate::work_tree::own_paths::real_path;

/// The pager of git if neither the user nor the environment names one.
const DEFAULT_PAGER: &str = "less";

/// The name by which git is told to use none.
const NO_PAGER: &str = "cat";

/// An order of files that names none: the file that the settings name may not be readable.
const NO_ORDER: &str = "-O/dev/null";

/// The timeout of a difference as a text.
const TEXT_TIMEOUT: Duration = Duration::from_secs(10);

/// The difference between two trees as a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffText {
    /// The output of `git diff`, with the contents of files as they are.
    pub bytes: Vec<u8>,
    /// Whether the end is missing.
    pub is_cut: bool,
}

/// A comparison of two trees.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotDiff<'a> {
    pub from: &'a str,
    pub to: &'a str,
    /// Options of `git diff`.
    pub options: &'a [&'a str],
    /// The paths to compare; all if empty.
    pub paths: &'a [OsString],
    /// The directory to which the paths are relative, if it is in the work tree.
    pub directory: &'a Path,
    pub pager: DiffPager<'a>,
}

/// Whether a difference is shown in a pager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffPager<'a> {
    Off,
    /// In the pager of this name, or in the one that the settings of the user or the environment
    /// name.
    On(Option<&'a OsStr>),
}

impl SnapshotReader {
    /// The command that shows a difference by `git diff`, in the pager of the user. Commands that
    /// settings of the repository name are not run: agents can change these settings.
    pub fn diff_command(&self, diff: SnapshotDiff<'_>) -> Result<Command, SnapshotReadError> {
        let session = self.session();
        let directory = real_path(diff.directory);
        let top = real_path(self.top());
        let directory = if directory.starts_with(&top) { directory } else { top };
        let args = ["diff", "--no-ext-diff", "--no-textconv", NO_ORDER].into_iter();
        let args = args.chain(diff.options.iter().copied()).chain([diff.from, diff.to, "--"]);
        let args: Vec<&OsStr> =
            args.map(OsStr::new).chain(diff.paths.iter().map(OsString::as_os_str)).collect();
        let settings = session.config()?.settings;
        let query = GitQuery {
            directory: &directory,
            args: &args,
            variables: &self.repository.leading,
            settings: &settings,
            input: &[],
            deadline: Instant::now(),
        };
        let mut command = Command::new(self.git.path().ok_or(SnapshotReadError::NoGit)?);
        command.args(OUR_SETTINGS.iter().flat_map(|setting| ["-c", *setting])).args(&args);
        command.env_clear().envs(self.git.variables(&query)).current_dir(&directory);
        match self.git.variable("LC_ALL") {
            Some(language) => command.env("LC_ALL", language),
            None => command.env_remove("LC_ALL"),
        };
        let pager = match diff.pager {
            DiffPager::Off => NO_PAGER.into(),
            DiffPager::On(Some(pager)) => pager.to_owned(),
            DiffPager::On(None) => self.pager()?,
        };
        // The variable has precedence over all settings.
        command.env("GIT_PAGER", pager);
        Ok(command)
    }

    /// The first `max_bytes` of the difference between two trees. Commands that settings name are not
    /// run.
    pub fn diff_text(
        &self,
        from: &str,
        to: &str,
        max_bytes: usize,
    ) -> Result<DiffText, SnapshotReadError> {
        if from == to {
            return Ok(DiffText::default());
        }
        let session = GitSession { deadline: Instant::now() + TEXT_TIMEOUT, ..self.session() };
        let args = ["diff", "--no-ext-diff", "--no-textconv", NO_ORDER].into_iter();
        let args = args.chain(["--no-color", "--submodule=short", from, to, "--"]);
        let args: Vec<&str> = args.collect();
        let GitOutputStart { bytes, is_cut } = session.require_start(&args, max_bytes)?;
        Ok(DiffText { bytes, is_cut })
    }

    /// The pager that git would use if the repository had no settings.
    fn pager(&self) -> Result<OsString, SnapshotReadError> {
        let args = ["config", "--null", "--show-scope", "--get-all", "core.pager"];
        let listed = self.session().query(&args)?.unwrap_or_default();
        let of_environment = || self.git.variable("PAGER").map(OsStr::to_owned);
        let pager = pager_of_user(&listed).map(OsString::from).or_else(of_environment);
        Ok(pager.unwrap_or_else(|| DEFAULT_PAGER.into()))
    }
}

/// The last value that is not of the repository, from a list of scope and value by turns. Ours is
/// that of the command line.
fn pager_of_user(listed: &[u8]) -> Option<String> {
    let mut parts = names(listed);
    let mut pager = None;
    while let (Some(scope), Some(value)) = (parts.next(), parts.next()) {
        if matches!(scope, b"system" | b"global") {
            pager = Some(text(value));
        }
    }
    pager
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_chooses_no_pager() {
        let listed = b"system\0more\0global\0less -R\0local\0evil\0command\0cat\0";
        assert_eq!(pager_of_user(listed).as_deref(), Some("less -R"));
        assert_eq!(pager_of_user(b"local\0evil\0worktree\0evil\0command\0cat\0"), None);
        assert_eq!(pager_of_user(b""), None);
    }
}
