//! Makes again what happened in a repository.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::commit_object::CommitObject;
use super::mark::{PATIENCE, Seen, Variables, see, with_index};
use super::moving::Move;
use super::patch::{patched, tree_of};
use super::{CommitEffect, Effects, EffectsError, Mark};
use crate::git::Git;
use crate::process::Children;
use crate::repository::{Repository, Session, names, text};
use crate::work_tree::{Places, WorkTree};

/// So many files that differ are named.
const MOST_FILES: usize = 5;

/// Makes effects happen in the repository that a directory is in. What is in the places that are ours
/// is no part of its work tree.
///
/// The work tree must be what it was when they were recorded. If the branch is at the commit at
/// which it was then, the commits are the very same; otherwise they are put on top of it. Nothing is
/// changed before everything is known to be possible.
pub fn apply(
    directory: &Path,
    effects: &Effects,
    ours: &[&Path],
    environment: &[(OsString, OsString)],
) -> Result<(), EffectsError> {
    let deadline = Instant::now() + PATIENCE;
    let none = || EffectsError::NoRepository(directory.to_owned());
    let git = Git::new(environment, Arc::new(Children::default()));
    let repository = Repository::find(&git, directory, deadline)?.ok_or_else(none)?;
    let scratch = Scratch::create(&repository)?;
    let places = Places::new(directory, &scratch.0, &scratch.0.join("kept"), ours);
    let mut tree = WorkTree::new(places, git.clone(), None);
    let Seen { mark: now, repository, variables } = see(&mut tree, deadline)?.ok_or_else(none)?;
    let session = Session { git: &git, repository: &repository, deadline };
    if now.tree != effects.start.tree {
        return Err(other_tree(&session, &variables, &effects.start, &now));
    }
    let build = Build { session: &session, variables: &variables, scratch: &scratch.0, now: &now };
    build.must_keep_what_is_staged(effects)?;
    let moving = build.everything(effects)?;
    moving.carry_out(&session, &variables, &scratch.0)
}

/// A directory for files of ours, beside the user's index, so that nobody finds it in the work tree.
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    pub(super) fn create(repository: &Repository) -> io::Result<Self> {
        let beside = repository.index.parent().unwrap_or(&repository.common);
        let path = beside.join(format!("forkhestra-effects-{}", std::process::id()));
        // Somebody with the same number may have been killed.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is removed by the next one with this number.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes objects; nothing leads to them before everything is there.
struct Build<'a> {
    session: &'a Session<'a>,
    /// What leads git to objects of our own.
    variables: &'a Variables,
    scratch: &'a Path,
    /// What is there.
    now: &'a Mark,
}

impl Build<'_> {
    fn everything(&self, effects: &Effects) -> Result<Move, EffectsError> {
        let Effects { start, end, .. } = effects;
        let (mut head, mut index, mut base) = (None, None, self.now.tree.clone());
        if effects.moves_head {
            let commits = self.commits(effects)?;
            let new = end.head.as_ref().map(|id| commits.get(id).unwrap_or(id).clone());
            if let Some(new) = &new {
                self.must_exist(new)?;
            }
            base = tree_of(self.session, new.as_deref())?;
            // What is staged must outlive us, so that it goes to the repository.
            let lasting = with_index(&Variables::new(), &self.scratch.join("index-to-build"));
            let staged = patched(self.session, &lasting, &base, effects.staged.as_deref())?;
            if end.index.as_ref().is_some_and(|index| *index != staged) {
                let index = end.index.as_deref().unwrap_or_default();
                return Err(not_the_tree("what was staged", &staged, index));
            }
            index = Some(staged);
            head = new.filter(|new| self.now.head.as_ref() != Some(new));
        }
        let ours = with_index(self.variables, &self.scratch.join("index-to-build"));
        let tree = patched(self.session, &ours, &base, effects.rest.as_deref())?;
        if tree != end.tree {
            return Err(not_the_tree("what was not committed", &tree, &end.tree));
        }
        Ok(Move {
            old_head: self.now.head.clone(),
            head,
            index,
            from: start.tree.clone(),
            to: tree,
        })
    }

    /// The index is written anew. What is staged here must be what was staged then, or be kept elsewhere.
    fn must_keep_what_is_staged(&self, effects: &Effects) -> Result<(), EffectsError> {
        let Mark { index, head, tree, .. } = self.now;
        if !effects.moves_head || *index == effects.start.index {
            return Ok(());
        }
        let committed = tree_of(self.session, head.as_deref())?;
        let is_kept = index.as_ref().is_some_and(|index| *index == committed || index == tree);
        let why = "what is staged here was not when they were recorded, and would be lost";
        if is_kept { Ok(()) } else { Err(do_not_fit(why.to_owned())) }
    }

    /// Makes all commits, and says what each is called here.
    fn commits(&self, effects: &Effects) -> Result<HashMap<String, String>, EffectsError> {
        let mut names: HashMap<String, String> = HashMap::new();
        match (&effects.start.head, &self.now.head) {
            (Some(recorded), Some(here)) => {
                names.insert(recorded.clone(), here.clone());
            }
            (None, None) => {}
            (Some(_), None) => return Err(do_not_fit("there is no commit here yet".to_owned())),
            (None, Some(_)) => {
                let why = "there was no commit when they were recorded, and here is one";
                return Err(do_not_fit(why.to_owned()));
            }
        }
        for commit in &effects.commits {
            let name = self.commit(commit, &names)?;
            names.insert(commit.id.clone(), name);
        }
        Ok(names)
    }

    fn commit(
        &self,
        commit: &CommitEffect,
        names: &HashMap<String, String>,
    ) -> Result<String, EffectsError> {
        let CommitEffect { id, parents: recorded, tree, object, patch, .. } = commit;
        let said = CommitObject::parse(object).filter(|said| said.tree == *tree);
        let unlike = || do_not_fit(format!("commit {id} says something else of itself"));
        let said = said.filter(|said| said.parents == *recorded).ok_or_else(unlike)?;
        let parents: Vec<String> =
            recorded.iter().map(|parent| names.get(parent).unwrap_or(parent).clone()).collect();
        parents.iter().try_for_each(|parent| self.must_exist(parent))?;
        let base = tree_of(self.session, parents.first().map(String::as_str))?;
        let index = with_index(&Variables::new(), &self.scratch.join("index-to-build"));
        let made = patched(self.session, &index, &base, patch.as_deref())?;
        if made != *tree {
            return Err(not_the_tree(&format!("commit {id}"), &made, tree));
        }
        let is_same = parents == *recorded;
        let object = if is_same { object.clone() } else { said.with_parents(&parents) };
        let write = ["hash-object", "-t", "commit", "-w", "--stdin"];
        let name = text(&self.session.tell(&[], &write, &object)?);
        if is_same && name != *id {
            return Err(do_not_fit(format!("commit {id} is called {name} here")));
        }
        Ok(name)
    }

    fn must_exist(&self, commit: &str) -> Result<(), EffectsError> {
        let found = self.session.ask(&["cat-file", "-e", &format!("{commit}^{{commit}}")])?;
        let missing = || do_not_fit(format!("they build on commit {commit}, which is not here"));
        found.map(|_| ()).ok_or_else(missing)
    }
}

fn do_not_fit(why: String) -> EffectsError {
    EffectsError::DoNotFit(why)
}

fn not_the_tree(what: &str, found: &str, expected: &str) -> EffectsError {
    do_not_fit(format!("{what} comes to tree {found} here, and was {expected}"))
}

pub(super) fn other_tree(
    session: &Session<'_>,
    variables: &Variables,
    start: &Mark,
    now: &Mark,
) -> EffectsError {
    let (expected, found) = (start.tree.clone(), now.tree.clone());
    let list = ["diff-tree", "-r", "-z", "--name-only", &expected, &found];
    // If the other tree is not here, nobody can tell what differs.
    let listed = session.demand_with(variables, &list).unwrap_or_default();
    let mut files: Vec<String> =
        names(&listed).map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let more = files.len().saturating_sub(MOST_FILES);
    files.truncate(MOST_FILES);
    EffectsError::OtherTree { expected, found, files, more }
}
