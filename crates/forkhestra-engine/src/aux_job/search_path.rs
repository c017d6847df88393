//! The `PATH` of checks, hooks and set-ups.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::aux_job_command::is_executable;
use crate::launch::tools_directory::{DEFAULT_PATH, ToolsDirectory};

/// A path without programs.
const NO_DIRECTORY: &str = "/dev/null";

/// The directories of `PATH` that do not depend on the working directory: a relative or empty entry means the work tree,
/// in which an agent may put any program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchPath {
    directories: Vec<PathBuf>,
    /// The entries that are ignored.
    ignored: Vec<PathBuf>,
}

impl SearchPath {
    pub(crate) fn of(environment: &[(OsString, OsString)]) -> Self {
        let path = environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map_or(OsStr::new(DEFAULT_PATH), |(_, path)| path.as_os_str());
        let (directories, ignored) = env::split_paths(path).partition(|entry| entry.is_absolute());
        Self { directories, ignored }
    }

    /// The first executable file of a name.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        let mut found = self.directories.iter().map(|directory| directory.join(name));
        found.find(|path| is_executable(path))
    }

    /// The value of the variable, with the directory of forkhestra's own program first.
    pub(crate) fn variable(&self, tools: Option<&ToolsDirectory>) -> OsString {
        let tools = tools.map(ToolsDirectory::path);
        let all = tools.into_iter().chain(self.directories.iter().map(PathBuf::as_path));
        let parts: Vec<&OsStr> = all.map(Path::as_os_str).collect();
        if parts.is_empty() {
            // An empty value would mean the working directory.
            return NO_DIRECTORY.into();
        }
        parts.join(OsStr::new(":"))
    }

    /// The notice about ignored entries, if there are any.
    pub(crate) fn notice(&self) -> Option<String> {
        let name = |entry: &PathBuf| match entry.as_path() {
            empty if empty == Path::new("") => "an empty entry".to_owned(),
            entry => format!("`{}`", entry.display()),
        };
        let names: Vec<String> = self.ignored.iter().map(name).collect();
        (!names.is_empty()).then(|| {
            format!(
                "checks and hooks ignore the relative entries of PATH, which lead into the work tree: {}",
                names.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn search_path(path: &str) -> SearchPath {
        SearchPath::of(&[("PATH".into(), path.into())])
    }

    #[test]
    fn a_program_is_the_first_one_on_the_path_that_can_be_executed() {
        let temporary = tempfile::tempdir().expect("there is room");
        let (one, other) = (temporary.path().join("one"), temporary.path().join("other"));
        for (directory, mode) in [(&one, 0o644), (&other, 0o755)] {
            fs::create_dir(directory).expect("the place is ours");
            let bash = directory.join("bash");
            fs::write(&bash, "").expect("the place is ours");
            fs::set_permissions(&bash, fs::Permissions::from_mode(mode)).expect("it is ours");
        }
        let path = env::join_paths([&one, &other]).expect("no colon is in them");
        let path = path.to_str().expect("the place has a plain name");
        assert_eq!(search_path(path).find("bash"), Some(other.join("bash")));
        assert_eq!(search_path(path).find("sh"), None);
    }

    #[test]
    fn relative_entries_are_ignored_and_named() {
        let path = search_path("/a:.::bin:/b");
        assert_eq!(path.variable(None), "/a:/b");
        let notice = path.notice().expect("there are some");
        assert!(notice.ends_with(": `.`, an empty entry, `bin`"), "{notice}");
        assert_eq!(search_path("/a:/b").notice(), None);
        assert_eq!(search_path("").variable(None), NO_DIRECTORY);
        assert_eq!(SearchPath::of(&[]).variable(None), DEFAULT_PATH);
    }
}
