//! Lanes: clones of the user's repository in each of which one agent at a time works.
//!
//! A lane reads the objects of the user's repository and has everything else for itself, so that no
//! command of git in it reaches the branches, the stash, the settings or the objects of that repository.
//! It has the same branches, tags, remotes, settings and hooks as the user's work tree.

mod effective_config;
mod filtered_files;
mod lacking_entry;
mod lane_contents;
mod lane_environment;
mod lane_error;
mod lane_filling;
mod lane_move;
mod lane_ports;
mod lane_source;
mod lane_submodules;
mod new_lane;
mod shared_clone;
mod stored_content;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use self::lane_error::file;
use super::git_program::GitProgram;
use super::index_lock::remove_locks_below;
use super::worktree_entries::{remove_file, remove_tree};
use super::{GitRepository, GitSession};
use crate::work_tree::own_paths::real_path;

pub use lacking_entry::{LackingEntry, MeasuredSize};
pub use lane_contents::{LaneBranch, LaneContents};
pub use lane_environment::{LANE_VARIABLE, LANES_VARIABLE, PORT_VARIABLE, lane_variables};
pub use lane_error::LaneError;
pub use lane_filling::{FilledFiles, LaneFilling, WORKTREE_INCLUDE_FILE};
pub use lane_move::{LaneMove, LaneObstacle, UnlandedCommits};
pub use lane_ports::{LanePorts, PORTS_PER_LANE};
pub use lane_source::LaneSource;
pub use new_lane::{LaneGaps, LaneRequest, NewLane, SubmoduleGap};

/// Upper bound for one sequence of commands.
const TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// A lane that is there.
#[derive(Debug, Clone)]
pub struct LaneClone {
    git: GitProgram,
    repository: GitRepository,
    /// The full name of the branch that belongs there; none for a detached `HEAD`.
    branch: Option<String>,
}

impl LaneClone {
    /// Opens the lane in a directory. An agent may have changed anything in it: a directory of git that
    /// leads elsewhere is refused.
    pub fn open(
        source: &LaneSource,
        directory: &Path,
        branch: Option<&str>,
    ) -> Result<Self, LaneError> {
        let directory = real_path(directory);
        let damaged = |why| LaneError::Damaged { path: directory.clone(), why };
        let own = directory.join(".git");
        let is_own = fs::symlink_metadata(&own).is_ok_and(|found| found.is_dir());
        if !is_own {
            return Err(damaged("it has no directory of git"));
        }
        let deadline = Instant::now() + TIMEOUT;
        let found = GitRepository::find_nested(&source.git, &directory, deadline)?;
        let repository = found.ok_or_else(|| damaged("git finds no repository there"))?;
        if real_path(&repository.common) != own
            || real_path(&repository.objects) != own.join("objects")
        {
            return Err(damaged("git is led to another repository"));
        }
        let branch = branch.map(str::to_owned);
        Ok(Self { git: source.git.clone(), repository, branch })
    }

    /// The top directory.
    pub fn directory(&self) -> &Path {
        &self.repository.top
    }

    /// Points a ref of the lane at a commit of the user's repository.
    pub fn set_ref(&self, name: &str, commit: &str) -> Result<(), LaneError> {
        self.session().require(&["update-ref", name, commit])?;
        Ok(())
    }

    /// Removes locks that killed git processes left. No process is at work in the lane.
    pub fn remove_locks(&self) -> Result<(), LaneError> {
        let git_dir = &self.repository.git_dir;
        for name in ["index.lock", "HEAD.lock", "packed-refs.lock"] {
            let lock = git_dir.join(name);
            remove_file(&lock).map_err(file(&lock))?;
        }
        let refs = git_dir.join("refs");
        match fs::symlink_metadata(&refs).is_ok_and(|found| found.is_dir()) {
            true => remove_locks_below(&refs).map_err(file(&refs)),
            false => Ok(()),
        }
    }

    /// Removes a lane with everything in it. A missing directory is no error. A process that is killed
    /// meanwhile leaves no half of a lane in its place.
    pub fn remove(directory: &Path) -> Result<(), LaneError> {
        let place = incomplete(directory);
        remove_tree(&place).map_err(file(&place))?;
        // A process that is killed leaves no half of a lane that looks like one.
        match fs::rename(directory, &place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(file(directory)(error)),
            Ok(()) => remove_tree(&place).map_err(file(&place)),
        }
    }

    /// Whether a process was killed while it made or removed a lane at this place.
    pub fn is_incomplete(directory: &Path) -> bool {
        incomplete(directory).exists()
    }

    fn session(&self) -> GitSession<'_> {
        let (git, repository) = (&self.git, &self.repository);
        GitSession { git, repository, deadline: Instant::now() + TIMEOUT }
    }
}

/// Where a lane is while it is made or removed.
fn incomplete(directory: &Path) -> PathBuf {
    directory.with_added_extension("incomplete")
}
