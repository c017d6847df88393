//! Telling git to merge the files of a database field by field.
//!
//! An attribute in `.gitattributes` names the driver and is committed. The command of the driver is
//! in the config of each clone, which git does not copy.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::TasksGit;
use crate::document::Newline;

/// The command that git runs for each file that both sides changed.
pub const MERGE_DRIVER: &str = "forge-tasks merge-file %O %A %B %P";

/// The name of the driver.
const NAME: &str = "forge-tasks";
const DRIVER_KEY: &str = "merge.forge-tasks.driver";
const TITLE_KEY: &str = "merge.forge-tasks.name";
const TITLE: &str = "fields of task files";

/// What was set up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergeSetup {
    /// The outcome for `.gitattributes`; `None` if it was left alone.
    pub attributes: Option<AttributesFile>,
    /// Whether the command of the driver was written to the config of the repository.
    pub has_set_driver: bool,
    /// What was left alone although it differs, or failed: a line each.
    pub notes: Vec<String>,
}

/// The outcome for `.gitattributes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributesFile {
    Created,
    Extended,
    /// It had the line.
    Kept,
}

/// Sets up git to merge the files of a database. Outside a repository, without git, and for a
/// database that git ignores, nothing happens.
pub fn set_up_merging(database: &Path) -> MergeSetup {
    let mut setup = MergeSetup::default();
    let Some((git, place)) = versioned(database) else { return setup };
    match attribute(&git).as_deref() {
        Some(NAME) => setup.attributes = Some(AttributesFile::Kept),
        None | Some("unspecified") => match place.add_attribute() {
            Ok(outcome) => setup.attributes = Some(outcome),
            Err(why) => {
                let (path, line) = (place.attributes(), place.line());
                setup.notes.push(format!("cannot add `{line}` to {}: {why}", path.display()));
                return setup;
            }
        },
        Some(other) => {
            let tasks = place.prefix.trim_end_matches('/');
            setup.notes.push(format!(
                "git merges {tasks} with `{other}`, as its attribute `merge` says; that stays"
            ));
            return setup;
        }
    }
    match git.line(&["config", "--get", DRIVER_KEY]).as_deref() {
        Some(MERGE_DRIVER) => {}
        Some(other) => {
            setup.notes.push(format!("the git config {DRIVER_KEY} is `{other}`; that stays"));
        }
        None => {
            let set = |key, value| git.output(&["config", "--local", key, value]).is_some();
            setup.has_set_driver = set(TITLE_KEY, TITLE) && set(DRIVER_KEY, MERGE_DRIVER);
            if !setup.has_set_driver {
                setup.notes.push(format!("git refuses this: {}", command()));
            }
        }
    }
    setup
}

/// The command that this clone needs, if the repository names the driver and the clone lacks it.
pub fn missing_driver(database: &Path) -> Option<String> {
    let git = TasksGit::at(database)?;
    let is_named = attribute(&git)? == NAME;
    let is_missing = || git.line(&["config", "--get", DRIVER_KEY]).is_none();
    (is_named && is_missing()).then(command)
}

fn command() -> String {
    format!("git config {DRIVER_KEY} '{MERGE_DRIVER}'")
}

/// The attribute `merge` of the files of a database.
fn attribute(git: &TasksGit) -> Option<String> {
    let line = git.line(&["check-attr", "merge", "--", "TASK-1 - a.md"])?;
    Some(line.rsplit_once(": ")?.1.to_owned())
}

/// Where a database is in its repository.
struct VersionedPlace {
    top: PathBuf,
    /// The path of the database from the top, with a slash at its end.
    prefix: String,
}

/// The repository of a database. None if it is the top itself, whose other files are not ours.
fn versioned(database: &Path) -> Option<(TasksGit, VersionedPlace)> {
    let git = TasksGit::at(database)?;
    let top = PathBuf::from(git.line(&["rev-parse", "--show-toplevel"])?);
    let prefix = git.line(&["rev-parse", "--show-prefix"]).filter(|prefix| !prefix.is_empty())?;
    let is_ignored = git.output(&["check-ignore", "-q", "--", "TASK-1 - a.md"]).is_some();
    (!is_ignored).then_some((git, VersionedPlace { top, prefix }))
}

impl VersionedPlace {
    fn attributes(&self) -> PathBuf {
        self.top.join(".gitattributes")
    }

    /// The line of `.gitattributes`.
    fn line(&self) -> String {
        format!("{} merge={NAME}", pattern(&self.prefix))
    }

    /// Appends the line.
    fn add_attribute(&self) -> io::Result<AttributesFile> {
        let path = self.attributes();
        if path.is_symlink() {
            return Err(io::Error::other("it is a symbolic link, which git does not follow"));
        }
        let old = match fs::read(&path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let text = old.as_deref().unwrap_or_default();
        let newline = Newline::of(text).as_str();
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
        file.write_all(format!("{end}{}{newline}", self.line()).as_bytes())?;
        Ok(if old.is_some() { AttributesFile::Extended } else { AttributesFile::Created })
    }
}

/// The pattern for everything below a path, which is given with a slash at its end.
fn pattern(prefix: &str) -> String {
    let mut pattern = String::new();
    for char in prefix.chars() {
        if "*?[]\\".contains(char) {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern.push_str("**");
    let needs_quotes =
        pattern.starts_with(['#', '!', '"']) || pattern.contains(|c: char| c.is_whitespace());
    if !needs_quotes {
        return pattern;
    }
    format!("\"{}\"", pattern.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_means_the_path_as_it_is() {
        for (prefix, expected) in [
            ("forge/tasks/", "forge/tasks/**"),
            ("my work/tasks/", "\"my work/tasks/**\""),
            ("a*[b]/", "a\\*\\[b\\]/**"),
            ("#a b\\/", "\"#a b\\\\\\\\/**\""),
        ] {
            assert_eq!(pattern(prefix), expected);
        }
    }
}
