//! Makes lanes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::filtered_files::fill_filtered;
use super::lane_error::{LaneError, file};
use super::lane_source::LaneSource;
use super::lane_submodules::add_submodules;
use super::shared_clone::SharedClone;
use super::{LaneClone, incomplete};
use crate::repository::GitSession;
use crate::repository::worktree_entries::remove_tree;

/// A request for a lane.
#[derive(Clone, Copy)]
pub struct LaneRequest<'a> {
    /// The commit with which the lane begins.
    pub base: &'a str,
    /// The full name of the branch that is checked out there; none for a detached `HEAD`.
    pub branch: Option<&'a str>,
    /// The directory of the lane. It must be missing or empty.
    pub directory: &'a Path,
    /// Whether the lane is not wanted any more.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// A lane that was made.
#[derive(Debug)]
pub struct NewLane {
    pub lane: LaneClone,
    pub gaps: LaneGaps,
}

/// What a lane lacks of the files that are committed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneGaps {
    /// Submodules that the user's work tree has, each with the reason. They are empty directories.
    pub submodules: Vec<SubmoduleGap>,
    /// Files that a filter would change. They are there as git stores them.
    pub filtered: Vec<PathBuf>,
}

/// A submodule that a lane does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmoduleGap {
    /// Relative to the top directory.
    pub path: PathBuf,
    pub why: String,
}

impl LaneSource {
    /// Makes a lane, or makes it again after its directory was removed. Of a lane that cannot be made
    /// nothing is left.
    pub fn create(&self, request: LaneRequest<'_>) -> Result<NewLane, LaneError> {
        self.head()?;
        let commit = self.require_commit(request.base)?;
        let LaneRequest { directory, branch, is_cancelled, .. } = request;
        refuse_occupied(directory)?;
        // A process that is killed meanwhile leaves no half of a lane in its place.
        let place = incomplete(directory);
        remove_tree(&place).map_err(file(&place))?;
        fs::create_dir_all(&place).map_err(file(&place))?;
        let clone = SharedClone {
            source: self.session(),
            directory: &place,
            commit: &commit,
            branch,
            is_cancelled,
        };
        let made = populate(&clone).and_then(|gaps| {
            fs::rename(&place, directory).map_err(|error| match error.kind() {
                io::ErrorKind::DirectoryNotEmpty => LaneError::Occupied(directory.to_owned()),
                _ => file(directory)(error),
            })?;
            let lane = LaneClone::open(self, directory, branch)?;
            Ok(NewLane { lane, gaps })
        });
        made.map_err(|error| {
            let error = error.with_disk(directory);
            // The next attempt removes what cannot be removed now.
            let _ = remove_tree(&place);
            error
        })
    }
}

fn refuse_occupied(directory: &Path) -> Result<(), LaneError> {
    match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(LaneError::Occupied(directory.to_owned()))
        }
        Err(error) => Err(file(directory)(error)),
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(LaneError::Occupied(directory.to_owned())),
        },
    }
}

/// Makes a clone with its submodules and filtered files.
pub(super) fn populate(clone: &SharedClone<'_>) -> Result<LaneGaps, LaneError> {
    let repository = clone.make()?;
    let session = GitSession { repository: &repository, ..clone.source };
    let mut gaps =
        LaneGaps { filtered: fill_filtered(&clone.source, &session, None)?, ..<_>::default() };
    clone.stop_if_cancelled()?;
    add_submodules(clone, &session, &mut gaps)?;
    Ok(gaps)
}

impl LaneGaps {
    /// Adds what a submodule lacks.
    pub(super) fn add_below(&mut self, path: &Path, inner: Self) {
        let submodules = inner.submodules.into_iter();
        self.submodules
            .extend(submodules.map(|gap| SubmoduleGap { path: path.join(gap.path), ..gap }));
        self.filtered.extend(inner.filtered.iter().map(|name| path.join(name)));
    }
}
