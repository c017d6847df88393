//! Builds the tree that a commit of all files would have. It uses an index of our own, which is
//! kept between observations, so that only changed files are read and the user's index does not
//! change.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use super::untracked_files::{UntrackedFiles, WithheldFiles};
use super::{GitRepository, GitSession, names, text};
use crate::fnv_hasher::hash;
use crate::repository::git_program::GitError;
use crate::repository::worktree_entries::remove_file;
use crate::work_tree::file_content::{not_regular, open_regular};
use crate::work_tree::own_paths::OwnPaths;

/// Larger files are not read: their names, sizes and times are compared.
pub(crate) const MAX_FILE_BYTES: u64 = 50 * 1024 * 1024;

/// Git reads files again that changed in the second in which its index was written. With more files
/// than this, rewriting the index a little later is cheaper.
const MAX_REREAD_FILES: usize = 500;

/// When that second has passed for certain.
const RACY_WINDOW: Duration = Duration::from_secs(2);

/// An index of our own.
#[derive(Debug, Clone)]
pub(crate) struct OwnIndex {
    path: PathBuf,
    /// The directory for new objects, if they do not go to the repository.
    objects: Option<PathBuf>,
    /// The stamp of the user's index when it was last read; the outer `None` before that.
    seen: Option<Option<IndexStamp>>,
    /// The hash of the user's index entries.
    content: String,
    /// Repositories in the user's index, relative to the top.
    links: Vec<PathBuf>,
    /// Files that our index marks as left out of a sparse checkout.
    skipped: Vec<Vec<u8>>,
    /// The tree of our index, if the index has not changed since.
    tree: Option<String>,
    /// When our index was copied, or written with many recently changed files. It is rewritten
    /// after [`RACY_WINDOW`].
    written_at: Option<SystemTime>,
    /// Decides about untracked files, if snapshots are taken.
    untracked: Option<UntrackedFiles>,
    /// The untracked files in our index.
    added: BTreeSet<Vec<u8>>,
}

/// The result of an observation by an index of our own.
#[derive(Debug)]
pub(crate) struct IndexObservation {
    /// The hash of what the user has staged.
    pub(crate) staged: String,
    /// The tree of all files that can be added.
    pub(crate) tree: String,
    /// Files that cannot be added: too large or unreadable.
    pub(crate) rest: BTreeSet<PathBuf>,
    /// Other repositories inside this one.
    pub(crate) nested: BTreeSet<PathBuf>,
    /// Those of them that the user's index does not have.
    pub(crate) untracked: BTreeSet<PathBuf>,
    /// Files of `rest` that must not be added.
    pub(crate) withheld: WithheldFiles,
}

/// Metadata that change with a file.
pub(super) type IndexStamp = (u64, u64, u64, i64, i64, i64, i64);

/// The differences between our index and the work tree.
#[derive(Default)]
struct IndexChanges {
    /// The names, each followed by a zero byte.
    names: Vec<u8>,
    count: usize,
    rest: BTreeSet<PathBuf>,
    nested: BTreeSet<PathBuf>,
    withheld: WithheldFiles,
    /// The untracked files in `names`.
    added: Vec<Vec<u8>>,
    /// Names in our index that are withheld from now on, each followed by a zero byte.
    removed: Vec<u8>,
}

/// Whether a changed file is in the user's index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IndexChangeKind {
    Tracked,
    /// Untracked, and in our index.
    Added,
    Untracked,
}

impl OwnIndex {
    /// An index in a file, with new objects in `objects` or in the repository. `untracked` decides
    /// about untracked files; without it all of them are added.
    pub(crate) const fn new(
        path: PathBuf,
        objects: Option<PathBuf>,
        untracked: Option<UntrackedFiles>,
    ) -> Self {
        Self {
            path,
            objects,
            untracked,
            added: BTreeSet::new(),
            seen: None,
            content: String::new(),
            links: Vec::new(),
            skipped: Vec::new(),
            tree: None,
            written_at: None,
        }
    }

    /// The decisions about untracked files.
    pub(super) const fn untracked(&self) -> Option<&UntrackedFiles> {
        self.untracked.as_ref()
    }

    /// Observes all files of the work tree.
    pub(crate) fn observe(
        &mut self,
        session: &GitSession<'_>,
        own_paths: &OwnPaths,
    ) -> Result<IndexObservation, GitError> {
        let looked = self.try_to_observe(session, own_paths);
        if looked.is_err() {
            // The index may be half updated, so it is rebuilt next time.
            self.seen = None;
        }
        looked
    }

    /// The variables that make git use our index.
    pub(crate) fn variables(&self, session: &GitSession<'_>) -> Vec<(&'static str, OsString)> {
        let mut variables = vec![("GIT_INDEX_FILE", self.path.clone().into_os_string())];
        if let Some(objects) = &self.objects {
            let others = quoted(&session.repository.objects);
            variables.push(("GIT_OBJECT_DIRECTORY", objects.clone().into_os_string()));
            variables.push(("GIT_ALTERNATE_OBJECT_DIRECTORIES", others));
        }
        variables
    }

    fn try_to_observe(
        &mut self,
        session: &GitSession<'_>,
        own_paths: &OwnPaths,
    ) -> Result<IndexObservation, GitError> {
        // A killed git leaves its lock file.
        session.git.prepare(|| remove_file(&self.path.with_extension("lock")))?;
        self.follow(session)?;
        self.show_skipped_files(session)?;
        let variables = self.variables(session);
        self.rewrite_if_racy(session, &variables);
        let changes = self.changes(session, &variables, own_paths)?;
        if changes.count > 0 {
            self.tree = None;
        }
        let (tree, rest) = match &self.tree {
            Some(tree) => (tree.clone(), changes.rest),
            None => self.update(session, &variables, own_paths, &changes)?,
        };
        self.tree = Some(tree.clone());
        let links: BTreeSet<PathBuf> =
            self.links.iter().map(|link| session.repository.top.join(link)).collect();
        let untracked = changes.nested.difference(&links).cloned().collect();
        let nested = changes.nested.union(&links).cloned().collect();
        let (staged, withheld) = (self.content.clone(), changes.withheld);
        Ok(IndexObservation { staged, tree, rest, nested, untracked, withheld })
    }

    /// Copies the user's index if its content has changed.
    fn follow(&mut self, session: &GitSession<'_>) -> Result<(), GitError> {
        let theirs = &session.repository.index;
        let stamp = fs::metadata(theirs).ok().map(|metadata| stamp(&metadata));
        if self.seen == Some(stamp) && (stamp.is_none() || self.path.exists()) {
            return Ok(());
        }
        let listed = session.require(&["ls-files", "--stage", "-v", "-z"])?;
        let content = hash(&listed);
        // Even `git status` rewrites the index, so the content is compared.
        if self.seen.is_none() || content != self.content || !self.path.exists() {
            session.git.prepare(|| {
                self.objects.iter().try_for_each(fs::create_dir_all)?;
                self.path.parent().map_or(Ok(()), fs::create_dir_all)?;
                copy_index(theirs, &self.path)
            })?;
            self.show_hidden_changes(session, &listed)?;
            self.links = links(&listed);
            self.added.clear();
            self.tree = None;
            self.written_at = fs::metadata(theirs).and_then(|metadata| metadata.modified()).ok();
        }
        (self.content, self.seen) = (content, Some(stamp));
        Ok(())
    }

    /// Removes the marks from our index with which changes of files can be hidden. Files that a sparse
    /// checkout may leave out are only listed.
    fn show_hidden_changes(
        &mut self,
        session: &GitSession<'_>,
        listed: &[u8],
    ) -> Result<(), GitError> {
        let marked: Vec<(u8, &[u8])> = names(listed).filter_map(marked_name).collect();
        let assumed = marked.iter().filter(|(mark, _)| mark.is_ascii_lowercase());
        let assumed: Vec<&[u8]> = assumed.map(|(_, name)| *name).collect();
        let skipped = marked.iter().filter(|(mark, _)| mark.eq_ignore_ascii_case(&b'S'));
        self.skipped = skipped.map(|(_, name)| name.to_vec()).collect();
        self.remove_marks(session, "--no-assume-unchanged", &assumed)
    }

    /// Removes the marks of files that should be left out of the checkout but are there. A mark stays
    /// only in a sparse checkout, since the file would count as removed. A file may appear later without
    /// a change of the index, so this is repeated.
    fn show_skipped_files(&mut self, session: &GitSession<'_>) -> Result<(), GitError> {
        if self.skipped.is_empty() {
            return Ok(());
        }
        let is_sparse = session.config()?.is_sparse;
        let top = &session.repository.top;
        let is_there = |name: &[u8]| top.join(OsStr::from_bytes(name)).symlink_metadata().is_ok();
        let skipped = std::mem::take(&mut self.skipped).into_iter();
        let (left_out, shown): (Vec<_>, Vec<_>) =
            skipped.partition(|name| is_sparse && !is_there(name));
        self.skipped = left_out;
        if !shown.is_empty() {
            self.tree = None;
        }
        let shown: Vec<&[u8]> = shown.iter().map(Vec::as_slice).collect();
        self.remove_marks(session, "--no-skip-worktree", &shown)
    }

    fn remove_marks(
        &self,
        session: &GitSession<'_>,
        option: &str,
        names: &[&[u8]],
    ) -> Result<(), GitError> {
        if names.is_empty() {
            return Ok(());
        }
        let input: Vec<u8> = names.iter().flat_map(|name| [*name, b"\0"].concat()).collect();
        let args = ["update-index", option, "-z", "--stdin"];
        session.send_input(&self.variables(session), &args, &input)?;
        Ok(())
    }

    /// Rewrites our index if that avoids reading many files.
    fn rewrite_if_racy(
        &mut self,
        session: &GitSession<'_>,
        variables: &[(&'static str, OsString)],
    ) {
        let is_due = |written: SystemTime| {
            SystemTime::now().duration_since(written).is_ok_and(|age| age >= RACY_WINDOW)
        };
        if self.written_at.is_some_and(is_due) {
            self.written_at = None;
            // Only speed depends on it.
            let _ = session.require_with(variables, &["update-index", "--force-write-index"]);
        }
    }

    fn changes(
        &mut self,
        session: &GitSession<'_>,
        variables: &[(&'static str, OsString)],
        own_paths: &OwnPaths,
    ) -> Result<IndexChanges, GitError> {
        // Unlike other commands, `diff-files` does not read files with changed metadata.
        let changed = ["diff-files", "--name-only", "-z", "--ignore-submodules=dirty"];
        let new = ["ls-files", "--others", "--exclude-standard", "-z"];
        let ask_for_new = || session.require_with(variables, &new);
        let (changed, new) = thread::scope(|scope| {
            let new = thread::Builder::new().spawn_scoped(scope, ask_for_new);
            let changed = session.require_with(variables, &changed);
            let new = match new {
                Ok(new) => new.join().expect("asking git does not panic"),
                // Without another thread, git is asked one question after the other.
                Err(_) => ask_for_new(),
            };
            (changed, new)
        });
        let (changed, new) = (changed?, new?);
        let mut changes = IndexChanges::default();
        let top = &session.repository.top;
        let changed = names(&changed).map(|name| match self.added.contains(name) {
            true => (name, IndexChangeKind::Added),
            false => (name, IndexChangeKind::Tracked),
        });
        let new = names(&new).map(|name| (name, IndexChangeKind::Untracked));
        for (name, kind) in changed.chain(new) {
            let untracked = self.untracked.as_mut().filter(|_| kind != IndexChangeKind::Tracked);
            let path = top.join(OsStr::from_bytes(name.strip_suffix(b"/").unwrap_or(name)));
            if !own_paths.covers(&path, top) {
                changes.sort(path, name, kind, untracked);
            }
        }
        Ok(changes)
    }

    /// Updates our index. Returns the tree, and the files that could not be added.
    fn update(
        &mut self,
        session: &GitSession<'_>,
        variables: &[(&'static str, OsString)],
        own_paths: &OwnPaths,
        changes: &IndexChanges,
    ) -> Result<(String, BTreeSet<PathBuf>), GitError> {
        if changes.count > MAX_REREAD_FILES {
            self.written_at = Some(SystemTime::now());
        }
        let update = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        let remove = ["update-index", "--force-remove", "-z", "--stdin"];
        if !changes.removed.is_empty() {
            session.send_input(variables, &remove, &changes.removed)?;
        }
        let updated = match changes.names.is_empty() {
            true => Ok(Vec::new()),
            false => session.send_input(variables, &update, &changes.names),
        };
        self.added.extend(changes.added.iter().cloned());
        let tree = ["write-tree"];
        match updated.and_then(|_| session.require_with(variables, &tree)) {
            Ok(tree) => return Ok((text(&tree), changes.rest.clone())),
            Err(GitError::Failed(_)) => {}
            Err(error) => return Err(error),
        }
        // Some files cannot be added. This command is slower but skips them.
        let left_out = left_out(session, own_paths, changes);
        let all = ["add", "--all", "--ignore-errors", "--", "."].map(OsStr::new);
        let all: Vec<&OsStr> =
            all.into_iter().chain(left_out.iter().map(OsString::as_os_str)).collect();
        session.attempt_with(variables, &all)?;
        let tree = session.require_with(variables, &tree)?;
        let mut rest = changes.rest.clone();
        let top = &session.repository.top;
        let left = self.changes(session, variables, own_paths)?;
        rest.extend(names(&left.names).map(|name| top.join(OsStr::from_bytes(name))));
        Ok((text(&tree), rest))
    }
}

impl IndexChanges {
    /// Classifies a changed path.
    fn sort(
        &mut self,
        path: PathBuf,
        name: &[u8],
        kind: IndexChangeKind,
        untracked: Option<&mut UntrackedFiles>,
    ) {
        if name.ends_with(b"/") {
            self.nested.insert(path);
            return;
        }
        let metadata = fs::symlink_metadata(&path);
        let file = metadata.is_ok_and(|metadata| {
            metadata.is_file() && (metadata.len() > MAX_FILE_BYTES || File::open(&path).is_err())
        });
        if file {
            self.rest.insert(path);
            return;
        }
        if let Some(untracked) = untracked
            && self.withheld.add(&path, untracked.decide(&path))
        {
            self.rest.insert(path);
            if kind == IndexChangeKind::Added {
                self.removed.extend(name.iter().chain([&0]));
                self.count += 1;
            }
            return;
        }
        if kind == IndexChangeKind::Untracked {
            self.added.push(name.to_vec());
        }
        self.names.extend(name.iter().chain([&0]));
        self.count += 1;
    }
}

/// The pathspecs that exclude files that must not be added.
fn left_out(
    session: &GitSession<'_>,
    own_paths: &OwnPaths,
    changes: &IndexChanges,
) -> Vec<OsString> {
    let top = &session.repository.top;
    let others = changes.rest.iter().chain(&changes.nested);
    let others = others.filter_map(|path| path.strip_prefix(top).ok());
    let words = |path: &Path| {
        let mut words = OsString::from(":(exclude,literal)");
        words.push(path);
        words
    };
    own_paths.below(top).chain(others).map(words).collect()
}

/// The mark and the name in a line of git: `S 100644 ID 0<TAB>NAME`.
fn marked_name(line: &[u8]) -> Option<(u8, &[u8])> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    Some((*line.first()?, &line[tab + 1..]))
}

/// The nested repositories in the output of git: `H 160000 ID 0<TAB>NAME`.
pub(super) fn links(listed: &[u8]) -> Vec<PathBuf> {
    let link = |line: &[u8]| {
        let rest = line.get(2..)?.strip_prefix(b"160000 ")?;
        let tab = rest.iter().position(|byte| *byte == b'\t')?;
        Some(PathBuf::from(OsStr::from_bytes(&rest[tab + 1..])))
    };
    names(listed).filter_map(link).collect()
}

/// Quotes a path for a list that is separated by colons.
pub(super) fn quoted(path: &Path) -> OsString {
    let bytes = path.as_os_str().as_bytes();
    if !bytes.starts_with(b"\"") && !bytes.contains(&b':') && !bytes.contains(&b'\n') {
        return path.into();
    }
    let mut quoted = vec![b'"'];
    for byte in bytes {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', *byte]),
            b'\n' => quoted.extend(b"\\n"),
            _ => quoted.push(*byte),
        }
    }
    quoted.push(b'"');
    OsStr::from_bytes(&quoted).to_owned()
}

/// Copies the user's index, which lists the unchanged files; without it git would read all files.
/// The modification time is copied as well: git does not trust entries as recent as the index.
pub(crate) fn copy_index(index: &Path, own: &Path) -> io::Result<()> {
    remove_file(own)?;
    let mut theirs = match open_regular(index) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        theirs => theirs?,
    };
    // The mode is not copied: our index must be writable even if the user's is read-only.
    let mut ours = File::create_new(own)?;
    io::copy(&mut theirs, &mut ours)?;
    ours.set_modified(theirs.metadata()?.modified()?)
}

/// Refuses a repository whose files could block git.
pub(super) fn refuse_special_files(repository: &GitRepository) -> io::Result<()> {
    let GitRepository { index, git_dir, common, objects, .. } = repository;
    let files = ["config", "packed-refs", "shallow", "info/exclude", "info/attributes"];
    let files = files.iter().map(|name| common.join(name));
    let more = [index.clone(), git_dir.join("HEAD"), objects.join("info/alternates")];
    files.chain(more).try_for_each(|path| refuse_special_file(&path))
}

/// Refuses a path that exists and is no file.
pub(super) fn refuse_special_file(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(not_regular(path)),
        _ => Ok(()),
    }
}

pub(super) fn stamp(metadata: &Metadata) -> IndexStamp {
    let (seconds, more) = (metadata.mtime(), metadata.mtime_nsec());
    let (changed, and_more) = (metadata.ctime(), metadata.ctime_nsec());
    (metadata.dev(), metadata.ino(), metadata.size(), seconds, more, changed, and_more)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn repositories_are_found_among_the_files_of_an_index() {
        let listed = b"H 100644 a 0\ta.txt\0H 160000 b 0\tsub dir\0S 160000 c 0\tother\0";
        assert_eq!(links(listed), [Path::new("sub dir"), Path::new("other")]);
    }

    #[test]
    fn an_index_that_may_only_be_read_is_copied_so_that_ours_can_be_written() {
        let directory = tempfile::tempdir().expect("there is room");
        let (theirs, ours) = (directory.path().join("index"), directory.path().join("ours"));
        fs::write(&theirs, "content").expect("it is ours");
        fs::set_permissions(&theirs, fs::Permissions::from_mode(0o444)).expect("it is ours");
        for _ in 0..2 {
            copy_index(&theirs, &ours).expect("it can be read");
        }
        let of = |path: &Path| fs::metadata(path).expect("it is there");
        assert_eq!(fs::read(&ours).expect("it is there"), b"content");
        assert_eq!(of(&ours).mtime_nsec(), of(&theirs).mtime_nsec());
        assert_ne!(of(&ours).mode() & 0o200, 0);
        fs::remove_file(&theirs).expect("it is ours");
        copy_index(&theirs, &ours).expect("nothing is copied");
        assert!(!ours.exists());
    }

    #[test]
    fn only_paths_that_could_be_mistaken_are_quoted() {
        for (path, expected) in
            [("/a b", "/a b"), ("/a:b", "\"/a:b\""), ("/a:\"\n\\", "\"/a:\\\"\\n\\\\\"")]
        {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }
}
