//! Files of a work tree that a snapshot of it does not have.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::repository::git_program::GitError;
use crate::repository::own_index::MAX_FILE_BYTES;
use crate::repository::untracked_files::{UntrackedDecision, UntrackedFiles};
use crate::repository::{GitSession, names};
use crate::secret_finder::SecretFinder;
use crate::work_tree::own_paths::STATE_DIRECTORY;

/// The mode of another repository in git.
const REPOSITORY_MODE: &[u8] = b"160000";

/// Files that are in the work tree of a run now, and that a clone of one of its snapshots lacks or has
/// in another form. The names are relative to the top directory, and a directory ends with a slash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingFiles {
    /// Git ignores them.
    pub ignored: Vec<String>,
    /// They look like secrets or are too large.
    pub withheld: Vec<String>,
    /// Other repositories, which are empty directories.
    pub submodules: Vec<String>,
    /// A filter such as git-lfs changes them. They are there as git stores them.
    pub filtered: Vec<String>,
}

impl MissingFiles {
    /// Compares the work tree of a repository with a tree.
    pub(super) fn find(session: &GitSession<'_>, tree: &str) -> Result<Self, GitError> {
        let listed =
            session.require(&["ls-tree", "-r", "-z", "--full-tree", tree].map(OsStr::new))?;
        let entries = || names(&listed).filter_map(entry);
        let known: BTreeSet<&[u8]> = entries().map(|(_, name)| name).collect();
        let submodules = entries().filter(|(mode, _)| *mode == REPOSITORY_MODE);
        let others = |ignored: bool| {
            let mut args = vec!["ls-files", "--others", "--exclude-standard", "-z"];
            if ignored {
                args.extend(["--ignored", "--directory", "--no-empty-directory"]);
            }
            session.require(&args)
        };
        let (ignored, untracked) = (others(true)?, others(false)?);
        let mut files = UntrackedFiles::new(SecretFinder::default());
        let top = &session.repository.top;
        let mut is_withheld = |name: &&[u8]| {
            let path = top.join(OsStr::from_bytes(name));
            let is_large = path.symlink_metadata().is_ok_and(|found| found.len() > MAX_FILE_BYTES);
            is_large || files.decide(&path) == UntrackedDecision::Secret
        };
        let lacks = |name: &&[u8]| !known.contains(name);
        Ok(Self {
            ignored: texts(names(&ignored).filter(|name| !is_ours(name))),
            withheld: texts(names(&untracked).filter(lacks).filter(|name| is_withheld(name))),
            submodules: texts(submodules.map(|(_, name)| name)),
            filtered: Vec::new(),
        })
    }

    /// Adds the files that a filter of the user's settings would change. The index is that of the
    /// clone.
    pub(super) fn add_filtered(&mut self, clone: &GitSession<'_>) -> Result<(), GitError> {
        if clone.config()?.has_filters {
            let args = ["ls-files", "-z", "--", ":(attr:filter)"].map(OsStr::new);
            self.filtered = texts(names(&clone.require(&args)?));
        }
        Ok(())
    }
}

/// Whether a path is our state view.
fn is_ours(name: &[u8]) -> bool {
    let mut parts = Path::new(OsStr::from_bytes(name)).components();
    parts.any(|part| part.as_os_str() == STATE_DIRECTORY)
}

fn texts<'a>(names: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// The mode and the name in a line of git: `100644 blob ID<TAB>NAME`.
fn entry(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mode = line.split(|byte| *byte == b' ').next()?;
    Some((mode, &line[tab + 1..]))
}
