//! Finds out which files a move changes, and what is in its way.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::HeldReason;
use super::compared_files::ComparedFiles;
use crate::repository::merge_queue::{MergeQueueError, QueueRepository};
use crate::repository::rewind::{
    ClassifiedChanges, FileStamps, KnownPaths, TreeChange, file_stamps, filtered_paths,
    parse_changes, sparse_paths,
};
use crate::repository::{GitSession, names};

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
        let ComparedFiles { changes, edited } = ComparedFiles::of(&session, classified.made)?;
        obstacles.edited = edited;
        Ok(Self { changes, stamps, reasons: obstacles.reasons() })
    }
}

impl Obstacles {
    fn reasons(self) -> Vec<HeldReason> {
        let list = |paths: BTreeSet<PathBuf>| paths.into_iter().collect();
        let mut reasons = vec![
            HeldReason::Unmerged(list(self.unmerged)),
            HeldReason::Edited(list(self.edited)),
            HeldReason::Staged(list(self.staged)),
            HeldReason::InTheWay(list(self.in_the_way)),
            HeldReason::Submodules(list(self.submodules)),
            HeldReason::Filtered(list(self.filtered)),
        ];
        reasons.retain(|reason| !reason.paths().is_empty());
        reasons
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
}

/// The paths with conflicts, which `git diff-index` lists with the status `U`.
fn unmerged(listed: &[u8]) -> Vec<PathBuf> {
    let mut parts = names(listed);
    let mut found = Vec::new();
    while let (Some(fields), Some(path)) = (parts.next(), parts.next()) {
        if fields.ends_with(b" U") {
            found.push(PathBuf::from(OsStr::from_bytes(path)));
        }
    }
    found
}
