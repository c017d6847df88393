//! Whether effects can be made again.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::apply::{Scratch, other_tree};
use super::mark::{PATIENCE, Seen, see};
use super::{EffectsError, Mark};
use crate::git::Git;
use crate::process::Children;
use crate::repository::{Repository, Session};
use crate::work_tree::{Places, WorkTree};

/// The state of the repository that a directory is in, if its work tree is that of another state. What
/// is in the places that are ours is no part of it. Nothing is changed.
pub fn check(
    directory: &Path,
    start: &Mark,
    ours: &[&Path],
    environment: &[(OsString, OsString)],
) -> Result<Mark, EffectsError> {
    let deadline = Instant::now() + PATIENCE;
    let none = || EffectsError::NoRepository(directory.to_owned());
    let git = Git::new(environment, Arc::new(Children::default()));
    let repository = Repository::find(&git, directory, deadline)?.ok_or_else(none)?;
    let scratch = Scratch::create(&repository)?;
    let places = Places::new(directory, &scratch.0, &scratch.0.join("kept"), ours);
    let mut tree = WorkTree::new(places, git.clone(), None);
    let Seen { mark: now, repository, variables } = see(&mut tree, deadline)?.ok_or_else(none)?;
    if now.tree == start.tree {
        return Ok(now);
    }
    let session = Session { git: &git, repository: &repository, deadline };
    Err(other_tree(&session, &variables, start, &now))
}
