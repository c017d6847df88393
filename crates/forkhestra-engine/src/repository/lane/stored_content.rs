//! The content of files in Git LFS, which commits only name. It goes with the commits of a lane, or it would
//! be gone with the lane.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::LaneClone;
use super::lane_error::{LaneError, file};
use super::lane_source::LaneSource;
use crate::repository::lfs_pointer::LfsPointer;
use crate::repository::worktree_entries::remove_any;

/// Where git-lfs stores content, in a directory of git.
const STORE: &str = "lfs/objects";

/// The content of a repository is in directories with the first digits of its digest.
const DEPTH: usize = 2;

impl LaneClone {
    /// Copies the content that git-lfs has stored in the lane to the user's repository. Returns the number of
    /// copied files. A file whose content is not what its name says is left out.
    pub fn copy_stored_content(&self, source: &LaneSource) -> Result<u32, LaneError> {
        let own = self.repository.git_dir.join(STORE);
        let theirs = source.repository.common.join(STORE);
        let mut copied = 0;
        for path in stored_files(&own)? {
            let from = own.join(&path);
            let to = theirs.join(&path);
            let is_file = fs::symlink_metadata(&from).is_ok_and(|found| found.is_file());
            if !is_file || to.symlink_metadata().is_ok() || !has_its_name(&from)? {
                continue;
            }
            let copy = || -> io::Result<()> {
                to.parent().map_or(Ok(()), fs::create_dir_all)?;
                let part = to.with_added_extension("incomplete");
                remove_any(&part)?;
                fs::copy(&from, &part)?;
                fs::rename(&part, &to)
            };
            copy().map_err(|error| file(&to)(error).with_disk(&theirs))?;
            copied += 1;
        }
        Ok(copied)
    }
}

/// The files two directories below, relative to a directory.
fn stored_files(directory: &Path) -> Result<Vec<PathBuf>, LaneError> {
    let mut places = vec![PathBuf::new()];
    for _ in 0..=DEPTH {
        let mut below = Vec::new();
        for place in places {
            let path = directory.join(&place);
            let entries = match fs::read_dir(&path) {
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                    ) =>
                {
                    continue;
                }
                entries => entries.map_err(file(&path))?,
            };
            for entry in entries {
                below.push(place.join(entry.map_err(file(&path))?.file_name()));
            }
        }
        places = below;
    }
    Ok(places)
}

/// Whether a file has the content whose digest is its name.
fn has_its_name(path: &Path) -> Result<bool, LaneError> {
    let size = fs::metadata(path).map_err(file(path))?.len();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(LfsPointer::new(name.into_owned(), size).describes(path))
}
