//! Files that a filter such as git-lfs changes between a commit and the work tree. No filter is run: an
//! agent can change it. Where the user's work tree has the same file, its content is copied.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::lane_error::{LaneError, file};
use crate::repository::git_program::GitError;
use crate::repository::lfs_pointer::LfsPointer;
use crate::repository::snapshot::with_filter;
use crate::repository::{GitSession, names};

/// Files of two work trees.
struct FilteredFiles<'a> {
    source: &'a GitSession<'a>,
    lane: &'a GitSession<'a>,
    /// Modes and objects in the index of the source, without the files that were changed since.
    unchanged: BTreeMap<PathBuf, Vec<u8>>,
    /// Modes and objects in the index of the lane.
    wanted: BTreeMap<PathBuf, Vec<u8>>,
}

/// Gives filtered files of a lane, which were just checked out, the content that they have in the work tree
/// of the source. Returns those that have another one there, or none.
pub(super) fn fill_filtered(
    source: &GitSession<'_>,
    lane: &GitSession<'_>,
    checked_out: Option<&BTreeSet<PathBuf>>,
) -> Result<Vec<PathBuf>, LaneError> {
    if !lane.config()?.has_filters {
        return Ok(Vec::new());
    }
    let mut wanted = indexed(lane)?;
    if let Some(checked_out) = checked_out {
        wanted.retain(|path, _| checked_out.contains(path));
    }
    // An agent may have changed a file and staged what the new commit has.
    for path in changed(lane)? {
        wanted.remove(&path);
    }
    let filtered = with_filter(lane, &joined(wanted.keys()))?;
    if filtered.is_empty() {
        return Ok(Vec::new());
    }
    let mut unchanged = indexed(source)?;
    for path in changed(source)? {
        unchanged.remove(&path);
    }
    FilteredFiles { source, lane, unchanged, wanted }.fill(filtered)
}

impl FilteredFiles<'_> {
    fn fill(&self, filtered: BTreeSet<PathBuf>) -> Result<Vec<PathBuf>, LaneError> {
        let (mut left, mut entries) = (Vec::new(), Vec::new());
        for path in filtered {
            let target = self.lane.repository.top.join(&path);
            if !fs::symlink_metadata(&target).is_ok_and(|found| found.is_file()) {
                continue;
            }
            let Some(content) = self.content(&path, &target)? else {
                left.push(path);
                continue;
            };
            let mode = fs::metadata(&target).map_err(file(&target))?.permissions();
            fs::copy(&content, &target).map_err(file(&target))?;
            fs::set_permissions(&target, mode).map_err(file(&target))?;
            entries.extend(self.wanted.get(&path).map(|state| index_entry(state, &path)));
        }
        forget_sizes(self.lane, &entries.concat())?;
        Ok(left)
    }

    /// A file with the content that a filter would give to a file of the lane.
    fn content(&self, path: &Path, target: &Path) -> Result<Option<PathBuf>, LaneError> {
        let place = self.source.repository.top.join(path);
        let is_file = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
        let pointer = LfsPointer::read(target).map_err(file(target))?;
        if let Some(pointer) = pointer {
            let stored = self.source.repository.common.join("lfs").join(pointer.stored_at());
            let mut places = [place, stored].into_iter();
            return Ok(places.find(|place| is_file(place) && pointer.describes(place)));
        }
        let is_same = self.unchanged.get(path).is_some_and(|id| self.wanted.get(path) == Some(id));
        Ok((is_same && is_file(&place)).then_some(place))
    }
}

/// The content of files in Git LFS while their pointers are in its place, so that git sees that they are
/// unchanged.
#[derive(Debug, Default)]
pub(super) struct ShelvedContent {
    /// The place of each file, its path in the work tree, and its entry in the index.
    files: Vec<(PathBuf, PathBuf, Vec<u8>)>,
}

impl ShelvedContent {
    /// Replaces those of these files whose content is what the commit says.
    pub(super) fn shelve(
        session: &GitSession<'_>,
        paths: &BTreeSet<PathBuf>,
    ) -> Result<Self, LaneError> {
        let mut shelved = Self::default();
        if paths.is_empty() || !session.config()?.has_filters {
            return Ok(shelved);
        }
        let filtered = with_filter(session, &joined(paths.iter()))?;
        if filtered.is_empty() {
            return Ok(shelved);
        }
        let shelf = session.repository.git_dir.join("forkhestra-content");
        let known = indexed(session)?;
        for (number, path) in filtered.into_iter().enumerate() {
            let Some(state) = known.get(&path) else { continue };
            let target = session.repository.top.join(&path);
            let object = String::from_utf8_lossy(state).split(' ').nth(1).map(str::to_owned);
            let committed = session.require(&["cat-file", "blob", &object.unwrap_or_default()])?;
            let pointer = LfsPointer::parse(&committed);
            let is_file = fs::symlink_metadata(&target).is_ok_and(|found| found.is_file());
            if !is_file || !pointer.is_some_and(|pointer| pointer.describes(&target)) {
                continue;
            }
            fs::create_dir_all(&shelf).map_err(file(&shelf))?;
            let place = shelf.join(number.to_string());
            let mode = fs::metadata(&target).map_err(file(&target))?.permissions();
            fs::rename(&target, &place).map_err(file(&target))?;
            let entry = index_entry(state, &path);
            shelved.files.push((place, target.clone(), entry));
            fs::write(&target, committed).map_err(file(&target))?;
            fs::set_permissions(&target, mode).map_err(file(&target))?;
        }
        shelved.forget_sizes(session)?;
        Ok(shelved)
    }

    /// Puts the content back, since nothing was changed.
    pub(super) fn restore(self, session: &GitSession<'_>) -> Result<(), LaneError> {
        for (place, target, _) in &self.files {
            fs::rename(place, target).map_err(file(target))?;
        }
        self.forget_sizes(session)
    }

    /// Removes the content, since other files are in its place.
    pub(super) fn discard(self) -> Result<(), LaneError> {
        self.files.iter().try_for_each(|(place, ..)| fs::remove_file(place).map_err(file(place)))
    }

    fn forget_sizes(&self, session: &GitSession<'_>) -> Result<(), LaneError> {
        forget_sizes(
            session,
            &self.files.iter().flat_map(|(.., entry)| entry.clone()).collect::<Vec<u8>>(),
        )
    }
}

/// An entry of an index without the size and the times of the file.
fn index_entry(state: &[u8], path: &Path) -> Vec<u8> {
    [state, b"\t", path.as_os_str().as_bytes(), b"\0"].concat()
}

/// Replaces entries of the index. One with the size of another form of the file is changed for git without
/// a look at the content.
fn forget_sizes(session: &GitSession<'_>, entries: &[u8]) -> Result<(), LaneError> {
    if !entries.is_empty() {
        session.send_input(&[], &["update-index", "-z", "--index-info"], entries)?;
    }
    Ok(())
}

fn joined<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<u8> {
    paths.flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect()
}

/// Files that differ from the index by their size or times.
fn changed(session: &GitSession<'_>) -> Result<Vec<PathBuf>, GitError> {
    let listed = session.require(&["diff-files", "--name-only", "--no-ext-diff", "-z"])?;
    Ok(names(&listed).map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
}

/// Modes and objects of all files in an index.
fn indexed(session: &GitSession<'_>) -> Result<BTreeMap<PathBuf, Vec<u8>>, GitError> {
    let listed = session.require(&["ls-files", "--stage", "-z"])?;
    // `100644 OBJECT 0<TAB>PATH`
    let entry = |line: &[u8]| {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let stage = line[..tab].iter().rposition(|byte| *byte == b' ')?;
        Some((PathBuf::from(OsStr::from_bytes(&line[tab + 1..])), line[..stage].to_vec()))
    };
    Ok(names(&listed).filter_map(entry).collect())
}
