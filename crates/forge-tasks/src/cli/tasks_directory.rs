//! The directory of the tasks.

use std::path::{Path, PathBuf};

use super::args::NAME;
use super::cli_inputs::CliInputs;
use super::error::TasksCliError;
use crate::database::{self, Database, DatabaseWriter, TaskDirectory};

/// The directory of the tasks, which need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TasksDirectory {
    path: Option<PathBuf>,
    source: DirectorySource,
    /// The working directory.
    directory: PathBuf,
}

/// What determined the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DirectorySource {
    Option,
    Environment,
    Search,
}

impl TasksDirectory {
    /// The directory: `--dir`, `FORGE_TASKS_DIR`, or the nearest one.
    pub(crate) fn find(dir: Option<&Path>, inputs: &CliInputs<'_>) -> Self {
        let from = &inputs.directory;
        let (path, source) = match (dir, &inputs.environment.tasks) {
            (Some(dir), _) => (Some(from.join(dir)), DirectorySource::Option),
            (None, Some(dir)) => (Some(from.join(dir)), DirectorySource::Environment),
            (None, None) => (database::find(from), DirectorySource::Search),
        };
        Self { path, source, directory: from.clone() }
    }

    /// The database, if there is one, even if its config cannot be read.
    pub(crate) fn database_to_check(&self) -> Result<Option<Database>, TasksCliError> {
        Ok(self.path.as_deref().map(Database::open_leniently).transpose()?.flatten())
    }

    /// The database, if there is one.
    pub(crate) fn database(&self) -> Result<Option<Database>, TasksCliError> {
        Ok(self.path.as_deref().map(Database::open).transpose()?.flatten())
    }

    /// The database; an error if there is none.
    pub(crate) fn existing(&self) -> Result<Database, TasksCliError> {
        self.database()?.ok_or_else(|| TasksCliError::Wrong(self.nothing_here()))
    }

    /// The database for writing, if there is one.
    pub(crate) fn open_writer(&self) -> Result<Option<DatabaseWriter>, TasksCliError> {
        Ok(self.path.as_deref().map(DatabaseWriter::open_existing).transpose()?.flatten())
    }

    /// The database for writing; an error if there is none.
    pub(crate) fn writer(&self) -> Result<DatabaseWriter, TasksCliError> {
        self.open_writer()?.ok_or_else(|| TasksCliError::Wrong(self.nothing_here()))
    }

    /// The database for writing, created if there is none.
    pub(crate) fn created(&self) -> Result<DatabaseWriter, TasksCliError> {
        Ok(DatabaseWriter::open(&self.path_for_new())?)
    }

    /// The directories that are created with the database, the innermost first.
    pub(crate) fn missing_directories(&self) -> Vec<PathBuf> {
        let path = self.path_for_new();
        path.ancestors().take_while(|place| !place.exists()).map(Path::to_owned).collect()
    }

    /// Where the database is, or belongs.
    pub(crate) fn path_for_new(&self) -> PathBuf {
        let path = self.path.clone();
        path.unwrap_or_else(|| database::place_for_new(&self.directory))
    }

    /// A file, relative to the working directory.
    pub(crate) fn file(&self, database: &Path, directory: TaskDirectory, file: &str) -> String {
        self.shown(&database.join(directory.path_of(file)))
    }

    /// A path, relative to the working directory.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.directory).unwrap_or(path).display().to_string()
    }

    /// The message that there is no database, with the searched directories and a remedy.
    pub(crate) fn nothing_here(&self) -> String {
        let looked = match (&self.path, self.source) {
            (Some(path), DirectorySource::Option) => format!("at `{}` (`--dir`)", path.display()),
            (Some(path), DirectorySource::Environment) => {
                format!("at `{}` (FORGE_TASKS_DIR)", path.display())
            }
            _ => format!("here: no forge/tasks {}", self.searched()),
        };
        format!("there are no tasks {looked}; `{NAME} create` makes the first one")
    }

    /// The searched directories.
    fn searched(&self) -> String {
        let here = &self.directory;
        let place = database::place_for_new(here);
        let top = place.ancestors().nth(2).unwrap_or(here);
        match top == here {
            false => format!("from `{}` up to `{}`", here.display(), top.display()),
            true if here.join(".git").exists() => format!("in `{}`", here.display()),
            true => format!("in `{}`, and only repositories are searched upwards", here.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: Option<&str>, source: DirectorySource) -> TasksDirectory {
        TasksDirectory {
            path: path.map(PathBuf::from),
            source,
            directory: PathBuf::from("/home/ada/shop"),
        }
    }

    #[test]
    fn the_error_names_the_given_directory_and_the_first_command() {
        let said = [
            place(Some("/x"), DirectorySource::Option),
            place(Some("/y"), DirectorySource::Environment),
        ]
        .map(|place| place.nothing_here());
        insta::assert_snapshot!(said.join("\n"), @"
        there are no tasks at `/x` (`--dir`); `forge-tasks create` makes the first one
        there are no tasks at `/y` (FORGE_TASKS_DIR); `forge-tasks create` makes the first one
        ");
    }

    #[test]
    fn the_error_names_the_searched_directories() {
        let root = tempfile::tempdir().expect("there is a place for temporary files");
        let inner = root.path().join("shop/src");
        std::fs::create_dir_all(&inner).expect("it is ours");
        let said = |directory: &Path| {
            let place = TasksDirectory {
                directory: directory.to_owned(),
                ..place(None, DirectorySource::Search)
            };
            place.nothing_here().replace(&root.path().display().to_string(), "")
        };
        let outside = said(&inner);
        std::fs::create_dir(root.path().join("shop/.git")).expect("it is ours");
        let shop = inner.parent().expect("it is in it");
        insta::assert_snapshot!([outside, said(&inner), said(shop)].join("\n"), @"
        there are no tasks here: no forge/tasks in `/shop/src`, and only repositories are searched upwards; `forge-tasks create` makes the first one
        there are no tasks here: no forge/tasks from `/shop/src` up to `/shop`; `forge-tasks create` makes the first one
        there are no tasks here: no forge/tasks in `/shop`; `forge-tasks create` makes the first one
        ");
    }

    #[test]
    fn paths_are_shown_relative_to_the_current_directory() {
        let place = place(None, DirectorySource::Search);
        let shown = |database: &str, directory| place.file(Path::new(database), directory, "a.md");
        assert_eq!(shown("/home/ada/shop/forge/tasks", TaskDirectory::Tasks), "forge/tasks/a.md");
        let archived = shown("/home/ada/shop/forge/tasks", TaskDirectory::Archive);
        assert_eq!(archived, "forge/tasks/archive/a.md");
        assert_eq!(shown("/elsewhere", TaskDirectory::Tasks), "/elsewhere/a.md");
    }
}
