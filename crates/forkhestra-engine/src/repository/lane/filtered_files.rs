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

/// Gives the filtered files of a lane the content that they have in the work tree of the source. Returns
/// those that have another one there, or none.
pub(super) fn fill_filtered(
    source: &GitSession<'_>,
    lane: &GitSession<'_>,
) -> Result<Vec<PathBuf>, LaneError> {
    if !lane.config()?.has_filters {
        return Ok(Vec::new());
    }
    let wanted = indexed(lane)?;
    let listed: Vec<u8> =
        wanted.keys().flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect();
    let filtered = with_filter(lane, &listed)?;
    if filtered.is_empty() {
        return Ok(Vec::new());
    }
    let mut unchanged = indexed(source)?;
    let changed = source.require(&["diff-files", "--name-only", "--no-ext-diff", "-z"])?;
    for name in names(&changed) {
        unchanged.remove(Path::new(OsStr::from_bytes(name)));
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
            let state = self.wanted.get(&path).into_iter().flatten();
            entries.extend(state.chain(b"\t").chain(path.as_os_str().as_bytes()).chain(b"\0"));
        }
        if !entries.is_empty() {
            // An entry with the size of the committed form would be changed for git without a look at
            // the content. A new entry has no size.
            self.lane.send_input(&[], &["update-index", "-z", "--index-info"], &entries)?;
        }
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
