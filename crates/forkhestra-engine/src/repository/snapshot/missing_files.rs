//! Files of a work tree that a snapshot of it does not have.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::repository::git_program::GitError;
use crate::repository::own_index::MAX_FILE_BYTES;
use crate::repository::uncommitted_files::filtered;
use crate::repository::untracked_files::{UntrackedDecision, UntrackedFiles};
use crate::repository::{GitSession, names};
use crate::secret_finder::SecretFinder;
use crate::work_tree::own_paths::STATE_DIRECTORY;

/// The mode of another repository in git.
const REPOSITORY_MODE: &[u8] = b"160000";

/// The beginning of the mode of a file in git.
const REGULAR_MODE: &[u8] = b"100";

/// Files that are in the work tree of a run now, and that a clone of one of its snapshots lacks or has
/// in another form. The names are relative to the top directory, and a directory ends with a slash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingFiles {
    /// Git ignores them.
    pub ignored: Vec<String>,
    /// They look like secrets or are too large.
    pub withheld: Vec<String>,
    /// They are too large and were changed, so that the clone has an older content.
    pub outdated: Vec<String>,
    /// Other repositories that no commit names.
    pub repositories: Vec<String>,
    /// Other repositories, which are empty directories.
    pub submodules: Vec<String>,
    /// A filter such as git-lfs changes them. They are there as git stores them.
    pub filtered: Vec<String>,
    /// The filters that the clone does not have, since they are set in the repository itself.
    pub lost_filters: Vec<String>,
}

impl MissingFiles {
    /// Compares the work tree of a repository with a tree.
    pub(super) fn find(session: &GitSession<'_>, tree: &str) -> Result<Self, GitError> {
        let listed =
            session.require(&["ls-tree", "-r", "-z", "--full-tree", tree].map(OsStr::new))?;
        let entries = || names(&listed).filter_map(entry);
        let known: BTreeSet<&[u8]> = entries().map(|(_, name)| name).collect();
        let submodules = entries().filter(|(mode, _)| *mode == REPOSITORY_MODE);
        let others = ["ls-files", "--others", "--exclude-standard", "-z"].map(OsStr::new);
        let untracked = session.require(&others)?;
        let (repositories, untracked): (Vec<&[u8]>, Vec<&[u8]>) =
            names(&untracked).partition(|name| name.ends_with(b"/"));
        let lacks = |name: &[u8]| !known.contains(name.strip_suffix(b"/").unwrap_or(name));
        let mut files = UntrackedFiles::new(SecretFinder::default());
        let top = &session.repository.top;
        let mut is_withheld = |name: &[u8]| {
            let path = top.join(OsStr::from_bytes(name));
            is_large(&path) || files.decide(&path) != UntrackedDecision::Kept
        };
        // The files of the snapshot come first, since there is a limit for all of them.
        let (there, lacking): (Vec<&[u8]>, Vec<&[u8]>) =
            untracked.into_iter().partition(|name| !lacks(name));
        for name in there {
            is_withheld(name);
        }
        let regular = entries().filter(|(mode, _)| mode.starts_with(REGULAR_MODE));
        Ok(Self {
            ignored: ignored(session, &known)?,
            withheld: texts(lacking.into_iter().filter(|name| is_withheld(name))),
            outdated: changed_large_files(session, regular.map(|(_, name)| name))?,
            repositories: texts(repositories.into_iter().filter(|name| lacks(name))),
            submodules: texts(submodules.map(|(_, name)| name)),
            filtered: Vec::new(),
            lost_filters: Vec::new(),
        })
    }

    /// Adds the files that a filter of the user's settings, or of those of the repository, would change.
    /// The index is that of the clone.
    pub(super) fn add_filtered(
        &mut self,
        clone: &GitSession<'_>,
        source: &GitSession<'_>,
    ) -> Result<(), GitError> {
        let (own, theirs) = (clone.config()?, source.config()?);
        if !own.has_filters && !theirs.has_filters {
            return Ok(());
        }
        let files = clone.require(&["ls-files", "-z"].map(OsStr::new))?;
        let filtered = with_filter(clone, &files)?;
        self.filtered = texts(filtered.iter().map(|path| path.as_os_str().as_bytes()));
        if !self.filtered.is_empty() {
            self.lost_filters = theirs.filters().difference(&own.filters()).cloned().collect();
        }
        Ok(())
    }
}

/// The files that git ignores and a tree lacks.
fn ignored(session: &GitSession<'_>, known: &BTreeSet<&[u8]>) -> Result<Vec<String>, GitError> {
    let args = ["ls-files", "--others", "--exclude-standard", "--ignored", "-z"];
    let of_directories = [&args[..], &["--directory", "--no-empty-directory"]].concat();
    let listed = session.require(&of_directories)?;
    let (mut lacking, mut partial) = (Vec::new(), Vec::new());
    for name in names(&listed).filter(|name| !is_ours(name)) {
        // A directory is listed as a whole, also if some of its files are in the tree.
        let first = known.range(name..).next();
        match name.ends_with(b"/") && first.is_some_and(|first| first.starts_with(name)) {
            true => partial.push([b":(literal)", name].concat()),
            false if known.contains(name) => {}
            false => lacking.push(name.to_vec()),
        }
    }
    if !partial.is_empty() {
        let specs = partial.iter().map(|spec| OsStr::from_bytes(spec));
        let args: Vec<&OsStr> = args.iter().chain(&["--"]).map(OsStr::new).chain(specs).collect();
        let listed = session.require(&args)?;
        let more = names(&listed).filter(|name| !known.contains(name) && !is_ours(name));
        lacking.extend(more.map(<[u8]>::to_vec));
        lacking.sort_unstable();
    }
    Ok(texts(lacking.iter().map(Vec::as_slice)))
}

/// The files that have a filter. The names are separated by zero bytes.
pub(in crate::repository) fn with_filter(
    session: &GitSession<'_>,
    files: &[u8],
) -> Result<BTreeSet<PathBuf>, GitError> {
    if files.is_empty() {
        return Ok(BTreeSet::new());
    }
    let args = ["check-attr", "--stdin", "-z", "filter"];
    Ok(filtered(&session.send_input(&[], &args, files)?))
}

/// The files that snapshots do not read, since they are too large, and that differ from the index. A filter
/// changes others.
fn changed_large_files<'a>(
    session: &GitSession<'_>,
    files: impl Iterator<Item = &'a [u8]>,
) -> Result<Vec<String>, GitError> {
    let path = |name: &[u8]| PathBuf::from(OsStr::from_bytes(name));
    let top = &session.repository.top;
    let large: Vec<&[u8]> = files.filter(|name| is_large(&top.join(path(name)))).collect();
    let filtered = with_filter(session, &large.join(&b"\0"[..]))?;
    let specs = large.iter().filter(|name| !filtered.contains(&path(name)));
    let specs: Vec<Vec<u8>> = specs.map(|name| [b":(literal)", *name].concat()).collect();
    if specs.is_empty() {
        return Ok(Vec::new());
    }
    let diff =
        ["diff", "--name-only", "--no-ext-diff", "--no-textconv", "--no-renames", "-z", "--"];
    let specs = specs.iter().map(|spec| OsStr::from_bytes(spec));
    let args: Vec<&OsStr> = diff.iter().map(OsStr::new).chain(specs).collect();
    Ok(texts(names(&session.require(&args)?)))
}

fn is_large(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() > MAX_FILE_BYTES)
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
