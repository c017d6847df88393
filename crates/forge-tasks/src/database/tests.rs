//! Tests with real directories, one file a matter.

mod configs;
mod counting;
mod exchanging;
mod finding;
mod initialising;
mod locking;
mod names;
mod racing;
mod reading;
mod refusing;
mod replacing;
mod writing;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Database, DatabaseWriter, DirectoryListing, StoredFile};
use crate::document::{FrontMatter, TaskDocument};
use crate::{IdQuery, TaskId};

/// A temporary directory of tasks.
struct TestDirectory {
    _above: TempDir,
    path: PathBuf,
}

impl TestDirectory {
    fn new() -> Self {
        let above = tempfile::tempdir().expect("there is a place for temporary files");
        let path = above.path().join("project/forge/tasks");
        fs::create_dir_all(&path).expect("it can be created");
        Self { _above: above, path }
    }

    /// With these tasks, and a config that has counted them.
    fn with(tasks: &[(&str, &str)]) -> Self {
        let place = Self::new();
        for (id, title) in tasks {
            place.write(&format!("{id} - {title}.md"), text(id, title));
        }
        place.write("config.json", format!("{{\"lastIdNumber\": {}}}\n", tasks.len()));
        place
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("it is in the place")).expect("it can be created");
        fs::write(path, content).expect("it can be written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).expect("it can be read")
    }

    /// Everything that is in it, in the order of the names.
    fn names(&self) -> Vec<String> {
        names_in(&self.path)
    }

    fn database(&self) -> Database {
        Database::open(&self.path).expect("it can be opened").expect("it is there")
    }

    fn writer(&self) -> DatabaseWriter {
        DatabaseWriter::open(&self.path).expect("it can be opened")
    }

    fn fails_to_write(&self) -> String {
        DatabaseWriter::open(&self.path).expect_err("it cannot be opened").to_string()
    }

    /// A message without the path of the test directory.
    fn shortened(&self, message: &impl ToString) -> String {
        message.to_string().replace(&*self.path.to_string_lossy(), "HERE")
    }
}

fn names_in(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).expect("it can be read");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("it can be read").file_name();
    let mut names: Vec<String> =
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The file of a task.
fn text(id: &str, title: &str) -> String {
    format!("---\nid: {id}\ntitle: {title:?}\nstatus: To Do\n---\n\n## Description\n\nSome.\n")
}

fn document(id: &str, title: &str) -> TaskDocument {
    TaskDocument::from_bytes(text(id, title).into_bytes()).expect("it is one")
}

fn id(text: &str) -> TaskId {
    TaskId::parse(text).expect("it is one")
}

fn query(text: &str) -> IdQuery {
    IdQuery::parse(text).expect("it is one")
}

/// Each task as `path: title`.
fn task_lines(listing: &DirectoryListing<FrontMatter>) -> Vec<String> {
    let tell = |task: &StoredFile<FrontMatter>| format!("{}: {}", task.path(), task.content.title);
    listing.tasks.iter().map(tell).collect()
}

/// Each broken file as `path why`.
fn broken_lines<T>(listing: &DirectoryListing<T>) -> Vec<String> {
    listing.broken.iter().map(|broken| format!("{} {}", broken.path(), broken.why)).collect()
}

/// Nothing is forbidden to root.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
