//! Finds out which files a move changes, and what is in its way.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::HeldReason;
use crate::repository::merge_queue::{MergeQueueError, QueueRepository};
use crate::repository::rewind::{
    ClassifiedChanges, FileStamps, KnownPaths, TreeChange, TreeEntry, TreeEntryKind, file_stamps,
    filtered_paths, metadata_below, parse_changes, quoted_line, sparse_paths,
};
use crate::repository::{GitSession, text};

/// The files that a move changes.
#[derive(Debug)]
pub(super) struct ForwardSurvey {
    /// Files that have the content of the first commit.
    pub(super) changes: Vec<TreeChange>,
    /// The stamps of these files from before they were compared.
    pub(super) stamps: FileStamps,
    /// What is in the way.
    pub(super) reasons: Vec<HeldReason>,
}

/// Paths by what is in the way there.
#[derive(Debug, Default)]
struct Obstacles {
    edited: BTreeSet<PathBuf>,
    staged: BTreeSet<PathBuf>,
    unmerged: BTreeSet<PathBuf>,
    in_the_way: BTreeSet<PathBuf>,
    submodules: BTreeSet<PathBuf>,
    filtered: BTreeSet<PathBuf>,
}

impl ForwardSurvey {
    /// Compares the work tree and the index with two commits. The index is locked meanwhile.
    pub(super) fn take(
        queue: &QueueRepository,
        (from, to): (&str, &str),
        live_paths: &[PathBuf],
    ) -> Result<Self, MergeQueueError> {
        let session = queue.session();
        let mut obstacles = Obstacles::default();
        let is_live = |path: &Path| live_paths.iter().any(|live| path.starts_with(live));
        let mut changes = TreeChange::list(&session, from, to)?;
        changes.retain(|change| {
            // The index gets another pointer, but no work tree does.
            let is_submodule = change.is_about_repository();
            if is_submodule {
                obstacles.submodules.insert(change.path.clone());
            }
            !is_submodule
        });
        obstacles.compare_index(&session, from, &changes, &is_live)?;
        changes.retain(|change| !is_live(&change.path));
        let filtered = filtered_paths(&session, &changes)?;
        obstacles.filtered.extend(
            changes.iter().map(|it| it.path.clone()).filter(|path| filtered.contains(path)),
        );
        obstacles.find_repositories(&session.repository.top, &changes);
        let sparse = sparse_paths(&session)?;
        let known = KnownPaths {
            left_out: &BTreeSet::new(),
            sparse: &sparse,
            unchanged: &filtered,
            own_paths: &queue.own_paths,
        };
        let classified = ClassifiedChanges::of(&session, changes, &known)?;
        obstacles.in_the_way.extend(classified.obstacles);
        let stamps = file_stamps(&session.repository.top, &classified.made);
        let changes = obstacles.compare_files(&session, classified.made)?;
        Ok(Self { changes, stamps, reasons: obstacles.reasons() })
    }
}

impl Obstacles {
    fn reasons(self) -> Vec<HeldReason> {
        let kinds: [(fn(Vec<PathBuf>) -> HeldReason, BTreeSet<PathBuf>); 6] = [
            (HeldReason::Unmerged, self.unmerged),
            (HeldReason::Edited, self.edited),
            (HeldReason::Staged, self.staged),
            (HeldReason::InTheWay, self.in_the_way),
            (HeldReason::Submodules, self.submodules),
            (HeldReason::Filtered, self.filtered),
        ];
        let kinds = kinds.into_iter().filter(|(_, paths)| !paths.is_empty());
        kinds.map(|(reason, paths)| reason(paths.into_iter().collect())).collect()
    }

    /// Finds staged entries where the commits differ. A path that has the entry of the second commit is
    /// none.
    fn compare_index(
        &mut self,
        session: &GitSession<'_>,
        from: &str,
        changes: &[TreeChange],
        is_live: &dyn Fn(&Path) -> bool,
    ) -> Result<(), MergeQueueError> {
        let args = ["diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames"];
        let listed = session.require(&[&args[..], &["--no-ext-diff", from, "--"]].concat())?;
        self.unmerged.extend(unmerged(&listed));
        let staged = parse_changes(&listed);
        let wanted: HashMap<&Path, &TreeChange> =
            changes.iter().map(|change| (&*change.path, change)).collect();
        let added: HashSet<&Path> = changes
            .iter()
            .filter(|change| change.after.is_some())
            .map(|change| &*change.path)
            .collect();
        let present: HashSet<&Path> = staged
            .iter()
            .filter(|change| change.after.is_some())
            .map(|change| &*change.path)
            .collect();
        for entry in &staged {
            let collides = match wanted.get(&*entry.path) {
                Some(change) => change.after != entry.after && !is_live(&entry.path),
                // A file of the second commit is where the index has a directory.
                None => {
                    let mut above = entry.path.ancestors().skip(1);
                    entry.after.is_some() && above.any(|above| added.contains(above))
                }
            };
            if collides {
                self.staged.insert(entry.path.clone());
            }
        }
        let below = added.iter().flat_map(|path| path.ancestors().skip(1));
        self.staged.extend(
            below
                .filter(|above| present.contains(above) && !wanted.contains_key(above))
                .map(Path::to_owned),
        );
        Ok(())
    }

    /// Finds changes inside other repositories, which git would not make.
    fn find_repositories(&mut self, top: &Path, changes: &[TreeChange]) {
        let directories: BTreeSet<&Path> =
            changes.iter().flat_map(|change| change.path.ancestors().skip(1)).collect();
        let inside = directories.into_iter().filter(|directory| !directory.as_os_str().is_empty());
        let is_repository =
            |directory: &&Path| fs::symlink_metadata(top.join(directory).join(".git")).is_ok();
        self.in_the_way.extend(inside.filter(is_repository).map(Path::to_owned));
    }

    /// Compares files with both commits, whatever the index says about them: marks in it can hide
    /// changes. Returns the changes of files that have the content of the first commit.
    fn compare_files(
        &mut self,
        session: &GitSession<'_>,
        changes: Vec<TreeChange>,
    ) -> Result<Vec<TreeChange>, MergeQueueError> {
        let existing = changes.iter().filter(|change| change.before.is_some());
        let found = existing_entries(session, existing)?;
        let mut made = Vec::new();
        for change in changes {
            // Without an entry before, nothing is there.
            if change.before.is_none() {
                made.push(change);
                continue;
            }
            let states = found.get(&change.path).map(Vec::as_slice).unwrap_or_default();
            let has = |wanted: &Option<TreeEntry>| match wanted {
                Some(entry) => states.contains(entry),
                None => states.is_empty() && is_absent(&session.repository.top, &change.path),
            };
            if has(&change.after) {
                continue;
            }
            if has(&change.before) {
                made.push(change);
            } else {
                self.edited.insert(change.path);
            }
        }
        Ok(made)
    }
}

fn is_absent(top: &Path, path: &Path) -> bool {
    matches!(metadata_below(top, path), Ok(None))
}

/// The paths with conflicts, which `git diff-index` lists with the status `U`.
fn unmerged(listed: &[u8]) -> Vec<PathBuf> {
    let mut parts = crate::repository::names(listed);
    let mut found = Vec::new();
    while let (Some(fields), Some(path)) = (parts.next(), parts.next()) {
        if fields.ends_with(b" U") {
            found.push(PathBuf::from(std::ffi::OsStr::from_bytes(path)));
        }
    }
    found
}

/// For each of the files that exist: the entries that they can be taken for. With conversion of line
/// ends a file can stand for several objects.
fn existing_entries<'a>(
    session: &GitSession<'_>,
    changes: impl Iterator<Item = &'a TreeChange>,
) -> Result<BTreeMap<PathBuf, Vec<TreeEntry>>, MergeQueueError> {
    let top = &session.repository.top;
    let mut found: BTreeMap<PathBuf, Vec<TreeEntry>> = BTreeMap::new();
    let mut files = Vec::new();
    for change in changes {
        let Some(metadata) = metadata_below(top, &change.path)? else { continue };
        if metadata.is_file() {
            let is_executable = metadata.permissions().mode() & 0o100 != 0;
            let kind = if is_executable { TreeEntryKind::Executable } else { TreeEntryKind::File };
            files.push((change, kind));
        } else if metadata.is_symlink() {
            let path = top.join(&change.path);
            let target = fs::read_link(&path).map_err(MergeQueueError::file(&path))?;
            let target = target.as_os_str().as_bytes();
            let object = text(&session.send_input(&[], &["hash-object", "--stdin"], target)?);
            found
                .insert(change.path.clone(), vec![TreeEntry { kind: TreeEntryKind::Link, object }]);
        }
    }
    for conversion in
        [&["hash-object", "--stdin-paths"][..], &["hash-object", "--no-filters", "--stdin-paths"]]
    {
        if files.is_empty() {
            break;
        }
        let paths: Vec<u8> =
            files.iter().flat_map(|(change, _)| quoted_line(&change.path)).collect();
        let objects = text(&session.send_input(&[], conversion, &paths)?);
        for ((change, kind), object) in files.iter().zip(objects.lines()) {
            let entry = TreeEntry { kind: *kind, object: object.to_owned() };
            found.entry(change.path.clone()).or_default().push(entry);
        }
        let is_unknown = |(change, _): &(&TreeChange, TreeEntryKind)| {
            let states = found.get(&change.path).map(Vec::as_slice).unwrap_or_default();
            let is =
                |entry: &Option<TreeEntry>| entry.as_ref().is_some_and(|it| states.contains(it));
            !is(&change.before) && !is(&change.after)
        };
        files.retain(is_unknown);
    }
    Ok(found)
}
