//! Tells one state of a work tree from another.
//!
//! In a git repository that is HEAD and the tree that a commit of everything would have. The tree is
//! made with an index and a place for objects of our own, so that nothing in the repository changes.
//! Elsewhere it is the names, sizes and times of all files.

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use forkhestra_core::event::Fingerprint;

use crate::git::{Git, GitError};
use crate::hash::Hasher;

/// Our own files, which are no work.
const OUR_STATE: &str = ".agent-state";
/// Where tasks are kept, which git may have been told to ignore.
const TASKS: &str = "forge/tasks";

/// A directory in which agents work.
#[derive(Debug, Clone)]
pub(crate) struct WorkTree {
    places: Places,
    git: Git,
}

/// Where everything is.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// Where agents work.
    pub(crate) directory: PathBuf,
    /// For files of our own.
    pub(crate) scratch: PathBuf,
    /// Where the run is kept, which may be inside the work tree, but is no work.
    pub(crate) state: PathBuf,
}

/// Why the state of a work tree is not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unknown {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl WorkTree {
    pub(crate) const fn new(places: Places, git: Git) -> Self {
        Self { places, git }
    }

    /// The state of the work tree now.
    pub(crate) fn fingerprint(&mut self) -> Result<Fingerprint, Unknown> {
        let mut hasher = Hasher::new();
        match self.git_state()? {
            Some(state) => {
                hasher.update(state.as_bytes());
                let tasks = self.places.directory.join(TASKS);
                if tasks.is_dir() {
                    self.hash_files(&tasks, &mut hasher)?;
                }
            }
            None => self.hash_files(&self.places.directory, &mut hasher)?,
        }
        Ok(Fingerprint(hasher.finish()))
    }

    /// HEAD and the tree, if this is a git repository.
    fn git_state(&self) -> Result<Option<String>, Unknown> {
        let places =
            ["rev-parse", "--show-toplevel", "--git-path", "index", "--git-path", "objects"];
        let Some(places) = self.git.answer(&self.places.directory, &places, &[])? else {
            return Ok(None);
        };
        let mut lines = places.lines().map(|line| self.places.directory.join(line));
        let (Some(top), Some(index), Some(objects)) = (lines.next(), lines.next(), lines.next())
        else {
            return Ok(None);
        };
        // A repository without a commit has no HEAD yet.
        let head = ["rev-parse", "--quiet", "--verify", "HEAD"];
        let head = self.git.answer(&top, &head, &[])?.unwrap_or_default();
        let tree = self.tree(&top, &index, &objects)?;
        Ok(Some(format!("{head}{tree}")))
    }

    /// The tree that a commit of everything would have.
    fn tree(&self, top: &Path, index: &Path, objects: &Path) -> Result<String, Unknown> {
        let (own_index, own_objects) =
            (self.places.scratch.join("index"), self.places.scratch.join("objects"));
        fs::create_dir_all(&own_objects)?;
        copy_index(index, &own_index)?;
        let places: [(&str, &Path); 3] = [
            ("GIT_INDEX_FILE", &own_index),
            ("GIT_OBJECT_DIRECTORY", &own_objects),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects),
        ];
        let ours = self.excluded(top);
        let everything = ["add", "--all", "--ignore-errors", "--", "."];
        let everything: Vec<&str> = everything.into_iter().chain(ours.as_deref()).collect();
        // Git has done all the rest when it complains that what is left out is ignored, too.
        self.git.attempt(top, &everything, &places)?;
        Ok(self.git.demand(top, &["write-tree"], &places)?)
    }

    /// What leaves our own files out, if they are in the work tree.
    fn excluded(&self, top: &Path) -> Option<String> {
        let state = self.places.state.strip_prefix(top).ok()?;
        excluding(state)
    }

    /// Takes in the names, sizes and times of all files below a directory.
    fn hash_files(&self, directory: &Path, hasher: &mut Hasher) -> io::Result<()> {
        let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries.iter().filter(|entry| entry.file_name() != OUR_STATE) {
            let path = entry.path();
            if path == self.places.state {
                continue;
            }
            // Links are not followed, and what vanishes while we look is not there.
            let metadata = match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                metadata => metadata?,
            };
            hasher.update(path.as_os_str().as_bytes());
            hasher.update(b"\0");
            if metadata.is_dir() {
                self.hash_files(&path, hasher)?;
            } else {
                hasher.update(&metadata.size().to_le_bytes());
                hasher.update(&metadata.mtime().to_le_bytes());
                hasher.update(&metadata.mtime_nsec().to_le_bytes());
            }
        }
        Ok(())
    }
}

/// Copies the real index, which knows which files have not changed; without it all would be read.
/// Its time comes with it: git does not trust what changed at the very time the index was written.
fn copy_index(index: &Path, own: &Path) -> io::Result<()> {
    match fs::copy(index, own) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::remove_file(own) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
        Err(error) => Err(error),
        Ok(_) => {
            let written = fs::metadata(index)?.modified()?;
            File::options().write(true).open(own)?.set_modified(written)
        }
    }
}

/// What leaves a path out, in the words of git.
fn excluding(path: &Path) -> Option<String> {
    Some(format!(":(exclude,literal){}", path.to_str()?))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::process::Command;
    use std::sync::Arc;

    use tempfile::TempDir;

    use super::*;
    use crate::process::Children;

    struct Project {
        directory: TempDir,
        tree: WorkTree,
    }

    impl Project {
        fn new() -> Self {
            let directory = tempfile::tempdir().expect("there is room");
            let environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
            let work = directory.path().join("work");
            fs::create_dir(&work).expect("the directory is ours");
            let scratch = directory.path().join("scratch");
            let git = Git::new(&environment, Arc::new(Children::default()));
            let state = work.join("state of runs");
            let tree = WorkTree::new(Places { directory: work, scratch, state }, git);
            Self { directory, tree }
        }

        fn repository() -> Self {
            let project = Self::new();
            project.git(&["init", "--quiet"]);
            project.write("a.txt", "a").commit();
            project
        }

        fn write(&self, name: &str, text: &str) -> &Self {
            let path = self.directory.path().join("work").join(name);
            fs::create_dir_all(path.parent().expect("it is below")).expect("it is ours");
            fs::write(path, text).expect("it is ours");
            self
        }

        fn git(&self, args: &[&str]) -> String {
            let work = self.directory.path().join("work");
            let identity = ["-c", "user.name=x", "-c", "user.email=x@y", "-C"];
            let output = Command::new("git").args(identity).arg(work).args(args).output();
            let output = output.expect("git is there");
            assert!(output.status.success(), "{args:?}: {output:?}");
            String::from_utf8_lossy(&output.stdout).into_owned()
        }

        fn commit(&self) {
            self.git(&["add", "--all"]);
            self.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]);
        }

        fn seen(&mut self) -> Fingerprint {
            self.tree.fingerprint().expect("it can be seen")
        }
    }

    #[test]
    fn every_change_of_a_repository_is_seen_and_nothing_else() {
        let mut project = Project::repository();
        let mut seen = vec![project.seen()];
        assert_eq!(project.seen(), seen[0], "looking changes nothing");
        type Change = fn(&Project);
        let changes: [(&str, Change); 4] = [
            ("an edit", |project| {
                project.write("a.txt", "b");
            }),
            ("a new file", |project| {
                project.write("new/b.txt", "b");
            }),
            ("a commit of what was there", Project::commit),
            ("a commit of nothing", Project::commit),
        ];
        for (what, change) in changes {
            change(&project);
            let now = project.seen();
            assert!(!seen.contains(&now), "{what} is not seen");
            seen.push(now);
        }
    }

    #[test]
    fn an_edit_that_is_taken_back_leads_to_what_was_there() {
        let mut project = Project::repository();
        let before = project.seen();
        project.write("a.txt", "b");
        assert_ne!(project.seen(), before);
        project.write("a.txt", "a");
        assert_eq!(project.seen(), before);
    }

    #[test]
    fn looking_leaves_the_repository_alone() {
        let mut project = Project::repository();
        project.write("new.txt", "new");
        let (status, objects) = (["status", "--porcelain"], ["count-objects"]);
        let before = (project.git(&status), project.git(&objects));
        project.seen();
        assert_eq!((project.git(&status), project.git(&objects)), before);
    }

    #[test]
    fn ignored_files_are_no_work_but_tasks_are() {
        let mut project = Project::repository();
        project.write(".gitignore", "target\nforge\n").commit();
        let before = project.seen();
        project.write("target/x", "x");
        assert_eq!(project.seen(), before);
        project.write("forge/tasks/TASK-001.md", "x");
        assert_ne!(project.seen(), before);
    }

    #[test]
    fn where_runs_are_kept_is_no_work() {
        for mut project in [Project::repository(), Project::new()] {
            let before = project.seen();
            project.write("state of runs/tree/journal.jsonl", "x");
            assert_eq!(project.seen(), before);
        }
    }

    #[test]
    fn where_runs_are_kept_is_no_work_whether_git_ignores_it_or_not() {
        for ignored in ["state of runs/", "state of runs", "*.jsonl", "state*", "nothing"] {
            let mut project = Project::repository();
            project.write(".gitignore", &format!("{ignored}\n")).commit();
            let before = project.seen();
            project.write("state of runs/tree/journal.jsonl", "x");
            assert_eq!(project.seen(), before, "{ignored}");
            project.write("a.txt", "b");
            assert_ne!(project.seen(), before, "{ignored}");
        }
    }

    #[test]
    fn a_repository_without_a_commit_can_be_seen() {
        let mut project = Project::new();
        project.git(&["init", "--quiet"]);
        let before = project.seen();
        project.write("a.txt", "a");
        assert_ne!(project.seen(), before);
    }

    #[test]
    fn outside_a_repository_files_are_looked_at() {
        let mut project = Project::new();
        project.write("deep/er/a.txt", "a");
        let before = project.seen();
        assert_eq!(project.seen(), before);
        project.write(".agent-state/x", "ours");
        assert_eq!(project.seen(), before, "our own files are no work");
        project.write("deep/er/b.txt", "");
        assert_ne!(project.seen(), before);
    }
}
