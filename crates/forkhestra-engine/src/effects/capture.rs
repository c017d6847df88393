//! What happened between two states of a repository.

use std::time::Instant;

use super::commit_object::CommitObject;
use super::mark::{PATIENCE, Variables};
use super::patch::{diff, tree_of};
use super::{CommitEffect, Effects, EffectsError, Mark};
use crate::repository::{Session, text};
use crate::work_tree::WorkTree;

/// Somebody who makes more commits at once did not make them, but fetched them.
const MOST_COMMITS: usize = 500;

/// What happened in a work tree between two looks at it, the second of which was just now.
pub(crate) fn capture_with(
    tree: &mut WorkTree,
    start: Mark,
    end: Mark,
) -> Result<Effects, EffectsError> {
    let deadline = Instant::now() + PATIENCE;
    let Some(repository) = tree.repository(deadline)? else {
        return Err(EffectsError::NoRepository(tree.places().directory.clone()));
    };
    let variables = tree.variables(&repository, deadline);
    let session = Session { git: tree.git(), repository: &repository, deadline };
    Capture { session: &session, variables: &variables }.between(start, end)
}

struct Capture<'a> {
    session: &'a Session<'a>,
    variables: &'a Variables,
}

impl Capture<'_> {
    fn between(&self, start: Mark, end: Mark) -> Result<Effects, EffectsError> {
        let mut reasons = Vec::new();
        let commits = match why_not_moved(&start, &end) {
            Some(reason) => Err(reason),
            None => self.commits(&start, &end)?,
        };
        let (commits, moves_head) = match commits {
            Ok(commits) => (commits, true),
            Err(reason) => {
                reasons
                    .push(format!("{reason}, so that only what became of the files is recorded"));
                (Vec::new(), false)
            }
        };
        if end.index.is_none() {
            reasons.push("the index has conflicts, which are not recorded".to_owned());
        }
        if !end.left_out.is_empty() {
            let names = end.left_out.join(", ");
            reasons.push(format!(
                "what is too large, cannot be read or is another repository is not recorded: {names}"
            ));
        }
        let (mut staged, mut base) = (None, start.tree.clone());
        if moves_head {
            base = tree_of(self.session, end.head.as_deref())?;
            if let Some(index) = &end.index {
                staged = diff(self.session, self.variables, &base, index)?;
            }
        }
        let rest = diff(self.session, self.variables, &base, &end.tree)?;
        let why_inexact = (!reasons.is_empty()).then(|| reasons.join("; "));
        Ok(Effects { start, end, commits, moves_head, staged, rest, why_inexact })
    }

    /// The commits that were made, or why they are not recorded.
    fn commits(
        &self,
        start: &Mark,
        end: &Mark,
    ) -> Result<Result<Vec<CommitEffect>, String>, EffectsError> {
        let Some(head) = &end.head else { return Ok(Ok(Vec::new())) };
        let before = start.head.as_ref().map(|before| format!("^{before}"));
        let list = ["rev-list", "--topo-order", "--reverse", head.as_str()];
        let list: Vec<&str> = list.into_iter().chain(before.as_deref()).chain(["--"]).collect();
        let listed = text(&self.session.demand(&list)?);
        let ids: Vec<&str> = listed.lines().collect();
        if ids.len() > MOST_COMMITS {
            return Ok(Err(format!("{} commits are more than an agent makes", ids.len())));
        }
        let commits: Result<Vec<CommitEffect>, EffectsError> =
            ids.into_iter().map(|id| self.commit(id)).collect();
        Ok(Ok(commits?))
    }

    fn commit(&self, id: &str) -> Result<CommitEffect, EffectsError> {
        let object = self.session.demand(&["cat-file", "commit", id])?;
        let unreadable = || EffectsError::Git(format!("git keeps commit {id} in an unknown way"));
        let commit = CommitObject::parse(&object).ok_or_else(unreadable)?;
        let (tree, parents) = (commit.tree.clone(), commit.parents.clone());
        let base = tree_of(self.session, parents.first().map(String::as_str))?;
        let patch = diff(self.session, self.variables, &base, &tree)?;
        let subject = commit.subject();
        Ok(CommitEffect { id: id.to_owned(), parents, tree, subject, object, patch })
    }
}

/// Why the branch cannot be moved again as it was.
fn why_not_moved(start: &Mark, end: &Mark) -> Option<String> {
    let name = |mark: &Mark| {
        let branch = mark.branch.as_deref().unwrap_or("a commit without a branch");
        branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned()
    };
    if start.branch != end.branch {
        return Some(format!("the branch was changed from {} to {}", name(start), name(end)));
    }
    let is_lost = start.head.is_some() && end.head.is_none();
    is_lost.then(|| format!("branch {} was removed", name(start)))
}
