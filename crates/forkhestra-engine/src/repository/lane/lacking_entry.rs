//! What a lane lacks of the user's work tree, and how large it will be.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::lane_error::LaneError;
use super::lane_filling::{Listing, named_files};
use super::lane_source::LaneSource;
use crate::repository::names;
use crate::work_tree::own_paths::STATE_DIRECTORY;

/// The most entries of which sizes are measured at once.
const MAX_ENTRIES: u32 = 20_000;

/// An ignored file or directory of the user's work tree that is not copied to lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LackingEntry {
    /// Relative to the top directory. A directory does not end with a slash.
    pub path: PathBuf,
    pub is_directory: bool,
    pub size: MeasuredSize,
}

/// The size of files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeasuredSize {
    pub bytes: u64,
    /// Whether there were too many files to measure all of them, so that this is the least.
    pub is_cut: bool,
}

impl LaneSource {
    /// The ignored files and directories of the user's work tree that are not copied to a lane with these
    /// patterns. A directory of which only some files are copied is listed.
    pub fn lacking(&self, copy: &[String]) -> Result<Vec<LackingEntry>, LaneError> {
        let session = self.session();
        let args = ["ls-files", "--others", "--ignored", "--exclude-standard", "-z"];
        let listed = session.require(&[&args[..], &["--directory"]].concat())?;
        let ignored: BTreeSet<PathBuf> = paths(&listed).collect();
        let copied = named_files(&session, copy, Listing::Directories)?;
        let mut left = MAX_ENTRIES;
        let mut lacking = Vec::new();
        for path in &ignored {
            // Git lists the files of a directory besides it if none of them is tracked.
            let next =
                ignored.range::<Path, _>((Bound::Excluded(path.as_path()), Bound::Unbounded));
            let has_listed = next.take(1).any(|next| next.starts_with(path));
            if has_listed || is_covered(path, &copied) || is_ours(path) {
                continue;
            }
            let place = self.top().join(path);
            let is_directory = fs::symlink_metadata(&place).is_ok_and(|found| found.is_dir());
            let size = measure(&place, &mut left);
            // Nothing is lost with an empty directory.
            if !is_directory || size != MeasuredSize::default() {
                lacking.push(LackingEntry { path: path.clone(), is_directory, size });
            }
        }
        Ok(lacking)
    }

    /// The size of the tracked files in the user's work tree.
    pub fn tracked_size(&self) -> Result<MeasuredSize, LaneError> {
        let listed = self.session().require(&["ls-files", "-z"])?;
        let sizes = names(&listed).filter_map(|name| {
            let found = fs::symlink_metadata(self.top().join(OsStr::from_bytes(name))).ok()?;
            (!found.is_dir()).then_some(found.len())
        });
        Ok(MeasuredSize { bytes: sizes.sum(), is_cut: false })
    }
}

fn paths(listed: &[u8]) -> impl Iterator<Item = PathBuf> {
    let path =
        |name: &[u8]| PathBuf::from(OsStr::from_bytes(name.strip_suffix(b"/").unwrap_or(name)));
    names(listed).map(path)
}

fn is_covered(path: &Path, copied: &BTreeSet<PathBuf>) -> bool {
    path.ancestors().any(|place| copied.contains(place))
}

/// Whether a path is our state view.
fn is_ours(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == STATE_DIRECTORY)
}

/// Adds up the sizes of files, as long as entries may be looked at. What cannot be read has no size.
fn measure(path: &Path, left: &mut u32) -> MeasuredSize {
    let mut size = MeasuredSize::default();
    let mut todo = vec![path.to_owned()];
    while let Some(place) = todo.pop() {
        if *left == 0 {
            return MeasuredSize { is_cut: true, ..size };
        }
        *left -= 1;
        let Ok(found) = fs::symlink_metadata(&place) else { continue };
        match found.is_dir() {
            true => {
                let entries = fs::read_dir(&place).into_iter().flatten().flatten();
                // A directory may have more entries than may be looked at.
                let most = usize::try_from(*left).unwrap_or(usize::MAX).saturating_add(1);
                todo.extend(entries.take(most).map(|entry| entry.path()));
            }
            false => size.bytes += found.len(),
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measuring_stops_after_a_number_of_entries() {
        let directory = tempfile::tempdir().expect("there is room");
        for number in 0..10 {
            fs::write(directory.path().join(number.to_string()), "xyz").expect("it is ours");
        }
        for (limit, bytes, is_cut, rest) in
            [(20, 30, false, 9), (11, 30, false, 0), (10, 27, true, 0), (0, 0, true, 0)]
        {
            let mut left = limit;
            let size = measure(directory.path(), &mut left);
            assert_eq!((size, left), (MeasuredSize { bytes, is_cut }, rest), "{limit}");
        }
    }
}
