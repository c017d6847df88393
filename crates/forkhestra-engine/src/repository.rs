//! What git knows of a work tree: HEAD, and the tree that a commit of everything would have. The
//! tree is made with an index and a place for objects of our own, so that nothing in the repository
//! changes.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::files::{Files, OUR_STATE};
use crate::git::{Done, Git, GitError, Question};
use crate::hash::Hasher;
use crate::work_tree::{Places, Unknown};

/// Where tasks are kept, which git may have been told to ignore.
const TASKS: &str = "forge/tasks";

/// One look at a repository.
pub(crate) struct Repository<'a> {
    pub(crate) git: &'a Git,
    pub(crate) places: &'a Places,
    pub(crate) deadline: Instant,
}

/// Where git keeps what.
struct Found {
    top: PathBuf,
    index: PathBuf,
    objects: PathBuf,
}

impl Repository<'_> {
    /// Takes in the state of the repository; false if there is none.
    pub(crate) fn take_in(&self, hasher: &mut Hasher) -> Result<bool, Unknown> {
        let Some(found) = self.find()? else { return Ok(false) };
        // A repository without a commit has no HEAD yet.
        let head = self.ask(&found.top, &["rev-parse", "--quiet", "--verify", "HEAD"])?;
        hasher.update(&head.unwrap_or_default());
        self.take_in_tree(&found, hasher)?;
        let tasks = self.places.directory.join(TASKS);
        if tasks.is_dir() {
            self.files(hasher).directory(&tasks)?;
        }
        Ok(true)
    }

    fn find(&self) -> Result<Option<Found>, GitError> {
        let directory = &self.places.directory;
        let (top, index, objects) =
            (["--show-toplevel"], ["--git-path", "index"], ["--git-path", "objects"]);
        let all = [&["rev-parse"][..], &top, &index, &objects].concat();
        let Some(said) = self.ask(directory, &all)? else { return Ok(None) };
        let lines: Vec<&[u8]> = without_end(&said).split(|byte| *byte == b'\n').collect();
        if let [top, index, objects] = lines[..] {
            return Ok(Some(Found::new(directory, [top, index, objects])));
        }
        // A name has a line break in it.
        let one = |args: &[&str]| self.ask(directory, &[&["rev-parse"], args].concat());
        let (Some(top), Some(index), Some(objects)) = (one(&top)?, one(&index)?, one(&objects)?)
        else {
            return Ok(None);
        };
        let places = [&top, &index, &objects].map(|place| without_end(place));
        Ok(Some(Found::new(directory, places)))
    }

    /// Takes in the tree that a commit of everything would have, and what git cannot commit.
    fn take_in_tree(&self, found: &Found, hasher: &mut Hasher) -> Result<(), Unknown> {
        let (own_index, own_objects) =
            (self.places.scratch.join("index"), self.places.scratch.join("objects"));
        self.git.prepare(|| {
            fs::create_dir_all(&own_objects)?;
            copy_index(&found.index, &own_index)
        })?;
        let variables: [(&str, &Path); 3] = [
            ("GIT_INDEX_FILE", &own_index),
            ("GIT_OBJECT_DIRECTORY", &own_objects),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", &found.objects),
        ];
        let left_out = self.left_out(&found.top);
        let all = ["add", "--all", "--ignore-errors", "--", "."].map(OsStr::new);
        let all: Vec<&OsStr> =
            all.into_iter().chain(left_out.iter().map(OsString::as_os_str)).collect();
        let tree = ["write-tree"].map(OsStr::new);
        let rest = ["ls-files", "-z", "--others", "--modified", "--exclude-standard"];
        let rest = rest.map(OsStr::new);
        let [all, tree, rest] = [&all[..], &tree, &rest].map(|args| Question {
            directory: &found.top,
            args,
            variables: &variables,
            deadline: self.deadline,
        });
        let added = self.git.attempt(&all)?;
        hasher.update(&self.git.demand(&tree)?);
        // It says so, too, if what is left out is ignored; then there is no rest.
        if added == Done::NotAll {
            let rest = self.git.demand(&rest)?;
            let mut files = self.files(hasher);
            for name in rest.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
                files.entry(&found.top.join(OsStr::from_bytes(name)))?;
            }
        }
        Ok(())
    }

    /// What leaves our own files out, in the words of git, as far as they are in the work tree. The
    /// view ignores itself, but not before it is complete, and not if somebody has committed it.
    fn left_out(&self, top: &Path) -> Vec<OsString> {
        let view = self.places.directory.join(OUR_STATE);
        let mut ours = vec![self.places.state.as_path()];
        // Git says more than it has to if it is told of what is not there.
        if view.exists() && !self.places.state.starts_with(&view) {
            ours.push(&view);
        }
        let below = ours.into_iter().filter_map(|path| path.strip_prefix(top).ok());
        let named = below.filter(|path| !path.as_os_str().is_empty());
        let words = |path: &Path| {
            let mut words = OsString::from(":(exclude,literal)");
            words.push(path);
            words
        };
        named.map(words).collect()
    }

    fn ask(&self, directory: &Path, args: &[&str]) -> Result<Option<Vec<u8>>, GitError> {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let (args, deadline) = (&args, self.deadline);
        self.git.answer(&Question { directory, args, variables: &[], deadline })
    }

    fn files<'a>(&'a self, hasher: &'a mut Hasher) -> Files<'a> {
        Files { hasher, state: &self.places.state, deadline: self.deadline }
    }
}

impl Found {
    fn new(directory: &Path, places: [&[u8]; 3]) -> Self {
        let [top, index, objects] = places.map(|place| directory.join(OsStr::from_bytes(place)));
        Self { top, index, objects }
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// Copies the real index, which knows which files have not changed; without it all would be read.
/// Its time comes with it: git does not trust what changed at the very time the index was written.
fn copy_index(index: &Path, own: &Path) -> io::Result<()> {
    // A git that was killed leaves its lock.
    remove(&own.with_extension("lock"))?;
    match fs::copy(index, own) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => remove(own),
        Err(error) => Err(error),
        Ok(_) => {
            let written = fs::metadata(index)?.modified()?;
            File::options().write(true).open(own)?.set_modified(written)
        }
    }
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
